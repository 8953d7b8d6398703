//! Limits that stop a mistyped value before it costs hours or the machine's memory.

use westwood_cc::{Bytes, Duration, Rate};

use crate::error::BadInput;
use crate::units::{duration_text, rate_text};

/// Most flows of a comparison, competing and reverse ones included.
pub const MAX_FLOWS: u64 = 10_000;
/// Most seeds.
pub const MAX_SEEDS: u64 = 10_000;
/// Most runs at the same time.
pub const MAX_JOBS: u64 = 1_024;
/// Slowest link.
pub const MIN_RATE: Rate = Rate::from_bits_per_s(1_000);
/// Fastest link, access links included: the controllers' integers are exact up to 400 Gbit/s.
pub const MAX_RATE: Rate = Rate::from_bits_per_s(4_000_000_000_000);
/// Fastest bottleneck.
pub const MAX_BOTTLENECK: Rate = Rate::from_bits_per_s(400_000_000_000);
/// Shortest propagation round-trip time.
pub const MIN_RTT: Duration = Duration::from_micros(1);
/// Longest propagation round-trip time.
pub const MAX_RTT: Duration = Duration::from_secs(10);
/// Longest simulated time.
pub const MAX_TIME: Duration = Duration::from_secs(86_400);
/// Largest payload of a segment.
pub const MAX_PACKET: u64 = 65_535;
/// Largest header.
pub const MAX_HEADER: u64 = 1_000;
/// Largest buffer: a window is at most 2^24 segments.
pub const MAX_BUFFER_PACKETS: u64 = 1 << 24;
/// Largest initial window.
pub const MAX_INITIAL_WINDOW: u64 = 10_000;
/// Most segments by which a receiver's window grows: a window is at most 2^24 segments.
pub const MAX_GROWTH: u64 = 1 << 24;
/// Shortest minimum of the retransmission timeout.
pub const MIN_MIN_RTO: Duration = Duration::from_millis(1);
/// Longest minimum of the retransmission timeout: its maximum (RFC 6298 section 2.5).
pub const MAX_MIN_RTO: Duration = Duration::from_secs(60);
/// Coarsest clock: BSD's was 500 ms.
pub const MAX_RTO_TICK: Duration = Duration::from_secs(1);
/// Largest transfer.
pub const MAX_SIZE: Bytes = Bytes::new(1 << 50);
/// Refuses a rate outside its limits.
pub fn rate_within(rate: Rate, text: &str, most: Rate) -> Result<Rate, BadInput> {
    if rate < MIN_RATE || rate > most {
        return Err(BadInput::out_of_range(text, rate_text(MIN_RATE), rate_text(most)));
    }
    Ok(rate)
}

/// Refuses a duration outside its limits.
pub fn duration_within(
    span: Duration,
    text: &str,
    low: Duration,
    high: Duration,
) -> Result<Duration, BadInput> {
    if span < low || span > high {
        return Err(BadInput::out_of_range(text, duration_text(low), duration_text(high)));
    }
    Ok(span)
}
