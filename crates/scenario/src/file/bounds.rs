//! The limits of a scenario: runs, flows, links, packets and memory.

use westwood_cc::Bytes;

use super::estimate::CostEstimate;
use super::fault::Faults;
use super::location::Location;
use super::point::GridPoint;
use super::section::Located;
use super::settings::Limits;
use super::tables::Top;
use crate::error::{BadInput, counted};

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
        points: &[GridPoint],
        seeds: u64,
        place: Location,
        faults: &mut Faults,
    ) -> Option<()> {
        let each: u128 = points.iter().map(|point| point.estimate.packets).sum();
        let packets = each.saturating_mul(u128::from(seeds));
        if packets <= u128::from(self.packets) {
            return Some(());
        }
        let runs = counted((points.len() as u64).saturating_mul(seeds), "run");
        let what = format!(
            "{runs} would send about {} packets; at most {} are allowed",
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
        estimate: &CostEstimate,
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
    let mut flows = Located { value: 0_u64, place: top.time.place };
    let mut links = flows;
    if let Some(dumbbell) = &top.dumbbell {
        let d = &dumbbell.value;
        let competing_flows = d.against_cc.as_ref().map_or(0, |_| d.against_flows.value);
        let all =
            d.flows.value.saturating_add(competing_flows).saturating_add(d.reverse_flows.value);
        flows = Located { value: all, place: d.flows.place };
        links = Located { value: all.saturating_mul(4), place: d.flows.place };
    }
    for link in top.link.iter().flat_map(|links| &links.value) {
        links.value = links.value.saturating_add(link.hops.value * 2);
        links.place = link.hops.place;
    }
    for group in top.flow.iter().flat_map(|groups| &groups.value) {
        let hops = group.over.as_ref().map_or(1, |given| hops_of(&given.value));
        let hosts = group.count.value.saturating_mul(hops);
        let periods = group.active.as_ref().map_or(1, |given| given.value.len() as u64);
        let slots = group.short_flows.as_ref().map_or(1, |given| given.value.at_a_time.value);
        let connections = 1 + group.proxy.as_ref().map_or(0, |given| given.value.len() as u64);
        let all = hosts.saturating_mul(periods).saturating_mul(slots).saturating_mul(connections);
        flows = Located { value: flows.value.saturating_add(all), place: group.count.place };
        if group.rtt.is_some() || group.access_delay.is_some() {
            let all = links.value.saturating_add(hosts.saturating_mul(4));
            links = Located { value: all, place: group.count.place };
        }
    }
    let mut check = |given: Located<u64>, most: u64, kind: &str| {
        if given.value > most {
            let what = format!("{} {kind} in all; at most {most} are allowed", given.value);
            let hint = format!("lower the counts, or raise limits.{kind}");
            faults.add(given.place, BadInput::new(what).hint(hint));
        }
        given.value <= most
    };
    let flows_fit = check(flows, bounds.flows, "flows");
    (check(links, bounds.links, "links") && flows_fit).then_some(())
}

/// A count, from ten million on in millions.
fn rounded(n: u128) -> String {
    match n {
        0..10_000_000 => n.to_string(),
        _ => format!("{} million", n / 1_000_000),
    }
}
