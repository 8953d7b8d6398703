//! Who is next: sources of events, each with at most one entry, in the order of (time, rank).
//!
//! Every link, timer and application is a source, and its rank is fixed when the network is built.
//! Events of the same instant happen in the order of their ranks and not of their insertion, because
//! the number of insertions depends on how an engine works and results must not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use westwood_cc::Instant;

/// A source's place in the order of ties.
pub(crate) type Rank = u32;

/// Pending events, at most one for each source.
#[derive(Debug, Default)]
pub(crate) struct Scheduler {
    heap: BinaryHeap<Reverse<(Instant, Rank)>>,
    /// When each source's entry in the heap is due. Entries that disagree are stale.
    due: Vec<Instant>,
}

impl Scheduler {
    /// For sources of the ranks below `sources`.
    pub(crate) fn new(sources: usize) -> Self {
        Self {
            heap: BinaryHeap::new(),
            due: vec![Instant::FAR_FUTURE; sources],
        }
    }

    /// Makes sure that the source is woken no later than `at`.
    ///
    /// A later time than the pending one changes nothing: timers re-arm lazily. The source finds on
    /// waking that it is not due and asks again, which costs less than moving an entry at every ACK.
    pub(crate) fn wake(&mut self, rank: Rank, at: Instant) {
        let Some(due) = self.due.get_mut(rank as usize) else {
            return;
        };
        if at < *due {
            *due = at;
            self.heap.push(Reverse((at, rank)));
        }
    }

    /// The next source to wake. Its entry is gone: it must ask again.
    pub(crate) fn next(&mut self) -> Option<(Instant, Rank)> {
        while let Some(Reverse((at, rank))) = self.heap.pop() {
            let due = &mut self.due[rank as usize];
            if *due == at {
                *due = Instant::FAR_FUTURE;
                return Some((at, rank));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    #[test]
    fn ties_break_by_rank_and_not_by_insertion() {
        let mut s = Scheduler::new(3);
        s.wake(2, at(5));
        s.wake(0, at(5));
        s.wake(1, at(4));
        let order: Vec<_> = std::iter::from_fn(|| s.next()).collect();
        assert_eq!(order, [(at(4), 1), (at(5), 0), (at(5), 2)]);
    }

    #[test]
    fn an_earlier_wish_replaces_a_later_one_and_never_the_reverse() {
        let mut s = Scheduler::new(1);
        s.wake(0, at(9));
        s.wake(0, at(3));
        s.wake(0, at(7));
        assert_eq!(s.next(), Some((at(3), 0)));
        assert_eq!(s.next(), None, "the entry at 9 is stale");
    }
}
