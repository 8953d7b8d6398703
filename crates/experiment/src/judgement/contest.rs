//! Contestants compared in pairs: relations, the front, the leader.

use super::{Criterion, Rules};
use crate::ranking::CONFIDENCE;
use crate::results::Run;
use crate::stats::{Estimate, mean};

/// What runs have in common that a judgement needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// The flows under test are transfers.
    pub transfers: bool,
    /// There is more than one of them.
    pub several: bool,
    /// The rate of the measured link, in bits a second.
    pub rate_bps: f64,
    /// The longest base round-trip time, in milliseconds.
    pub base_rtt_ms: f64,
    /// The controller of the competing flows, if there are any.
    pub rival: Option<String>,
}

/// How one contestant stands to another in a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Better,
    Worse,
    /// They cannot be told apart, or what differs does not matter.
    Level,
}

/// One of those compared.
#[derive(Clone, Debug)]
pub(super) struct Contestant<'a> {
    pub(super) name: &'a str,
    /// Its runs, by seed.
    pub(super) runs: Vec<&'a Run>,
}

impl Contestant<'_> {
    /// The mean of a criterion.
    pub(super) fn mean(&self, criterion: Criterion) -> f64 {
        self.mean_of(criterion.metric())
    }

    /// The mean of any quantity; 0 if no run has it.
    pub(super) fn mean_of(&self, metric: crate::metric::Metric) -> f64 {
        let values: Vec<f64> = self.runs.iter().filter_map(|run| metric.of(run)).collect();
        mean(&values).unwrap_or(0.0)
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
    pub(super) rules: Rules,
}

impl<'a> Contest<'a> {
    /// These runs, by their names; a run of the same name and seed counts once.
    pub fn new(runs: &'a [Run], situation: &'a Situation, rules: Rules) -> Self {
        let mut contestants: Vec<Contestant<'_>> = Vec::new();
        for run in runs {
            let found = contestants.iter_mut().find(|one| one.name == run.cc);
            match found {
                Some(one) if one.runs.iter().any(|known| known.seed == run.seed) => {}
                Some(one) => one.runs.push(run),
                None => contestants.push(Contestant { name: &run.cc, runs: vec![run] }),
            }
        }
        contestants.sort_by_key(|one| one.name);
        for one in &mut contestants {
            one.runs.sort_by_key(|run| run.seed);
        }
        let asked = |criterion: &Criterion| match criterion {
            Criterion::Completion => situation.transfers,
            Criterion::Goodput => !situation.transfers,
            Criterion::Fairness => situation.several,
            _ => true,
        };
        let known = |criterion: &Criterion| {
            let has = |run: &Run| criterion.metric().of(run).is_some();
            contestants.iter().all(|one| one.runs.iter().any(|run| has(run)))
        };
        let criteria = Criterion::ALL.into_iter().filter(|c| asked(c) && known(c)).collect();
        Self { contestants, criteria, situation, rules }
    }

    /// The criterion that names the leader.
    pub(super) fn primary(&self) -> Option<Criterion> {
        self.criteria.first().copied()
    }

    /// Whether differences can be told from chance.
    pub(super) fn tells_chance(&self) -> bool {
        self.contestants.len() > 1 && self.contestants.iter().all(|one| one.runs.len() > 1)
    }

    /// Seed by seed, `a` less `b`, such that more is better.
    fn differences(&self, a: usize, b: usize, criterion: Criterion) -> Vec<f64> {
        let metric = criterion.metric();
        let (a, b) = (&self.contestants[a], &self.contestants[b]);
        let pair = |run: &&Run| {
            let other = b.runs.iter().find(|other| other.seed == run.seed)?;
            Some((metric.of(run)? - metric.of(other)?) * criterion.sign())
        };
        a.runs.iter().filter_map(pair).collect()
    }

    /// The mean difference of `a` to `b`, more is better, with its interval.
    pub(super) fn difference(&self, a: usize, b: usize, criterion: Criterion) -> Option<Estimate> {
        let k = self.contestants.len();
        let pairs = (k * k.saturating_sub(1) / 2).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a list of controllers is short")]
        let confidence = 1.0 - (1.0 - CONFIDENCE) / pairs as f64;
        Estimate::of(&self.differences(a, b, criterion), confidence)
    }

    /// How `a` stands to `b`.
    pub(super) fn relation(&self, a: usize, b: usize, criterion: Criterion) -> Relation {
        let Some(Estimate { mean, half_width: Some(half) }) = self.difference(a, b, criterion)
        else {
            return Relation::Level;
        };
        let means = (self.contestants[a].mean(criterion), self.contestants[b].mean(criterion));
        let bound = criterion.bound(means, self.rules.practical, self.situation.base_rtt_ms);
        match mean {
            d if d.abs() <= half || d.abs() <= bound => Relation::Level,
            d if d > 0.0 => Relation::Better,
            _ => Relation::Worse,
        }
    }

    /// Whether `a` is clearly better than `b` in a criterion and clearly worse in none.
    fn dominates(&self, a: usize, b: usize) -> bool {
        let relations = || self.criteria.iter().map(|&c| self.relation(a, b, c));
        relations().any(|r| r == Relation::Better) && relations().all(|r| r != Relation::Worse)
    }

    /// Whom nobody dominates, by name; everybody where domination runs in a circle, as clear
    /// differences may.
    pub(super) fn front(&self) -> Vec<usize> {
        let all = 0..self.contestants.len();
        let free = |&b: &usize| !all.clone().any(|a| a != b && self.dominates(a, b));
        let front: Vec<usize> = all.clone().filter(free).collect();
        if front.is_empty() { all.collect() } else { front }
    }

    /// Whether transfers were cut off, so that completion times cannot be compared.
    pub(super) fn is_cut_off(&self) -> bool {
        let runs = || self.contestants.iter().flat_map(|one| &one.runs);
        self.situation.transfers
            && runs().any(|run| Criterion::Completion.metric().of(run).is_none())
    }

    /// The one on the front that the preference names: whoever is clearly worse than another there in
    /// the first criterion is out, then in the next, and the best mean decides between the rest.
    pub(super) fn leader(&self) -> Option<usize> {
        let mut left = self.front();
        let preferred = self.rules.preference.criteria();
        let order = preferred.iter().chain(&self.criteria).copied();
        let order: Vec<Criterion> = order.filter(|c| self.criteria.contains(c)).collect();
        for &criterion in &order {
            let worse = |a: usize, b: usize| self.relation(a, b, criterion) == Relation::Worse;
            let kept: Vec<usize> =
                left.iter().copied().filter(|&a| !left.iter().any(|&b| worse(a, b))).collect();
            if !kept.is_empty() {
                left = kept;
            }
        }
        let first = *order.first()?;
        let score = |i: &usize| self.contestants[*i].mean(first) * first.sign();
        left.into_iter().reduce(|a, b| if score(&b) > score(&a) { b } else { a })
    }

    /// Who cannot be told from the leader in a criterion, the leader included, by name.
    pub(super) fn level_with(&self, leader: usize, criterion: Criterion) -> Vec<usize> {
        let level =
            |&i: &usize| i == leader || self.relation(leader, i, criterion) == Relation::Level;
        (0..self.contestants.len()).filter(level).collect()
    }

    /// The leader, if nobody is level with it in the first criterion.
    pub fn sole_leader(&self) -> Option<&'a str> {
        let (leader, primary) = (self.leader()?, self.primary()?);
        let alone = self.level_with(leader, primary).len() == 1;
        alone.then(|| self.contestants[leader].name)
    }

    /// Whether nobody's mean is better.
    pub(super) fn has_best_mean(&self, i: usize, criterion: Criterion) -> bool {
        let score = |one: &Contestant<'_>| one.mean(criterion) * criterion.sign();
        let own = score(&self.contestants[i]);
        self.contestants.iter().all(|other| score(other) <= own)
    }
}
