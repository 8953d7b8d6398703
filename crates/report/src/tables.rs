//! The results of a scenario as tables: one for each kind of row.

use std::collections::BTreeMap;

use westwood_cc::{Instant, Segments};
use westwood_experiment::results::{Conduct, DelayMs};
use westwood_experiment::run::{
    GridReport, GroupRecord, PointRecord, RunRecord, RunResult, SeriesValue,
};
use westwood_scenario::dumbbell::{bps, millis};

use crate::columns::{
    ACK_COST, DELIVERED, DROPS, ESTIMATES, FLOWS, GROUPS, LINKS, QUEUES, RTTS, RUNS, WINDOWS,
};
use crate::data_frame::{ColumnType, Columns, DataFrame, FrameValue};

/// The summaries of all runs: tables `runs`, `groups`, `flows` and `links`.
pub fn summaries(report: &GridReport) -> [DataFrame; 4] {
    let mut runs = frame("runs", RUNS);
    // The axes' columns stand after the point's own.
    let axes = report.axes.iter().map(|axis| (axis.clone(), ColumnType::Text));
    runs.columns.splice(2..2, axes);
    let mut groups = frame("groups", GROUPS);
    let mut flows = frame("flows", FLOWS);
    let mut links = frame("links", LINKS);
    for record in &report.runs {
        if let Some(point) = report.points.get(record.point) {
            runs.rows.push(run_row(record, point, report.axes.len()));
        }
        groups.rows.extend(record.groups.iter().map(|group| group_row(record, group)));
        for group in &record.groups {
            flows.rows.extend(group.flows.iter().map(|flow| flow_row(record, group, flow)));
        }
        links.rows.extend(record.links.iter().map(|link| link_row(record, link)));
    }
    let cost = |record: &RunRecord| {
        record.summary.as_ref().map_or([None; 2], |run| [run.ack_cost_ns, run.ack_cost_cycles])
    };
    if report.runs.iter().any(|record| cost(record) != [None; 2]) {
        runs.columns.extend(frame("runs", ACK_COST).columns);
        let kept = report.runs.iter().filter(|record| report.points.get(record.point).is_some());
        for (row, record) in runs.rows.iter_mut().zip(kept) {
            row.extend(cost(record).map(Into::into));
        }
    }
    [runs, groups, flows, links]
}

/// The same of a part of a grid, whose points have these numbers in the whole, from 0.
pub fn summaries_of_part(report: &GridReport, numbers: &[usize]) -> [DataFrame; 4] {
    let in_grid: BTreeMap<u64, u64> =
        (1..).zip(numbers.iter().map(|&number| number as u64 + 1)).collect();
    // The point is the first column of each of them.
    let mut all = summaries(report);
    for cell in all.iter_mut().flat_map(|frame| &mut frame.rows).filter_map(|row| row.first_mut()) {
        if let FrameValue::Count(point) = cell {
            *point = in_grid.get(point).copied().unwrap_or(*point);
        }
    }
    all
}

fn frame(name: &'static str, columns: Columns) -> DataFrame {
    let columns = columns.iter().map(|(name, kind, _)| ((*name).to_owned(), *kind)).collect();
    DataFrame { name, columns, rows: Vec::new() }
}

/// Points are counted from 1, as people do.
fn number(record: &RunRecord) -> FrameValue {
    FrameValue::Count(record.point as u64 + 1)
}

fn run_row(record: &RunRecord, point: &PointRecord, axes: usize) -> Vec<FrameValue> {
    let mut row = vec![number(record), (&point.name).into()];
    row.extend((0..axes).map(|axis| FrameValue::from(point.settings.get(axis))));
    row.extend([
        point.variant.as_ref().into(),
        point.cc.as_ref().into(),
        record.seed.into(),
        record.error.as_ref().into(),
    ]);
    let Some(run) = &record.summary else {
        row.resize(RUNS.len() + axes, FrameValue::Absent);
        return row;
    };
    let rtt = run.rtt_ms.as_ref();
    row.extend([
        run.goodput_bps.into(),
        run.throughput_bps.into(),
        run.utilization.into(),
        run.retransmission_ratio.into(),
        run.fast_recoveries.into(),
        run.timeouts.into(),
        run.jain.into(),
        rtt.map(|rtt| rtt.min).into(),
        rtt.map(|rtt| rtt.mean).into(),
        rtt.map(|rtt| rtt.p50).into(),
        rtt.map(|rtt| rtt.p95).into(),
        rtt.map(|rtt| rtt.p99).into(),
    ]);
    row.extend(delays(run.queue_delay_ms.as_ref()));
    row.extend(delays(run.one_way_delay_ms.as_ref()));
    row.extend([
        run.queue_packets.mean.into(),
        run.queue_packets.p95.into(),
        run.queue_packets.max.into(),
        run.drops.overflow.into(),
        run.drops.aqm.into(),
        run.drops.policer.into(),
        run.drops.random.into(),
        run.data_packets.into(),
        run.sim_s.into(),
    ]);
    row.extend(conduct(&run.conduct));
    row.extend([run.against_goodput_bps.into(), run.harm.into(), run.reverse_goodput_bps.into()]);
    row
}

/// Measures of what the flows under test do to others, to themselves and after a change.
fn conduct(run: &Conduct) -> [FrameValue; 12] {
    let harm = run.solo_harm.unwrap_or_default();
    [
        run.least_share.into(),
        run.least_competing_share.into(),
        run.self_inflicted_loss.into(),
        run.link_loss.into(),
        run.sent_per_rtt.into(),
        run.convergence_ms.into(),
        run.recovery_ms.into(),
        run.frame_delay_ms.map(|delay| delay.p95).into(),
        harm.rate.into(),
        harm.delay.into(),
        harm.loss.into(),
        harm.fct.into(),
    ]
}

/// Mean, median, 95th and 99th percentile.
fn delays(delay: Option<&DelayMs>) -> [FrameValue; 4] {
    [
        delay.map(|delay| delay.mean).into(),
        delay.map(|delay| delay.p50).into(),
        delay.map(|delay| delay.p95).into(),
        delay.map(|delay| delay.p99).into(),
    ]
}

fn group_row(record: &RunRecord, group: &GroupRecord) -> Vec<FrameValue> {
    let (rtt, ends) = (group.rtt_ms.as_ref(), group.transfers.as_ref());
    let frames = group.frames.as_ref();
    let mut row = vec![
        number(record),
        record.seed.into(),
        (&group.name).into(),
        group.cc.as_ref().into(),
        group.recovery.as_ref().into(),
        group.tested.into(),
        FrameValue::Count(group.flows.len() as u64),
        group.goodput_bps.into(),
        group.later_share.into(),
        group.throughput_bps.into(),
        group.retransmission_ratio.into(),
        group.fast_recoveries.into(),
        group.timeouts.into(),
        group.undone.into(),
        group.host_limited.into(),
        group.jain.into(),
        rtt.map(|rtt| rtt.mean).into(),
        rtt.map(|rtt| rtt.p95).into(),
        ends.map(|t| t.finished).into(),
        ends.map(|t| t.unfinished).into(),
        ends.map(|t| t.refused).into(),
        ends.and_then(|t| t.fct_mean_ms).into(),
        ends.and_then(|t| t.fct_p50_ms).into(),
        ends.and_then(|t| t.fct_p95_ms).into(),
        ends.and_then(|t| t.fct_max_ms).into(),
        frames.map(|frames| frames.captured).into(),
        frames.map(|frames| frames.delivered).into(),
    ];
    row.extend(delays(frames.and_then(|frames| frames.delay_ms.as_ref())));
    row.push(group.proxy_held_max_bytes.into());
    row
}

fn flow_row(
    record: &RunRecord,
    group: &GroupRecord,
    flow: &westwood_experiment::run::GroupFlow,
) -> Vec<FrameValue> {
    vec![
        number(record),
        record.seed.into(),
        (&group.name).into(),
        (&flow.name).into(),
        flow.goodput_bps.into(),
        flow.sent_packets.into(),
        flow.retransmitted_packets.into(),
        flow.fast_recoveries.into(),
        flow.timeouts.into(),
        flow.base_rtt_ms.into(),
        flow.rtt_mean_ms.into(),
        flow.fct_ms.into(),
    ]
}

fn link_row(record: &RunRecord, link: &westwood_experiment::run::LinkRecord) -> Vec<FrameValue> {
    let mut row = vec![
        number(record),
        record.seed.into(),
        (&link.name).into(),
        link.rate_bps.into(),
        link.mean_capacity_bps.into(),
        link.utilization.into(),
        link.delivered_packets.into(),
        link.delivered_bytes.into(),
        link.marked_packets.into(),
    ];
    row.extend(delays(link.queue_delay_ms.as_ref()));
    row.extend([
        link.queue_packets.mean.into(),
        link.queue_packets.p95.into(),
        link.queue_packets.max.into(),
        link.drops.overflow.into(),
        link.drops.aqm.into(),
        link.drops.policer.into(),
        link.drops.random.into(),
        link.filtered_packets.into(),
        link.repairs_packets.into(),
        link.repaired_packets.into(),
    ]);
    row.extend(delays(link.low_latency_delay_ms.as_ref()));
    row.extend(delays(link.classic_delay_ms.as_ref()));
    row
}

/// The time series of a run: those tables of `windows`, `estimates`, `rtts`, `queues`, `delivered` and
/// `drops` that have rows.
pub fn series(run: &RunResult) -> Vec<DataFrame> {
    let mut windows = frame("windows", WINDOWS);
    let mut estimates = frame("estimates", ESTIMATES);
    let mut rtts = frame("rtts", RTTS);
    let mut queues = frame("queues", QUEUES);
    let mut delivered = frame("delivered", DELIVERED);
    let mut drops = frame("drops", DROPS);
    let flow = |i: usize| FrameValue::from(run.flows.get(i));
    let link = |i: usize| FrameValue::from(run.links.get(i));
    for record in &run.series {
        let at = time(record.at);
        match &record.what {
            SeriesValue::Window { flow: i, cwnd, ssthresh, bwe, cause } => {
                let ssthresh = (*ssthresh < Segments::MAX).then(|| packets(*ssthresh));
                windows.rows.push(vec![
                    at,
                    flow(*i),
                    packets(*cwnd).into(),
                    ssthresh.into(),
                    bwe.map(bps).into(),
                    cause.as_ref().map(ToString::to_string).as_deref().into(),
                ]);
            }
            SeriesValue::Estimate { flow: i, kind, bwe } => {
                let row =
                    vec![at, flow(*i), FrameValue::Text(kind.name().to_owned()), bps(*bwe).into()];
                estimates.rows.push(row);
            }
            SeriesValue::Rtt { flow: i, rtt } => {
                rtts.rows.push(vec![at, flow(*i), millis(*rtt).into()]);
            }
            SeriesValue::Queue { link: i, packets } => {
                queues.rows.push(vec![at, link(*i), (*packets).into()]);
            }
            SeriesValue::Delivered { flow: i, bytes } => {
                delivered.rows.push(vec![at, flow(*i), (*bytes).into()]);
            }
            SeriesValue::Drop { link: l, flow: i } => drops.rows.push(vec![at, link(*l), flow(*i)]),
        }
    }
    let all = [windows, estimates, rtts, queues, delivered, drops];
    all.into_iter().filter(|frame| !frame.rows.is_empty()).collect()
}

/// Time series of several runs as one table of each kind, with the run that a row is of in front.
pub fn joined(report: &GridReport, runs: &[(u64, u64, Vec<DataFrame>)]) -> Vec<DataFrame> {
    let mut all: Vec<DataFrame> = Vec::new();
    for (point, seed, frames) in runs {
        let number = usize::try_from(*point).ok().and_then(|n| n.checked_sub(1));
        let name = number.and_then(|n| report.points.get(n)).map(|point| &point.name);
        for frame in frames {
            let known = all.iter().position(|known| known.name == frame.name);
            let place = known.unwrap_or_else(|| {
                let run = [
                    ("point", ColumnType::Count),
                    ("name", ColumnType::Text),
                    ("seed", ColumnType::Seed),
                ];
                let run = run.map(|(name, kind)| (name.to_owned(), kind));
                let columns = run.into_iter().chain(frame.columns.iter().cloned()).collect();
                all.push(DataFrame { name: frame.name, columns, rows: Vec::new() });
                all.len() - 1
            });
            let run = [FrameValue::Count(*point), FrameValue::from(name), FrameValue::Count(*seed)];
            let rows = frame.rows.iter().map(|row| [&run[..], row].concat());
            all[place].rows.extend(rows);
        }
    }
    all
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days, longer than any run")]
fn time(at: Instant) -> FrameValue {
    FrameValue::Float(at.as_nanos() as f64 / 1e9)
}

#[expect(clippy::cast_precision_loss, reason = "a window needs no more than 53 bits")]
fn packets(window: Segments) -> f64 {
    window.raw() as f64 / 2_f64.powi(32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_scenario::file::Scenario;

    #[test]
    fn the_table_of_runs_has_what_other_flows_carry_and_lose() {
        let text = "cc = [\"cubic\", \"reno\"]\ntime = \"4 s\"\nseeds = 1\n[dumbbell]\n\
                    rate = \"4 Mbit/s\"\nagainst_cc = \"cubic\"\nagainst_flows = 1\nreverse_flows = 1\n";
        let none = |_: &std::path::Path| Err("no files".to_owned());
        let scenario = Scenario::parse("f.toml", text, &[], &none).unwrap();
        let report = GridReport::simulated(&scenario, "1.2.3", 1);
        let [runs, ..] = summaries(&report);
        for (row, record) in runs.rows.iter().zip(&report.runs) {
            assert_eq!(row.len(), runs.columns.len());
            let run = record.summary.as_ref().unwrap();
            for (name, value) in [
                ("against_goodput_bps", run.against_goodput_bps),
                ("harm", run.harm),
                ("reverse_goodput_bps", run.reverse_goodput_bps),
            ] {
                let place = runs.columns.iter().position(|(column, _)| column == name).unwrap();
                assert!(value.is_some(), "{name}");
                assert_eq!(row[place], value.into(), "{name}");
            }
        }
    }
}
