//! Every setting in force, whether it was said, comes from a preset or is the default.

use serde_json::{Map, Value as Json};

use super::axis::shown;
use super::like;
use super::node::{Table, Value};
use super::section::{Field, Presence, Section};
use super::settings::Tcp;
use super::sort::Shape;
use super::tables::{Dumbbell, Top};
use crate::dumbbell::millis;
use crate::units;

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// What it is about: `Path`, `Transport`.
    pub heading: &'static str,
    /// Its name in words: `return rate`.
    pub name: String,
    /// Its value as a person writes it.
    pub value: String,
    /// It was said, by the user or by a preset.
    pub said: bool,
}

/// The settings of these tables that flags have too; those that nothing was said of and that have no
/// default of their own are left out.
pub(super) fn settings(tree: &Table) -> Vec<Effective> {
    let tree = like::filled(tree.clone());
    let mut all = Vec::new();
    for (name, section) in
        [("dumbbell", &Dumbbell::SECTION), ("", &Top::SECTION), ("tcp", &Tcp::SECTION)]
    {
        if name == "dumbbell" && tree.get(name).is_none() {
            continue;
        }
        let table = table_of(&tree, name);
        for field in section.fields {
            let Some(heading) = section.heading_of(field).or(field.under.map(|_| "Flows")) else {
                continue;
            };
            if let Some((value, said)) = value_of(table, field) {
                let name = field.name.replace('_', " ");
                all.push(Effective { heading, name, value, said });
            }
        }
    }
    all
}

/// The settings of `[tcp]` that the schema `westwood.compare/1` has in its `transport`, units in their
/// names.
pub(super) fn transport(tree: &Table) -> Map<String, Json> {
    /// These stand beside the path's own.
    const APART: [&str; 7] =
        ["recovery", "packet", "header", "ack", "delayed_ack", "initial_window", "min_rto"];
    let tree = like::filled(tree.clone());
    let mut all = Map::new();
    let mut add = |section: &Section, table: Option<&Table>, wanted: &dyn Fn(&str) -> bool| {
        for field in section.fields.iter().filter(|field| wanted(field.name)) {
            let Some((value, _)) = value_of(table, field) else { continue };
            let (unit, value) = json(&field.shape, &value);
            all.insert(format!("{}{unit}", field.name), value);
        }
    };
    add(&Tcp::SECTION, table_of(&tree, "tcp"), &|name| !APART.contains(&name));
    add(&Dumbbell::SECTION, table_of(&tree, "dumbbell"), &|name| name == "buffer_in_service");
    all
}

fn table_of<'a>(tree: &'a Table, name: &str) -> Option<&'a Table> {
    match name {
        "" => Some(tree),
        name => match &tree.get(name)?.node.value {
            Value::Table(table) => Some(table),
            _ => None,
        },
    }
}

/// A field's value, and whether it was said.
fn value_of(table: Option<&Table>, field: &Field) -> Option<(String, bool)> {
    match (table.and_then(|table| table.get(field.name)), field.presence) {
        (Some(entry), _) => Some((shown(&entry.node), true)),
        (None, Presence::Default(text)) => Some((text.to_owned(), false)),
        (None, _) => None,
    }
}

/// A value that has been read without a fault, with the unit that its name ends in.
fn json(shape: &Shape, text: &str) -> (&'static str, Json) {
    let number = |n: Option<f64>| n.map_or(Json::Null, Json::from);
    match shape {
        Shape::Text("time", _) => ("_ms", number(units::duration(text).ok().map(millis))),
        Shape::Text("size", _) => {
            ("_bytes", units::size(text).map_or(Json::Null, |size| Json::from(size.get())))
        }
        Shape::Text("segments", _) | Shape::Count(..) => {
            ("_packets", units::count(text, 0, u64::MAX).map_or(Json::Null, Json::from))
        }
        Shape::Switch => ("", units::switch(text).map_or(Json::Null, Json::from)),
        _ => ("", Json::from(text)),
    }
}
