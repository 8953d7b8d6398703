//! The changes from one saved result to another: on a terminal and as a page.

use unicode_width::UnicodeWidthStr;
use westwood_experiment::judgement::{Criterion, Diff};
use westwood_scenario::counted;

use crate::document::{Document, DocumentTable, Origin, TableColumn};
use crate::style::Style;
use crate::table::{Cell, Column, hidden_columns, render, shortened, width_of_names, wrapped};

/// A table of the changes and the losses, and a sentence.
pub fn terminal(diff: &Diff, style: Style) -> String {
    let mut lines = Vec::new();
    let rows = rows(diff);
    if !rows.is_empty() {
        let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
        // The verdict goes before all values.
        let ranks = [1, 2, 3, 0];
        let mut columns: Vec<Column> = columns(&rows)
            .into_iter()
            .zip(ranks)
            .map(|((head, cells), rank)| Column {
                head: [head.to_owned(), String::new()],
                cells: cells.into_iter().map(|text| Cell { text, ..Cell::default() }).collect(),
                rank,
            })
            .collect();
        let left = style.width.saturating_sub(width_of_names("point", &names, style));
        let others: usize = columns[1..].iter().map(Column::taken).sum();
        shorten(&mut columns[0], left.saturating_sub(others));
        let (table, shown) = render("point", &names, &columns, style);
        lines.extend(table);
        let hidden = hidden_columns(columns.len() - shown.len(), style);
        lines.extend(hidden.map(|note| style.dim(&note)));
        lines.push(String::new());
    }
    lines.push(style.bold(&wrapped(&sentence(diff), style.width)));
    lines.join("\n") + "\n"
}

/// Shortens the names of quantities to what is left for their column, but not beyond telling them apart.
fn shorten(quantities: &mut Column, left: usize) {
    const LEAST: usize = 10;
    let over = quantities.taken().saturating_sub(left);
    let widest = quantities.cells.iter().map(|cell| cell.text.width()).max().unwrap_or(0);
    if over > 0 && widest > LEAST {
        let width = widest.saturating_sub(over).max(LEAST);
        for cell in &mut quantities.cells {
            cell.text = shortened(&cell.text, width);
        }
    }
}

/// The same as a document.
pub fn page(diff: &Diff, command: &str, version: &str) -> Document {
    let column = |(head, cells): (&str, Vec<String>)| TableColumn {
        head: head.to_owned(),
        unit: String::new(),
        cells: cells.into_iter().map(|text| (text, false)).collect(),
    };
    let rows = rows(diff);
    Document {
        title: "What changed".to_owned(),
        subtitle: format!(
            "{} of each, paired by point and seed",
            counted(diff.paired as u64, "run")
        ),
        verdict: sentence(diff),
        kind: "point".to_owned(),
        variants: rows.iter().map(|row| row.name.clone()).collect(),
        table: (!rows.is_empty()).then(|| DocumentTable {
            columns: columns(&rows).into_iter().map(column).collect(),
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

/// A row of the table.
struct DiffRow {
    name: String,
    cells: [String; 4],
}

/// The changes, then the undecided differences.
fn rows(diff: &Diff) -> Vec<DiffRow> {
    let row = |name: &String, criterion: Criterion, [was, is]: [String; 2], word: &str| DiffRow {
        name: name.clone(),
        cells: [criterion.metric().name().to_owned(), was, is, word.to_owned()],
    };
    let changed = diff.changes.iter().map(|change| {
        let word = if change.better { "better" } else { "worse" };
        row(&change.name, change.criterion, change.amounts(), word)
    });
    let undecided =
        diff.undecided.iter().map(|one| row(&one.name, one.criterion, one.amounts(), "undecided"));
    changed.chain(undecided).collect()
}

fn columns(rows: &[DiffRow]) -> Vec<(&'static str, Vec<String>)> {
    let heads = ["quantity", "was", "is", ""].into_iter().enumerate();
    let cells = |i: usize| rows.iter().map(|row| row.cells[i].clone()).collect();
    heads.map(|(i, head)| (head, cells(i))).collect()
}

fn sentence(diff: &Diff) -> String {
    let worse = diff.changes.iter().filter(|change| !change.better).count();
    let better = diff.changes.len() - worse;
    // Three decimals, of which none are zeros at the end.
    let bound = (100_000.0 * diff.practical.0).round() / 1_000.0;
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    let comparisons = counted(diff.comparisons as u64, "comparison");
    let pairs = counted(diff.paired as u64, "pair");
    let mut text = match diff.changes.len() {
        0 if diff.paired == 0 => "No run that succeeded has a partner.".to_owned(),
        0 if !diff.undecided.is_empty() || !diff.lost.is_empty() => format!(
            "No quantity is known to have changed beyond chance and {bound} %, in {comparisons} over {pairs} \
             of runs."
        ),
        0 => format!(
            "Nothing changed beyond chance and {bound} % in {comparisons} over {pairs} of runs."
        ),
        _ => format!(
            "Beyond chance and {bound} %, {better} of {} quantities {} better and {worse} {} worse, compared \
             over {pairs} of runs.",
            diff.comparisons,
            are(better),
            are(worse)
        ),
    };
    if !diff.settings.is_empty() {
        let beware = "Beware: the two are of different experiments, so that this says nothing of the \
                      controllers";
        text = format!("{beware} ({}). {text}", diff.settings_text());
    }
    for lost in &diff.lost {
        text.extend([" ", lost.text().as_str(), "."]);
    }
    if let Some(undecided) = diff.undecided_text() {
        text.extend([" ", undecided.as_str()]);
    }
    let alone = match diff.unpaired_runs {
        0 => String::new(),
        1 => " 1 run has no partner of its seed.".to_owned(),
        n => format!(" {n} runs have no partner of their seed."),
    };
    text.push_str(&alone);
    if !diff.unpaired.is_empty() {
        text.extend([" Only one result has: ", diff.unpaired.join("; ").as_str(), "."]);
    }
    text
}

#[cfg(test)]
mod tests {
    use westwood_experiment::judgement::{Practical, SavedResult, diff};

    use super::*;

    #[test]
    fn the_bound_is_written_in_as_many_digits_as_it_has() {
        let none = SavedResult::default();
        let of = |bound: f64| sentence(&Diff { paired: 2, ..diff(&none, &none, Practical(bound)) });
        for (bound, text) in [(0.01, "1"), (0.005, "0.5"), (0.00125, "0.125"), (0.29, "29")] {
            let said = format!(
                "Nothing changed beyond chance and {text} % in 0 comparisons over 2 pairs of runs."
            );
            assert_eq!(of(bound), said);
        }
    }
}
