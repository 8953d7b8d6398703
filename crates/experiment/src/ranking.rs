//! The order of contestants by one quantity, where chance allows one.
//!
//! Controllers meet the same random network under the same seed, so they are compared by the
//! differences seed by seed: what a hard seed costs both cancels out. All pairs are judged together, so
//! that with 95 % confidence nothing that is said of any pair is wrong (Student's t with Holm's
//! correction; differences that are all alike are held to coins, as in [`judgement`](crate::judgement)).
//! Intervals of the means may overlap all the same. This is about one quantity alone; what several say
//! together is in [`judgement`](crate::judgement).

use westwood_scenario::sorting::sort_places;

use crate::judgement::Practical;
use crate::judgement::chance::{Family, PairedSample};
use crate::metric::{Better, Metric};
use crate::results::RunSummary;
use crate::stats::{CONFIDENCE, Estimate, mean};

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

/// The order of contestants, as far as it is known: places in their list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Better than every other one.
    Best(usize),
    /// Several lead.
    Tied {
        /// The one with the best mean, and those that cannot be told from it, the better mean first.
        level: Vec<usize>,
        /// The first of these that is clearly better than others of them, and which: clear differences are
        /// not transitive.
        parted: Option<(usize, Vec<usize>)>,
    },
    /// There is too little to compare.
    Unknown,
}

/// The values of one contestant under each seed; none where it has no such value.
pub type Samples = Vec<(u64, Option<f64>)>;

/// The order by the values themselves. A difference counts that is beyond chance, or `exact` where nothing
/// is random, and beyond the practical bound.
pub fn standing_of(
    contestants: &[Samples],
    better: Better,
    practical: Practical,
    exact: bool,
) -> Ranking {
    let sign = match better {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
    };
    let average = |samples: &Samples| {
        let values: Vec<f64> = samples.iter().filter_map(|(_, value)| *value).collect();
        mean(&values)
    };
    // Two of a random network tell nothing apart, as in the judgement.
    let least = if exact { 1 } else { 3 };
    let comparable = |samples: &Samples| samples.len() >= least && average(samples).is_some();
    if contestants.len() < 2 || !contestants.iter().all(comparable) {
        return Ranking::Unknown;
    }
    let means: Vec<f64> = contestants.iter().map(|one| average(one).unwrap_or(0.0)).collect();
    let clear = clear_differences(contestants, &means, practical, exact);
    let is_better = |a: usize, b: usize| {
        clear.contains(&(a.min(b), a.max(b))) && (means[a] - means[b]) * sign > 0.0
    };
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    sort_places(&mut order, &mut |a, b| (means[b] * sign).total_cmp(&(means[a] * sign)));
    let leader = order[0];
    let level: Vec<usize> = order.into_iter().filter(|&i| !is_better(leader, i)).collect();
    if level.len() == 1 {
        return Ranking::Best(leader);
    }
    let behind = |&a: &usize| -> Option<(usize, Vec<usize>)> {
        let worse: Vec<usize> = level.iter().copied().filter(|&b| is_better(a, b)).collect();
        (!worse.is_empty()).then_some((a, worse))
    };
    let parted = level.iter().find_map(behind);
    Ranking::Tied { level, parted }
}

/// The pairs that differ clearly, the lower place first.
fn clear_differences(
    contestants: &[Samples],
    means: &[f64],
    practical: Practical,
    exact: bool,
) -> Vec<(usize, usize)> {
    let n = contestants.len();
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let sample = |&(a, b): &(usize, usize)| {
        let difference = |(seed, value): &(u64, Option<f64>)| {
            let (_, other) = contestants[b].iter().find(|(other, _)| other == seed)?;
            Some((*value)? - (*other)?)
        };
        let differences = contestants[a].iter().filter_map(difference).collect();
        PairedSample { differences, exact, discrete: false }
    };
    let samples: Vec<PairedSample> = pairs.iter().map(sample).collect();
    let family = Family::of(samples.iter());
    let matters = |place: usize| {
        let (a, b) = pairs[place];
        let bound = practical.0 * means[a].abs().max(means[b].abs());
        mean(&samples[place].differences).is_some_and(|mean| mean.abs() > bound)
    };
    let clear = (0..pairs.len()).filter(|&place| family.holds(place) && matters(place));
    clear.map(|place| pairs[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing_of(values: &[(&str, &[f64])]) -> Ranking {
        let samples = |xs: &[f64]| (1..).zip(xs).map(|(seed, x)| (seed, Some(*x))).collect();
        let all: Vec<Samples> = values.iter().map(|(_, xs)| samples(xs)).collect();
        super::standing_of(&all, Better::Higher, Practical(0.0), false)
    }

    fn tied(level: &[usize]) -> Ranking {
        Ranking::Tied { level: level.to_vec(), parted: None }
    }

    #[test]
    fn a_steady_lead_counts_even_where_the_seeds_differ_more_than_the_controllers() {
        let (a, b) = ([10.0, 20.0, 30.0, 40.0], [9.0, 19.2, 28.9, 38.8]);
        assert_eq!(standing_of(&[("a", &a), ("b", &b)]), Ranking::Best(0));
    }

    #[test]
    fn a_lead_that_is_the_same_in_few_rounds_is_no_certainty() {
        assert_eq!(standing_of(&[("a", &[1.0; 3]), ("b", &[0.5; 3])]), tied(&[0, 1]));
        assert_eq!(standing_of(&[("a", &[1.0; 6]), ("b", &[0.5; 6])]), Ranking::Best(0));
    }

    #[test]
    fn a_lead_by_chance_is_a_tie() {
        let (a, b) = ([10.0, 12.0, 8.0, 11.0], [11.0, 9.0, 10.0, 10.5]);
        assert_eq!(standing_of(&[("b", &b), ("a", &a)]), tied(&[1, 0]));
    }

    #[test]
    fn those_far_behind_are_not_part_of_a_tie() {
        let (a, b, c) = ([10.0, 12.0, 8.0], [11.0, 9.0, 9.5], [1.0, 1.1, 0.9]);
        assert_eq!(standing_of(&[("a", &a), ("c", &c), ("b", &b)]), tied(&[0, 2]));
    }

    #[test]
    fn those_level_with_a_noisy_leader_may_differ_from_one_another() {
        let noisy = [10.0, 30.0, 2.0, 3.0, 9.0];
        let (a, b) = ([5.1, 5.0, 5.2, 5.1, 5.0], [9.1, 9.0, 9.3, 9.1, 9.0]);
        let found = standing_of(&[("a", &a), ("b", &b), ("noisy", &noisy)]);
        assert_eq!(found, Ranking::Tied { level: vec![2, 1, 0], parted: Some((1, vec![0])) });
    }

    #[test]
    fn where_nothing_is_random_one_seed_is_the_truth() {
        let one = |x: f64| vec![(1, Some(x))];
        let all = [one(10.0), one(9.95), one(12.0)];
        let of = |n: usize| super::standing_of(&all[..n], Better::Higher, Practical(0.01), true);
        assert_eq!((of(2), of(3)), (tied(&[0, 1]), Ranking::Best(2)));
    }

    #[test]
    fn one_seed_or_one_controller_says_nothing() {
        assert_eq!(standing_of(&[("a", &[1.0]), ("b", &[2.0])]), Ranking::Unknown);
        assert_eq!(standing_of(&[("a", &[1.0, 2.0])]), Ranking::Unknown);
    }
}
