//! Segments that wait in the sending host for their departure, as in Linux's fq queue.
//!
//! With fq Linux's TCP does not wait for a pacing timer: it stamps each segment with its departure
//! (`tcp_update_skb_after_send`) and hands it down at once, until small queues (`tcp_small_queue_check`)
//! stop it at twice a segment's memory or a 1024th of a second of the pacing rate. So a
//! segment is chosen, and its gap computed, when the segment two before it leaves.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Instant, Rate};

use crate::buffers::memory_of;
use crate::segment::DataSegment;

/// Segments in the host, in order of departure.
#[derive(Clone, Debug, Default)]
pub(super) struct HostQueue {
    waiting: VecDeque<DataSegment>,
}

impl HostQueue {
    /// True if small queues let another segment of this payload in at this pacing rate.
    pub(super) fn has_space(&self, rate: Option<Rate>, payload: Bytes) -> bool {
        let rate = rate.map_or(0, |r| r.bits_per_s() / 8);
        let memory = memory_of(payload.get());
        let limit = (2 * memory).max(rate >> 10);
        // The socket itself counts for one byte, which makes it less and not equal.
        (self.waiting.len() as u64) * memory < limit
    }

    pub(super) fn push(&mut self, segment: DataSegment) {
        self.waiting.push_back(segment);
    }

    /// The first segment, if it is due.
    pub(super) fn pop(&mut self, now: Instant) -> Option<DataSegment> {
        if self.next() > now { None } else { self.waiting.pop_front() }
    }

    /// When the first is due.
    pub(super) fn next(&self) -> Instant {
        self.waiting.front().map_or(Instant::FAR_FUTURE, |s| s.sent_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::{Bytes, Ecn};

    fn segment(at_ms: u64) -> DataSegment {
        DataSegment {
            seq: 0,
            payload: Bytes::new(1448),
            sent_at: Instant::from_nanos(at_ms * 1_000_000),
            retransmission: false,
            ecn: Ecn::NotEct,
            cwr: false,
            push: false,
        }
    }

    fn capacity(rate: Option<Rate>) -> usize {
        let mut queue = HostQueue::default();
        while queue.has_space(rate, Bytes::new(1_448)) {
            queue.push(segment(0));
        }
        queue.waiting.len()
    }

    #[test]
    fn two_segments_wait_on_a_slow_path_and_a_millisecond_of_them_on_a_fast_one() {
        assert_eq!(capacity(None), 2);
        assert_eq!(capacity(Some(Rate::from_bits_per_s(12_000_000))), 2);
        assert_eq!(capacity(Some(Rate::from_bits_per_s(120_000_000))), 6);
    }

    #[test]
    fn a_segment_stays_until_its_departure() {
        let mut queue = HostQueue::default();
        queue.push(segment(5));
        assert_eq!(queue.pop(Instant::from_nanos(4_999_999)), None);
        assert_eq!(queue.next(), Instant::from_nanos(5_000_000));
        assert!(queue.pop(Instant::from_nanos(5_000_000)).is_some());
        assert_eq!(queue.next(), Instant::FAR_FUTURE);
    }
}
