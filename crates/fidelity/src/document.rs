//! docs/fidelity.md: a page made of cases and results alone.

use std::fmt::Write as _;

use crate::case::{Case, Metric, Source};
use crate::judge::{Class, Verdict, judge};
use crate::reasons::{self, Reason};
use crate::results::Results;
use crate::stats::{mean, median};

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
/// Which row has no result, or which reason cannot be read.
pub fn render(cases: &[Case], results: &Results) -> Result<String, String> {
    let reasons = reasons::all().map_err(|e| e.to_string())?;
    let mut page = String::from("# Fidelity\n");
    for source in Source::ALL {
        let _ = writeln!(page, "\n## {}\n", source.name());
        page.push_str(
            "| path | sender | parameters | measured | ours | theirs | difference | bound | |\n",
        );
        page.push_str("|---|---|---|---|---|---|---|---|---|\n");
        for case in cases.iter().filter(|case| case.source == source) {
            for metric in case.metrics.iter().filter(|m| m.class != Class::Information) {
                row(&mut page, case, metric, results, &reasons)?;
            }
        }
    }
    Ok(page)
}

fn row(
    page: &mut String,
    case: &Case,
    metric: &Metric,
    results: &Results,
    reasons: &[Reason],
) -> Result<(), String> {
    let ours = results
        .of(&case.name(), &metric.name)
        .ok_or_else(|| format!("{} {} has no result", case.name(), metric.name))?;
    let verdict = judge(metric.class, ours, &metric.theirs);
    let (o, t) = middles(metric.class, ours, &metric.theirs);
    let reason = reasons.iter().find(|reason| {
        reason.fits(case.source, &case.scenario, &case.who, &case.params, &metric.name)
    });
    let reason = match (verdict.within, reason) {
        (Some(false), Some(reason)) => format!(": {}", reason.key),
        _ => String::new(),
    };
    let _ = writeln!(
        page,
        "| {} | {} | {} | {} | {} | {} | {} | {} | {}{reason} |",
        case.scenario,
        case.who,
        case.params,
        metric.name,
        value(o),
        value(t),
        off(verdict),
        metric.class.bound(),
        word(verdict)
    );
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
    match verdict.within {
        Some(true) => "within",
        Some(false) => "**exceeds**",
        None => "",
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
        x if x >= 1e4 => format!("{:.3} M", x / 1e6),
        x if x < 10.0 => format!("{x:.4}"),
        x => format!("{x:.1}"),
    }
}
