//! Marks: how a receiver echoes congestion (RFC 3168, RFC 8257, RFC 9768).

use super::{AckMode, PriorAck, Receiver};
use crate::segment::DataSegment;
use westwood_cc::EcnFeedback;

impl Receiver {
    /// Takes in a router's mark and the sender's answer. True for the first of a series of marks: its
    /// echo is not delayed.
    pub(super) fn note_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        match self.feedback {
            EcnFeedback::UntilAnswered => {}
            EcnFeedback::EachSegment => return self.note_each_mark(segment, ce),
            EcnFeedback::Ace | EcnFeedback::Accurate => return self.count_mark(segment, ce),
        }
        if segment.cwr {
            self.ece = false;
        }
        if let AckMode::Linux(quick) = &mut self.mode
            && segment.seq >= self.rcv_nxt
        {
            quick.note_codepoint(segment.ecn);
        }
        // A segment below the window says nothing about the path now (RFC 3168 section 6.1.5). ns-2's
        // receiver echoes its mark too, and delays the ACK of a mark as any other (`TcpSink::ack`).
        let ce = ce && (self.is_ns2 || segment.seq >= self.rcv_nxt);
        let is_new = ce && !self.ece && !self.is_ns2;
        self.ece |= ce;
        if let (true, AckMode::Linux(quick)) = (is_new, &mut self.mode) {
            quick.marked();
        }
        is_new
    }

    /// True if Linux does not delay the ACK of this segment, since a sender that has reduced its window may
    /// have one of a single segment (`tcp_ecn_accept_cwr`).
    pub(super) fn acks_cwr_immediately(&self, segment: &DataSegment) -> bool {
        segment.cwr && matches!(self.mode, AckMode::Linux(_))
    }

    /// RFC 8257 section 3.2: where marks begin or end, an ACK that waits tells of the segments before, and
    /// the next one goes at once. True if so.
    pub(super) fn note_each_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        if segment.seq < self.rcv_nxt || ce == self.ece {
            return false;
        }
        if self.rcv_nxt > self.acked {
            let prior = self.acknowledge(None);
            self.prior = Some(Box::new(PriorAck { ack: prior, next: None }));
        }
        self.ece = ce;
        true
    }

    /// RFC 9768 section 3.2: packets in the window are counted. True if an ACK must leave at once.
    pub(super) fn count_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        let marks = self.extensions.as_mut().and_then(|e| e.marks.as_mut());
        marks.filter(|_| segment.seq >= self.rcv_nxt).is_some_and(|marks| marks.count(segment, ce))
    }
}
