//! The order of contestants by one quantity, where chance allows one.
//!
//! Controllers meet the same random network under the same seed, so they are compared by the
//! differences seed by seed: what a hard seed costs both cancels out. The leader is best if its
//! difference to each other controller is above zero with 95 % confidence for all of them together
//! (Student's t with Bonferroni's correction; see [`p_value`] for differences that are all alike).
//! Intervals of the means may overlap all the same. This is about one quantity alone; what several say
//! together is in [`judgement`](crate::judgement).

use crate::judgement::Practical;
use crate::metric::{Better, Metric};
use crate::results::RunSummary;
use crate::stats::{CONFIDENCE, Estimate, mean, p_value};

/// All runs of one controller, in the order of the seeds.
#[derive(Clone, Debug)]
pub struct ControllerRuns<'a> {
    /// The controller's canonical name.
    pub cc: &'a str,
    /// Its runs.
    pub runs: Vec<&'a RunSummary>,
}

impl ControllerRuns<'_> {
    /// A metric over the seeds; none if no run has it.
    pub fn estimate(&self, metric: Metric) -> Option<Estimate> {
        let values: Vec<f64> = self.runs.iter().filter_map(|run| metric.of(run)).collect();
        Estimate::of(&values, CONFIDENCE)
    }

    /// A metric's mean; 0 if no run has it.
    pub fn mean(&self, metric: Metric) -> f64 {
        self.estimate(metric).map_or(0.0, |e| e.mean)
    }
}

/// The runs by controller, in their order.
pub fn groups(runs: &[RunSummary]) -> Vec<ControllerRuns<'_>> {
    let mut groups: Vec<ControllerRuns<'_>> = Vec::new();
    for run in runs {
        // Runs of a controller mostly stand together: the last group is looked at first.
        match groups.iter_mut().rev().find(|g| g.cc == run.cc) {
            Some(group) => group.runs.push(run),
            None => groups.push(ControllerRuns { cc: &run.cc, runs: vec![run] }),
        }
    }
    groups
}

/// The leader in a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Better than every other one.
    Best(usize),
    /// These cannot be told apart, the leader first; better than those left out, if any.
    Tied(Vec<usize>),
    /// There is too little to compare.
    Unknown,
}

/// The values of one contestant under each seed; none where it has no such value.
pub type Samples = Vec<(u64, Option<f64>)>;

/// The leader by the values themselves: places in `contestants`. A lead counts that is beyond
/// chance and beyond the practical bound.
pub fn standing_of(contestants: &[Samples], better: Better, practical: Practical) -> Ranking {
    let sign = match better {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
    };
    let average = |samples: &Samples| {
        let values: Vec<f64> = samples.iter().filter_map(|(_, value)| *value).collect();
        mean(&values)
    };
    let score = |i: &usize| average(&contestants[*i]).unwrap_or(0.0) * sign;
    let comparable = |samples: &Samples| samples.len() >= 2 && average(samples).is_some();
    let leader = (0..contestants.len()).reduce(|a, b| if score(&b) > score(&a) { b } else { a });
    let enough = contestants.len() >= 2 && contestants.iter().all(comparable);
    let Some(leader) = leader.filter(|_| enough) else {
        return Ranking::Unknown;
    };
    #[expect(clippy::cast_precision_loss, reason = "a list of controllers is short")]
    let error = (1.0 - CONFIDENCE) / (contestants.len() - 1) as f64;
    let mut level: Vec<usize> = (0..contestants.len())
        .filter(|&i| {
            let means = [leader, i].map(|one| average(&contestants[one]).unwrap_or(0.0).abs());
            let least = practical.0 * means[0].max(means[1]);
            let (ours, theirs) = (&contestants[leader], &contestants[i]);
            i != leader && !is_better(ours, theirs, sign, (error, least))
        })
        .collect();
    if level.is_empty() {
        return Ranking::Best(leader);
    }
    level.sort_by(|a, b| score(b).total_cmp(&score(a)));
    level.insert(0, leader);
    Ranking::Tied(level)
}

/// True if `a` is better than `b` by more than `least`, with no more than this probability of an error.
fn is_better(a: &Samples, b: &Samples, sign: f64, (error, least): (f64, f64)) -> bool {
    let differences: Vec<f64> = a
        .iter()
        .filter_map(|(seed, value)| {
            let (_, other) = b.iter().find(|(other, _)| other == seed)?;
            Some(((*value)? - (*other)?) * sign)
        })
        .collect();
    let beyond_chance = p_value(&differences, false).is_some_and(|p| p <= error);
    beyond_chance && mean(&differences).is_some_and(|mean| mean > least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing_of(values: &[(&str, &[f64])]) -> Ranking {
        let samples = |xs: &[f64]| (1..).zip(xs).map(|(seed, x)| (seed, Some(*x))).collect();
        let all: Vec<Samples> = values.iter().map(|(_, xs)| samples(xs)).collect();
        super::standing_of(&all, Better::Higher, Practical(0.0))
    }

    #[test]
    fn a_steady_lead_counts_even_where_the_seeds_differ_more_than_the_controllers() {
        let (a, b) = ([10.0, 20.0, 30.0, 40.0], [9.0, 19.2, 28.9, 38.8]);
        assert_eq!(standing_of(&[("a", &a), ("b", &b)]), Ranking::Best(0));
    }

    #[test]
    fn a_lead_that_is_the_same_in_few_rounds_is_no_certainty() {
        assert_eq!(standing_of(&[("a", &[1.0; 3]), ("b", &[0.5; 3])]), Ranking::Tied(vec![0, 1]));
        assert_eq!(standing_of(&[("a", &[1.0; 6]), ("b", &[0.5; 6])]), Ranking::Best(0));
    }

    #[test]
    fn a_lead_by_chance_is_a_tie() {
        let (a, b) = ([10.0, 12.0, 8.0, 11.0], [11.0, 9.0, 10.0, 10.5]);
        assert_eq!(standing_of(&[("b", &b), ("a", &a)]), Ranking::Tied(vec![1, 0]));
    }

    #[test]
    fn those_far_behind_are_not_part_of_a_tie() {
        let (a, b, c) = ([10.0, 12.0, 8.0], [11.0, 9.0, 9.5], [1.0, 1.1, 0.9]);
        assert_eq!(standing_of(&[("a", &a), ("c", &c), ("b", &b)]), Ranking::Tied(vec![0, 2]));
    }

    #[test]
    fn one_seed_or_one_controller_says_nothing() {
        assert_eq!(standing_of(&[("a", &[1.0]), ("b", &[2.0])]), Ranking::Unknown);
        assert_eq!(standing_of(&[("a", &[1.0, 2.0])]), Ranking::Unknown);
    }
}
