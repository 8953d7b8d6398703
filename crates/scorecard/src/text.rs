//! The card on a terminal and as Markdown.

use std::fmt::Write as _;

use westwood_experiment::metric::Metric;

use crate::card::{CardVerdict, JudgedCell, JudgedCriterion, JudgedTest, Scorecard};
use crate::criterion::{CardReference, CardThreshold, Examination};

/// `26 criteria: 22 pass, 1 fail, 0 undecided, 3 not applicable.`
pub fn counts(card: &Scorecard) -> String {
    let [pass, fail, undecided, not] = card.counts();
    let criteria = card.criteria.len();
    let noun = if criteria == 1 { "criterion" } else { "criteria" };
    format!(
        "{criteria} {noun}: {pass} pass, {fail} fail, {undecided} undecided, {not} not applicable."
    )
}

/// A line for each criterion, and below it those cells that do not pass.
pub fn terminal(card: &Scorecard) -> String {
    let mut out = format!("{}, by the criteria of {}\n\n", card.controller, card.title);
    for criterion in &card.criteria {
        let (verdict, word) = (criterion.verdict.name(), criterion.requirement.as_str());
        let (section, title) = (&criterion.section, &criterion.title);
        let _ = writeln!(out, "{section:7} {word:7} {verdict:15} {title}");
        for test in &criterion.tests {
            for cell in test.cells.iter().filter(|cell| cell.verdict != CardVerdict::Pass) {
                let _ = writeln!(out, "          {}", cell_line(test, cell));
            }
        }
    }
    let _ = writeln!(out, "\n{}", counts(card));
    out
}

/// `fail  self_inflicted_loss, flows=100: 12.10 %, cubic 7.20 % (difference at most 0.01), 8 seeds`.
fn cell_line(test: &JudgedTest, cell: &JudgedCell) -> String {
    let mut line = format!("{:10}{}, {}: ", cell.verdict.name(), test.measure, cell.setting);
    match &cell.reason {
        Some(reason) => line.push_str(reason),
        None => line.push_str(&found(test, cell)),
    }
    let _ = write!(line, " ({})", test.limit);
    let _ = match (cell.exact, cell.seeds.len()) {
        (true, _) => write!(line, ", exact"),
        (false, n) => write!(line, ", {n} seeds"),
    };
    line
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
    let mut out = format!("# Scorecards by {}\n\n", first.title);
    let names: Vec<&str> = cards.iter().map(|card| card.controller.as_str()).collect();
    let _ = writeln!(out, "| section | criterion | asked | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|---|---|{}", "---|".repeat(cards.len()));
    for criterion in &first.criteria {
        let of = |card: &Scorecard| {
            let own = card.criteria.iter().find(|other| other.section == criterion.section);
            own.map_or("", |own| own.verdict.name()).to_owned()
        };
        let verdicts: Vec<String> = cards.iter().map(of).collect();
        let (section, title) = (&criterion.section, &criterion.title);
        let (word, verdicts) = (&criterion.requirement, verdicts.join(" | "));
        let _ = writeln!(out, "| {section} | {title} | {word} | {verdicts} |");
    }
    for card in cards {
        let _ = writeln!(out, "\n## {}\n\n{}\n", card.controller, counts(card));
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
    for criterion in &examination.criteria {
        let (section, title) = (&criterion.section, &criterion.title);
        let (word, asks) = (criterion.requirement.name(), &criterion.asks);
        let _ = writeln!(out, "\n## {section} {title} ({word})\n\n{asks}\n");
        if let Some(reason) = &criterion.not_applicable {
            let _ = writeln!(out, "Not applicable: {reason}.");
            continue;
        }
        let _ = writeln!(
            out,
            "| scenario | measure | test | limit | on Linux |\n|---|---|---|---|---|"
        );
        for test in &criterion.tests {
            let beside = match &test.beside {
                CardReference::Absent => String::new(),
                CardReference::Controllers(names) => format!(", beside {}", names.join(" and ")),
                CardReference::Variant(name) => format!(", beside its own `{name}`"),
            };
            let (scenario, measure, about) = (&test.scenario, test.measure.name(), &test.about);
            let (limit, linux) = (&test.threshold, if test.linux { "yes" } else { "" });
            let _ = writeln!(
                out,
                "| `{scenario}` | `{measure}` | {about} | `{}`: {limit}{beside} | {linux} |",
                limit.name
            );
        }
    }
    out.push_str("\n## Limits\n\n| name | limit | reason | source |\n|---|---|---|---|\n");
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
