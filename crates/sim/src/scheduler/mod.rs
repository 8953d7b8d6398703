//! The next event, in the order of (time, rank): sources that want to be woken, each with at most one
//! entry, and packets on their way to an event.
//!
//! Every link, timer and application is a source, and its rank is fixed when the network is built.
//! Events of the same instant happen in the order of their ranks and not of their insertion, because
//! the number of insertions depends on how an engine works and results must not.
//!
//! The order is total, so it does not matter for results how it is kept: few sources are simply
//! looked through, many are kept in a [`Calendar`].

mod calendar;
mod chunks;
mod current_slot;
mod packet_queues;
mod scan_queue;

use westwood_cc::{Duration, Instant, Rate};
use westwood_net::{Packet as _, PacketCount};

use crate::packet::Packet;
pub(crate) use calendar::Calendar;
use scan_queue::ScanQueue;

/// A source's place in the order of ties.
pub(crate) type Rank = u32;

/// Pending events: at most one for each source, and packets.
#[derive(Debug)]
pub(crate) enum Scheduler {
    ScanQueue(ScanQueue),
    Calendar(Calendar),
}

impl Scheduler {
    /// For sources of the ranks below `sources`, and events up to `end`. Later ones may not come.
    pub(crate) fn new(sources: usize, end: Duration) -> Self {
        if sources <= scan_queue::MOST && end < scan_queue::LONGEST {
            Self::ScanQueue(ScanQueue::new())
        } else {
            Self::Calendar(Calendar::new(sources))
        }
    }

    /// Tunes the scheduler before the first event: most events are entered at least `least` before they are
    /// due, and packets come at `rate` at most. The order of events does not depend on it.
    pub(crate) fn expect(&mut self, least: Duration, rate: Rate) {
        if let Self::Calendar(s) = self {
            s.set_slot(least, rate);
        }
    }

    /// Makes sure that the source is woken no later than `at`; [`Instant::FAR_FUTURE`] asks nothing.
    ///
    /// A later time than the pending one changes nothing: timers re-arm lazily. The source finds on
    /// waking that it is not due and asks again, which costs less than moving an entry at every ACK.
    #[inline]
    pub(crate) fn wake(&mut self, rank: Rank, at: Instant) {
        match self {
            Self::ScanQueue(s) => s.wake(rank, at),
            Self::Calendar(s) => s.wake(rank, at),
        }
    }

    /// A packet of this source is due at `at`: as if the source were woken then and had the packet.
    /// Packets of one source are posted in the order of their times, and come in that order. A source
    /// either posts packets or asks to be woken.
    #[inline]
    pub(crate) fn post(&mut self, rank: Rank, at: Instant, packet: Packet) {
        match self {
            Self::ScanQueue(s) => s.post(rank, at, packet),
            Self::Calendar(s) => s.post(rank, at, packet),
        }
    }

    /// The packet of the event that has just come, if it is one of a packet.
    #[inline]
    pub(crate) fn take(&mut self, rank: Rank) -> Option<Packet> {
        match self {
            Self::ScanQueue(s) => s.take(rank),
            Self::Calendar(s) => s.take(),
        }
    }

    /// The calendar, if there are many events to come whose order it knows.
    #[inline]
    pub(crate) fn known(&self) -> Option<&Calendar> {
        match self {
            Self::Calendar(s) if s.knows_many() => Some(s),
            Self::ScanQueue(_) | Self::Calendar(_) => None,
        }
    }

    /// All packets that are still to come.
    pub(crate) fn packets_in_transit(&self) -> PacketCount {
        let mut sum = PacketCount::default();
        let mut add = |packet: &Packet| sum += PacketCount { packets: 1, bytes: packet.size() };
        match self {
            Self::ScanQueue(s) => s.packets().for_each(&mut add),
            Self::Calendar(s) => s.packets(&mut add),
        }
        sum
    }

    /// The next source to wake. Its entry is gone: it must ask again.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, Rank)> {
        match self {
            Self::ScanQueue(s) => s.next(),
            Self::Calendar(s) => s.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Address;
    use proptest::prelude::*;

    const fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    /// A calendar of short slots, and one of long ones.
    fn calendars(sources: usize) -> [Scheduler; 2] {
        let short = Scheduler::Calendar(Calendar::new(sources));
        let mut long = Scheduler::Calendar(Calendar::new(sources));
        long.expect(Duration::MAX, Rate::from_bits_per_s(1_000_000_000));
        [short, long]
    }

    /// All ways of keeping the order.
    fn all(sources: usize) -> [Scheduler; 3] {
        let [short, long] = calendars(sources);
        [Scheduler::ScanQueue(ScanQueue::new()), short, long]
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
        for mut s in all(3) {
            s.wake(2, at(5));
            s.wake(0, at(5));
            s.wake(1, at(4));
            let order: Vec<_> = std::iter::from_fn(|| s.next()).collect();
            assert_eq!(order, [(at(4), 1), (at(5), 0), (at(5), 2)]);
        }
    }

    #[test]
    fn an_earlier_wish_replaces_a_later_one_and_never_the_reverse() {
        for mut s in all(1) {
            s.wake(0, at(9));
            s.wake(0, at(3));
            s.wake(0, at(7));
            assert_eq!(s.next(), Some((at(3), 0)));
            assert_eq!(s.next(), None, "nothing is left at 9");
        }
    }

    #[test]
    fn never_is_not_a_time() {
        for mut s in all(2) {
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

    /// Calls of `wake` after an event: the rank, and the delay as a mantissa and an exponent. Small numbers
    /// make ties and repetitions.
    type WakeRequests = Vec<(Rank, u32, u64)>;

    fn wake_requests(sources: Rank) -> impl Strategy<Value = Vec<WakeRequests>> {
        let wishes = prop::collection::vec((0..sources, 0_u32..40, 0_u64..8), 0..4);
        prop::collection::vec(wishes, 1..400)
    }

    /// Sources wake and ask to be woken again, as in an engine: now, soon, or after a long time.
    fn follows_the_rule(mut s: Scheduler, sources: usize, wishes: Vec<WakeRequests>) {
        let mut rule = Rule(vec![Instant::FAR_FUTURE; sources]);
        let (mut now, mut wishes) = (Instant::ZERO, wishes.into_iter());
        loop {
            for (rank, exponent, mantissa) in wishes.next().unwrap_or_default() {
                let wish = now + Duration::from_nanos(mantissa << exponent);
                rule.wake(rank, wish);
                s.wake(rank, wish);
            }
            let next = rule.next();
            assert_eq!(s.next(), next);
            match next {
                Some((at, _)) => now = at,
                None if wishes.len() == 0 => return,
                None => {}
            }
        }
    }

    /// Packets of a few sources, each source's in the order of their times: from which source, how
    /// much later than the last of it, and how many events come before the next post.
    fn posts() -> impl Strategy<Value = Vec<(Rank, u64, usize)>> {
        // Ties, neighbours, and gaps beyond a calendar's quarter of a second and beyond all its slots.
        let gap = prop_oneof![
            8 => Just(0_u64),
            8 => 1..100_000_u64,
            8 => 200_000_000..900_000_000_u64,
            1 => 7_000_000_000..30_000_000_000_u64,
        ];
        prop::collection::vec((0..8_u32, gap, 0..3_usize), 1..300)
    }

    fn packet(number: usize) -> Packet {
        Packet::datagram(Address::default(), westwood_cc::Bytes::new(number as u64))
    }

    /// The earliest posted comes first, of the lowest source, and of that the first posted.
    fn delivers(mut s: Scheduler, posts: &[(Rank, u64, usize)]) {
        let (mut now, mut last) = (Instant::ZERO, [Instant::ZERO; 8]);
        let mut waiting = std::collections::BTreeSet::new();
        let mut come = |s: &mut Scheduler, waiting: &mut std::collections::BTreeSet<_>| {
            let Some((at, rank, number)) = waiting.pop_first() else { return now };
            assert_eq!(s.next(), Some((at, rank)));
            assert_eq!(s.take(rank).map(|p| p.size()), Some(packet(number).size()));
            now = at;
            at
        };
        let mut present = Instant::ZERO;
        for (number, &(rank, gap, events)) in posts.iter().enumerate() {
            let at = last[rank as usize].max(present) + Duration::from_nanos(gap);
            last[rank as usize] = at;
            waiting.insert((at, rank, number));
            s.post(rank, at, packet(number));
            for _ in 0..events {
                present = come(&mut s, &mut waiting);
            }
            assert_eq!(s.packets_in_transit().packets, waiting.len() as u64);
        }
        while !waiting.is_empty() {
            come(&mut s, &mut waiting);
        }
        assert_eq!((s.next(), s.packets_in_transit()), (None, PacketCount::default()));
    }

    proptest! {
        #[test]
        fn packets_come_in_the_order_of_time_source_and_posting(posts in posts()) {
            for s in all(8) {
                delivers(s, &posts);
            }
        }

        #[test]
        fn few_sources_wake_in_the_order_of_time_and_rank(wishes in wake_requests(16)) {
            follows_the_rule(Scheduler::ScanQueue(ScanQueue::new()), 16, wishes);
        }

        #[test]
        fn the_calendar_wakes_in_the_order_of_time_and_rank(wishes in wake_requests(16)) {
            for s in calendars(16) {
                follows_the_rule(s, 16, wishes.clone());
            }
        }

        #[test]
        fn the_calendar_wakes_many_in_the_order_of_time_and_rank(wishes in wake_requests(300)) {
            for s in calendars(300) {
                follows_the_rule(s, 300, wishes.clone());
            }
        }
    }
}
