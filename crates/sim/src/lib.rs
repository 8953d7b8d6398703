//! The event loop: the only place that owns simulated time.
//!
//! ```text
//! Network  --run-->  Outcome
//! ```
//!
//! [`Network`] says what is simulated, [`Outcome`] what came of it.

mod network;
mod outcome;

pub use network::{
    FlowSpec, LinkId, LinkSpec, Network, NodeId, Phases, Probes, Spread, TcpSpec, Traffic, Workload,
};
pub use outcome::{Completion, FlowOutcome, LinkOutcome, Outcome, Point, Record, RttSummary};
