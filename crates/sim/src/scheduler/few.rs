//! Pending events of few sources: a list to look through.

use westwood_cc::{Duration, Instant};

use super::Rank;
use super::lines::Lines;
use crate::packet::Packet;

/// Bits of an entry that hold the rank.
const RANK_BITS: u32 = 4;

/// The most sources.
pub(super) const MOST: usize = 1 << RANK_BITS;

/// No entry is due later than 2^60 ns, 36 years, after the origin.
pub(super) const LONGEST: Duration = Duration::from_nanos(u64::MAX >> RANK_BITS);

/// What a source without an entry has. It is due later than anything.
const NOTHING: u64 = u64::MAX;

/// For each source its time and rank in one number, so that the least is the next.
#[derive(Debug)]
pub(crate) struct Few {
    due: [u64; MOST],
    lines: Lines,
}

impl Few {
    /// For at most [`MOST`] sources.
    pub(super) fn new() -> Self {
        Self { due: [NOTHING; MOST], lines: Lines::default() }
    }

    #[inline]
    pub(super) fn post(&mut self, rank: Rank, at: Instant, packet: Packet) {
        if self.lines.keep(rank, at, packet) {
            self.wake(rank, at);
        }
    }

    #[inline]
    pub(super) fn take(&mut self, rank: Rank) -> Option<Packet> {
        let (packet, next) = self.lines.release(rank)?;
        self.wake(rank, next);
        Some(packet)
    }

    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.lines.iter()
    }

    #[inline]
    pub(super) fn wake(&mut self, rank: Rank, at: Instant) {
        if let Some(due) = self.due.get_mut(rank as usize)
            && at.as_nanos() < LONGEST.as_nanos()
        {
            *due = (*due).min(at.as_nanos() << RANK_BITS | u64::from(rank));
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<(Instant, Rank)> {
        // A minimum is no branch, so nothing is mispredicted; several at a time need not wait for
        // each other; and the number of places is fixed, so that no loop is left of it.
        let [a, b, c, d] = self.due.as_chunks::<4>().0 else {
            return None;
        };
        let least = |i: usize| a[i].min(b[i]).min(c[i]).min(d[i]);
        let first = least(0).min(least(1)).min(least(2).min(least(3)));
        if first == NOTHING {
            return None;
        }
        let rank = rank(first);
        self.due[rank as usize] = NOTHING;
        Some((Instant::from_nanos(first >> RANK_BITS), rank))
    }
}

/// An entry's low bits.
#[expect(clippy::cast_possible_truncation, reason = "below 16")]
const fn rank(entry: u64) -> Rank {
    (entry % MOST as u64) as Rank
}
