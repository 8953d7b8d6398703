//! Names of quantities, as axes and sentences have them.

use westwood_experiment::metric::Metric;

/// The name of a quantity at an axis and in a sentence.
pub(super) fn name_of(metric: Metric) -> &'static str {
    match metric {
        Metric::FctMean => "completion time",
        Metric::FctMax => "longest completion time",
        Metric::Goodput => "goodput",
        Metric::AgainstGoodput => "goodput of the competing flows",
        Metric::ReverseGoodput => "goodput of the reverse flows",
        Metric::Jain => "Jain's index",
        Metric::Utilization => "link busy",
        Metric::Retransmissions => "share of segments resent",
        Metric::Timeouts => "timeouts",
        Metric::Harm => "harm to the competing flows",
        Metric::SoloHarmRate => "harm to the competing flows, beside what they have alone",
        Metric::LeastShare => "least share of a fair one",
        Metric::SelfInflictedLoss => "share dropped by the queue",
        Metric::FrameDelayP95 => "95th percentile of the frames' delay",
        Metric::AckCost => "cost of an ACK",
        Metric::AckCycles => "reference cycles of an ACK",
        Metric::Convergence => "convergence time",
        Metric::Recovery => "recovery time after a change",
        Metric::QueueDelayP50 => "median queueing delay",
        Metric::QueueDelayP95 => "95th percentile of the queueing delay",
        Metric::RttP50 => "median RTT",
        Metric::RttP95 => "95th percentile of the RTT",
        Metric::QueueMean => "mean queue",
        other => other.name(),
    }
}
