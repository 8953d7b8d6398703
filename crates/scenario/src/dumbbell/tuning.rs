//! Settings of the transport and of counting that hardly anyone turns by hand: what tells one
//! implementation of TCP from another.

use serde::{Deserialize, Serialize};
use westwood_cc::{Bytes, Duration, Segments};
use westwood_tcp::{Config, LINUX_GROWTH, RtoConfig};

use super::millis;

/// How every sender and receiver is set, apart from recovery and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// What each SACK block adds to an ACK.
    pub sack_block: Bytes,
    /// Initial slow-start threshold in segments; none if absent.
    pub initial_ssthresh: Option<u64>,
    /// The receiver's window in segments; as large as a window can be if absent.
    pub receive_window: Option<u64>,
    /// Segments by which a Linux receiver's window grows at first: each is acknowledged at once. Of no
    /// effect with other recoveries.
    pub receive_growth: u32,
    /// The retransmission timeout before the first sample.
    pub initial_rto: Duration,
    /// Granularity of the clock that measures round trips and times out; zero for a perfect one.
    pub rto_tick: Duration,
    /// Measure round trips by timestamps, else one segment a window.
    pub timestamps: bool,
    /// Send new data on the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// NewReno's timer is reset by the first partial ACK only (RFC 6582).
    pub impatient: bool,
    /// The ACK that ends fast recovery also lets the window grow.
    pub last_ack_grows: bool,
    /// The window grows only when it limited the sender (RFC 7661).
    pub cwnd_validation: bool,
    /// A connection opens with a handshake: a round trip that carries no data and gives a sample.
    pub handshake: bool,
    /// The packet in service is one of those that the buffer holds.
    pub buffer_in_service: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        let tcp = Config::default();
        Self {
            sack_block: tcp.sizes.sack_block,
            initial_ssthresh: None,
            receive_window: None,
            receive_growth: LINUX_GROWTH,
            initial_rto: tcp.rto.initial,
            rto_tick: tcp.rto.granularity,
            timestamps: tcp.timestamps,
            limited_transmit: tcp.limited_transmit,
            impatient: tcp.impatient,
            last_ack_grows: tcp.last_ack_grows,
            cwnd_validation: tcp.cwnd_validation,
            handshake: false,
            buffer_in_service: false,
        }
    }
}

impl Tuning {
    /// A connection's configuration with these settings. The timer's initial value is at least its
    /// minimum.
    pub(super) fn apply(&self, config: Config, min_rto: Duration, rtt: Duration) -> Config {
        let mut sizes = config.sizes;
        sizes.sack_block = self.sack_block;
        Config {
            sizes,
            initial_ssthresh: self.initial_ssthresh.map_or(Segments::MAX, Segments::new),
            receive_window: self.receive_window.unwrap_or(config.receive_window),
            rto: RtoConfig {
                initial: self.initial_rto.max(min_rto),
                min: min_rto,
                granularity: self.rto_tick,
                ..config.rto
            },
            timestamps: self.timestamps,
            limited_transmit: self.limited_transmit,
            impatient: self.impatient,
            last_ack_grows: self.last_ack_grows,
            cwnd_validation: self.cwnd_validation,
            handshake_rtt: self.handshake.then_some(rtt),
            ..config
        }
    }

    pub(super) fn describe(&self) -> Transport {
        Transport {
            sack_block_bytes: self.sack_block.get(),
            initial_ssthresh_packets: self.initial_ssthresh,
            receive_window_packets: self.receive_window,
            receive_growth_packets: self.receive_growth,
            initial_rto_ms: millis(self.initial_rto),
            rto_tick_ms: millis(self.rto_tick),
            timestamps: self.timestamps,
            limited_transmit: self.limited_transmit,
            impatient: self.impatient,
            last_ack_grows: self.last_ack_grows,
            cwnd_validation: self.cwnd_validation,
            handshake: self.handshake,
            buffer_in_service: self.buffer_in_service,
        }
    }
}

/// The same for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transport {
    /// What each SACK block adds to an ACK.
    pub sack_block_bytes: u64,
    /// Initial slow-start threshold; none if absent.
    pub initial_ssthresh_packets: Option<u64>,
    /// The receiver's window; unlimited if absent.
    pub receive_window_packets: Option<u64>,
    /// Segments by which a Linux receiver's window grows at first.
    #[serde(default = "linux_growth")]
    pub receive_growth_packets: u32,
    /// The retransmission timeout before the first sample.
    pub initial_rto_ms: f64,
    /// Granularity of the sender's clock; zero for a perfect one.
    pub rto_tick_ms: f64,
    /// Round trips are measured by timestamps.
    pub timestamps: bool,
    /// New data is sent on the first two duplicate ACKs.
    pub limited_transmit: bool,
    /// NewReno's timer is reset by the first partial ACK only.
    pub impatient: bool,
    /// The ACK that ends fast recovery also lets the window grow.
    pub last_ack_grows: bool,
    /// The window grows only when it limited the sender.
    pub cwnd_validation: bool,
    /// A connection opens with a round trip that carries no data.
    pub handshake: bool,
    /// The packet in service is one of those that the buffer holds.
    pub buffer_in_service: bool,
}

/// What reports did not say before it was a setting.
fn linux_growth() -> u32 {
    LINUX_GROWTH
}
