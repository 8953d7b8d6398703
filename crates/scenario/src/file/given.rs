//! The settings that a scenario gives, by the paths of their fields, to tell whether two results are of
//! one experiment.

use std::collections::{BTreeMap, BTreeSet};

use super::axis::{Variant, node_text};
use super::build::Traces;
use super::declaration::{FieldDeclaration, Presence, Section, ValueShape};
use super::like;
use super::location::Location;
use super::meaning::meaning;
use super::node::{Node, TomlTable, TomlValue};
use super::tables::Top;

/// The fields of the file's top that are no setting of its runs: those that results tell, those that are
/// settled here, and the controllers, which are compared.
const NO_SETTINGS: [&str; 11] = [
    "name",
    "about",
    "cc",
    "controllers",
    "like",
    "limits",
    "record",
    "seed",
    "seeds",
    "sweep",
    "variant",
];
/// Fields that add results and change no others.
const MORE_RESULTS: [&str; 2] = ["measure.ack_cost", "measure.delays"];

/// Settings by their paths: `dumbbell.rate`, `link.down.rate`, `variant.short.dumbbell.buffer`.
pub type GivenSettings = BTreeMap<String, String>;

/// The settings of these tables and variants, presets filled in, without the fields that `swept` names:
/// the names of the points have those.
pub(super) fn given(
    base: &TomlTable,
    variants: &[Variant],
    swept: &[&str],
    traces: &Traces,
) -> GivenSettings {
    let mut found = GivenSettings::new();
    let mut tree = like::filled(base.clone());
    tree.entries.retain(|entry| !NO_SETTINGS.contains(&entry.key.as_str()));
    collect(&Top::SECTION, &tree, "", traces, &mut found);
    found.retain(|path, _| !swept.iter().chain(&MORE_RESULTS).any(|other| other == path));
    for variant in variants {
        for setting in &variant.settings {
            let path = format!("variant.{}.{}", variant.name, setting.key);
            found.insert(path, node_text(&setting.node));
        }
    }
    found
}

fn collect(
    section: &Section,
    table: &TomlTable,
    before: &str,
    traces: &Traces,
    found: &mut GivenSettings,
) {
    for entry in &table.entries {
        let Some(field) = section.fields.iter().find(|field| field.name == entry.key) else {
            continue;
        };
        let path = format!("{before}{}", entry.key);
        match (field.shape, &entry.node.value) {
            (ValueShape::Table(inner) | ValueShape::OneOrMore(inner), TomlValue::Table(table)) => {
                collect(inner, table, &format!("{path}."), traces, found);
            }
            (ValueShape::Tables(inner) | ValueShape::OneOrMore(inner), TomlValue::List(nodes)) => {
                for (number, node) in nodes.iter().enumerate() {
                    if let TomlValue::Table(table) = &node.value {
                        let name = table.get("name").map(|entry| node_text(&entry.node));
                        let name = name.unwrap_or_else(|| (number + 1).to_string());
                        collect(inner, table, &format!("{path}.{name}."), traces, found);
                    }
                }
            }
            (ValueShape::Text("file", _), _) => {
                let file = node_text(&entry.node);
                let print = traces.fingerprint(&file).map(|print| format!("#{print:016x}"));
                found.insert(path, format!("{file}{}", print.unwrap_or_default()));
            }
            _ => {
                found.insert(path, node_text(&entry.node));
            }
        }
    }
}

/// The settings in which two experiments differ, the new value and the old one: `dumbbell.loss 2%, was
/// 0.5%`. A value in another spelling, and a default that one of the two spells out, is no difference.
pub fn changed(old: &GivenSettings, new: &GivenSettings) -> Vec<String> {
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differ = |path: &&String| {
        let declared = declared(path);
        let [was, is] = [old, new].map(|settings| settings.get(*path).map(String::as_str));
        let same = meaning_of(declared, was) == meaning_of(declared, is);
        let field = declared.map(|(_, field)| field);
        (!same).then(|| format!("{path} {}, was {}", shown(field, is), shown(field, was)))
    };
    paths.iter().filter_map(differ).collect()
}

/// The field of a path, and its table; none if this version has none.
fn declared(path: &str) -> Option<(&'static Section, &'static FieldDeclaration)> {
    let mut parts = path.split('.').peekable();
    if parts.next_if_eq(&"variant").is_some() {
        parts.next();
    }
    let named = |section: &'static Section, name: &str| {
        section.fields.iter().find(|field| field.name == name).map(|field| (section, field))
    };
    let mut found = named(&Top::SECTION, parts.next()?)?;
    while let Some(part) = parts.next() {
        found = match found.1.shape {
            ValueShape::Table(inner) => named(inner, part)?,
            // A table of several stands behind its name or number.
            ValueShape::OneOrMore(inner) => {
                named(inner, part).or_else(|| named(inner, parts.next()?))?
            }
            ValueShape::Tables(inner) => named(inner, parts.next()?)?,
            _ => return None,
        };
    }
    Some(found)
}

/// A value as it is understood, whatever its spelling; of a recorded capacity its contents, whatever the
/// file's name.
fn meaning_of(
    declared: Option<(&Section, &FieldDeclaration)>,
    text: Option<&str>,
) -> Option<String> {
    let default = declared.and_then(|(_, field)| match field.presence {
        Presence::Default(text) => Some(text),
        Presence::Required | Presence::Optional(_) => None,
    });
    let text = text.or(default)?;
    let Some((section, field)) = declared else { return Some(text.to_owned()) };
    if let (ValueShape::Text("file", _), Some((_, print))) = (field.shape, text.rsplit_once('#')) {
        return Some(print.to_owned());
    }
    let node = Node { value: TomlValue::Text(text.to_owned()), place: Location::start() };
    meaning(section, field.name, &node).or_else(|| Some(text.to_owned()))
}

/// A value in words: what then holds, where it is not given.
fn shown(field: Option<&FieldDeclaration>, text: Option<&str>) -> String {
    match (text, field.map(|field| field.presence)) {
        (Some(text), _) => text.to_owned(),
        (None, Some(Presence::Default(text) | Presence::Optional(text))) => text.replace('`', ""),
        (None, Some(Presence::Required) | None) => "absent".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Assignment, Scenario};

    fn settings(text: &str, set: &[&str]) -> GivenSettings {
        let set: Vec<Assignment> = set.iter().map(|s| Assignment::parse(s).unwrap()).collect();
        let read = |name: &std::path::Path| match name.to_str() {
            Some("slow.trace") => Ok("0\n20\n".to_owned()),
            _ => Ok("0\n10\n".to_owned()),
        };
        Scenario::parse("f.toml", text, &set, &read).unwrap().given_settings()
    }

    const PATH: &str = "cc = \"reno\"\n[dumbbell]\nloss = \"0.5 %\"\n";

    #[test]
    fn a_changed_setting_is_named_with_both_values() {
        let changes = |set: &[&str]| changed(&settings(PATH, &[]), &settings(PATH, set));
        assert_eq!(changes(&["dumbbell.loss=2%"]), ["dumbbell.loss 2%, was 0.5 %"]);
        assert_eq!(changes(&["tcp.packet=1000"]), ["tcp.packet 1000, was 1500 B"]);
        let network = "cc = \"reno\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n\
                       delay = \"5 ms\"\n\
                       [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n";
        let slower = settings(network, &["link.l.rate=500kbit/s"]);
        let said = changed(&settings(network, &[]), &slower);
        assert_eq!(said, ["link.l.rate 500kbit/s, was 1 Mbit/s"]);
        let measured = settings(network, &["measure.link=l"]);
        let said = changed(&settings(network, &[]), &measured);
        assert_eq!(said, ["measure.link l, was bottleneck, or the first link"]);
    }

    #[test]
    fn spelling_defaults_controllers_and_seeds_are_no_difference() {
        let same = |set: &[&str]| changed(&settings(PATH, &[]), &settings(PATH, set));
        for set in [
            &["dumbbell.loss=0.005"][..],
            &["dumbbell.flows=1"],
            &["time=60000 ms"],
            &["cc=cubic"],
            &["seeds=9"],
            &["measure.delays=false"],
        ] {
            assert_eq!(same(set), Vec::<String>::new(), "{set:?}");
        }
    }

    #[test]
    fn a_swept_field_has_its_values_in_the_names_of_the_points() {
        let swept = format!("{PATH}[sweep]\n\"dumbbell.rate\" = [\"1 Mbit/s\", \"2 Mbit/s\"]\n");
        let given = settings(&swept, &[]);
        assert!(!given.contains_key("dumbbell.rate") && given.contains_key("dumbbell.loss"));
    }

    #[test]
    fn a_recorded_capacity_is_its_contents() {
        let of = |file: &str| {
            settings(&format!("cc = \"reno\"\n[dumbbell]\ntrace = \"{file}.trace\"\n"), &[])
        };
        assert!(changed(&of("a"), &of("b")).is_empty());
        assert_eq!(changed(&of("a"), &of("slow")).len(), 1);
    }
}
