//! Bandwidth estimators on the ACKs of a capture.

use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;

use pyo3::exceptions::{
    PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError, PyRuntimeError,
};
use pyo3::prelude::*;
use westwood_experiment::plan::BadPlan;
use westwood_report::Style;
use westwood_report::estimates::{EstimateRules, EstimatedCapture, page, terminal};

use crate::error::{bad_scenario, checked};
use crate::table::ArrowTable;

/// Estimates of the transfers with the most data, by the command's flags as texts. The document
/// `westwood.estimate/1`, the same in words and as a page, and the estimates as a table.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
pub(crate) fn estimate(
    py: Python<'_>,
    file: PathBuf,
    transfers: &str,
    window: &str,
    interval: &str,
    segment: Option<&str>,
) -> PyResult<(String, String, String, Py<ArrowTable>)> {
    let segment = segment.map(|text| checked(py, EstimateRules::segment(text), "segment"));
    let rules = EstimateRules {
        transfers: checked(py, EstimateRules::transfers(transfers), "transfers")?,
        window: checked(py, EstimateRules::window(window), "window")?,
        interval: checked(py, EstimateRules::interval(interval), "interval")?,
        segment: segment.transpose()?,
    };
    if file.is_dir() {
        let what = format!("'{}' is a directory; name a pcap or pcapng file", file.display());
        return Err(PyIsADirectoryError::new_err(what));
    }
    let opened = File::open(&file).map_err(|e| {
        let what = format!("'{}' cannot be read: {e}", file.display());
        match e.kind() {
            ErrorKind::NotFound => PyFileNotFoundError::new_err(what),
            ErrorKind::PermissionDenied => PyPermissionError::new_err(what),
            _ => PyOSError::new_err(what),
        }
    })?;
    let estimated = py.detach(|| EstimatedCapture::read(&file, opened, rules));
    let estimated = estimated.map_err(|error| bad_scenario(py, &BadPlan::File(error)))?;
    let json = estimated.json().map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
    let table = Py::new(py, ArrowTable::of(&estimated.frame())?)?;
    Ok((json, terminal(&estimated, Style::PLAIN), page(&estimated, "python"), table))
}
