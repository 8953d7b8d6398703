//! Scorecards: controllers examined by the criteria of RFC 9743.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use westwood_experiment::plan::BadPlan;
use westwood_experiment::world::Simulator;
use westwood_scenario::spec::ControllerSpec;
use westwood_scorecard::card::AckCost;
use westwood_scorecard::curves::CardCurves;
use westwood_scorecard::playground::CardLinks;
use westwood_scorecard::run::CardRuns;
use westwood_scorecard::{CardPlan, card, examine, page, rfc9743, text};

use crate::error::{bad_scenario, checked};
use crate::work::{Watch, Workers, watched};

/// The card of a controller, of these sections or of all, with as many seeds as each setting needs: the
/// document `westwood.card/1`, the same in words, as a page and as Markdown.
#[pyfunction]
#[pyo3(signature = (cc, only, *, cost, jobs, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
pub(crate) fn evaluate(
    py: Python<'_>,
    cc: &str,
    only: Vec<String>,
    cost: bool,
    jobs: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String, String, String)> {
    let controller = checked(py, ControllerSpec::parse(cc), "cc")?;
    let refused = |error| bad_scenario(py, &BadPlan::Scenario(error));
    let mut examination = rfc9743().map_err(refused)?;
    if !only.is_empty() {
        checked(py, examination.only(&only), "only")?;
    }
    let plan = CardPlan::new(examination.clone(), controller, false);
    let mut plan = plan.map_err(refused)?;
    let cancel = Arc::<AtomicBool>::default();
    let workers = Workers::of_controller(cc, jobs);
    let mut runs = CardRuns::kept(&plan, None);
    let simulate = |plan: &CardPlan, runs: &mut CardRuns| {
        let queue = runs.remaining(plan, Arc::clone(&cancel));
        let position = || (queue.share(), 1.0);
        let watch = Watch { cancel: &cancel, position: &position };
        let done = watched(py, workers, &watch, progress, || {
            runs.run(plan, &queue, &Simulator, None, workers.count())
        })?;
        // Nothing is kept, so that nothing but a user ends the runs.
        done.map_err(|_| PyKeyboardInterrupt::new_err("interrupted"))
    };
    let mut card = examine(&mut plan, &mut runs, simulate, |_, _, _| ())?;
    if let Some(what) = westwood_experiment::run::failed(&runs.failures(&plan)) {
        return Err(PyRuntimeError::new_err(what));
    }
    let position = || (1.0, 1.0);
    let watch = Watch { cancel: &cancel, position: &position };
    if cost {
        let beside = checked(py, examination.beside(controller), "cc")?;
        card.cost = watched(py, workers, &watch, progress, || AckCost::measured(&beside))?;
    }
    let draw = || CardCurves::draw(&plan, &runs, workers.count(), &cancel);
    let curves = watched(py, workers, &watch, progress, draw)?.map_err(PyRuntimeError::new_err)?;
    let curves = curves.ok_or_else(|| PyKeyboardInterrupt::new_err("interrupted"))?;
    let failed = |e: serde_json::Error| PyRuntimeError::new_err(e.to_string());
    let one = std::slice::from_ref(&card);
    let json = card::json(one).map_err(failed)?;
    // A page alone has no playground beside it.
    let html = page::page(&card, &curves, &CardLinks::default(), &examination);
    Ok((json, text::terminal(&card), html, text::markdown(one)))
}
