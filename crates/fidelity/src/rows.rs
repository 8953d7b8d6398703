//! Rows: a metric of a case with both sides' numbers and the verdict.

use std::fmt::Write as _;

use crate::case::{Case, ReferenceMetric};
use crate::judge::{Agreement, RowClass, RowVerdict, judge};
use crate::reasons;
use crate::results::Results;
use crate::stats::{mean, median, quantile};

/// A metric with the values of both sides.
pub struct ComparedRow<'a> {
    /// The path and the sender.
    pub case: &'a Case,
    /// The metric, and their numbers.
    pub metric: &'a ReferenceMetric,
    /// Our numbers, one for each run.
    pub ours: &'a [f64],
    /// The verdict.
    pub verdict: RowVerdict,
    /// The name of the cause, where a row exceeds its bound.
    pub cause: Option<String>,
}

/// All rows that measure goodput or fairness. Retransmissions and timeouts explain rows and are none.
///
/// # Errors
///
/// The row that has no result, or exceeds its bound without a cause.
pub fn rows<'a>(cases: &'a [Case], results: &'a Results) -> Result<Vec<ComparedRow<'a>>, String> {
    let reasons = reasons::all().map_err(|e| e.to_string())?;
    let mut rows = Vec::new();
    for case in cases {
        for metric in case.metrics.iter().filter(|m| m.name.starts_with(['g', 'j'])) {
            let missing = || format!("{} {} has no result", case.name(), metric.name);
            let ours = results.of(&case.name(), &metric.name).ok_or_else(missing)?;
            let verdict = judge(metric.class, ours, &metric.theirs);
            let cause = match verdict.outcome {
                Agreement::Exceeds => Some(cause(&reasons, case, metric)?),
                _ => None,
            };
            rows.push(ComparedRow { case, metric, ours, verdict, cause });
        }
    }
    Ok(rows)
}

/// Counts of dropped packets in single runs without chance: how many runs there are, and how near both sides
/// are in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropCounts {
    /// Runs in which packets are counted on both sides.
    pub runs: usize,
    /// Those with the same number.
    pub equal: usize,
    /// Those with numbers within 5 % of theirs, the same included.
    pub near: usize,
    /// The least that our number is of theirs, where theirs is more than ten.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// One drop more or less of so few is a large part of them.
const FEW_DROPS: f64 = 10.0;

/// Dropped packets, ours beside theirs.
///
/// # Errors
///
/// The case that has no result.
pub fn drop_counts(cases: &[Case], results: &Results) -> Result<DropCounts, String> {
    let mut counts = DropCounts { runs: 0, equal: 0, near: 0, least: 1.0, most: 1.0 };
    for case in cases.iter().filter(|case| case.seeds == 1) {
        let Some(metric) = case.metrics.iter().find(|metric| metric.name == "drops") else {
            continue;
        };
        let ours = results.of(&case.name(), &metric.name);
        let ours = mean(ours.ok_or_else(|| format!("{} drops has no result", case.name()))?);
        let theirs = mean(&metric.theirs);
        let apart = (ours - theirs).abs();
        counts.runs += 1;
        counts.equal += usize::from(apart < 0.5);
        counts.near += usize::from(apart < 0.5 || apart <= 0.05 * theirs);
        if theirs > FEW_DROPS {
            counts.least = counts.least.min(ours / theirs);
            counts.most = counts.most.max(ours / theirs);
        }
    }
    Ok(counts)
}

fn cause(
    reasons: &[reasons::DeviationReason],
    case: &Case,
    metric: &ReferenceMetric,
) -> Result<String, String> {
    let fits = |r: &&reasons::DeviationReason| {
        r.fits(case.source, &case.scenario, &case.who, &case.params, &metric.name)
    };
    let found = reasons.iter().find(fits).map(|reason| reason.key.clone());
    found.ok_or_else(|| {
        format!("{} {} exceeds its bound without a reason", case.name(), metric.name)
    })
}

impl ComparedRow<'_> {
    /// The values that the bound compares: medians under a heavy tail, else means; ours, then
    /// theirs.
    pub fn middles(&self) -> (f64, f64) {
        middles(self.metric.class, self.ours, &self.metric.theirs)
    }

    /// The difference in percent, with its interval where chance has a part.
    pub fn difference(&self) -> String {
        difference(self.verdict)
    }

    /// The verdict in a word.
    pub fn word(&self) -> &'static str {
        word(self.verdict)
    }
}

/// Rows as text for a terminal: a line for each path and sender, below it a line for each quantity.
/// Of single flows among several, which no bound holds, it has percentiles 10, 50 and 90.
pub fn listing(rows: &[ComparedRow]) -> String {
    let mut out = String::new();
    let mut last = String::new();
    for row in rows {
        let name = row.case.name();
        if name != last {
            let _ = writeln!(out, "{name}");
            last = name;
        }
        if row.metric.class == RowClass::Information {
            let spread = |x: &[f64]| [0.1, 0.5, 0.9].map(|q| value(quantile(x, q))).join(" ");
            let (ours, theirs) = (spread(row.ours), spread(&row.metric.theirs));
            let _ = writeln!(out, "  {:<17} {ours}   theirs {theirs}", row.metric.name);
        } else {
            let cause = row.cause.as_ref().map(|c| format!(": {c}")).unwrap_or_default();
            let _ = writeln!(out, "  {}{cause}", line_of(row.metric, row.ours, row.verdict));
        }
    }
    out
}

/// A quantity in one line: ours, theirs, the difference, the verdict.
pub fn line(metric: &ReferenceMetric, ours: &[f64]) -> String {
    line_of(metric, ours, judge(metric.class, ours, &metric.theirs))
}

fn line_of(metric: &ReferenceMetric, ours: &[f64], verdict: RowVerdict) -> String {
    let (o, t) = middles(metric.class, ours, &metric.theirs);
    let (o, t, off) = (value(o), value(t), difference(verdict));
    format!("{:<17} {o:>9} {t:>9} {off:>27}  {}", metric.name, word(verdict))
}

fn middles(class: RowClass, ours: &[f64], theirs: &[f64]) -> (f64, f64) {
    match class {
        RowClass::HeavyTailed => (median(ours), median(theirs)),
        _ => (mean(ours), mean(theirs)),
    }
}

fn word(verdict: RowVerdict) -> &'static str {
    match verdict.outcome {
        Agreement::Within => "within",
        Agreement::Exceeds => "exceeds",
        Agreement::Open => "open",
        Agreement::NotHeld => "",
    }
}

fn difference(verdict: RowVerdict) -> String {
    let off = verdict.off * 100.0;
    match (verdict.half, verdict.range) {
        (Some(half), _) => format!("{off:+.2} ± {:.2} %", half * 100.0),
        (None, Some((low, high))) => {
            format!("{off:+.2} % ({:+.2} to {:+.2})", low * 100.0, high * 100.0)
        }
        (None, None) => format!("{off:+.2} %"),
    }
}

/// A goodput in Mbit/s (M), anything else as it is.
pub fn value(x: f64) -> String {
    match x {
        x if x >= 1e3 => format!("{:.3} M", x / 1e6),
        x if x < 10.0 => format!("{x:.4}"),
        x => format!("{x:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_the_interval_of_its_class() {
        let wide: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 80.0 } else { 120.0 }).collect();
        let text = |class, ours: &[f64]| difference(judge(class, ours, &[100.0; 20]));
        assert_eq!(text(RowClass::HeavyTailed, &wide), "+0.00 % (-20.00 to +20.00)");
        // A spread of 20.52 % of the mean, over the root of twenty, times 1.96.
        assert_eq!(text(RowClass::Chance, &wide), "+0.00 ± 8.99 %");
        assert_eq!(text(RowClass::Exact, &[103.0]), "+3.00 %");
    }
}
