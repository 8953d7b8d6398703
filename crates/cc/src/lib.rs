//! Congestion controllers and bandwidth estimators, as small integer state machines.
//!
//! Nothing here allocates, reads a clock, draws a random number or uses a floating-point number, so
//! a controller gives the same bits in the simulator, in a browser, on any processor and in the
//! kernel. The crate depends on nothing.
//!
//! * [`units`]: time, data, rates and windows as types.
//! * [`math`]: the two integer primitives that carry every formula.
//! * [`controller`]: the six verbs by which a transport speaks to a controller.
//! * [`slow_start`], [`increase`], [`decrease`]: the three parts of a window controller, which
//!   [`windowed`] joins.
//! * [`estimate`]: bandwidth estimators, usable on any recorded stream of ACKs.
//! * [`rounds`], [`windowed_extreme`]: what models of the path are made of.
//! * [`controllers`]: one file for each controller, and the [`Choice`](controllers::Choice) among
//!   them all.
//! * [`params`]: how a controller names and documents its parameters.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod controller;
pub mod controllers;
pub mod decrease;
pub mod estimate;
pub mod increase;
mod linux;
pub mod math;
pub mod params;
pub mod rounds;
pub mod slow_start;
#[cfg(test)]
mod testing;
pub mod units;
pub mod windowed;
pub mod windowed_extreme;

pub use controller::{Ack, Cause, Controller, DeliverySample, Reduction, Window};
pub use units::{Bytes, Duration, Instant, Rate, Ratio, Segments};
