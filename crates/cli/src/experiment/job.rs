//! A scenario that is to be run: in each world, as far as it is not done already.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use westwood_experiment::judgement::{summaries, warnings};
use westwood_experiment::results::{self, Path, Run};
use westwood_experiment::run::{
    Curves, Detail, Done, Report, RunRecord, Runs, Task, Watch, baseline_tasks, curves, drawn, run,
    tasks,
};
use westwood_experiment::world::{World, WorldError};
use westwood_report::document::Sketch;
use westwood_report::experiment;
use westwood_report::frame::Frame;
use westwood_report::tables;
use westwood_scenario::file::{Effective, Scenario};

use super::source::Source;
use crate::args::Options;
use crate::capture::Captures;
use crate::exit::{Exit, Stop};
use crate::machine::processors;
use crate::progress::{Bar, Watched};
use crate::results::{Folder, Identity, Manifest, State, TABLES};
use crate::worlds::{self, Place};

/// A scenario with what follows its runs.
pub(super) struct Job {
    source: Source,
    /// The runs in each world.
    watches: Vec<Arc<Watch>>,
    /// Runs of an earlier execution that are drawn are done once more.
    drawing: Arc<Watch>,
}

/// What came of a job.
pub(super) struct Outcome {
    pub(super) report: Report,
    /// The runs that are drawn.
    pub(super) curves: Vec<Curves>,
    /// Time series that are kept: point from 1, seed, tables.
    pub(super) series: Vec<(u64, u64, Vec<Frame>)>,
    /// What runs took: wall time in seconds, events.
    costs: Vec<(Task, f64, u64)>,
    /// Why a run has no result: the gravest cause.
    fault: Option<Exit>,
}

impl Outcome {
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
            return Err(Stop::new(self.fault.unwrap_or(Exit::RunFailed), what));
        }
        let all = report.runs.len();
        match report.cut_off() {
            0 => Ok(()),
            n => {
                let what = format!(
                    "{name}: in {n} of {all} runs not every transfer under test was finished; raise \
                     time or lower size"
                );
                Err(Stop::new(Exit::InvalidMeasurement, what))
            }
        }
    }

    /// The same as the schema `westwood.compare/1` has it.
    pub(super) fn comparison(&self, path: Path) -> results::Report {
        let run = |record: &RunRecord| {
            let run = record.summary.clone()?;
            let task = Task { point: record.point, seed: record.seed };
            let cost = self.costs.iter().find(|(of, ..)| *of == task);
            let (wall_s, events) = cost.map_or((0.0, 0), |(_, wall_s, events)| (*wall_s, *events));
            Some(Run { wall_s, events, ..run })
        };
        results::Report {
            schema: results::SCHEMA.to_owned(),
            version: self.report.version.clone(),
            path,
            runs: self.report.runs.iter().filter_map(run).collect(),
            summary: self.report.summaries.first().map(|setting| setting.summary.clone()),
            baselines: self.report.baselines.iter().flat_map(|b| &b.runs).filter_map(run).collect(),
        }
    }
}

impl Job {
    pub(super) fn new(source: Source, options: &Options) -> Self {
        let runs = everything(&source.scenario).len();
        let watch = || Arc::new(Watch::new(&source.scenario, runs));
        let watches = options.on.0.iter().map(|_| watch()).collect();
        let drawn = drawn(&source.scenario, Detail::Curves).len();
        let drawing = Arc::new(Watch::new(&source.scenario, drawn));
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

    /// What follows the work, and ends it.
    pub(super) fn works(&self) -> impl Iterator<Item = Arc<dyn Watched>> + '_ {
        let all = self.watches.iter().chain([&self.drawing]);
        all.map(|watch| Arc::clone(watch) as Arc<dyn Watched>)
    }

    /// The path of an experiment in words, with the names that its controllers have in the results.
    pub(super) fn words(&self, outcome: &Outcome) -> Option<Path> {
        let path = self.source.in_words.then(|| self.scenario().path()).flatten()?;
        let cc = outcome.report.points.iter().filter_map(|point| point.cc.clone()).collect();
        Some(Path { cc, ..path })
    }

    /// What makes the results mean little, in sentences.
    pub(super) fn warnings(&self, outcome: &Outcome) -> Vec<String> {
        let all = warnings(self.scenario(), &outcome.report);
        all.iter().map(ToString::to_string).collect()
    }

    /// The network of the first point, drawn.
    pub(super) fn sketch(&self) -> Option<Sketch> {
        let scenario = self.scenario();
        let (point, seed) = (scenario.points().first()?, *scenario.seeds().first()?);
        experiment::sketch(&scenario.build(point, seed).ok()?.outline())
    }

    /// As many runs at a time as there are processors, and as fit into the memory that is allowed.
    pub(super) fn jobs(&self, options: &Options) -> usize {
        options.jobs.unwrap_or_else(processors).min(self.scenario().at_a_time())
    }

    /// The runs of the part of the grid that is asked for, in one of the worlds.
    pub(super) fn part(&self, options: &Options, world: usize) -> Vec<Task> {
        let all = everything(self.scenario());
        let before = world * all.len();
        let numbered = all.into_iter().enumerate();
        let part = numbered.filter(|(i, _)| options.shard.is_none_or(|s| s.has(before + i)));
        part.map(|(_, task)| task).collect()
    }

    /// The same without baselines, of which nobody sees the packets.
    pub(super) fn contestants(&self, options: &Options, world: usize) -> Vec<Task> {
        let points = self.scenario().points().len();
        self.part(options, world).into_iter().filter(|task| task.point < points).collect()
    }

    /// By how much the number of a point in one of the worlds exceeds that in the scenario: points stand
    /// world by world, behind them baselines in the same way.
    fn offset(&self, point: usize, world: usize) -> usize {
        let (points, baselines) =
            (self.scenario().points().len(), self.scenario().baselines().len());
        if point < points {
            world * points
        } else {
            self.watches.len().saturating_sub(1) * points + world * baselines
        }
    }

    /// Runs what is to be run, and reports all that is done, by earlier executions too.
    pub(super) fn run(
        &self,
        options: &Options,
        captures: &[Captures<'_>],
        command: &str,
    ) -> Result<Outcome, Stop> {
        let worlds: Vec<(Place, Box<dyn World + '_>)> = options
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
        let mut doing = Doing::new(options, folder.as_mut());
        let mut finished = true;
        for ((number, world), watch) in each.iter().enumerate().zip(&self.watches) {
            finished = finished && self.run_in(*world, number, watch, &mut doing)?;
        }
        let Doing { records, mut curves, series, costs, fault, earlier, .. } = doing;
        let version = env!("CARGO_PKG_VERSION");
        let mut report = Report::new(self.scenario(), version, &each, records);
        report.summaries = summaries(&report, options.rules());
        if finished {
            curves.extend(self.drawn_again(options, &report, &earlier, &each)?);
        }
        curves.sort_by_key(|curves| curves.task);
        let outcome = Outcome { report, curves, series, costs, fault };
        close(options, folder, &outcome, finished)?;
        if finished {
            Ok(outcome)
        } else {
            Err(Stop::new(Exit::Interrupted, interrupted(options, command)))
        }
    }

    /// Does the runs in one world that are not done; true if nobody ended them.
    fn run_in(
        &self,
        world: &dyn World,
        number: usize,
        watch: &Arc<Watch>,
        doing: &mut Doing<'_>,
    ) -> Result<bool, Stop> {
        let options = doing.options;
        let before = |point: usize| self.offset(point, number);
        let done: BTreeSet<Task> = doing.records.iter().map(task_of).collect();
        let placed = |task: &Task| Task { point: task.point + before(task.point), ..*task };
        let wanted = |task: &Task| !done.contains(&placed(task));
        let tasks: Vec<Task> = self.part(options, number).into_iter().filter(wanted).collect();
        let detail = doing.detail();
        let drawn = if doing.draws() { drawn(self.scenario(), detail) } else { Vec::new() };
        let runs = Runs {
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
                // What is still being run could not be kept either.
                watch.cancel.store(true, Ordering::Relaxed);
            })
        })
    }

    /// Runs of an earlier execution that are drawn, simulated once more.
    fn drawn_again(
        &self,
        options: &Options,
        report: &Report,
        earlier: &BTreeSet<Task>,
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
            Stop::new(Exit::RunFailed, what)
        })?;
        curves.ok_or_else(|| Stop::new(Exit::Interrupted, "interrupted"))
    }

    /// The results folder, if one is asked for.
    fn folder(&self, options: &Options, worlds: &[&dyn World]) -> Result<Option<Folder>, Stop> {
        let Some(out) = &options.out else {
            return Ok(None);
        };
        let bound = worlds::bound_in_words(options.bound.bound).unwrap_or_default();
        let real = options.on.has_linux();
        let world = real.then(|| format!("{}{bound}", options.on));
        let source = &self.source;
        let identity = Identity {
            text: &source.text,
            settings: &source.settings,
            files: &source.files,
            world: world.as_deref(),
        };
        let grid = Report::new(self.scenario(), env!("CARGO_PKG_VERSION"), worlds, Vec::new());
        let jobs = self.jobs(options);
        let manifest =
            Manifest { shard: options.shard, ..Manifest::new(&identity, &source.file, grid, jobs) };
        let mut folder = Folder::open(out, manifest, &source.text, options.resume)?;
        if real {
            // The machine may be less busy now.
            folder.forget_failed();
        }
        Ok(Some(folder))
    }
}

/// Ends the results folder, and says where it is.
fn close(
    options: &Options,
    folder: Option<Folder>,
    outcome: &Outcome,
    finished: bool,
) -> Result<(), Stop> {
    let Some(folder) = folder else { return Ok(()) };
    let (state, exit) = match (finished, outcome.verdict()) {
        (false, _) => (State::Interrupted, Exit::Interrupted),
        (true, Err(stop)) => (State::Finished, stop.exit()),
        (true, Ok(())) => (State::Finished, Exit::Done),
    };
    let path = folder.path().display().to_string();
    folder.close(&outcome.report, state, exit)?;
    if !options.quiet {
        eprintln!("results in {path}{TABLES}");
    }
    Ok(())
}

/// What is said after Ctrl-C: how to go on, if anything was kept.
fn interrupted(options: &Options, command: &str) -> String {
    if options.out.is_none() {
        return "interrupted; nothing is kept: with --out DIR runs can be gone on with by --resume"
            .to_owned();
    }
    let resume = if options.resume { "" } else { " --resume" };
    format!("interrupted; finished runs are kept, go on with: {command}{resume}")
}

/// All runs of a scenario, those of baselines last.
fn everything(scenario: &Scenario) -> Vec<Task> {
    [tasks(scenario), baseline_tasks(scenario)].concat()
}

fn task_of(run: &RunRecord) -> Task {
    Task { point: run.point, seed: run.seed }
}

/// Runs that are being done.
struct Doing<'a> {
    options: &'a Options,
    folder: Option<&'a mut Folder>,
    /// Those of earlier executions.
    earlier: BTreeSet<Task>,
    records: Vec<RunRecord>,
    curves: Vec<Curves>,
    series: Vec<(u64, u64, Vec<Frame>)>,
    costs: Vec<(Task, f64, u64)>,
    fault: Option<Exit>,
}

impl<'a> Doing<'a> {
    fn new(options: &'a Options, folder: Option<&'a mut Folder>) -> Self {
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

    /// Takes what came of a run.
    fn take(&mut self, mut done: Done) -> Result<(), Stop> {
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
            Err(WorldError::Lacks(what)) => return Err(Stop::new(Exit::Environment, what)),
            Err(WorldError::Invalid(_)) => self.fault = Some(Exit::InvalidMeasurement),
            Err(_) => self.fault = self.fault.or(Some(Exit::RunFailed)),
        }
        if let Some(folder) = &mut self.folder {
            folder.keep(&done)?;
        }
        self.records.push(done.record());
        Ok(())
    }
}
