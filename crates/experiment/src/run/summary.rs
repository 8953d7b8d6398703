//! From a run's outcome to its summary.

use westwood_sim::{FlowOutcome, Histogram, LinkOutcome, Traffic, Workload};

use super::conduct::{carried, conduct, delay_ms};
use super::record::{
    FrameRecord, GroupFlow, GroupRecord, LinkRecord, RunRecord, RunResult, Transfers,
};
use crate::results::{Conduct, Drops, FlowResult, QueuePackets, RttMs, RunSummary};
use crate::stats::{jain, mean};
use crate::world::WorldOutcome;
use westwood_scenario::dumbbell::{bps, millis, seconds};
use westwood_scenario::file::{Built, COMPETING_GROUP, FlowGroup, GridPoint, rate_of};
use westwood_scenario::sorting::sort_places;

/// The results of a run, its time series taken out of the outcome.
pub(super) fn summarize(
    point: &GridPoint,
    seed: u64,
    built: &Built,
    mut simulated: WorldOutcome,
) -> RunResult {
    let series = std::mem::take(&mut simulated.outcome.records);
    let layout = &built.layout;
    let outcome = &simulated.outcome;
    let flows_of = |name: &str| {
        let group = layout.groups.iter().find(|g| g.name == name);
        group.map_or(&[][..], |g| &outcome.flows[g.flows.clone()])
    };
    let cc_of = |name: &str| {
        let group = layout.groups.iter().find(|g| g.name == name);
        group.and_then(|g| g.cc.clone()).unwrap_or_default()
    };
    let tested = layout.groups.get(layout.tested);
    let parts = Parts {
        cc: &point.name(),
        recovery: tested.and_then(|g| g.recovery.as_deref()).unwrap_or_default(),
        tested: &outcome.flows[layout.tested_flows()],
        carried: tested.map_or_else(Vec::new, |group| carried(group, outcome)),
        competing: flows_of(COMPETING_GROUP),
        rival_cc: &cc_of(COMPETING_GROUP),
        reverse: flows_of("reverse"),
        link: outcome.links.get(layout.measured_link).copied().unwrap_or_default(),
    };
    let summary =
        RunSummary { conduct: conduct(built, outcome), ..parts.summarize(seed, &simulated) };
    let group = |(i, g): (usize, &FlowGroup)| group(built, g, i == layout.tested, &simulated);
    // The measured one first.
    let mut links = layout.links.clone();
    sort_places(&mut links, &mut |a, b| {
        (a != layout.measured_link).cmp(&(b != layout.measured_link))
    });
    let record = RunRecord {
        point: point.number(),
        seed,
        error: None,
        summary: Some(summary),
        groups: layout.groups.iter().enumerate().map(group).collect(),
        links: links.iter().map(|&l| link(built, l, &simulated)).collect(),
    };
    RunResult {
        record: record.restored(),
        wall_s: simulated.wall_s,
        events: simulated.outcome.events,
        series,
        flows: built.network.flows.iter().map(|f| f.name.to_string()).collect(),
        links: built.network.links.iter().map(|l| l.name.to_string()).collect(),
        measured_link: built
            .network
            .links
            .get(layout.measured_link)
            .map_or_else(String::new, |l| l.name.to_string()),
        warmup_s: seconds(built.network.warmup),
    }
}

/// The flows of a run by their parts in it, and the link that it is about.
struct Parts<'a> {
    /// The name of the flows under test: the run's name.
    cc: &'a str,
    /// The loss recovery of the flows under test.
    recovery: &'a str,
    /// The flows under test, and the bytes that each carries.
    tested: &'a [FlowOutcome],
    carried: Vec<u64>,
    /// Those that compete, and their controller.
    competing: &'a [FlowOutcome],
    rival_cc: &'a str,
    /// Those in the other direction.
    reverse: &'a [FlowOutcome],
    /// The link.
    link: LinkOutcome,
}

impl Parts<'_> {
    /// The summary of the run.
    #[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
    fn summarize(&self, seed: u64, simulated: &WorldOutcome) -> RunSummary {
        let (tested, link) = (self.tested, &self.link);
        let outcome = &simulated.outcome;
        let measured_s = seconds(outcome.measured);
        let rate = |bytes: u64| {
            if measured_s > 0.0 { bytes as f64 * 8.0 / measured_s } else { 0.0 }
        };
        let total = |flows: &[FlowOutcome], count: fn(&FlowOutcome) -> u64| -> u64 {
            flows.iter().map(count).sum()
        };
        let goodput = |flows: &[FlowOutcome]| rate(total(flows, |f| f.delivered_bytes));
        let flow = |cc: &str, f: &FlowOutcome| FlowResult {
            cc: cc.to_owned(),
            goodput_bps: rate(f.delivered_bytes),
            base_rtt_ms: millis(f.base_rtt),
            fct_ms: f.completions.first().map(|c| millis(c.took)),
        };
        let each: Vec<f64> = self.carried.iter().map(|&bytes| bytes as f64).collect();
        let sent = total(tested, |f| f.sent);
        RunSummary {
            cc: self.cc.to_owned(),
            recovery: self.recovery.to_owned(),
            seed,
            goodput_bps: goodput(tested),
            throughput_bps: rate(total(tested, |f| f.sent_bytes)),
            utilization: link.utilization,
            retransmission_ratio: total(tested, |f| f.retransmitted) as f64 / sent.max(1) as f64,
            fast_recoveries: total(tested, |f| f.fast_recoveries),
            timeouts: total(tested, |f| f.timeouts),
            jain: jain(&each),
            rtt_ms: pooled_rtt(tested),
            queue_delay_ms: delay_ms(&outcome.queue_delays),
            one_way_delay_ms: delay_ms(&outcome.one_way_delays),
            queue_packets: QueuePackets {
                mean: link.queue_mean,
                p95: link.queue_p95,
                max: link.queue_max,
            },
            drops: Drops {
                overflow: link.dropped_overflow,
                aqm: link.dropped_aqm,
                policer: link.dropped_policer,
                random: link.dropped_random,
            },
            drops_elsewhere: Drops::default(),
            marked: 0,
            flows: tested
                .iter()
                .map(|f| flow(self.cc, f))
                .chain(self.competing.iter().map(|f| flow(self.rival_cc, f)))
                .collect(),
            under_test: tested.len(),
            many_transfers: None,
            against_goodput_bps: (!self.competing.is_empty()).then(|| goodput(self.competing)),
            harm: None,
            conduct: Conduct::default(),
            reverse_goodput_bps: (!self.reverse.is_empty()).then(|| goodput(self.reverse)),
            data_packets: total(&outcome.flows, |f| f.data_packets),
            // Values that depend on the execution would make the results of two of them differ.
            events: 0,
            sim_s: simulated.sim_s,
            ack_cost_ns: None,
            ack_cost_cycles: None,
            wall_s: 0.0,
            lateness_us: simulated.lateness_us,
            unfinished: None,
            exact: false,
        }
    }
}

/// The round-trip times of several flows together.
fn pooled_rtt(flows: &[FlowOutcome]) -> Option<RttMs> {
    let mut all = Histogram::default();
    for flow in flows {
        all.merge(&flow.rtts);
    }
    let rtt = all.summary()?;
    Some(RttMs {
        min: millis(rtt.min),
        mean: millis(rtt.mean),
        p50: millis(rtt.p50),
        p95: millis(rtt.p95),
        p99: millis(rtt.p99),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
fn group(built: &Built, group: &FlowGroup, tested: bool, simulated: &WorldOutcome) -> GroupRecord {
    let outcome = &simulated.outcome;
    let flows = &outcome.flows[group.flows.clone()];
    let specs = &built.network.flows[group.flows.clone()];
    let measured_s = seconds(outcome.measured);
    let rate = |bytes: u64| if measured_s > 0.0 { bytes as f64 * 8.0 / measured_s } else { 0.0 };
    let total = |count: fn(&FlowOutcome) -> u64| -> u64 { flows.iter().map(count).sum() };
    let each: Vec<f64> = carried(group, outcome).into_iter().map(|bytes| bytes as f64).collect();
    let ends = group.flows.clone().any(|flow| {
        let origin = &built.network.flows[built.network.origin(flow)].traffic;
        matches!(origin, Traffic::ShortFlows { .. } | Traffic::Tcp(_, Workload::Transfer(_)))
    });
    let flow = |(spec, f): (&westwood_sim::FlowSpec, &FlowOutcome)| GroupFlow {
        name: spec.name.to_string(),
        goodput_bps: rate(f.delivered_bytes),
        sent_packets: f.sent,
        retransmitted_packets: f.retransmitted,
        fast_recoveries: f.fast_recoveries,
        timeouts: f.timeouts,
        base_rtt_ms: millis(f.base_rtt),
        rtt_mean_ms: f.rtts.summary().map(|rtt| millis(rtt.mean)),
        fct_ms: f.completions.first().map(|c| millis(c.took)),
    };
    let proxies = flows.iter().filter_map(|flow| flow.proxy);
    GroupRecord {
        name: group.name.clone(),
        cc: group.cc.clone(),
        recovery: group.recovery.clone(),
        tested,
        goodput_bps: rate(total(|f| f.delivered_bytes)),
        later_share: later_share(flows),
        throughput_bps: rate(total(|f| f.sent_bytes)),
        retransmission_ratio: total(|f| f.retransmitted) as f64 / total(|f| f.sent).max(1) as f64,
        fast_recoveries: total(|f| f.fast_recoveries),
        timeouts: total(|f| f.timeouts),
        undone: total(|f| f.undone),
        // Transfers of one flow that are limited at the same time count each: the time of connections
        // is not known, and their share of a flow's time may exceed 1.
        host_limited: (total(|f| f.host_limited.as_nanos()) as f64
            / (simulated.outcome.measured.as_nanos().max(1) as f64 * flows.len().max(1) as f64))
            .min(1.0),
        jain: jain(&each),
        rtt_ms: pooled_rtt(flows),
        transfers: ends.then(|| transfers(flows)),
        frames: frames(flows),
        proxy_held_max_bytes: proxies.map(|proxy| proxy.most_held_bytes).max(),
        flows: specs.iter().zip(flows).map(flow).collect(),
    }
}

/// The share of these flows' payload that arrived in the second half of the measured time.
#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
fn later_share(flows: &[FlowOutcome]) -> Option<f64> {
    let later: u64 = flows.iter().map(|flow| flow.later_bytes).sum::<Option<u64>>()?;
    let all: u64 = flows.iter().map(|flow| flow.delivered_bytes).sum();
    (all > 0).then(|| later as f64 / all as f64)
}

/// The frames of several flows together.
fn frames(flows: &[FlowOutcome]) -> Option<FrameRecord> {
    let each = || flows.iter().filter_map(|flow| flow.frames.as_deref());
    each().next()?;
    let mut delays = Histogram::default();
    each().for_each(|frames| delays.merge(&frames.delays));
    Some(FrameRecord {
        captured: each().map(|frames| frames.captured).sum(),
        delivered: each().map(|frames| frames.delivered).sum(),
        delay_ms: delay_ms(&delays),
    })
}

fn transfers(flows: &[FlowOutcome]) -> Transfers {
    let completions = flows.iter().flat_map(|f| &f.completions);
    let mut times: Vec<f64> = completions.map(|c| millis(c.took)).collect();
    times.sort_by(f64::total_cmp);
    Transfers {
        finished: times.len() as u64,
        unfinished: flows.iter().map(|f| f.unfinished).sum(),
        refused: flows.iter().map(|f| f.refused).sum(),
        fct_mean_ms: mean(&times),
        fct_p50_ms: quantile(&times, 50),
        fct_p95_ms: quantile(&times, 95),
        fct_max_ms: times.last().copied(),
    }
}

/// The smallest value that so many percent of the values do not exceed.
fn quantile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
fn link(built: &Built, id: usize, simulated: &WorldOutcome) -> LinkRecord {
    let spec = &built.network.links[id];
    let is_measured = id == built.layout.measured_link;
    let dual = simulated.outcome.dual_delays.as_ref().filter(|_| is_measured);
    let l = simulated.outcome.links.get(id).copied().unwrap_or_default();
    let measured_s = seconds(simulated.outcome.measured);
    let varies = spec.config.capacity_varies() && measured_s > 0.0;
    LinkRecord {
        name: spec.name.to_string(),
        rate_bps: bps(rate_of(spec)),
        mean_capacity_bps: varies.then(|| l.capacity_bytes as f64 * 8.0 / measured_s),
        utilization: l.utilization,
        delivered_packets: l.delivered,
        delivered_bytes: l.delivered_bytes,
        marked_packets: l.marked,
        filtered_packets: l.filtered,
        repairs_packets: l.repairs,
        repaired_packets: l.repaired,
        queue_delay_ms: Some(&simulated.outcome.queue_delays)
            .filter(|_| is_measured)
            .and_then(delay_ms),
        low_latency_delay_ms: dual.and_then(|dual| delay_ms(&dual.low_latency)),
        classic_delay_ms: dual.and_then(|dual| delay_ms(&dual.classic)),
        queue_packets: QueuePackets { mean: l.queue_mean, p95: l.queue_p95, max: l.queue_max },
        drops: Drops {
            overflow: l.dropped_overflow,
            aqm: l.dropped_aqm,
            policer: l.dropped_policer,
            random: l.dropped_random,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Duration;

    fn flow(ms: impl Iterator<Item = u64>) -> FlowOutcome {
        let mut flow = FlowOutcome::default();
        ms.for_each(|n| flow.rtts.add(Duration::from_millis(n)));
        flow
    }

    #[test]
    fn round_trip_times_of_several_flows_count_together() {
        let flows = [flow(1..=50), flow(51..=100), flow(0..0)];
        let rtt = pooled_rtt(&flows).expect("there are samples");
        assert_eq!((rtt.min, rtt.mean), (1.0, 50.5));
        assert!((rtt.p95 - 95.0).abs() < 0.2, "{}", rtt.p95);
        assert_eq!(pooled_rtt(&flows[2..]), None);
    }

    #[test]
    fn the_later_share_is_that_of_all_flows_together_and_none_of_nothing() {
        let flow = |delivered_bytes, later_bytes| FlowOutcome {
            delivered_bytes,
            later_bytes,
            ..FlowOutcome::default()
        };
        assert_eq!(later_share(&[flow(300, Some(100)), flow(100, Some(100))]), Some(0.5));
        assert_eq!(later_share(&[flow(0, Some(0))]), None);
        assert_eq!(later_share(&[flow(300, Some(100)), flow(100, None)]), None);
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(quantile(&values, 50), Some(10.0));
        assert_eq!(quantile(&values, 95), Some(19.0));
        // Nine and a half values, or half of three, are ten and two whole ones.
        assert_eq!(quantile(&values[..10], 95), Some(10.0));
        assert_eq!(quantile(&values[..3], 50), Some(2.0));
        assert_eq!(quantile(&values[..1], 95), Some(1.0));
        assert_eq!(quantile(&[], 95), None);
    }
}
