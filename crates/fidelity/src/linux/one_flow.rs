//! One flow over a bottleneck, beside those in the other direction: L1 to L3, L5, L7, L9, L10 and L12 to L17.

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Rate, Segments};
use westwood_net::{
    Capacity, Jitter, JitterDistribution, Limit, LinkConfig, LossConfig, PolicerConfig, QueueConfig,
};
use westwood_sim::{Network, NodeId, TcpSpec};
use westwood_tcp::Pacing;

use super::links::{FAST, NO_DELAY, PACKET, bottleneck, mbit_and_fraction, ms, sizes};
use super::{queues, recorded};
use crate::judge::RowClass;
use crate::measure::at;
use crate::params::{Params, Unreadable};
use crate::table::LinuxRow;
use crate::topology::{SendingPeriod, Topology, link};

/// One flow over one bottleneck, beside those in the other direction.
#[derive(Clone, Debug)]
pub(super) struct LinuxPath {
    capacity: Capacity,
    /// ms.
    rtt: u64,
    /// Packets that wait beside the one in service.
    buffer: u64,
    loss: Option<LossConfig>,
    /// Not drop-tail.
    queue: Option<QueueConfig>,
    /// Connections negotiate ECN, and the queue marks.
    ecn: bool,
    /// Flows in the other direction, over a link of the same rate and buffer.
    back: u64,
    /// The sender's host has the kernel's fq.
    fq: bool,
    /// A bottleneck of the ACKs' own: its rate, and packets that wait.
    return_link: Option<(Rate, u64)>,
    /// Up to so much more delay for each packet of data, at random: packets overtake each other.
    jitter: Option<Duration>,
    /// In front of the bottleneck.
    policer: Option<PolicerConfig>,
    /// ACKs that are lost.
    ack_loss: Option<LossConfig>,
    /// The longest packet, in bytes.
    mtu: u64,
    /// Both hosts have timestamps.
    timestamps: bool,
    /// Seconds.
    end: f64,
}

/// The path that a row spells out, if its group [does](is_spelt_out): `rate=2;rtt=300;buffer=25;loss=0.02`.
/// Bursts of losses have `p` and `r` in place of `loss`, and capacity over time a trace in place of `rate`; a
/// return link of its own has `return` Mbit/s and room for `acks` packets, and `jitter` is in us. A policer
/// lets `police` Mbit/s and a `burst` of packets pass. Nothing here answers to `gso=1`: hosts send segments.
pub(super) fn other_path(row: &LinuxRow, end: f64) -> Result<LinuxPath, Unreadable> {
    let mut given = Params::parse(&row.x)?;
    let missing = |name: &str| Unreadable(format!("'{}' does not say the {name}", row.x));
    let capacity = if let Some(trace) = recorded::trace(&mut given)? {
        trace
    } else {
        let rate = given.number("rate")?.ok_or_else(|| missing("rate"))?;
        Capacity::Fixed(mbit_and_fraction(rate))
    };
    let rtt = given.count("rtt")?.ok_or_else(|| missing("rtt"))?;
    let buffer = given.count("buffer")?.ok_or_else(|| missing("buffer"))?;
    let ecn = given.count("ecn")?.unwrap_or(0) == 1;
    let loss = match (given.number("p")?, given.number("r")?) {
        (Some(p), Some(r)) => Some(LossConfig::GilbertElliott { p, r, p_good: 0.0, p_bad: 1.0 }),
        _ => independent(given.number("loss")?.unwrap_or(0.0)),
    };
    let return_link = match (given.number("return")?, given.count("acks")?) {
        (Some(rate), Some(buffer)) => Some((mbit_and_fraction(rate), buffer)),
        (None, None) => None,
        _ => return Err(missing("return link's rate or room")),
    };
    let mtu = given.count("mtu")?.unwrap_or(PACKET);
    let policer = match (given.number("police")?, given.count("burst")?) {
        (Some(rate), Some(burst)) => {
            let burst = Bytes::new(burst.saturating_mul(mtu));
            Some(PolicerConfig { rate: mbit_and_fraction(rate), burst })
        }
        (None, None) => None,
        _ => return Err(missing("policer's rate or burst")),
    };
    given.count("gso")?;
    let path = LinuxPath {
        capacity,
        return_link,
        policer,
        mtu,
        ack_loss: independent(given.number("ackloss")?.unwrap_or(0.0)),
        timestamps: given.count("ts")?.unwrap_or(1) == 1,
        jitter: given.count("jitter")?.map(Duration::from_micros),
        queue: queues::queue(&mut given, buffer, ecn)?,
        ecn,
        loss,
        back: given.count("back")?.unwrap_or(0),
        fq: given.count("fq")?.unwrap_or(0) == 1,
        ..LinuxPath::plain(FAST, rtt, buffer, end)
    };
    given.nothing_left()?;
    Ok(path)
}

pub(super) fn independent(p: f64) -> Option<LossConfig> {
    (p > 0.0).then_some(LossConfig::Bernoulli { p })
}

impl LinuxPath {
    /// One flow over a drop-tail queue, without loss.
    pub(super) const fn plain(rate: Rate, rtt: u64, buffer: u64, end: f64) -> Self {
        let capacity = Capacity::Fixed(rate);
        Self {
            capacity,
            rtt,
            buffer,
            loss: None,
            queue: None,
            ecn: false,
            back: 0,
            fq: false,
            return_link: None,
            jitter: None,
            policer: None,
            ack_loss: None,
            mtu: PACKET,
            timestamps: true,
            end,
        }
    }

    /// The same, with losses.
    pub(super) fn losing(self, loss: Option<LossConfig>) -> Self {
        Self { loss, ..self }
    }

    /// Losses so rare that one early loss is remembered for the whole run have a heavy tail. Flows back start
    /// at other times in each run.
    pub(super) fn class(&self) -> RowClass {
        match self.loss {
            _ if self.back > 0 || self.jitter.is_some() || self.ack_loss.is_some() => {
                RowClass::Chance
            }
            _ if self.queue.as_ref().is_some_and(queues::draws) => RowClass::Chance,
            None => RowClass::Exact,
            Some(LossConfig::Bernoulli { p } | LossConfig::GilbertElliott { p, .. })
                if p < 1e-3 =>
            {
                RowClass::HeavyTailed
            }
            Some(_) => RowClass::Chance,
        }
    }

    pub(super) fn network(&self, tcp: &TcpSpec, seed: u64) -> Network {
        let mut net = Topology::new(seed, at(self.end).since(at(0.0)));
        let jitter = self
            .jitter
            .map(|most| Jitter { spread: JitterDistribution::Uniform { most }, reorder: true });
        let there = bottleneck(self.capacity.clone(), self.buffer, self.queue);
        let there = LinkConfig { jitter, policer: self.policer, ..there };
        // Without flows back the whole round-trip time is on the ACK side, and no bottleneck.
        let sides = if let Some((rate, buffer)) = self.return_link {
            let back = bottleneck(Capacity::Fixed(rate), buffer, None);
            two_ways(&mut net, there, back, ms(self.rtt) / 2)
        } else if self.back > 0 {
            two_ways(&mut net, there.clone(), there, ms(self.rtt) / 2)
        } else {
            let (a, b) = (net.node(), net.node());
            net.simplex(a, b, there);
            let back = net.simplex(b, a, link(FAST, ms(self.rtt), Limit::Unlimited));
            if let Some(loss) = &self.ack_loss {
                net.lossy(back, loss.clone());
            }
            (a, b)
        };
        if let Some(loss) = &self.loss {
            net.lossy(0, loss.clone());
        }
        let rtt = ms(self.rtt);
        let mut tcp = *tcp;
        tcp.config.ecn |= self.ecn;
        tcp.config.timestamps = self.timestamps;
        tcp.config.sizes = sizes(self.mtu, self.timestamps);
        if self.fq {
            tcp.config.pacing = Pacing::Fq;
        }
        if let Choice::Hybla(hybla) = tcp.controller {
            tcp.config.initial_window = rho(rtt, hybla.rtt0);
        }
        tcp.config.handshake_rtt = Some(rtt);
        net.flow(sides, tcp, SendingPeriod::opening(at(0.0)));
        for k in 1..=self.back {
            let start = at(start_back(seed, k));
            net.flow((sides.1, sides.0), tcp, SendingPeriod::opening(start));
        }
        net.network()
    }
}

/// When the k-th flow back starts in the n-th run, in s: spread evenly over 5 s, whatever the number of runs.
#[expect(clippy::cast_precision_loss, reason = "numbers of runs and flows are small")]
fn start_back(n: u64, k: u64) -> f64 {
    5.0 * (0.618 * n as f64 + 0.382 * k as f64).fract()
}

/// The bottleneck first, then that of the other direction, and behind both so much delay. Returns the two
/// ends.
fn two_ways(
    net: &mut Topology,
    there: LinkConfig,
    back: LinkConfig,
    delay: Duration,
) -> (NodeId, NodeId) {
    let (r1, r2, c, s) = (net.node(), net.node(), net.node(), net.node());
    net.simplex(r1, r2, there);
    net.simplex(r2, r1, back);
    net.simplex(c, r1, link(FAST, NO_DELAY, Limit::Unlimited));
    net.simplex(r1, c, link(FAST, delay, Limit::Unlimited));
    net.simplex(r2, s, link(FAST, delay, Limit::Unlimited));
    net.simplex(s, r2, link(FAST, NO_DELAY, Limit::Unlimited));
    (c, s)
}

/// Hybla's first flight, which its module takes from the handshake (`hybla_init`): whole multiples of the
/// reference round-trip time.
fn rho(handshake: Duration, reference: Duration) -> Segments {
    Segments::new(handshake.as_nanos() / reference.as_nanos().max(1)).max(Segments::ONE)
}
