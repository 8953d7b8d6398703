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
    /// The next instant that offers, and arrivals, must not pass unseen.
    next_entry: Instant,
    next_exit: Instant,
    lane: Lane,
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
            lane,
            next_entry: begin,
            next_exit: begin,
            interval: Box::new(interval),
        }))
    }

    /// Offers a packet at `now`. Offers are made in order of time.
    #[expect(
        clippy::inline_always,
        reason = "what becomes of a packet stays in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub fn offer(&mut self, now: Instant, size: Bytes, ect: bool) -> Fate {
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
        interval.exits.len() == 2
    }
}
