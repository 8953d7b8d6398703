//! From what a run yields to what is reported of it.

use westwood_sim::{FlowOutcome, Histogram, LinkOutcome};

use super::Plan;
use crate::dumbbell::{BOTTLENECK, millis, seconds};
use crate::results::{Drops, Flow, QueuePackets, RttMs, Run};
use crate::spec::ControllerSpec;
use crate::stats::jain;
use crate::world::Ran;

/// The flows of a run by their parts in it, and the link that it is about.
pub(crate) struct Parts<'a> {
    /// What is under test: the run's name.
    pub(crate) cc: &'a str,
    /// The loss recovery of the flows under test.
    pub(crate) recovery: &'a str,
    /// The flows under test.
    pub(crate) tested: &'a [FlowOutcome],
    /// Those that compete, and their controller.
    pub(crate) competing: &'a [FlowOutcome],
    pub(crate) rival_cc: &'a str,
    /// Those in the other direction.
    pub(crate) reverse: &'a [FlowOutcome],
    /// The link.
    pub(crate) link: LinkOutcome,
}

/// A comparison's run: the dumbbell's flows by their order.
pub(super) fn summarize(plan: &Plan, cc: &ControllerSpec, seed: u64, simulated: &Ran) -> Run {
    let outcome = &simulated.outcome;
    let count = |n: u64| usize::try_from(n).unwrap_or(0).min(outcome.flows.len());
    let (tested, others) = outcome.flows.split_at(count(plan.path.flows));
    let (competing, reverse) = others.split_at(count(plan.path.rivals()).min(others.len()));
    let parts = Parts {
        cc: &cc.to_string(),
        recovery: plan.path.recovery.name(),
        tested,
        competing,
        rival_cc: &plan.path.against.map_or(*cc, |rivals| rivals.controller).to_string(),
        reverse,
        link: outcome.links.get(BOTTLENECK).copied().unwrap_or_default(),
    };
    parts.summarize(seed, simulated)
}

impl Parts<'_> {
    /// What is reported of the run.
    #[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
    pub(crate) fn summarize(&self, seed: u64, simulated: &Ran) -> Run {
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
        let flow = |cc: &str, f: &FlowOutcome| Flow {
            cc: cc.to_owned(),
            goodput_bps: rate(f.delivered_bytes),
            base_rtt_ms: millis(f.base_rtt),
            fct_ms: f.completions.first().map(|c| millis(c.took)),
        };
        let each: Vec<f64> = tested.iter().map(|f| f.delivered_bytes as f64).collect();
        let sent = total(tested, |f| f.sent);
        Run {
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
            queue_delay_ms: None,
            one_way_delay_ms: None,
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
                .map(|f| flow(self.cc, f))
                .chain(self.competing.iter().map(|f| flow(self.rival_cc, f)))
                .collect(),
            under_test: tested.len(),
            many_transfers: None,
            against_goodput_bps: (!self.competing.is_empty()).then(|| goodput(self.competing)),
            reverse_goodput_bps: (!self.reverse.is_empty()).then(|| goodput(self.reverse)),
            data_packets: total(&outcome.flows, |f| f.data_packets),
            events: outcome.events,
            sim_s: simulated.sim_s,
            wall_s: simulated.wall_s,
            lateness_us: simulated.lateness_us,
        }
    }
}

/// The round-trip times of several flows together.
pub(crate) fn pooled_rtt(flows: &[FlowOutcome]) -> Option<RttMs> {
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
