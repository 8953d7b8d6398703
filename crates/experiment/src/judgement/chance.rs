//! Differences seed by seed, and whether they are beyond chance: many of them, judged together.

use westwood_scenario::sorting::SortedMap;

use crate::stats::{
    CONFIDENCE, Estimate, are_alike, least_p, mean, p_value, t_quantile, weighted_holm,
};

/// The differences of a pair, a value for each seed that both have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairedSample {
    pub(crate) differences: Vec<f64>,
    /// Nothing is random: every seed gives the same.
    pub(crate) exact: bool,
    /// Counts of rare events.
    pub(crate) discrete: bool,
}

impl PairedSample {
    /// Whether chance has been seen at work: there are two seeds, or there is no chance.
    pub(crate) fn is_comparable(&self) -> bool {
        self.differences.len() > 1 || self.exact && !self.differences.is_empty()
    }

    /// Whether there is anything to tell: two that are the same under every seed are level, however
    /// chance may be.
    fn is_open(&self) -> bool {
        self.is_comparable() && !self.exact && self.differences.iter().any(|d| *d != 0.0)
    }

    /// Whether there are too few seeds for these differences to be judged: none beside which to see chance,
    /// two, whose interval spans 13 standard errors at least, or so few alike that coins would fall so.
    pub(crate) fn is_too_small(&self) -> bool {
        let coins = least_p(self.differences.len());
        let by_coins = self.discrete || are_alike(&self.differences);
        !self.exact && (self.differences.len() < 3 || by_coins && coins > 1.0 - CONFIDENCE)
    }

    /// Whether every seed gives a difference to the same side.
    pub(crate) fn is_one_sided(&self) -> bool {
        let side = |sign: f64| self.differences.iter().all(|d| d * sign > 0.0);
        !self.differences.is_empty() && (side(1.0) || side(-1.0))
    }

    /// Whether the difference would be beyond chance if it were the only one looked at.
    pub(crate) fn is_significant_uncorrected(&self) -> bool {
        self.is_comparable() && self.p_value() <= 1.0 - CONFIDENCE
    }

    fn p_value(&self) -> f64 {
        match mean(&self.differences) {
            Some(mean) if self.exact => f64::from(mean == 0.0),
            // Student's t of two values rests on how near they are to each other, and shares of packets
            // are lumpy: without this rule three copies of one controller differ in one comparison of eight.
            _ if self.is_too_small() => 1.0,
            _ => p_value(&self.differences, self.discrete).unwrap_or(1.0),
        }
    }
}

/// Which of these changes are beyond chance, all of them judged together: a list of differences seed by seed
/// for each, and whether chance had no part in it.
pub fn beyond_chance<'d>(changes: impl Iterator<Item = (&'d [f64], bool)>) -> Vec<bool> {
    let sample = |(differences, exact): (&[f64], bool)| PairedSample {
        differences: differences.to_vec(),
        exact,
        discrete: false,
    };
    let samples: Vec<PairedSample> = changes.map(sample).collect();
    Family::of(samples.iter()).beyond
}

/// Comparisons that are made together, and share one probability of an error. Groups that differ in weight
/// have equal parts of it, and the comparisons of a group equal parts of its own.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    /// The comparisons that are beyond chance, in their order.
    beyond: Vec<bool>,
    /// The number of comparisons with something to decide, by group.
    open: SortedMap<usize, usize>,
    /// Quantiles of Student's t that were asked for, by group and degrees of freedom.
    quantiles: SortedMap<(usize, usize), f64>,
}

impl Family {
    /// The family of these comparisons, all in one group.
    pub(crate) fn of<'s>(samples: impl Iterator<Item = &'s PairedSample>) -> Self {
        Self::of_groups(samples.map(|sample| (0, sample)))
    }

    /// The family of these comparisons, each with its group, without those that have nothing to decide.
    pub(crate) fn of_groups<'s>(samples: impl Iterator<Item = (usize, &'s PairedSample)>) -> Self {
        let samples: Vec<(usize, &PairedSample)> = samples.collect();
        let undecided: Vec<usize> =
            (0..samples.len()).filter(|&i| samples[i].1.is_open()).collect();
        let mut open = SortedMap::default();
        for &i in &undecided {
            *open.or_insert_with(samples[i].0, || 0) += 1;
        }
        let beyond = samples.iter().map(|(_, sample)| sample.exact && sample.p_value() == 0.0);
        let mut family = Self { beyond: beyond.collect(), open, quantiles: SortedMap::default() };
        let statement = |&i: &usize| (samples[i].1.p_value(), family.share(samples[i].0));
        let statements: Vec<(f64, f64)> = undecided.iter().map(statement).collect();
        for (i, holds) in undecided.into_iter().zip(weighted_holm(&statements, 1.0 - CONFIDENCE)) {
            family.beyond[i] = holds;
        }
        family
    }

    /// The number of comparisons of a group.
    pub(crate) fn comparisons_in(&self, group: usize) -> usize {
        self.open.get(&group).copied().unwrap_or(0)
    }

    /// The number of all comparisons.
    pub(crate) fn comparisons(&self) -> usize {
        self.open.values().sum()
    }

    /// The part of the probability of an error that each comparison of a group has.
    #[expect(clippy::cast_precision_loss, reason = "at most a few million comparisons")]
    fn share(&self, group: usize) -> f64 {
        let groups = self.open.len().max(1);
        1.0 / (groups * self.comparisons_in(group).max(1)) as f64
    }

    /// Whether the one of this place is beyond chance.
    pub(crate) fn holds(&self, place: usize) -> bool {
        self.beyond.get(place).copied().unwrap_or(false)
    }

    /// The mean difference of a comparison of this group, and an interval that holds for all of the family
    /// together (Bonferroni's); none where chance has not been seen at work.
    pub(crate) fn estimate(&mut self, group: usize, sample: &PairedSample) -> Option<Estimate> {
        let mean = mean(&sample.differences)?;
        if sample.exact {
            return Some(Estimate { mean, half_width: Some(0.0) });
        }
        if sample.differences.len() < 2 || are_alike(&sample.differences) {
            return Some(Estimate { mean, half_width: None });
        }
        let confidence = 1.0 - (1.0 - CONFIDENCE) * self.share(group);
        let freedom = sample.differences.len() - 1;
        let t = || t_quantile(confidence, freedom);
        let t = *self.quantiles.or_insert_with((group, freedom), t);
        let half = Estimate::deviation(&sample.differences).map(|error| t * error);
        Some(Estimate { mean, half_width: half })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(differences: &[f64]) -> PairedSample {
        PairedSample { differences: differences.to_vec(), exact: false, discrete: false }
    }

    fn holds(samples: &[PairedSample]) -> Vec<bool> {
        let family = Family::of(samples.iter());
        (0..samples.len()).map(|i| family.holds(i)).collect()
    }

    #[test]
    fn more_comparisons_ask_for_more() {
        let one = sample(&[1.0, 1.2, 0.9, 1.1]);
        let noise = sample(&[1.0, -1.0, 0.5, -0.5]);
        assert_eq!(holds(std::slice::from_ref(&one)), [true]);
        let mut many = vec![noise; 1_000];
        many.push(one.clone());
        assert!(!holds(&many)[1_000]);
        // Student's t of 3 degrees, 95 %: 3.182; the deviation is 0.12910 / 2.
        let alone = Family::of([&one].into_iter()).estimate(0, &one).unwrap();
        assert!((alone.half_width.unwrap() - 3.1824 * 0.129_099 / 2.0).abs() < 1e-4);
        let among = Family::of(many.iter()).estimate(0, &one).unwrap();
        assert!(among.half_width > alone.half_width);
    }

    #[test]
    fn changes_are_beyond_chance_by_their_spread_or_where_chance_has_no_part() {
        let (clear, noise) = ([1.0, 1.2, 0.9, 1.1], [1.0, -1.0, 0.5, -0.5]);
        let changes =
            [(&clear[..], false), (&noise, false), (&[5.0], false), (&[5.0], true), (&[0.0], true)];
        assert_eq!(beyond_chance(changes.into_iter()), [true, false, false, true, false]);
    }

    #[test]
    fn differences_are_one_sided_where_each_has_the_same_sign() {
        assert!(sample(&[1.0, 0.1]).is_one_sided() && sample(&[-1.0, -0.1]).is_one_sided());
        for mixed in [&[1.0, -0.1][..], &[1.0, 0.0], &[-1.0, 0.0], &[]] {
            assert!(!sample(mixed).is_one_sided(), "{mixed:?}");
        }
    }

    #[test]
    fn an_interval_is_shown_where_the_spread_of_the_seeds_tells_one() {
        let half = |sample: &PairedSample| {
            let mut family = Family::of([sample].into_iter());
            family.estimate(0, sample).map(|estimate| estimate.half_width)
        };
        let exact = |differences: &[f64]| PairedSample { exact: true, ..sample(differences) };
        // Without chance there is no doubt.
        assert_eq!(half(&exact(&[5.0])), Some(Some(0.0)));
        // One seed has no spread, and differences that are alike show none, be they zero or not.
        for alike in [&[5.0][..], &[5.0; 3], &[0.0; 3]] {
            assert_eq!(half(&sample(alike)), Some(None), "{alike:?}");
        }
        assert_eq!(half(&sample(&[])), None);
        // Student's t of one degree, 12.706, and a standard error of one half.
        let two = half(&sample(&[1.0, 2.0])).flatten().unwrap();
        assert!((two - 6.353).abs() < 1e-3, "{two}");
    }

    #[test]
    fn alone_a_difference_counts_from_one_chance_in_twenty_on() {
        // Student's t of two degrees is 4.303: means of t standard errors.
        let by =
            |t: f64| sample(&[t / 3_f64.sqrt() - 1.0, t / 3_f64.sqrt(), t / 3_f64.sqrt() + 1.0]);
        assert!(by(4.31).is_significant_uncorrected() && !by(4.29).is_significant_uncorrected());
        assert!(!sample(&[5.0]).is_significant_uncorrected());
        assert!(PairedSample { exact: true, ..sample(&[5.0]) }.is_significant_uncorrected());
    }

    #[test]
    fn two_seeds_tell_nothing_apart_however_near_their_differences_are() {
        assert_eq!(holds(&[sample(&[1.0, 1.000_001])]), [false]);
        assert!(!sample(&[1.0, 1.000_001]).is_significant_uncorrected());
        assert_eq!(holds(&[sample(&[1.0, 1.000_001, 1.000_002])]), [true]);
    }

    #[test]
    fn what_is_the_same_under_every_seed_is_no_comparison() {
        let family = Family::of([&sample(&[0.0; 4]), &sample(&[1.0, 2.0])].into_iter());
        assert_eq!(
            (family.comparisons(), family.comparisons_in(0), family.comparisons_in(1)),
            (1, 1, 0)
        );
        assert!(!family.holds(0) && !family.holds(2), "there is no third");
    }

    #[test]
    fn groups_share_the_probability_of_an_error_evenly_however_many_comparisons_each_has() {
        // p is 0.0012: beyond chance as one of two groups, and not as one of 101 comparisons.
        let one = sample(&[1.0, 1.2, 0.9, 1.3]);
        assert!((one.p_value() - 0.001_23).abs() < 1e-5);
        let noise = sample(&[1.0, -1.0, 0.5, -0.5]);
        let others = || std::iter::repeat_n((1, &noise), 100);
        let mut apart = Family::of_groups([(0, &one)].into_iter().chain(others()));
        assert!(apart.holds(0));
        assert_eq!((apart.comparisons_in(0), apart.comparisons()), (1, 101));
        assert!(!Family::of_groups([(1, &one)].into_iter().chain(others())).holds(0));
        // Student's t of 3 degrees, 97.5 %: 4.177.
        let interval = apart.estimate(0, &one).and_then(|estimate| estimate.half_width);
        let error = Estimate::deviation(&one.differences).unwrap();
        assert!((interval.unwrap() / error - 4.177).abs() < 1e-3);
    }

    #[test]
    fn one_pair_says_nothing_unless_nothing_is_random() {
        let exact = |d: f64| PairedSample { exact: true, ..sample(&[d]) };
        assert_eq!(holds(&[sample(&[5.0]), exact(5.0), exact(0.0)]), [false, true, false]);
        assert!(sample(&[5.0]).is_too_small() && !exact(5.0).is_too_small());
        assert!(sample(&[5.0, 6.0]).is_too_small() && !sample(&[5.0, 6.0, 4.0]).is_too_small());
    }

    #[test]
    fn equal_counts_under_every_seed_need_six_seeds() {
        for (n, expected) in [(2, false), (5, false), (6, true)] {
            let counts = PairedSample { discrete: true, ..sample(&vec![1.0; n]) };
            assert_eq!(holds(std::slice::from_ref(&counts)), [expected], "{n}");
            assert_eq!(counts.is_too_small(), !expected, "{n}");
        }
    }
}
