//! A fixed rate before which packets wait in order of arrival: what becomes of each is known when it
//! comes.
//!
//! A lane holds no packets. It says when each one will have departed and arrived, and keeps the times
//! at which service begins, to know who waits.

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::DropCause;
use crate::link::config::{Capacity, LinkConfig};
use crate::link::room::Room;
use crate::link::server::{Serializer, capacity};
use crate::link::way::{Landing, Way};
use crate::queue::{Admission, Arrival, Limit, Verdict};
use crate::random::Random;
use crate::stats::{LinkStats, Traffic};

/// In the order of use, so that crossing an idle lane touches few lines of cache.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lane {
    busy_until: Instant,
    serializer: Serializer,
    /// Packets offered. Apart from their bytes: each is one addition, and side by side they would be
    /// loaded and stored together.
    packets: u64,
    /// From the transmitter to the far end, without losses and jitter.
    delay: Duration,
    /// Time without work, up to the end of the work taken so far.
    idle: Duration,
    /// Bytes offered: 2^64 are more than any run carries.
    bytes: u64,
    room: Room,
    /// The queue is not drop-tail with a limit in packets, if any: it judges each packet.
    is_judged: bool,
    /// There are losses or jitter.
    is_troubled: bool,
    seldom: Box<Seldom>,
}

/// What most packets have no need of.
#[derive(Debug)]
struct Seldom {
    admission: Admission,
    way: Way,
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
        let way = Way::new(config, seed, name)?;
        let limit = match admission {
            Admission::DropTail(Limit::Unlimited) => Some(usize::MAX),
            Admission::DropTail(Limit::Packets(n)) => {
                Some(usize::try_from(n).unwrap_or(usize::MAX))
            }
            _ => None,
        };
        Ok(Some(Self {
            busy_until: Instant::ZERO,
            serializer: Serializer::new(rate),
            room: Room::new(limit.unwrap_or(usize::MAX)),
            delay: way.delay(),
            idle: Duration::ZERO,
            packets: 0,
            bytes: 0,
            is_judged: limit.is_none(),
            is_troubled: way.is_troubled(),
            seldom: Box::new(Seldom {
                admission,
                way,
                overflow: Traffic::default(),
                aqm: Traffic::default(),
                marks: 0,
                rate,
            }),
        }))
    }

    /// When a packet that is offered at `now` lands, if that is before `edge` and there is room. If not,
    /// nothing has happened, and [`pass`](Self::pass) must be asked. Only for a lane that
    /// [is plain](Self::is_plain).
    #[expect(
        clippy::inline_always,
        reason = "a packet crosses lanes in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub(crate) fn pass_plainly(
        &mut self,
        now: Instant,
        size: Bytes,
        edge: Instant,
    ) -> Option<Instant> {
        let busy_until = self.busy_until;
        if now > busy_until {
            let (time, carry) = self.serializer.foresee_after_rest(size);
            let ends = now.checked_add(time)?;
            let landing = ends.checked_add(self.delay).filter(|&landing| landing < edge)?;
            // The gaps between all packets together are no more than the present.
            let gap = now.as_nanos().wrapping_sub(busy_until.as_nanos());
            self.idle = Duration::from_nanos(self.idle.as_nanos().wrapping_add(gap));
            self.serializer.carry(carry);
            self.busy_until = ends;
            self.count(size);
            return Some(landing);
        }
        let (time, carry) = self.serializer.foresee(size);
        let ends = busy_until.checked_add(time)?;
        let landing = ends.checked_add(self.delay).filter(|&landing| landing < edge)?;
        if now < busy_until && !self.room.enter(now, busy_until, size) {
            return None;
        }
        self.serializer.carry(carry);
        self.busy_until = ends;
        self.count(size);
        Some(landing)
    }

    /// Decides what becomes of a packet that is offered at `now`. Calls come in order of time.
    #[expect(
        clippy::inline_always,
        reason = "what becomes of a packet stays in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Instant, size: Bytes, ect: bool) -> Course {
        self.count(size);
        self.room.settle(now);
        let free = now >= self.busy_until;
        let mut marked = false;
        if self.is_judged {
            match self.judge(now, size, ect) {
                Verdict::Take => {}
                Verdict::Mark => marked = true,
                Verdict::Drop(cause) => return self.drop(cause, size),
            }
        } else if !free && self.room.is_full() {
            return self.drop(DropCause::Overflow, size);
        }
        if now > self.busy_until {
            self.idle += now.since(self.busy_until);
            self.busy_until = now + self.serializer.time_after_rest(size);
        } else {
            if !free {
                // There is room: it was asked before.
                self.room.enter(now, self.busy_until, size);
            }
            self.busy_until += self.serializer.time(size);
        }
        let landing = if self.is_troubled {
            self.seldom.way.send(self.busy_until, self.packets, size)
        } else {
            Landing { at: self.busy_until + self.delay, lost: false }
        };
        Course::Lands { landing, marked }
    }

    /// The queue is asked what becomes of an arriving packet.
    #[inline(never)]
    fn judge(&mut self, now: Instant, size: Bytes, ect: bool) -> Verdict {
        let free = now >= self.busy_until;
        let verdict = self.seldom.admission.judge(&Arrival {
            now,
            waiting: self.room.waiting(),
            free,
            idle_since: free.then_some(self.busy_until),
            size,
            ect,
        });
        self.seldom.marks += u64::from(verdict == Verdict::Mark);
        verdict
    }

    #[cold]
    fn drop(&mut self, cause: DropCause, size: Bytes) -> Course {
        let Seldom { overflow, aqm, .. } = &mut *self.seldom;
        let drops = if cause == DropCause::Overflow { overflow } else { aqm };
        drops.add(size);
        Course::Dropped(cause)
    }

    /// What waits at `now`.
    #[inline]
    pub(crate) fn waiting(&mut self, now: Instant) -> Traffic {
        self.room.settle(now);
        self.room.waiting()
    }

    /// What waited when the lane was last called with a time.
    pub(crate) fn last_waiting(&self) -> Traffic {
        self.room.waiting()
    }

    /// All but what the far end counts.
    pub(crate) fn stats(&mut self, now: Instant) -> LinkStats {
        LinkStats {
            offered: self.all_offered(),
            overflow: self.seldom.overflow,
            aqm: self.seldom.aqm,
            marks: self.seldom.marks,
            // The transmitter does not rest between now and the end of its work.
            busy: self.busy_until.min(now).since(Instant::ZERO) - self.idle,
            capacity: capacity(self.seldom.rate, now.since(Instant::ZERO)),
            waiting: self.room.times(now),
            ..LinkStats::default()
        }
    }

    /// True if nothing but the transmitter and the room before it has a say in what becomes of packets:
    /// nobody judges them, and there are no losses.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_judged && !self.is_troubled
    }

    #[inline]
    fn count(&mut self, size: Bytes) {
        self.packets += 1;
        self.bytes = self.bytes.wrapping_add(size.get());
    }

    fn all_offered(&self) -> Traffic {
        Traffic { packets: self.packets, bytes: Bytes::new(self.bytes) }
    }

    /// Packets offered so far.
    #[inline]
    pub(crate) fn offered(&self) -> u64 {
        self.packets
    }

    /// What was offered and not dropped.
    pub(crate) fn taken(&self) -> Traffic {
        self.all_offered() - self.seldom.overflow - self.seldom.aqm
    }

    pub(crate) fn way(&self) -> &Way {
        &self.seldom.way
    }
}
