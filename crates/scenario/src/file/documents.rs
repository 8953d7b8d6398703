//! The pages made from the format's tables: `docs/reference/scenarios.md` and the JSON Schema.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::declaration::{FieldDeclaration, Presence, Section, ValueShape};
use super::tables::Top;
use crate::error::listed;

/// The page `docs/reference/scenarios.md`: a guide, and every table with its fields.
pub fn documents() -> String {
    let mut text = include_str!("guide.md").to_owned();
    for (title, section) in sections() {
        let _ = write!(text, "### {title}\n\n{}\n\n", joined(section.about));
        text.push_str("| field | value | without it | meaning |\n|---|---|---|---|\n");
        for field in section.fields {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                field.name,
                kind(&field.shape),
                absent(&field.presence),
                joined(field.about)
            );
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// The format as a JSON Schema (draft 7), for editors.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for (_, section) in sections().into_iter().skip(1) {
        definitions.insert(name_of(section), object(section));
    }
    let mut root = object(&Top::SECTION);
    root["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    root["title"] = json!("Westwood scenario");
    root["definitions"] = Value::Object(definitions);
    root
}

/// All tables in the order of the documents, each with its heading.
fn sections() -> Vec<(String, &'static Section)> {
    let mut all = vec![("The top of the file".to_owned(), &Top::SECTION)];
    let mut next = 0;
    while let Some(&(_, section)) = all.get(next) {
        next += 1;
        for field in section.fields {
            if let ValueShape::Table(inner)
            | ValueShape::Tables(inner)
            | ValueShape::OneOrMore(inner)
            | ValueShape::Named(inner) = field.shape
                && all.iter().all(|(_, known)| known.title != inner.title)
            {
                let title = if inner.title.starts_with('[') {
                    format!("`{}`", inner.title)
                } else {
                    format!("`{}` of `{}`", inner.title, section.title)
                };
                all.push((title, inner));
            }
        }
    }
    all
}

/// The tables that have a field of this name, in words.
pub(super) fn place_of_field(key: &str) -> Option<String> {
    let has = |section: &Section| section.fields.iter().any(|field| field.name == key);
    if has(&Top::SECTION) {
        return Some(format!("'{key}' stands at the top of the file, above all tables"));
    }
    let tables = sections().into_iter().filter(|(_, section)| has(section));
    let titles: Vec<String> = tables.map(|(heading, _)| heading.replace('`', "")).collect();
    let of = || listed(titles.iter().map(String::as_str));
    (!titles.is_empty()).then(|| format!("'{key}' is a field of {}", of()))
}

pub(super) fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The kind of a value, in a cell of a table.
fn kind(shape: &ValueShape) -> String {
    match shape {
        ValueShape::Text(name, example) => format!("{name}: `{example}`"),
        ValueShape::Words(words) => {
            words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
        }
        ValueShape::Count(low, u64::MAX) => format!("a whole number from {low}"),
        ValueShape::Count(low, high) => format!("a whole number from {low} to {high}"),
        ValueShape::Switch => "`true` or `false`".to_owned(),
        ValueShape::Some(name, example) => format!("{name}, or several: `{example}`"),
        ValueShape::Texts(name, example) => format!("{name}s: `{example}`"),
        ValueShape::Table(section) => format!("a table: `{}`", section.title),
        ValueShape::Tables(section) => format!("tables: `{}`", section.title),
        ValueShape::OneOrMore(section) => format!("a table, or several: `{}`", section.title),
        ValueShape::Named(section) => format!("tables by their names: `{}`", section.title),
        ValueShape::Numbers(example) => format!("names and numbers: `{example}`"),
        ValueShape::Settings(example) => format!("paths and values: `{example}`"),
        ValueShape::NamedSettings(example) => {
            format!("named tables of paths and values: `{example}`")
        }
    }
}

fn absent(presence: &Presence) -> String {
    match presence {
        Presence::Required => "must be given".to_owned(),
        Presence::Default(text) => format!("`{text}`"),
        Presence::Optional(words) => (*words).to_owned(),
    }
}

/// A table's name among the definitions: its title without brackets.
fn name_of(section: &Section) -> String {
    section.title.trim_matches(['[', ']']).to_owned()
}

fn object(section: &Section) -> Value {
    let mut properties = Map::new();
    for field in section.fields {
        properties.insert(field.name.to_owned(), property(field));
    }
    let required: Vec<&str> = section
        .fields
        .iter()
        .filter(|field| field.presence == Presence::Required)
        .map(|field| field.name)
        .collect();
    json!({
        "type": "object",
        "description": joined(section.about),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(field: &FieldDeclaration) -> Value {
    let mut schema = of_shape(&field.shape);
    let mut about = joined(field.about);
    match field.presence {
        Presence::Required => {}
        Presence::Default(text) => schema["default"] = json!(text),
        Presence::Optional(words) => {
            let _ = write!(about, " Without it: {words}.");
        }
    }
    // Beside a reference a description would be ignored.
    if schema.get("$ref").is_some() {
        schema = json!({ "allOf": [schema] });
    }
    schema["description"] = json!(about);
    schema
}

fn of_shape(shape: &ValueShape) -> Value {
    let single = json!(["string", "number", "boolean"]);
    let reference =
        |section: &Section| json!({ "$ref": format!("#/definitions/{}", name_of(section)) });
    let example = |example: &str| json!([example.trim_matches('"')]);
    match shape {
        ValueShape::Text(_, text) => {
            json!({ "type": ["string", "number"], "examples": example(text) })
        }
        ValueShape::Words(words) => json!({ "type": "string", "enum": words }),
        ValueShape::Count(low, u64::MAX) => {
            json!({ "type": ["integer", "string"], "minimum": low })
        }
        ValueShape::Count(low, high) => {
            json!({ "type": ["integer", "string"], "minimum": low, "maximum": high })
        }
        ValueShape::Switch => json!({ "type": ["boolean", "string"] }),
        ValueShape::Some(_, text) => json!({
            "anyOf": [
                { "type": single },
                { "type": "array", "items": { "type": single }, "minItems": 1 },
            ],
            "examples": example(text),
        }),
        ValueShape::Texts(..) => json!({
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            ],
        }),
        ValueShape::Table(section) => reference(section),
        ValueShape::Tables(section) => json!({ "type": "array", "items": reference(section) }),
        ValueShape::OneOrMore(section) => json!({
            "anyOf": [
                reference(section),
                { "type": "array", "items": reference(section), "minItems": 1 },
            ],
        }),
        ValueShape::Named(section) => {
            json!({ "type": "object", "additionalProperties": reference(section) })
        }
        ValueShape::Numbers(_) => json!({
            "type": "object",
            "additionalProperties": { "type": ["number", "string"] },
        }),
        ValueShape::Settings(_) => json!({ "type": "object" }),
        ValueShape::NamedSettings(_) => {
            json!({ "type": "object", "additionalProperties": { "type": "object" } })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fault::Faults;
    use super::super::location::Location;
    use super::super::meaning::meaning;
    use super::super::node::{Node, TomlValue, parse};
    use super::*;

    fn node(toml: &str) -> Node {
        let mut faults = Faults::default();
        let table = parse(&format!("x = {toml}"), 0, &mut faults);
        assert!(faults.is_empty(), "{toml}: {faults:?}");
        table.get("x").unwrap().node.clone()
    }

    #[test]
    fn every_example_and_every_default_in_the_documents_is_read() {
        for (title, section) in sections() {
            for field in section.fields {
                if let ValueShape::Text(_, example)
                | ValueShape::Some(_, example)
                | ValueShape::Texts(_, example) = field.shape
                {
                    assert!(
                        meaning(section, field.name, &node(example)).is_some(),
                        "{title} {}: {example}",
                        field.name
                    );
                }
                if let Presence::Default(text) = field.presence {
                    let value = TomlValue::Text(text.to_owned());
                    let node = Node { value, place: Location::start() };
                    let meaning = meaning(section, field.name, &node);
                    assert!(meaning.is_some(), "{title} {}: {text}", field.name);
                }
            }
        }
    }

    /// The networks of a scenario with this `[tcp]`.
    fn networks(tcp: &str) -> String {
        use super::super::Scenario;
        let text = format!("cc = [\"reno\", \"cubic\"]\ndumbbell = {{}}\n[tcp]\n{tcp}");
        let read = |_: &std::path::Path| Err(String::new());
        let scenario = Scenario::parse("f", &text, &[], &read).unwrap_or_else(|e| panic!("{e}"));
        let built = scenario.points().iter().map(|p| scenario.build(p, 1).unwrap().network);
        format!("{:?}", built.collect::<Vec<_>>())
    }

    #[test]
    fn a_transport_with_every_default_spelled_out_is_the_usual_one() {
        let usual = networks("");
        for field in super::super::settings::Tcp::SECTION.fields {
            if let Presence::Default(text) = field.presence {
                assert!(
                    usual == networks(&format!("{} = \"{text}\"", field.name)),
                    "{}",
                    field.name
                );
            }
        }
    }

    #[test]
    fn every_table_has_a_definition_and_every_field_a_description() {
        let schema = schema();
        let definitions = schema["definitions"].as_object().unwrap();
        assert_eq!(definitions.len() + 1, sections().len());
        for table in definitions.values().chain([&schema]) {
            for (name, property) in table["properties"].as_object().unwrap() {
                assert!(property["description"].as_str().is_some_and(|d| d.len() > 3), "{name}");
            }
        }
    }
}
