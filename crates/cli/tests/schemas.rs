//! `westwood schema run` and `westwood schema compare`: committed as they are printed, and true of documents.
//!
//! `WESTWOOD_WRITE=1 cargo test -p westwood-cli --test schemas` writes docs/reference/*.schema.json anew.

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use support::Folder;

/// A network with a sweep, a variant, competing flows and their baselines.
const EXPERIMENT: &str = r#"
about = "a schema's example"
cc = ["reno", "cubic"]
time = "3 s"
warmup = "1 s"
seeds = 2

[dumbbell]
rate = "4 Mbit/s"
rtt = "20 ms"
loss = "1 %"
against_cc = "cubic"

[sweep]
"dumbbell.buffer" = ["5 pkt", "20 pkt"]

[variant.marking]
"dumbbell.aqm" = "codel(ecn=on)"
"#;

/// Links and flows that have what others have not.
const ALL_KINDS: &str = r#"
about = "links and flows of all kinds"
cc = ["reno", "prague"]
time = "4 s"
warmup = "1 s"
seeds = 1

[[link]]
name = "hop"
from = "server"
to = "gateway"
rate = "8 Mbit/s"
delay = "10 ms"
loss = "1 %"
arq = "unordered"
buffer = "50 pkt"

[[link]]
name = "bottleneck"
from = "gateway"
to = "client"
rate = "4 Mbit/s"
delay = "10 ms"
return_rate = "60 kbit/s"
aqm = "dualpi2"
ack_filter = "replace"
buffer = "100 pkt"

[[flow]]
name = "download"
from = "server"
to = "client"
proxy = { at = "gateway" }

[[flow]]
name = "call"
from = "server"
to = "client"
media = { max_rate = "1 Mbit/s" }

[[flow]]
name = "page"
from = "server"
to = "client"
cc = "cubic"
size = "30 kB"

[measure]
link = "bottleneck"
"#;

fn printed(format: &str) -> String {
    let run = Folder::new().run(&["schema", format]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run.stdout
}

fn schema(format: &str) -> Value {
    serde_json::from_str(&printed(format)).unwrap()
}

fn committed(format: &str) -> PathBuf {
    let name = format!("../../docs/reference/{format}.schema.json");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The document that a command writes.
fn document(folder: &Folder, arguments: &[&str]) -> Value {
    let run = folder.run(&[arguments, &["--quiet", "--json", "-"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// A document of `westwood run` on `text`.
fn run_of(text: &str) -> Value {
    let folder = Folder::new();
    folder.write("experiment.toml", text);
    document(&folder, &["run", "experiment.toml"])
}

/// The keywords that [`Checked::value`] understands or need not: those that only tell.
const KEYWORDS: [&str; 18] = [
    "$ref",
    "$schema",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "definitions",
    "description",
    "enum",
    "format",
    "items",
    "minimum",
    "oneOf",
    "properties",
    "required",
    "title",
    "type",
];

/// A check of a document by a schema. A name that the schema lacks is a fault as well: the schema allows
/// fields of later versions, and those of this version are all in it.
struct Checked<'a> {
    root: &'a Value,
    faults: Vec<String>,
}

/// The faults of a document.
fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let mut checked = Checked { root: schema, faults: Vec::new() };
    checked.value(schema, document, "");
    checked.faults
}

impl Checked<'_> {
    fn fault(&mut self, place: &str, what: &str) {
        self.faults.push(format!("{place}: {what}"));
    }

    fn value(&mut self, schema: &Value, value: &Value, place: &str) {
        let Some(rules) = schema.as_object() else {
            // `true` allows everything.
            assert_eq!(schema, true, "{place}");
            return;
        };
        if let Some(keyword) = rules.keys().find(|name| !KEYWORDS.contains(&name.as_str())) {
            self.fault(place, &format!("the keyword {keyword} is unknown to this test"));
        }
        if let Some(target) = rules.get("$ref") {
            let pointer = target.as_str().unwrap().trim_start_matches('#');
            let target = self.root.pointer(pointer);
            self.value(target.unwrap_or_else(|| panic!("{place}: no {pointer}")), value, place);
        }
        for one in listed(rules, "allOf") {
            self.value(one, value, place);
        }
        for choice in ["anyOf", "oneOf"] {
            let all = listed(rules, choice);
            let fitting = all.iter().filter(|one| self.fits(one, value, place)).count();
            if !all.is_empty() && (fitting == 0 || choice == "oneOf" && fitting > 1) {
                self.fault(place, &format!("{fitting} of {choice} fit {value}"));
            }
        }
        if rules.get("const").is_some_and(|wanted| wanted != value) {
            self.fault(place, &format!("{value} is another constant"));
        }
        if rules.contains_key("enum") && !listed(rules, "enum").contains(value) {
            self.fault(place, &format!("{value} is none of the enum"));
        }
        if let Some(wanted) = rules.get("type") {
            let kinds = wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
            if !kinds.iter().any(|kind| is_of(kind.as_str().unwrap(), value)) {
                self.fault(place, &format!("{value} is not of type {wanted}"));
            }
        }
        let least = rules.get("minimum").and_then(Value::as_f64);
        if let (Some(least), Some(number)) = (least, value.as_f64())
            && number < least
        {
            self.fault(place, &format!("{number} is below {least}"));
        }
        match value {
            Value::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    let inner = rules.get("items").unwrap_or(&Value::Bool(true));
                    self.value(inner, item, &format!("{place}/{number}"));
                }
            }
            Value::Object(fields) => self.fields(rules, fields, place),
            _ => {}
        }
    }

    fn fields(&mut self, rules: &Map<String, Value>, fields: &Map<String, Value>, place: &str) {
        for name in listed(rules, "required") {
            let name = name.as_str().unwrap();
            if !fields.contains_key(name) {
                self.fault(place, &format!("{name} is missing"));
            }
        }
        // A schema that refers to another one leaves the names to it.
        let names = rules.get("properties").and_then(Value::as_object);
        let is_object = rules.get("type").is_some_and(|kind| kind == "object");
        for (name, field) in fields {
            let of = names.and_then(|names| names.get(name)).or(rules.get("additionalProperties"));
            let place = format!("{place}/{name}");
            match of {
                Some(schema) => self.value(schema, field, &place),
                None if is_object => self.fault(&place, "the schema does not have it"),
                None => {}
            }
        }
    }

    fn fits(&self, schema: &Value, value: &Value, place: &str) -> bool {
        let mut other = Checked { root: self.root, faults: Vec::new() };
        other.value(schema, value, place);
        other.faults.is_empty()
    }
}

fn listed<'a>(rules: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    rules.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[test]
fn the_committed_schemas_are_what_the_command_prints() {
    for format in ["run", "compare"] {
        let (path, text) = (committed(format), printed(format));
        if std::env::var_os("WESTWOOD_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "{}: WESTWOOD_WRITE=1 writes it anew, and `make page` the types of web/",
            path.display()
        );
    }
}

#[test]
fn the_schema_without_a_name_is_that_of_scenarios() {
    let run = Folder::new().run(&["schema"]);
    assert_eq!(run.stdout, printed("scenario"));
    assert_eq!(schema("scenario")["title"], "Westwood scenario");
}

#[test]
fn a_page_is_not_asked_for_together_with_a_schema() {
    let run = Folder::new().run(&["schema", "run", "--results"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    let run = Folder::new().run(&["schema", "diff"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
}

#[test]
fn documents_of_run_are_as_their_schema_says() {
    let schema = schema("run");
    let document = run_of(EXPERIMENT);
    assert_eq!(faults(&schema, &document), Vec::<String>::new());
    // Points, baselines and conclusions are in it.
    assert_eq!(document["points"].as_array().unwrap().len(), 8);
    assert!(!document["baselines"].as_array().unwrap().is_empty());
    assert!(document["summaries"][0]["contestants"][0]["means"]["goodput"].is_object());
}

#[test]
fn what_only_some_links_and_flows_have_is_as_the_schema_says() {
    let document = run_of(ALL_KINDS);
    assert_eq!(faults(&schema("run"), &document), Vec::<String>::new());
    let all = document.to_string();
    for name in [
        "classic_delay_ms",
        "filtered_packets",
        "frames",
        "low_latency_delay_ms",
        "proxy_held_max_bytes",
        "repairs_packets",
    ] {
        assert!(all.contains(&format!("\"{name}\":")), "{name} is not written: {all}");
    }
}

#[test]
fn documents_of_compare_are_as_their_schema_says() {
    let schema = schema("compare");
    let quick =
        ["compare", "--cc", "reno,westwood", "--time", "4s", "--seeds", "2", "--loss", "1%"];
    let more: [&[&str]; 3] =
        [&[], &["--against", "cubic:2", "--aqm", "codel"], &["--size", "100kB", "--flows", "2"]];
    for more in more {
        let document = document(&Folder::new(), &[&quick, more].concat());
        assert_eq!(faults(&schema, &document), Vec::<String>::new(), "{more:?}");
    }
}

#[test]
fn a_document_that_is_not_as_the_schema_says_is_found() {
    let schema = schema("run");
    let right = run_of(EXPERIMENT);
    let faults_with = |place: &str, value: Option<Value>| {
        let mut wrong = right.clone();
        let (of, name) = place.rsplit_once('/').unwrap();
        let fields = wrong.pointer_mut(of).unwrap().as_object_mut().unwrap();
        match value {
            Some(value) => fields.insert(name.to_owned(), value),
            None => fields.remove(name),
        };
        faults(&schema, &wrong)
    };
    assert_eq!(faults_with("/version", None), [": version is missing"]);
    assert_eq!(faults_with("/runs/0/links/0/drops/aqm", None).len(), 1);
    assert_eq!(faults_with("/summaries/0/leader", None).len(), 1);
    assert_eq!(faults_with("/baselines/0/runs", None).len(), 1);
    assert_eq!(faults_with("/runs/0/colour", Some(json!(1))).len(), 1);
    assert_eq!(faults_with("/schema", Some(json!("westwood.run/2"))).len(), 1);
    assert_eq!(faults_with("/runs/0/point", Some(json!(-1))).len(), 1);
    assert_eq!(faults_with("/runs/0/summary/jain", Some(json!(null))).len(), 1);
    assert_eq!(faults_with("/summaries/0/criteria", Some(json!(["beauty"]))).len(), 1);
}
