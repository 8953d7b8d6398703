//! Pages: every figure and table beside what the paper says.

use crate::plan::Plan;
use crate::results::Report;
use crate::run::Done;

/// The files of a reproduction: path within the folder, and text.
pub fn pages(_plan: &Plan, _done: &Done, _report: &Report) -> Vec<(String, String)> {
    Vec::new()
}
