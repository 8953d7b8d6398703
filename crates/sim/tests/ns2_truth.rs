//! The truth gate: Reno over one lossless bottleneck, held to ns-2.35 within 3 %.
//!
//! Scenario S3 of the reference measurements: 10 Mbit/s, RTT 250 ms, access links of 100 Mbit/s, a
//! buffer of `share` x 208.3 packets (ns-2's limit q lets q - 1 packets wait), 1500-byte packets,
//! ACKs of 40 bytes and 8 for each SACK block, delayed ACKs of 100 ms, initial window 2, minimum RTO
//! 200 ms with ticks of 10 ms; 500 s.
#![allow(clippy::cast_precision_loss, reason = "goodputs in bit/s, for people")]

mod support;

use support::{dumbbell, ms, ns2_tcp};
use westwood_cc::{Duration, Rate};
use westwood_tcp::Recovery;

struct Point {
    recovery: Recovery,
    /// Buffer in packets: ns-2's limit.
    limit: u64,
    /// ns-2's goodput in bit/s from 50 s on, and from the start.
    goodput: [f64; 2],
}

const fn point(recovery: Recovery, limit: u64, late: f64, full: f64) -> Point {
    Point { recovery, limit, goodput: [late, full] }
}

const POINTS: [Point; 6] = [
    point(Recovery::NewReno, 20, 8_046_133.3, 7_607_784.0),
    point(Recovery::NewReno, 104, 9_366_613.3, 8_720_256.0),
    point(Recovery::NewReno, 208, 9_999_520.0, 9_800_256.0),
    point(Recovery::Sack, 20, 8_115_840.0, 7_881_960.0),
    point(Recovery::Sack, 104, 9_593_786.7, 9_569_208.0),
    point(Recovery::Sack, 208, 9_999_520.0, 9_841_608.0),
];

#[test]
fn reno_with_newreno_and_with_sack_recovery_agrees_with_ns2_on_s3_within_3_percent() {
    let mut worst = 0.0_f64;
    for p in &POINTS {
        for (from, theirs) in [50, 0].into_iter().zip(p.goodput) {
            let network = dumbbell(
                Rate::from_bits_per_s(10_000_000),
                ms(250),
                p.limit - 1,
                Rate::from_bits_per_s(100_000_000),
                ns2_tcp("reno", p.recovery),
                Duration::from_secs(500),
                Duration::from_secs(from),
            );
            let outcome = westwood_sim::run(&network).expect("a valid network");
            let flow = &outcome.flows[0];
            let ours = flow.delivered_bytes as f64 * 8.0 / (500 - from) as f64;
            let off = ours / theirs - 1.0;
            println!(
                "{:8} limit {:3} from {from:2} s: {ours:.0}, ns-2 {theirs:.0}: {:+.2} %; {} copies, {} timeouts",
                p.recovery.name(),
                p.limit,
                off * 100.0,
                flow.retransmitted,
                flow.timeouts
            );
            worst = worst.max(off.abs());
        }
    }
    assert!(worst < 0.03, "the worst point is {:.2} % off", worst * 100.0);
}
