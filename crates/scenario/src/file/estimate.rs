//! What a scenario costs, by estimate, and the limits that it must keep.

use westwood_cc::{Bytes, Duration, Rate};
use westwood_sim::{FlowSpec, Traffic, Workload};

use super::build::{Built, packets_waiting, rate_of};
use super::fault::Faults;
use super::location::Location;
use super::point::Point;
use super::section::Said;
use super::settings::Limits;
use super::tables::Top;
use crate::error::BadInput;
use crate::limits;

/// What a run costs, by estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Packets, counted at each link that is not an access link.
    pub packets: u128,
    /// Bytes of memory.
    pub memory: u128,
}

impl Estimate {
    /// What this network costs: the links are as busy as the flows that cross them can make them.
    pub(super) fn of(built: &Built) -> Self {
        let network = &built.network;
        let mut offered = vec![Rate::ZERO; network.links.len()];
        let mut smallest = vec![Bytes::new(u64::MAX); network.links.len()];
        let mut rtts = vec![Duration::ZERO; network.links.len()];
        for flow in &network.flows {
            let (rate, packet) = demand(flow);
            let ways = flow.path.iter().chain(&flow.return_path).flatten();
            let rtt = ways.fold(Duration::ZERO, |sum, &l| sum + network.links[l].config.delay);
            for &link in flow.path.iter().flatten() {
                rtts[link] = rtts[link].max(rtt);
                offered[link] = Rate::from_raw(offered[link].raw().saturating_add(rate.raw()));
                smallest[link] = smallest[link].min(packet);
            }
        }
        let mut all = Self::default();
        for &link in &built.layout.links {
            let spec = &network.links[link];
            let rate = rate_of(spec).min(offered[link]);
            let packet = smallest[link];
            let sent = packets_in(rate, network.duration, packet);
            let flying = packets_in(rate, rtts[link], packet);
            let waiting = u128::from(packets_waiting(spec, packet)).min(sent);
            all.packets += sent;
            all.memory += (flying + waiting) * PER_PACKET;
        }
        let slots: u128 = network.flows.iter().map(|f| u128::from(slots(f))).sum();
        all.memory += slots * PER_FLOW + network.links.len() as u128 * PER_LINK;
        all.memory += points(built) * PER_POINT;
        all
    }
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

fn slots(flow: &FlowSpec) -> u32 {
    match &flow.traffic {
        Traffic::ShortFlows { limit, .. } => *limit,
        Traffic::Tcp(..) | Traffic::Udp { .. } => 1,
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

/// A count, from ten million on in millions.
fn rounded(n: u128) -> String {
    match n {
        0..10_000_000 => n.to_string(),
        _ => format!("{} million", n / 1_000_000),
    }
}

/// Packets that a rate sends in a time.
fn packets_in(rate: Rate, span: Duration, packet: Bytes) -> u128 {
    let bytes = u128::from(rate.raw() >> 16) * u128::from(span.as_nanos()) / 1_000_000_000;
    bytes / u128::from(packet.get().max(1))
}

/// The limits in force.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    runs: u64,
    flows: u64,
    links: u64,
    packets: u64,
    memory: Bytes,
}

impl Bounds {
    /// Those of the file.
    pub(super) fn of(limits: &Limits) -> Self {
        Self {
            runs: limits.runs.value,
            flows: limits.flows.value,
            links: limits.links.value,
            packets: limits.packets.value,
            memory: limits.memory.value,
        }
    }

    /// Refuses a grid of too many points; `None` stands for a number beyond counting.
    pub(super) fn check_runs(
        &self,
        points: Option<usize>,
        seeds: u64,
        place: Location,
        faults: &mut Faults,
    ) -> Option<()> {
        let runs = points.and_then(|n| (n as u64).checked_mul(seeds));
        if runs.is_some_and(|runs| runs <= self.runs) {
            return Some(());
        }
        let runs = runs.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string());
        let what = format!("{runs} runs; at most {} are allowed", self.runs);
        faults
            .add(place, BadInput::new(what).hint("lower seeds or the sweep, or raise limits.runs"));
        None
    }

    /// Refuses runs that would send too many packets together.
    pub(super) fn check_work(
        &self,
        points: &[Point],
        seeds: u64,
        place: Location,
        faults: &mut Faults,
    ) -> Option<()> {
        let each: u128 = points.iter().map(|point| point.estimate.packets).sum();
        let packets = each.saturating_mul(u128::from(seeds));
        if packets <= u128::from(self.packets) {
            return Some(());
        }
        let runs = points.len() as u128 * u128::from(seeds);
        let what = format!(
            "{runs} runs would send about {} packets; at most {} are allowed",
            rounded(packets),
            rounded(u128::from(self.packets))
        );
        let hint = "lower time, rates, seeds or the sweep, or raise limits.packets";
        faults.add(place, BadInput::new(what).hint(hint));
        None
    }

    /// Refuses a run that would need too much memory.
    pub(super) fn check_memory(
        &self,
        estimate: &Estimate,
        top: &Top,
        faults: &mut Faults,
    ) -> Option<()> {
        if estimate.memory <= u128::from(self.memory.get()) {
            return Some(());
        }
        let size = |n: u128| match n {
            0..0x40_0000 => format!("{} KiB", n.div_ceil(1 << 10)),
            _ => format!("{} MiB", n.div_ceil(1 << 20)),
        };
        let what = format!(
            "a run would need about {} of memory; at most {} are allowed",
            size(estimate.memory),
            size(u128::from(self.memory.get()))
        );
        let hint = "lower buffers, delays, flows or what is recorded, or raise limits.memory";
        faults.add(top.time.place, BadInput::new(what).hint(hint));
        None
    }
}

/// Refuses tables that make too many flows or links, before any is made.
pub(super) fn check_counts(top: &Top, bounds: &Bounds, faults: &mut Faults) -> Option<()> {
    let hops_of = |name: &str| {
        let links = top.link.iter().flat_map(|links| &links.value);
        links.filter(|l| l.name.value == name).map(|l| l.hops.value).next().unwrap_or(1)
    };
    let mut flows = Said { value: 0_u64, place: top.time.place };
    let mut links = flows;
    if let Some(dumbbell) = &top.dumbbell {
        let d = &dumbbell.value;
        let rivals = d.against_cc.as_ref().map_or(0, |_| d.against_flows.value);
        let all = d.flows.value.saturating_add(rivals).saturating_add(d.reverse_flows.value);
        flows = Said { value: all, place: d.flows.place };
        links = Said { value: all.saturating_mul(4), place: d.flows.place };
    }
    for link in top.link.iter().flat_map(|links| &links.value) {
        links.value = links.value.saturating_add(link.hops.value * 2);
        links.place = link.hops.place;
    }
    for group in top.flow.iter().flat_map(|groups| &groups.value) {
        let hops = group.over.as_ref().map_or(1, |said| hops_of(&said.value));
        let hosts = group.count.value.saturating_mul(hops);
        let periods = group.active.as_ref().map_or(1, |said| said.value.len() as u64);
        let slots = group.short_flows.as_ref().map_or(1, |said| said.value.at_a_time.value);
        let all = hosts.saturating_mul(periods).saturating_mul(slots);
        flows = Said { value: flows.value.saturating_add(all), place: group.count.place };
        if group.rtt.is_some() || group.access_delay.is_some() {
            let all = links.value.saturating_add(hosts.saturating_mul(4));
            links = Said { value: all, place: group.count.place };
        }
    }
    let mut check = |said: Said<u64>, most: u64, kind: &str| {
        if said.value > most {
            let what = format!("{} {kind} in all; at most {most} are allowed", said.value);
            let hint = format!("lower the counts, or raise limits.{kind}");
            faults.add(said.place, BadInput::new(what).hint(hint));
        }
        said.value <= most
    };
    let flows_fit = check(flows, bounds.flows, "flows");
    (check(links, bounds.links, "links") && flows_fit).then_some(())
}
