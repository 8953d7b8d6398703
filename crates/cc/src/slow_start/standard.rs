//! Standard slow start: RFC 5681 section 3.1, equation 2; algorithms of the papers, "cwnd += 1".

use super::{Grown, SlowStart};
use crate::controller::{Ack, Grant, Window};
use crate::units::Segments;

/// The window grows by what the ACK counts, and stops at ssthresh when an ACK counts for more than
/// one segment.
///
/// With a credit of one segment an ACK (the papers, ns-2) the whole segment is taken even when that
/// carries a fractional window past ssthresh, as `if cwnd < ssthresh: cwnd += 1` does. A larger
/// credit is split at ssthresh, as Linux's `tcp_slow_start` does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl SlowStart for Standard {
    fn measure(&mut self, _: &Ack) {}

    fn grow(&mut self, w: Window, grant: &Grant) -> Grown {
        let used = if grant.credit <= Segments::ONE {
            grant.credit
        } else {
            grant.credit.min(w.ssthresh - w.cwnd)
        };
        Grown { window: Window { cwnd: w.cwnd + used, ..w }, left: grant.credit - used }
    }

    fn restarted(&mut self) {}
}
