//! Agents beside links: what they hide, what they tell, and that they lose and invent nothing.

use crate::support::{link, ms};
use westwood_cc::controllers::Choice;
use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::{Limit, LossConfig};
use westwood_sim::{
    AgentSpec, FlowSpec, LinkSpec, Name, Network, Outcome, Point, Probes, Record, SimError,
    SnoopConfig, Task, TcpSpec, Traffic, Workload, run,
};
use westwood_tcp::{AckPolicy, Config, Recovery, Sizes};

const WIRELESS: usize = 2;
const WIRELESS_BACK: usize = 3;

fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

/// westwood-2002 section 5.1: a wire of 10 Mbit/s and 45 ms, a base station, 2 Mbit/s to the mobile
/// host, which loses so much in both directions.
fn wireless(loss: f64, config: Config, workload: Workload) -> Network {
    let tcp = TcpSpec { controller: Choice::named("reno").expect("in the catalog"), config };
    let hop = |p: f64| {
        let mut config = link(mbit(2), Duration::from_micros(10), Limit::Packets(56));
        config.losses = vec![LossConfig::Bernoulli { p }];
        config
    };
    let wire = || link(mbit(10), ms(45), Limit::Unlimited);
    let links = [(0, 1, wire()), (1, 0, wire()), (1, 2, hop(loss)), (2, 1, hop(loss))];
    Network {
        agents: Vec::new(),
        nodes: ["source", "base", "mobile"].map(Name::from).to_vec(),
        links: links
            .map(|(from, to, config)| LinkSpec {
                name: format!("{from}-{to}").into(),
                from,
                to,
                config: config.into(),
            })
            .to_vec(),
        flows: vec![FlowSpec::between("flow", 0, 2, Traffic::Tcp(tcp.into(), workload))],
        seed: 1,
        duration: Duration::from_secs(100),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

fn reno() -> Config {
    Config {
        recovery: Recovery::Reno,
        sizes: Sizes { payload: Bytes::new(400), ..Sizes::default() },
        acks: AckPolicy::Each,
        initial_window: Segments::ONE,
        ..Config::default()
    }
}

fn snoop() -> AgentSpec {
    let config = SnoopConfig { back: WIRELESS_BACK, cache: 200, min_timeout: ms(10) };
    AgentSpec { link: WIRELESS, task: Task::Snoop(config) }
}

fn with(mut network: Network, agents: &[AgentSpec]) -> Outcome {
    network.agents = agents.to_vec();
    run(&network).expect("a valid network")
}

#[test]
fn snoop_changes_nothing_where_nothing_is_lost() {
    // The whole buffer is the window's: it never overflows.
    let config = Config { receive_window: 60, ..reno() };
    let network = wireless(0.0, config, Workload::Greedy);
    let plain = with(network.clone(), &[]);
    let snooped = with(network, &[snoop()]);
    assert_eq!((plain.flows, plain.links), (snooped.flows, snooped.links));
}

#[test]
fn snoop_hides_losses_from_the_sender() {
    let network = wireless(0.01, reno(), Workload::Greedy);
    let (plain, snooped) = (with(network.clone(), &[]), with(network, &[snoop()]));
    let [lone, helped] = [&plain, &snooped].map(|o| &o.flows[0]);
    let noticed = |o: &westwood_sim::FlowOutcome| o.fast_recoveries + o.timeouts;
    assert!(snooped.links[WIRELESS].dropped_random > 2 * plain.links[WIRELESS].dropped_random);
    // Most of what was lost was repaired by the base station.
    let lost = snooped.links[WIRELESS].dropped_random;
    assert!(noticed(helped) * 10 < lost, "{} of {lost}", noticed(helped));
    assert!(helped.delivered_bytes > 3 * lone.delivered_bytes, "{helped:?} {lone:?}");
}

#[test]
fn every_byte_arrives_once_through_a_base_station_that_sends_copies() {
    for loss in [0.01, 0.1, 0.2] {
        let size = Bytes::new(400_000);
        let mut network = wireless(loss, reno(), Workload::Transfer(size));
        network.duration = Duration::from_secs(4_000);
        let outcome = with(network, &[snoop()]);
        let flow = &outcome.flows[0];
        assert_eq!((flow.completions.len(), flow.delivered_bytes), (1, 400_000), "{loss}");
    }
}

#[test]
fn a_queue_whose_every_change_is_recorded_rises_and_falls_by_one_also_by_copies() {
    let mut network = wireless(0.05, reno(), Workload::Greedy);
    network.probes = Probes { queues: true, ..Probes::default() };
    let outcome = with(network, &[snoop()]);
    let lengths = |record: &Record| match record.what {
        Point::Queue { link: WIRELESS, packets } => Some((record.at, packets)),
        _ => None,
    };
    let points: Vec<_> = outcome.records.iter().filter_map(lengths).collect();
    assert!(points.len() > 1_000, "{}", points.len());
    for (before, after) in points.iter().zip(&points[1..]) {
        assert_eq!(before.1.abs_diff(after.1), 1, "from {before:?} to {after:?}");
    }
}

fn eln() -> AgentSpec {
    AgentSpec { link: WIRELESS, task: Task::ExplicitLossNotification }
}

#[test]
fn a_notifying_link_without_losses_changes_nothing() {
    let config = Config { eln: true, receive_window: 60, ..reno() };
    let network = wireless(0.0, config, Workload::Greedy);
    let plain = with(network.clone(), &[]);
    let notified = with(network, &[eln()]);
    assert_eq!((plain.flows, plain.links), (notified.flows, notified.links));
}

/// The causes noted with the windows' changes.
fn causes(outcome: &Outcome) -> Vec<String> {
    fn cause(r: &Record) -> Option<String> {
        match &r.what {
            Point::Window { cause, .. } => cause.as_ref().map(ToString::to_string),
            _ => None,
        }
    }
    outcome.records.iter().filter_map(cause).collect()
}

#[test]
fn losses_that_are_notified_do_not_shrink_the_window() {
    let network = |eln| {
        let network = wireless(0.005, Config { eln, ..reno() }, Workload::Greedy);
        Network { probes: Probes { windows: true, ..Probes::default() }, ..network }
    };
    let silent = with(network(true), &[]);
    let unheeded = with(network(false), &[eln()]);
    let notified = with(network(true), &[eln()]);
    assert_eq!(silent.flows, unheeded.flows);
    // Fast retransmits find their loss notified, but for those of the overflow of slow start.
    let count = |text: &str| causes(&notified).iter().filter(|c| c.contains(text)).count();
    let (spared, reduced) = (count("nothing reduced"), count("dupacks: "));
    assert!(spared > 50 && reduced * 10 < spared, "{spared} spared, {reduced} reduced");
    let goodput = |o: &Outcome| o.flows[0].delivered_bytes;
    assert!(goodput(&notified) > goodput(&silent), "{:?}", notified.flows[0]);
}

#[test]
fn a_damaged_segment_is_sent_again_by_its_sender_and_arrives_once() {
    let size = Bytes::new(400_000);
    let mut network = wireless(0.05, Config { eln: true, ..reno() }, Workload::Transfer(size));
    network.duration = Duration::from_secs(1_000);
    let outcome = with(network, &[eln()]);
    let flow = &outcome.flows[0];
    assert_eq!((flow.completions.len(), flow.delivered_bytes), (1, 400_000));
    assert!(flow.retransmitted > 0);
}

#[test]
fn a_router_tells_a_lone_flow_the_whole_rate_and_two_flows_half_of_it() {
    let config = Config { fair_share: true, ..reno() };
    let share =
        AgentSpec { link: WIRELESS, task: Task::FairShare { memory: Duration::from_secs(1) } };
    for flows in [1, 2] {
        let mut network = wireless(0.005, config, Workload::Greedy);
        network.probes = Probes { windows: true, ..Probes::default() };
        for n in 1..flows {
            network
                .flows
                .push(FlowSpec { name: format!("flow {n}").into(), ..network.flows[0].clone() });
        }
        let outcome = with(network, &[share]);
        // Once all have been seen.
        let mut settled = outcome.clone();
        settled.records.retain(|r| r.at > Instant::ZERO + Duration::from_secs(5));
        let mut causes = causes(&settled);
        causes.retain(|cause| cause.contains("share"));
        let told = if flows == 1 { "share 2 Mbit/s" } else { "share 1 Mbit/s" };
        assert!(causes.len() > 3, "{causes:?}");
        assert!(causes.iter().all(|cause| cause.contains(told)), "{causes:?}");
    }
}

#[test]
fn estimators_beside_a_flow_see_it_and_change_nothing() {
    let mut network = wireless(0.001, reno(), Workload::Greedy);
    let plain = with(network.clone(), &[]);
    network.probes = Probes {
        estimates: EstimatorKind::ALL.into_iter().collect(),
        interval: ms(100),
        ..network.probes
    };
    let watched = with(network, &[]);
    assert_eq!(plain.flows, watched.flows);
    for kind in EstimatorKind::ALL {
        let said = watched.records.iter().filter_map(|r| match r.what {
            Point::Estimate { kind: k, bwe, .. } if k == kind => Some(bwe),
            _ => None,
        });
        let said: Vec<Rate> = said.collect();
        assert!(said.len() > 500, "{}: {}", kind.name(), said.len());
        assert!(said.iter().any(|rate| !rate.is_zero()), "{}", kind.name());
    }
}

#[test]
fn agents_that_could_not_work_are_refused_by_name() {
    let network = |agents| Network { agents, ..wireless(0.0, reno(), Workload::Greedy) };
    let misled = AgentSpec {
        task: Task::Snoop(SnoopConfig { back: 0, cache: 1, min_timeout: ms(1) }),
        ..snoop()
    };
    let nowhere = AgentSpec { link: 9, ..eln() };
    for agents in [vec![misled], vec![nowhere], vec![snoop(), snoop()]] {
        let refused = run(&network(agents)).expect_err("cannot work");
        assert!(matches!(refused, SimError::Agent { .. }), "{refused}");
    }
}
