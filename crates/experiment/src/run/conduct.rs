//! Measures of what the flows under test did to others, to themselves and after a change, from a run's
//! outcome.

use westwood_cc::{Duration, Instant};
use westwood_scenario::dumbbell::{millis, seconds};
use westwood_scenario::file::{Built, COMPETING_GROUP, FlowGroup};
use westwood_sim::{FlowOutcome, Histogram, LinkOutcome, Outcome};

use crate::results::{Conduct, DelayMs};

/// A share within this of the fair one is fair.
const DELTA: f64 = 0.1;
/// Shares are averaged over this many round-trip times: a window that halves at each loss then shows its
/// mean.
const FAIR_INTERVALS: usize = 20;
/// The share of the later rate that counts as recovered.
const RECOVERED: f64 = 0.9;

/// The measures of a run; harm is found beside other runs.
pub(super) fn conduct(built: &Built, outcome: &Outcome) -> Conduct {
    let layout = &built.layout;
    let tested = &outcome.flows[layout.tested_flows()];
    let shares =
        |group: Option<&FlowGroup>| group.map_or_else(Vec::new, |group| carried(group, outcome));
    let competing = layout.groups.iter().find(|group| group.name == COMPETING_GROUP);
    let is_own = layout.groups.get(layout.tested).is_some_and(|g| g.name == COMPETING_GROUP);
    let competing = shares(competing.filter(|_| !is_own));
    let all = [shares(layout.groups.get(layout.tested)), competing.clone()].concat();
    let link = outcome.links.get(layout.measured_link).copied().unwrap_or_default();
    Conduct {
        least_share: least_share(&all, &all),
        least_competing_share: least_share(&competing, &all),
        self_inflicted_loss: self_inflicted_loss(&link),
        link_loss: share(link.dropped_random, link.dropped_random + link.delivered),
        sent_per_rtt: sent_per_rtt(tested, outcome.measured),
        convergence_ms: convergence(tested, outcome.progress_interval).map(millis),
        recovery_ms: recovery(built, tested, outcome.progress_interval).map(millis),
        frame_delay_ms: frame_delay(&outcome.flows),
        solo_harm: None,
    }
}

/// The bytes that each flow of a group carries, in all its periods together: these share nothing.
pub(super) fn carried(group: &FlowGroup, outcome: &Outcome) -> Vec<u64> {
    let flows = outcome.flows[group.flows.clone()].chunks(group.periods.max(1));
    flows.map(|periods| periods.iter().map(|flow| flow.delivered_bytes).sum()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn self_inflicted_loss(link: &LinkOutcome) -> f64 {
    let dropped = link.dropped_overflow + link.dropped_aqm + link.dropped_policer;
    share(dropped, dropped + link.dropped_random + link.delivered)
}

/// The goodput of the poorest of these flows over the mean of all; none of a flow alone. Bytes of each.
#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
fn least_share(of: &[u64], all: &[u64]) -> Option<f64> {
    let (sum, count): (u64, usize) = (all.iter().sum(), all.len());
    let least = of.iter().min().filter(|_| count > 1 && sum > 0)?;
    Some(*least as f64 * count as f64 / sum as f64)
}

/// Segments over round-trip times, on the mean of the flows.
#[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
fn sent_per_rtt(tested: &[FlowOutcome], measured: Duration) -> f64 {
    if tested.is_empty() || measured.is_zero() {
        return 0.0;
    }
    let of = |flow: &FlowOutcome| flow.sent as f64 * seconds(flow.base_rtt) / seconds(measured);
    tested.iter().map(of).sum::<f64>() / tested.len() as f64
}

fn frame_delay(flows: &[FlowOutcome]) -> Option<DelayMs> {
    let mut delays = Histogram::default();
    let frames = flows.iter().filter_map(|flow| flow.frames.as_deref());
    frames.for_each(|frames| delays.merge(&frames.delays));
    delay_ms(&delays)
}

/// From the first data of the youngest flow to the end of the first intervals in which all are fair.
#[expect(clippy::cast_precision_loss, reason = "bytes of one run are far below 2^53")]
fn convergence(flows: &[FlowOutcome], interval: Duration) -> Option<Duration> {
    if flows.len() < 2 {
        return None;
    }
    let begun = |flow: &FlowOutcome| flow.progress.iter().position(|bytes| *bytes > 0);
    let youngest = flows.iter().map(begun).collect::<Option<Vec<usize>>>()?.into_iter().max()?;
    let intervals = flows.iter().map(|flow| flow.progress.len()).min()?;
    let is_fair = |first: usize| {
        let of = |flow: &FlowOutcome| -> u64 {
            flow.progress[first..first + FAIR_INTERVALS].iter().sum()
        };
        let carried: Vec<f64> = flows.iter().map(|flow| of(flow) as f64).collect();
        let fair = carried.iter().sum::<f64>() / carried.len() as f64;
        fair > 0.0 && carried.iter().all(|bytes| (bytes - fair).abs() <= DELTA * fair)
    };
    let last = intervals.checked_sub(FAIR_INTERVALS)?;
    let first = (youngest..=last).find(|first| is_fair(*first))?;
    Some(interval * (first + FAIR_INTERVALS - youngest) as u64)
}

/// From the last change in the measuring interval until the flows carry nearly what they carry at the end.
#[expect(clippy::cast_precision_loss, reason = "bytes of one run are far below 2^53")]
fn recovery(built: &Built, flows: &[FlowOutcome], interval: Duration) -> Option<Duration> {
    let network = &built.network;
    let begin = Instant::ZERO + network.warmup;
    let end = Instant::ZERO + network.duration;
    let schedules = network.links.iter().flat_map(|link| &link.config.schedule);
    let times = schedules.map(|change| change.at).filter(|at| begin <= *at && *at < end);
    let change = times.max().filter(|_| !interval.is_zero())?;
    let place = |at: Instant| at.since(Instant::ZERO).as_nanos() / interval.as_nanos();
    let intervals = flows.iter().map(|flow| flow.progress.len()).min()?;
    let (first, last) = (
        usize::try_from(place(change) + 1).ok()?,
        usize::try_from(place(end)).ok()?.min(intervals),
    );
    let carried = |at: usize| -> u64 { flows.iter().map(|flow| flow.progress[at]).sum() };
    let later = last.checked_sub((last.checked_sub(first)? / 4).max(1))?;
    let settled = (later..last).map(carried).sum::<u64>() as f64 / (last - later) as f64;
    let found = (first..last).find(|at| carried(*at) as f64 >= RECOVERED * settled)?;
    Some((Instant::ZERO + interval * (found as u64 + 1)).since(change))
}

/// A distribution of delays; none of no packet.
pub(super) fn delay_ms(delays: &Histogram) -> Option<DelayMs> {
    let delay = delays.summary()?;
    Some(DelayMs {
        mean: millis(delay.mean),
        p50: millis(delay.p50),
        p95: millis(delay.p95),
        p99: millis(delay.p99),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_scenario::file::Scenario;

    const INTERVAL: Duration = Duration::from_millis(100);

    fn flow(progress: Vec<u64>) -> FlowOutcome {
        let delivered_bytes = progress.iter().sum();
        FlowOutcome { progress, delivered_bytes, ..FlowOutcome::default() }
    }

    #[test]
    fn flows_have_converged_when_each_has_its_share_for_twenty_round_trips() {
        // The second flow begins in interval 10 and has its half from interval 30 on.
        let old: Vec<u64> = (0..100).map(|i| if i < 30 { 1_000 } else { 500 }).collect();
        let new: Vec<u64> = (0..100)
            .map(|i| {
                if i < 10 {
                    0
                } else if i < 30 {
                    100
                } else {
                    500
                }
            })
            .collect();
        let found = convergence(&[flow(old.clone()), flow(new)], INTERVAL).expect("they converge");
        // Within a tenth of fair once few of the twenty intervals are unfair ones.
        assert!(found > Duration::from_secs(3) && found <= Duration::from_secs(4), "{found:?}");
        let never = (0..100).map(|i| u64::from(i >= 10) * 100).collect();
        assert_eq!(convergence(&[flow(old.clone()), flow(never)], INTERVAL), None);
        assert_eq!(convergence(&[flow(old)], INTERVAL), None);
    }

    #[test]
    fn a_share_within_a_tenth_of_the_fair_one_is_fair() {
        let of = |bytes: [u64; 2]| {
            let flows = bytes.map(|bytes| flow(vec![bytes; FAIR_INTERVALS]));
            convergence(&flows, INTERVAL).map(millis)
        };
        assert_eq!([of([450, 550]), of([440, 560])], [Some(2_000.0), None]);
    }

    /// The recovery of a flow with this progress after changes at these times, in milliseconds.
    fn recovered(changes: &[&str], progress: &[u64]) -> Option<f64> {
        let path = "cc = \"reno\"\ntime = \"10 s\"\nwarmup = \"1 s\"\nseeds = 1\n[dumbbell]\n\
                    rate = \"10 Mbit/s\"\n";
        let change = |at: &&str| {
            format!("[[change]]\nlink = \"bottleneck\"\nat = \"{at}\"\nrate = \"5 Mbit/s\"\n")
        };
        let text = path.to_owned() + &changes.iter().map(change).collect::<String>();
        let none = |_: &std::path::Path| Err("no files".to_owned());
        let scenario =
            Scenario::parse("f.toml", &text, &[], &none).unwrap_or_else(|e| panic!("{e}"));
        let built = scenario.build(&scenario.points()[0], 1).unwrap_or_else(|e| panic!("{e}"));
        recovery(&built, &[flow(progress.to_vec())], INTERVAL).map(millis)
    }

    #[test]
    fn flows_have_recovered_from_the_last_change_at_nine_tenths_of_the_last_quarter() {
        // The interval of the change counts for nothing, and the last quarter begins at 8.8 s.
        let progress: Vec<u64> = (0..100)
            .map(|i| match i {
                51..60 => 10,
                60..65 => 80,
                65..70 => 88,
                70..85 => 92,
                _ => 100,
            })
            .collect();
        assert_eq!(recovered(&["2 s", "5 s"], &progress), Some(2_100.0));
        assert_eq!(recovered(&["2 s"], &progress), Some(200.0));
        assert_eq!(recovered(&["0.5 s"], &progress), None, "before measuring begins");
        assert_eq!(recovered(&[], &progress), None);
    }

    #[test]
    fn the_least_share_is_that_of_the_poorest_of_all() {
        assert_eq!(least_share(&[300, 100], &[300, 100]), Some(0.5));
        assert_eq!(least_share(&[300], &[300]), None);
    }

    #[test]
    fn a_flow_under_test_that_starves_itself_leaves_the_competing_ones_their_share() {
        assert_eq!(least_share(&[300, 200], &[100, 300, 200]), Some(1.0));
        assert_eq!(least_share(&[], &[100, 300, 200]), None);
    }

    #[test]
    fn drops_of_the_queue_are_told_from_losses_of_the_link() {
        let link = LinkOutcome {
            delivered: 80,
            dropped_random: 10,
            dropped_overflow: 6,
            dropped_aqm: 3,
            dropped_policer: 1,
            ..LinkOutcome::default()
        };
        assert!((self_inflicted_loss(&link) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn segments_are_counted_over_round_trip_times() {
        let flow = FlowOutcome {
            sent: 10,
            base_rtt: Duration::from_millis(100),
            ..FlowOutcome::default()
        };
        assert!((sent_per_rtt(&[flow], Duration::from_secs(2)) - 0.5).abs() < 1e-12);
    }
}
