//! Pending events of few sources: a list to look through.

use westwood_cc::{Duration, Instant};

use super::Rank;

/// Bits of an entry that hold the rank.
const RANK_BITS: u32 = 4;

/// The most sources.
pub(super) const MOST: usize = 1 << RANK_BITS;

/// No entry is due later than 2^60 ns, 36 years, after the origin.
pub(super) const LONGEST: Duration = Duration::from_nanos(u64::MAX >> RANK_BITS);

/// What a source without an entry has. It is due later than anything.
const NOTHING: u64 = u64::MAX;

/// For each source its time and rank in one number, so that the least is the next.
///
/// Whoever is woken mostly asks to be woken again before any other is due, or asks for something much
/// later. So the first entry is known without a look at the others, until it is later than they may be.
#[derive(Debug)]
pub(crate) struct Few {
    due: [u64; MOST],
    /// The least entry, or none if it has been taken.
    first: u64,
    /// No other entry is less.
    others: u64,
}

impl Few {
    /// For at most [`MOST`] sources.
    pub(super) const fn new() -> Self {
        Self { due: [NOTHING; MOST], first: NOTHING, others: NOTHING }
    }

    #[inline]
    pub(super) fn wake(&mut self, rank: Rank, at: Instant) {
        let Some(due) = self.due.get_mut(rank as usize) else { return };
        let entry = at.as_nanos() << RANK_BITS | u64::from(rank);
        if at.as_nanos() >= LONGEST.as_nanos() || entry >= *due {
            return;
        }
        *due = entry;
        self.others = self.others.min(entry.max(self.first));
        self.first = self.first.min(entry);
    }

    /// True if a source without an entry, woken then, would be the next.
    #[inline]
    pub(super) fn is_before_all(&self, rank: Rank, at: Instant) -> bool {
        let free = self.due.get(rank as usize) == Some(&NOTHING);
        let entry = at.as_nanos() << RANK_BITS | u64::from(rank);
        free && at.as_nanos() < LONGEST.as_nanos() && entry < self.first.min(self.others)
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<(Instant, Rank)> {
        if self.first >= self.others {
            self.look_through();
        }
        let first = std::mem::replace(&mut self.first, NOTHING);
        if first == NOTHING {
            return None;
        }
        let rank = rank(first);
        self.due[rank as usize] = NOTHING;
        Some((Instant::from_nanos(first >> RANK_BITS), rank))
    }

    /// Finds the least of all and the least of the others.
    #[inline(never)]
    fn look_through(&mut self) {
        (self.first, self.others) = (NOTHING, NOTHING);
        for &entry in &self.due {
            self.others = self.others.min(entry.max(self.first));
            self.first = self.first.min(entry);
        }
    }
}

/// An entry's low bits.
#[expect(clippy::cast_possible_truncation, reason = "below 16")]
const fn rank(entry: u64) -> Rank {
    (entry % MOST as u64) as Rank
}
