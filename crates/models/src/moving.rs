//! A window that moves gets less from the same losses than one at rest.
//!
//! The papers balance growth and loss at one window. On average they balance as
//! `E[1/W] = p (1-k) E[W]`, and `E[W] E[1/W]` is above 1 for a window that moves.

use core::f64::consts::PI;
use core::num::NonZeroU8;

use crate::units::{Kept, LossRate, OutOfRange, RoundTrip, SegmentsPerSecond};

/// The rate for rare independent losses of a window that grows by one segment a round trip (1/b with
/// an ACK for every b segments) and keeps the share k of itself at a loss; exact as p tends to 0.
/// Refused for losses so frequent that the window at rest, sqrt((1-p) / (b p (1-k))), would be no
/// larger, which in truth it always is: from p = 0.142 on for Reno.
///
/// `Y = W^2/2` grows by 1/b a segment and falls to `k^2 Y` at losses that are 1/p segments apart on
/// average, so that `X = p b Y` has the moments `E X^s = s E X^(s-1) / (1 - k^(2s))`, which
/// `Gamma(1+s) prod_j (1 - k^(2(j+s)))/(1 - k^(2j))` solves, and the rate is `1/(RTT E[1/W])`: s = -1/2.
/// T. Ott, J. Kemperman, M. Mathis, "The stationary behavior of ideal TCP congestion avoidance", 1996.
pub fn rate(
    times: RoundTrip,
    p: LossRate,
    kept: Kept,
    b: NonZeroU8,
) -> Result<SegmentsPerSecond, OutOfRange> {
    let constant = constant(kept);
    if constant * constant * (1.0 - kept.value()) >= 1.0 - p.value() {
        let range = "so rare that the window at rest is larger";
        return Err(OutOfRange { quantity: "a loss rate", value: p.value(), range });
    }
    let window = constant / (f64::from(b.get()) * p.value()).sqrt();
    Ok(SegmentsPerSecond::of(window, times.mean()))
}

/// The rate times RTT sqrt(b p): 1.3098 for Reno, where the papers' mean field has sqrt(2).
pub fn constant(kept: Kept) -> f64 {
    let k = kept.value();
    let mut product = 1.0;
    // k^(2j-1), the larger of a factor's two powers.
    let mut power = k;
    while power > f64::EPSILON / 4.0 {
        product *= (1.0 - power) / (1.0 - power * k);
        power *= k * k;
    }
    (2.0 / PI).sqrt() / product
}

/// The same constant where losses come evenly, one every 1/p segments: a saw-tooth from kW to W.
/// sqrt(3/2) for Reno (M. Mathis, J. Semke, J. Mahdavi, T. Ott, 1997), in general
/// sqrt((1+k) / (2(1-k))).
pub fn constant_for_even_losses(kept: Kept) -> f64 {
    let k = kept.value();
    ((1.0 + k) / (2.0 * (1.0 - k))).sqrt()
}
