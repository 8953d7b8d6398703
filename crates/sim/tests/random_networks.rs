//! Laws that hold in every network: random topologies, links, losses, queues and traffic.
//!
//! The engine checks conservation itself in debug builds, at every 4096th event and at the end: what
//! entered the network is inside the links, to the byte, or has left it.

use crate::support::random;
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
