//! Controllers from Python by their names.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use westwood_cc::agent_controlled::AgentControlled;
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnVerbs, entry};
use westwood_experiment::plan::BadPlan;
use westwood_scenario::file::Scenario;
use westwood_scenario::spec::register_anew;
use westwood_script::FloatController;

use crate::agent::{Policy, step};
use crate::compiled::{Addresses, Compiled};
use crate::error::bad_scenario;
use crate::scripted::Scripted;

/// The names of those that need the interpreter.
static SCRIPTED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Text that lives as long as the process, as a controller's name does: a class is registered once.
fn kept(text: String) -> &'static str {
    text.leak()
}

/// How the catalog names a controller from Python.
fn info(name: String, summary: String) -> &'static Info {
    let (name, summary) = (kept(name), kept(summary));
    Box::leak(Box::new(Info { name, aliases: &[], summary, source: "Python" }))
}

/// Makes a controller known. Its documentation heads its scorecard.
fn make_known(py: Python<'_>, verbs: impl OwnVerbs + 'static, doc: &str) -> PyResult<()> {
    let head: Vec<String> = doc.lines().map(|line| format!("//! {line}")).collect();
    let entry: &'static dyn OwnVerbs = Box::leak(Box::new(verbs));
    register_anew(entry, kept(head.join("\n"))).map_err(|e| bad_scenario(py, &BadPlan::File(e)))
}

fn note_scripted(name: &'static str, is_so: bool) {
    let mut all = SCRIPTED.lock().unwrap_or_else(PoisonError::into_inner);
    if is_so {
        all.insert(name)
    } else {
        all.remove(name)
    };
}

/// Registers a class whose methods are verbs, in the place of an earlier one of its name.
#[pyfunction]
pub(crate) fn register_class(
    class: &Bound<'_, PyAny>,
    name: String,
    summary: String,
    doc: &str,
    everything: bool,
) -> PyResult<()> {
    let info = info(name, summary);
    make_known(class.py(), FloatController(Scripted::of(class, info, everything)?), doc)?;
    note_scripted(info.name, true);
    Ok(())
}

/// Registers compiled functions by their addresses; zero for a verb that there is not. Nothing but
/// `westwood.compiled` calls this, which has seen what the functions are.
#[pyfunction]
#[expect(unsafe_code, reason = "Python tells a function's type, and Rust has its address alone")]
pub(crate) fn register_compiled(
    py: Python<'_>,
    name: String,
    summary: String,
    measure: usize,
    grow: usize,
    reduce: usize,
) -> PyResult<()> {
    let info = info(name, summary);
    // SAFETY: `westwood.compiled`, the only caller, has compared the argument and result types of each
    // function, as ctypes knows them, with those of the verb, and keeps the functions until the process
    // ends. A function writes to its first argument alone, or breaks what `compiled` asks of it.
    let compiled = unsafe { Compiled::at(info, Addresses { measure, grow, reduce }) };
    make_known(py, FloatController(compiled), "")?;
    note_scripted(info.name, false);
    Ok(())
}

/// Registers a policy, which orders a window at the end of each interval.
#[pyfunction]
pub(crate) fn register_policy(
    policy: &Bound<'_, PyAny>,
    name: String,
    summary: String,
    interval: &str,
) -> PyResult<()> {
    let interval = step(policy.py(), interval)?;
    let info = info(name, summary);
    make_known(policy.py(), Policy::of(policy, info, interval), "")?;
    note_scripted(info.name, true);
    Ok(())
}

/// Makes the controller `agent` known, which environments steer.
pub(crate) fn register_agent(py: Python<'_>) -> PyResult<()> {
    register_anew(entry::<AgentControlled>(), "").map_err(|e| bad_scenario(py, &BadPlan::File(e)))
}

/// True if a controller of this name needs the interpreter.
pub(crate) fn is_scripted_name(name: &str) -> bool {
    SCRIPTED.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
}

/// True if a flow of some point has a controller that needs the interpreter.
pub(crate) fn is_scripted(scenario: &Scenario) -> bool {
    if SCRIPTED.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
        return false;
    }
    let seed = scenario.seeds().first().copied().unwrap_or(1);
    let all = scenario.points().iter().chain(scenario.baselines());
    all.filter_map(|point| scenario.build(point, seed).ok()).any(|built| {
        let controllers = built.layout.groups.iter().filter_map(|group| group.cc.as_deref());
        controllers.into_iter().any(is_scripted_name)
    })
}
