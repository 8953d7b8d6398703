//! The results of a reproduction: the schema `westwood.reproduce/1`.

use serde::{Serialize, Serializer};

use crate::claim::{Claim, ClaimPart, Expected};
use crate::extent::{Extent, Platform};
use crate::number::number;
use crate::paper::Paper;

/// The schema's name.
pub const SCHEMA: &str = "westwood.reproduce/1";

/// A number that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredNumber {
    /// The number.
    pub value: f64,
    /// Half the width of its 95 % interval; none if nothing was random.
    pub half: Option<f64>,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimVerdict {
    /// The number lies within the tolerance.
    Holds,
    /// The number does not, and the claim's statement without it is true.
    InShape,
    /// Neither.
    Differs,
    /// It needs more than simulation.
    NotTestable,
}

impl ClaimVerdict {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Holds, Self::InShape, Self::Differs, Self::NotTestable];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::InShape => "holds in shape",
            Self::Differs => "differs",
            Self::NotTestable => "not testable here",
        }
    }
}

/// A claim with its verdict.
#[derive(Clone, Debug)]
pub struct Judged {
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
    pub confidence: &'static str,
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
    /// True if an interval reaches beyond the accepted values, or into them.
    pub close: bool,
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
}

impl Judged {
    pub(crate) fn new(
        paper: &Paper,
        claim: &Claim,
        measured: Vec<MeasuredNumber>,
        verdict: ClaimVerdict,
        choices: Vec<JudgedChoice>,
    ) -> Self {
        let analysis = match (&claim.untestable, &claim.analysis) {
            (Some(why), None) => Some(why.clone()),
            (Some(why), Some(more)) => Some(format!("{why} {more}")),
            (None, analysis) => analysis.clone(),
        };
        let close = |(part, m): (&ClaimPart, &MeasuredNumber)| {
            let (Some(accept), Some(half)) = (part.accept, m.half) else { return false };
            let ends = [m.value - half, m.value, m.value + half];
            !ends.iter().all(|x| accept.holds(*x)) && ends.iter().any(|x| accept.holds(*x))
        };
        Self {
            id: claim.id.clone(),
            paper: paper.key.clone(),
            figure: claim.figure.clone(),
            experiment: claim.experiment.clone(),
            statement: claim.statement.clone(),
            confidence: claim.confidence.name(),
            decisive: claim.decisive,
            expected: expected(claim),
            accepted: claim.parts.iter().map(accepted).collect(),
            names: claim.parts.iter().map(|p| (p.name.clone(), p.unit.clone())).collect(),
            close: claim.parts.iter().zip(&measured).any(close),
            measured,
            verdict,
            nearest: claim.nearest.clone(),
            why: claim.why.clone(),
            analysis,
            cut: claim.cut.clone(),
            choices,
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
    pub claims: Vec<Judged>,
    /// Claims whose runs are not there.
    pub not_run: Vec<String>,
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
    verdict: &'static str,
    analysis: Option<&'a str>,
    /// The part of the experiment that is left out, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'a str>,
    /// The reason why the path is only the nearest to the paper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_path: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<ChoiceRow<'a>>,
}

#[derive(Serialize)]
struct ChoiceRow<'a> {
    name: &'a str,
    about: &'a str,
    measured: OneOrMore<Option<f64>>,
    interval: OneOrMore<Option<[f64; 2]>>,
    verdict: &'static str,
}

impl<'a> ClaimRow<'a> {
    fn of(claim: &'a Judged) -> Self {
        Self {
            id: &claim.id,
            paper: &claim.paper,
            figure: &claim.figure,
            statement: &claim.statement,
            confidence: claim.confidence,
            expected: OneOrMore(claim.expected.clone()),
            measured: values(&claim.measured),
            interval: intervals(&claim.measured),
            verdict: claim.verdict.name(),
            analysis: claim.analysis.as_deref(),
            cut: claim.cut.as_deref(),
            nearest_path: claim.nearest.as_deref(),
            choices: claim.choices.iter().map(ChoiceRow::of).collect(),
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
            verdict: choice.verdict.name(),
        }
    }
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

fn values(measured: &[MeasuredNumber]) -> OneOrMore<Option<f64>> {
    OneOrMore(measured.iter().map(|m| Some(m.value).filter(|x| x.is_finite())).collect())
}

fn intervals(measured: &[MeasuredNumber]) -> OneOrMore<Option<[f64; 2]>> {
    let interval = |m: &MeasuredNumber| {
        let half = m.half.filter(|half| half.is_finite() && m.value.is_finite())?;
        Some([m.value - half, m.value + half])
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
        };
        serde_json::to_string_pretty(&document).map(|text| text + "\n")
    }

    /// The number of a paper's claims with each verdict; of all papers without one.
    pub fn counts(&self, paper: Option<&str>) -> [usize; 4] {
        ClaimVerdict::ALL.map(|verdict| {
            let of = |c: &&Judged| c.verdict == verdict && paper.is_none_or(|p| p == c.paper);
            self.claims.iter().filter(of).count()
        })
    }
}
