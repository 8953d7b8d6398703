//! Runs of a scenario: every point of its grid with every seed, in parallel.

mod curves;
mod record;
mod summary;
mod watched;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use westwood_cc::Duration;
use westwood_sim::{Control, SimError};

use crate::file::{Built, Point, Scenario, is_transfers};
use crate::world::{Ran, Simulator, World, WorldError, simulate};
use summary::summarize;

pub use curves::{Curves, Scene, curves, drawn};
pub use record::{
    Finished, Group, GroupFlow, LinkRecord, PointRecord, Report, RunRecord, SCHEMA, Transfers,
};
pub use watched::{Watched, watched};
pub use westwood_sim::Point as SeriesValue;

/// A run to be done: a point of the grid and a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// The place of the point in the grid, from 0.
    pub point: usize,
    /// The seed.
    pub seed: u64,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// Which run.
    pub task: Task,
    /// Its results, or why there are none.
    pub result: Result<Finished, String>,
    /// What a drawing shows of it, if it was to be drawn as it ran.
    pub curves: Option<Curves>,
}

impl Done {
    /// The run's summaries; what a failed run has is its error.
    pub fn record(&self) -> RunRecord {
        match &self.result {
            Ok(finished) => finished.record.clone(),
            Err(error) => RunRecord {
                point: self.task.point,
                seed: self.task.seed,
                error: Some(error.clone()),
                summary: None,
                groups: Vec::new(),
                links: Vec::new(),
            },
        }
    }
}

impl Report {
    /// The report of these runs, in the order of points and seeds.
    pub fn new(scenario: &Scenario, version: &str, mut runs: Vec<RunRecord>) -> Self {
        runs.sort_by_key(|run| (run.point, run.seed));
        let point = |point: &Point| PointRecord {
            name: point.name(),
            settings: point.settings.iter().map(|setting| setting.value.clone()).collect(),
            variant: point.variant.clone(),
            cc: point.cc.map(|cc| cc.to_string()),
        };
        Self {
            schema: SCHEMA.to_owned(),
            version: version.to_owned(),
            name: scenario.name().to_owned(),
            about: scenario.about().map(str::to_owned),
            axes: scenario.axes().map(str::to_owned).collect(),
            seeds: scenario.seeds(),
            points: scenario.points().iter().map(point).collect(),
            runs,
        }
    }
}

/// All runs of a scenario, point by point and within a point seed by seed.
pub fn tasks(scenario: &Scenario) -> Vec<Task> {
    let seeds = scenario.seeds();
    let points = 0..scenario.points().len();
    points.flat_map(|point| seeds.iter().map(move |&seed| Task { point, seed })).collect()
}

/// Where a grid stands, seen from another thread, and the way to end it.
#[derive(Debug)]
pub struct Watch {
    /// Set it to end the runs: those in flight are given up, no more are begun.
    pub cancel: AtomicBool,
    /// Simulated nanoseconds of each run.
    done: Vec<AtomicU64>,
    total_ns: u64,
}

impl Watch {
    /// Nothing done yet of so many runs.
    pub fn new(scenario: &Scenario, runs: usize) -> Self {
        let total = scenario.time().as_nanos().saturating_mul(runs as u64);
        Self {
            cancel: AtomicBool::new(false),
            done: (0..runs).map(|_| AtomicU64::new(0)).collect(),
            total_ns: total.max(1),
        }
    }

    /// Simulated time of all runs together.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.done.iter().map(|ns| ns.load(Ordering::Relaxed)).sum())
    }

    /// What will have been simulated in the end.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.total_ns)
    }
}

/// Simulates these runs, `jobs` at a time. Each is handed to `take` as soon as it is done, in no
/// order; an error from there ends everything. A run that fails is handed on like any other.
///
/// True if all were done, false if somebody cancelled.
pub fn run<E: Send>(
    scenario: &Scenario,
    tasks: &[Task],
    jobs: usize,
    watch: &Watch,
    take: impl FnMut(Done) -> Result<(), E> + Send,
) -> Result<bool, E> {
    run_in(&Simulator, scenario, (tasks, &[]), jobs, watch, take)
}

/// The same in any world; runs to be `drawn` have their [`Curves`] recorded as they run, for worlds in
/// which nothing happens twice.
pub fn run_in<E: Send>(
    world: &dyn World,
    scenario: &Scenario,
    (tasks, drawn): (&[Task], &[Task]),
    jobs: usize,
    watch: &Watch,
    take: impl FnMut(Done) -> Result<(), E> + Send,
) -> Result<bool, E> {
    let take = Mutex::new(take);
    each(tasks, world.at_a_time(jobs), |i, task| {
        if watch.cancel.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let at = (task, drawn.contains(&task));
        let Some(done) = run_one_in(world, scenario, at, &watch.cancel, &watch.done[i]) else {
            return Ok(false);
        };
        let mut take = take.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        take(done).map(|()| true)
    })
}

/// Does something for each task, `jobs` at a time; true if it was done for all.
fn each<E: Send>(
    tasks: &[Task],
    jobs: usize,
    one: impl Fn(usize, Task) -> Result<bool, E> + Sync + Send,
) -> Result<bool, E> {
    let both = |a: bool, b: bool| Ok(a && b);
    let one = |(i, task): (usize, &Task)| one(i, *task);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    match pool {
        Ok(pool) => pool.install(|| {
            // One after the other, so that an interrupted grid is done up to a point.
            tasks.par_iter().enumerate().with_max_len(1).map(one).try_reduce(|| true, both)
        }),
        // Without threads of its own the grid is slow, not impossible.
        Err(_) => tasks.iter().enumerate().map(one).try_fold(true, |a, b| both(a, b?)),
    }
}

/// Simulates one run; none if somebody set `cancel` meanwhile. `done` follows it in simulated
/// nanoseconds.
pub fn run_one(
    scenario: &Scenario,
    task: Task,
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Option<Done> {
    run_one_in(&Simulator, scenario, (task, false), cancel, done)
}

/// The same in any world, and drawn if so asked.
pub fn run_one_in(
    world: &dyn World,
    scenario: &Scenario,
    (task, draw): (Task, bool),
    cancel: &AtomicBool,
    done: &AtomicU64,
) -> Option<Done> {
    let control = Control { cancel: Some(cancel), progress: Some(done), ..Control::default() };
    let (result, curves) = match finished(world, scenario, (task, draw), control) {
        Err(WorldError::Cancelled) => return None,
        Err(error) => (Err(error.to_string()), None),
        Ok((finished, curves)) => (Ok(finished), curves),
    };
    done.store(scenario.time().as_nanos(), Ordering::Relaxed);
    Some(Done { task, result, curves })
}

fn finished(
    world: &dyn World,
    scenario: &Scenario,
    (task, draw): (Task, bool),
    control: Control<'_>,
) -> Result<(Finished, Option<Curves>), WorldError> {
    let failed = WorldError::Failed;
    let point = scenario.points().get(task.point);
    let point = point.ok_or_else(|| failed(format!("there is no point {}", task.point)))?;
    let built = scenario.build(point, task.seed);
    let mut built = built.map_err(|error| failed(error.lines().join("; ")))?;
    let transfers = transfers(&built);
    let asked = built.network.probes;
    if draw {
        built.network.probes = asked.and(curves::probes(point, &built));
    }
    let mut ran = world.run(task, &mut built.network, transfers, control)?;
    let curves = draw.then(|| curves::curves_of(point, task, &built, &ran));
    if draw {
        ran.outcome.records.retain(|record| asked.records(&record.what));
    }
    let mut finished = summarize(point, task.seed, &built, ran);
    if let Some(recovery) = world.recovery() {
        finished.record.set_recovery(recovery);
    }
    Ok((finished, curves))
}

/// The flows under test, if they are transfers.
fn transfers(built: &Built) -> Option<std::ops::Range<usize>> {
    let tested = built.layout.tested_flows();
    is_transfers(&built.network.flows[tested.clone()]).then_some(tested)
}

/// Simulates a network; where the flows under test are transfers, until the last one is done.
fn measured(built: &mut Built, control: Control<'_>) -> Result<Ran, SimError> {
    let transfers = transfers(built);
    simulate(&mut built.network, transfers, control)
}
