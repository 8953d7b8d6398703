//! Results: the document, tables, and time series, which are recorded when they are asked for.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use westwood_experiment::execution::ExperimentOutcome;
use westwood_experiment::judgement::JudgementRules;
use westwood_experiment::plan::ExperimentPlan;
use westwood_experiment::run::{
    CompletedRun, Curves, Detail, GridProgress, RunBatch, RunTask, drawn, run, tasks,
};
use westwood_report::experiment::{self, ReportDetails};
use westwood_report::grid::{self, ReportContext};
use westwood_report::{Style, html, json, tables};
use westwood_scenario::file::{RecordedSeries, SeriesKind};

use crate::error::checked;
use crate::table::ArrowTable;
use crate::work::{Workers, watched_grid};

/// The results of an experiment.
///
/// Runs repeat to the bit, so that nothing is recorded of them until it is looked at: curves and time
/// series come from simulating the runs that have them once more.
#[pyclass(frozen, name = "Outcome", module = "westwood._native")]
pub(crate) struct NativeOutcome {
    plan: Arc<ExperimentPlan>,
    outcome: ExperimentOutcome,
    rules: JudgementRules,
    curves: Mutex<Option<Vec<Curves>>>,
}

/// A run without results: the point's name, the seed, the reason.
type FailedRun = (String, u64, String);

impl NativeOutcome {
    pub(crate) fn new(
        plan: Arc<ExperimentPlan>,
        outcome: ExperimentOutcome,
        rules: JudgementRules,
    ) -> Self {
        Self { plan, outcome, rules, curves: Mutex::new(None) }
    }

    /// The curves of the runs that stand for the others.
    fn drawn(
        &self,
        py: Python<'_>,
        jobs: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Curves>> {
        let known = self.curves.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(curves) = known {
            return Ok(curves);
        }
        let runs = drawn(&self.plan.scenario, Detail::Curves).len();
        let watch = GridProgress::new(&self.plan.scenario, runs);
        let workers = Workers::of_grid(&self.plan.scenario, jobs);
        let again = || self.outcome.drawn_again(&self.plan, |_| true, workers.count(), &watch);
        let curves =
            watched_grid(py, workers, &watch, progress, again)?.map_err(PyRuntimeError::new_err)?;
        let curves = curves.ok_or_else(|| PyKeyboardInterrupt::new_err("interrupted"))?;
        *self.curves.lock().unwrap_or_else(PoisonError::into_inner) = Some(curves.clone());
        Ok(curves)
    }
}

#[pymethods]
impl NativeOutcome {
    /// The schema `westwood.compare/1` or `westwood.run/1`, as the command's `--json` writes it.
    fn json(&self) -> PyResult<String> {
        let text = json::experiment(&self.plan, &self.outcome);
        text.map_err(|e| PyRuntimeError::new_err(e.to_string()))
    }

    /// The results as the command prints them, `width` columns wide.
    fn text(&self, width: usize) -> String {
        let (report, curves) = (&self.outcome.report, &self.outcome.curves);
        let words = self.plan.words(report);
        let rules = self.rules;
        let shown = ReportContext {
            words: words.as_ref(),
            curves,
            rules,
            warnings: &report.warnings,
            is_part: false,
        };
        grid::render(report, &shown, Style { width, colour: false })
    }

    /// The warnings about the results, in sentences.
    fn warnings(&self) -> Vec<String> {
        self.outcome.report.warnings.clone()
    }

    /// The report as one page; `command` repeats it.
    #[pyo3(signature = (*, command, jobs, progress=None))]
    fn html(
        &self,
        py: Python<'_>,
        command: String,
        jobs: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let curves = self.drawn(py, jobs, progress)?;
        let report = &self.outcome.report;
        Ok(py.detach(|| {
            let about = ReportDetails {
                command,
                rules: self.rules,
                curves,
                ..ReportDetails::of(&self.plan, report)
            };
            html::render(&experiment::document(report, about))
        }))
    }

    /// The runs that have no results.
    fn failed(&self) -> Vec<FailedRun> {
        let report = &self.outcome.report;
        let failed = report.all_runs().filter_map(|run| {
            let name = report.point(run.point).map_or("", |point| point.name.as_str());
            Some((name.to_owned(), run.seed, run.error.clone()?))
        });
        failed.collect()
    }

    /// The tables of summaries: `runs`, `groups`, `flows` and `links`.
    fn summaries(&self) -> PyResult<Vec<ArrowTable>> {
        tables::summaries(&self.outcome.report).iter().map(ArrowTable::of).collect()
    }

    /// The time series of these kinds, recorded with the first seed or with every one: those tables that
    /// have rows.
    #[pyo3(signature = (kinds, *, every_seed, jobs, progress=None))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
    fn series(
        &self,
        py: Python<'_>,
        kinds: Vec<String>,
        every_seed: bool,
        jobs: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<ArrowTable>> {
        let kinds = kinds.iter().map(|name| checked(py, SeriesKind::parse(name), "kind"));
        let kinds = kinds.collect::<PyResult<Vec<_>>>()?;
        let seeds = if every_seed { RecordedSeries::All } else { RecordedSeries::First };
        let scenario = self.plan.scenario.recording(&kinds, seeds);
        let first = scenario.seeds().first().copied();
        let recorded = |task: &RunTask| every_seed || Some(task.seed) == first;
        let tasks: Vec<RunTask> = tasks(&scenario).into_iter().filter(recorded).collect();
        let watch = GridProgress::new(&scenario, tasks.len());
        let workers = Workers::of_grid(&scenario, jobs);
        let found = watched_grid(py, workers, &watch, progress, || {
            let mut found = Vec::new();
            let jobs = workers.count().min(scenario.at_a_time());
            let runs = RunBatch::simulated(&scenario, &tasks, jobs);
            let all = run::<()>(runs, &watch, |done: CompletedRun| {
                if let Ok(finished) = &done.result {
                    found.push((
                        done.task.point as u64 + 1,
                        done.task.seed,
                        tables::series(finished),
                    ));
                }
                Ok(())
            });
            (all == Ok(true)).then(|| tables::joined(&self.outcome.report, &found))
        })?;
        let found = found.ok_or_else(|| PyKeyboardInterrupt::new_err("interrupted"))?;
        found.iter().map(ArrowTable::of).collect()
    }
}
