//! The catalog of names: controllers, recoveries, queues, losses, presets, scenarios.

use std::fmt::Write as _;

use serde::Serialize;
use westwood_cc::controllers::Choice;
use westwood_cc::modifiers::Modifiers;
use westwood_cc::params::{Param, ParamKind, Parameters as _, Value};
use westwood_scenario::library::{self, LibraryScenario};
use westwood_scenario::presets::{PRESETS, Preset, PresetSetting};
use westwood_scenario::spec::{
    ControllerSpec, LOSSES, QUEUES, SpecForm, pacing_text, parameter_text, registered,
};
use westwood_tcp::Recovery;

use crate::style::Style;
use crate::table::wrapped;

/// A kind of thing to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Congestion controllers.
    Controllers,
    /// Loss recoveries.
    Recoveries,
    /// Queues.
    Queues,
    /// Loss processes.
    Losses,
    /// Bundles of settings.
    Presets,
    /// Ready scenarios.
    Scenarios,
}

impl Topic {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Controllers,
        Self::Recoveries,
        Self::Queues,
        Self::Losses,
        Self::Presets,
        Self::Scenarios,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Controllers => "controllers",
            Self::Recoveries => "recoveries",
            Self::Queues => "queues",
            Self::Losses => "losses",
            Self::Presets => "presets",
            Self::Scenarios => "scenarios",
        }
    }
}

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CatalogEntry {
    /// The canonical name.
    pub name: String,
    /// Other names that are accepted.
    pub aliases: Vec<String>,
    /// Its effect, in a line.
    pub summary: String,
    /// The paper, RFC or code it follows; an example where it takes parameters.
    pub source: Option<String>,
    /// An example that is valid as it stands.
    pub example: Option<String>,
    /// The packets of all its runs, in words, if it is a scenario of the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The default; absent if it must be given.
    pub default: Option<String>,
    /// Its values: a range or a list of words.
    pub allowed: Option<String>,
    /// Its meaning.
    pub meaning: String,
}

/// Everything of a kind.
pub fn entries(topic: Topic) -> Vec<CatalogEntry> {
    match topic {
        Topic::Controllers => known().map(|choice| controller(&choice)).collect(),
        Topic::Recoveries => Recovery::ALL.iter().map(|r| recovery(*r)).collect(),
        Topic::Queues => QUEUES.iter().map(form).collect(),
        Topic::Losses => LOSSES.iter().map(form).collect(),
        Topic::Presets => PRESETS.iter().map(preset).collect(),
        Topic::Scenarios => library::all().map(scenario).collect(),
    }
}

/// The controllers with the parameters that they have besides their own.
pub fn controllers() -> Vec<CatalogEntry> {
    let with_others = |choice: Choice| {
        let mut entry = controller(&choice);
        entry.parameters.extend(common(&choice));
        entry
    };
    known().map(with_others).collect()
}

/// The controllers of the catalog, and behind them those that this program has registered.
fn known() -> impl Iterator<Item = Choice> {
    Choice::all().chain(registered())
}

/// The parameters that all have, as an entry of its own.
fn for_each_controller() -> CatalogEntry {
    let usual = Choice::all().find(|choice| Modifiers::fit(choice.control_scope()));
    CatalogEntry {
        summary: "also takes these; one that commands everything, as bbr does, pacing alone"
            .to_owned(),
        parameters: usual.iter().flat_map(common).collect(),
        ..CatalogEntry::named("each of these")
    }
}

/// The settings of a controller besides its own parameters: `pacing`, and the modifiers beside it.
fn common(choice: &Choice) -> impl Iterator<Item = Parameter> {
    let none = Modifiers::default();
    let beside = ControllerSpec::modifiers(choice).iter();
    let pacing = Parameter {
        name: "pacing".to_owned(),
        default: Some(pacing_text(ControllerSpec::new(*choice).pacing).to_owned()),
        allowed: Some("on, off, fq".to_owned()),
        meaning: "spread segments over the round-trip time, by TCP's timer or by Linux's fq"
            .to_owned(),
    };
    beside.map(move |p| parameter(p, none.get(p.name))).chain([pacing])
}

impl CatalogEntry {
    /// A name alone.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            aliases: Vec::new(),
            summary: String::new(),
            source: None,
            example: None,
            takes: None,
            parameters: Vec::new(),
        }
    }
}

fn controller(choice: &Choice) -> CatalogEntry {
    let info = choice.info();
    CatalogEntry {
        name: info.name.to_owned(),
        aliases: info.aliases.iter().map(|a| (*a).to_owned()).collect(),
        summary: info.summary.to_owned(),
        source: Some(info.source.to_owned()),
        example: None,
        takes: None,
        parameters: choice.list().iter().map(|p| parameter(p, choice.get(p.name))).collect(),
    }
}

fn parameter(p: &Param, default: Option<Value<'_>>) -> Parameter {
    Parameter {
        name: p.name.to_owned(),
        default: default.map(|v| parameter_text(&v)),
        allowed: match (p.kind, p.bounds) {
            (ParamKind::Choice(words), _) => Some(words.join(", ")),
            (ParamKind::Flag, _) => Some("on, off".to_owned()),
            (_, Some((low, high))) => {
                Some(format!("{} to {}", parameter_text(&low), parameter_text(&high)))
            }
            (_, None) => None,
        },
        meaning: p.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "),
    }
}

fn recovery(recovery: Recovery) -> CatalogEntry {
    CatalogEntry {
        name: recovery.name().to_owned(),
        aliases: Vec::new(),
        summary: recovery.summary().to_owned(),
        source: None,
        example: None,
        takes: None,
        parameters: Vec::new(),
    }
}

fn form(form: &SpecForm) -> CatalogEntry {
    let parameter = |(name, default, meaning): &(&str, &str, &str)| Parameter {
        name: (*name).to_owned(),
        default: (!default.is_empty()).then(|| (*default).to_owned()),
        allowed: None,
        meaning: (*meaning).to_owned(),
    };
    CatalogEntry {
        name: form.name.to_owned(),
        aliases: form.aliases.iter().map(|a| (*a).to_owned()).collect(),
        summary: form.summary.to_owned(),
        source: None,
        example: Some(form.example.to_owned()),
        takes: None,
        parameters: form.parameters.iter().map(parameter).collect(),
    }
}

fn preset(preset: &Preset) -> CatalogEntry {
    let parameter = |setting: &PresetSetting| Parameter {
        name: format!("--{}", setting.name),
        default: Some(setting.value.to_owned()),
        allowed: None,
        meaning: setting.reason.to_owned(),
    };
    CatalogEntry {
        name: preset.name.to_owned(),
        aliases: Vec::new(),
        summary: preset.summary.to_owned(),
        source: None,
        example: Some(format!("--like {}", preset.name)),
        takes: None,
        parameters: preset.settings.iter().map(parameter).collect(),
    }
}

fn scenario(ready: &LibraryScenario) -> CatalogEntry {
    CatalogEntry {
        name: ready.name.to_owned(),
        aliases: Vec::new(),
        summary: ready.about().to_owned(),
        source: None,
        example: None,
        takes: Some(ready.takes().to_owned()).filter(|takes| !takes.is_empty()),
        parameters: Vec::new(),
    }
}

/// Kinds as text: names and summaries, with parameters if there is only one kind.
pub fn render(topics: &[Topic], style: Style) -> String {
    let detailed = topics.len() == 1;
    let mut text = String::new();
    for (i, topic) in topics.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", style.bold(topic.name()));
        let entries = entries(*topic);
        let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
        for entry in &entries {
            let behind = entry.source.as_ref().or(entry.takes.as_ref());
            let behind = behind.map(|text| format!(" ({text})")).unwrap_or_default();
            let line = format!("{}{behind}", entry.summary);
            let name = format!("{:<width$}", entry.name);
            hanging(&mut text, &format!("  {name}  "), &line, style);
            if detailed {
                details(&mut text, entry, style);
            }
        }
        if detailed && *topic == Topic::Controllers {
            let each = for_each_controller();
            hanging(&mut text, &format!("  {:<width$}  ", each.name), &each.summary, style);
            details(&mut text, &each, style);
        }
    }
    if !detailed {
        text.push_str("\nParameters: westwood list controllers, and so on.\n");
    }
    text
}

/// A list of names, each with a line that is wrapped beside it.
pub fn names(title: &str, entries: &[(String, String)], style: Style) -> String {
    let mut text = format!("{}\n", style.bold(title));
    let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, line) in entries {
        hanging(&mut text, &format!("  {name:<width$}  "), line, style);
    }
    text
}

fn details(text: &mut String, entry: &CatalogEntry, style: Style) {
    if !entry.aliases.is_empty() {
        let _ = writeln!(text, "      also {}", entry.aliases.join(", "));
    }
    if let Some(example) = &entry.example {
        let _ = writeln!(text, "      as in {example}");
    }
    for p in &entry.parameters {
        let mut about = p.meaning.clone();
        if let Some(allowed) = &p.allowed {
            let _ = write!(about, " [{allowed}]");
        }
        let head = match &p.default {
            Some(default) => format!("      {}={default}  ", p.name),
            None => format!("      {}=...  ", p.name),
        };
        hanging(text, &head, &about, style);
    }
}

/// A paragraph whose lines after the first are indented as deep as its head is long. A head of more
/// than half the width has a line of its own.
fn hanging(text: &mut String, head: &str, body: &str, style: Style) {
    const BELOW_A_LONG_HEAD: usize = 10;
    let long = head.chars().count() > style.width / 2;
    let indent = if long { BELOW_A_LONG_HEAD } else { head.chars().count() };
    if long {
        let _ = writeln!(text, "{}", at_commas(head.trim_end(), style.width));
    }
    let lines = wrapped(body, style.width.saturating_sub(indent).max(20));
    for (i, line) in lines.lines().enumerate() {
        let _ = match i {
            0 if !long => writeln!(text, "{head}{line}"),
            _ => writeln!(text, "{:indent$}{line}", ""),
        };
    }
}

/// A list that is wider than a line, broken behind its commas.
fn at_commas(head: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for part in head.split_inclusive(',') {
        let full = lines.last().is_some_and(|line| {
            !line.is_empty() && line.chars().count() + part.chars().count() > width
        });
        if full {
            lines.push("        ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(part);
        }
    }
    lines.join("\n")
}

/// Kinds as JSON: an object with a list for each.
pub fn render_json(topics: &[Topic]) -> Result<String, serde_json::Error> {
    let all: serde_json::Map<String, serde_json::Value> = topics
        .iter()
        .map(|t| match t {
            Topic::Controllers => (t, controllers()),
            t => (t, entries(*t)),
        })
        .map(|(t, entries)| Ok((t.name().to_owned(), serde_json::to_value(entries)?)))
        .collect::<Result<_, serde_json::Error>>()?;
    serde_json::to_string_pretty(&all).map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_entries_with_names_and_summaries() {
        for topic in Topic::ALL {
            let entries = entries(topic);
            assert!(!entries.is_empty());
            assert!(entries.iter().all(|e| !e.name.is_empty() && !e.summary.is_empty()));
        }
    }

    #[test]
    fn a_list_fits_its_width() {
        for topic in Topic::ALL {
            let text = render(&[topic], Style::PLAIN);
            assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
        }
    }
}
