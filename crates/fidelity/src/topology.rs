//! A network under construction.

use westwood_cc::{Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_sim::{
    FlowSpec, LinkId, LinkSpec, Network, NodeId, Probes, TcpSpec, Traffic, Workload,
};

/// A network to which nodes, links and flows are added. Deliveries are recorded every 100 ms.
pub struct Topology(Network);

/// The period in which a flow sends.
#[derive(Clone, Copy, Debug)]
pub struct SendingPeriod {
    /// Its start.
    pub start: Instant,
    /// Up to so much later, drawn by the seed.
    pub jitter: Duration,
    /// Its stop; the end of the run if absent.
    pub stop: Option<Instant>,
    /// Its connection opens with a handshake, whose SYN leaves at the start.
    pub handshake: bool,
}

impl SendingPeriod {
    /// From `start` on.
    pub const fn from(start: Instant) -> Self {
        Self { start, jitter: Duration::ZERO, stop: None, handshake: false }
    }

    /// From the handshake on that begins at `start`.
    pub const fn opening(start: Instant) -> Self {
        Self { handshake: true, ..Self::from(start) }
    }

    /// From within a second of `start` on.
    pub const fn within_a_second_of(start: Instant) -> Self {
        Self { jitter: Duration::from_secs(1), ..Self::from(start) }
    }
}

/// A one-way link without loss.
pub fn link(rate: Rate, delay: Duration, limit: Limit) -> LinkConfig {
    LinkConfig::new(rate, delay, limit)
}

impl Topology {
    /// An empty network.
    pub fn new(seed: u64, duration: Duration) -> Self {
        Self(Network {
            agents: Vec::new(),
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            seed,
            duration,
            warmup: Duration::ZERO,
            probes: Probes {
                delivered: true,
                interval: Duration::from_millis(100),
                ..Probes::default()
            },
        })
    }

    /// Another node.
    pub fn node(&mut self) -> NodeId {
        self.0.nodes.push(format!("n{}", self.0.nodes.len()).into());
        self.0.nodes.len() - 1
    }

    /// A one-way link.
    pub fn simplex(&mut self, from: NodeId, to: NodeId, config: LinkConfig) -> LinkId {
        self.0.links.push(LinkSpec {
            name: format!("{from}-{to}").into(),
            from,
            to,
            config: config.into(),
        });
        self.0.links.len() - 1
    }

    /// A link each way; returns the one from `a` to `b`. The other is the next.
    pub fn duplex(
        &mut self,
        a: NodeId,
        b: NodeId,
        rate: Rate,
        delay: Duration,
        queue: Limit,
    ) -> LinkId {
        let there = self.simplex(a, b, link(rate, delay, queue));
        self.simplex(b, a, link(rate, delay, queue));
        there
    }

    /// Adds a loss process to a link.
    pub fn lossy(&mut self, link: LinkId, process: LossConfig) {
        self.0.links[link].config.losses.push(process);
    }

    /// The propagation delay of a link.
    pub fn delay(&self, link: LinkId) -> Duration {
        self.0.links[link].config.delay
    }

    /// A greedy flow.
    pub fn flow(&mut self, (from, to): (NodeId, NodeId), tcp: TcpSpec, span: SendingPeriod) {
        self.0.flows.push(FlowSpec {
            start: span.start,
            start_jitter: span.jitter,
            stop: span.stop,
            handshake: span.handshake,
            ..FlowSpec::between(
                format!("f{}", self.0.flows.len()),
                from,
                to,
                Traffic::Tcp(tcp.into(), Workload::Greedy),
            )
        });
    }

    /// The network.
    pub fn network(self) -> Network {
        self.0
    }
}
