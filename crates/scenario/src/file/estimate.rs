//! The cost of a run, by estimate: packets and memory.

use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_sim::{FlowSpec, Network, Phases, Traffic, ValueDistribution, Workload};

use super::build::{Built, queue_capacity, rate_of};
use crate::dumbbell::seconds;
use crate::limits;

/// The cost of a run, by estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostEstimate {
    /// Packets, counted at each link that is not an access link; the datagrams, transfers and phases that
    /// applications begin, if these are more.
    pub packets: u128,
    /// Bytes of memory.
    pub memory: u128,
}

impl CostEstimate {
    /// The cost of this network: the links are as busy as the flows that cross them can make them, each held
    /// by the narrowest link of its path.
    pub(super) fn of(built: &Built) -> Self {
        let network = &built.network;
        let loads = loads(network);
        let mut all =
            Self { packets: packets_until(built, &loads, network.duration), ..Self::default() };
        for &link in &built.layout.links {
            let (spec, load) = (&network.links[link], &loads[link]);
            let rate = rate_of(spec).min(load.offered);
            let flying = packets_in(rate, load.rtt, load.smallest);
            let sent = packets_in(rate, load.span(network.duration), load.smallest);
            let waiting = u128::from(queue_capacity(spec, load.smallest)).min(sent);
            all.memory += (flying + waiting) * PER_PACKET;
        }
        let origins = (0..network.flows.len()).map(|flow| &network.flows[network.origin(flow)]);
        let slots: u128 = origins.map(|origin| u128::from(slots(origin))).sum();
        all.memory += slots * PER_FLOW + network.links.len() as u128 * PER_LINK;
        all.memory += points(built) * PER_POINT;
        all
    }

    /// The packets of this network in its first `time`, counted as those of the whole run.
    pub fn packets_until(built: &Built, time: Duration) -> u128 {
        packets_until(built, &loads(&built.network), time)
    }
}

/// The flows that cross a link, taken together.
#[derive(Clone, Copy)]
struct LinkLoad {
    offered: Rate,
    smallest: Bytes,
    /// The longest round-trip time.
    rtt: Duration,
    /// When the first of them starts and the last one stops.
    active: (Duration, Duration),
}

impl LinkLoad {
    const NONE: Self = Self {
        offered: Rate::ZERO,
        smallest: Bytes::new(u64::MAX),
        rtt: Duration::ZERO,
        active: (Duration::MAX, Duration::ZERO),
    };

    /// How long any flow may send before `time`.
    fn span(&self, time: Duration) -> Duration {
        within(self.active, time)
    }
}

/// The load of each link.
fn loads(network: &Network) -> Vec<LinkLoad> {
    let mut loads = vec![LinkLoad::NONE; network.links.len()];
    for flow in &network.flows {
        let (asked, packet) = demand(flow);
        let crossed = flow.path.iter().flatten().map(|&link| rate_of(&network.links[link]));
        let rate = crossed.fold(asked, Rate::min);
        let ways = flow.path.iter().chain(&flow.return_path).flatten();
        let rtt = ways.fold(Duration::ZERO, |sum, &l| sum + network.links[l].config.delay);
        let (start, stop) = active(flow, network.duration);
        for &link in flow.path.iter().flatten() {
            let load = &mut loads[link];
            load.rtt = load.rtt.max(rtt);
            load.offered = Rate::from_raw(load.offered.raw().saturating_add(rate.raw()));
            load.smallest = load.smallest.min(packet);
            load.active = (load.active.0.min(start), load.active.1.max(stop));
        }
    }
    loads
}

fn packets_until(built: &Built, loads: &[LinkLoad], time: Duration) -> u128 {
    let network = &built.network;
    let sent = built.layout.links.iter().map(|&link| {
        let (rate, load) = (rate_of(&network.links[link]), &loads[link]);
        packets_in(rate.min(load.offered), load.span(time), load.smallest)
    });
    let begun = network.flows.iter().map(|flow| {
        let active = active(flow, network.duration);
        begun(flow, within(active, time))
    });
    sent.sum::<u128>().max(begun.sum())
}

/// From when to when a flow sends data, in a run of this length.
fn active(flow: &FlowSpec, duration: Duration) -> (Duration, Duration) {
    let since_zero = |at: Instant| at.since(Instant::ZERO);
    let end = flow.stop.map_or(duration, since_zero).min(duration);
    let handshake = match &flow.traffic {
        Traffic::Tcp(tcp, _) if flow.handshake => tcp.config.handshake_rtt,
        _ => None,
    };
    let begin = since_zero(flow.start) + handshake.unwrap_or(Duration::ZERO);
    (begin, end)
}

/// The part of a span that lies before `time`.
fn within((from, to): (Duration, Duration), time: Duration) -> Duration {
    to.min(time) - from
}

/// A packet in a queue, on a wire, in the sender's and the receiver's books.
const PER_PACKET: u128 = 256;
const PER_FLOW: u128 = 16 << 10;
const PER_LINK: u128 = 1 << 10;
/// A point of a time series.
const PER_POINT: u128 = 128;

/// The most that a flow sends, and its packets' size.
fn demand(flow: &FlowSpec) -> (Rate, Bytes) {
    match &flow.traffic {
        Traffic::Udp { rate, size, .. } => (*rate, *size),
        Traffic::Media(media) => (media.max_rate, media.packet),
        Traffic::Tcp(tcp, workload) => {
            let sizes = tcp.config.sizes;
            let rate = match workload {
                Workload::Limited(rate) => *rate,
                _ => limits::MAX_RATE,
            };
            (rate, sizes.payload + sizes.header)
        }
        Traffic::ShortFlows { tcp, .. } => {
            (limits::MAX_RATE, tcp.config.sizes.payload + tcp.config.sizes.header)
        }
    }
}

/// The datagrams, transfers and phases that a flow's application begins. Each takes time, even where no
/// packet of it gets beyond a full queue.
fn begun(flow: &FlowSpec, duration: Duration) -> u128 {
    let phases = |phases: &Phases| match phases {
        Phases::Always => 0,
        Phases::Alternating { on, off } => 2 * times_in(mean(on) + mean(off), duration),
    };
    match &flow.traffic {
        Traffic::Udp { rate, size, phases: of, .. } => {
            packets_in(*rate, duration, *size) + phases(of)
        }
        Traffic::ShortFlows { gap, .. } => times_in(mean(gap), duration),
        Traffic::Tcp(_, Workload::OnOff(of)) => phases(of),
        Traffic::Tcp(..) | Traffic::Media(_) => 0,
    }
}

fn mean(of: &ValueDistribution) -> f64 {
    match of {
        ValueDistribution::Constant(mean)
        | ValueDistribution::Exponential(mean)
        | ValueDistribution::Pareto { mean, .. } => *mean,
        ValueDistribution::Uniform(low, high) => f64::midpoint(*low, *high),
    }
}

/// The spans of so many seconds in a time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate, from 0 on"
)]
fn times_in(span_s: f64, duration: Duration) -> u128 {
    (seconds(duration) / span_s.max(1e-9)) as u128
}

fn slots(flow: &FlowSpec) -> u32 {
    match &flow.traffic {
        Traffic::ShortFlows { limit, .. } => *limit,
        Traffic::Tcp(..) | Traffic::Udp { .. } | Traffic::Media(_) => 1,
    }
}

/// Points of all time series. Those without a least interval may have one for each packet.
fn points(built: &Built) -> u128 {
    let network = &built.network;
    let probes = network.probes;
    let each = match probes.interval {
        Duration::ZERO => {
            let rate = built.layout.links.iter().map(|&l| rate_of(&network.links[l])).max();
            packets_in(rate.unwrap_or(Rate::ZERO), network.duration, Bytes::new(1500))
        }
        interval => u128::from(network.duration.as_nanos() / interval.as_nanos()),
    };
    let of_flows = u128::from(probes.windows)
        + u128::from(probes.rtts)
        + u128::from(probes.delivered)
        + probes.estimates.iter().count() as u128;
    let flows = network.flows.len() as u128 * of_flows;
    let links = built.layout.links.len() as u128 * u128::from(probes.queues);
    each * (flows + links)
}

/// Packets that a rate sends in a time.
fn packets_in(rate: Rate, span: Duration, packet: Bytes) -> u128 {
    let bytes = u128::from(rate.raw() >> 16) * u128::from(span.as_nanos()) / 1_000_000_000;
    bytes / u128::from(packet.get().max(1))
}
