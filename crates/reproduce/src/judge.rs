//! Verdicts: every claim against the runs, by the rules of `results/reproduction.md`.

use std::collections::BTreeSet;

use westwood_experiment::stats::t_quantile;
use westwood_scenario::BadInput;

use crate::claim::{Claim, ClaimKind};
use crate::expr::{
    Context, Expr, ExprError, ExprValue, MetricSource, PaperCurve, Scope, evaluate, is_true,
};
use crate::metric::{MetricCall, MetricOutcome, PointSelection};
use crate::paper::Paper;
use crate::plan::{
    ExperimentGrid, ReproductionPlan, claim_scope, evaluated, experiment_of, with_it,
};
use crate::results::{ClaimVerdict, Judged, JudgedChoice, MeasuredNumber};
use crate::run::RunResults;
use crate::store::StoredRun;

/// The confidence of an interval.
const CONFIDENCE: f64 = 0.95;

/// The runs of a paper, some seeds left out.
pub(crate) struct PaperRuns<'a> {
    grids: Vec<(&'a ExperimentGrid, &'a [StoredRun])>,
    left_out: Option<u64>,
    /// The seeds over which something was averaged.
    seeds: BTreeSet<u64>,
}

impl<'a> PaperRuns<'a> {
    pub(crate) fn of(plan: &'a ReproductionPlan, done: &'a RunResults, paper: &Paper) -> Self {
        let grids = plan.grids.iter().zip(&done.lines);
        let own = grids.filter(|(grid, _)| grid.paper == paper.key);
        let grids = own.map(|(grid, lines)| (grid, lines.as_slice())).collect();
        Self { grids, left_out: None, seeds: BTreeSet::new() }
    }

    /// The value of a query at a point: the mean over the seeds, or the first seed's curve.
    fn of_point(&mut self, grid: usize, point: usize, call: &MetricCall) -> ExprValue {
        let (grid, lines) = self.grids[grid];
        let first = grid.scenario.seeds().first().copied();
        let mut numbers = Vec::new();
        for line in lines.iter().filter(|line| line.task().point == point) {
            match line.value(&call.query.key) {
                Some(MetricOutcome::Number(x)) => {
                    numbers.push((line.task().seed, x.unwrap_or(f64::NAN)));
                }
                Some(MetricOutcome::Curve(points)) if Some(line.task().seed) == first => {
                    return ExprValue::Curve(PaperCurve::new(points.clone()));
                }
                _ => {}
            }
        }
        if numbers.len() > 1 {
            self.seeds.extend(numbers.iter().map(|(seed, _)| *seed));
            numbers.retain(|(seed, _)| Some(*seed) != self.left_out);
        }
        // The order is that of the seeds, in whichever order the runs were done.
        numbers.sort_by_key(|(seed, _)| *seed);
        #[expect(clippy::cast_precision_loss, reason = "a few seeds")]
        let count = numbers.len() as f64;
        ExprValue::Number(numbers.iter().map(|(_, x)| x).sum::<f64>() / count)
    }
}

/// True if a point has been run with every seed.
fn is_complete(grid: &ExperimentGrid, lines: &[StoredRun], point: usize) -> bool {
    let runs = lines.iter().filter(|line| line.task().point == point).count();
    runs >= grid.scenario.seeds().len()
}

impl MetricSource for PaperRuns<'_> {
    fn metric(&mut self, call: &MetricCall, context: &Context) -> Result<ExprValue, ExprError> {
        let name = experiment_of(call, context)?;
        let not_run = || ExprError { place: call.place, error: BadInput::new("not run") };
        let grid = self.grids.iter().position(|(grid, _)| grid.name == name).ok_or_else(not_run)?;
        let scenario = &self.grids[grid].0.scenario;
        let picked = call.select.points(scenario, context.variant.as_deref(), call.place)?;
        let complete = |point: &usize| is_complete(self.grids[grid].0, self.grids[grid].1, *point);
        let all = match &picked {
            PointSelection::One(point) => complete(point),
            PointSelection::Along(points) => points.iter().all(|(_, point)| complete(point)),
        };
        if !all {
            return Err(not_run());
        }
        match picked {
            PointSelection::One(point) => Ok(self.of_point(grid, point, call)),
            PointSelection::Along(points) => {
                let value = |(x, point)| match self.of_point(grid, point, call) {
                    ExprValue::Number(y) => (x, y),
                    ExprValue::Curve(_) => (x, f64::NAN),
                };
                Ok(ExprValue::Curve(PaperCurve::new(points.into_iter().map(value).collect())))
            }
        }
    }
}

/// A value with its interval, point by point.
pub(crate) struct ClaimEstimate {
    pub(crate) value: ExprValue,
    /// Half the width of the interval at each point; none if nothing was random.
    pub(crate) half: Option<Vec<f64>>,
}

/// An expression over the runs, and how sure it is; none if runs are missing.
pub(crate) fn estimate(
    expr: &Expr,
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Option<ClaimEstimate> {
    runs.left_out = None;
    runs.seeds.clear();
    let value = evaluate(expr, scope, runs).ok()?;
    let seeds = std::mem::take(&mut runs.seeds);
    let without: Option<Vec<Vec<f64>>> = seeds
        .iter()
        .map(|seed| {
            runs.left_out = Some(*seed);
            evaluate(expr, scope, runs).ok().map(numbers)
        })
        .collect();
    runs.left_out = None;
    runs.seeds.clear();
    let whole = numbers(value.clone());
    let half = without.filter(|w| w.len() > 1).map(|without| {
        (0..whole.len())
            .map(|i| {
                let values: Vec<f64> =
                    without.iter().map(|w| w.get(i).copied().unwrap_or(f64::NAN)).collect();
                jackknife(whole[i], &values)
            })
            .collect()
    });
    Some(ClaimEstimate { value, half })
}

fn numbers(value: ExprValue) -> Vec<f64> {
    match value {
        ExprValue::Number(x) => vec![x],
        ExprValue::Curve(curve) => curve.y,
    }
}

/// Half the width of the interval around a value, from the values without each one of the seeds: J.
/// W. Tukey's pseudo-values, with Student's t.
#[expect(clippy::cast_precision_loss, reason = "a few seeds")]
fn jackknife(whole: f64, without: &[f64]) -> f64 {
    let n = without.len() as f64;
    let pseudo: Vec<f64> = without.iter().map(|w| n * whole - (n - 1.0) * w).collect();
    let mean = pseudo.iter().sum::<f64>() / n;
    let variance = pseudo.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (n - 1.0);
    t_quantile(CONFIDENCE, without.len() - 1) * (variance / n).sqrt()
}

/// The verdict on every claim of a paper that this mode evaluates; its name if its runs are not
/// there.
pub(crate) fn claims(
    plan: &ReproductionPlan,
    done: &RunResults,
    paper: &Paper,
) -> Vec<Result<Judged, String>> {
    let mut runs = PaperRuns::of(plan, done, paper);
    let own = paper.claims.iter().filter(|claim| evaluated(claim, plan.mode));
    own.map(|claim| judged(paper, claim, &mut runs).ok_or_else(|| claim.id.clone())).collect()
}

/// A claim's verdict; none if its runs are missing.
fn judged(paper: &Paper, claim: &Claim, runs: &mut PaperRuns<'_>) -> Option<Judged> {
    let usual = decide(claim, &claim_scope(paper, claim, None), runs);
    let (measured, verdict) = match (&claim.untestable, usual) {
        (None, usual) => usual?,
        (Some(_), Some((measured, _))) => (measured, ClaimVerdict::NotTestable),
        (Some(_), None) => (Vec::new(), ClaimVerdict::NotTestable),
    };
    let mut choices: Vec<JudgedChoice> = claim
        .choices
        .iter()
        .filter_map(|choice| {
            let scope = claim_scope(paper, claim, Some(choice));
            let (measured, verdict) = decide(claim, &scope, runs)?;
            let (name, about) = (choice.name.clone(), choice.about.clone());
            Some(JudgedChoice { name, about, measured, verdict })
        })
        .collect();
    choices.extend(other_reading(claim, &measured));
    Some(Judged::new(paper, claim, measured, verdict, choices))
}

/// The values of a claim's expressions, and the verdict by the rules.
fn decide(
    claim: &Claim,
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Option<(Vec<MeasuredNumber>, ClaimVerdict)> {
    let mut measured = Vec::new();
    for part in &claim.parts {
        let estimate = estimate(&part.measure, scope, runs)?;
        let ExprValue::Number(value) = estimate.value else { return None };
        let half = estimate.half.and_then(|half| half.first().copied());
        measured.push(MeasuredNumber { value, half });
    }
    let values: Vec<f64> = measured.iter().map(|m| m.value).collect();
    let scope = with_it(scope, &values);
    let mut condition = |expr: &Expr| match evaluate(expr, &scope, runs) {
        Ok(ExprValue::Number(x)) => Some(is_true(x)),
        _ => None,
    };
    let accepted =
        |(part, x): (&crate::claim::ClaimPart, &f64)| part.accept.is_none_or(|a| a.holds(*x));
    let numbers = claim.parts.iter().zip(&values).all(accepted);
    let test = claim.test.as_ref().map_or(Some(true), &mut condition)?;
    let known = values.iter().all(|x| x.is_finite());
    let shape = match &claim.shape {
        Some(shape) => condition(shape)?,
        // The order is the paper's, though not by the distance that it must keep.
        None => claim.kind == ClaimKind::Ordering && test && values.iter().all(|x| *x > 1.0),
    };
    let verdict = match (numbers && test && known, shape) {
        (true, _) => ClaimVerdict::Holds,
        (false, true) => ClaimVerdict::InShape,
        (false, false) => ClaimVerdict::Differs,
    };
    Some((measured, verdict))
}

/// A gain of g % may also mean the ratio g/100.
fn other_reading(claim: &Claim, measured: &[MeasuredNumber]) -> Option<JudgedChoice> {
    let alt = claim.alt?;
    // The same relative distance around the other numbers.
    let ((alt_low, alt_high), parts) = (alt.ends(), claim.parts.iter().zip(measured));
    let holds = parts.map(|(part, measured)| {
        let (accept, (low, high)) = (part.accept?, part.expected?.ends());
        let (low, high) = (accept.low * alt_low / low, accept.high * alt_high / high);
        Some((low..=high).contains(&measured.value))
    });
    let holds = holds.collect::<Option<Vec<bool>>>()?.iter().all(|&holds| holds);
    Some(JudgedChoice {
        name: format!("expected {alt}"),
        about: "the percentage read as the ratio itself instead of a gain on top of one".to_owned(),
        measured: measured.to_vec(),
        verdict: if holds { ClaimVerdict::Holds } else { ClaimVerdict::Differs },
    })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;

    #[test]
    fn the_jackknife_of_a_mean_is_students_interval() {
        // Of 1, 2, 3: the mean 2, and the means of the other two.
        let half = jackknife(2.0, &[2.5, 2.0, 1.5]);
        assert!((half - 4.302_653 / 3_f64.sqrt()).abs() < 1e-4, "{half}");
    }

    #[test]
    fn what_no_seed_changes_has_no_width() {
        assert_eq!(jackknife(5.0, &[5.0, 5.0, 5.0]), 0.0);
    }
}
