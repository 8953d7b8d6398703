//! Controllers in numbers.
//!
//! The controllers of this workspace compute in integers, as a kernel does. One that is written in
//! Python, in C or in a scenario sees the same verbs in floats: windows in segments, times in seconds, rates
//! in segments a second. [`FloatVerbs`] is that view, [`event`] the arguments of each verb by name, and
//! [`FloatController`] makes a controller of it that a transport can use.
//!
//! A [`Definition`] is a controller in the language of a scenario, compiled to a few operations a verb:
//!
//! ```text
//! texts of verbs --westwood-expr--> statements --> operations --> a controller of its name
//! ```
//!
//! ```
//! use westwood_script::{Definition, VerbName, define};
//! let mut gentle = Definition::new("gentle");
//! gentle.parameter("alpha", westwood_cc::Ratio::new(31, 100));
//! gentle.verb(VerbName::Grow, "cwnd < ssthresh ? cwnd + credit : cwnd + alpha * credit / cwnd");
//! gentle.verb(VerbName::Reduce, "0.875 * cwnd");
//! assert!(define(gentle).is_ok());
//! ```

mod compile;
mod definition;
mod error;
pub mod event;
mod fault;
mod float_verbs;
mod program;
mod script;
pub mod units;

pub use definition::{Definition, MOST_STATE};
pub use error::{ScriptError, ScriptErrorKind, ScriptPart};
pub use event::VerbName;
pub use fault::{ScriptFault, watched};
pub use float_verbs::{FloatController, FloatVerbs, WindowAnswer};
pub use script::define;
