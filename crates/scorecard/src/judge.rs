//! Verdicts: every statement against its limit, seed by seed under the same random numbers.
//!
//! A statement says that on the mean of the seeds a quantity keeps its limit. It passes or fails where the
//! mean lies on its side of the limit beyond chance, by Student's t over the seeds, with S. Holm's correction
//! over all statements of the examination: one that is not run counts as one that chance explains. Each look
//! at the card takes an equal part of the error (Bonferroni). Two controllers that give the same under every
//! seed keep a limit that allows no difference.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use westwood_experiment::metric::Metric;
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::GridReport;
use westwood_experiment::stats::{CONFIDENCE, Estimate, holm, mean, p_value};
use westwood_experiment::world::{Simulator, World};

use crate::card::{CARD_SCHEMA, CardVerdict, JudgedCell, JudgedCriterion, JudgedTest, Scorecard};
use crate::criterion::{CardLimit, CardThreshold, Compared};
use crate::plan::{CardPlan, CardPoint, CardStatement, LOOKS};
use crate::run::CardRuns;

/// The error of all verdicts of one look at the card.
#[expect(clippy::cast_precision_loss, reason = "four")]
const ERROR: f64 = (1.0 - CONFIDENCE) / LOOKS.len() as f64;

/// The values of a statement, seed by seed.
struct PairedValues {
    /// The name of the runs beside it; none of a value that is judged by itself.
    name: Option<String>,
    seeds: Vec<u64>,
    values: Vec<f64>,
    beside: Vec<f64>,
    exact: bool,
    /// It cannot run where the card is filled in, and shares no error.
    left_out: bool,
    /// Why a value is missing.
    missing: Option<String>,
}

/// The card that these runs fill in, and the numbers of the statements that more seeds could decide.
pub fn judge(plan: &CardPlan, runs: &CardRuns) -> (Scorecard, Vec<usize>) {
    let summaries = Summaries::of(plan, runs);
    let found: Vec<PairedValues> =
        plan.statements.iter().map(|statement| summaries.values(plan, statement)).collect();
    let excess: Vec<Vec<f64>> = plan
        .statements
        .iter()
        .zip(&found)
        .map(|(statement, values)| excess(&plan.test(statement).threshold, values))
        .collect();
    let is_run = |statement: &&CardStatement| statement.left_out.is_none();
    let others = plan.unexamined.iter().filter(is_run).count();
    let (mut verdicts, p_values) = verdicts(&found, &excess, others);
    for (verdict, statement) in verdicts.iter_mut().zip(&plan.statements) {
        if statement.left_out.is_some() {
            *verdict = CardVerdict::NotApplicable;
        }
    }
    let open: Vec<usize> = (0..found.len())
        .filter(|&i| verdicts[i] == CardVerdict::Undecided)
        .filter(|&i| found[i].missing.is_none() && !found[i].exact)
        .collect();
    let cell = |i: usize| JudgedCell {
        setting: plan.statements[i].setting.clone(),
        beside: found[i].name.clone(),
        verdict: verdicts[i],
        command: command(plan, &plan.statements[i], found[i].seeds.len()),
        reason: found[i].missing.clone(),
        exact: found[i].exact,
        seeds: found[i].seeds.clone(),
        values: found[i].values.clone(),
        beside_values: found[i].beside.clone(),
        excesses: excess[i].clone(),
        excess: mean(&excess[i]),
        half_width: Estimate::of(&excess[i], CONFIDENCE).and_then(|e| e.half_width),
        p_value: p_values[i],
    };
    let criteria = plan.examination.criteria.iter().enumerate();
    let criteria = criteria.map(|(number, criterion)| {
        let tests: Vec<JudgedTest> = criterion
            .tests
            .iter()
            .enumerate()
            .map(|(test_number, test)| {
                let own = |i: &usize| {
                    let statement = &plan.statements[*i];
                    (statement.criterion, statement.test) == (number, test_number)
                };
                let cells: Vec<JudgedCell> =
                    (0..plan.statements.len()).filter(own).map(cell).collect();
                JudgedTest {
                    scenario: test.scenario.clone(),
                    measure: test.measure.name().to_owned(),
                    about: test.about.clone(),
                    threshold: test.threshold.name.clone(),
                    limit: test.threshold.of_measure(test.measure),
                    limit_source: test.threshold.source.clone(),
                    verdict: CardVerdict::of_all(cells.iter().map(|cell| cell.verdict)),
                    reason: test.not_on_linux.clone().filter(|_| plan.linux),
                    cells,
                }
            })
            .collect();
        let mut left_out: Vec<&str> = Vec::new();
        if tests.iter().all(|test| test.reason.is_some()) {
            left_out.extend(tests.iter().filter_map(|test| test.reason.as_deref()));
            left_out.dedup();
        }
        let left_out = (!left_out.is_empty()).then(|| left_out.join("; "));
        let reason = criterion.not_applicable.clone();
        JudgedCriterion {
            section: criterion.section.clone(),
            title: criterion.title.clone(),
            requirement: criterion.requirement.name().to_owned(),
            says: criterion.says.clone(),
            asks: criterion.asks.clone(),
            note: criterion.note.clone(),
            verdict: CardVerdict::of_all(tests.iter().map(|test| test.verdict)),
            reason: reason.or(left_out),
            answered_by_text: criterion.answered_by_text,
            tests,
        }
    });
    let card = Scorecard {
        schema: CARD_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        title: plan.examination.title.clone(),
        source: plan.examination.source.clone(),
        controller: plan.controller.clone(),
        on: if plan.linux { "linux" } else { "sim" }.to_owned(),
        confidence: CONFIDENCE,
        statements: plan.statements.iter().filter(is_run).count() + others,
        criteria: criteria.collect(),
        text: crate::head_of(&plan.controller),
        cost: Vec::new(),
    };
    (card, open)
}

/// The verdict on each statement, and its probability. The others are those of the same examination that are
/// not run.
fn verdicts(
    found: &[PairedValues],
    excess: &[Vec<f64>],
    others: usize,
) -> (Vec<CardVerdict>, Vec<Option<f64>>) {
    // One seed of a random network shows nothing, and there is no look at fewer than eight.
    let is_told = |i: usize| found[i].exact || found[i].seeds.len() >= LOOKS[0];
    let is_known = |i: usize| found[i].missing.is_none() && is_told(i);
    let is_level = |i: usize| excess[i].iter().all(|d| *d == 0.0);
    // Chance has no part in what is exact or level: the rest shares the error.
    let is_by_chance = |i: usize| !is_known(i) || !found[i].exact && !is_level(i);
    let open: Vec<usize> =
        (0..found.len()).filter(|&i| !found[i].left_out && is_by_chance(i)).collect();
    let p_of = |i: usize| p_value(&excess[i], false).filter(|_| is_known(i));
    let p: Vec<Option<f64>> = open.iter().map(|&i| p_of(i)).collect();
    let not_run = std::iter::repeat_n(1.0, others);
    let all: Vec<f64> = p.iter().map(|p| p.unwrap_or(1.0)).chain(not_run).collect();
    let beyond: BTreeMap<usize, bool> = open.iter().copied().zip(holm(&all, ERROR)).collect();
    let p: BTreeMap<usize, f64> =
        open.iter().copied().zip(p).filter_map(|(i, p)| Some((i, p?))).collect();
    let verdict = |i: usize| {
        let by_sign = match mean(&excess[i]) {
            None => CardVerdict::Undecided,
            Some(mean) if mean > 0.0 => CardVerdict::Fail,
            Some(_) => CardVerdict::Pass,
        };
        match beyond.get(&i) {
            _ if !is_known(i) => CardVerdict::Undecided,
            Some(false) => CardVerdict::Undecided,
            Some(true) | None => by_sign,
        }
    };
    let verdicts = (0..found.len()).map(verdict).collect();
    (verdicts, (0..found.len()).map(|i| p.get(&i).copied()).collect())
}

/// By how much each seed exceeds the limit; at most zero where it is kept.
fn excess(threshold: &CardThreshold, found: &PairedValues) -> Vec<f64> {
    let beside = found.beside.iter().copied().chain(std::iter::repeat(0.0));
    let pairs = found.values.iter().copied().zip(beside);
    pairs
        .map(|(value, beside)| {
            let (compared, sign, limit) = match threshold.limit {
                CardLimit::AtMost(limit) => (value, 1.0, limit),
                CardLimit::AtLeast(limit) => (value, -1.0, limit),
            };
            let of = match threshold.of {
                Compared::Value => compared - limit,
                Compared::Difference => compared - beside - limit,
                Compared::Ratio => compared - limit * beside,
            };
            sign * of
        })
        .collect()
}

/// The command that repeats the runs of a statement, with the files that `--write` leaves in `DIR`.
fn command(plan: &CardPlan, statement: &CardStatement, seeds: usize) -> String {
    let test = plan.test(statement);
    let mut controllers = vec![plan.controller.as_str()];
    let beside = statement.beside.iter().map(|(name, _)| name.as_str());
    let is_another = |name: &&str| test.beside.is_of_controllers() && *name != plan.controller;
    controllers.extend(beside.filter(is_another));
    let mut command = format!("westwood run DIR/{}.toml", test.scenario);
    for setting in plan.set(statement, &controllers) {
        let _ = write!(command, " --set '{setting}'");
    }
    let on = if plan.linux { " --on linux" } else { "" };
    let _ = write!(command, " --seeds {}{on}", seeds.max(1));
    command
}

/// The summaries of all runs by point and seed, with harm.
struct Summaries {
    runs: Vec<BTreeMap<(usize, u64), RunSummary>>,
    failed: Vec<BTreeMap<(usize, u64), String>>,
}

impl Summaries {
    fn of(plan: &CardPlan, runs: &CardRuns) -> Self {
        let world: &dyn World = &Simulator;
        let mut all = Self { runs: Vec::new(), failed: Vec::new() };
        for (grid, records) in plan.grids.iter().zip(&runs.records) {
            let report = GridReport::new(
                &grid.scenario,
                env!("CARGO_PKG_VERSION"),
                &[world],
                records.clone(),
            );
            let (mut found, mut failed) = (BTreeMap::new(), BTreeMap::new());
            for run in report.runs {
                let at = (run.point, run.seed);
                failed.extend(run.error.map(|error| (at, error)));
                found.extend(run.summary.map(|summary| (at, summary)));
            }
            all.runs.push(found);
            all.failed.push(failed);
        }
        all
    }

    /// The values of a statement, beside the runs that allow the most.
    fn values(&self, plan: &CardPlan, statement: &CardStatement) -> PairedValues {
        let threshold = &plan.test(statement).threshold;
        let mean_excess = |found: &PairedValues| mean(&excess(threshold, found));
        let allows_more = |a: PairedValues, b: PairedValues| {
            let has_less = mean_excess(&b) < mean_excess(&a);
            if a.missing.is_none() && (b.missing.is_some() || has_less) { b } else { a }
        };
        let each = statement.beside.iter().map(|beside| self.paired(plan, statement, Some(beside)));
        each.reduce(allows_more).unwrap_or_else(|| self.paired(plan, statement, None))
    }

    /// The values of a statement under the seeds that both sides have.
    fn paired(
        &self,
        plan: &CardPlan,
        statement: &CardStatement,
        beside: Option<&(String, CardPoint)>,
    ) -> PairedValues {
        let measure = plan.test(statement).measure;
        let values = |at: CardPoint| self.of_point(plan, at, measure);
        let own = values(statement.point);
        let name = beside.map(|(name, _)| name.clone());
        let beside = beside.map(|(_, point)| values(*point));
        let mut found = PairedValues {
            name,
            left_out: statement.left_out.is_some(),
            missing: statement.left_out.clone(),
            seeds: Vec::new(),
            values: Vec::new(),
            beside: Vec::new(),
            exact: !own.is_empty(),
        };
        let failed = |at: CardPoint| self.failed[at.grid].iter().find(|((p, _), _)| *p == at.point);
        for at in plan.points(statement) {
            if let Some(((_, seed), error)) = failed(at) {
                found.missing = Some(format!("a run failed, seed {seed}: {error}"));
            }
        }
        for (seed, (value, exact)) in &own {
            let other = match &beside {
                None => None,
                Some(all) => match all.get(seed) {
                    Some(other) => Some(other),
                    None => continue,
                },
            };
            found.exact &= *exact && other.is_none_or(|(_, exact)| *exact);
            match (value, other.map(|(value, _)| *value)) {
                (Some(value), None) => found.values.push(*value),
                (Some(value), Some(Some(other))) => {
                    found.values.push(*value);
                    found.beside.push(other);
                }
                _ => {
                    let lacks = format!("no {} under seed {seed}", measure.name());
                    found.missing.get_or_insert(lacks);
                    continue;
                }
            }
            found.seeds.push(*seed);
        }
        if found.seeds.is_empty() {
            found.missing.get_or_insert_with(|| "not run".to_owned());
        }
        found
    }

    /// The value of each seed that is asked for of a point, and whether it is exact. Runs that are kept from
    /// another card do not count: else a card would depend on those made before.
    fn of_point(
        &self,
        plan: &CardPlan,
        at: CardPoint,
        measure: Metric,
    ) -> BTreeMap<u64, (Option<f64>, bool)> {
        let asked = plan.grids[at.grid].seeds_of(at.point);
        let value = |seed: u64| {
            let run = self.runs[at.grid].get(&(at.point, seed))?;
            Some((seed, (measure.of(run), run.exact)))
        };
        asked.filter_map(value).collect()
    }
}

/// The seeds that come after so many: none after the last look.
pub(crate) fn next_look(seeds: usize) -> Option<usize> {
    LOOKS.into_iter().find(|look| *look > seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(of: Compared, limit: CardLimit) -> CardThreshold {
        let text = String::new;
        CardThreshold { name: text(), of, limit, why: text(), source: text() }
    }

    fn values(values: &[f64], beside: &[f64]) -> PairedValues {
        PairedValues {
            name: None,
            left_out: false,
            seeds: (1..=values.len() as u64).collect(),
            values: values.to_vec(),
            beside: beside.to_vec(),
            exact: false,
            missing: None,
        }
    }

    fn verdict(threshold: &CardThreshold, found: PairedValues) -> CardVerdict {
        let excess = excess(threshold, &found);
        verdicts(&[found], &[excess], 0).0[0]
    }

    #[test]
    fn excess_is_above_zero_where_a_limit_is_broken() {
        let at = |of, limit, value, beside| {
            excess(&threshold(of, limit), &values(&[value], &[beside]))[0]
        };
        assert!(at(Compared::Value, CardLimit::AtMost(1.0), 0.5, 0.0) < 0.0);
        assert!(at(Compared::Value, CardLimit::AtLeast(0.1), 0.05, 0.0) > 0.0);
        assert!(at(Compared::Difference, CardLimit::AtMost(0.05), 0.3, 0.2) > 0.0);
        assert!(at(Compared::Difference, CardLimit::AtLeast(-0.02), 0.95, 0.96) < 0.0);
        assert!(at(Compared::Ratio, CardLimit::AtMost(1.1), 120.0, 100.0) > 0.0);
        assert!(at(Compared::Ratio, CardLimit::AtLeast(0.95), 90.0, 100.0) > 0.0);
    }

    #[test]
    fn a_limit_is_kept_broken_or_open() {
        let limit = threshold(Compared::Difference, CardLimit::AtMost(0.0));
        let beside = [10.0; 8];
        let by = |step: f64, noise: f64| {
            let noisy = (0..8).map(|i| 10.0 + step + noise * [1.0, -1.0, 0.5, -0.5][i % 4]);
            noisy.collect::<Vec<f64>>()
        };
        assert_eq!(verdict(&limit, values(&by(-1.0, 0.1), &beside)), CardVerdict::Pass);
        assert_eq!(verdict(&limit, values(&by(1.0, 0.1), &beside)), CardVerdict::Fail);
        assert_eq!(verdict(&limit, values(&by(0.1, 1.0), &beside)), CardVerdict::Undecided);
    }

    #[test]
    fn a_limit_is_written_in_the_unit_of_its_measure() {
        let written = |of, limit, measure| threshold(of, limit).of_measure(measure);
        let (drops, jain) = (Metric::SelfInflictedLoss, Metric::Jain);
        let found = [
            written(Compared::Difference, CardLimit::AtMost(0.01), drops),
            written(Compared::Difference, CardLimit::AtMost(0.05), drops),
            written(Compared::Value, CardLimit::AtMost(0.1), drops),
            written(Compared::Ratio, CardLimit::AtMost(1.1), drops),
            written(Compared::Difference, CardLimit::AtLeast(-0.02), jain),
        ];
        let expected = [
            "difference at most 1 percentage point",
            "difference at most 5 percentage points",
            "value at most 10 %",
            "ratio at most 1.1",
            "difference at least -0.02",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn excess_is_the_distance_from_the_limit_in_the_unit_of_the_quantity() {
        let at = |of, limit, value, beside| {
            excess(&threshold(of, limit), &values(&[value], &[beside]))[0]
        };
        let found = [
            (at(Compared::Value, CardLimit::AtMost(2.0), 5.0, 0.0), 3.0),
            (at(Compared::Value, CardLimit::AtLeast(2.0), 5.0, 0.0), -3.0),
            (at(Compared::Difference, CardLimit::AtMost(2.0), 5.0, 4.0), -1.0),
            (at(Compared::Difference, CardLimit::AtLeast(2.0), 5.0, 4.0), 1.0),
            // One and a half times 4 is 6.
            (at(Compared::Ratio, CardLimit::AtMost(1.5), 5.0, 4.0), -1.0),
            (at(Compared::Ratio, CardLimit::AtLeast(1.5), 5.0, 4.0), 1.0),
        ];
        assert!(
            found.iter().all(|(found, expected)| (found - expected).abs() < 1e-12),
            "{found:?}"
        );
    }

    #[test]
    fn each_of_four_looks_takes_a_quarter_of_the_error() {
        // Eight seeds, whose mean is so many standard errors below the limit. Student's t of seven degrees
        // is 2.365 for 5 %, 3.335 for 1.25 % and 3.499 for 1 %.
        let of = |t: f64| {
            let spread = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0];
            // The standard deviation of these is sqrt(8/7), and that of their mean 1 / sqrt(7).
            let mean = t / 7_f64.sqrt();
            let limit = threshold(Compared::Value, CardLimit::AtMost(0.0));
            verdict(&limit, values(&spread.map(|s| s - mean), &[]))
        };
        assert_eq!(
            [3.5, 3.2, 2.4].map(of),
            [CardVerdict::Pass, CardVerdict::Undecided, CardVerdict::Undecided]
        );
        assert_eq!([-3.5, -3.2].map(of), [CardVerdict::Fail, CardVerdict::Undecided]);
    }

    #[test]
    fn a_statement_that_lacks_runs_has_no_probability_and_a_clear_one_has_its_own() {
        let limit = threshold(Compared::Value, CardLimit::AtMost(1.0));
        let apart = [0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2];
        let lacks = PairedValues { missing: Some("none".to_owned()), ..values(&apart, &[]) };
        let found = [values(&apart, &[]), lacks];
        let excess: Vec<Vec<f64>> = found.iter().map(|one| excess(&limit, one)).collect();
        let (verdicts, p) = verdicts(&found, &excess, 0);
        assert_eq!(verdicts, [CardVerdict::Pass, CardVerdict::Undecided]);
        // Less than eight coins that fall on one side would have.
        assert!(p[0].is_some_and(|p| p < 1e-6), "{p:?}");
        assert_eq!(p[1..], [None]);
    }

    #[test]
    fn without_chance_one_seed_decides_and_fewer_than_eight_with_it_do_not() {
        let limit = threshold(Compared::Value, CardLimit::AtMost(1.0));
        let exact = |value: f64| PairedValues { exact: true, ..values(&[value], &[]) };
        assert_eq!(verdict(&limit, exact(0.5)), CardVerdict::Pass);
        assert_eq!(verdict(&limit, exact(1.0)), CardVerdict::Pass, "the limit itself is kept");
        assert_eq!(verdict(&limit, exact(1.5)), CardVerdict::Fail);
        let apart = [0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2];
        assert_eq!(verdict(&limit, values(&apart[..7], &[])), CardVerdict::Undecided);
        assert_eq!(verdict(&limit, values(&apart, &[])), CardVerdict::Pass);
    }

    #[test]
    fn a_controller_keeps_the_limit_that_it_sets_itself() {
        let limit = threshold(Compared::Difference, CardLimit::AtMost(0.0));
        assert_eq!(verdict(&limit, values(&[10.0; 8], &[10.0; 8])), CardVerdict::Pass);
        // One seed of a random network tells nothing.
        assert_eq!(verdict(&limit, values(&[10.0], &[10.0])), CardVerdict::Undecided);
    }

    #[test]
    fn a_missing_value_is_no_verdict() {
        let limit = threshold(Compared::Value, CardLimit::AtMost(1.0));
        let lacks = PairedValues { missing: Some("none".to_owned()), ..values(&[0.5; 8], &[]) };
        assert_eq!(verdict(&limit, lacks), CardVerdict::Undecided);
    }

    #[test]
    fn statements_that_are_not_run_share_the_error_like_those_that_are() {
        let limit = threshold(Compared::Difference, CardLimit::AtMost(0.0));
        let noisy: Vec<f64> = (0..8).map(|i| [8.0, 9.8, 9.0, 9.5][i % 4]).collect();
        let not_run = || PairedValues { missing: Some("not run".to_owned()), ..values(&[], &[]) };
        let of = |more: usize, others: usize| {
            let own = values(&noisy, &[10.0; 8]);
            let found: Vec<PairedValues> =
                std::iter::once(own).chain((0..more).map(|_| not_run())).collect();
            let excess: Vec<Vec<f64>> = found.iter().map(|one| excess(&limit, one)).collect();
            verdicts(&found, &excess, others).0[0]
        };
        assert_eq!(of(0, 0), CardVerdict::Pass, "alone it is told from chance");
        for (all, others) in [(300, 0), (100, 200), (0, 300)] {
            assert_eq!(of(all, others), CardVerdict::Undecided, "{all} and {others}");
        }
    }

    #[test]
    fn seeds_double_up_to_sixty_four() {
        assert_eq!(next_look(1), Some(8));
        assert_eq!(next_look(8), Some(16));
        assert_eq!(next_look(64), None);
    }
}
