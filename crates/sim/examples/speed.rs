//! How fast the engine is, on three networks: data packets that arrived per second of real time.
//!
//! ```text
//! cargo run --release -p westwood-sim --example speed [P1|P2|P4|build] [MILLISECONDS]
//! ```
//!
//! * P1: one westwood+ flow over 100 Mbit/s, 180 ms away, 1 Gbit/s access links, delayed ACKs.
//! * P2: 100 newreno flows over 10 Mbit/s, 22 to 250 ms away, and ten the other way.
//! * P4: 10,000 cubic flows over 10 Gbit/s, 20 to 200 ms away.
//! * build: the network of P4, for a hundredth of a second: what building costs.

#![allow(clippy::cast_precision_loss, reason = "numbers for people")]

use std::time::Instant as Clock;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{FlowSpec, LinkSpec, Network, Probes, TcpSpec, Traffic, Workload, run};
use westwood_tcp::{AckPolicy, Config, Recovery};

/// A dumbbell under construction: routers 0 and 1, and two hosts for each flow.
struct Dumbbell(Network);

impl Dumbbell {
    fn new(rate: Rate, delay: Duration, waiting: u64) -> Self {
        let mut dumbbell = Self(Network {
            nodes: vec!["left".into(), "right".into()],
            links: Vec::new(),
            flows: Vec::new(),
            seed: 1,
            duration: Duration::from_secs(1),
            warmup: Duration::ZERO,
            probes: Probes::default(),
        });
        dumbbell.cable(0, 1, &LinkConfig::new(rate, delay, Limit::Packets(waiting)));
        dumbbell
    }

    fn cable(&mut self, a: usize, b: usize, config: &LinkConfig) {
        for (from, to) in [(a, b), (b, a)] {
            self.0.links.push(LinkSpec {
                name: format!("{from}-{to}"),
                from,
                to,
                config: config.clone(),
            });
        }
    }

    /// A flow between hosts of its own, from left to right or back.
    fn flow(&mut self, tcp: TcpSpec, access: Rate, delay: Duration, start: Duration, back: bool) {
        let first = self.0.nodes.len();
        let edge = LinkConfig::new(access, delay, Limit::Unlimited);
        for (host, router) in [(first, 0), (first + 1, 1)] {
            self.0.nodes.push(format!("host {host}"));
            self.cable(host, router, &edge);
        }
        let (from, to) = if back { (first + 1, first) } else { (first, first + 1) };
        self.0.flows.push(FlowSpec {
            name: format!("flow {}", self.0.flows.len()),
            from,
            to,
            path: None,
            return_path: None,
            start: Instant::ZERO + start,
            start_jitter: Duration::ZERO,
            stop: None,
            traffic: Traffic::Tcp(tcp, Workload::Greedy),
        });
    }
}

fn tcp(controller: &str, recovery: Recovery) -> TcpSpec {
    TcpSpec {
        controller: Choice::named(controller).expect("in the catalog"),
        config: Config {
            recovery,
            acks: AckPolicy::Delayed { timer: Duration::from_millis(100) },
            ..Config::default()
        },
    }
}

const fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

fn p1() -> Network {
    let mut d = Dumbbell::new(mbit(100), Duration::from_millis(10), 300);
    let edge = Duration::from_millis(40);
    d.flow(tcp("westwood+", Recovery::Sack), mbit(1000), edge, Duration::ZERO, false);
    d.0
}

fn p2() -> Network {
    let mut d = Dumbbell::new(mbit(10), Duration::from_millis(5), 113);
    let newreno = tcp("reno", Recovery::NewReno);
    for i in 0..110 {
        // 22 to 250 ms there and back, of which the middle takes 10.
        let edge = Duration::from_micros(3_000 + 57_000 * (i % 100) / 99);
        d.flow(newreno, mbit(100), edge, Duration::from_millis(37 * i), i >= 100);
    }
    d.0
}

fn p4() -> Network {
    const FLOWS: u64 = 10_000;
    // The mean round-trip time is 110 ms.
    let bdp = Bytes::new(10_000_000_000 / 8 * 110 / 1000).get() / 1500;
    let mut d = Dumbbell::new(mbit(10_000), Duration::from_millis(4), bdp);
    let cubic = tcp("cubic", Recovery::Sack);
    for i in 0..FLOWS {
        let edge = Duration::from_micros(3_000 + 45_000 * i / (FLOWS - 1));
        d.flow(cubic, mbit(1000), edge, Duration::from_micros(100 * i), false);
    }
    d.0
}

fn measure(name: &str, mut network: Network, milliseconds: u64) {
    network.duration = Duration::from_millis(milliseconds);
    let begin = Clock::now();
    let outcome = run(&network).expect("a valid network");
    let took = begin.elapsed().as_secs_f64();
    let packets: u64 = outcome.flows.iter().map(|f| f.data_packets).sum();
    println!(
        "{name:5} {packets:9} packets, {:9} events in {took:6.3} s: {:6.3} M packets/s, {:5.1} ns an event",
        outcome.events,
        packets as f64 / took / 1e6,
        took / outcome.events as f64 * 1e9,
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next();
    let milliseconds = arguments.next().and_then(|s| s.parse().ok());
    let networks = [
        ("P1", p1 as fn() -> Network, 600_000),
        ("P2", p2, 200_000),
        ("P4", p4, 3_000),
        ("build", p4, 10),
    ];
    for (name, network, default) in networks {
        if only.as_deref().is_none_or(|o| o == name) {
            measure(name, network(), milliseconds.unwrap_or(default));
        }
    }
}
