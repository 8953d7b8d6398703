//! A scenario that is to be run: in each world, as far as it is not done already.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use westwood_experiment::execution::{Execution, ExperimentOutcome};
use westwood_experiment::judgement::WarningGrounds;
use westwood_experiment::plan::ExperimentPlan;
use westwood_experiment::run::{
    CompletedRun, Detail, GridProgress, GridReport, RunRecord, RunTask, drawn,
};
use westwood_experiment::world::{World, WorldError};
use westwood_report::data_frame::DataFrame;
use westwood_report::tables;
use westwood_scenario::counted_of;
use westwood_scenario::file::Scenario;

use crate::args::ExperimentOptions;
use crate::capture::CapturePlan;
use crate::exit::{CommandExit, Stop};
use crate::machine::processors;
use crate::output::tell;
use crate::progress::{Bar, Progress};
use crate::results::{Identity, Manifest, ResultsFolder, RunState, TABLES};
use crate::worlds::{self, WorldName};

/// A scenario with what follows its runs.
pub(super) struct ExperimentJob {
    pub(super) plan: ExperimentPlan,
    /// The letter that the playground gives it, if its link holds two experiments.
    pub(super) letter: Option<char>,
    /// The runs in each world.
    watches: Vec<Arc<GridProgress>>,
    /// Runs of an earlier execution that are drawn are done once more.
    drawing: Arc<GridProgress>,
}

/// The results of a job.
pub(super) struct JobOutcome {
    pub(super) runs: ExperimentOutcome,
    /// Time series that are kept: point from 1, seed, tables.
    pub(super) series: Vec<(u64, u64, Vec<DataFrame>)>,
    /// The gravest reason why a run has no result.
    fault: Option<CommandExit>,
}

impl JobOutcome {
    /// Failed runs, and transfers that did not end, decide the exit code after all results are out.
    pub(super) fn verdict(&self) -> Result<(), Stop> {
        let report = &self.runs.report;
        let (name, all) = (&report.name, report.runs.len());
        let all = report.all_runs().count().max(all);
        let mut failed = report.all_runs().filter(|run| run.error.is_some());
        if let Some(first) = failed.next() {
            let point = report.point(first.point).map_or("", |point| point.name.as_str());
            let why = first.error.as_deref().unwrap_or_default();
            let what = format!(
                "{name}: {} failed: {point} with seed {}: {why}",
                counted_of(1 + failed.count() as u64, all as u64, "run"),
                first.seed
            );
            return Err(Stop::new(self.fault.unwrap_or(CommandExit::RunFailed), what));
        }
        let all = report.runs.len();
        match report.cut_off() {
            0 => Ok(()),
            n => {
                let those = counted_of(n as u64, all as u64, "run");
                let mend = if report.lost_every_packet() {
                    "the measured link lost every packet"
                } else {
                    "raise time or lower size"
                };
                let what = format!(
                    "{name}: in {those} not every transfer under test was finished; {mend}"
                );
                Err(Stop::new(CommandExit::InvalidMeasurement, what))
            }
        }
    }
}

impl ExperimentJob {
    pub(super) fn new(
        plan: ExperimentPlan,
        letter: Option<char>,
        options: &ExperimentOptions,
    ) -> Self {
        let runs = plan.runs().len();
        let watch = || Arc::new(GridProgress::new(&plan.scenario, runs));
        let watches = options.on.0.iter().map(|_| watch()).collect();
        let drawn = drawn(&plan.scenario, Detail::Curves).len();
        let drawing = Arc::new(GridProgress::new(&plan.scenario, drawn));
        Self { plan, letter, watches, drawing }
    }

    /// The lines before what is printed of it; empty where its own heading tells it from others.
    pub(super) fn heading(&self) -> String {
        match self.letter {
            Some('A') => "Experiment A\n\n".to_owned(),
            Some(letter) => format!("\nExperiment {letter}\n\n"),
            None => String::new(),
        }
    }

    pub(super) fn scenario(&self) -> &Scenario {
        &self.plan.scenario
    }

    /// The progress of the work, by which it can be ended.
    pub(super) fn works(&self) -> impl Iterator<Item = Arc<dyn Progress>> + '_ {
        let all = self.watches.iter().chain([&self.drawing]);
        all.map(|watch| Arc::clone(watch) as Arc<dyn Progress>)
    }

    /// As many runs at a time as there are processors, and as fit into the memory that is allowed.
    pub(super) fn jobs(&self, options: &ExperimentOptions) -> usize {
        options.jobs.unwrap_or_else(processors).min(self.scenario().at_a_time())
    }

    /// The runs of the part of the grid that is asked for, in one of the worlds.
    pub(super) fn part(&self, options: &ExperimentOptions, world: usize) -> Vec<RunTask> {
        let all = self.plan.runs();
        let before = world * all.len();
        let numbered = all.into_iter().enumerate();
        let part = numbered.filter(|(i, _)| options.shard.is_none_or(|s| s.has(before + i)));
        part.map(|(_, task)| task).collect()
    }

    /// The same without baselines, which are never captured.
    pub(super) fn contestants(&self, options: &ExperimentOptions, world: usize) -> Vec<RunTask> {
        let points = self.scenario().points().len();
        self.part(options, world).into_iter().filter(|task| task.point < points).collect()
    }

    /// Does the runs that are left, and reports all finished ones, of earlier executions too.
    pub(super) fn run(
        &self,
        options: &ExperimentOptions,
        captures: &[CapturePlan<'_>],
        command: &str,
    ) -> Result<JobOutcome, Stop> {
        let worlds: Vec<(WorldName, Box<dyn World + '_>)> = options
            .on
            .0
            .iter()
            .map(|&place| {
                let captures = captures.iter().find(|captures| captures.place() == place);
                (place, worlds::open(place, options.bound.bound, captures))
            })
            .collect();
        let each: Vec<&dyn World> = worlds.iter().map(|(_, world)| &**world).collect();
        let mut folder = self.folder(options, &each)?;
        let done = folder.as_ref().map_or(Vec::new(), |folder| folder.done().to_vec());
        let earlier: BTreeSet<RunTask> = done.iter().map(RunRecord::task).collect();
        let mut keeping =
            RunKeeper { options, folder: folder.as_mut(), series: Vec::new(), fault: None };
        let how = (self.jobs(options), keeping.detail());
        let mut execution = Execution::new(&self.plan, &each, how, done);
        let mut finished = true;
        for (number, watch) in self.watches.iter().enumerate() {
            if !finished {
                break;
            }
            let _bar = Bar::follow(watch, options.quiet);
            let tasks = self.part(options, number);
            finished = execution.run_in(number, tasks, watch, |done| {
                keeping.take(done).inspect_err(|_| {
                    // Runs in flight could not be kept either.
                    watch.cancel.store(true, Ordering::Relaxed);
                })
            })?;
        }
        let RunKeeper { series, fault, .. } = keeping;
        let mut runs = execution.outcome(options.rules());
        if options.is_part() {
            // A part of the grid concludes nothing.
            runs.report.summaries.clear();
        }
        if finished && options.draws() && each.first().is_some_and(|world| world.repeats()) {
            self.draw_again(options, &mut runs, &earlier)?;
        }
        runs.curves.sort_by_key(|curves| curves.task);
        let outcome = JobOutcome { runs, series, fault };
        close(options, folder, &outcome, finished)?;
        if finished {
            Ok(outcome)
        } else {
            Err(Stop::new(CommandExit::Interrupted, interrupted(options, command)))
        }
    }

    /// Runs of an earlier execution that are drawn, simulated once more.
    fn draw_again(
        &self,
        options: &ExperimentOptions,
        runs: &mut ExperimentOutcome,
        earlier: &BTreeSet<RunTask>,
    ) -> Result<(), Stop> {
        let _bar = Bar::follow(&self.drawing, options.quiet);
        let not_drawn = |task| earlier.contains(&task);
        match runs.drawn_again(&self.plan, not_drawn, self.jobs(options), &self.drawing) {
            Ok(Some(curves)) => {
                runs.curves.extend(curves);
                Ok(())
            }
            Ok(None) => Err(Stop::new(CommandExit::Interrupted, "interrupted")),
            Err(why) => {
                let what = format!("{}: the curves cannot be drawn: {why}", runs.report.name);
                Err(Stop::new(CommandExit::RunFailed, what))
            }
        }
    }

    /// The results folder, if one is asked for.
    fn folder(
        &self,
        options: &ExperimentOptions,
        worlds: &[&dyn World],
    ) -> Result<Option<ResultsFolder>, Stop> {
        let Some(out) = &options.out else {
            return Ok(None);
        };
        let bound = worlds::bound_text(options.bound.bound).unwrap_or_default();
        let real = options.on.has_linux();
        let world = real.then(|| format!("{}{bound}", options.on));
        let plan = &self.plan;
        let identity = Identity {
            text: &plan.text,
            settings: &plan.settings,
            files: &plan.files,
            world: world.as_deref(),
        };
        let grid = GridReport::new(self.scenario(), env!("CARGO_PKG_VERSION"), worlds, Vec::new());
        let jobs = self.jobs(options);
        let manifest = Manifest {
            shard: options.shard,
            rules: options.rules(),
            warning_grounds: WarningGrounds::of(self.scenario()),
            path: plan.words(&grid),
            ..Manifest::new(&identity, &plan.file, grid, jobs)
        };
        let mut folder = ResultsFolder::open(out, manifest, &plan.text, options.resume)?;
        if real {
            // The machine may be less busy now.
            folder.forget_failed();
        }
        Ok(Some(folder))
    }
}

/// Ends the results folder, and says where it is.
fn close(
    options: &ExperimentOptions,
    folder: Option<ResultsFolder>,
    outcome: &JobOutcome,
    finished: bool,
) -> Result<(), Stop> {
    let Some(folder) = folder else { return Ok(()) };
    let (state, exit) = match (finished, outcome.verdict()) {
        (false, _) => (RunState::Interrupted, CommandExit::Interrupted),
        (true, Err(stop)) => (RunState::Finished, stop.exit()),
        (true, Ok(())) => (RunState::Finished, CommandExit::Done),
    };
    let path = folder.path().display().to_string();
    folder.close(&outcome.runs.report, state, exit)?;
    if !options.quiet {
        tell(format_args!("results in {path}{TABLES}"));
    }
    Ok(())
}

/// The hint after Ctrl-C: how to resume, if anything was kept.
fn interrupted(options: &ExperimentOptions, command: &str) -> String {
    if options.out.is_none() {
        return "interrupted; nothing is kept: with --out DIR runs can be gone on with by --resume"
            .to_owned();
    }
    let resume = if options.resume { "" } else { " --resume" };
    format!("interrupted; finished runs are kept, go on with: {command}{resume}")
}

/// Keeps runs as they are done.
struct RunKeeper<'a> {
    options: &'a ExperimentOptions,
    folder: Option<&'a mut ResultsFolder>,
    series: Vec<(u64, u64, Vec<DataFrame>)>,
    fault: Option<CommandExit>,
}

impl RunKeeper<'_> {
    /// The detail in which runs are drawn, be it on the terminal.
    fn detail(&self) -> Option<Detail> {
        match (self.options.draws(), self.options.prints()) {
            (true, _) => Some(Detail::Curves),
            (false, true) => Some(Detail::Windows),
            (false, false) => None,
        }
    }

    /// Keeps the results of a run.
    fn take(&mut self, done: &CompletedRun) -> Result<(), Stop> {
        match &done.result {
            Ok(finished) => {
                if self.options.csv.is_some() {
                    let number = done.task.point as u64 + 1;
                    self.series.push((number, done.task.seed, tables::series(finished)));
                }
            }
            // Every other run would lack it as well.
            Err(WorldError::Lacks(what)) => return Err(Stop::new(CommandExit::Environment, what)),
            Err(WorldError::Invalid(_)) => self.fault = Some(CommandExit::InvalidMeasurement),
            Err(_) => self.fault = self.fault.or(Some(CommandExit::RunFailed)),
        }
        if let Some(folder) = &mut self.folder {
            folder.keep(done)?;
        }
        Ok(())
    }
}
