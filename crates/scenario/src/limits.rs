//! Limits that stop a mistyped value before it costs hours or the machine's memory.

use westwood_cc::{Bytes, Duration, Rate};

use crate::error::BadInput;
use crate::units::{self, Buffer, duration_text, rate_text};

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

/// Reads a rate of a link, up to this one.
pub fn rate_within(text: &str, most: Rate) -> Result<Rate, BadInput> {
    between(text, units::rate, (MIN_RATE, rate_text(MIN_RATE)), (most, rate_text(most)))
}

/// Reads a duration from `low` to `high`.
pub fn duration_within(text: &str, low: Duration, high: Duration) -> Result<Duration, BadInput> {
    between(text, units::duration, (low, duration_text(low)), (high, duration_text(high)))
}

/// Refuses a duration that was read from `text` and lies outside its limits.
pub fn check_duration(
    span: Duration,
    text: &str,
    low: Duration,
    high: Duration,
) -> Result<(), BadInput> {
    if (low..=high).contains(&span) {
        return Ok(());
    }
    Err(BadInput::out_of_range(text, duration_text(low), duration_text(high)))
}

/// Reads a size without the need of a unit, from `low` to `high` bytes.
pub fn bytes_within(text: &str, low: u64, high: u64) -> Result<Bytes, BadInput> {
    let end = |bytes: u64| (Bytes::new(bytes), format!("{bytes}B"));
    between(text, units::size, end(low), end(high))
}

/// Reads the size of a transfer.
pub fn transfer(text: &str) -> Result<Bytes, BadInput> {
    within(text, units::size_with_unit, "1B", "1048576GiB")
}

/// Reads a buffer of packets of this size, as far as that is known. Its size in a link's packets is checked
/// where these are.
pub(crate) fn buffer(text: &str, packet: Bytes) -> Result<Buffer, BadInput> {
    let likely = |text: &str| units::buffer(text).is_ok_and(|buffer| is_likely(buffer, packet));
    let ends = ("0pkt", format!("{MAX_BUFFER_PACKETS}pkt"));
    units::buffer(text).map_err(|e| e.accepted_by(likely).within(ends.0, ends.1))
}

/// Whether links up to 1 Gbit/s and 100 ms with packets of this size can have this buffer: at least a packet,
/// and at most [`MAX_BUFFER_PACKETS`]. Other paths may refuse it.
fn is_likely(buffer: Buffer, packet: Bytes) -> bool {
    let packet = packet.get().max(1);
    match buffer {
        Buffer::Packets(n) => n <= MAX_BUFFER_PACKETS,
        Buffer::Bytes(n) => (1..=MAX_BUFFER_PACKETS).contains(&(n.get() / packet)),
        Buffer::Time(span) => span <= Duration::from_secs(100),
        Buffer::Bdp(factor) => factor.to_f64() <= 1_000.0,
    }
}

/// A value that `read` understands, between two that it understands as well. Every refusal of its number
/// names both ends.
pub(crate) fn within<T: PartialOrd>(
    text: &str,
    read: impl Fn(&str) -> Result<T, BadInput>,
    low: &str,
    high: &str,
) -> Result<T, BadInput> {
    between(text, &read, (read(low)?, low), (read(high)?, high))
}

/// A value that `read` understands, between two values and their texts.
fn between<T: PartialOrd, D: std::fmt::Display>(
    text: &str,
    read: impl Fn(&str) -> Result<T, BadInput>,
    (low, low_text): (T, D),
    (high, high_text): (T, D),
) -> Result<T, BadInput> {
    match read(text) {
        Ok(value) if value >= low && value <= high => Ok(value),
        Ok(_) => Err(BadInput::out_of_range(text.trim(), low_text, high_text)),
        Err(error) => {
            let accepts = |text: &str| read(text).is_ok_and(|value| value >= low && value <= high);
            Err(error.accepted_by(accepts).within(low_text, high_text))
        }
    }
}
