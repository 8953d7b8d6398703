//! A dumbbell's settings, for the schema `westwood.compare/1`.

use serde_json::{Map, Value};
use westwood_cc::Bytes;
use westwood_net::Limit;

use super::{Dumbbell, bps, millis, seconds};
use crate::path::ComparisonPath;
use crate::spec::{ControllerSpec, losses_text};

impl Dumbbell {
    /// Every effective setting. `transport` are those of `[tcp]` that have no place of their own.
    pub(crate) fn describe(
        &self,
        controllers: &[ControllerSpec],
        seeds: &[u64],
        transport: Map<String, Value>,
    ) -> ComparisonPath {
        let limits = [&self.down, &self.up].map(|speed| self.limit(speed).ok());
        let packets = limits.map(|l| if let Some(Limit::Packets(n)) = l { Some(n) } else { None });
        let bytes =
            limits.map(|l| if let Some(Limit::Bytes(n)) = l { Some(n.get()) } else { None });
        let config = self.transport.config();
        ComparisonPath {
            rate_bps: bps(self.rate()),
            return_rate_bps: bps(self.return_rate()),
            access_rate_bps: bps(self.access_rate),
            trace_down: self.down.file(),
            trace_up: self.up.file(),
            rtt_min_ms: millis(self.rtt_min),
            rtt_max_ms: millis(self.rtt_max),
            bottleneck_delay_ms: millis(self.bottleneck_delay()),
            buffer: self.buffer.to_string(),
            buffer_packets: packets[0],
            buffer_bytes: bytes[0],
            return_buffer_packets: packets[1],
            return_buffer_bytes: bytes[1],
            aqm: self.aqm.to_string(),
            policer: self.policer.map(|policer| policer.to_string()),
            loss: losses_text(&self.loss),
            return_loss: losses_text(&self.return_loss),
            arq: self.arq.map(|arq| arq.to_string()),
            fec: self.fec.map(|given| given.to_string()),
            bursts: self.bursts.map(|given| given.to_string()),
            reorder: self.reorder.map(|given| given.to_string()),
            ecn_path: self.ecn_path.map(|given| given.to_string()),
            ack_filter: self.ack_filter.map(|given| given.to_string()),
            cc: controllers.iter().map(ToString::to_string).collect(),
            recovery: config.recovery.to_string(),
            flows: self.flows,
            against_cc: self.against.map(|competing_flows| competing_flows.controller.to_string()),
            against_flows: self.competing_flows(),
            reverse_cc: self.reverse_cc.map(|cc| cc.to_string()),
            reverse_flows: self.reverse_flows,
            size_bytes: self.size.map(Bytes::get),
            packet_bytes: config.sizes.payload.get(),
            header_bytes: config.sizes.header.get(),
            ack_bytes: config.sizes.ack.get(),
            delayed_ack: self.transport.delays_acks(),
            ecn: config.ecn,
            initial_window_packets: config.initial_window.whole(),
            min_rto_ms: millis(config.rto.min),
            transport,
            start_jitter_s: seconds(self.start_jitter()),
            time_s: seconds(self.time),
            warmup_s: seconds(self.warmup),
            seeds: seeds.to_vec(),
        }
    }
}
