//! What changed from one saved result to another: on a terminal and as a page.

use westwood_experiment::judgement::{Change, Diff};

use crate::document::{Document, Origin, Table, TableColumn};
use crate::style::Style;
use crate::table::{Cell, Column, render, wrapped};

/// A table of what changed, and a sentence.
pub fn terminal(diff: &Diff, style: Style) -> String {
    let mut lines = Vec::new();
    if !diff.changes.is_empty() {
        let names: Vec<String> = diff.changes.iter().map(|change| change.name.clone()).collect();
        let columns: Vec<Column> = columns(diff)
            .into_iter()
            .enumerate()
            .map(|(rank, (head, cells))| Column {
                head: [head.to_owned(), String::new()],
                cells: cells.into_iter().map(|text| Cell { text, ..Cell::default() }).collect(),
                rank,
            })
            .collect();
        lines.extend(render("point", &names, &columns, style).0);
        lines.push(String::new());
    }
    lines.push(style.bold(&wrapped(&sentence(diff), style.width)));
    lines.join("\n") + "\n"
}

/// The same as a document.
pub fn page(diff: &Diff, command: &str, version: &str) -> Document {
    let column = |(head, cells): (&str, Vec<String>)| TableColumn {
        head: head.to_owned(),
        unit: String::new(),
        cells: cells.into_iter().map(|text| (text, false)).collect(),
    };
    Document {
        title: "What changed".to_owned(),
        subtitle: format!("{} runs of each, paired by point and seed", diff.paired),
        verdict: sentence(diff),
        kind: "point".to_owned(),
        variants: diff.changes.iter().map(|change| change.name.clone()).collect(),
        table: (!diff.changes.is_empty()).then(|| Table {
            columns: columns(diff).into_iter().map(column).collect(),
            notes: Vec::new(),
        }),
        origin: Origin {
            version: version.to_owned(),
            command: command.to_owned(),
            ..Origin::default()
        },
        ..Document::default()
    }
}

fn columns(diff: &Diff) -> Vec<(&'static str, Vec<String>)> {
    let all = |of: &dyn Fn(&Change) -> String| diff.changes.iter().map(of).collect();
    vec![
        ("quantity", all(&|change| change.criterion.metric().name().to_owned())),
        ("was", all(&|change| change.amount(change.old))),
        ("is", all(&|change| change.amount(change.new))),
        ("", all(&|change| if change.better { "better" } else { "worse" }.to_owned())),
    ]
}

fn sentence(diff: &Diff) -> String {
    let worse = diff.changes.iter().filter(|change| !change.better).count();
    let better = diff.changes.len() - worse;
    let bound = 100.0 * diff.practical.0;
    let mut text = match diff.changes.len() {
        0 => format!(
            "Nothing changed beyond chance and {bound:.3} % in {} comparisons over {} pairs of runs.",
            diff.comparisons, diff.paired
        ),
        _ => format!(
            "Beyond chance and {bound:.3} %, {better} quantities are better and {worse} are worse, of {} \
             that were compared over {} pairs of runs.",
            diff.comparisons, diff.paired
        ),
    };
    if !diff.unpaired.is_empty() {
        text.extend([" Only one result has: ", diff.unpaired.join("; ").as_str(), "."]);
    }
    text
}
