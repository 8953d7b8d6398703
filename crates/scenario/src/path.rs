//! The path of a comparison as results state it: every setting in force.

use serde::{Deserialize, Serialize};

/// Every effective setting of a comparison, defaults included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonPath {
    /// Bottleneck rate of the data direction; with recorded capacity its mean.
    pub rate_bps: f64,
    /// Bottleneck rate of the other direction.
    pub return_rate_bps: f64,
    /// Rate of every access link.
    pub access_rate_bps: f64,
    /// File of the recorded capacity of the data direction.
    pub trace_down: Option<String>,
    /// File of the recorded capacity of the other direction.
    pub trace_up: Option<String>,
    /// Smallest propagation round-trip time of a flow.
    pub rtt_min_ms: f64,
    /// Largest propagation round-trip time of a flow.
    pub rtt_max_ms: f64,
    /// Propagation delay of the bottleneck, one way.
    pub bottleneck_delay_ms: f64,
    /// The buffer as it was given.
    pub buffer: String,
    /// Packets that may wait in the data direction, if the buffer counts packets.
    pub buffer_packets: Option<u64>,
    /// Bytes that may wait in the data direction, if the buffer counts bytes.
    pub buffer_bytes: Option<u64>,
    /// Packets that may wait in the other direction, if the buffer counts packets.
    pub return_buffer_packets: Option<u64>,
    /// Bytes that may wait in the other direction, if the buffer counts bytes.
    pub return_buffer_bytes: Option<u64>,
    /// Queue management in both directions.
    pub aqm: String,
    /// The policer before the queue, if there is one.
    pub policer: Option<String>,
    /// Losses in the data direction.
    pub loss: String,
    /// Losses in the other direction.
    pub return_loss: String,
    /// The bottleneck's own repair of losses, if it has one.
    pub arq: Option<String>,
    /// The code of the bottleneck, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fec: Option<String>,
    /// How the bottleneck puts packets together, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<String>,
    /// Which packets of the bottleneck others overtake, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder: Option<String>,
    /// The bottleneck's change of the ECN field, if it changes that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecn_path: Option<String>,
    /// Which ACKs the bottleneck leaves out, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_filter: Option<String>,
    /// The controllers under test, by canonical name.
    pub cc: Vec<String>,
    /// Loss recovery of every flow.
    pub recovery: String,
    /// Flows under test.
    pub flows: u64,
    /// Controller of the competing flows.
    pub against_cc: Option<String>,
    /// Competing flows.
    pub against_flows: u64,
    /// Controller of the reverse flows; the one under test if absent.
    pub reverse_cc: Option<String>,
    /// Flows in the other direction.
    pub reverse_flows: u64,
    /// Payload of each transfer under test; greedy flows if absent.
    pub size_bytes: Option<u64>,
    /// Payload of a segment.
    pub packet_bytes: u64,
    /// Header of a data segment, on top.
    pub header_bytes: u64,
    /// A pure ACK.
    pub ack_bytes: u64,
    /// Whether receivers delay their ACKs.
    pub delayed_ack: bool,
    /// Whether connections negotiate ECN.
    pub ecn: bool,
    /// Initial window.
    pub initial_window_packets: u64,
    /// Smallest retransmission timeout.
    pub min_rto_ms: f64,
    /// The settings that tell implementations of TCP apart.
    pub transport: serde_json::Map<String, serde_json::Value>,
    /// Each flow starts at a time drawn from this span.
    pub start_jitter_s: f64,
    /// Simulated time, at most.
    pub time_s: f64,
    /// The time at which measuring begins.
    pub warmup_s: f64,
    /// The seeds.
    pub seeds: Vec<u64>,
}
