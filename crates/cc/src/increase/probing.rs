//! Multiplicative probing: additive increase for small windows, a fixed share for large ones
//! (westwood-10g-2005 section 3.1).

use super::{Increase, memoryless};
use crate::units::{Instant, Ratio, Segments};

/// `cwnd += 1/cwnd` below the threshold, `cwnd += gain` from it on, for each ACK.
///
/// A gain of 0.04 is 4 % a round-trip time with one ACK a segment, 2 % with delayed ACKs and one
/// credit an ACK. At a threshold of 100 segments the growth jumps from one to four segments a
/// round-trip time. The paper's pseudo-code has no case for `cwnd = threshold`; its prose gives it to the
/// upper branch.
#[derive(Clone, Copy, Debug)]
pub struct Probing {
    /// The window from which growth is multiplicative.
    pub threshold: Segments,
    /// Segments that each ACK adds from there on.
    pub gain: Ratio,
}

impl Increase for Probing {
    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        if cwnd < self.threshold {
            cwnd + credit.over(cwnd)
        } else {
            cwnd + credit.times(self.gain)
        }
    }

    memoryless!();
}
