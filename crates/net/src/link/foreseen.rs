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

/// What is measured: from `begin` to `end`, events at these instants included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first instant that counts.
    pub begin: Instant,
    /// The last one.
    pub end: Instant,
}

/// A link in one direction that tells on offer what will become of a packet, and holds none.
///
/// It is the same link as [`Link`](super::Link) for a user who can look ahead: packets may be
/// offered long before their time as long as they are offered in order. The statistics of one
/// interval are kept by each event's own time, because by the end of the interval later packets may
/// have been offered.
///
/// It stays small, and leaves to its user what is the same for many links, the interval, and what
/// comes at the end alone.
#[derive(Debug)]
#[repr(C)]
pub struct Foreseen {
    /// The next instant that neither an offer nor an arrival must pass unseen: the interval's begin,
    /// until both have passed it, then its end.
    next_change: Instant,
    lane: Lane,
    /// An offer, and an arrival, has passed the begin.
    entry_passed: bool,
    exit_passed: bool,
}

// Ten thousand flows have forty thousand of them, and touch a few for each packet.
const _: () = assert!(size_of::<Foreseen>() <= 120, "a foreseen link has grown");

impl Foreseen {
    /// The link as configured, if fates are known on offer: drop-tail, threshold or RED before a
    /// fixed rate, without a schedule and without reordering. `interval` is what
    /// [`measured`](Self::measured) tells of; every call is given the same.
    pub fn new(
        config: &LinkConfig,
        seed: u64,
        name: &str,
        interval: &Interval,
    ) -> Result<Option<Self>, LinkError> {
        config.validate()?;
        let lane = Lane::of(config, seed, name)?.filter(Lane::keeps_order);
        Ok(lane.map(|lane| Self {
            next_change: interval.begin,
            lane,
            entry_passed: false,
            exit_passed: false,
        }))
    }

    /// Offers a packet at `now`. Offers are made in order of time.
    #[expect(
        clippy::inline_always,
        reason = "what becomes of a packet stays in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub fn offer(&mut self, interval: &Interval, now: Instant, size: Bytes, ect: bool) -> Fate {
        if now >= self.next_change {
            self.pass_entry(interval);
        }
        let (landing, marked) = match self.lane.pass(now, size, ect) {
            Course::Lands { landing, marked } => (landing, marked),
            Course::Dropped(cause) => return Fate::Dropped(cause),
        };
        if landing.at >= self.next_change && self.pass_exit(interval, landing.at, size) {
            return Fate::Beyond;
        }
        if landing.lost {
            self.lane.seldom().ahead.lost.add(size);
            return Fate::Lost { at: landing.at };
        }
        Fate::Arrives { at: landing.at, marked }
    }

    /// What waits at `now`, beside the packet in the transmitter; no earlier than the last offer.
    #[inline]
    pub fn waiting(&mut self, interval: &Interval, now: Instant) -> Traffic {
        if now >= self.next_change {
            self.pass_entry(interval);
        }
        self.lane.waiting(now)
    }

    /// Packets offered so far: the number of the last one, from 1.
    #[inline]
    pub fn offered(&self) -> u64 {
        self.lane.offered()
    }

    /// What was done in the interval. All packets of the interval have been offered, and none of
    /// later; `beyond` is what was told to be [`Fate::Beyond`].
    pub fn measured(&mut self, interval: &Interval, beyond: Traffic) -> LinkStats {
        self.pass_entry(interval);
        let taken = self.lane.taken() - beyond;
        let mut stats = self.lane.stats(interval.end);
        let lost = self.lost();
        (stats.delivered, stats.random) = (taken - lost, lost);
        let Some(ahead) = self.lane.seldom_if_any().map(|s| &s.ahead) else { return stats };
        if let Some(before) = &ahead.before {
            let Exit { delivered, lost } = if self.exit_passed {
                ahead.exit
            } else {
                // Nothing arrived after the begin.
                Exit { delivered: stats.delivered, lost: stats.random }
            };
            stats = stats.since(&LinkStats { delivered, random: lost, ..before.clone() });
        }
        stats
    }

    fn lost(&self) -> Traffic {
        self.lane.seldom_if_any().map(|s| s.ahead.lost).unwrap_or_default()
    }

    /// Sets aside what the entry has seen before the interval.
    #[cold]
    #[inline(never)]
    fn pass_entry(&mut self, interval: &Interval) {
        if self.entry_passed {
            return;
        }
        self.entry_passed = true;
        // From the start on there is nothing before.
        if interval.begin > Instant::ZERO {
            let before = self.lane.stats(interval.begin);
            self.lane.seldom().ahead.before = Some(before);
        }
        self.aim(interval);
    }

    /// Sets aside what the far end has seen before the interval, if this arrival is the first that
    /// is not before it. Packets arrive in order, so all the others came before. True if this one
    /// arrives after the end.
    #[cold]
    #[inline(never)]
    fn pass_exit(&mut self, interval: &Interval, arrival: Instant, size: Bytes) -> bool {
        if !self.exit_passed {
            self.exit_passed = true;
            if interval.begin > Instant::ZERO {
                let (lost, newest) = (self.lost(), Traffic { packets: 1, bytes: size });
                let delivered = self.lane.taken() - newest - lost;
                self.lane.seldom().ahead.exit = Exit { delivered, lost };
            }
            self.aim(interval);
        }
        arrival > interval.end
    }

    fn aim(&mut self, interval: &Interval) {
        if self.entry_passed && self.exit_passed {
            self.next_change = interval.end + Duration::from_nanos(1);
        }
    }
}
