//! A link whose packets' fates are told when they are offered.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::link::config::LinkConfig;
use crate::link::flight::Exit;
use crate::link::lane::{Course, Lane};
use crate::stats::{LinkStats, Traffic};

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
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

/// A link in one direction that tells on offer what will become of a packet, and holds none.
///
/// It is the same link as [`Link`](super::Link) for a user who can look ahead: packets may be
/// offered long before their time as long as they are offered in order. The statistics of one
/// interval are kept by each event's own time, because by the end of the interval later packets may
/// have been offered.
#[derive(Debug)]
#[repr(C)]
pub struct Foreseen {
    /// What lands before it may cross plainly: it has passed neither of the two below. The origin of
    /// time if the lane is not plain.
    edge: Instant,
    lane: Lane,
    /// The next instant that offers, and arrivals, must not pass unseen.
    next_entry: Instant,
    next_exit: Instant,
    interval: Box<Interval>,
}

/// What is measured: from `begin` to `end`, events at these instants included.
#[derive(Debug)]
struct Interval {
    begin: Instant,
    end: Instant,
    /// What had been done before it.
    before: Option<LinkStats>,
    /// Lost on the wire so far.
    lost: Traffic,
    /// What the far end had counted before it, and by its end.
    exits: Vec<Exit>,
}

impl Foreseen {
    /// The link as configured, if fates are known on offer: drop-tail, threshold or RED before a
    /// fixed rate, without a schedule and without reordering. `begin` to `end` is what
    /// [`measured`](Self::measured) tells of.
    pub fn new(
        config: &LinkConfig,
        seed: u64,
        name: &str,
        begin: Instant,
        end: Instant,
    ) -> Result<Option<Self>, LinkError> {
        config.validate()?;
        let lane = Lane::of(config, seed, name)?.filter(|lane| lane.way().keeps_order());
        let interval =
            Interval { begin, end, before: None, lost: Traffic::default(), exits: Vec::new() };
        Ok(lane.map(|lane| Self {
            edge: if lane.is_plain() { begin } else { Instant::ZERO },
            lane,
            next_entry: begin,
            next_exit: begin,
            interval: Box::new(interval),
        }))
    }

    /// Offers a packet at `now`. Offers are made in order of time.
    #[inline]
    pub fn offer(&mut self, now: Instant, size: Bytes, ect: bool) -> Fate {
        match self.offer_plain(now, size) {
            Some(at) => Fate::Arrives { at, marked: false },
            None => self.offer_any(now, size, ect),
        }
    }

    /// What [`offer`](Self::offer) does for a packet that meets nothing unusual, as most do: when it
    /// arrives. If none, nothing has happened: the packet is still to be offered.
    #[expect(
        clippy::inline_always,
        reason = "a packet crosses lanes in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub fn offer_plain(&mut self, now: Instant, size: Bytes) -> Option<Instant> {
        self.lane.pass_plainly(now, size, self.edge)
    }

    /// What [`offer`](Self::offer) does, for every packet.
    #[inline(never)]
    fn offer_any(&mut self, now: Instant, size: Bytes, ect: bool) -> Fate {
        if now >= self.next_entry {
            self.begin_interval();
        }
        let (landing, marked) = match self.lane.pass(now, size, ect) {
            Course::Lands { landing, marked } => (landing, marked),
            Course::Dropped(cause) => return Fate::Dropped(cause),
        };
        if landing.at >= self.next_exit
            && self.pass_exit(landing.at, Traffic { packets: 1, bytes: size })
        {
            return Fate::Beyond;
        }
        if landing.lost {
            self.interval.lost.add(size);
            return Fate::Lost { at: landing.at };
        }
        Fate::Arrives { at: landing.at, marked }
    }

    /// What waits at `now`, beside the packet in the transmitter; no earlier than the last offer.
    #[inline]
    pub fn waiting(&mut self, now: Instant) -> Traffic {
        if now >= self.next_entry {
            self.begin_interval();
        }
        self.lane.waiting(now)
    }

    /// Packets offered so far: the number of the last one, from 1.
    #[inline]
    pub fn offered(&self) -> u64 {
        self.lane.offered()
    }

    /// What was done in the interval. All packets of the interval have been offered, and none beyond.
    pub fn measured(&mut self) -> LinkStats {
        self.begin_interval();
        self.pass_exit(Instant::FAR_FUTURE, Traffic::default());
        let interval = &self.interval;
        let mut stats = self.lane.stats(interval.end);
        if let Some(before) = &interval.before {
            stats = stats.since(before);
        }
        if let [before, end] = interval.exits.as_slice() {
            stats.delivered = end.delivered - before.delivered;
            stats.random = end.lost - before.lost;
        }
        stats
    }

    /// Sets aside what the entry has seen before the interval.
    #[cold]
    #[inline(never)]
    fn begin_interval(&mut self) {
        let Interval { begin, before, .. } = &mut *self.interval;
        if before.is_none() {
            *before = Some(self.lane.stats(*begin));
        }
        self.next_entry = Instant::FAR_FUTURE;
        self.set_edge();
    }

    fn set_edge(&mut self) {
        if self.lane.is_plain() {
            self.edge = self.next_entry.min(self.next_exit);
        }
    }

    /// Sets aside what the far end has seen by the instants that the newest packet passes. Packets
    /// arrive in order, so all the others came before. True if this one arrives after the end.
    #[cold]
    #[inline(never)]
    fn pass_exit(&mut self, arrival: Instant, newest: Traffic) -> bool {
        let interval = &mut *self.interval;
        let lost = interval.lost;
        let delivered = self.lane.taken() - newest - lost;
        while arrival >= self.next_exit && interval.exits.len() < 2 {
            interval.exits.push(Exit { delivered, lost });
            if interval.exits.len() == 1 {
                self.next_exit = interval.end + Duration::from_nanos(1);
            }
        }
        let is_over = interval.exits.len() == 2;
        self.set_edge();
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::DropCause;
    use crate::loss::LossConfig;
    use crate::queue::{Limit, QueueConfig, ThresholdConfig};
    use proptest::prelude::*;
    use westwood_cc::Rate;

    fn queues() -> impl Strategy<Value = QueueConfig> {
        let threshold = ThresholdConfig { limit: Limit::Packets(5), mark_above: 2 };
        prop_oneof![
            4 => (0_u64..8).prop_map(|n| QueueConfig::DropTail(Limit::Packets(n))),
            2 => Just(QueueConfig::DropTail(Limit::Unlimited)),
            1 => Just(QueueConfig::DropTail(Limit::Bytes(Bytes::new(4_000)))),
            1 => Just(QueueConfig::Threshold(threshold)),
        ]
    }

    proptest! {
        #[test]
        fn a_packet_that_crosses_plainly_ends_where_any_other_way_takes_it(
            queue in queues(),
            lossy in prop::bool::weighted(0.2),
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
            if lossy {
                config.losses.push(LossConfig::Bernoulli { p: 0.1 });
            }
            let (begin, end) = (Instant::from_nanos(begin), Instant::from_nanos(begin + length));
            let build = || Foreseen::new(&config, 1, "link", begin, end).unwrap().unwrap();
            let (mut short, mut shorter, mut long) = (build(), build(), build());
            let mut now = Instant::ZERO;
            for (wait, size, ect) in offers {
                now += Duration::from_micros(wait);
                let size = Bytes::new([40, 1_500, 576][size]);
                let fate = long.offer_any(now, size, ect);
                prop_assert_eq!(short.offer(now, size, ect), fate);
                // Nobody asks this one who waits.
                prop_assert_eq!(shorter.offer(now, size, ect), fate);
                prop_assert_eq!(short.waiting(now), long.waiting(now));
                prop_assert_eq!(short.offered(), long.offered());
                if fate == Fate::Beyond {
                    break;
                }
            }
            let measured = long.measured();
            prop_assert_eq!((short.measured(), shorter.measured()), (measured.clone(), measured));
        }
    }

    #[test]
    fn most_packets_of_a_plain_link_cross_plainly_and_those_at_a_full_queue_do_not() {
        let rate = Rate::from_bits_per_s(12_000_000);
        let config = LinkConfig::new(rate, Duration::from_millis(1), Limit::Packets(2));
        let (begin, end) = (Instant::ZERO, Instant::from_nanos(1_000_000_000));
        let mut link = Foreseen::new(&config, 1, "link", begin, end).unwrap().unwrap();
        // The first one that lands ends the warm-up.
        let (now, size) = (Instant::from_nanos(5), Bytes::new(1_500));
        assert_eq!(link.offer_plain(now, size), None);
        link.offer(now, size, false);
        let landings = [3_000_005, 4_000_005].map(|ns| Some(Instant::from_nanos(ns)));
        assert_eq!([0; 2].map(|_| link.offer_plain(now, size)), landings);
        assert_eq!(link.offer_plain(now, size), None);
        assert_eq!(link.offer(now, size, false), Fate::Dropped(DropCause::Overflow));
    }
}
