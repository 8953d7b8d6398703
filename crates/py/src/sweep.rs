//! Parts of a grid: runs that any process can do by themselves, and their tables as Parquet.
//!
//! A unit is a setting of the grid with one seed: its controllers and its baselines, so that the harm to
//! competing flows, which compares these, is found within the unit. A part is some units that follow each
//! other. Its files are named after its units and appear whole, those of `runs` last: a part whose `runs`
//! are there is done.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use westwood_experiment::ack_cost::AckCosts;
use westwood_experiment::plan::ExperimentPlan;
use westwood_experiment::run::{GridProgress, GridReport, RunTask, each, run_one, tasks};
use westwood_experiment::world::Simulator;
use westwood_report::tables;

use crate::work::{Watch, Workers, watched, watched_grid};

/// The units of a plan, in the order of the grid.
#[derive(Debug)]
pub(crate) struct GridUnits {
    units: Vec<GridUnit>,
    /// Measured once in each process, where the plan asks for it.
    ack_costs: OnceLock<AckCosts>,
}

#[derive(Debug)]
struct GridUnit {
    runs: Vec<RunTask>,
    /// Packets of its runs, by estimate.
    packets: u64,
}

/// The files of a part: the table's name and its rows.
type PartFiles = Vec<(&'static str, Vec<u8>)>;

impl GridUnits {
    pub(crate) fn of(plan: &ExperimentPlan) -> Self {
        let mut units: BTreeMap<((usize, usize), u64), GridUnit> = BTreeMap::new();
        for task in plan.runs() {
            let Some(point) = plan.scenario.point(task.point) else { continue };
            let unit = units.entry((point.setting(), task.seed));
            let unit = unit.or_insert_with(|| GridUnit { runs: Vec::new(), packets: 0 });
            unit.runs.push(task);
            let packets = u64::try_from(point.estimate.packets).unwrap_or(u64::MAX);
            unit.packets = unit.packets.saturating_add(packets);
        }
        Self { units: units.into_values().collect(), ack_costs: OnceLock::new() }
    }

    /// Runs and packets of each unit.
    pub(crate) fn sizes(&self) -> Vec<(usize, u64)> {
        self.units.iter().map(|unit| (unit.runs.len(), unit.packets)).collect()
    }

    fn runs(&self, part: &Range<usize>) -> impl Iterator<Item = RunTask> {
        self.units
            .get(part.clone())
            .into_iter()
            .flatten()
            .flat_map(|unit| unit.runs.iter().copied())
    }
}

/// Does the runs of a part one after the other; none if they were cancelled.
fn files_of(
    plan: &ExperimentPlan,
    units: &GridUnits,
    part: &Range<usize>,
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Option<io::Result<PartFiles>> {
    let scenario = &plan.scenario;
    let ack_costs = units.ack_costs.get_or_init(|| AckCosts::measured(scenario, &tasks(scenario)));
    let mut records = Vec::new();
    let before = AtomicU64::new(0);
    for task in units.runs(part) {
        let mut record = run_one(&Simulator, scenario, (task, None), cancel, &before)?.record();
        ack_costs.add_to(scenario, &mut record);
        records.push(record);
        done.fetch_add(scenario.time().as_nanos(), Ordering::Relaxed);
    }
    let version = env!("CARGO_PKG_VERSION");
    let (report, numbers) = GridReport::of_part(scenario, version, &Simulator, records);
    let file = |frame: &westwood_report::data_frame::DataFrame| {
        frame.parquet().map(|bytes| (frame.name, bytes)).map_err(io::Error::other)
    };
    Some(tables::summaries_of_part(&report, &numbers).iter().map(file).collect())
}

/// Writes the files of a part, each whole or not at all, `runs` last.
fn write_part(folder: &Path, part: &Range<usize>, files: &PartFiles) -> io::Result<()> {
    let (last, others): (Vec<_>, Vec<_>) = files.iter().partition(|(table, _)| *table == "runs");
    for (table, bytes) in others.into_iter().chain(last) {
        let place = folder.join(table);
        fs::create_dir_all(&place)?;
        let name = format!("{:08}-{:08}.parquet", part.start, part.end);
        let draft = place.join(format!(".{name}.part"));
        fs::write(&draft, bytes)?;
        fs::rename(&draft, place.join(name))?;
    }
    Ok(())
}

/// Does the runs of one part one after the other, without the interpreter's lock where no controller is
/// Python's, and heeds Ctrl-C.
pub(crate) fn run_part<'py>(
    py: Python<'py>,
    plan: &ExperimentPlan,
    units: &GridUnits,
    part: Range<usize>,
) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
    let cancel = AtomicBool::new(false);
    let watch = Watch { cancel: &cancel, position: &|| (0.0, 0.0) };
    let workers = Workers::of_grid(&plan.scenario, Some(1));
    let files = watched(py, workers, &watch, None, || {
        files_of(plan, units, &part, &cancel, &AtomicU64::new(0))
    })?;
    let files = files.ok_or_else(|| PyKeyboardInterrupt::new_err("interrupted"))?;
    let files = files.map_err(|e| PyOSError::new_err(e.to_string()))?;
    Ok(files.into_iter().map(|(table, bytes)| (table, PyBytes::new(py, &bytes))).collect())
}

/// Does parts in threads of this process, and writes each as it is done.
pub(crate) fn run_parts(
    py: Python<'_>,
    plan: &ExperimentPlan,
    units: &GridUnits,
    (parts, folder, jobs): (Vec<(usize, usize)>, PathBuf, Option<usize>),
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let parts: Vec<Range<usize>> = parts.into_iter().map(|(from, to)| from..to).collect();
    let runs = parts.iter().map(|part| units.runs(part).count()).sum();
    let watch = GridProgress::new(&plan.scenario, runs);
    let workers = Workers::of_grid(&plan.scenario, jobs);
    let jobs = workers.count().min(plan.scenario.at_a_time());
    let all = watched_grid(py, workers, &watch, progress, || {
        each(&parts, jobs, |number, part| {
            let uncounted = AtomicU64::new(0);
            let done = watch.run(number).unwrap_or(&uncounted);
            let Some(files) = files_of(plan, units, part, &watch.cancel, done) else {
                return Ok(false);
            };
            write_part(&folder, part, &files?).map(|()| true)
        })
    })?;
    match all {
        Ok(true) => Ok(()),
        Ok(false) => Err(PyKeyboardInterrupt::new_err("interrupted")),
        Err(error) => Err(PyOSError::new_err(format!("'{}' {error}", folder.display()))),
    }
}

/// Writes the files of a part that another process has done.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
pub(crate) fn keep_part(
    folder: PathBuf,
    part: (usize, usize),
    files: Vec<(String, Vec<u8>)>,
) -> PyResult<()> {
    let known = ["runs", "groups", "flows", "links"];
    let name = |table: &str| known.into_iter().find(|name| *name == table);
    let files =
        files.into_iter().filter_map(|(table, bytes)| Some((name(&table)?, bytes))).collect();
    write_part(&folder, &(part.0..part.1), &files)
        .map_err(|e| PyOSError::new_err(format!("'{}' {e}", folder.display())))
}
