//! Runs of several scenarios, on several threads: the longest first, or in real time one after the other.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use westwood_scenario::file::Scenario;

use super::{CompletedRun, RunTask, each, run_one};
use crate::world::World;

/// Runs that wait, their progress, seen from another thread, and the way to end them.
#[derive(Debug)]
pub struct RunQueue {
    /// Set it to end the runs, these and those that follow them.
    pub cancel: Arc<AtomicBool>,
    runs: Vec<QueuedRun>,
    done: AtomicUsize,
    began: Instant,
}

#[derive(Debug)]
struct QueuedRun {
    /// The scenario's number.
    scenario: usize,
    task: RunTask,
    /// Its cost: packets, by estimate; in real time its length.
    cost: u64,
    time_ns: u64,
    simulated_ns: AtomicU64,
}

/// The reason why the runs of a queue did not come to their end.
#[derive(Debug)]
pub enum QueueStopped<E> {
    /// The user cancelled.
    Cancelled,
    /// A result could not be taken.
    Refused(E),
}

impl RunQueue {
    /// A queue of runs, each of a scenario by its number. In a world that repeats its runs the longest come
    /// first: at the end no thread waits for another one's long run. Elsewhere points follow each other by
    /// turns, seed by seed: the machine's other load changes.
    #[expect(
        clippy::disallowed_methods,
        reason = "the time that is left is guessed from the clock"
    )]
    pub fn new<'s>(
        tasks: impl IntoIterator<Item = (usize, RunTask)>,
        scenario: impl Fn(usize, RunTask) -> &'s Scenario,
        repeats: bool,
        cancel: Arc<AtomicBool>,
    ) -> Self {
        let queued = |(number, task): (usize, RunTask)| {
            let of = scenario(number, task);
            let time_ns = of.time().as_nanos();
            let packets = of.point(task.point).map_or(0, |point| point.estimate.packets);
            let cost = if repeats { u64::try_from(packets).unwrap_or(u64::MAX) } else { time_ns };
            let simulated_ns = AtomicU64::new(0);
            QueuedRun { scenario: number, task, cost: cost.max(1), time_ns, simulated_ns }
        };
        let mut runs: Vec<QueuedRun> = tasks.into_iter().map(queued).collect();
        if repeats {
            runs.sort_by_key(|run| std::cmp::Reverse(run.cost));
        } else {
            runs.sort_by_key(|run| (run.scenario, run.task.seed, run.task.point));
        }
        Self { cancel, runs, done: AtomicUsize::new(0), began: Instant::now() }
    }

    /// The share of the work that is done, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn share(&self) -> f64 {
        let (mut done, mut all) = (0.0, 1e-9);
        for run in &self.runs {
            let share = run.simulated_ns.load(Ordering::Relaxed) as f64 / run.time_ns.max(1) as f64;
            done += share.min(1.0) * run.cost as f64;
            all += run.cost as f64;
        }
        done / all
    }

    /// The length of all runs, one after the other, in their own time.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.runs.iter().map(|run| run.time_ns).sum())
    }

    /// Runs that are done, and all runs.
    pub fn runs(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.runs.len())
    }

    /// The time left at the pace so far; none at the beginning.
    pub fn left(&self) -> Option<Duration> {
        let share = self.share();
        let elapsed = self.began.elapsed();
        (share > 0.01).then(|| elapsed.mul_f64((1.0 - share) / share))
    }

    /// Does the runs, so many at the same time. `digest` makes a line of each, with its scenario's number, in
    /// the thread that did it; `take` is handed the lines one at a time. An error from `take` ends
    /// everything, runs in flight too.
    pub fn run<'s, L, E: Send>(
        &self,
        world: &dyn World,
        scenario: impl Fn(usize, RunTask) -> &'s Scenario + Sync,
        threads: usize,
        digest: impl Fn(usize, CompletedRun) -> L + Sync,
        take: impl FnMut(usize, L) -> Result<(), E> + Send,
    ) -> Result<(), QueueStopped<E>> {
        let take = Mutex::new(take);
        let all = each(&self.runs, world.at_a_time(threads), |_, run| {
            let (cancel, simulated) = (&*self.cancel, &run.simulated_ns);
            let of = scenario(run.scenario, run.task);
            let Some(done) = run_one(world, of, (run.task, None), cancel, simulated) else {
                return Ok(false);
            };
            let line = digest(run.scenario, done);
            let mut take = take.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = take(run.scenario, line) {
                self.cancel.store(true, Ordering::Relaxed);
                return Err(QueueStopped::Refused(error));
            }
            self.done.fetch_add(1, Ordering::Relaxed);
            Ok(true)
        })?;
        if all { Ok(()) } else { Err(QueueStopped::Cancelled) }
    }
}
