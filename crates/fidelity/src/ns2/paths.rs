//! The paths S1 to S10 and the plain dumbbell D.

use westwood_cc::{Bytes, Duration, Instant, Rate, Segments};
use westwood_net::{Limit, LossConfig, Sojourns};
use westwood_sim::{LinkId, Network, NodeId, TcpSpec};
use westwood_tcp::AckPolicy;

use super::Agent;
use crate::topology::{SendingPeriod, Topology};

const FIRST: Instant = Instant::from_nanos(10_000_000);

/// An ACK, and the first packet of all but Vegas.
const ACK: Bytes = Bytes::new(40);

const fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

const fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

/// ns-2's limit of `share` bandwidth-delay products, truncated to whole packets.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the truncation is the reference's own, in the same floating point"
)]
pub(super) fn limit(rate: Rate, rtt: Duration, packet: u64, share: f64) -> u64 {
    let seconds = rtt.as_nanos() as f64 / 1e9;
    (share * (rate.bits_per_s() as f64 * seconds / (8.0 * packet as f64))) as u64
}

fn transmission_time(size: Bytes, rate: Rate) -> Duration {
    let bit_ns = size.get() * 8 * 1_000_000_000;
    Duration::from_nanos(bit_ns / rate.bits_per_s().max(1))
}

/// Two routers and the link from the first to the second.
#[derive(Clone, Copy)]
struct Bottleneck(NodeId, NodeId, LinkId);

/// ns-2's limit counts the packet in service.
fn bottleneck(net: &mut Topology, rate: Rate, delay: Duration, limit: u64) -> Bottleneck {
    let (a, b) = (net.node(), net.node());
    Bottleneck(a, b, net.duplex(a, b, rate, delay, Limit::Packets(limit.saturating_sub(1))))
}

/// A host at each router such that the way there and back propagates in `rtt`.
fn pair(net: &mut Topology, r: Bottleneck, rtt: Duration, access: Rate) -> (NodeId, NodeId) {
    let rest = rtt / 2 - net.delay(r.2);
    let edge = (rest / 2).max(Duration::from_nanos(1));
    let (a, b) = (net.node(), net.node());
    net.duplex(a, r.0, access, edge, Limit::Unlimited);
    net.duplex(r.1, b, access, edge, Limit::Unlimited);
    (a, b)
}

/// Bernoulli losses behind a link.
fn lossy(net: &mut Topology, link: LinkId, p: f64) {
    if p > 0.0 {
        net.lossy(link, LossConfig::Bernoulli { p });
    }
}

/// A greedy flow whose agent opens the connection at the span's start.
fn flow(
    net: &mut Topology,
    ends: (NodeId, NodeId),
    agent: Agent,
    mut tcp: TcpSpec,
    rtt: Duration,
    span: SendingPeriod,
) {
    tcp.config.handshake_rtt = Some(rtt);
    net.flow(ends, tcp, SendingPeriod { start: span.start + agent.opening(rtt), ..span });
}

/// Ten newreno flows against the direction of `r`, of round-trip times from 46 to 250 ms or all of
/// 250 ms.
fn reverse(net: &mut Topology, r: Bottleneck, spread: bool, span: SendingPeriod) {
    for i in 0..10_u64 {
        let us = if spread { 46_000 + 204_000 * i / 9 } else { 250_000 };
        let rtt = Duration::from_micros(us);
        let (a, b) = pair(net, r, rtt, mbit(100));
        flow(net, (b, a), Agent::NewReno, Agent::NewReno.tcp(true), rtt, span);
    }
}

/// An agent's sender with or without delayed ACKs at its receiver.
fn acked(agent: Agent, modern: bool, delayed_acks: bool) -> TcpSpec {
    let mut tcp = agent.tcp(modern);
    if !delayed_acks {
        tcp.config.acks = Agent::acks(false);
    }
    tcp
}

fn of_packets(agent: Agent, bytes: u64) -> TcpSpec {
    let mut tcp = agent.tcp(false);
    tcp.config.sizes.payload = Bytes::new(bytes);
    tcp
}

/// S1: 2 Mbit/s, 250 ms, buffer 41, 1000 s; ten reverse flows in [250, 500] and [750, 1000] s.
pub(super) fn s1(agent: Agent, spread: bool, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(1_000));
    let r = bottleneck(&mut net, mbit(2), ms(10), 41);
    let ends = pair(&mut net, r, ms(250), mbit(100));
    flow(&mut net, ends, agent, agent.tcp(true), ms(250), SendingPeriod::from(FIRST));
    for (from, to) in [(250, 500), (750, 1_000)] {
        let span =
            SendingPeriod { stop: Some(at(to)), ..SendingPeriod::within_a_second_of(at(from)) };
        reverse(&mut net, r, spread, span);
    }
    net.network()
}

/// One flow over a dumbbell, greedy for a while.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ns2Dumbbell {
    pub(super) rate: Rate,
    pub(super) rtt: Duration,
    /// One way.
    pub(super) bottleneck_delay: Duration,
    pub(super) access: Rate,
    /// ns-2's limit in packets.
    pub(super) limit: u64,
    /// Loss in the data direction.
    pub(super) loss: f64,
    /// Loss of ACKs.
    pub(super) return_loss: f64,
    pub(super) delayed_acks: bool,
    pub(super) seconds: u64,
    /// The time at which the agent opens the connection.
    pub(super) start: Instant,
}

impl Ns2Dumbbell {
    /// S3: 10 Mbit/s, 250 ms, so many bandwidth-delay products of buffer, 500 s.
    pub(super) fn s3(share: f64) -> Self {
        Self {
            rate: mbit(10),
            rtt: ms(250),
            bottleneck_delay: ms(10),
            access: mbit(100),
            limit: limit(mbit(10), ms(250), 1_500, share),
            loss: 0.0,
            return_loss: 0.0,
            delayed_acks: true,
            seconds: 500,
            start: FIRST,
        }
    }

    /// S2: 100 Mbit/s, 180 ms, access 1 Gbit/s, buffer 300, loss on data, 500 s.
    pub(super) fn s2(loss: f64, delayed_acks: bool) -> Self {
        let (rate, access) = (mbit(100), mbit(1_000));
        Self { rate, rtt: ms(180), access, limit: 300, loss, delayed_acks, ..Self::s3(1.0) }
    }

    /// S4: 250 ms, a buffer of the bandwidth-delay product, at least 10, loss both ways, 500 s.
    pub(super) fn s4(rate: Rate, loss: f64) -> Self {
        let limit = limit(rate, ms(250), 1_500, 1.0).max(10);
        Self { rate, access: mbit(1_000), limit, loss, return_loss: loss, ..Self::s3(1.0) }
    }

    /// D: any rate, round-trip time, buffer and loss on data; 10 ms of one way on the bottleneck, half
    /// of a shorter way; access links ten times faster; 300 s.
    pub(super) fn plain(rate: Rate, rtt: Duration, limit: u64, loss: f64) -> Self {
        Self {
            rate,
            rtt,
            bottleneck_delay: ms(10).min(rtt / 4),
            access: Rate::from_bits_per_s(rate.bits_per_s() * 10),
            limit,
            loss,
            seconds: 300,
            ..Self::s3(1.0)
        }
    }

    pub(super) fn network(&self, agent: Agent, seed: u64) -> Network {
        self.with(agent, &acked(agent, false, self.delayed_acks), self.rtt, seed)
    }

    /// D's network. At its low rates the time that the agent's first packet takes is not that of
    /// propagation alone, and Vegas, whose first packet is a whole segment, sees it in its timeout.
    pub(super) fn opened(&self, agent: Agent, tcp: &TcpSpec, seed: u64) -> Network {
        let vegas = agent == Agent::Vegas;
        let first = if vegas { tcp.config.sizes.payload } else { ACK };
        let sent = |size: Bytes| {
            transmission_time(size, self.rate) + transmission_time(size, self.access) * 2
        };
        let opening = self.rtt + sent(first) + sent(ACK);
        // The second packet of Vegas, alone as well, waits for the receiver's timer.
        let waits = match tcp.config.acks {
            AckPolicy::Delayed { timer } if vegas => timer,
            _ => Duration::ZERO,
        };
        Self { start: self.start + waits, ..*self }.with(agent, tcp, opening, seed)
    }

    fn with(&self, agent: Agent, tcp: &TcpSpec, opening: Duration, seed: u64) -> Network {
        let mut net = Topology::new(seed, Duration::from_secs(self.seconds));
        let r = bottleneck(&mut net, self.rate, self.bottleneck_delay, self.limit);
        lossy(&mut net, r.2, self.loss);
        lossy(&mut net, r.2 + 1, self.return_loss);
        let ends = pair(&mut net, r, self.rtt, self.access);
        flow(&mut net, ends, agent, *tcp, opening, SendingPeriod::from(self.start));
        net.network()
    }
}

/// S5: 10 Mbit/s, buffer 208; `m` flows of round-trip times 20 + 230 i/m ms, ten reverse flows, 500 s.
pub(super) fn s5(agent: Agent, m: u64, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(500));
    let r = bottleneck(&mut net, mbit(10), ms(10), 208);
    let span = SendingPeriod::within_a_second_of(FIRST);
    for i in 1..=m {
        let rtt = Duration::from_micros(20_000 + 230_000 * i / m);
        let ends = pair(&mut net, r, rtt, mbit(100));
        flow(&mut net, ends, agent, agent.tcp(true), rtt, span);
    }
    reverse(&mut net, r, true, span);
    net.network()
}

/// S6: C1 from 10 s on through `hops` links of 10 Mbit/s and 10 ms with buffers of 125, one cross flow
/// each way over each; entry and exit 100 Mbit/s, 20 ms; 300 s. Flow 0 is C1, flow 1 + 2 i the cross
/// flow over hop i with it, flow 2 + 2 i the one against it.
pub(super) fn s6(agent: Agent, cross: Agent, hops: u64, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(300));
    let routers: Vec<NodeId> = (0..=hops).map(|_| net.node()).collect();
    for w in routers.windows(2) {
        net.duplex(w[0], w[1], mbit(10), ms(10), Limit::Packets(124));
    }
    let host = |net: &mut Topology, router: NodeId| {
        let h = net.node();
        net.duplex(h, router, mbit(100), ms(20), Limit::Unlimited);
        h
    };
    let ends = (host(&mut net, routers[0]), host(&mut net, routers[routers.len() - 1]));
    flow(&mut net, ends, agent, agent.tcp(true), ms(80 + 20 * hops), SendingPeriod::from(at(10)));
    for w in routers.windows(2) {
        for (from, to) in [(w[0], w[1]), (w[1], w[0])] {
            let ends = (host(&mut net, from), host(&mut net, to));
            let span = SendingPeriod::within_a_second_of(FIRST);
            flow(&mut net, ends, cross, cross.tcp(true), ms(100), span);
        }
    }
    net.network()
}

/// S7: 10 Mbit/s, 45 ms, then 2 Mbit/s, 0.01 ms with loss both ways; 400-byte packets, buffer 56,
/// 300 s.
pub(super) fn s7(agent: Agent, loss: f64, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(300));
    let (s, b, d) = (net.node(), net.node(), net.node());
    net.duplex(s, b, mbit(10), ms(45), Limit::Packets(55));
    let last = net.duplex(b, d, mbit(2), Duration::from_micros(10), Limit::Packets(55));
    lossy(&mut net, last, loss);
    lossy(&mut net, last + 1, loss);
    flow(&mut net, (s, d), agent, of_packets(agent, 400), ms(90), SendingPeriod::from(FIRST));
    net.network()
}

/// S8: 20 flows over 2 Mbit/s, 100 ms, 400-byte packets, buffer 62; 300 s.
pub(super) fn s8(agent: Agent, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(300));
    let r = bottleneck(&mut net, mbit(2), ms(10), 62);
    for _ in 0..20 {
        let ends = pair(&mut net, r, ms(100), mbit(100));
        let span = SendingPeriod::within_a_second_of(FIRST);
        flow(&mut net, ends, agent, of_packets(agent, 400), ms(100), span);
    }
    net.network()
}

/// S9: 100 Mbit/s 10 ms, 10 Mbit/s 95 ms with a buffer of 208, 2 Mbit/s 20 ms with a buffer of 41 and
/// a Gilbert chain each way: 1 s Good without loss, `bad` with 10 %; 300 s.
pub(super) fn s9(agent: Agent, bad: Duration, delayed_acks: bool, seed: u64) -> Network {
    let mut net = Topology::new(seed, Duration::from_secs(300));
    let (s, r, b, d) = (net.node(), net.node(), net.node(), net.node());
    net.duplex(s, r, mbit(100), ms(10), Limit::Unlimited);
    net.duplex(r, b, mbit(10), ms(95), Limit::Packets(207));
    let last = net.duplex(b, d, mbit(2), ms(20), Limit::Packets(40));
    for link in [last, last + 1] {
        net.lossy(
            link,
            LossConfig::Gilbert { good: ms(1_000), bad, p: 0.1, sojourns: Sojourns::Clock },
        );
    }
    let tcp = acked(agent, true, delayed_acks);
    flow(&mut net, (s, d), agent, tcp, ms(250), SendingPeriod::from(FIRST));
    net.network()
}

/// S10: 265 ms of which 200 ms on the bottleneck, 9000-byte packets, a buffer of a quarter of the
/// bandwidth-delay product; 300 s.
pub(super) fn s10(agent: Agent, rate: Rate) -> Network {
    let path = Ns2Dumbbell {
        rate,
        rtt: ms(265),
        bottleneck_delay: ms(100),
        access: Rate::from_bits_per_s(rate.bits_per_s() * 10),
        limit: limit(rate, ms(265), 9_000, 0.25),
        seconds: 300,
        ..Ns2Dumbbell::s3(1.0)
    };
    let mut tcp = of_packets(agent, 9_000);
    tcp.config.receive_window = 1_000_000;
    tcp.config.initial_ssthresh = Segments::new(1_000_000);
    path.with(agent, &tcp, path.rtt, 1)
}
