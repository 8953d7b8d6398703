//! Differences seed by seed, and whether they are beyond chance: many of them, judged together.

use std::collections::BTreeMap;

use crate::stats::{CONFIDENCE, Estimate, are_alike, holm, least_p, mean, p_value, t_quantile};

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

/// Comparisons that are made together, and share one probability of an error.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    /// The comparisons that are beyond chance, in their order.
    beyond: Vec<bool>,
    comparisons: usize,
    /// Quantiles of Student's t that were asked for, by degrees of freedom.
    quantiles: BTreeMap<usize, f64>,
}

impl Family {
    /// The family of these comparisons, without those that have nothing to decide.
    pub(crate) fn of<'s>(samples: impl Iterator<Item = &'s PairedSample>) -> Self {
        let samples: Vec<&PairedSample> = samples.collect();
        let open: Vec<usize> = (0..samples.len()).filter(|&i| samples[i].is_open()).collect();
        let p_values: Vec<f64> = open.iter().map(|&i| samples[i].p_value()).collect();
        let mut beyond: Vec<bool> =
            samples.iter().map(|sample| sample.exact && sample.p_value() == 0.0).collect();
        for (&i, holds) in open.iter().zip(holm(&p_values, 1.0 - CONFIDENCE)) {
            beyond[i] = holds;
        }
        Self { beyond, comparisons: open.len(), quantiles: BTreeMap::new() }
    }

    /// Their number.
    pub(crate) fn comparisons(&self) -> usize {
        self.comparisons
    }

    /// Whether the one of this place is beyond chance.
    pub(crate) fn holds(&self, place: usize) -> bool {
        self.beyond.get(place).copied().unwrap_or(false)
    }

    /// The mean difference, and an interval that holds for all of the family together (Bonferroni's);
    /// none where chance has not been seen at work.
    pub(crate) fn estimate(&mut self, sample: &PairedSample) -> Option<Estimate> {
        let mean = mean(&sample.differences)?;
        if sample.exact || sample.is_comparable() && sample.differences.iter().all(|d| *d == 0.0) {
            return Some(Estimate { mean, half_width: Some(0.0) });
        }
        if sample.differences.len() < 2 || are_alike(&sample.differences) {
            return Some(Estimate { mean, half_width: None });
        }
        #[expect(clippy::cast_precision_loss, reason = "at most a few million comparisons")]
        let confidence = 1.0 - (1.0 - CONFIDENCE) / self.comparisons.max(1) as f64;
        let freedom = sample.differences.len() - 1;
        let known = self.quantiles.entry(freedom);
        let t = *known.or_insert_with(|| t_quantile(confidence, freedom));
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
        let alone = Family::of([&one].into_iter()).estimate(&one).unwrap();
        assert!((alone.half_width.unwrap() - 3.1824 * 0.129_099 / 2.0).abs() < 1e-4);
        let among = Family::of(many.iter()).estimate(&one).unwrap();
        assert!(among.half_width > alone.half_width);
    }

    #[test]
    fn what_is_the_same_under_every_seed_is_no_comparison() {
        let family = Family::of([&sample(&[0.0; 4]), &sample(&[1.0, 2.0])].into_iter());
        assert_eq!(family.comparisons(), 1);
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
