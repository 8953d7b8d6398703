//! The card on a terminal and as Markdown.

use std::fmt::Write as _;

use westwood_experiment::metric::Metric;
use westwood_scenario::counted;

use crate::card::{CardVerdict, JudgedCell, JudgedCriterion, JudgedTest, Scorecard};
use crate::criterion::{COMPETING, CardReference, CardThreshold, Examination, Requirement};

/// `26 criteria: 22 pass, 1 fail, 0 undecided, 3 not applicable.`
pub fn counts(card: &Scorecard) -> String {
    let [pass, fail, undecided, not] = card.counts();
    let criteria = card.criteria.len();
    let noun = if criteria == 1 { "criterion" } else { "criteria" };
    format!(
        "{criteria} {noun}: {pass} pass, {fail} fail, {undecided} undecided, {not} not applicable."
    )
}

/// Columns of a terminal.
const WIDTH: usize = 80;

/// A line for each criterion, and below it those cells that do not pass; no line is wider than 80 columns
/// unless a word is.
pub fn terminal(card: &Scorecard) -> String {
    let mut out = format!("{}, by the criteria of {}\n\n", card.controller, card.title);
    for criterion in &card.criteria {
        let (verdict, word) = (criterion.verdict.name(), criterion.requirement.as_str());
        let head = format!("{:6} {word:6} {verdict:14} ", criterion.section);
        lines(&mut out, &head, 30, &criterion.title);
        if let Some(reason) = &criterion.reason {
            lines(&mut out, "  ", 2, reason);
            continue;
        }
        for test in &criterion.tests {
            if let Some(reason) = &test.reason {
                lines(&mut out, "  ", 4, &format!("{}: {reason}", test.measure));
                continue;
            }
            let open = test.cells.iter().filter(|cell| cell.verdict != CardVerdict::Pass);
            let mut open = open.peekable();
            if open.peek().is_some() {
                lines(&mut out, "  ", 4, &format!("{}, {}", test.measure, test.limit));
            }
            for cell in open {
                let head = format!("    {:9} ", cell.verdict.name());
                lines(&mut out, &head, 16, &cell_text(test, cell));
            }
        }
    }
    let _ = writeln!(out, "\n{}", counts(card));
    if let Some(own) = own_limits(card) {
        lines(&mut out, "", 0, &own);
    }
    if !card.cost.is_empty() {
        out.push_str(&cost(card));
    }
    out
}

/// The sections whose every limit is set by the controller's own runs: `Its own runs set every limit of
/// 5.1.2, 5.1.3: ...`. None if there are none.
pub fn own_limits(card: &Scorecard) -> Option<String> {
    let is_own = |criterion: &&JudgedCriterion| {
        let mut cells = criterion.tests.iter().flat_map(|test| &test.cells).peekable();
        cells.peek().is_some()
            && cells.all(|cell| cell.beside.as_deref() == Some(card.controller.as_str()))
    };
    let mut sections: Vec<&str> =
        card.criteria.iter().filter(is_own).map(|c| c.section.as_str()).collect();
    sections.dedup();
    let text = format!(
        "Its own runs set every limit of {}: there it passes by definition.",
        sections.join(", ")
    );
    (!sections.is_empty()).then_some(text)
}

/// The cost of an ACK, a line for each controller.
fn cost(card: &Scorecard) -> String {
    let mut out = "\nAn ACK's cost on this machine now, on which no verdict rests:\n".to_owned();
    for cost in &card.cost {
        let cycles = cost.cycles.map_or_else(String::new, |n| format!(" {n:8.1} reference cycles"));
        let _ = writeln!(out, "{:8.1} ns{cycles} {}", cost.ns, cost.controller);
    }
    out
}

/// Writes a text after a head, broken at words, its further lines indented.
fn lines(out: &mut String, head: &str, indent: usize, text: &str) {
    let mut line = head.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(indent);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// `fail  goodput, 7.7-reordering, extreme: 1.210 Mbit/s, cubic 2.720 Mbit/s, 8 seeds (ratio at least 0.95)`.
fn cell_line(test: &JudgedTest, cell: &JudgedCell) -> String {
    let (measure, limit) = (&test.measure, &test.limit);
    format!("{:9} {measure}, {} ({limit})", cell.verdict.name(), cell_text(test, cell))
}

/// `5.1.3-many-flows, flows=100: 12.10 %, cubic 7.20 %, 8 seeds`.
fn cell_text(test: &JudgedTest, cell: &JudgedCell) -> String {
    let setting = test.setting_of(cell);
    if let (CardVerdict::NotApplicable, Some(reason)) = (cell.verdict, &cell.reason) {
        return format!("{setting}: {reason}");
    }
    let found = cell.reason.clone().unwrap_or_else(|| found(test, cell));
    let seeds =
        if cell.exact { "exact".to_owned() } else { counted(cell.seeds.len() as u64, "seed") };
    format!("{setting}: {found}, {seeds}")
}

/// `12.10 %, cubic 7.20 %`.
pub fn found(test: &JudgedTest, cell: &JudgedCell) -> String {
    let own = value_text(&test.measure, &cell.values);
    match &cell.beside {
        None => own,
        Some(name) => format!("{own}, {name} {}", value_text(&test.measure, &cell.beside_values)),
    }
}

/// The mean of some values in the unit that people use.
pub fn value_text(measure: &str, values: &[f64]) -> String {
    match (Metric::named(measure), westwood_experiment::stats::mean(values)) {
        (Ok(metric), Some(mean)) => metric.text(mean),
        (_, Some(mean)) => format!("{mean:.3}"),
        (_, None) => "-".to_owned(),
    }
}

/// Cards side by side, as `results/scorecards.md` has them: a row for each criterion, a column for each
/// controller, and below the cells that fail.
pub fn markdown(cards: &[Scorecard]) -> String {
    let Some(first) = cards.first() else { return String::new() };
    let mut out = format!("# Scorecards by {}\n\nWestwood {}.\n\n", first.title, first.version);
    let names: Vec<&str> = cards.iter().map(|card| card.controller.as_str()).collect();
    let _ = writeln!(out, "| section | criterion | asked | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|---|---|{}", "---|".repeat(cards.len()));
    for criterion in &first.criteria {
        let of = |card: &Scorecard| {
            // A section may have a criterion for each of its words.
            let is_same = |other: &&JudgedCriterion| {
                (&other.section, &other.requirement) == (&criterion.section, &criterion.requirement)
            };
            let own = card.criteria.iter().find(is_same);
            own.map_or("", |own| own.verdict.name()).to_owned()
        };
        let verdicts: Vec<String> = cards.iter().map(of).collect();
        let (section, title) = (&criterion.section, &criterion.title);
        let (word, verdicts) = (&criterion.requirement, verdicts.join(" | "));
        let _ = writeln!(out, "| {section} | {title} | {word} | {verdicts} |");
    }
    for card in cards {
        let _ = writeln!(out, "\n## {}\n\n{}\n", card.controller, counts(card));
        if let Some(own) = own_limits(card) {
            let _ = writeln!(out, "{own}\n");
        }
        for criterion in &card.criteria {
            failures(&mut out, criterion);
        }
    }
    out
}

/// The cells of a criterion that do not pass, a line each.
fn failures(out: &mut String, criterion: &JudgedCriterion) {
    for test in &criterion.tests {
        for cell in test.cells.iter().filter(|cell| cell.verdict != CardVerdict::Pass) {
            let _ = writeln!(out, "* {} {}", criterion.section, cell_line(test, cell));
        }
        if let Some(reason) = &test.reason {
            let (section, measure) = (&criterion.section, &test.measure);
            let _ = writeln!(out, "* {section} not applicable {measure}: {reason}");
        }
    }
}

/// The page `docs/reference/criteria.md`: every criterion, its tests and limits, from their declarations.
pub fn reference(examination: &Examination) -> String {
    let mut out = format!(
        "# The criteria of RFC 9743\n\n`westwood evaluate rfc9743` examines a controller by these criteria. This \
         page is made from their files (`westwood schema --criteria`): `criteria/rfc9743/criteria.toml` and \
         `thresholds.toml`, which `westwood evaluate rfc9743 --write DIR` writes. The limits are Westwood's own \
         where their source says so: the RFC sets none. {}: {}.\n",
        examination.title, examination.source
    );
    if let Some(note) = &examination.note {
        let _ = writeln!(out, "\n{note}");
    }
    for criterion in &examination.criteria {
        let (section, title) = (&criterion.section, &criterion.title);
        let (says, asks) = (&criterion.says, &criterion.asks);
        let word = match criterion.requirement {
            Requirement::Described => String::new(),
            word => format!(" ({})", word.name()),
        };
        let _ = writeln!(out, "\n## {section} {title}{word}\n\n> {says}\n\n{asks}\n");
        if let Some(note) = &criterion.note {
            let _ = writeln!(out, "{note}\n");
        }
        if let Some(reason) = &criterion.not_applicable {
            let _ = writeln!(out, "Not applicable: {reason}.");
            continue;
        }
        let _ = writeln!(
            out,
            "| scenario | measure | test | limit | not on Linux |\n|---|---|---|---|---|"
        );
        for test in &criterion.tests {
            let beside = match &test.beside {
                CardReference::Absent => String::new(),
                CardReference::Controllers(names) => format!(", beside {}", names.join(" and ")),
                CardReference::AnyOf(names) => {
                    let name = |name: &String| match name.as_str() {
                        COMPETING => "the competing controller".to_owned(),
                        other => other.to_owned(),
                    };
                    let names: Vec<String> = names.iter().map(name).collect();
                    format!(", beside {}, whichever allows more", names.join(" or "))
                }
                CardReference::Variant(name) => format!(", beside its own `{name}`"),
            };
            let (scenario, measure, about) = (&test.scenario, test.measure.name(), &test.about);
            let linux = test.not_on_linux.as_deref().unwrap_or("");
            let (name, limit) = (&test.threshold.name, test.threshold.of_measure(test.measure));
            let _ = writeln!(
                out,
                "| `{scenario}` | `{measure}` | {about} | `{name}`: {limit}{beside} | {linux} |",
            );
        }
    }
    out.push_str(
        "\n## Limits\n\nNumbers are those of the file: shares from 0 to 1, times in milliseconds, rates in bits a \
         second.\n",
    );
    out.push_str("\n| name | limit | reason | source |\n|---|---|---|---|\n");
    let tests = || examination.criteria.iter().flat_map(|criterion| &criterion.tests);
    let mut named: Vec<&CardThreshold> = Vec::new();
    for limit in tests().map(|test| &test.threshold) {
        if !named.contains(&limit) {
            named.push(limit);
        }
    }
    for limit in named {
        let _ = writeln!(out, "| `{}` | {limit} | {} | {} |", limit.name, limit.why, limit.source);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_words_and_are_indented() {
        let mut out = String::new();
        let text = "Operation with the Envelope Set by Network Circuit Breakers";
        lines(&mut out, "7.2    ought  not applicable ", 30, text);
        assert!(out.lines().all(|line| line.chars().count() <= WIDTH), "{out}");
        let second = out.lines().nth(1).expect("there are two lines");
        assert!(second.starts_with(&" ".repeat(30)) && !second.starts_with(&" ".repeat(31)));
        assert_eq!(out.split_whitespace().skip(4).collect::<Vec<_>>().join(" "), text);
    }
}
