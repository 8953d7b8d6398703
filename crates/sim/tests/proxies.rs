//! Proxies that split a connection: a satellite hop, and a lossy hop behind its gateway.

use crate::support::{link, ms, random};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_sim::{
    FlowOutcome, FlowSpec, LinkSpec, Network, Outcome, Probes, ProxyOutcome, SimError, TcpSpec,
    Traffic, ValueDistribution, Workload, run,
};
use westwood_tcp::{
    BufferSizes, Buffers, Config, ReadMode, ReceiverBehaviour, Recovery, RtoConfig,
};

const SEGMENT: u64 = 1_500;

fn kbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000)
}

fn lossy(config: LinkConfig, p: f64) -> LinkConfig {
    LinkConfig { losses: vec![LossConfig::Bernoulli { p }], ..config }
}

/// 300 ms one way, with a queue of two bandwidth-delay products.
fn satellite(rate: Rate) -> LinkConfig {
    link(rate, ms(300), Limit::Packets((rate * ms(1_200)).get() / SEGMENT))
}

/// 10 ms one way.
fn wireless(rate: Rate, p: f64) -> LinkConfig {
    lossy(link(rate, ms(10), Limit::Packets(100)), p)
}

fn tcp(config: Config) -> TcpSpec {
    TcpSpec { controller: Choice::named("reno").expect("in the catalog"), config }
}

fn config(recovery: Recovery) -> Config {
    let rto = RtoConfig { min: ms(200), ..RtoConfig::default() };
    Config { recovery, rto, ..Config::default() }
}

/// The same receiver, at a proxy with so much memory for both connections.
fn relayed(config: Config, memory: Option<u64>) -> Config {
    let reading = ReadMode::Relayed { memory };
    Config { buffers: Buffers { reading, ..config.buffers }, ..config }
}

/// Hops in a row, and connections each over some of them: the first hop, the hop behind the last, the
/// traffic. Losses fall on data alone.
fn chain(hops: &[LinkConfig], flows: Vec<(usize, usize, Traffic)>, seconds: u64) -> Network {
    let mut links = Vec::new();
    for (hop, there) in hops.iter().enumerate() {
        let back = LinkConfig { losses: Vec::new(), ..there.clone() };
        for (from, to, config) in [(hop, hop + 1, there.clone()), (hop + 1, hop, back)] {
            let name = format!("{from}-{to}").into();
            links.push(LinkSpec { name, from, to, config: config.into() });
        }
    }
    let flow = |(place, (from, to, traffic)): (usize, (usize, usize, Traffic))| {
        FlowSpec::between(format!("flow {place}"), from, to, traffic)
    };
    Network {
        agents: Vec::new(),
        nodes: (0..=hops.len()).map(|node| format!("n{node}").into()).collect(),
        links,
        flows: flows.into_iter().enumerate().map(flow).collect(),
        seed: 1,
        duration: Duration::from_secs(seconds),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

fn fed(flow: usize) -> Workload {
    Workload::RelayedFrom { flow, begins: Duration::ZERO }
}

/// A connection over each hop, joined by proxies.
fn split(
    hops: &[LinkConfig],
    configs: &[Config],
    memory: Option<u64>,
    workload: Workload,
    seconds: u64,
) -> Network {
    let last = hops.len() - 1;
    let connection = |hop: usize| {
        let own = configs[hop.min(configs.len() - 1)];
        let config = if hop == last { own } else { relayed(own, memory) };
        let workload = if hop == 0 { workload } else { fed(hop - 1) };
        (hop, hop + 1, Traffic::Tcp(tcp(config).into(), workload))
    };
    chain(hops, (0..hops.len()).map(connection).collect(), seconds)
}

fn whole(hops: &[LinkConfig], config: Config, workload: Workload, seconds: u64) -> Network {
    chain(hops, vec![(0, hops.len(), Traffic::Tcp(tcp(config).into(), workload))], seconds)
}

fn outcome(network: &Network) -> Outcome {
    run(network).expect("a valid network")
}

fn first(network: &Network) -> FlowOutcome {
    outcome(network).flows.remove(0)
}

fn proxy(flow: &FlowOutcome) -> ProxyOutcome {
    flow.proxy.expect("a proxy")
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn mbit_per_s(flow: &FlowOutcome, seconds: u64) -> f64 {
    flow.delivered_bytes as f64 * 8e-6 / seconds as f64
}

#[test]
fn losses_behind_a_gateway_do_not_shrink_the_window_of_the_satellite_hop() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(20_000), 0.005)];
    let own = config(Recovery::Sack);
    let end_to_end = first(&whole(&hops, own, Workload::Greedy, 200));
    let both = outcome(&split(&hops, &[own], Some(2_000_000), Workload::Greedy, 200)).flows;
    assert!(end_to_end.fast_recoveries > 20);
    // The proxy's memory is less than the satellite hop and its queue hold, 2.25 MB: the queue never fills.
    assert_eq!((both[0].retransmitted, both[0].fast_recoveries, both[0].timeouts), (0, 0, 0));
    // 200 s of 545 segments a second, of which one in 200 is lost: as many, but for two in one window.
    assert!(both[1].fast_recoveries > 400, "{}", both[1].fast_recoveries);
    assert!(both[0].delivered_bytes > 10 * end_to_end.delivered_bytes);
}

#[test]
fn goodput_through_a_proxy_is_that_of_the_slower_half_alone() {
    const SECONDS: u64 = 400;
    let own = config(Recovery::Sack);
    // The satellite is slower, then the losses are.
    for (rate, p) in [(kbit(4_000), 0.005), (kbit(10_000), 0.005), (kbit(10_000), 0.02)] {
        let hops = [satellite(rate), wireless(kbit(20_000), p)];
        let alone = [0, 1].map(|hop| {
            let mut network = whole(&hops[hop..=hop], own, Workload::Greedy, SECONDS);
            // The same packets are lost as behind the proxy: random numbers derive from a link's name.
            network.links[0].name = format!("{hop}-{}", hop + 1).into();
            mbit_per_s(&first(&network), SECONDS)
        });
        let slower = alone[0].min(alone[1]);
        let joined = split(&hops, &[own], Some(2_000_000), Workload::Greedy, SECONDS);
        let joined = mbit_per_s(&first(&joined), SECONDS);
        assert!((0.97..1.03).contains(&(joined / slower)), "{joined} of {alone:?}");
    }
}

#[test]
fn goodput_through_a_proxy_is_what_the_losses_of_its_hop_allow_by_mathematics() {
    const SECONDS: u64 = 400;
    // Every segment is acknowledged: Reno carries 1.31 / (RTT sqrt p) segments a second less 1.15 sqrt p
    // of that. The link is so fast that it adds nothing to the round-trip time of 20 ms.
    let own = Config { acks: westwood_tcp::AckPolicy::Each, ..config(Recovery::Sack) };
    for p in [0.001, 0.01] {
        let hops = [satellite(kbit(80_000)), wireless(kbit(1_000_000), p)];
        let joined = split(&hops, &[own], Some(40_000_000), Workload::Greedy, SECONDS);
        let joined = mbit_per_s(&first(&joined), SECONDS);
        let root = f64::sqrt(p);
        let segments = 1.31 / (0.020 * root) * (1.0 - 1.15 * root);
        let share = joined / (segments * 1_500.0 * 8e-6);
        assert!((0.95..1.05).contains(&share), "{p}: {joined} Mbit/s, {share}");
    }
}

#[test]
fn a_slow_second_hop_closes_the_window_of_the_first_and_bounds_the_proxys_memory() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(1_000), 0.0)];
    for recovery in Recovery::ALL {
        for memory in [SEGMENT, 4 * SEGMENT, 100_000, 1_000_000] {
            let network = split(&hops, &[config(recovery)], Some(memory), Workload::Greedy, 60);
            let run = outcome(&network);
            let name = format!("{recovery}, {memory}");
            let proxy = proxy(&run.flows[0]);
            assert!(proxy.most_held_bytes <= memory, "{name}: {proxy:?}");
            assert!(proxy.received_bytes <= run.flows[1].delivered_bytes + memory, "{name}");
            // A closed window is no loss.
            assert_eq!((run.flows[0].timeouts, run.flows[0].fast_recoveries), (0, 0), "{name}");
            if memory == 1_000_000 {
                // The window is full but for what the slow hop takes in a round-trip time of the
                // satellite, 75 kB, and a sixteenth that is not offered: that hop never waits after the
                // first two seconds.
                assert!(proxy.most_held_bytes > 850_000, "{name}: {proxy:?}");
                let alone = first(&whole(&hops[1..], config(recovery), Workload::Greedy, 60));
                let waited = alone.delivered_bytes.saturating_sub(run.flows[1].delivered_bytes);
                assert!(waited < 1_000_000 / 8 * 2, "{name}: {waited} bytes");
            }
        }
    }
}

#[test]
fn the_buffers_of_linux_bound_the_memory_of_a_proxy_too() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(1_000), 0.0)];
    let sizes = BufferSizes::of(4_096, 300_000, 300_000);
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Linux] {
        let own = config(recovery);
        let [first, second] = [(None, Some(sizes)), (Some(sizes), None)].map(|(send, receive)| {
            let buffers = Buffers { send, receive, ..Buffers::default() };
            Config { buffers, ..own }
        });
        let run = outcome(&split(&hops, &[first, second], None, Workload::Greedy, 120));
        let proxy = proxy(&run.flows[0]);
        // A segment takes 2780 bytes of a buffer. Half of the receive buffer is offered as a window.
        assert!(proxy.most_held_bytes < 2 * 300_000 * SEGMENT / 2_780, "{recovery}: {proxy:?}");
        assert!(proxy.most_held_bytes > 150_000, "{recovery}: {proxy:?}");
        assert_eq!((run.flows[0].timeouts, run.flows[1].timeouts), (0, 0), "{recovery}");
        assert!(run.flows[1].delivered_bytes * 8 > 1_000_000 * 112, "{recovery}");
    }
}

#[test]
fn every_byte_is_delivered_once_whatever_the_sizes_of_segments() {
    let hops = [
        lossy(satellite(kbit(5_000)), 0.01),
        wireless(kbit(8_000), 0.02),
        wireless(kbit(3_000), 0.01),
    ];
    for size in [1, 1_499, 1_500, 1_501, 700_001] {
        for memory in [None, Some(2_000), Some(30_000)] {
            for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Linux] {
                let configs = [1_500, 400, 1_448].map(|payload| {
                    let mut config = config(recovery);
                    config.sizes.payload = Bytes::new(payload);
                    config
                });
                let workload = Workload::Transfer(Bytes::new(size));
                let mut network = split(&hops, &configs, memory, workload, 3_000);
                network.probes.delivered = true;
                let run = outcome(&network);
                let name = format!("{size} bytes, {memory:?}, {recovery}");
                for flow in &run.flows {
                    assert_eq!(flow.delivered_bytes, size, "{name}");
                    assert_eq!(flow.completions, run.flows[0].completions, "{name}");
                    assert_eq!((flow.unfinished, flow.completions.len()), (0, 1), "{name}");
                }
                for flow in &run.flows[..2] {
                    let proxy = proxy(flow);
                    assert_eq!((proxy.received_bytes, proxy.held_bytes), (size, 0), "{name}");
                    assert!(memory.is_none_or(|most| proxy.most_held_bytes <= most), "{name}");
                }
                assert_eq!(run.flows[2].proxy, None);
                let last = run.records.last().expect("recorded");
                assert_eq!(
                    Instant::ZERO + run.flows[0].completions[0].took,
                    last.at,
                    "{name}: the last byte ends the transfer"
                );
            }
        }
    }
}

#[test]
fn a_transfer_is_complete_when_its_last_byte_is_at_the_end_of_the_last_connection() {
    // Links without losses: a segment takes 12 ms and 300 ms, then 6 ms and 10 ms.
    let hops = [satellite(kbit(1_000)), wireless(kbit(2_000), 0.0)];
    let completed = |handshakes: [bool; 2], begins| {
        let workload = Workload::Transfer(Bytes::new(SEGMENT));
        let mut network = split(&hops, &[config(Recovery::Sack)], None, workload, 5);
        let Traffic::Tcp(tcp, _) = network.flows[1].traffic.clone() else { panic!("not TCP") };
        network.flows[1].traffic = Traffic::Tcp(tcp, Workload::RelayedFrom { flow: 0, begins });
        for (flow, handshake) in network.flows.iter_mut().zip(handshakes) {
            flow.handshake = handshake;
        }
        let completion = first(&network).completions[0];
        (completion.start.since(Instant::ZERO), completion.took)
    };
    assert_eq!(completed([false, false], ms(0)), (ms(0), ms(328)));
    // The first connection opens after 600 ms, when the second has long been open.
    assert_eq!(completed([true, true], ms(0)), (ms(600), ms(328)));
    assert_eq!(completed([true, false], ms(0)), (ms(600), ms(328)));
    // The second handshake begins when the data has come, and takes 20 ms.
    assert_eq!(completed([false, true], ms(0)), (ms(0), ms(348)));
    // The rest of a handshake from end to end is left out.
    assert_eq!(completed([true, true], ms(20)), (ms(620), ms(308)));
}

#[test]
fn short_flows_open_and_close_their_connections_at_both_sides_of_a_proxy() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(8_000), 0.01)];
    let own = config(Recovery::Sack);
    let traffic = Traffic::ShortFlows {
        tcp: tcp(relayed(own, Some(100_000))).into(),
        gap: ValueDistribution::Constant(0.4),
        size: ValueDistribution::Uniform(1_000.0, 60_000.0),
        limit: 10,
    };
    let second = Traffic::Tcp(tcp(own).into(), fed(0));
    let run = outcome(&chain(&hops, vec![(0, 1, traffic), (1, 2, second)], 100));
    let [a, b] = &run.flows[..] else { panic!("two flows") };
    assert_eq!((a.completions.len(), a.unfinished), (b.completions.len(), b.unfinished));
    assert_eq!(a.completions, b.completions);
    assert!(a.completions.len() > 200 && a.refused < 20, "{} {}", a.completions.len(), a.refused);
    let finished: u64 = a.completions.iter().map(|c| c.bytes).sum();
    assert!(finished <= b.delivered_bytes && b.delivered_bytes < finished + 10 * 60_000);
    assert!(proxy(a).most_held_bytes <= 60_000);
    // No transfer is faster than light.
    assert!(a.completions.iter().all(|c| c.took > ms(310)));
}

#[test]
fn a_receiver_that_pauses_holds_up_both_connections_and_loses_nothing() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(20_000), 0.0)];
    let at = |s: u64| Instant::ZERO + Duration::from_secs(s);
    let reading = ReadMode::Paused { from: at(10), until: at(40) };
    let receive = Some(BufferSizes::of(4_096, 400_000, 400_000));
    for recovery in Recovery::ALL {
        let first = config(recovery);
        let second = Config { buffers: Buffers { receive, reading, ..first.buffers }, ..first };
        let workload = Workload::Transfer(Bytes::new(20_000_000));
        let network = split(&hops, &[first, second], Some(2_000_000), workload, 200);
        let run = outcome(&network);
        assert_eq!(run.flows[1].delivered_bytes, 20_000_000, "{recovery}");
        let proxy = proxy(&run.flows[0]);
        assert!((1_990_000..=2_000_000).contains(&proxy.most_held_bytes), "{recovery}: {proxy:?}");
        assert_eq!((run.flows[0].timeouts, run.flows[1].timeouts), (0, 0), "{recovery}");
        assert!(run.flows[0].completions[0].took > Duration::from_secs(40), "{recovery}");
    }
}

#[test]
fn a_proxy_without_a_memory_takes_whatever_arrives() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(1_000), 0.0)];
    let own = config(Recovery::Sack);
    let run = outcome(&split(&hops, &[own], None, Workload::Greedy, 100));
    let proxy = proxy(&run.flows[0]);
    // Nine of ten bytes wait.
    assert!(proxy.held_bytes > 80_000_000, "{proxy:?}");
    assert_eq!(proxy.most_held_bytes.max(proxy.held_bytes), proxy.most_held_bytes);
    assert!(proxy.received_bytes - proxy.held_bytes <= run.flows[1].delivered_bytes);
}

#[test]
fn proxies_that_cannot_be_are_refused() {
    let hops = [satellite(kbit(10_000)), wireless(kbit(1_000), 0.0)];
    let good = split(&hops, &[config(Recovery::Sack)], Some(100_000), Workload::Greedy, 1);
    assert!(run(&good).is_ok());
    let refused = |change: &dyn Fn(&mut Network), says: &str| {
        let mut network = good.clone();
        change(&mut network);
        let error = run(&network).expect_err(says);
        assert!(matches!(error, SimError::Flow { .. }), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    };
    let workload = |flow: &mut FlowSpec, new: Workload| {
        let Traffic::Tcp(_, workload) = &mut flow.traffic else { panic!("not TCP") };
        *workload = new;
    };
    let settings = |flow: &mut FlowSpec, change: &dyn Fn(&mut Config)| {
        let Traffic::Tcp(tcp, _) = &mut flow.traffic else { panic!("not TCP") };
        change(&mut tcp.config);
    };
    refused(&|n| workload(&mut n.flows[1], fed(1)), "no flow before it");
    refused(&|n| workload(&mut n.flows[1], fed(7)), "no flow before it");
    refused(&|n| workload(&mut n.flows[1], Workload::Greedy), "no flow takes");
    refused(&|n| n.flows[1].from = 0, "at another node");
    refused(&|n| n.flows.push(n.flows[1].clone()), "feeds another one too");
    let at_once = |c: &mut Config| c.buffers.reading = ReadMode::AtOnce;
    refused(&|n| settings(&mut n.flows[0], &at_once), "a reader of its own");
    let spoof = |c: &mut Config| c.receiver = ReceiverBehaviour::Spoof { extra: 3 };
    refused(&|n| settings(&mut n.flows[0], &spoof), "misbehave");
}

#[test]
fn in_random_networks_no_byte_appears_or_vanishes_at_a_proxy() {
    let (mut proxies, mut finished) = (0, 0);
    for case in 0..200 {
        let network = random::with_proxies(case);
        // The engine checks every pair of connections itself in debug builds.
        let run = run(&network).unwrap_or_else(|e| panic!("case {case}: {e}"));
        for (place, flow) in run.flows.iter().enumerate() {
            let Some(before) = network.relayed_from(place) else { continue };
            let name = format!("case {case}, {}", network.flows[place].name);
            let (before, proxy) = (&run.flows[before], proxy(&run.flows[before]));
            proxies += 1;
            finished += flow.completions.len();
            assert!(proxy.held_bytes <= proxy.received_bytes, "{name}: {proxy:?}");
            assert_eq!(before.delivered_bytes, flow.delivered_bytes, "{name}");
            assert_eq!(before.completions, flow.completions, "{name}");
            assert_eq!(before.unfinished, flow.unfinished, "{name}");
            // Over the whole run.
            if network.warmup.is_zero() {
                assert!(flow.delivered_bytes <= proxy.received_bytes, "{name}: {proxy:?}");
                let left = proxy.received_bytes - proxy.held_bytes;
                let tcp = network.flows[place].traffic.tcp().expect("TCP");
                let lies = matches!(tcp.config.receiver, ReceiverBehaviour::Optimistic { .. });
                let arrived = flow.proxy.map_or(flow.delivered_bytes, |next| next.received_bytes);
                assert!(arrived >= left || lies, "{name}: {proxy:?}");
            }
        }
    }
    assert!(proxies > 150 && finished > 300, "{proxies} proxies, {finished} transfers");
}
