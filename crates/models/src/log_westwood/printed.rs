//! Equations 3 to 12 of log-westwood-2008 as its text has them, where they do not follow from the
//! assumptions. For comparison only.
//!
//! The printed loss term has the wrong sign (E38). The fixed point does not follow from it, but from
//! an exchange of p and 1-p, after which the factor 1-p of W^2 was dropped (E39, E40): as losses
//! vanish it tends to the reduced window K, where it should tend to W_max. Equation 8 has lost a and
//! carries the exchange (E41), equations 10 and 11 slipped on the way (E42), and 12 has c for b (E43).
//! Equation 10 cannot be read from the text with certainty and is left out.

use super::{Decay, GivenEstimate};
use crate::units::{Seconds, Segments, SegmentsPerSecond};

/// dW/dt in segments a second by equations 3 and 4 as printed: a loss takes W to 2W - K. Errata E38,
/// E45.
pub fn drift(model: &GivenEstimate, window: Segments) -> f64 {
    let (p, w) = (model.p.value(), window.value());
    let grown = (1.0 - p) / model.a.value() * (model.target.value() - w);
    (grown + p * w * (w - model.reduced.value())) / model.times.mean()
}

/// The positive root of equation 7, W^2 + W [p/a - (1-p) K] - p W_max/a. Errata E39, E48.
pub fn fixed_point(model: &GivenEstimate) -> Segments {
    let p = model.p.value();
    let linear = p / model.a.value() - (1.0 - p) * model.reduced.value();
    let constant = p * model.target.value() / model.a.value();
    let root = libm::hypot(linear, 2.0 * constant.sqrt());
    // As in the mended form: whichever does not subtract near equals.
    let larger =
        if linear > 0.0 { 2.0 * constant / (linear + root) } else { (root - linear) / 2.0 };
    Segments::from_model(larger)
}

/// The rate of equation 5, the same root over RTT. Erratum E40.
pub fn rate(model: &GivenEstimate) -> SegmentsPerSecond {
    SegmentsPerSecond::of(fixed_point(model).value(), model.times.mean())
}

/// The consequence of equation 8: c = (1-p)/RTT and b = 2W* - K + p/(1-p), with W* by equation 7.
/// Errata E41, E42.
pub fn decay(model: &GivenEstimate) -> Decay {
    let p = model.p.value();
    let span = 2.0 * fixed_point(model).value() - model.reduced.value() + p / (1.0 - p);
    Decay { rate: (1.0 - p) / model.times.mean() * span, span }
}

/// b of equation 11, 2W* + p(1-p) - K, with W* by equation 7. Erratum E42.
pub fn span(model: &GivenEstimate) -> f64 {
    let p = model.p.value();
    2.0 * fixed_point(model).value() + p * (1.0 - p) - model.reduced.value()
}

/// Equation 12 as printed, the distance Q at `time` after it was `first`:
/// Q0 e^(-cbt) / (1 + (Q0/c)(1 - e^(-cbt))) for given c in 1/(s segments) and b in segments. Erratum
/// E43: it solves dQ/dt = -c (Q^2 + bQ) only where b and c are the same number.
pub fn distance(first: f64, c: f64, b: f64, time: Seconds) -> f64 {
    let left = libm::exp(-c * b * time.value());
    first * left / (1.0 + first / c * (1.0 - left))
}
