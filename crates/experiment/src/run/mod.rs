//! Runs of a scenario: every point of its grid with every seed, in parallel.

mod conduct;
mod curves;
mod parallel;
mod progress;
mod queue;
mod randomness;
mod record;
mod report;
mod sequence;
mod series;
mod stepped;
mod summary;
mod tapped;
mod task;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use westwood_sim::Control;

use crate::world::{Simulator, World, WorldError, WorldOutcome, transfers};
pub use randomness::is_exact;
pub(crate) use randomness::is_random;
use report::name_in;
use summary::summarize;
use westwood_scenario::counted;
use westwood_scenario::file::{Built, GridPoint, Scenario};

pub use curves::{CurveContext, Curves, DrawnRun, curves, drawn};
pub use parallel::each;
pub use progress::GridProgress;
pub use queue::{QueueStopped, RunQueue};
pub use record::{
    Baseline, FrameRecord, GridReport, GroupFlow, GroupRecord, LinkRecord, PointRecord, RunRecord,
    RunResult, SCHEMA, Transfers,
};
pub use report::Setting;
pub use sequence::{SentSegment, TimeSequence};
pub use series::{Detail, RunSeries, WindowPoint};
pub use stepped::{PointNetwork, SteppedRun};
pub use tapped::{TapFactory, tapped};
pub use task::{RunTask, baseline_tasks, tasks};
pub use westwood_sim::{Notes, Point as SeriesValue};

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletedRun {
    /// The run.
    pub task: RunTask,
    /// Its results, or why there are none.
    pub result: Result<RunResult, WorldError>,
    /// Its curves, if it was to be drawn as it ran.
    pub curves: Option<Curves>,
}

impl CompletedRun {
    /// The same as a run of a world whose points stand behind so many of others.
    pub fn behind(mut self, points: usize) -> Self {
        self.task.point += points;
        if let Ok(finished) = &mut self.result {
            finished.record.point += points;
        }
        if let Some(curves) = &mut self.curves {
            curves.task.point += points;
        }
        self
    }

    /// The run's summaries; a failed run has its error.
    pub fn record(&self) -> RunRecord {
        match &self.result {
            Ok(finished) => finished.record.clone(),
            Err(error) => RunRecord {
                point: self.task.point,
                seed: self.task.seed,
                error: Some(error.to_string()),
                summary: None,
                groups: Vec::new(),
                links: Vec::new(),
            },
        }
    }
}

/// The failed runs of several, each in words: how many, and the first one. None where none failed.
pub fn failed(runs: &[String]) -> Option<String> {
    let first = runs.first()?;
    Some(format!("{} failed, the first one: {first}", counted(runs.len() as u64, "run")))
}

/// Runs of a scenario that are to be done.
#[derive(Clone, Copy)]
pub struct RunBatch<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Their world.
    pub world: &'a dyn World,
    /// The runs.
    pub tasks: &'a [RunTask],
    /// Those of them whose [`Curves`] are recorded as they run.
    pub drawn: &'a [DrawnRun],
    /// The number of runs at a time.
    pub jobs: usize,
}

impl<'a> RunBatch<'a> {
    /// These runs in the simulator, one for each processor that `jobs` names, none of them drawn.
    pub fn simulated(scenario: &'a Scenario, tasks: &'a [RunTask], jobs: usize) -> Self {
        Self { scenario, world: &Simulator, tasks, drawn: &[], jobs }
    }
}

/// Does these runs. Each is handed to `take` once it and all runs before it are done, so that the
/// output has one order, however many threads there are; an error from `take` ends everything. A
/// run that fails is handed on like any other. Finished runs are handed on even where the work is
/// cancelled.
///
/// True if all were done, false if the work was cancelled.
pub fn run<E: Send>(
    runs: RunBatch<'_>,
    watch: &GridProgress,
    mut take: impl FnMut(CompletedRun) -> Result<(), E> + Send,
) -> Result<bool, E> {
    let waiting = Mutex::new(ReorderBuffer { first: 0, done: BTreeMap::new(), take: &mut take });
    let all = each(runs.tasks, runs.world.at_a_time(runs.jobs), |i, &task| {
        if watch.cancel.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let drawn = runs.drawn.iter().find(|one| one.task == task);
        let draw = drawn.map(|one| one.detail);
        let at = (task, draw);
        let (cancel, progress) = (&watch.cancel, &watch.done[i]);
        let Some(done) = run_one(runs.world, runs.scenario, at, cancel, progress) else {
            return Ok(false);
        };
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.done.insert(i, done);
        waiting.flush_in_order().map(|()| true)
    })?;
    let waiting = waiting.into_inner().unwrap_or_else(PoisonError::into_inner);
    waiting.done.into_values().try_for_each(take)?;
    Ok(all)
}

impl GridReport {
    /// The report of all runs of the scenario in the simulator, so many of them at a time.
    pub fn simulated(scenario: &Scenario, version: &str, jobs: usize) -> Self {
        let tasks = tasks(scenario);
        let mut runs = Vec::new();
        let take = |done: CompletedRun| {
            runs.push(done.record());
            Ok::<(), Infallible>(())
        };
        let watch = GridProgress::new(scenario, tasks.len());
        // Nothing cancels them.
        let Ok(_) = run(RunBatch::simulated(scenario, &tasks, jobs), &watch, take);
        Self::new(scenario, version, &[&Simulator], runs)
    }
}

/// Runs that are done before others that come first.
struct ReorderBuffer<'a, E> {
    /// The first run that has not been handed on.
    first: usize,
    done: BTreeMap<usize, CompletedRun>,
    take: &'a mut (dyn FnMut(CompletedRun) -> Result<(), E> + Send),
}

impl<E> ReorderBuffer<'_, E> {
    fn flush_in_order(&mut self) -> Result<(), E> {
        while let Some(done) = self.done.remove(&self.first) {
            self.first += 1;
            (self.take)(done)?;
        }
        Ok(())
    }
}

/// Does one run, and draws it as closely as asked; none if `cancel` was set meanwhile. `done`
/// follows it in nanoseconds of the network's time.
pub fn run_one(
    world: &dyn World,
    scenario: &Scenario,
    (task, draw): (RunTask, Option<Detail>),
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Option<CompletedRun> {
    let control = Control { cancel: Some(cancel), progress: Some(done), ..Control::default() };
    let (result, curves) = match finished(world, scenario, (task, draw), control) {
        Err(WorldError::Cancelled) => return None,
        Err(error) => (Err(error), None),
        Ok((finished, curves)) => (Ok(finished), curves),
    };
    done.store(scenario.time().as_nanos(), Ordering::Relaxed);
    Some(CompletedRun { task, result, curves })
}

fn finished(
    world: &dyn World,
    scenario: &Scenario,
    (task, draw): (RunTask, Option<Detail>),
    control: Control<'_>,
) -> Result<(RunResult, Option<Curves>), WorldError> {
    let (point, mut built) = built(scenario, task)?;
    let transfers = transfers(&built);
    let asked = built.network.probes;
    if let Some(detail) = draw {
        built.network.probes = asked.and(curves::probes(detail, point, &built));
    }
    let mut ran = world.run(task, &mut built.network, transfers, control)?;
    let mut curves =
        draw.map(|detail| curves::curves_of(point, DrawnRun { task, detail }, &built, &ran));
    if let Some(curves) = &mut curves {
        curves.series.cc = name_in(world, point);
        if draw == Some(Detail::Curves) && world.repeats() {
            curves.sequence = sequence::around_first_loss(&built, &curves.series);
        }
    }
    if draw.is_some() {
        ran.outcome.records.retain(|record| asked.records(&record.what));
    }
    Ok((results(world, scenario, (point, task), &built, ran), curves))
}

/// The point of a run, and its network.
fn built(scenario: &Scenario, task: RunTask) -> Result<(&GridPoint, Built), WorldError> {
    let point = point(scenario, task)?;
    let built = scenario.build(point, task.seed);
    Ok((point, built.map_err(|error| WorldError::Failed(error.lines().join("; ")))?))
}

/// The point of a run.
fn point(scenario: &Scenario, task: RunTask) -> Result<&GridPoint, WorldError> {
    let point = scenario.point(task.point);
    point.ok_or_else(|| WorldError::Failed(format!("there is no point {}", task.point)))
}

/// The results of a run in a world.
fn results(
    world: &dyn World,
    scenario: &Scenario,
    (point, task): (&GridPoint, RunTask),
    built: &Built,
    ran: WorldOutcome,
) -> RunResult {
    let mut finished = summarize(point, task.seed, built, ran);
    if let Some(summary) = &mut finished.record.summary {
        summary.cc = name_in(world, point);
        summary.exact = world.repeats() && !is_random(scenario, point, built);
    }
    if let Some(recovery) = world.recovery() {
        finished.record.set_recovery(recovery);
    }
    finished
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_runs_are_counted_and_the_first_is_told() {
        let all = ["a, seed 1: no memory", "a, seed 2: no memory"].map(str::to_owned);
        let told = |n: usize| failed(&all[..n]);
        assert_eq!(told(0), None);
        assert_eq!(told(1).as_deref(), Some("1 run failed, the first one: a, seed 1: no memory"));
        assert_eq!(told(2).as_deref(), Some("2 runs failed, the first one: a, seed 1: no memory"));
    }
}
