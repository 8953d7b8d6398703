//! Results as JSON.

use westwood_experiment::execution::ExperimentOutcome;
use westwood_experiment::plan::ExperimentPlan;
use westwood_experiment::{results, run};

/// An experiment in the schema that belongs to it: a comparison in words as `westwood.compare/1`, any other
/// as `westwood.run/1`.
pub fn experiment(
    plan: &ExperimentPlan,
    outcome: &ExperimentOutcome,
) -> Result<String, serde_json::Error> {
    match plan.words(&outcome.report) {
        Some(path) => render(&outcome.comparison(path)),
        None => render_run(&outcome.report),
    }
}

/// The same document in one line, with a newline at its end: several make JSON Lines.
pub fn experiment_line(
    plan: &ExperimentPlan,
    outcome: &ExperimentOutcome,
) -> Result<String, serde_json::Error> {
    let text = match plan.words(&outcome.report) {
        Some(path) => serde_json::to_string(&outcome.comparison(path)),
        None => serde_json::to_string(&outcome.report),
    };
    text.map(|text| text + "\n")
}

/// An experiment in words as the schema `westwood.compare/1` has it, with a newline at the end.
pub fn render(report: &results::ComparisonReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

/// A scenario's report as the schema `westwood.run/1` has it, with a newline at the end.
pub fn render_run(report: &run::GridReport) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}
