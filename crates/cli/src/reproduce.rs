//! `westwood reproduce`: the papers' experiments run, their claims judged.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use westwood_experiment::run::{RunQueue, failed};
use westwood_experiment::store::RunStore;
use westwood_reproduce::run::{self, RunsStopped, Testbed};
use westwood_reproduce::{
    Extent, Paper, PaperPart, Platform, ReproductionPlan, ReproductionReport, in_full, judge,
    library, page, paper, scoreboard,
};

use westwood_scenario::{BadInput, counted};

use crate::args::{JsonTarget, ReproduceArgs};
use crate::cache;
use crate::draft::write_whole;
use crate::exit::{CommandExit, Stop};
use crate::linux::{self, Prepared};
use crate::machine::processors;
use crate::output::{Output, cannot_write, check_folder, print, tell};
use crate::playground;
use crate::progress::{Bar, stop_on_interrupt};
use crate::terminal;
use crate::worlds::{self, WorldName};

pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Stop> {
    worlds::check_bound(args.bound.bound, args.on == WorldName::Linux)?;
    let mut plan = plan(args)?;
    let json = match &args.json {
        Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
        Some(JsonTarget::Stdout) | None => None,
    };
    let markdown =
        args.markdown.as_ref().map(|path| Output::prepare("--markdown", path)).transpose()?;
    let pages = args.html.as_ref().map(|path| pages(path)).transpose()?;
    let store = store(args)?;
    let (done, report) = judged(args, &mut plan, store.as_ref())?;
    let text = report.json().map_err(|e| Stop::new(CommandExit::RunFailed, e))?;
    match (json, &args.json) {
        (Some(file), _) => file.write(&text, !args.quiet)?,
        (None, Some(_)) => print(&text)?,
        (None, None) => {}
    }
    if let Some(file) = markdown {
        file.write(&scoreboard::markdown(&plan, &report), !args.quiet)?;
    }
    if let Some(folder) = pages {
        for (name, text) in page::pages(&plan, &report, &playground::page(None)) {
            let path = folder.join(name);
            let written = path
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| write_whole(&path, text.as_bytes()));
            written.map_err(|e| cannot_write("--html", &path, &e))?;
        }
    }
    if !args.quiet && args.json != Some(JsonTarget::Stdout) {
        let is_one = args.part.as_ref().is_some_and(|part| is_claim(&plan.papers, part));
        print(&if is_one { one_claim(&report) } else { scoreboard::terminal(&plan, &report) })?;
    }
    match failed(&done.failures(&plan)) {
        None => Ok(()),
        Some(what) => Err(Stop::new(CommandExit::RunFailed, what)),
    }
}

/// The one claim that was asked for, with everything that is known of it.
fn one_claim(report: &ReproductionReport) -> String {
    let width = terminal::style().width;
    match (report.claims.first(), report.not_run.first()) {
        (Some(claim), _) => in_full::in_full(claim, width),
        (None, Some(id)) => format!("{id} is not judged: its runs are not there\n"),
        (None, None) => "not evaluated in quick mode: leave out --quick\n".to_owned(),
    }
}

fn plan(args: &ReproduceArgs) -> Result<ReproductionPlan, Stop> {
    let mode = if args.quick { Extent::Quick } else { Extent::Full };
    let (papers, sources) = match &args.papers {
        None => library(),
        Some(folder) => {
            let files = paper::files_in(folder).map_err(|e| {
                Stop::bad_input(format!("--papers: '{}' cannot be read: {e}", folder.display()))
            })?;
            let files: Vec<paper::File<'_>> =
                files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            paper::papers(&files)
        }
    }
    .map_err(Stop::bad_input)?;
    let is_unknown = |part: &&String| looks_like_a_claim(part) && !is_claim(&papers, part);
    if let Some(part) = args.part.as_ref().filter(is_unknown) {
        return Err(Stop::bad_input(unknown_claim(&papers, part)));
    }
    let asked = match &args.part {
        Some(part) if is_claim(&papers, part) => paper::of_claim(papers, part).unwrap_or_default(),
        _ => papers,
    };
    let mut plan =
        ReproductionPlan::on(on(args), asked, &sources, mode).map_err(Stop::bad_input)?;
    if plan.papers.iter().all(|paper| paper.claims.is_empty()) {
        let part = args.part.as_deref().unwrap_or("the folder of papers");
        return Err(Stop::bad_input(match on(args) {
            Platform::Linux => {
                format!("{part} has nothing that runs on Linux; leave out --on linux")
            }
            Platform::Simulator => format!("{part} has no claim; write one into claims.toml"),
        }));
    }
    let claim = plan.papers.iter().flat_map(|paper| &paper.claims).map(|claim| claim.id.as_str());
    match &args.part {
        Some(part) if claim.eq([part.to_uppercase()]) => {}
        Some(part) => plan.choose(&PaperPart::parse(part)).map_err(Stop::bad_input)?,
        None => {}
    }
    Ok(plan)
}

/// Papers and experiments are written small, claims large.
fn looks_like_a_claim(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_uppercase())
}

/// There are too many claims to list.
fn unknown_claim(papers: &[Paper], part: &str) -> BadInput {
    let paper = part.split('-').next().unwrap_or(part);
    let claims = papers.iter().flat_map(|paper| &paper.claims).map(|claim| claim.id.as_str());
    let near: Vec<&str> = claims.filter(|id| id.starts_with(paper)).collect();
    if near.is_empty() {
        let what = format!("unknown claim '{part}'");
        return BadInput::new(what).hint("westwood list claims has them all");
    }
    BadInput::unknown("claim", part, near)
}

fn is_claim(papers: &[Paper], part: &str) -> bool {
    let mut claims = papers.iter().flat_map(|paper| &paper.claims);
    claims.any(|claim| claim.id.eq_ignore_ascii_case(part))
}

fn on(args: &ReproduceArgs) -> Platform {
    match args.on {
        WorldName::Sim => Platform::Simulator,
        WorldName::Linux => Platform::Linux,
    }
}

/// Runs what is planned and judges it, with more seeds until every claim and every choice is decided or has
/// spent its budget.
fn judged(
    args: &ReproduceArgs,
    plan: &mut ReproductionPlan,
    store: Option<&RunStore>,
) -> Result<(run::RunResults, ReproductionReport), Stop> {
    let (mut done, first) = run::prepare(plan, store);
    let mut watch = Arc::new(first);
    let cancel = Arc::clone(&watch.cancel);
    if !args.kept {
        if args.on == WorldName::Linux {
            linux::enter()?;
        }
        stop_on_interrupt(vec![Arc::<RunQueue>::clone(&watch)])?;
    }
    loop {
        if !args.kept {
            done = simulate(args, plan, done, &watch, store)?;
        }
        let (report, more) = judge(plan, &done);
        if args.kept || more.is_empty() || !done.failures(plan).is_empty() {
            return Ok((done, report));
        }
        if !args.quiet {
            let verdicts = if more.len() == 1 { "verdict is" } else { "verdicts are" };
            tell(format_args!("{} {verdicts} undecided: more seeds", more.len()));
        }
        plan.add_seeds(&more);
        watch = Arc::new(run::remaining(plan, &done, Arc::clone(&cancel)));
    }
}

fn simulate(
    args: &ReproduceArgs,
    plan: &ReproductionPlan,
    done: run::RunResults,
    watch: &Arc<RunQueue>,
    store: Option<&RunStore>,
) -> Result<run::RunResults, Stop> {
    let _prepared = (args.on == WorldName::Linux).then(|| prepare_linux(plan)).transpose()?;
    let note = match args.on {
        WorldName::Sim => None,
        WorldName::Linux => {
            if !args.quiet {
                let (_, runs) = watch.runs();
                let runs = counted(runs as u64, "run");
                tell(format_args!("{runs} in real time: {}", minutes(watch.length())));
            }
            let bound = worlds::bound_text(args.bound.bound).unwrap_or_default();
            Some(worlds::kernel_and_day() + &bound)
        }
    };
    let world = worlds::open(args.on, args.bound.bound, None);
    let ground = Testbed { world: &*world, note };
    let bar = Bar::follow(watch, args.quiet);
    let jobs = args.jobs.unwrap_or_else(processors);
    let result = run::run_on(&ground, plan, done, watch, store, jobs);
    drop(bar);
    result.map_err(|stopped| match stopped {
        RunsStopped::Cancelled => {
            Stop::new(CommandExit::Interrupted, "interrupted; finished runs are kept")
        }
        RunsStopped::Refused(e) => cache::cannot_keep(&e),
    })
}

/// The kernel, ready for every point that something is asked of.
fn prepare_linux(plan: &ReproductionPlan) -> Result<Prepared, Stop> {
    let mut networks = Vec::new();
    for grid in plan.grids.iter().filter(|grid| grid.wanted) {
        let seed = grid.scenario.seeds().first().copied().unwrap_or(1);
        for &point in &grid.points {
            let built = grid.scenario.build(&grid.scenario.points()[point], seed);
            networks.push(built.map_err(|e| Stop::bad_input(e.lines().join("\nerror: ")))?.network);
        }
    }
    linux::prepare_for_claims(&networks)
}

fn minutes(length: Duration) -> String {
    match length.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// The folder of finished runs.
fn store(args: &ReproduceArgs) -> Result<Option<RunStore>, Stop> {
    if args.fresh {
        return Ok(None);
    }
    let bound = worlds::bound_text(args.bound.bound);
    cache::open(args.cache.as_deref(), "reproduce", bound.as_deref(), !args.kept).map(Some)
}

/// The folder of the pages, which is made if need be.
fn pages(path: &std::path::Path) -> Result<PathBuf, Stop> {
    check_folder("--html", path)?;
    std::fs::create_dir_all(path).map_err(|e| cannot_write("--html", path, &e))?;
    Ok(path.to_owned())
}
