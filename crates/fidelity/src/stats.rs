//! Means, medians and what chance allows.
#![expect(clippy::cast_precision_loss, reason = "numbers of samples")]

/// The mean; zero of nothing.
pub fn mean(x: &[f64]) -> f64 {
    if x.is_empty() { 0.0 } else { x.iter().sum::<f64>() / x.len() as f64 }
}

/// The sample standard deviation; zero of less than two.
pub fn deviation(x: &[f64]) -> f64 {
    if x.len() < 2 {
        return 0.0;
    }
    let m = mean(x);
    (x.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (x.len() - 1) as f64).sqrt()
}

/// The quantile `q` from 0 to 1, between neighbours in proportion; zero of nothing.
pub fn quantile(x: &[f64], q: f64) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = q.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the list's places"
    )]
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

/// The median; zero of nothing.
pub fn median(x: &[f64]) -> f64 {
    quantile(x, 0.5)
}

/// Half the 95 % interval of the ratio of the means of `a` and `b`, by the delta method.
pub fn ratio_half_width(a: &[f64], b: &[f64]) -> f64 {
    let part = |x: &[f64]| (deviation(x) / mean(x)).powi(2) / x.len() as f64;
    1.96 * (mean(a) / mean(b)) * (part(a) + part(b)).sqrt()
}

/// Jain's index of fairness (Jain, Chiu, Hawe 1984): 1 for equal shares, 1/n if one has all.
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    if squares == 0.0 { 0.0 } else { sum * sum / (shares.len() as f64 * squares) }
}

/// The distance of two samples' distributions, and how likely chance alone makes it so large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The greatest difference of the shares that lie at or below a value, from 0 to 1.
    pub most: f64,
    /// The probability of at least this distance if both samples are of one distribution; at most that where
    /// values are equal.
    pub chance: f64,
}

/// The test of Kolmogorov and Smirnov for two samples, with Stephens' correction for few values (Press and
/// others, Numerical Recipes, 3rd edition, equations 14.3.17 to 14.3.19). Neither may be empty.
pub fn distance(a: &[f64], b: &[f64]) -> Distance {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let share = |x: &[f64], at: f64| x.partition_point(|x| *x <= at) as f64 / x.len() as f64;
    let apart = |at: &f64| (share(&a, *at) - share(&b, *at)).abs();
    let most = a.iter().chain(&b).map(apart).fold(0.0, f64::max);
    let runs = (a.len() as f64 * b.len() as f64 / (a.len() + b.len()) as f64).sqrt();
    Distance { most, chance: beyond((runs + 0.12 + 0.11 / runs) * most) }
}

/// The upper tail of Kolmogorov's distribution. Its series converges slowly below 0.2, where it is 1 to
/// twelve digits.
fn beyond(lambda: f64) -> f64 {
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(k * k) * lambda * lambda).exp()
    };
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_samples_is_the_greatest_between_their_steps() {
        let evens: Vec<f64> = (0..50).map(|i| f64::from(2 * i)).collect();
        let odds: Vec<f64> = evens.iter().map(|x| x + 1.0).collect();
        let near = distance(&evens, &odds);
        assert!((near.most - 0.02).abs() < 1e-12 && near.chance > 0.999_999);
        let later: Vec<f64> = evens.iter().map(|x| x + 30.0).collect();
        let far = distance(&evens, &later);
        assert!((far.most - 0.3).abs() < 1e-12);
        assert!((far.chance - 0.018).abs() < 0.003, "{}", far.chance);
        let apart = distance(&[1.0; 20], &[2.0; 20]);
        assert!((apart.most - 1.0).abs() < 1e-12 && apart.chance < 1e-7);
    }

    #[test]
    fn the_tail_has_the_critical_values_of_the_tables() {
        for (lambda, chance) in [(1.2238, 0.10), (1.3581, 0.05), (1.6276, 0.01)] {
            assert!((beyond(lambda) - chance).abs() < 1e-4, "{lambda}");
        }
    }

    #[test]
    fn moments_of_a_small_sample() {
        let x = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert!((mean(&x) - 5.0).abs() < 1e-12);
        assert!((deviation(&x) - 2.138_089_935).abs() < 1e-9);
        assert!((median(&x) - 4.5).abs() < 1e-12);
        assert!((quantile(&x, 0.25) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn two_samples_with_a_tenth_of_spread_leave_six_percent_of_doubt_after_twenty_runs_each() {
        // A coefficient of variation of 0.1 with twenty runs on each side: 1.96 x 0.1 x sqrt(2/20).
        let spread = |mean: f64| -> Vec<f64> {
            let off = mean * 0.1 * (19.0_f64 / 20.0).sqrt();
            (0..20).map(|i| if i % 2 == 0 { mean + off } else { mean - off }).collect()
        };
        let half = ratio_half_width(&spread(10.0), &spread(10.0));
        assert!((half - 0.061_98).abs() < 1e-4, "{half}");
    }

    #[test]
    fn equal_shares_are_fair_and_one_taker_is_not() {
        assert!((jain(&[3.0, 3.0, 3.0]) - 1.0).abs() < 1e-12);
        assert!((jain(&[3.0, 0.0, 0.0]) - 1.0 / 3.0).abs() < 1e-12);
        assert!(jain(&[0.0]).abs() < 1e-12);
    }
}
