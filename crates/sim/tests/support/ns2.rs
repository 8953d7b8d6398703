//! The scenarios of the ns-2 reference measurements, as networks.
//!
//! Common to all: 1500 bytes a packet (S7, S8: 400, S10: 9000), ACKs of 40 bytes and 8 for each SACK
//! block, delayed ACKs of 100 ms (none with Vegas), drop-tail buffers of q packets of which ns-2 lets
//! q - 1 wait, the same in both directions, and a sender as [`ns2_tcp`] has it.
#![allow(clippy::cast_precision_loss, reason = "goodputs in bit/s, for people")]

use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::{Limit, LossConfig};
use westwood_sim::{
    FlowSpec, LinkSpec, Network, Outcome, Point, Probes, TcpSpec, Traffic, Workload,
};
use westwood_tcp::{AckPolicy, Recovery};

use super::{link, ms, ns2_tcp};

/// One of ns-2's classical agents: a controller with its recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Reno,
    NewReno,
    Sack,
    Vegas,
}

impl Agent {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::NewReno => "newreno",
            Self::Sack => "sack",
            Self::Vegas => "vegas",
        }
    }

    /// The agent's sender; `modern` with timestamps and an initial window of three segments.
    pub(crate) fn tcp(self, modern: bool) -> TcpSpec {
        let (controller, recovery) = match self {
            Self::Reno => ("reno", Recovery::Reno),
            Self::NewReno => ("reno", Recovery::NewReno),
            Self::Sack => ("reno", Recovery::Sack),
            Self::Vegas => ("vegas", Recovery::Reno),
        };
        let mut tcp = ns2_tcp(controller, recovery);
        if modern {
            tcp.config.timestamps = true;
            tcp.config.initial_window = Segments::new(3);
        }
        if self == Self::Vegas {
            tcp.config.acks = AckPolicy::Each;
            // ns-2's agent remembers when it sent each segment.
            tcp.config.timestamps = true;
            tcp.config.initial_window += Segments::ONE;
        }
        tcp
    }

    /// When the initial window leaves, after the start. ns-2's first packet, of 40 bytes, stands for
    /// the handshake and gives a round-trip time sample. Vegas looks for its acknowledgment before it counts it: it sends one more packet
    /// alone, and the ACK of that one sets the initial window and then, as in every other round of
    /// slow start, adds one.
    fn opening(self, rtt: Duration) -> Duration {
        if self == Self::Vegas { rtt * 2 } else { rtt }
    }
}

pub(crate) const fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

/// ns-2's limit of a buffer of `share_percent` of the bandwidth-delay product, in packets.
fn limit(rate: Rate, rtt: Duration, packet: u64, percent: u64) -> u64 {
    rate.bits_per_s() * (rtt.as_nanos() / 1_000) * percent / (100 * 8_000_000 * packet)
}

/// A network under construction.
struct Plan(Network);

impl Plan {
    fn new(seed: u64, seconds: u64) -> Self {
        Self(Network {
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            seed,
            duration: Duration::from_secs(seconds),
            warmup: Duration::ZERO,
            probes: Probes { delivered: true, interval: ms(100), ..Probes::default() },
        })
    }

    fn node(&mut self) -> usize {
        self.0.nodes.push(format!("n{}", self.0.nodes.len()));
        self.0.nodes.len() - 1
    }

    /// A link each way; returns the place of the one from `a` to `b`.
    fn duplex(&mut self, a: usize, b: usize, rate: Rate, delay: Duration, queue: Limit) -> usize {
        for (from, to) in [(a, b), (b, a)] {
            let config = link(rate, delay, queue);
            self.0.links.push(LinkSpec { name: format!("{from}-{to}"), from, to, config });
        }
        self.0.links.len() - 2
    }

    /// Routers `r1`, `r2` with the bottleneck between them; returns them and its link.
    fn bottleneck(&mut self, rate: Rate, delay: Duration, limit: u64) -> (usize, usize, usize) {
        let (a, b) = (self.node(), self.node());
        (a, b, self.duplex(a, b, rate, delay, Limit::Packets(limit - 1)))
    }

    /// A host at each router such that the way there and back propagates in `rtt`.
    fn pair(&mut self, r: (usize, usize, usize), rtt: Duration, access: Rate) -> (usize, usize) {
        let edge = (rtt / 2 - self.0.links[r.2].config.delay) / 2;
        let (a, b) = (self.node(), self.node());
        self.duplex(a, r.0, access, edge, Limit::Unlimited);
        self.duplex(r.1, b, access, edge, Limit::Unlimited);
        (a, b)
    }

    fn lossy(&mut self, link: usize, p: f64) {
        if p > 0.0 {
            self.0.links[link].config.losses = vec![LossConfig::Bernoulli { p }];
        }
    }

    /// A greedy flow from 0.01 s on, or from up to a second after `start`.
    fn flow(
        &mut self,
        ends: (usize, usize),
        agent: Agent,
        tcp: TcpSpec,
        rtt: Duration,
        start: Start,
    ) {
        let mut tcp = tcp;
        tcp.config.handshake_rtt = Some(rtt);
        let opening = agent.opening(rtt);
        let (start, start_jitter, stop) = match start {
            Start::At(t) => (t, Duration::ZERO, None),
            Start::Within(t) => (t, Duration::from_secs(1), None),
            Start::During(s, e) => (at(s), Duration::from_secs(1), Some(at(e))),
        };
        self.0.flows.push(FlowSpec {
            name: format!("f{}", self.0.flows.len()),
            from: ends.0,
            to: ends.1,
            path: None,
            return_path: None,
            start: start + opening,
            start_jitter,
            stop,
            traffic: Traffic::Tcp(tcp, Workload::Greedy),
        });
    }

    /// Ten newreno flows against the direction of `r`, of round-trip times from 46 to 250 ms or all
    /// of 250 ms.
    fn reverse(&mut self, r: (usize, usize, usize), spread: bool, start: Start) {
        for i in 0..10_u64 {
            let us = if spread { 46_000 + 204_000 * i / 9 } else { 250_000 };
            let (a, b) = self.pair(r, Duration::from_micros(us), mbit(100));
            self.flow(
                (b, a),
                Agent::NewReno,
                Agent::NewReno.tcp(true),
                Duration::from_micros(us),
                start,
            );
        }
    }
}

/// When a flow sends.
#[derive(Clone, Copy)]
enum Start {
    At(Instant),
    Within(Instant),
    /// From within a second of the first to the other, in seconds.
    During(u64, u64),
}

const fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

const FIRST: Instant = Instant::from_nanos(10_000_000);

/// S1: 2 Mbit/s, 250 ms, buffer 41, 1000 s; ten reverse flows in [250, 500] and [750, 1000] s.
pub(crate) fn s1(agent: Agent, spread: bool, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 1_000);
    let r = plan.bottleneck(mbit(2), ms(10), 41);
    let ends = plan.pair(r, ms(250), mbit(100));
    plan.flow(ends, agent, agent.tcp(true), ms(250), Start::At(FIRST));
    plan.reverse(r, spread, Start::During(250, 500));
    plan.reverse(r, spread, Start::During(750, 1_000));
    plan.0
}

/// S2: 100 Mbit/s, 180 ms, access 1 Gbit/s, buffer 300, loss on data, 500 s.
pub(crate) fn s2(agent: Agent, loss: f64, delayed_acks: bool, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 500);
    let r = plan.bottleneck(mbit(100), ms(10), 300);
    plan.lossy(r.2, loss);
    let ends = plan.pair(r, ms(180), mbit(1_000));
    let mut tcp = agent.tcp(false);
    if !delayed_acks {
        tcp.config.acks = AckPolicy::Each;
    }
    plan.flow(ends, agent, tcp, ms(180), Start::At(FIRST));
    plan.0
}

/// S4: 250 ms, a buffer of the bandwidth-delay product, loss both ways, 500 s.
pub(crate) fn s4(agent: Agent, rate: Rate, loss: f64, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 500);
    let r = plan.bottleneck(rate, ms(10), limit(rate, ms(250), 1_500, 100).max(10));
    plan.lossy(r.2, loss);
    plan.lossy(r.2 + 1, loss);
    let ends = plan.pair(r, ms(250), mbit(1_000));
    plan.flow(ends, agent, agent.tcp(false), ms(250), Start::At(FIRST));
    plan.0
}

/// S5: 10 Mbit/s, buffer 208; `m` flows of round-trip times 20 + 230 i/m ms, ten reverse flows, 500 s.
pub(crate) fn s5(agent: Agent, m: u64, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 500);
    let r = plan.bottleneck(mbit(10), ms(10), 208);
    for i in 1..=m {
        let rtt = Duration::from_micros(20_000 + 230_000 * i / m);
        let ends = plan.pair(r, rtt, mbit(100));
        plan.flow(ends, agent, agent.tcp(true), rtt, Start::Within(FIRST));
    }
    plan.reverse(r, true, Start::Within(FIRST));
    plan.0
}

/// S6: C1 from 10 s on through `hops` links of 10 Mbit/s and 10 ms with buffers of 125, one cross flow
/// each way over each; entry and exit 100 Mbit/s, 20 ms; 300 s. Flow 0 is C1, flow 1 + 2 i the cross
/// flow over hop i with it, flow 2 + 2 i the one against it.
pub(crate) fn s6(agent: Agent, cross: Agent, hops: usize, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 300);
    let routers: Vec<usize> = (0..=hops).map(|_| plan.node()).collect();
    for w in routers.windows(2) {
        plan.duplex(w[0], w[1], mbit(10), ms(10), Limit::Packets(124));
    }
    let host = |plan: &mut Plan, router: usize| {
        let h = plan.node();
        plan.duplex(h, router, mbit(100), ms(20), Limit::Unlimited);
        h
    };
    let ends = (host(&mut plan, routers[0]), host(&mut plan, routers[hops]));
    plan.flow(ends, agent, agent.tcp(true), ms(80 + 20 * hops as u64), Start::At(at(10)));
    for w in routers.windows(2) {
        for (from, to) in [(w[0], w[1]), (w[1], w[0])] {
            let ends = (host(&mut plan, from), host(&mut plan, to));
            plan.flow(ends, cross, cross.tcp(true), ms(100), Start::Within(FIRST));
        }
    }
    plan.0
}

/// S7: 10 Mbit/s, 45 ms, then 2 Mbit/s, 0.01 ms with loss both ways; 400-byte packets, buffer 56, 300 s.
pub(crate) fn s7(agent: Agent, loss: f64, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 300);
    let (s, b, d) = (plan.node(), plan.node(), plan.node());
    plan.duplex(s, b, mbit(10), ms(45), Limit::Packets(55));
    let last = plan.duplex(b, d, mbit(2), Duration::from_micros(10), Limit::Packets(55));
    plan.lossy(last, loss);
    plan.lossy(last + 1, loss);
    let mut tcp = agent.tcp(false);
    tcp.config.sizes.payload = Bytes::new(400);
    plan.flow((s, d), agent, tcp, ms(90), Start::At(FIRST));
    plan.0
}

/// S8: 20 flows over 2 Mbit/s, 100 ms, 400-byte packets, buffer 62; 300 s.
pub(crate) fn s8(agent: Agent, seed: u64) -> Network {
    let mut plan = Plan::new(seed, 300);
    let r = plan.bottleneck(mbit(2), ms(10), 62);
    for _ in 0..20 {
        let ends = plan.pair(r, ms(100), mbit(100));
        let mut tcp = agent.tcp(false);
        tcp.config.sizes.payload = Bytes::new(400);
        plan.flow(ends, agent, tcp, ms(100), Start::Within(FIRST));
    }
    plan.0
}

/// S10: 265 ms of which 200 ms on the bottleneck, 9000-byte packets, a buffer of a quarter of the
/// bandwidth-delay product; 300 s.
pub(crate) fn s10(agent: Agent, rate: Rate) -> Network {
    let mut plan = Plan::new(1, 300);
    let r = plan.bottleneck(rate, ms(100), limit(rate, ms(265), 9_000, 25));
    let ends = plan.pair(r, ms(265), Rate::from_bits_per_s(rate.bits_per_s() * 10));
    let mut tcp = agent.tcp(false);
    tcp.config.sizes.payload = Bytes::new(9_000);
    tcp.config.receive_window = 1_000_000;
    tcp.config.initial_ssthresh = Segments::new(1_000_000);
    plan.flow(ends, agent, tcp, ms(265), Start::At(FIRST));
    plan.0
}

/// A flow's goodput in bit/s between two times, in seconds.
pub(crate) fn goodput(outcome: &Outcome, flow: usize, from: u64, to: u64) -> f64 {
    let until = |t: u64| {
        let points = outcome.records.iter().take_while(|r| r.at <= at(t));
        let of_flow = points.filter_map(|r| match r.what {
            Point::Delivered { flow: f, bytes } if f == flow => Some(bytes),
            _ => None,
        });
        of_flow.last().unwrap_or(0)
    };
    (until(to) - until(from)) as f64 * 8.0 / (to - from) as f64
}

/// Jain's index of fairness.
pub(crate) fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    sum * sum / (shares.len() as f64 * shares.iter().map(|x| x * x).sum::<f64>())
}
