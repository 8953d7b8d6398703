//! What the runs of a scenario look like on a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use westwood_scenario::metric::{Metric, Unit};
use westwood_scenario::ranking::CONFIDENCE;
use westwood_scenario::results::Run;
use westwood_scenario::run::{PointRecord, Report};
use westwood_scenario::stats::Estimate;

use crate::style::Style;
use crate::summary::{Subject, table};
use crate::table::{Cell, Column, render as aligned, wrapped};

/// The scenario, a table of its points, what its variants change, and what failed.
pub fn render(report: &Report, style: Style) -> String {
    let mut text = String::new();
    let mut paragraph = |lines: &[String]| {
        if !lines.is_empty() {
            let _ = writeln!(text, "{}\n", lines.join("\n"));
        }
    };
    paragraph(&[wrapped(&heading(report), style.width)]);
    let runs: Vec<Run> = report.runs.iter().filter_map(|r| r.summary.clone()).collect();
    if !runs.is_empty() {
        paragraph(&table(&subject(report, &runs), style));
    }
    paragraph(&differences(report, style));
    paragraph(&unfinished(report, style));
    paragraph(&failures(report));
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn heading(report: &Report) -> String {
    let about = report.about.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
    let (points, seeds) = (report.points.len(), report.seeds.len());
    let counted = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    format!("{}{about} ({}, {})", report.name, counted(points, "point"), counted(seeds, "seed"))
}

fn subject<'a>(report: &Report, runs: &'a [Run]) -> Subject<'a> {
    let failed = report.runs.iter().any(|run| run.error.is_some());
    let varied = !report.axes.is_empty() || report.points.iter().any(|p| p.variant.is_some());
    let tested = || report.runs.iter().flat_map(|r| &r.groups).filter(|g| g.tested);
    let has = |name: &str| report.runs.iter().flat_map(|r| &r.groups).any(|g| g.name == name);
    let links = report.runs.iter().filter_map(|r| r.links.first()).map(|l| l.rate_bps);
    Subject {
        runs,
        heading: if varied { "point" } else { "controller" },
        // Where runs are missing, rows cannot be compared seed by seed.
        alternatives: if failed { 1 } else { controllers_each(&report.points) },
        seeds: report.seeds.len(),
        rate_bps: links.fold(0.0, f64::max),
        transfers: tested().any(|g| g.transfers.is_some()),
        several: tested().any(|g| g.flows.len() > 1),
        rivals: has("rival"),
        reverse: has("reverse"),
    }
}

/// How many controllers each setting has, if all have as many.
fn controllers_each(points: &[PointRecord]) -> usize {
    let setting = |p: &PointRecord| (p.settings.clone(), p.variant.clone());
    let sizes: Vec<usize> =
        points.chunk_by(|a, b| setting(a) == setting(b)).map(<[PointRecord]>::len).collect();
    match sizes.split_first() {
        Some((first, rest)) if rest.iter().all(|n| n == first) => *first,
        _ => 1,
    }
}

/// What each variant changes against the scenario as it stands, seed by seed.
fn differences(report: &Report, style: Style) -> Vec<String> {
    const METRICS: [(Metric, &str); 4] = [
        (Metric::Goodput, "goodput"),
        (Metric::Utilization, "link busy"),
        (Metric::RttP95, "RTT p95"),
        (Metric::QueueMean, "queue"),
    ];
    let pairs: Vec<(usize, usize)> = report
        .points
        .iter()
        .enumerate()
        .filter(|(_, point)| point.variant.is_some())
        .filter_map(|(i, point)| Some((base_of(report, point)?, i)))
        .collect();
    if pairs.is_empty() {
        return Vec::new();
    }
    let runs = summaries(report);
    let names: Vec<String> = pairs.iter().map(|&(_, i)| report.points[i].name.clone()).collect();
    let column = |(rank, (metric, head)): (usize, &(Metric, &str))| {
        let (by, unit) = scale(*metric);
        let cell = |&(base, with): &(usize, usize)| {
            difference(&runs, &report.seeds, (base, with), *metric).map_or_else(
                Cell::default,
                |e| {
                    let half = e.half_width.map(|h| format!(" ±{:.2}", h / by)).unwrap_or_default();
                    let best = e.half_width.is_some_and(|half| e.mean.abs() > half);
                    Cell { text: format!("{:+.2}{half}", e.mean / by), best }
                },
            )
        };
        Column {
            head: [(*head).to_owned(), unit.to_owned()],
            cells: pairs.iter().map(cell).collect(),
            rank,
        }
    };
    let columns: Vec<Column> = METRICS.iter().enumerate().map(column).collect();
    let mut lines = vec!["What the variants change, seed by seed:".to_owned()];
    lines.extend(aligned("variant", &names, &columns, style).0);
    if columns.iter().any(|c| c.cells.iter().any(|cell| cell.best)) {
        lines.push(style.dim("* a change beyond chance (95 % confidence)."));
    }
    lines
}

fn scale(metric: Metric) -> (f64, &'static str) {
    match metric.unit() {
        Unit::BitsPerS => (1e6, "Mbit/s"),
        Unit::Share => (0.01, "%"),
        Unit::Millis => (1.0, "ms"),
        Unit::Packets => (1.0, "packets"),
        Unit::Plain => (1.0, ""),
    }
}

/// The same point without the variant.
fn base_of(report: &Report, variant: &PointRecord) -> Option<usize> {
    report
        .points
        .iter()
        .position(|p| p.variant.is_none() && p.cc == variant.cc && p.settings == variant.settings)
}

/// The summaries of all runs that did not fail, by point and seed.
type Summaries<'a> = BTreeMap<(usize, u64), &'a Run>;

fn summaries(report: &Report) -> Summaries<'_> {
    let entry = |r: &'_ westwood_scenario::run::RunRecord| (r.point, r.seed);
    report.runs.iter().filter_map(|r| Some((entry(r), r.summary.as_ref()?))).collect()
}

/// The mean difference of a metric over the seeds.
fn difference(
    runs: &Summaries<'_>,
    seeds: &[u64],
    (base, with): (usize, usize),
    metric: Metric,
) -> Option<Estimate> {
    let value = |point: usize, seed: u64| metric.of(runs.get(&(point, seed))?);
    let differences: Vec<f64> =
        seeds.iter().filter_map(|&seed| Some(value(with, seed)? - value(base, seed)?)).collect();
    Estimate::of(&differences, CONFIDENCE)
}

/// Runs whose transfers under test were cut off by the end: their completion times say nothing.
fn unfinished(report: &Report, style: Style) -> Vec<String> {
    let cut = |run: &&westwood_scenario::run::RunRecord| {
        let mut tested = run.groups.iter().filter(|g| g.tested && g.transfers.is_some());
        tested.any(|group| group.flows.iter().any(|flow| flow.fct_ms.is_none()))
    };
    match report.runs.iter().filter(cut).count() {
        0 => Vec::new(),
        n => {
            let text = format!(
                "In {n} of {} runs not every transfer under test was finished: raise time, or lower size.",
                report.runs.len()
            );
            vec![wrapped(&text, style.width)]
        }
    }
}

fn failures(report: &Report) -> Vec<String> {
    let line = |run: &westwood_scenario::run::RunRecord| {
        let name = report.points.get(run.point).map_or("", |p| p.name.as_str());
        run.error.as_ref().map(|error| format!("{name}, seed {}: {error}", run.seed))
    };
    let failed: Vec<String> = report.runs.iter().filter_map(line).collect();
    match failed.len() {
        0 => failed,
        n => [vec![format!("{n} of {} runs failed:", report.runs.len())], failed].concat(),
    }
}
