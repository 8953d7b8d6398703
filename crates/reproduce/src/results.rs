//! The results of a reproduction: the schema `westwood.reproduce/1`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use westwood_report::figure::VerdictStrip;

use crate::claim::{
    Accept, Claim, ClaimBasis, ClaimPart, Confidence, Expected, OtherResult, WrittenCriterion,
};
use crate::drawn::FigureRow;
use crate::extent::{Extent, Platform};
use crate::number::number;
use crate::paper::Paper;

pub use crate::drawn::DrawnFigure;

/// The schema's name.
pub const SCHEMA: &str = "westwood.reproduce/1";

/// A number that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredNumber {
    /// The number.
    pub value: f64,
    /// Its 95 % interval; none if nothing was random.
    pub interval: Option<(f64, f64)>,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimVerdict {
    /// The number lies within the tolerance.
    Holds,
    /// The number does not, and the claim's statement without it is true.
    InShape,
    /// Other seeds might come to another verdict, and the budget for more of them is spent.
    Undecided,
    /// Neither.
    Differs,
    /// It needs more than simulation.
    NotTestable,
}

impl ClaimVerdict {
    /// All of them, the best first.
    pub const ALL: [Self; 5] =
        [Self::Holds, Self::InShape, Self::Undecided, Self::Differs, Self::NotTestable];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InShape => "holds in shape",
            Self::Undecided => "undecided",
            Self::Differs => "differs",
            Self::NotTestable => "not testable here",
        }
    }

    /// Its place among [`ALL`](Self::ALL).
    pub(crate) fn place(self) -> usize {
        Self::ALL.iter().position(|v| *v == self).unwrap_or(0)
    }

    /// How near a decided claim comes to its paper: number and statement, the statement, neither.
    pub(crate) fn nearness(self) -> Option<u8> {
        match self {
            Self::Holds => Some(2),
            Self::InShape => Some(1),
            Self::Differs => Some(0),
            Self::Undecided | Self::NotTestable => None,
        }
    }
}

/// Numbers of claims with each verdict, as [`ClaimVerdict::ALL`] has them.
pub type VerdictCounts = [usize; ClaimVerdict::ALL.len()];

/// A claim with its verdict.
#[derive(Clone, Debug)]
pub struct JudgedClaim {
    /// The claim's name.
    pub id: String,
    /// The paper's key.
    pub paper: String,
    /// The figure, table or section.
    pub figure: String,
    /// The experiment, if it has one.
    pub experiment: Option<String>,
    /// The paper's values.
    pub statement: String,
    /// The extent to which the paper describes the experiment.
    pub confidence: Confidence,
    /// True if it tells a faithful simulator from another.
    pub decisive: bool,
    /// The numbers of the paper, or its words.
    pub expected: Vec<StatedValue>,
    /// The accepted values, in words, for each number.
    pub accepted: Vec<String>,
    /// The name of each number, if there are several, and its unit.
    pub names: Vec<(Option<String>, String)>,
    /// The measured values.
    pub measured: Vec<MeasuredNumber>,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The verdict of the means alone: that of an undecided claim, if it had to be said.
    pub leaning: ClaimVerdict,
    /// The seeds over which it was averaged; none or 1 if nothing was random.
    pub seeds: usize,
    /// For each number its value by each seed alone; a value that is no number is missing.
    pub by_seed: Vec<Vec<f64>>,
    /// For each number what is accepted; none if a test decides.
    pub bounds: Vec<Option<Accept>>,
    /// The source of the measured number.
    pub basis: ClaimBasis,
    /// Its expressions as they are written.
    pub written: WrittenCriterion,
    /// Its content without the number, in words.
    pub shape_why: Option<String>,
    /// The reason why the path is only the nearest one to the paper's, if it is not that.
    pub nearest: Option<String>,
    /// The source of number and tolerance.
    pub why: String,
    /// The reason why it differs, or cannot be decided.
    pub analysis: Option<String>,
    /// The part of the experiment that is left out, and the reason.
    pub cut: Option<String>,
    /// The verdict under other readings of the paper.
    pub choices: Vec<JudgedChoice>,
    /// The results of other programs and hosts.
    pub others: Vec<OtherResult>,
}

/// A claim's numbers and what follows from them.
pub(crate) struct Decision {
    pub(crate) measured: Vec<MeasuredNumber>,
    pub(crate) verdict: ClaimVerdict,
    /// The verdict of the means alone.
    pub(crate) leaning: ClaimVerdict,
    /// The most seeds over which something was averaged; none or 1 if nothing was random.
    pub(crate) seeds: usize,
    /// For each number its value by each seed alone.
    pub(crate) by_seed: Vec<Vec<f64>>,
}

/// The scoreboard of a reading.
#[derive(Clone, Debug)]
pub struct JudgedReading {
    /// The paper's key.
    pub paper: String,
    /// Its name; "as read here" for the choices that the verdicts stand on.
    pub name: String,
    /// Its meaning.
    pub about: String,
    /// The claims with each verdict, as [`ClaimVerdict::ALL`] has them.
    pub counts: [usize; ClaimVerdict::ALL.len()],
    /// The claims that it decides anew; the others do not depend on it.
    pub about_claims: usize,
    /// Claims that come nearer to the paper under this reading: from differing to the shape, or to the
    /// number.
    pub mended: Vec<String>,
    /// Claims that come less near.
    pub broken: Vec<String>,
    /// Claims that it leaves undecided, and that are decided as read here.
    pub unsettled: Vec<String>,
    /// Claims that it decides, and that are undecided as read here.
    pub settled: Vec<String>,
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

/// A paper's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StatedValue {
    /// A number.
    Number(f64),
    /// A range.
    Range([f64; 2]),
    /// Words.
    Words(String),
}

/// A claim under another reading of the paper.
#[derive(Clone, Debug)]
pub struct JudgedChoice {
    /// Its name.
    pub name: String,
    /// Its name.
    pub about: String,
    /// The measured value.
    pub measured: Vec<MeasuredNumber>,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The verdict of the means alone.
    pub leaning: ClaimVerdict,
    /// The seeds that it counts.
    pub seeds: usize,
}

impl JudgedClaim {
    pub(crate) fn new(
        paper: &Paper,
        claim: &Claim,
        (decision, analysis): (Decision, Option<String>),
        choices: Vec<JudgedChoice>,
    ) -> Self {
        let Decision { measured, verdict, leaning, seeds, by_seed } = decision;
        Self {
            id: claim.id.clone(),
            paper: paper.key.clone(),
            figure: claim.figure.clone(),
            experiment: claim.experiment.clone(),
            statement: claim.statement.clone(),
            confidence: claim.confidence,
            decisive: claim.decisive,
            expected: expected(claim),
            accepted: claim.parts.iter().map(accepted).collect(),
            names: claim.parts.iter().map(|p| (p.name.clone(), p.unit.clone())).collect(),
            measured,
            verdict,
            leaning,
            seeds,
            by_seed,
            bounds: claim.parts.iter().map(|part| part.accept).collect(),
            basis: claim.basis,
            written: claim.written.clone(),
            shape_why: claim.shape_why.clone(),
            nearest: claim.nearest.clone(),
            why: claim.why.clone(),
            analysis,
            cut: claim.cut.clone(),
            choices,
            others: claim.others.clone(),
        }
    }

    /// The accepted values in words; nothing where a test decides.
    pub fn accepted_words(&self) -> String {
        let said = self.accepted.iter().filter(|words| !words.is_empty());
        said.map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    /// Each measured number beside what is accepted of it, the paper's value and that of each seed.
    pub fn strips(&self) -> Vec<VerdictStrip> {
        self.measured.iter().enumerate().map(|(i, measured)| self.strip(i, measured)).collect()
    }

    fn strip(&self, i: usize, measured: &MeasuredNumber) -> VerdictStrip {
        let (name, unit) = self.names.get(i).cloned().unwrap_or_default();
        let bounds = self.bounds.get(i).copied().flatten();
        let end = |x: f64| Some(x).filter(|x| x.is_finite());
        let named = [name.unwrap_or_default(), unit].into_iter().filter(|text| !text.is_empty());
        VerdictStrip {
            name: named.collect::<Vec<_>>().join(", "),
            accepted: bounds.map_or((None, None), |accept| (end(accept.low), end(accept.high))),
            paper: self.expected.get(i).and_then(|said| match said {
                StatedValue::Number(x) => Some((*x, *x)),
                StatedValue::Range([low, high]) => Some((*low, *high)),
                StatedValue::Words(_) => None,
            }),
            seeds: self.by_seed.get(i).cloned().unwrap_or_default(),
            mean: measured.value,
            interval: measured.interval,
        }
    }
}

fn expected(claim: &Claim) -> Vec<StatedValue> {
    if let Some(said) = &claim.said {
        return vec![StatedValue::Words(said.clone())];
    }
    let one = |part: &ClaimPart| match part.expected {
        Some(Expected::Number(x)) => StatedValue::Number(x),
        Some(Expected::Range(low, high)) => StatedValue::Range([low, high]),
        None => StatedValue::Words(claim.statement.clone()),
    };
    claim.parts.iter().map(one).collect()
}

/// The accepted values of a part, in words.
fn accepted(part: &ClaimPart) -> String {
    let Some(accept) = part.accept else { return String::new() };
    let text = |x: f64| number(x);
    match (accept.low.is_finite(), accept.high.is_finite(), accept.open) {
        (true, true, _) => format!("{} to {}", text(accept.low), text(accept.high)),
        (true, false, true) => format!("above {}", text(accept.low)),
        (true, false, false) => format!("at least {}", text(accept.low)),
        (false, true, true) => format!("below {}", text(accept.high)),
        (false, true, false) => format!("at most {}", text(accept.high)),
        (false, false, _) => "any".to_owned(),
    }
}

/// A reproduction.
#[derive(Clone, Debug)]
pub struct ReproductionReport {
    /// The program's version.
    pub version: &'static str,
    /// Full or quick.
    pub mode: Extent,
    /// The platform of the experiments.
    pub on: Platform,
    /// On which kernels and days, if they ran on Linux.
    pub measured: Vec<String>,
    /// The claims, paper by paper.
    pub claims: Vec<JudgedClaim>,
    /// Claims whose runs are not there.
    pub not_run: Vec<String>,
    /// The scoreboards of each paper's readings.
    pub readings: Vec<JudgedReading>,
    /// The experiments that decide why claims hold or not.
    pub ablations: Vec<JudgedAblation>,
    /// The papers' figures, and those of the ablations.
    pub figures: Vec<DrawnFigure>,
    /// Their tables.
    pub tables: Vec<FilledTable>,
}

/// A table of a paper with the numbers of its runs.
#[derive(Clone, Debug)]
pub struct FilledTable {
    /// The paper's key.
    pub paper: String,
    /// Its number.
    pub id: String,
    /// Its contents.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows, each with its name first.
    pub rows: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct ReproductionDocument<'a> {
    schema: &'static str,
    version: &'static str,
    mode: &'static str,
    on: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    measured_on: &'a [String],
    claims: Vec<ClaimRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<ReadingRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ablations: Vec<AblationRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    figures: Vec<FigureRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<PaperTableRow<'a>>,
}

/// A table of a paper.
#[derive(Serialize)]
struct PaperTableRow<'a> {
    paper: &'a str,
    id: &'a str,
    title: &'a str,
    columns: &'a [String],
    rows: &'a [Vec<String>],
}

impl<'a> PaperTableRow<'a> {
    fn of(table: &'a FilledTable) -> Self {
        let FilledTable { paper, id, title, columns, rows } = table;
        Self { paper, id, title, columns, rows }
    }
}

/// An experiment that decides why claims hold or not.
#[derive(Serialize)]
struct AblationRow<'a> {
    paper: &'a str,
    name: &'a str,
    question: &'a str,
    answer: &'a str,
    claims: &'a [String],
    shown: &'a [String],
    tables: Vec<TableRow<'a>>,
    command: &'a str,
}

#[derive(Serialize)]
struct TableRow<'a> {
    columns: &'a [String],
    rows: &'a [Vec<String>],
}

impl<'a> AblationRow<'a> {
    fn of(ablation: &'a JudgedAblation) -> Self {
        let table =
            |(columns, rows): &'a (Vec<String>, Vec<Vec<String>>)| TableRow { columns, rows };
        Self {
            paper: &ablation.paper,
            name: &ablation.name,
            question: &ablation.question,
            answer: &ablation.answer,
            claims: &ablation.claims,
            shown: &ablation.shown,
            tables: ablation.tables.iter().map(table).collect(),
            command: &ablation.command,
        }
    }
}

/// A claim as the schema has it. A claim with one part has a value, else a list.
#[derive(Serialize)]
struct ClaimRow<'a> {
    id: &'a str,
    paper: &'a str,
    figure: &'a str,
    statement: &'a str,
    confidence: &'static str,
    expected: OneOrMore<StatedValue>,
    measured: OneOrMore<Option<f64>>,
    interval: OneOrMore<Option<[f64; 2]>>,
    /// The seeds averaged over.
    seeds: usize,
    /// The value by each seed alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_seed: Vec<Vec<Option<f64>>>,
    verdict: &'static str,
    /// The verdict of the means alone, where seeds leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaning: Option<&'static str>,
    /// runs, formula, extrapolated, calibrated or given.
    basis: &'static str,
    decisive: bool,
    /// The command that repeats it.
    command: String,
    criterion: CriterionRow<'a>,
    /// The source of number and tolerance.
    why: &'a str,
    analysis: Option<&'a str>,
    /// The part of the experiment that is left out, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'a str>,
    /// The reason why the path is only the nearest to the paper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_path: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<ChoiceRow<'a>>,
    /// The results of other programs and hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<OtherRow<'a>>,
}

/// A measurement by another program.
#[derive(Serialize)]
struct OtherRow<'a> {
    by: &'a str,
    says: &'a str,
    how: &'a str,
}

/// The criterion of a claim: the accepted values in words, and the expressions.
#[derive(Serialize)]
struct CriterionRow<'a> {
    accepted: OneOrMore<&'a str>,
    /// The least and the largest accepted value of each measured number; null where there is none.
    band: OneOrMore<(Option<f64>, Option<f64>)>,
    measure: OneOrMore<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape_in_words: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<&'a str, &'a str>,
}

/// A paper under one coherent reading.
#[derive(Serialize)]
struct ReadingRow<'a> {
    paper: &'a str,
    name: &'a str,
    about: &'a str,
    counts: BTreeMap<&'static str, usize>,
    claims_decided_anew: usize,
    mended: &'a [String],
    broken: &'a [String],
    unsettled: &'a [String],
    settled: &'a [String],
}

impl<'a> CriterionRow<'a> {
    fn of(claim: &'a JudgedClaim) -> Self {
        let texts = |all: &'a [String]| all.iter().map(String::as_str).collect();
        let written = &claim.written;
        Self {
            accepted: OneOrMore(texts(&claim.accepted)),
            band: OneOrMore(claim.strips().into_iter().map(|strip| strip.accepted).collect()),
            measure: OneOrMore(texts(&written.measure)),
            test: written.test.as_deref(),
            shape: written.shape.as_deref(),
            shape_in_words: claim.shape_why.as_deref(),
            names: written.lets.iter().map(|(n, text)| (n.as_str(), text.as_str())).collect(),
        }
    }
}

impl<'a> ReadingRow<'a> {
    fn of(reading: &'a JudgedReading) -> Self {
        let names = ClaimVerdict::ALL.map(ClaimVerdict::name).into_iter();
        Self {
            paper: &reading.paper,
            name: &reading.name,
            about: &reading.about,
            counts: names.zip(reading.counts).collect(),
            claims_decided_anew: reading.about_claims,
            mended: &reading.mended,
            broken: &reading.broken,
            unsettled: &reading.unsettled,
            settled: &reading.settled,
        }
    }
}

#[derive(Serialize)]
struct ChoiceRow<'a> {
    name: &'a str,
    about: &'a str,
    measured: OneOrMore<Option<f64>>,
    interval: OneOrMore<Option<[f64; 2]>>,
    seeds: usize,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaning: Option<&'static str>,
}

impl<'a> ClaimRow<'a> {
    fn of(claim: &'a JudgedClaim) -> Self {
        Self {
            id: &claim.id,
            paper: &claim.paper,
            figure: &claim.figure,
            statement: &claim.statement,
            confidence: claim.confidence.name(),
            expected: OneOrMore(claim.expected.clone()),
            measured: values(&claim.measured),
            interval: intervals(&claim.measured),
            seeds: claim.seeds,
            by_seed: claim.by_seed.iter().map(|values| finite(values)).collect(),
            command: format!("westwood reproduce {}", claim.id),
            verdict: claim.verdict.name(),
            leaning: leaning(claim.verdict, claim.leaning),
            basis: claim.basis.name(),
            decisive: claim.decisive,
            criterion: CriterionRow::of(claim),
            why: &claim.why,
            analysis: claim.analysis.as_deref(),
            cut: claim.cut.as_deref(),
            nearest_path: claim.nearest.as_deref(),
            choices: claim.choices.iter().map(ChoiceRow::of).collect(),
            others: claim
                .others
                .iter()
                .map(|other| OtherRow { by: &other.by, says: &other.says, how: &other.how })
                .collect(),
        }
    }
}

impl<'a> ChoiceRow<'a> {
    fn of(choice: &'a JudgedChoice) -> Self {
        Self {
            name: &choice.name,
            about: &choice.about,
            measured: values(&choice.measured),
            interval: intervals(&choice.measured),
            seeds: choice.seeds,
            verdict: choice.verdict.name(),
            leaning: leaning(choice.verdict, choice.leaning),
        }
    }
}

/// The verdict of the means, where seeds leave it open.
fn leaning(verdict: ClaimVerdict, means: ClaimVerdict) -> Option<&'static str> {
    (verdict == ClaimVerdict::Undecided).then(|| means.name())
}

/// Nothing, a value, or a list.
struct OneOrMore<T>(Vec<T>);

impl<T: Serialize> Serialize for OneOrMore<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [] => serializer.serialize_none(),
            [one] => one.serialize(serializer),
            more => more.serialize(serializer),
        }
    }
}

fn finite(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().map(|x| Some(*x).filter(|x| x.is_finite())).collect()
}

fn values(measured: &[MeasuredNumber]) -> OneOrMore<Option<f64>> {
    OneOrMore(measured.iter().map(|m| Some(m.value).filter(|x| x.is_finite())).collect())
}

fn intervals(measured: &[MeasuredNumber]) -> OneOrMore<Option<[f64; 2]>> {
    let interval = |m: &MeasuredNumber| {
        let (low, high) = m.interval?;
        (low.is_finite() && high.is_finite()).then_some([low, high])
    };
    OneOrMore(measured.iter().map(interval).collect())
}

impl ReproductionReport {
    /// As JSON.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        let document = ReproductionDocument {
            schema: SCHEMA,
            version: self.version,
            mode: self.mode.name(),
            on: self.on.name(),
            measured_on: &self.measured,
            claims: self.claims.iter().map(ClaimRow::of).collect(),
            readings: self.readings.iter().map(ReadingRow::of).collect(),
            ablations: self.ablations.iter().map(AblationRow::of).collect(),
            figures: self.figures.iter().map(FigureRow::of).collect(),
            tables: self.tables.iter().map(PaperTableRow::of).collect(),
        };
        serde_json::to_string_pretty(&document).map(|text| text + "\n")
    }

    /// The number of a paper's claims with each verdict; of all papers without one.
    pub fn counts(&self, paper: Option<&str>) -> VerdictCounts {
        self.counted(|claim| paper.is_none_or(|paper| paper == claim.paper))
    }

    /// The number of claims on a basis with each verdict.
    pub fn counts_on(&self, basis: ClaimBasis) -> VerdictCounts {
        self.counted(|claim| claim.basis == basis)
    }

    fn counted(&self, has: impl Fn(&JudgedClaim) -> bool) -> VerdictCounts {
        ClaimVerdict::ALL.map(|verdict| {
            self.claims.iter().filter(|claim| claim.verdict == verdict && has(claim)).count()
        })
    }
}
