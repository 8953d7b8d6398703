//! All runs of a plan.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use westwood_experiment::run::{CompletedRun, QueueStopped, RunQueue, RunTask};
use westwood_experiment::store::RunStore;
use westwood_experiment::world::{Simulator, World};

use crate::extent::Platform;
use crate::plan::ReproductionPlan;
use crate::store::{StoredRun, append, read};

/// Finished runs of each experiment of a plan, in its order.
pub(crate) type StoredRuns = Vec<Vec<StoredRun>>;

/// The finished runs, and the queue of the others.
pub fn prepare(plan: &ReproductionPlan, store: Option<&RunStore>) -> (RunResults, RunQueue) {
    let lines = |grid| store.map_or(Vec::new(), |store| read(store, grid));
    let done = RunResults { lines: plan.grids.iter().map(lines).collect() };
    let left = remaining(plan, &done, Arc::default());
    (done, left)
}

/// The runs that are not done; the same switch ends them as ended others before.
pub fn remaining(plan: &ReproductionPlan, done: &RunResults, cancel: Arc<AtomicBool>) -> RunQueue {
    let mut tasks: Vec<(usize, RunTask)> = Vec::new();
    let grids = plan.grids.iter().zip(&done.lines).enumerate();
    for (i, (grid, lines)) in grids.filter(|(_, (grid, _))| grid.wanted) {
        let known: BTreeSet<RunTask> = lines.iter().map(StoredRun::task).collect();
        tasks.extend(grid.tasks().filter(|task| !known.contains(task)).map(|task| (i, task)));
    }
    let repeats = plan.on == Platform::Simulator;
    RunQueue::new(tasks, |grid, task| plan.grids[grid].measuring(task.point), repeats, cancel)
}

/// Results of a plan's runs.
#[derive(Debug)]
pub struct RunResults {
    pub(crate) lines: StoredRuns,
}

impl RunResults {
    /// The places and times of the measured runs, in order of first use.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for note in self.lines.iter().flatten().filter_map(StoredRun::note) {
            if !notes.iter().any(|known| known == note) {
                notes.push(note.to_owned());
            }
        }
        notes
    }

    /// Runs that failed, in words.
    pub fn failures(&self, plan: &ReproductionPlan) -> Vec<String> {
        let of = |(lines, grid): (&Vec<StoredRun>, &crate::plan::ExperimentGrid)| {
            let text = |line: &StoredRun| {
                let point = grid.scenario.points()[line.task().point].name();
                let seed = line.task().seed;
                Some(format!(
                    "{}/{}: {point}, seed {seed}: {}",
                    grid.paper,
                    grid.name,
                    line.error()?
                ))
            };
            lines.iter().filter_map(text).collect::<Vec<_>>()
        };
        self.lines.iter().zip(&plan.grids).flat_map(of).collect()
    }
}

/// The reason why runs did not come to their end; a result that is refused cannot be written.
pub type RunsStopped = QueueStopped<std::io::Error>;

/// Simulates the runs that are left, so many at the same time.
pub fn run(
    plan: &ReproductionPlan,
    done: RunResults,
    watch: &RunQueue,
    store: Option<&RunStore>,
    threads: usize,
) -> Result<RunResults, RunsStopped> {
    let ground = Testbed { world: &Simulator, note: None };
    run_on(&ground, plan, done, watch, store, threads)
}

/// The testbed of runs.
#[derive(Clone)]
pub struct Testbed<'a> {
    /// The world.
    pub world: &'a dyn World,
    /// Its kernel and the day, to be kept with each run; none if they do not matter.
    pub note: Option<String>,
}

/// The same in any world.
pub fn run_on(
    ground: &Testbed<'_>,
    plan: &ReproductionPlan,
    done: RunResults,
    watch: &RunQueue,
    store: Option<&RunStore>,
    threads: usize,
) -> Result<RunResults, RunsStopped> {
    let mut results = done;
    let scenario = |grid: usize, task: RunTask| plan.grids[grid].measuring(task.point);
    let digest = |number: usize, one: CompletedRun| {
        StoredRun::new(&plan.grids[number], one.task, &one.result).noted(ground.note.clone())
    };
    watch.run(ground.world, scenario, threads, digest, |number, line| {
        store.map_or(Ok(()), |store| append(store, &plan.grids[number], &line))?;
        results.lines[number].push(line);
        Ok(())
    })?;
    Ok(results)
}
