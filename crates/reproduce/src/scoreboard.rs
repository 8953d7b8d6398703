//! The scoreboard: on a terminal and as `results/reproduction.md`, or `results/reproduction-linux.md`.

use std::fmt::Write as _;

use crate::extent::Platform;
use crate::plan::ReproductionPlan;
use crate::results::{ClaimVerdict, Judged, ReproductionReport};
use crate::text;

/// A line for each claim, and the counts of each paper.
pub fn terminal(plan: &ReproductionPlan, report: &ReproductionReport) -> String {
    let mut out = String::new();
    for paper in &plan.papers {
        let claims: Vec<&Judged> = report.claims.iter().filter(|c| c.paper == paper.key).collect();
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
    out.push_str(&counts(plan, report, |cells| {
        format!("{:22} {:>7} {:>9} {:>9} {:>13}", cells[0], cells[1], cells[2], cells[3], cells[4])
    }));
    out
}

/// A row for each paper and one for all.
fn counts(
    plan: &ReproductionPlan,
    report: &ReproductionReport,
    row: impl Fn([&str; 5]) -> String,
) -> String {
    let mut out = row(["paper", "holds", "in shape", "differs", "not testable"]) + "\n";
    let mut line = |name: &str, counts: [usize; 4]| {
        let [a, b, c, d] = counts.map(|n| n.to_string());
        out.push_str(&row([name, &a, &b, &c, &d]));
        out.push('\n');
    };
    for paper in &plan.papers {
        line(&paper.key, report.counts(Some(&paper.key)));
    }
    if plan.papers.len() > 1 {
        line("all", report.counts(None));
    }
    out
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
    let cells = |cells: [&str; 5]| format!("| {} |", cells.join(" | "));
    let table = counts(plan, report, cells);
    let (head, rows) = table.split_once('\n').unwrap_or((&table, ""));
    let _ = write!(out, "{head}\n|---|---|---|---|---|\n{rows}");
    for paper in &plan.papers {
        let _ = write!(
            out,
            "\n## {}\n\n{}, \"{}\", {}",
            paper.key, paper.authors, paper.title, paper.year
        );
        let _ = writeln!(
            out,
            ". What it leaves open, and what was chosen: [papers/{0}](https://github.com/westwood-cc/westwood/blob/main/papers/{0}/README.md).\n",
            paper.key
        );
        out.push_str("| claim | figure | what the paper says | paper | measured | verdict |\n");
        out.push_str("|---|---|---|---|---|---|\n");
        let own: Vec<&Judged> = report.claims.iter().filter(|c| c.paper == paper.key).collect();
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

/// The claims that a page says were not run.
pub fn not_run(page: &str) -> Vec<String> {
    let list = page.split_once("\n## Not run\n").and_then(|(_, rest)| rest.split_once(": "));
    let names = list.map_or("", |(_, names)| names.trim().trim_end_matches('.'));
    names.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Analyses and choices, below a paper's table.
fn notes(out: &mut String, claims: &[&Judged]) {
    let noted = |c: &&&Judged| {
        let texts = [&c.analysis, &c.nearest, &c.cut];
        texts.iter().any(|text| text.is_some()) || !c.choices.is_empty()
    };
    for claim in claims.iter().filter(noted) {
        let _ = write!(out, "\n**{}** ({}).", claim.id, claim.verdict.name());
        for text in claim.nearest.iter().chain(&claim.analysis) {
            let _ = write!(out, " {text}");
        }
        if let Some(cut) = &claim.cut {
            let _ = write!(out, " Left out: {cut}");
        }
        out.push('\n');
        for choice in &claim.choices {
            let found = text::found(claim, &choice.measured);
            let verdict = choice.verdict.name();
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
        let said = said.trim_end_matches(text::NEAREST).trim_end_matches(text::CLOSE);
        let verdict = ClaimVerdict::ALL.into_iter().find(|v| v.name() == said)?;
        Some(((*id).to_owned(), verdict))
    };
    page.lines().filter_map(row).collect()
}
