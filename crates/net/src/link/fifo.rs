//! The path of most links: a fixed rate before which packets wait in order of arrival.
//!
//! The departure of a packet is known when it arrives, so it goes onto the wire at once with its
//! departure time, and only the times at which service begins are kept, to know who waits.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::config::LinkConfig;
use crate::link::memory::Exit;
use crate::link::server::{Serializer, capacity};
use crate::link::wire::Wire;
use crate::link::{DropCause, InTransit, Offer, Step};
use crate::packet::Packet;
use crate::queue::{Admission, Arrival, Verdict};
use crate::stats::{Level, LinkStats, Traffic};

#[derive(Debug)]
pub(crate) struct Fifo<P> {
    serializer: Serializer,
    busy_until: Instant,
    /// Time of transmission of everything taken so far, what lies ahead included.
    busy: Duration,
    /// Service that has not begun: its time, and the packet's size.
    starts: VecDeque<(Instant, Bytes)>,
    waiting_bytes: Bytes,
    level: Level,
    admission: Admission,
    wire: Wire<P>,
    rate: Rate,
    offered: Traffic,
    overflow: Traffic,
    aqm: Traffic,
    marks: u64,
}

impl<P: Packet> Fifo<P> {
    pub(crate) fn new(
        config: &LinkConfig,
        rate: Rate,
        mut admission: Admission,
        seed: u64,
        name: &str,
    ) -> Result<Self, LinkError> {
        admission.set_rate(rate);
        Ok(Self {
            serializer: Serializer::new(rate),
            busy_until: Instant::ZERO,
            busy: Duration::ZERO,
            starts: VecDeque::new(),
            waiting_bytes: Bytes::ZERO,
            level: Level::default(),
            admission,
            wire: Wire::new(config, seed, name)?,
            rate,
            offered: Traffic::default(),
            overflow: Traffic::default(),
            aqm: Traffic::default(),
            marks: 0,
        })
    }

    #[inline]
    pub(crate) fn offer(&mut self, now: Instant, mut packet: P) -> Offer<P> {
        let size = packet.size();
        self.offered.add(size);
        self.begin_services(now);
        match self.judge(now, size, packet.ect()) {
            Verdict::Take => {}
            Verdict::Mark => {
                packet.mark_ce();
                self.marks += 1;
            }
            Verdict::Drop(cause) => {
                let drops =
                    if cause == DropCause::Overflow { &mut self.overflow } else { &mut self.aqm };
                drops.add(size);
                return Offer::Dropped(packet, cause);
            }
        }
        let start = self.begin(now, size);
        self.busy_until = start + self.serializer.time(size);
        self.busy += self.busy_until.since(start);
        self.wire.send(self.busy_until, self.offered.packets, size, packet);
        Offer::Queued
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

    #[inline]
    pub(crate) fn next_event(&self) -> Instant {
        self.wire.next_event()
    }

    #[inline]
    pub(crate) fn step(&mut self, now: Instant) -> Step<P> {
        self.wire.step(now)
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

    pub(crate) fn keeps_order(&self) -> bool {
        self.wire.keeps_order()
    }

    pub(crate) fn far_end(&self) -> Exit {
        self.wire.far_end()
    }

    pub(crate) fn waiting(&mut self, now: Instant) -> Traffic {
        self.begin_services(now);
        self.now_waiting()
    }

    pub(crate) fn in_transit(&self) -> InTransit {
        InTransit::split(self.now_waiting(), self.wire.on_wire())
    }
}
