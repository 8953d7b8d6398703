//! The engine: a plan, and a run under way.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use westwood_cc::{Duration, Instant};
use westwood_experiment::execution::Execution;
use westwood_experiment::judgement::JudgementRules;
use westwood_experiment::link::NAME;
use westwood_experiment::plan::{BadPlan, ExperimentPlan};
use westwood_experiment::run::{PointNetwork, RunRecord, RunTask, SteppedRun};
use westwood_experiment::world::{Simulator, WorldError};
use westwood_report::catalog::{CatalogEntry, Topic, controllers, entries};
use westwood_report::experiment::{figures, verdict};
use westwood_report::json;
use westwood_scenario::dumbbell::seconds;
use westwood_scenario::file::{Assignment, SeriesKind, schema};
use westwood_scenario::library::{self, LibraryScenario};

use crate::passages::{PassageRange, passages};
use crate::plan::described;
use crate::reply::{Reply, ReplyFault};
use crate::request::Request;
use crate::series::{probes, tables};

/// A plan, and at most one run of it.
#[derive(Debug, Default)]
pub struct WebEngine {
    plan: Option<ExperimentPlan>,
    run: Option<SteppedRun>,
    /// The network of the run before it.
    network: Option<PointNetwork>,
}

/// The reason why a request is not carried out.
enum Refusal {
    Faults(Vec<ReplyFault>),
    Words(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self::Words(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Self {
        Self::Words(why.to_owned())
    }
}

impl From<WorldError> for Refusal {
    fn from(error: WorldError) -> Self {
        Self::Words(error.to_string())
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::Words(error.to_string())
    }
}

impl WebEngine {
    /// Carries out a request, whatever its bytes are.
    pub fn answer(&mut self, request: &[u8]) -> Reply {
        let done = match Request::read(request) {
            Ok(request) => self.carry_out(request),
            Err(error) => Err(Refusal::Words(format!("no request: {error}"))),
        };
        done.unwrap_or_else(|refusal| match refusal {
            Refusal::Faults(faults) => Reply::faults(&faults),
            Refusal::Words(why) => Reply::error(&why),
        })
    }

    fn carry_out(&mut self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::Catalog => Ok(Reply::of(catalog())),
            Request::Schema => Ok(Reply::of(schema())),
            Request::Plan { toml, set, files, brief } => {
                *self = Self::default();
                let plan = plan(&toml, &set, &files)?;
                let about = described(&plan, brief)?;
                self.plan = Some(plan);
                Ok(Reply::of(about))
            }
            Request::Begin { task, series, interval_s } => {
                self.run = None;
                let before = self.network.take();
                let (plan, task) = self.task(task)?;
                let kinds = series.iter().map(|name| SeriesKind::parse(name));
                let kinds = kinds.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
                let mut record = probes(&kinds);
                record.interval = duration(interval_s)?;
                // A page draws them. Each sample of a run that takes minutes would fill the memory.
                record.extremes = true;
                let run = SteppedRun::begin(&plan.scenario, task, record, before)?;
                let length_s = seconds(run.length());
                self.run = Some(run);
                Ok(Reply::of(json!({ "length_s": length_s })))
            }
            Request::Advance { until_s } => {
                let until = Instant::ZERO + duration(until_s)?;
                let run = self.run.as_mut().ok_or("no run has begun")?;
                let goes_on = run.advance(until)?;
                Ok(Reply::of(json!({ "over": !goes_on })))
            }
            Request::SoFar => {
                let run = self.run.as_ref().ok_or("no run has begun")?;
                let found = run.so_far(|network, series| {
                    let flows: Vec<String> =
                        network.flows.iter().map(|flow| flow.name.to_string()).collect();
                    let links: Vec<String> =
                        network.links.iter().map(|link| link.name.to_string()).collect();
                    tables(series, &flows, &links)
                });
                Ok(found.iter().fold(Reply::of(()), Reply::and_table))
            }
            Request::Finish => {
                let (Some(plan), Some(run)) = (&self.plan, self.run.take()) else {
                    return Err("no run has begun".into());
                };
                let (finished, network) = run.finish(&plan.scenario)?;
                self.network = Some(network);
                // In the document's form: one writer of JSON serves both.
                let record = serde_json::to_string_pretty(&finished.record)?;
                let reply = Reply::of(()).and_text("record", &record);
                let found = tables(&finished.series, &finished.flows, &finished.links);
                Ok(found.iter().fold(reply, Reply::and_table))
            }
            Request::Outcome { records } => {
                let plan = self.plan.as_ref().ok_or("no experiment has been planned")?;
                outcome(plan, &records)
            }
            Request::Packets { task, from_s, until_s, most } => {
                let (plan, task) = self.task(task)?;
                let point = plan.scenario.point(task.point).ok_or("there is no such point")?;
                let built = plan.scenario.build(point, task.seed).map_err(|e| e.to_string())?;
                let [from, until] = [duration(from_s)?, duration(until_s)?];
                let (from, until) = (Instant::ZERO + from, Instant::ZERO + until);
                let found = passages(&built.network, PassageRange { from, until, most });
                let found = found.map_err(|error| error.to_string())?;
                Ok(Reply::of(json!({ "cut": found.cut })).and_table(&found.table))
            }
        }
    }

    /// A run of the plan.
    fn task(&self, number: usize) -> Result<(&ExperimentPlan, RunTask), Refusal> {
        let plan = self.plan.as_ref().ok_or("no experiment has been planned")?;
        let task = plan.runs().get(number).copied();
        Ok((plan, task.ok_or_else(|| format!("there is no run {number}"))?))
    }
}

fn duration(seconds: f64) -> Result<Duration, Refusal> {
    let read = std::time::Duration::try_from_secs_f64(seconds).ok();
    let nanos = read.and_then(|time| u64::try_from(time.as_nanos()).ok());
    let time = nanos.map(Duration::from_nanos);
    time.ok_or_else(|| format!("{seconds} s is no time of a run").into())
}

fn plan(
    toml: &str,
    set: &[String],
    files: &BTreeMap<String, String>,
) -> Result<ExperimentPlan, Refusal> {
    let set = set.iter().map(|text| {
        Assignment::parse(text).map_err(|error| {
            let (message, hint) = error.into_parts();
            let place = Some(format!("--set {text}"));
            Refusal::Faults(vec![ReplyFault { message, line: None, column: None, place, hint }])
        })
    });
    let set = set.collect::<Result<Vec<_>, _>>()?;
    let read = |name: &Path| match name.to_str().and_then(|name| files.get(name)) {
        Some(text) => Ok(text.clone()),
        None => library::read(name),
    };
    let plan = ExperimentPlan::of_text(NAME, toml, &set, &read)
        .map_err(|error| Refusal::Faults(faults(&error)))?;
    if plan.scenario.points().iter().any(|point| point.ack_cost.is_some()) {
        return Err(Refusal::Faults(vec![ReplyFault {
            message:
                "the cost of an ACK is measured by a clock, which the engine in a page has not"
                    .to_owned(),
            line: None,
            column: None,
            place: Some("measure.ack_cost".to_owned()),
            hint: Some("leave it out, or use the command".to_owned()),
        }]));
    }
    Ok(plan)
}

fn faults(error: &BadPlan) -> Vec<ReplyFault> {
    match error {
        BadPlan::Scenario(file) => file
            .faults()
            .map(|fault| {
                let (line, column) = position(fault.place.as_deref()).unzip();
                ReplyFault {
                    message: fault.message.to_owned(),
                    line,
                    column,
                    hint: fault.hint.map(str::to_owned),
                    place: fault.place,
                }
            })
            .collect(),
        BadPlan::File(input) => {
            let (message, hint) = input.clone().into_parts();
            vec![ReplyFault { message, line: None, column: None, place: None, hint }]
        }
    }
}

/// Line and column of a place in the text.
fn position(place: Option<&str>) -> Option<(u64, u64)> {
    let (line, column) = place?.strip_prefix(NAME)?.strip_prefix(':')?.split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// The document, its hash, and the words about it.
fn outcome(plan: &ExperimentPlan, records: &[String]) -> Result<Reply, Refusal> {
    let record = |text: &String| serde_json::from_str(text).map(RunRecord::restored);
    let records = records.iter().map(record).collect::<Result<Vec<_>, _>>()?;
    let rules = JudgementRules::default();
    let outcome = Execution::new(plan, &[&Simulator], (1, None), records).outcome(rules);
    let text = json::experiment(plan, &outcome)?;
    let mut hash = String::new();
    for byte in Sha256::digest(&text) {
        let _ = write!(hash, "{byte:02x}");
    }
    let about = json!({
        "hash": hash,
        "sentences": [verdict(&outcome.report, rules)],
        "warnings": outcome.report.warnings,
        "figures": figures(&outcome.report, rules),
    });
    Ok(Reply::of(about).and_text("json", &text))
}

#[derive(Serialize)]
struct Catalog {
    version: &'static str,
    scenarios: Vec<CatalogScenario>,
    controllers: Vec<Choosable>,
    queues: Vec<Choosable>,
}

#[derive(Serialize)]
struct CatalogScenario {
    name: &'static str,
    about: &'static str,
    toml: &'static str,
}

#[derive(Serialize)]
struct Choosable {
    name: String,
    aliases: Vec<String>,
    about: String,
    parameters: Vec<ChoosableParameter>,
}

#[derive(Serialize)]
struct ChoosableParameter {
    name: String,
    about: String,
    default: String,
    allowed: String,
}

fn catalog() -> Catalog {
    let scenario = |ready: &LibraryScenario| CatalogScenario {
        name: ready.name,
        about: ready.about(),
        toml: ready.text,
    };
    Catalog {
        version: env!("CARGO_PKG_VERSION"),
        scenarios: library::all().map(scenario).collect(),
        controllers: controllers().into_iter().map(choosable).collect(),
        queues: entries(Topic::Queues).into_iter().map(choosable).collect(),
    }
}

fn choosable(entry: CatalogEntry) -> Choosable {
    let parameters = entry.parameters.into_iter().map(|parameter| ChoosableParameter {
        name: parameter.name,
        about: parameter.meaning,
        default: parameter.default.unwrap_or_default(),
        allowed: parameter.allowed.unwrap_or_default(),
    });
    Choosable {
        name: entry.name,
        aliases: entry.aliases,
        about: entry.summary,
        parameters: parameters.collect(),
    }
}
