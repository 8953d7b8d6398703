//! Additive increase: one segment a round-trip time (RFC 5681 section 3.1, equation 3).

use super::{Increase, memoryless};
use crate::units::{Instant, Segments};

/// `cwnd += credit / cwnd` for each ACK.
///
/// With one credit an ACK a delayed-ACK receiver halves the growth, as in all the papers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Additive;

impl Increase for Additive {
    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        cwnd + credit.over(cwnd)
    }

    memoryless!();
}
