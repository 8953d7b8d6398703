//! The loop: what both engines do.

use std::sync::atomic::Ordering;

use westwood_cc::Instant;
use westwood_tcp::AckOptions;

use super::Control;
use super::agents::Agents;
use super::application::Application;
use super::carrier::{Carrier, TICK};
use super::connection::{Connection, FlowConfigs};
use super::handshake::SynSent;
use super::measure::Measurements;
use super::relays::Proxies;
use super::slots::Slots;
use crate::error::SimError;
use crate::media::MediaFlow;
use crate::network::{Network, Observation, Traffic, Workload};
use crate::outcome::{LinkOutcome, Outcome};
use crate::packet::Generation;
use crate::routes::Routes;
use crate::scheduler::{Rank, Scheduler};

/// Events between two pauses.
const PAUSE_EVERY: u64 = 128;

/// Events between two looks at [`Control`]: every so many pauses.
const CONTROL_EVERY: u64 = 32 * PAUSE_EVERY;

/// A source of events.
#[derive(Clone, Copy)]
enum EventSource {
    Link(usize),
    Sender(usize),
    Receiver(usize),
    Application(usize),
    /// The clock that pauses a stepped run, behind all others.
    Clock,
}

/// A network in motion.
pub(super) struct Run<'a, C> {
    pub(super) network: &'a Network,
    pub(super) observation: Observation,
    pub(super) now: Instant,
    pub(super) scheduler: Scheduler,
    pub(super) carrier: C,
    /// The agents that read packets beside links; most networks have none.
    pub(super) agents: Option<Box<Agents>>,
    pub(super) routes: Routes,
    /// The flow of each slot. A flow has one, short flows as many as may be open at a time.
    pub(super) slot_flow: Vec<usize>,
    /// The slots of each flow.
    pub(super) flow_slots: Vec<Slots>,
    pub(super) slots: Vec<Option<Box<Connection>>>,
    pub(super) configs: FlowConfigs,
    /// The handshakes of connections that have still to open, by slot.
    pub(super) handshakes: Vec<Option<Box<SynSent>>>,
    /// How often each slot has been used: packets of an earlier connection are strays.
    pub(super) generations: Vec<Generation>,
    pub(super) applications: Vec<Application<'a>>,
    /// The media flows, by slot.
    pub(super) media: Vec<Option<Box<MediaFlow>>>,
    /// The proxies between flows; most networks have none.
    pub(super) proxies: Proxies,
    pub(super) measure: Measurements,
    /// SACK blocks that their senders have read: receivers write the next ones there.
    pub(super) read_blocks: Vec<AckOptions>,
    events: u64,
}

impl<'a, C: Carrier> Run<'a, C> {
    /// A run that goes to its end.
    pub(super) fn new(network: &'a Network) -> Result<Self, SimError> {
        Self::with_clocks(network, 0)
    }

    /// A run that [pauses](Self::pause_at).
    pub(super) fn stepped(network: &'a Network) -> Result<Self, SimError> {
        Self::with_clocks(network, 1)
    }

    fn with_clocks(network: &'a Network, clocks: usize) -> Result<Self, SimError> {
        network.check()?;
        let carrier = C::new(network)?;
        let routes = Routes::of(network)?;
        let (mut slot_flow, mut flow_slots) = (Vec::new(), Vec::<Slots>::new());
        for (flow, spec) in network.flows.iter().enumerate() {
            let first = slot_flow.len();
            let slots = match &spec.traffic {
                Traffic::ShortFlows { limit, .. } => Slots::several(first..first + *limit as usize),
                Traffic::Tcp(_, Workload::RelayedFrom { flow, .. }) => {
                    Slots::paired(first..first + flow_slots[*flow].count())
                }
                Traffic::Tcp(..) | Traffic::Udp { .. } | Traffic::Media(_) => Slots::one(first),
            };
            slot_flow.extend(std::iter::repeat_n(flow, slots.count()));
            flow_slots.push(slots);
        }
        let slots = slot_flow.len();
        let sources = network.links.len() + 2 * slots + network.flows.len() + clocks;
        let mut run = Self {
            network,
            observation: network.probes.observation(),
            now: Instant::ZERO,
            scheduler: Scheduler::new(sources, network.duration),
            carrier,
            agents: Agents::of(network),
            measure: Measurements::new(network, &routes),
            routes,
            slot_flow,
            flow_slots,
            slots: empty(slots),
            configs: FlowConfigs::of(network),
            handshakes: empty(slots),
            generations: vec![Generation::default(); slots],
            media: empty(slots),
            proxies: Proxies::of(network),
            applications: network.flows.iter().map(|f| Application::new(f, network.seed)).collect(),
            read_blocks: Vec::new(),
            events: 0,
        };
        C::prepare(&mut run);
        for flow in 0..network.flows.len() {
            run.wake_application(flow);
        }
        Ok(run)
    }

    pub(super) fn run(mut self, control: Control<'_>) -> Result<Outcome, SimError> {
        while self.run_until_pause(control)? {}
        let warmup = Instant::ZERO + self.network.warmup;
        let end = Instant::ZERO + self.network.duration;
        if !self.measure.is_warm() {
            self.begin_measuring(warmup);
        }
        self.now = end;
        debug_assert!(self.conserves(), "data appeared or vanished");
        C::record_until(&mut self, end + TICK);
        Ok(self.finish())
    }

    /// Handles events until the next pause; false at the end of the run.
    pub(super) fn run_until_pause(&mut self, control: Control<'_>) -> Result<bool, SimError> {
        let warmup = Instant::ZERO + self.network.warmup;
        let end = Instant::ZERO + self.network.duration;
        let mut warm = self.measure.is_warm();
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
            if self.events.is_multiple_of(PAUSE_EVERY) {
                self.pause(control)?;
            }
            match self.source(rank) {
                EventSource::Link(l) => C::on_link(self, l),
                EventSource::Clock => {
                    // A pause is no event of the network's.
                    self.events -= 1;
                    return Ok(true);
                }
                other => self.on_timer_or_application(other),
            }
        }
        Ok(false)
    }

    /// Pauses a stepped run when everything has happened that happens at `at` or before.
    pub(super) fn pause_at(&mut self, at: Instant) {
        self.wake(rank(self.clock()), at);
    }

    /// Something else than a link is woken, which seldom happens.
    #[inline(never)]
    fn on_timer_or_application(&mut self, source: EventSource) {
        match source {
            EventSource::Sender(s) => self.on_sender_timer(s),
            EventSource::Receiver(s) => self.on_receiver_timer(s),
            EventSource::Application(f) => self.on_application(f),
            // The loop itself handles links and pauses.
            EventSource::Link(_) | EventSource::Clock => {}
        }
    }

    /// The work between events that is not due at each.
    #[cold]
    #[inline(never)]
    fn pause(&mut self, control: Control<'_>) -> Result<(), SimError> {
        if self.events.is_multiple_of(CONTROL_EVERY) {
            debug_assert!(self.conserves(), "data appeared or vanished");
            self.check_control(control)?;
        }
        if self.measure.records.are_many() {
            C::record_until(self, self.now);
            self.measure.sort_records_until(self.now);
        }
        self.carrier.pause();
        Ok(())
    }

    #[cold]
    fn check_control(&self, control: Control<'_>) -> Result<(), SimError> {
        if let Some(progress) = control.progress {
            progress.store(self.now.as_nanos(), Ordering::Relaxed);
        }
        let mut switches = control.cancel.into_iter().chain(control.stop);
        if switches.any(|switch| switch.load(Ordering::Relaxed)) {
            return Err(SimError::Cancelled);
        }
        Ok(())
    }

    // --- Ranks: links first, then each slot's sender and receiver, then applications.

    fn source(&self, rank: Rank) -> EventSource {
        let (rank, links) = (rank as usize, self.network.links.len());
        let timers = 2 * self.slots.len();
        match rank.checked_sub(links) {
            None => EventSource::Link(rank),
            Some(r) if r < timers && r % 2 == 0 => EventSource::Sender(r / 2),
            Some(r) if r < timers => EventSource::Receiver(r / 2),
            Some(r) if r < timers + self.network.flows.len() => {
                EventSource::Application(r - timers)
            }
            Some(_) => EventSource::Clock,
        }
    }

    /// The number of the source that pauses a stepped run.
    fn clock(&self) -> usize {
        self.network.links.len() + 2 * self.slots.len() + self.network.flows.len()
    }

    pub(super) fn sender_rank(&self, slot: usize) -> Rank {
        rank(self.network.links.len() + 2 * slot)
    }

    pub(super) fn receiver_rank(&self, slot: usize) -> Rank {
        rank(self.network.links.len() + 2 * slot + 1)
    }

    #[inline]
    pub(super) fn wake(&mut self, source: Rank, at: Instant) {
        // A time in the past means now.
        self.scheduler.wake(source, at.max(self.now));
    }

    pub(super) fn wake_application(&mut self, flow: usize) {
        let source = self.network.links.len() + 2 * self.slots.len() + flow;
        self.wake(rank(source), self.applications[flow].next());
    }

    // --- Measuring.

    #[cold]
    fn begin_measuring(&mut self, at: Instant) {
        // Flush samples first: `stats()` discards the log.
        C::record_until(self, at);
        let live = self.slots.iter().flatten().map(|c| (c.flow, c.totals_before()));
        self.measure.begin(live);
        self.carrier.begin_measuring(at);
    }

    fn finish(mut self) -> Outcome {
        self.add_open_pairs();
        for mut c in self.slots.drain(..).flatten() {
            self.measure.close(&mut c, self.now);
        }
        for (slot, media) in std::mem::take(&mut self.media).into_iter().enumerate() {
            if let Some(media) = media {
                self.measure.close_media(self.slot_flow[slot], *media);
            }
        }
        let (count, now, events) = (self.network.links.len(), self.now, self.events);
        let delays = self.network.probes.delays;
        let proxies = std::mem::take(&mut self.proxies);
        let (mut carrier, measure) = self.into_parts();
        // Flows first: their accounts are gone before the links' results are there.
        let mut outcome = measure.outcome(events);
        let measured = outcome.measured;
        outcome.links = (0..count)
            .map(|link| LinkOutcome::of(&carrier.measured(link, now), measured))
            .collect();
        outcome.dual_delays = delays.and_then(|link| carrier.dual_delays(link, now));
        outcome.queue_delays =
            delays.and_then(|link| carrier.queue_delays(link, now)).unwrap_or_default();
        proxies.report(&mut outcome.flows);
        outcome
    }

    /// The counts of the run. The rest of its state is dropped before the results are built, to cap memory.
    fn into_parts(self) -> (C, Measurements) {
        (self.carrier, self.measure)
    }

    /// Conservation: what entered the network and has not left it is inside the links, to the byte;
    /// what a receiver took in has been delivered in order or is held behind a gap, and no proxy adds to it.
    fn conserves(&self) -> bool {
        let received = self.slots.iter().flatten().all(|c| {
            let r = &c.receiver;
            r.counts().delivered == r.rcv_nxt() + r.held()
        });
        let mut inside = self.carrier.packets_in_transit();
        inside += self.scheduler.packets_in_transit();
        received && inside == self.measure.moving && self.proxies_conserve()
    }
}

/// Slots that hold nothing.
fn empty<T>(slots: usize) -> Vec<Option<Box<T>>> {
    std::iter::repeat_with(|| None).take(slots).collect()
}

/// The rank of the source with this number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "2^32 sources would not fit the memory of any machine"
)]
pub(super) const fn rank(source: usize) -> Rank {
    source as Rank
}
