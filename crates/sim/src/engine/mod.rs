//! The plain engine: one event a hop.
//!
//! Links hold their packets, senders and receivers their timers; the [`Scheduler`] knows when each
//! wants to be woken and wakes them in the order of (time, rank). It is the reference for any faster
//! engine: whatever is saved may not change one bit of a result.

mod application;
mod connection;
mod measure;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use westwood_cc::{Bytes, Instant};
use westwood_net::{Link, Offer, Packet as _, Step, Traffic as Moving};
use westwood_tcp::{AckSegment, DataSegment};

use crate::error::SimError;
use crate::network::{Network, TcpSpec, Traffic};
use crate::outcome::Outcome;
use crate::packet::{Body, Packet};
use crate::routes::Route;
use crate::scheduler::{Rank, Scheduler};
use application::{Action, Application, Supply};
use connection::Connection;
use measure::Measure;

/// What a caller may do to a run from another thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Control<'a> {
    /// Set it to end the run with [`SimError::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// Simulated nanoseconds so far.
    pub progress: Option<&'a AtomicU64>,
}

/// Events between two looks at [`Control`].
const CONTROL_EVERY: u64 = 4096;

/// Simulates a network.
pub fn run(network: &Network) -> Result<Outcome, SimError> {
    run_with(network, Control::default())
}

/// Simulates a network under somebody's control.
pub fn run_with(network: &Network, control: Control<'_>) -> Result<Outcome, SimError> {
    Engine::new(network)?.run(control)
}

/// Who is woken.
enum Source {
    Link(usize),
    Sender(usize),
    Receiver(usize),
    Application(usize),
}

struct Engine<'a> {
    network: &'a Network,
    now: Instant,
    scheduler: Scheduler,
    links: Vec<Link<Packet>>,
    routes: Vec<Route>,
    /// The flow of each slot. A flow has one, short flows as many as may be open at a time.
    slot_flow: Vec<usize>,
    /// The first slot of each flow.
    first_slot: Vec<usize>,
    slots: Vec<Option<Box<Connection>>>,
    /// How often each slot has been used: packets of an earlier connection are strays.
    generations: Vec<u32>,
    applications: Vec<Application>,
    measure: Measure,
    events: u64,
}

impl<'a> Engine<'a> {
    fn new(network: &'a Network) -> Result<Self, SimError> {
        network.check()?;
        let links = network
            .links
            .iter()
            .map(|l| {
                Link::new(&l.config, network.seed, &l.name).map_err(|error| SimError::Link {
                    link: l.name.clone(),
                    error,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let routes = network
            .flows
            .iter()
            .map(|f| Route::of(network, f))
            .collect::<Result<Vec<_>, _>>()?;
        let (mut slot_flow, mut first_slot) = (Vec::new(), Vec::new());
        for (flow, spec) in network.flows.iter().enumerate() {
            first_slot.push(slot_flow.len());
            let slots = match &spec.traffic {
                Traffic::ShortFlows { limit, .. } => *limit as usize,
                Traffic::Tcp(..) | Traffic::Udp { .. } => 1,
            };
            slot_flow.extend(std::iter::repeat_n(flow, slots));
        }
        let slots = slot_flow.len();
        let sources = links.len() + 2 * slots + network.flows.len();
        let mut engine = Self {
            network,
            now: Instant::ZERO,
            scheduler: Scheduler::new(sources),
            links,
            measure: Measure::new(network, &routes),
            routes,
            slot_flow,
            first_slot,
            slots: std::iter::repeat_with(|| None).take(slots).collect(),
            generations: vec![0; slots],
            applications: network
                .flows
                .iter()
                .map(|f| Application::new(f, network.seed))
                .collect(),
            events: 0,
        };
        for flow in 0..network.flows.len() {
            engine.wake_application(flow);
        }
        for link in 0..engine.links.len() {
            engine.wake_link(link);
        }
        Ok(engine)
    }

    fn run(mut self, control: Control<'_>) -> Result<Outcome, SimError> {
        let warmup = Instant::ZERO + self.network.warmup;
        let end = Instant::ZERO + self.network.duration;
        let mut warm = false;
        while let Some((at, rank)) = self.scheduler.next() {
            if !warm && at >= warmup {
                warm = true;
                self.begin_measuring(warmup);
            }
            if at > end {
                break;
            }
            debug_assert!(at >= self.now, "time goes back");
            self.now = at;
            self.events += 1;
            if self.events.is_multiple_of(CONTROL_EVERY) {
                debug_assert!(self.conserves(), "data appeared or vanished");
                self.heed(control)?;
            }
            match self.source(rank) {
                Source::Link(l) => self.on_link(l),
                Source::Sender(s) => self.on_sender_timer(s),
                Source::Receiver(s) => self.on_receiver_timer(s),
                Source::Application(f) => self.on_application(f),
            }
        }
        if !warm {
            self.begin_measuring(warmup);
        }
        self.now = end;
        debug_assert!(self.conserves(), "data appeared or vanished");
        Ok(self.finish(end))
    }

    fn heed(&self, control: Control<'_>) -> Result<(), SimError> {
        if let Some(progress) = control.progress {
            progress.store(self.now.as_nanos(), Ordering::Relaxed);
        }
        match control.cancel {
            Some(cancel) if cancel.load(Ordering::Relaxed) => Err(SimError::Cancelled),
            _ => Ok(()),
        }
    }

    // --- Ranks: links first, then each slot's sender and receiver, then applications.

    fn source(&self, rank: Rank) -> Source {
        let (rank, links) = (rank as usize, self.links.len());
        let timers = 2 * self.slots.len();
        match rank.checked_sub(links) {
            None => Source::Link(rank),
            Some(r) if r < timers && r % 2 == 0 => Source::Sender(r / 2),
            Some(r) if r < timers => Source::Receiver(r / 2),
            Some(r) => Source::Application(r - timers),
        }
    }

    fn wake(&mut self, source: usize, at: Instant) {
        if at != Instant::FAR_FUTURE {
            // A time in the past means now.
            self.scheduler.wake(
                Rank::try_from(source).unwrap_or(Rank::MAX),
                at.max(self.now),
            );
        }
    }

    fn wake_link(&mut self, link: usize) {
        self.wake(link, self.links[link].next_event());
    }

    fn wake_application(&mut self, flow: usize) {
        let source = self.links.len() + 2 * self.slots.len() + flow;
        self.wake(source, self.applications[flow].next());
    }

    // --- Links.

    fn on_link(&mut self, link: usize) {
        if self.links[link].next_event() <= self.now {
            match self.links[link].step(self.now) {
                Step::Delivered(packet) => self.forward(packet),
                Step::Lost(packet, _) => self.lose(link, &packet),
                Step::Nothing => {}
            }
        }
        self.probe_queue(link);
        self.wake_link(link);
    }

    /// A packet has crossed a link: on to the next, or to its host.
    fn forward(&mut self, mut packet: Packet) {
        packet.hop += 1;
        match self.next_link(&packet) {
            Some(link) => self.offer(link, packet),
            None => self.arrive(packet),
        }
    }

    fn next_link(&self, packet: &Packet) -> Option<usize> {
        let route = &self.routes[self.slot_flow[packet.slot as usize]];
        let way = if packet.is_forward() {
            &route.there
        } else {
            &route.back
        };
        way.get(usize::from(packet.hop)).copied()
    }

    fn offer(&mut self, link: usize, packet: Packet) {
        if let Offer::Dropped(packet, _) = self.links[link].offer(self.now, packet) {
            self.lose(link, &packet);
        }
        self.probe_queue(link);
        self.wake_link(link);
    }

    /// A packet enters the network at its host.
    fn inject(&mut self, packet: Packet) {
        self.measure.enters(packet.size());
        if let Some(link) = self.next_link(&packet) {
            self.offer(link, packet);
        }
    }

    fn lose(&mut self, link: usize, packet: &Packet) {
        self.measure.leaves(packet.size());
        self.measure
            .record_drop(self.now, link, self.slot_flow[packet.slot as usize]);
    }

    // --- Hosts.

    fn arrive(&mut self, packet: Packet) {
        self.measure.leaves(packet.size());
        let slot = packet.slot as usize;
        if self.generations[slot] != packet.generation {
            return;
        }
        match packet.body {
            Body::Data(segment) => self.on_data(slot, &segment, packet.ce),
            Body::Ack(ack) => self.on_ack(slot, &ack),
            Body::Datagram => {
                let flow = self.slot_flow[slot];
                self.measure.on_datagram(self.now, flow, packet.size());
            }
        }
    }

    fn on_data(&mut self, slot: usize, segment: &DataSegment, ce: bool) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        let before = c.receiver.counts().delivered_bytes;
        let ack = c.receiver.on_data(now, segment, ce);
        let delivered = c.receiver.counts().delivered_bytes;
        self.measure.on_delivered(now, c.flow, delivered - before);
        if !c.complete && c.size.is_some_and(|size| delivered >= size.get()) {
            c.complete = true;
            self.measure.on_complete(now, c);
        }
        self.after_receiver(slot, ack);
    }

    fn on_receiver_timer(&mut self, slot: usize) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        let ack = c.receiver.on_timer(now);
        self.after_receiver(slot, ack);
    }

    fn after_receiver(&mut self, slot: usize, ack: Option<AckSegment>) {
        let Some(c) = self.slots[slot].as_deref() else {
            return;
        };
        let deadline = c.receiver.deadline();
        if let Some(ack) = ack {
            let (base, block) = c.ack_sizes;
            let size = base + block * u64::from(ack.sack.len());
            // Pure ACKs are not ECN-capable (RFC 3168 section 6.1.4).
            let body = Body::Ack(ack);
            let packet = Packet::new(slot_number(slot), self.generations[slot], size, false, body);
            self.inject(packet);
        }
        self.wake(self.links.len() + 2 * slot + 1, deadline);
    }

    fn on_ack(&mut self, slot: usize, ack: &AckSegment) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        c.sender.on_ack(now, ack);
        if let Some(rtt) = c.sender.take_rtt_sample() {
            self.measure.on_rtt(now, c.flow, rtt);
        }
        self.after_sender(slot);
    }

    fn on_sender_timer(&mut self, slot: usize) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        if c.sender.deadline() <= now {
            c.sender.on_timer(now);
        }
        self.after_sender(slot);
    }

    /// Sends what the sender has to send, and asks when it wants to be woken.
    fn after_sender(&mut self, slot: usize) {
        loop {
            let Some(c) = self.slots[slot].as_deref_mut() else {
                return;
            };
            let Some(segment) = c.sender.transmit(self.now) else {
                break;
            };
            let (size, ect) = (segment.payload + c.header, segment.ect);
            let body = Body::Data(segment);
            let packet = Packet::new(slot_number(slot), self.generations[slot], size, ect, body);
            self.inject(packet);
        }
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        self.measure.record_window(self.now, c);
        let deadline = c.sender.deadline();
        let over = c.complete && c.sender.is_done();
        self.wake(self.links.len() + 2 * slot, deadline);
        if over && self.is_short(self.slot_flow[slot]) {
            self.close(slot);
        }
    }

    // --- Applications.

    fn on_application(&mut self, flow: usize) {
        let now = self.now;
        if self.applications[flow].next() <= now {
            match self.applications[flow].act(now) {
                Some(Action::Open(supply)) => {
                    let slot = self.first_slot[flow];
                    self.open(slot, supply);
                }
                Some(Action::Supply(supply)) => self.supply(self.first_slot[flow], supply),
                Some(Action::Spawn(size)) => self.spawn(flow, size),
                Some(Action::Datagram(size)) => self.send_datagram(flow, size),
                None => {}
            }
        }
        self.wake_application(flow);
    }

    fn tcp(&self, flow: usize) -> Option<TcpSpec> {
        match &self.network.flows[flow].traffic {
            Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } => Some(*tcp),
            Traffic::Udp { .. } => None,
        }
    }

    fn is_short(&self, flow: usize) -> bool {
        matches!(self.network.flows[flow].traffic, Traffic::ShortFlows { .. })
    }

    fn open(&mut self, slot: usize, supply: Supply) {
        let flow = self.slot_flow[slot];
        let Some(tcp) = self.tcp(flow) else { return };
        self.generations[slot] += 1;
        let salt = (slot as u64) << 32 | u64::from(self.generations[slot]);
        let mut connection =
            Connection::new(&tcp, flow, self.now, self.network.seed.wrapping_add(salt));
        if self.network.probes.windows {
            connection.sender.watch();
        }
        self.slots[slot] = Some(Box::new(connection));
        self.supply(slot, supply);
    }

    fn supply(&mut self, slot: usize, supply: Supply) {
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        match supply {
            Supply::Forever => c.sender.supply_forever(),
            Supply::Bytes(bytes) => {
                c.sender.supply(bytes);
                c.size = Some(bytes);
                self.measure.on_begin(c.flow);
            }
            Supply::Segments(n) => c.sender.supply_segments(n),
            Supply::Nothing => c.sender.hold(),
        }
        self.after_sender(slot);
    }

    fn spawn(&mut self, flow: usize, size: Bytes) {
        let first = self.first_slot[flow];
        let slots = self.slot_flow[first..]
            .iter()
            .take_while(|f| **f == flow)
            .count();
        match (first..first + slots).find(|s| self.slots[*s].is_none()) {
            Some(slot) => self.open(slot, Supply::Bytes(size)),
            None => self.measure.on_refused(self.now, flow),
        }
    }

    fn close(&mut self, slot: usize) {
        if let Some(c) = self.slots[slot].take() {
            self.measure.retire(&c);
            // Copies still on their way are strays from now on.
            self.generations[slot] += 1;
        }
    }

    fn send_datagram(&mut self, flow: usize, size: Bytes) {
        let slot = self.first_slot[flow];
        self.measure.on_datagram_sent(flow, size);
        let body = Body::Datagram;
        self.inject(Packet::new(
            slot_number(slot),
            self.generations[slot],
            size,
            false,
            body,
        ));
    }

    // --- Measuring.

    fn probe_queue(&mut self, link: usize) {
        if self.network.probes.queues {
            let waiting = self.links[link].waiting(self.now).packets;
            self.measure.record_queue(self.now, link, waiting);
        }
    }

    fn begin_measuring(&mut self, at: Instant) {
        let live: Vec<_> = self
            .slots
            .iter()
            .flatten()
            .map(|c| (c.flow, c.totals()))
            .collect();
        let links = self.links.iter_mut().map(|l| l.stats(at)).collect();
        self.measure.begin(live, links);
    }

    fn finish(mut self, end: Instant) -> Outcome {
        for slot in 0..self.slots.len() {
            if let Some(c) = self.slots[slot].take() {
                self.measure.retire(&c);
            }
        }
        let links: Vec<_> = self.links.iter_mut().map(|l| l.stats(end)).collect();
        self.measure.outcome(&links, self.events)
    }

    /// Conservation: what entered the network and has not left it is inside the links, to the byte;
    /// what a receiver took in has been delivered in order or is held behind a gap.
    fn conserves(&self) -> bool {
        let mut inside = Moving::default();
        for link in &self.links {
            let transit = link.in_transit();
            inside += transit.total();
            inside += transit.unreported;
        }
        let received = self.slots.iter().flatten().all(|c| {
            let r = &c.receiver;
            r.counts().delivered == r.rcv_nxt() + r.held()
        });
        received && inside == self.measure.moving
    }
}

fn slot_number(slot: usize) -> u32 {
    u32::try_from(slot).unwrap_or(u32::MAX)
}
