//! How fast the engine is, on four networks: data packets that arrived per second of real time.
//!
//! ```text
//! cargo run --release -p westwood-sim --example speed [NETWORK] [MILLISECONDS] [plain]
//! ```
//!
//! * P1: one westwood+ flow over 100 Mbit/s, 180 ms away, 1 Gbit/s access links, delayed ACKs.
//! * P2: 100 newreno flows over 10 Mbit/s, 22 to 250 ms away, and ten the other way.
//! * P3: one westwood+ flow over 10 Gbit/s, 265 ms away, packets of 9000 bytes.
//! * P4: 10,000 cubic flows over 10 Gbit/s, 20 to 200 ms away.
//! * probes: P1 with every probe on, a point of each series every 10 ms at most.
//! * build: the network of P4, for a hundredth of a second: what building costs.
//!
//! Each line also says how much memory the process has needed at most so far.

#![allow(clippy::cast_precision_loss, reason = "numbers for people")]

use std::time::Instant as Clock;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{
    Control, Engine, FlowSpec, LinkSpec, Network, Probes, TcpSpec, Traffic, Workload, run_with,
};
use westwood_tcp::{AckPolicy, Config, Recovery, Sizes};

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

fn p3() -> Network {
    let sizes = Sizes { payload: Bytes::new(8_948), header: Bytes::new(52), ..Sizes::default() };
    let bdp = Bytes::new(10_000_000_000 / 8 * 265 / 1000).get() / 9_000;
    let mut d = Dumbbell::new(mbit(10_000), Duration::from_micros(32_500), bdp / 4);
    let mut tcp = tcp("westwood+", Recovery::Sack);
    tcp.config.sizes = sizes;
    d.flow(tcp, mbit(100_000), Duration::from_millis(50), Duration::ZERO, false);
    d.0
}

fn probes() -> Network {
    let interval = Duration::from_millis(10);
    let probes =
        Probes { windows: true, rtts: true, queues: true, delivered: true, drops: true, interval };
    Network { probes, ..p1() }
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

/// The most memory that the process has had, in MB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn measure(name: &str, mut network: Network, milliseconds: u64, engine: Engine) {
    network.duration = Duration::from_millis(milliseconds);
    let begin = Clock::now();
    let outcome = run_with(&network, Control { engine, ..Control::default() });
    let outcome = outcome.expect("a valid network");
    let took = begin.elapsed().as_secs_f64();
    let packets: u64 = outcome.flows.iter().map(|f| f.data_packets).sum();
    println!(
        "{name:6} {packets:9} packets, {:9} events in {took:6.3} s: {:6.3} M packets/s, {:6.1} ns a packet, {:6.1} MB",
        outcome.events,
        packets as f64 / took / 1e6,
        took / packets as f64 * 1e9,
        peak_memory().unwrap_or(f64::NAN),
    );
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let plain = arguments.iter().position(|a| a == "plain").map(|i| arguments.remove(i)).is_some();
    let engine = if plain { Engine::Plain } else { Engine::Lookahead };
    let milliseconds = arguments.get(1).and_then(|s| s.parse().ok());
    let networks = [
        ("P1", p1 as fn() -> Network, 600_000),
        ("probes", probes, 600_000),
        ("P2", p2, 200_000),
        ("P3", p3, 60_000),
        ("P4", p4, 3_000),
        ("build", p4, 10),
    ];
    for (name, network, default) in networks {
        if arguments.first().is_none_or(|o| o == name) {
            measure(name, network(), milliseconds.unwrap_or(default), engine);
        }
    }
}
