//! The parts that all pages of the site have.

use crate::results::{ClaimVerdict, ReproductionReport};

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
