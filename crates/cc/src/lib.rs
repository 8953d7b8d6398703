//! Congestion controllers and bandwidth estimators, as small integer state machines.
//!
//! Nothing here allocates, reads a clock or uses a floating-point number, and lots are drawn from the
//! connection's [seed](controller::Setup::seed) alone, so a controller gives the same bits in the
//! simulator, in a browser, on any processor and in the kernel. The crate depends on nothing.
//!
//! * [`units`]: time, data, rates and windows as types.
//! * [`math`]: the integer primitives that carry every formula.
//! * [`product`]: products that saturate.
//! * [`Ecn`], [`EcnFeedback`]: the codepoints of a packet's ECN field, and how its marks are told.
//! * [`controller`]: the eleven verbs by which a transport speaks to a controller.
//! * [`increase`], [`decrease`]: the two parts of a composed controller, which [`windowed`] joins.
//! * [`slow_start`], [`modifiers`]: what ends the first slow start and what a mark leaves, beside any
//!   controller that commands the window alone.
//! * [`estimate`]: bandwidth estimators, usable on any recorded stream of ACKs.
//! * [`rounds`], [`windowed_extreme`]: what models of the path are made of.
//! * [`controllers`]: one file for each controller, and the [`Choice`](controllers::Choice) among
//!   them all.
//! * [`params`]: how a controller names and documents its parameters.
//! * [`own`]: controllers from outside this crate, and [`agent_controlled`], the one that an agent sets
//!   step by step.
//! * [`ack_stream`]: a stream of ACKs by which the cost of one is measured.
//!
//! # A reading path
//!
//! Six files tell how congestion control came to be what it is; each takes five minutes and opens
//! with its paper.
//!
//! 1. [`reno`](controllers::reno): one segment more a round-trip time, half after a loss. Read
//!    [`windowed`], [`increase`] and [`decrease`] beside it: the parts of most of the others.
//! 2. [`westwood`](controllers::westwood): what a loss leaves is measured. The stream of ACKs tells
//!    the bandwidth, and bandwidth times the smallest round-trip time is what the path itself holds.
//! 3. [`westwood_plus`](controllers::westwood_plus): why ACKs that come in bunches spoil that
//!    measurement, and how one sample a round-trip time mends it.
//! 4. [`log_westwood`](controllers::log_westwood): the increase learns too. The window returns fast
//!    to where it last lost, and slowly beyond.
//! 5. [`cubic`](controllers::cubic): the same memory as a function of time, not of ACKs, so that flows
//!    with long and short round-trip times grow alike. Most hosts run it.
//! 6. [`bbr`](controllers::bbr): no window that is opened and cut, but a model of the path, and a
//!    machine that looks at its two quantities in turn.
//!
//! Then [`controllers::westwood_linux`] shows what became of 2 and 3 in a kernel.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod ack_stream;
pub mod agent_controlled;
pub mod controller;
pub mod controllers;
pub mod decrease;
mod delay_history;
mod ecn;
pub mod estimate;
pub mod increase;
mod linux;
pub mod math;
pub mod modifiers;
pub mod own;
pub mod params;
mod path_model;
pub mod product;
pub mod rounds;
pub mod slow_start;
mod splitmix64;

#[cfg(test)]
mod testing;
pub mod units;
pub mod windowed;
pub mod windowed_extreme;

pub use controller::{Ack, Cause, Controller, DeliverySample, Reduction, Window};
pub use ecn::{Ecn, EcnFeedback};
pub use units::{Bytes, Duration, Instant, Rate, Ratio, RelativeDelay, Segments};
