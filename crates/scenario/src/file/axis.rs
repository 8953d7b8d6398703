//! The axes of `[sweep]`, and variants.

use super::fault::Faults;
use super::location::Location;
use super::node::{Node, TableEntry, TomlTable, TomlValue};
use super::set::field_path;
use crate::error::{BadInput, quoted};

/// A field that takes several values.
#[derive(Clone, Debug)]
pub(super) struct GridAxis {
    pub(super) path: String,
    pub(super) place: Location,
    pub(super) values: Vec<Node>,
}

/// Settings under a name.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) settings: Vec<TableEntry>,
}

/// Refuses paths that lead to nothing that could differ from point to point: every point runs with every
/// seed, and the limits hold for the whole grid.
pub(super) fn point_path(path: &str) -> Result<(), BadInput> {
    field_path(path)?;
    let root = path.split('.').next().unwrap_or_default().trim();
    if !matches!(root, "seed" | "seeds" | "limits") {
        return Ok(());
    }
    let what = BadInput::new(format!("{} is the same at every point", quoted(path)));
    Err(what.hint("give it one value, outside of sweeps and variants"))
}

/// The axes of `[sweep]`.
pub(super) fn axes(table: &TomlTable, faults: &mut Faults) -> Vec<GridAxis> {
    let mut axes = Vec::new();
    for entry in &flattened(table, "") {
        if faults.check(entry.place, point_path(&entry.key)).is_none() {
            continue;
        }
        let values = entry.node.each().to_vec();
        if values.is_empty() {
            let what = BadInput::new(format!("{} has no value", quoted(&entry.key)));
            faults.add(entry.node.place, what.hint("write a list of values"));
            continue;
        }
        axes.push(GridAxis { path: entry.key.clone(), place: entry.place, values });
    }
    axes
}

/// The tables of `[variant.NAME]`.
pub(super) fn variants(table: &TomlTable, faults: &mut Faults) -> Vec<Variant> {
    let mut variants = Vec::new();
    for entry in &table.entries {
        let TomlValue::Table(settings) = &entry.node.value else {
            let what = BadInput::new("a variant is a table of settings");
            faults.add(entry.node.place, what.hint(format!("write [variant.{}]", entry.key)));
            continue;
        };
        let settings = flattened(settings, "");
        for setting in &settings {
            faults.check(setting.place, point_path(&setting.key));
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
fn flattened(table: &TomlTable, before: &str) -> Vec<TableEntry> {
    let mut all = Vec::new();
    for entry in &table.entries {
        let key = format!("{before}{}", entry.key);
        match &entry.node.value {
            TomlValue::Table(inner) if !inner.entries.is_empty() => {
                all.extend(flattened(inner, &format!("{key}.")));
            }
            _ => all.push(TableEntry { key, ..entry.clone() }),
        }
    }
    all
}

/// A value as a person would write it.
pub(super) fn node_text(node: &Node) -> String {
    match &node.value {
        TomlValue::Text(text) | TomlValue::Number(text) => text.clone(),
        TomlValue::Switch(on) => crate::units::switch_text(*on).to_owned(),
        TomlValue::List(nodes) => nodes.iter().map(node_text).collect::<Vec<_>>().join(","),
        TomlValue::Table(table) => {
            let entry = |e: &TableEntry| format!("{}={}", e.key, node_text(&e.node));
            format!("{{{}}}", table.entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
        TomlValue::Date => String::new(),
    }
}
