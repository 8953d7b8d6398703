//! Linux's recovery under Reno, held to the kernel's own TCP (6.1.192) on lossless bottlenecks.
//!
//! Groups L1 and L3 of the reference measurements: 10 Mbit/s counted in IP bytes (1500 a packet, MSS
//! 1448), the whole round-trip time on the ACK side, no reverse bottleneck, initial window 10. The
//! handshake takes a round trip before the first data.
#![allow(clippy::cast_precision_loss, reason = "goodputs in bit/s, for people")]

mod support;

use support::{link, ms};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::Limit;
use westwood_sim::{FlowSpec, LinkSpec, Network, Probes, TcpSpec, Traffic, Workload};
use westwood_tcp::{AckPolicy, Config, Credit, Recovery, RtoConfig, Sizes};

struct Point {
    controller: &'static str,
    rtt: u64,
    /// Packets that wait.
    buffer: u64,
    /// Seconds.
    from: u64,
    to: u64,
    /// The kernel's goodput in Mbit/s, and its drops over the whole run.
    goodput: f64,
    drops: u64,
}

const fn point(rtt: u64, buffer: u64, from: u64, to: u64, goodput: f64, drops: u64) -> Point {
    Point {
        controller: "reno",
        rtt,
        buffer,
        from,
        to,
        goodput,
        drops,
    }
}

const POINTS: [Point; 8] = [
    point(100, 83, 0, 120, 9.6117, 187),
    point(100, 83, 30, 120, 9.6338, 187),
    point(250, 21, 0, 200, 7.4961, 53),
    point(250, 21, 50, 200, 7.8671, 53),
    point(250, 104, 0, 200, 9.2370, 222),
    point(250, 104, 50, 200, 9.2928, 222),
    point(250, 208, 0, 200, 9.5981, 423),
    point(250, 208, 50, 200, 9.6528, 423),
];

/// A TCP with the kernel's settings.
fn linux_tcp(controller: &str) -> TcpSpec {
    TcpSpec {
        controller: Choice::named(controller).expect("in the catalog"),
        config: Config {
            recovery: Recovery::Linux,
            sizes: Sizes {
                payload: Bytes::new(1448),
                header: Bytes::new(52),
                ack: Bytes::new(52),
                sack_block: Bytes::new(8),
            },
            initial_window: Segments::new(10),
            acks: AckPolicy::Linux,
            rto: RtoConfig {
                min: ms(200),
                max: Duration::from_secs(120),
                ..RtoConfig::default()
            },
            credit: Credit::PerSegment,
            ..Config::default()
        },
    }
}

fn path(p: &Point) -> Network {
    let fast = Rate::from_bits_per_s(100_000_000_000);
    let no_delay = Duration::from_nanos(1);
    let there = link(
        Rate::from_bits_per_s(10_000_000),
        no_delay,
        Limit::Packets(p.buffer),
    );
    let back = link(fast, ms(p.rtt), Limit::Unlimited);
    let spec = |name: &str, from, to, config| LinkSpec {
        name: name.into(),
        from,
        to,
        config,
    };
    Network {
        nodes: vec!["sender".into(), "receiver".into()],
        links: vec![spec("there", 0, 1, there), spec("back", 1, 0, back)],
        flows: vec![FlowSpec {
            name: "flow".into(),
            from: 0,
            to: 1,
            path: None,
            return_path: None,
            start: Instant::ZERO + ms(p.rtt),
            start_jitter: Duration::ZERO,
            stop: None,
            traffic: Traffic::Tcp(linux_tcp(p.controller), Workload::Greedy),
        }],
        seed: 1,
        duration: Duration::from_secs(p.to),
        warmup: Duration::from_secs(p.from),
        probes: Probes::default(),
    }
}

#[test]
fn reno_with_linux_recovery_agrees_with_linux_on_l1_and_l3_within_3_percent() {
    let mut worst = 0.0_f64;
    for p in &POINTS {
        let outcome = westwood_sim::run(&path(p)).expect("a valid network");
        let flow = &outcome.flows[0];
        let ours = flow.delivered_bytes as f64 * 8.0 / (p.to - p.from) as f64 / 1e6;
        let off = ours / p.goodput - 1.0;
        println!(
            "{} {} ms, buffer {}, {}-{} s: {ours:.4}, Linux {:.4}: {:+.2} %; {} copies, {} drops, Linux {}, {} timeouts, {} recoveries",
            p.controller,
            p.rtt,
            p.buffer,
            p.from,
            p.to,
            p.goodput,
            off * 100.0,
            flow.retransmitted,
            outcome.links[0].dropped_overflow,
            p.drops,
            flow.timeouts,
            flow.fast_recoveries
        );
        worst = worst.max(off.abs());
    }
    assert!(
        worst < 0.03,
        "the worst point is {:.2} % off",
        worst * 100.0
    );
}
