//! Quantities by their numbers.
#![allow(dead_code, reason = "each test file uses a part")]

use westwood_models::units::Kept;
use westwood_models::{LossRate, RoundTrip, Seconds, Segments};

pub(crate) fn seconds(t: f64) -> Seconds {
    Seconds::new(t).expect("a time")
}

pub(crate) fn segments(w: f64) -> Segments {
    Segments::new(w).expect("a window")
}

pub(crate) fn loss(p: f64) -> LossRate {
    LossRate::new(p).expect("a loss rate")
}

pub(crate) fn kept(k: f64) -> Kept {
    Kept::new(k).expect("a share")
}

/// Round-trip times, mean and least.
pub(crate) fn times(mean: f64, least: f64) -> RoundTrip {
    RoundTrip::new(seconds(mean), seconds(least)).expect("two times")
}

/// Fails unless `found` is `expected` within a part of it.
pub(crate) fn close(found: f64, expected: f64, part: f64) {
    let off = (found - expected).abs();
    assert!(off <= part * expected.abs().max(f64::MIN_POSITIVE), "{found} is not {expected}");
}
