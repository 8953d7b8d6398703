//! Bandwidth estimators on the ACKs of a capture.

use std::fs::File;
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use westwood_capture::read::contents;
use westwood_experiment::plan::BadPlan;
use westwood_report::Style;
use westwood_report::estimates::{EstimateRules, EstimatedCapture, page, terminal};
use westwood_scenario::{BadInput, units};

use crate::error::{bad_scenario, checked};
use crate::table::ArrowTable;

/// Estimates of the transfers with the most data, at most so many. Deliveries are averaged over `window`,
/// and estimates kept once in `interval`, both written with their unit. The document
/// `westwood.estimate/1`, the same in words and as a page, and the estimates as a table.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
pub(crate) fn estimate(
    py: Python<'_>,
    file: PathBuf,
    transfers: usize,
    window: &str,
    interval: &str,
) -> PyResult<(String, String, String, Py<ArrowTable>)> {
    let window = checked(py, units::duration(window), "window")?;
    let interval = checked(py, units::duration(interval), "interval")?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let opened = File::open(&file)
        .map_err(|e| PyOSError::new_err(format!("'{}' cannot be read: {e}", file.display())))?;
    let refused = |why: String| {
        let what = BadInput::new(format!("'{}' {why}", file.display()));
        bad_scenario(py, &BadPlan::File(what))
    };
    let contents = py.detach(|| contents(opened)).map_err(|error| refused(error.to_string()))?;
    if contents.transfers.is_empty() {
        let (packets, others) = (contents.packets, contents.others);
        return Err(refused(format!(
            "shows no TCP data ({packets} packets, {others} of them no TCP)"
        )));
    }
    let rules = EstimateRules { transfers, window, interval, segment: None };
    let estimated = py.detach(|| EstimatedCapture::of(name, contents, rules));
    let json = estimated.json().map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    let table = Py::new(py, ArrowTable::of(&estimated.frame())?)?;
    Ok((json, terminal(&estimated, Style::PLAIN), page(&estimated, "python"), table))
}
