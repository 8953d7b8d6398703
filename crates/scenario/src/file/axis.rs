//! What varies: the axes of `[sweep]`, and variants.

use super::fault::Faults;
use super::location::Location;
use super::node::{Entry, Node, Table, Value};
use super::set::field_path;
use crate::error::{BadInput, quoted};

/// A field that takes several values.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) path: String,
    pub(super) place: Location,
    pub(super) values: Vec<Node>,
}

/// Settings under a name.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) settings: Vec<Entry>,
}

/// The axes of `[sweep]`.
pub(super) fn axes(table: &Table, faults: &mut Faults) -> Vec<Axis> {
    let mut axes = Vec::new();
    for entry in &flattened(table, "") {
        if faults.check(entry.place, field_path(&entry.key)).is_none() {
            continue;
        }
        let values = entry.node.each().to_vec();
        if values.is_empty() {
            let what = BadInput::new(format!("{} has no value", quoted(&entry.key)));
            faults.add(entry.node.place, what.hint("write a list of values"));
            continue;
        }
        for (i, node) in values.iter().enumerate() {
            if values[..i].iter().any(|other| shown(other) == shown(node)) {
                let what = BadInput::new(format!("{} is given twice", quoted(&shown(node))));
                faults.add(node.place, what.hint("leave one of them out"));
            }
        }
        axes.push(Axis { path: entry.key.clone(), place: entry.place, values });
    }
    axes
}

/// The tables of `[variant.NAME]`.
pub(super) fn variants(table: &Table, faults: &mut Faults) -> Vec<Variant> {
    let mut variants = Vec::new();
    for entry in &table.entries {
        let Value::Table(settings) = &entry.node.value else {
            let what = BadInput::new("a variant is a table of settings");
            faults.add(entry.node.place, what.hint(format!("write [variant.{}]", entry.key)));
            continue;
        };
        let settings = flattened(settings, "");
        for setting in &settings {
            faults.check(setting.place, field_path(&setting.key));
        }
        if settings.is_empty() {
            let what = BadInput::new(format!("the variant '{}' sets nothing", entry.key));
            faults.add(entry.place, what.hint("write \"dumbbell.aqm\" = \"codel\""));
        }
        variants.push(Variant { name: entry.key.clone(), settings });
    }
    variants
}

/// Settings by their whole paths, whether written as `"a.b" = 1` or as `a.b = 1`.
fn flattened(table: &Table, before: &str) -> Vec<Entry> {
    let mut all = Vec::new();
    for entry in &table.entries {
        let key = format!("{before}{}", entry.key);
        match &entry.node.value {
            Value::Table(inner) if !inner.entries.is_empty() => {
                all.extend(flattened(inner, &format!("{key}.")));
            }
            _ => all.push(Entry { key, ..entry.clone() }),
        }
    }
    all
}

/// A value as a person would write it.
pub(super) fn shown(node: &Node) -> String {
    match &node.value {
        Value::Text(text) | Value::Number(text) => text.clone(),
        Value::Switch(on) => crate::units::switch_text(*on).to_owned(),
        Value::List(nodes) => nodes.iter().map(shown).collect::<Vec<_>>().join(","),
        Value::Table(table) => {
            let entry = |e: &Entry| format!("{}={}", e.key, shown(&e.node));
            format!("{{{}}}", table.entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        Value::Date => String::new(),
    }
}
