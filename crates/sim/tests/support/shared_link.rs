//! Flows over one bottleneck.

use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, Instant, Rate};
use westwood_net::Limit;
use westwood_sim::{FlowSpec, LinkSpec, Network, Outcome, Probes, TcpSpec, Traffic, Workload, run};
use westwood_tcp::{AckPolicy, Config};

use super::{link, ms};

const MBIT: u64 = 1_000_000;

/// One bottleneck with the whole propagation delay on the way back.
#[derive(Clone, Copy)]
pub(crate) struct SharedLink {
    /// A packet has 1500 bytes.
    pub(crate) mbit: u64,
    /// ms.
    pub(crate) rtt: u64,
    /// Packets that may wait.
    pub(crate) buffer: u64,
}

/// A greedy flow; every segment is acknowledged.
#[derive(Clone, Copy)]
pub(crate) struct Flow {
    pub(crate) controller: Choice,
    /// Seconds.
    pub(crate) start: u64,
    pub(crate) stop: Option<u64>,
}

impl Flow {
    pub(crate) fn of(controller: Choice) -> Self {
        Self { controller, start: 0, stop: None }
    }

    fn spec(&self) -> FlowSpec {
        let config = Config { acks: AckPolicy::Each, ..Config::default() };
        let tcp = TcpSpec { controller: self.controller, config };
        let at = |s| Instant::ZERO + Duration::from_secs(s);
        FlowSpec {
            start: at(self.start),
            stop: self.stop.map(at),
            ..FlowSpec::between("flow", 0, 1, Traffic::Tcp(tcp.into(), Workload::Greedy))
        }
    }
}

impl SharedLink {
    /// The network of these flows, watched from `from` to `until` seconds. Link 0 is the bottleneck.
    pub(crate) fn network(self, flows: &[Flow], from: u64, until: u64) -> Network {
        let rate = Rate::from_bits_per_s(self.mbit * MBIT);
        let there = link(rate, Duration::from_nanos(1), Limit::Packets(self.buffer));
        let fast = Rate::from_bits_per_s(100_000 * MBIT);
        let back = link(fast, ms(self.rtt), Limit::Unlimited);
        let one_way = |name: &str, from: usize, to: usize, config| LinkSpec {
            name: name.into(),
            from,
            to,
            config,
        };
        Network {
            agents: Vec::new(),
            nodes: vec!["sender".into(), "receiver".into()],
            links: vec![one_way("there", 0, 1, there.into()), one_way("back", 1, 0, back.into())],
            flows: flows.iter().map(Flow::spec).collect(),
            seed: 1,
            duration: Duration::from_secs(until),
            warmup: Duration::from_secs(from),
            probes: Probes::default(),
        }
    }

    pub(crate) fn run(self, flows: &[Flow], from: u64, until: u64) -> Outcome {
        run(&self.network(flows, from, until)).expect("a network")
    }
}

/// Each flow's part of what all of them delivered.
#[expect(clippy::cast_precision_loss, reason = "bytes below 2^53")]
pub(crate) fn parts(outcome: &Outcome) -> Vec<f64> {
    let total: u64 = outcome.flows.iter().map(|f| f.delivered_bytes).sum();
    outcome.flows.iter().map(|f| f.delivered_bytes as f64 / total as f64).collect()
}

pub(crate) fn named(name: &str) -> Choice {
    Choice::named(name).expect("in the catalog")
}
