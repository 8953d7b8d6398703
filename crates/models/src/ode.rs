//! One autonomous equation dy/dt = f(y), integrated with control of the error.
//!
//! J. R. Dormand and P. J. Prince, "A family of embedded Runge-Kutta formulae", 1980: fifth order, with
//! an embedded fourth for the error of a step. Steps adapt; output times are met exactly.

use core::fmt;

/// The error that one step may make: `absolute`, or `relative` times the value if that is more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTolerance {
    /// In parts of the value. At least 1e-14 is used.
    pub relative: f64,
    /// In the unit of the value.
    pub absolute: f64,
}

/// Ten digits.
impl Default for StepTolerance {
    fn default() -> Self {
        Self { relative: 1e-11, absolute: 1e-11 }
    }
}

/// The reason why an integration did not reach its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegrationStop {
    /// The time that it reached.
    pub at: f64,
    /// The last value.
    pub value: f64,
    /// The fault.
    pub reason: EquationFault,
}

/// The faults of an equation, or of the outputs asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquationFault {
    /// The slope or the value is not a finite number.
    NotFinite,
    /// The tolerance would need steps too small for the time to advance, or more than a million.
    TooStiff,
    /// Output times must be finite, not negative, and in order.
    Times,
}

impl fmt::Display for IntegrationStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.reason {
            EquationFault::NotFinite => "the slope is not finite",
            EquationFault::TooStiff => "the tolerance would need too many steps",
            EquationFault::Times => "output times must be finite and in order, from 0 on",
        };
        write!(f, "integration stopped at {} (value {}): {why}", self.at, self.value)
    }
}

impl core::error::Error for IntegrationStop {}

/// The most steps of one integration.
const MOST_STEPS: u32 = 1_000_000;

/// The values at `times` of what starts as `start` at time 0 and moves by `slope`.
pub fn integrate(
    slope: impl Fn(f64) -> f64,
    start: f64,
    times: &[f64],
    tolerance: StepTolerance,
) -> Result<Vec<f64>, IntegrationStop> {
    let mut run = Integration { slope, tolerance, t: 0.0, y: start, step: f64::INFINITY, steps: 0 };
    times.iter().map(|&time| run.advance(time)).collect()
}

struct Integration<F> {
    slope: F,
    tolerance: StepTolerance,
    t: f64,
    y: f64,
    /// The step that the error allowed last; none yet.
    step: f64,
    steps: u32,
}

impl<F: Fn(f64) -> f64> Integration<F> {
    /// The value at `end`.
    fn advance(&mut self, end: f64) -> Result<f64, IntegrationStop> {
        if !(end.is_finite() && end >= self.t) {
            return Err(self.stopped(EquationFault::Times));
        }
        while self.t < end {
            let left = end - self.t;
            let step = self.step.min(left);
            self.steps += 1;
            // A step that does not move the clock would never end.
            let moves = self.t + step > self.t;
            if !moves || self.steps > MOST_STEPS {
                return Err(self.stopped(EquationFault::TooStiff));
            }
            let (y, error) = attempt(&self.slope, self.y, step);
            if !self.y.is_finite() || !(self.slope)(self.y).is_finite() {
                return Err(self.stopped(EquationFault::NotFinite));
            }
            let off = error.abs() / self.allowed(y);
            if off <= 1.0 {
                self.y = y;
                self.t = if step < left { self.t + step } else { end };
            }
            // A step cut short by an output time says nothing against a longer one.
            let next = step * factor(off);
            self.step = if off <= 1.0 && step >= left { next.max(self.step) } else { next };
        }
        Ok(self.y)
    }

    fn allowed(&self, next: f64) -> f64 {
        let StepTolerance { relative, absolute } = self.tolerance;
        absolute.max(relative.max(1e-14) * self.y.abs().max(next.abs()))
    }

    const fn stopped(&self, reason: EquationFault) -> IntegrationStop {
        IntegrationStop { at: self.t, value: self.y, reason }
    }
}

/// The factor by which the next step may be longer: the error of a step goes with its fifth power.
/// Where a step left the equation's domain there is no error to go by.
fn factor(off: f64) -> f64 {
    if off.is_nan() { 0.1 } else { (0.9 * libm::pow(off, -0.2)).clamp(0.1, 5.0) }
}

/// One step: the value of fifth order, and how far the fourth is from it.
fn attempt(f: impl Fn(f64) -> f64, y: f64, h: f64) -> (f64, f64) {
    let k1 = h * f(y);
    let k2 = h * f(y + k1 / 5.0);
    let k3 = h * f(y + k1 * 3.0 / 40.0 + k2 * 9.0 / 40.0);
    let k4 = h * f(y + k1 * 44.0 / 45.0 - k2 * 56.0 / 15.0 + k3 * 32.0 / 9.0);
    let k5 = h * f(y + k1 * 19_372.0 / 6_561.0 - k2 * 25_360.0 / 2_187.0 + k3 * 64_448.0 / 6_561.0
        - k4 * 212.0 / 729.0);
    let k6 = h * f(y + k1 * 9_017.0 / 3_168.0 - k2 * 355.0 / 33.0
        + k3 * 46_732.0 / 5_247.0
        + k4 * 49.0 / 176.0
        - k5 * 5_103.0 / 18_656.0);
    let next = y + k1 * 35.0 / 384.0 + k3 * 500.0 / 1_113.0 + k4 * 125.0 / 192.0
        - k5 * 2_187.0 / 6_784.0
        + k6 * 11.0 / 84.0;
    let k7 = h * f(next);
    let error = k1 * 71.0 / 57_600.0 - k3 * 71.0 / 16_695.0 + k4 * 71.0 / 1_920.0
        - k5 * 17_253.0 / 339_200.0
        + k6 * 22.0 / 525.0
        - k7 / 40.0;
    (next, error)
}
