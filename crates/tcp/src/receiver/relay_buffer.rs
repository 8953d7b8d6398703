//! The receiving side of a proxy that splits a connection (RFC 3135 section 2.4).
//!
//! The proxy reads the data in order as far as its next connection takes it, and forgets it once the
//! receiver of that connection has acknowledged it. Bytes are counted, since the segments of the two
//! connections may differ in size.
//!
//! With a memory the window of this connection is the part of it that holds nothing. A segment that may
//! arrive has its place, so that the proxy never holds more:
//!
//! ```text
//! memory >= bytes in order + bytes beyond a gap - bytes acknowledged to the next connection + window
//! ```
//!
//! As in the receive buffer of Linux a window below a sixteenth of the memory is not offered, and an ACK
//! tells of a window that has doubled. A short segment beyond a gap counts as a full one.

use crate::config::Config;
use crate::segment::DataSegment;

/// The state of a proxy's receiving side. Sizes are bytes, sequence numbers segments.
#[derive(Clone, Debug)]
pub(crate) struct RelayBuffer {
    mss: u64,
    /// The payload that the proxy may hold, if that is bounded here.
    memory: Option<u64>,
    /// The sender reads SACK blocks: a duplicate ACK is one, whatever its window.
    sack: bool,
    /// All segments below this have arrived.
    rcv_nxt: u64,
    /// The bytes that they lack of being full.
    lacking: u64,
    /// Short segments beyond a gap, in order, and the bytes that each lacks.
    short: Vec<(u64, u64)>,
    /// The bytes that the next connection has taken, and those that its receiver has acknowledged.
    taken: u64,
    delivered: u64,
    /// The right edge offered: the first segment beyond the window.
    edge: u64,
}

impl RelayBuffer {
    /// The receiving side of a new connection, if a proxy reads from it.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        let buffers = &config.buffers;
        let mss = config.sizes.payload.get().max(1);
        buffers.is_relayed().then(|| Self {
            mss,
            memory: buffers.relay_memory(),
            sack: config.recovery.uses_sack(),
            rcv_nxt: 0,
            lacking: 0,
            short: Vec::new(),
            taken: 0,
            delivered: 0,
            edge: buffers.first_window(mss).unwrap_or(0),
        })
    }

    /// A segment has been put where it belongs: all below `rcv_nxt` is in order.
    #[inline(never)]
    pub(crate) fn store(&mut self, segment: &DataSegment, rcv_nxt: u64) {
        let lacks = self.mss.saturating_sub(segment.payload.get());
        if lacks > 0 {
            match self.short.binary_search_by_key(&segment.seq, |(seq, _)| *seq) {
                Ok(place) => self.short[place].1 = lacks,
                Err(place) => self.short.insert(place, (segment.seq, lacks)),
            }
        }
        self.rcv_nxt = rcv_nxt;
        let in_order = self.short.partition_point(|(seq, _)| *seq < rcv_nxt);
        self.lacking += self.short.drain(..in_order).map(|(_, lacks)| lacks).sum::<u64>();
    }

    /// Payload that has arrived in order.
    pub(crate) fn in_order(&self) -> u64 {
        self.rcv_nxt * self.mss - self.lacking
    }

    /// The next connection has taken the first `taken` bytes, and its receiver has acknowledged `delivered`.
    pub(crate) fn advance(&mut self, taken: u64, delivered: u64) {
        (self.taken, self.delivered) = (taken, delivered);
    }

    /// Segments in order that the next connection has not taken.
    pub(crate) fn unread(&self) -> u64 {
        self.in_order().saturating_sub(self.taken).div_ceil(self.mss)
    }

    /// The window to offer in an ACK while `held` segments lie beyond a gap, in segments; and true if
    /// less than half of the memory is free. None if the memory is not bounded here.
    #[inline(never)]
    pub(crate) fn offer(&mut self, held: u64) -> Option<(u64, bool)> {
        let (window, scarce) = self.window(held)?;
        // RFC 9293 section 3.8.6: the right edge does not move back.
        if self.may_open(held) {
            self.edge = self.edge.max(self.rcv_nxt + window);
        }
        Some((self.edge.saturating_sub(self.rcv_nxt), scarce))
    }

    /// The window offered in the last ACK, of all below `acked`, in segments.
    pub(crate) fn last_advertised_window(&self, acked: u64) -> u64 {
        if self.memory.is_some() { self.edge.saturating_sub(acked) } else { u64::MAX }
    }

    /// True if the window has opened so far that an ACK should tell: to twice its size, and by half of the
    /// memory at most.
    pub(crate) fn opens(&self, held: u64) -> bool {
        let (Some((window, _)), Some(memory)) = (self.window(held), self.memory) else {
            return false;
        };
        let now = self.edge.saturating_sub(self.rcv_nxt);
        self.may_open(held) && 2 * now * self.mss <= memory && window > 0 && window >= 2 * now
    }

    /// A sender without SACK would take a duplicate ACK with a larger window for a window update.
    fn may_open(&self, held: u64) -> bool {
        self.sack || held == 0
    }

    /// The window that the memory allows, in segments.
    fn window(&self, held: u64) -> Option<(u64, bool)> {
        let memory = self.memory?;
        let holds = (self.in_order() + held * self.mss).saturating_sub(self.delivered);
        if holds == 0 {
            // A memory for less than a segment still takes one at a time.
            return Some(((memory / self.mss).max(1), false));
        }
        let free = memory.saturating_sub(holds);
        let scarce = free < memory / 2;
        if scarce && (free < memory / 16 || free < self.mss) {
            return Some((0, true));
        }
        Some((free / self.mss, scarce))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::{Buffers, ReadMode};
    use crate::config::Recovery;
    use westwood_cc::{Bytes, Ecn, Instant};

    fn buffer(memory: u64, recovery: Recovery) -> RelayBuffer {
        let reading = ReadMode::Relayed { memory: Some(memory) };
        let buffers = Buffers { reading, ..Buffers::default() };
        let config = Config { recovery, buffers, ..Config::default() };
        RelayBuffer::of(&config).expect("relayed")
    }

    fn segment(seq: u64, payload: u64) -> DataSegment {
        DataSegment {
            seq,
            payload: Bytes::new(payload),
            sent_at: Instant::ZERO,
            retransmission: false,
            ecn: Ecn::NotEct,
            cwr: false,
            push: false,
        }
    }

    #[test]
    fn the_window_is_the_memory_that_holds_nothing() {
        let mut relay = buffer(15_000, Recovery::Sack);
        for n in 1..=6 {
            relay.store(&segment(n - 1, 1_500), n);
        }
        assert_eq!(relay.offer(0), Some((4, true)));
        relay.advance(9_000, 3_000);
        assert_eq!((relay.unread(), relay.offer(0)), (0, Some((6, false))));
        // A segment beyond a gap takes its place as well, and the edge stays.
        assert_eq!(relay.offer(1), Some((6, false)));
        assert_eq!(relay.edge, 12);
    }

    #[test]
    fn a_closed_window_opens_once_a_sixteenth_of_the_memory_is_free() {
        let mut relay = buffer(96_000, Recovery::Sack);
        for n in 1..=64 {
            relay.store(&segment(n - 1, 1_500), n);
        }
        assert_eq!(relay.offer(0), Some((0, true)));
        relay.advance(96_000, 4_500);
        assert!(!relay.opens(0));
        relay.advance(96_000, 6_000);
        assert!(relay.opens(0));
    }

    #[test]
    fn the_window_of_a_sender_without_sack_stays_while_data_is_missing() {
        for (recovery, edge) in [(Recovery::NewReno, 10), (Recovery::Sack, 13)] {
            let mut relay = buffer(15_000, recovery);
            for n in 1..=6 {
                relay.store(&segment(n - 1, 1_500), n);
                let _ = relay.offer(0);
            }
            relay.advance(9_000, 6_000);
            let _ = relay.offer(1);
            assert_eq!(relay.edge, edge, "{recovery}");
            let _ = relay.offer(0);
            assert!(relay.edge >= 13);
        }
    }

    #[test]
    fn short_segments_are_counted_when_they_are_in_order() {
        let mut relay = buffer(15_000, Recovery::Sack);
        relay.store(&segment(0, 1_500), 1);
        relay.store(&segment(2, 200), 1);
        assert_eq!(relay.in_order(), 1_500);
        relay.store(&segment(1, 1_500), 3);
        assert_eq!(relay.in_order(), 3_200);
    }
}
