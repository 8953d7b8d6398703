//! The line that is kept of a run: its summaries and the answers to the queries about it.

use std::io;

use serde::{Deserialize, Serialize};
use westwood_experiment::run::{RunRecord, RunResult, RunTask};
use westwood_experiment::store::{RunStore, StoreKey};
use westwood_experiment::world::WorldError;

use crate::metric::{MetricOutcome, Query, measure};
use crate::plan::ExperimentGrid;

/// A finished run: its summaries and the values computed from its time series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredRun {
    point: usize,
    seed: u64,
    error: Option<String>,
    /// The place and time of its measurement, if they matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    wall_s: f64,
    warmup_s: f64,
    measured_link: String,
    record: RunRecord,
    values: Vec<(String, MetricOutcome)>,
}

impl StoredRun {
    /// A run that was simulated, with the values of the queries.
    pub(crate) fn new(
        grid: &ExperimentGrid,
        task: RunTask,
        result: &Result<RunResult, WorldError>,
    ) -> Self {
        match result {
            Ok(finished) => Self {
                point: task.point,
                seed: task.seed,
                error: None,
                note: None,
                wall_s: finished.wall_s,
                warmup_s: finished.warmup_s,
                measured_link: finished.measured_link.clone(),
                record: finished.record.clone(),
                values: values(grid.queries_of(task.point).cloned().collect(), finished),
            },
            Err(error) => Self {
                point: task.point,
                seed: task.seed,
                error: Some(error.to_string()),
                note: None,
                wall_s: 0.0,
                warmup_s: 0.0,
                measured_link: String::new(),
                record: RunRecord {
                    point: task.point,
                    seed: task.seed,
                    error: Some(error.to_string()),
                    summary: None,
                    groups: Vec::new(),
                    links: Vec::new(),
                },
                values: Vec::new(),
            },
        }
    }

    /// The same run, with where and when it was measured.
    pub(crate) fn noted(self, note: Option<String>) -> Self {
        Self { note, ..self }
    }

    /// The place and time of its measurement.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The run.
    pub(crate) fn task(&self) -> RunTask {
        RunTask { point: self.point, seed: self.seed }
    }

    /// The reason of its failure.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The value of a query for it; none if the run's series would be needed again.
    pub(crate) fn value(&self, key: &str) -> Option<&MetricOutcome> {
        self.values.iter().find(|(k, _)| k == key).map(|(_, outcome)| outcome)
    }

    /// Computes queries that are new and need no more than the summaries; true if nothing is then
    /// missing.
    fn complete(&mut self, grid: &ExperimentGrid, first_seed: u64) -> bool {
        if self.error.is_some() {
            return false;
        }
        let finished = RunResult {
            record: self.record.clone().restored(),
            wall_s: 0.0,
            events: 0,
            series: Vec::new(),
            flows: Vec::new(),
            links: Vec::new(),
            measured_link: self.measured_link.clone(),
            warmup_s: self.warmup_s,
        };
        // A run without round-trip times does not say that there were none.
        let has_delays = self.record.groups.iter().any(|group| group.rtt_ms.is_some());
        let told =
            |query: &&Query| query.series().is_empty() && (has_delays || !query.needs_delays());
        let is_new = |query: &&Query| self.value(&query.key).is_none();
        let new = grid.queries_of(self.point).filter(told).filter(is_new).cloned().collect();
        self.values.extend(values(new, &finished));
        grid.queries_of(self.point)
            .filter(|query| self.seed == first_seed || !query.is_series())
            .all(|query| self.value(&query.key).is_some())
    }
}

/// The queries' keys with their outcomes.
fn values(queries: Vec<Query>, finished: &RunResult) -> Vec<(String, MetricOutcome)> {
    let outcomes = measure(&queries, finished);
    queries.into_iter().map(|query| query.key).zip(outcomes).collect()
}

impl ExperimentGrid {
    /// The name of its file in a store.
    fn stored_name(&self) -> String {
        format!("{}-{}", self.paper, self.name)
    }
}

/// The finished runs of an experiment that still answer everything; one without an answer counts as a run
/// that was not done.
pub(crate) fn read(store: &RunStore, grid: &ExperimentGrid) -> Vec<StoredRun> {
    let first = grid.scenario.seeds().first().copied().unwrap_or(0);
    let name = grid.stored_name();
    let mut lines: Vec<StoredRun> = Vec::new();
    for mut line in store.read::<StoredRun>(StoreKey { name: &name, identity: &grid.identity }) {
        if line.complete(grid, first) {
            lines.retain(|other| other.task() != line.task());
            lines.push(line);
        }
    }
    lines
}

/// Keeps a finished run.
pub(crate) fn append(store: &RunStore, grid: &ExperimentGrid, line: &StoredRun) -> io::Result<()> {
    let name = grid.stored_name();
    store.append(StoreKey { name: &name, identity: &grid.identity }, line)
}
