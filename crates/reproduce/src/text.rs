//! Numbers and claims as text.

use crate::results::{Judged, Measured, Said};

/// A number with three or four digits that mean something.
///
/// ```
/// use westwood_reproduce::text::number;
/// assert_eq!(number(0.0), "0");
/// assert_eq!(number(1.8649), "1.865");
/// assert_eq!(number(83_333.0), "83333");
/// assert_eq!(number(2e-10), "2e-10");
/// assert_eq!(number(-0.5), "-0.5");
/// ```
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return "no value".to_owned();
    }
    let size = x.abs();
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{x:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(digits));
    }
    let places = match size {
        s if s >= 1000.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 0.1 => 3,
        _ => 5,
    };
    trimmed(&format!("{x:.places$}")).to_owned()
}

/// Without zeros at the end of a fraction.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A number with its interval: `1.86 ± 0.02`.
pub fn measured(m: &Measured) -> String {
    match m.half {
        Some(half) if m.value.is_finite() => format!("{} ± {}", number(m.value), number(half)),
        _ => number(m.value),
    }
}

/// What the paper says, in a line.
pub fn expected(claim: &Judged) -> String {
    let said = |(i, said): (usize, &Said)| {
        let (name, unit) = claim.names.get(i).cloned().unwrap_or_default();
        match said {
            Said::Words(words) => words.clone(),
            Said::Number(x) => part(name.as_deref(), &number(*x), &unit),
            Said::Range([low, high]) => {
                part(name.as_deref(), &format!("{} to {}", number(*low), number(*high)), &unit)
            }
        }
    };
    claim.expected.iter().enumerate().map(said).collect::<Vec<_>>().join("; ")
}

/// What was measured, in a line.
pub fn found(claim: &Judged, numbers: &[Measured]) -> String {
    let one = |(i, m): (usize, &Measured)| {
        let (name, unit) = claim.names.get(i).cloned().unwrap_or_default();
        part(name.as_deref(), &measured(m), &unit)
    };
    numbers.iter().enumerate().map(one).collect::<Vec<_>>().join("; ")
}

/// What a page has behind a verdict that an interval leaves open.
pub(crate) const CLOSE: &str = " (close)";
/// What a page has behind a verdict on a path that is not the paper's.
pub(crate) const NEAREST: &str = " (nearest path)";

/// The verdict with what restricts it.
pub fn verdict(claim: &Judged) -> String {
    let close = if claim.close { CLOSE } else { "" };
    let nearest = if claim.nearest.is_some() { NEAREST } else { "" };
    format!("{}{close}{nearest}", claim.verdict.name())
}

fn part(name: Option<&str>, value: &str, unit: &str) -> String {
    let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
    let unit = if unit.is_empty() || unit == "1" { String::new() } else { format!(" {unit}") };
    format!("{name}{value}{unit}")
}
