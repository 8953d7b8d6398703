//! Binary search for the window of the last loss, then a probe beyond it.
//!
//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance
//! Networks", IEEE INFOCOM 2004, section III.

use super::Increase;
use crate::controller::{Ack, Cause};
use crate::units::{Duration, Instant, Segments};

/// `cwnd += step / cwnd` for each ACK, `step` being half the distance to `W_max`.
#[derive(Clone, Copy, Debug)]
pub struct Bic {
    /// `S_max`: the largest step a round-trip time, in segments.
    pub s_max: Segments,
    /// `S_min`: the smallest step a round-trip time, in segments.
    pub s_min: Segments,
    /// Below this window the increase is Reno's.
    pub low_window: Segments,
    /// A loss below the last `W_max` aims lower, so that a new flow gets its share sooner.
    pub fast_convergence: bool,
    w_max: Segments,
    /// `W_max` before the last reduction, in case that was spurious.
    w_max_before: Segments,
}

impl Bic {
    /// A search that has not seen a loss: it probes upwards from the first window.
    pub fn new(s_max: Segments, s_min: Segments, low_window: Segments, converge: bool) -> Self {
        Self {
            s_max,
            s_min,
            low_window,
            fast_convergence: converge,
            w_max: Segments::ZERO,
            w_max_before: Segments::ZERO,
        }
    }

    /// The window that the search aims at; zero before the first loss.
    pub fn w_max(&self) -> Segments {
        self.w_max
    }

    /// The step for one round-trip time: half the way to `W_max`, or what has been gained beyond it.
    fn step(&self, cwnd: Segments) -> Segments {
        let step = if cwnd < self.w_max { (self.w_max - cwnd).half() } else { cwnd - self.w_max };
        step.min(self.s_max).max(self.s_min)
    }
}

impl Increase for Bic {
    fn measure(&mut self, _: &Ack) {}

    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        let step = if cwnd < self.low_window { Segments::ONE } else { self.step(cwnd) };
        cwnd + credit.times_q32(step).over(cwnd)
    }

    fn reduced(&mut self, before: Segments, after: Segments, _: Cause, _: Instant) {
        self.w_max_before = self.w_max;
        self.w_max = if self.fast_convergence && before < self.w_max {
            (before + after).half()
        } else {
            before
        };
    }

    fn undone(&mut self) {
        self.w_max = self.w_max_before;
    }

    fn restarted(&mut self, _: Duration) {}
}
