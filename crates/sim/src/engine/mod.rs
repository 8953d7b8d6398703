//! The plain engine: one event a hop.
//!
//! Links hold their packets, senders and receivers their timers; the [`Scheduler`] knows when each
//! wants to be woken and wakes them in the order of (time, rank). It is the reference for any faster
//! engine: whatever is saved may not change one bit of a result.

mod application;
mod connection;
mod measure;
mod slots;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use westwood_cc::{Bytes, Instant};
use westwood_net::{Link, Offer, Packet as _, Step, Traffic as Moving};
use westwood_tcp::{AckSegment, DataSegment};

use crate::error::SimError;
use crate::network::{Network, TcpSpec, Traffic};
use crate::outcome::Outcome;
use crate::packet::{Address, Body, Generation, Packet};
use crate::routes::Routes;
use crate::scheduler::{Rank, Scheduler};
use application::{Action, Application, Supply};
use connection::Connection;
use measure::Measure;
use slots::Slots;

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
    routes: Routes,
    /// The flow of each slot. A flow has one, short flows as many as may be open at a time.
    slot_flow: Vec<usize>,
    /// The slots of each flow.
    flow_slots: Vec<Slots>,
    slots: Vec<Option<Box<Connection>>>,
    /// How often each slot has been used: packets of an earlier connection are strays.
    generations: Vec<Generation>,
    applications: Vec<Application<'a>>,
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
                Link::new(&l.config, network.seed, &l.name)
                    .map_err(|error| SimError::Link { link: l.name.clone(), error })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let routes = Routes::of(network)?;
        let (mut slot_flow, mut flow_slots) = (Vec::new(), Vec::new());
        for (flow, spec) in network.flows.iter().enumerate() {
            let first = slot_flow.len();
            let slots = match &spec.traffic {
                Traffic::ShortFlows { limit, .. } => *limit as usize,
                Traffic::Tcp(..) | Traffic::Udp { .. } => 1,
            };
            slot_flow.extend(std::iter::repeat_n(flow, slots));
            flow_slots.push(Slots::new(first..first + slots));
        }
        let slots = slot_flow.len();
        let sources = links.len() + 2 * slots + network.flows.len();
        let mut engine = Self {
            network,
            now: Instant::ZERO,
            scheduler: Scheduler::new(sources, network.duration),
            links,
            measure: Measure::new(network, &routes),
            routes,
            slot_flow,
            flow_slots,
            slots: std::iter::repeat_with(|| None).take(slots).collect(),
            generations: vec![Generation::default(); slots],
            applications: network.flows.iter().map(|f| Application::new(f, network.seed)).collect(),
            events: 0,
        };
        for flow in 0..network.flows.len() {
            engine.wake_application(flow);
        }
        for link in 0..engine.links.len() {
            engine.wake(link, engine.links[link].next_event());
        }
        Ok(engine)
    }

    fn run(mut self, control: Control<'_>) -> Result<Outcome, SimError> {
        let warmup = Instant::ZERO + self.network.warmup;
        let end = Instant::ZERO + self.network.duration;
        let mut warm = false;
        while let Some((at, rank)) = self.scheduler.next() {
            if at >= warmup {
                if !warm {
                    warm = true;
                    self.begin_measuring(warmup);
                }
                if at > end {
                    break;
                }
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

    #[cold]
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

    #[inline]
    fn wake(&mut self, source: usize, at: Instant) {
        // A time in the past means now.
        self.scheduler.wake(rank(source), at.max(self.now));
    }

    fn wake_application(&mut self, flow: usize) {
        let source = self.links.len() + 2 * self.slots.len() + flow;
        self.wake(source, self.applications[flow].next());
    }

    // --- Links.

    #[inline]
    fn on_link(&mut self, link: usize) {
        let it = &mut self.links[link];
        let (step, next) = (it.step(self.now), it.next_event());
        self.wake(link, next);
        match step {
            Step::Delivered(packet) => self.forward(packet),
            Step::Lost(packet, _) => self.lose(link, &packet),
            Step::Nothing => {}
        }
        if self.network.probes.queues {
            self.probe_queue(link);
        }
    }

    /// A packet has crossed a link: on to the next, or to its host.
    #[inline]
    fn forward(&mut self, mut packet: Packet) {
        packet.step();
        match self.routes.link(packet.cursor()) {
            Some(link) => self.offer(link, packet),
            None => self.arrive(packet),
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "a packet that comes off a link stays in registers until the next has it: a third of the time"
    )]
    #[inline(always)]
    fn offer(&mut self, link: usize, packet: Packet) {
        let it = &mut self.links[link];
        let offer = it.offer(self.now, packet);
        let next = it.next_event();
        self.wake(link, next);
        if let Offer::Dropped(packet, _) = offer {
            self.lose(link, &packet);
        }
        if self.network.probes.queues {
            self.probe_queue(link);
        }
    }

    /// A packet enters the network at its host.
    #[inline(never)]
    fn inject(&mut self, packet: Packet) {
        self.measure.enters(packet.size());
        if let Some(link) = self.routes.link(packet.cursor()) {
            self.offer(link, packet);
        }
    }

    #[cold]
    fn lose(&mut self, link: usize, packet: &Packet) {
        self.measure.leaves(packet.size());
        self.measure.record_drop(self.now, link, self.slot_flow[packet.slot() as usize]);
    }

    // --- Hosts.

    fn arrive(&mut self, packet: Packet) {
        self.measure.leaves(packet.size());
        let slot = packet.slot() as usize;
        if self.generations[slot] != packet.generation() {
            return;
        }
        let size = packet.size();
        let header = self.slots[slot].as_deref().map_or(Bytes::ZERO, |c| c.header);
        match packet.unpack(header) {
            Body::Data(segment, ce) => self.on_data(slot, &segment, ce),
            Body::Ack(ack) => self.on_ack(slot, &ack),
            Body::Datagram => self.measure.on_datagram(self.now, self.slot_flow[slot], size),
        }
    }

    /// Whose packets those of a slot are, and where they begin: there, or back.
    fn address(&self, slot: usize, flow: usize, back: bool) -> Address {
        let route = self.routes.flow(flow);
        Address {
            slot: slot_number(slot),
            generation: self.generations[slot],
            cursor: if back { route.back } else { route.there },
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
            let address = self.address(slot, c.flow, true);
            self.inject(Packet::ack(address, ack, size));
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
            let (flow, header) = (c.flow, c.header);
            let address = self.address(slot, flow, false);
            self.inject(Packet::data(address, &segment, header));
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

    #[inline(never)]
    fn on_application(&mut self, flow: usize) {
        let now = self.now;
        if self.applications[flow].next() <= now {
            match self.applications[flow].act(now) {
                Some(Action::Open(supply)) => {
                    let slot = self.flow_slots[flow].first();
                    self.open(slot, supply);
                }
                Some(Action::Supply(supply)) => self.supply(self.flow_slots[flow].first(), supply),
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
        self.generations[slot].step();
        let salt = (slot as u64) << 32 | u64::from(self.generations[slot].number());
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
        match self.flow_slots[flow].take() {
            Some(slot) => self.open(slot, Supply::Bytes(size)),
            None => self.measure.on_refused(self.now, flow),
        }
    }

    fn close(&mut self, slot: usize) {
        if let Some(c) = self.slots[slot].take() {
            self.measure.retire(&c);
            // Copies still on their way are strays from now on.
            self.generations[slot].step();
            self.flow_slots[c.flow].give_back(slot);
        }
    }

    fn send_datagram(&mut self, flow: usize, size: Bytes) {
        let slot = self.flow_slots[flow].first();
        self.measure.on_datagram_sent(flow, size);
        let address = self.address(slot, flow, false);
        self.inject(Packet::datagram(address, size));
    }

    // --- Measuring.

    #[cold]
    fn probe_queue(&mut self, link: usize) {
        let waiting = self.links[link].waiting(self.now).packets;
        self.measure.record_queue(self.now, link, waiting);
    }

    #[cold]
    fn begin_measuring(&mut self, at: Instant) {
        let live: Vec<_> = self.slots.iter().flatten().map(|c| (c.flow, c.totals())).collect();
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

#[expect(
    clippy::cast_possible_truncation,
    reason = "2^32 sources would not fit the memory of any machine"
)]
const fn rank(source: usize) -> Rank {
    source as Rank
}

fn slot_number(slot: usize) -> u32 {
    u32::try_from(slot).unwrap_or(u32::MAX)
}
