//! From what a run yields to what is reported of it.

use westwood_sim::{FlowOutcome, Histogram, Outcome};

use super::Plan;
use crate::dumbbell::{BOTTLENECK, millis, seconds};
use crate::results::{Drops, Flow, QueuePackets, RttMs, Run};
use crate::spec::ControllerSpec;
use crate::stats::jain;

/// The flows under test.
pub(super) fn under_test<'a>(plan: &Plan, outcome: &'a Outcome) -> &'a [FlowOutcome] {
    let flows = usize::try_from(plan.path.flows).unwrap_or(0);
    &outcome.flows[..flows.min(outcome.flows.len())]
}

#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
pub(super) fn summarize(
    plan: &Plan,
    cc: &ControllerSpec,
    seed: u64,
    outcome: &Outcome,
    sim_s: f64,
    wall_s: f64,
) -> Run {
    let tested = under_test(plan, outcome);
    let rivals = usize::try_from(plan.path.rivals()).unwrap_or(0);
    let (competing, reverse) = outcome.flows[tested.len()..].split_at(rivals);
    let measured_s = seconds(outcome.measured);
    let rate = |bytes: u64| {
        if measured_s > 0.0 { bytes as f64 * 8.0 / measured_s } else { 0.0 }
    };
    let total = |flows: &[FlowOutcome], count: fn(&FlowOutcome) -> u64| -> u64 {
        flows.iter().map(count).sum()
    };
    let goodput = |flows: &[FlowOutcome]| rate(total(flows, |f| f.delivered_bytes));
    let flow = |cc: &ControllerSpec, f: &FlowOutcome| Flow {
        cc: cc.to_string(),
        goodput_bps: rate(f.delivered_bytes),
        base_rtt_ms: millis(f.base_rtt),
        fct_ms: f.completions.first().map(|c| millis(c.took)),
    };
    let rival_cc = plan.path.against.map_or(*cc, |rivals| rivals.controller);
    let link = outcome.links.get(BOTTLENECK).copied().unwrap_or_default();
    let each: Vec<f64> = tested.iter().map(|f| f.delivered_bytes as f64).collect();
    let sent = total(tested, |f| f.sent);
    Run {
        cc: cc.to_string(),
        recovery: plan.path.recovery.to_string(),
        seed,
        goodput_bps: goodput(tested),
        throughput_bps: rate(total(tested, |f| f.sent_bytes)),
        utilization: link.utilization,
        retransmission_ratio: total(tested, |f| f.retransmitted) as f64 / sent.max(1) as f64,
        fast_recoveries: total(tested, |f| f.fast_recoveries),
        timeouts: total(tested, |f| f.timeouts),
        jain: jain(&each),
        rtt_ms: pooled_rtt(tested),
        queue_packets: QueuePackets {
            mean: link.queue_mean,
            p95: link.queue_p95,
            max: link.queue_max,
        },
        drops: Drops {
            overflow: link.dropped_overflow,
            aqm: link.dropped_aqm,
            random: link.dropped_random,
        },
        flows: tested
            .iter()
            .map(|f| flow(cc, f))
            .chain(competing.iter().map(|f| flow(&rival_cc, f)))
            .collect(),
        under_test: tested.len(),
        against_goodput_bps: (!competing.is_empty()).then(|| goodput(competing)),
        reverse_goodput_bps: (!reverse.is_empty()).then(|| goodput(reverse)),
        data_packets: total(&outcome.flows, |f| f.data_packets),
        events: outcome.events,
        sim_s,
        wall_s,
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
}
