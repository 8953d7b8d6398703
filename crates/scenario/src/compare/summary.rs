//! From what a run yields to what is reported of it.

use westwood_sim::{FlowOutcome, Outcome, RttSummary};

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

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of one run are far below 2^53"
)]
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
        if measured_s > 0.0 {
            bytes as f64 * 8.0 / measured_s
        } else {
            0.0
        }
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

/// The round-trip times of several flows together. Minimum and mean are exact; quantiles are those
/// of the mixture of the flows' distributions, each taken as linear between its own quantiles.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of samples are far below 2^53"
)]
fn pooled_rtt(flows: &[FlowOutcome]) -> Option<RttMs> {
    let all: Vec<RttSummary> = flows.iter().filter_map(|f| f.rtt).collect();
    let [first, rest @ ..] = all.as_slice() else {
        return None;
    };
    if rest.is_empty() {
        return Some(RttMs {
            min: millis(first.min),
            mean: millis(first.mean),
            p50: millis(first.p50),
            p95: millis(first.p95),
            p99: millis(first.p99),
        });
    }
    let samples: f64 = all.iter().map(|r| r.samples as f64).sum();
    let mixed = |share: &dyn Fn(&RttSummary) -> f64| {
        all.iter().map(|r| share(r) * r.samples as f64).sum::<f64>() / samples
    };
    let quantile = |q: f64| {
        let ends = all.iter().flat_map(|r| [millis(r.min), millis(r.p99)]);
        let (mut low, mut high) = ends.fold((f64::MAX, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if mixed(&|r| share_below(r, middle)) < q {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    };
    Some(RttMs {
        min: all.iter().map(|r| millis(r.min)).fold(f64::MAX, f64::min),
        mean: mixed(&|r| millis(r.mean)),
        p50: quantile(0.5),
        p95: quantile(0.95),
        p99: quantile(0.99),
    })
}

/// The share of a flow's samples of at most `ms`, linear between the quantiles that are known.
fn share_below(r: &RttSummary, ms: f64) -> f64 {
    let known = [(r.min, 0.0), (r.p50, 0.5), (r.p95, 0.95), (r.p99, 0.99)];
    let mut below = (0.0, 0.0);
    for (at, share) in known.map(|(d, share)| (millis(d), share)) {
        if ms < at {
            let (from, base) = below;
            return base + (share - base) * (ms - from) / (at - from).max(f64::MIN_POSITIVE);
        }
        below = (at, share);
    }
    if ms >= below.0 { 1.0 } else { below.1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Duration;

    fn flow(samples: u64, ms: [u64; 4]) -> FlowOutcome {
        let [min, p50, p95, p99] = ms.map(Duration::from_millis);
        let rtt = Some(RttSummary {
            samples,
            min,
            mean: p50,
            p50,
            p95,
            p99,
        });
        FlowOutcome {
            rtt,
            ..FlowOutcome::default()
        }
    }

    #[test]
    fn the_round_trip_times_of_one_flow_are_its_own() {
        let rtt = pooled_rtt(&[flow(10, [1, 2, 3, 4])]).unwrap();
        assert_eq!((rtt.min, rtt.p50, rtt.p95, rtt.p99), (1.0, 2.0, 3.0, 4.0));
        assert_eq!(pooled_rtt(&[FlowOutcome::default()]), None);
    }

    #[test]
    fn equal_flows_pool_to_the_same_distribution() {
        let one = flow(100, [100, 120, 180, 200]);
        let rtt = pooled_rtt(&[one.clone(), one]).unwrap();
        for (got, want) in [
            (rtt.min, 100.0),
            (rtt.p50, 120.0),
            (rtt.p95, 180.0),
            (rtt.p99, 200.0),
        ] {
            assert!((got - want).abs() < 1e-6, "{got} for {want}");
        }
    }

    #[test]
    fn a_pool_lies_between_its_flows() {
        let rtt =
            pooled_rtt(&[flow(100, [10, 20, 30, 40]), flow(300, [100, 120, 130, 140])]).unwrap();
        assert!(rtt.min < 10.1 && rtt.p50 > 30.0 && rtt.p50 < 120.0 && rtt.p99 <= 140.0);
        assert!((rtt.mean - 95.0).abs() < 1e-9);
    }
}
