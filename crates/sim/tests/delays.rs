//! Delays are measured beside everything else, and agree with what else is measured.

use crate::support::{dumbbell, engines, ms, ns2_tcp, tangle};
use westwood_cc::{Duration, Rate};
use westwood_sim::{Control, Engine, Network, Outcome, Probes, run, run_with};
use westwood_tcp::Recovery;

fn simulate(network: &Network) -> Outcome {
    run(network).expect("a valid network")
}

/// One flow over 10 Mbit/s and a queue of 60 packets, with the delays of its bottleneck measured.
fn one_flow(warmup: Duration) -> Network {
    let [rate, access] = [10_000_000, 100_000_000].map(Rate::from_bits_per_s);
    let tcp = ns2_tcp("reno", Recovery::NewReno);
    let mut network = dumbbell(rate, ms(60), 60, access, tcp, Duration::from_secs(60), warmup);
    (network.probes.delays, network.probes.one_way) = (Some(2), (0..1).into());
    network
}

#[test]
fn progress_sums_up_to_what_is_delivered_and_changes_nothing() {
    let mut network = one_flow(Duration::ZERO);
    let without = simulate(&network);
    network.probes.progress = (0..1).into();
    let mut with = simulate(&network);
    let progress = std::mem::take(&mut with.flows[0].progress);
    assert_eq!(progress.iter().sum::<u64>(), with.flows[0].delivered_bytes);
    assert_eq!(with.progress_interval, with.flows[0].base_rtt);
    assert_eq!(
        progress.len() as u64,
        60_000_000_000_u64.div_ceil(with.progress_interval.as_nanos())
    );
    // Slow start delivers more from one round trip to the next.
    assert!(progress[0] < progress[3] && progress[3] < progress[6], "{:?}", &progress[..7]);
    assert!(with == Outcome { progress_interval: with.progress_interval, ..without });
}

#[test]
fn measuring_delays_changes_no_other_result() {
    let mut samples = 0;
    for case in 1..120 {
        let mut network = tangle::network(case);
        let Ok(with) = run(&network) else { continue };
        (network.probes.delays, network.probes.one_way) = (None, (0..0).into());
        let without = simulate(&network);
        assert_eq!(without.queue_delays.samples(), 0);
        assert_eq!(without.dual_delays, None);
        samples += with.queue_delays.samples();
        // Two queues share the link's packets among them, but for repeats.
        if let Some(dual) = &with.dual_delays {
            let both = dual.low_latency.samples() + dual.classic.samples();
            assert!(both >= with.queue_delays.samples(), "case {case}");
        }
        let with = Outcome {
            queue_delays: without.queue_delays.clone(),
            dual_delays: None,
            one_way_delays: without.one_way_delays.clone(),
            ..with
        };
        assert!(with == without, "case {case}");
    }
    assert!(samples > 10_000, "{samples}");
}

/// Little's law: packets waiting, over time, are the packets that come a second times the time that each
/// waits. The two counts differ at the edges of the interval alone: by what has been waited before it by
/// packets that are served in it, and in it by packets that are served after it.
#[test]
fn the_mean_queue_is_the_rate_of_packets_times_the_mean_delay() {
    for warmup in [Duration::ZERO, Duration::from_secs(20)] {
        let network = one_flow(warmup);
        let outcome = simulate(&network);
        let (link, delay) = (&outcome.links[2], outcome.queue_delays.summary().expect("packets"));
        let nanos = |d: Duration| u128::from(d.as_nanos());
        #[expect(clippy::cast_precision_loss, reason = "sums of one run are far below 2^53")]
        let (waited, time) = (
            (nanos(delay.mean) * u128::from(delay.samples)) as f64,
            outcome.measured.as_nanos() as f64,
        );
        assert!(link.queue_mean > 5.0, "{}", link.queue_mean);
        // At each edge at most a full queue, each for as long as a full queue takes: 60 packets of
        // 1.2 ms each.
        let edges = 2.0 * 60.0 * 60.0 * 1.2e6;
        let difference = link.queue_mean * time - waited;
        assert!(difference.abs() <= edges, "{difference} ns of {waited}");
        // So the law holds to within one part in fifty.
        assert!(edges < 0.02 * waited, "{edges} of {waited}");
    }
}

#[test]
fn delays_are_no_longer_than_a_full_queue_takes_and_a_full_queue_is_reached() {
    let outcome = simulate(&one_flow(Duration::ZERO));
    assert!(outcome.links[2].dropped_overflow > 0);
    let delay = outcome.queue_delays.summary().expect("packets");
    assert_eq!(delay.min, Duration::ZERO);
    // Sixty packets of 1500 bytes, and the one that is being sent.
    assert!(delay.p99 > ms(60) && delay.p99 <= Duration::from_micros(61 * 1_200), "{delay:?}");
    // All that the link has sent, of which the last ones have not arrived.
    let begun = delay.samples - outcome.links[2].delivered;
    assert!(begun < 20, "{begun}");
}

#[test]
fn both_engines_measure_every_link_of_a_train_alike() {
    for link in 0..6 {
        for (warmup, probes) in [
            (Duration::ZERO, Probes::default()),
            (Duration::from_secs(7), Probes { queues: true, ..Probes::default() }),
        ] {
            let mut network = one_flow(warmup);
            network.probes = Probes { delays: Some(link), one_way: (0..1).into(), ..probes };
            assert_eq!(engines::compare(&network).difference, None, "link {link}");
            assert!(simulate(&network).queue_delays.samples() > 1_000, "link {link}");
        }
    }
}

/// The bottleneck's queue is all that varies on the way of a flow alone: data takes what it takes over
/// empty queues, and waits there.
#[test]
fn the_one_way_delay_is_that_of_empty_queues_and_the_wait_at_the_bottleneck() {
    let outcome = simulate(&one_flow(Duration::ZERO));
    let (queue, way) = (outcome.queue_delays.summary(), outcome.one_way_delays.summary());
    let (queue, way) = (queue.expect("packets"), way.expect("segments"));
    assert_eq!(way.samples, outcome.flows[0].data_packets);
    // 30 ms of propagation, 1.2 ms at 10 Mbit/s, and 0.12 ms at each of two links of 100 Mbit/s.
    assert_eq!(way.min, Duration::from_micros(30_000 + 1_200 + 2 * 120));
    // Bursts wait at the sender's link too, a hundredth part of a window at most.
    let longer = way.mean - way.min;
    assert!(longer >= queue.mean && longer < queue.mean + ms(1), "{longer:?} {:?}", queue.mean);
    let near = |a: Duration, b: Duration| a.as_nanos().abs_diff(b.as_nanos()) < 1_000_000;
    assert!(near(way.p50 - way.min, queue.p50) && near(way.p95 - way.min, queue.p95));
}

#[test]
fn delays_of_every_link_depend_neither_on_the_engine_nor_on_what_else_is_recorded() {
    let mut packets = 0;
    for case in 1..40 {
        let network = tangle::network(case);
        for link in 0..network.links.len() {
            let of = |engine, probes: Probes| {
                let (delays, one_way) = (Some(link), network.probes.one_way);
                let probes = Probes { delays, one_way, ..probes };
                let control = Control { engine, ..Control::default() };
                let outcome = run_with(&Network { probes, ..network.clone() }, control).ok()?;
                Some((outcome.queue_delays, outcome.one_way_delays))
            };
            let alone = of(Engine::Plain, Probes::default());
            let queues = Probes { queues: true, ..Probes::default() };
            let sampled = Probes { interval: ms(1), extremes: true, ..queues };
            for probes in [Probes::default(), queues, sampled] {
                let ahead = of(Engine::Lookahead, probes);
                assert!(ahead == alone, "case {case}, link {link}, {probes:?}");
            }
            packets += alone.map_or(0, |(queue, _)| queue.samples());
        }
    }
    assert!(packets > 100_000, "{packets}");
}
