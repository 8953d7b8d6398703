//! `westwood run`: read every file or ready scenario, run every grid, report.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use westwood_report::document::Sketch;
use westwood_report::experiment::{self, About};
use westwood_report::{figure, grid, html, json};
use westwood_scenario::file::{Assignment, Scenario};
use westwood_scenario::library::{self, Ready};
use westwood_scenario::run::{Report, RunRecord, Task, Watch, run as simulate, tasks};

use crate::args::{JsonTarget, RunArgs};
use crate::capture::Captures;
use crate::compare::read;
use crate::dry_run;
use crate::exit::{Exit, Stop};
use crate::output::{Folder as Files, Output, print};
use crate::plan::cores;
use crate::progress::{Bar, Watched, stop_on_interrupt};
use crate::results::{Folder, Identity, Manifest, State};
use crate::terminal;

/// A scenario with the texts that it was read from.
struct Job {
    file: String,
    text: String,
    settings: Vec<String>,
    /// The other files that it names.
    files: Vec<(String, String)>,
    scenario: Scenario,
    watch: Arc<Watch>,
}

impl Job {
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
    let scenarios = jobs_of(args)?;
    let outputs = Outputs::prepare(args, scenarios.len())?;
    let mut captures = match scenarios.first() {
        Some(job) => Captures::plan(&args.captures, &job.scenario, &job.part(args))?,
        None => None,
    };
    if args.dry_run {
        scenarios.iter().try_for_each(|job| dry_run::print(&job.scenario, args))?;
        return captures.map_or(Ok(()), |c| print(&format!("{}\n", c.announcement())));
    }
    let works = scenarios.iter().map(|job| Arc::<Watch>::clone(&job.watch) as Arc<dyn Watched>);
    let more = captures.iter().map(|c| c.watch() as Arc<dyn Watched>);
    stop_on_interrupt(works.chain(more).collect())?;
    if let Some(captures) = &mut captures {
        captures.begin(args.quiet)?;
    }
    let mut failed = Ok(());
    let mut last = None;
    for job in &scenarios {
        let report = job.run(args)?;
        if !args.quiet && args.json != Some(JsonTarget::Stdout) {
            print(&grid::render(&report, terminal::style()))?;
        }
        failed = failed.and(check(&report));
        last = Some((job, report));
    }
    if let Some((job, report)) = &last {
        outputs.write(args, job, report, command)?;
    }
    if let (Some(captures), Some(job)) = (&captures, scenarios.first()) {
        captures.write(jobs(&job.scenario, args), args.quiet)?;
    }
    failed
}

/// Where results go besides the terminal and the results folder.
struct Outputs {
    json: Option<Output>,
    html: Option<Output>,
    svg: Option<Files>,
}

impl Outputs {
    fn prepare(args: &RunArgs, scenarios: usize) -> Result<Self, Stop> {
        let given = [
            ("--json", args.json.is_some()),
            ("--html", args.html.is_some()),
            ("--svg", args.svg.is_some()),
            ("--pcap", args.captures.pcap.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given && scenarios > 1) {
            return Err(Stop::bad_input(format!("{flag}: takes the results of one FILE")));
        }
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let html = args.html.as_ref().map(|path| Output::prepare("--html", path)).transpose()?;
        let prepare =
            |path: &std::path::PathBuf| Files::prepare("--svg", path, &experiment::FIGURES);
        Ok(Self { json, html, svg: args.svg.as_ref().map(prepare).transpose()? })
    }

    fn write(self, args: &RunArgs, job: &Job, report: &Report, command: &str) -> Result<(), Stop> {
        if args.json.is_some() {
            let text = json::render_run(report).map_err(|e| Stop::new(Exit::RunFailed, e))?;
            self.json.map_or_else(|| print(&text), |file| file.write(&text))?;
        }
        if self.html.is_none() && self.svg.is_none() {
            return Ok(());
        }
        let about =
            About { command: command.to_owned(), scenario: job.text.clone(), path: job.path() };
        let document = experiment::document(report, about);
        if let Some(html) = self.html {
            html.write(&html::render(&document))?;
        }
        self.svg.map_or(Ok(()), |folder| folder.write(&figure::files(&document)))
    }
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
    let set = settings(args)?;
    let scenario = Scenario::parse(&file, &text, &set, &beside).map_err(|e| e.to_string())?;
    let watch = Arc::new(Watch::new(&scenario, tasks(&scenario).len()));
    let settings = set.iter().map(|assignment| assignment.text().to_owned()).collect();
    let files = files.into_inner().into_iter().collect();
    Ok(Job { file, text, settings, files, scenario, watch })
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
    fn run(&self, args: &RunArgs) -> Result<Report, Stop> {
        let scenario = &self.scenario;
        let mut folder = self.folder(args)?;
        let done = folder.as_ref().map_or(Vec::new(), |folder| folder.done().to_vec());
        let wanted = self.wanted(args, &done);
        let bar = Bar::follow(&self.watch, args.quiet);
        let mut records = done;
        let result = simulate(scenario, &wanted, jobs(scenario, args), &self.watch, |done| {
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
        if finished { Ok(report) } else { Err(Stop::new(Exit::Interrupted, "interrupted")) }
    }

    /// The results folder, if one is asked for.
    fn folder(&self, args: &RunArgs) -> Result<Option<Folder>, Stop> {
        let Some(out) = &args.out else {
            return Ok(None);
        };
        let identity = Identity { text: &self.text, settings: &self.settings, files: &self.files };
        let grid = Report::new(&self.scenario, env!("CARGO_PKG_VERSION"), Vec::new());
        let jobs = jobs(&self.scenario, args);
        let manifest =
            Manifest { shard: args.shard, ..Manifest::new(&identity, &self.file, grid, jobs) };
        Folder::open(out, manifest, &self.text, args.resume).map(Some)
    }

    /// The runs of the part that is asked for, without those that are done.
    fn wanted(&self, args: &RunArgs, done: &[RunRecord]) -> Vec<Task> {
        let done: BTreeSet<Task> =
            done.iter().map(|r| Task { point: r.point, seed: r.seed }).collect();
        self.part(args).into_iter().filter(|task| !done.contains(task)).collect()
    }
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
