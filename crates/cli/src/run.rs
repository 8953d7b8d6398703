//! `westwood run`: read every file or ready scenario, run every grid, report.

mod outputs;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use westwood_report::document::Sketch;
use westwood_report::experiment;
use westwood_report::grid;
use westwood_scenario::file::{Assignment, Scenario};
use westwood_scenario::library::{self, Ready};
use westwood_scenario::run::{
    Curves, Report, RunRecord, Task, Watch, curves, drawn, run_in, tasks,
};

use crate::args::{CaptureArgs, JsonTarget, RunArgs};
use crate::capture::{Captures, Runs};
use crate::compare::read;
use crate::dry_run;
use crate::exit::{Exit, Stop};
use crate::linux::{self, Prepared};
use crate::output::print;
use crate::plan::cores;
use crate::progress::{Bar, Watched, stop_on_interrupt};
use crate::results::{Folder, Identity, Manifest, State};
use crate::terminal;
use crate::worlds::{self, Place};
use outputs::All;

/// A scenario with the texts that it was read from.
struct Job {
    file: String,
    text: String,
    settings: Vec<String>,
    /// The other files that it names.
    files: Vec<(String, String)>,
    scenario: Scenario,
    watch: Arc<Watch>,
    /// The runs that are drawn over time, if anything is drawn, are done once more.
    drawing: Arc<Watch>,
}

impl Job {
    /// The runs that are drawn as they run, because they cannot be done once more.
    fn drawn_at_once(&self, args: &RunArgs) -> Vec<Task> {
        let draws = args.html.is_some() || args.svg.is_some();
        if draws && !args.on.repeats() { drawn(&self.scenario) } else { Vec::new() }
    }

    /// The runs that are drawn over time, simulated once more.
    fn curves(&self, args: &RunArgs, report: &Report) -> Result<Vec<Curves>, Stop> {
        let chosen = drawn(&self.scenario);
        let is_drawn = |run: &&RunRecord| {
            run.summary.is_some() && chosen.contains(&Task { point: run.point, seed: run.seed })
        };
        let runs: Vec<RunRecord> = report.runs.iter().filter(is_drawn).cloned().collect();
        let bar = Bar::follow(&self.drawing, args.quiet);
        let curves = curves(&self.scenario, &runs, jobs(&self.scenario, args), &self.drawing);
        drop(bar);
        let curves = curves.map_err(|why| {
            let what = format!("{}: the curves cannot be drawn: {why}", report.name);
            Stop::new(Exit::RunFailed, what)
        })?;
        curves.ok_or_else(|| Stop::new(Exit::Interrupted, "interrupted"))
    }

    /// The network of the first point, drawn.
    fn path(&self) -> Option<Sketch> {
        let (point, seed) = (self.scenario.points().first()?, *self.scenario.seeds().first()?);
        experiment::sketch(&self.scenario.build(point, seed).ok()?.outline())
    }

    /// The runs of the part of the grid that is asked for.
    fn part(&self, args: &RunArgs) -> Vec<Task> {
        let all = tasks(&self.scenario).into_iter().enumerate();
        let part = all.filter(|(i, _)| args.shard.is_none_or(|shard| shard.has(*i)));
        part.map(|(_, task)| task).collect()
    }
}

pub(crate) fn run(args: &RunArgs, command: &str) -> Result<(), Stop> {
    worlds::check_bound(args.bound.bound, args.on == Place::Linux)?;
    let scenarios = jobs_of(args)?;
    let _prepared = (args.on == Place::Linux).then(|| prepare_linux(&scenarios)).transpose()?;
    let All { each: outputs, places: _places } = All::prepare(args, &scenarios)?;
    let asked: Vec<CaptureArgs> = outputs.iter().map(|of| of.captures.clone()).collect();
    let mut captures = planned(args, &scenarios, &asked)?;
    if args.dry_run {
        scenarios.iter().try_for_each(|job| dry_run::print(&job.scenario, args))?;
        let mut announced = captures.iter().flatten().map(Captures::announcement);
        return announced.try_for_each(|text| print(&format!("{text}\n")));
    }
    let watches = scenarios.iter().flat_map(|job| [&job.watch, &job.drawing]);
    let works = watches.map(|watch| Arc::clone(watch) as Arc<dyn Watched>);
    let more = captures.iter().flatten().map(|c| c.watch() as Arc<dyn Watched>);
    stop_on_interrupt(works.chain(more).collect())?;
    captures.iter_mut().flatten().try_for_each(|captures| captures.begin(args.quiet))?;
    let mut failed = Ok(());
    for ((job, outputs), captures) in scenarios.iter().zip(outputs).zip(&captures) {
        let (report, curves) = job.run(args, captures.as_ref(), command)?;
        if !args.quiet && args.json != Some(JsonTarget::Stdout) {
            print(&grid::render(&report, terminal::style()))?;
        }
        failed = failed.and(check(&report));
        outputs.write(args, job, (&report, curves), command)?;
        if let Some(captures) = captures {
            captures.write(jobs(&job.scenario, args), args.quiet)?;
        }
    }
    failed
}

/// Sees that the kernel can run every point, before anything runs.
fn prepare_linux(scenarios: &[Job]) -> Result<Prepared, Stop> {
    let mut networks = Vec::new();
    for scenario in scenarios.iter().map(|job| &job.scenario) {
        for point in scenario.points() {
            let built = scenario.build(point, scenario.seeds().first().copied().unwrap_or(1));
            networks.push(built.map_err(|e| Stop::bad_input(e.lines().join("\nerror: ")))?.network);
        }
    }
    linux::prepare(&networks)
}

/// The captures of each scenario, if any are asked for.
fn planned<'a>(
    args: &RunArgs,
    scenarios: &'a [Job],
    asked: &'a [CaptureArgs],
) -> Result<Vec<Option<Captures<'a>>>, Stop> {
    let mut taken = 0_u64;
    let mut all = Vec::new();
    for (job, asked) in scenarios.iter().zip(asked) {
        let runs = if args.on == Place::Linux { Runs::Real("") } else { Runs::Simulated };
        let captures = Captures::plan(asked, runs, &job.scenario, &job.part(args), taken)?;
        taken = taken.saturating_add(captures.as_ref().map_or(0, Captures::estimate));
        all.push(captures);
    }
    Ok(all)
}

/// All scenarios; what is wrong with any of the files is said of all at once.
fn jobs_of(args: &RunArgs) -> Result<Vec<Job>, Stop> {
    let mut jobs = Vec::new();
    let mut wrong = Vec::new();
    for path in &args.files {
        match job(path, args) {
            Ok(job) => jobs.push(job),
            Err(text) => wrong.push(text),
        }
    }
    if wrong.is_empty() { Ok(jobs) } else { Err(Stop::bad_input(wrong.join("\nerror: "))) }
}

fn job(path: &Path, args: &RunArgs) -> Result<Job, String> {
    let set = settings(args)?;
    let Source { file, text, files, scenario } = source(path, &set)?;
    let watch = Arc::new(Watch::new(&scenario, tasks(&scenario).len()));
    let drawing = Arc::new(Watch::new(&scenario, drawn(&scenario).len()));
    let settings = set.iter().map(|assignment| assignment.text().to_owned()).collect();
    Ok(Job { file, text, settings, files, scenario, watch, drawing })
}

/// A scenario, and the texts that it was read from.
pub(crate) struct Source {
    file: String,
    text: String,
    /// The other files that it names.
    files: Vec<(String, String)>,
    pub(crate) scenario: Scenario,
}

/// The scenario in a file, or the ready one of this name, with these settings.
pub(crate) fn source(path: &Path, set: &[Assignment]) -> Result<Source, String> {
    let ready = ready(path)?;
    let file = ready.map_or_else(|| path.display().to_string(), |ready| ready.name.to_owned());
    let text = match ready {
        Some(ready) => ready.text.to_owned(),
        None => read_scenario(path).map_err(|e| format!("'{file}' cannot be read: {e}"))?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = RefCell::new(BTreeMap::new());
    let beside = |name: &Path| {
        let text = match ready {
            Some(_) => library::read(name)?,
            None => read(&folder.join(name))?,
        };
        files.borrow_mut().insert(name.display().to_string(), text.clone());
        Ok(text)
    };
    let scenario = Scenario::parse(&file, &text, set, &beside).map_err(|e| e.to_string())?;
    let files = files.into_inner().into_iter().collect();
    Ok(Source { file, text, files, scenario })
}

/// The ready scenario that a bare word names, if there is no file of that name.
fn ready(path: &Path) -> Result<Option<&'static Ready>, String> {
    let bare = path.components().count() == 1 && path.extension().is_none();
    if !bare || path.exists() {
        return Ok(None);
    }
    let found = library::ready(&path.display().to_string());
    found.map(Some).map_err(|e| format!("there is no file of this name: {e}"))
}

/// The settings of the command line; those of `--seed` and `--seeds` like any other.
fn settings(args: &RunArgs) -> Result<Vec<Assignment>, String> {
    let flags = [("seed", args.seed), ("seeds", args.seeds)];
    let given = flags.iter().filter_map(|(path, n)| n.map(|n| format!("{path}={n}")));
    let flags = given.map(|text| Assignment::parse(&text).map_err(|e| e.to_string()));
    args.set.iter().cloned().map(Ok).chain(flags).collect()
}

fn read_scenario(path: &Path) -> Result<String, String> {
    /// Nobody writes a megabyte by hand.
    const MOST_BYTES: u64 = 1 << 20;
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes; at most {MOST_BYTES} are read"));
    }
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map_err(|e| {
        let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n');
        format!("line {} is not UTF-8", line.count() + 1)
    })
}

impl Job {
    /// Runs what is to be run, and reports all that is done, by earlier executions too.
    fn run(
        &self,
        args: &RunArgs,
        captures: Option<&Captures<'_>>,
        command: &str,
    ) -> Result<(Report, Vec<Curves>), Stop> {
        let scenario = &self.scenario;
        let mut folder = self.folder(args)?;
        let done = folder.as_ref().map_or(Vec::new(), |folder| folder.done().to_vec());
        let wanted = self.wanted(args, &done);
        let bar = Bar::follow(&self.watch, args.quiet);
        let (mut records, mut curves) = (done, Vec::new());
        let world = args.on.world(args.bound.bound, captures);
        let tasks = (&wanted[..], &self.drawn_at_once(args)[..]);
        let result =
            run_in(&*world, scenario, tasks, jobs(scenario, args), &self.watch, |mut done| {
                curves.extend(done.curves.take());
                if let Some(folder) = &mut folder {
                    folder.keep(&done).inspect_err(|_| {
                        // What is still being simulated could not be kept either.
                        self.watch.cancel.store(true, Ordering::Relaxed);
                    })?;
                }
                records.push(done.record());
                Ok::<(), Stop>(())
            });
        drop(bar);
        let finished = result?;
        let report = Report::new(scenario, env!("CARGO_PKG_VERSION"), records);
        let (state, exit) = match (finished, check(&report)) {
            (false, _) => (State::Interrupted, Exit::Interrupted),
            (true, Err(stop)) => (State::Finished, stop.exit()),
            (true, Ok(())) => (State::Finished, Exit::Done),
        };
        if let Some(folder) = folder {
            let path = folder.path().display().to_string();
            folder.close(&report, state, exit)?;
            if !args.quiet {
                eprintln!("results in {path}");
            }
        }
        curves.sort_by_key(|curves: &Curves| curves.task);
        if finished {
            Ok((report, curves))
        } else {
            Err(Stop::new(Exit::Interrupted, interrupted(args, command)))
        }
    }

    /// The results folder, if one is asked for.
    fn folder(&self, args: &RunArgs) -> Result<Option<Folder>, Stop> {
        let Some(out) = &args.out else {
            return Ok(None);
        };
        let bound = worlds::bound_in_words(args.bound.bound).unwrap_or_default();
        let world = (!args.on.repeats()).then(|| format!("linux{bound}"));
        let identity = Identity {
            text: &self.text,
            settings: &self.settings,
            files: &self.files,
            world: world.as_deref(),
        };
        let grid = Report::new(&self.scenario, env!("CARGO_PKG_VERSION"), Vec::new());
        let jobs = jobs(&self.scenario, args);
        let manifest =
            Manifest { shard: args.shard, ..Manifest::new(&identity, &self.file, grid, jobs) };
        let mut folder = Folder::open(out, manifest, &self.text, args.resume)?;
        if !args.on.repeats() {
            // The machine may be less busy now.
            folder.forget_failed();
        }
        Ok(Some(folder))
    }

    /// The runs of the part that is asked for, without those that are done.
    fn wanted(&self, args: &RunArgs, done: &[RunRecord]) -> Vec<Task> {
        let done: BTreeSet<Task> =
            done.iter().map(|r| Task { point: r.point, seed: r.seed }).collect();
        self.part(args).into_iter().filter(|task| !done.contains(task)).collect()
    }
}

/// What is said after Ctrl-C: how to go on, if anything was kept.
fn interrupted(args: &RunArgs, command: &str) -> String {
    if args.out.is_none() {
        return "interrupted".to_owned();
    }
    let resume = if args.resume { "" } else { " --resume" };
    format!("interrupted; finished runs are kept, go on with: {command}{resume}")
}

/// As many runs at a time as there are processors, and as fit into the memory that is allowed.
pub(crate) fn jobs(scenario: &Scenario, args: &RunArgs) -> usize {
    args.jobs.unwrap_or_else(cores).min(scenario.at_a_time())
}

/// Failed runs, and transfers that did not end, decide the exit code after all results are out.
fn check(report: &Report) -> Result<(), Stop> {
    let (name, all) = (&report.name, report.runs.len());
    let failed = report.runs.iter().filter(|run| run.error.is_some()).count();
    if failed > 0 {
        return Err(Stop::new(Exit::RunFailed, format!("{name}: {failed} of {all} runs failed")));
    }
    match report.cut_off() {
        0 => Ok(()),
        n => {
            let what = format!(
                "{name}: in {n} of {all} runs not every transfer under test was finished; raise time or \
                 lower size"
            );
            Err(Stop::new(Exit::InvalidMeasurement, what))
        }
    }
}
