//! The parts of a [`Link`](crate::Link) and how they hand packets on, event by event.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Instant};

use crate::error::LinkError;
use crate::histogram::Histogram;
use crate::link::ack_filter::AckFilter;
use crate::link::arq::Arq;
use crate::link::changes::{Effect, effects};
use crate::link::config::{Capacity, LinkConfig};
use crate::link::departures::{Delays, Dropped, leave, record, take};
use crate::link::ecn_path::EcnPath;
use crate::link::fec::{Fec, FecPacket, RepairsDue};
use crate::link::flight::{FarEndCounts, LinkFlight};
use crate::link::policer::TokenBucket;
use crate::link::reorder::Reorder;
use crate::link::server::{Bursts, RecordedCapacity, Server, VariableRate};
use crate::link::wire::Wire;
use crate::link::{DropCause, InTransit, Offer, Step};
use crate::packet::Packet;
use crate::queue::{Arrival, DualDelays, Queue, Queued, Verdict};
use crate::random::Random;
use crate::stats::{LinkStats, PacketCount, QueueLengthTracker};

#[derive(Debug)]
pub(crate) struct GeneralLink<P> {
    policer: Option<TokenBucket>,
    queue: Queue<P>,
    filter: Option<AckFilter<P>>,
    /// Packets that go before all that wait.
    express: VecDeque<Queued<P>>,
    server: Server<FecPacket<P>>,
    wire: Wire,
    ecn_path: Option<EcnPath>,
    arq: Option<Arq<P>>,
    fec: Option<Fec<P>>,
    /// Packets of the code that go before all others.
    due: RepairsDue,
    flight: LinkFlight<P>,
    changes: VecDeque<(Instant, Effect)>,
    dropped: Dropped<P>,
    level: QueueLengthTracker,
    /// How many waited when the level was last looked at.
    waited: usize,
    offered: PacketCount,
    marks: u64,
    /// How long packets waited, where that is recorded.
    delays: Option<Delays>,
    /// When something happens inside next: a change, an ACK's release, a repeat, a departure, a block's end.
    next_inside: Instant,
}

impl<P: Packet> GeneralLink<P> {
    /// The path of a link, with its queue.
    pub(crate) fn boxed(
        config: &LinkConfig,
        seed: u64,
        name: &str,
    ) -> Result<Box<Self>, LinkError> {
        let random = Random::new(seed, &format!("{name}/queue"));
        let queue = Queue::new(&config.queue, random)?;
        let queue = if config.peeks { queue.peeking() } else { queue };
        Ok(Box::new(Self::new(config, queue, seed, name)?))
    }

    fn new(
        config: &LinkConfig,
        mut queue: Queue<P>,
        seed: u64,
        name: &str,
    ) -> Result<Self, LinkError> {
        let server = match &config.capacity {
            Capacity::Fixed(rate) => {
                queue.set_rate(*rate);
                match config.bursts {
                    Some(bursts) => Server::Bursts(Bursts::new(*rate, bursts)),
                    None => Server::VariableRate(VariableRate::new(*rate, config.wake_up)),
                }
            }
            Capacity::Recorded(trace) => {
                queue.set_rate(trace.mean_rate());
                Server::Recorded(RecordedCapacity::new(trace.clone()))
            }
        };
        let wire = Wire::new(config, seed, name)?;
        let reorder = config
            .reorder
            .map(|reorder| Reorder::new(reorder, Random::new(seed, &format!("{name}/reorder"))));
        let mut link = Self {
            policer: config.policer.map(TokenBucket::new),
            queue,
            filter: config.ack_filter.map(AckFilter::new),
            express: VecDeque::new(),
            server,
            flight: LinkFlight::over(wire.keeps_order(), reorder),
            wire,
            ecn_path: config.ecn_path,
            arq: config.arq.map(Arq::new),
            fec: config.fec.map(Fec::new),
            due: RepairsDue::default(),
            changes: effects(config, seed, name)?,
            dropped: Dropped::new(),
            level: QueueLengthTracker::default(),
            waited: 0,
            offered: PacketCount::default(),
            marks: 0,
            delays: None,
            next_inside: Instant::FAR_FUTURE,
        };
        link.look_ahead();
        Ok(link)
    }

    pub(crate) fn offer(&mut self, now: Instant, packet: P) -> Offer<P> {
        self.catch_up(now);
        let size = packet.size();
        self.offered.add(size);
        if self.policer.as_mut().is_some_and(|policer| !policer.admits(now, size)) {
            self.dropped.count(size, DropCause::Policer);
            return Offer::Dropped(packet, DropCause::Policer);
        }
        let queued = self.queued(now, packet, size);
        let answer = self.filtered(now, queued);
        self.look_ahead();
        answer
    }

    /// Admits a packet unless the filter for ACKs holds it or leaves it out.
    fn filtered(&mut self, now: Instant, queued: Queued<P>) -> Offer<P> {
        let Some(filter) = &mut self.filter else {
            return self.admit(now, queued);
        };
        let [held, queued] = filter.take(now, queued);
        if let Some(held) = held {
            self.admit_late(now, held);
        }
        queued.map_or(Offer::Queued, |queued| self.admit(now, queued))
    }

    /// A packet that has been counted as offered, as the queue sees it.
    fn queued(&self, now: Instant, mut packet: P, size: Bytes) -> Queued<P> {
        let (number, entered) = (self.offered.packets, packet.ecn());
        if let Some(ecn_path) = self.ecn_path {
            ecn_path.enter(&mut packet);
        }
        Queued { packet, size, number, arrived: now, entered, is_repeat: false }
    }

    /// Lets the queue judge a packet, and takes it in.
    fn admit(&mut self, now: Instant, mut queued: Queued<P>) -> Offer<P> {
        let size = queued.size;
        let arrival = Arrival {
            now,
            waiting: self.queue.waiting(),
            free: self.server.is_free(),
            idle_since: self.server.idle_since(),
            size,
            ect: queued.packet.ecn().is_capable(),
        };
        match self.queue.judge(&arrival, queued.packet.flow()) {
            Verdict::Take => {}
            Verdict::Mark => {
                queued.packet.mark_ce();
                self.marks += 1;
            }
            Verdict::Drop(cause) => {
                self.dropped.count(size, cause);
                return Offer::Dropped(leave(&mut self.filter, queued).packet, cause);
            }
        }
        let Self { queue, dropped, filter, .. } = self;
        queue.push(queued, arrival.free, &mut |q| {
            dropped.report(now, leave(filter, q), DropCause::Overflow);
        });
        self.wake(now);
        Offer::Queued
    }

    /// Takes in a packet that has been held: if the queue drops it, that is reported later.
    fn admit_late(&mut self, now: Instant, queued: Queued<P>) {
        // It has waited at the filter, not in the queue.
        let queued = Queued { arrived: now, ..queued };
        if let Offer::Dropped(packet, cause) = self.admit(now, queued) {
            self.dropped.unreported.push_back((now, packet, cause));
        }
    }

    /// Takes a packet that goes next, before all that wait. No queue judges it.
    pub(crate) fn offer_first(&mut self, now: Instant, packet: P) {
        self.catch_up(now);
        let size = packet.size();
        self.offered.add(size);
        let queued = self.queued(now, packet, size);
        self.express.push_back(queued);
        self.wake(now);
        self.look_ahead();
    }

    /// The queue, beside the packet in the transmitter.
    fn line(&self) -> PacketCount {
        let mut waiting = self.queue.waiting();
        if let Some(filter) = &self.filter {
            waiting = filter.corrected(waiting);
        }
        for queued in &self.express {
            waiting.add(queued.size);
        }
        waiting
    }

    /// Puts the transmitter to work on what waits.
    fn wake(&mut self, now: Instant) {
        let Self { queue, filter, express, server, dropped, marks, delays, due, .. } = self;
        server.wake(now, || {
            due.take(now).or_else(|| {
                let next = express.pop_front();
                let next = next.or_else(|| take(queue, filter, now, dropped, marks));
                record(delays, now, next).map(load)
            })
        });
        self.settle(now);
    }

    /// Takes note of how many wait.
    fn settle(&mut self, now: Instant) {
        let waiting = self.queue.waiting().packets + self.express.len() as u64;
        self.level.until(now, self.waited);
        self.waited = usize::try_from(waiting).unwrap_or(usize::MAX);
        if waiting == 0 && self.due.is_empty() {
            self.server.rest(now);
        }
    }

    /// Carries out what happens inside the link up to `now`, in order of time. Of one instant a change
    /// comes first, then an ACK that has been held, a repeat, a departure, and the end of a block.
    #[inline]
    fn catch_up(&mut self, now: Instant) {
        while self.next_inside <= now {
            self.happen(self.next_inside);
            self.look_ahead();
        }
    }

    fn happen(&mut self, at: Instant) {
        if self.next_change() == at {
            self.change();
        } else if self.next_held() == at {
            self.release_held(at);
        } else if self.next_repeat() == at {
            self.repeat(at);
        } else if self.server.next_event() == at {
            self.serve(at);
        } else {
            self.close_block(at);
        }
    }

    /// Finds what happens inside next, after anything that may bring it forward.
    fn look_ahead(&mut self) {
        let next = self.server.next_event().min(self.next_change()).min(self.next_repeat());
        self.next_inside = next.min(self.next_held()).min(self.next_block());
    }

    fn next_change(&self) -> Instant {
        self.changes.front().map_or(Instant::FAR_FUTURE, |c| c.0)
    }

    fn change(&mut self) {
        let Some((at, effect)) = self.changes.pop_front() else {
            return;
        };
        match effect {
            Effect::Rate(rate) => {
                self.queue.set_rate(rate);
                self.server.set_rate(at, rate);
            }
            Effect::Delay(delay) => self.wire.set_delay(delay),
            Effect::Losses(mut losses) => {
                for process in &mut losses {
                    process.count_after(self.offered.packets);
                }
                self.wire.set_losses(losses);
            }
        }
    }

    fn serve(&mut self, at: Instant) {
        let Self { queue, filter, express, server, dropped, marks, wire, .. } = self;
        let Self { flight, delays, arq, fec, due, ecn_path, .. } = self;
        server.serve(
            at,
            || {
                due.take(at).or_else(|| {
                    let next = express.pop_front();
                    let next = next.or_else(|| take(queue, filter, at, dropped, marks));
                    record(delays, at, next).map(load)
                })
            },
            |sent| {
                let number = if sent.is_repeat { 0 } else { sent.number };
                let landing = wire.send(at, number, sent.size);
                let mut queued = match (unload(sent), &mut *fec) {
                    (Ok(queued), _) => queued,
                    (Err(size), Some(fec)) => return fec.repair_sent(size, landing, flight),
                    (Err(_), None) => return,
                };
                if let Some(ecn_path) = ecn_path {
                    ecn_path.leave(&mut queued.packet, queued.entered);
                }
                match (&mut *arq, &mut *fec) {
                    (Some(arq), _) => arq.sent(at, queued, landing, flight),
                    (None, Some(fec)) => fec.sent(at, queued, landing, flight, due),
                    (None, None) => flight.take(landing, queued.packet),
                }
            },
        );
        self.settle(at);
    }

    /// A block of the code has waited long enough.
    fn close_block(&mut self, at: Instant) {
        if let Some(fec) = &mut self.fec {
            let sending = self.server.sending();
            let coded = sending.iter().filter(|q| matches!(q.packet, FecPacket::Packet(_)));
            fec.time_out(coded.count(), &self.due);
            self.wake(at);
        }
    }

    fn next_block(&self) -> Instant {
        self.fec.as_ref().map_or(Instant::FAR_FUTURE, Fec::next_event)
    }

    /// The transmitter learns that a packet did not arrive, and sends it again before all that waits.
    fn repeat(&mut self, at: Instant) {
        if let Some(queued) = self.arq.as_mut().and_then(Arq::take_failed) {
            self.express.push_back(queued);
            self.wake(at);
        }
    }

    /// An ACK has been held long enough.
    fn release_held(&mut self, at: Instant) {
        if let Some(queued) = self.filter.as_mut().and_then(AckFilter::take_due) {
            self.admit_late(at, queued);
        }
    }

    fn next_held(&self) -> Instant {
        self.filter.as_ref().map_or(Instant::FAR_FUTURE, AckFilter::next_event)
    }

    fn next_repeat(&self) -> Instant {
        self.arq.as_ref().map_or(Instant::FAR_FUTURE, Arq::next_event)
    }

    pub(crate) fn next_event(&self) -> Instant {
        let dropped = self.dropped.unreported.front().map_or(Instant::FAR_FUTURE, |d| d.0);
        self.next_inside.min(self.flight.next_event()).min(dropped)
    }

    pub(crate) fn step(&mut self, now: Instant) -> Step<P> {
        self.catch_up(now);
        match self.dropped.unreported.pop_front() {
            Some((_, packet, cause)) => Step::Lost(packet, cause),
            None => self.flight.step(now),
        }
    }

    /// All but what the far end counts.
    pub(crate) fn stats(&mut self, now: Instant) -> LinkStats {
        self.catch_up(now);
        let none = [PacketCount::default(); 2];
        let [repairs, repaired] = match (&self.arq, &self.fec) {
            (Some(arq), _) => arq.work(),
            (None, fec) => fec.as_ref().map_or(none, Fec::work),
        };
        LinkStats {
            repairs,
            repaired,
            offered: self.offered,
            overflow: self.dropped.overflow,
            aqm: self.dropped.aqm,
            policed: self.dropped.policed,
            filtered: self.filter.as_ref().map_or_else(PacketCount::default, AckFilter::filtered),
            marks: self.marks,
            busy: self.server.busy(now),
            capacity: self.server.capacity(now),
            waiting: self.level.read(now, self.waited),
            ..LinkStats::default()
        }
    }

    pub(crate) fn record_delays(&mut self, from: Instant) {
        self.delays = Some(Delays { from, waits: Histogram::default() });
        self.queue.record_delays(from);
    }

    pub(crate) fn dual_delays(&mut self, now: Instant) -> Option<DualDelays> {
        self.catch_up(now);
        self.queue.dual_delays().cloned()
    }

    pub(crate) fn delays(&mut self, now: Instant) -> Option<Histogram> {
        self.catch_up(now);
        self.delays.as_ref().map(|delays| delays.waits.clone())
    }

    pub(crate) fn far_end(&self) -> FarEndCounts {
        self.flight.far_end()
    }

    pub(crate) fn waiting(&mut self, now: Instant) -> PacketCount {
        self.catch_up(now);
        self.line()
    }

    pub(crate) fn in_transit(&self) -> InTransit {
        let mut on_wire = self.flight.on_wire();
        for queued in self.server.sending() {
            if matches!(queued.packet, FecPacket::Packet(_)) {
                on_wire.add(queued.size);
            }
        }
        if let Some(fec) = &self.fec {
            on_wire += fec.inside();
        }
        if let Some(arq) = &self.arq {
            on_wire += arq.inside();
        }
        let mut unreported = PacketCount::default();
        for (_, packet, _) in &self.dropped.unreported {
            unreported.add(packet.size());
        }
        let (mut queued, mut filtered) = (self.line(), PacketCount::default());
        if let Some(filter) = &self.filter {
            queued += filter.holds();
            filtered = filter.filtered();
        }
        InTransit { queued, on_wire, unreported, filtered }
    }
}

/// A packet for the transmitter.
fn load<P>(queued: Queued<P>) -> Queued<FecPacket<P>> {
    let Queued { packet, size, number, arrived, entered, is_repeat } = queued;
    Queued { packet: FecPacket::Packet(packet), size, number, arrived, entered, is_repeat }
}

/// A packet from the transmitter, or the size of one of the code.
fn unload<P>(sent: Queued<FecPacket<P>>) -> Result<Queued<P>, Bytes> {
    let Queued { packet, size, number, arrived, entered, is_repeat } = sent;
    match packet {
        FecPacket::Packet(packet) => {
            Ok(Queued { packet, size, number, arrived, entered, is_repeat })
        }
        FecPacket::Repair => Err(size),
    }
}
