//! The runs of a card: each once, several at a time, kept for the next time.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use westwood_experiment::run::{CompletedRun, QueueStopped, RunQueue, RunRecord, RunTask};
use westwood_experiment::store::{RunStore, StoreKey};
use westwood_experiment::world::World;

use crate::plan::{CardGrid, CardPlan};

/// The finished runs of each grid of a plan, in its order.
#[derive(Debug)]
pub struct CardRuns {
    pub(crate) records: Vec<Vec<RunRecord>>,
}

fn task_of(run: &RunRecord) -> RunTask {
    RunTask { point: run.point, seed: run.seed }
}

impl CardGrid {
    fn key(&self) -> StoreKey<'_> {
        StoreKey { name: &self.name, identity: &self.identity }
    }
}

impl CardRuns {
    /// The runs that are kept. One that failed counts as not done.
    pub fn kept(plan: &CardPlan, store: Option<&RunStore>) -> Self {
        // Nothing is asked of the grids of criteria that are not examined.
        let store = |grid: &CardGrid| store.filter(|_| !grid.seeds.is_empty());
        let read = |grid: &CardGrid| {
            let lines = store(grid).map_or(Vec::new(), |store| store.read::<RunRecord>(grid.key()));
            let mut known = BTreeSet::new();
            let is_new = |run: &RunRecord| run.error.is_none() && known.insert(task_of(run));
            let mut runs: Vec<RunRecord> = lines.into_iter().map(RunRecord::restored).collect();
            let mut is_new = is_new;
            runs.retain(|run| is_new(run));
            runs
        };
        Self { records: plan.grids.iter().map(read).collect() }
    }

    /// The runs that are asked for and not done; the same switch ends them as ended others before.
    pub fn remaining(&self, plan: &CardPlan, cancel: Arc<AtomicBool>) -> RunQueue {
        let mut tasks: Vec<(usize, RunTask)> = Vec::new();
        for (number, (grid, done)) in plan.grids.iter().zip(&self.records).enumerate() {
            let known: BTreeSet<RunTask> = done.iter().map(task_of).collect();
            tasks.extend(grid.tasks().filter(|task| !known.contains(task)).map(|t| (number, t)));
        }
        RunQueue::new(tasks, |grid, _| &plan.grids[grid].scenario, !plan.linux, cancel)
    }

    /// Does the runs of a queue, and keeps them.
    ///
    /// # Errors
    /// If the user ended them, or results cannot be kept.
    pub fn run(
        &mut self,
        plan: &CardPlan,
        queue: &RunQueue,
        world: &dyn World,
        store: Option<&RunStore>,
        jobs: usize,
    ) -> Result<(), QueueStopped<io::Error>> {
        let scenario = |grid: usize, _: RunTask| &plan.grids[grid].scenario;
        let digest = |_: usize, run: CompletedRun| run.record();
        queue.run(world, scenario, jobs, digest, |number, record: RunRecord| {
            let key = plan.grids[number].key();
            store.map_or(Ok(()), |store| store.append(key, &record))?;
            self.records[number].push(record);
            Ok(())
        })
    }

    /// Runs that failed, in words.
    pub fn failures(&self, plan: &CardPlan) -> Vec<String> {
        let of = |(grid, runs): (&CardGrid, &Vec<RunRecord>)| -> Vec<String> {
            let text = |run: &RunRecord| {
                let point = grid.scenario.point(run.point)?.name();
                let error = run.error.as_deref()?;
                Some(format!("{}: {point}, seed {}: {error}", grid.name, run.seed))
            };
            runs.iter().filter_map(text).collect()
        };
        plan.grids.iter().zip(&self.records).flat_map(of).collect()
    }
}
