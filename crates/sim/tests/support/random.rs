//! Random networks: the number of a case is all that is needed to see it again.

use westwood_cc::controllers::Choice;
use westwood_cc::modifiers::Modifiers;
use westwood_cc::slow_start::FirstSlowStart;
use westwood_cc::{Bytes, Duration, EcnFeedback, Instant, Rate, Ratio, Segments};
use westwood_net::queue::InverseRoot;
use westwood_net::{
    AckFilterConfig, AckRule, BurstConfig, CakeConfig, CeThreshold, Change, CoDelConfig,
    CobaltConfig, DualPi2Config, EcnPath, FecConfig, FqCoDelConfig, FqPieConfig, Jitter, Limit,
    LinkChange, LinkConfig, LossConfig, MarkAbove, PieConfig, PolicerConfig, QueueConfig, Random,
    RedConfig, ReorderConfig, Sojourns, ThresholdConfig,
};
use westwood_sim::{
    FlowPaths, FlowSpec, LinkSpec, Name, Network, Phases, Probes, Shared, TcpSpec, Traffic,
    ValueDistribution, Workload,
};
use westwood_tcp::{
    AckPolicy, BufferSizes, Buffers, Config, Credit, Pacing, ReadMode, ReceiverBehaviour,
    ReceiverClock, Recovery, RtoConfig, Sizes,
};

/// A dumbbell, a parking lot or a star with random links and flows.
pub(crate) fn network(case: u64) -> Network {
    let mut r = Random::new(case, "random network");
    let routers = 2 + r.below(3);
    let mut nodes: Vec<Name> = (0..routers).map(|i| format!("r{i}").into()).collect();
    let mut links = Vec::new();
    for i in 1..usize::try_from(routers).expect("few") {
        for (from, to) in [(i - 1, i), (i, i - 1)] {
            links.push(LinkSpec {
                name: format!("{from}-{to}").into(),
                from,
                to,
                config: core(&mut r).into(),
            });
        }
    }
    let mut flows = Vec::new();
    for f in 0..=r.below(6) {
        let (mut from, mut to) = (r.below(routers), r.below(routers));
        if from == to {
            (from, to) = (0, routers - 1);
        }
        let (a, b) = (nodes.len(), nodes.len() + 1);
        nodes.extend([format!("a{f}").into(), format!("b{f}").into()]);
        let edge =
            |r: &mut Random| LinkConfig::new(rate(r, 10, 1000), span(r, 0, 40), Limit::Unlimited);
        for (host, router) in [(a, from), (b, to)] {
            let router = usize::try_from(router).expect("few");
            let (there, back) = (edge(&mut r), edge(&mut r));
            links.push(LinkSpec {
                name: format!("up{host}").into(),
                from: host,
                to: router,
                config: there.into(),
            });
            links.push(LinkSpec {
                name: format!("down{host}").into(),
                from: router,
                to: host,
                config: back.into(),
            });
        }
        flows.push(FlowSpec {
            start: Instant::ZERO + span(&mut r, 0, 500),
            start_jitter: span(&mut r, 0, 300),
            stop: r.chance(0.2).then(|| Instant::ZERO + span(&mut r, 500, 4000)),
            ..FlowSpec::between(format!("f{f}"), a, b, traffic(&mut r))
        });
    }
    if case >= FIRST_OF_TODAY {
        let mut r = Random::new(case, "links of today");
        let mut early = Random::new(case, "early marks of today");
        for link in links
            .iter_mut()
            .filter(|link| link.to.max(link.from) < usize::try_from(routers).expect("few"))
        {
            let mut config = (*link.config).clone();
            of_today(&mut r, &mut config);
            mark_early(&mut early, &mut config.queue);
            link.config = config.into();
        }
    }
    if case >= FIRST_OF_TODAY {
        let mut r = Random::new(case, "feedback of today");
        for flow in &mut flows {
            if let Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } = &mut flow.traffic {
                *tcp = with_feedback(&mut r, tcp).into();
            }
        }
        let mut r = Random::new(case, "handshakes of today");
        for flow in &mut flows {
            flow.handshake = r.chance(0.4);
        }
    }
    Network {
        agents: Vec::new(),
        nodes,
        links,
        flows,
        seed: case,
        duration: span(&mut r, 2000, 8000),
        warmup: span(&mut r, 0, 1500),
        probes: Probes::default(),
    }
}

/// The same, most TCP flows split by one proxy or two at routers on their ways. Every fourth case has no
/// warm-up.
pub(crate) fn with_proxies(case: u64) -> Network {
    let mut network = network(case);
    let mut r = Random::new(case, "proxies");
    if case.is_multiple_of(4) {
        network.warmup = Duration::ZERO;
    }
    let ways = network.ways().expect("connected");
    for (place, ways) in ways.into_iter().enumerate() {
        let (mut at, mut ways) = (place, ways);
        for _ in 0..r.below(3) {
            let Some(beyond) = split(&mut r, &mut network, at, &ways) else { break };
            (at, ways) = (network.flows.len() - 1, beyond);
        }
    }
    network
}

/// Splits a flow at a router on its way, if it can be; the flow beyond becomes the last one. Answers its
/// ways.
fn split(
    r: &mut Random,
    network: &mut Network,
    flow: usize,
    ways: &FlowPaths,
) -> Option<FlowPaths> {
    let mut own = *network.flows[flow].traffic.tcp()?;
    let between = u64::try_from(ways.there.len() - 1).ok().filter(|&n| n > 0)?;
    let cut = 1 + usize::try_from(r.below(between)).expect("few");
    let node = network.links[ways.there[cut]].from;
    let cut_back = ways.back.iter().position(|&link| network.links[link].from == node)?;
    let parts = [
        FlowPaths { there: ways.there[..cut].to_vec(), back: ways.back[cut_back..].to_vec() },
        FlowPaths { there: ways.there[cut..].to_vec(), back: ways.back[..cut_back].to_vec() },
    ];
    let mut beyond = tcp(r);
    beyond.config.receiver = own.config.receiver;
    let memory = r.chance(0.7).then(|| 1 + r.below(300_000));
    own.config.buffers.reading = ReadMode::Relayed { memory };
    own.config.receiver = ReceiverBehaviour::Honest;
    let near = &mut network.flows[flow];
    if let Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. } = &mut near.traffic {
        *tcp = own.into();
    }
    let to = std::mem::replace(&mut near.to, node);
    (near.path, near.return_path) = (Some(parts[0].there.clone()), Some(parts[0].back.clone()));
    let far = FlowSpec {
        name: format!("{} beyond", near.name).into(),
        from: node,
        to,
        path: Some(parts[1].there.clone()),
        return_path: Some(parts[1].back.clone()),
        traffic: Traffic::Tcp(beyond, Workload::RelayedFrom { flow, begins: Duration::ZERO }),
        handshake: r.chance(0.5),
        ..near.clone()
    };
    network.flows.push(far);
    let [_, beyond] = parts;
    Some(beyond)
}

/// Cases before this one are written down as they were ([`determinism`](../determinism.rs)).
const FIRST_OF_TODAY: u64 = 60;

/// Draws filters, codes, bursts and reordering for a link, from a stream of its own.
fn of_today(r: &mut Random, config: &mut LinkConfig) {
    if r.chance(0.2) {
        let rule = match r.below(2) {
            0 => AckRule::Replace,
            _ => AckRule::Decimate { n: small(r, 2, 8), wait: span(r, 0, 20) },
        };
        let (drop_sack, drop_ecn) = (r.chance(0.5), r.chance(0.5));
        config.ack_filter = Some(AckFilterConfig { rule, drop_sack, drop_ecn });
    }
    if r.chance(0.15) && !config.jitter.is_some_and(|jitter| jitter.reorder) {
        let (p, by, within) = (0.05 * r.uniform(), small(r, 1, 8), span(r, 0, 100));
        config.reorder = Some(ReorderConfig { p, by, within });
    }
    if r.chance(0.15) && config.arq.is_none() {
        let (k, more) = (small(r, 1, 20), small(r, 1, 5));
        let (wait, in_order) = (span(r, 0, 40), r.chance(0.5));
        config.fec = Some(FecConfig { k, n: k + more, wait, in_order });
    }
    if r.chance(0.15) {
        let (packets, airtime, overhead) = (small(r, 1, 64), span(r, 0, 5), span(r, 0, 3));
        config.bursts = Some(BurstConfig { packets, airtime, overhead });
    }
    if r.chance(0.1) {
        let changes = [EcnPath::Bleach, EcnPath::ClearCe, EcnPath::Remark, EcnPath::MarkAll];
        let tunnels = [EcnPath::TunnelForget, EcnPath::TunnelHide];
        let paths = [&changes[..], &tunnels[..]].concat();
        config.ecn_path = Some(paths[usize::try_from(r.below(6)).expect("few")]);
    }
}

/// Draws what a connection's receiver tells of marks, from a stream of its own.
fn with_feedback(r: &mut Random, tcp: &TcpSpec) -> TcpSpec {
    let mut tcp = *tcp;
    let drawn = EcnFeedback::ALL[usize::try_from(r.below(4)).expect("few")];
    if r.chance(0.5) && tcp.controller.works_with(drawn) {
        tcp.config.ecn_feedback = drawn;
        tcp.config.ecn |= r.chance(0.7);
    }
    tcp
}

/// Draws thresholds beside CoDel's law, and DualPI2's ramp and time shift.
fn mark_early(r: &mut Random, queue: &mut QueueConfig) {
    match queue {
        QueueConfig::CoDel(CoDelConfig { ce_threshold, .. })
        | QueueConfig::FqCoDel(FqCoDelConfig { ce_threshold, .. })
            if r.chance(0.5) =>
        {
            *ce_threshold = Some(CeThreshold { wait: span(r, 0, 10), ect1_only: r.chance(0.5) });
        }
        QueueConfig::DualPi2(dual) => {
            dual.ramp = if r.chance(0.5) { span(r, 0, 3) } else { Duration::ZERO };
            dual.shift = r.chance(0.3).then(|| span(r, 0, 60));
        }
        _ => {}
    }
}

/// Draws how CoDel's law computes its root.
pub(crate) fn root(r: &mut Random) -> InverseRoot {
    if r.chance(0.5) { InverseRoot::Newton } else { InverseRoot::Exact }
}

fn small(r: &mut Random, low: u64, high: u64) -> u32 {
    u32::try_from(low + r.below(high - low)).expect("small")
}

fn span(r: &mut Random, low_ms: u64, high_ms: u64) -> Duration {
    // Some are whole, so that events of different sources fall on the same instant.
    let us = if r.chance(0.5) {
        1000 * r.below(high_ms - low_ms)
    } else {
        r.below(1000 * (high_ms - low_ms))
    };
    Duration::from_millis(low_ms) + Duration::from_micros(us)
}

fn rate(r: &mut Random, low_mbit: u64, high_mbit: u64) -> Rate {
    Rate::from_bits_per_s((low_mbit + r.below(high_mbit - low_mbit)) * 1_000_000)
}

fn core(r: &mut Random) -> LinkConfig {
    let mut config =
        LinkConfig::new(rate(r, 1, 30), span(r, 1, 80), Limit::Packets(1 + r.below(80)));
    let (limit, ecn) = (config.queue.limit(), r.chance(0.5));
    config.queue = match r.below(7) {
        0 => QueueConfig::DropTail(Limit::Bytes(Bytes::new(3_000 + r.below(80_000)))),
        1 => {
            QueueConfig::CoDel(CoDelConfig { limit, ecn, root: root(r), ..CoDelConfig::default() })
        }
        2 => QueueConfig::FqCoDel(FqCoDelConfig {
            limit,
            ecn,
            root: root(r),
            ..FqCoDelConfig::default()
        }),
        3 => QueueConfig::Red(RedConfig { ecn, ..RedConfig::for_buffer(10 + r.below(80)) }),
        4 => managed_queue(r, limit, ecn),
        _ => QueueConfig::DropTail(limit),
    };
    // Before these queues alone, so that networks without them stay what they are.
    let queue = &config.queue;
    let is_new = matches!(
        queue,
        QueueConfig::Pie(_)
            | QueueConfig::DualPi2(_)
            | QueueConfig::Threshold(_)
            | QueueConfig::Cobalt(_)
            | QueueConfig::Cake(_)
            | QueueConfig::FqPie(_)
    );
    config.peeks = matches!(config.queue, QueueConfig::FqPie(_)) && r.chance(0.5);
    config.wake_up = Duration::from_micros(if r.chance(0.5) { r.below(30) } else { 0 });
    if is_new && r.chance(0.3) {
        let policer = PolicerConfig { rate: rate(r, 1, 20), burst: Bytes::new(20_000) };
        config.policer = Some(policer);
    }
    let (good, bad) = (span(r, 100, 2000), span(r, 1, 100));
    config.losses = match r.below(7) {
        0 => vec![LossConfig::Bernoulli { p: 0.02 * r.uniform() }],
        1 => vec![LossConfig::BitErrors { ber: 1e-6 * r.uniform() }],
        2 => vec![LossConfig::Gilbert { good, bad, p: 0.3, sojourns: Sojourns::Clock }],
        3 => vec![LossConfig::Markov { good, bad, p_good: 0.0, p_bad: 0.5 }],
        4 => vec![
            LossConfig::Outage { every: good + bad, lasts: bad },
            LossConfig::List(vec![5, 6, 40]),
        ],
        5 => vec![LossConfig::GilbertElliott { p: 0.01, r: 0.3, p_good: 0.0, p_bad: 0.9 }],
        _ => Vec::new(),
    };
    if r.chance(0.2) {
        let spread = westwood_net::JitterDistribution::Uniform { most: span(r, 1, 20) };
        config.jitter = Some(Jitter { spread, reorder: r.chance(0.5) });
    }
    if r.chance(0.1) {
        let (tries, delay, in_order) = (1 + r.below(5), span(r, 0, 20), r.chance(0.7));
        let tries = u32::try_from(tries).expect("small");
        config.arq = Some(westwood_net::ArqConfig { tries, delay, in_order });
    }
    if r.chance(0.2) {
        let what = if r.chance(0.5) {
            LinkChange::Rate(rate(r, 1, 30))
        } else {
            LinkChange::Delay(span(r, 1, 80))
        };
        config.schedule = vec![Change { at: Instant::ZERO + span(r, 500, 4000), what }];
    }
    config
}

/// Queues with a proportional integral controller, and a step.
fn managed_queue(r: &mut Random, limit: Limit, ecn: bool) -> QueueConfig {
    match r.below(6) {
        5 => {
            let pie = PieConfig { limit, ecn, ..PieConfig::default() };
            QueueConfig::FqPie(FqPieConfig { pie, ..FqPieConfig::default() })
        }
        4 => QueueConfig::Cake(CakeConfig { limit, ecn, ..CakeConfig::default() }),
        3 => QueueConfig::Cobalt(CobaltConfig { limit, ecn, ..CobaltConfig::default() }),
        0 => QueueConfig::Pie(PieConfig { limit, ecn, ..PieConfig::default() }),
        1 => QueueConfig::DualPi2(DualPi2Config { limit, ..DualPi2Config::default() }),
        _ => {
            let mark_above = MarkAbove::Wait(span(r, 0, 20));
            QueueConfig::Threshold(ThresholdConfig { limit, mark_above })
        }
    }
}

pub(crate) fn tcp(r: &mut Random) -> Shared<TcpSpec> {
    let controllers: Vec<Choice> = Choice::all().collect();
    let pick = |r: &mut Random, n: usize| usize::try_from(r.below(n as u64)).expect("small");
    let controller = controllers[pick(r, controllers.len())];
    TcpSpec {
        controller,
        config: Config {
            ecn_feedback: controller.ecn_feedback(),
            ect: controller.ect(),
            recovery: Recovery::ALL[pick(r, Recovery::ALL.len())],
            sizes: Sizes {
                payload: Bytes::new([400, 1448, 1500, 9000][pick(r, 4)]),
                header: Bytes::new(52 * r.below(2)),
                ..Sizes::default()
            },
            initial_window: Segments::new(1 + r.below(10)),
            initial_ssthresh: if r.chance(0.3) {
                Segments::new(2 + r.below(60))
            } else {
                Segments::MAX
            },
            receive_window: if r.chance(0.2) { 1 + r.below(40) } else { 1 << 20 },
            acks: [
                AckPolicy::Each,
                AckPolicy::Delayed { timer: Duration::from_millis(100) },
                AckPolicy::LINUX,
            ][pick(r, 3)],
            limited_transmit: r.chance(0.7),
            rto: RtoConfig {
                min: Duration::from_millis([200, 1000][pick(r, 2)]),
                granularity: Duration::from_millis([0, 10][pick(r, 2)]),
                ..RtoConfig::default()
            },
            timestamps: r.chance(0.5),
            receiver_clock: receiver_clock(r),
            credit: if r.chance(0.5) { Credit::PerAck } else { Credit::PerSegment },
            pacing: if r.chance(0.3) { Pacing::On } else { Pacing::Off },
            ecn: r.chance(0.4),
            eln: false,
            fair_share: false,
            careful: true,
            reduce_each_timeout: false,
            ns2_habits: false,
            impatient: r.chance(0.5),
            last_ack_grows: false,
            handshake_rtt: None,
            idle_restart: r.chance(0.7),
            idle_timeout: false,
            cwnd_validation: r.chance(0.7),
            modifiers: modifiers(r),
            buffers: buffers(r),
            receiver: receiver(r),
        },
    }
    .into()
}

/// Mostly none: the clock that ACKs tell.
fn receiver_clock(r: &mut Random) -> Option<ReceiverClock> {
    let clock = ReceiverClock {
        granularity: Duration::from_millis(r.below(5)),
        drift_ppm: [-200, 0, 200][usize::try_from(r.below(3)).expect("few")],
        offset: Duration::from_secs(r.below(3)),
    };
    r.chance(0.2).then_some(clock)
}

/// Mostly honest.
fn receiver(r: &mut Random) -> ReceiverBehaviour {
    let few = |r: &mut Random| 1 + u32::try_from(r.below(8)).expect("small");
    match r.below(30) {
        0 => ReceiverBehaviour::Divide { pieces: 1 + few(r) },
        1 => ReceiverBehaviour::Spoof { extra: few(r) },
        2 => ReceiverBehaviour::Optimistic { lead: r.below(40) },
        3 => ReceiverBehaviour::Withhold { segments: 1 + few(r), time: span(r, 0, 500) },
        _ => ReceiverBehaviour::Honest,
    }
}

/// Mostly none: buffers that limit, and applications that pause.
fn buffers(r: &mut Random) -> Buffers {
    let bytes = |r: &mut Random, most: u64| u32::try_from(r.below(most)).expect("small");
    let sizes = |r: &mut Random| {
        let initial = 1 + bytes(r, 100_000);
        r.chance(0.7).then(|| BufferSizes::of(4_096, initial, initial + bytes(r, 1_000_000)))
    };
    if !r.chance(0.2) {
        return Buffers::default();
    }
    let from = Instant::ZERO + span(r, 0, 4_000);
    Buffers {
        send: sizes(r),
        receive: sizes(r),
        notsent_lowat: r.chance(0.3).then(|| 1 + bytes(r, 100_000)),
        write_size: r.chance(0.3).then(|| 1 + bytes(r, 70_000)),
        reading: if r.chance(0.3) {
            ReadMode::Paused { from, until: from + span(r, 0, 3_000) }
        } else {
            ReadMode::AtOnce
        },
    }
}

/// Mostly none: what goes beside a controller.
fn modifiers(r: &mut Random) -> Modifiers {
    let slow_start = match r.below(12) {
        0 => FirstSlowStart::HyStartPlusPlus,
        1 => FirstSlowStart::Search,
        2 => FirstSlowStart::FirstAcks,
        _ => FirstSlowStart::Standard,
    };
    let beta_ecn = if r.chance(0.2) { Ratio::new(4, 5) } else { Ratio::new(0, 1) };
    Modifiers { slow_start, beta_ecn }
}

fn traffic(r: &mut Random) -> Traffic {
    let phases = Phases::Alternating {
        on: ValueDistribution::Exponential(0.4),
        off: ValueDistribution::Uniform(0.1, 0.5),
    };
    match r.below(10) {
        0 => Traffic::Udp {
            rate: Rate::from_bits_per_s(100_000 + r.below(2_000_000)),
            size: Bytes::new(200 + r.below(1300)),
            phases: if r.chance(0.5) { phases } else { Phases::Always },
            poisson: r.chance(0.5),
        },
        1 => Traffic::ShortFlows {
            tcp: tcp(r),
            gap: ValueDistribution::Exponential(0.1),
            size: ValueDistribution::Pareto { mean: 30_000.0, shape: 1.5 },
            limit: 20,
        },
        2 => Traffic::Tcp(tcp(r), Workload::OnOff(phases)),
        3 => Traffic::Tcp(tcp(r), Workload::Limited(rate(r, 1, 5))),
        4 | 5 => Traffic::Tcp(tcp(r), Workload::Transfer(Bytes::new(1 + r.below(300_000)))),
        _ => Traffic::Tcp(tcp(r), Workload::Greedy),
    }
}
