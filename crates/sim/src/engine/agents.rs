//! Agents beside links, in motion.
//!
//! Links with an agent work by events in both engines, so that an agent sees packets when they pass.

use std::collections::BTreeMap;

use westwood_cc::{Bytes, Duration, Instant};
use westwood_net::{Capacity, DropCause, Link, LinkError, Packet as _};

use super::carrier::{Carrier, TICK};
use super::run::{Run, rank};
use crate::agent::{AckDecision, FlowCounter, Snoop, SnoopConfig, Task};
use crate::network::{FlowSpec, LinkId, Network, Traffic};
use crate::packet::{Generation, Packet};
use crate::routes::transmission_time;

/// All agents of a network.
#[derive(Debug)]
pub(super) struct Agents {
    /// The agents beside each link.
    beside: Vec<LinkAgents>,
    /// For each link the one whose Snoop reads the ACKs that leave it.
    listeners: Vec<Option<LinkId>>,
    /// For each flow what its connections negotiated.
    negotiated: Vec<Negotiated>,
}

/// The help by agents that a flow's connections have negotiated.
#[derive(Clone, Copy, Debug, Default)]
struct Negotiated {
    eln: bool,
    fair_share: bool,
}

impl Negotiated {
    fn of(flow: &FlowSpec) -> Self {
        match &flow.traffic {
            Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } => {
                Self { eln: tcp.config.eln, fair_share: tcp.config.fair_share }
            }
            Traffic::Udp { .. } | Traffic::Media(_) => Self::default(),
        }
    }
}

/// The agents beside a link.
#[derive(Debug, Default)]
struct LinkAgents {
    snoop: Option<SnoopStation>,
    flows: Option<FlowCounter>,
    /// Damaged data goes on.
    notices: bool,
}

/// A base station: what it knows of each slot's connection.
#[derive(Debug)]
struct SnoopStation {
    config: SnoopConfig,
    slots: BTreeMap<u32, (Generation, Snoop<Packet>)>,
    /// No local timer fires before.
    next: Instant,
}

impl Agents {
    /// The network's agents, if it has any.
    pub(super) fn of(network: &Network) -> Option<Box<Self>> {
        if network.agents.is_empty() {
            return None;
        }
        let mut beside: Vec<LinkAgents> = Vec::new();
        beside.resize_with(network.links.len(), LinkAgents::default);
        let mut listeners = vec![None; network.links.len()];
        for agent in &network.agents {
            let at_link = &mut beside[agent.link];
            match agent.task {
                Task::Snoop(config) => {
                    listeners[config.back] = Some(agent.link);
                    let (slots, next) = (BTreeMap::new(), Instant::FAR_FUTURE);
                    at_link.snoop = Some(SnoopStation { config, slots, next });
                }
                Task::ExplicitLossNotification => at_link.notices = true,
                Task::FairShare { memory } => {
                    if let Capacity::Fixed(rate) = &network.links[agent.link].config.capacity {
                        at_link.flows = Some(FlowCounter::new(*rate, memory));
                    }
                }
            }
        }
        let negotiated = network.flows.iter().map(Negotiated::of).collect();
        Some(Box::new(Self { beside, listeners, negotiated }))
    }
}

/// A link that works by events, as its agents need it.
pub(super) fn event_driven_link(network: &Network, id: LinkId) -> Result<Link<Packet>, LinkError> {
    let spec = &network.links[id];
    let mut link = Link::new(&spec.config, network.seed, &spec.name)?;
    if network.probes.delays == Some(id) {
        link.record_delays(Instant::ZERO + network.warmup);
    }
    Ok(link)
}

impl<C: Carrier> Run<'_, C> {
    /// A packet is about to enter a link: its agents read it.
    #[cold]
    pub(super) fn pass_entry(&mut self, id: LinkId, packet: &mut Packet) {
        if packet.is_ack() || packet.is_damaged() {
            return;
        }
        let Some(agents) = &mut self.agents else { return };
        let at_link = &mut agents.beside[id];
        if let Some(flows) = &mut at_link.flows {
            let share = flows.share(self.now, packet.slot());
            let flow = self.slot_flow[packet.slot() as usize];
            if packet.is_data() && agents.negotiated[flow].fair_share {
                packet.set_share(share);
            }
        }
        if let Some(station) = at_link.snoop.as_mut().filter(|_| packet.is_data()) {
            let waiting = self.carrier.link(id).map_or(Bytes::ZERO, |l| l.waiting(self.now).bytes);
            let capacity = &self.network.links[id].config.capacity;
            let departs = self.now + time_to_send(capacity, waiting + packet.size());
            let next = station.on_data(departs, packet);
            self.wake(rank(id), next);
        }
    }

    /// A packet comes off a link. False if an agent keeps it from going on.
    #[cold]
    pub(super) fn pass_exit(&mut self, id: LinkId, packet: &Packet) -> bool {
        let Some(agents) = &mut self.agents else { return true };
        let listener = agents.listeners[id].filter(|_| packet.is_ack());
        let Some((link, station)) = listener
            .and_then(|link| agents.beside[link].snoop.as_mut().map(|station| (link, station)))
        else {
            return true;
        };
        let answer = station.on_ack(self.now, packet);
        let next = station.next;
        self.wake(rank(link), next);
        match answer {
            AckDecision::Pass => return true,
            AckDecision::Hold => {}
            AckDecision::Repair(copy) => self.retransmit_at_head(link, copy),
        }
        self.measure.leaves(packet.size());
        false
    }

    /// A link's queue has dropped a packet.
    #[cold]
    pub(super) fn on_queue_drop(&mut self, id: LinkId, packet: &Packet) {
        let Some(agents) = &mut self.agents else { return };
        if let Some(station) = agents.beside[id].snoop.as_mut().filter(|_| packet.is_data()) {
            station.on_dropped(packet);
        }
    }

    /// A link's losses have taken a packet. True if it goes on as a damaged one.
    #[cold]
    pub(super) fn delivers_damaged(&self, id: LinkId, packet: &Packet, cause: DropCause) -> bool {
        let Some(agents) = &self.agents else { return false };
        agents.beside[id].notices
            && cause == DropCause::Random
            && packet.is_data()
            && agents.negotiated[self.slot_flow[packet.slot() as usize]].eln
    }

    /// A link is woken: perhaps for a local timer of its base station.
    #[cold]
    pub(super) fn fire_local_timers(&mut self, id: LinkId) {
        let Some(agents) = &mut self.agents else { return };
        let Some(station) = &mut agents.beside[id].snoop else { return };
        let mut copies = Vec::new();
        if station.next <= self.now {
            copies = station.fire(self.now, &self.generations);
        }
        let next = station.next;
        self.wake(rank(id), next);
        for copy in copies {
            self.retransmit_at_head(id, copy);
        }
    }

    /// A base station sends a packet of its own accord.
    fn retransmit_at_head(&mut self, id: LinkId, copy: Packet) {
        let now = self.now;
        let size = copy.size();
        self.sample_queue(id, now + TICK);
        let Some(link) = self.carrier.link(id) else { return };
        link.offer_first(now, copy);
        let next = link.next_event();
        self.measure.enter(1, size);
        self.wake(rank(id), next);
        if self.network.probes.queues {
            self.sample_queue_after_change(id);
        }
    }
}

/// The time of a transmitter for so many bytes, at its rate in the beginning; a recorded one at its mean.
fn time_to_send(capacity: &Capacity, size: Bytes) -> Duration {
    let rate = match capacity {
        Capacity::Fixed(rate) => *rate,
        Capacity::Recorded(trace) => trace.mean_rate(),
    };
    transmission_time(size, rate)
}

impl SnoopStation {
    /// Data passes. Answers when the next local timer fires, at the earliest.
    fn on_data(&mut self, departs: Instant, packet: &Packet) -> Instant {
        let new = || (packet.generation(), Snoop::new(&self.config));
        let connection = self.slots.entry(packet.slot()).or_insert_with(new);
        if connection.0 != packet.generation() {
            *connection = new();
        }
        connection.1.on_data(departs, packet.number(), packet);
        self.next = self.next.min(connection.1.deadline());
        self.next
    }

    /// The queue has dropped data.
    fn on_dropped(&mut self, packet: &Packet) {
        let connection = self.slots.get_mut(&packet.slot());
        if let Some((_, snoop)) =
            connection.filter(|(generation, _)| *generation == packet.generation())
        {
            snoop.on_dropped(packet.number());
        }
    }

    /// An ACK passes.
    fn on_ack(&mut self, now: Instant, packet: &Packet) -> AckDecision<Packet> {
        let Some((generation, snoop)) = self.slots.get_mut(&packet.slot()) else {
            return AckDecision::Pass;
        };
        if *generation != packet.generation() {
            return AckDecision::Pass;
        }
        let answer = snoop.on_ack(now, packet.number());
        self.next = self.next.min(snoop.deadline());
        answer
    }

    /// The packets that local timers send. Connections that are over are forgotten.
    fn fire(&mut self, now: Instant, generations: &[Generation]) -> Vec<Packet> {
        self.slots.retain(|&slot, (generation, _)| generations[slot as usize] == *generation);
        let copies = self.slots.values_mut().filter_map(|(_, snoop)| snoop.on_timer(now)).collect();
        let deadlines = self.slots.values().map(|(_, snoop)| snoop.deadline());
        self.next = deadlines.min().unwrap_or(Instant::FAR_FUTURE);
        copies
    }
}
