//! A fixed rate before which packets wait in order of arrival: what becomes of each is known when it
//! comes.
//!
//! A lane holds no packets. It says when each one will have departed and arrived, and keeps the times
//! at which service begins, to know who waits.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::link::config::{Capacity, LinkConfig};
use crate::link::flight::Exit;
use crate::link::room::{NOBODY, Room};
use crate::link::server::{Division, Serializer, capacity};
use crate::link::way::{Landing, Way};
use crate::queue::{Admission, Arrival, Limit, QueueConfig, Verdict};
use crate::random::Random;
use crate::stats::{LinkStats, Traffic};

/// What crossing an idle lane touches, and no more: with ten thousand flows each packet finds its
/// lanes cold.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lane {
    busy_until: Instant,
    /// When the service of the first packet that waits begins.
    opens: Instant,
    serializer: Serializer,
    /// From the transmitter to the far end, without losses and jitter.
    delay: Duration,
    /// Time without work, up to the end of the work taken so far.
    idle: Duration,
    offered: Traffic,
    /// What a lane that nobody has waited in does without.
    more: Option<Box<More>>,
    /// Somebody may find it full.
    is_limited: bool,
    /// The queue is not drop-tail with a limit in packets, if any: it judges each packet.
    is_judged: bool,
    /// There are losses or jitter.
    is_troubled: bool,
}

/// What a lane needs once packets wait, or their sizes differ.
#[derive(Debug, Default)]
pub(crate) struct More {
    room: Room,
    /// Packets that may wait, if no packet is judged.
    limit: usize,
    other: Division,
    seldom: Option<Box<Seldom>>,
}

/// What most lanes never need.
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    admission: Option<Admission>,
    way: Option<Way>,
    overflow: Traffic,
    aqm: Traffic,
    marks: u64,
    /// For a user who looks ahead.
    pub(super) ahead: Ahead,
}

/// What a user who looks ahead sets aside.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// What had been done before the interval.
    pub(super) before: Option<LinkStats>,
    /// What the far end had counted by then.
    pub(super) exit: Exit,
    /// Lost on the wire so far.
    pub(super) lost: Traffic,
}

/// What becomes of an offered packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Course {
    /// It leaves, perhaps with a mark, and lands.
    Lands { landing: Landing, marked: bool },
    /// It is dropped at once.
    Dropped(DropCause),
}

impl Lane {
    /// A lane, if the link's configuration makes one.
    pub(crate) fn of(
        config: &LinkConfig,
        seed: u64,
        name: &str,
    ) -> Result<Option<Self>, LinkError> {
        let rate = match &config.capacity {
            Capacity::Fixed(rate) if config.queue.on_arrival() && config.schedule.is_empty() => {
                *rate
            }
            _ => return Ok(None),
        };
        let way = Way::new(config, seed, name)?;
        let mut lane = Self {
            busy_until: Instant::ZERO,
            opens: NOBODY,
            serializer: Serializer::new(rate),
            delay: way.delay(),
            idle: Duration::ZERO,
            offered: Traffic::default(),
            more: None,
            is_limited: false,
            is_judged: false,
            is_troubled: way.is_troubled(),
        };
        match config.queue {
            QueueConfig::DropTail(Limit::Unlimited) => {}
            QueueConfig::DropTail(Limit::Packets(n)) => {
                lane.is_limited = true;
                lane.more().limit = usize::try_from(n).unwrap_or(usize::MAX);
            }
            _ => {
                let random = Random::new(seed, &format!("{name}/queue"));
                let mut admission = Admission::new(&config.queue, random)?;
                admission.set_rate(rate);
                lane.is_judged = true;
                lane.seldom().admission = Some(admission);
            }
        }
        if lane.is_troubled {
            lane.seldom().way = Some(way);
        }
        Ok(Some(lane))
    }

    #[inline]
    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    pub(super) fn seldom(&mut self) -> &mut Seldom {
        self.more().seldom.get_or_insert_default()
    }

    pub(super) fn seldom_if_any(&self) -> Option<&Seldom> {
        self.more.as_ref()?.seldom.as_deref()
    }

    /// Decides what becomes of a packet that is offered at `now`. Calls come in order of time.
    #[expect(
        clippy::inline_always,
        reason = "what becomes of a packet stays in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Instant, size: Bytes, ect: bool) -> Course {
        self.offered.add(size);
        if self.opens <= now {
            self.begin_services(now);
        }
        let free = now >= self.busy_until;
        let mut marked = false;
        if self.is_judged {
            match self.judge(now, size, ect) {
                Verdict::Take => {}
                Verdict::Mark => marked = true,
                Verdict::Drop(cause) => return self.drop(cause, size),
            }
        } else if !free && self.is_limited && self.is_full() {
            return self.drop(DropCause::Overflow, size);
        }
        if self.serializer.is_other(size) {
            self.divide(size);
        }
        if now > self.busy_until {
            self.idle += now.since(self.busy_until);
            self.busy_until = now + self.serializer.time_after_rest();
        } else {
            if !free {
                let start = self.busy_until;
                self.opens = self.opens.min(start);
                self.more().room.enter(now, start, size);
            }
            self.busy_until += self.serializer.time();
        }
        let landing = if self.is_troubled {
            self.send_through_trouble(size)
        } else {
            Landing { at: self.busy_until + self.delay, lost: false }
        };
        Course::Lands { landing, marked }
    }

    #[inline]
    fn begin_services(&mut self, now: Instant) {
        if let Some(more) = &mut self.more {
            self.opens = more.room.begin_services(self.opens, now);
        }
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.more.as_ref().is_some_and(|more| more.room.len() >= more.limit)
    }

    #[cold]
    #[inline(never)]
    fn divide(&mut self, size: Bytes) {
        if self.serializer.is_new() && self.more.is_none() {
            // Most lanes carry packets of one size.
            self.serializer.divide(size, &mut Division::default());
        } else {
            let more = self.more.get_or_insert_default();
            self.serializer.divide(size, &mut more.other);
        }
    }

    #[inline(never)]
    fn send_through_trouble(&mut self, size: Bytes) -> Landing {
        let (departure, number, delay) = (self.busy_until, self.offered.packets, self.delay);
        match &mut self.seldom().way {
            Some(way) => way.send(departure, number, size),
            None => Landing { at: departure + delay, lost: false },
        }
    }

    /// The queue is asked what becomes of an arriving packet.
    #[inline(never)]
    fn judge(&mut self, now: Instant, size: Bytes, ect: bool) -> Verdict {
        let free = now >= self.busy_until;
        let arrival = Arrival {
            now,
            waiting: self.last_waiting(),
            free,
            idle_since: free.then_some(self.busy_until),
            size,
            ect,
        };
        let seldom = self.seldom();
        let verdict = seldom.admission.as_mut().map_or(Verdict::Take, |a| a.judge(&arrival));
        seldom.marks += u64::from(verdict == Verdict::Mark);
        verdict
    }

    #[cold]
    fn drop(&mut self, cause: DropCause, size: Bytes) -> Course {
        let Seldom { overflow, aqm, .. } = self.seldom();
        let drops = if cause == DropCause::Overflow { overflow } else { aqm };
        drops.add(size);
        Course::Dropped(cause)
    }

    /// What waits at `now`.
    #[inline]
    pub(crate) fn waiting(&mut self, now: Instant) -> Traffic {
        self.begin_services(now);
        self.last_waiting()
    }

    /// What waited when the lane was last called with a time.
    pub(crate) fn last_waiting(&self) -> Traffic {
        self.more.as_ref().map_or(Traffic::default(), |more| more.room.waiting())
    }

    /// All but what the far end counts.
    pub(crate) fn stats(&mut self, now: Instant) -> LinkStats {
        self.begin_services(now);
        let (overflow, aqm, marks) =
            self.seldom_if_any().map_or_else(Default::default, |s| (s.overflow, s.aqm, s.marks));
        LinkStats {
            offered: self.offered,
            overflow,
            aqm,
            marks,
            // The transmitter does not rest between now and the end of its work.
            busy: self.busy_until.min(now).since(Instant::ZERO) - self.idle,
            capacity: capacity(self.serializer.rate(), now.since(Instant::ZERO)),
            waiting: match &mut self.more {
                Some(more) => more.room.times(now),
                None => Room::default().times(now),
            },
            ..LinkStats::default()
        }
    }

    /// Packets offered so far.
    #[inline]
    pub(crate) fn offered(&self) -> u64 {
        self.offered.packets
    }

    /// What was offered and not dropped.
    pub(crate) fn taken(&self) -> Traffic {
        let dropped = self.seldom_if_any().map(|s| (s.overflow, s.aqm)).unwrap_or_default();
        self.offered - dropped.0 - dropped.1
    }

    /// True if packets arrive in the order in which they left.
    pub(crate) fn keeps_order(&self) -> bool {
        let way = self.seldom_if_any().and_then(|s| s.way.as_ref());
        way.is_none_or(Way::keeps_order)
    }
}
