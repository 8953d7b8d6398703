//! The card as one page: every cell with its numbers, its seeds, its scenario and the command that repeats
//! it.

use std::collections::BTreeMap;

use westwood_report::figure::VerdictStrip;
use westwood_report::pages::{Block, FoldedBlocks, Page, PageCell, PageSection, PageTable, render};

use crate::card::{AckCost, CardVerdict, JudgedCell, JudgedCriterion, JudgedTest, Scorecard};
use crate::criterion::Examination;
use crate::curves::CardCurves;
use crate::playground::CardLinks;
use crate::text;

/// The text of the page.
pub fn page(
    card: &Scorecard,
    curves: &CardCurves,
    links: &CardLinks,
    examination: &Examination,
) -> String {
    let mut blocks = vec![Block::Text(
        "Each criterion stands for itself: there is no score. A criterion passes if every setting passes, and \
         fails if one fails, beyond chance. The limits are Westwood's own: the RFC sets none, and most of its \
         words bind a proposal or its evaluation, and not the result."
            .to_owned(),
    )];
    blocks.extend(text::own_limits(card).map(Block::Text));
    blocks.push(Block::Table(overview(card)));
    let mut parts = vec![PageSection { title: "The card".to_owned(), id: None, blocks }];
    let mut page = Folds { curves, links, drawn: BTreeMap::new() };
    parts.extend(card.criteria.iter().map(|criterion| section(card, criterion, &mut page)));
    if !card.cost.is_empty() {
        parts.push(cost(card));
    }
    parts.push(rules(card, links));
    parts.extend(scenarios(card, examination));
    render(&Page {
        kicker: "Westwood scorecard".to_owned(),
        playground: None,
        title: format!("{} by {}", card.controller, card.title),
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

/// The anchor of a criterion: a section may have one for each of its words.
fn criterion_anchor(criterion: &JudgedCriterion) -> String {
    anchor("section", &format!("{} {}", criterion.section, criterion.requirement))
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
            PageCell {
                link: Some(format!("#{}", criterion_anchor(criterion))),
                ..criterion.section.as_str().into()
            },
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

/// The settings whose curves are on the page, each with the anchor of its fold: tests of one scenario share
/// them.
struct Folds<'a> {
    curves: &'a CardCurves,
    links: &'a CardLinks,
    drawn: BTreeMap<(String, String), String>,
}

/// The anchor of a setting's fold.
fn fold_anchor(section: &str, test: &JudgedTest, setting: &str) -> String {
    let (scenario, measure) = (&test.scenario, &test.measure);
    anchor("setting", &format!("{section} {scenario} {measure} {setting}"))
}

fn section(card: &Scorecard, criterion: &JudgedCriterion, folds: &mut Folds<'_>) -> PageSection {
    let mut blocks = vec![
        Block::Note(format!("{} ({})", criterion.says, card.title_in_short())),
        Block::Text(format!(
            "{} {}",
            criterion.asks,
            match &criterion.reason {
                Some(reason) => format!("Not applicable: {reason}."),
                None => format!("Verdict: {}.", criterion.verdict.name()),
            }
        )),
    ];
    blocks.extend(criterion.note.clone().map(Block::Note));
    if criterion.answered_by_text {
        blocks.push(match &card.text {
            Some(text) => Block::Code(text.clone()),
            None => Block::Note("The controller's file has no text.".to_owned()),
        });
    }
    for test in &criterion.tests {
        blocks.push(Block::Named(format!("{}.", test.measure), test.about.clone()));
        if let Some(reason) = &test.reason {
            blocks.push(Block::Note(format!("Not applicable here: {reason}.")));
            continue;
        }
        blocks.push(Block::Table(cells(&criterion.section, test)));
        blocks.push(Block::Note(format!(
            "Limit '{}': {}. Source: {}",
            test.threshold, test.limit, test.limit_source
        )));
        blocks.extend(folds.of(&criterion.section, test).into_iter().map(Block::Folded));
    }
    let word = match criterion.requirement.as_str() {
        "-" => String::new(),
        word => format!(" ({word})"),
    };
    PageSection {
        title: format!("{} {}{word}", criterion.section, criterion.title),
        id: Some(criterion_anchor(criterion)),
        blocks,
    }
}

impl Folds<'_> {
    /// A fold for each setting of a test: its curves, or the way to those of an earlier test, a dot for each
    /// seed, the commands, and the way into the playground.
    fn of(&mut self, section: &str, test: &JudgedTest) -> Vec<FoldedBlocks> {
        let mut folds: Vec<FoldedBlocks> = Vec::new();
        for cell in &test.cells {
            let id = fold_anchor(section, test, &cell.setting);
            if folds.iter().any(|fold| fold.id == id) {
                continue;
            }
            let own = test.cells.iter().filter(|other| other.setting == cell.setting);
            let mut blocks = self.curves_of(test, &cell.setting, &id);
            let shown = if blocks.is_empty() { "seeds" } else { "curves of seed 1, seeds" };
            let summary = format!("{}: {shown} and command", test.setting_of(cell));
            let dotted = own.clone().filter(|cell| !cell.exact && cell.values.len() > 1);
            blocks.extend(dotted.map(|cell| Block::Strip(strip(test, cell))));
            let commands: Vec<&str> = own.map(|cell| cell.command.as_str()).collect();
            blocks.push(Block::Code(commands.join("\n")));
            let link = self.links.of_setting(&test.scenario, &cell.setting);
            blocks.extend(link.map(|(address, about)| {
                Block::Link("Open in the playground".to_owned(), address, about)
            }));
            folds.push(FoldedBlocks { summary, id, blocks });
        }
        folds
    }

    fn curves_of(&mut self, test: &JudgedTest, setting: &str, id: &str) -> Vec<Block> {
        let charts = self.curves.of(&test.scenario, setting);
        let key = (test.scenario.clone(), setting.to_owned());
        match self.drawn.get(&key) {
            _ if charts.is_empty() => Vec::new(),
            Some(first) => {
                let after = " stand at the first test of this scenario.".to_owned();
                vec![Block::Link("Its curves".to_owned(), format!("#{first}"), after)]
            }
            None => {
                self.drawn.insert(key, id.to_owned());
                charts.iter().cloned().map(Block::Chart).collect()
            }
        }
    }
}

/// A probability; below a billionth it is as good as none.
fn probability(p: f64) -> String {
    if p < 1e-9 { "< 1e-9".to_owned() } else { format!("{p:.1e}") }
}

fn cells(section: &str, test: &JudgedTest) -> PageTable {
    let number = |x: f64| text::value_text(&test.measure, &[x]);
    let row = |cell: &JudgedCell| {
        let excess = match (cell.excess, cell.half_width) {
            (Some(excess), Some(half)) if !cell.exact => {
                format!("{} ± {}", number(excess), number(half))
            }
            (excess, _) => excess.map_or_else(|| "-".to_owned(), number),
        };
        let seeds = if cell.exact { "exact".to_owned() } else { cell.seeds.len().to_string() };
        let beside = cell
            .beside
            .as_ref()
            .map(|name| format!("{name} {}", text::value_text(&test.measure, &cell.beside_values)));
        let details = PageCell {
            text: cell.setting.clone(),
            link: Some(format!("#{}", fold_anchor(section, test, &cell.setting))),
            class: None,
        };
        vec![
            link(&test.scenario, "scenario"),
            details,
            cell.reason
                .clone()
                .unwrap_or_else(|| text::value_text(&test.measure, &cell.values))
                .into(),
            beside.unwrap_or_default().into(),
            excess.into(),
            seeds.into(),
            cell.p_value.map_or_else(String::new, probability).into(),
            verdict(cell.verdict),
        ]
    };
    let head =
        ["scenario", "setting", "measured", "beside", "over the limit", "seeds", "p", "verdict"];
    let rows = test.cells.iter().map(row).collect();
    PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: true }
}

/// The cost of an ACK.
fn cost(card: &Scorecard) -> PageSection {
    let cycles = |cost: &AckCost| cost.cycles.map_or_else(String::new, |n| format!("{n:.1}"));
    let row = |cost: &AckCost| {
        vec![cost.controller.as_str().into(), format!("{:.1}", cost.ns).into(), cycles(cost).into()]
    };
    let head = ["controller", "ns an ACK", "reference cycles an ACK"].map(str::to_owned).to_vec();
    PageSection {
        title: "The cost of an ACK".to_owned(),
        id: None,
        blocks: vec![
            Block::Text(
                "Measured on one machine at one time, in congestion avoidance without loss: no verdict rests on \
                 it, and it does not repeat as everything else here does. Reference cycles go on at a \
                 constant rate near the processor's nominal frequency, whatever the core's own."
                    .to_owned(),
            ),
            Block::Table(PageTable {
                head,
                rows: card.cost.iter().map(row).collect(),
                prose: false,
            }),
        ],
    }
}

/// The excess of each seed beside the limit.
fn strip(test: &JudgedTest, cell: &JudgedCell) -> VerdictStrip {
    let mean = cell.excess.unwrap_or(0.0);
    let beside = cell.beside.as_ref().map(|name| format!(" beside {name}")).unwrap_or_default();
    VerdictStrip {
        name: format!("{}, {}{beside}: over the limit", test.measure, test.setting_of(cell)),
        accepted: (None, Some(0.0)),
        paper: None,
        seeds: cell.excesses.clone(),
        mean,
        interval: cell.half_width.map(|half| (mean - half, mean + half)),
    }
}

fn rules(card: &Scorecard, links: &CardLinks) -> PageSection {
    let confidence = card.confidence * 100.0;
    PageSection {
        title: "How it is judged".to_owned(),
        id: None,
        blocks: vec![
            Block::Text(format!(
                "Controllers run over the same networks under the same random numbers, and are \
                 compared seed by seed. A setting is decided where the mean of the differences lies \
                 on one side of the limit by Student's t, with Holm's correction over the {} \
                 settings of the whole examination, so that all verdicts together hold with \
                 {confidence} %. Seeds are doubled from 8 until that is so, or there are 64; each of \
                 these four looks takes a quarter of the error. Where nothing is random one run is exact.",
                card.statements
            )),
            Block::Code("westwood evaluate rfc9743 --write DIR".to_owned()),
            Block::Note(format!(
                "That writes the scenarios that the commands above run. A setting's link opens its curves of the \
                 first seed, a dot for each seed, and its commands{}",
                if links.is_empty() {
                    "."
                } else {
                    "; and it leads to the playground, which simulates the setting in the browser to the \
                     same bits."
                }
            )),
            Block::Note(
                "'Over the limit' is in the measure's own unit, of a share in percentage points. Of a ratio it is the \
                 value less the limit times the value beside it."
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
