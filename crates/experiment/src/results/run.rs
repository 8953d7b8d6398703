//! One run of a comparison.

use serde::{Deserialize, Serialize};

use super::conduct::Conduct;
use super::delay::DelayMs;

/// One controller with one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunSummary {
    /// Canonical name with the parameters that differ from their defaults.
    pub cc: String,
    /// Loss recovery.
    pub recovery: String,
    /// The seed.
    pub seed: u64,
    /// Payload that arrived for the first time between warm-up and end, all flows under test
    /// together, a second.
    pub goodput_bps: f64,
    /// Traffic that their senders put on the wire, retransmissions and headers included.
    pub throughput_bps: f64,
    /// The bottleneck's busy share of that interval.
    pub utilization: f64,
    /// Data segments retransmitted over data segments sent.
    pub retransmission_ratio: f64,
    /// Fast recoveries begun.
    pub fast_recoveries: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Jain's index of the goodputs of the flows under test.
    pub jain: f64,
    /// The senders' samples after the warm-up; `null` without any.
    pub rtt_ms: Option<RttMs>,
    /// Time that each packet waits before the bottleneck begins to send it, of the packets that it
    /// sent after the warm-up; `null` where it is not measured.
    #[serde(default)]
    pub queue_delay_ms: Option<DelayMs>,
    /// One-way delay of the data segments under test, from their sender to their receiver; `null`
    /// where it is not measured.
    #[serde(default)]
    pub one_way_delay_ms: Option<DelayMs>,
    /// Packets waiting at the bottleneck, time-weighted, the one in service left out.
    pub queue_packets: QueuePackets,
    /// Packets lost at the bottleneck, by cause.
    pub drops: Drops,
    /// The same on all other links, ACKs included: in doubt a loss is the path's.
    #[serde(skip)]
    pub drops_elsewhere: Drops,
    /// Packets marked by ECN, on all links but access links.
    #[serde(skip)]
    pub marked: u64,
    /// The flows under test, then the competing ones.
    pub flows: Vec<FlowResult>,
    /// The number of flows under test.
    #[serde(skip)]
    pub under_test: usize,
    /// The completion times of all transfers, where each flow under test makes many.
    #[serde(skip)]
    pub many_transfers: Option<TransferTimes>,
    /// Goodput of the competing flows together.
    pub against_goodput_bps: Option<f64>,
    /// One less the ratio of the competing flows' goodput to their goodput, under the same seed,
    /// where the flows under test are of their own kind; negative if they carry more. `null` where
    /// that was not run.
    #[serde(default)]
    pub harm: Option<f64>,
    /// Goodput of the reverse flows together.
    pub reverse_goodput_bps: Option<f64>,
    /// Measures of what the flows under test do to others, to themselves and after a change.
    #[serde(default)]
    pub conduct: Conduct,
    /// Data segments delivered over the whole run, of all flows.
    pub data_packets: u64,
    /// Events that the engine handled: more of them where more is recorded; absent where it is not
    /// kept.
    #[serde(default, skip_serializing_if = "is_none")]
    pub events: u64,
    /// Simulated time.
    pub sim_s: f64,
    /// The cost of an ACK to the controller under test, in nanoseconds on the machine of the run, in
    /// congestion avoidance without loss: the one result that does not repeat. Absent where it is not
    /// asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_cost_ns: Option<f64>,
    /// The same in reference cycles of the processor of the run, which count at its constant nominal rate and
    /// not at the core's own. Absent where it is not asked for or the processor has no such counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_cost_cycles: Option<f64>,
    /// The wall time of the simulation loop; absent where it is not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wall_s: f64,
    /// The lateness of a real run's emulated path; absent of simulated ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness_us: Option<LatenessUs>,
    /// Flows under test of which no transfer finished; absent where they are no transfers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<u64>,
    /// Nothing in it is random: every seed gives the same. Absent where something is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

/// The lateness with which an emulated path handed packets to their hosts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatenessUs {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The latest packet: how long the longest stall was.
    pub max: f64,
    /// The bound on the 99th percentile; absent of runs that older versions have kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_none(n: &u64) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// Completion times of the transfers that finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferTimes {
    /// Mean.
    pub mean_ms: f64,
    /// Longest.
    pub max_ms: f64,
}

/// A distribution of round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RttMs {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
}

/// Packets waiting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueuePackets {
    /// Time-weighted mean.
    pub mean: f64,
    /// Time-weighted 95th percentile.
    pub p95: u64,
    /// Most.
    pub max: u64,
}

/// Packets lost, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Drops {
    /// The buffer was full.
    pub overflow: u64,
    /// Active queue management.
    pub aqm: u64,
    /// A policer; absent without any.
    #[serde(default, skip_serializing_if = "is_none")]
    pub policer: u64,
    /// Lost on the link.
    pub random: u64,
}

impl Drops {
    /// Those of two links.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            overflow: self.overflow + other.overflow,
            aqm: self.aqm + other.aqm,
            policer: self.policer + other.policer,
            random: self.random + other.random,
        }
    }
}

/// One flow of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowResult {
    /// Its controller.
    pub cc: String,
    /// Its goodput.
    pub goodput_bps: f64,
    /// Propagation and transmission of one segment and its ACK over empty queues.
    pub base_rtt_ms: f64,
    /// Completion time of its transfer; `null` if it has none or did not finish.
    pub fct_ms: Option<f64>,
}

impl RunSummary {
    /// The completion times of the flows under test, if every one has finished; each flow's first,
    /// where it makes many.
    pub fn completion_times_ms(&self) -> Option<Vec<f64>> {
        let under_test = self.flows.iter().take(self.under_test);
        under_test.map(|flow| flow.fct_ms).collect()
    }
}

/// A controller's name without the world in which it ran.
pub(crate) fn without_world(cc: &str) -> &str {
    cc.split_once('@').map_or(cc, |(name, _)| name)
}
