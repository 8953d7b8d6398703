//! Metrics of runs: which runs, and what of each.
//!
//! A [`MetricCall`] is a [`Select`], which picks runs of an experiment, and a [`Query`], which is
//! computed of each run where it was simulated: series are then gone, the number stays.

mod measure;
mod query;
mod read;
mod select;
mod track;

use westwood_scenario::file::reading::Location;

pub use measure::{MetricOutcome, measure};
pub use query::{FlowStatistic, Flows, PaperMetric, Query, ReductionSide, Stat, names};
pub use read::{Argument, Literal};
pub use select::{PointSelection, Select, number_of};

/// A metric of runs.
#[derive(Clone, Debug)]
pub struct MetricCall {
    /// The runs.
    pub select: Select,
    /// The quantity of each.
    pub query: Query,
    /// Its place.
    pub place: Location,
}
