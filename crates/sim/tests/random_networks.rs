//! Laws that hold in every network: random topologies, links, losses, queues and traffic.
//!
//! The engine checks conservation itself in debug builds, at every 4096th event and at the end: what
//! entered the network is inside the links, to the byte, or has left it.

mod support;

use support::random;
use westwood_sim::{Traffic, Workload, run};

const CASES: u64 = 200;

#[test]
fn data_is_conserved_and_counts_agree_with_each_other() {
    for case in 0..CASES {
        let network = random::network(case);
        let outcome = run(&network).unwrap_or_else(|e| panic!("case {case}: {e}"));
        for (flow, spec) in outcome.flows.iter().zip(&network.flows) {
            let name = format!("case {case}, {}: {flow:?}", spec.name);
            assert!(flow.retransmitted <= flow.sent, "{name}");
            assert!(
                flow.completions.iter().all(|c| c.took > westwood_cc::Duration::ZERO),
                "{name}"
            );
            if let Some(rtt) = flow.rtts.summary() {
                assert!(rtt.min <= rtt.p50 && rtt.p50 <= rtt.p95 && rtt.p95 <= rtt.p99, "{name}");
            }
            if let Traffic::Tcp(_, Workload::Transfer(size)) = spec.traffic {
                let done: u64 = flow.completions.iter().map(|c| c.bytes).sum();
                assert!(done == size.get() || flow.unfinished <= 1, "{name}");
                assert!(flow.delivered_bytes <= size.get(), "{name}");
            }
        }
        for (link, spec) in outcome.links.iter().zip(&network.links) {
            let name = format!("case {case}, link {}: {link:?}", spec.name);
            assert!((0.0..=1.0).contains(&link.utilization), "{name}");
            assert!(link.queue_p95 <= link.queue_max, "{name}");
        }
    }
}

#[test]
fn the_same_network_gives_the_same_outcome_on_any_thread() {
    let outcomes = || (0..CASES / 4).map(|case| run(&random::network(case))).collect::<Vec<_>>();
    let here = outcomes();
    let there = std::thread::spawn(outcomes).join().expect("no panic");
    assert!(here == there);
}

#[test]
fn both() {
    use westwood_sim::*;
    let mut bad = 0;
    for case in 0..400 {
        let mut n = random::network(case);
        if case % 2 == 0 {
            n.probes = Probes { windows: true, rtts: true, queues: true, delivered: true, drops: true, interval: westwood_cc::Duration::from_millis(case % 3 * 10) };
        }
        let mut a = run_with(&n, Control { engine: Engine::Plain, ..Control::default() }).unwrap();
        let mut b = run_with(&n, Control { engine: Engine::Lookahead, ..Control::default() }).unwrap();
        let ev = (a.events, b.events);
        a.events = 0; b.events = 0;
        if a != b {
            bad += 1;
            println!("case {case} differs {ev:?}: flows {} links {} records {} {} {}", a.flows == b.flows, a.links == b.links, a.records == b.records, a.records.len(), b.records.len());
            if let Some(i) = (0..a.records.len().min(b.records.len())).find(|&i| a.records[i] != b.records[i]) {
                println!("{i}: {:?}\n  {:?}", a.records[i], b.records[i]);
            }
            if a.links != b.links { for i in 0..a.links.len() { if a.links[i] != b.links[i] { println!("{i} {:?}\n  {:?}", a.links[i], b.links[i]); break; } } }
        }
    }
    assert_eq!(bad, 0);
}
