//! The flags that tell one implementation of TCP from another.

use clap::{ArgAction, Args};
use westwood_cc::{Bytes, Duration};
use westwood_scenario::dumbbell::Tuning;
use westwood_scenario::units;
use westwood_tcp::LINUX_GROWTH;

use super::values::{growth, initial_rto, rto_tick, sack_block, segments_or_none};

/// Settings of the transport that hardly anyone turns by hand. Presets do: see --like.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Transport")]
pub struct TuningArgs {
    /// What each SACK block adds to an ACK, in bytes.
    #[arg(long, value_parser = sack_block, default_value = "0", value_name = "BYTES",
        allow_hyphen_values = true)]
    pub sack_block: Bytes,

    /// Initial slow-start threshold, in segments, or none.
    #[arg(long, value_parser = segments_or_none, default_value = "none", value_name = "N|none",
        allow_hyphen_values = true)]
    pub initial_ssthresh: Segments,

    /// The receiver's window, in segments, or none for one that never limits.
    #[arg(long, value_parser = segments_or_none, default_value = "none", value_name = "N|none",
        allow_hyphen_values = true)]
    pub receive_window: Segments,

    /// Segments by which a Linux receiver's window grows at first, each acknowledged at once.
    ///
    /// Linux 6.1 with a buffer of 16 MiB: 2880; from 6.10 on with 32 MiB: 1449. Only --recovery linux
    /// has receivers like that.
    #[arg(long, value_parser = growth, default_value_t = LINUX_GROWTH, value_name = "N",
        allow_hyphen_values = true)]
    pub receive_growth: u32,

    /// Retransmission timeout before the first sample (RFC 6298 section 2.1).
    #[arg(long, value_parser = initial_rto, default_value = "1s", value_name = "TIME",
        allow_hyphen_values = true)]
    pub initial_rto: Duration,

    /// Granularity of the clock that times round trips; 0s for a perfect one.
    ///
    /// Samples and timeouts are then whole ticks, in Jacobson's integers.
    #[arg(long, value_parser = rto_tick, default_value = "0s", value_name = "TIME",
        allow_hyphen_values = true)]
    pub rto_tick: Duration,

    /// Time round trips by timestamps (RFC 7323), else one segment a window: on or off.
    #[arg(long, value_parser = units::switch, default_value = "on", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub timestamps: bool,

    /// Send new data on the first two duplicate ACKs (RFC 3042): on or off.
    #[arg(long, value_parser = units::switch, default_value = "on", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub limited_transmit: bool,

    /// Reset NewReno's timer by the first partial ACK only (RFC 6582 section 4): on or off.
    #[arg(long, value_parser = units::switch, default_value = "on", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub impatient: bool,

    /// Let the ACK that ends Reno's or NewReno's recovery open the window as well: on or off.
    #[arg(long, value_parser = units::switch, default_value = "off", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub last_ack_grows: bool,

    /// Let the window grow only when it limited the sender (RFC 7661): on or off.
    #[arg(long, value_parser = units::switch, default_value = "on", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub cwnd_validation: bool,

    /// Open with a round trip that carries no data and gives the first sample: on or off.
    #[arg(long, value_parser = units::switch, default_value = "off", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub handshake: bool,

    /// Count the packet in service as one of --buffer, so that one less waits: on or off.
    #[arg(long, value_parser = units::switch, default_value = "off", value_name = "on|off",
        action = ArgAction::Set, allow_hyphen_values = true)]
    pub buffer_in_service: bool,
}

/// Segments, or no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments(pub Option<u64>);

impl TuningArgs {
    /// The settings that the flags mean.
    pub(crate) fn tuning(&self) -> Tuning {
        Tuning {
            sack_block: self.sack_block,
            initial_ssthresh: self.initial_ssthresh.0,
            receive_window: self.receive_window.0,
            receive_growth: self.receive_growth,
            initial_rto: self.initial_rto,
            rto_tick: self.rto_tick,
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
