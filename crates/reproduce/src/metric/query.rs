//! The query that is computed of each run.

use std::collections::BTreeSet;

use westwood_scenario::file::SeriesKind;

/// The measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperMetric {
    /// Payload that arrived for the first time, bit/s.
    Goodput,
    /// Traffic that senders put on the wire, bit/s.
    Throughput,
    /// Payload delivered, bytes.
    Delivered,
    /// Segments retransmitted over segments sent.
    Retransmissions,
    /// Fast recoveries begun.
    Recoveries,
    /// Timeouts.
    Timeouts,
    /// Jain's index.
    Jain,
    /// Round-trip time samples, s.
    Rtt,
    /// Busy share of a link.
    Utilization,
    /// Packets waiting at a link.
    Queue,
    /// Packets lost at a link.
    Drops,
    /// Congestion window, packets.
    Cwnd,
    /// Slow-start threshold, packets.
    Ssthresh,
    /// Bandwidth estimate, bit/s.
    Bwe,
    /// The number of window reductions.
    Reductions,
    /// The time of a window reduction, s.
    ReductionTime,
    /// Time from a reduction to a window again, s.
    Recovery,
    /// Time from a window to a larger one, s.
    Climb,
}

impl PaperMetric {
    pub(super) const ALL: [(&'static str, Self); 18] = [
        ("goodput", Self::Goodput),
        ("throughput", Self::Throughput),
        ("delivered", Self::Delivered),
        ("retransmissions", Self::Retransmissions),
        ("recoveries", Self::Recoveries),
        ("timeouts", Self::Timeouts),
        ("jain", Self::Jain),
        ("rtt", Self::Rtt),
        ("utilization", Self::Utilization),
        ("queue", Self::Queue),
        ("drops", Self::Drops),
        ("cwnd", Self::Cwnd),
        ("ssthresh", Self::Ssthresh),
        ("bwe", Self::Bwe),
        ("reductions", Self::Reductions),
        ("reduction_time", Self::ReductionTime),
        ("recovery", Self::Recovery),
        ("climb", Self::Climb),
    ];
}

/// The names of all metrics.
pub fn names() -> impl Iterator<Item = &'static str> {
    PaperMetric::ALL.iter().map(|(name, _)| *name)
}

/// A statistic over time, or over window reductions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stat {
    /// Mean.
    Mean,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Standard deviation.
    Std,
    /// Standard deviation over mean.
    Cv,
    /// First value.
    First,
    /// Last value.
    Last,
    /// So many percent of the time it is no larger.
    Percentile(f64),
    /// Slope a second, by least squares.
    Slope,
    /// Exponential rate a second, by least squares of the logarithm.
    Growth,
    /// Mean of the distance from a true value, over that value.
    Error(f64),
    /// All values over time.
    Series,
}

/// Values at window reductions instead of over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionSide {
    /// Just before each.
    Before,
    /// Just after each.
    After,
}

/// The flows of a group, and the statistic over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flows {
    /// The metric's own: the group as a whole, or its first flow.
    Usual,
    /// The flow with this number, from 1.
    One(usize),
    /// A statistic over the flows.
    Over(FlowStatistic),
}

/// A statistic over flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowStatistic {
    /// Sum.
    Sum,
    /// Mean.
    Mean,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Standard deviation.
    Std,
    /// Largest less smallest.
    Spread,
    /// Standard deviation over mean.
    Cv,
}

/// The quantity that is computed of each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The measured quantity.
    pub metric: PaperMetric,
    /// The group of flows; the one under test if absent.
    pub group: Option<String>,
    /// Its flows.
    pub flows: Flows,
    /// Jain's index is that of the flows' means over the seeds, and not the mean of the seeds' indices.
    pub of_means: bool,
    /// The link; the measured one if absent.
    pub link: Option<String>,
    /// From this second on; from the warm-up on if absent.
    pub from: Option<f64>,
    /// Up to this second; to the end if absent.
    pub to: Option<f64>,
    /// The statistic over time.
    pub stat: Option<Stat>,
    /// At window reductions only.
    pub when: Option<ReductionSide>,
    /// Only this reduction, from 1.
    pub nth: Option<usize>,
    /// Spans of a series, s.
    pub interval: Option<f64>,
    /// A window, packets.
    pub level: Option<f64>,
    /// The window where a climb begins.
    pub low: Option<f64>,
    /// The window where it ends.
    pub high: Option<f64>,
    /// The cause of drops; any cause if absent.
    pub cause: Option<String>,
    /// An estimator beside the controller's own.
    pub estimator: Option<String>,
    /// Its identity, in words that stay the same.
    pub key: String,
}

impl Query {
    /// True if it yields a curve over time.
    pub fn is_series(&self) -> bool {
        use PaperMetric::{Bwe, Cwnd, Goodput, Jain, Ssthresh};
        let of_time = matches!(self.metric, Cwnd | Ssthresh | Bwe)
            || (self.interval.is_some() && matches!(self.metric, Goodput | Jain));
        self.stat == Some(Stat::Series) || (of_time && self.stat.is_none() && self.when.is_none())
    }

    /// The series that it needs.
    pub fn series(&self) -> BTreeSet<SeriesKind> {
        use PaperMetric as M;
        let windowed = self.from.is_some() || self.to.is_some() || self.interval.is_some();
        let of_time = windowed || !matches!(self.stat, None | Some(Stat::Mean));
        let one = match self.metric {
            M::Cwnd
            | M::Ssthresh
            | M::Bwe
            | M::Reductions
            | M::ReductionTime
            | M::Recovery
            | M::Climb => Some(SeriesKind::Windows),
            M::Goodput | M::Delivered | M::Jain if of_time => Some(SeriesKind::Delivered),
            M::Rtt if windowed || !self.is_summary() => Some(SeriesKind::Rtts),
            M::Queue if windowed || !self.is_summary() => Some(SeriesKind::Queues),
            _ => None,
        };
        one.into_iter().collect()
    }

    /// True if it needs the distribution of round-trip times.
    pub fn needs_delays(&self) -> bool {
        self.metric == PaperMetric::Rtt
    }

    /// True if the run's summary has this statistic.
    pub(super) fn is_summary(&self) -> bool {
        const SUMMARY: [Stat; 3] = [Stat::Mean, Stat::Percentile(95.0), Stat::Percentile(99.0)];
        let more = match self.metric {
            PaperMetric::Rtt => [Stat::Min, Stat::Percentile(50.0)],
            _ => [Stat::Max, Stat::Mean],
        };
        let usual = self.flows == Flows::Usual;
        usual
            && self.stat.is_none_or(|s| SUMMARY.contains(&s) || more.contains(&s))
            && !(self.metric == PaperMetric::Queue && self.stat == Some(Stat::Percentile(99.0)))
    }
}
