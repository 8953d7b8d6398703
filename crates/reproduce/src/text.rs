//! Numbers and claims as text.

pub use crate::number::number;
use crate::results::{ClaimVerdict, JudgedClaim, MeasuredNumber, StatedValue};

/// A number with its interval: `1.86 (1.84 to 1.88)`.
pub fn measured(m: &MeasuredNumber) -> String {
    match m.interval {
        Some((low, _)) if low == f64::NEG_INFINITY => {
            format!("{} (not in all runs)", number(m.value))
        }
        Some((low, high)) => format!("{} ({} to {})", number(m.value), number(low), number(high)),
        None => number(m.value),
    }
}

/// The paper's value, in a line.
pub fn expected(claim: &JudgedClaim) -> String {
    let said = |(i, said): (usize, &StatedValue)| {
        let (name, unit) = claim.names.get(i).cloned().unwrap_or_default();
        match said {
            StatedValue::Words(words) => words.clone(),
            StatedValue::Number(x) => part(name.as_deref(), &number(*x), &unit),
            StatedValue::Range([low, high]) => {
                part(name.as_deref(), &format!("{} to {}", number(*low), number(*high)), &unit)
            }
        }
    };
    claim.expected.iter().enumerate().map(said).collect::<Vec<_>>().join("; ")
}

/// A claim's place in its paper: `figure 15`, `table I`, `sec. 4.3`.
pub fn place(figure: &str) -> String {
    let numbered = figure.starts_with(|c: char| c.is_ascii_digit());
    if numbered { format!("figure {figure}") } else { figure.to_owned() }
}

/// A figure's or a table's heading: `Figure 15: goodput against the buffer`.
pub(crate) fn heading(figure: &str, title: &str) -> String {
    let numbered = figure.starts_with(|c: char| c.is_ascii_digit());
    if numbered { format!("Figure {figure}: {title}") } else { format!("{figure}: {title}") }
}

/// The measured value, in a line.
pub fn found(claim: &JudgedClaim, numbers: &[MeasuredNumber]) -> String {
    let one = |(i, m): (usize, &MeasuredNumber)| {
        let (name, unit) = claim.names.get(i).cloned().unwrap_or_default();
        part(name.as_deref(), &measured(m), &unit)
    };
    numbers.iter().enumerate().map(one).collect::<Vec<_>>().join("; ")
}

/// The remark behind a verdict on a path that is not the paper's.
pub(crate) const NEAREST: &str = " (nearest path)";

/// The verdict with what restricts it.
pub fn verdict(claim: &JudgedClaim) -> String {
    let nearest = if claim.nearest.is_some() { NEAREST } else { "" };
    format!("{}{nearest}", claim.verdict.name())
}

/// A verdict; of an undecided one also that of the means, and the number of seeds.
pub(crate) fn in_words(verdict: ClaimVerdict, means: ClaimVerdict, seeds: usize) -> String {
    if verdict == ClaimVerdict::Undecided {
        return format!("undecided with {seeds} seeds; the means alone: {}", means.name());
    }
    verdict.name().to_owned()
}

fn part(name: Option<&str>, value: &str, unit: &str) -> String {
    let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
    let unit = if unit.is_empty() || unit == "1" { String::new() } else { format!(" {unit}") };
    format!("{name}{value}{unit}")
}
