//! Ablations: experiments beside a paper's own, which take one part away or put another in its place, to
//! find which part decides.

use crate::claim::Analysis;
use crate::expr::{Expr, ExprValue, Scope, evaluate};
use crate::fields::Fields;
use crate::paper::{Paper, PaperTable};
use crate::plan::scope;
use crate::results::MeasuredNumber;
use crate::runs::{PaperRuns, estimate};
use crate::text;

/// An experiment that decides why a claim holds or not.
#[derive(Clone, Debug)]
pub struct Ablation {
    /// Its name.
    pub name: String,
    /// The question it answers.
    pub question: String,
    /// The experiment whose runs its numbers mean.
    pub experiment: Option<String>,
    /// The figures and tables of the paper's list that show it.
    pub shown: Vec<String>,
    /// The claims whose analyses rest on it.
    pub claims: Vec<String>,
    /// The answer.
    pub answer: Analysis,
}

/// An ablation with its numbers.
#[derive(Clone, Debug)]
pub struct JudgedAblation {
    /// The paper's key.
    pub paper: String,
    /// Its name.
    pub name: String,
    /// The question it answers.
    pub question: String,
    /// The answer, its numbers filled in.
    pub answer: String,
    /// The claims whose analyses rest on it.
    pub claims: Vec<String>,
    /// The figures and tables that show it.
    pub shown: Vec<String>,
    /// The tables: the heads of the columns, and the rows.
    pub tables: Vec<(Vec<String>, Vec<Vec<String>>)>,
    /// The command that repeats it.
    pub command: String,
}

/// Reads an `[[ablation]]`.
pub(crate) fn ablation(fields: &Fields<'_>) -> Option<Ablation> {
    Some(Ablation {
        name: fields.required("name")?,
        question: fields.required("question")?,
        experiment: fields.text("experiment"),
        shown: fields.texts("shown"),
        claims: fields.texts("claims"),
        answer: Analysis::read(fields, "answer").or_else(|| {
            fields.lacks("answer");
            None
        })?,
    })
}

/// The ablations of a paper whose runs are there.
pub(crate) fn judged(paper: &Paper, runs: &mut PaperRuns<'_>) -> Vec<JudgedAblation> {
    paper.ablations.iter().filter_map(|ablation| one(paper, ablation, runs)).collect()
}

fn one(paper: &Paper, ablation: &Ablation, runs: &mut PaperRuns<'_>) -> Option<JudgedAblation> {
    let scope = scope(paper, ablation.experiment.as_deref());
    let values = numbers(&ablation.answer.numbers, &scope, runs);
    if values.iter().any(Option::is_none) {
        return None;
    }
    let tables = paper.tables.iter().filter(|table| ablation.shown.contains(&table.id));
    let part = ablation.experiment.as_ref().map_or_else(String::new, |name| format!("/{name}"));
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

/// The values of named expressions over all seeds; none where runs are missing.
pub(crate) fn numbers(
    named: &[(String, Expr)],
    scope: &Scope,
    runs: &mut PaperRuns<'_>,
) -> Vec<Option<f64>> {
    let value = |(_, expr): &(String, Expr)| match evaluate(expr, scope, runs) {
        Ok(ExprValue::Number(x)) => Some(x),
        _ => None,
    };
    named.iter().map(value).collect()
}

/// A table with our numbers beside the paper's; none if runs are missing.
pub(crate) fn table_of(
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
