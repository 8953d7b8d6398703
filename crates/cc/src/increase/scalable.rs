//! Multiplicative increase: a fixed share of what each ACK counts.
//!
//! T. Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", ACM CCR 33(2),
//! 2003, section 3.

use super::{Increase, memoryless};
use crate::units::{Instant, Segments};

/// `cwnd += gain` for each ACK above `low_window`, Reno's `1 / cwnd` up to it.
///
/// The window doubles in a fixed number of round-trip times, whatever its size.
#[derive(Clone, Copy, Debug)]
pub struct Scalable {
    /// The increase of one ACK, in segments: 0.01 in the paper.
    pub gain: Segments,
    /// Up to this window the increase is Reno's.
    pub low_window: Segments,
}

impl Increase for Scalable {
    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        if cwnd <= self.low_window {
            cwnd + credit.over(cwnd)
        } else {
            cwnd + credit.times_q32(self.gain)
        }
    }

    memoryless!();
}
