//! Every setting in force, whether it was said, comes from a preset or is the default.

use serde_json::{Map, Value as Json};

use super::axis::node_text;
use super::declaration::{FieldDeclaration, Presence, Section, ValueShape};
use super::like;
use super::node::{TomlTable, TomlValue};
use super::settings::{Measure, Tcp};
use super::tables::{Dumbbell, Top};
use crate::dumbbell::millis;
use crate::units;

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// Its subject: `Path`, `Transport`.
    pub heading: &'static str,
    /// Its name in words: `return rate`.
    pub name: String,
    /// Its value as a person writes it.
    pub value: String,
    /// It was said, by the user or by a preset.
    pub given: bool,
}

/// The settings of these tables that flags have too. A setting that was not given and has no default of its
/// own shows what then holds: `as rate`.
pub(super) fn settings(tree: &TomlTable) -> Vec<Effective> {
    let tree = like::filled(tree.clone());
    let mut all = Vec::new();
    let sections = [
        ("dumbbell", &Dumbbell::SECTION),
        ("", &Top::SECTION),
        ("measure", &Measure::SECTION),
        ("tcp", &Tcp::SECTION),
    ];
    for (name, section) in sections {
        if ["dumbbell", "measure"].contains(&name) && tree.get(name).is_none() {
            continue;
        }
        let table = table_of(&tree, name);
        for field in section.fields {
            let Some(heading) = section.heading_of(field).or(field.under.map(|_| "Flows")) else {
                continue;
            };
            let (value, given) = match (value_of(table, field), field.presence) {
                (Some((value, given)), _) => (tidy(&field.shape, &value), given),
                (None, Presence::Optional(then)) => (then.replace('`', ""), false),
                (None, _) => continue,
            };
            let name = field.name.replace('_', " ");
            all.push(Effective { heading, name, value, given });
        }
    }
    all
}

/// The settings of `[tcp]` that the schema `westwood.compare/1` has in its `transport`, units in their
/// names.
pub(super) fn transport(tree: &TomlTable) -> Map<String, Json> {
    /// These stand beside the path's own.
    const APART: [&str; 7] =
        ["recovery", "packet", "header", "ack", "delayed_ack", "initial_window", "min_rto"];
    let tree = like::filled(tree.clone());
    let mut all = Map::new();
    let mut add = |section: &Section, table: Option<&TomlTable>, wanted: &dyn Fn(&str) -> bool| {
        for field in section.fields.iter().filter(|field| wanted(field.name)) {
            let Some((value, _)) = value_of(table, field) else { continue };
            let (unit, value) = json(&field.shape, &value);
            all.insert(format!("{}{unit}", field.name), value);
        }
    };
    add(&Tcp::SECTION, table_of(&tree, "tcp"), &|name| !APART.contains(&name));
    add(&Dumbbell::SECTION, table_of(&tree, "dumbbell"), &like::is_of_links);
    all
}

fn table_of<'a>(tree: &'a TomlTable, name: &str) -> Option<&'a TomlTable> {
    match name {
        "" => Some(tree),
        name => match &tree.get(name)?.node.value {
            TomlValue::Table(table) => Some(table),
            _ => None,
        },
    }
}

/// A field's value, and whether it was said.
fn value_of(table: Option<&TomlTable>, field: &FieldDeclaration) -> Option<(String, bool)> {
    match (table.and_then(|table| table.get(field.name)), field.presence) {
        (Some(entry), _) => Some((node_text(&entry.node), true)),
        (None, Presence::Default(text)) => Some((text.to_owned(), false)),
        (None, _) => None,
    }
}

/// A value, however it was typed: `200ms` as `200 ms`, `true` as `on`, 1448 bytes with their unit.
fn tidy(shape: &ValueShape, text: &str) -> String {
    match shape {
        ValueShape::Switch => {
            units::switch(text).map_or(text, |on| if on { "on" } else { "off" }).to_owned()
        }
        ValueShape::Text("size", _) if text.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{text} B")
        }
        ValueShape::Some(..) | ValueShape::Texts(..) => apart(text),
        _ => with_space(text),
    }
}

/// A list with a space after each comma that is not within parentheses.
fn apart(list: &str) -> String {
    let mut depth = 0_usize;
    let mut text = String::with_capacity(list.len() + 8);
    for letter in list.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        text.push(letter);
        if letter == ',' && depth == 0 {
            text.push(' ');
        }
    }
    text.replace(",  ", ", ")
}

/// A number and its unit with a space between them; any other text as it is.
fn with_space(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let is_unit = unit.chars().all(|c| c.is_alphabetic() || matches!(c, '%' | '/' | 'µ'));
    if number.is_empty() || unit.is_empty() || !is_unit {
        return text.to_owned();
    }
    format!("{number} {unit}")
}

/// A value that has been read without a fault, with the unit that its name ends in.
fn json(shape: &ValueShape, text: &str) -> (&'static str, Json) {
    let number = |n: Option<f64>| n.map_or(Json::Null, Json::from);
    match shape {
        ValueShape::Text("time", _) => ("_ms", number(units::duration(text).ok().map(millis))),
        ValueShape::Text("size", _) => {
            ("_bytes", units::size(text).map_or(Json::Null, |size| Json::from(size.get())))
        }
        ValueShape::Text("segments", _) | ValueShape::Count(..) => {
            ("_packets", units::count(text, 0, u64::MAX).map_or(Json::Null, Json::from))
        }
        ValueShape::Switch => ("", units::switch(text).map_or(Json::Null, Json::from)),
        _ => ("", Json::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_alike_however_they_were_typed() {
        let text = ValueShape::Text("time", "1 s");
        for (typed, read) in [("200ms", "200 ms"), ("0.5%", "0.5 %"), ("1 bdp", "1 bdp")] {
            assert_eq!(tidy(&text, typed), read);
        }
        assert_eq!(tidy(&text, "uniform(5 ms)"), "uniform(5 ms)");
        assert_eq!(tidy(&text, "none"), "none");
        assert_eq!(tidy(&ValueShape::Text("size", "1500"), "1448"), "1448 B");
        assert_eq!(tidy(&ValueShape::Switch, "true"), "on");
        let list = "reno,westwood+(tau=0.3s,filter=b), cubic";
        let list = tidy(&ValueShape::Some("controller", "reno"), list);
        assert_eq!(list, "reno, westwood+(tau=0.3s,filter=b), cubic");
    }
}
