//! The data model of a scenario's results: the schema `westwood.run/1`.
//!
//! Names are the schema's and end in their unit. A quantity that a run does not have is `null`.

use serde::{Deserialize, Serialize};
use westwood_scenario::file::GivenSettings;
use westwood_sim::Record;

use super::task::RunTask;
use crate::judgement::SettingSummary;
use crate::results::{DelayMs, Drops, QueuePackets, RttMs, RunSummary, TransferTimes};

/// The schema's name.
pub const SCHEMA: &str = "westwood.run/1";

/// All results of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GridReport {
    /// The schema's name.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// The version of the program that made it.
    pub version: String,
    /// The scenario's name.
    pub name: String,
    /// The scenario's subject.
    pub about: Option<String>,
    /// The paths of the fields that the sweep sets.
    pub axes: Vec<String>,
    /// The settings that the scenario gives or takes from its preset, by the paths of their fields, but
    /// for the sweep's; absent of a result of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenSettings>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// The points of the grid, in order.
    pub points: Vec<PointRecord>,
    /// One for each point and seed, in that order.
    pub runs: Vec<RunRecord>,
    /// The conclusions, a summary for each setting of the sweep and variant; absent of a report
    /// without a judgement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<SettingSummary>,
    /// The warnings about the results, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The runs of competing flows beside flows of their own kind, where their controller is not
    /// compared, and alone: the other side of `harm` and `solo_harm`, and no contestants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<Baseline>,
}

/// A setting in which the flows under test have the controller of those that compete with them, or do not
/// begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baseline {
    /// The point. Its runs' number stands behind those of all points.
    #[serde(flatten)]
    pub point: PointRecord,
    /// One for each seed.
    pub runs: Vec<RunRecord>,
}

impl Baseline {
    /// Without runs so far.
    pub(super) fn of(point: PointRecord) -> Self {
        Self { point, runs: Vec::new() }
    }
}

impl GridReport {
    /// All runs, those of baselines last.
    pub fn all_runs(&self) -> impl Iterator<Item = &RunRecord> {
        self.runs.iter().chain(self.baselines.iter().flat_map(|baseline| &baseline.runs))
    }

    /// The number of all runs when they are done.
    pub fn runs_in_all(&self) -> usize {
        (self.points.len() + self.baselines.len()) * self.seeds.len()
    }

    /// The point or the baseline of this number.
    pub fn point(&self, number: usize) -> Option<&PointRecord> {
        let behind = number.checked_sub(self.points.len());
        let baseline = || self.baselines.get(behind?).map(|baseline| &baseline.point);
        self.points.get(number).or_else(baseline)
    }

    /// Whether points differ in more than the controller: then a note tells of a run by its point.
    pub(crate) fn is_varied(&self) -> bool {
        self.axes.iter().any(|axis| axis != "cc")
            || self.points.iter().any(|point| point.variant.is_some())
    }

    /// True if the measured link lost every packet in each run.
    pub fn lost_every_packet(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(RunRecord::lost_every_packet)
    }

    /// The number of runs that ended before every transfer under test did: their completion times
    /// say nothing about those that were cut off.
    pub fn cut_off(&self) -> usize {
        let cut = |run: &&RunRecord| {
            let mut tested = run.groups.iter().filter(|g| g.tested && g.transfers.is_some());
            tested.any(|group| group.flows.iter().any(|flow| flow.fct_ms.is_none()))
        };
        self.runs.iter().filter(cut).count()
    }
}

/// A point of the grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointRecord {
    /// The name of its runs: the flows under test, in a few words.
    pub name: String,
    /// The values of the axes, in their order.
    pub settings: Vec<String>,
    /// The variant; `null` for the scenario as it stands.
    pub variant: Option<String>,
    /// The controller under test.
    pub cc: Option<String>,
    /// True of a baseline in which the flows under test do not begin; absent of any other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solo: bool,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// The place of its point among the points, from 0.
    pub point: usize,
    /// The seed.
    pub seed: u64,
    /// The reason of its failure; `null` if it did not fail.
    pub error: Option<String>,
    /// The flows under test and the measured link together, as in `westwood.compare/1`, but for the
    /// time of this machine; `null` if it failed.
    pub summary: Option<RunSummary>,
    /// Every group of flows.
    pub groups: Vec<GroupRecord>,
    /// Every link that is not an access link.
    pub links: Vec<LinkRecord>,
}

impl RunRecord {
    /// The run.
    pub fn task(&self) -> RunTask {
        RunTask { point: self.point, seed: self.seed }
    }

    /// True if every transfer under test was over when measuring began: all are finished, and no payload
    /// arrived in the measured time.
    pub fn ended_before_measuring(&self) -> bool {
        let tested = self.groups.iter().filter(|group| group.tested);
        let mut flows = tested.flat_map(|group| &group.flows).peekable();
        flows.peek().is_some()
            && flows.all(|flow| flow.fct_ms.is_some())
            && self.summary.as_ref().is_some_and(|summary| summary.goodput_bps <= 0.0)
    }

    /// True if the measured link lost packets at random while it was measured, and delivered none.
    pub fn lost_every_packet(&self) -> bool {
        // The measured link stands first.
        let lost = |link: &LinkRecord| link.delivered_packets == 0 && link.drops.random > 0;
        self.links.first().is_some_and(lost)
    }

    /// Replaces the recovery that was asked for by the one that repaired losses.
    pub(super) fn set_recovery(&mut self, recovery: &str) {
        if let Some(summary) = &mut self.summary {
            recovery.clone_into(&mut summary.recovery);
        }
        for group in self.groups.iter_mut().filter(|group| group.recovery.is_some()) {
            group.recovery = Some(recovery.to_owned());
        }
    }

    /// A record that was read, with what its text leaves out.
    pub fn restored(mut self) -> Self {
        let tested = self.groups.iter().find(|group| group.tested);
        if let (Some(summary), Some(group)) = (&mut self.summary, tested) {
            summary.under_test = group.flows.len();
            summary.many_transfers = group.many_transfers();
            summary.unfinished = group.unfinished();
            // The measured link stands first.
            let elsewhere = self.links.iter().skip(1).map(|link| link.drops);
            summary.drops_elsewhere = elsewhere.fold(Drops::default(), Drops::and);
            summary.marked = self.links.iter().map(|link| link.marked_packets).sum();
        }
        self
    }
}

/// A group of flows. Counts are over the measuring interval unless they say otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupRecord {
    /// Its name; `NAME.NODE` of the connections that begin at a proxy of group `NAME`.
    pub name: String,
    /// Its controller; `null` for datagrams.
    pub cc: Option<String>,
    /// Its loss recovery; `null` for datagrams.
    pub recovery: Option<String>,
    /// True if it is under test.
    pub tested: bool,
    /// Payload that arrived for the first time, a second; through proxies, at the end of the last connection.
    pub goodput_bps: f64,
    /// The part of the goodput's payload that arrived in the second half of the measured time: half of what
    /// flows carry that have settled. Absent where nothing arrived, and where the halves are not told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_share: Option<f64>,
    /// Traffic that the senders put on the wire, retransmissions and headers included.
    pub throughput_bps: f64,
    /// Data segments retransmitted over data segments sent.
    pub retransmission_ratio: f64,
    /// Fast recoveries begun.
    pub fast_recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions found spurious and undone.
    pub undone: u64,
    /// The time in which a buffer of a host, and neither the window nor the application, kept data back,
    /// added up over all connections, over the measured time of all flows; at most 1.
    #[serde(default)]
    pub host_limited: f64,
    /// Jain's index of the goodputs of its flows.
    pub jain: f64,
    /// The senders' samples after the warm-up; `null` without any.
    pub rtt_ms: Option<RttMs>,
    /// Finished transfers over the whole run; `null` for flows that do not end.
    pub transfers: Option<Transfers>,
    /// The frames of media flows; absent of any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<FrameRecord>,
    /// The most payload that the proxy at the end of these connections held at a time for one flow; absent
    /// without a proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_held_max_bytes: Option<u64>,
    /// Its flows.
    pub flows: Vec<GroupFlow>,
}

impl GroupRecord {
    /// The number of its flows without a finished transfer, if they are transfers.
    fn unfinished(&self) -> Option<u64> {
        self.transfers?;
        Some(self.flows.iter().filter(|flow| flow.fct_ms.is_none()).count() as u64)
    }

    /// The completion times, if the flows do not make one transfer each.
    fn many_transfers(&self) -> Option<TransferTimes> {
        let all = self.transfers?;
        let one_each = all.finished + all.unfinished == self.flows.len() as u64;
        let times = TransferTimes { mean_ms: all.fct_mean_ms?, max_ms: all.fct_max_ms? };
        (!one_each).then_some(times)
    }
}

/// Frames of media flows, captured after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameRecord {
    /// The number of captured ones.
    pub captured: u64,
    /// The number of those of which every datagram arrived.
    pub delivered: u64,
    /// From a frame's capture until its last datagram arrived; `null` without any.
    pub delay_ms: Option<DelayMs>,
}

/// Transfers over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transfers {
    /// The number of finished ones.
    pub finished: u64,
    /// The number of those begun and not finished.
    pub unfinished: u64,
    /// The number of short flows refused because too many were open.
    pub refused: u64,
    /// Mean completion time.
    pub fct_mean_ms: Option<f64>,
    /// Median completion time.
    pub fct_p50_ms: Option<f64>,
    /// 95th percentile of the completion times.
    pub fct_p95_ms: Option<f64>,
    /// Longest completion time.
    pub fct_max_ms: Option<f64>,
}

/// A flow of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupFlow {
    /// Its name.
    pub name: String,
    /// Payload that arrived for the first time, a second.
    pub goodput_bps: f64,
    /// Data segments sent, retransmissions included.
    pub sent_packets: u64,
    /// Data segments retransmitted.
    pub retransmitted_packets: u64,
    /// Fast recoveries begun.
    pub fast_recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Propagation and transmission of one segment and its ACK over empty queues.
    pub base_rtt_ms: f64,
    /// Mean of its samples.
    pub rtt_mean_ms: Option<f64>,
    /// Completion time of its first transfer.
    pub fct_ms: Option<f64>,
}

/// A link over the measuring interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkRecord {
    /// Its name.
    pub name: String,
    /// Its rate at the beginning; with recorded capacity its mean.
    pub rate_bps: f64,
    /// Mean of what it could have transmitted, where its capacity is recorded or its rate changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_capacity_bps: Option<f64>,
    /// Share of the interval in which it transmitted, or had something to transmit where its capacity is
    /// recorded or its rate is 0.
    pub utilization: f64,
    /// Packets that reached the far end.
    pub delivered_packets: u64,
    /// Bytes that reached the far end.
    pub delivered_bytes: u64,
    /// Packets marked by ECN.
    pub marked_packets: u64,
    /// ACKs that it left out; nothing is written of none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub filtered_packets: u64,
    /// Repeats, or packets of a code, that it sent to repair losses; nothing is written of none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repairs_packets: u64,
    /// Packets that were lost and delivered all the same; nothing is written of none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repaired_packets: u64,
    /// Time that each packet waits before the link begins to send it; of the measured link alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_delay_ms: Option<DelayMs>,
    /// The same of the low-latency queue of two coupled ones; nothing is written where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_latency_delay_ms: Option<DelayMs>,
    /// The same of the classic queue beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classic_delay_ms: Option<DelayMs>,
    /// Packets waiting, time-weighted, the one in service left out.
    pub queue_packets: QueuePackets,
    /// Packets lost, by cause.
    pub drops: Drops,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields by reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A run's results with its time series.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// The summaries.
    pub record: RunRecord,
    /// The wall time of the simulation loop.
    pub wall_s: f64,
    /// Events that the engine handled: more of them where more is recorded.
    pub events: u64,
    /// The time series, in order of time. Flows and links are numbered as in the network.
    pub series: Vec<Record>,
    /// The names of all flows of the network, for the time series.
    pub flows: Vec<String>,
    /// The names of all links of the network.
    pub links: Vec<String>,
    /// The name of the measured link.
    pub measured_link: String,
    /// The beginning of measuring, in seconds.
    pub warmup_s: f64,
}
