//! The changes that the variants of a scenario make against the scenario as it stands, seed by
//! seed.

use std::collections::BTreeMap;

use westwood_experiment::judgement::{Practical, beyond_chance};
use westwood_experiment::metric::{Metric, Unit};
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::{GridReport, PointRecord};
use westwood_experiment::stats::{CONFIDENCE, Estimate, mean};

use crate::number::{Range, UnitScale, decimals_for, interval, rate_scale, time_scale};
use crate::table::{Cell, Column};

/// The changes of every variant.
pub(crate) struct VariantChanges {
    /// The points that are compared: the one as it stands, and the one with the variant.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The changes of several quantities.
    pub(crate) columns: Vec<VariantChange>,
}

/// The change of one quantity.
pub(crate) struct VariantChange {
    pub(crate) metric: Metric,
    pub(crate) head: &'static str,
    pub(crate) unit: &'static str,
    /// For each pair the differences under the seeds that both have, in `unit`.
    pub(crate) differences: Vec<Vec<f64>>,
    /// For each pair the seeds of its differences.
    pub(crate) seeds: Vec<Vec<u64>>,
    /// For each pair whether the change counts: it is beyond chance, all quantities and pairs judged
    /// together, and beyond the practical bound.
    pub(crate) counts: Vec<bool>,
}

/// The changes; none if the scenario has no variants.
pub(crate) fn changes(report: &GridReport, practical: Practical) -> Option<VariantChanges> {
    const METRICS: [(Metric, &str); 5] = [
        (Metric::FctMean, "transfer"),
        (Metric::Goodput, "goodput"),
        (Metric::Utilization, "link busy"),
        (Metric::RttP95, "RTT p95"),
        (Metric::QueueMean, "queue"),
    ];
    let varied = report.points.iter().enumerate().filter(|(_, point)| point.variant.is_some());
    let pairs: Vec<(usize, usize)> =
        varied.filter_map(|(i, point)| Some((base_of(report, point)?, i))).collect();
    if pairs.is_empty() {
        return None;
    }
    let runs: Summaries<'_> =
        report.runs.iter().filter_map(|r| Some(((r.point, r.seed), r.summary.as_ref()?))).collect();
    let change = |(metric, head): &(Metric, &'static str)| {
        let of = |pair: &(usize, usize)| differences(&runs, &report.seeds, *pair, *metric);
        let (seeds, mut differences): (Vec<Vec<u64>>, Vec<Vec<f64>>) = pairs.iter().map(of).unzip();
        let largest =
            differences.iter().filter_map(|of| mean(of)).fold(0.0, |a: f64, b| a.max(b.abs()));
        let UnitScale { by, unit } = scale(*metric, largest);
        differences.iter_mut().flatten().for_each(|value| *value /= by);
        // A quantity that no run has, such as the time of transfers without any, says nothing.
        differences.iter().any(|of| !of.is_empty()).then_some(VariantChange {
            metric: *metric,
            head,
            unit,
            counts: vec![false; differences.len()],
            differences,
            seeds,
        })
    };
    let mut columns: Vec<VariantChange> = METRICS.iter().filter_map(change).collect();
    let exact = |place: usize| {
        let (base, with) = pairs[place];
        let here = runs.iter().filter(|((point, _), _)| [base, with].contains(point));
        here.map(|(_, run)| run).all(|run| run.exact)
    };
    let exact: Vec<bool> = (0..pairs.len()).map(exact).collect();
    let all = columns.iter().flat_map(|column| column.differences.iter().zip(&exact));
    let mut beyond = beyond_chance(all.map(|(of, exact)| (of.as_slice(), *exact))).into_iter();
    for column in &mut columns {
        for (place, counts) in column.counts.iter_mut().enumerate() {
            let (base, with) = pairs[place];
            let means = [base, with].map(|point| mean_of(&runs, point, column.metric));
            let matters = (means[1] - means[0]).abs() > practical.0 * means[0].max(means[1]);
            *counts = beyond.next().unwrap_or(false) && matters;
        }
    }
    Some(VariantChanges { pairs, columns })
}

/// The mean of a quantity at a point; 0 if no run has it.
fn mean_of(runs: &Summaries<'_>, point: usize, metric: Metric) -> f64 {
    let here = runs.iter().filter(|((of, _), _)| *of == point);
    mean(&here.filter_map(|(_, run)| metric.of(run)).collect::<Vec<f64>>()).unwrap_or(0.0)
}

/// The unit of changes of which the largest has this size.
fn scale(metric: Metric, largest: f64) -> UnitScale {
    let scale = |by, unit| UnitScale { by, unit };
    match metric.unit() {
        Unit::BitsPerS => rate_scale(largest),
        Unit::Share => scale(0.01, "%"),
        Unit::Millis => time_scale(largest),
        Unit::Nanos => scale(1.0, "ns"),
        Unit::Cycles => scale(1.0, "cycles"),
        Unit::Packets => scale(1.0, "packets"),
        Unit::Plain => scale(1.0, ""),
    }
}

/// The meaning of a star, in words that follow it.
pub(crate) fn star_note(practical: Practical) -> String {
    let bound = crate::scale::plain(100.0 * practical.0);
    format!(
        "a change beyond chance (95 % confidence for all of them together) and beyond {bound} %."
    )
}

/// The same point without the variant.
fn base_of(report: &GridReport, variant: &PointRecord) -> Option<usize> {
    report
        .points
        .iter()
        .position(|p| p.variant.is_none() && p.cc == variant.cc && p.settings == variant.settings)
}

/// The summaries of all runs that did not fail, by point and seed.
type Summaries<'a> = BTreeMap<(usize, u64), &'a RunSummary>;

/// The seeds under which both points have a value, and the differences under them.
fn differences(
    runs: &Summaries<'_>,
    seeds: &[u64],
    (base, with): (usize, usize),
    metric: Metric,
) -> (Vec<u64>, Vec<f64>) {
    let value = |point: usize, seed: u64| metric.of(runs.get(&(point, seed))?);
    let pair = |&seed: &u64| Some((seed, value(with, seed)? - value(base, seed)?));
    seeds.iter().filter_map(pair).unzip()
}

/// The mean changes of a quantity with their confidence.
pub(crate) fn column(rank: usize, change: &VariantChange) -> Column {
    let estimates: Vec<Option<Estimate>> =
        change.differences.iter().map(|of| Estimate::of(of, CONFIDENCE)).collect();
    let largest = estimates.iter().flatten().map(|e| e.mean.abs()).fold(0.0, f64::max);
    let decimals = decimals_for(largest);
    let cell = |(e, counts): (&Option<Estimate>, &bool)| {
        e.map_or_else(Cell::default, |e| {
            let (text, cut) = interval(e, Range::ANY, |x| format!("{x:.decimals$}"));
            let sign = if e.mean.is_sign_negative() { "" } else { "+" };
            Cell { text: format!("{sign}{text}"), best: *counts, cut }
        })
    };
    Column {
        head: [change.head.to_owned(), change.unit.to_owned()],
        cells: estimates.iter().zip(&change.counts).map(cell).collect(),
        rank,
    }
}
