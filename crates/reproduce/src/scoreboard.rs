//! The scoreboard: on a terminal and as `results/reproduction.md`, or `results/reproduction-linux.md`.

use std::fmt::Write as _;

use crate::claim::ClaimBasis;
use crate::extent::Platform;
use crate::plan::ReproductionPlan;
use crate::reading::turns;
use crate::results::{ClaimVerdict, JudgedClaim, JudgedReading, ReproductionReport, VerdictCounts};
use crate::text;

/// A line for each claim, and the counts of each paper.
pub fn terminal(plan: &ReproductionPlan, report: &ReproductionReport) -> String {
    let mut out = String::new();
    for paper in &plan.papers {
        let claims: Vec<&JudgedClaim> =
            report.claims.iter().filter(|c| c.paper == paper.key).collect();
        if claims.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}: {} ({})\n", paper.key, paper.title, paper.year);
        for claim in claims {
            let verdict = text::verdict(claim);
            let _ = write!(out, "{:12} {verdict:17} ", claim.id);
            let _ = if claim.measured.is_empty() {
                writeln!(out, "{}", claim.statement)
            } else {
                let found = text::found(claim, &claim.measured);
                writeln!(out, "{found} (paper: {})", text::expected(claim))
            };
        }
        out.push('\n');
    }
    if !report.not_run.is_empty() {
        let _ = writeln!(
            out,
            "{} claims are not judged: their runs are not there\n",
            report.not_run.len()
        );
    }
    out.push_str(&counts(plan, report, |cells: &[&str]| {
        let (first, rest) = cells.split_first().unwrap_or((&"", &[]));
        rest.iter().fold(format!("{first:22}"), |line, cell| format!("{line} {cell:>9}"))
    }));
    for reading in report.readings.iter().filter(|reading| reading.about_claims > 0) {
        let _ = writeln!(out, "{}", reading_in_words(reading));
    }
    out
}

/// `westwood-2002, New Reno's recovery: decides 30 of 48 claims anew, mends A, B, ...`.
fn reading_in_words(reading: &JudgedReading) -> String {
    format!("{}, {}: {}", reading.paper, reading.name, turns(reading))
}

/// The heads of the columns of verdicts.
const VERDICTS: [&str; 5] = ["holds", "in shape", "undecided", "differs", "untestable"];

/// A row for each paper and one for all.
fn counts(
    plan: &ReproductionPlan,
    report: &ReproductionReport,
    row: impl Fn(&[&str]) -> String,
) -> String {
    let mut rows: Vec<(&str, VerdictCounts)> = plan
        .papers
        .iter()
        .map(|paper| (paper.key.as_str(), report.counts(Some(&paper.key))))
        .collect();
    if plan.papers.len() > 1 {
        rows.push(("all", report.counts(None)));
    }
    table_of_counts("paper", &rows, row)
}

fn table_of_counts(
    head: &str,
    rows: &[(&str, VerdictCounts)],
    row: impl Fn(&[&str]) -> String,
) -> String {
    let mut out = row(&[&[head][..], &VERDICTS].concat()) + "\n";
    for (name, counts) in rows {
        let counts = counts.map(|n| n.to_string());
        let cells = std::iter::once(*name).chain(counts.iter().map(String::as_str));
        out += &(row(&cells.collect::<Vec<&str>>()) + "\n");
    }
    out
}

/// A table of counts in Markdown.
fn markdown_counts(head: &str, rows: &[(&str, VerdictCounts)]) -> String {
    under_head(&table_of_counts(head, rows, |cells| format!("| {} |", cells.join(" | "))))
}

/// The line of a Markdown table under its head.
fn under_head(table: &str) -> String {
    let (head, rows) = table.split_once('\n').unwrap_or((table, ""));
    let columns = head.matches('|').count().saturating_sub(1);
    format!("{head}\n|{}\n{rows}", "---|".repeat(columns))
}

/// The introduction above the verdicts.
fn rules(report: &ReproductionReport) -> String {
    match report.on {
        Platform::Simulator => include_str!("rules.md").to_owned(),
        Platform::Linux => {
            let measured = report.measured.join("; ");
            include_str!("rules-linux.md").replace("MEASURED", &measured)
        }
    }
}

/// The page `results/reproduction.md`, or `results/reproduction-linux.md` of runs on Linux.
pub fn markdown(plan: &ReproductionPlan, report: &ReproductionReport) -> String {
    let mut out = rules(report);
    out.push_str("\n## The scoreboard\n\n");
    let cells = |cells: &[&str]| format!("| {} |", cells.join(" | "));
    out.push_str(&under_head(&counts(plan, report, cells)));
    out.push_str("\n### By the source of the number\n\n");
    let bases = ClaimBasis::ALL.map(|basis| (basis.name(), report.counts_on(basis)));
    let some: Vec<(&str, VerdictCounts)> =
        bases.into_iter().filter(|(_, counts)| counts.iter().any(|n| *n > 0)).collect();
    out.push_str(&markdown_counts("measured number", &some));
    readings(&mut out, plan, report);
    ablations(&mut out, report);
    for paper in &plan.papers {
        let _ = write!(
            out,
            "\n## {}\n\n{}, \"{}\", {}",
            paper.key, paper.authors, paper.title, paper.year
        );
        let _ = writeln!(
            out,
            ". Its open questions, and the choices made: [papers/{0}](https://github.com/westwood-cc/westwood/blob/main/papers/{0}/README.md).\n",
            paper.key
        );
        out.push_str("| claim | figure | what the paper says | paper | measured | verdict |\n");
        out.push_str("|---|---|---|---|---|---|\n");
        let own: Vec<&JudgedClaim> =
            report.claims.iter().filter(|c| c.paper == paper.key).collect();
        for claim in &own {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                claim.id,
                cell(&claim.figure),
                cell(&claim.statement),
                cell(&text::expected(claim)),
                cell(&text::found(claim, &claim.measured)),
                text::verdict(claim),
            );
        }
        notes(&mut out, &own);
    }
    if !report.not_run.is_empty() {
        let _ = write!(
            out,
            "\n## Not run\n\nThe runs of these claims were not there when this page was made: {}.\n",
            report.not_run.join(", ")
        );
    }
    out
}

/// The questions that experiments of our own decide.
fn ablations(out: &mut String, report: &ReproductionReport) {
    if !report.ablations.is_empty() {
        out.push_str("\n## Experiments that decide\n");
    }
    for ablation in &report.ablations {
        let _ = write!(out, "\n### {}\n\n{}\n", ablation.question, ablation.answer);
        for (columns, rows) in &ablation.tables {
            let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
            let rows: String = rows.iter().map(|row| line(row)).collect();
            let _ = write!(out, "\n{}", under_head(&(line(columns) + &rows)));
        }
        let claims = match ablation.claims.as_slice() {
            [] => String::new(),
            ids => format!(" The analyses of {} rest on it.", ids.join(", ")),
        };
        let _ = writeln!(out, "\n`{}` repeats it.{claims}", ablation.command);
    }
}

/// A table for each paper with several readings.
fn readings(out: &mut String, plan: &ReproductionPlan, report: &ReproductionReport) {
    for paper in &plan.papers {
        let own: Vec<&JudgedReading> =
            report.readings.iter().filter(|reading| reading.paper == paper.key).collect();
        if own.is_empty() {
            continue;
        }
        let _ = write!(out, "\n### Readings of {}\n\n", paper.key);
        let rows: Vec<(&str, VerdictCounts)> =
            own.iter().map(|reading| (reading.name.as_str(), reading.counts)).collect();
        out.push_str(&markdown_counts("reading", &rows));
        out.push('\n');
        for reading in own.iter().filter(|reading| reading.about_claims > 0) {
            let (name, about) = (&reading.name, &reading.about);
            let _ = writeln!(out, "* **{name}**: {about}. It {}.", turns(reading));
        }
    }
}

/// The claims that a page says were not run.
pub fn not_run(page: &str) -> Vec<String> {
    let list = page.split_once("\n## Not run\n").and_then(|(_, rest)| rest.split_once(": "));
    let names = list.map_or("", |(_, names)| names.trim().trim_end_matches('.'));
    names.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Analyses and choices, below a paper's table.
fn notes(out: &mut String, claims: &[&JudgedClaim]) {
    let noted = |c: &&&JudgedClaim| {
        let texts = [&c.analysis, &c.nearest, &c.cut];
        let open = c.verdict == ClaimVerdict::Undecided;
        open || texts.iter().any(|text| text.is_some()) || !c.choices.is_empty()
    };
    for claim in claims.iter().filter(noted) {
        let verdict = text::in_words(claim.verdict, claim.leaning, claim.seeds);
        let _ = write!(out, "\n**{}** ({verdict}).", claim.id);
        for text in claim.nearest.iter().chain(&claim.analysis) {
            let _ = write!(out, " {text}");
        }
        if let Some(cut) = &claim.cut {
            let _ = write!(out, " Left out: {cut}");
        }
        out.push('\n');
        for other in &claim.others {
            let _ = writeln!(out, "* {}: {} ({})", other.by, other.says, other.how);
        }
        for choice in &claim.choices {
            let found = text::found(claim, &choice.measured);
            let verdict = text::in_words(choice.verdict, choice.leaning, choice.seeds);
            let _ = writeln!(out, "* {} ({}): {found}: {verdict}", choice.name, choice.about);
        }
    }
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The verdict on each claim in a page that [`markdown`] wrote.
pub fn verdicts(page: &str) -> Vec<(String, ClaimVerdict)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        let [id, .., last] = cells.as_slice() else { return None };
        let said = last.trim_end_matches(" |");
        let said = said.trim_end_matches(text::NEAREST);
        let verdict = ClaimVerdict::ALL.into_iter().find(|v| v.name() == said)?;
        Some(((*id).to_owned(), verdict))
    };
    page.lines().filter_map(row).collect()
}
