//! Random networks in which much happens at once, to hold one engine against another.
//!
//! Half of the cases are [`random::network`]'s. The others are made for ties and for every mixture of
//! links that flows share and links that they do not: equal delays and rates on purpose, links so fast
//! or so jittery that packets arrive at the same instant, hosts with several flows, ways that use a
//! link twice.

use std::sync::Arc;

use westwood_cc::estimate::{EstimatorKind, EstimatorKinds};
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::queue::RedUnit;
use westwood_net::{
    CakeConfig, Capacity, Change, CoDelConfig, CobaltConfig, DualPi2Config, FqCoDelConfig,
    FqPieConfig, Jitter, Limit, LinkChange, LinkConfig, LossConfig, MarkAbove, PieConfig,
    QueueConfig, Random, RedConfig, Sojourns, ThresholdConfig, Trace,
};
use westwood_sim::{
    AgentSpec, FlowRange, FlowSpec, LinkSpec, Name, Network, Phases, Probes, SnoopConfig, Task,
    Traffic, ValueDistribution, Workload,
};
use westwood_tcp::{AckPolicy, Sizes};

use super::random;

/// The network of a case.
pub(crate) fn network(case: u64) -> Network {
    let mut r = Random::new(case, "tangle");
    let mut network = if r.chance(0.5) {
        let network = random::network(case);
        Network { duration: network.duration / 4, warmup: network.warmup / 4, ..network }
    } else {
        let mut network = Tangle::new(&mut r).grow();
        let mut r = Random::new(case, "handshakes");
        // Half of the networks stay what they are without handshakes.
        for flow in network.flows.iter_mut().filter(|_| case % 2 == 1) {
            flow.handshake = r.chance(0.6);
        }
        network
    };
    network.seed = case;
    network.probes = probes(&mut r);
    if case % 4 == 1 {
        // Senders are run ahead only where nobody watches.
        network.probes = Probes::default();
    }
    if !case.is_multiple_of(8) {
        let links = network.links.len() as u64;
        network.probes.delays = usize::try_from(case % links).ok();
        network.probes.one_way = (0..network.flows.len().div_ceil(2)).into();
        network.probes.progress = network.probes.one_way;
    }
    if r.chance(0.4) {
        help(&mut r, &mut network);
    }
    if r.chance(0.3) {
        network.warmup = [Duration::ZERO, network.duration / 2][index(&mut r, 2)];
    }
    network
}

fn probes(r: &mut Random) -> Probes {
    if r.chance(0.3) {
        return Probes::default();
    }
    let (us, extremes) = [
        (0, false),
        (0, true),
        (1, false),
        (1, true),
        (5_000, false),
        (5_000, true),
        (100_000, false),
        (100_000, true),
    ][index(r, 8)];
    let interval = Duration::from_micros(us);
    Probes {
        windows: r.chance(0.7),
        rtts: r.chance(0.7),
        queues: r.chance(0.7),
        delivered: r.chance(0.7),
        drops: r.chance(0.7),
        estimates: if r.chance(0.3) {
            EstimatorKind::ALL.into_iter().collect()
        } else {
            EstimatorKinds::NONE
        },
        interval,
        extremes,
        delays: None,
        one_way: FlowRange::default(),
        progress: FlowRange::default(),
        without_rtts: false,
    }
}

/// Agents beside some links, and connections that heed them.
fn help(r: &mut Random, network: &mut Network) {
    for flow in &mut network.flows {
        if let Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } = &mut flow.traffic {
            (tcp.config.eln, tcp.config.fair_share) = (r.chance(0.5), r.chance(0.3));
        }
    }
    for (link, spec) in network.links.iter().enumerate() {
        if r.chance(0.3) {
            network.agents.push(AgentSpec { link, task: Task::ExplicitLossNotification });
        }
        let constant = matches!(spec.config.capacity, Capacity::Fixed(_));
        if r.chance(0.2) && constant && spec.config.schedule.is_empty() {
            let memory = Duration::from_millis(1 + r.below(500));
            network.agents.push(AgentSpec { link, task: Task::FairShare { memory } });
        }
        let back = network.links.iter().position(|l| l.from == spec.to && l.to == spec.from);
        if let Some(back) = back.filter(|_| r.chance(0.3)) {
            let min_timeout = Duration::from_millis([1, 10, 200][index(r, 3)]);
            let snoop = SnoopConfig { back, cache: 1 + r.below(60), min_timeout };
            network.agents.push(AgentSpec { link, task: Task::Snoop(snoop) });
        }
    }
}

fn index(r: &mut Random, n: usize) -> usize {
    usize::try_from(r.below(n as u64)).expect("small")
}

/// A network under construction, and what its parts have in common.
struct Tangle<'a> {
    r: &'a mut Random,
    routers: usize,
    hosts: usize,
    nodes: Vec<Name>,
    links: Vec<LinkSpec>,
    /// Rates, delays and start times are drawn from so few that many are equal.
    rates: Vec<Rate>,
    delays: Vec<Duration>,
    starts: Vec<Instant>,
    /// Every packet takes whole milliseconds everywhere, so that everything falls together: packets
    /// of different flows, timers, and the end of the warm-up.
    on_a_grid: bool,
}

impl<'a> Tangle<'a> {
    fn new(r: &'a mut Random) -> Self {
        let mbit = |n: u64| Rate::from_bits_per_s(n * 1_000_000);
        let (routers, hosts) = (1 + index(r, 3), 2 + index(r, 5));
        let rates = match r.below(4) {
            0 => vec![mbit(10)],
            1 => vec![mbit(8), mbit(16)],
            2 => vec![mbit(10), mbit(20), Rate::MAX_SAMPLE],
            _ => vec![mbit(1 + r.below(40)), mbit(100)],
        };
        // Over endless rates and no delay a flow would never pause.
        let endless = rates.contains(&Rate::MAX_SAMPLE);
        let delays = match r.below(3) {
            1 if endless => vec![Duration::from_millis(4), Duration::from_millis(20)],
            0 => vec![Duration::from_millis(10)],
            1 => vec![Duration::ZERO, Duration::from_millis(1), Duration::from_millis(20)],
            _ => vec![Duration::from_micros(500 + r.below(50_000)), Duration::from_millis(5)],
        };
        let starts = match r.below(2) {
            0 => vec![Instant::ZERO],
            _ => vec![Instant::ZERO, Instant::ZERO + Duration::from_millis(r.below(700))],
        };
        let nodes = (0..routers).map(|i| format!("r{i}").into()).collect();
        let on_a_grid = r.chance(0.4);
        let (rates, delays) = if on_a_grid {
            let delays = vec![Duration::from_millis(1), Duration::from_millis(1 + r.below(9))];
            (vec![mbit(10)], delays)
        } else {
            (rates, delays)
        };
        Self { r, routers, hosts, nodes, links: Vec::new(), rates, delays, starts, on_a_grid }
    }

    fn grow(mut self) -> Network {
        for i in 1..self.routers {
            self.cable(i - 1, i, 0.8);
        }
        for host in self.routers..self.routers + self.hosts {
            self.nodes.push(format!("h{host}").into());
            let router = index(self.r, self.routers);
            let odd = if self.r.chance(0.3) { 0.6 } else { 0.0 };
            self.cable(host, router, odd);
        }
        let flows = (0..=self.r.below(7)).map(|i| self.flow(i)).collect();
        Network {
            agents: Vec::new(),
            nodes: self.nodes,
            links: self.links,
            flows,
            seed: 0,
            duration: Duration::from_millis(300 + self.r.below(2_500)),
            warmup: Duration::from_millis(self.r.below(300)),
            probes: Probes::default(),
        }
    }

    /// A link each way. So many of ten are more than a rate, a delay and an endless queue.
    fn cable(&mut self, a: usize, b: usize, odd: f64) {
        for (from, to) in [(a, b), (b, a)] {
            let config = self.config(odd);
            self.links.push(LinkSpec {
                name: format!("{from}-{to}").into(),
                from,
                to,
                config: config.into(),
            });
        }
    }

    fn config(&mut self, odd: f64) -> LinkConfig {
        let r = &mut *self.r;
        let rate = self.rates[index(r, self.rates.len())];
        let delay = self.delays[index(r, self.delays.len())];
        let mut config = LinkConfig::new(rate, delay, Limit::Unlimited);
        if !r.chance(odd) {
            return config;
        }
        config.queue = queue(r);
        config.peeks = matches!(config.queue, QueueConfig::FqPie(_)) && r.chance(0.5);
        config.wake_up = Duration::from_micros(if r.chance(0.5) { r.below(30) } else { 0 });
        config.losses = losses(r);
        if r.chance(0.25) {
            let most = Duration::from_micros(r.below(8_000));
            let spread = westwood_net::JitterDistribution::Uniform { most };
            config.jitter = Some(Jitter { spread, reorder: r.chance(0.3) });
        }
        match r.below(10) {
            0 => {
                let at = Instant::ZERO + Duration::from_millis(r.below(1_000));
                let what = match r.below(3) {
                    0 => LinkChange::Rate(Rate::from_bits_per_s(1_000_000 * r.below(20))),
                    1 => LinkChange::Delay(Duration::from_millis(r.below(30))),
                    _ => LinkChange::Losses(vec![LossConfig::Bernoulli { p: 0.01 }]),
                };
                config.schedule = vec![Change { at, what }];
            }
            1 if config.queue.limit() != Limit::Packets(0) => {
                let trace = Trace::parse("0\n1\n1\n4\n7\n7\n7\n12\n").expect("a trace");
                config.capacity = Capacity::Recorded(Arc::new(trace));
            }
            _ => {}
        }
        config
    }

    fn flow(&mut self, i: u64) -> FlowSpec {
        let nodes = self.nodes.len();
        let from = index(self.r, nodes);
        // Routers send and receive too.
        let to = (from + 1 + index(self.r, nodes - 1)) % nodes;
        let path = if self.r.chance(0.1) { self.detour(from, to) } else { None };
        FlowSpec {
            path,
            start: self.starts[index(self.r, self.starts.len())],
            start_jitter: Duration::from_micros([0, 0, 30_000][index(self.r, 3)]),
            stop: self.r.chance(0.15).then(|| Instant::ZERO + Duration::from_millis(900)),
            ..FlowSpec::between(format!("f{i}"), from, to, traffic(self.r, self.on_a_grid))
        }
    }

    /// To and fro over the first link before going on: a way that uses links more than once.
    fn detour(&mut self, from: usize, to: usize) -> Option<Vec<usize>> {
        let first = self.links.iter().position(|l| l.from == from)?;
        let back =
            self.links.iter().position(|l| l.from == self.links[first].to && l.to == from)?;
        let straight = self.walk(from, to)?;
        Some([first, back].into_iter().chain(straight).collect())
    }

    /// The only way in a tree.
    fn walk(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut ways = vec![(from, Vec::new())];
        while let Some((at, way)) = ways.pop() {
            if at == to {
                return Some(way);
            }
            for (id, link) in self.links.iter().enumerate().filter(|(_, l)| l.from == at) {
                let before = |&l: &usize| self.links[l].from == link.to;
                if !way.iter().any(before) {
                    ways.push((link.to, way.iter().copied().chain([id]).collect()));
                }
            }
        }
        None
    }
}

fn queue(r: &mut Random) -> QueueConfig {
    let limit = match r.below(3) {
        0 => Limit::Bytes(Bytes::new(2_000 + r.below(60_000))),
        _ => Limit::Packets(r.below(40)),
    };
    let ecn = r.chance(0.5);
    match r.below(9) {
        0 => QueueConfig::CoDel(CoDelConfig {
            limit,
            ecn,
            root: random::root(r),
            ..CoDelConfig::default()
        }),
        1 | 2 => QueueConfig::FqCoDel(FqCoDelConfig {
            limit,
            ecn,
            root: random::root(r),
            ..FqCoDelConfig::default()
        }),
        3 => QueueConfig::Red(RedConfig {
            ecn,
            unit: if r.chance(0.5) { RedUnit::Packets } else { RedUnit::Bytes },
            ..RedConfig::for_buffer(10 + r.below(80))
        }),
        4 => QueueConfig::Threshold(ThresholdConfig {
            limit,
            mark_above: MarkAbove::Packets(r.below(20)),
        }),
        5 => match r.below(6) {
            5 => {
                let pie = PieConfig { limit, ecn, ..PieConfig::default() };
                QueueConfig::FqPie(FqPieConfig { pie, ..FqPieConfig::default() })
            }
            4 => QueueConfig::Cake(CakeConfig { limit, ecn, ..CakeConfig::default() }),
            3 => QueueConfig::Cobalt(CobaltConfig { limit, ecn, ..CobaltConfig::default() }),
            0 => QueueConfig::Threshold(ThresholdConfig {
                limit,
                mark_above: MarkAbove::Wait(Duration::from_millis(r.below(20))),
            }),
            1 => QueueConfig::Pie(PieConfig { limit, ecn, ..PieConfig::default() }),
            _ => QueueConfig::DualPi2(DualPi2Config { limit, ..DualPi2Config::default() }),
        },
        _ => QueueConfig::DropTail(limit),
    }
}

fn losses(r: &mut Random) -> Vec<LossConfig> {
    let (good, bad) =
        (Duration::from_millis(1 + r.below(800)), Duration::from_millis(1 + r.below(60)));
    match r.below(8) {
        0 => vec![LossConfig::Bernoulli { p: 0.05 * r.uniform() }],
        1 => vec![LossConfig::BitErrors { ber: 2e-6 * r.uniform() }],
        2 => vec![LossConfig::Gilbert { good, bad, p: 0.4, sojourns: Sojourns::Clock }],
        3 => vec![LossConfig::Markov { good, bad, p_good: 0.001, p_bad: 0.5 }],
        4 => vec![
            LossConfig::Outage { every: good + bad, lasts: bad },
            LossConfig::List(vec![1, 3, 4, 30 + r.below(100)]),
        ],
        5 => vec![LossConfig::GilbertElliott { p: 0.01, r: 0.3, p_good: 0.001, p_bad: 0.9 }],
        _ => Vec::new(),
    }
}

fn traffic(r: &mut Random, on_a_grid: bool) -> Traffic {
    let mut tcp = random::tcp(r);
    // Without a bottleneck only this holds a flow back.
    tcp.config.receive_window = tcp.config.receive_window.min(64);
    // A timer of no length falls on the instant of the packet that sets it.
    let timers = [0, 1, 5, 40, 100];
    if r.chance(0.6) {
        tcp.config.acks = AckPolicy::Delayed { timer: Duration::from_millis(timers[index(r, 5)]) };
    }
    if on_a_grid {
        let packet = Bytes::new(1_250);
        tcp.config.sizes =
            Sizes { payload: packet, header: Bytes::ZERO, ack: packet, sack_block: Bytes::ZERO };
    }
    // As far apart as the timer is long, if it is 5 ms: the next one comes when it fires.
    let writer = Rate::from_bits_per_s(tcp.config.sizes.payload.get() * 8 * 200);
    let phases = Phases::Alternating {
        on: ValueDistribution::Constant(0.2),
        off: ValueDistribution::Exponential(0.1),
    };
    match r.below(10) {
        0 | 1 => Traffic::Udp {
            rate: Rate::from_bits_per_s(100_000 + r.below(4_000_000)),
            size: Bytes::new(if on_a_grid { 1_250 } else { [1, 125, 1_250][index(r, 3)] }),
            phases: if r.chance(0.3) { phases } else { Phases::Always },
            poisson: r.chance(0.4),
        },
        2 => Traffic::ShortFlows {
            tcp,
            gap: if r.chance(0.5) {
                ValueDistribution::Constant(0.05)
            } else {
                ValueDistribution::Exponential(0.03)
            },
            size: ValueDistribution::Pareto { mean: 20_000.0, shape: 1.3 },
            limit: 1 + u32::try_from(r.below(12)).expect("small"),
        },
        3 => Traffic::Tcp(tcp, Workload::OnOff(phases)),
        4 | 5 => Traffic::Tcp(tcp, Workload::Limited(writer)),
        6 => Traffic::Tcp(tcp, Workload::Transfer(Bytes::new(1 + r.below(200_000)))),
        _ => Traffic::Tcp(tcp, Workload::Greedy),
    }
}
