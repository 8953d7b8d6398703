//! The answers of a paper's ablations, and tables, with the numbers of the runs.

use crate::ablation::Ablation;
use crate::expr::ExprValue;
use crate::paper::{Paper, PaperTable};
use crate::plan::scope;
use crate::results::{FilledTable, JudgedAblation, MeasuredNumber};
use crate::runs::{PaperRuns, estimate, numbers_of};
use crate::text;

/// The ablations of a paper whose runs are there.
pub(crate) fn judged(paper: &Paper, runs: &mut PaperRuns<'_>) -> Vec<JudgedAblation> {
    paper.ablations.iter().filter_map(|ablation| one(paper, ablation, runs)).collect()
}

fn one(paper: &Paper, ablation: &Ablation, runs: &mut PaperRuns<'_>) -> Option<JudgedAblation> {
    let scope = scope(paper, ablation.experiment.as_deref());
    // Looked up anew, so that `runs` tells which experiments the answer needs.
    runs.take_seeds(1);
    runs.forget();
    let values = numbers_of(&ablation.answer.numbers, &scope, runs);
    if values.iter().any(Option::is_none) {
        return None;
    }
    let own = ablation.experiment.as_deref();
    let is_alone = runs.experiments().all(|name| Some(name) == own);
    // Only the whole paper runs what several of its experiments decide.
    let part = own.filter(|_| is_alone).map_or_else(String::new, |name| format!("/{name}"));
    let tables = paper.tables.iter().filter(|table| ablation.shown.contains(&table.id));
    Some(JudgedAblation {
        paper: paper.key.clone(),
        name: ablation.name.clone(),
        question: ablation.question.clone(),
        answer: ablation.answer.text(&values),
        claims: ablation.claims.clone(),
        shown: ablation.shown.clone(),
        tables: tables.filter_map(|table| table_of(paper, table, runs)).collect(),
        command: format!("westwood reproduce {}{part}", paper.key),
    })
}

/// The tables of a paper whose runs are there.
pub(crate) fn tables(paper: &Paper, runs: &mut PaperRuns<'_>) -> Vec<FilledTable> {
    let one = |table: &PaperTable| {
        let (columns, rows) = table_of(paper, table, runs)?;
        let (id, title) = (table.id.clone(), table.title.clone());
        Some(FilledTable { paper: paper.key.clone(), id, title, columns, rows })
    };
    paper.tables.iter().filter_map(one).collect()
}

/// A table with our numbers beside the paper's; none if runs are missing.
fn table_of(
    paper: &Paper,
    table: &PaperTable,
    runs: &mut PaperRuns<'_>,
) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let scope = scope(paper, table.experiment.as_deref());
    let mut rows = Vec::new();
    for row in &table.rows {
        let mut cells = vec![row.name.clone()];
        for (i, expr) in row.values.iter().enumerate() {
            let found = estimate(expr, &scope, runs)?;
            let ExprValue::Number(value) = found.value else { return None };
            let interval = found.intervals.and_then(|all| all.first().copied());
            let ours = text::measured(&MeasuredNumber { value, interval });
            cells.push(match row.said.get(i) {
                Some(said) => format!("{ours} (paper: {said})"),
                None => ours,
            });
        }
        rows.push(cells);
    }
    Some((table.columns.clone(), rows))
}
