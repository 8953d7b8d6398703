//! The results of a scenario as tables: one for each kind of row.

use westwood_cc::{Instant, Segments};
use westwood_scenario::dumbbell::{bps, millis};
use westwood_scenario::run::{Finished, Group, PointRecord, Report, RunRecord, SeriesValue};

use crate::frame::{Columns, Frame, Kind, Value, documented};

const RUNS: Columns = &[
    ("point", Kind::Count, "the point of the grid, from 1"),
    ("name", Kind::Text, "the point in a few words"),
    ("variant", Kind::Text, "the variant; absent for the scenario as it stands"),
    ("cc", Kind::Text, "the controller under test"),
    ("seed", Kind::Count, "the seed"),
    ("error", Kind::Text, "why the run failed; absent if it did not"),
    (
        "goodput_bps",
        Kind::Float,
        "payload that arrived for the first time, all flows under test, a second",
    ),
    ("throughput_bps", Kind::Float, "what their senders put on the wire"),
    ("utilization", Kind::Float, "busy share of the measured link"),
    ("retransmission_ratio", Kind::Float, "data segments retransmitted over data segments sent"),
    ("fast_recoveries", Kind::Count, "fast recoveries begun"),
    ("timeouts", Kind::Count, "retransmission timeouts"),
    ("jain", Kind::Float, "Jain's index of the goodputs of the flows under test"),
    ("rtt_min_ms", Kind::Float, "least round-trip time sample"),
    ("rtt_mean_ms", Kind::Float, "mean"),
    ("rtt_p50_ms", Kind::Float, "median"),
    ("rtt_p95_ms", Kind::Float, "95th percentile"),
    ("rtt_p99_ms", Kind::Float, "99th percentile"),
    ("queue_mean_packets", Kind::Float, "packets waiting at the measured link, mean over time"),
    ("queue_p95_packets", Kind::Count, "95th percentile over time"),
    ("queue_max_packets", Kind::Count, "most"),
    ("drops_overflow_packets", Kind::Count, "dropped there because the buffer was full"),
    ("drops_aqm_packets", Kind::Count, "dropped there by active queue management"),
    ("drops_random_packets", Kind::Count, "lost on that link"),
    ("data_packets", Kind::Count, "data segments that arrived over the whole run, of all flows"),
    ("events", Kind::Count, "events that the engine handled"),
    ("sim_s", Kind::Float, "simulated time"),
];

const GROUPS: Columns = &[
    ("point", Kind::Count, "the point of the grid, from 1"),
    ("seed", Kind::Count, "the seed"),
    ("group", Kind::Text, "the group of flows"),
    ("cc", Kind::Text, "its controller; absent for datagrams"),
    ("recovery", Kind::Text, "its loss recovery"),
    ("tested", Kind::Switch, "whether it is under test"),
    ("flows", Kind::Count, "how many flows it has"),
    ("goodput_bps", Kind::Float, "payload that arrived for the first time, a second"),
    ("throughput_bps", Kind::Float, "what the senders put on the wire"),
    ("retransmission_ratio", Kind::Float, "data segments retransmitted over data segments sent"),
    ("fast_recoveries", Kind::Count, "fast recoveries begun"),
    ("timeouts", Kind::Count, "retransmission timeouts"),
    ("undone", Kind::Count, "reductions found spurious and undone"),
    ("jain", Kind::Float, "Jain's index of the goodputs of its flows"),
    ("rtt_mean_ms", Kind::Float, "mean of the senders' samples"),
    ("rtt_p95_ms", Kind::Float, "95th percentile"),
    ("transfers_finished", Kind::Count, "transfers finished over the whole run"),
    ("transfers_unfinished", Kind::Count, "transfers begun and not finished"),
    ("transfers_refused", Kind::Count, "short flows refused because too many were open"),
    ("fct_mean_ms", Kind::Float, "completion time, mean"),
    ("fct_p50_ms", Kind::Float, "median"),
    ("fct_p95_ms", Kind::Float, "95th percentile"),
    ("fct_max_ms", Kind::Float, "longest"),
];

const FLOWS: Columns = &[
    ("point", Kind::Count, "the point of the grid, from 1"),
    ("seed", Kind::Count, "the seed"),
    ("group", Kind::Text, "the group of flows"),
    ("flow", Kind::Text, "the flow"),
    ("goodput_bps", Kind::Float, "payload that arrived for the first time, a second"),
    ("sent_packets", Kind::Count, "data segments sent, retransmissions included"),
    ("retransmitted_packets", Kind::Count, "data segments retransmitted"),
    ("fast_recoveries", Kind::Count, "fast recoveries begun"),
    ("timeouts", Kind::Count, "retransmission timeouts"),
    (
        "base_rtt_ms",
        Kind::Float,
        "propagation and transmission of a segment and its ACK over empty queues",
    ),
    ("rtt_mean_ms", Kind::Float, "mean of the sender's samples"),
    ("fct_ms", Kind::Float, "completion time of the first transfer"),
];

const LINKS: Columns = &[
    ("point", Kind::Count, "the point of the grid, from 1"),
    ("seed", Kind::Count, "the seed"),
    ("link", Kind::Text, "the link"),
    ("rate_bps", Kind::Float, "its rate at the beginning; with recorded capacity its mean"),
    ("utilization", Kind::Float, "share of the time in which it transmitted"),
    ("delivered_packets", Kind::Count, "packets that reached the far end"),
    ("delivered_bytes", Kind::Count, "bytes that reached the far end"),
    ("marked_packets", Kind::Count, "packets marked by ECN"),
    ("queue_mean_packets", Kind::Float, "packets waiting, mean over time"),
    ("queue_p95_packets", Kind::Count, "95th percentile over time"),
    ("queue_max_packets", Kind::Count, "most"),
    ("drops_overflow_packets", Kind::Count, "dropped because the buffer was full"),
    ("drops_aqm_packets", Kind::Count, "dropped by active queue management"),
    ("drops_random_packets", Kind::Count, "lost after transmission"),
];

const WINDOWS: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("cwnd_packets", Kind::Float, "congestion window, uninflated"),
    ("ssthresh_packets", Kind::Float, "slow-start threshold; absent while there is none"),
    ("bwe_bps", Kind::Float, "bandwidth estimate, if the controller has one"),
    ("cause", Kind::Text, "why the window changed, in words; absent for ordinary growth"),
];

const RTTS: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("rtt_ms", Kind::Float, "a round-trip time sample"),
];

const QUEUES: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("link", Kind::Text, "the link"),
    ("queue_packets", Kind::Count, "packets waiting, the one in service left out"),
];

const DELIVERED: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("delivered_bytes", Kind::Count, "payload delivered since the start of the run"),
];

const DROPS: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("link", Kind::Text, "the link"),
    ("flow", Kind::Text, "the flow whose packet was dropped"),
];

/// The summaries of all runs: tables `runs`, `groups`, `flows` and `links`.
pub fn summaries(report: &Report) -> [Frame; 4] {
    let mut runs = frame("runs", RUNS);
    // The axes' columns stand after the point's own.
    let axes = report.axes.iter().map(|axis| (axis.clone(), Kind::Text));
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
    [runs, groups, flows, links]
}

fn frame(name: &'static str, columns: Columns) -> Frame {
    let columns = columns.iter().map(|(name, kind, _)| ((*name).to_owned(), *kind)).collect();
    Frame { name, columns, rows: Vec::new() }
}

/// Points are counted from 1, as people do.
fn number(record: &RunRecord) -> Value {
    Value::Count(record.point as u64 + 1)
}

fn run_row(record: &RunRecord, point: &PointRecord, axes: usize) -> Vec<Value> {
    let mut row = vec![number(record), (&point.name).into()];
    row.extend((0..axes).map(|axis| Value::from(point.settings.get(axis))));
    row.extend([
        point.variant.as_ref().into(),
        point.cc.as_ref().into(),
        record.seed.into(),
        record.error.as_ref().into(),
    ]);
    let Some(run) = &record.summary else {
        row.resize(RUNS.len() + axes, Value::Absent);
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
        run.queue_packets.mean.into(),
        run.queue_packets.p95.into(),
        run.queue_packets.max.into(),
        run.drops.overflow.into(),
        run.drops.aqm.into(),
        run.drops.random.into(),
        run.data_packets.into(),
        run.events.into(),
        run.sim_s.into(),
    ]);
    row
}

fn group_row(record: &RunRecord, group: &Group) -> Vec<Value> {
    let (rtt, ends) = (group.rtt_ms.as_ref(), group.transfers.as_ref());
    vec![
        number(record),
        record.seed.into(),
        (&group.name).into(),
        group.cc.as_ref().into(),
        group.recovery.as_ref().into(),
        group.tested.into(),
        Value::Count(group.flows.len() as u64),
        group.goodput_bps.into(),
        group.throughput_bps.into(),
        group.retransmission_ratio.into(),
        group.fast_recoveries.into(),
        group.timeouts.into(),
        group.undone.into(),
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
    ]
}

fn flow_row(
    record: &RunRecord,
    group: &Group,
    flow: &westwood_scenario::run::GroupFlow,
) -> Vec<Value> {
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

fn link_row(record: &RunRecord, link: &westwood_scenario::run::LinkRecord) -> Vec<Value> {
    vec![
        number(record),
        record.seed.into(),
        (&link.name).into(),
        link.rate_bps.into(),
        link.utilization.into(),
        link.delivered_packets.into(),
        link.delivered_bytes.into(),
        link.marked_packets.into(),
        link.queue_packets.mean.into(),
        link.queue_packets.p95.into(),
        link.queue_packets.max.into(),
        link.drops.overflow.into(),
        link.drops.aqm.into(),
        link.drops.random.into(),
    ]
}

/// The time series of a run: those tables of `windows`, `rtts`, `queues`, `delivered` and `drops`
/// that have rows.
pub fn series(run: &Finished) -> Vec<Frame> {
    let mut windows = frame("windows", WINDOWS);
    let mut rtts = frame("rtts", RTTS);
    let mut queues = frame("queues", QUEUES);
    let mut delivered = frame("delivered", DELIVERED);
    let mut drops = frame("drops", DROPS);
    let flow = |i: usize| Value::from(run.flows.get(i));
    let link = |i: usize| Value::from(run.links.get(i));
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
                    cause.as_ref().into(),
                ]);
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
    let all = [windows, rtts, queues, delivered, drops];
    all.into_iter().filter(|frame| !frame.rows.is_empty()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days, longer than any run")]
fn time(at: Instant) -> Value {
    Value::Float(at.as_nanos() as f64 / 1e9)
}

#[expect(clippy::cast_precision_loss, reason = "a window needs no more than 53 bits")]
fn packets(window: Segments) -> f64 {
    window.raw() as f64 / 2_f64.powi(32)
}

/// The page `docs/results.md`: every file of a results folder, every table and column.
pub fn documents() -> String {
    let mut text = include_str!("results.md").to_owned();
    let tables = [
        (
            "runs",
            "One row for each point and seed. After `name` stands a column for each field that the sweep sets, named by its path.",
            RUNS,
        ),
        ("groups", "One row for each group of flows of a run.", GROUPS),
        ("flows", "One row for each flow of a run.", FLOWS),
        ("links", "One row for each link of a run that is not an access link.", LINKS),
        ("windows", "A time series: cwnd and ssthresh after each change that is kept.", WINDOWS),
        ("rtts", "A time series: the senders' samples.", RTTS),
        ("queues", "A time series: packets waiting at each link that has a limit.", QUEUES),
        ("delivered", "A time series: progress of each flow.", DELIVERED),
        ("drops", "A time series: every dropped packet.", DROPS),
    ];
    for (name, about, columns) in tables {
        documented(&mut text, name, about, columns);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_the_program_says_of_itself() {
        let page = include_str!("../../../docs/results.md");
        assert!(page == documents(), "write it anew: westwood schema --results > docs/results.md");
    }
}
