//! Scenario files: an experiment in TOML, from its text to networks.
//!
//! ```text
//! text --parse--> tree --settings of a point--> tree --tables--> Top --build--> Network
//! ```
//!
//! Every value of the tree knows its place, so that each fault of a file is reported with its
//! place, all of them at once ([`BadFile`]). The tables in `tables.rs` are the format: the parser,
//! `docs/reference/scenarios.md` ([`documents`]) and the JSON Schema ([`schema`]) are made from them.
//!
//! Sweeps and variants are settings of fields by path, applied to the tree before it is read: a
//! point of a grid is read like a file that was written for it.

mod axis;
mod bounds;
mod build;
mod controllers;
mod declaration;
mod documents;
mod effective;
mod estimate;
mod fault;
mod fields;
mod flags;
mod given;
mod grid;
mod like;
mod location;
mod meaning;
mod node;
mod outline;
mod point;
mod quantity;
mod section;
mod set;
mod settings;
mod tables;
mod value_reader;
mod write;

/// The reader of TOML files with the places of their values: for other files that come with
/// scenarios.
pub mod reading {
    pub use super::fault::{BadFile, Faults};
    pub use super::fields::{Fields, ReadContext, number};
    pub use super::location::{Location, Sources};
    pub use super::node::{Node, TableEntry, TomlTable, TomlValue, parse};
}

pub use build::{Built, FlowGroup, Layout, TraceReader};
pub use build::{COMPETING_GROUP, is_transfers, rate_of};
pub use documents::{documents, schema};
pub use effective::Effective;
pub use estimate::CostEstimate;
pub use fault::{BadFile, FaultParts};
pub use flags::{Flag, FlagValue, flags};
pub use given::{GivenSettings, changed as changed_settings};
pub use grid::Scenario;
pub use outline::{Outline, OutlinedGroup, OutlinedLink};
pub use point::{GridPoint, PointSetting, short_path};
pub use quantity::{RecordedSeries, SeriesKind};
pub use set::Assignment;
