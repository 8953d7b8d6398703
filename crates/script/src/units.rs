//! Quantities of a controller in numbers: floats of segments, seconds, and segments or bits a second.

use westwood_cc::{Duration, Instant, Rate, RelativeDelay, Segments};

/// Segments have 32 fractional bits.
const SEGMENT: f64 = 4_294_967_296.0;
/// Rates have 16.
const BYTE_PER_S: f64 = 65_536.0;

#[expect(
    clippy::cast_precision_loss,
    reason = "windows and times of a run are far below 2^53 units"
)]
const fn float(n: u64) -> f64 {
    n as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion that saturates is what is wanted: negative becomes 0"
)]
const fn whole(x: f64) -> u64 {
    x as u64
}

/// A count.
pub const fn count(n: u64) -> f64 {
    float(n)
}

/// Seconds since the run began.
pub fn time(at: Instant) -> f64 {
    float(at.as_nanos()) / 1e9
}

/// Seconds.
pub fn seconds(d: Duration) -> f64 {
    float(d.as_nanos()) / 1e9
}

/// Seconds between two clocks: negative where the receiver's is behind by more than the way takes.
pub fn relative_seconds(delay: RelativeDelay) -> f64 {
    let size = float(delay.as_nanos().unsigned_abs()) / 1e9;
    if delay.as_nanos() < 0 { -size } else { size }
}

/// Segments.
pub fn segments(s: Segments) -> f64 {
    float(s.raw()) / SEGMENT
}

/// A window of at least one segment, rounded down to 2^-32 segments.
pub fn window(segments: f64) -> Segments {
    Segments::from_raw(whole(segments * SEGMENT)).max(Segments::ONE)
}

/// The rate of so many segments of this payload a second.
pub fn rate(segments_per_s: f64, smss: f64) -> Rate {
    Rate::from_raw(whole(segments_per_s * smss * BYTE_PER_S))
}

/// Bits a second.
pub fn bits_per_s(rate: Rate) -> f64 {
    float(rate.raw()) / BYTE_PER_S * 8.0
}
