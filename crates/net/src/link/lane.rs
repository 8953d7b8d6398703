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
use crate::queue::{Admission, Arrival, Verdict};
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
        self.begin_services(now);
        let marked = match self.judge(now, size, ect) {
            Verdict::Take => false,
            Verdict::Mark => {
                self.marks += 1;
                true
            }
            Verdict::Drop(cause) => {
                let drops =
                    if cause == DropCause::Overflow { &mut self.overflow } else { &mut self.aqm };
                drops.add(size);
                return Course::Dropped(cause);
            }
        };
        let start = self.begin(now, size);
        self.busy_until = start + self.serializer.time(size);
        self.busy += self.busy_until.since(start);
        let landing = self.way.send(self.busy_until, self.offered.packets, size);
        Course::Lands { landing, marked }
    }

    #[inline]
    fn judge(&mut self, now: Instant, size: Bytes, ect: bool) -> Verdict {
        let free = now >= self.busy_until;
        let waiting = self.now_waiting();
        match &mut self.admission {
            // Most links by far, and three comparisons.
            Admission::DropTail(limit) if free || limit.admits(waiting, size) => Verdict::Take,
            admission => admission.judge(&Arrival {
                now,
                waiting,
                free,
                idle_since: free.then_some(self.busy_until),
                size,
                ect,
            }),
        }
    }

    /// When the service of an arriving packet begins; it waits until then.
    #[inline]
    fn begin(&mut self, now: Instant, size: Bytes) -> Instant {
        if now >= self.busy_until {
            if now > self.busy_until {
                self.serializer.fall_idle();
            }
            return now;
        }
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
