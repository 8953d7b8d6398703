//! The event loop: the only place that owns simulated time.
//!
//! ```text
//! Network  --run-->  Outcome
//! ```
//!
//! [`Network`] says what is simulated, [`Outcome`] what came of it. A run is a pure function of the
//! network, bit for bit, on every machine.

mod agent;
mod engine;
mod error;
mod media;
mod name;
mod network;
mod outcome;
mod packet;
mod routes;
mod scheduler;
mod shared;
mod tap;

pub use agent::{AgentSpec, SnoopConfig, Task};
pub use engine::{
    Action, Application, Control, Engine, Stepped, Supply, run, run_tapped, run_with,
};
pub use error::SimError;
pub use media::{FrameOutcome, MediaSpec};
pub use name::Name;
pub use network::{
    FlowRange, FlowSpec, LinkId, LinkSpec, Network, NodeId, Observation, Phases, Probes, TcpSpec,
    Traffic, ValueDistribution, Workload,
};
pub use outcome::{
    Completion, FlowOutcome, LinkOutcome, Notes, Outcome, Point, ProxyOutcome, Record,
};
pub use routes::FlowPaths;
pub use shared::Shared;
pub use tap::{Tap, TapContent, TapEvent, TapPoint};
pub use westwood_net::{DurationSummary, Histogram};
