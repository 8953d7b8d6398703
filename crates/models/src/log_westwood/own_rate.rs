//! Proposition 2: the estimate follows the window, B = W/RTT (equation 14).
//!
//! A loss then leaves W RTTmin/RTT, and equation 16, right as printed, reads
//!
//! ```text
//! dW/dt = W/RTT { p W [ RTTmin/RTT - 1 ] + (1-p) (W_max - W)/(a W) }
//! ```

use super::over_time;
use crate::ode::{IntegrationStop, StepTolerance};
use crate::units::{Aggressiveness, LossRate, RoundTrip, Seconds, Segments, SegmentsPerSecond};

/// The assumptions of Proposition 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnRate {
    /// Round-trip times, mean and least.
    pub times: RoundTrip,
    /// The probability that a segment is lost.
    pub p: LossRate,
    /// The window W_max that growth aims at.
    pub target: Segments,
    /// LogWestwood+'s a.
    pub a: Aggressiveness,
}

impl OwnRate {
    /// dW/dt in segments a second, equation 16.
    pub fn drift(&self, window: Segments) -> f64 {
        self.slope(window.value())
    }

    fn slope(&self, w: f64) -> f64 {
        let p = self.p.value();
        let grown = (1.0 - p) / self.a.value() * (self.target.value() - w);
        let lost = p * w * w * self.times.queueing() / self.times.mean();
        (grown - lost) / self.times.mean()
    }

    /// x = 4 W_max Tq a p / ((1-p) RTT), which decides between two laws: the rate tends to W_max/RTT
    /// for x far below 1, and to sqrt((1-p) W_max / (a p RTT Tq)) for x far above, which is where
    /// the rate goes with 1/sqrt(RTT) and 1/sqrt(p). The paper says that p far below 1 were enough for
    /// the latter, and that the rate does not depend on RTT as p tends to 0, which holds only if
    /// W_max grows with RTT (erratum E47).
    pub fn x(&self) -> f64 {
        let p = self.p.value();
        let share = self.times.queueing() / self.times.mean();
        4.0 * self.target.value() * self.a.value() * share * p / (1.0 - p)
    }

    /// The window at rest, equation 18: (1-p) RTT / (2 a p Tq) (sqrt(1+x) - 1), written as
    /// 2 W_max / (1 + sqrt(1+x)), which loses no digits and is W_max where nothing queues.
    pub fn fixed_point(&self) -> Segments {
        // At most W_max.
        Segments::from_model(2.0 * self.target.value() / (1.0 + (1.0 + self.x()).sqrt()))
    }

    /// The rate at rest, equation 15.
    pub fn rate(&self) -> SegmentsPerSecond {
        SegmentsPerSecond::of(self.fixed_point().value(), self.times.mean())
    }

    /// The limit of the rate for large x: sqrt((1-p) W_max / (a p RTT Tq)), sqrt(W_max/a) times
    /// Westwood+'s. Infinite where nothing queues.
    pub fn rate_for_many_losses(&self) -> SegmentsPerSecond {
        let p = self.p.value();
        let square = (1.0 - p) * self.target.value()
            / (self.a.value() * p * self.times.mean() * self.times.queueing());
        SegmentsPerSecond::from_model(square.sqrt())
    }

    /// The window by integration of equation 16: at each of `times`, in order, after it was `start`.
    pub fn over_time(
        &self,
        start: Segments,
        times: &[Seconds],
        tolerance: StepTolerance,
    ) -> Result<Vec<Segments>, IntegrationStop> {
        over_time(|w| self.slope(w), start, times, tolerance)
    }
}
