//! Runs of cases.

use rayon::prelude::*;
use westwood_cc::Instant;
use westwood_sim::{Outcome, Point};

use crate::case::Case;
use crate::results::MeasuredRuns;

/// Runs every seed of a case. The order of the values is that of the seeds, on any number of cores.
///
/// # Errors
///
/// The case's name and why its network cannot be simulated.
pub fn measure(case: &Case, seeds: u64) -> Result<Vec<MeasuredRuns>, String> {
    let one = |seed: u64| {
        let outcome = westwood_sim::run(&(case.network)(seed))
            .map_err(|error| format!("{}, seed {seed}: {error}", case.name()))?;
        Ok(case.metrics.iter().map(|metric| (metric.of)(&outcome)).collect::<Vec<f64>>())
    };
    let runs: Vec<Vec<f64>> =
        (1..=seeds).into_par_iter().map(one).collect::<Result<_, String>>()?;
    let of_metric = |(i, metric): (usize, &crate::ReferenceMetric)| MeasuredRuns {
        case: case.name(),
        metric: metric.name.clone(),
        ours: runs.iter().map(|run| run[i]).collect(),
    };
    Ok(case.metrics.iter().enumerate().map(of_metric).collect())
}

/// A flow's goodput in bit/s between two times in seconds. The network must record deliveries.
#[expect(clippy::cast_precision_loss, reason = "bytes below 2^53")]
pub fn goodput(outcome: &Outcome, flow: usize, from: f64, to: f64) -> f64 {
    let until = |t: f64| {
        let end = at(t);
        let points = outcome.records.iter().take_while(|record| record.at <= end);
        let of_flow = points.filter_map(|record| match record.what {
            Point::Delivered { flow: f, bytes } if f == flow => Some(bytes),
            _ => None,
        });
        of_flow.last().unwrap_or(0)
    };
    (until(to) - until(from)) as f64 * 8.0 / (to - from)
}

/// So many seconds after the begin.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time of a run, which a cast saturates"
)]
pub fn at(seconds: f64) -> Instant {
    Instant::from_nanos((seconds * 1e9).round() as u64)
}
