//! The kernel's account of a run's connections, and the result made from it.

use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use westwood_cc::Rate;

use crate::amount::Amount;
use crate::stream::DataStream;
use crate::tcp_info::TcpInfo;

/// The kernel's account of a flow at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TcpSample {
    /// Seconds since the run's first byte.
    pub time_s: f64,
    /// The flow, from 1.
    pub flow: usize,
    /// The congestion window.
    #[serde(alias = "cwnd_segments")]
    pub cwnd_packets: u32,
    /// The slow-start threshold; absent while there is none.
    #[serde(alias = "ssthresh_segments")]
    pub ssthresh_packets: Option<u32>,
    /// The smoothed round-trip time.
    pub srtt_ms: f64,
    /// The kernel's latest sample of the rate of delivery.
    pub delivery_rate_bps: f64,
    /// The controller's bandwidth estimate, if it has one and lets itself be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bwe_bps: Option<u64>,
    /// Bytes acknowledged since the start.
    pub acked_bytes: u64,
    /// Segments sent again since the start.
    #[serde(alias = "retransmitted_segments")]
    pub retransmitted_packets: u32,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransferResult {
    /// Data that arrived, each byte once, over the run's duration: of all flows together.
    pub goodput_bps: f64,
    /// The same for each flow, over its own duration.
    pub flow_goodputs_bps: Vec<f64>,
    /// From the first byte written to the last one acknowledged, or to the end of the time.
    pub duration_s: f64,
    /// Bytes of data that arrived.
    pub received_bytes: u64,
    /// Payload bytes sent again, over all payload bytes sent.
    pub retransmission_ratio: f64,
    /// The mean of the smoothed round-trip times over the samples.
    pub srtt_mean_ms: Option<f64>,
    /// The least round-trip time.
    pub rtt_min_ms: f64,
    /// Share of the time in which the receiver's window stood in the way of a flow: the largest.
    #[serde(alias = "limited_by_receiver")]
    pub limited_by_receiver_share: f64,
    /// Share of the time in which the sender's own buffer did.
    #[serde(alias = "limited_by_buffer")]
    pub limited_by_buffer_share: f64,
    /// The kernel's account over time.
    pub samples: Vec<TcpSample>,
}

/// A flow as it was seen last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowStatus {
    pub(crate) info: TcpInfo,
    /// The time at which everything was acknowledged.
    pub(crate) done: Option<Duration>,
}

/// The bytes that the server counted of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ServerCount {
    pub(crate) bytes: u64,
    /// Over how long, if it says so.
    pub(crate) time_s: Option<f64>,
}

/// The log of a run's connections.
#[derive(Debug)]
pub(crate) struct ConnectionLog {
    pub(crate) began: Instant,
    pub(crate) flows: Vec<FlowStatus>,
    samples: Vec<TcpSample>,
    /// The time of the last ACK.
    pub(crate) moved: Duration,
    pub(crate) lasted: Duration,
}

impl ConnectionLog {
    pub(crate) fn new(flows: usize) -> Self {
        Self {
            began: Instant::now(),
            flows: vec![FlowStatus::default(); flows],
            samples: Vec::new(),
            moved: Duration::ZERO,
            lasted: Duration::ZERO,
        }
    }

    pub(crate) fn look(&mut self, flow: usize, stream: &DataStream) -> io::Result<()> {
        // Asked before, so that nothing can be written between the two.
        let ended = stream.has_ended();
        let info = TcpInfo::of(&stream.socket)?;
        // The kernel's account holds for a time before now.
        let elapsed = self.began.elapsed();
        let seen = &mut self.flows[flow];
        if info.bytes_acked > seen.info.bytes_acked {
            self.moved = elapsed;
        }
        seen.info = info;
        if ended && seen.done.is_none() && info.unacked == 0 && info.notsent_bytes == 0 {
            seen.done = Some(elapsed);
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "rates below 2^53 bit/s")]
    pub(crate) fn sample(&mut self, elapsed: Duration, bwe_of: impl Fn(usize) -> Option<Rate>) {
        let of = |(flow, seen): (usize, &FlowStatus)| TcpSample {
            time_s: elapsed.as_secs_f64(),
            flow: flow + 1,
            cwnd_packets: seen.info.cwnd,
            ssthresh_packets: seen.info.ssthresh,
            srtt_ms: seen.info.srtt.as_secs_f64() * 1e3,
            delivery_rate_bps: seen.info.delivery_rate_bytes_per_s as f64 * 8.0,
            bwe_bps: bwe_of(flow).map(Rate::bits_per_s),
            acked_bytes: seen.info.bytes_acked,
            retransmitted_packets: seen.info.total_retrans,
        };
        let open = self.flows.iter().enumerate().filter(|(_, seen)| seen.done.is_none());
        self.samples.extend(open.map(of));
    }

    pub(crate) fn measured(self, amount: Amount, received: &[ServerCount]) -> TransferResult {
        let flow_goodputs_bps = self.goodputs(amount, received);
        let received_bytes = match amount {
            Amount::SizeBytes(size) => size * self.flows.len() as u64,
            Amount::TimeMs(_) => received.iter().map(|flow| flow.bytes).sum(),
        };
        let goodput_bps = match amount {
            Amount::SizeBytes(_) => bits_per_s(received_bytes, self.lasted.as_secs_f64()),
            Amount::TimeMs(_) => flow_goodputs_bps.iter().sum(),
        };
        let infos = || self.flows.iter().map(|flow| &flow.info);
        let total = |pick: fn(&TcpInfo) -> u64| infos().map(pick).sum::<u64>();
        let srtts: Vec<f64> =
            self.samples.iter().map(|s| s.srtt_ms).filter(|ms| *ms > 0.0).collect();
        let least = infos().map(|info| info.min_rtt).min().unwrap_or_default();
        let share = |pick: fn(&TcpInfo) -> Duration| {
            let shares =
                infos().map(|info| part(pick(info).as_secs_f64(), info.busy.as_secs_f64()));
            shares.fold(0.0, f64::max)
        };
        TransferResult {
            goodput_bps,
            flow_goodputs_bps,
            duration_s: self.lasted.as_secs_f64(),
            received_bytes,
            retransmission_ratio: ratio(total(|i| i.bytes_retrans), total(|i| i.bytes_sent)),
            srtt_mean_ms: mean(&srtts),
            rtt_min_ms: least.as_secs_f64() * 1e3,
            limited_by_receiver_share: share(|info| info.limited_by_receiver),
            limited_by_buffer_share: share(|info| info.limited_by_buffer),
            samples: self.samples,
        }
    }

    /// Each flow's goodput: its transfer over its own time, or the server's count over the server's
    /// time.
    fn goodputs(&self, amount: Amount, received: &[ServerCount]) -> Vec<f64> {
        let flows = self.flows.iter().zip(received);
        flows
            .map(|(flow, received)| match amount {
                Amount::SizeBytes(size) => {
                    bits_per_s(size, flow.done.unwrap_or(self.lasted).as_secs_f64())
                }
                Amount::TimeMs(_) => {
                    let time_s = received.time_s.unwrap_or(self.lasted.as_secs_f64());
                    bits_per_s(received.bytes, time_s)
                }
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "less than 2^53 bytes in any run")]
fn bits_per_s(bytes: u64, time_s: f64) -> f64 {
    part(bytes as f64 * 8.0, time_s)
}

#[expect(clippy::cast_precision_loss, reason = "less than 2^53 bytes in any run")]
fn ratio(part_bytes: u64, of: u64) -> f64 {
    part(part_bytes as f64, of as f64)
}

fn part(of: f64, whole: f64) -> f64 {
    if whole > 0.0 { of / whole } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "a number of samples")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_is_what_the_server_counted_over_its_time() {
        let mut watched = ConnectionLog::new(2);
        watched.lasted = Duration::from_secs(9);
        let received = [(1_000_000, Some(4.0)), (500_000, Some(4.0))];
        let received = received.map(|(bytes, time_s)| ServerCount { bytes, time_s });
        let measured = watched.measured(Amount::TimeMs(4_000), &received);
        assert_eq!(measured.flow_goodputs_bps, [2e6, 1e6]);
        assert_eq!((measured.goodput_bps, measured.received_bytes), (3e6, 1_500_000));
    }

    #[test]
    fn a_transfers_goodput_is_its_size_over_the_time_to_its_last_ack() {
        let mut watched = ConnectionLog::new(2);
        watched.flows[0].done = Some(Duration::from_secs(2));
        watched.flows[1].done = Some(Duration::from_secs(4));
        watched.lasted = Duration::from_secs(4);
        // The server may have read less when it was told of the end.
        let received = [ServerCount { bytes: 1, time_s: None }; 2];
        let measured = watched.measured(Amount::SizeBytes(1_000_000), &received);
        assert_eq!(measured.flow_goodputs_bps, [4e6, 2e6]);
        assert_eq!((measured.goodput_bps, measured.received_bytes), (4e6, 2_000_000));
    }
}
