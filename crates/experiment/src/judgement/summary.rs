//! A judgement as data: means, intervals, paired differences, front and sentence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use westwood_scenario::sorting::map_of;

use super::contest::Relation;
use super::fault::faults;
use super::{Contest, Criterion, Fault, JudgementRules, PairedDifference};
use crate::metric::Metric;
use crate::stats::{CONFIDENCE, Estimate};

/// The conclusions from runs over one setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgementSummary {
    /// The confidence of every interval and statement.
    pub confidence: f64,
    /// The rules of the judgement.
    pub rules: JudgementRules,
    /// The criteria, the most important first.
    pub criteria: Vec<Criterion>,
    /// The number of comparisons, pairs in criteria, that share the probability of an error: those in the
    /// criterion that names the leader have one half of it, all others the other half.
    #[serde(default)]
    pub comparisons: usize,
    /// Those compared, by name.
    pub contestants: Vec<ContestantSummary>,
    /// The contestants that no other dominates, by name.
    pub front: Vec<String>,
    /// The leader; `null` if nothing can be judged.
    pub leader: Option<String>,
    /// The conclusion in sentences.
    pub sentence: String,
}

/// The conclusions from the runs of one setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingSummary {
    /// The values of the sweep's axes but for `cc`, in their order.
    pub settings: Vec<String>,
    /// The variant; `null` for the scenario as it stands.
    pub variant: Option<String>,
    /// The conclusions.
    #[serde(flatten)]
    pub summary: JudgementSummary,
}

/// One of those compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContestantSummary {
    /// Its name.
    pub name: String,
    /// The number of its runs.
    pub runs: usize,
    /// The mean of every quantity that its runs have, by the names of `--fail-if`; rates in bits a
    /// second, times in milliseconds, shares from 0 to 1.
    pub means: BTreeMap<String, ConfidenceInterval>,
    /// Its faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// For every criterion the leader's advantage, seed by seed; empty for the leader. Intervals
    /// hold for all pairs and criteria together.
    pub behind_leader: BTreeMap<String, PairedDifference>,
}

/// A mean with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfidenceInterval {
    /// The mean.
    pub mean: f64,
    /// The mean plus or minus this is the interval; `null` for a single value, and where all are alike.
    pub half_width: Option<f64>,
}

impl JudgementSummary {
    /// The summary of a contest.
    pub fn of(contest: &Contest<'_>) -> Self {
        let leader = contest.leader();
        let name = |i: usize| contest.contestants[i].name.to_owned();
        Self {
            confidence: CONFIDENCE,
            rules: contest.rules,
            criteria: contest.criteria.clone(),
            comparisons: contest.comparisons,
            contestants: (0..contest.contestants.len()).map(|i| one(contest, i, leader)).collect(),
            front: contest.front().into_iter().map(name).collect(),
            leader: leader.map(name),
            sentence: super::sentence(contest),
        }
    }
}

fn one(contest: &Contest<'_>, i: usize, leader: Option<usize>) -> ContestantSummary {
    let contestant = &contest.contestants[i];
    let mean = |metric: Metric| {
        let values: Vec<f64> = contestant.runs.iter().filter_map(|run| metric.of(run)).collect();
        let Estimate { mean, half_width } = Estimate::of(&values, CONFIDENCE)?;
        Some((metric.name().to_owned(), ConfidenceInterval { mean, half_width }))
    };
    let behind = |leader: usize, criterion: Criterion| {
        let Estimate { mean, half_width } = contest.difference(leader, i, criterion)?;
        let relation = contest.relation(leader, i, criterion);
        let clear = matches!(relation, Relation::Better | Relation::Worse);
        let difference = PairedDifference { mean, half_width, clear };
        Some((criterion.metric().name().to_owned(), difference))
    };
    let leader = leader.filter(|&leader| leader != i);
    let criteria = || contest.criteria.iter().copied();
    ContestantSummary {
        name: contestant.name.to_owned(),
        runs: contestant.runs.len(),
        faults: faults(contestant, contest.situation),
        means: map_of(Metric::ALL.into_iter().filter_map(mean)),
        behind_leader: leader
            .map_or_else(BTreeMap::new, |l| map_of(criteria().filter_map(|c| behind(l, c)))),
    }
}
