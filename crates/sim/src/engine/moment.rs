//! When something happens, to the last tie.

use westwood_cc::Instant;

use crate::scheduler::Rank;

/// An event's place in the total order of a run: its time, its source's rank, and which of the
/// source's events of that instant it is.
///
/// What an engine does ahead of time carries the moment at which it counts, so that records can be
/// put in order afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) at: Instant,
    pub(super) rank: Rank,
    /// A link's events of one instant are told apart by the packet's number on it, above two bits:
    /// what the event does, what the link itself says at its end, what follows in the same instant.
    order: u64,
}

const END: u64 = 1;
const AFTERMATH: u64 = 2;
const PART_BITS: u32 = 2;

impl Moment {
    pub(super) const START: Self = Self::of(Instant::ZERO, 0);

    /// The only event of a source at an instant.
    pub(super) const fn of(at: Instant, rank: Rank) -> Self {
        Self { at, rank, order: 0 }
    }

    /// The arrival of a link's `number`-th packet.
    #[inline]
    pub(super) const fn arrival(at: Instant, link: Rank, number: u64) -> Self {
        Self { at, rank: link, order: number << PART_BITS }
    }

    /// The end of the same event.
    pub(super) const fn end(self) -> Self {
        Self { order: self.order | END, ..self }
    }

    /// The moment of the event that the scheduler gives after this one.
    ///
    /// A source may wake another at the same instant whose rank is lower. That event still comes
    /// after this one, and before all that waited with higher ranks.
    #[inline]
    pub(super) const fn then(self, at: Instant, rank: Rank) -> Self {
        if at.as_nanos() == self.at.as_nanos() && rank <= self.rank {
            return Self { order: self.order | AFTERMATH, ..self };
        }
        Self::of(at, rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_event_causes_at_its_own_instant_comes_between_it_and_higher_ranks() {
        let t = Instant::from_nanos(7);
        let event = Moment::START.then(t, 5);
        let caused = event.then(t, 2);
        let waited = caused.then(t, 6);
        assert!(Moment::of(t, 4) < event && event < caused && caused < waited);
        assert!(caused < Moment::of(Instant::from_nanos(8), 0));
    }

    #[test]
    fn packets_of_one_link_and_instant_keep_their_order_and_each_its_end() {
        let t = Instant::from_nanos(7);
        let (a, b) = (Moment::arrival(t, 3, 1), Moment::arrival(t, 3, 2));
        assert!(a < a.end() && a.end() < a.then(t, 1) && a.then(t, 1) < b);
    }
}
