//! Metrics of runs: which runs, and what of each.
//!
//! A [`Call`] is a [`Select`], which picks runs of an experiment, and a [`Query`], which is
//! computed of each run where it was simulated: series are then gone, the number stays.

mod measure;
mod query;
mod read;
mod select;
mod track;

use westwood_scenario::file::reading::Location;

pub use measure::{Outcome, measure};
pub use query::{Across, Flows, Metric, Query, Stat, When, names};
pub use read::{Argument, Literal};
pub use select::{Picked, Select, number_of};

/// A metric of runs.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which runs.
    pub select: Select,
    /// What of each.
    pub query: Query,
    /// Where it stands.
    pub place: Location,
}
