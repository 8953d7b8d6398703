//! The emulator treats packets as the simulator does with the same links.

use std::collections::VecDeque;
use std::io;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_emu::{
    CarriedTotals as Emulated, CarrierHandle, CarrierProbes, Devices, EmulatedPath, FlowEnd,
    PathCarrier,
};
use westwood_net::{
    ArqConfig, BurstConfig, CakeConfig, Capacity, Change, CoDelConfig, CobaltConfig, DualPi2Config,
    FecConfig, FqPieConfig, Jitter, JitterDistribution, Limit, LinkChange, LinkConfig, LossConfig,
    MarkAbove, PieConfig, PolicerConfig, QueueConfig, RedConfig, ReorderConfig, Sojourns,
    ThresholdConfig, Trace,
};
use westwood_sim::{
    Control, FlowSpec, LinkSpec, Network, Outcome, Probes, Tap, TapContent, TapEvent, TapPoint,
    TcpSpec, Traffic, Workload, run_tapped,
};
use westwood_tcp::Config;

/// A packet at a host: when, at which flow's which end, how long, whether marked.
type LastRecorded = (Instant, usize, FlowEnd, u64, bool);

/// The packets that the simulator's hosts sent and received.
#[derive(Default)]
struct Hosts {
    clients: Vec<usize>,
    /// The segment sent, and whether it is ECN-capable.
    sent: Vec<(LastRecorded, bool)>,
    received: Vec<LastRecorded>,
}

impl Tap for Hosts {
    fn sees(&mut self, sighting: &TapEvent) {
        let end = |node| {
            if self.clients[sighting.flow] == node { FlowEnd::Client } else { FlowEnd::Server }
        };
        let seen = |end| (sighting.at, sighting.flow, end, sighting.size.get(), sighting.ce);
        match sighting.place {
            TapPoint::Sent(node) => {
                let ect = matches!(&sighting.carries, TapContent::Data(segment) if segment.ecn.is_capable());
                self.sent.push((seen(end(node)), ect));
            }
            TapPoint::Received(node) => self.received.push(seen(end(node))),
            TapPoint::Link(_) | TapPoint::Dropped(..) => {}
        }
    }
}

/// Devices that give packets at known times, by a clock that jumps.
#[derive(Debug)]
struct Scripted {
    now: Instant,
    flows: usize,
    /// The devices, packets and times of a run.
    script: VecDeque<(Instant, usize, Vec<u8>)>,
    received: Vec<LastRecorded>,
}

impl Scripted {
    fn end(&self, device: usize) -> (usize, FlowEnd) {
        let end = if device < self.flows { FlowEnd::Client } else { FlowEnd::Server };
        (device % self.flows, end)
    }
}

impl Devices for &mut Scripted {
    fn now(&mut self) -> Instant {
        self.now
    }

    fn wait(&mut self, until: Instant) {
        let next = self.script.front().map_or(until, |packet| packet.0);
        self.now = self.now.max(until.min(next));
    }

    fn count(&self) -> usize {
        2 * self.flows
    }

    fn read(&mut self, device: usize, packet: &mut [u8]) -> io::Result<Option<usize>> {
        if self.script.front().is_none_or(|p| p.0 > self.now || p.1 != device) {
            return Ok(None);
        }
        let bytes = self.script.pop_front().map(|p| p.2).unwrap_or_default();
        packet[..bytes.len()].copy_from_slice(&bytes);
        Ok(Some(bytes.len()))
    }

    fn write(&mut self, device: usize, packet: &[u8]) -> io::Result<()> {
        let (flow, end) = self.end(device);
        let marked = packet[1] & 3 == 3;
        self.received.push((self.now, flow, end, packet.len() as u64, marked));
        Ok(())
    }
}

/// An IPv4 packet from one end of a flow to the other, of this length.
fn packet(flow: usize, from: FlowEnd, size: u64, ect: bool) -> Vec<u8> {
    let to = if from == FlowEnd::Client { FlowEnd::Server } else { FlowEnd::Client };
    let mut bytes = vec![0; usize::try_from(size).unwrap()];
    (bytes[0], bytes[1], bytes[8], bytes[9]) = (0x45, u8::from(ect) * 2, 64, 17);
    bytes[12..16].copy_from_slice(&from.ipv4(flow).octets());
    bytes[16..20].copy_from_slice(&to.ipv4(flow).octets());
    bytes
}

/// Two TCP flows that meet at this bottleneck, each with access links of its own. No two of their
/// delays are such that packets of both meet at one instant.
fn network(bottleneck: LinkConfig, ecn: bool, seed: u64) -> Network {
    let mbit = |n: u64| Rate::from_bits_per_s(n * 1_000_000);
    let back = LinkConfig::new(mbit(7), Duration::from_nanos(9_000_017), Limit::Packets(40));
    let spec = |name: &str, from, to, config| LinkSpec { name: name.into(), from, to, config };
    let mut network = Network {
        nodes: vec!["left".into(), "right".into()],
        links: vec![spec("there", 0, 1, bottleneck.into()), spec("back", 1, 0, back.into())],
        flows: Vec::new(),
        agents: Vec::new(),
        seed,
        duration: Duration::from_secs(6),
        warmup: Duration::from_secs(1),
        probes: Probes { delays: Some(0), ..Probes::default() },
    };
    for flow in 0..2_usize {
        let (client, server) = (2 + 2 * flow, 3 + 2 * flow);
        network.nodes.extend(["client", "server"].map(|end| format!("{end} {flow}").into()));
        let first = network.links.len();
        let delay = |n: u64| Duration::from_nanos(3_000_001 + 1_100_003 * (n + 2 * flow as u64));
        for (n, (from, to)) in
            [(client, 0), (1, server), (server, 1), (0, client)].iter().enumerate()
        {
            let config = LinkConfig::new(mbit(97), delay(n as u64), Limit::Unlimited);
            network.links.push(spec(&format!("access {flow}.{n}"), *from, *to, config.into()));
        }
        let config = Config { ecn, ..Config::default() };
        network.flows.push(FlowSpec {
            path: Some(vec![first, 0, first + 1]),
            return_path: Some(vec![first + 2, 1, first + 3]),
            start_jitter: Duration::from_millis(300),
            ..FlowSpec::between(
                format!("flow {flow}"),
                client,
                server,
                Traffic::Tcp(
                    TcpSpec { controller: Choice::named("reno").unwrap(), config }.into(),
                    Workload::Greedy,
                ),
            )
        });
    }
    network
}

fn simulated(network: &Network) -> (Outcome, Hosts) {
    let clients = network.flows.iter().map(|flow| flow.from).collect();
    let mut hosts = Hosts { clients, ..Hosts::default() };
    let outcome = run_tapped(network, Control::default(), &mut hosts).unwrap();
    (outcome, hosts)
}

/// The emulator's loop, fed with the packets that the simulator's hosts sent, at their times.
fn emulated(network: &Network, sent: &[(LastRecorded, bool)]) -> (Emulated, Vec<LastRecorded>) {
    let flows = network.flows.len();
    let device = |flow, end| if end == FlowEnd::Client { flow } else { flows + flow };
    let script = sent.iter().map(|&((at, flow, end, size, _), ect)| {
        (at, device(flow, end), packet(flow, end, size, ect))
    });
    let mut devices =
        Scripted { now: Instant::ZERO, flows, script: script.collect(), received: Vec::new() };
    let ends = (0..flows).map(|flow| (flow, flows + flow)).collect();
    let notes =
        CarrierProbes { marks: vec![Instant::ZERO + network.warmup], ..CarrierProbes::default() };
    let path = EmulatedPath::new(network).unwrap();
    let loops = PathCarrier::new(path, &mut devices, ends, notes, ());
    let end = Instant::ZERO + network.duration;
    let (carried, ()) = loops.run(end, &CarrierHandle::default());
    (carried, devices.received)
}

/// Order, times, sizes, marks and drops are the simulator's.
fn agrees(what: &str, network: &Network) {
    let (outcome, hosts) = simulated(network);
    let (carried, received) = emulated(network, &hosts.sent);
    assert!(received.len() > 1_000, "{what}: too few packets to tell: {}", received.len());
    for (n, (ours, theirs)) in received.iter().zip(&hosts.received).enumerate() {
        assert_eq!(ours, theirs, "{what}: packet {n}");
    }
    assert_eq!(received.len(), hosts.received.len(), "{what}");
    let [warm, end] = &carried.marks[..] else { panic!("{what}: {} marks", carried.marks.len()) };
    for ((theirs, before), after) in outcome.links.iter().zip(warm).zip(end) {
        let ours = after.since(before);
        assert_eq!(ours.delivered.packets, theirs.delivered, "{what}");
        assert_eq!(ours.delivered.bytes, Bytes::new(theirs.delivered_bytes), "{what}");
        let dropped = (ours.overflow.packets, ours.aqm.packets, ours.random.packets, ours.marks);
        let expected =
            (theirs.dropped_overflow, theirs.dropped_aqm, theirs.dropped_random, theirs.marked);
        assert_eq!(dropped, expected, "{what}");
    }
    assert_eq!(carried.queue_delays.last(), Some(&outcome.queue_delays), "{what}");
    assert_eq!(carried.lateness.worst(), Duration::ZERO, "{what}: a simulated clock is never late");
}

fn bottleneck(packets: u64) -> LinkConfig {
    let rate = Rate::from_bits_per_s(10_000_000);
    LinkConfig::new(rate, Duration::from_nanos(11_000_003), Limit::Packets(packets))
}

#[test]
fn packets_leave_a_full_buffer_in_the_order_and_with_the_drops_of_the_simulator() {
    for (packets, seed) in [(5, 1), (20, 2), (80, 3)] {
        agrees("drop-tail", &network(bottleneck(packets), false, seed));
    }
}

#[test]
fn a_seeded_loss_process_drops_the_packets_that_it_drops_in_the_simulator() {
    let losses = [
        LossConfig::Bernoulli { p: 0.02 },
        LossConfig::BitErrors { ber: 1e-6 },
        LossConfig::List(vec![3, 70, 71, 72, 500]),
        LossConfig::Gilbert {
            good: Duration::from_millis(300),
            bad: Duration::from_millis(30),
            p: 0.3,
            sojourns: Sojourns::Clock,
        },
        LossConfig::GilbertElliott { p: 0.01, r: 0.3, p_good: 0.001, p_bad: 0.9 },
    ];
    for loss in losses {
        let what = format!("{loss:?}");
        let config = LinkConfig { losses: vec![loss], ..bottleneck(40) };
        for seed in 1..=3 {
            agrees(&what, &network(config.clone(), false, seed));
        }
    }
}

#[test]
fn managed_queues_and_their_marks_are_the_simulators() {
    let red = RedConfig { ecn: true, ..RedConfig::for_buffer(60) };
    let codel = CoDelConfig { ecn: true, ..CoDelConfig::default() };
    let pie = PieConfig { ecn: true, limit: Limit::Packets(200), ..PieConfig::default() };
    let dual = DualPi2Config { limit: Limit::Packets(200), ..DualPi2Config::default() };
    let mark_above = MarkAbove::Wait(Duration::from_millis(5));
    let step = ThresholdConfig { limit: Limit::Packets(200), mark_above };
    for queue in [
        QueueConfig::Red(red),
        QueueConfig::CoDel(codel),
        QueueConfig::Pie(pie),
        // Each queue draws its own random numbers, and the emulator hashes a flow by its addresses: with
        // several queues a flow would meet other numbers.
        QueueConfig::FqPie(FqPieConfig { pie, flows: 1, ..FqPieConfig::default() }),
        QueueConfig::Cobalt(CobaltConfig { ecn: true, ..CobaltConfig::default() }),
        QueueConfig::Cake(CakeConfig::default()),
        QueueConfig::DualPi2(dual),
        QueueConfig::Threshold(step),
    ] {
        let what = format!("{queue:?}");
        let config = LinkConfig { queue, ..bottleneck(1) };
        agrees(&what, &network(config, true, 1));
    }
}

#[test]
fn jitter_repairs_policers_schedules_and_recorded_capacity_are_the_simulators() {
    let jitter = |reorder| {
        let spread = JitterDistribution::Uniform { most: Duration::from_nanos(4_000_037) };
        LinkConfig { jitter: Some(Jitter { spread, reorder }), ..bottleneck(40) }
    };
    agrees("jitter", &network(jitter(false), false, 1));
    agrees("reordering", &network(jitter(true), false, 1));
    for in_order in [true, false] {
        let arq = Some(ArqConfig { tries: 3, delay: Duration::from_millis(7), in_order });
        let losses = vec![LossConfig::Bernoulli { p: 0.1 }];
        agrees("repairs", &network(LinkConfig { losses, arq, ..bottleneck(40) }, false, 1));
    }
    let rate = Rate::from_bits_per_s(6_000_000);
    let policer = Some(PolicerConfig { rate, burst: Bytes::new(30_000) });
    agrees("policer", &network(LinkConfig { policer, ..bottleneck(40) }, false, 1));
    let reorder = Some(ReorderConfig { p: 0.02, by: 3, within: Duration::from_millis(20) });
    agrees("by number", &network(LinkConfig { reorder, ..bottleneck(40) }, false, 1));
    let fec = Some(FecConfig { k: 8, n: 10, wait: Duration::from_millis(9), in_order: true });
    let losses = vec![LossConfig::Bernoulli { p: 0.05 }];
    agrees("coded", &network(LinkConfig { losses, fec, ..bottleneck(40) }, false, 1));
    let (airtime, overhead) = (Duration::from_millis(4), Duration::from_micros(401));
    let bursts = Some(BurstConfig { packets: 8, airtime, overhead });
    agrees("bursts", &network(LinkConfig { bursts, ..bottleneck(40) }, false, 1));
    let change = |ms: u64, what| Change { at: Instant::from_nanos(ms * 1_000_003), what };
    let schedule = vec![
        change(1_500, LinkChange::Rate(Rate::from_bits_per_s(3_000_000))),
        change(2_500, LinkChange::Delay(Duration::from_millis(40))),
        change(3_500, LinkChange::Losses(vec![LossConfig::Bernoulli { p: 0.05 }])),
        change(4_500, LinkChange::Rate(Rate::from_bits_per_s(20_000_000))),
    ];
    agrees("schedule", &network(LinkConfig { schedule, ..bottleneck(40) }, false, 1));
    let stops = (0..1_000).filter(|ms| ms % 7 != 3).map(|ms: u32| ms.to_string());
    let text = stops.collect::<Vec<_>>().join("\n");
    let trace = std::sync::Arc::new(Trace::parse(&text).unwrap());
    let config = LinkConfig { capacity: Capacity::Recorded(trace), ..bottleneck(40) };
    agrees("recorded capacity", &network(config, false, 1));
}
