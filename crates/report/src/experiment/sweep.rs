//! The cells of a sweep.

use westwood_experiment::judgement::Contest;
use westwood_experiment::metric::Metric;
use westwood_experiment::ranking::{Ranking, Samples, groups, standing_of};
use westwood_experiment::results::RunSummary;
use westwood_experiment::run::{GridReport, PointRecord, RunRecord};
use westwood_scenario::sorting::{SortedMap, sort_by};

use super::axes::SweptField;
use super::contestants::{Contestants, main_metric};
use super::names::name_of;
use crate::document::{Quantity, Sweep, SweepCell, SweepMetric};
use crate::number::Range;
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
    placed.collect::<SortedMap<_, _>>().into_iter().collect()
}

/// Every quantity of the table at every place that has results.
pub(super) fn sweep(
    report: &GridReport,
    axes: &[SweptField],
    who: &Contestants,
    subject: &Subject<'_>,
) -> Sweep {
    let mut columns = columns_of(subject);
    let main = main_metric(subject);
    sort_by(&mut columns, |a, b| (a.metric != main).cmp(&(b.metric != main)));
    let groups = groups(subject.runs);
    let scales: Vec<(f64, &'static str)> = columns
        .iter()
        .map(|shown| {
            let scale = scale_of(shown.metric, &groups, subject.rate_bps);
            (scale.by, scale.unit)
        })
        .collect();
    let metric = |(shown, (by, unit)): (&MetricColumn, &(f64, &'static str))| {
        let Range { low, high } = Range::of(shown.metric).scaled(*by);
        SweepMetric {
            quantity: Quantity::new(shown.metric.name(), name_of(shown.metric), unit),
            better: shown.metric.better(),
            range: (low, high),
        }
    };
    let runs = report.runs.iter();
    let runs: SortedMap<(usize, u64), &RunSummary> =
        runs.filter_map(|r| Some(((r.point, r.seed), r.summary.as_ref()?))).collect();
    let clear = clear_leads(report, axes, who, subject, &columns);
    let cell = |(number, point): (usize, &PointRecord)| {
        let at: Option<Vec<usize>> = axes.iter().map(|axis| axis.place(point)).collect();
        let measured = report.seeds.iter().any(|&seed| runs.get(&(number, seed)).is_some());
        let samples = |(shown, (by, _)): (&MetricColumn, &(f64, &'static str))| {
            let value = |&seed: &u64| Some(shown.metric.of(runs.get(&(number, seed))?)? / by);
            report.seeds.iter().map(value).collect()
        };
        measured.then_some(SweepCell {
            at: at?,
            variant: who.place(point),
            samples: columns.iter().zip(&scales).map(samples).collect(),
            leads: columns.iter().map(|of| clear.contains(&(number, of.metric))).collect(),
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

/// The points that are clearly better than all others of their place in a quantity, by numbers: by the
/// judgement itself in what is judged, so that no cell says what the sentence does not, else by the quantity
/// alone.
fn clear_leads(
    report: &GridReport,
    axes: &[SweptField],
    who: &Contestants,
    subject: &Subject<'_>,
    columns: &[MetricColumn],
) -> Vec<(usize, Metric)> {
    if subject.is_part {
        return Vec::new();
    }
    let mut places: SortedMap<Vec<usize>, Vec<usize>> = SortedMap::default();
    for (number, point) in report.points.iter().enumerate() {
        if let Some(at) = axes.iter().map(|axis| axis.place(point)).collect() {
            places.or_insert_with(at, Vec::new).push(number);
        }
    }
    let name = |number: usize| {
        let place = report.points.get(number).map(|point| who.place(point));
        place.and_then(|place| who.names.get(place)).cloned().unwrap_or_default()
    };
    let mut all = Vec::new();
    for here in places.values() {
        let runs = || report.runs.iter().filter(|run| here.contains(&run.point));
        let named =
            |run: &RunRecord| Some(RunSummary { cc: name(run.point), ..run.summary.clone()? });
        let summaries: Vec<RunSummary> = runs().filter_map(named).collect();
        let situation = here.first().and_then(|number| report.points.get(*number));
        let situation = situation.and_then(|point| subject.situations.get(&point.name));
        let Some(situation) = situation else { continue };
        let contest = Contest::new(&summaries, situation, subject.rules);
        let exact = summaries.iter().all(|run| run.exact);
        for metric in columns.iter().map(|of| of.metric) {
            let best = if contest.judges(metric) {
                let best = contest.best_in(metric);
                here.iter().copied().find(|&number| best == Some(name(number).as_str()))
            } else {
                let samples = |&number: &usize| -> Samples {
                    let own = runs().filter(|run| run.point == number);
                    let value =
                        |run: &RunRecord| Some((run.seed, metric.of(run.summary.as_ref()?)));
                    own.filter_map(value).collect()
                };
                let samples: Vec<Samples> = here.iter().map(samples).collect();
                match standing_of(&samples, metric.better(), subject.rules.practical, exact) {
                    Ranking::Best(place) => Some(here[place]),
                    Ranking::Tied { .. } | Ranking::Unknown => None,
                }
            };
            all.extend(best.map(|number| (number, metric)));
        }
    }
    all
}
