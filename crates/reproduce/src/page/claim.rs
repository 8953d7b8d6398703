//! The page of a claim: everything that it takes to check its verdict.

use westwood_report::pages::{Block, FoldedBlocks, Page, PageCell, PageSection, PageTable};

use super::playground::{self, ExperimentLink};
use super::shared::{ablation, class_of, footer};
use crate::results::{ClaimVerdict, DrawnFigure, JudgedClaim, MeasuredNumber, ReproductionReport};
use crate::text;

/// The page's path within the folder.
pub(super) fn path(id: &str) -> String {
    format!("claims/{id}.html")
}

pub(super) fn of_claim(
    claim: &JudgedClaim,
    report: &ReproductionReport,
    links: &[ExperimentLink],
) -> Page {
    let own = links.iter().find(|link| claim.experiment.as_ref() == Some(&link.name));
    let parts = [
        measured(claim),
        analysis(claim, report),
        criterion(claim),
        experiments(claim, links),
        choices(claim),
        figures(claim, report),
        others(claim),
        around(claim, report),
    ];
    Page {
        kicker: format!("{}, {}", claim.paper, text::place(&claim.figure)),
        playground: own.or_else(|| links.first()).map(|link| address(&link.link)),
        title: claim.id.clone(),
        verdict: verdict(claim),
        subtitle: claim.statement.clone(),
        parts: parts.into_iter().flatten().collect(),
        footer: footer(report),
        with_filters: false,
    }
}

fn section(title: &str, blocks: Vec<Block>) -> Option<PageSection> {
    let is_some = !blocks.is_empty();
    is_some.then(|| PageSection { title: title.to_owned(), id: None, blocks })
}

fn verdict(claim: &JudgedClaim) -> String {
    let first = |text: &str| {
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |c| c.to_uppercase().chain(letters).collect())
    };
    let said = first(&text::verdict(claim));
    match claim.verdict {
        ClaimVerdict::Undecided => {
            format!("{said} with {} seeds; the means alone: {}.", claim.seeds, claim.leaning.name())
        }
        _ => format!("{said}."),
    }
}

/// Each number beside what is accepted.
fn measured(claim: &JudgedClaim) -> Option<PageSection> {
    let mut blocks = Vec::new();
    let seeds = match claim.seeds {
        0 | 1 => "one run, nothing random".to_owned(),
        n => format!("{n} seeds"),
    };
    blocks.push(Block::Text(format!(
        "The paper: {}. Measured: {} ({}: {seeds}).",
        text::expected(claim),
        if claim.measured.is_empty() {
            "nothing".to_owned()
        } else {
            text::found(claim, &claim.measured)
        },
        claim.basis.name(),
    )));
    blocks.extend(claim.strips().into_iter().map(Block::Strip));
    section("The number", blocks)
}

fn analysis(claim: &JudgedClaim, report: &ReproductionReport) -> Option<PageSection> {
    let named = |name: &str, text: &Option<String>| {
        text.as_ref().map(|text| Block::Named(name.to_owned(), text.clone()))
    };
    let texts = [
        named("Path.", &claim.nearest),
        named("Analysis.", &claim.analysis),
        named("Left out.", &claim.cut),
    ];
    let mut blocks: Vec<Block> = texts.into_iter().flatten().collect();
    let is_about =
        |paper: &str, claims: &[String]| paper == claim.paper && claims.contains(&claim.id);
    let own = report.ablations.iter().filter(|one| is_about(&one.paper, &one.claims));
    blocks.extend(own.flat_map(|one| ablation(one, report)));
    section("Why", blocks)
}

/// The criterion in words and as it is computed.
fn criterion(claim: &JudgedClaim) -> Option<PageSection> {
    let mut blocks = Vec::new();
    let accepted = claim.accepted_words();
    if !accepted.is_empty() {
        blocks.push(Block::Text(format!("Accepted: {accepted}.")));
    }
    blocks.push(Block::Text(format!("Where number and tolerance come from: {}.", claim.why)));
    let (confidence, meaning) = (claim.confidence.name(), claim.confidence.meaning());
    let is_decisive = " Decisive: it tells a faithful simulator from another.";
    let decisive = if claim.decisive { is_decisive } else { "" };
    blocks.push(Block::Text(format!("Confidence: {confidence}; {meaning}.{decisive}")));
    let written = &claim.written;
    let mut lines: Vec<String> =
        written.lets.iter().map(|(name, text)| format!("{name} = {text}")).collect();
    lines.extend(written.measure.iter().map(|text| format!("it = {text}")));
    lines.extend(written.test.iter().map(|text| format!("test: {text}")));
    lines.extend(written.shape.iter().map(|text| format!("in shape: {text}")));
    blocks.extend((!lines.is_empty()).then(|| Block::Code(lines.join("\n"))));
    let in_words = claim.shape_why.iter();
    blocks.extend(in_words.map(|text| Block::Note(format!("In shape, in words: {text}"))));
    blocks.push(Block::Code(format!("westwood reproduce {}", claim.id)));
    section("The criterion", blocks)
}

/// The address of the playground as seen from the page of a claim.
fn address(link: &str) -> String {
    format!("../{}{link}", playground::PAGE)
}

/// The experiments of the claim's runs, and each setting that its numbers are of.
fn experiments(claim: &JudgedClaim, links: &[ExperimentLink]) -> Option<PageSection> {
    let mut blocks = Vec::new();
    for ExperimentLink { name, about, seeds, link, settings } in links {
        let after = match seeds {
            1 => format!(": {about}. One seed."),
            n if claim.seeds > *n => {
                format!(": {about}. {n} seeds, and the verdict counts {}.", claim.seeds)
            }
            n => format!(": {about}. {n} seeds."),
        };
        blocks.push(Block::Link(name.clone(), address(link), after));
        if !settings.is_empty() {
            let one = |(setting, link): &(String, String)| {
                Block::Link(setting.clone(), address(link), String::new())
            };
            blocks.push(Block::Folded(FoldedBlocks {
                summary: match settings.len() {
                    1 => "The setting that the claim is about, alone".to_owned(),
                    n => format!("The {n} settings that the claim is about, each alone"),
                },
                id: format!("settings-{name}"),
                blocks: settings.iter().map(one).collect(),
            }));
        }
    }
    if !blocks.is_empty() {
        blocks.push(Block::Note(
            "A link opens the experiment in the playground, which simulates it in the browser to the same \
             bits. westwood run LINK does so on the command line."
                .to_owned(),
        ));
    }
    section("In the playground", blocks)
}

/// The readings of the paper as a matrix: each number and the verdict under each.
fn choices(claim: &JudgedClaim) -> Option<PageSection> {
    if claim.choices.is_empty() {
        return None;
    }
    let part = |(name, unit): &(Option<String>, String)| match name {
        Some(name) => name.clone(),
        None if unit.is_empty() || unit == "1" => "measured".to_owned(),
        None => format!("measured, {unit}"),
    };
    let row = |name: &str, about: &str, measured: &[MeasuredNumber], verdict: PageCell| {
        let numbers = measured.iter().map(|number| PageCell::from(text::measured(number)));
        let named = [PageCell::from(name), PageCell::from(about)].into_iter();
        named.chain(numbers).chain([verdict]).collect::<Vec<PageCell>>()
    };
    let said = |verdict: ClaimVerdict, means: ClaimVerdict, seeds: usize| PageCell {
        text: text::in_words(verdict, means, seeds),
        link: None,
        class: Some(class_of(verdict)),
    };
    let parts = claim.names.iter().take(claim.measured.len()).map(part);
    let head = ["choice", "what it chooses"].map(str::to_owned).into_iter().chain(parts);
    let verdict = said(claim.verdict, claim.leaning, claim.seeds);
    let usual = row("as read here", "the choices of the verdict", &claim.measured, verdict);
    let others = claim.choices.iter().map(|one| {
        let verdict = said(one.verdict, one.leaning, one.seeds);
        row(&one.name, &one.about, &one.measured, verdict)
    });
    let table = PageTable {
        head: head.chain(["verdict".to_owned()]).collect(),
        rows: std::iter::once(usual).chain(others).collect(),
        prose: true,
    };
    section("Under other readings", vec![Block::Table(table)])
}

fn figures(claim: &JudgedClaim, report: &ReproductionReport) -> Option<PageSection> {
    let shown = |figure: &DrawnFigure| {
        let mut own = report.ablations.iter().filter(|one| one.claims.contains(&claim.id));
        own.any(|one| one.shown.contains(&figure.id))
    };
    let about = |figure: &&DrawnFigure| {
        let is_named = claim.figure.split(',').map(str::trim).any(|named| named == figure.id);
        let is_of_it = figure.experiment.is_some() && figure.experiment == claim.experiment;
        // The figures of its ablations stand with their answers.
        figure.paper == claim.paper && (is_named || (is_of_it && !shown(figure)))
    };
    let blocks = report.figures.iter().filter(about).flat_map(|figure| {
        let (place, title) = (text::place(&figure.id), figure.title.clone());
        [Block::Named(place, title), Block::Chart(figure.chart.clone())]
    });
    section("The figure", blocks.collect())
}

fn others(claim: &JudgedClaim) -> Option<PageSection> {
    let line = |other: &crate::claim::OtherResult| {
        Block::Named(other.by.clone(), format!("{} ({})", other.says, other.how))
    };
    section("Other programs", claim.others.iter().map(line).collect())
}

fn around(claim: &JudgedClaim, report: &ReproductionReport) -> Option<PageSection> {
    let own: Vec<&str> = report
        .claims
        .iter()
        .filter(|other| other.paper == claim.paper)
        .map(|other| other.id.as_str())
        .collect();
    let at = own.iter().position(|id| *id == claim.id)?;
    let link = |name: &str, id: &&str| {
        Block::Link(name.to_owned(), format!("{id}.html"), format!(": {id}"))
    };
    let mut blocks = Vec::new();
    blocks
        .extend(at.checked_sub(1).and_then(|i| own.get(i)).map(|id| link("The claim before", id)));
    blocks.extend(own.get(at + 1).map(|id| link("The claim after", id)));
    let paper = format!("../{}.html", claim.paper);
    blocks.push(Block::Link(claim.paper.clone(), paper, ": the whole paper".to_owned()));
    let all = "../index.html".to_owned();
    blocks.push(Block::Link("All claims".to_owned(), all, String::new()));
    section("More", blocks)
}
