//! Results, bit for bit: a fingerprint of each of some networks, written down.
//!
//! A run is a pure function of its network, so whoever makes the engine faster must not move one
//! bit, and whoever changes what it computes should see how far the change reaches. The same
//! fingerprints hold in every build profile, on every machine, thread and order of runs.
//!
//! To accept a change, paste the table that the failure prints over [`EXPECTED`].

mod support;

use std::fmt::Write as _;

use support::{dumbbell, ms, ns2_tcp, random};
use westwood_cc::estimate::EstimatorKinds;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{QueueConfig, RedConfig};
use westwood_sim::{
    Completion, FlowOutcome, LinkOutcome, MediaSpec, Network, Outcome, Point, Probes, Record,
    Traffic, run,
};
use westwood_tcp::{Config, Recovery};

/// A record with its cause as a reader is told it, not as the library keeps it.
fn in_words(record: &Record) -> String {
    let text = format!("{record:?}");
    match &record.what {
        Point::Window { cause: Some(notes), .. } => {
            text.replace(&format!("{notes:?}"), &format!("{:?}", notes.to_string()))
        }
        _ => text,
    }
}

/// The fingerprint of each case.
const EXPECTED: &[(&str, u64)] = &[
    ("random 0-9", 0x7682_0b5f_44d2_0539),
    ("random 10-19", 0xa790_69b4_a5c6_8624),
    ("random 20-29", 0x3498_2f27_f8f1_a049),
    ("random 30-39", 0x947a_9bd1_30f5_f0f0),
    ("random 40-49", 0xc892_f4f7_37ad_51d9),
    ("random 50-59", 0x05ca_5970_3a4c_921a),
    ("S3 tahoe", 0x6d9b_52ba_1eb2_2353),
    ("S3 reno", 0x7b80_fdac_35c8_2016),
    ("S3 newreno", 0x0afa_788f_d097_57e4),
    ("S3 vegas", 0x579d_aa93_4cc1_1f20),
    ("S3 sack-1996", 0x4aea_b08d_0b89_1bde),
    ("S3 sack", 0x065a_da34_12af_a421),
    ("S3 linux", 0xfaed_4a46_4746_d4a8),
    ("RED with ECN", 0xca3c_ed72_0e8e_ffb3),
    ("every probe", 0x8f90_ae38_05fa_e920),
    ("a call", 0x6e90_52de_0966_30ee),
];

/// Every case by name.
fn cases() -> Vec<(String, Vec<Network>)> {
    let mut cases = Vec::new();
    for first in (0..60).step_by(10) {
        let networks = (first..first + 10).map(random::network).collect();
        cases.push((format!("random {first}-{}", first + 9), networks));
    }
    for recovery in Recovery::ALL {
        cases.push((format!("S3 {recovery}"), vec![s3(recovery)]));
    }
    cases.push(("RED with ECN".into(), vec![red_with_ecn()]));
    cases.push(("every probe".into(), vec![every_probe()]));
    cases.push(("a call".into(), vec![a_call()]));
    cases
}

/// ns-2's scenario S3 with half a bandwidth-delay product of buffer: slow start overflows it, and
/// then a sawtooth.
fn s3(recovery: Recovery) -> Network {
    dumbbell(
        Rate::from_bits_per_s(10_000_000),
        ms(250),
        103,
        Rate::from_bits_per_s(100_000_000),
        ns2_tcp("reno", recovery),
        Duration::from_secs(120),
        Duration::from_secs(20),
    )
}

/// Forty flows of different controllers from both ends, all at the same distance, so that many
/// events fall on one instant.
fn red_with_ecn() -> Network {
    let mut network = s3(Recovery::Sack);
    (network.duration, network.warmup) = (Duration::from_secs(20), Duration::from_secs(5));
    for link in &mut network.links[2..4] {
        link.config.queue = QueueConfig::Red(RedConfig { ecn: true, ..RedConfig::for_buffer(200) });
    }
    let template = network.flows.remove(0);
    let controllers = ["reno", "westwood+", "cubic", "bic", "vegas"];
    for i in 0..40 {
        let mut flow = template.clone();
        flow.name = format!("flow {i}").into();
        if i % 4 == 3 {
            (flow.from, flow.to) = (flow.to, flow.from);
        }
        if let Traffic::Tcp(tcp, _) = &mut flow.traffic {
            *tcp = ns2_tcp(controllers[i % controllers.len()], Recovery::Sack).into();
            tcp.config = Config { ecn: i % 2 == 0, timestamps: i % 3 == 0, ..tcp.config };
        }
        network.flows.push(flow);
    }
    network
}

/// A video call beside a flow that fills the buffer from time to time.
fn a_call() -> Network {
    let mut network = s3(Recovery::Sack);
    (network.duration, network.warmup) = (Duration::from_secs(60), Duration::from_secs(10));
    let mut call = network.flows[0].clone();
    call.name = "call".into();
    call.traffic = Traffic::Media(MediaSpec {
        min_rate: Rate::from_bits_per_s(150_000),
        max_rate: Rate::from_bits_per_s(2_500_000),
        fps: 30,
        packet: Bytes::new(1200),
    });
    network.flows.push(call);
    network
}

fn every_probe() -> Network {
    let mut network = s3(Recovery::NewReno);
    network.duration = Duration::from_secs(60);
    network.probes = Probes {
        windows: true,
        rtts: true,
        queues: true,
        delivered: true,
        drops: true,
        estimates: EstimatorKinds::NONE,
        interval: Duration::ZERO,
        extremes: false,
        delays: Some(0),
        one_way: (0..1).into(),
        progress: (0..1).into(),
        without_rtts: false,
    };
    network
}

/// FNV-1a, 64 bits: G. Fowler, L. Noll, K.-P. Vo; draft-eastlake-fnv.
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: &[u64]) {
        for n in numbers {
            self.bytes(&n.to_le_bytes());
        }
    }

    /// The number of events is left out: it tells how an engine works, not what it finds.
    fn outcome(&mut self, outcome: &Outcome) {
        let Outcome {
            flows,
            links,
            events: _,
            measured,
            records,
            queue_delays: _,
            dual_delays: _,
            one_way_delays: _,
            progress_interval: _,
        } = outcome;
        self.numbers(&[measured.as_nanos()]);
        for flow in flows {
            self.flow(flow);
        }
        for link in links {
            self.link(link);
        }
        // Text, so that a record may gain fields without this test having to know them.
        for record in records {
            self.bytes(in_words(record).as_bytes());
        }
    }

    fn flow(&mut self, flow: &FlowOutcome) {
        let FlowOutcome {
            delivered_bytes,
            later_bytes: _,
            sent_bytes,
            sent,
            retransmitted,
            fast_recoveries,
            timeouts,
            undone,
            host_limited,
            rtts,
            base_rtt,
            completions,
            unfinished,
            refused,
            data_packets,
            frames,
            proxy,
            progress: _,
        } = flow;
        self.numbers(&[*delivered_bytes, *sent_bytes, *sent, *retransmitted]);
        self.numbers(&[*fast_recoveries, *timeouts, *undone, base_rtt.as_nanos()]);
        self.numbers(&[*unfinished, *refused, *data_packets]);
        if !host_limited.is_zero() {
            self.numbers(&[host_limited.as_nanos()]);
        }
        if let Some(r) = rtts.summary() {
            let spans = [r.min, r.mean, r.p50, r.p95, r.p99].map(Duration::as_nanos);
            self.numbers(&[r.samples]);
            self.numbers(&spans);
        }
        if let Some(proxy) = proxy {
            self.numbers(&[proxy.received_bytes, proxy.held_bytes, proxy.most_held_bytes]);
        }
        if let Some(frames) = frames {
            let delays = frames.delays.summary().map_or(0, |delays| delays.mean.as_nanos());
            self.numbers(&[frames.captured, frames.delivered, delays]);
        }
        for Completion { start, took, bytes } in completions {
            let start = start.since(Instant::ZERO);
            self.numbers(&[start.as_nanos(), took.as_nanos(), *bytes]);
        }
    }

    fn link(&mut self, link: &LinkOutcome) {
        let LinkOutcome {
            utilization,
            capacity_bytes: _,
            delivered,
            delivered_bytes,
            dropped_overflow,
            dropped_aqm,
            dropped_policer: _,
            dropped_random,
            filtered: _,
            repairs: _,
            repaired: _,
            marked,
            queue_mean,
            queue_p95,
            queue_max,
        } = link;
        self.numbers(&[utilization.to_bits(), *delivered, *delivered_bytes]);
        self.numbers(&[*dropped_overflow, *dropped_aqm, *dropped_random, *marked]);
        self.numbers(&[queue_mean.to_bits(), *queue_p95, *queue_max]);
    }
}

/// The outcomes of a case and their fingerprint.
fn simulate(networks: &[Network]) -> (Vec<Outcome>, u64) {
    let mut fingerprint = Fingerprint::new();
    let outcomes: Vec<Outcome> =
        networks.iter().map(|n| run(n).expect("a valid network")).collect();
    for outcome in &outcomes {
        fingerprint.outcome(outcome);
    }
    (outcomes, fingerprint.0)
}

#[test]
fn results_are_what_they_were() {
    let found: Vec<(String, u64)> =
        cases().into_iter().map(|(name, networks)| (name, simulate(&networks).1)).collect();
    let same = found.iter().map(|(n, f)| (n.as_str(), *f)).eq(EXPECTED.iter().copied());
    let mut table = String::from("const EXPECTED: &[(&str, u64)] = &[\n");
    for (name, f) in &found {
        let hex = format!("{f:016x}");
        let groups: Vec<&str> = (0..4).map(|i| &hex[4 * i..4 * i + 4]).collect();
        let known = EXPECTED.contains(&(name.as_str(), *f));
        let mark = if known { "" } else { " // changed" };
        let _ = writeln!(table, "    (\"{name}\", 0x{}),{mark}", groups.join("_"));
    }
    assert!(
        same,
        "results changed; if meant, replace the table and say why in the commit:\n{table}];"
    );
}

#[test]
fn results_depend_neither_on_the_thread_nor_on_what_ran_before() {
    let cases = cases();
    let all = |backwards: bool| {
        let mut order: Vec<usize> = (0..cases.len()).collect();
        if backwards {
            order.reverse();
        }
        let mut found: Vec<_> = order.into_iter().map(|i| (i, simulate(&cases[i].1))).collect();
        found.sort_by_key(|(i, _)| *i);
        found
    };
    let all = &all;
    std::thread::scope(|scope| {
        let others = [scope.spawn(|| all(true)), scope.spawn(|| all(false))];
        let here = all(true);
        for other in others {
            // Outcomes, not only fingerprints: here the number of events counts as well.
            assert!(other.join().expect("no panic") == here);
        }
    });
}
