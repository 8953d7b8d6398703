//! What each flag takes.

use clap::{Arg, Command};
use westwood_cc::in_linux::{OURS, STOCK};
use westwood_experiment::metric::Metric;
use westwood_report::catalog::{self, Entry, Topic, entries};
use westwood_scenario::file;

use super::candidate::{Answer, Candidate};
use super::commands::commands;
use super::grammar::{Rule, call};
use crate::worlds;

/// What a flag or an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
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
    /// Controllers by their names in a kernel.
    Measured,
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
pub(super) const KNOWN: [(&str, &str, Values); 23] = [
    ("load", "set", Values::Anything),
    ("load", "name", Values::Loaded),
    ("unload", "name", Values::Loaded),
    ("record", "name", Values::Loaded),
    ("show", "name", Values::Ready),
    ("man", "command", Values::Command),
    ("measure", "cc", Values::Measured),
    ("", "cc", Values::Controllers),
    ("", "against", Values::Against),
    ("", "reverse-cc", Values::Controller),
    ("", "recovery", Values::Names(Topic::Recoveries)),
    ("", "aqm", Values::Queue),
    ("", "loss", Values::Losses),
    ("", "loss-both", Values::Losses),
    ("", "like", Values::Names(Topic::Presets)),
    ("", "topic", Values::Topics),
    ("", "files", Values::Scenario),
    ("", "scenario", Values::Scenario),
    ("", "set", Values::Field),
    ("", "on", Values::Worlds),
    ("", "fail_if", Values::Criterion),
    ("", "trace", Values::Files),
    ("", "json", Values::Files),
];

/// How a value of this flag or argument that begins so may go on.
pub(super) fn answer(command: &Command, arg: &Arg, written: &str) -> Answer {
    let id = arg.get_id().as_str();
    let fits = |(of, known, _): &&(&str, &str, Values)| {
        *known == id && (of.is_empty() || *of == command.get_name())
    };
    let path = arg.get_value_hint() == clap::ValueHint::AnyPath;
    let other = if path { Values::Files } else { Values::Anything };
    let values = KNOWN.iter().find(fits).map_or(other, |(_, _, values)| *values);
    let files = matches!(values, Values::Scenario | Values::Files);
    let mut candidates = of(values, written);
    if values == Values::Anything {
        candidates = said(arg);
    }
    Answer { candidates, files }
}

fn of(values: Values, written: &str) -> Vec<Candidate> {
    let name = |name: &str| Candidate::new(name, "");
    match values {
        Values::Controllers => call(&controllers(), Rule::List, written),
        Values::Controller => call(&controllers(), Rule::One, written),
        Values::Against => call(&controllers(), Rule::Counted, written),
        Values::Queue => call(&entries(Topic::Queues), Rule::One, written),
        Values::Losses => call(&entries(Topic::Losses), Rule::List, written),
        Values::Names(topic) => named(&entries(topic)),
        Values::Topics => Topic::ALL.map(|topic| name(topic.name())).into(),
        Values::Ready | Values::Scenario => named(&entries(Topic::Scenarios)),
        Values::Field => field(written),
        Values::Worlds => call(&plain(worlds::NAMES), Rule::List, written),
        Values::Criterion => Metric::ALL.map(|metric| name(metric.name()).open()).into(),
        Values::Measured => call(&plain(measured()), Rule::List, written),
        Values::Loaded => OURS.map(|ours| Candidate::new(ours.kernel, ours.name)).into(),
        Values::Command => commands(),
        Values::Files | Values::Anything => Vec::new(),
    }
}

/// The controllers with the parameters that each of them has.
pub(super) fn controllers() -> Vec<Entry> {
    catalog::controllers()
}

fn named(entries: &[Entry]) -> Vec<Candidate> {
    entries.iter().map(|entry| Candidate::new(&entry.name, &entry.summary)).collect()
}

/// Names without parameters, as a catalog.
fn plain<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Entry> {
    names.into_iter().map(Entry::named).collect()
}

/// What `westwood measure` can ask a kernel for: ours by their names here, its own by its names.
fn measured() -> Vec<&'static str> {
    let mut names: Vec<&str> = OURS.iter().map(|ours| ours.name).collect();
    for stock in STOCK {
        // The kernel's westwood is asked for in another way, because ours has that name.
        if !names.contains(&stock.kernel) {
            names.push(stock.kernel);
        }
    }
    names
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

/// Clap's own words, or those of a placeholder such as `on|off`.
fn said(arg: &Arg) -> Vec<Candidate> {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        return possible.iter().map(|value| Candidate::new(value.get_name(), "")).collect();
    }
    let names = arg.get_value_names().unwrap_or_default();
    let words: Vec<&str> = names.iter().flat_map(|name| name.split('|')).collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    if words.len() > 1 && words.iter().all(is_word) {
        words.into_iter().map(|word| Candidate::new(word, "")).collect()
    } else {
        Vec::new()
    }
}
