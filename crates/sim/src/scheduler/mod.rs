//! Who is next: sources of events, each with at most one entry, in the order of (time, rank).
//!
//! Every link, timer and application is a source, and its rank is fixed when the network is built.
//! Events of the same instant happen in the order of their ranks and not of their insertion, because
//! the number of insertions depends on how an engine works and results must not.
//!
//! The order is total, so it does not matter for results how it is kept: few sources are simply
//! looked through, many are kept in a [`Calendar`].

mod calendar;
mod few;

use westwood_cc::{Duration, Instant};

use calendar::Calendar;
use few::Few;

/// A source's place in the order of ties.
pub(crate) type Rank = u32;

/// Pending events, at most one for each source.
#[derive(Debug)]
pub(crate) enum Scheduler {
    Few(Few),
    Many(Calendar),
}

impl Scheduler {
    /// For sources of the ranks below `sources`, and events up to `end`. Later ones may not come.
    pub(crate) fn new(sources: usize, end: Duration) -> Self {
        if sources <= few::MOST && end < few::LONGEST {
            Self::Few(Few::new())
        } else {
            Self::Many(Calendar::new(sources))
        }
    }

    /// Makes sure that the source is woken no later than `at`; [`Instant::FAR_FUTURE`] asks nothing.
    ///
    /// A later time than the pending one changes nothing: timers re-arm lazily. The source finds on
    /// waking that it is not due and asks again, which costs less than moving an entry at every ACK.
    #[inline]
    pub(crate) fn wake(&mut self, rank: Rank, at: Instant) {
        match self {
            Self::Few(s) => s.wake(rank, at),
            Self::Many(s) => s.wake(rank, at),
        }
    }

    /// The next source to wake, where this one too wants to be woken: what [`wake`](Self::wake) and then
    /// [`next`](Self::next) do. Often it is this one, and need not be entered.
    #[inline]
    pub(crate) fn next_with(&mut self, rank: Rank, at: Instant) -> Option<(Instant, Rank)> {
        match self {
            Self::Few(s) if s.is_before_all(rank, at) => Some((at, rank)),
            Self::Few(s) => {
                s.wake(rank, at);
                s.next()
            }
            Self::Many(s) => {
                s.wake(rank, at);
                s.next()
            }
        }
    }

    /// The next source to wake. Its entry is gone: it must ask again.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, Rank)> {
        match self {
            Self::Few(s) => s.next(),
            Self::Many(s) => s.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    /// Both ways of keeping the order.
    fn both(sources: usize) -> [Scheduler; 2] {
        [Scheduler::Few(Few::new()), Scheduler::Many(Calendar::new(sources))]
    }

    #[test]
    fn a_run_of_centuries_is_scheduled_to_its_end() {
        let end = Duration::from_nanos(u64::MAX - 1);
        let mut s = Scheduler::new(2, end);
        s.wake(1, Instant::ZERO + end);
        assert_eq!(s.next(), Some((Instant::ZERO + end, 1)));
    }

    #[test]
    fn ties_break_by_rank_and_not_by_insertion() {
        for mut s in both(3) {
            s.wake(2, at(5));
            s.wake(0, at(5));
            s.wake(1, at(4));
            let order: Vec<_> = std::iter::from_fn(|| s.next()).collect();
            assert_eq!(order, [(at(4), 1), (at(5), 0), (at(5), 2)]);
        }
    }

    #[test]
    fn an_earlier_wish_replaces_a_later_one_and_never_the_reverse() {
        for mut s in both(1) {
            s.wake(0, at(9));
            s.wake(0, at(3));
            s.wake(0, at(7));
            assert_eq!(s.next(), Some((at(3), 0)));
            assert_eq!(s.next(), None, "nothing is left at 9");
        }
    }

    #[test]
    fn never_is_not_a_time() {
        for mut s in both(2) {
            s.wake(1, Instant::FAR_FUTURE);
            assert_eq!(s.next(), None);
        }
    }

    /// The rule itself: the least (time, rank) of all.
    struct Rule(Vec<Instant>);

    impl Rule {
        fn wake(&mut self, rank: Rank, at: Instant) {
            let due = &mut self.0[rank as usize];
            *due = at.min(*due);
        }

        fn next(&mut self) -> Option<(Instant, Rank)> {
            let (&at, rank) = self.0.iter().zip(0..).min()?;
            if at == Instant::FAR_FUTURE {
                return None;
            }
            self.0[rank as usize] = Instant::FAR_FUTURE;
            Some((at, rank))
        }
    }

    /// Wishes after an event: who, and how far ahead as a mantissa and an exponent. Small numbers
    /// make ties and repetitions.
    type Wishes = Vec<(Rank, u32, u64)>;

    fn wishes(sources: Rank) -> impl Strategy<Value = Vec<Wishes>> {
        let wishes = prop::collection::vec((0..sources, 0_u32..40, 0_u64..8), 0..4);
        prop::collection::vec(wishes, 1..400)
    }

    /// Sources wake and ask to be woken again, as in an engine: now, soon, or after a long time. The
    /// last wish is sometimes made with the question who is next.
    fn follows_the_rule(mut s: Scheduler, sources: usize, wishes: Vec<Wishes>) {
        let mut rule = Rule(vec![Instant::FAR_FUTURE; sources]);
        let (mut now, mut wishes) = (Instant::ZERO, wishes.into_iter());
        loop {
            let mut last = None;
            for (rank, exponent, mantissa) in wishes.next().unwrap_or_default() {
                let wish = now + Duration::from_nanos(mantissa << exponent);
                rule.wake(rank, wish);
                if let Some((rank, wish)) = last.replace((rank, wish)) {
                    s.wake(rank, wish);
                }
            }
            let next = rule.next();
            let answer = match last {
                Some((rank, wish)) if rank % 2 == 0 => s.next_with(rank, wish),
                Some((rank, wish)) => {
                    s.wake(rank, wish);
                    s.next()
                }
                None => s.next_with(0, Instant::FAR_FUTURE),
            };
            assert_eq!(answer, next);
            match next {
                Some((at, _)) => now = at,
                None if wishes.len() == 0 => return,
                None => {}
            }
        }
    }

    proptest! {
        #[test]
        fn few_sources_wake_in_the_order_of_time_and_rank(wishes in wishes(16)) {
            follows_the_rule(Scheduler::Few(Few::new()), 16, wishes);
        }

        #[test]
        fn the_calendar_wakes_in_the_order_of_time_and_rank(wishes in wishes(16)) {
            follows_the_rule(Scheduler::Many(Calendar::new(16)), 16, wishes);
        }

        #[test]
        fn the_calendar_wakes_many_in_the_order_of_time_and_rank(wishes in wishes(300)) {
            follows_the_rule(Scheduler::Many(Calendar::new(300)), 300, wishes);
        }
    }
}
