//! `westwood run`: read every file or ready scenario, run every grid, report.

use std::path::Path;
use std::sync::Arc;

use westwood_report::{grid, json};
use westwood_scenario::file::{Assignment, Scenario};
use westwood_scenario::library;
use westwood_scenario::run::{Report, Watch, run as simulate, tasks};

use crate::args::{JsonTarget, RunArgs};
use crate::compare::read;
use crate::exit::{Exit, Stop};
use crate::output::{Output, print};
use crate::plan::cores;
use crate::progress::{Bar, stop_on_interrupt};
use crate::terminal;

pub(crate) fn run(args: &RunArgs) -> Result<(), Stop> {
    let scenarios = scenarios(args)?;
    let json = match &args.json {
        Some(_) if scenarios.len() > 1 => {
            return Err(Stop::bad_input("--json: takes the results of one FILE"));
        }
        Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
        Some(JsonTarget::Stdout) | None => None,
    };
    if args.dry_run {
        return scenarios.iter().try_for_each(|s| crate::dry_run::print(s, args));
    }
    let mut failed = Ok(());
    let mut text = None;
    let watch = |s: &Scenario| Arc::new(Watch::new(s, tasks(s).len()));
    let watches: Vec<Arc<Watch>> = scenarios.iter().map(watch).collect();
    stop_on_interrupt(watches.clone())?;
    for (scenario, watch) in scenarios.iter().zip(&watches) {
        let report = run_all(scenario, watch, args)?;
        if !args.quiet && args.json != Some(JsonTarget::Stdout) {
            print(&grid::render(&report, terminal::style()))?;
        }
        failed = failed.and(check(&report));
        if args.json.is_some() {
            let rendered = json::render_run(&report);
            text = Some(rendered.map_err(|e| Stop::new(Exit::RunFailed, e))?);
        }
    }
    match (json, text) {
        (Some(file), Some(text)) => file.write(&text)?,
        (None, Some(text)) => print(&text)?,
        (_, None) => {}
    }
    failed
}

/// All scenarios; what is wrong with any of the files is said of all at once.
fn scenarios(args: &RunArgs) -> Result<Vec<Scenario>, Stop> {
    let mut scenarios = Vec::new();
    let mut wrong = Vec::new();
    for path in &args.files {
        match scenario(path, args) {
            Ok(scenario) => scenarios.push(scenario),
            Err(text) => wrong.push(text),
        }
    }
    if wrong.is_empty() { Ok(scenarios) } else { Err(Stop::bad_input(wrong.join("\nerror: "))) }
}

/// A file; if there is none of this name, a ready scenario.
fn scenario(path: &Path, args: &RunArgs) -> Result<Scenario, String> {
    let name = path.display().to_string();
    if !path.exists() && may_be_ready(path) {
        let ready = library::ready(&name).map_err(|e| format!("there is no file '{name}': {e}"))?;
        let set = settings(args)?;
        let parsed = Scenario::parse(ready.name, ready.text, &set, &library::read);
        return parsed.map_err(|e| e.to_string());
    }
    let text = read_scenario(path).map_err(|e| format!("'{name}' cannot be read: {e}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |file: &Path| read(&folder.join(file));
    let set = settings(args)?;
    Scenario::parse(&name, &text, &set, &beside).map_err(|e| e.to_string())
}

/// True for a bare word, without folder or ending.
fn may_be_ready(path: &Path) -> bool {
    path.components().count() == 1 && path.extension().is_none()
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

fn run_all(scenario: &Scenario, watch: &Arc<Watch>, args: &RunArgs) -> Result<Report, Stop> {
    let tasks = tasks(scenario);
    let bar = Bar::follow(watch, args.quiet);
    let mut records = Vec::new();
    let done = simulate(scenario, &tasks, jobs(scenario, args), watch, |done| {
        records.push(done.record());
        Ok::<(), Stop>(())
    });
    drop(bar);
    if !done? {
        return Err(Stop::new(Exit::Interrupted, "interrupted"));
    }
    Ok(Report::new(scenario, env!("CARGO_PKG_VERSION"), records))
}

/// As many runs at a time as there are processors, and as fit into the memory that is allowed.
pub(crate) fn jobs(scenario: &Scenario, args: &RunArgs) -> usize {
    args.jobs.unwrap_or_else(cores).min(scenario.at_a_time())
}

/// Failed runs, and transfers that did not end, are said after the results.
fn check(report: &Report) -> Result<(), Stop> {
    let failed = report.runs.iter().filter(|run| run.error.is_some()).count();
    if failed > 0 {
        let what = format!("{}: {failed} of {} runs failed", report.name, report.runs.len());
        return Err(Stop::new(Exit::RunFailed, what));
    }
    Ok(())
}
