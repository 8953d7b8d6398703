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
    /// The paces of the scenarios, by their numbers.
    paces: Vec<Pace>,
    /// The largest share that has been told.
    told: Mutex<f64>,
}

/// The time of a scenario's finished runs, and their cost by estimate. The estimate is that of a full link: a
/// flow that loses packets sends fewer, and packets of many flows take longer.
#[derive(Debug, Default)]
struct Pace {
    took_ns: AtomicU64,
    cost: AtomicU64,
}

impl Pace {
    fn note(&self, took: Duration, cost: u64) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.took_ns.fetch_add(took, Ordering::Relaxed);
        self.cost.fetch_add(cost, Ordering::Relaxed);
    }

    fn so_far(&self) -> (u64, u64) {
        (self.took_ns.load(Ordering::Relaxed), self.cost.load(Ordering::Relaxed))
    }
}

/// Nanoseconds for each unit of cost; none if nothing has been done.
#[expect(clippy::cast_precision_loss, reason = "a pace")]
fn pace((took_ns, cost): (u64, u64)) -> Option<f64> {
    (cost > 0).then(|| took_ns.max(1) as f64 / cost as f64)
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
        let scenarios = runs.iter().map(|run| run.scenario + 1).max().unwrap_or(0);
        let paces = std::iter::repeat_with(Pace::default).take(scenarios).collect();
        Self { cancel, runs, done: AtomicUsize::new(0), paces, told: Mutex::new(0.0) }
    }

    /// The share of the work that is done, from 0 to 1; it never falls. A run weighs its cost by estimate, at
    /// the pace of its scenario's finished runs; of all finished runs, where that has none.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn share(&self) -> f64 {
        let paces: Vec<(u64, u64)> = self.paces.iter().map(Pace::so_far).collect();
        let together = paces.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        let usual = pace(together).unwrap_or(1.0);
        let (mut done, mut all) = (0.0, 1e-9);
        for run in &self.runs {
            let share = run.simulated_ns.load(Ordering::Relaxed) as f64 / run.time_ns.max(1) as f64;
            let own = paces.get(run.scenario).copied().and_then(pace);
            let weight = run.cost as f64 * own.unwrap_or(usual);
            done += share.min(1.0) * weight;
            all += weight;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        *told = f64::max(*told, done / all);
        *told
    }

    /// The length of all runs, one after the other, in their own time.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.runs.iter().map(|run| run.time_ns).sum())
    }

    /// Runs that are done, and all runs.
    pub fn runs(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.runs.len())
    }

    /// Does the runs, so many at the same time. `digest` makes a line of each, with its scenario's number, in
    /// the thread that did it; `take` is handed the lines one at a time. An error from `take` ends
    /// everything, runs in flight too.
    #[expect(
        clippy::disallowed_methods,
        reason = "the progress counts a run by the time of others"
    )]
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
            let begin = Instant::now();
            let Some(done) = run_one(world, of, (run.task, None), cancel, simulated) else {
                return Ok(false);
            };
            if let Some(pace) = self.paces.get(run.scenario) {
                pace.note(begin.elapsed(), run.cost);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue of one run for each of these scenarios, each of the cost 100.
    fn queue(scenarios: &[usize]) -> RunQueue {
        let run = |&scenario: &usize| QueuedRun {
            scenario,
            task: RunTask { point: 0, seed: 1 },
            cost: 100,
            time_ns: 1_000,
            simulated_ns: AtomicU64::new(0),
        };
        RunQueue {
            cancel: Arc::default(),
            runs: scenarios.iter().map(run).collect(),
            done: AtomicUsize::new(0),
            paces: vec![Pace::default(), Pace::default()],
            told: Mutex::new(0.0),
        }
    }

    fn finish(queue: &RunQueue, run: usize, took: Duration) {
        let run = &queue.runs[run];
        run.simulated_ns.store(run.time_ns, Ordering::Relaxed);
        queue.paces[run.scenario].note(took, run.cost);
    }

    #[test]
    fn a_run_weighs_what_others_of_its_scenario_took() {
        let queue = queue(&[0, 0, 1, 1]);
        assert!(queue.share().abs() < 1e-9);
        finish(&queue, 2, Duration::from_millis(1));
        assert!((queue.share() - 0.25).abs() < 1e-9, "nothing is known of scenario 0");
        finish(&queue, 0, Duration::from_millis(9));
        assert!((queue.share() - 0.5).abs() < 1e-9, "10 of 20 ms");
        finish(&queue, 1, Duration::from_millis(9));
        assert!((queue.share() - 0.95).abs() < 1e-9, "19 of 20 ms");
    }

    #[test]
    fn the_share_of_a_run_under_way_counts_and_never_falls() {
        let queue = queue(&[0, 1]);
        queue.runs[0].simulated_ns.store(900, Ordering::Relaxed);
        assert!((queue.share() - 0.45).abs() < 1e-9);
        finish(&queue, 0, Duration::from_millis(1));
        assert!((queue.share() - 0.5).abs() < 1e-9);
        queue.runs[0].simulated_ns.store(500, Ordering::Relaxed);
        assert!((queue.share() - 0.5).abs() < 1e-9);
    }
}
