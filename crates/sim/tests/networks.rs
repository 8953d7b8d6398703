//! The behaviour of networks: routes, applications, start and stop times, probes, refusals.

use std::collections::BTreeMap;

use westwood_cc::controllers::Choice;
use westwood_cc::estimate::EstimatorKinds;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_sim::{
    FlowRange, FlowSpec, LinkSpec, Network, Outcome, Phases, Point, Probes, Record, Shared,
    SimError, TcpSpec, Traffic, ValueDistribution, Workload, run,
};
use westwood_tcp::{AckPolicy, Config};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Instant {
    Instant::ZERO + ms(n)
}

fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

/// Links both ways between two nodes, without losses.
fn both(a: usize, b: usize, rate: Rate, delay: Duration) -> [LinkSpec; 2] {
    [(a, b), (b, a)].map(|(from, to)| LinkSpec {
        name: format!("{from}-{to}").into(),
        from,
        to,
        config: LinkConfig::new(rate, delay, Limit::Packets(100)).into(),
    })
}

fn reno() -> Shared<TcpSpec> {
    let config = Config { acks: AckPolicy::Each, ..Config::default() };
    TcpSpec { controller: Choice::named("reno").expect("in the catalog"), config }.into()
}

fn flow(traffic: Traffic) -> FlowSpec {
    FlowSpec::between("flow", 0, 1, traffic)
}

/// One flow over 10 Mbit/s and 20 ms each way, for 10 s.
fn line(traffic: Traffic) -> Network {
    Network {
        agents: Vec::new(),
        nodes: vec!["a".into(), "b".into()],
        links: both(0, 1, mbit(10), ms(20)).into(),
        flows: vec![flow(traffic)],
        seed: 1,
        duration: Duration::from_secs(10),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

fn outcome(network: &Network) -> Outcome {
    run(network).expect("a valid network")
}

/// Two ways from node 0 to node 1: 15 + 15 ms over node 2, or 40 ms straight.
fn two_ways() -> Network {
    let mut network = line(Traffic::Tcp(reno(), Workload::Greedy));
    network.nodes.push("c".into());
    network.links = both(0, 1, mbit(10), ms(40)).into();
    network.links.extend(both(0, 2, mbit(10), ms(15)));
    network.links.extend(both(2, 1, mbit(10), ms(15)));
    network
}

#[test]
fn packets_take_the_way_of_least_delay_unless_one_is_given() {
    let mut network = two_ways();
    // 1500 bytes take 1.2 ms and 40 bytes 32 us on each link.
    let over_c = Duration::from_micros(4 * 15_000 + 2 * 1_200 + 2 * 32);
    assert_eq!(outcome(&network).flows[0].base_rtt, over_c);
    network.flows[0].path = Some(vec![0]);
    let there_straight = Duration::from_micros(40_000 + 1_200 + 2 * 15_000 + 2 * 32);
    let run = outcome(&network);
    assert_eq!(run.flows[0].base_rtt, there_straight);
    assert_eq!(run.flows[0].rtts.summary().expect("samples").min, there_straight);
    assert_eq!((run.links[1].delivered, run.links[2].delivered), (0, 0));
}

#[test]
fn what_cannot_be_simulated_is_refused_by_name() {
    let broken = |change: fn(&mut Network)| {
        let mut network = two_ways();
        change(&mut network);
        run(&network).expect_err("refused")
    };
    let flow = || "flow".to_owned();
    // Link 2 leads from node 0 to node 2 and not to the flow's receiver.
    assert_eq!(broken(|n| n.flows[0].path = Some(vec![2])), SimError::BrokenPath { flow: flow() });
    assert_eq!(broken(|n| n.flows[0].path = Some(vec![99])), SimError::BrokenPath { flow: flow() });
    assert_eq!(broken(|n| n.flows[0].to = 7), SimError::NoSuchNode { of: flow() });
    assert_eq!(broken(|n| n.links[3].from = 7), SimError::NoSuchNode { of: "2-0".into() });
    assert_eq!(broken(|n| n.warmup = n.duration), SimError::WarmupTooLong);
    let no_route = SimError::NoRoute { flow: flow(), from: "a".into(), to: "b".into() };
    assert_eq!(broken(|n| n.links.clear()), no_route);
    let bad_loss = broken(|n| n.links[1].config.losses = vec![LossConfig::Bernoulli { p: 1.5 }]);
    assert_eq!(bad_loss.to_string(), "link '1-0': losses[0].p must be within 0 to 1");
    let empty = broken(|n| {
        n.flows[0].traffic = Traffic::Tcp(reno(), Workload::Transfer(Bytes::ZERO));
    });
    assert_eq!(empty.to_string(), "flow 'flow': a transfer carries at least one byte");
}

#[test]
fn a_transfer_that_fits_the_initial_window_takes_its_transmission_and_one_way_delay() {
    // Ten segments of which the last has 500 bytes: 14 000 bytes at 10 Mbit/s are 11.2 ms.
    let mut network = line(Traffic::Tcp(reno(), Workload::Transfer(Bytes::new(14_000))));
    network.flows[0].start = at(250);
    let run = outcome(&network);
    let [done] = run.flows[0].completions[..] else { panic!("one transfer") };
    assert_eq!((done.start, done.bytes), (at(250), 14_000));
    assert_eq!(done.took, Duration::from_micros(11_200 + 20_000));
    assert_eq!(run.flows[0].delivered_bytes, 14_000);
    assert_eq!(run.flows[0].unfinished, 0);
}

#[test]
fn a_transfer_that_does_not_end_in_time_is_unfinished() {
    let mut network = line(Traffic::Tcp(reno(), Workload::Transfer(Bytes::new(1 << 30))));
    network.duration = ms(500);
    let run = outcome(&network);
    assert_eq!((run.flows[0].completions.len(), run.flows[0].unfinished), (0, 1));
}

#[test]
fn constant_datagrams_leave_at_their_rate() {
    // 1250 bytes at 1 Mbit/s: one every 10 ms, the first at 0, the last at 9.99 s.
    let udp = |poisson| Traffic::Udp {
        rate: mbit(1),
        size: Bytes::new(1250),
        phases: Phases::Always,
        poisson,
    };
    let constant = outcome(&line(udp(false)));
    // That of 9.99 s is still on its way when the run ends.
    assert_eq!(constant.flows[0].data_packets, 998);
    let poisson = outcome(&line(udp(true)));
    let deviation = 1_000_f64.sqrt();
    let sent = f64::from(u32::try_from(poisson.flows[0].sent).expect("few"));
    assert!((sent - 1_000.0).abs() < 4.0 * deviation, "{sent}");
}

#[test]
fn datagrams_pause_in_their_off_phases() {
    let phases = Phases::Alternating {
        on: ValueDistribution::Constant(1.0),
        off: ValueDistribution::Constant(3.0),
    };
    let traffic = Traffic::Udp { rate: mbit(1), size: Bytes::new(1250), phases, poisson: false };
    // On from 0, 4 and 8 s, for a second each: a hundred datagrams a second.
    assert_eq!(outcome(&line(traffic)).flows[0].sent, 300);
}

#[test]
fn nothing_new_is_sent_after_the_stop() {
    let mut network = line(Traffic::Tcp(reno(), Workload::Greedy));
    network.flows[0].stop = Some(at(2_000));
    network.warmup = ms(2_500);
    let run = outcome(&network);
    assert_eq!(run.flows[0].sent, 0, "half a second later everything has long been delivered");
    assert!(run.flows[0].data_packets > 1_000);
}

#[test]
fn a_writer_below_the_capacity_is_carried_at_its_own_rate() {
    let network = line(Traffic::Tcp(reno(), Workload::Limited(mbit(3))));
    let bytes = outcome(&network).flows[0].delivered_bytes;
    assert!((3_700_000..=3_750_000).contains(&bytes), "{bytes}");
}

#[test]
fn short_flows_are_finished_unfinished_or_refused() {
    let mut network = line(Traffic::ShortFlows {
        tcp: reno(),
        gap: ValueDistribution::Constant(0.02),
        size: ValueDistribution::Constant(30_000.0),
        limit: 3,
    });
    // 30 kB every 20 ms are 12 Mbit/s: more than the link carries.
    network.flows[0].start = at(1);
    let run = outcome(&network);
    let flow = &run.flows[0];
    let finished = flow.completions.len() as u64;
    assert_eq!(finished + flow.unfinished + flow.refused, 500);
    assert!(flow.refused > 0 && flow.unfinished <= 3 && finished > 100, "{finished}");
    assert!(flow.completions.iter().all(|c| c.bytes == 30_000));
}

#[test]
fn probes_tell_why_the_window_changed_and_change_nothing_else() {
    let mut network = line(Traffic::Tcp(reno(), Workload::Greedy));
    network.links[0].config.losses = vec![LossConfig::List(vec![40])];
    network.duration = ms(500);
    let silent = outcome(&network);
    network.probes = Probes {
        windows: true,
        rtts: true,
        queues: true,
        delivered: true,
        drops: true,
        estimates: EstimatorKinds::NONE,
        interval: Duration::ZERO,
        extremes: false,
        delays: None,
        one_way: FlowRange::default(),
        progress: FlowRange::default(),
        without_rtts: false,
    };
    let mut watched = outcome(&network);
    let drops = watched.records.iter().filter(|r| matches!(r.what, Point::Drop { .. })).count();
    assert_eq!(drops, 1);
    let queues = |link| {
        let is_there = |p: &Point| matches!(p, Point::Queue { link: l, .. } if *l == link);
        watched.records.iter().any(|r| is_there(&r.what))
    };
    for (link, spec) in network.links.iter().enumerate() {
        let limited = spec.config.queue.limit() != Limit::Unlimited;
        assert!(limited || !queues(link), "{} has no limit", spec.name);
    }
    assert!((0..network.links.len()).any(queues));
    let causes: Vec<String> = watched
        .records
        .iter()
        .filter_map(|r| match &r.what {
            Point::Window { cause, .. } => cause.as_ref().map(ToString::to_string),
            _ => None,
        })
        .collect();
    let [reduced, over] = &causes[..] else { panic!("one loss: {causes:?}") };
    assert!(reduced.starts_with("3 segments sacked beyond a gap: 1/2 of the window"), "{reduced}");
    assert_eq!(over, "recovery ends");
    assert!(watched.records.is_sorted_by_key(|r| r.at));
    watched.records.clear();
    // The engine that records every change makes an event of each hop.
    watched.events = silent.events;
    assert!(watched == silent);
}

#[test]
fn the_record_of_every_change_of_a_queue_has_the_mean_and_the_maximum_that_are_counted() {
    let mut network = line(Traffic::Tcp(reno(), Workload::Greedy));
    network.probes = Probes { queues: true, ..Probes::default() };
    network.duration = Duration::from_secs(3);
    let outcome = outcome(&network);
    let lengths = |record: &Record| match record.what {
        Point::Queue { link: 0, packets } => Some((record.at, packets)),
        _ => None,
    };
    let points: Vec<(Instant, u64)> = outcome.records.iter().filter_map(lengths).collect();
    let ends = points[1..].iter().map(|(at, _)| *at).chain([at(3_000)]);
    let weighted: u128 = points
        .iter()
        .zip(ends)
        .map(|((from, packets), to)| u128::from(*packets) * u128::from(to.since(*from).as_nanos()))
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
    let mean = weighted as f64 / 3e9;
    let counted = outcome.links[0];
    assert!(counted.queue_mean > 10.0, "{counted:?}");
    assert!((mean - counted.queue_mean).abs() < 1e-6, "{mean} {counted:?}");
    assert_eq!(points.iter().map(|(_, packets)| *packets).max(), Some(counted.queue_max));
}

#[test]
fn jittered_starts_lie_within_their_width_and_differ_by_name() {
    let mut network = line(Traffic::Tcp(reno(), Workload::Transfer(Bytes::new(1_000))));
    network.flows[0].start_jitter = ms(100);
    network.flows = (0..20)
        .map(|i| FlowSpec { name: format!("flow {i}").into(), ..network.flows[0].clone() })
        .collect();
    let run = outcome(&network);
    let mut starts: Vec<Instant> = run.flows.iter().map(|f| f.completions[0].start).collect();
    assert!(starts.iter().all(|s| *s < at(100)));
    starts.sort();
    starts.dedup();
    assert_eq!(starts.len(), 20);
}

#[test]
fn samples_are_what_the_record_of_every_change_says_of_those_times() {
    let mut network = line(Traffic::Tcp(reno(), Workload::Greedy));
    network.links[0].config.losses = vec![LossConfig::List(vec![40, 400, 410])];
    network.duration = Duration::from_secs(3);
    network.probes = Probes { rtts: true, queues: true, ..Probes::default() };
    let every = outcome(&network).records;
    // No change falls on a multiple of it, where a sample is taken between a departure and an arrival.
    let interval = Duration::from_nanos(7_003_017);
    network.probes = Probes { interval, extremes: true, ..network.probes };
    let sampled = outcome(&network).records;

    let number = |at: Instant| at.as_nanos() / interval.as_nanos();
    let mut extremes: BTreeMap<u64, (Duration, Duration)> = BTreeMap::new();
    for record in &every {
        if let Point::Rtt { rtt, .. } = record.what {
            let (least, most) = extremes.entry(number(record.at)).or_insert((rtt, rtt));
            (*least, *most) = (rtt.min(*least), rtt.max(*most));
        }
    }
    let mut kept: BTreeMap<u64, Vec<Duration>> = BTreeMap::new();
    for record in &sampled {
        if let Point::Rtt { rtt, .. } = record.what {
            kept.entry(number(record.at)).or_default().push(rtt);
        }
    }
    assert_eq!(kept.len(), extremes.len());
    for (kept, (least, most)) in kept.values_mut().zip(extremes.into_values()) {
        kept.sort();
        kept.dedup();
        let both = if least == most { vec![least] } else { vec![least, most] };
        assert_eq!(*kept, both);
    }

    // The first link's queue: the last length recorded before a multiple of the interval.
    let queue = |records: &[Record]| -> Vec<(Instant, u64)> {
        let length = |r: &Record| match r.what {
            Point::Queue { link: 0, packets } => Some((r.at, packets)),
            _ => None,
        };
        records.iter().filter_map(length).collect()
    };
    let (every, sampled) = (queue(&every), queue(&sampled));
    let held = |series: &[(Instant, u64)], at: Instant| {
        series.iter().take_while(|(then, _)| *then <= at).last().map_or(0, |(_, packets)| *packets)
    };
    assert!(sampled.iter().all(|(at, _)| at.as_nanos().is_multiple_of(interval.as_nanos())));
    assert!(sampled.len() > 30, "{}", sampled.len());
    for n in 1..network.duration.as_nanos() / interval.as_nanos() {
        let at = Instant::ZERO + interval * n;
        assert_eq!(held(&sampled, at), held(&every, at), "at {at:?}");
    }
}
