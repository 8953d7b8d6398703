//! Networks that several tests use.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod engines;
pub(crate) mod random;
pub(crate) mod shared_link;
pub(crate) mod tangle;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{FlowSpec, LinkSpec, Name, Network, Probes, TcpSpec, Traffic, Workload};
use westwood_tcp::{AckPolicy, Config, Credit, Recovery, RtoConfig, Sizes};

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A one-way link without loss.
pub(crate) fn link(rate: Rate, delay: Duration, limit: Limit) -> LinkConfig {
    LinkConfig::new(rate, delay, limit)
}

/// Two hosts, two routers: every hop a link each way. Node 0 sends to node 3.
#[expect(clippy::large_types_passed_by_value, reason = "once a network, and kept")]
pub(crate) fn dumbbell(
    rate: Rate,
    rtt: Duration,
    waiting: u64,
    access: Rate,
    tcp: TcpSpec,
    duration: Duration,
    warmup: Duration,
) -> Network {
    let bottleneck = ms(10);
    let edge = (rtt / 2 - bottleneck) / 2;
    let mut links = Vec::new();
    let mut both = |a: usize, b: usize, config: &LinkConfig| {
        for (from, to) in [(a, b), (b, a)] {
            let name = format!("{from}-{to}");
            links.push(LinkSpec { name: name.into(), from, to, config: config.clone().into() });
        }
    };
    both(0, 1, &link(access, edge, Limit::Unlimited));
    both(1, 2, &link(rate, bottleneck, Limit::Packets(waiting)));
    both(2, 3, &link(access, edge, Limit::Unlimited));
    Network {
        agents: Vec::new(),
        nodes: ["sender", "r1", "r2", "receiver"].map(Name::from).to_vec(),
        links,
        flows: vec![FlowSpec {
            start: Instant::from_nanos(10_000_000),
            ..FlowSpec::between("flow", 0, 3, Traffic::Tcp(tcp.into(), Workload::Greedy))
        }],
        seed: 1,
        duration,
        warmup,
        probes: Probes::default(),
    }
}

/// A TCP with the settings of ns-2's classical agents in the reference runs.
pub(crate) fn ns2_tcp(controller: &str, recovery: Recovery) -> TcpSpec {
    TcpSpec {
        controller: Choice::named(controller).expect("in the catalog"),
        config: Config {
            recovery,
            sizes: Sizes { sack_block: Bytes::new(8), ..Sizes::default() },
            initial_window: Segments::new(2),
            initial_ssthresh: Segments::new(20_000),
            receive_window: 20_000,
            acks: AckPolicy::Delayed { timer: ms(100) },
            limited_transmit: true,
            rto: RtoConfig {
                initial: Duration::from_secs(3),
                min: ms(200),
                max: Duration::from_secs(60),
                granularity: ms(10),
            },
            timestamps: false,
            credit: Credit::PerAck,
            impatient: true,
            last_ack_grows: true,
            idle_restart: false,
            cwnd_validation: false,
            ..Config::default()
        },
    }
}
