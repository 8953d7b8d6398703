//! The flags of `westwood evaluate`.

use std::path::PathBuf;

use clap::Args;
use westwood_scenario::BadInput;
use westwood_scenario::spec::{ControllerSpec, controllers};
use westwood_scorecard::CardVerdict;

use super::values::{folder, jobs, output};
use super::{BoundArgs, JsonTarget};
use crate::worlds::WorldName;

pub(super) const EXAMPLES: &str = "\
Examples:
  westwood evaluate rfc9743 --cc bbr --html card.html
      the whole card of a controller, as one page
  westwood evaluate rfc9743 --cc 'westwood+(tau=0.3s)' --only 5.2
      section 5.2 alone: its behaviour among others
  westwood evaluate rfc9743 --cc reno,cubic,bbr --html cards --markdown cards.md
      several cards, and all side by side
  westwood evaluate rfc9743 --write rfc9743
      every criterion, threshold and scenario as files, to read and edit
  westwood evaluate rfc9743 --criteria rfc9743 --cc bbr3 --fail-if '5.2: fail'
      one's own criteria; exit code 3 if one of section 5.2 fails
";

/// The flags of `westwood evaluate`.
#[derive(Clone, Debug, Args)]
pub struct EvaluateArgs {
    /// The document whose criteria are applied: rfc9743.
    #[arg(value_name = "DOCUMENT", value_parser = document)]
    pub document: EvaluatedDocument,

    /// The controllers under examination, with a card each.
    #[arg(long, value_name = "CC[,CC...]", value_parser = EvaluatedControllers::parse,
        required_unless_present = "write")]
    pub cc: Option<EvaluatedControllers>,

    /// Only these sections and their parts, as in 5.2 or 5.1.2,7.
    ///
    /// Verdicts stay corrected for all settings of the examination, those that are not run among them.
    #[arg(long, value_name = "SECTION[,SECTION...]", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Where the scenarios run: sim, or linux.
    ///
    /// On linux the flows are TCP connections of this machine's kernel over emulated paths, one run after the
    /// other, in real time; a test that cannot be emulated is not applicable, with the reason. It needs root.
    #[arg(long, value_parser = WorldName::parse, default_value = "sim", value_name = "WORLD")]
    pub on: WorldName,

    /// How punctual real packets have to be.
    #[command(flatten)]
    pub bound: BoundArgs,

    /// Runs at the same time [default: one for each processor]; on linux always one. Results do not
    /// depend on it.
    #[arg(long, short, value_parser = jobs, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<usize>,

    /// Measure the cost of an ACK, too: nanoseconds on this machine and reference cycles of its
    /// processor, beside the references.
    ///
    /// Reference cycles are those of an x86-64's time-stamp counter, whose rate is constant whatever
    /// the core's. Other work on the machine changes it, so no verdict rests on it, and a card without
    /// --cost has no number that does not repeat.
    #[arg(long)]
    pub cost: bool,

    /// Read criteria, thresholds and scenarios from this folder instead of those that come with the program;
    /// --write makes one.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub criteria: Option<PathBuf>,

    /// Write criteria, thresholds and scenarios to DIR, and run nothing.
    #[arg(long, value_name = "DIR", value_parser = folder, conflicts_with_all = ["cc", "criteria"])]
    pub write: Option<PathBuf>,

    /// Exit with 3 if a criterion has this verdict, as in fail or undecided, or one of a section, as in
    /// '5.2: fail'; may be repeated.
    #[arg(long, value_name = "[SECTION:]VERDICT", value_parser = VerdictCondition::parse)]
    pub fail_if: Vec<VerdictCondition>,

    /// Write the card as one page that opens from disk; with several controllers a folder, with a page
    /// for each.
    ///
    /// The pages of a folder open each setting in a playground, playground.html beside them. A page alone
    /// does so with --play.
    #[arg(long, value_name = "FILE", value_parser = output)]
    pub html: Option<PathBuf>,

    /// Write the playground, in which the page of --html opens each setting.
    ///
    /// It simulates in a browser, from disk, to the same bits; the page names it by the way from its own
    /// folder. A setting that reads a file of its own, such as a recorded trace, has no link.
    #[arg(long, value_name = "FILE", value_parser = output, requires = "html")]
    pub play: Option<PathBuf>,

    /// Write the cards as JSON, a list of them (schema westwood.card/1); - for stdout, and nothing else
    /// there.
    #[arg(long, value_name = "FILE|-", value_parser = JsonTarget::parse)]
    pub json: Option<JsonTarget>,

    /// Write the cards side by side as Markdown, as results/scorecards.md has them.
    #[arg(long, value_name = "FILE", value_parser = output)]
    pub markdown: Option<PathBuf>,

    /// Keep finished runs in DIR, and take those that are there already
    /// [default: westwood/evaluate in $XDG_CACHE_HOME or ~/.cache].
    ///
    /// An interrupted examination goes on where it was. Runs are taken only if scenario, controller and
    /// version are the same.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub cache: Option<PathBuf>,

    /// Simulate everything anew, and keep nothing.
    #[arg(long, conflicts_with = "cache")]
    pub fresh: bool,

    /// Print neither progress nor results.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The controllers under examination.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedControllers(pub Vec<ControllerSpec>);

impl EvaluatedControllers {
    fn parse(text: &str) -> Result<Self, BadInput> {
        controllers(text).map(Self)
    }
}

/// A document whose criteria are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluatedDocument {
    /// RFC 9743.
    Rfc9743,
}

fn document(text: &str) -> Result<EvaluatedDocument, BadInput> {
    match text.to_ascii_lowercase().as_str() {
        "rfc9743" => Ok(EvaluatedDocument::Rfc9743),
        _ => Err(BadInput::unknown("document", text, ["rfc9743"])),
    }
}

/// A verdict that counts as failure, of one section and its parts or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictCondition {
    /// The section; every one if absent.
    pub section: Option<String>,
    /// The verdict.
    pub verdict: CardVerdict,
}

impl VerdictCondition {
    /// Reads `fail` or `5.2: fail`.
    pub(crate) fn parse(text: &str) -> Result<Self, BadInput> {
        let (section, verdict) = match text.split_once(':') {
            Some((section, verdict)) => (Some(section.trim().to_owned()), verdict.trim()),
            None => (None, text.trim()),
        };
        let found = CardVerdict::ALL.into_iter().find(|known| known.name() == verdict);
        let unknown =
            || BadInput::unknown("verdict", verdict, CardVerdict::ALL.map(CardVerdict::name));
        Ok(Self { section, verdict: found.ok_or_else(unknown)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_named_with_a_section_or_without() {
        let all = VerdictCondition { section: None, verdict: CardVerdict::Fail };
        assert_eq!(VerdictCondition::parse("fail"), Ok(all));
        let one = VerdictCondition::parse("5.2: undecided").unwrap();
        assert_eq!((one.section.as_deref(), one.verdict), (Some("5.2"), CardVerdict::Undecided));
        assert!(
            VerdictCondition::parse("5.2: bad").is_err() && VerdictCondition::parse("").is_err()
        );
    }
}
