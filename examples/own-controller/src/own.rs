//! # Patient: a controller to begin one's own with
//!
//! The window grows by one segment a round-trip time. The first sign of congestion, the end of slow start,
//! halves it; later ones leave four fifths.
//!
//! Differences from RFC 2914 and RFC 7141: a later reduction takes a fifth, so that beside Reno a flow has
//! more than half. Deployment: the sender alone changes.

use westwood_cc::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reduction, Setup, Window,
};
use westwood_cc::controllers::Info;
use westwood_cc::decrease::Multiplicative;
use westwood_cc::increase::Additive;
use westwood_cc::own::{OwnController, STATE_WORDS, StateWords};
use westwood_cc::windowed::Windowed;
use westwood_cc::{Duration, Instant, Rate, Ratio};

/// The controller's state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patient {
    /// Signs of congestion so far.
    reductions: u64,
}

impl Patient {
    /// The increase, and the decrease that is due.
    fn parts(self) -> Windowed<Additive, Multiplicative> {
        let share = if self.reductions == 0 { Ratio::new(1, 2) } else { Ratio::new(4, 5) };
        Windowed { up: Additive, down: Multiplicative { share } }
    }
}

impl OwnController for Patient {
    const INFO: Info = Info {
        name: "patient",
        aliases: &[],
        summary: "additive increase; halves once, then leaves four fifths",
        source: "examples/own-controller",
    };

    fn new(_: &Setup) -> Self {
        Self::default()
    }

    fn load(state: &StateWords) -> Self {
        Self { reductions: state[0] }
    }

    fn save(&self) -> StateWords {
        let mut state = [0; STATE_WORDS];
        state[0] = self.reductions;
        state
    }
}

impl Controller for Patient {
    fn measure(&mut self, _: &Ack) {}

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        self.parts().grow(w, grant)
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        let answer = self.parts().reduce(w, cause, now);
        self.reductions += 1;
        answer
    }

    fn lost(&mut self, _: &LostSegment) {}

    fn recovered(&mut self, w: Window, now: Instant) -> Window {
        self.parts().recovered(w, now)
    }

    fn undone(&mut self, now_w: Window, before: Window, now: Instant) -> Window {
        self.reductions = self.reductions.saturating_sub(1);
        self.parts().undone(now_w, before, now)
    }

    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window {
        self.parts().restarted(w, idle, now)
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Window
    }

    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}
