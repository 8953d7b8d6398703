//! Pending events of few sources: a list to look through.

use westwood_cc::{Duration, Instant};

use super::Rank;

/// Bits of an entry that hold the rank.
const RANK_BITS: u32 = 4;

/// The most sources.
pub(super) const MOST: usize = 1 << RANK_BITS;

/// No entry is due later than 2^60 ns, 36 years, after the origin.
pub(super) const LONGEST: Duration = Duration::from_nanos(u64::MAX >> RANK_BITS);

/// Sources looked at together.
const ABREAST: usize = 2;

/// What a source without an entry has. It is due later than anything.
const NOTHING: u64 = u64::MAX;

/// For each source its time and rank in one number, so that the least is the next.
#[derive(Debug)]
pub(crate) struct Few {
    due: Vec<u64>,
}

impl Few {
    /// For at most [`MOST`] sources.
    pub(super) fn new(sources: usize) -> Self {
        Self {
            due: vec![NOTHING; sources.min(MOST).next_multiple_of(ABREAST)],
        }
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
        // A minimum is no branch, so nothing is mispredicted; two at a time need not wait for each
        // other.
        let mut least = [NOTHING; ABREAST];
        for due in self.due.chunks_exact(ABREAST) {
            least[0] = least[0].min(due[0]);
            least[1] = least[1].min(due[1]);
        }
        let first = least[0].min(least[1]);
        let rank = first as usize % MOST;
        let due = self.due.get_mut(rank).filter(|_| first != NOTHING)?;
        *due = NOTHING;
        Some((Instant::from_nanos(first >> RANK_BITS), rank as Rank))
    }
}
