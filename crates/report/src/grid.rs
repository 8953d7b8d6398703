//! What the runs of a scenario look like on a terminal.

use std::fmt::Write as _;

use westwood_experiment::judgement::{Rules, Situation};
use westwood_experiment::ranking::CONFIDENCE;
use westwood_experiment::results::{Path, Run};
use westwood_experiment::run::{Curves, PointRecord, Report};
use westwood_experiment::stats::Estimate;

use crate::bars::pictures;
use crate::changes::{Change, changes};
use crate::experiment::{swept, verdict};
use crate::heading::path_line;
use crate::number::{Range, decimals_for, interval};
use crate::plot;
use crate::style::Style;
use crate::summary::{Subject, table};
use crate::table::{Cell, Column, render as aligned, wrapped};

/// What a terminal shows of a report beside its runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'a> {
    /// The path of an experiment in words.
    pub words: Option<&'a Path>,
    /// Runs over time.
    pub curves: &'a [Curves],
    /// By which rules the runs are judged.
    pub rules: Rules,
    /// What makes the results mean little, in sentences.
    pub warnings: &'a [String],
}

/// The quantities of a sweep that have small pictures, where they were measured.
const PICTURED: [&str; 3] = ["goodput", "fct_mean", "queue_delay_p95"];

/// The heading, a table of the points, their windows or small pictures, what variants change, what
/// failed, what to read from it, and what makes that mean little.
pub fn render(report: &Report, shown: &Shown<'_>, style: Style) -> String {
    let mut text = String::new();
    let mut paragraph = |lines: &[String]| {
        if !lines.is_empty() {
            let _ = writeln!(text, "{}\n", lines.join("\n"));
        }
    };
    let heading = shown.words.map_or_else(|| heading(report), path_line);
    paragraph(&[wrapped(&heading, style.width)]);
    let runs: Vec<Run> = report.runs.iter().filter_map(|r| r.summary.clone()).collect();
    if !runs.is_empty() {
        let subject = subject(report, &runs, shown.rules);
        paragraph(&table(&subject, style));
        if let Some((sweep, names)) = swept(report, &subject) {
            paragraph(&pictures(&sweep, &names, &PICTURED, style));
        }
    }
    if report.axes.is_empty() {
        paragraph(&plot::windows(shown.curves, style));
    }
    paragraph(&differences(report, style));
    paragraph(&unused(report).map_or_else(Vec::new, |t| vec![wrapped(&t, style.width)]));
    paragraph(&unfinished(report).map_or_else(Vec::new, |t| vec![wrapped(&t, style.width)]));
    paragraph(&failures(report));
    if !runs.is_empty() {
        paragraph(&[style.bold(&wrapped(&verdict(report, shown.rules), style.width))]);
    }
    for warning in shown.warnings {
        paragraph(&[wrapped(&format!("Note: {warning}"), style.width)]);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn heading(report: &Report) -> String {
    let about = report.about.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
    format!("{}{about} ({})", report.name, size(report))
}

/// How many points and seeds there are.
pub(crate) fn size(report: &Report) -> String {
    let counted = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    let (points, seeds) = (report.points.len(), report.seeds.len());
    format!("{}, {}", counted(points, "point"), counted(seeds, "seed"))
}

pub(crate) fn subject<'a>(report: &Report, runs: &'a [Run], rules: Rules) -> Subject<'a> {
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
        situation: Situation::of(report),
        rules,
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
    let Some(changes) = changes(report) else {
        return Vec::new();
    };
    let names: Vec<String> =
        changes.pairs.iter().map(|&(_, i)| report.points[i].name.clone()).collect();
    let columns: Vec<Column> =
        changes.columns.iter().enumerate().map(|(rank, change)| column(rank, change)).collect();
    let mut lines = vec!["What the variants change, seed by seed:".to_owned()];
    let (table, shown) = aligned("variant", &names, &columns, style);
    lines.extend(table);
    if shown.iter().any(|c| c.cells.iter().any(|cell| cell.best)) {
        lines.push(style.dim("* a change beyond chance (95 % confidence)."));
    }
    lines
}

/// The mean changes of a quantity with their confidence.
pub(crate) fn column(rank: usize, change: &Change) -> Column {
    let estimates: Vec<Option<Estimate>> =
        change.differences.iter().map(|of| Estimate::of(of, CONFIDENCE)).collect();
    let largest = estimates.iter().flatten().map(|e| e.mean.abs()).fold(0.0, f64::max);
    let decimals = decimals_for(largest);
    let cell = |e: &Option<Estimate>| {
        e.map_or_else(Cell::default, |e| {
            let best = e.half_width.is_some_and(|half| e.mean.abs() > half);
            let (text, cut) = interval(e, Range::ANY, |x| format!("{x:.decimals$}"));
            let sign = if e.mean.is_sign_negative() { "" } else { "+" };
            Cell { text: format!("{sign}{text}"), best, cut }
        })
    };
    Column {
        head: [change.head.to_owned(), change.unit.to_owned()],
        cells: estimates.iter().map(cell).collect(),
        rank,
    }
}

/// That transfers under test were cut off by the end.
pub(crate) fn unfinished(report: &Report) -> Option<String> {
    let text = |n: usize| {
        format!(
            "In {n} of {} runs not every transfer under test was finished: raise time, or lower size.",
            report.runs.len()
        )
    };
    Some(report.cut_off()).filter(|n| *n > 0).map(text)
}

/// That nothing crossed the link that is measured.
pub(crate) fn unused(report: &Report) -> Option<String> {
    let idle = |run: &&Run| run.utilization == 0.0;
    let runs = report.runs.iter().filter_map(|run| run.summary.as_ref());
    match runs.clone().filter(idle).count() {
        0 => None,
        n => Some(format!(
            "Nothing crossed the measured link in {n} of {} runs: no flow's route leads over it, or \
             none sent. Routes have the least total delay.",
            runs.count()
        )),
    }
}

/// Which runs failed and why.
pub(crate) fn failures(report: &Report) -> Vec<String> {
    let line = |run: &westwood_experiment::run::RunRecord| {
        let name = report.points.get(run.point).map_or("", |p| p.name.as_str());
        run.error.as_ref().map(|error| format!("{name}, seed {}: {error}", run.seed))
    };
    let failed: Vec<String> = report.runs.iter().filter_map(line).collect();
    match failed.len() {
        0 => failed,
        n => [vec![format!("{n} of {} runs failed:", report.runs.len())], failed].concat(),
    }
}
