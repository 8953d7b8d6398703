//! The card as one page: every cell with its numbers, its seeds, its scenario and the command that repeats
//! it.

use westwood_report::figure::VerdictStrip;
use westwood_report::pages::{Block, Page, PageCell, PageSection, PageTable, render};

use crate::card::{CardVerdict, JudgedCell, JudgedCriterion, JudgedTest, Scorecard};
use crate::criterion::Examination;
use crate::text;

/// The text of the page.
pub fn page(card: &Scorecard, examination: &Examination) -> String {
    let mut parts = vec![PageSection {
        title: "The card".to_owned(),
        id: None,
        blocks: vec![
            Block::Text(
                "Each criterion stands for itself: there is no score. A criterion passes if every setting \
                 passes, and fails if one fails, beyond chance."
                    .to_owned(),
            ),
            Block::Table(overview(card)),
        ],
    }];
    parts.extend(card.criteria.iter().map(|criterion| section(card, criterion)));
    parts.push(rules(card));
    parts.extend(scenarios(card, examination));
    render(&Page {
        kicker: "Westwood scorecard".to_owned(),
        title: format!("{}: {}", card.controller, card.title),
        verdict: text::counts(card),
        subtitle: card.source.clone(),
        parts,
        footer: format!("westwood {}, on {}, schema {}", card.version, card.on, card.schema),
        with_filters: false,
    })
}

fn class_of(verdict: CardVerdict) -> &'static str {
    match verdict {
        CardVerdict::Pass => "holds",
        CardVerdict::Fail => "differs",
        CardVerdict::Undecided => "undecided",
        CardVerdict::NotApplicable => "untestable",
    }
}

fn verdict(verdict: CardVerdict) -> PageCell {
    PageCell { text: verdict.name().to_owned(), link: None, class: Some(class_of(verdict)) }
}

/// The anchor of a section, or of a scenario.
fn anchor(kind: &str, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("{kind}-{}", name.chars().map(plain).collect::<String>())
}

fn link(text: &str, kind: &str) -> PageCell {
    PageCell { text: text.to_owned(), link: Some(format!("#{}", anchor(kind, text))), class: None }
}

fn overview(card: &Scorecard) -> PageTable {
    let row = |criterion: &JudgedCriterion| {
        let cells = criterion.tests.iter().flat_map(|test| &test.cells);
        let of = |wanted| cells.clone().filter(|cell| cell.verdict == wanted).count();
        let settings = CardVerdict::ALL[..3].iter().filter(|verdict| of(**verdict) > 0);
        let settings: Vec<String> =
            settings.map(|verdict| format!("{} {}", of(*verdict), verdict.name())).collect();
        vec![
            link(&criterion.section, "section"),
            criterion.title.as_str().into(),
            criterion.requirement.as_str().into(),
            verdict(criterion.verdict),
            settings.join(", ").into(),
        ]
    };
    let head = ["section", "criterion", "asked", "verdict", "settings"];
    let rows = card.criteria.iter().map(row).collect();
    PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: true }
}

fn section(card: &Scorecard, criterion: &JudgedCriterion) -> PageSection {
    let mut blocks = vec![Block::Text(format!(
        "{} ({} in RFC 9743) {}",
        criterion.asks,
        criterion.requirement,
        match &criterion.reason {
            Some(reason) => format!("Not applicable: {reason}."),
            None => format!("Verdict: {}.", criterion.verdict.name()),
        }
    ))];
    if criterion.answered_by_text {
        blocks.push(match &card.text {
            Some(text) => Block::Code(text.clone()),
            None => Block::Note("The controller's file has no text.".to_owned()),
        });
    }
    for test in &criterion.tests {
        blocks.push(Block::Named(format!("{}.", test.measure), test.about.clone()));
        blocks.push(Block::Table(cells(test)));
        blocks.push(Block::Note(format!(
            "Limit '{}': {}. Source: {}",
            test.threshold, test.limit, test.limit_source
        )));
        let drawn = test.cells.iter().filter(|cell| !cell.exact && cell.values.len() > 1);
        blocks.extend(drawn.map(|cell| Block::Strip(strip(test, cell))));
        blocks.push(Block::Code(test.command.clone()));
    }
    PageSection {
        title: format!("{} {}", criterion.section, criterion.title),
        id: Some(anchor("section", &criterion.section)),
        blocks,
    }
}

fn cells(test: &JudgedTest) -> PageTable {
    let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.4}"));
    let row = |cell: &JudgedCell| {
        let excess = match (cell.excess, cell.half_width) {
            (Some(excess), Some(half)) if !cell.exact => format!("{excess:.4} ±{half:.4}"),
            (excess, _) => number(excess),
        };
        let seeds = if cell.exact { "exact".to_owned() } else { cell.seeds.len().to_string() };
        let beside = cell
            .beside
            .as_ref()
            .map(|name| format!("{name} {}", text::value_text(&test.measure, &cell.beside_values)));
        vec![
            link(&test.scenario, "scenario"),
            cell.setting.as_str().into(),
            cell.reason
                .clone()
                .unwrap_or_else(|| text::value_text(&test.measure, &cell.values))
                .into(),
            beside.unwrap_or_default().into(),
            excess.into(),
            seeds.into(),
            cell.p_value.map_or_else(String::new, |p| format!("{p:.1e}")).into(),
            verdict(cell.verdict),
        ]
    };
    let head =
        ["scenario", "setting", "measured", "beside", "over the limit", "seeds", "p", "verdict"];
    let rows = test.cells.iter().map(row).collect();
    PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: true }
}

/// The excess of each seed beside the limit.
fn strip(test: &JudgedTest, cell: &JudgedCell) -> VerdictStrip {
    let mean = cell.excess.unwrap_or(0.0);
    let beside = cell.beside.as_ref().map(|name| format!(" beside {name}")).unwrap_or_default();
    VerdictStrip {
        name: format!("{}, {}{beside}: over the limit", test.measure, cell.setting),
        accepted: (None, Some(0.0)),
        paper: None,
        seeds: cell.excesses.clone(),
        mean,
        interval: cell.half_width.map(|half| (mean - half, mean + half)),
    }
}

fn rules(card: &Scorecard) -> PageSection {
    let confidence = card.confidence * 100.0;
    PageSection {
        title: "How it is judged".to_owned(),
        id: None,
        blocks: vec![
            Block::Text(format!(
                "Controllers run over the same networks under the same random numbers, and are \
                 compared seed by seed. A setting is decided where the mean of the differences lies \
                 on one side of the limit by Student's t, with Holm's correction over the {} \
                 settings of the card, so that all verdicts together hold with {confidence} %. Seeds \
                 are doubled from 8 until that is so, or there are 64; each of these four looks \
                 takes a quarter of the error. Where nothing is random one run is exact.",
                card.statements
            )),
            Block::Note(
                "'Over the limit' is in the measure's own unit: bits a second, milliseconds, shares of 1. Of a \
                 ratio it is the value less the limit times the value beside it."
                    .to_owned(),
            ),
        ],
    }
}

/// The scenarios that were run, as files.
fn scenarios(card: &Scorecard, examination: &Examination) -> Vec<PageSection> {
    let tests = || card.criteria.iter().flat_map(|criterion| &criterion.tests);
    let used =
        examination.scenarios.iter().filter(|(name, _)| tests().any(|test| test.scenario == *name));
    let part = |(name, text): &(String, String)| PageSection {
        title: format!("{name}.toml"),
        id: Some(anchor("scenario", name)),
        blocks: vec![Block::Code(text.clone())],
    };
    used.map(part).collect()
}
