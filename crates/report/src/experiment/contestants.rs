//! The contestants of a report: controllers with and without variants.

use westwood_experiment::metric::Metric;
use westwood_experiment::run::{GridReport, PointRecord};
use westwood_scenario::sorting::SortedMap;

use crate::summary::Subject;

/// Those compared at every place of a sweep: controllers with and without variants.
pub(super) struct Contestants {
    pub(super) names: Vec<String>,
    /// The names in sentences, whose lists have commas of their own: `reno (sack)`.
    pub(super) names_in_sentences: Vec<String>,
    places: SortedMap<(Option<String>, Option<String>), usize>,
}

impl Contestants {
    pub(super) fn of(report: &GridReport) -> Self {
        let mut all = Self {
            names: Vec::new(),
            names_in_sentences: Vec::new(),
            places: SortedMap::default(),
        };
        for point in &report.points {
            let next = all.names.len();
            let contestant = (point.cc.clone(), point.variant.clone());
            if *all.places.or_insert_with(contestant, || next) == next {
                let [name, in_sentences] = match (&point.cc, &point.variant) {
                    (None, None) => ["as it stands"; 2].map(str::to_owned),
                    (Some(only), None) | (None, Some(only)) => [only.clone(), only.clone()],
                    (Some(cc), Some(variant)) => {
                        [format!("{cc}, {variant}"), format!("{cc} ({variant})")]
                    }
                };
                all.names.push(name);
                all.names_in_sentences.push(in_sentences);
            }
        }
        all
    }

    /// The place of a point's controller and variant.
    pub(super) fn place(&self, point: &PointRecord) -> usize {
        let key = (point.cc.clone(), point.variant.clone());
        self.places.get(&key).copied().unwrap_or(0)
    }

    pub(super) fn kind(&self, report: &GridReport) -> &'static str {
        let varied = report.points.iter().any(|point| point.variant.is_some());
        if varied || self.names.len() < 2 { "variant" } else { "controller" }
    }
}

/// The kind of the rows of a scenario without a sweep.
pub(super) fn kind(report: &GridReport) -> &'static str {
    if report.points.iter().any(|p| p.variant.is_some()) { "point" } else { "controller" }
}

/// The points that have a run with results, in order: those that have a row of their own.
pub(super) fn points_with_results(report: &GridReport) -> Vec<usize> {
    let mut points: Vec<usize> =
        report.runs.iter().filter(|run| run.summary.is_some()).map(|run| run.point).collect();
    points.dedup();
    points
}

/// Everything that a scenario measures of this metric is about the flows under test.
pub(super) fn main_metric(subject: &Subject<'_>) -> Metric {
    if subject.transfers { Metric::FctMean } else { Metric::Goodput }
}
