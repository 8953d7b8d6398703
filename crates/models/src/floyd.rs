//! S. Floyd's arithmetic of fast paths (RFC 3649, section 2; westwood-10g-2005 section I, equations 1
//! and 2).
//!
//! The paper's formulas are missing from the text that was at hand. The words around them say that the
//! rate is w/R with w in proportion to 1/sqrt(p), and which window fills a path. RFC 3649 has the window
//! W = BR/(8D), the loss rate 1.5/W^2, which is that of even losses, w = sqrt(3/2 / p), and BR/(12D)
//! round trips between losses. Rounded to 1.2/sqrt(p), its response function of Standard TCP gives
//! p = 2.07e-10 for 2.16e-10.

use crate::units::{
    BitsPerSecond, LossRate, OutOfRange, RoundTrip, Seconds, SegmentSize, Segments,
    SegmentsPerSecond,
};

/// The window that fills a path: capacity x RTT / (8 x size). 83,333 segments for 10 Gbit/s, 100 ms
/// and 1500 bytes.
pub fn window(
    capacity: BitsPerSecond,
    times: RoundTrip,
    size: SegmentSize,
) -> Result<Segments, OutOfRange> {
    Segments::new(capacity.in_segments(size).value() * times.mean())
}

/// The rate of a window: w/R, equation 1.
pub fn rate(window: Segments, times: RoundTrip) -> SegmentsPerSecond {
    SegmentsPerSecond::of(window.value(), times.mean())
}

/// The loss rate at which Reno's mean window is w: 1.5/w^2. Refused for windows at which losses would
/// have to be certain, up to sqrt(1.5) segments.
pub fn loss_rate(window: Segments) -> Result<LossRate, OutOfRange> {
    LossRate::new(1.5 / (window.value() * window.value()))
}

/// Segments from one loss to the next, on average: 1/p. 4.6e9 on that path; the paper prints
/// 5,000,000 for 5,000,000,000 (erratum E21).
pub fn segments_between_losses(p: LossRate) -> f64 {
    1.0 / p.value()
}

/// Time from one loss to the next at a rate: 1/(p r). 5,556 s, an hour and a half, on that path.
pub fn time_between_losses(p: LossRate, rate: SegmentsPerSecond) -> Result<Seconds, OutOfRange> {
    Seconds::new(segments_between_losses(p) / rate.value())
}

/// The bit-error rate that loses a segment of `size` with probability p, for rare errors: p / (8 size).
pub fn bit_error_rate(p: LossRate, size: SegmentSize) -> f64 {
    p.value() / size.bits()
}

/// The probability that a segment of `size` has a bit in error: 1 - (1-BER)^(8 size). Refused for error
/// rates outside 0 to 1, and where the result rounds to 0 or 1.
pub fn loss_of_bit_errors(bit_error_rate: f64, size: SegmentSize) -> Result<LossRate, OutOfRange> {
    LossRate::new(-libm::expm1(size.bits() * libm::log1p(-bit_error_rate)))
}
