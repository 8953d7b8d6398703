//! The cells of a sweep.

use std::collections::BTreeMap;

use westwood_experiment::ranking::groups;
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::GridReport;

use super::axes::SweptField;
use super::contestants::{Contestants, main_metric};
use super::names::name_of;
use crate::document::{Quantity, Sweep, SweepCell, SweepMetric};
use crate::summary::{MetricColumn, Subject, columns_of, scale_of};

/// The places of a sweep with their settings as scenarios, from those of the points.
pub(super) fn texts(
    report: &GridReport,
    axes: &[SweptField],
    of_points: Vec<String>,
) -> Vec<(Vec<usize>, String)> {
    let at = |point| axes.iter().map(|axis| axis.place(point)).collect::<Option<Vec<usize>>>();
    let placed =
        report.points.iter().zip(of_points).filter_map(|(point, text)| Some((at(point)?, text)));
    // Points of one place differ in what is compared, which each text has whole.
    placed.collect::<BTreeMap<_, _>>().into_iter().collect()
}

/// Every quantity of the table at every place that has results.
pub(super) fn sweep(
    report: &GridReport,
    axes: &[SweptField],
    who: &Contestants,
    subject: &Subject<'_>,
) -> Sweep {
    let mut columns = columns_of(subject);
    columns.sort_by_key(|shown| shown.metric != main_metric(subject));
    let groups = groups(subject.runs);
    let scales: Vec<(f64, &'static str)> = columns
        .iter()
        .map(|shown| {
            let scale = scale_of(shown.metric, &groups, subject.rate_bps);
            (scale.by, scale.unit)
        })
        .collect();
    let metric = |(shown, (_, unit)): (&MetricColumn, &(f64, &'static str))| SweepMetric {
        quantity: Quantity::new(shown.metric.name(), name_of(shown.metric), unit),
        better: shown.metric.better(),
    };
    let runs: BTreeMap<(usize, u64), &RunSummary> =
        report.runs.iter().filter_map(|r| Some(((r.point, r.seed), r.summary.as_ref()?))).collect();
    let cell = |(number, point): (usize, &westwood_experiment::run::PointRecord)| {
        let at: Option<Vec<usize>> = axes.iter().map(|axis| axis.place(point)).collect();
        let measured = report.seeds.iter().any(|&seed| runs.contains_key(&(number, seed)));
        let samples = |(shown, (by, _)): (&MetricColumn, &(f64, &'static str))| {
            let value = |&seed: &u64| Some(shown.metric.of(runs.get(&(number, seed))?)? / by);
            report.seeds.iter().map(value).collect()
        };
        measured.then_some(SweepCell {
            at: at?,
            variant: who.place(point),
            samples: columns.iter().zip(&scales).map(samples).collect(),
        })
    };
    Sweep {
        axes: axes.iter().map(|swept| swept.axis.clone()).collect(),
        metrics: columns.iter().zip(&scales).map(metric).collect(),
        cells: report.points.iter().enumerate().filter_map(cell).collect(),
        practical: subject.rules.practical,
        texts: Vec::new(),
    }
}
