//! LogWestwood+ (log-westwood-2008): the fluid equation, Propositions 1 and 2, and the growth alone.
//!
//! An ACK adds (W_max - W)/(a W), a loss sets the window to B RTTmin/S; W segments are sent in a round
//! trip. With the sign of the loss mended (erratum E38; the paper's own equation 16 has it right)
//! equation 4 reads
//!
//! ```text
//! dW/dt = W/RTT { (1-p) (W_max - W)/(a W) + p [ K - W ] },     K = B RTTmin/S
//! ```
//!
//! * [`GivenEstimate`]: B is a given number (Proposition 1).
//! * [`OwnRate`]: B follows the window, B = W/RTT (Proposition 2, equations 14 to 18).
//! * [`growth`]: equations 1 and 2 without losses.
//! * [`printed`]: equations 3 to 13 as printed, where they differ.
//!
//! Both suppose that W_max - W is large against a: the floor of one segment a round trip (equation 2)
//! is outside them, as is what losses do to W_max and a.

mod given_estimate;
pub mod growth;
mod own_rate;
pub mod printed;

pub use given_estimate::{Decay, GivenEstimate};
pub use own_rate::OwnRate;

use crate::ode::{self, IntegrationStop, StepTolerance};
use crate::units::{Seconds, Segments};

/// A window under one of the fluid equations at each of `times`, which must be in order.
fn over_time(
    drift: impl Fn(f64) -> f64,
    start: Segments,
    times: &[Seconds],
    tolerance: StepTolerance,
) -> Result<Vec<Segments>, IntegrationStop> {
    let times: Vec<f64> = times.iter().map(|t| t.value()).collect();
    let windows = ode::integrate(drift, start.value(), &times, tolerance)?;
    // The drift is positive at 0, so no window falls below; the integrator's error might.
    Ok(windows.into_iter().map(|w| Segments::from_model(w.max(0.0))).collect())
}
