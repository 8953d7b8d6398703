//! Weights and memories of the bandwidth filters, as arithmetic.
//!
//! The filters themselves, in integers, are `westwood_cc::estimate`.

use core::num::NonZeroU32;

use crate::units::{OutOfRange, Seconds};

/// The share of the old estimate that stays after a sample over the time D: (2t - D)/(2t + D) with
/// the time constant t (westwood-2002 section 2.2; westwood-plus-2004 equation 3). The mean of the
/// last two samples gets the rest. Exactly the bilinear (Tustin) form of 1/(1 + s t). Negative for
/// D above 2t, which virtual samples prevent.
pub fn old_weight(step: Seconds, time_constant: Seconds) -> Result<f64, OutOfRange> {
    let twice = 2.0 * positive(time_constant)?;
    Ok((twice - step.value()) / (twice + step.value()))
}

/// The share of an estimate that is left after each null sample but the first in a silence, with a
/// null sample every 1/m of the time constant: (2m - 1)/(2m + 1), 0.6 for m = 2 (westwood-2002
/// section 2.2).
pub fn left_by_a_null_sample(m: NonZeroU32) -> f64 {
    let twice = 2.0 * f64::from(m.get());
    (twice - 1.0) / (twice + 1.0)
}

/// The share that the continuous filter would leave after the same time, exp(-1/m).
pub fn left_by_the_continuous_filter(m: NonZeroU32) -> f64 {
    libm::exp(-1.0 / f64::from(m.get()))
}

/// The share of a constant input that the filter B = 0.9 B + 0.1 b (ccr-2004 equation 1) has reached
/// after `samples` round trips, from nothing: 1 - 0.9^samples.
pub fn constant_filter_reached(samples: u32) -> f64 {
    1.0 - libm::pow(0.9, f64::from(samples))
}

/// The memory of that filter in round trips, -1/ln 0.9 = 9.49.
pub fn constant_filter_memory() -> f64 {
    -1.0 / libm::log(0.9)
}

fn positive(time_constant: Seconds) -> Result<f64, OutOfRange> {
    let value = time_constant.value();
    let error = OutOfRange { quantity: "a time constant", value, range: "above 0 s" };
    if value > 0.0 { Ok(value) } else { Err(error) }
}
