//! `westwood compare`: check everything, run, report.

use std::path::Path;
use std::sync::Arc;

use westwood_report::document::Document;
use westwood_report::{comparison, csv, figure, html, json, terminal as view};
use westwood_scenario::compare::{Comparison, Failure, Plan, Progress, compare_in};
use westwood_scenario::file::{Scenario, scenario_of};
use westwood_scenario::metric::{Metric, Unit};
use westwood_scenario::ranking::groups;
use westwood_scenario::results::{Report, SCHEMA};
use westwood_scenario::run::tasks;
use westwood_scenario::spec::Criterion;

use westwood_sim::Probes;

use crate::args::{CompareArgs, JsonTarget};
use crate::capture::{Captures, Runs};
use crate::exit::{Exit, Stop};
use crate::linux::{self, Prepared};
use crate::output::{Folder, Output, print};
use crate::plan::plan;
use crate::progress::{Bar, Watched, stop_on_interrupt};
use crate::terminal;
use crate::worlds::{self, Place};

pub(crate) fn run(args: &CompareArgs, command: &str) -> Result<(), Stop> {
    let plan = plan(args, &read)?;
    worlds::check_bound(args.bound.bound, args.on.has_linux())?;
    let outputs = Outputs::prepare(args)?;
    let scenario = scenario_of(&plan)
        .ok_or_else(|| Stop::bad_input("--write-scenario: the seeds do not follow one another"))?;
    let again = repeated(args, &scenario)?;
    let mut captures = match &again {
        Some(again) => captures(args, again)?,
        None => Vec::new(),
    };
    let _prepared = args.on.has_linux().then(|| prepare_linux(&plan)).transpose()?;
    let worlds: Vec<(Place, Arc<Progress>)> =
        args.on.0.iter().map(|&place| (place, Arc::new(Progress::new(&plan)))).collect();
    let mut works: Vec<Arc<dyn Watched>> =
        worlds.iter().map(|(_, progress)| Arc::clone(progress) as Arc<dyn Watched>).collect();
    works.extend(captures.iter().map(|(_, c)| c.watch() as Arc<dyn Watched>));
    stop_on_interrupt(works)?;
    captures.iter_mut().try_for_each(|(_, captures)| captures.begin(args.quiet))?;
    let comparison = everywhere(&plan, &worlds, &captures, args)?;
    let mut path = plan.path.describe(&plan.controllers, &plan.seeds).map_err(Stop::bad_input)?;
    path.cc = groups(&comparison.runs).into_iter().map(|group| group.cc.to_owned()).collect();
    let report = Report {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        path,
        runs: comparison.runs,
    };
    if !args.quiet && !outputs.stdout_is_json {
        print(&view::render(&report, &comparison.series, terminal::style()))?;
    }
    let text = if outputs.wants_json() {
        json::render(&report).map_err(|e| Stop::new(Exit::RunFailed, e))?
    } else {
        String::new()
    };
    let document = outputs
        .draw()
        .then(|| comparison::document(&report, &comparison.series, command, Some(&scenario)));
    let tables = outputs.csv.as_ref().map(|_| csv::render(&report, &comparison.series));
    outputs.write(&text, &scenario, tables.as_ref(), document.as_ref())?;
    captures.iter().try_for_each(|(_, captures)| captures.write(plan.jobs, args.quiet))?;
    check_transfers(&report)?;
    check_criteria(&report, &args.fail_if)
}

/// Sees that the kernel can run every controller's network, before anything runs.
fn prepare_linux(plan: &Plan) -> Result<Prepared, Stop> {
    let networks = plan.controllers.iter().map(|cc| plan.path.network(cc, 1, Probes::default()));
    let networks: Vec<_> = networks.collect::<Result<_, _>>().map_err(Stop::bad_input)?;
    linux::prepare(&networks)
}

/// The comparison in each world, one after the other.
fn everywhere(
    plan: &Plan,
    worlds: &[(Place, Arc<Progress>)],
    captures: &[(Place, Captures<'_>)],
    args: &CompareArgs,
) -> Result<Comparison, Stop> {
    let mut all = Comparison { runs: Vec::new(), series: Vec::new() };
    for (place, progress) in worlds {
        let bar = Bar::follow(progress, args.quiet);
        let captures = captures.iter().find(|(of, _)| of == place).map(|(_, captures)| captures);
        let result = compare_in(&*place.world(args.bound.bound, captures), plan, progress);
        drop(bar);
        let comparison = result.map_err(|failure| {
            let exit = match failure {
                Failure::Cancelled => Exit::Interrupted,
                Failure::Run { .. } => Exit::RunFailed,
                Failure::Lacks(_) => Exit::Environment,
                Failure::Invalid { .. } => Exit::InvalidMeasurement,
            };
            Stop::new(exit, failure)
        })?;
        all.runs.extend(comparison.runs);
        all.series.extend(comparison.series);
    }
    Ok(all)
}

/// The captures in each world.
fn captures<'a>(
    args: &'a CompareArgs,
    again: &'a Scenario,
) -> Result<Vec<(Place, Captures<'a>)>, Stop> {
    let mut all: Vec<(Place, Captures<'_>)> = Vec::new();
    for &place in &args.on.0 {
        let runs = match place {
            Place::Sim => Runs::Simulated,
            // As their runs are called.
            Place::Linux => Runs::Real("@linux"),
        };
        let taken = all.iter().map(|(_, captures)| captures.estimate()).sum();
        let planned = Captures::plan(&args.captures, runs, again, &tasks(again), taken)?;
        all.extend(planned.map(|captures| (place, captures)));
    }
    Ok(all)
}

/// The comparison as `westwood run` would read it, if its packets are to be captured.
fn repeated(args: &CompareArgs, scenario: &str) -> Result<Option<Scenario>, Stop> {
    if args.captures.pcap.is_none() {
        return Ok(None);
    }
    let read = Scenario::parse("comparison", scenario, &[], &read);
    read.map(Some).map_err(|e| Stop::bad_input(format!("--pcap: {e}")))
}

/// Reads a file that the command line names.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    /// A trace of a day at a gigabit a second is smaller.
    const MOST_BYTES: u64 = 1 << 30;
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("it has {size} bytes; at most {MOST_BYTES} are read"));
    }
    std::fs::read_to_string(path).map_err(|e| e.to_string())
}

/// Where results go besides the terminal.
struct Outputs {
    stdout_is_json: bool,
    json: Option<Output>,
    csv: Option<Folder>,
    html: Option<Output>,
    svg: Option<Folder>,
    scenario: Option<Output>,
}

impl Outputs {
    fn prepare(args: &CompareArgs) -> Result<Self, Stop> {
        let json = match &args.json {
            Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
            Some(JsonTarget::Stdout) | None => None,
        };
        let csv = match &args.csv {
            Some(path) => Some(Folder::prepare("--csv", path, &csv::NAMES)?),
            None => None,
        };
        let scenario = match &args.write_scenario {
            Some(path) => Some(Output::prepare("--write-scenario", path)?),
            None => None,
        };
        let html = match &args.html {
            Some(path) => Some(Output::prepare("--html", path)?),
            None => None,
        };
        let svg = match &args.svg {
            Some(path) => Some(Folder::prepare("--svg", path, &comparison::FIGURES)?),
            None => None,
        };
        let stdout_is_json = args.json == Some(JsonTarget::Stdout);
        Ok(Self { stdout_is_json, json, csv, html, svg, scenario })
    }

    /// Whether anybody reads the JSON.
    fn wants_json(&self) -> bool {
        self.stdout_is_json || self.json.is_some()
    }

    /// Whether anything is drawn.
    fn draw(&self) -> bool {
        self.html.is_some() || self.svg.is_some()
    }

    fn write(
        self,
        text: &str,
        scenario: &str,
        tables: Option<&[csv::File; 5]>,
        document: Option<&Document>,
    ) -> Result<(), Stop> {
        if self.stdout_is_json {
            print(text)?;
        }
        if let Some(json) = self.json {
            json.write(text)?;
        }
        if let Some(output) = self.scenario {
            output.write(scenario)?;
        }
        if let (Some(csv), Some(tables)) = (self.csv, tables) {
            csv.write(tables)?;
        }
        let Some(document) = document else {
            return Ok(());
        };
        if let Some(html) = self.html {
            html.write(&html::render(document))?;
        }
        self.svg.map_or(Ok(()), |folder| folder.write(&figure::files(document)))
    }
}

/// Completion times of those that finished say nothing about those that did not.
fn check_transfers(report: &Report) -> Result<(), Stop> {
    if report.path.size_bytes.is_none() {
        return Ok(());
    }
    let unfinished = report.runs.iter().find(|run| run.completion_times_ms().is_none());
    unfinished.map_or(Ok(()), |run| {
        let what = format!(
            "{} with seed {}: not every transfer was finished after {} s; raise --time or lower --size",
            run.cc, run.seed, report.path.time_s
        );
        Err(Stop::new(Exit::InvalidMeasurement, what))
    })
}

fn check_criteria(report: &Report, criteria: &[Criterion]) -> Result<(), Stop> {
    let mut failed = Vec::new();
    for criterion in criteria {
        for group in groups(&report.runs) {
            if let Some(mean) = criterion.violated_by(group.runs.iter().copied()) {
                let value = in_words(criterion.metric, mean);
                failed.push(format!("{} has {} {value}", group.cc, criterion.metric.name()));
            }
        }
        if !failed.is_empty() {
            let what = format!("--fail-if '{criterion}' is met: {}", failed.join(", "));
            return Err(Stop::new(Exit::CriterionFailed, what));
        }
    }
    Ok(())
}

fn in_words(metric: Metric, value: f64) -> String {
    match metric.unit() {
        Unit::BitsPerS => format!("{:.3} Mbit/s", value / 1e6),
        Unit::Share => format!("{:.2} %", value * 100.0),
        Unit::Millis => format!("{value:.1} ms"),
        Unit::Packets => format!("{value:.1} packets"),
        Unit::Plain => format!("{value:.3}"),
    }
}
