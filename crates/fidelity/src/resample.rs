//! The bootstrap of a ratio of medians: how far it might be elsewhere with other runs.
//!
//! B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13: percentile intervals. The
//! runs of each side are drawn with replacement by a fixed generator: the same runs give the same interval.

use westwood_net::Random;

/// Draws of an interval.
const DRAWS: usize = 4_000;
/// Draws beyond each end of a 95 % interval.
const BEYOND: usize = DRAWS / 40;

/// The 95 % interval of the median of `a` over that of `b`. Neither may be empty.
pub fn ratio_of_medians(a: &[f64], b: &[f64]) -> (f64, f64) {
    let mut random = Random::new(0, "resample");
    let (mut drawn_a, mut drawn_b) = (a.to_vec(), b.to_vec());
    let mut ratios = vec![0.0; DRAWS];
    for ratio in &mut ratios {
        draw(&mut random, a, &mut drawn_a);
        draw(&mut random, b, &mut drawn_b);
        *ratio = median_of(&mut drawn_a) / median_of(&mut drawn_b);
    }
    ratios.sort_by(f64::total_cmp);
    (ratios[BEYOND], ratios[DRAWS - 1 - BEYOND])
}

/// The median of values that may be reordered: quicker than sorting a copy for each draw.
fn median_of(x: &mut [f64]) -> f64 {
    let odd = x.len() % 2 == 1;
    let (below, &mut upper, _) = x.select_nth_unstable_by(x.len() / 2, f64::total_cmp);
    if odd {
        return upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, upper)
}

/// Fills `drawn` with values of `from`.
fn draw(random: &mut Random, from: &[f64], drawn: &mut [f64]) {
    for value in drawn {
        let index = usize::try_from(random.below(from.len() as u64)).unwrap_or(0);
        *value = from[index];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::median;

    #[test]
    fn values_that_may_be_reordered_have_the_median_of_the_sorted() {
        for x in [&[3.0][..], &[9.0, 1.0], &[5.0, 1.0, 4.0], &[7.0, 2.0, 8.0, 1.0]] {
            assert!((median_of(&mut x.to_vec()) - median(x)).abs() < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn runs_that_are_all_alike_have_no_doubt() {
        assert_eq!(ratio_of_medians(&[3.0; 20], &[2.0; 20]), (1.5, 1.5));
    }

    #[test]
    fn the_interval_of_a_median_is_nearly_that_of_its_order_statistics() {
        // Of twenty values the sixth and the fifteenth bound the median in 96 of 100 samples.
        let values: Vec<f64> = (91..=110).map(f64::from).collect();
        let (low, high) = ratio_of_medians(&values, &[100.0; 20]);
        assert!((low - 0.96).abs() < 0.012 && (high - 1.05).abs() < 0.012, "{low} {high}");
        let (low, high) = ratio_of_medians(&[100.0; 20], &values);
        assert!((low - 1.0 / 1.05).abs() < 0.012, "{low}");
        assert!((high - 1.0 / 0.96).abs() < 0.012, "{high}");
    }
}
