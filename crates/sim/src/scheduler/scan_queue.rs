//! Pending events of few sources: a list to look through.

use westwood_cc::{Duration, Instant};

use super::Rank;
use super::packet_queues::PacketQueues;
use crate::packet::Packet;

/// Bits of an entry that hold the rank.
const RANK_BITS: u32 = 4;

/// The most sources.
pub(super) const MOST: usize = 1 << RANK_BITS;

/// No entry is due later than 2^60 ns, 36 years, after the origin.
pub(super) const LONGEST: Duration = Duration::from_nanos(u64::MAX >> RANK_BITS);

/// The due time of a source without an entry, later than any other.
const EMPTY: u64 = u64::MAX;

/// For each source its time and rank in one number, so that the least is the next.
///
/// A woken source mostly asks to be woken again before any other is due, or much later. So the first entry is
/// known without a look at the others, until it exceeds their lower bound.
#[derive(Debug)]
pub(crate) struct ScanQueue {
    due: [u64; MOST],
    /// The least entry, or none if it has been taken.
    first: u64,
    /// No other entry is less.
    others: u64,
    /// Due time of the next packet of the source that fired last. It is usually the next event, so it gets
    /// no entry.
    again: u64,
    lines: PacketQueues,
}

impl ScanQueue {
    /// For at most [`MOST`] sources.
    pub(super) fn new() -> Self {
        let lines = PacketQueues::default();
        Self { due: [EMPTY; MOST], first: EMPTY, others: EMPTY, again: EMPTY, lines }
    }

    #[inline]
    pub(super) fn post(&mut self, rank: Rank, at: Instant, packet: Packet) {
        if self.lines.keep(rank, at, packet) {
            self.wake(rank, at);
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, rank: Rank) -> Option<Packet> {
        let (packet, next) = self.lines.release(rank)?;
        self.again = entry(rank, next).unwrap_or(EMPTY);
        Some(packet)
    }

    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.lines.iter()
    }

    #[inline]
    pub(super) fn wake(&mut self, rank: Rank, at: Instant) {
        if let Some(entry) = entry(rank, at) {
            self.enter(entry);
        }
    }

    #[inline]
    fn enter(&mut self, entry: u64) {
        let due = &mut self.due[rank(entry) as usize];
        if entry >= *due {
            return;
        }
        *due = entry;
        self.others = self.others.min(entry.max(self.first));
        self.first = self.first.min(entry);
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<(Instant, Rank)> {
        let again = std::mem::replace(&mut self.again, EMPTY);
        if again < self.first.min(self.others) {
            return Some((Instant::from_nanos(again >> RANK_BITS), rank(again)));
        }
        if again != EMPTY {
            self.enter(again);
        }
        if self.first >= self.others {
            self.look_through();
        }
        let first = std::mem::replace(&mut self.first, EMPTY);
        if first == EMPTY {
            return None;
        }
        let rank = rank(first);
        self.due[rank as usize] = EMPTY;
        Some((Instant::from_nanos(first >> RANK_BITS), rank))
    }

    /// Finds the least of all and the least of the others.
    #[inline(never)]
    fn look_through(&mut self) {
        (self.first, self.others) = (EMPTY, EMPTY);
        for &entry in &self.due {
            self.others = self.others.min(entry.max(self.first));
            self.first = self.first.min(entry);
        }
    }
}

/// The entry of a source; none if it cannot come or there is no such source.
#[inline]
fn entry(rank: Rank, at: Instant) -> Option<u64> {
    let exists = (rank as usize) < MOST && at.as_nanos() < LONGEST.as_nanos();
    exists.then_some(at.as_nanos() << RANK_BITS | u64::from(rank))
}

/// An entry's low bits.
#[expect(clippy::cast_possible_truncation, reason = "below 16")]
const fn rank(entry: u64) -> Rank {
    (entry % MOST as u64) as Rank
}
