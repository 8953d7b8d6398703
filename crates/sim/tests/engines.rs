//! The lookahead engine changes no bit of any result.

use std::thread;

use crate::support::{dumbbell, engines, link, ms, ns2_tcp, tangle};
use westwood_cc::{Duration, Instant, Rate};
use westwood_net::{Limit, LossConfig};
use westwood_sim::{LinkSpec, Network, Probes, TcpSpec, run};
use westwood_tcp::{Pacing, Recovery};

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

/// Flows between hosts of their own over one bottleneck, every third the other way.
fn crowd(flows: u64, waiting: u64, tcp: &TcpSpec) -> Network {
    let mbit = |n: u64| Rate::from_bits_per_s(n * 1_000_000);
    let (rate, duration) = (mbit(10), Duration::from_secs(20));
    let mut network =
        dumbbell(rate, ms(60), waiting, mbit(100), *tcp, duration, Duration::from_secs(3));
    let first = network.flows[0].clone();
    for i in 1..flows {
        let host = network.nodes.len();
        network.nodes.extend([format!("a{i}").into(), format!("b{i}").into()]);
        for (a, b) in [(host, 1), (1, host), (2, host + 1), (host + 1, 2)] {
            let config = link(mbit(100), ms(3 + 5 * i % 40), Limit::Unlimited).into();
            network.links.push(LinkSpec {
                name: format!("{a}-{b}").into(),
                from: a,
                to: b,
                config,
            });
        }
        let mut flow = first.clone();
        (flow.from, flow.to) = if i % 3 == 2 { (host + 1, host) } else { (host, host + 1) };
        (flow.name, flow.start) = (format!("flow {i}").into(), Instant::ZERO + ms(7 * i));
        network.flows.push(flow);
    }
    network
}

#[test]
fn senders_that_are_run_ahead_do_what_they_do_in_their_own_time() {
    // With a small buffer timers fire ahead of the present, and at its pace a sender sends ahead.
    for (controller, recovery) in [
        ("reno", Recovery::NewReno),
        ("westwood+", Recovery::Sack),
        ("vegas", Recovery::Vegas),
        ("cubic-linux", Recovery::Linux),
        ("bbr", Recovery::Linux),
    ] {
        for (flows, waiting) in [(2, 20), (9, 4), (24, 100)] {
            for pacing in [Pacing::Off, Pacing::On, Pacing::Fq] {
                let mut tcp = ns2_tcp(controller, recovery);
                tcp.config.pacing = pacing;
                let comparison = engines::compare(&crowd(flows, waiting, &tcp));
                assert_eq!(comparison.difference, None, "{controller}, {flows} flows");
            }
        }
    }
}

#[test]
fn links_that_follow_a_slower_one_do_what_each_does_on_its_own() {
    // A flow alone, so that its links lead and follow, and part where ACKs report losses. Times of
    // packets are whole nanoseconds, or are not; the first link is the slowest, or the one in the middle.
    let samples = Probes {
        windows: true,
        rtts: true,
        queues: true,
        delivered: true,
        interval: ms(3),
        extremes: true,
        ..Probes::default()
    };
    let probes = [Probes::default(), samples, Probes { rtts: false, ..samples }];
    for (rate, access) in
        [(10_000_000, 100_000_000), (7_000_003, 7_000_003), (9_000_000, 5_000_001)]
    {
        for (recovery, p) in
            [(Recovery::NewReno, 0.0), (Recovery::Sack, 0.002), (Recovery::Linux, 0.001)]
        {
            for probes in probes {
                let [rate, access] = [rate, access].map(Rate::from_bits_per_s);
                let (duration, warmup) = (Duration::from_secs(25), Duration::from_secs(5));
                let tcp = ns2_tcp("westwood+", recovery);
                let mut network = dumbbell(rate, ms(40), 25, access, tcp, duration, warmup);
                network.probes = probes;
                let losses = (p > 0.0).then_some(LossConfig::Bernoulli { p });
                network.links[2].config.losses.extend(losses);
                let comparison = engines::compare(&network);
                assert_eq!(comparison.difference, None, "{rate:?}, {access:?}, {recovery:?}");
            }
        }
    }
}

#[test]
fn a_flow_among_others_costs_an_event_where_its_packets_meet_theirs_and_none_at_its_ends() {
    let outcome = run(&crowd(6, 60, &ns2_tcp("reno", Recovery::Sack))).expect("a valid network");
    let packets: u64 = outcome.flows.iter().map(|f| f.data_packets).sum();
    assert!(packets > 20_000, "{packets}");
    // One for each segment, one for each second segment's ACK, and few for timers.
    let events = outcome.events;
    assert!(events * 100 < packets * 165, "{events} events for {packets} packets");
}
