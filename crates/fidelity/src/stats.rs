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

#[cfg(test)]
mod tests {
    use super::*;

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
