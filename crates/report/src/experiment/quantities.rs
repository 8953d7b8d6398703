//! Quantities of those compared, over the seeds.

use westwood_experiment::metric::Metric;
use westwood_experiment::ranking::ControllerRuns;

use super::names::name_of;
use crate::document::{Quantity, SeedSpread, Tradeoff};
use crate::number::Range;
use crate::summary::{Subject, columns_of, scale_of};

/// The price of goodput in delay; none if no run has a round-trip time.
pub(crate) fn tradeoff(groups: &[ControllerRuns<'_>], rate: f64) -> Option<Tradeoff> {
    let waits = groups.iter().flat_map(|group| &group.runs).any(|r| r.queue_delay_ms.is_some());
    let (x, y) = (if waits { Metric::QueueDelayP95 } else { Metric::RttP95 }, Metric::Goodput);
    let (across, upward) = (scale_of(x, groups, rate), scale_of(y, groups, rate));
    let points: Vec<Vec<(f64, f64)>> = groups
        .iter()
        .map(|group| {
            let pairs = group.runs.iter().filter_map(|run| Some((x.of(run)?, y.of(run)?)));
            pairs.map(|(a, b)| (a / across.by, b / upward.by)).collect()
        })
        .collect();
    points.iter().any(|of| !of.is_empty()).then(|| Tradeoff {
        x: Quantity::new(x.name(), name_of(x), across.unit),
        y: Quantity::new(y.name(), "goodput", upward.unit),
        points,
    })
}

/// The quantities of the table over the seeds; those that are zero throughout left out.
pub(crate) fn spreads(groups: &[ControllerRuns<'_>], subject: &Subject<'_>) -> Vec<SeedSpread> {
    let spread = |metric: Metric, head: &str| {
        let scale = scale_of(metric, groups, subject.rate_bps);
        let samples = |group: &ControllerRuns<'_>| -> (Vec<u64>, Vec<f64>) {
            let runs = group.runs.iter();
            runs.filter_map(|run| Some((run.seed, metric.of(run)? / scale.by))).unzip()
        };
        let (seeds, values) = groups.iter().map(samples).unzip();
        let Range { low, high } = Range::of(metric).scaled(scale.by);
        let unit = if metric == Metric::Jain { "1 is fair" } else { scale.unit };
        SeedSpread {
            quantity: Quantity::new(metric.name(), head, unit),
            better: Some(metric.better()),
            range: (low, high),
            values,
            seeds,
        }
    };
    let differs = |spread: &SeedSpread| spread.values.iter().flatten().any(|value| *value != 0.0);
    columns_of(subject)
        .iter()
        .map(|shown| spread(shown.metric, shown.head))
        .filter(differs)
        .collect()
}
