//! A link whose packets' fates are told when they are offered.

use std::mem::offset_of;

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::histogram::Histogram;
use crate::link::DropCause;
use crate::link::config::LinkConfig;
use crate::link::fixed_rate::{FixedRate, OfferOutcome};
use crate::link::flight::FarEndCounts;
use crate::stats::{LinkStats, PacketCount};

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketFate {
    /// It arrives at the far end.
    Arrives {
        /// When.
        at: Instant,
        /// The queue marked it (ECN).
        marked: bool,
    },
    /// It is lost on the wire, and would have arrived then.
    Lost {
        /// When.
        at: Instant,
    },
    /// The queue does not take it.
    Dropped(DropCause),
    /// It arrives, or is lost, after the interval that is measured.
    Beyond,
}

/// The measuring interval: from `begin` to `end`, events at these instants included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first instant that counts.
    pub begin: Instant,
    /// The last one.
    pub end: Instant,
}

/// A one-way link that computes the fate of a packet when it is offered, and holds no packets.
///
/// It is the same link as [`Link`](super::Link) for a user who can look ahead: packets may be
/// offered long before their time as long as they are offered in order. The statistics of one
/// interval are kept by each event's own time, because by the end of the interval later packets may
/// have been offered.
///
/// It stays small: its user keeps the interval, which many links share, and the counts that are needed only
/// at the end.
#[derive(Debug)]
#[repr(C)]
pub struct PredictedLink {
    /// Departures before this edge take the fast path: they land before the next change. The origin
    /// of time if the link is not plain for the next packet.
    edge: Instant,
    inner: FixedRate,
}

// Ten thousand flows have forty thousand of them, and touch a few for each packet.
const _: () = assert!(size_of::<PredictedLink>() <= 120, "a foreseen link has grown");
const _: () = assert!(
    offset_of!(PredictedLink, inner) + FixedRate::AT_REST <= 64,
    "in one line of the cache"
);

impl PredictedLink {
    /// The link as configured, if fates are known on offer: drop-tail, threshold or RED before a
    /// fixed rate and delay, without reordering; losses may be replaced at given times. `interval` is what
    /// [`measured`](Self::measured) tells of; every call is given the same.
    pub fn new(
        config: &LinkConfig,
        seed: u64,
        name: &str,
        interval: &Interval,
    ) -> Result<Option<Self>, LinkError> {
        config.validate()?;
        let inner = FixedRate::of(config, seed, name)?.filter(FixedRate::keeps_order);
        Ok(inner.map(|inner| Self {
            edge: if inner.is_plain() { inner.edge_before(interval.begin) } else { Instant::ZERO },
            inner,
        }))
    }

    /// Records how long each packet waits whose transmission begins in the interval. To be called
    /// before the first offer.
    pub fn record_delays(&mut self, interval: &Interval) {
        self.inner.record_delays(interval.begin);
    }

    /// The waits of the packets whose transmission began in the interval, if they were
    /// [recorded](Self::record_delays). To be asked after the interval's last offer and before any later one.
    pub fn delays(&mut self, interval: &Interval) -> Option<Histogram> {
        self.inner.delays(interval.end)
    }

    /// Offers a packet at `now`. Offers are made in order of time.
    #[inline]
    pub fn offer(
        &mut self,
        interval: &Interval,
        now: Instant,
        size: Bytes,
        ect: bool,
    ) -> PacketFate {
        match self.try_offer(now, size) {
            Some(at) => PacketFate::Arrives { at, marked: false },
            None => self.offer_any(interval, now, size, ect),
        }
    }

    /// Hints that a packet will be offered soon, which may have to wait. The link itself is read.
    #[inline]
    pub fn prefetch_backlog(&self) {
        self.inner.prefetch_backlog();
    }

    /// The fast path of [`offer`](Self::offer) for a packet that meets nothing unusual, as most do: when it
    /// arrives. If none, nothing has happened: the packet is still to be offered.
    #[expect(
        clippy::inline_always,
        reason = "a packet crosses lanes in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub fn try_offer(&mut self, now: Instant, size: Bytes) -> Option<Instant> {
        let landing = self.inner.try_pass(now, size, self.edge)?;
        if self.inner.is_spent() {
            self.edge = Instant::ZERO;
        }
        Some(landing)
    }

    /// The way of [`offer`](Self::offer) for every packet: also for one to which the
    /// [fast path](Self::try_offer) is known to be closed.
    #[inline(never)]
    pub fn offer_any(
        &mut self,
        interval: &Interval,
        now: Instant,
        size: Bytes,
        ect: bool,
    ) -> PacketFate {
        if now >= self.next_change(interval) {
            self.pass_entry(interval);
        }
        let course = self.inner.pass(now, size, ect);
        self.set_edge(interval);
        let (landing, marked) = match course {
            OfferOutcome::Lands { landing, marked } => (landing, marked),
            OfferOutcome::Dropped(cause) => return PacketFate::Dropped(cause),
        };
        if landing.at >= self.next_change(interval) && self.pass_exit(interval, landing.at, size) {
            return PacketFate::Beyond;
        }
        if landing.lost {
            self.inner.cold().ahead.lost.add(size);
            return PacketFate::Lost { at: landing.at };
        }
        PacketFate::Arrives { at: landing.at, marked }
    }

    /// True if this link [leads](Self::lead) others.
    #[inline]
    pub fn leads(&self) -> bool {
        self.inner.leads()
    }

    /// Leads the links behind it, in this order, to which packets come from here alone. It can lead if
    /// packets of the last size always find them free: this link is no faster, and they neither lose nor
    /// delay packets. [`try_offer`](Self::try_offer) then answers when a packet arrives behind them all.
    /// Before any other call to this link or to those, it must [part](Self::part) from them. True if it
    /// leads.
    pub fn lead<'a>(&mut self, others: impl IntoIterator<Item = &'a Self>) -> bool {
        if self.leads() {
            return true;
        }
        let (mut edge, mut beyond) = (self.edge, Duration::ZERO);
        for other in others {
            let Some(crossing) = other.inner.crossing() else { return false };
            let later = self.inner.delay() + beyond;
            if other.edge == Instant::ZERO || !other.inner.can_follow(&self.inner, later) {
                return false;
            }
            // It leaves there that much later than here.
            edge = edge.min(other.edge - later - (crossing - other.inner.delay()));
            beyond += crossing;
        }
        let is_endless = self.inner.delay() + beyond == Duration::MAX;
        if edge == Instant::ZERO || beyond.is_zero() || is_endless {
            return false;
        }
        self.edge = edge;
        self.inner.lead(beyond);
        true
    }

    /// Leads those that it has [led](Self::lead) no longer, and tells them what passed meanwhile.
    pub fn part<'a>(
        &mut self,
        interval: &Interval,
        others: impl IntoIterator<Item = &'a mut Self>,
    ) {
        if !self.leads() {
            return;
        }
        let (packets, mut last) = self.inner.part();
        for other in others {
            last = other.inner.catch_up(packets, last);
        }
        self.set_edge(interval);
    }

    /// The queue at `now`, beside the packet in the transmitter; no earlier than the last offer.
    #[inline]
    pub fn waiting(&mut self, interval: &Interval, now: Instant) -> PacketCount {
        if now >= self.next_change(interval) {
            self.pass_entry(interval);
        }
        self.inner.waiting(now)
    }

    /// Packets offered so far: the number of the last one, from 1.
    #[inline]
    pub fn offered(&self) -> u64 {
        self.inner.offered()
    }

    /// The counts of the interval. To be asked after the interval's last offer and before any later one;
    /// `beyond` counts the packets whose fate was [`PacketFate::Beyond`].
    pub fn measured(&mut self, interval: &Interval, beyond: PacketCount) -> LinkStats {
        self.pass_entry(interval);
        let taken = self.inner.taken() - beyond;
        let mut stats = self.inner.stats(interval.end);
        let lost = self.lost();
        (stats.delivered, stats.random) = (taken - lost, lost);
        let Some(ahead) = self.inner.cold_if_any().map(|s| &s.ahead) else { return stats };
        if let Some(before) = &ahead.before {
            let FarEndCounts { delivered, lost } = if self.inner.exit_passed {
                ahead.exit
            } else {
                // Nothing arrived after the begin.
                FarEndCounts { delivered: stats.delivered, lost: stats.random }
            };
            stats = stats.since(&LinkStats { delivered, random: lost, ..before.clone() });
        }
        stats
    }

    fn lost(&self) -> PacketCount {
        self.inner.cold_if_any().map(|s| s.ahead.lost).unwrap_or_default()
    }

    /// Stores the counters at the link's entry from before the interval.
    #[cold]
    #[inline(never)]
    fn pass_entry(&mut self, interval: &Interval) {
        if self.inner.entry_passed {
            return;
        }
        self.inner.entry_passed = true;
        self.inner.begin_delays(interval.begin);
        // From the start on there is nothing before.
        if interval.begin > Instant::ZERO {
            let before = self.inner.stats(interval.begin);
            self.inner.cold().ahead.before = Some(before);
        }
        self.aim(interval);
    }

    /// Sets aside the far end's counts from before the interval, if this arrival is the first within it or
    /// later. Packets arrive in order, so all others came before. True if this one arrives after the end.
    #[cold]
    #[inline(never)]
    fn pass_exit(&mut self, interval: &Interval, arrival: Instant, size: Bytes) -> bool {
        if !self.inner.exit_passed {
            self.inner.exit_passed = true;
            if interval.begin > Instant::ZERO {
                let (lost, newest) = (self.lost(), PacketCount { packets: 1, bytes: size });
                let delivered = self.inner.taken() - newest - lost;
                self.inner.cold().ahead.exit = FarEndCounts { delivered, lost };
            }
            self.aim(interval);
        }
        arrival > interval.end
    }

    /// Moves the edge to the end of the interval once an offer and an arrival have passed its begin.
    fn aim(&mut self, interval: &Interval) {
        if self.inner.entry_passed && self.inner.exit_passed {
            self.set_edge(interval);
        }
    }

    /// The next instant before which the fast path must stop: the interval's begin until an offer and an
    /// arrival have passed it, then the instant behind its end.
    fn next_change(&self, interval: &Interval) -> Instant {
        if self.inner.entry_passed && self.inner.exit_passed {
            interval.end + Duration::from_nanos(1)
        } else {
            interval.begin
        }
    }

    #[inline]
    fn set_edge(&mut self, interval: &Interval) {
        self.edge = if self.inner.is_plain() {
            self.inner.edge_before(self.next_change(interval))
        } else {
            Instant::ZERO
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jitter::{Jitter, JitterDistribution};
    use crate::link::DropCause;
    use crate::loss::LossConfig;
    use crate::queue::{Limit, MarkAbove, QueueConfig, ThresholdConfig};
    use proptest::prelude::*;
    use westwood_cc::Rate;

    fn queues() -> impl Strategy<Value = QueueConfig> {
        let threshold =
            ThresholdConfig { limit: Limit::Packets(5), mark_above: MarkAbove::Packets(2) };
        prop_oneof![
            4 => (0_u64..8).prop_map(|n| QueueConfig::DropTail(Limit::Packets(n))),
            2 => Just(QueueConfig::DropTail(Limit::Unlimited)),
            1 => Just(QueueConfig::DropTail(Limit::Bytes(Bytes::new(4_000)))),
            1 => Just(QueueConfig::Threshold(threshold)),
        ]
    }

    proptest! {
        #[test]
        fn a_packet_on_the_fast_path_ends_where_any_other_way_takes_it(
            queue in queues(),
            p in prop::option::of(prop::sample::select(&[0.0, 0.1, 0.6, 1.0][..])),
            jitter in prop::bool::weighted(0.1),
            // A rate at which no size takes whole nanoseconds, and one at which all do.
            rate in prop_oneof![Just(7_000_003_u64), Just(8_000_000_000)],
            (begin, length) in (0_u64..20_000_000, 0_u64..20_000_000),
            // Microseconds since the last offer, often none, and one of few sizes.
            offers in prop::collection::vec(
                (prop_oneof![Just(0_u64), 0_u64..3_000], 0_usize..3, any::<bool>()),
                1..120,
            ),
        ) {
            let limit = Limit::Unlimited;
            let mut config =
                LinkConfig::new(Rate::from_bits_per_s(rate), Duration::from_micros(700), limit);
            config.queue = queue;
            config.losses.extend(p.map(|p| LossConfig::Bernoulli { p }));
            if jitter {
                let most = Duration::from_micros(300);
                config.jitter = Some(Jitter { spread: JitterDistribution::Uniform { most }, reorder: false });
            }
            let (begin, end) = (Instant::from_nanos(begin), Instant::from_nanos(begin + length));
            let interval = Interval { begin, end };
            let build = || PredictedLink::new(&config, 1, "link", &interval).unwrap().unwrap();
            let (mut short, mut shorter, mut long) = (build(), build(), build());
            let (mut now, mut beyond) = (Instant::ZERO, PacketCount::default());
            for (wait, size, ect) in offers {
                now += Duration::from_micros(wait);
                let size = Bytes::new([40, 1_500, 576][size]);
                let fate = long.offer_any(&interval, now, size, ect);
                prop_assert_eq!(short.offer(&interval, now, size, ect), fate);
                // This one is never asked what waits.
                prop_assert_eq!(shorter.offer(&interval, now, size, ect), fate);
                prop_assert_eq!(short.waiting(&interval, now), long.waiting(&interval, now));
                prop_assert_eq!(short.offered(), long.offered());
                if fate == PacketFate::Beyond {
                    beyond += PacketCount { packets: 1, bytes: size };
                    break;
                }
            }
            let measured = long.measured(&interval, beyond);
            prop_assert_eq!(short.measured(&interval, beyond), measured.clone());
            prop_assert_eq!(shorter.measured(&interval, beyond), measured);
        }
    }

    #[test]
    fn a_packet_offered_as_the_transmitter_falls_idle_takes_over_what_was_carried() {
        let (rate, delay) = (Rate::from_bits_per_s(7_000_003), Duration::from_micros(700));
        let config = LinkConfig::new(rate, delay, Limit::Unlimited);
        let interval =
            Interval { begin: Instant::ZERO, end: Instant::ZERO + Duration::from_secs(60) };
        let build = || PredictedLink::new(&config, 1, "link", &interval).unwrap().unwrap();
        let (mut short, mut long) = (build(), build());
        let (mut idle, size) = (Instant::ZERO, Bytes::new(1_500));
        for n in 1..=1_000 {
            // n packets take n times the time of one, rounded once.
            let ends = Instant::from_nanos(n * 12_000 * 1_000_000_000 / 7_000_003);
            let fate = PacketFate::Arrives { at: ends + delay, marked: false };
            assert_eq!(short.offer(&interval, idle, size, false), fate, "{n}");
            assert_eq!(long.offer_any(&interval, idle, size, false), fate, "{n}");
            idle = ends;
        }
    }

    /// Three links in a row, and the interval that is measured.
    struct Row {
        links: Vec<PredictedLink>,
        beyond: [PacketCount; 3],
        interval: Interval,
    }

    impl Row {
        fn of(configs: &[LinkConfig; 3], interval: Interval) -> Self {
            let build =
                |c: &LinkConfig| PredictedLink::new(c, 1, "link", &interval).unwrap().unwrap();
            Self {
                links: configs.iter().map(build).collect(),
                beyond: Default::default(),
                interval,
            }
        }

        fn part(&mut self, leader: usize) {
            if let Some((head, tail)) =
                self.links.get_mut(leader..).and_then(<[_]>::split_first_mut)
            {
                head.part(&self.interval, tail);
            }
        }

        /// The packet's fate at the last link that it comes to.
        fn offer(&mut self, mut now: Instant, size: Bytes) -> (usize, PacketFate) {
            let mut place = 0;
            loop {
                let leads = self.links[place].leads();
                let at = if let Some(at) = self.links[place].try_offer(now, size) {
                    place = if leads { 2 } else { place };
                    at
                } else {
                    self.part(place);
                    match self.links[place].offer(&self.interval, now, size, false) {
                        PacketFate::Arrives { at, .. } => at,
                        fate => {
                            if fate == PacketFate::Beyond {
                                self.beyond[place] += PacketCount { packets: 1, bytes: size };
                            }
                            return (place, fate);
                        }
                    }
                };
                if place == 2 {
                    return (2, PacketFate::Arrives { at, marked: false });
                }
                (now, place) = (at, place + 1);
            }
        }

        /// Each link that can lead those behind it does.
        fn form(&mut self) -> bool {
            (0..2).any(|leader| {
                let (head, tail) = self.links[leader..].split_first_mut().unwrap();
                head.lead(&*tail)
            })
        }

        fn measured(&mut self) -> Vec<LinkStats> {
            self.part(0);
            self.part(1);
            let Self { links, beyond, interval } = self;
            links.iter_mut().zip(*beyond).map(|(l, b)| l.measured(interval, b)).collect()
        }
    }

    proptest! {
        #[test]
        fn links_that_are_led_end_where_each_on_its_own_does(
            // Rates whose times are whole nanoseconds and others, often the same.
            rates in prop::array::uniform3(prop::sample::select(
                &[8_000_000_000_u64, 4_000_000_000, 7_000_000_003, 7_000_000_001][..],
            )),
            delays in prop::array::uniform3(0_u64..2_000),
            room in prop::option::of(0_u64..6),
            p in prop::option::of(prop::sample::select(&[0.02, 0.3][..])),
            (begin, length) in (0_u64..100_000, 0_u64..400_000),
            // Nanoseconds since the last offer, and one of few sizes, mostly the same.
            offers in prop::collection::vec(
                (prop_oneof![3 => Just(0_u64), 3 => 0_u64..6_000], 0_usize..12),
                1..300,
            ),
            every in 1_usize..20,
            wake_ups in prop::array::uniform3(prop_oneof![3 => Just(0), 1 => 0_u64..1_000]),
        ) {
            let config = |n: usize| {
                let rate = Rate::from_bits_per_s(rates[n]);
                LinkConfig {
                    wake_up: Duration::from_nanos(wake_ups[n]),
                    ..LinkConfig::new(rate, Duration::from_nanos(delays[n]), Limit::Unlimited)
                }
            };
            let mut configs = [config(0), config(1), config(2)];
            configs[1].queue = QueueConfig::DropTail(room.map_or(Limit::Unlimited, Limit::Packets));
            configs[1].losses.extend(p.map(|p| LossConfig::Bernoulli { p }));
            let (begin, end) = (Instant::from_nanos(begin), Instant::from_nanos(begin + length));
            let interval = Interval { begin, end };
            let (mut led, mut apart) = (Row::of(&configs, interval), Row::of(&configs, interval));
            let mut now = Instant::ZERO;
            for (number, (gap, size)) in offers.into_iter().enumerate() {
                now += Duration::from_nanos(gap);
                if number % every == 0 {
                    led.form();
                }
                let size = Bytes::new(if size == 0 { 40 } else { 1_500 });
                let fate = led.offer(now, size);
                prop_assert_eq!(fate, apart.offer(now, size));
                if fate.1 == PacketFate::Beyond {
                    break;
                }
            }
            prop_assert_eq!(led.measured(), apart.measured());
            let offered = |row: &Row| row.links.iter().map(PredictedLink::offered).collect::<Vec<_>>();
            prop_assert_eq!(offered(&led), offered(&apart));
        }
    }

    #[test]
    fn a_link_leads_one_that_takes_no_longer_and_none_that_takes_longer() {
        let interval = Interval { begin: Instant::ZERO, end: Instant::from_nanos(1 << 40) };
        let leads = |rates: [u64; 3]| {
            let config = |rate| {
                let (rate, delay) = (Rate::from_bits_per_s(rate), Duration::from_millis(1));
                LinkConfig::new(rate, delay, Limit::Unlimited)
            };
            let mut row = Row::of(&rates.map(config), interval);
            let begun = row.form();
            for n in 0..3 {
                row.offer(Instant::from_nanos(n), Bytes::new(1_500));
            }
            (begun, row.form(), row.links.iter().position(PredictedLink::leads))
        };
        // Before a packet has come nothing is known.
        assert_eq!(leads([8_000_000, 4_000_000, 8_000_000]), (false, true, Some(1)));
        assert_eq!(leads([4_000_000, 8_000_000, 8_000_000]), (false, true, Some(0)));
        // The same rate, and times that are whole nanoseconds, or are not.
        assert_eq!(leads([4_000_000, 4_000_000, 4_000_000]), (false, true, Some(0)));
        assert_eq!(leads([7_000_003, 7_000_003, 7_000_003]), (false, false, None));
        assert_eq!(leads([8_000_000, 6_000_000, 4_000_000]), (false, false, None));
    }

    #[test]
    fn a_link_that_was_led_carries_the_fraction_of_a_nanosecond_of_the_last_packet() {
        let interval = Interval { begin: Instant::ZERO, end: Instant::from_nanos(1 << 40) };
        // At the first link 3000, 1600 and 76 ns; at the second 1714 2/7, 914 2/7 and 43 3/7 ns.
        let offers = [(0, 1_500), (0, 800), (20_000, 800), (20_000, 38)];
        let configs = [4_000_000_000, 7_000_000_000, 512_000_000_000].map(|rate| {
            let (rate, delay) = (Rate::from_bits_per_s(rate), Duration::from_nanos(1_000));
            LinkConfig::new(rate, delay, Limit::Unlimited)
        });
        let mut row = Row::of(&configs, interval);
        let arrivals = offers.map(|(at, size)| {
            // The third packet finds all links at rest, and the first of them leads.
            if (at, size) == (20_000, 800) {
                assert!(row.form() && row.links[0].leads());
            }
            match row.offer(Instant::from_nanos(at), Bytes::new(size)) {
                (2, PacketFate::Arrives { at, .. }) => at.as_nanos(),
                other => panic!("{other:?}"),
            }
        });
        // The first two leave 4/7 ns at the second link, the third 2/7: the last leaves 957 5/7 ns after the
        // third has come there.
        assert_eq!(arrivals, [7_737, 8_640, 25_526, 25_557]);
    }

    #[test]
    fn most_packets_of_a_plain_link_take_the_fast_path_and_those_at_a_full_queue_do_not() {
        let rate = Rate::from_bits_per_s(12_000_000);
        let config = LinkConfig::new(rate, Duration::from_millis(1), Limit::Packets(2));
        let interval = Interval { begin: Instant::ZERO, end: Instant::from_nanos(1_000_000_000) };
        let mut link = PredictedLink::new(&config, 1, "link", &interval).unwrap().unwrap();
        // The first one that lands ends the warm-up.
        let (now, size) = (Instant::from_nanos(5), Bytes::new(1_500));
        assert_eq!(link.try_offer(now, size), None);
        link.offer(&interval, now, size, false);
        let landings = [3_000_005, 4_000_005].map(|ns| Some(Instant::from_nanos(ns)));
        assert_eq!([0; 2].map(|_| link.try_offer(now, size)), landings);
        assert_eq!(link.try_offer(now, size), None);
        assert_eq!(
            link.offer(&interval, now, size, false),
            PacketFate::Dropped(DropCause::Overflow)
        );
    }
}
