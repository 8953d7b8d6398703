//! Curves over time beside each setting of a card: the first seed of the controller and of the runs beside
//! it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use westwood_experiment::run::{Curves, Detail, GridProgress, RunRecord, curves};
use westwood_report::curve_charts;
use westwood_report::figure::Chart;

use crate::plan::{CardPlan, CardPoint, FIRST_SEED};
use crate::run::CardRuns;

/// The charts of each setting.
#[derive(Clone, Debug, Default)]
pub struct CardCurves {
    settings: BTreeMap<(String, String), Vec<Chart>>,
}

/// A setting's points with the names of their curves.
type NamedPoints = Vec<(String, CardPoint)>;

impl CardCurves {
    /// Simulates the first seed of each setting once more, so many at the same time, and draws it. A card of
    /// the kernel has no curves: its runs cannot be repeated. None if `cancel` was set.
    ///
    /// # Errors
    /// If a run gives something else than it gave before.
    pub fn draw(
        plan: &CardPlan,
        runs: &CardRuns,
        jobs: usize,
        cancel: &AtomicBool,
    ) -> Result<Option<Self>, String> {
        let mut drawn = Self::default();
        if plan.linux {
            return Ok(Some(drawn));
        }
        for (scenario, settings) in settings(plan) {
            let mut recorded: BTreeMap<CardPoint, Curves> = BTreeMap::new();
            let points = || settings.values().flatten().map(|(_, point)| *point);
            let grids: std::collections::BTreeSet<usize> = points().map(|at| at.grid).collect();
            for grid in grids {
                let wanted = |run: &&RunRecord| {
                    let at = CardPoint { grid, point: run.point };
                    run.seed == FIRST_SEED && run.error.is_none() && points().any(|p| p == at)
                };
                let records = runs.records[grid].iter().filter(wanted);
                let records: Vec<(RunRecord, Detail)> =
                    records.map(|run| (run.clone(), Detail::Thinned)).collect();
                let of = &plan.grids[grid].scenario;
                let progress = GridProgress::new(of, records.len());
                progress.cancel.store(cancel.load(Ordering::Relaxed), Ordering::Relaxed);
                let found = curves(of, &records, jobs, &progress)?;
                let Some(found) = found else { return Ok(None) };
                let at = |curves: &Curves| CardPoint { grid, point: curves.task.point };
                recorded.extend(found.into_iter().map(|curves| (at(&curves), curves)));
            }
            for (setting, points) in settings {
                let named =
                    |(name, at): &(String, CardPoint)| Some((name.clone(), recorded.get(at)?));
                let runs: Vec<(String, &Curves)> = points.iter().filter_map(named).collect();
                drawn.settings.insert((scenario.clone(), setting), curve_charts(&runs));
            }
        }
        Ok(Some(drawn))
    }

    /// The charts of a setting of a scenario.
    pub fn of(&self, scenario: &str, setting: &str) -> &[Chart] {
        let key = (scenario.to_owned(), setting.to_owned());
        self.settings.get(&key).map_or(&[][..], Vec::as_slice)
    }
}

/// The settings of each scenario: the controller's point, and those of the runs beside it.
fn settings(plan: &CardPlan) -> BTreeMap<String, BTreeMap<String, NamedPoints>> {
    let mut found: BTreeMap<String, BTreeMap<String, NamedPoints>> = BTreeMap::new();
    for statement in &plan.statements {
        let scenario = plan.test(statement).scenario.clone();
        let points =
            found.entry(scenario).or_default().entry(statement.setting.clone()).or_default();
        let own = (plan.controller.clone(), statement.point);
        for (name, point) in std::iter::once(own).chain(statement.beside.clone()) {
            // A controller beside itself is one line.
            if points.iter().all(|(_, known)| *known != point) {
                points.push((name, point));
            }
        }
    }
    found
}
