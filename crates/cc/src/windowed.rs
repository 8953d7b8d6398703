//! A composed controller: standard slow start, an increase and a decrease.

use crate::controller::{Ack, Cause, Controller, Grant, Reduction, Window, window_only};
use crate::decrease::Decrease;
use crate::increase::{Increase, after_slow_start};
use crate::units::{Duration, Instant};

/// The papers' own taxonomy as a type: Reno is additive increase and multiplicative decrease,
/// Westwood+ additive increase and adaptive decrease, LogWestwood+ logarithmic increase and
/// adaptive decrease.
#[derive(Clone, Copy, Debug)]
pub struct Windowed<I, D> {
    /// From ssthresh on.
    pub up: I,
    /// At congestion.
    pub down: D,
}

impl<I: Increase, D: Decrease> Controller for Windowed<I, D> {
    fn measure(&mut self, ack: &Ack) {
        self.up.measure(ack);
        self.down.measure(ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        after_slow_start(&mut self.up, w, grant)
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        let reduction = self.down.reduce(w, cause, now);
        self.up.reduced(w.cwnd, reduction.resume, cause, now);
        reduction
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.up.undone();
        now_w.or_larger(before)
    }

    fn restarted(&mut self, w: Window, idle: Duration, _: Instant) -> Window {
        self.up.restarted(idle);
        w
    }

    window_only!(|c| c.down.bwe());
}
