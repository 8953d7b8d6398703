//! The lookahead engine changes no bit of any result.

mod support;

use std::thread;

use support::{dumbbell, engines, ms, ns2_tcp, tangle};
use westwood_cc::{Duration, Rate};
use westwood_sim::run;
use westwood_tcp::Recovery;

/// `make soak` runs many more.
const CASES: u64 = 300;
const THREADS: u64 = 2;

#[test]
fn lookahead_gives_what_the_plain_engine_gives() {
    let some = |first: u64| {
        let (mut plain, mut ahead) = (0, 0);
        for case in (first..CASES).step_by(usize::try_from(THREADS).expect("few")) {
            let comparison = engines::compare(&tangle::network(case));
            if let Some(difference) = comparison.difference {
                panic!("case {case}, {difference}");
            }
            plain += comparison.plain_events;
            ahead += comparison.ahead_events;
        }
        (plain, ahead)
    };
    let counts: Vec<(u64, u64)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|i| scope.spawn(move || some(i))).collect();
        threads.into_iter().map(|t| t.join().expect("equal")).collect()
    });
    let plain: u64 = counts.iter().map(|c| c.0).sum();
    let ahead: u64 = counts.iter().map(|c| c.1).sum();
    // Else nothing was looked at ahead, and the engines are equal because they are one.
    assert!(ahead * 10 < plain * 8, "{ahead} events instead of {plain}");
}

#[test]
fn queues_are_sampled_before_a_base_station_adds_a_copy() {
    // Its copies come between two samples of the queue, and records are put in order in between.
    let comparison = engines::compare(&tangle::network(1868));
    assert_eq!(comparison.difference, None);
}

#[test]
fn a_flow_alone_on_its_path_costs_an_event_for_each_ack_at_its_sender() {
    let mbit = |n: u64| Rate::from_bits_per_s(n * 1_000_000);
    let tcp = ns2_tcp("reno", Recovery::NewReno);
    let network =
        dumbbell(mbit(10), ms(100), 80, mbit(100), tcp, Duration::from_secs(60), Duration::ZERO);
    let outcome = run(&network).expect("a valid network");
    // Every second segment is acknowledged, and while some are missing each one.
    let packets = outcome.flows[0].data_packets;
    assert!(packets > 30_000, "{packets}");
    let events = outcome.events;
    assert!(events * 100 < packets * 55, "{events} events for {packets} packets");
}
