//! Results as JSON.

use westwood_experiment::{results, run};

/// An experiment in words as the schema `westwood.compare/1` has it, with a newline at the end.
pub fn render(report: &results::ComparisonReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

/// A scenario's report as the schema `westwood.run/1` has it, with a newline at the end.
pub fn render_run(report: &run::GridReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}
