//! Every table of a results folder: its columns and what they mean.

use crate::frame::{Columns, Kind, documented};

pub(crate) const RUNS: Columns = &[
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
    (
        "queue_delay_mean_ms",
        Kind::Float,
        "time that packets wait before the measured link begins to send them, mean",
    ),
    ("queue_delay_p50_ms", Kind::Float, "median"),
    ("queue_delay_p95_ms", Kind::Float, "95th percentile"),
    ("queue_delay_p99_ms", Kind::Float, "99th percentile"),
    (
        "one_way_delay_mean_ms",
        Kind::Float,
        "data segments under test from their sender to their receiver, mean",
    ),
    ("one_way_delay_p50_ms", Kind::Float, "median"),
    ("one_way_delay_p95_ms", Kind::Float, "95th percentile"),
    ("one_way_delay_p99_ms", Kind::Float, "99th percentile"),
    ("queue_mean_packets", Kind::Float, "packets waiting at the measured link, mean over time"),
    ("queue_p95_packets", Kind::Count, "95th percentile over time"),
    ("queue_max_packets", Kind::Count, "most"),
    ("drops_overflow_packets", Kind::Count, "dropped there because the buffer was full"),
    ("drops_aqm_packets", Kind::Count, "dropped there by active queue management"),
    ("drops_random_packets", Kind::Count, "lost on that link"),
    ("data_packets", Kind::Count, "data segments that arrived over the whole run, of all flows"),
    ("sim_s", Kind::Float, "simulated time"),
];

pub(crate) const GROUPS: Columns = &[
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

pub(crate) const FLOWS: Columns = &[
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

pub(crate) const LINKS: Columns = &[
    ("point", Kind::Count, "the point of the grid, from 1"),
    ("seed", Kind::Count, "the seed"),
    ("link", Kind::Text, "the link"),
    ("rate_bps", Kind::Float, "its rate at the beginning; with recorded capacity its mean"),
    ("utilization", Kind::Float, "share of the time in which it transmitted"),
    ("delivered_packets", Kind::Count, "packets that reached the far end"),
    ("delivered_bytes", Kind::Count, "bytes that reached the far end"),
    ("marked_packets", Kind::Count, "packets marked by ECN"),
    (
        "queue_delay_mean_ms",
        Kind::Float,
        "time that packets wait before it begins to send them, mean; of the measured link alone",
    ),
    ("queue_delay_p50_ms", Kind::Float, "median"),
    ("queue_delay_p95_ms", Kind::Float, "95th percentile"),
    ("queue_delay_p99_ms", Kind::Float, "99th percentile"),
    ("queue_mean_packets", Kind::Float, "packets waiting, mean over time"),
    ("queue_p95_packets", Kind::Count, "95th percentile over time"),
    ("queue_max_packets", Kind::Count, "most"),
    ("drops_overflow_packets", Kind::Count, "dropped because the buffer was full"),
    ("drops_aqm_packets", Kind::Count, "dropped by active queue management"),
    ("drops_random_packets", Kind::Count, "lost after transmission"),
];

pub(crate) const WINDOWS: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("cwnd_packets", Kind::Float, "congestion window, uninflated"),
    ("ssthresh_packets", Kind::Float, "slow-start threshold; absent while there is none"),
    ("bwe_bps", Kind::Float, "bandwidth estimate, if the controller has one"),
    ("cause", Kind::Text, "why the window changed, in words; absent for ordinary growth"),
];

pub(crate) const ESTIMATES: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("estimator", Kind::Text, "the estimator beside its controller"),
    ("bwe_bps", Kind::Float, "what it says"),
];

pub(crate) const RTTS: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("rtt_ms", Kind::Float, "a round-trip time sample"),
];

pub(crate) const QUEUES: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("link", Kind::Text, "the link"),
    ("queue_packets", Kind::Count, "packets waiting, the one in service left out"),
];

pub(crate) const DELIVERED: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("flow", Kind::Text, "the flow"),
    ("delivered_bytes", Kind::Count, "payload delivered since the start of the run"),
];

pub(crate) const DROPS: Columns = &[
    ("time_s", Kind::Float, "when"),
    ("link", Kind::Text, "the link"),
    ("flow", Kind::Text, "the flow whose packet was dropped"),
];

/// The page `docs/reference/results.md`: every file of a results folder, every table and column.
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
        (
            "estimates",
            "A time series: what each estimator beside a flow's controller says.",
            ESTIMATES,
        ),
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
        let page = include_str!("../../../docs/reference/results.md");
        assert!(
            page == documents(),
            "write it anew: westwood schema --results > docs/reference/results.md"
        );
    }
}
