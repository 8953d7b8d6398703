//! Proposition 1: the estimate is a given number.
//!
//! Multiplied out, the equation is a parabola in the window,
//!
//! ```text
//! dW/dt = -(p W^2 + (g - p K) W - g W_max) / RTT = -(p/RTT) (W - W*) (W + V),    g = (1-p)/a
//! ```
//!
//! with one positive root W* and one negative, -V. Divided by p it is the form of the paper's
//! equation 7, W^2 + (c0 - K) W - c0 W_max = 0, with c0 = g/p.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | p | `p` | 1 |
//! | RTT | `rtt` | s |
//! | W_max | `target` | segments |
//! | a (alpha) | `a` | 1 |
//! | B RTTmin / seg_size | `reduced` | segments |
//! | Q = W - W* | `distance` | segments |

use super::over_time;
use crate::ode::{IntegrationStop, StepTolerance};
use crate::units::{Aggressiveness, LossRate, RoundTrip, Seconds, Segments, SegmentsPerSecond};

/// The assumptions of Proposition 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenEstimate {
    /// Round-trip times; only the mean enters.
    pub times: RoundTrip,
    /// The probability that a segment is lost.
    pub p: LossRate,
    /// The window W_max that growth aims at.
    pub target: Segments,
    /// LogWestwood+'s a.
    pub a: Aggressiveness,
    /// The window K = B RTTmin/S that a loss leaves.
    pub reduced: Segments,
}

/// The motion of a window to rest: dQ/dt = -c (Q^2 + b Q).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// The rate c b at which small distances shrink, in 1/s.
    pub rate: f64,
    /// The distance b = W* + V between the two roots, in segments.
    pub span: f64,
}

impl GivenEstimate {
    /// dW/dt in segments a second: equation 4 with the sign of the loss mended.
    pub fn drift(&self, window: Segments) -> f64 {
        self.slope(window.value())
    }

    fn slope(&self, w: f64) -> f64 {
        let p = self.p.value();
        let grown = self.gain() * (self.target.value() - w);
        (grown + p * w * (self.reduced.value() - w)) / self.times.mean()
    }

    /// g = (1-p)/a.
    fn gain(&self) -> f64 {
        (1.0 - self.p.value()) / self.a.value()
    }

    /// p V - p W* = g - p K, and the root of the discriminant, p (W* + V).
    fn coefficients(&self) -> (f64, f64) {
        let p = self.p.value();
        let linear = self.gain() - p * self.reduced.value();
        let square = 4.0 * p * self.gain() * self.target.value();
        (linear, libm::hypot(linear, square.sqrt()))
    }

    /// The window at rest, W* = 1/2 { K - c0 + sqrt((K - c0)^2 + 4 c0 W_max) }. It lies between K and
    /// W_max, near W_max where losses are rare and near K where they are not.
    pub fn fixed_point(&self) -> Segments {
        let (linear, root) = self.coefficients();
        // Whichever of the two forms does not subtract near equals.
        let window = if linear > 0.0 {
            2.0 * self.gain() * self.target.value() / (linear + root)
        } else {
            (root - linear) / (2.0 * self.p.value())
        };
        // A sum and a quotient of terms that are not negative.
        Segments::from_model(window)
    }

    /// The rate at rest, W*/RTT: Proposition 1, mended.
    pub fn rate(&self) -> SegmentsPerSecond {
        SegmentsPerSecond::of(self.fixed_point().value(), self.times.mean())
    }

    /// How distances from the fixed point shrink: c b = sqrt((g - pK)^2 + 4 p g W_max)/RTT, which tends
    /// to 1/(a RTT) where losses are rare (equations 9 to 11, mended: erratum E42).
    pub fn decay(&self) -> Decay {
        let (_, root) = self.coefficients();
        Decay { rate: root / self.times.mean(), span: root / self.p.value() }
    }

    /// The window at `time` after it was `start`, in closed form: W* plus
    /// Q0 e^(-cbt) / (1 + (Q0/b)(1 - e^(-cbt))) (equation 12, mended: erratum E43).
    pub fn window_at(&self, start: Segments, time: Seconds) -> Segments {
        let rest = self.fixed_point().value();
        let first = start.value() - rest;
        let Decay { rate, span } = self.decay();
        let gone = -libm::expm1(-rate * time.value());
        // The denominator is above zero: first > -W* > -b.
        let distance = first * (1.0 - gone) / (1.0 + first / span * gone);
        Segments::from_model((rest + distance).max(0.0))
    }

    /// How far from the fixed point the window can be at `time` after it was `start`, at most:
    /// Q0 e^(-cbt) from above (equation 13), and |Q0| e^(-cbt) b/(b - |Q0|) from below, which the paper
    /// leaves out (erratum E44).
    pub fn bound(&self, start: Segments, time: Seconds) -> Segments {
        let first = start.value() - self.fixed_point().value();
        let Decay { rate, span } = self.decay();
        let shrunk = first.abs() * libm::exp(-rate * time.value());
        let bound = if first < 0.0 { shrunk / (1.0 + first / span) } else { shrunk };
        Segments::from_model(bound)
    }

    /// The same window by integration: at each of `times`, in order, after it was `start`.
    pub fn over_time(
        &self,
        start: Segments,
        times: &[Seconds],
        tolerance: StepTolerance,
    ) -> Result<Vec<Segments>, IntegrationStop> {
        over_time(|w| self.slope(w), start, times, tolerance)
    }
}
