//! The execution of a plan: its runs in one world or several, and their outcome.

use std::collections::BTreeSet;

use crate::ack_cost::AckCosts;
use crate::judgement::{JudgementRules, summaries, warnings};
use crate::plan::ExperimentPlan;
use crate::results::{self, ComparisonPath, RunSummary};
use crate::run::{
    CompletedRun, Curves, Detail, GridProgress, GridReport, RunBatch, RunRecord, RunTask, curves,
    drawn, run,
};
use crate::world::World;

/// The runs of a plan, as far as they are done.
pub struct Execution<'a> {
    plan: &'a ExperimentPlan,
    worlds: &'a [&'a dyn World],
    jobs: usize,
    draw: Option<Detail>,
    records: Vec<RunRecord>,
    curves: Vec<Curves>,
    costs: Vec<RunCost>,
}

/// The cost of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCost {
    /// The run.
    pub task: RunTask,
    /// The wall time of the simulation loop, in seconds.
    pub wall_s: f64,
    /// Events that the engine handled: more of them where more is recorded.
    pub events: u64,
}

/// The results of a plan's runs.
#[derive(Clone, Debug)]
pub struct ExperimentOutcome {
    /// The runs and their judgement.
    pub report: GridReport,
    /// The runs that were drawn as they ran.
    pub curves: Vec<Curves>,
    /// The cost of each run of this execution.
    pub costs: Vec<RunCost>,
}

impl<'a> Execution<'a> {
    /// An execution that has only the runs of earlier ones. `jobs` runs are done at a time, or fewer where
    /// memory or the world allow fewer; the runs that stand for the others are drawn in the detail `draw`.
    pub fn new(
        plan: &'a ExperimentPlan,
        worlds: &'a [&'a dyn World],
        (jobs, draw): (usize, Option<Detail>),
        done: Vec<RunRecord>,
    ) -> Self {
        let jobs = jobs.min(plan.scenario.at_a_time());
        Self { plan, worlds, jobs, draw, records: done, curves: Vec::new(), costs: Vec::new() }
    }

    /// The difference between a point's number in one of the worlds and in the scenario: points
    /// stand world by world, behind them baselines in the same way.
    fn offset(&self, point: usize, world: usize) -> usize {
        let scenario = &self.plan.scenario;
        let (points, baselines) = (scenario.points().len(), scenario.baselines().len());
        if point < points {
            world * points
        } else {
            self.worlds.len().saturating_sub(1) * points + world * baselines
        }
    }

    /// Does those of these runs that are not done in one of the worlds; true if they were not interrupted.
    /// Each is handed to `take` in the order of `tasks`, and an error of it ends everything.
    pub fn run_in<E: Send>(
        &mut self,
        number: usize,
        tasks: Vec<RunTask>,
        watch: &GridProgress,
        mut take: impl FnMut(&CompletedRun) -> Result<(), E> + Send,
    ) -> Result<bool, E> {
        let Some(&world) = self.worlds.get(number) else { return Ok(true) };
        let points = self.plan.scenario.points().len();
        let before = [self.offset(0, number), self.offset(points, number)];
        let before = |point: usize| before[usize::from(point >= points)];
        let done: BTreeSet<RunTask> = self.records.iter().map(RunRecord::task).collect();
        let placed = |task: &RunTask| RunTask { point: task.point + before(task.point), ..*task };
        let tasks: Vec<RunTask> =
            tasks.into_iter().filter(|task| !done.contains(&placed(task))).collect();
        let drawn = self.draw.map_or_else(Vec::new, |detail| drawn(&self.plan.scenario, detail));
        let runs = RunBatch {
            scenario: &self.plan.scenario,
            world,
            tasks: &tasks,
            drawn: &drawn,
            jobs: self.jobs,
        };
        let scenario = &self.plan.scenario;
        let ack_costs = if world.has_own_controllers() {
            AckCosts::measured(scenario, &tasks)
        } else {
            AckCosts::default()
        };
        let (records, curves, costs) = (&mut self.records, &mut self.curves, &mut self.costs);
        run(runs, watch, |mut done| {
            if let Ok(finished) = &mut done.result {
                ack_costs.add_to(scenario, &mut finished.record);
            }
            let before = before(done.task.point);
            let mut done = done.behind(before);
            curves.extend(done.curves.take());
            if let Ok(finished) = &done.result {
                let (wall_s, events) = (finished.wall_s, finished.events);
                costs.push(RunCost { task: done.task, wall_s, events });
            }
            take(&done)?;
            records.push(done.record());
            Ok(())
        })
    }

    /// The outcome of the runs that are done, judged by these rules.
    pub fn outcome(self, rules: JudgementRules) -> ExperimentOutcome {
        let version = env!("CARGO_PKG_VERSION");
        let mut report = GridReport::new(&self.plan.scenario, version, self.worlds, self.records);
        report.summaries = summaries(&report, rules);
        report.warnings = warnings(&self.plan.scenario, &report);
        ExperimentOutcome { report, curves: self.curves, costs: self.costs }
    }
}

impl ExperimentOutcome {
    /// The same as the schema `westwood.compare/1` has it.
    pub fn comparison(&self, path: ComparisonPath) -> results::ComparisonReport {
        let run = |record: &RunRecord| {
            let run = record.summary.clone()?;
            let cost = self.costs.iter().find(|cost| cost.task == record.task());
            let (events, wall_s) = cost.map_or((0, 0.0), |cost| (cost.events, cost.wall_s));
            Some(RunSummary { events, wall_s, ..run })
        };
        results::ComparisonReport {
            schema: results::SCHEMA.to_owned(),
            version: self.report.version.clone(),
            path,
            runs: self.report.runs.iter().filter_map(run).collect(),
            summary: self.report.summaries.first().map(|setting| setting.summary.clone()),
            warnings: self.report.warnings.clone(),
            baselines: self.report.baselines.iter().flat_map(|b| &b.runs).filter_map(run).collect(),
        }
    }

    /// Simulates those of the runs that stand for the others and were `not_drawn` once more, for their
    /// curves; none if the work was cancelled.
    ///
    /// # Errors
    ///
    /// A run gave something else than before, or cannot be run again.
    pub fn drawn_again(
        &self,
        plan: &ExperimentPlan,
        not_drawn: impl Fn(RunTask) -> bool,
        jobs: usize,
        watch: &GridProgress,
    ) -> Result<Option<Vec<Curves>>, String> {
        let chosen = drawn(&plan.scenario, Detail::Curves);
        let again = |run: &RunRecord| {
            let of = chosen.iter().find(|one| one.task == run.task())?;
            let again = run.summary.is_some() && not_drawn(of.task);
            again.then(|| (run.clone(), of.detail))
        };
        let runs: Vec<(RunRecord, Detail)> = self.report.runs.iter().filter_map(again).collect();
        let jobs = jobs.min(plan.scenario.at_a_time());
        curves(&plan.scenario, &runs, jobs, watch)
    }
}
