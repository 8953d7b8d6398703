//! Experiments: from networks to results, and from results to a conclusion.
//!
//! ```text
//! Scenario --run--> RunRecord, Curves --> Report --judgement--> Summary
//! ```
//!
//! * [`plan`]: what a user said, by settings, text or file; [`execution`] does its runs.
//! * [`link`]: experiments in links, as the playground keeps them.
//! * [`run`]: the runs of a scenario, a point and a seed each, and their records.
//! * [`world`]: where a network runs: the simulator, or a kernel over emulated links.
//! * [`results`]: the data model of a comparison; [`metric`] names its quantities.
//! * [`ack_cost`]: nanoseconds an ACK, by the clock of this machine, where they are asked for.
//! * [`stats`]: means, intervals and quantiles; [`ranking`] orders contestants by one metric.
//! * [`store`]: finished runs that are kept for the next time.
//! * [`judgement`]: the conclusions that the results allow, and the warnings about them.
//! * [`Condition`]: under which results an experiment counts as failed.
//!
//! `westwood-scenario` says which networks the user meant.

mod condition;
mod input;

pub mod ack_cost;
pub mod execution;
pub mod judgement;
pub mod link;
pub mod metric;
pub mod plan;
pub mod ranking;
pub mod results;
pub mod run;
pub mod stats;
pub mod store;
pub mod world;

pub use condition::{Condition, ConditionResult};
