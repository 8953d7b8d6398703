//! Verdicts: every claim against the runs, by the rules of `results/reproduction.md`.

use crate::claim::{Claim, ClaimKind};
use crate::expr::{Expr, ExprValue, Scope, evaluate, is_true};
use crate::extent::{Extent, Platform};
use crate::paper::Paper;
use crate::plan::{GridPointId, MoreSeeds, ReproductionPlan, claim_scope, evaluated, with_it};
use crate::resample::{DRAWS, Draw, TAIL, interval, is_settled};
use crate::results::{ClaimVerdict, Decision, JudgedChoice, JudgedClaim, MeasuredNumber};
use crate::run::RunResults;
use crate::runs::{PaperRuns, SeedSelection, numbers_of};

/// The looks at a claim or a choice: with the file's seeds, and with so many times as many while it is
/// undecided.
pub(crate) const LOOKS: [usize; 4] = [1, 2, 4, 8];
/// The share of draws that may disagree with a verdict. Each look may err, so each takes its part of the
/// error of one interval (Bonferroni).
#[expect(clippy::cast_precision_loss, reason = "four")]
const TAIL_OF_A_LOOK: f64 = TAIL / LOOKS.len() as f64;
/// All seeds of a claim or a choice may cost so many packets: some minutes of a processor.
pub(crate) const BUDGET: u128 = 1_000_000_000;

/// A claim as it is judged, or its name if its runs are not there; and the seeds that it and its choices
/// still lack.
pub(crate) struct ClaimOutcome {
    pub(crate) judged: Result<JudgedClaim, String>,
    pub(crate) more: Vec<MoreSeeds>,
}

/// The verdict on every claim of a paper that this mode evaluates.
pub(crate) fn claims(
    plan: &ReproductionPlan,
    done: &RunResults,
    paper: &Paper,
) -> Vec<ClaimOutcome> {
    let mut runs = PaperRuns::of(plan, done, paper);
    let own = paper.claims.iter().filter(|claim| evaluated(claim, plan.mode));
    own.map(|claim| judged(plan, paper, claim, &mut runs)).collect()
}

fn judged(
    plan: &ReproductionPlan,
    paper: &Paper,
    claim: &Claim,
    runs: &mut PaperRuns<'_>,
) -> ClaimOutcome {
    let own = claim_scope(paper, claim, None);
    let SequentialDecision { decision: usual, factor, lacks } = looked_at(plan, claim, &own, runs);
    let mut more = Vec::from_iter(lacks);
    let decision = match (&claim.untestable, usual) {
        (None, Some(usual)) => usual,
        (None, None) => return ClaimOutcome { judged: Err(claim.id.clone()), more: Vec::new() },
        (Some(_), usual) => {
            let (measured, seeds) = usual.map_or((Vec::new(), 0), |u| (u.measured, u.seeds));
            let verdict = ClaimVerdict::NotTestable;
            Decision { measured, verdict, leaning: verdict, seeds, by_seed: Vec::new() }
        }
    };
    let mut choices: Vec<JudgedChoice> = claim
        .choices
        .iter()
        .filter_map(|choice| {
            let scope = claim_scope(paper, claim, Some(choice));
            let SequentialDecision { decision, lacks, .. } = looked_at(plan, claim, &scope, runs);
            more.extend(lacks);
            let Decision { measured, verdict, leaning, seeds, .. } = decision?;
            let (name, about) = (choice.name.clone(), choice.about.clone());
            Some(JudgedChoice { name, about, measured, verdict, leaning, seeds })
        })
        .collect();
    choices.extend(other_reading(claim, &decision));
    if claim.untestable.is_some() {
        more.clear();
    }
    let analysis = explained(plan.mode, claim, &own, (runs, factor));
    ClaimOutcome { judged: Ok(JudgedClaim::new(paper, claim, (decision, analysis), choices)), more }
}

/// The analysis with its numbers, and why a claim cannot be tested.
fn explained(
    extent: Extent,
    claim: &Claim,
    scope: &Scope,
    (runs, factor): (&mut PaperRuns<'_>, usize),
) -> Option<String> {
    let analysis = claim.analysis.as_ref().map(|text| match extent {
        Extent::Quick if !text.numbers.is_empty() => {
            "The analysis speaks of the whole experiment: leave out --quick.".to_owned()
        }
        _ => text.text(&over_seeds(factor, &text.numbers, scope, runs)),
    });
    match (&claim.untestable, analysis) {
        (Some(why), None) => Some(why.clone()),
        (Some(why), Some(more)) => Some(format!("{why} {more}")),
        (None, analysis) => analysis,
    }
}

/// The numbers over so many times the file's seeds, which the verdict counts; over the file's seeds where
/// only these were run.
fn over_seeds(
    factor: usize,
    named: &[(String, Expr)],
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Vec<Option<f64>> {
    runs.take_seeds(factor);
    let verdicts = numbers_of(named, scope, runs);
    runs.take_seeds(1);
    let usual = numbers_of(named, scope, runs);
    verdicts.into_iter().zip(usual).map(|(number, usual)| number.or(usual)).collect()
}

/// The outcome of the looks at a claim.
struct SequentialDecision {
    /// The last decision; none if runs are missing.
    decision: Option<Decision>,
    /// How many times the file's seeds it counts.
    factor: usize,
    /// The seeds that it still lacks.
    lacks: Option<MoreSeeds>,
}

/// The decision with as many seeds as it takes, and the seeds that it still lacks. The runs show the file's
/// seeds again afterwards.
fn looked_at(
    plan: &ReproductionPlan,
    claim: &Claim,
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> SequentialDecision {
    let mut looks = SequentialDecision { decision: None, factor: 1, lacks: None };
    let mut points: Vec<GridPointId> = Vec::new();
    for factor in LOOKS {
        runs.take_seeds(factor);
        let Some(decision) = decide(claim, scope, runs) else {
            looks.lacks = looks.decision.as_ref().and_then(|_| more(plan, &points, factor));
            break;
        };
        points = runs.used().iter().copied().collect();
        let is_decided = decision.verdict != ClaimVerdict::Undecided;
        looks = SequentialDecision { decision: Some(decision), factor, lacks: None };
        if is_decided {
            break;
        }
    }
    runs.take_seeds(1);
    looks
}

/// The seeds that a look lacks, unless nothing may be added: in quick mode, in real time, or beyond the
/// budget.
fn more(plan: &ReproductionPlan, points: &[GridPointId], factor: usize) -> Option<MoreSeeds> {
    if plan.mode != Extent::Full || plan.on != Platform::Simulator {
        return None;
    }
    let cost = |&(grid, point): &GridPointId| {
        let grid = &plan.grids[grid];
        grid.scenario.points()[point].estimate.packets * grid.seeds(point, factor).len() as u128
    };
    let cost: u128 = points.iter().map(cost).sum();
    (cost <= BUDGET).then(|| MoreSeeds { points: points.to_vec(), factor })
}

/// The values of a claim's expressions, and the verdict by the rules; none if runs are missing.
fn decide(claim: &Claim, scope: &Scope, runs: &mut PaperRuns<'_>) -> Option<Decision> {
    runs.forget();
    let (values, leaning) = of_means(claim, scope, runs)?;
    let seeds = runs.seeds();
    if seeds < 2 {
        let measured = values.into_iter().map(|value| MeasuredNumber { value, interval: None });
        let (measured, by_seed) = (measured.collect(), Vec::new());
        return Some(Decision { measured, verdict: leaning, leaning, seeds, by_seed });
    }
    let mut drawn = vec![Vec::with_capacity(DRAWS); values.len()];
    let mut others = 0;
    for draw in Draw::all() {
        runs.select(SeedSelection::Drawn(draw));
        let again = of_means(claim, scope, runs);
        others += usize::from(again.as_ref().is_none_or(|(_, verdict)| *verdict != leaning));
        for (i, column) in drawn.iter_mut().enumerate() {
            column.push(again.as_ref().map_or(f64::NAN, |(values, _)| values[i]));
        }
    }
    runs.select(SeedSelection::All);
    let by_seed = each_seed(claim, scope, runs, seeds);
    let settled = is_settled(others, DRAWS, seeds, TAIL_OF_A_LOOK);
    let number = |(value, drawn)| MeasuredNumber { value, interval: interval(drawn, seeds) };
    Some(Decision {
        measured: values.into_iter().zip(drawn).map(number).collect(),
        verdict: if settled { leaning } else { ClaimVerdict::Undecided },
        leaning,
        seeds,
        by_seed,
    })
}

/// The numbers of each seed alone: for each part, one after the other.
fn each_seed(
    claim: &Claim,
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
    seeds: usize,
) -> Vec<Vec<f64>> {
    let mut by_seed = vec![Vec::with_capacity(seeds); claim.parts.len()];
    for seed in 0..seeds {
        runs.select(SeedSelection::One(seed));
        let values = of_means(claim, scope, runs).map(|(values, _)| values);
        for (i, column) in by_seed.iter_mut().enumerate() {
            column.push(values.as_ref().map_or(f64::NAN, |values| values[i]));
        }
    }
    runs.select(SeedSelection::All);
    by_seed
}

/// The values for the seeds that count now, and the verdict on them.
fn of_means(
    claim: &Claim,
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Option<(Vec<f64>, ClaimVerdict)> {
    let value = |expr: &Expr, runs: &mut PaperRuns<'_>| match evaluate(expr, scope, runs) {
        Ok(ExprValue::Number(x)) => Some(x),
        _ => None,
    };
    let values = claim.parts.iter().map(|part| value(&part.measure, runs));
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    let scope = with_it(scope, &values);
    let mut condition = |expr: &Expr| match evaluate(expr, &scope, runs) {
        Ok(ExprValue::Number(x)) => Some(is_true(x)),
        _ => None,
    };
    let accepted =
        |(part, x): (&crate::claim::ClaimPart, &f64)| part.accept.is_none_or(|a| a.holds(*x));
    let numbers = claim.parts.iter().zip(&values).all(accepted);
    let test = claim.test.as_ref().map_or(Some(true), &mut condition)?;
    let known = values.iter().all(|x| !x.is_nan());
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
    Some((values, verdict))
}

/// A gain of g % may also mean the ratio g/100. None if nothing was measured that it could be said of.
fn other_reading(claim: &Claim, usual: &Decision) -> Option<JudgedChoice> {
    let measured = &usual.measured;
    let alt = claim.alt.filter(|_| !measured.is_empty())?;
    // The same relative distance around the other numbers.
    let ((alt_low, alt_high), parts) = (alt.ends(), claim.parts.iter().zip(measured));
    let holds = parts.map(|(part, measured)| {
        let (accept, (low, high)) = (part.accept?, part.expected?.ends());
        let (low, high) = (accept.low * alt_low / low, accept.high * alt_high / high);
        Some((low..=high).contains(&measured.value))
    });
    let holds = holds.collect::<Option<Vec<bool>>>()?.iter().all(|&holds| holds);
    let verdict = if holds { ClaimVerdict::Holds } else { ClaimVerdict::Differs };
    Some(JudgedChoice {
        name: format!("expected {alt}"),
        about: "the percentage read as the ratio itself instead of a gain on top of one".to_owned(),
        measured: measured.clone(),
        verdict,
        leaning: verdict,
        seeds: usual.seeds,
    })
}
