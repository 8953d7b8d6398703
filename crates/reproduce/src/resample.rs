//! The bootstrap over seeds: how far a number, or a verdict, might be elsewhere with other seeds.
//!
//! B. Efron, R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13 (percentile intervals);
//! T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69(4),
//! 2015, section 5.3 (expanded percentiles, which make up for few seeds).
//!
//! Seeds are drawn with replacement, and everything is computed again from the runs of the seeds drawn:
//! means, ratios, extremes, crossings and conditions alike. Points that were run with the same number
//! of seeds take the same draw, so runs of one seed stay paired. The draws come from a fixed generator:
//! the same runs give the same interval.

use westwood_experiment::stats::expanded_tail;

/// The draws of an estimate.
pub(crate) const DRAWS: usize = 2_000;
/// The share of draws outside of a 95 % interval, on each side.
pub(crate) const TAIL: f64 = 0.025;

/// One draw of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..DRAWS as u64).map(Self)
    }

    /// Which of `n` seeds are drawn, one after the other.
    pub(crate) fn of(self, n: usize) -> impl Iterator<Item = usize> {
        // Draws for different numbers of seeds have streams of their own.
        let stream = (self.0 << 20) ^ (n as u64);
        (0..n as u64)
            .map(move |k| below(splitmix(stream.wrapping_mul(0x1_0001).wrapping_add(k)), n))
    }
}

/// A number from 0 to `n` - 1, the high bits scaled.
fn below(bits: u64, n: usize) -> usize {
    usize::try_from((u128::from(bits) * n as u128) >> 64).unwrap_or(0)
}

/// SplitMix64's output for the state after `state` steps (Steele, Lea, Flood, OOPSLA 2014).
fn splitmix(state: u64) -> u64 {
    let z = state.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The 95 % interval of a number, from its values in all draws of so many seeds. An end is infinite if
/// as many draws as lie beyond it have no value.
pub(crate) fn interval(mut drawn: Vec<f64>, seeds: usize) -> Option<(f64, f64)> {
    if drawn.is_empty() {
        return None;
    }
    let beyond = allowed(expanded_tail(TAIL, seeds), drawn.len());
    let missing = drawn.iter().filter(|x| x.is_nan()).count();
    drawn.retain(|x| !x.is_nan());
    if missing > beyond || drawn.is_empty() {
        return Some((f64::NEG_INFINITY, f64::INFINITY));
    }
    drawn.sort_by(f64::total_cmp);
    Some((drawn[beyond], drawn[drawn.len() - 1 - beyond]))
}

/// True if so few of all draws come to another verdict that, with an error of `tail` to one side, other
/// seeds would not.
pub(crate) fn is_settled(others: usize, all: usize, seeds: usize, tail: f64) -> bool {
    others <= allowed(expanded_tail(tail, seeds), all)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a few thousand"
)]
fn allowed(tail: f64, all: usize) -> usize {
    (tail * all as f64).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(values: &[f64]) -> Vec<f64> {
        let n = values.len();
        #[expect(clippy::cast_precision_loss, reason = "a few values")]
        let mean = |draw: Draw| draw.of(n).map(|k| values[k]).sum::<f64>() / n as f64;
        Draw::all().map(mean).collect()
    }

    #[test]
    fn the_generator_is_splitmix64() {
        // The first outputs of the published implementation from the seed 0.
        let published = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([0, 1, 2].map(splitmix), published);
    }

    #[test]
    fn each_of_two_thousand_draws_is_another_one() {
        let mut draws: Vec<Vec<usize>> = Draw::all().map(|draw| draw.of(40).collect()).collect();
        draws.sort();
        draws.dedup();
        assert_eq!((draws.len(), draws[0].len()), (DRAWS, 40));
    }

    #[test]
    fn every_seed_is_drawn_equally_often() {
        let mut counts = [0_u32; 7];
        for draw in Draw::all() {
            draw.of(7).for_each(|k| counts[k] += 1);
        }
        assert!(counts.iter().all(|n| (1_850..2_150).contains(n)), "{counts:?}");
    }

    #[test]
    fn the_interval_of_a_mean_is_nearly_students() {
        // Twenty values of mean 9.5 and standard deviation 5.916: 9.5 +- 2.093 * 1.323.
        let values: Vec<f64> = (0..20).map(f64::from).collect();
        let (low, high) = interval(means(&values), 20).unwrap();
        assert!((low - 6.73).abs() < 0.25 && (high - 12.27).abs() < 0.25, "{low} {high}");
    }

    #[test]
    fn what_no_seed_changes_has_no_width() {
        assert_eq!(interval(means(&[5.0; 10]), 10), Some((5.0, 5.0)));
    }

    #[test]
    fn few_seeds_settle_only_what_every_draw_agrees_on() {
        assert!(is_settled(0, DRAWS, 3, TAIL));
        assert!(!is_settled(1, DRAWS, 3, TAIL));
        assert!(is_settled(30, DRAWS, 40, TAIL) && !is_settled(60, DRAWS, 40, TAIL));
    }

    #[test]
    fn an_interval_leaves_out_as_many_draws_on_either_side_and_those_without_a_value() {
        let of = |values: u32, missing: usize| {
            let mut drawn: Vec<f64> = (0..values).map(f64::from).collect();
            drawn.extend(vec![f64::NAN; missing]);
            interval(drawn, 1_000).unwrap()
        };
        // A fortieth of 2000 draws, a little less for a thousand seeds.
        for (values, missing, middle) in [(2_000, 0, 999.5), (1_991, 9, 995.0)] {
            let (low, high) = of(values, missing);
            assert!((48.0..=50.0).contains(&low), "{low}");
            assert!((f64::midpoint(low, high) - middle).abs() < 1e-9, "{low} {high}");
        }
        assert_eq!(interval(vec![3.0], 1_000), Some((3.0, 3.0)));
        assert_eq!(interval(Vec::new(), 1_000), None);
    }

    #[test]
    fn a_number_that_many_draws_do_not_have_has_no_bounds() {
        let mut drawn = means(&[1.0, 2.0, 3.0, 4.0]);
        drawn[..500].fill(f64::NAN);
        assert_eq!(interval(drawn, 4), Some((f64::NEG_INFINITY, f64::INFINITY)));
    }
}
