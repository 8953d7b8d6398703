//! LogWestwood+'s growth without losses: equations 1 and 2.

use crate::units::{Aggressiveness, RoundTrip, Seconds, Segments};

/// The growth of one ACK by equation 1, in segments: (W_max - W)/(a W), negative above W_max. The
/// text has an assignment without "W +" (erratum E37); the floor of equation 2 shows the meaning.
/// Infinite at a window of nothing.
pub fn increment(window: Segments, target: Segments, a: Aggressiveness) -> f64 {
    (target.value() - window.value()) / (a.value() * window.value())
}

/// The growth of one ACK by equation 2: at least 1/W, so that a round trip never adds less than a
/// segment.
pub fn increment_with_floor(window: Segments, target: Segments, a: Aggressiveness) -> f64 {
    increment(window, target, a).max(1.0 / window.value())
}

/// The window `time` after it was `start`, by equation 1 in the fluid: W_max - (W_max - W0)
/// e^(-t/(a RTT)). A round trip covers 1/a of what remains; the inverse is the logarithm that gives
/// the protocol its name.
pub fn window_at(
    start: Segments,
    target: Segments,
    a: Aggressiveness,
    times: RoundTrip,
    time: Seconds,
) -> Segments {
    let covered = -libm::expm1(-time.value() / (a.value() * times.mean()));
    // A mean of two windows.
    Segments::from_model(start.value() + (target.value() - start.value()) * covered)
}
