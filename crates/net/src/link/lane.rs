//! A fixed rate before which packets wait in order of arrival: what becomes of each is known when it
//! comes.
//!
//! A lane holds no packets. It says when each one will have departed and arrived, and keeps the times
//! at which service begins, to know who waits.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::link::config::{Capacity, LinkConfig};
use crate::link::server::{Serializer, capacity};
use crate::link::way::{Landing, Way};
use crate::queue::{Admission, Arrival, Limit, Verdict};
use crate::random::Random;
use crate::stats::{Level, LinkStats, Traffic};

#[derive(Debug)]
pub(crate) struct Lane {
    busy_until: Instant,
    serializer: Serializer,
    /// Service that has not begun: its time, and the packet's size.
    starts: VecDeque<(Instant, Bytes)>,
    waiting_bytes: Bytes,
    level: Level,
    asked: Asked,
    admission: Admission,
    way: Way,
    /// Time of transmission of everything taken so far, what lies ahead included.
    busy: Duration,
    offered: Traffic,
    overflow: Traffic,
    aqm: Traffic,
    marks: u64,
    rate: Rate,
}

/// When an arriving packet is judged. Most links have an endless queue or one that counts packets,
/// and take whoever comes as long as fewer wait.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// With so many waiting, unless the transmitter is free.
    from: u64,
    /// In any case.
    always: bool,
}

impl Asked {
    fn by(admission: &Admission) -> Self {
        let from = match admission {
            Admission::DropTail(Limit::Unlimited) => u64::MAX,
            Admission::DropTail(Limit::Packets(n)) => *n,
            _ => 0,
        };
        Self { from, always: matches!(admission, Admission::Red(_)) }
    }
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
        let random = Random::new(seed, &format!("{name}/queue"));
        let mut admission = Admission::new(&config.queue, random)?;
        admission.set_rate(rate);
        Ok(Some(Self {
            busy_until: Instant::ZERO,
            serializer: Serializer::new(rate),
            starts: VecDeque::new(),
            waiting_bytes: Bytes::ZERO,
            level: Level::default(),
            asked: Asked::by(&admission),
            admission,
            way: Way::new(config, seed, name)?,
            busy: Duration::ZERO,
            offered: Traffic::default(),
            overflow: Traffic::default(),
            aqm: Traffic::default(),
            marks: 0,
            rate,
        }))
    }

    /// Decides what becomes of a packet that is offered at `now`. Calls come in order of time.
    #[inline]
    pub(crate) fn pass(&mut self, now: Instant, size: Bytes, ect: bool) -> Course {
        self.offered.add(size);
        if !self.starts.is_empty() {
            self.begin_services(now);
        }
        let free = now >= self.busy_until;
        let mut marked = false;
        if self.asked.always || !free && self.starts.len() as u64 >= self.asked.from {
            match self.judge(now, size, ect) {
                Verdict::Take => {}
                Verdict::Mark => marked = true,
                Verdict::Drop(cause) => return self.drop(cause, size),
            }
        }
        let start = if free { self.begin_at_once(now) } else { self.wait(now, size) };
        self.busy_until = start + self.serializer.time(size);
        self.busy += self.busy_until.since(start);
        let landing = self.way.send(self.busy_until, self.offered.packets, size);
        Course::Lands { landing, marked }
    }

    /// The queue is asked what becomes of an arriving packet.
    #[inline(never)]
    fn judge(&mut self, now: Instant, size: Bytes, ect: bool) -> Verdict {
        let free = now >= self.busy_until;
        let verdict = self.admission.judge(&Arrival {
            now,
            waiting: self.now_waiting(),
            free,
            idle_since: free.then_some(self.busy_until),
            size,
            ect,
        });
        self.marks += u64::from(verdict == Verdict::Mark);
        verdict
    }

    #[cold]
    fn drop(&mut self, cause: DropCause, size: Bytes) -> Course {
        let drops = if cause == DropCause::Overflow { &mut self.overflow } else { &mut self.aqm };
        drops.add(size);
        Course::Dropped(cause)
    }

    /// The transmitter takes an arriving packet.
    #[inline]
    fn begin_at_once(&mut self, now: Instant) -> Instant {
        if now > self.busy_until {
            self.serializer.fall_idle();
        }
        now
    }

    /// An arriving packet waits until the transmitter has done what it has.
    #[inline]
    fn wait(&mut self, now: Instant, size: Bytes) -> Instant {
        self.starts.push_back((self.busy_until, size));
        self.waiting_bytes += size;
        self.level.set(now, self.starts.len());
        self.busy_until
    }

    /// Lets those begin whose time has come.
    #[inline]
    fn begin_services(&mut self, now: Instant) {
        while let Some(&(start, size)) = self.starts.front() {
            if start > now {
                return;
            }
            self.starts.pop_front();
            self.waiting_bytes -= size;
            self.level.set(start, self.starts.len());
        }
    }

    fn now_waiting(&self) -> Traffic {
        Traffic { packets: self.starts.len() as u64, bytes: self.waiting_bytes }
    }

    /// What waits at `now`.
    #[inline]
    pub(crate) fn waiting(&mut self, now: Instant) -> Traffic {
        self.begin_services(now);
        self.now_waiting()
    }

    /// What waited when the lane was last called with a time.
    pub(crate) fn last_waiting(&self) -> Traffic {
        self.now_waiting()
    }

    /// All but what the far end counts.
    pub(crate) fn stats(&mut self, now: Instant) -> LinkStats {
        self.begin_services(now);
        LinkStats {
            offered: self.offered,
            overflow: self.overflow,
            aqm: self.aqm,
            marks: self.marks,
            // The transmitter does not rest between now and the end of its work.
            busy: self.busy - self.busy_until.since(now),
            capacity: capacity(self.rate, now.since(Instant::ZERO)),
            waiting: self.level.read(now),
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
        self.offered - self.overflow - self.aqm
    }

    pub(crate) fn way(&self) -> &Way {
        &self.way
    }
}
