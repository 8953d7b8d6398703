//! A scoreboard's judgements of segments in flight.

use westwood_cc::controller::ControlScope;

use super::Core;
use crate::sender::flight::Marks;

impl Core {
    /// A segment in flight is judged lost, or its copy: a controller that commands everything is told.
    #[inline]
    pub(crate) fn lose(&mut self, seq: u64) {
        if self.control_scope == ControlScope::Everything {
            self.flight.lose(seq);
        }
    }

    /// A segment is judged lost. False if it is not in flight.
    #[inline]
    pub(crate) fn mark_lost(&mut self, seq: u64) -> bool {
        let in_flight = self.flight.mark_lost(seq);
        if in_flight {
            self.lose(seq);
        }
        in_flight
    }

    /// The copy of a segment is judged lost.
    pub(crate) fn mark_retransmission_lost(&mut self, seq: u64) {
        self.flight.unmark_retrans_out(seq);
        self.lose(seq);
    }

    /// Every segment in flight is lost and no copy is in flight; with `sacked_too` also those that are
    /// selectively acknowledged. Answers how many are lost.
    pub(crate) fn mark_all_lost(&mut self, sacked_too: bool) -> u64 {
        self.flight.mark_all_lost(sacked_too)
    }

    /// A segment is not lost after all. Answers its marks, if it is in flight.
    pub(crate) fn unmark_lost(&mut self, seq: u64) -> Option<Marks> {
        self.flight.unmark_lost(seq)
    }

    /// A copy of a segment counts as in flight. False if one did before, or if the segment is not in flight.
    #[inline]
    pub(crate) fn mark_retrans_out(&mut self, seq: u64) -> bool {
        self.flight.mark_retrans_out(seq)
    }

    /// The copy of a segment has arrived.
    pub(crate) fn unmark_retrans_out(&mut self, seq: u64) {
        self.flight.unmark_retrans_out(seq);
    }

    /// RACK has judged a segment, which is not judged again before it leaves again.
    pub(crate) fn mark_judged(&mut self, seq: u64) {
        self.flight.mark_judged(seq);
    }

    /// A segment in flight is selectively acknowledged, and so it is not lost. As in Linux a copy of it
    /// stays in flight, unless it was lost (`tcp_sacktag_one`). Answers its marks before.
    pub(crate) fn mark_sacked(&mut self, seq: u64) -> Option<Marks> {
        self.flight.mark_sacked(seq)
    }
}
