//! Linux's recovery under six controllers, held to the kernel's own TCP (6.1.192).
//!
//! Groups L1, L2, L3 and L5 of the reference measurements: rates counted in IP bytes (1500 a packet,
//! MSS 1448), the whole round-trip time on the ACK side, no reverse bottleneck, random losses behind
//! the bottleneck, initial window 10. The handshake takes a round trip before the first data.
//!
//! What stays different, and why, stands in docs/model.md. Reno is `reno-linux`, which counts whole segments as the kernel does: plain `reno` was 4.4 % low at
//! 1 % loss. The bound under random loss is 3 % and three standard errors. The kernel's runs there were
//! made with the reference's scripts; where they are three they are the reference's own.
#![allow(clippy::cast_precision_loss, reason = "goodputs in Mbit/s, for people")]

mod support;

use support::{link, ms};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::{Limit, LossConfig};
use westwood_sim::{FlowSpec, LinkSpec, Network, Probes, TcpSpec, Traffic, Workload};
use westwood_tcp::{AckPolicy, Config, Credit, Pacing, Recovery, RtoConfig, Sizes};

struct Point {
    controller: &'static str,
    /// The sender paces, as with the fq queue.
    paced: bool,
    /// Mbit/s.
    rate: u64,
    /// ms.
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

const fn point(
    controller: &'static str,
    (rate, rtt, buffer): (u64, u64, u64),
    (from, to): (u64, u64),
    goodput: f64,
    drops: u64,
) -> Point {
    Point { controller, paced: false, rate, rtt, buffer, from, to, goodput, drops }
}

const fn paced(
    controller: &'static str,
    path: (u64, u64, u64),
    span: (u64, u64),
    goodput: f64,
    drops: u64,
) -> Point {
    Point { paced: true, ..point(controller, path, span, goodput, drops) }
}

/// L1: a buffer of one bandwidth-delay product.
const L1: (u64, u64, u64) = (10, 100, 83);
/// L5: a fast, long path.
const L5: (u64, u64, u64) = (100, 180, 300);

const POINTS: [Point; 40] = [
    point("reno-linux", L1, (0, 120), 9.6117, 187),
    point("reno-linux", L1, (30, 120), 9.6338, 187),
    point("cubic-linux", L1, (0, 120), 9.6272, 74),
    point("cubic-linux", L1, (30, 120), 9.6533, 74),
    point("westwood-linux", L1, (0, 120), 9.4328, 184),
    point("westwood-linux", L1, (30, 120), 9.6519, 184),
    point("vegas-linux", L1, (0, 120), 9.6272, 153),
    point("vegas-linux", L1, (30, 120), 9.6533, 153),
    point("bic-linux", L1, (0, 120), 9.6272, 610),
    point("bic-linux", L1, (30, 120), 9.6533, 610),
    point("bbr", L1, (0, 120), 9.3630, 162),
    point("bbr", L1, (30, 120), 9.3682, 162),
    point("reno-linux", (10, 250, 21), (0, 200), 7.4961, 53),
    point("reno-linux", (10, 250, 21), (50, 200), 7.8671, 53),
    point("reno-linux", (10, 250, 104), (0, 200), 9.2370, 222),
    point("reno-linux", (10, 250, 104), (50, 200), 9.2928, 222),
    point("reno-linux", (10, 250, 208), (0, 200), 9.5981, 423),
    point("reno-linux", (10, 250, 208), (50, 200), 9.6528, 423),
    point("westwood-linux", (10, 250, 21), (0, 200), 5.3181, 1952),
    point("westwood-linux", (10, 250, 21), (50, 200), 5.4679, 1952),
    point("westwood-linux", (10, 250, 104), (0, 200), 8.6629, 222),
    point("westwood-linux", (10, 250, 104), (50, 200), 9.6200, 222),
    point("westwood-linux", (10, 250, 208), (0, 200), 8.7296, 420),
    point("westwood-linux", (10, 250, 208), (50, 200), 9.6531, 420),
    point("reno-linux", L5, (0, 120), 60.0354, 320),
    point("reno-linux", L5, (20, 120), 63.9071, 320),
    point("westwood-linux", L5, (0, 120), 25.7848, 320),
    point("westwood-linux", L5, (20, 120), 29.0822, 320),
    point("cubic-linux", L5, (0, 120), 90.8026, 433),
    point("cubic-linux", L5, (20, 120), 94.4032, 433),
    point("bic-linux", L5, (0, 120), 93.0405, 1079),
    point("bic-linux", L5, (20, 120), 95.3517, 1079),
    paced("reno-linux", (10, 250, 21), (0, 200), 7.8706, 162),
    paced("reno-linux", (10, 250, 21), (50, 200), 7.8370, 162),
    paced("reno-linux", (10, 250, 208), (0, 200), 9.5933, 423),
    paced("reno-linux", (10, 250, 208), (50, 200), 9.6496, 423),
    paced("westwood-linux", (10, 250, 21), (0, 200), 8.2022, 257),
    paced("westwood-linux", (10, 250, 21), (50, 200), 9.1187, 257),
    paced("westwood-linux", (10, 250, 208), (0, 200), 8.7618, 420),
    paced("westwood-linux", (10, 250, 208), (50, 200), 9.6515, 420),
];

/// A TCP with the kernel's settings.
fn linux_tcp(name: &str, paced: bool) -> TcpSpec {
    TcpSpec {
        controller: Choice::named(name).expect("in the catalog"),
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
            rto: RtoConfig { min: ms(200), max: Duration::from_secs(120), ..RtoConfig::default() },
            credit: Credit::PerSegment,
            // Nothing else paces in the stock stack but BBR, by its own timer.
            pacing: if paced { Pacing::Fq } else { Pacing::Off },
            ..Config::default()
        },
    }
}

fn path(p: &Point) -> Network {
    let fast = Rate::from_bits_per_s(100_000_000_000);
    let no_delay = Duration::from_nanos(1);
    let there = link(Rate::from_bits_per_s(p.rate * 1_000_000), no_delay, Limit::Packets(p.buffer));
    let back = link(fast, ms(p.rtt), Limit::Unlimited);
    let spec = |name: &str, from, to, config| LinkSpec { name: name.into(), from, to, config };
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
            traffic: Traffic::Tcp(linux_tcp(p.controller, p.paced), Workload::Greedy),
        }],
        seed: 1,
        duration: Duration::from_secs(p.to),
        warmup: Duration::from_secs(p.from),
        probes: Probes::default(),
    }
}

#[test]
fn goodput_agrees_with_linux_on_lossless_bottlenecks_within_3_percent() {
    let mut worst = 0.0_f64;
    for p in &POINTS {
        let outcome = westwood_sim::run(&path(p)).expect("a valid network");
        let flow = &outcome.flows[0];
        let ours = flow.delivered_bytes as f64 * 8.0 / (p.to - p.from) as f64 / 1e6;
        let off = ours / p.goodput - 1.0;
        println!(
            "{}{} {} Mbit/s, {} ms, buffer {}, {}-{} s: {ours:.4}, Linux {:.4}: {:+.2} %; {} drops, Linux {} since 0 s, {} timeouts",
            p.controller,
            if p.paced { " paced" } else { "" },
            p.rate,
            p.rtt,
            p.buffer,
            p.from,
            p.to,
            p.goodput,
            off * 100.0,
            outcome.links[0].dropped_overflow,
            p.drops,
            flow.timeouts
        );
        worst = worst.max(off.abs());
    }
    assert!(worst < 0.03, "the worst point is {:.2} % off", worst * 100.0);
}

/// L2: random loss. Mean and standard deviation of the goodput from 10 to 120 s over so many runs of
/// the kernel, each with its own losses.
struct Lossy {
    controller: &'static str,
    loss: f64,
    mean: f64,
    deviation: f64,
    runs: f64,
}

const fn lossy(controller: &'static str, loss: f64, mean: f64, deviation: f64, runs: u32) -> Lossy {
    Lossy { controller, loss, mean, deviation, runs: runs as f64 }
}

const LOSSY: [Lossy; 8] = [
    lossy("reno-linux", 0.001, 4.5632, 0.3389, 20),
    lossy("reno-linux", 0.01, 1.3336, 0.0815, 20),
    lossy("cubic-linux", 0.001, 4.8115, 0.3873, 20),
    lossy("cubic-linux", 0.01, 1.2699, 0.0560, 20),
    lossy("westwood-linux", 0.001, 9.2141, 0.1255, 3),
    lossy("westwood-linux", 0.01, 2.9619, 0.1013, 20),
    lossy("bbr", 0.001, 9.3605, 0.0027, 3),
    lossy("bbr", 0.01, 9.2727, 0.0090, 3),
];

#[test]
fn goodput_agrees_with_linux_under_random_loss_within_3_percent_and_what_chance_allows() {
    const SEEDS: u32 = 60;
    for theirs in LOSSY {
        let Lossy { controller, loss, mean: linux, .. } = theirs;
        let mut goodputs = Vec::new();
        for seed in 1..=SEEDS {
            let mut network = path(&point(controller, L1, (10, 120), 0.0, 0));
            network.seed = u64::from(seed);
            network.links[0].config.losses = vec![LossConfig::Bernoulli { p: loss }];
            let outcome = westwood_sim::run(&network).expect("a valid network");
            goodputs.push(outcome.flows[0].delivered_bytes as f64 * 8.0 / 110.0 / 1e6);
        }
        let n = f64::from(SEEDS);
        let ours = goodputs.iter().sum::<f64>() / n;
        let spread = goodputs.iter().map(|g| (g - ours).powi(2)).sum::<f64>() / (n - 1.0);
        let error = (spread / n + theirs.deviation.powi(2) / theirs.runs).sqrt();
        println!(
            "{controller} {loss}: {ours:.3}, Linux {linux:.3}: {:+.1} %, standard error {:.1} %",
            (ours / linux - 1.0) * 100.0,
            error / linux * 100.0
        );
        let allowed = 0.03 * linux + 3.0 * error;
        assert!((ours - linux).abs() < allowed, "{controller} {loss}");
    }
}
