//! A scenario that is to be run: in each world, as far as it is not done already.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use westwood_experiment::judgement::{summaries, warnings};
use westwood_experiment::results::{self, ComparisonPath, RunSummary};
use westwood_experiment::run::{
    CompletedRun, Curves, Detail, GridProgress, GridReport, RunBatch, RunRecord, RunTask,
    baseline_tasks, curves, drawn, run, tasks,
};
use westwood_experiment::world::{World, WorldError};
use westwood_report::data_frame::DataFrame;
use westwood_report::document::NetworkSketch;
use westwood_report::experiment;
use westwood_report::tables;
use westwood_scenario::file::{Effective, Scenario};

use super::source::ScenarioSource;
use crate::args::ExperimentOptions;
use crate::capture::CapturePlan;
use crate::exit::{CommandExit, Stop};
use crate::machine::processors;
use crate::progress::{Bar, Progress};
use crate::results::{Identity, Manifest, ResultsFolder, RunState, TABLES};
use crate::worlds::{self, WorldName};

/// A scenario with what follows its runs.
pub(super) struct ExperimentJob {
    source: ScenarioSource,
    /// The runs in each world.
    watches: Vec<Arc<GridProgress>>,
    /// Runs of an earlier execution that are drawn are done once more.
    drawing: Arc<GridProgress>,
}

/// The results of a job.
pub(super) struct JobOutcome {
    pub(super) report: GridReport,
    /// The runs that are drawn.
    pub(super) curves: Vec<Curves>,
    /// Time series that are kept: point from 1, seed, tables.
    pub(super) series: Vec<(u64, u64, Vec<DataFrame>)>,
    /// The cost of each run: wall time in seconds, events.
    costs: Vec<(RunTask, f64, u64)>,
    /// The gravest reason why a run has no result.
    fault: Option<CommandExit>,
}

impl JobOutcome {
    /// Failed runs, and transfers that did not end, decide the exit code after all results are out.
    pub(super) fn verdict(&self) -> Result<(), Stop> {
        let report = &self.report;
        let (name, all) = (&report.name, report.runs.len());
        let all = report.all_runs().count().max(all);
        let mut failed = report.all_runs().filter(|run| run.error.is_some());
        if let Some(first) = failed.next() {
            let point = report.point(first.point).map_or("", |point| point.name.as_str());
            let why = first.error.as_deref().unwrap_or_default();
            let what = format!(
                "{name}: {} of {all} runs failed: {point} with seed {}: {why}",
                1 + failed.count(),
                first.seed
            );
            return Err(Stop::new(self.fault.unwrap_or(CommandExit::RunFailed), what));
        }
        let all = report.runs.len();
        match report.cut_off() {
            0 => Ok(()),
            n => {
                let what = format!(
                    "{name}: in {n} of {all} runs not every transfer under test was finished; raise \
                     time or lower size"
                );
                Err(Stop::new(CommandExit::InvalidMeasurement, what))
            }
        }
    }

    /// The same as the schema `westwood.compare/1` has it.
    pub(super) fn comparison(&self, path: ComparisonPath) -> results::ComparisonReport {
        let run = |record: &RunRecord| {
            let run = record.summary.clone()?;
            let task = RunTask { point: record.point, seed: record.seed };
            let cost = self.costs.iter().find(|(of, ..)| *of == task);
            let (wall_s, events) = cost.map_or((0.0, 0), |(_, wall_s, events)| (*wall_s, *events));
            Some(RunSummary { wall_s, events, ..run })
        };
        results::ComparisonReport {
            schema: results::SCHEMA.to_owned(),
            version: self.report.version.clone(),
            path,
            runs: self.report.runs.iter().filter_map(run).collect(),
            summary: self.report.summaries.first().map(|setting| setting.summary.clone()),
            baselines: self.report.baselines.iter().flat_map(|b| &b.runs).filter_map(run).collect(),
        }
    }
}

impl ExperimentJob {
    pub(super) fn new(source: ScenarioSource, options: &ExperimentOptions) -> Self {
        let runs = everything(&source.scenario).len();
        let watch = || Arc::new(GridProgress::new(&source.scenario, runs));
        let watches = options.on.0.iter().map(|_| watch()).collect();
        let drawn = drawn(&source.scenario, Detail::Curves).len();
        let drawing = Arc::new(GridProgress::new(&source.scenario, drawn));
        Self { source, watches, drawing }
    }

    pub(super) fn scenario(&self) -> &Scenario {
        &self.source.scenario
    }

    pub(super) fn file(&self) -> &str {
        &self.source.file
    }

    /// The scenario as a file.
    pub(super) fn text(&self) -> &str {
        &self.source.text
    }

    /// Every setting in force.
    pub(super) fn settings(&self) -> Vec<Effective> {
        self.scenario().settings()
    }

    /// The progress of the work, by which it can be ended.
    pub(super) fn works(&self) -> impl Iterator<Item = Arc<dyn Progress>> + '_ {
        let all = self.watches.iter().chain([&self.drawing]);
        all.map(|watch| Arc::clone(watch) as Arc<dyn Progress>)
    }

    /// The path of an experiment in words, with the names that its controllers have in the results.
    pub(super) fn words(&self, outcome: &JobOutcome) -> Option<ComparisonPath> {
        let path = self.source.from_flags.then(|| self.scenario().path()).flatten()?;
        let cc = outcome.report.points.iter().filter_map(|point| point.cc.clone()).collect();
        Some(ComparisonPath { cc, ..path })
    }

    /// The warnings about the results, in sentences.
    pub(super) fn warnings(&self, outcome: &JobOutcome) -> Vec<String> {
        let all = warnings(self.scenario(), &outcome.report);
        all.iter().map(ToString::to_string).collect()
    }

    /// The network of the first point, drawn.
    pub(super) fn sketch(&self) -> Option<NetworkSketch> {
        let scenario = self.scenario();
        let (point, seed) = (scenario.points().first()?, *scenario.seeds().first()?);
        experiment::sketch(&scenario.build(point, seed).ok()?.outline())
    }

    /// As many runs at a time as there are processors, and as fit into the memory that is allowed.
    pub(super) fn jobs(&self, options: &ExperimentOptions) -> usize {
        options.jobs.unwrap_or_else(processors).min(self.scenario().at_a_time())
    }

    /// The runs of the part of the grid that is asked for, in one of the worlds.
    pub(super) fn part(&self, options: &ExperimentOptions, world: usize) -> Vec<RunTask> {
        let all = everything(self.scenario());
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

    /// The difference between a point's number in one of the worlds and in the scenario: points
    /// stand world by world, behind them baselines in the same way.
    fn offset(&self, point: usize, world: usize) -> usize {
        let (points, baselines) =
            (self.scenario().points().len(), self.scenario().baselines().len());
        if point < points {
            world * points
        } else {
            self.watches.len().saturating_sub(1) * points + world * baselines
        }
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
        let mut doing = RunCollector::new(options, folder.as_mut());
        let mut finished = true;
        for ((number, world), watch) in each.iter().enumerate().zip(&self.watches) {
            finished = finished && self.run_in(*world, number, watch, &mut doing)?;
        }
        let RunCollector { records, mut curves, series, costs, fault, earlier, .. } = doing;
        let version = env!("CARGO_PKG_VERSION");
        let mut report = GridReport::new(self.scenario(), version, &each, records);
        report.summaries = summaries(&report, options.rules());
        if finished {
            curves.extend(self.drawn_again(options, &report, &earlier, &each)?);
        }
        curves.sort_by_key(|curves| curves.task);
        let outcome = JobOutcome { report, curves, series, costs, fault };
        close(options, folder, &outcome, finished)?;
        if finished {
            Ok(outcome)
        } else {
            Err(Stop::new(CommandExit::Interrupted, interrupted(options, command)))
        }
    }

    /// Does the runs in one world that are not done; true if they were not interrupted.
    fn run_in(
        &self,
        world: &dyn World,
        number: usize,
        watch: &Arc<GridProgress>,
        doing: &mut RunCollector<'_>,
    ) -> Result<bool, Stop> {
        let options = doing.options;
        let before = |point: usize| self.offset(point, number);
        let done: BTreeSet<RunTask> = doing.records.iter().map(task_of).collect();
        let placed = |task: &RunTask| RunTask { point: task.point + before(task.point), ..*task };
        let wanted = |task: &RunTask| !done.contains(&placed(task));
        let tasks: Vec<RunTask> = self.part(options, number).into_iter().filter(wanted).collect();
        let detail = doing.detail();
        let drawn = if doing.draws() { drawn(self.scenario(), detail) } else { Vec::new() };
        let runs = RunBatch {
            scenario: self.scenario(),
            world,
            tasks: &tasks,
            drawn: &drawn,
            detail,
            jobs: self.jobs(options),
        };
        let _bar = Bar::follow(watch, options.quiet);
        run(runs, watch, |done| {
            let before = before(done.task.point);
            doing.take(done.behind(before)).inspect_err(|_| {
                // Runs in flight could not be kept either.
                watch.cancel.store(true, Ordering::Relaxed);
            })
        })
    }

    /// Runs of an earlier execution that are drawn, simulated once more.
    fn drawn_again(
        &self,
        options: &ExperimentOptions,
        report: &GridReport,
        earlier: &BTreeSet<RunTask>,
        worlds: &[&dyn World],
    ) -> Result<Vec<Curves>, Stop> {
        let repeats = worlds.first().is_some_and(|world| world.repeats());
        if !options.draws() || !repeats {
            return Ok(Vec::new());
        }
        let chosen = drawn(self.scenario(), Detail::Curves);
        let again = |run: &&RunRecord| {
            let task = task_of(run);
            run.summary.is_some() && chosen.contains(&task) && earlier.contains(&task)
        };
        let runs: Vec<RunRecord> = report.runs.iter().filter(again).cloned().collect();
        let bar = Bar::follow(&self.drawing, options.quiet);
        let jobs = self.jobs(options);
        let curves = curves(self.scenario(), &runs, Detail::Curves, jobs, &self.drawing);
        drop(bar);
        let curves = curves.map_err(|why| {
            let what = format!("{}: the curves cannot be drawn: {why}", report.name);
            Stop::new(CommandExit::RunFailed, what)
        })?;
        curves.ok_or_else(|| Stop::new(CommandExit::Interrupted, "interrupted"))
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
        let source = &self.source;
        let identity = Identity {
            text: &source.text,
            settings: &source.settings,
            files: &source.files,
            world: world.as_deref(),
        };
        let grid = GridReport::new(self.scenario(), env!("CARGO_PKG_VERSION"), worlds, Vec::new());
        let jobs = self.jobs(options);
        let manifest =
            Manifest { shard: options.shard, ..Manifest::new(&identity, &source.file, grid, jobs) };
        let mut folder = ResultsFolder::open(out, manifest, &source.text, options.resume)?;
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
    folder.close(&outcome.report, state, exit)?;
    if !options.quiet {
        eprintln!("results in {path}{TABLES}");
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

/// All runs of a scenario, those of baselines last.
fn everything(scenario: &Scenario) -> Vec<RunTask> {
    [tasks(scenario), baseline_tasks(scenario)].concat()
}

fn task_of(run: &RunRecord) -> RunTask {
    RunTask { point: run.point, seed: run.seed }
}

/// Runs that are being done.
struct RunCollector<'a> {
    options: &'a ExperimentOptions,
    folder: Option<&'a mut ResultsFolder>,
    /// Those of earlier executions.
    earlier: BTreeSet<RunTask>,
    records: Vec<RunRecord>,
    curves: Vec<Curves>,
    series: Vec<(u64, u64, Vec<DataFrame>)>,
    costs: Vec<(RunTask, f64, u64)>,
    fault: Option<CommandExit>,
}

impl<'a> RunCollector<'a> {
    fn new(options: &'a ExperimentOptions, folder: Option<&'a mut ResultsFolder>) -> Self {
        let records = folder.as_ref().map_or(Vec::new(), |folder| folder.done().to_vec());
        Self {
            options,
            folder,
            earlier: records.iter().map(task_of).collect(),
            records,
            curves: Vec::new(),
            series: Vec::new(),
            costs: Vec::new(),
            fault: None,
        }
    }

    /// Whether runs are drawn, be it on the terminal.
    fn draws(&self) -> bool {
        self.options.draws() || self.options.prints()
    }

    fn detail(&self) -> Detail {
        if self.options.draws() { Detail::Curves } else { Detail::Windows }
    }

    /// Takes the results of a run.
    fn take(&mut self, mut done: CompletedRun) -> Result<(), Stop> {
        self.curves.extend(done.curves.take());
        match &done.result {
            Ok(finished) => {
                self.costs.push((done.task, finished.wall_s, finished.events));
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
            folder.keep(&done)?;
        }
        self.records.push(done.record());
        Ok(())
    }
}
