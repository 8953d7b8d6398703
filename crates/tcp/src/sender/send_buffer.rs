//! The application's data, cut into segments.

use std::collections::VecDeque;

use westwood_cc::Bytes;

/// The application's data as segments, all full but the last of each transfer.
///
/// A segment keeps its size once it has been sent: when a short one has left and the application
/// supplies more, the next begins a new segment.
///
/// The fields keep their order: every segment reads the first, which share a line of the cache with
/// the core's switches, and hardly any the list at the end.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct SendBuffer {
    full: Bytes,
    /// Segments supplied.
    available: u64,
    /// Payload of segment `available - 1`.
    tail: Bytes,
    /// Payload that the segments sent so far lack of being full.
    lacking: Bytes,
    /// Segments sent that were not full, and that may have to be sent again.
    short: VecDeque<(u64, Bytes)>,
}

impl SendBuffer {
    /// No data yet; segments are of `full` bytes.
    pub(crate) fn new(full: Bytes) -> Self {
        let full = Bytes::new(full.get().max(1));
        Self { full, available: 0, tail: full, lacking: Bytes::ZERO, short: VecDeque::new() }
    }

    /// There are `bytes` in all, counted from the start; `snd_max` segments have been sent.
    pub(crate) fn supply(&mut self, bytes: Bytes, snd_max: u64) {
        let rest = (bytes - self.sent(snd_max)).get();
        let segments = rest.div_ceil(self.full.get());
        self.available = snd_max + segments;
        self.tail = match segments.checked_sub(1) {
            Some(before) => Bytes::new(rest - before * self.full.get()),
            None => self.full,
        };
    }

    /// There are `segments` in all, those sent included. The new ones are full.
    pub(crate) fn supply_segments(&mut self, segments: u64, snd_max: u64) {
        self.available = segments.max(snd_max);
        self.tail = self.full;
    }

    /// The payload of a full segment.
    #[inline]
    pub(crate) fn full(&self) -> Bytes {
        self.full
    }

    /// How many of the segments from `snd_max` on are full; all below `snd_max` have been sent.
    #[inline]
    pub(crate) fn full_beyond(&self, snd_max: u64) -> u64 {
        self.available - snd_max - u64::from(self.tail < self.full)
    }

    /// Segments supplied.
    #[inline]
    pub(crate) fn available(&self) -> u64 {
        self.available
    }

    /// Payload of the `snd_max` segments sent so far, each counted once.
    pub(crate) fn sent(&self, snd_max: u64) -> Bytes {
        self.full * snd_max - self.lacking
    }

    /// Payload of the segments below `seq`, which is not below `snd_una`; `snd_max` segments have been sent.
    pub(crate) fn payload_below(&self, seq: u64, snd_max: u64) -> Bytes {
        let lacks = |size: Bytes| self.full - size;
        let beyond = self.short.iter().filter(|&&(s, _)| s >= seq);
        let beyond = beyond.fold(Bytes::ZERO, |sum, &(_, size)| sum + lacks(size));
        let unsent = seq > snd_max && seq >= self.available;
        let tail = if unsent { lacks(self.tail) } else { Bytes::ZERO };
        self.full * seq - (self.lacking - beyond) - tail
    }

    /// The payload of `seq`, which leaves for the first time. All below `snd_una` has arrived.
    #[inline]
    pub(crate) fn first(&mut self, seq: u64, snd_una: u64) -> Bytes {
        if seq + 1 == self.available && self.tail < self.full {
            self.first_short(seq, snd_una)
        } else {
            self.full
        }
    }

    /// The last segment of a transfer is remembered: a copy of it is as short.
    #[cold]
    fn first_short(&mut self, seq: u64, snd_una: u64) -> Bytes {
        while self.short.front().is_some_and(|&(s, _)| s < snd_una) {
            self.short.pop_front();
        }
        self.short.push_back((seq, self.tail));
        self.lacking += self.full - self.tail;
        self.tail
    }

    /// The payload of `seq`, which was sent before.
    pub(crate) fn again(&self, seq: u64) -> Bytes {
        self.short.binary_search_by_key(&seq, |&(s, _)| s).map_or(self.full, |i| self.short[i].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_ends_with_a_short_segment_and_its_copy_is_as_short() {
        let mut s = SendBuffer::new(Bytes::new(1000));
        s.supply(Bytes::new(2_300), 0);
        assert_eq!(s.available(), 3);
        let sent: Vec<u64> = (0..3).map(|seq| s.first(seq, 0).get()).collect();
        assert_eq!(sent, [1000, 1000, 300]);
        assert_eq!(s.again(2), Bytes::new(300));
        assert_eq!(s.again(1), Bytes::new(1000));
    }

    #[test]
    fn data_supplied_after_a_short_segment_was_sent_begins_a_new_one() {
        let mut s = SendBuffer::new(Bytes::new(1000));
        s.supply(Bytes::new(300), 0);
        assert_eq!(s.first(0, 0), Bytes::new(300));
        s.supply(Bytes::new(1_500), 1);
        assert_eq!(s.available(), 3);
        assert_eq!((s.first(1, 1).get(), s.first(2, 1).get()), (1000, 200));
        assert_eq!(s.again(2), Bytes::new(200));
    }

    #[test]
    fn data_supplied_before_a_short_segment_was_sent_fills_it() {
        let mut s = SendBuffer::new(Bytes::new(1000));
        s.supply(Bytes::new(300), 0);
        s.supply(Bytes::new(1_500), 0);
        assert_eq!((s.first(0, 0).get(), s.first(1, 0).get()), (1000, 500));
    }

    #[test]
    fn payload_is_counted_up_to_any_segment_that_is_not_acknowledged() {
        let mut s = SendBuffer::new(Bytes::new(1000));
        s.supply(Bytes::new(1_300), 0);
        let _ = (s.first(0, 0), s.first(1, 0));
        s.supply(Bytes::new(3_500), 2);
        let below = |s: &SendBuffer, seq| s.payload_below(seq, 2).get();
        assert_eq!([0, 1, 2].map(|seq| below(&s, seq)), [0, 1000, 1300]);
        // Not sent yet: 1000, 1000 and 200.
        assert_eq!([3, 4, 5].map(|seq| below(&s, seq)), [2300, 3300, 3500]);
    }

    #[test]
    fn what_was_sent_is_never_taken_back() {
        let mut s = SendBuffer::new(Bytes::new(1000));
        s.supply(Bytes::new(3_000), 0);
        let _ = (s.first(0, 0), s.first(1, 0));
        s.supply(Bytes::new(500), 2);
        assert_eq!(s.available(), 2);
    }
}
