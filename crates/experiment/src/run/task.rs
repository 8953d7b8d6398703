//! The runs that a scenario asks for.

use westwood_scenario::file::{GridPoint, Scenario};

/// A run to be done: a point of the grid and a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunTask {
    /// The place of the point in the grid, from 0; baselines stand behind all points.
    pub point: usize,
    /// The seed.
    pub seed: u64,
}

/// All runs of a scenario, point by point and within a point seed by seed.
pub fn tasks(scenario: &Scenario) -> Vec<RunTask> {
    let seeds = scenario.seeds();
    let points = 0..scenario.points().len();
    points.flat_map(|point| seeds.iter().map(move |&seed| RunTask { point, seed })).collect()
}

/// The runs of a scenario's baselines.
pub fn baseline_tasks(scenario: &Scenario) -> Vec<RunTask> {
    let seeds = scenario.seeds();
    let numbers = scenario.baselines().iter().map(GridPoint::number);
    numbers.flat_map(|point| seeds.iter().map(move |&seed| RunTask { point, seed })).collect()
}
