//! Media flows: what RFC 8698 says of NADA on a path, and of frames.

#![expect(clippy::cast_precision_loss, reason = "counts and times of a minute")]

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig, QueueConfig};
use westwood_sim::{
    FlowSpec, LinkSpec, MediaSpec, Network, Outcome, Probes, TcpSpec, Traffic, Workload, run,
};
use westwood_tcp::Config;

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn kbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000)
}

/// 150 kbit/s to 1.5 Mbit/s in 30 frames a second: the RFC's bounds.
fn call() -> Traffic {
    Traffic::Media(MediaSpec {
        min_rate: kbit(150),
        max_rate: kbit(1_500),
        fps: 30,
        packet: Bytes::new(1200),
    })
}

fn tcp(name: &str) -> Traffic {
    let controller = Choice::named(name).expect("in the catalog");
    Traffic::Tcp(TcpSpec { controller, config: Config::default() }.into(), Workload::Greedy)
}

/// Flows over a link of this rate, a buffer of 300 ms and 50 ms each way, for a minute after half of one.
fn path(rate: Rate, traffic: impl IntoIterator<Item = Traffic>) -> Network {
    let buffer = Limit::Bytes(rate * ms(300));
    let link = |(from, to)| LinkSpec {
        name: format!("{from}-{to}").into(),
        from,
        to,
        config: LinkConfig::new(rate, ms(50), buffer).into(),
    };
    let flow = |(i, traffic): (usize, Traffic)| FlowSpec {
        start: Instant::ZERO + ms(200) * i as u64,
        ..FlowSpec::between(format!("flow {i}"), 0, 1, traffic)
    };
    Network {
        nodes: ["a", "b"].map(Into::into).into(),
        links: [(0, 1), (1, 0)].map(link).into(),
        flows: traffic.into_iter().enumerate().map(flow).collect(),
        agents: Vec::new(),
        seed: 1,
        duration: ms(90_000),
        warmup: ms(30_000),
        probes: Probes { delays: Some(0), ..Probes::default() },
    }
}

fn outcome(network: &Network) -> Outcome {
    run(network).expect("a valid network")
}

/// Mbit/s of each flow.
fn rates(run: &Outcome) -> Vec<f64> {
    let seconds = run.measured.as_nanos() as f64 / 1e9;
    run.flows.iter().map(|flow| flow.delivered_bytes as f64 * 8e-6 / seconds).collect()
}

#[test]
fn a_call_with_room_has_its_best_picture_and_no_queue() {
    let run = outcome(&path(kbit(4_000), [call()]));
    let frames = run.flows[0].frames.as_deref().expect("a media flow");
    assert_eq!(frames.captured, 1_800);
    // The last three are under way when the run ends.
    assert!((1_796..=1_799).contains(&frames.delivered), "{}", frames.delivered);
    assert!((rates(&run)[0] - 1.5).abs() < 0.02, "{:?}", rates(&run));
    // 50 ms, four fifths of the 13.3 ms in which the six datagrams leave, and 2.1 ms for the last.
    let delay = frames.delays.summary().expect("frames");
    assert!(delay.p95 < ms(66), "{:?}", delay.p95);
}

#[test]
fn a_call_rests_at_the_delay_that_its_share_is_worth() {
    // Equation (5): XREF x RMAX / r_ref = 15 ms, where r_ref is the link's megabit.
    let run = outcome(&path(kbit(1_000), [call()]));
    assert!((0.95..1.001).contains(&rates(&run)[0]), "{:?}", rates(&run));
    let frames = run.flows[0].frames.as_deref().expect("a media flow");
    assert_eq!(run.links[0].dropped_overflow, 0);
    let base = 50.0 + 13.3 + 9.6;
    let median = frames.delays.summary().expect("frames").p50.as_nanos() as f64 / 1e6;
    assert!((base..base + 30.0).contains(&median), "{median} ms");
}

#[test]
fn two_calls_share_a_link_in_halves() {
    let run = outcome(&path(kbit(2_000), [call(), call()]));
    let rates = rates(&run);
    assert!(rates[0] + rates[1] > 1.8, "{rates:?}");
    assert!((rates[0] / rates[1] - 1.0).abs() < 0.15, "{rates:?}");
}

#[test]
fn a_call_yields_to_a_flow_that_fills_a_deep_buffer() {
    // Without a loss of its own nothing is warped, and 100 ms are the price of the poorest picture.
    let run = outcome(&path(kbit(3_000), [call(), tcp("reno")]));
    assert!(rates(&run)[0] < 0.2, "{:?}", rates(&run));
}

#[test]
fn a_call_that_sees_losses_holds_its_own_beside_flows_that_make_them() {
    // Section 4.2: a queue of others' making counts for less. A quarter of a fair share at least.
    let mut network = path(kbit(6_000), [call()].into_iter().chain((0..4).map(|_| tcp("reno"))));
    let LinkSpec { config, .. } = &mut network.links[0];
    let mut short: LinkConfig = (**config).clone();
    short.queue = QueueConfig::DropTail(Limit::Bytes(kbit(6_000) * ms(60)));
    *config = short.into();
    let run = outcome(&network);
    assert!(rates(&run)[0] > 0.3, "{:?}", rates(&run));
}

#[test]
fn a_lost_datagram_costs_its_frame() {
    let mut network = path(kbit(4_000), [call()]);
    let LinkSpec { config, .. } = &mut network.links[0];
    let mut lossy: LinkConfig = (**config).clone();
    lossy.losses = vec![LossConfig::Bernoulli { p: 0.02 }];
    *config = lossy.into();
    let run = outcome(&network);
    let frames = run.flows[0].frames.as_deref().expect("a media flow");
    let lost = frames.captured - frames.delivered;
    let datagrams = run.flows[0].sent as f64 / frames.captured as f64;
    let expected = frames.captured as f64 * (1.0 - 0.98_f64.powf(datagrams));
    // Four deviations of a binomial.
    assert!((lost as f64 - expected).abs() < 4.0 * expected.sqrt() + 3.0, "{lost} {expected}");
}

#[test]
fn a_call_that_stops_falls_silent() {
    let mut network = path(kbit(4_000), [call()]);
    network.flows[0].stop = Some(Instant::ZERO + ms(20_000));
    let run = outcome(&network);
    assert_eq!((run.flows[0].sent, run.links[1].delivered), (0, 0));
}
