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
    fn the_kernels_counts_of_all_flows_make_one_account() {
        let mut watched = ConnectionLog::new(2);
        let info = |sent, again, min_rtt, busy, receiver, buffer| TcpInfo {
            bytes_sent: sent,
            bytes_retrans: again,
            min_rtt: Duration::from_micros(min_rtt),
            busy: Duration::from_secs(busy),
            limited_by_receiver: Duration::from_secs(receiver),
            limited_by_buffer: Duration::from_secs(buffer),
            ..TcpInfo::default()
        };
        watched.flows[0].info = info(3_000, 200, 20_500, 8, 2, 0);
        watched.flows[1].info = info(1_000, 300, 20_250, 4, 3, 1);
        watched.lasted = Duration::from_millis(1_500);
        let received = [ServerCount { bytes: 750, time_s: None }; 2];
        let measured = watched.measured(Amount::TimeMs(1_000), &received);
        // 500 of 4000 bytes; the least of both times; of both shares the largest.
        assert_eq!((measured.retransmission_ratio, measured.rtt_min_ms), (0.125, 20.25));
        let shares = (measured.limited_by_receiver_share, measured.limited_by_buffer_share);
        assert_eq!(shares, (0.75, 0.25));
        // Where the server tells no time, this side's counts: 6000 bits in 1.5 s each.
        assert_eq!((measured.flow_goodputs_bps, measured.goodput_bps), (vec![4e3, 4e3], 8e3));
        assert_eq!((measured.duration_s, measured.srtt_mean_ms), (1.5, None));
    }

    #[test]
    fn a_sample_is_taken_of_each_flow_that_is_not_done_in_the_units_of_its_names() {
        let mut watched = ConnectionLog::new(3);
        for (flow, ms) in [(0, 30), (1, 50), (2, 0)] {
            watched.flows[flow].info = TcpInfo {
                cwnd: 10,
                ssthresh: Some(7),
                srtt: Duration::from_millis(ms),
                delivery_rate_bytes_per_s: 125_000,
                bytes_acked: 9_000,
                total_retrans: 4,
                ..TcpInfo::default()
            };
        }
        watched.sample(Duration::from_millis(250), |flow| {
            (flow == 0).then(|| Rate::from_bits_per_s(2_000_000))
        });
        watched.flows[1].done = Some(Duration::from_millis(300));
        watched.sample(Duration::from_millis(500), |_| None);
        let measured = watched.measured(Amount::SizeBytes(1), &[]);
        let seen: Vec<_> = measured.samples.iter().map(|s| (s.time_s, s.flow, s.bwe_bps)).collect();
        let first = [(0.25, 1, Some(2_000_000)), (0.25, 2, None), (0.25, 3, None)];
        assert_eq!(seen, [&first[..], &[(0.5, 1, None), (0.5, 3, None)]].concat());
        let one = &measured.samples[0];
        assert_eq!((one.cwnd_packets, one.ssthresh_packets, one.acked_bytes), (10, Some(7), 9_000));
        assert_eq!((one.srtt_ms, one.delivery_rate_bps, one.retransmitted_packets), (30.0, 1e6, 4));
        // 30, 50 and again 30 ms; the third flow has no round-trip time yet.
        assert_eq!(measured.srtt_mean_ms.map(f64::round), Some(37.0));
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
