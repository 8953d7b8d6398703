//! A site: an index with filters, a page for each paper with every figure and table beside the paper's
//! values, and a page for each claim, which opens the claim's experiments in the playground beside them.

mod claim;
mod playground;
mod shared;

use westwood_report::figure::chart_file;
use westwood_report::pages::{Block, Page, PageCell, PageSection, PageTable, render};

use crate::claim::ClaimBasis;
use crate::extent::{Extent, Platform};
use crate::paper::Paper;
use crate::plan::ReproductionPlan;
use crate::reading::turns;
use crate::results::{DrawnFigure, JudgedClaim, JudgedReading, ReproductionReport, VerdictCounts};
use crate::text;
use playground::PaperLinks;
use shared::{ablation, class_of, footer, numbers};

/// The files of a reproduction: path within the folder, and text. `playground` is the page that the claims'
/// pages open their experiments in; it is among the files if one of them does.
pub fn pages(
    plan: &ReproductionPlan,
    report: &ReproductionReport,
    playground: &str,
) -> Vec<(String, String)> {
    let mut opens_playground = false;
    let mut files = vec![("index.html".to_owned(), render(&index(plan, report)))];
    for paper in &plan.papers {
        for figure in report.figures.iter().filter(|figure| figure.paper == paper.key) {
            files.push((svg_name(figure), chart_file(&figure.chart)));
        }
        let page = of_paper(paper, report);
        files.push((format!("{}.html", paper.key), render(&page)));
        let links = PaperLinks::of(plan, paper);
        for claim in report.claims.iter().filter(|claim| claim.paper == paper.key) {
            let page = claim::of_claim(claim, report, &links.of_claim(&claim.id));
            opens_playground |= page.playground.is_some();
            files.push((claim::path(&claim.id), render(&page)));
        }
    }
    if opens_playground {
        files.push((playground::PAGE.to_owned(), playground.to_owned()));
    }
    files
}

fn svg_name(figure: &DrawnFigure) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("figures/{}-{}.svg", figure.paper, figure.id.chars().map(plain).collect::<String>())
}

/// `27 claims: 20 hold, 3 hold in shape, 1 is undecided, 2 differ, 1 cannot be tested here.`
fn summary(counts: VerdictCounts) -> String {
    let [holds, shape, undecided, differs, not] = counts;
    let all: usize = counts.iter().sum();
    let are = if undecided == 1 { "is" } else { "are" };
    format!(
        "{all} claims: {holds} hold, {shape} hold in shape, {undecided} {are} undecided, {differs} \
         differ, {not} cannot be tested here."
    )
}

fn subtitle(report: &ReproductionReport) -> &'static str {
    match report.on {
        _ if report.mode == Extent::Quick => {
            "Shortened runs with few seeds (--quick): the verdicts may differ from those of whole \
             experiments, in results/reproduction.md and results/reproduction-linux.md."
        }
        Platform::Simulator => {
            "Every experiment of the papers, simulated; the rules of the verdicts are those of \
             results/reproduction.md."
        }
        Platform::Linux => {
            "What needs real hosts, on this machine's Linux over emulated paths; the rules are those \
             of results/reproduction-linux.md."
        }
    }
}

fn index(plan: &ReproductionPlan, report: &ReproductionReport) -> Page {
    let mut parts = vec![part("The scoreboard", vec![Block::Table(by_paper(plan, report))])];
    parts.push(part("Where the numbers come from", vec![Block::Table(by_basis(report))]));
    let readings = plan.papers.iter().filter_map(|paper| readings(&paper.key, report));
    let readings: Vec<Block> = readings.flatten().collect();
    if !readings.is_empty() {
        parts.push(part("Readings: the same choice for all claims of a paper", readings));
    }
    if !report.ablations.is_empty() {
        parts.push(part("Experiments that decide", ablations(report)));
    }
    let claims = vec![Block::Table(every_claim(report))];
    parts.push(PageSection {
        title: "Every claim".to_owned(),
        id: Some("claims".to_owned()),
        blocks: claims,
    });
    Page {
        kicker: "Westwood reproduction".to_owned(),
        playground: None,
        title: "The papers' claims, and their verdicts".to_owned(),
        verdict: summary(report.counts(None)),
        subtitle: subtitle(report).to_owned(),
        parts,
        footer: footer(report),
        with_filters: true,
    }
}

fn part(title: &str, blocks: Vec<Block>) -> PageSection {
    PageSection { title: title.to_owned(), id: None, blocks }
}

/// A row of counts behind a name.
fn counted(name: PageCell, counts: VerdictCounts) -> Vec<PageCell> {
    std::iter::once(name).chain(counts.map(|n| PageCell::from(n.to_string()))).collect()
}

fn counts_table(head: &str, rows: Vec<Vec<PageCell>>) -> PageTable {
    let verdicts = ["holds", "in shape", "undecided", "differs", "not testable here"];
    let head = std::iter::once(head).chain(verdicts).map(str::to_owned).collect();
    PageTable { head, rows, prose: false }
}

fn by_paper(plan: &ReproductionPlan, report: &ReproductionReport) -> PageTable {
    let row = |paper: &Paper| {
        let link = Some(format!("{}.html", paper.key));
        let name = PageCell { text: paper.key.clone(), link, class: None };
        counted(name, report.counts(Some(&paper.key)))
    };
    let mut rows: Vec<Vec<PageCell>> = plan.papers.iter().map(row).collect();
    rows.push(counted("all".into(), report.counts(None)));
    counts_table("paper", rows)
}

fn by_basis(report: &ReproductionReport) -> PageTable {
    let row = |basis: ClaimBasis| counted(basis.name().into(), report.counts_on(basis));
    let has_any = |row: &Vec<PageCell>| row.iter().skip(1).any(|cell| cell.text != "0");
    counts_table("number", ClaimBasis::ALL.into_iter().map(row).filter(has_any).collect())
}

/// A paper's readings and what each turns; none if it has but one.
fn readings(paper: &str, report: &ReproductionReport) -> Option<Vec<Block>> {
    let own: Vec<&JudgedReading> =
        report.readings.iter().filter(|reading| reading.paper == paper).collect();
    if own.is_empty() {
        return None;
    }
    let rows = own.iter().map(|reading| counted(reading.name.as_str().into(), reading.counts));
    let mut blocks = vec![Block::Table(counts_table(paper, rows.collect()))];
    for reading in own.iter().filter(|reading| reading.about_claims > 0) {
        let turned = format!("{}. It {}.", reading.about, turns(reading));
        blocks.push(Block::Named(format!("{}:", reading.name), turned));
    }
    Some(blocks)
}

fn ablations(report: &ReproductionReport) -> Vec<Block> {
    report.ablations.iter().flat_map(|one| ablation(one, report)).collect()
}

/// The table that the filters are about; its heads are the filters' names. Verdicts come early, where a phone
/// shows them.
fn every_claim(report: &ReproductionReport) -> PageTable {
    let head =
        ["claim", "what the paper says", "verdict", "paper", "number", "confidence", "decisive"];
    let row = |claim: &JudgedClaim| {
        let class = Some(class_of(claim.verdict));
        let verdict = claim.verdict.name().to_owned();
        vec![
            PageCell { text: claim.id.clone(), link: Some(claim::path(&claim.id)), class: None },
            claim.statement.as_str().into(),
            PageCell { text: verdict, link: None, class },
            claim.paper.as_str().into(),
            claim.basis.name().into(),
            claim.confidence.name().into(),
            if claim.decisive { "decisive".into() } else { PageCell::default() },
        ]
    };
    let rows = report.claims.iter().map(row).collect();
    PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: true }
}

fn of_paper(paper: &Paper, report: &ReproductionReport) -> Page {
    let mut left: Vec<&JudgedClaim> =
        report.claims.iter().filter(|c| c.paper == paper.key).collect();
    let mut parts = Vec::new();
    for figure in report.figures.iter().filter(|figure| figure.paper == paper.key) {
        let mut blocks: Vec<Block> =
            figure.said.iter().map(|said| Block::Text(format!("The paper: {said}"))).collect();
        blocks.push(Block::Chart(figure.chart.clone()));
        let own = taken(&mut left, &figure.id);
        blocks.extend(claims(&own));
        parts.push(part(&text::heading(&figure.id, &figure.title), blocks));
    }
    for table in report.tables.iter().filter(|table| table.paper == paper.key) {
        let mut blocks = vec![Block::Table(numbers(&table.columns, &table.rows))];
        blocks.extend(claims(&taken(&mut left, &table.id)));
        parts.push(part(&text::heading(&table.id, &table.title), blocks));
    }
    if !left.is_empty() {
        let title = "Without a figure".to_owned();
        parts.push(PageSection { title, id: None, blocks: claims(&left) });
    }
    let source = paper.source.as_ref().map(|s| format!(". {s}")).unwrap_or_default();
    parts.push(PageSection {
        title: "All papers".to_owned(),
        id: None,
        blocks: vec![Block::Link(
            "The scoreboard".to_owned(),
            "index.html".to_owned(),
            String::new(),
        )],
    });
    Page {
        kicker: format!("Westwood reproduction: {}", paper.key),
        playground: None,
        title: paper.title.clone(),
        verdict: summary(report.counts(Some(&paper.key))),
        subtitle: format!("{}{source}, {}", paper.authors, paper.year),
        parts,
        footer: footer(report),
        with_filters: false,
    }
}

/// The claims about a figure, taken out of those that are left. A claim about several figures stands
/// with the first one.
fn taken<'a>(left: &mut Vec<&'a JudgedClaim>, id: &str) -> Vec<&'a JudgedClaim> {
    let about = |claim: &&JudgedClaim| {
        claim.figure.split(',').map(str::trim).any(|named| {
            let panel = |short: &str, long: &str| {
                let rest = long.strip_prefix(short);
                rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_lowercase()))
            };
            panel(id, named) || panel(named, id)
        })
    };
    let (own, rest) = left.iter().copied().partition(about);
    *left = rest;
    own
}

/// A table of claims, and remarks on some below it.
fn claims(claims: &[&JudgedClaim]) -> Vec<Block> {
    if claims.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(table_of(claims))];
    for claim in claims {
        if let Some(nearest) = &claim.nearest {
            blocks.push(Block::Named(format!("{}, path.", claim.id), nearest.clone()));
        }
        if let Some(analysis) = &claim.analysis {
            blocks.push(Block::Named(
                format!("{}, {}.", claim.id, claim.verdict.name()),
                analysis.clone(),
            ));
        }
        if let Some(cut) = &claim.cut {
            blocks.push(Block::Named(format!("{}, left out.", claim.id), cut.clone()));
        }
    }
    blocks
}

fn table_of(claims: &[&JudgedClaim]) -> PageTable {
    let head = ["claim", "what the paper says", "paper", "accepted", "measured", "verdict"];
    let row = |claim: &&JudgedClaim| {
        let link = Some(claim::path(&claim.id));
        vec![
            PageCell { text: claim.id.clone(), link, class: None },
            format!("{} ({})", claim.statement, claim.confidence.name()).into(),
            text::expected(claim).into(),
            claim.accepted_words().into(),
            text::found(claim, &claim.measured).into(),
            PageCell {
                text: text::verdict(claim),
                link: None,
                class: Some(class_of(claim.verdict)),
            },
        ]
    };
    let rows = claims.iter().map(row).collect();
    PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: true }
}
