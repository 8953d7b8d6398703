//! The data model of a comparison: the schema `westwood.compare/1`.
//!
//! Names are the schema's and end in their unit. A quantity that a run does not have is `null`.

mod conduct;
mod delay;
mod run;

use serde::{Deserialize, Serialize};

pub use conduct::{Conduct, SoloHarm};
pub use delay::DelayMs;
pub(crate) use run::without_world;
pub use run::{Drops, FlowResult, LatenessUs, QueuePackets, RttMs, RunSummary, TransferTimes};
pub use westwood_scenario::ComparisonPath;

use crate::judgement::JudgementSummary;

/// The schema's name.
pub const SCHEMA: &str = "westwood.compare/1";

/// A whole comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonReport {
    /// The schema's name.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// The version of the program that made it.
    pub version: String,
    /// Every effective setting.
    pub path: ComparisonPath,
    /// One for each controller and seed, in that order.
    pub runs: Vec<RunSummary>,
    /// The conclusions; absent of a report without a judgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<JudgementSummary>,
    /// The warnings about the results, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Runs that are no contestants: the flows under test have the controller of the competing ones, or
    /// are not there (`competing flows alone`). The others' harm is taken from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<RunSummary>,
}
