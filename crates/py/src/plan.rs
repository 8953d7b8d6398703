//! Plans: what keywords, a text or a file mean, checked whole.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use westwood_experiment::execution::Execution;
use westwood_experiment::judgement::{JudgementRules, Practical};
use westwood_experiment::plan::{BadPlan, ExperimentPlan, ScenarioSource, read};
use westwood_experiment::run::GridProgress;
use westwood_experiment::world::Simulator;
use westwood_scenario::file::{Assignment, FlagValue, flags};
use westwood_scenario::{BadInput, library};

use crate::error::{bad_scenario, checked};
use crate::outcome::NativeOutcome;
use crate::sweep::{self, GridUnits};
use crate::work::{Workers, watched_grid};

/// An experiment that can be run.
#[pyclass(frozen, name = "Plan", module = "westwood._native")]
pub(crate) struct NativePlan {
    plan: Arc<ExperimentPlan>,
    units: OnceLock<GridUnits>,
}

/// A point of a grid: name, settings by path, variant, controller.
type PointParts = (String, Vec<(String, String)>, Option<String>, Option<String>);

/// A setting: keyword, heading, meaning, form of its value, default.
type SettingParts = (String, String, String, String, String);

#[pymethods]
impl NativePlan {
    /// The comparison that keywords say.
    #[staticmethod]
    fn of_settings(py: Python<'_>, settings: Vec<(String, String)>) -> PyResult<Self> {
        let keywords: Vec<String> = flags().iter().map(|flag| as_keyword(&flag.name)).collect();
        for (name, _) in settings.iter().filter(|(name, _)| !keywords.contains(name)) {
            let names = keywords.iter().map(String::as_str);
            let of = BadInput::unknown_among("keyword", name, names, "help(westwood.compare)");
            checked::<()>(py, Err(of), name)?;
        }
        let flag =
            |(name, value): (String, String)| FlagValue { flag: name.replace('_', "-"), value };
        let words: Vec<FlagValue> = settings.into_iter().map(flag).collect();
        Self::made(py, ExperimentPlan::of_flags(&words, &[], &read))
    }

    /// The experiment of a scenario's text with assignments. A file that it names is one of `files`, with
    /// their texts, or is beside it in `folder`, or is one of the ready scenarios'.
    #[staticmethod]
    #[pyo3(signature = (file, text, set, *, folder=None, files=Vec::new()))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
    fn of_text(
        py: Python<'_>,
        file: &str,
        text: &str,
        set: Vec<String>,
        folder: Option<PathBuf>,
        files: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let set = assignments(py, &set)?;
        let beside = |name: &Path| {
            let given = files.iter().find(|(known, _)| Path::new(known) == name);
            match (given, &folder) {
                (Some((_, text)), _) => Ok(text.clone()),
                (None, Some(folder)) => read(&folder.join(name)),
                (None, None) => library::read(name).or_else(|_| read(name)),
            }
        };
        Self::made(py, ExperimentPlan::of_text(file, text, &set, &beside))
    }

    /// The experiment in a file, or the ready one of this name, with assignments.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
    fn of_file(py: Python<'_>, file: PathBuf, set: Vec<String>) -> PyResult<Self> {
        let set = assignments(py, &set)?;
        Self::made(py, ExperimentPlan::of_file(&file, &set))
    }

    #[getter]
    fn name(&self) -> &str {
        self.plan.scenario.name()
    }

    #[getter]
    fn text(&self) -> &str {
        &self.plan.text
    }

    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.plan.scenario.seeds()
    }

    #[getter]
    fn axes(&self) -> Vec<String> {
        self.plan.scenario.axes().map(str::to_owned).collect()
    }

    #[getter]
    fn points(&self) -> Vec<PointParts> {
        let parts = self.plan.scenario.points().iter().map(|point| {
            let settings = point.settings.iter().map(|s| (s.path.clone(), s.value.clone()));
            let cc = point.cc.map(|cc| cc.to_string());
            (point.name(), settings.collect(), point.variant.clone(), cc)
        });
        parts.collect()
    }

    /// The files that the text names, with their texts.
    #[getter]
    fn files(&self) -> Vec<(String, String)> {
        self.plan.files.clone()
    }

    /// Runs and estimated packets of each unit of the grid.
    fn unit_sizes(&self) -> Vec<(usize, u64)> {
        self.units().sizes()
    }

    /// The tables of the units `first` to `end` as Parquet, simulated in this thread.
    fn run_part<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        end: usize,
    ) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
        sweep::run_part(py, &self.plan, self.units(), first..end)
    }

    /// Simulates parts in threads of this process, and writes their tables to a folder.
    #[pyo3(signature = (parts, folder, *, jobs, progress=None))]
    fn run_parts(
        &self,
        py: Python<'_>,
        parts: Vec<(usize, usize)>,
        folder: PathBuf,
        jobs: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        sweep::run_parts(py, &self.plan, self.units(), (parts, folder, jobs), progress)
    }

    /// Simulates the runs, `jobs` at a time, without the interpreter's lock.
    #[pyo3(signature = (*, jobs, prefer, practical, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        jobs: Option<usize>,
        prefer: &str,
        practical: &str,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<NativeOutcome> {
        let rules = JudgementRules {
            practical: checked(py, Practical::parse(practical), "practical")?,
            preference: checked(py, prefer.parse(), "prefer")?,
        };
        let tasks = self.plan.runs();
        let watch = GridProgress::new(&self.plan.scenario, tasks.len());
        let workers = Workers::of_grid(&self.plan.scenario, jobs);
        let outcome = watched_grid(py, workers, &watch, progress, || {
            let mut execution =
                Execution::new(&self.plan, &[&Simulator], (workers.count(), None), Vec::new());
            let all = execution.run_in::<()>(0, tasks, &watch, |_| Ok(()));
            (all, execution.outcome(rules))
        })?;
        match outcome {
            (Ok(true), outcome) => Ok(NativeOutcome::new(Arc::clone(&self.plan), outcome, rules)),
            _ => Err(pyo3::exceptions::PyKeyboardInterrupt::new_err("interrupted")),
        }
    }
}

impl NativePlan {
    /// The scenario.
    pub(crate) fn scenario(&self) -> &westwood_scenario::file::Scenario {
        &self.plan.scenario
    }

    fn units(&self) -> &GridUnits {
        self.units.get_or_init(|| GridUnits::of(&self.plan))
    }

    fn made(py: Python<'_>, plan: Result<ExperimentPlan, BadPlan>) -> PyResult<Self> {
        let plan = plan.map_err(|error| bad_scenario(py, &error))?;
        Ok(Self { plan: Arc::new(plan), units: OnceLock::new() })
    }
}

fn assignments(py: Python<'_>, set: &[String]) -> PyResult<Vec<Assignment>> {
    let each = set.iter().map(|text| checked(py, Assignment::parse(text), "set"));
    each.collect()
}

/// `return_rate` for `return-rate`.
fn as_keyword(flag: &str) -> String {
    flag.replace('-', "_")
}

/// Every setting of a comparison, as the tables of scenario files declare them.
#[pyfunction]
pub(crate) fn settings() -> Vec<SettingParts> {
    let parts = flags().into_iter().map(|flag| {
        let keyword = as_keyword(&flag.name);
        (keyword, flag.heading.to_owned(), flag.about, flag.value, flag.absent)
    });
    parts.collect()
}

/// The scenario in a file, or the ready one of this name: its name, its text, and the folder of the files
/// that it names.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
pub(crate) fn read_scenario(
    py: Python<'_>,
    file: PathBuf,
) -> PyResult<(String, String, Option<PathBuf>)> {
    let source = ScenarioSource::at(&file);
    let source = source.map_err(|error| bad_scenario(py, &BadPlan::File(error)))?;
    Ok((source.name, source.text, source.folder))
}
