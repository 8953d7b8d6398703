//! The parts that all pages of the site have.

use westwood_report::pages::{Block, PageCell, PageTable};

use crate::results::{ClaimVerdict, JudgedAblation, ReproductionReport};

/// The last line.
pub(super) fn footer(report: &ReproductionReport) -> String {
    format!("westwood {}, {} mode, schema westwood.reproduce/1", report.version, report.mode.name())
}

/// The class of a verdict's cell.
pub(super) fn class_of(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Holds => "holds",
        ClaimVerdict::InShape => "shape",
        ClaimVerdict::Undecided => "undecided",
        ClaimVerdict::Differs => "differs",
        ClaimVerdict::NotTestable => "untestable",
    }
}

/// An experiment that decides why claims hold or not: question, answer, figures, tables and command.
pub(super) fn ablation(ablation: &JudgedAblation, report: &ReproductionReport) -> Vec<Block> {
    let mut blocks = vec![Block::Named(ablation.question.clone(), ablation.answer.clone())];
    let is_own = |paper: &str, id: &String| paper == ablation.paper && ablation.shown.contains(id);
    let figures = report.figures.iter().filter(|figure| is_own(&figure.paper, &figure.id));
    for figure in figures {
        blocks.push(Block::Note(figure.title.clone()));
        blocks.push(Block::Chart(figure.chart.clone()));
    }
    let tables = ablation.tables.iter();
    blocks.extend(tables.map(|(head, rows)| Block::Table(numbers(head, rows))));
    blocks.push(Block::Code(ablation.command.clone()));
    blocks
}

/// A table of our numbers, beside the paper's where it has them.
pub(super) fn numbers(head: &[String], rows: &[Vec<String>]) -> PageTable {
    let cells = |row: &Vec<String>| row.iter().cloned().map(PageCell::from).collect();
    PageTable { head: head.to_vec(), rows: rows.iter().map(cells).collect(), prose: false }
}
