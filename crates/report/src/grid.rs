//! The runs of a scenario on a terminal.

use std::fmt::Write as _;

use westwood_experiment::judgement::{JudgementRules, Practical};
use westwood_experiment::results::{ComparisonPath, RunSummary};
use westwood_experiment::run::{Curves, GridReport};

use crate::bars::pictures;
use crate::changes::{changes, column, star_note};
use crate::experiment::{swept, verdict};
use crate::heading::path_line;
use crate::overview::{PART, failures, size, subject, unfinished, unused};
use crate::plot;
use crate::style::Style;
use crate::summary::table;
use crate::table::{Column, render as aligned, wrapped};

/// The context of a report on a terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportContext<'a> {
    /// The path of an experiment in words.
    pub words: Option<&'a ComparisonPath>,
    /// Runs over time.
    pub curves: &'a [Curves],
    /// The rules by which the runs are judged.
    pub rules: JudgementRules,
    /// The warnings about the results, in sentences.
    pub warnings: &'a [String],
    /// The runs are a part of the grid's (`--shard`).
    pub is_part: bool,
}

/// The quantities of a sweep that have small pictures, where they were measured.
const PICTURED: [&str; 3] = ["goodput", "fct_mean", "queue_delay_p95"];

/// The heading, a table of the points, their windows or small pictures, what variants change, what
/// failed, what to read from it, and what makes that mean little.
pub fn render(report: &GridReport, shown: &ReportContext<'_>, style: Style) -> String {
    let mut text = String::new();
    let mut paragraph = |lines: &[String]| {
        if !lines.is_empty() {
            let _ = writeln!(text, "{}\n", lines.join("\n"));
        }
    };
    let heading = shown.words.map_or_else(|| heading(report), path_line);
    paragraph(&[wrapped(&heading, style.width)]);
    let runs: Vec<RunSummary> = report.runs.iter().filter_map(|r| r.summary.clone()).collect();
    if !runs.is_empty() {
        let subject = subject(report, &runs, shown.rules, shown.is_part);
        paragraph(&table(&subject, style));
        if let Some((sweep, names)) = swept(report, &subject) {
            paragraph(&pictures(&sweep, &names, &PICTURED, style));
        }
    }
    if report.axes.is_empty() {
        paragraph(&plot::windows(shown.curves, style));
    }
    if !shown.is_part {
        paragraph(&differences(report, shown.rules.practical, style));
    }
    paragraph(&unused(report).map_or_else(Vec::new, |t| vec![wrapped(&t, style.width)]));
    paragraph(&unfinished(report).map_or_else(Vec::new, |t| vec![wrapped(&t, style.width)]));
    let failed = failures(report);
    paragraph(&failed.iter().map(|line| wrapped(line, style.width)).collect::<Vec<_>>());
    if shown.is_part {
        paragraph(&[style.bold(&wrapped(PART, style.width))]);
    } else if !runs.is_empty() {
        paragraph(&[style.bold(&wrapped(&verdict(report, shown.rules), style.width))]);
    }
    for warning in shown.warnings {
        paragraph(&[wrapped(&format!("Note: {warning}"), style.width)]);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn heading(report: &GridReport) -> String {
    let about = report.about.as_ref().map(|about| format!(": {about}")).unwrap_or_default();
    format!("{}{about} ({})", report.name, size(report))
}

/// The changes of each variant against the scenario as it stands, seed by seed.
fn differences(report: &GridReport, practical: Practical, style: Style) -> Vec<String> {
    let Some(changes) = changes(report, practical) else {
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
        let note = format!("* {}", star_note(practical));
        lines.extend(wrapped(&note, style.width).lines().map(|line| style.dim(line)));
    }
    lines
}
