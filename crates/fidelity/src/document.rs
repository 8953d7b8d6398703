//! docs/evidence/fidelity.md: a page made of cases and results alone.

use std::fmt::Write as _;

use crate::case::{Case, Metric, Source};
use crate::judge::{Class, Outcome, Verdict, judge};
use crate::reasons::{self, Reason};
use crate::results::Results;
use crate::stats::{mean, median, quantile};
use crate::table;

const INTRODUCTION: &str = include_str!("document/introduction.md");
const NS2: &str = include_str!("document/ns2.md");
const NS2_OTHER: &str = include_str!("document/ns2_other.md");
const LINUX: &str = include_str!("document/linux.md");
const REASONS: &str = include_str!("document/reasons.md");
const INFORMATION: &str = include_str!("document/information.md");
const NS3: &str = include_str!("document/ns3.md");

/// A row in one line, for the terminal.
pub fn line(metric: &Metric, ours: &[f64]) -> String {
    let verdict = judge(metric.class, ours, &metric.theirs);
    let (o, t) = middles(metric.class, ours, &metric.theirs);
    let word = word(verdict);
    format!("{:24} {:>12} {:>12} {:>16}  {word}", metric.name, value(o), value(t), off(verdict))
}

/// The page that cases and results make.
///
/// # Errors
///
/// Which row has no result, which exceeds its bound without a reason, or which table cannot be read.
pub fn render(cases: &[Case], results: &Results) -> Result<String, String> {
    let rows = rows(cases, results)?;
    let mut page = format!("{}\n\n", INTRODUCTION.trim_end());
    summary(&mut page, &rows);
    for (source, prose) in
        [(Source::Ns2, NS2), (Source::Ns2Other, NS2_OTHER), (Source::Linux, LINUX)]
    {
        let of_source = rows.iter().filter(|row| row.case.source == source);
        let _ = write!(page, "\n{}\n\n", prose.trim_end());
        held(&mut page, of_source);
    }
    let _ = write!(page, "\n{}\n\n{}\n\n", REASONS.trim_end(), INFORMATION.trim_end());
    shares(&mut page, &rows);
    page.push_str(BEHIND);
    behind(&mut page, cases, results);
    let _ = write!(page, "\n{}\n\n", NS3.trim_end());
    ns3(&mut page)?;
    Ok(page)
}

const BEHIND: &str = "\n### Retransmissions and timeouts\n\nMeans over a run, of the flows that are \
                      measured.\n\n";

/// A metric with what came out on both sides.
struct Row<'a> {
    case: &'a Case,
    metric: &'a Metric,
    ours: &'a [f64],
    verdict: Verdict,
    reason: Option<String>,
}

/// Every row but retransmissions and the like.
fn rows<'a>(cases: &'a [Case], results: &'a Results) -> Result<Vec<Row<'a>>, String> {
    let reasons = reasons::all().map_err(|e| e.to_string())?;
    let mut rows = Vec::new();
    for case in cases {
        for metric in case.metrics.iter().filter(|m| m.name.starts_with(['g', 'j'])) {
            let missing = || format!("{} {} has no result", case.name(), metric.name);
            let ours = results.of(&case.name(), &metric.name).ok_or_else(missing)?;
            let verdict = judge(metric.class, ours, &metric.theirs);
            let reason = match verdict.outcome {
                Outcome::Exceeds => Some(reason(&reasons, case, metric)?),
                _ => None,
            };
            rows.push(Row { case, metric, ours, verdict, reason });
        }
    }
    Ok(rows)
}

/// Why a row exceeds its bound, as a link to where it is explained.
fn reason(reasons: &[Reason], case: &Case, metric: &Metric) -> Result<String, String> {
    let fits =
        |r: &&Reason| r.fits(case.source, &case.scenario, &case.who, &case.params, &metric.name);
    let name = || format!("{} {}", case.name(), metric.name);
    let found = reasons.iter().find(fits);
    let key = &found.ok_or_else(|| format!("{} exceeds its bound without a reason", name()))?.key;
    if !REASONS.contains(&format!("### {key}\n")) {
        return Err(format!("document/reasons.md does not explain '{key}'"));
    }
    Ok(format!("[{key}](#{key})"))
}

/// How many rows of each source and class are within their bounds.
fn summary(page: &mut String, rows: &[Row]) {
    page.push_str(
        "| numbers of | kind | bound | rows | within | open | exceed | largest within |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|---|\n");
    for source in Source::ALL {
        for class in Class::ALL.into_iter().filter(|class| *class != Class::Information) {
            let of = |row: &&Row| row.case.source == source && row.metric.class == class;
            let verdicts: Vec<Verdict> = rows.iter().filter(of).map(|row| row.verdict).collect();
            let count = |o: Outcome| verdicts.iter().filter(|v| v.outcome == o).count();
            let within = verdicts.iter().filter(|v| v.outcome == Outcome::Within);
            let worst = within.map(|v| v.off.abs()).fold(0.0, f64::max) * 100.0;
            if !verdicts.is_empty() {
                let _ = writeln!(
                    page,
                    "| {} | {} | {} | {} | {} | {} | {} | {worst:.2} % |",
                    source.title(),
                    class.name(),
                    class.bound(),
                    verdicts.len(),
                    count(Outcome::Within),
                    count(Outcome::Open),
                    count(Outcome::Exceeds),
                );
            }
        }
    }
}

fn held<'a>(page: &mut String, rows: impl Iterator<Item = &'a Row<'a>>) {
    page.push_str(
        "| path | sender | parameters | measured | ours | theirs | runs | difference | bound | |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
    for row in rows.filter(|row| row.metric.class != Class::Information) {
        let (case, metric) = (row.case, row.metric);
        let (o, t) = middles(metric.class, row.ours, &metric.theirs);
        let reason = row.reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {}/{} | {} | {} | {}{reason} |",
            case.scenario,
            case.who,
            case.params,
            metric.name,
            value(o),
            value(t),
            row.ours.len(),
            metric.theirs.len(),
            off(row.verdict),
            metric.class.bound(),
            word(row.verdict)
        );
    }
}

/// What single flows get among several: the 10th, 50th and 90th percentile of the runs.
fn shares(page: &mut String, rows: &[Row]) {
    page.push_str("| path | sender | parameters | measured | ours: p10, median, p90 | theirs |\n");
    page.push_str("|---|---|---|---|---|---|\n");
    let spread = |x: &[f64]| [0.1, 0.5, 0.9].map(|q| value(quantile(x, q))).join(", ");
    for row in rows.iter().filter(|row| row.metric.class == Class::Information) {
        let (case, metric) = (row.case, row.metric);
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            case.scenario,
            case.who,
            case.params,
            metric.name,
            spread(row.ours),
            spread(&metric.theirs)
        );
    }
}

/// Retransmissions and timeouts, which explain goodputs.
fn behind(page: &mut String, cases: &[Case], results: &Results) {
    page.push_str("| numbers of | path | sender | parameters | copies: ours | theirs | timeouts: ours | theirs |\n");
    page.push_str("|---|---|---|---|---|---|---|---|\n");
    for case in cases.iter().filter(|case| case.source != Source::Linux) {
        let both = |name: &str| -> Option<(f64, f64)> {
            let metric = case.metrics.iter().find(|m| m.name == name)?;
            Some((mean(results.of(&case.name(), name)?), mean(&metric.theirs)))
        };
        if let (Some(copies), Some(timeouts)) = (both("rexmit"), both("timeouts")) {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} | {:.1} | {:.1} | {:.2} | {:.2} |",
                case.source.title(),
                case.scenario,
                case.who,
                case.params,
                copies.0,
                copies.1,
                timeouts.0,
                timeouts.1
            );
        }
    }
}

/// ns-3's rows as they stand.
fn ns3(page: &mut String) -> Result<(), String> {
    page.push_str("| path | controller | waiting packets | loss | Mbit/s from 0 s | from 50 s |\n");
    page.push_str("|---|---|---|---|---|---|\n");
    for row in table::ns3().map_err(|e| e.to_string())? {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {:.2} | {:.2} |",
            row.scenario, row.cc, row.buffer, row.loss, row.goodput_mbps, row.late_mbps
        );
    }
    Ok(())
}

/// What the bound compares: medians under a heavy tail, else means.
fn middles(class: Class, ours: &[f64], theirs: &[f64]) -> (f64, f64) {
    match class {
        Class::HeavyTailed => (median(ours), median(theirs)),
        _ => (mean(ours), mean(theirs)),
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict.outcome {
        Outcome::Within => "within",
        Outcome::Exceeds => "**exceeds**",
        Outcome::Open => "open",
        Outcome::NotHeld => "",
    }
}

fn off(verdict: Verdict) -> String {
    match verdict.half {
        Some(half) => format!("{:+.2} ± {:.2} %", verdict.off * 100.0, half * 100.0),
        None => format!("{:+.2} %", verdict.off * 100.0),
    }
}

/// A goodput in Mbit/s, anything else as it is.
fn value(x: f64) -> String {
    match x {
        x if x >= 1e3 => format!("{:.3} M", x / 1e6),
        x if x < 10.0 => format!("{x:.4}"),
        x => format!("{x:.1}"),
    }
}
