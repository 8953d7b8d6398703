//! Means, confidence intervals and quantiles of a handful of runs.

use westwood_scenario::sorting::sort_places;

/// Confidence of every statement.
pub const CONFIDENCE: f64 = 0.95;

/// A mean, and half the width of its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The mean plus or minus this is the interval; none for a single value, and where all values are
    /// alike: their spread says nothing of what further runs may meet.
    pub half_width: Option<f64>,
}

impl Estimate {
    /// The mean of these values with its interval of this confidence, by Student's t.
    ///
    /// Values that are all alike have no interval: a rare event that none of them met would make Student's
    /// zero a false certainty. [`unseen_share`] bounds how many further runs may differ.
    ///
    /// ```
    /// use westwood_experiment::stats::Estimate;
    /// let e = Estimate::of(&[1.0, 2.0, 3.0], 0.95).unwrap();
    /// assert_eq!(e.mean, 2.0);
    /// assert!((e.half_width.unwrap() - 4.3027 / 3_f64.sqrt()).abs() < 1e-4);
    /// ```
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        let mean = mean(values)?;
        let error = Self::deviation(values).filter(|_| !are_alike(values));
        let half_width = error.map(|error| t_quantile(confidence, values.len() - 1) * error);
        Some(Self { mean, half_width })
    }

    /// The standard deviation of the mean of these values; none of fewer than two.
    pub fn deviation(values: &[f64]) -> Option<f64> {
        let mean = mean(values).filter(|_| values.len() > 1)?;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        Some((squares / (count(values) - 1.0)).sqrt() / count(values).sqrt())
    }
}

/// A spread below this share of the mean is that of binary fractions, not of the values.
const ROUNDING: f64 = 1e-9;

/// Whether these values are the same but for rounding.
pub fn are_alike(values: &[f64]) -> bool {
    let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    values.windows(2).all(|pair| (pair[0] - pair[1]).abs() <= ROUNDING * largest)
}

/// The largest share of all runs that may differ from `n` runs that are alike. The first of them gives the
/// value. Were the share larger, the `n - 1` others would have it with a probability below one less
/// `confidence`: `(1 - share)^(n - 1)`. 1 for less than two runs.
///
/// The binomial limit to one side of C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial
/// Limits Illustrated in the Case of the Binomial", Biometrika 26(4), 1934, of one run less: with `n` in the
/// place of `n - 1` it would be that of a value that was named before the runs.
///
/// ```
/// use westwood_experiment::stats::unseen_share;
/// assert!((unseen_share(0.95, 8) - 0.348).abs() < 1e-3);
/// assert!((unseen_share(0.95, 300) - 0.01).abs() < 1e-4);
/// ```
pub fn unseen_share(confidence: f64, n: usize) -> f64 {
    if n < 2 { 1.0 } else { 1.0 - libm::pow(1.0 - confidence, 1.0 / count_of(n - 1)) }
}

/// The probability of differences as large as these, to either side, if only chance makes them;
/// none of fewer than two, which cannot be told from chance.
///
/// Student's t takes the differences as normal. Where all are alike their spread says nothing, and
/// `discrete` ones, counts of rare events, are not normal. Such differences are no less probable
/// than n coins that fall on one side, `2^(1 - n)`: the least that the sign test gives for n pairs.
///
/// ```
/// use westwood_experiment::stats::p_value;
/// assert_eq!(p_value(&[1.0, 1.0], false), Some(0.5));
/// assert!(p_value(&[1.0, 1.1, 0.9, 1.05], false).unwrap() < 0.001);
/// assert_eq!(p_value(&[1.0, 2.0, 1.0, 2.0], true), Some(0.125));
/// assert_eq!(p_value(&[1.0], false), None);
/// ```
pub fn p_value(differences: &[f64], discrete: bool) -> Option<f64> {
    let n = differences.len();
    let mean = mean(differences)?;
    if n < 2 {
        return None;
    }
    if are_alike(differences) && mean == 0.0 {
        return Some(1.0);
    }
    let coins = least_p(n);
    if are_alike(differences) {
        return Some(coins);
    }
    let error = Estimate::deviation(differences)?;
    let p = (1.0 - t_within((mean / error).abs(), n - 1)).clamp(0.0, 1.0);
    Some(if discrete { p.max(coins) } else { p })
}

/// The least probability that the sign test gives for n pairs: all coins fall on one side.
pub fn least_p(n: usize) -> f64 {
    0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX) - 1).min(1.0)
}

/// Which of these statements hold, so that the probability of even one error among all of them is at
/// most `error`: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
/// Journal of Statistics 6, 1979. The least probable of m has to be at most `error / m`, the next at most
/// `error / (m - 1)`, until one is not.
///
/// ```
/// use westwood_experiment::stats::holm;
/// assert_eq!(holm(&[0.02, 0.01, 0.3], 0.05), [true, true, false]);
/// assert_eq!(holm(&[0.02, 0.02, 0.02], 0.05), [false; 3]);
/// ```
pub fn holm(p_values: &[f64], error: f64) -> Vec<bool> {
    weighted_holm(&p_values.iter().map(|&p| (p, 1.0)).collect::<Vec<_>>(), error)
}

/// [`holm`] for statements that matter unequally (section 4 of the paper): each is a probability and a
/// positive weight. The one with the least quotient of the two has to be at most its weight's share of
/// `error` among all weights, the next at most its share among the weights that are left, until one is not.
///
/// ```
/// use westwood_experiment::stats::weighted_holm;
/// // One statement has half of the weight, and three others share the rest.
/// let third = 1.0 / 3.0;
/// let statements = [(0.02, 1.0), (0.02, third), (0.3, third), (0.3, third)];
/// assert_eq!(weighted_holm(&statements, 0.05), [true, false, false, false]);
/// ```
pub fn weighted_holm(statements: &[(f64, f64)], error: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..statements.len()).collect();
    let quotient = |i: usize| statements[i].0 / statements[i].1;
    sort_places(&mut order, &mut |a, b| quotient(a).total_cmp(&quotient(b)));
    // The weights that are left, from the last one on.
    let mut left: Vec<f64> = order
        .iter()
        .rev()
        .scan(0.0, |sum, &i| {
            *sum += statements[i].1;
            Some(*sum)
        })
        .collect();
    let mut hold = vec![false; statements.len()];
    for i in order {
        let (p, weight) = statements[i];
        if left.pop().is_some_and(|left| p > error * weight / left) {
            break;
        }
        hold[i] = true;
    }
    hold
}

/// The mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count(values))
}

/// Jain's index, `(sum x)^2 / (n sum x^2)`: 1 if all have the same, 1/n if one has everything.
/// Nothing at all is shared evenly.
pub fn jain(values: &[f64]) -> f64 {
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    if squares > 0.0 { sum * sum / (count(values) * squares) } else { 1.0 }
}

fn count(values: &[f64]) -> f64 {
    count_of(values.len())
}

#[expect(clippy::cast_precision_loss, reason = "there are at most a few thousand values")]
fn count_of(n: usize) -> f64 {
    n as f64
}

/// Degrees of freedom beyond which the series gains nothing: the distribution is the normal one within
/// 1e-4.
const NEARLY_NORMAL: usize = 2_000;

/// The t that a Student variable of `freedom` degrees stays within, to both sides, with probability
/// `confidence`.
///
/// M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4, solved by
/// bisection.
pub fn t_quantile(confidence: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if t_within(middle, freedom) < confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The share that a bootstrap over `n` values must leave out on a side so that its interval errs there
/// as rarely as `tail`: the percentile that Student's t would take, for the spread of `n` values is too
/// small by `sqrt((n - 1) / n)`. Zero for fewer than two values.
///
/// T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69(4),
/// 2015, section 5.3.
pub fn expanded_tail(tail: f64, n: usize) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let wider = (count_of(n) / count_of(n - 1)).sqrt();
    let t = t_quantile(1.0 - 2.0 * tail, n - 1) * wider;
    (1.0 - t_within(t, NEARLY_NORMAL)) / 2.0
}

/// The probability that a Student variable lies within plus or minus `t`.
fn t_within(t: f64, freedom: usize) -> f64 {
    let freedom = freedom.clamp(1, NEARLY_NORMAL);
    let nu = f64::from(u32::try_from(freedom).unwrap_or(u32::MAX));
    // Not the system's functions: their last bits differ from machine to machine.
    let theta = libm::atan(t / nu.sqrt());
    let (sin, cos) = (libm::sin(theta), libm::cos(theta));
    let odd = freedom % 2 == 1;
    // The series of cosines: each term is the one before it times cos^2 (k - 1) / k.
    let (mut term, mut k) = if odd { (cos, 3.0) } else { (1.0, 2.0) };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    let last = nu - 2.0;
    while k <= last {
        term *= cos * cos * (k - 1.0) / k;
        sum += term;
        k += 2.0;
    }
    if odd { std::f64::consts::FRAC_2_PI * (theta + sin * sum) } else { sin * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bootstrap_of_few_values_leaves_out_less() {
        // Of ten values 2.262 sqrt(10/9) = 2.385, beyond which the normal distribution has 0.86 %.
        let tail = |n| expanded_tail(0.025, n);
        assert!((tail(10) - 0.0086).abs() < 2e-4, "{}", tail(10));
        assert!((tail(1_000) - 0.025).abs() < 3e-4, "{}", tail(1_000));
        assert!(tail(3) < 1e-6 && tail(1) == 0.0);
    }

    #[test]
    fn quantiles_agree_with_the_printed_tables() {
        let table = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (4, 2.776),
            (7, 2.365),
            (8, 2.306),
            (29, 2.045),
            (30, 2.042),
            (120, 1.980),
            (100_000, 1.961),
        ];
        for (freedom, t) in table {
            assert!((t_quantile(0.95, freedom) - t).abs() < 6e-4, "{freedom}");
        }
        assert!((t_quantile(0.99, 7) - 3.499).abs() < 6e-4);
        assert!((t_quantile(0.99, 10) - 3.169).abs() < 6e-4);
    }

    #[test]
    fn p_values_agree_with_the_printed_quantiles() {
        // Means of 2 with an error of 2 / t, so that Student's t is that of the tables.
        for (freedom, t, p) in [(2_u32, 4.303, 0.05), (4, 2.776, 0.05), (7, 3.499, 0.01)] {
            let n = f64::from(freedom + 1);
            let spread = 2.0 / t * (n * f64::from(freedom) / 2.0).sqrt();
            let mut values = vec![2.0; freedom as usize + 1];
            (values[0], values[1]) = (2.0 + spread, 2.0 - spread);
            // Three decimals of t leave so much of p open.
            assert!((p_value(&values, false).unwrap() - p).abs() < 5e-5, "{freedom}");
        }
    }

    #[test]
    fn differences_that_are_alike_are_no_more_certain_than_coins() {
        assert_eq!(p_value(&[1.0; 2], false), Some(0.5));
        assert_eq!(p_value(&[1.0; 6], true), Some(0.031_25));
        assert_eq!(p_value(&[0.0; 9], false), Some(1.0));
        // 0.3 - 0.2 and 0.2 - 0.1 differ in their last bits alone.
        assert_eq!(p_value(&[0.3 - 0.2, 0.2 - 0.1], false), Some(0.5));
    }

    #[test]
    fn the_median_of_students_distribution_is_that_of_the_printed_tables() {
        for (freedom, t) in [(1, 1.0), (2, 0.816), (10, 0.700), (100_000, 0.6745)] {
            assert!((t_quantile(0.5, freedom) - t).abs() < 6e-4, "{freedom}");
        }
    }

    #[test]
    fn alike_are_values_that_differ_by_rounding_of_their_own_size() {
        assert!(are_alike(&[1e-12, 1e-12]) && are_alike(&[-1e12, -1e12 - 1.0]));
        assert!(!are_alike(&[1e-12, 2e-12]) && !are_alike(&[-1e12, -1e12 - 1e4]));
    }

    #[test]
    fn coins_that_all_fall_on_one_side_halve_their_probability_with_each() {
        for (n, p) in [(0, 1.0), (1, 1.0), (2, 0.5), (3, 0.25), (6, 0.031_25)] {
            assert!((least_p(n) - p).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn statements_are_tried_in_the_order_of_their_probability_over_their_weight() {
        // The first has four fifths of the error, 0.04, and the second then all of it.
        assert_eq!(weighted_holm(&[(0.035, 4.0), (0.03, 1.0)], 0.05), [true, true]);
        assert_eq!(weighted_holm(&[(0.03, 1.0), (0.035, 4.0)], 0.05), [true, true]);
        // A probability of just its share of the error is not beyond it.
        assert_eq!(holm(&[0.25], 0.25), [true]);
    }

    #[test]
    fn a_single_value_has_no_interval_and_nothing_has_no_mean() {
        assert_eq!(Estimate::of(&[3.0], 0.95), Some(Estimate { mean: 3.0, half_width: None }));
        assert_eq!(Estimate::of(&[], 0.95), None);
    }

    #[test]
    fn values_that_are_alike_have_no_interval_but_a_share_that_may_differ() {
        let half = |values: &[f64]| Estimate::of(values, 0.95).and_then(|e| e.half_width);
        assert_eq!([half(&[0.0; 8]), half(&[0.3 - 0.2, 0.2 - 0.1])], [None; 2]);
        assert!(half(&[0.0, 0.0, 1.0]).is_some());
        // Of three values that are as frequent, three runs are alike in one of nine samples.
        assert!((unseen_share(1.0 - 1.0 / 9.0, 3) - 2.0 / 3.0).abs() < 1e-12);
        assert!([0, 1].iter().all(|&n| unseen_share(0.95, n) > 1.0 - 1e-12));
    }

    #[test]
    fn jains_index_runs_from_one_nth_to_one() {
        assert!((jain(&[2.0, 2.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!((jain(&[1.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-12);
        assert!((jain(&[0.0, 0.0]) - 1.0).abs() < 1e-12);
    }
}
