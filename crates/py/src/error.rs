//! Errors of the package: the classes of `westwood.errors`, raised with their parts.

use pyo3::prelude::*;
use westwood_experiment::plan::BadPlan;
use westwood_scenario::BadInput;

/// `BadScenario` with its message, place and hint, and every further fault.
///
/// A fault of keywords is placed at the keyword, as in `return_rate`; that of a setting by path at the path;
/// that of a text at `file:line:column`.
pub(crate) fn bad_scenario(py: Python<'_>, error: &BadPlan) -> PyErr {
    let faults: Vec<(String, Option<String>, Option<String>)> = match error {
        BadPlan::Scenario(file) => file
            .faults()
            .map(|fault| {
                let place = fault.place.map(|place| match fault.line.and_then(path_of) {
                    Some(path) if place.starts_with("--set:") => path.to_owned(),
                    _ => as_keywords(&place),
                });
                (as_keywords(fault.message), place, fault.hint.map(as_keywords))
            })
            .collect(),
        BadPlan::File(input) => {
            let (message, hint) = input.clone().into_parts();
            vec![(message, None, hint)]
        }
    };
    raise(py, "BadScenario", (faults,))
}

/// The path of `PATH=VALUE`.
fn path_of(assignment: &str) -> Option<&str> {
    assignment.split_once('=').map(|(path, _)| path.trim())
}

/// A value of a keyword, or `BadScenario` that names the keyword.
pub(crate) fn checked<T>(py: Python<'_>, value: Result<T, BadInput>, keyword: &str) -> PyResult<T> {
    value.map_err(|error| {
        let (message, hint) = error.into_parts();
        let faults = vec![(message, Some(keyword), hint)];
        raise(py, "BadScenario", (faults,))
    })
}

/// An error of `westwood.errors`, made from these arguments.
pub(crate) fn raise<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let made =
        py.import("westwood.errors").and_then(|errors| errors.getattr(class)?.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The text of a message with keywords in place of the command's flags: `return_rate` of `--return-rate`.
fn as_keywords(text: &str) -> String {
    let mut parts = text.split("--");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        if end == 0 {
            told.push_str("--");
        }
        told.push_str(&part[..end].replace('-', "_"));
        told.push_str(&part[end..]);
    }
    told
}
