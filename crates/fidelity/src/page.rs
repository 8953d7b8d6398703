//! docs/evidence/fidelity.md and its figure: made of cases and results alone.

use std::fmt::Write as _;

use crate::case::ReferenceSource;
use crate::judge::{Agreement, RowClass, RowVerdict, TAIL_BOUND};
use crate::rows::{ComparedRow, DropCounts, value};
use crate::stats::{distance, quantile};

const INTRODUCTION: &str = include_str!("page/introduction.md");
const REASONS: &str = include_str!("page/reasons.md");
const LOTS: &str = include_str!("page/lots.md");
const DROPS: &str = include_str!("page/drops.md");

/// The page that rows and counts of drops make.
///
/// # Errors
///
/// The cause of an excess that the page does not explain.
pub fn render(rows: &[ComparedRow], drops: DropCounts) -> Result<String, String> {
    let (before, after) =
        INTRODUCTION.split_once("{summary}").ok_or("introduction.md has no {summary}")?;
    let mut page = with_intervals(before, rows);
    summary(&mut page, rows);
    page.push_str(after.trim_end());
    page.push_str("\n\n");
    exceeding(&mut page, rows)?;
    let _ = write!(page, "\n{}\n", REASONS.trim_end());
    drawn(&mut page, rows)?;
    let _ = write!(page, "\n{}\n", dropped_packets(drops));
    Ok(page)
}

/// The introduction with the counts of intervals under a heavy tail.
fn with_intervals(text: &str, rows: &[ComparedRow]) -> String {
    let ranges: Vec<(f64, f64)> = rows.iter().filter_map(|row| row.verdict.range).collect();
    let inside = |&&(low, high): &&(f64, f64)| low >= -TAIL_BOUND && high <= TAIL_BOUND;
    let settled = ranges.iter().filter(inside).count();
    text.replace("{tailed}", &ranges.len().to_string()).replace("{settled}", &settled.to_string())
}

/// The kernel's module that backs off by lot: its runs are compared as distributions, too.
const DRAWS: &str = "cdg";

/// The part on a controller that draws lots: the distributions of whole runs side by side.
fn drawn(page: &mut String, rows: &[ComparedRow]) -> Result<(), String> {
    let (before, after) = LOTS.split_once("{table}").ok_or("lots.md has no {table}")?;
    let mut table = String::from(
        "| parameters | runs, ours and theirs | ours: 10, 50, 90 % | theirs: 10, 50, 90 % | distance | chance |\n\
         |---|---|---|---|---|---|",
    );
    let whole =
        |row: &&ComparedRow| row.case.who == DRAWS && row.metric.name.starts_with("goodput_0_");
    let (mut paths, mut alike) = (0, 0);
    for row in rows.iter().filter(whole) {
        let (ours, theirs) = (row.ours, &row.metric.theirs[..]);
        let spread =
            |x: &[f64]| [0.1, 0.5, 0.9].map(|q| format!("{:.3}", quantile(x, q) / 1e6)).join(", ");
        let apart = distance(ours, theirs);
        paths += 1;
        alike += usize::from(apart.chance >= LIKELY);
        let chance = if apart.chance < 0.001 {
            "below 0.001".to_owned()
        } else {
            format!("{:.3}", apart.chance)
        };
        let _ = write!(
            table,
            "\n| {} | {}, {} | {} | {} | {:.2} | {chance} |",
            row.case.params,
            ours.len(),
            theirs.len(),
            spread(ours),
            spread(theirs),
            apart.most,
        );
    }
    let counted = |text: &str| {
        text.replace("{paths}", &paths.to_string()).replace("{alike}", &alike.to_string())
    };
    let _ = write!(page, "\n{}{table}{}\n", counted(before), counted(after.trim_end()));
    Ok(())
}

/// A distance that chance alone makes as often as this tells nothing: the usual twentieth.
const LIKELY: f64 = 0.05;

/// The part on dropped packets, with their counts.
fn dropped_packets(drops: DropCounts) -> String {
    DROPS
        .trim_end()
        .replace("{runs}", &drops.runs.to_string())
        .replace("{equal}", &drops.equal.to_string())
        .replace("{near}", &drops.near.to_string())
        .replace("{least}", &format!("{:.2}", drops.least))
        .replace("{most}", &format!("{:.2}", drops.most))
}

/// The number of rows of each source and class within their bounds.
fn summary(page: &mut String, rows: &[ComparedRow]) {
    page.push_str(
        "| measured by | kind of row | bound | rows | within | open | exceed | largest within |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|---|");
    for source in ReferenceSource::ALL {
        for class in RowClass::ALL.into_iter().filter(|class| *class != RowClass::Information) {
            let of = |row: &&ComparedRow| row.case.source == source && row.metric.class == class;
            let verdicts: Vec<RowVerdict> = rows.iter().filter(of).map(|row| row.verdict).collect();
            let count = |o: Agreement| verdicts.iter().filter(|v| v.outcome == o).count();
            let within = verdicts.iter().filter(|v| v.outcome == Agreement::Within);
            let worst = within.map(|v| v.off.abs()).fold(0.0, f64::max) * 100.0;
            if !verdicts.is_empty() {
                let _ = write!(
                    page,
                    "\n| {} | {} | {} | {} | {} | {} | {} | {worst:.2} % |",
                    source.title(),
                    class.name(),
                    class.bound(),
                    verdicts.len(),
                    count(Agreement::Within),
                    count(Agreement::Open),
                    count(Agreement::Exceeds),
                );
            }
        }
    }
}

/// The rows that exceed their bounds, each with a link to its cause.
fn exceeding(page: &mut String, rows: &[ComparedRow]) -> Result<(), String> {
    page.push_str(
        "| path | sender | parameters | quantity | ours | theirs | difference | cause |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|---|\n");
    for row in rows {
        let Some(why) = &row.cause else { continue };
        if !REASONS.contains(&format!("### {why}\n")) {
            return Err(format!("page/reasons.md does not explain '{why}'"));
        }
        let case = row.case;
        let (ours, theirs) = row.middles();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} | [{why}](#{why}) |",
            case.scenario,
            case.who,
            case.params,
            row.metric.name,
            value(ours),
            value(theirs),
            row.difference(),
        );
    }
    Ok(())
}
