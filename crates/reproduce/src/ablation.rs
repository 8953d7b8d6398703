//! Ablations: experiments beside a paper's own, which take one part away or put another in its place, to
//! find which part decides.

use westwood_scenario::file::reading::Fields;

use crate::claim::Analysis;

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
