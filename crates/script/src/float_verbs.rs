//! A controller's verbs in floats, and the controller that they make.

use westwood_cc::controller::{
    Ack, Cause, ControlScope, Grant, LostSegment, Reason, Reduction, Setup,
};
use westwood_cc::controllers::Info;
use westwood_cc::decrease::Multiplicative;
use westwood_cc::increase::Additive;
use westwood_cc::own::{OwnParameters, OwnVerbs, StateWords};
use westwood_cc::windowed::Windowed;
use westwood_cc::{Controller, Duration, Instant, Rate, Segments, Window};

use crate::event::{
    CongestionDetected, GrowthRequested, RecoveryEnded, ReductionUndone, SendingRestarted,
};
use crate::units::window;

/// An answer to a verb: finite numbers of segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowAnswer {
    /// The congestion window; of a reduction the slow-start threshold.
    pub first: f64,
    /// Where two are answered: the slow-start threshold; of a reduction the window at which recovery ends.
    pub second: Option<f64>,
}

/// The verbs of a controller that computes in floats. Their meaning is
/// [`Controller`]'s. A verb that it does not have answers none, and is Reno's.
pub trait FloatVerbs: Sync {
    /// Its names.
    fn info(&self) -> &'static Info;

    /// Its parameters, if it has some.
    fn parameters(&self) -> Option<&dyn OwnParameters>;

    /// How far its command reaches.
    fn control_scope(&self) -> ControlScope;

    /// True if another [seed](Setup::seed) may give another controller.
    fn draws(&self) -> bool;

    /// The state in a new connection.
    fn start(&self, setup: &Setup) -> StateWords;

    /// An ACK has come.
    fn measure(&self, state: &mut StateWords, ack: &Ack);

    /// A segment is judged lost.
    fn lost(&self, state: &mut StateWords, segment: &LostSegment);

    /// The window may grow: the next one.
    fn grow(&self, state: &mut StateWords, growth: &GrowthRequested) -> Option<WindowAnswer>;

    /// Congestion has been met: ssthresh, and the window at which recovery ends.
    fn reduce(
        &self,
        state: &mut StateWords,
        congestion: &CongestionDetected,
    ) -> Option<WindowAnswer>;

    /// A recovery ends: the next window.
    fn recovered(&self, state: &mut StateWords, end: &RecoveryEnded) -> Option<WindowAnswer>;

    /// A reduction was spurious: the next window.
    fn undone(&self, state: &mut StateWords, undone: &ReductionUndone) -> Option<WindowAnswer>;

    /// Sending begins again after idle time: the next window.
    fn restarted(
        &self,
        state: &mut StateWords,
        restarted: &SendingRestarted,
    ) -> Option<WindowAnswer>;

    /// The pacing rate, if it has a wish.
    fn pacing_rate(&self, state: &StateWords) -> Option<Rate>;

    /// The bandwidth estimate, if it keeps one.
    fn bwe(&self, state: &StateWords) -> Option<Rate>;
}

/// A controller whose verbs compute in floats. Windows are at least one segment and at most
/// [`Segments::MAX`], thresholds at least two.
#[derive(Debug)]
pub struct FloatController<V>(pub V);

/// Reno's part: the verbs that a controller does not have.
const fn reno() -> Windowed<Additive, Multiplicative> {
    Windowed { up: Additive, down: Multiplicative::half() }
}

/// The window that an answer says.
fn next(answer: WindowAnswer, w: Window) -> Window {
    Window { cwnd: window(answer.first), ssthresh: answer.second.map_or(w.ssthresh, window) }
}

impl<V: FloatVerbs> OwnVerbs for FloatController<V> {
    fn info(&self) -> &'static Info {
        self.0.info()
    }

    fn parameters(&self) -> Option<&dyn OwnParameters> {
        self.0.parameters()
    }

    fn control_scope(&self) -> ControlScope {
        self.0.control_scope()
    }

    fn uses_randomness(&self) -> bool {
        self.0.draws()
    }

    fn build(&self, setup: &Setup) -> StateWords {
        self.0.start(setup)
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        self.0.measure(state, ack);
    }

    fn grow(&self, state: &mut StateWords, w: Window, grant: &Grant) -> Window {
        let answer = self.0.grow(state, &GrowthRequested(w, *grant));
        answer.map_or_else(|| reno().grow(w, grant), |answer| next(answer, w))
    }

    fn reduce(&self, state: &mut StateWords, w: Window, cause: Cause, now: Instant) -> Reduction {
        let Some(answer) = self.0.reduce(state, &CongestionDetected(w, cause, now)) else {
            return reno().reduce(w, cause, now);
        };
        let ssthresh = window(answer.first).max(Segments::TWO);
        // A sign of congestion opens no window.
        let usual = || ssthresh.min(w.cwnd.max(Segments::ONE));
        let resume = answer.second.map_or_else(usual, window);
        Reduction { ssthresh, resume, reason: Reason::Own }
    }

    fn lost(&self, state: &mut StateWords, segment: &LostSegment) {
        self.0.lost(state, segment);
    }

    fn recovered(&self, state: &mut StateWords, w: Window, now: Instant) -> Window {
        let answer = self.0.recovered(state, &RecoveryEnded(w, now));
        answer.map_or(w, |answer| next(answer, w))
    }

    fn undone(
        &self,
        state: &mut StateWords,
        now_w: Window,
        before: Window,
        now: Instant,
    ) -> Window {
        let answer = self.0.undone(state, &ReductionUndone(now_w, before, now));
        answer.map_or_else(|| reno().undone(now_w, before, now), |answer| next(answer, now_w))
    }

    fn restarted(&self, state: &mut StateWords, w: Window, idle: Duration, now: Instant) -> Window {
        let answer = self.0.restarted(state, &SendingRestarted(w, idle, now));
        answer.map_or(w, |answer| next(answer, w))
    }

    fn pacing_rate(&self, state: &StateWords) -> Option<Rate> {
        self.0.pacing_rate(state)
    }

    fn bwe(&self, state: &StateWords) -> Option<Rate> {
        self.0.bwe(state)
    }
}
