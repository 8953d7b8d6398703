//! The values that each flag takes.

use clap::{Arg, Command};
use westwood_experiment::metric::Metric;
use westwood_kernel::names::{KernelName, OURS, STOCK};
use westwood_report::catalog::{self, CatalogEntry, Topic, entries};
use westwood_scenario::file;
use westwood_scorecard::CardVerdict;

use super::candidate::{Candidate, Candidates};
use super::commands::commands;
use super::grammar::{Rule, call};
use crate::worlds;

/// The kind of value that a flag or an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// `reno,westwood+(tau=0.3s)`.
    Controllers,
    /// `westwood+(tau=0.3s)`.
    Controller,
    /// `reno:1`.
    Against,
    /// `red(ecn=on)`.
    Queue,
    /// `0.1%,gilbert(good=1s,bad=10ms,p=10%)`.
    Losses,
    /// Names of a catalog.
    Names(Topic),
    /// The kinds that there are catalogs of.
    Topics,
    /// A paper of the library.
    Paper,
    /// A paper, one of its experiments, or a claim.
    PaperPart,
    /// A ready scenario.
    Ready,
    /// A ready scenario or a file.
    Scenario,
    /// `cc=bbr`: a field of a scenario.
    Field,
    /// `sim,linux`.
    Worlds,
    /// A quantity, to be compared.
    Criterion,
    /// A document whose criteria are applied.
    Document,
    /// A verdict on a criterion.
    CardVerdicts,
    /// Controllers for connections of a kernel.
    Measured,
    /// One of them.
    Chosen,
    /// One of our controllers, by its name in the kernel.
    Loaded,
    /// A command that has a manual page.
    Command,
    /// Files or folders.
    Files,
    /// Nothing that is known.
    Anything,
}

/// Flags and arguments by their command and name, the first that fits; without a command they mean the
/// same in every one.
pub(super) const KNOWN: [(&str, &str, ValueKind); 28] = [
    ("load", "set", ValueKind::Anything),
    ("load", "name", ValueKind::Loaded),
    ("unload", "name", ValueKind::Loaded),
    ("record", "name", ValueKind::Loaded),
    ("show", "name", ValueKind::Ready),
    ("man", "command", ValueKind::Command),
    ("measure", "cc", ValueKind::Measured),
    ("emulate", "cc", ValueKind::Chosen),
    ("", "cc", ValueKind::Controllers),
    ("", "against", ValueKind::Against),
    ("", "reverse-cc", ValueKind::Controller),
    ("", "recovery", ValueKind::Names(Topic::Recoveries)),
    ("", "aqm", ValueKind::Queue),
    ("", "loss", ValueKind::Losses),
    ("", "loss-both", ValueKind::Losses),
    ("", "like", ValueKind::Names(Topic::Presets)),
    ("", "topic", ValueKind::Topics),
    ("list", "paper", ValueKind::Paper),
    ("reproduce", "part", ValueKind::PaperPart),
    ("", "files", ValueKind::Scenario),
    ("", "scenario", ValueKind::Scenario),
    ("", "set", ValueKind::Field),
    ("", "on", ValueKind::Worlds),
    ("evaluate", "document", ValueKind::Document),
    ("evaluate", "fail_if", ValueKind::CardVerdicts),
    ("", "fail_if", ValueKind::Criterion),
    ("", "trace", ValueKind::Files),
    ("", "json", ValueKind::Files),
];

/// The candidates for a value of this flag or argument that begins so.
pub(super) fn answer(command: &Command, arg: &Arg, written: &str) -> Candidates {
    let id = arg.get_id().as_str();
    let fits = |(of, known, _): &&(&str, &str, ValueKind)| {
        *known == id && (of.is_empty() || *of == command.get_name())
    };
    let path = arg.get_value_hint() == clap::ValueHint::AnyPath;
    let other = if path { ValueKind::Files } else { ValueKind::Anything };
    let values = KNOWN.iter().find(fits).map_or(other, |(_, _, values)| *values);
    let files = matches!(values, ValueKind::Scenario | ValueKind::Files);
    let mut candidates = of(values, written);
    if values == ValueKind::Anything {
        candidates = given(arg);
    }
    Candidates { candidates, files }
}

fn of(values: ValueKind, written: &str) -> Vec<Candidate> {
    let name = |name: &str| Candidate::new(name, "");
    match values {
        ValueKind::Controllers => call(&controllers(), Rule::List, written),
        ValueKind::Controller => call(&controllers(), Rule::One, written),
        ValueKind::Against => call(&controllers(), Rule::Counted, written),
        ValueKind::Queue => call(&entries(Topic::Queues), Rule::One, written),
        ValueKind::Losses => call(&entries(Topic::Losses), Rule::List, written),
        ValueKind::Names(topic) => named(&entries(topic)),
        ValueKind::Topics => {
            Topic::ALL.map(Topic::name).into_iter().chain(["claims"]).map(name).collect()
        }
        ValueKind::Paper => papers(false),
        ValueKind::PaperPart => papers(true),
        ValueKind::Ready | ValueKind::Scenario => named(&entries(Topic::Scenarios)),
        ValueKind::Field => field(written),
        ValueKind::Worlds => call(&plain(worlds::NAMES), Rule::List, written),
        ValueKind::Criterion => Metric::ALL.map(|metric| name(metric.name()).open()).into(),
        ValueKind::Document => vec![name("rfc9743")],
        ValueKind::CardVerdicts => CardVerdict::ALL.map(|verdict| name(verdict.name())).into(),
        ValueKind::Measured => call(&plain(in_kernel()), Rule::List, written),
        ValueKind::Chosen => call(&plain(in_kernel()), Rule::One, written),
        ValueKind::Loaded => OURS.map(|ours| Candidate::new(ours.kernel, ours.name)).into(),
        ValueKind::Command => commands(),
        ValueKind::Files | ValueKind::Anything => Vec::new(),
    }
}

/// The controllers with the parameters that each of them has.
pub(super) fn controllers() -> Vec<CatalogEntry> {
    catalog::controllers()
}

/// The papers; with their parts also their experiments and claims.
fn papers(with_parts: bool) -> Vec<Candidate> {
    let Ok((papers, _)) = westwood_reproduce::library() else { return Vec::new() };
    let mut all: Vec<Candidate> =
        papers.iter().map(|paper| Candidate::new(&paper.key, &paper.title)).collect();
    for paper in papers.iter().filter(|_| with_parts) {
        let experiment = |e: &westwood_reproduce::paper::Experiment| {
            Candidate::new(format!("{}/{}", paper.key, e.name), &e.about)
        };
        all.extend(paper.experiments.iter().map(experiment));
        all.extend(paper.claims.iter().map(|claim| Candidate::new(&claim.id, &claim.statement)));
    }
    all
}

fn named(entries: &[CatalogEntry]) -> Vec<Candidate> {
    entries.iter().map(|entry| Candidate::new(&entry.name, &entry.summary)).collect()
}

/// Names without parameters, as a catalog.
fn plain<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<CatalogEntry> {
    names.into_iter().map(CatalogEntry::named).collect()
}

/// The controllers that connections of a kernel can have, each once.
fn in_kernel() -> Vec<&'static str> {
    let mut all: Vec<KernelName> = Vec::new();
    for known in OURS.into_iter().chain(STOCK) {
        if all.iter().all(|other| other.kernel != known.kernel) {
            all.push(known);
        }
    }
    all.into_iter().map(|known| known.name).collect()
}

/// A field of a scenario, and behind `=` what the flag of that name takes.
fn field(written: &str) -> Vec<Candidate> {
    if let Some((path, value)) = written.split_once('=') {
        let last = path.rsplit('.').next().unwrap_or(path);
        let known = KNOWN.iter().find(|(of, id, _)| of.is_empty() && *id == last);
        let mut values = known.map_or_else(Vec::new, |(_, _, values)| of(*values, value));
        for candidate in &mut values {
            candidate.word.insert_str(0, &format!("{path}="));
        }
        return values;
    }
    let schema = file::schema();
    let keys = |table: &serde_json::Value| -> Vec<String> {
        let properties = table["properties"].as_object();
        properties.map_or_else(Vec::new, |all| all.keys().cloned().collect())
    };
    let mut paths = Vec::new();
    for key in keys(&schema) {
        let fields = keys(&schema["definitions"][&key]);
        let is_table = schema["properties"][&key]["allOf"].is_array();
        match is_table {
            true => paths.extend(fields.iter().map(|field| format!("{key}.{field}="))),
            false if schema["properties"][&key]["type"] != "array" => paths.push(format!("{key}=")),
            false => {}
        }
    }
    paths.into_iter().map(|path| Candidate::new(path, "").open()).collect()
}

/// Clap's own words, those of a setting, or those of a placeholder such as `on|off`.
fn given(arg: &Arg) -> Vec<Candidate> {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        return possible.iter().map(|value| Candidate::new(value.get_name(), "")).collect();
    }
    let setting = file::flags().into_iter().find(|flag| flag.name == arg.get_id().as_str());
    let names = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string);
    let names: Vec<String> = setting.map_or_else(|| names.collect(), |flag| vec![flag.value]);
    let words: Vec<&str> = names.iter().flat_map(|name| name.split('|')).collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if words.len() > 1 && words.iter().all(is_word) {
        words.into_iter().map(|word| Candidate::new(word, "")).collect()
    } else {
        Vec::new()
    }
}
