//! A claim of a paper: its statement, its measure, and the condition under which it holds.

mod accept;
mod analysis;
mod read;

use westwood_scenario::file::reading::Location;

use crate::expr::Expr;

pub use accept::{Accept, Expected};
pub use analysis::Analysis;
pub(crate) use read::{claim, on_linux};

/// A claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// The figure, table or section of the paper.
    pub figure: String,
    /// The experiment whose runs its metrics mean; none if it needs no runs.
    pub experiment: Option<String>,
    /// The paper's statement, in our words.
    pub statement: String,
    /// The extent to which the paper describes the experiment.
    pub confidence: Confidence,
    /// Its kind.
    pub kind: ClaimKind,
    /// The source of its measured number.
    pub basis: ClaimBasis,
    /// True if it is one of those that tell a faithful simulator from another.
    pub decisive: bool,
    /// The paper's statement in words, where it is no number.
    pub said: Option<String>,
    /// The source of number and tolerance.
    pub why: String,
    /// Names for its expressions.
    pub lets: Vec<(String, Expr)>,
    /// The numbers that it is about.
    pub parts: Vec<ClaimPart>,
    /// A condition that must be true as well.
    pub test: Option<Expr>,
    /// Its content without the number.
    pub shape: Option<Expr>,
    /// That content, in words.
    pub shape_why: Option<String>,
    /// The other reading of a gain in percent.
    pub alt: Option<Expected>,
    /// The part of the experiment that is left out to save time, and the reason.
    pub cut: Option<String>,
    /// The decision on Linux, if there is one.
    pub linux: Option<Box<Claim>>,
    /// The reason why the path it is decided on is only the nearest one to the paper's.
    pub nearest: Option<String>,
    /// The reason why it cannot be decided here; its measure, if there is one, is a stand-in.
    pub untestable: Option<String>,
    /// The reason why it differs.
    pub analysis: Option<Analysis>,
    /// Its verdict depends on these.
    pub choices: Vec<Choice>,
    /// The results of other programs and hosts.
    pub others: Vec<OtherResult>,
    /// Its expressions as they are written.
    pub written: WrittenCriterion,
    /// True if it is evaluated in quick mode.
    pub quick: bool,
    /// Its place.
    pub place: Location,
}

/// One of the numbers of a claim.
#[derive(Clone, Debug)]
pub struct ClaimPart {
    /// Its name, if there are several.
    pub name: Option<String>,
    /// Its measure.
    pub measure: Expr,
    /// The paper's value.
    pub expected: Option<Expected>,
    /// The tolerance; without it the claim's test decides.
    pub accept: Option<Accept>,
    /// Its unit.
    pub unit: String,
}

/// Another reading where the paper leaves something open.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub about: String,
    /// This experiment instead.
    pub experiment: Option<String>,
    /// This variant.
    pub variant: Option<String>,
    /// These meanings of names.
    pub lets: Vec<(String, Expr)>,
    /// Its place.
    pub place: Location,
}

/// A measurement of another simulator or a kernel for the same claim.
#[derive(Clone, Debug)]
pub struct OtherResult {
    /// The program, with its version.
    pub by: String,
    /// Its numbers, with units.
    pub says: String,
    /// The conditions under which it ran, and where they are written down.
    pub how: String,
}

/// The extent to which a paper describes an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// All parameters that matter are printed.
    Firm,
    /// The claim rests on a default of ours.
    Soft,
}

/// Kinds of claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// A number.
    Value,
    /// One number over another.
    Ratio,
    /// A number is above or below another.
    Bound,
    /// The order of contestants.
    Ordering,
    /// The course of a curve.
    Shape,
}

/// The source of a claim's measured number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimBasis {
    /// Runs: the claim could have come out otherwise.
    Runs,
    /// A formula of the paper or another model; no packet is sent.
    Formula,
    /// An input of the experiment, which the runs only give back.
    Given,
    /// A constant of the set-up was chosen by this number.
    Calibrated,
    /// Runs of another size, continued by a law.
    Extrapolated,
}

/// A claim's expressions as they are written.
#[derive(Clone, Debug, Default)]
pub struct WrittenCriterion {
    /// Those of its numbers.
    pub measure: Vec<String>,
    /// The condition that must be true as well.
    pub test: Option<String>,
    /// Its content without the number.
    pub shape: Option<String>,
    /// The names that they use.
    pub lets: Vec<(String, String)>,
}

impl ClaimBasis {
    /// All of them, the strongest first.
    pub const ALL: [Self; 5] =
        [Self::Runs, Self::Formula, Self::Extrapolated, Self::Calibrated, Self::Given];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Formula => "formula",
            Self::Given => "given",
            Self::Calibrated => "calibrated",
            Self::Extrapolated => "extrapolated",
        }
    }
}

impl Confidence {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Firm => "firm",
            Self::Soft => "soft",
        }
    }

    /// Its meaning, in words.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Firm => "the paper prints all parameters that matter",
            Self::Soft => "the claim rests on a default of ours",
        }
    }
}
