//! All runs of a plan, on several threads: the longest first, or on Linux one after the other.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use westwood_experiment::run::{RunTask, each, run_one};
use westwood_experiment::world::{Simulator, World};

use crate::extent::Platform;
use crate::plan::ReproductionPlan;
use crate::store::{RunStore, StoredRun};

/// The progress of the runs, seen from another thread, and the way to end them.
#[derive(Debug)]
pub struct ReproductionProgress {
    /// Set it to end the runs, these and those that follow them.
    pub cancel: Arc<AtomicBool>,
    jobs: Vec<GridRun>,
    done: AtomicUsize,
    began: Instant,
}

#[derive(Debug)]
struct GridRun {
    grid: usize,
    task: RunTask,
    /// Its cost: packets, by estimate; on Linux its time.
    cost: u64,
    time_ns: u64,
    simulated_ns: AtomicU64,
}

impl ReproductionProgress {
    /// The share of the work that is done, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn share(&self) -> f64 {
        let (mut done, mut all) = (0.0, 1e-9);
        for job in &self.jobs {
            let share = job.simulated_ns.load(Ordering::Relaxed) as f64 / job.time_ns.max(1) as f64;
            done += share.min(1.0) * job.cost as f64;
            all += job.cost as f64;
        }
        done / all
    }

    /// The length of all runs, one after the other, in their own time.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.jobs.iter().map(|job| job.time_ns).sum())
    }

    /// Runs that are done, and all runs.
    pub fn runs(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.jobs.len())
    }

    /// The time left at the pace so far; none at the beginning.
    pub fn left(&self) -> Option<Duration> {
        let share = self.share();
        let elapsed = self.began.elapsed();
        (share > 0.01).then(|| elapsed.mul_f64((1.0 - share) / share))
    }
}

/// Finished runs of each experiment of a plan, in its order.
pub(crate) type StoredRuns = Vec<Vec<StoredRun>>;

/// The finished runs, and the progress of the others.
pub fn prepare(
    plan: &ReproductionPlan,
    store: Option<&RunStore>,
) -> (RunResults, ReproductionProgress) {
    let lines = |grid| store.map_or(Vec::new(), |store| store.read(grid));
    let done = RunResults { lines: plan.grids.iter().map(lines).collect() };
    let left = remaining(plan, &done, Arc::default());
    (done, left)
}

/// The progress of the runs that are not done; the same switch ends them as ended others before.
#[expect(clippy::disallowed_methods, reason = "the time that is left is guessed from the clock")]
pub fn remaining(
    plan: &ReproductionPlan,
    done: &RunResults,
    cancel: Arc<AtomicBool>,
) -> ReproductionProgress {
    let mut jobs = Vec::new();
    let grids = plan.grids.iter().zip(&done.lines).enumerate();
    for (i, (grid, lines)) in grids.filter(|(_, (grid, _))| grid.wanted) {
        let known: BTreeSet<RunTask> = lines.iter().map(StoredRun::task).collect();
        for task in grid.tasks().filter(|task| !known.contains(task)) {
            let estimate = &grid.scenario.points()[task.point].estimate;
            let time_ns = grid.scenario.time().as_nanos();
            let cost = match plan.on {
                Platform::Simulator => u64::try_from(estimate.packets).unwrap_or(u64::MAX),
                Platform::Linux => time_ns,
            };
            let simulated_ns = AtomicU64::new(0);
            jobs.push(GridRun { grid: i, task, cost: cost.max(1), time_ns, simulated_ns });
        }
    }
    match plan.on {
        // The longest first: at the end no thread waits for another one's long run.
        Platform::Simulator => jobs.sort_by_key(|job| std::cmp::Reverse(job.cost)),
        // Controllers by turns, as in the papers' campaigns: the machine's other load changes.
        Platform::Linux => jobs.sort_by_key(|job| (job.grid, job.task.seed, job.task.point)),
    }
    ReproductionProgress { cancel, jobs, done: AtomicUsize::new(0), began: Instant::now() }
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

/// The reason why runs did not come to their end.
#[derive(Debug)]
pub enum RunsStopped {
    /// The user cancelled.
    Cancelled,
    /// Results cannot be kept.
    CannotWrite(std::io::Error),
}

/// Simulates the runs that are left, so many at the same time.
pub fn run(
    plan: &ReproductionPlan,
    done: RunResults,
    watch: &ReproductionProgress,
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
    watch: &ReproductionProgress,
    store: Option<&RunStore>,
    threads: usize,
) -> Result<RunResults, RunsStopped> {
    let threads = ground.world.at_a_time(threads);
    let results = Mutex::new(done);
    let all = each(&watch.jobs, threads, |_, job| {
        let grid = &plan.grids[job.grid];
        let (cancel, simulated) = (&*watch.cancel, &job.simulated_ns);
        let one = run_one(ground.world, &grid.scenario, (job.task, None), cancel, simulated);
        let Some(one) = one else { return Ok(false) };
        let line = StoredRun::new(grid, job.task, &one.result).noted(ground.note.clone());
        // The lock is held while a line is written, so that lines do not mix.
        let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = store.map_or(Ok(()), |store| store.append(grid, &line)) {
            // Runs in flight are given up, too.
            watch.cancel.store(true, Ordering::Relaxed);
            return Err(RunsStopped::CannotWrite(error));
        }
        results.lines[job.grid].push(line);
        watch.done.fetch_add(1, Ordering::Relaxed);
        Ok(true)
    })?;
    let done = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    if all { Ok(done) } else { Err(RunsStopped::Cancelled) }
}
