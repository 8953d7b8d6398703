//! Contestants compared in pairs: relations, the front, the leader.

use std::cmp::Ordering;

use westwood_scenario::sorting::{SortedMap, sort_by};

use super::chance::{Family, PairedSample};
use super::{Criterion, JudgementRules, PairedDifference, Situation};
use crate::metric::Metric;
use crate::results::RunSummary;
use crate::stats::{Estimate, mean};

/// The group of the comparisons in criteria that name the leader, and that of all others.
const NAMING: usize = 0;
const OTHER: usize = 1;

/// The relation of one contestant to another in a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Better,
    Worse,
    /// They cannot be told apart, or what differs does not matter.
    Level,
    /// They share too few seeds to be told apart.
    Unknown,
}

/// The result of a pair in a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairResult {
    /// The mean difference with its interval; more is better.
    pub(super) difference: Estimate,
    pub(super) relation: Relation,
    /// The mean difference is beyond what matters, be it beyond chance or not.
    pub(super) matters: bool,
    /// They are level among so many comparisons, and would not be if this were the only one.
    pub(super) significant_uncorrected: bool,
    /// They are level because so few seeds, however much the same each of them gives, tell nothing.
    pub(super) too_few: Option<usize>,
}

/// Two contestants in a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairComparison<'a> {
    /// The criterion.
    pub criterion: Criterion,
    /// Their names, in the order of the alphabet.
    pub names: [&'a str; 2],
    /// The first less the second such that more is better, in the unit of the criterion's metric. The
    /// interval holds for all pairs and criteria together.
    pub difference: PairedDifference,
    /// They differ to the same side under every seed, and so few seeds cannot tell this from chance.
    pub too_few: bool,
}

/// Why nothing can be concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoConclusion {
    /// The measured link lost every packet.
    AllLost,
    /// Transfers were cut off.
    CutOff,
    /// No flow under test carried anything.
    NothingCarried,
}

/// Packets lost or marked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    /// Lost on the measured link.
    pub(super) random: f64,
    /// Lost on other links, where they may be ACKs.
    pub(super) random_elsewhere: f64,
    /// Dropped by the queue or the policer of any link.
    pub(super) congestion: f64,
    /// Marked by the queue of any link.
    pub(super) marked: f64,
}

/// One of those compared.
#[derive(Clone, Debug)]
pub(super) struct Contestant<'a> {
    pub(super) name: &'a str,
    /// Its runs, by seed.
    pub(super) runs: Vec<&'a RunSummary>,
}

impl Contestant<'_> {
    /// The mean of a criterion, as it is judged.
    pub(super) fn mean(&self, criterion: Criterion) -> f64 {
        criterion.judged(self.mean_of(criterion.metric()))
    }

    /// The mean of any quantity; 0 if no run has it.
    pub(super) fn mean_of(&self, metric: Metric) -> f64 {
        self.known_mean_of(metric).unwrap_or(0.0)
    }

    /// Packets of a run, on the mean.
    #[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^53")]
    pub(super) fn losses(&self) -> Losses {
        let runs = self.runs.len().max(1) as f64;
        let mean = |of: fn(&RunSummary) -> u64| {
            self.runs.iter().map(|run| of(run)).sum::<u64>() as f64 / runs
        };
        let congestion = |run: &RunSummary| {
            let all = run.drops.and(run.drops_elsewhere);
            all.overflow + all.aqm + all.policer
        };
        Losses {
            random: mean(|run| run.drops.random),
            random_elsewhere: mean(|run| run.drops_elsewhere.random),
            congestion: mean(congestion),
            marked: mean(|run| run.marked),
        }
    }

    /// The mean of any quantity, if a run has it.
    pub(super) fn known_mean_of(&self, metric: Metric) -> Option<f64> {
        mean(&self.runs.iter().filter_map(|run| metric.of(run)).collect::<Vec<f64>>())
    }

    /// The number of flows under test in a run, one at least.
    #[expect(clippy::cast_precision_loss, reason = "a run has a few thousand flows")]
    pub(super) fn flows(&self) -> f64 {
        self.runs.iter().map(|run| run.under_test).max().unwrap_or(0).max(1) as f64
    }

    /// The number of runs that ended before every transfer did.
    pub(super) fn cut_off(&self) -> usize {
        self.runs.iter().filter(|run| Metric::FctMean.of(run).is_none()).count()
    }
}

/// Contestants over one setting, compared.
#[derive(Clone, Debug)]
pub struct Contest<'a> {
    /// By their names.
    pub(super) contestants: Vec<Contestant<'a>>,
    /// Those that every contestant has, the most important first.
    pub(super) criteria: Vec<Criterion>,
    pub(super) situation: &'a Situation,
    pub(super) rules: JudgementRules,
    /// The number of comparisons that share the probability of an error.
    pub(super) comparisons: usize,
    /// Those of them that are in criteria which name the leader.
    pub(super) naming_comparisons: usize,
    /// For each criterion every pair `a`, `b`.
    compared: SortedMap<(Criterion, usize, usize), PairResult>,
}

impl<'a> Contest<'a> {
    /// These runs, by their names; a run of the same name and seed counts once.
    pub fn new(runs: &'a [RunSummary], situation: &'a Situation, rules: JudgementRules) -> Self {
        let mut contest = Self {
            contestants: contestants(runs),
            criteria: Vec::new(),
            situation,
            rules,
            comparisons: 0,
            naming_comparisons: 0,
            compared: SortedMap::default(),
        };
        contest.criteria = contest.judged_by();
        contest.compare();
        contest
    }

    /// The criteria that were asked for and that every contestant has.
    fn judged_by(&self) -> Vec<Criterion> {
        if self.is_cut_off() {
            return Vec::new();
        }
        let Situation { transfers, several, .. } = *self.situation;
        let runs = || self.contestants.iter().flat_map(|one| &one.runs);
        let many = several || runs().any(|run| run.many_transfers.is_some());
        let asked = |criterion: &Criterion| match criterion {
            Criterion::Completion => transfers,
            Criterion::SlowestCompletion => transfers && many,
            Criterion::Goodput => !transfers,
            // The goodput of a transfer is its size over the time measured: transfers that finish
            // have the same one, however long each took.
            Criterion::Fairness => several && !transfers,
            _ => true,
        };
        let known = |criterion: &Criterion| {
            let has = |run: &&RunSummary| criterion.metric().of(run).is_some();
            self.contestants.iter().all(|one| one.runs.iter().any(has))
        };
        Criterion::ALL.into_iter().filter(|c| asked(c) && known(c)).collect()
    }

    /// Compares all pairs in all criteria: one family, one probability of an error. One half of it belongs to
    /// the criteria that name the leader.
    fn compare(&mut self) {
        let n = self.contestants.len();
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        let all = self.criteria.iter().flat_map(|&c| pairs.clone().map(move |(a, b)| (c, a, b)));
        let sampled: Vec<_> = all.map(|at| (at, self.sample(at))).collect();
        let naming: Vec<Criterion> = self.naming().collect();
        let group = |criterion: &Criterion| if naming.contains(criterion) { NAMING } else { OTHER };
        let grouped = sampled.iter().map(|((criterion, ..), sample)| (group(criterion), sample));
        let mut family = Family::of_groups(grouped);
        self.comparisons = family.comparisons();
        self.naming_comparisons = family.comparisons_in(NAMING);
        for (rank, ((criterion, a, b), sample)) in sampled.iter().enumerate() {
            let Some(difference) = family.estimate(group(criterion), sample) else { continue };
            let means = [*a, *b].map(|i| self.contestants[i].mean(*criterion));
            let practical = self.rules.practical;
            let bound =
                criterion.bound((means[0], means[1]), practical, self.situation.base_rtt_ms);
            let matters = difference.mean.abs() > bound;
            let clear = family.holds(rank) && matters;
            let relation = match sample.is_comparable() {
                false => Relation::Unknown,
                true if !clear => Relation::Level,
                true if difference.mean > 0.0 => Relation::Better,
                true => Relation::Worse,
            };
            let undecided = relation == Relation::Level && matters;
            let significant_uncorrected = undecided && sample.is_significant_uncorrected();
            let is_open = undecided && sample.is_too_small() && sample.is_one_sided();
            let too_few = is_open.then_some(sample.differences.len());
            let compared =
                PairResult { difference, relation, matters, significant_uncorrected, too_few };
            self.compared.insert((*criterion, *a, *b), compared);
            self.compared.insert((*criterion, *b, *a), compared.reversed());
        }
    }

    /// Seed by seed, `a` less `b`, such that more is better.
    fn sample(&self, (criterion, a, b): (Criterion, usize, usize)) -> PairedSample {
        let metric = criterion.metric();
        let [a, b] = [a, b].map(|i| &self.contestants[i]);
        let other = |run: &RunSummary| b.runs.iter().copied().find(|other| other.seed == run.seed);
        let pairs: Vec<(&RunSummary, &RunSummary)> =
            a.runs.iter().filter_map(|run| Some((*run, other(run)?))).collect();
        let judged = [a, b].map(|one| criterion.value_of_all(one.mean_of(metric)));
        let value = |run: &RunSummary, judged: Option<f64>| Some(judged.unwrap_or(metric.of(run)?));
        let difference = |(a, b): &(&RunSummary, &RunSummary)| {
            // No difference has no sign.
            Some((value(a, judged[0])? - value(b, judged[1])?) * criterion.sign() + 0.0)
        };
        PairedSample {
            differences: pairs.iter().filter_map(difference).collect(),
            exact: pairs.iter().all(|(a, b)| a.exact && b.exact),
            discrete: criterion.is_discrete(),
        }
    }

    /// The criterion that names the leader.
    pub(super) fn primary(&self) -> Option<Criterion> {
        self.criteria.first().copied()
    }

    /// The criteria that name the leader first: the one above, and the one that the preference asks for.
    pub(super) fn naming(&self) -> impl Iterator<Item = Criterion> {
        self.primary().into_iter().chain(self.deciding().next())
    }

    /// Every pair in every criterion, the most important criterion first; none whose seeds are not paired.
    pub fn pairs(&self) -> impl Iterator<Item = PairComparison<'a>> {
        let once = self.compared.iter().filter(|((_, a, b), _)| a < b);
        once.map(|((criterion, a, b), result)| {
            let Estimate { mean, half_width } = result.difference;
            let clear = matches!(result.relation, Relation::Better | Relation::Worse);
            PairComparison {
                criterion: *criterion,
                names: [*a, *b].map(|i| self.contestants[i].name),
                difference: PairedDifference { mean, half_width, clear },
                too_few: result.too_few.is_some(),
            }
        })
    }

    /// Whether any difference can be told from chance.
    pub(super) fn has_enough_seeds(&self) -> bool {
        self.compared.values().any(|compared| compared.relation != Relation::Unknown)
    }

    /// Whether this one can be told from any other, or is alone.
    pub(super) fn is_comparable(&self, i: usize) -> bool {
        let mut own = self.compared.iter().filter(|((_, a, _), _)| *a == i).map(|(_, c)| c);
        self.contestants.len() < 2 || own.any(|compared| compared.relation != Relation::Unknown)
    }

    /// The mean difference of `a` to `b`, more is better, with its interval.
    pub(super) fn difference(&self, a: usize, b: usize, criterion: Criterion) -> Option<Estimate> {
        self.compared.get(&(criterion, a, b)).map(|compared| compared.difference)
    }

    /// The relation of `a` to `b`.
    pub(super) fn relation(&self, a: usize, b: usize, criterion: Criterion) -> Relation {
        let compared = self.compared.get(&(criterion, a, b));
        compared.map_or(Relation::Unknown, |compared| compared.relation)
    }

    /// Whether the mean of `a` is worse than that of `b` by more than what matters, be it beyond
    /// chance or not.
    fn falls_short(&self, a: usize, b: usize, criterion: Criterion) -> bool {
        let compared = self.compared.get(&(criterion, a, b));
        compared.is_some_and(|compared| compared.matters && compared.difference.mean < 0.0)
    }

    /// Whether `a` is clearly better than `b` in a criterion and clearly worse in none, and its means
    /// of the criteria that name a leader do not fall short: two that few seeds leave level there need
    /// not be alike.
    pub(super) fn dominates(&self, a: usize, b: usize) -> bool {
        let relations = || self.criteria.iter().map(|&c| self.relation(a, b, c));
        relations().any(|r| r == Relation::Better)
            && relations().all(|r| r != Relation::Worse)
            && !self.naming().any(|c| self.falls_short(a, b, c))
    }

    /// The contestants that no other dominates, by name. Clear differences are not transitive, so
    /// that domination may run in a circle; then those in it stand together. A contestant is on the
    /// front if it dominates, be it through others, each one that dominates it in the same way (the
    /// Schwartz set).
    pub(super) fn front(&self) -> Vec<usize> {
        let n = self.contestants.len();
        let mut reach: Vec<Vec<bool>> =
            (0..n).map(|a| (0..n).map(|b| a != b && self.dominates(a, b)).collect()).collect();
        for via in 0..n {
            for a in 0..n {
                for b in 0..n {
                    reach[a][b] |= reach[a][via] && reach[via][b];
                }
            }
        }
        (0..n).filter(|&i| (0..n).all(|j| !reach[j][i] || reach[i][j])).collect()
    }

    /// Whether transfers were cut off, so that completion times cannot be compared.
    pub(super) fn is_cut_off(&self) -> bool {
        self.situation.transfers && self.contestants.iter().any(|one| one.cut_off() > 0)
    }

    /// Whether no flow under test delivered anything while it was measured. Transfers may have ended before.
    pub(super) fn carries_nothing(&self) -> bool {
        !self.situation.transfers
            && !self.contestants.is_empty()
            && self.contestants.iter().all(|one| one.mean_of(Metric::Goodput) <= 0.0)
    }

    /// The criteria that name the leader, in their order: those that the preference asks for come first.
    fn deciding(&self) -> impl Iterator<Item = Criterion> {
        let order = self.rules.preference.criteria().iter().chain(&self.criteria).copied();
        order.filter(|criterion| self.criteria.contains(criterion))
    }

    /// Why nothing can be concluded from what was measured.
    pub(super) fn no_conclusion(&self) -> Option<NoConclusion> {
        let nothing = self.is_cut_off() || self.carries_nothing();
        match self {
            _ if nothing && self.situation.lost_every_packet => Some(NoConclusion::AllLost),
            _ if self.is_cut_off() => Some(NoConclusion::CutOff),
            _ if self.carries_nothing() => Some(NoConclusion::NothingCarried),
            _ => None,
        }
    }

    /// Whether anything can be concluded, be it that the contestants are level.
    pub(super) fn is_judged(&self) -> bool {
        self.no_conclusion().is_none() && self.leader().is_some()
    }

    /// The one on the front that the preference names. In the first criterion a contestant is out that is
    /// clearly worse than another there, or would be if nothing else were compared; then one that is clearly
    /// worse in the next criterion, and so on. Between the rest the best mean of the first criterion decides,
    /// among those that are clearly better than each that a later criterion put out, if any is; of means that
    /// are the same that of the next criterion.
    pub(super) fn leader(&self) -> Option<usize> {
        let first = self.deciding().next()?;
        let mut left = self.front();
        if left.iter().any(|&i| self.is_comparable(i)) {
            left.retain(|&i| self.is_comparable(i));
        }
        left = without(&left, |a, b| self.parts(b, a, first));
        let able = left.clone();
        for criterion in self.deciding() {
            left = without(&left, |a, b| self.relation(a, b, criterion) == Relation::Worse);
        }
        let better = |a: usize, b: usize| {
            self.criteria.iter().any(|&c| self.relation(a, b, c) == Relation::Better)
        };
        let out = || able.iter().copied().filter(|i| !left.contains(i));
        let beats_all: Vec<usize> =
            left.iter().copied().filter(|&i| out().all(|j| better(i, j))).collect();
        let rest = if beats_all.is_empty() { left } else { beats_all };
        // Without the sign of a zero: two that do no harm have the same.
        let score = |i: usize, c: Criterion| self.contestants[i].mean(c) * c.sign() + 0.0;
        let compared = |a: usize, b: usize| {
            let each = self.deciding().map(|c| score(b, c).total_cmp(&score(a, c)));
            each.into_iter().find(|order| order.is_ne())
        };
        rest.into_iter()
            .reduce(|a, b| if compared(a, b).is_some_and(Ordering::is_gt) { b } else { a })
    }

    /// Whether `a` is clearly better than `b` in a criterion, or would be if nothing else were compared.
    fn parts(&self, a: usize, b: usize, criterion: Criterion) -> bool {
        let compared = self.compared.get(&(criterion, a, b));
        compared.is_some_and(
            |PairResult { difference, relation, significant_uncorrected, .. }| {
                *relation == Relation::Better || *significant_uncorrected && difference.mean > 0.0
            },
        )
    }

    /// Whether any contestant is clearly better than one in the criterion that names the leader.
    pub(super) fn is_behind(&self, i: usize) -> bool {
        let better =
            |c| (0..self.contestants.len()).any(|j| self.relation(j, i, c) == Relation::Better);
        self.deciding().next().is_some_and(better)
    }

    /// The contestants that cannot be told from the leader in a criterion, the leader included, by
    /// name.
    pub(super) fn level_with(&self, leader: usize, criterion: Criterion) -> Vec<usize> {
        let level =
            |&i: &usize| i == leader || self.relation(leader, i, criterion) == Relation::Level;
        (0..self.contestants.len()).filter(level).collect()
    }

    /// Whether two differ in a criterion if nothing else is compared, though not among all comparisons.
    pub(super) fn significant_uncorrected(&self, a: usize, b: usize, criterion: Criterion) -> bool {
        self.compared
            .get(&(criterion, a, b))
            .is_some_and(|compared| compared.significant_uncorrected)
    }

    /// The number of seeds that two share, if they differ to the same side under each in a criterion, and so
    /// few cannot tell this from chance.
    pub(super) fn too_few(&self, a: usize, b: usize, criterion: Criterion) -> Option<usize> {
        self.compared.get(&(criterion, a, b)).and_then(|compared| compared.too_few)
    }

    /// The number of seeds that are too few to tell the leader from one that is level with it in the first
    /// criterion.
    pub(super) fn too_few_to_lead(&self) -> Option<usize> {
        let (leader, primary) = (self.leader()?, self.primary()?);
        (0..self.contestants.len()).filter_map(|i| self.too_few(leader, i, primary)).max()
    }

    /// The leader, if there are others and none is level with it both in the criterion that the preference
    /// asks for and in the first one.
    pub fn sole_leader(&self) -> Option<&'a str> {
        let (leader, primary) = (self.leader()?, self.primary()?);
        let decides = self.deciding().next()?;
        let level = self.level_with(leader, primary);
        let alone =
            self.level_with(leader, decides).iter().all(|i| *i == leader || !level.contains(i));
        (self.has_enough_seeds() && alone).then(|| self.contestants[leader].name)
    }

    /// Whether a quantity is judged.
    pub fn judges(&self, metric: Metric) -> bool {
        self.criteria.iter().any(|c| c.metric() == metric)
    }

    /// The contestant that is clearly better than every other one in a quantity that is judged.
    pub fn best_in(&self, metric: Metric) -> Option<&'a str> {
        let criterion = *self.criteria.iter().find(|c| c.metric() == metric)?;
        let all = 0..self.contestants.len();
        let better = |i: usize, j: usize| self.relation(i, j, criterion) == Relation::Better;
        let best = all.clone().find(|&i| all.clone().all(|j| i == j || better(i, j)));
        best.filter(|_| all.len() > 1).map(|i| self.contestants[i].name)
    }

    /// Whether no other mean is better.
    pub(super) fn has_best_mean(&self, i: usize, criterion: Criterion) -> bool {
        let score = |one: &Contestant<'_>| one.mean(criterion) * criterion.sign();
        let own = score(&self.contestants[i]);
        self.contestants.iter().all(|other| score(other) <= own)
    }
}

impl PairResult {
    /// The same, seen from the other side.
    fn reversed(self) -> Self {
        let relation = match self.relation {
            Relation::Better => Relation::Worse,
            Relation::Worse => Relation::Better,
            other => other,
        };
        let Estimate { mean, half_width } = self.difference;
        Self { difference: Estimate { mean: 0.0 - mean, half_width }, relation, ..self }
    }
}

/// These without those that are behind another of them; all of them if each is.
fn without(all: &[usize], is_behind: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let kept: Vec<usize> =
        all.iter().copied().filter(|&a| !all.iter().any(|&b| is_behind(a, b))).collect();
    if kept.is_empty() { all.to_vec() } else { kept }
}

/// The runs by name, each seed once.
fn contestants(runs: &[RunSummary]) -> Vec<Contestant<'_>> {
    let mut all: Vec<Contestant<'_>> = Vec::new();
    for run in runs {
        let found = all.iter_mut().find(|one| one.name == run.cc);
        match found {
            Some(one) if one.runs.iter().any(|known| known.seed == run.seed) => {}
            Some(one) => one.runs.push(run),
            None => all.push(Contestant { name: &run.cc, runs: vec![run] }),
        }
    }
    sort_by(&mut all, |a, b| a.name.cmp(b.name));
    for one in &mut all {
        sort_by(&mut one.runs, |a, b| a.seed.cmp(&b.seed));
    }
    all
}
