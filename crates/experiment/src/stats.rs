//! What a handful of runs allows one to say: means and confidence intervals.

/// A mean, and half the width of its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The mean plus or minus this is the interval; none for a single value.
    pub half_width: Option<f64>,
}

impl Estimate {
    /// The mean of these values with its interval of this confidence, by Student's t.
    ///
    /// ```
    /// use westwood_experiment::stats::Estimate;
    /// let e = Estimate::of(&[1.0, 2.0, 3.0], 0.95).unwrap();
    /// assert_eq!(e.mean, 2.0);
    /// assert!((e.half_width.unwrap() - 4.3027 / 3_f64.sqrt()).abs() < 1e-4);
    /// ```
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        let mean = mean(values)?;
        let n = count(values);
        if values.len() < 2 {
            return Some(Self { mean, half_width: None });
        }
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        let half_width = t_quantile(confidence, values.len() - 1) * deviation / n.sqrt();
        Some(Self { mean, half_width: Some(half_width) })
    }
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

#[expect(clippy::cast_precision_loss, reason = "there are at most a few thousand values")]
fn count(values: &[f64]) -> f64 {
    values.len() as f64
}

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

/// The probability that a Student variable lies within plus or minus `t`.
fn t_within(t: f64, freedom: usize) -> f64 {
    // Beyond this the series gains nothing: the distribution is the normal one within 1e-4.
    let freedom = freedom.clamp(1, 2_000);
    let nu = f64::from(u32::try_from(freedom).unwrap_or(u32::MAX));
    let theta = (t / nu.sqrt()).atan();
    let (sin, cos) = (theta.sin(), theta.cos());
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
    fn a_single_value_has_no_interval_and_nothing_has_no_mean() {
        assert_eq!(Estimate::of(&[3.0], 0.95), Some(Estimate { mean: 3.0, half_width: None }));
        assert_eq!(Estimate::of(&[], 0.95), None);
    }

    #[test]
    fn jains_index_runs_from_one_nth_to_one() {
        assert!((jain(&[2.0, 2.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!((jain(&[1.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-12);
        assert!((jain(&[0.0, 0.0]) - 1.0).abs() < 1e-12);
    }
}
