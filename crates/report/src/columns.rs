//! Every table of a results folder: its columns and their meaning.

use crate::data_frame::{ColumnType, Columns, documented};

pub(crate) const RUNS: Columns = &[
    ("point", ColumnType::Count, "the point of the grid, from 1"),
    ("name", ColumnType::Text, "the point in a few words"),
    ("variant", ColumnType::Text, "the variant; absent for the scenario as it stands"),
    ("cc", ColumnType::Text, "the controller under test"),
    ("seed", ColumnType::Seed, "the seed"),
    ("error", ColumnType::Text, "why the run failed; absent if it did not"),
    (
        "goodput_bps",
        ColumnType::Float,
        "payload that arrived for the first time, all flows under test, a second",
    ),
    ("throughput_bps", ColumnType::Float, "what their senders put on the wire"),
    ("utilization", ColumnType::Float, "busy share of the measured link, as in the table of links"),
    (
        "retransmission_ratio",
        ColumnType::Float,
        "data segments retransmitted over data segments sent",
    ),
    ("fast_recoveries", ColumnType::Count, "fast recoveries begun"),
    ("timeouts", ColumnType::Count, "retransmission timeouts"),
    (
        "jain",
        ColumnType::Float,
        "Jain's index of the goodputs of the flows under test, each over all its periods",
    ),
    ("rtt_min_ms", ColumnType::Float, "least round-trip time sample"),
    ("rtt_mean_ms", ColumnType::Float, "mean"),
    ("rtt_p50_ms", ColumnType::Float, "median"),
    ("rtt_p95_ms", ColumnType::Float, "95th percentile"),
    ("rtt_p99_ms", ColumnType::Float, "99th percentile"),
    (
        "queue_delay_mean_ms",
        ColumnType::Float,
        "time that packets wait before the measured link begins to send them, mean",
    ),
    ("queue_delay_p50_ms", ColumnType::Float, "median"),
    ("queue_delay_p95_ms", ColumnType::Float, "95th percentile"),
    ("queue_delay_p99_ms", ColumnType::Float, "99th percentile"),
    (
        "one_way_delay_mean_ms",
        ColumnType::Float,
        "data segments under test from their sender to their receiver, mean",
    ),
    ("one_way_delay_p50_ms", ColumnType::Float, "median"),
    ("one_way_delay_p95_ms", ColumnType::Float, "95th percentile"),
    ("one_way_delay_p99_ms", ColumnType::Float, "99th percentile"),
    (
        "queue_mean_packets",
        ColumnType::Float,
        "packets waiting at the measured link, mean over time",
    ),
    ("queue_p95_packets", ColumnType::Count, "95th percentile over time"),
    ("queue_max_packets", ColumnType::Count, "most"),
    ("drops_overflow_packets", ColumnType::Count, "dropped there because the buffer was full"),
    ("drops_aqm_packets", ColumnType::Count, "dropped there by active queue management"),
    ("drops_policer_packets", ColumnType::Count, "dropped there by a policer"),
    ("drops_random_packets", ColumnType::Count, "lost on that link"),
    (
        "data_packets",
        ColumnType::Count,
        "data segments that arrived over the whole run, of all flows",
    ),
    ("sim_s", ColumnType::Float, "simulated time"),
    (
        "least_share",
        ColumnType::Float,
        "starvation: least goodput of a flow, tested or competing, over their mean",
    ),
    (
        "least_competing_share",
        ColumnType::Float,
        "starvation of others: least goodput of a competing flow over the mean of tested and competing ones",
    ),
    (
        "self_inflicted_loss",
        ColumnType::Float,
        "share of packets that the measured link's queue or policer dropped",
    ),
    ("link_loss", ColumnType::Float, "share of packets lost on the measured link"),
    (
        "sent_per_rtt",
        ColumnType::Float,
        "data segments that a flow under test sends in its base round-trip time",
    ),
    (
        "convergence_ms",
        ColumnType::Float,
        "from the youngest flow's first data until each has its share plus or minus a tenth for twenty round trips",
    ),
    (
        "recovery_ms",
        ColumnType::Float,
        "from the last change of a link until nine tenths of the later goodput",
    ),
    ("frame_delay_p95_ms", ColumnType::Float, "95th percentile of the media frames' delay"),
    (
        "solo_harm_rate",
        ColumnType::Float,
        "share of the goodput that competing flows have alone and lose (Ware and others, HotNets 2019)",
    ),
    ("solo_harm_delay", ColumnType::Float, "the same of their mean round-trip time"),
    ("solo_harm_loss", ColumnType::Float, "the same of their share of segments resent"),
    ("solo_harm_fct", ColumnType::Float, "the same of their mean completion time"),
    ("against_goodput_bps", ColumnType::Float, "goodput of the competing flows together"),
    (
        "harm",
        ColumnType::Float,
        "share of the goodput beside flows of their own kind that the competing flows lose",
    ),
    ("reverse_goodput_bps", ColumnType::Float, "goodput of the reverse flows together"),
];

/// The last columns of `runs`, where the cost of an ACK is measured: a table without them repeats to the
/// byte.
pub(crate) const ACK_COST: Columns = &[
    (
        "ack_cost_ns",
        ColumnType::Float,
        "cost of an ACK to the controller under test on the machine of the run; a column of experiments that ask for it (`measure.ack_cost`), as the next one",
    ),
    (
        "ack_cost_cycles",
        ColumnType::Float,
        "the same in reference cycles, which the time-stamp counter of an x86-64 counts at a constant rate near the processor's nominal frequency, whatever the core's own; absent where there is none",
    ),
];

pub(crate) const GROUPS: Columns = &[
    ("point", ColumnType::Count, "the point of the grid, from 1"),
    ("seed", ColumnType::Seed, "the seed"),
    ("group", ColumnType::Text, "the group of flows"),
    ("cc", ColumnType::Text, "its controller; absent for datagrams"),
    ("recovery", ColumnType::Text, "its loss recovery"),
    ("tested", ColumnType::Switch, "whether it is under test"),
    ("flows", ColumnType::Count, "how many flows it has"),
    ("goodput_bps", ColumnType::Float, "payload that arrived for the first time, a second"),
    (
        "later_share",
        ColumnType::Float,
        "part of that payload which arrived in the second half of the measured time; half of what flows \
         carry that have settled",
    ),
    ("throughput_bps", ColumnType::Float, "what the senders put on the wire"),
    (
        "retransmission_ratio",
        ColumnType::Float,
        "data segments retransmitted over data segments sent",
    ),
    ("fast_recoveries", ColumnType::Count, "fast recoveries begun"),
    ("timeouts", ColumnType::Count, "retransmission timeouts"),
    ("undone", ColumnType::Count, "reductions found spurious and undone"),
    (
        "host_limited",
        ColumnType::Float,
        "time in which a buffer of a host kept data back (`tcp_rmem`, `tcp_wmem`), added up over all \
         connections, over the measured time of all flows; at most 1: transfers of one flow at the same \
         time count each, and a flow between two transfers is not limited",
    ),
    (
        "jain",
        ColumnType::Float,
        "Jain's index of the goodputs of its flows, each over all its periods",
    ),
    ("rtt_mean_ms", ColumnType::Float, "mean of the senders' samples"),
    ("rtt_p95_ms", ColumnType::Float, "95th percentile"),
    ("transfers_finished", ColumnType::Count, "transfers finished over the whole run"),
    ("transfers_unfinished", ColumnType::Count, "transfers begun and not finished"),
    ("transfers_refused", ColumnType::Count, "short flows refused because too many were open"),
    (
        "fct_mean_ms",
        ColumnType::Float,
        "completion time from the first data, without a handshake, to the last byte's arrival, mean",
    ),
    ("fct_p50_ms", ColumnType::Float, "median"),
    ("fct_p95_ms", ColumnType::Float, "95th percentile"),
    ("fct_max_ms", ColumnType::Float, "longest"),
    ("frames_captured", ColumnType::Count, "frames of media flows, captured after the warm-up"),
    ("frames_delivered", ColumnType::Count, "those of which every datagram arrived"),
    (
        "frame_delay_mean_ms",
        ColumnType::Float,
        "from a frame's capture until its last datagram arrived, mean",
    ),
    ("frame_delay_p50_ms", ColumnType::Float, "median"),
    ("frame_delay_p95_ms", ColumnType::Float, "95th percentile"),
    ("frame_delay_p99_ms", ColumnType::Float, "99th percentile"),
    (
        "proxy_held_max_bytes",
        ColumnType::Count,
        "the most payload that the proxy at the end of these connections held for one flow",
    ),
];

pub(crate) const FLOWS: Columns = &[
    ("point", ColumnType::Count, "the point of the grid, from 1"),
    ("seed", ColumnType::Seed, "the seed"),
    ("group", ColumnType::Text, "the group of flows"),
    ("flow", ColumnType::Text, "the flow"),
    ("goodput_bps", ColumnType::Float, "payload that arrived for the first time, a second"),
    (
        "sent_packets",
        ColumnType::Count,
        "data segments sent, retransmissions and probes of a closed window included",
    ),
    ("retransmitted_packets", ColumnType::Count, "data segments retransmitted"),
    ("fast_recoveries", ColumnType::Count, "fast recoveries begun"),
    ("timeouts", ColumnType::Count, "retransmission timeouts"),
    (
        "base_rtt_ms",
        ColumnType::Float,
        "propagation and transmission of a segment and its ACK over empty queues",
    ),
    ("rtt_mean_ms", ColumnType::Float, "mean of the sender's samples"),
    ("fct_ms", ColumnType::Float, "completion time of the first transfer, without a handshake"),
];

pub(crate) const LINKS: Columns = &[
    ("point", ColumnType::Count, "the point of the grid, from 1"),
    ("seed", ColumnType::Seed, "the seed"),
    ("link", ColumnType::Text, "the link"),
    ("rate_bps", ColumnType::Float, "its rate at the beginning; with recorded capacity its mean"),
    (
        "mean_capacity_bps",
        ColumnType::Float,
        "mean of what it could have transmitted while measured, where its capacity is recorded or its rate \
         changes",
    ),
    (
        "utilization",
        ColumnType::Float,
        "share of the time in which it transmitted, or had something to transmit where its capacity is \
         recorded or its rate is 0",
    ),
    ("delivered_packets", ColumnType::Count, "packets that reached the far end"),
    ("delivered_bytes", ColumnType::Count, "bytes that reached the far end"),
    ("marked_packets", ColumnType::Count, "packets marked by ECN"),
    (
        "queue_delay_mean_ms",
        ColumnType::Float,
        "time that packets wait before it begins to send them, mean; of the measured link alone",
    ),
    ("queue_delay_p50_ms", ColumnType::Float, "median"),
    ("queue_delay_p95_ms", ColumnType::Float, "95th percentile"),
    ("queue_delay_p99_ms", ColumnType::Float, "99th percentile"),
    ("queue_mean_packets", ColumnType::Float, "packets waiting, mean over time"),
    ("queue_p95_packets", ColumnType::Count, "95th percentile over time"),
    ("queue_max_packets", ColumnType::Count, "most"),
    ("drops_overflow_packets", ColumnType::Count, "dropped because the buffer was full"),
    ("drops_aqm_packets", ColumnType::Count, "dropped by active queue management"),
    ("drops_policer_packets", ColumnType::Count, "dropped by a policer"),
    ("drops_random_packets", ColumnType::Count, "lost after transmission"),
    ("filtered_packets", ColumnType::Count, "ACKs left out because a later one made them needless"),
    ("repairs_packets", ColumnType::Count, "repeats, or packets of a code, sent to repair losses"),
    ("repaired_packets", ColumnType::Count, "packets lost and delivered all the same"),
    (
        "low_latency_delay_mean_ms",
        ColumnType::Float,
        "queueing delay of the low-latency one of two queues, mean; of the measured link alone",
    ),
    ("low_latency_delay_p50_ms", ColumnType::Float, "median"),
    ("low_latency_delay_p95_ms", ColumnType::Float, "95th percentile"),
    ("low_latency_delay_p99_ms", ColumnType::Float, "99th percentile"),
    ("classic_delay_mean_ms", ColumnType::Float, "of the classic queue beside it, mean"),
    ("classic_delay_p50_ms", ColumnType::Float, "median"),
    ("classic_delay_p95_ms", ColumnType::Float, "95th percentile"),
    ("classic_delay_p99_ms", ColumnType::Float, "99th percentile"),
];

pub(crate) const WINDOWS: Columns = &[
    ("time_s", ColumnType::Float, "when"),
    ("flow", ColumnType::Text, "the flow"),
    ("cwnd_packets", ColumnType::Float, "congestion window, uninflated"),
    ("ssthresh_packets", ColumnType::Float, "slow-start threshold; absent while there is none"),
    ("bwe_bps", ColumnType::Float, "bandwidth estimate, if the controller has one"),
    ("cause", ColumnType::Text, "why the window changed, in words; absent for ordinary growth"),
];

pub(crate) const ESTIMATES: Columns = &[
    ("time_s", ColumnType::Float, "when"),
    ("flow", ColumnType::Text, "the flow"),
    ("estimator", ColumnType::Text, "the estimator beside its controller"),
    ("bwe_bps", ColumnType::Float, "what it says"),
];

pub(crate) const RTTS: Columns = &[
    ("time_s", ColumnType::Float, "when"),
    ("flow", ColumnType::Text, "the flow"),
    (
        "rtt_ms",
        ColumnType::Float,
        "a sample; with the recovery linux of the newest segment acknowledged",
    ),
];

pub(crate) const QUEUES: Columns = &[
    ("time_s", ColumnType::Float, "when"),
    ("link", ColumnType::Text, "the link"),
    ("queue_packets", ColumnType::Count, "packets waiting, the one in service left out"),
];

pub(crate) const DELIVERED: Columns = &[
    ("time_s", ColumnType::Float, "when"),
    ("flow", ColumnType::Text, "the flow"),
    ("delivered_bytes", ColumnType::Count, "payload delivered since the start of the run"),
];

pub(crate) const DROPS: Columns = &[
    ("time_s", ColumnType::Float, "when"),
    ("link", ColumnType::Text, "the link"),
    ("flow", ColumnType::Text, "the flow whose packet was dropped"),
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
            "A time series: the estimates of each estimator beside a flow's controller.",
            ESTIMATES,
        ),
        ("rtts", "A time series: the senders' samples.", RTTS),
        ("queues", "A time series: packets waiting at each link that has a limit.", QUEUES),
        ("delivered", "A time series: progress of each flow.", DELIVERED),
        ("drops", "A time series: every dropped packet.", DROPS),
    ];
    for (name, about, columns) in tables {
        let last = if name == "runs" { ACK_COST } else { &[] };
        documented(&mut text, name, about, columns.iter().chain(last));
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
