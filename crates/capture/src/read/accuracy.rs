//! The distance of estimates from the true deliveries.

use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Duration, Instant, Rate};

use crate::read::replay::{EstimatorReplay, KINDS};

/// The number of times at which a transfer is examined, equally far apart.
const LOOKS: u64 = 1_000;

/// An estimator held against the true rate of delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The estimator.
    pub kind: EstimatorKind,
    /// Its estimate, mean over time.
    pub mean: Rate,
    /// The median of how far it is off, as a share of the true rate.
    pub off_median: Option<f64>,
    /// The 95th percentile of the estimate over the true rate: how far it goes too high.
    pub over_p95: Option<f64>,
}

/// The accuracy of each estimator over a transfer, against [`rate`](crate::read::DeliveredBytes::rate)
/// with this window; in the order of [`KINDS`]. Times at which nothing was delivered within the
/// window do not count for the ratios.
pub fn accuracy(replay: &EstimatorReplay, window: Duration) -> Vec<Accuracy> {
    let looks = looks(replay);
    let truth: Vec<Option<Rate>> = looks
        .iter()
        .map(|at| replay.delivered.rate(*at, window).filter(|r| !r.is_zero()))
        .collect();
    let of = |(place, kind): (usize, EstimatorKind)| {
        let estimate_at: Vec<Rate> =
            looks.iter().map(|at| replay.estimate_at(*at, place)).collect();
        let ratios: Vec<f64> = estimate_at
            .iter()
            .zip(&truth)
            .filter_map(|(estimate_at, truth)| truth.map(|truth| ratio(*estimate_at, truth)))
            .collect();
        let off = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
        let sum: u128 = estimate_at.iter().map(|rate| u128::from(rate.raw())).sum();
        let mean = sum.checked_div(estimate_at.len() as u128).unwrap_or(0);
        Accuracy {
            kind,
            mean: Rate::from_raw(u64::try_from(mean).unwrap_or(u64::MAX)),
            off_median: percentile(off, 50),
            over_p95: percentile(ratios, 95),
        }
    };
    KINDS.into_iter().enumerate().map(of).collect()
}

/// Equally distant times from the first estimate to the last delivery.
fn looks(replay: &EstimatorReplay) -> Vec<Instant> {
    let Some((first, (_, last))) =
        replay.samples.first().map(|s| s.at).zip(replay.delivered.span())
    else {
        return Vec::new();
    };
    let span = last.since(first);
    (0..LOOKS).map(|i| first + (span / LOOKS) * i).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
fn ratio(a: Rate, b: Rate) -> f64 {
    a.raw() as f64 / b.raw() as f64
}

/// The value that this many percent are not above (nearest rank).
fn percentile(mut values: Vec<f64>, percent: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100);
    values.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let values = || (1..=20).map(f64::from).collect();
        assert_eq!(
            [50, 95, 100].map(|p| percentile(values(), p)),
            [Some(10.0), Some(19.0), Some(20.0)]
        );
        assert_eq!(percentile(vec![3.0, 1.0, 2.0], 50), Some(2.0));
        assert_eq!(percentile(Vec::new(), 50), None);
    }
}
