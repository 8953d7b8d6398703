//! The mathematics of the Westwood family, independent of any simulation.
//!
//! Each equation is one pure function of quantities with units, and stands beside its paper, its
//! number and, where the print is wrong, its erratum. A printed formula and the one that follows
//! from its assumptions are two functions with two names: the first are in
//! [`printed`](log_westwood::printed) or end in `_printed`. `docs/explanation/formulas.md` derives
//! them all.
//!
//! * [`units`]: quantities that cannot be out of range.
//! * [`reno`], [`westwood`], [`log_westwood`]: the rate of one flow whose segments are lost with
//!   probability p.
//! * [`moving`]: the same for a window that moves, where growth and loss do not meet at one value.
//! * [`climb`]: how long a window takes from one value to another without losses.
//! * [`buffer`]: how much of a link Reno uses with a short buffer.
//! * [`convergence`]: how two windows become equal.
//! * [`floyd`]: which loss rate a fast path allows.
//! * [`filter`]: weights and memories of the bandwidth filters.
//! * [`ode`]: the integrator behind the fluid equations.
//!
//! The crate depends on nothing of the workbench: a model that used the simulator's code would agree
//! with its mistakes.

pub mod buffer;
pub mod climb;
pub mod convergence;
pub mod filter;
pub mod floyd;
pub mod log_westwood;
pub mod moving;
pub mod ode;
pub mod reno;
pub mod units;
pub mod westwood;

pub use units::{LossRate, OutOfRange, RoundTrip, Seconds, Segments, SegmentsPerSecond};
