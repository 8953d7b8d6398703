//! JSON Schemas (draft 7) of `westwood.run/1` and `westwood.compare/1`, from the types that are serialised.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use westwood_experiment::results::ComparisonReport;
use westwood_experiment::run::GridReport;

/// The schema of what `westwood run --json` writes.
pub fn run() -> Value {
    of::<GridReport>()
}

/// The schema of what `westwood compare --json` writes.
pub fn compare() -> Value {
    of::<ComparisonReport>()
}

/// The schema of a type as it is written: a field is required if it is always there.
fn of<T: JsonSchema>() -> Value {
    let as_written = RecursiveTransform(as_written);
    let settings = SchemaSettings::draft07().for_serialize().with_transform(as_written);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Leaves out what is read and never written: defaults, and `null` of a field that is absent instead.
fn as_written(schema: &mut Schema) {
    schema.remove("default");
    let required: Vec<Value> =
        schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, field) in fields {
        if !required.iter().any(|always| always == name) {
            without_null(field);
        }
    }
}

/// Takes `null` from what a field may be.
fn without_null(field: &mut Value) {
    if let Some(choices) = field.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice["type"] != "null");
    }
    if let Some(kinds) = field.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            field["type"] = only.clone();
        }
    }
}
