//! A cell: comparisons of one kind, drawn from one pool and judged.

use std::collections::BTreeMap;

use westwood_experiment::judgement::{
    Contest, Criterion, JudgementRules, PairComparison, PairedDifference,
};
use westwood_experiment::results::RunSummary;
use westwood_experiment::stats::{CONFIDENCE, Estimate, are_alike, mean, unseen_share};
use westwood_net::Random;

use super::chance::ErrorCount;
use super::pool::RunPool;

/// The questions that a comparison answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// Criterion 1: a difference between copies of one controller is concluded.
    CopiesDiffer,
    /// Criterion 2: one of the copies leads, with none level with it.
    CopyLeads,
    /// Criterion 3: a concluded difference has not the sign of the pool's.
    WrongSign,
    /// Criterion 4: a leader with none level with it has not the best mean of the pool.
    WrongLeader,
    /// Criterion 5: an interval of a difference misses the pool's.
    DifferenceMissed,
    /// Criterion 6: an interval of a mean misses the pool's.
    MeanMissed,
    /// Criterion 7: the seeds are called too few.
    TooFew,
    /// Criterion 8: runs are alike, so that their mean has no interval, and more of the pool differs than is
    /// said.
    MoreDiffer,
    /// Of those under 5, by more than the practical bound.
    DifferenceFarOff,
    /// Of those under 6, by more than the practical bound.
    MeanFarOff,
    /// A mean has no interval.
    NoInterval,
    /// A concluded difference is within the practical bound in the pool.
    Immaterial,
    /// A pair that differs by more than the practical bound in the pool is told apart.
    Found,
}

/// Those who are compared.
#[derive(Clone, Debug)]
pub(crate) enum CellContestants {
    /// So many copies of a controller, each under seeds of its own.
    Copies(usize, usize),
    /// These controllers, under the same seeds.
    Paired(Vec<usize>),
    /// A controller by itself.
    Alone(usize),
}

/// Comparisons of one kind.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonCell {
    pub(crate) contestants: CellContestants,
    pub(crate) seeds: usize,
}

/// The counts of a cell: of each question for all criteria together, and for each by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorCounts(BTreeMap<(Question, Option<Criterion>), ErrorCount>);

impl ErrorCounts {
    /// The count of a question: of a criterion, or of all together.
    pub(crate) fn of(
        &self,
        question: Question,
        criterion: Option<Criterion>,
    ) -> Option<ErrorCount> {
        self.0.get(&(question, criterion)).copied()
    }

    fn add(&mut self, question: Question, criterion: Option<Criterion>, is_error: bool) {
        self.0.entry((question, criterion)).or_default().add(is_error);
    }

    /// Counts a question once for each criterion, which is an error if any pair is, and for all together.
    fn add_pairs(&mut self, question: Question, pairs: impl Iterator<Item = (Criterion, bool)>) {
        let mut each: BTreeMap<Criterion, bool> = BTreeMap::new();
        pairs.for_each(|(criterion, is_error)| *each.entry(criterion).or_default() |= is_error);
        self.add(question, None, each.values().any(|is_error| *is_error));
        for (one, is_error) in each {
            self.add(question, Some(one), is_error);
        }
    }
}

/// The names of copies.
const NAMES: [&str; 3] = ["a", "b", "c"];

impl ComparisonCell {
    /// The cells of a pool: copies by twos and threes, every pair and all controllers, each alone.
    pub(crate) fn all(pool: &RunPool, seeds: &[usize]) -> Vec<Self> {
        let all = 0..pool.controllers.len();
        let random: Vec<usize> = all.clone().filter(|&i| pool.is_random(i)).collect();
        let mut kinds: Vec<CellContestants> = Vec::new();
        kinds.extend(random.iter().flat_map(|&i| [2, 3].map(|n| CellContestants::Copies(i, n))));
        // The first stands for the usual controller.
        kinds.extend(all.clone().skip(1).map(|i| CellContestants::Paired(vec![0, i])));
        kinds.push(CellContestants::Paired(vec![0, 1, 2]));
        kinds.push(CellContestants::Paired(all.collect()));
        kinds.extend(random.iter().map(|&i| CellContestants::Alone(i)));
        let cell =
            |contestants: &CellContestants, seeds| Self { contestants: contestants.clone(), seeds };
        seeds.iter().flat_map(|&n| kinds.iter().map(move |kind| cell(kind, n))).collect()
    }

    /// So many comparisons, judged.
    pub(crate) fn counted(&self, pool: &RunPool, draws: usize) -> ErrorCounts {
        let name = format!("{} {:?} {}", pool.path.name, self.contestants, self.seeds);
        let mut random = Random::new(1, &name);
        let mut counts = ErrorCounts::default();
        let mut truths = BTreeMap::new();
        for _ in 0..draws {
            match &self.contestants {
                CellContestants::Copies(controller, copies) => {
                    self.judge_copies(pool, (*controller, *copies), &mut random, &mut counts);
                }
                CellContestants::Paired(controllers) => {
                    let places = pool.seeds(self.seeds, &mut random);
                    let of = |&i: &usize| pool.runs(i, pool.name(i), &places);
                    let runs: Vec<RunSummary> = controllers.iter().flat_map(of).collect();
                    judge_paired(pool, &runs, &mut truths, &mut counts);
                }
                CellContestants::Alone(controller) => {
                    let places = pool.seeds(self.seeds, &mut random);
                    judge_alone(pool, *controller, &places, &mut counts);
                }
            }
        }
        counts
    }

    fn judge_copies(
        &self,
        pool: &RunPool,
        (controller, copies): (usize, usize),
        random: &mut Random,
        counts: &mut ErrorCounts,
    ) {
        let runs: Vec<RunSummary> = NAMES[..copies]
            .iter()
            .flat_map(|name| pool.runs(controller, name, &pool.seeds(self.seeds, random)))
            .collect();
        let contest = Contest::new(&runs, &pool.situation, JudgementRules::default());
        let pairs = || contest.pairs().map(|pair| (pair.criterion, pair));
        let differ = pairs().map(|(criterion, pair)| (criterion, pair.difference.clear));
        counts.add_pairs(Question::CopiesDiffer, differ);
        counts.add(Question::CopyLeads, None, contest.sole_leader().is_some());
        if copies == 2 {
            let first = pairs().next().is_some_and(|(_, pair)| pair.too_few);
            counts.add(Question::TooFew, None, first);
        }
    }
}

/// The differences of the whole pool with the practical bound on each, by criterion and pair of names; more
/// is better.
type Truths<'p> = BTreeMap<(Criterion, &'p str, &'p str), Truth>;

#[derive(Clone, Copy, Debug)]
struct Truth {
    difference: f64,
    bound: f64,
}

impl Truth {
    fn of<'p>(pool: &'p RunPool, pair: &PairComparison<'_>, truths: &mut Truths<'p>) -> Self {
        let number = |name: &str| {
            let found = (0..pool.controllers.len()).find(|&i| pool.name(i) == name);
            found.expect("a controller of the pool")
        };
        let [a, b] = pair.names.map(number);
        let criterion = pair.criterion;
        *truths.entry((criterion, pool.name(a), pool.name(b))).or_insert_with(|| {
            let means = [a, b].map(|i| pool.mean(i, criterion).expect("the pool has it"));
            let practical = JudgementRules::default().practical;
            Self {
                difference: pool.difference(a, b, criterion).expect("the pool has it"),
                bound: criterion.bound(means.into(), practical, pool.situation.base_rtt_ms),
            }
        })
    }

    fn is_small(self) -> bool {
        self.difference.abs() <= self.bound
    }
}

fn judge_paired<'p>(
    pool: &'p RunPool,
    runs: &[RunSummary],
    truths: &mut Truths<'p>,
    counts: &mut ErrorCounts,
) {
    let contest = Contest::new(runs, &pool.situation, JudgementRules::default());
    let known: Vec<(PairComparison<'_>, Truth)> =
        contest.pairs().map(|pair| (pair, Truth::of(pool, &pair, truths))).collect();
    let is_right =
        |(pair, truth): &(PairComparison<'_>, Truth)| pair.difference.mean * truth.difference > 0.0;
    let mut add = |question, is_error: &dyn Fn(&(PairComparison<'_>, Truth)) -> bool| {
        counts.add_pairs(question, known.iter().map(|one| (one.0.criterion, is_error(one))));
    };
    add(Question::WrongSign, &|one| one.0.difference.clear && !is_right(one));
    add(Question::Immaterial, &|(pair, truth)| pair.difference.clear && truth.is_small());
    let off = |(pair, truth): &(PairComparison<'_>, Truth)| {
        let PairedDifference { mean, half_width, .. } = pair.difference;
        half_width.map_or(0.0, |half| beyond((mean, half), truth.difference))
    };
    add(Question::DifferenceMissed, &|one| off(one) > 0.0);
    add(Question::DifferenceFarOff, &|one| off(one) > one.1.bound);
    let first = known.first().map(|(pair, _)| pair.criterion);
    let in_first = || known.iter().filter(|(pair, _)| Some(pair.criterion) == first);
    let is_beaten = |leader: &str| {
        in_first().any(|(pair, truth)| {
            pair.names[0] == leader && truth.difference < 0.0
                || pair.names[1] == leader && truth.difference > 0.0
        })
    };
    counts.add(Question::WrongLeader, None, contest.sole_leader().is_some_and(is_beaten));
    for one in in_first().filter(|(_, truth)| !truth.is_small()) {
        counts.add(Question::Found, None, one.0.difference.clear && is_right(one));
    }
}

/// Each quantity of a controller by itself.
fn judge_alone(pool: &RunPool, controller: usize, places: &[usize], counts: &mut ErrorCounts) {
    let all = &pool.controllers[controller];
    let rules = JudgementRules::default();
    for criterion in Criterion::ALL {
        let value = |run: &RunSummary| criterion.metric().of(run);
        let population: Vec<f64> = all.iter().filter_map(value).collect();
        let Some(truth) = mean(&population).filter(|_| !are_alike(&population)) else { continue };
        let drawn: Vec<f64> = places.iter().filter_map(|&place| value(&all[place])).collect();
        let Some(estimate) = Estimate::of(&drawn, CONFIDENCE) else { continue };
        let others =
            population.iter().filter(|value| !are_alike(&[**value, estimate.mean])).count();
        let differ = share(others, population.len()) > unseen_share(CONFIDENCE, drawn.len());
        counts.add(Question::MoreDiffer, Some(criterion), estimate.half_width.is_none() && differ);
        counts.add(Question::NoInterval, Some(criterion), estimate.half_width.is_none());
        let Some(half) = estimate.half_width else { continue };
        let means = (truth, estimate.mean);
        let bound = criterion.bound(means, rules.practical, pool.situation.base_rtt_ms);
        let off = beyond((estimate.mean, half), truth);
        counts.add(Question::MeanMissed, Some(criterion), off > 0.0);
        counts.add(Question::MeanFarOff, Some(criterion), off > bound);
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are at most a few thousand runs")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of as f64
}

/// The distance of the truth from an interval, if it is more than rounding; 0 within it.
fn beyond((mean, half): (f64, f64), truth: f64) -> f64 {
    const ROUNDING: f64 = 1e-9;
    let off = (truth - mean).abs() - half;
    if off > ROUNDING * truth.abs().max(mean.abs()) { off } else { 0.0 }
}
