//! Changes from one saved result to another.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use westwood_experiment::judgement::{self, Practical, SavedResult};
use westwood_experiment::plan::BadPlan;
use westwood_report::Style;
use westwood_report::diff::terminal;
use westwood_scenario::BadInput;

use crate::error::{bad_scenario, checked};

/// The document `westwood.diff/1` from one result's JSON to another's, and the same in words.
#[pyfunction]
pub(crate) fn diff(
    py: Python<'_>,
    old: &str,
    new: &str,
    practical: &str,
) -> PyResult<(String, String)> {
    let old = checked(py, SavedResult::parse(old), "old")?;
    let new = checked(py, SavedResult::parse(new), "new")?;
    let practical = checked(py, Practical::parse(practical), "practical")?;
    let found = judgement::diff(&old, &new, practical);
    if found.paired == 0 && found.lost.is_empty() {
        let what = "the two results have no run in common: a point of the same name and seed";
        return Err(bad_scenario(py, &BadPlan::File(BadInput::new(what))));
    }
    let json = serde_json::to_string_pretty(&found);
    let json = json.map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    Ok((json + "\n", terminal(&found, Style::PLAIN)))
}
