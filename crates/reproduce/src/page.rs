//! Pages: every figure and table beside the paper's values and the measured ones.

use westwood_report::figure::{Chart, ChartLine, ChartPoint, chart_file};
use westwood_report::pages::{Block, Page, PageCell, PageSection, PageTable, render};

use crate::answers::table_of as table_of_numbers;
use crate::expr::{Expr, ExprValue};
use crate::extent::Platform;

use crate::paper::{Paper, PaperFigure, PaperTable};
use crate::plan::{ReproductionPlan, scope};
use crate::results::{ClaimVerdict, Judged, ReproductionReport, VerdictCounts};
use crate::run::RunResults;
use crate::runs::{PaperRuns, estimate};
use crate::text;

/// The files of a reproduction: path within the folder, and text.
pub fn pages(
    plan: &ReproductionPlan,
    done: &RunResults,
    report: &ReproductionReport,
) -> Vec<(String, String)> {
    let mut files = vec![("index.html".to_owned(), render(&index(plan, report)))];
    for paper in &plan.papers {
        let mut runs = PaperRuns::of(plan, done, paper);
        let charts: Vec<(&PaperFigure, Chart)> = paper
            .figures
            .iter()
            .filter_map(|figure| Some((figure, chart(paper, figure, &mut runs)?)))
            .collect();
        for (figure, chart) in &charts {
            files.push((svg_name(paper, figure), chart_file(chart)));
        }
        let page = of_paper(paper, &charts, report, &mut runs);
        files.push((format!("{}.html", paper.key), render(&page)));
    }
    files
}

fn svg_name(paper: &Paper, figure: &PaperFigure) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("figures/{}-{}.svg", paper.key, figure.id.chars().map(plain).collect::<String>())
}

fn footer(report: &ReproductionReport) -> String {
    format!("westwood {}, {} mode, schema westwood.reproduce/1", report.version, report.mode.name())
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
    let number = |n: usize| PageCell::from(n.to_string());
    let row = |paper: &Paper| {
        let mut cells = vec![PageCell {
            text: paper.key.clone(),
            link: Some(format!("{}.html", paper.key)),
            class: None,
        }];
        cells.extend(report.counts(Some(&paper.key)).map(number));
        cells
    };
    let mut rows: Vec<Vec<PageCell>> = plan.papers.iter().map(row).collect();
    rows.push(
        std::iter::once(PageCell::from("all")).chain(report.counts(None).map(number)).collect(),
    );
    let head = ["paper", "holds", "in shape", "undecided", "differs", "not testable here"];
    let board = PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: false };
    let claims: Vec<&Judged> = report.claims.iter().collect();
    Page {
        kicker: "Westwood reproduction".to_owned(),
        title: "What the papers claim, and what comes of it".to_owned(),
        verdict: summary(report.counts(None)),
        subtitle: subtitle(report).to_owned(),
        parts: vec![
            PageSection {
                title: "The scoreboard".to_owned(),
                id: None,
                blocks: vec![Block::Table(board)],
            },
            PageSection {
                title: "Every claim".to_owned(),
                id: None,
                blocks: vec![Block::Table(table_of(&claims, true))],
            },
        ],
        footer: footer(report),
    }
}

fn of_paper(
    paper: &Paper,
    charts: &[(&PaperFigure, Chart)],
    report: &ReproductionReport,
    runs: &mut PaperRuns<'_>,
) -> Page {
    let mut left: Vec<&Judged> = report.claims.iter().filter(|c| c.paper == paper.key).collect();
    let mut parts = Vec::new();
    for (figure, chart) in charts {
        let mut blocks: Vec<Block> =
            figure.said.iter().map(|said| Block::Text(format!("The paper: {said}"))).collect();
        blocks.push(Block::Chart(chart.clone()));
        let own = taken(&mut left, &figure.id);
        blocks.extend(claims(&own));
        parts.push(PageSection { title: heading(&figure.id, &figure.title), id: None, blocks });
    }
    for table in &paper.tables {
        let Some(grid) = numbers(paper, table, runs) else { continue };
        let mut blocks = vec![Block::Table(grid)];
        blocks.extend(claims(&taken(&mut left, &table.id)));
        parts.push(PageSection { title: heading(&table.id, &table.title), id: None, blocks });
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
        title: paper.title.clone(),
        verdict: summary(report.counts(Some(&paper.key))),
        subtitle: format!("{}{source}, {}", paper.authors, paper.year),
        parts,
        footer: footer(report),
    }
}

fn heading(id: &str, title: &str) -> String {
    let numbered = id.starts_with(|c: char| c.is_ascii_digit());
    if numbered { format!("Figure {id}: {title}") } else { format!("{id}: {title}") }
}

/// The claims about a figure, taken out of those that are left. A claim about several figures stands
/// with the first one.
fn taken<'a>(left: &mut Vec<&'a Judged>, id: &str) -> Vec<&'a Judged> {
    let about = |claim: &&Judged| {
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
fn claims(claims: &[&Judged]) -> Vec<Block> {
    if claims.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(table_of(claims, false))];
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
        for choice in &claim.choices {
            let found = text::found(claim, &choice.measured);
            blocks.push(Block::Note(format!(
                "{}, {} ({}): {found}: {}",
                claim.id,
                choice.name,
                choice.about,
                choice.verdict.name()
            )));
        }
    }
    blocks
}

fn table_of(claims: &[&Judged], with_links: bool) -> PageTable {
    let head = ["claim", "what the paper says", "paper", "accepted", "measured", "verdict"];
    let row = |claim: &&Judged| {
        let link = with_links.then(|| format!("{}.html", claim.paper));
        vec![
            PageCell { text: claim.id.clone(), link, class: None },
            format!("{} ({})", claim.statement, claim.confidence).into(),
            text::expected(claim).into(),
            claim.accepted.join("; ").into(),
            text::found(claim, &claim.measured).into(),
            PageCell {
                text: text::verdict(claim),
                link: None,
                class: Some(match claim.verdict {
                    ClaimVerdict::Holds => "holds",
                    ClaimVerdict::InShape => "shape",
                    ClaimVerdict::Undecided => "undecided",
                    ClaimVerdict::Differs => "differs",
                    ClaimVerdict::NotTestable => "untestable",
                }),
            },
        ]
    };
    let rows = claims.iter().map(row).collect();
    PageTable { head: head.map(str::to_owned).to_vec(), rows, prose: true }
}

/// A figure as a chart; none if its runs are missing.
fn chart(paper: &Paper, figure: &PaperFigure, runs: &mut PaperRuns<'_>) -> Option<Chart> {
    let scope = scope(paper, figure.experiment.as_deref());
    let mut line = |(name, expr): &(String, Expr)| {
        let found = estimate(expr, &scope, runs)?;
        let ExprValue::Curve(curve) = found.value else { return None };
        let half = |i: usize| {
            let interval = found.intervals.as_ref().and_then(|all| all.get(i)).copied();
            let half = interval.map(|(low, high)| (high - low) / 2.0);
            half.filter(|h| h.is_finite()).unwrap_or(0.0)
        };
        let points = curve.points().enumerate();
        let points = points
            .map(|(i, (x, y))| ChartPoint { x: x / figure.x_unit, y, half: half(i) })
            .collect();
        Some(ChartLine { name: name.clone(), points })
    };
    let lines: Option<Vec<ChartLine>> = figure.lines.iter().map(&mut line).collect();
    Some(Chart {
        title: heading(&figure.id, &figure.title),
        x: figure.x.clone(),
        y: figure.y.clone(),
        x_log: figure.x_log,
        y_log: figure.y_log,
        x_range: figure.x_range,
        y_range: figure.y_range,
        lines: lines?,
    })
}

/// A table with our numbers beside the paper's; none if runs are missing.
fn numbers(paper: &Paper, table: &PaperTable, runs: &mut PaperRuns<'_>) -> Option<PageTable> {
    let (head, rows) = table_of_numbers(paper, table, runs)?;
    let cells = |row: Vec<String>| row.into_iter().map(PageCell::from).collect();
    Some(PageTable { head, rows: rows.into_iter().map(cells).collect(), prose: false })
}
