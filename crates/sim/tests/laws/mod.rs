//! The parts that the mathematical tests share: simple networks, and confidence.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and times far below 2^53"
)]

pub(crate) mod sample;
pub(crate) mod window;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Rate, Segments};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{
    FlowSpec, LinkSpec, Network, Outcome, Phases, Point, Probes, TcpSpec, Traffic, Workload,
};
use westwood_tcp::{AckPolicy, Config, Pacing};

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub(crate) fn simulate(network: &Network) -> Outcome {
    westwood_sim::run(network).expect("a valid network")
}

/// Nodes in a row, one more than there are links, and a flow from the first to the last.
pub(crate) fn row(links: &[LinkConfig], traffic: Traffic, duration: Duration) -> Network {
    let nodes = (0..=links.len()).map(|i| format!("n{i}").into()).collect();
    let link = |from: usize, to: usize, config: &LinkConfig| LinkSpec {
        name: format!("{from}-{to}").into(),
        from,
        to,
        config: config.clone().into(),
    };
    let there = links.iter().enumerate().map(|(i, config)| link(i, i + 1, config));
    // Nothing is lost, changed or queued on the way back.
    let back = links.iter().enumerate().map(|(i, config)| {
        link(i + 1, i, &LinkConfig::new(GIGABIT, config.delay, Limit::Unlimited))
    });
    Network {
        agents: Vec::new(),
        nodes,
        links: there.chain(back).collect(),
        flows: vec![FlowSpec::between("flow", 0, links.len(), traffic)],
        seed: 1,
        duration,
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

pub(crate) const GIGABIT: Rate = Rate::from_bits_per_s(1_000_000_000);

/// Datagrams at `rate`, at constant gaps or as a Poisson process.
pub(crate) fn datagrams(size: Bytes, rate: Rate, poisson: bool) -> Traffic {
    Traffic::Udp { rate, size, phases: Phases::Always, poisson }
}

/// A greedy flow that is in congestion avoidance from the start, with `window` segments.
pub(crate) fn avoiding(
    controller: Choice,
    acks: AckPolicy,
    pacing: Pacing,
    window: u64,
) -> Traffic {
    let window = Segments::new(window.max(2));
    let config = Config {
        acks,
        pacing,
        initial_window: window,
        initial_ssthresh: window,
        ..Config::default()
    };
    Traffic::Tcp(TcpSpec { controller, config }.into(), Workload::Greedy)
}

/// When each packet arrived, in nanoseconds.
pub(crate) fn arrivals(network: &Network) -> Vec<u64> {
    let probes = Probes { delivered: true, ..Probes::default() };
    let outcome = simulate(&Network { probes, ..network.clone() });
    let arrival = |r: &westwood_sim::Record| match r.what {
        Point::Delivered { .. } => Some(r.at.as_nanos()),
        _ => None,
    };
    outcome.records.iter().filter_map(arrival).collect()
}
