//! The results of an examination: the schema `westwood.card/1`.

use serde::{Deserialize, Serialize};
use westwood_experiment::ack_cost::{self, AckTiming};
use westwood_scenario::spec::ControllerSpec;

/// The schema's name.
pub const CARD_SCHEMA: &str = "westwood.card/1";

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CardVerdict {
    /// Every statement holds, beyond chance.
    Pass,
    /// A statement does not hold, beyond chance.
    Fail,
    /// Nothing fails, and with the seeds there are something cannot be told from chance.
    Undecided,
    /// Nothing is measured.
    NotApplicable,
}

impl CardVerdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Fail, Self::Undecided, Self::NotApplicable];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
            Self::NotApplicable => "not applicable",
        }
    }

    /// The verdict on all of several statements.
    pub fn of_all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::NotApplicable;
        for verdict in verdicts {
            all = match (all, verdict) {
                (Self::Fail, _) | (_, Self::Fail) => Self::Fail,
                (Self::Undecided, _) | (_, Self::Undecided) => Self::Undecided,
                (Self::Pass, _) | (_, Self::Pass) => Self::Pass,
                _ => Self::NotApplicable,
            };
        }
        all
    }
}

/// A filled-in card. There is no score: each criterion stands for itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    /// [`CARD_SCHEMA`].
    pub schema: String,
    /// The version of the program that made it.
    pub version: String,
    /// The document's title.
    pub title: String,
    /// Where it is published.
    pub source: String,
    /// The controller under examination.
    pub controller: String,
    /// Where it ran: `sim` or `linux`.
    pub on: String,
    /// The confidence of all verdicts of the card together.
    pub confidence: f64,
    /// How many statements of the whole examination share the rest of it (Holm's correction), those of
    /// sections that are not examined among them.
    pub statements: usize,
    /// The criteria, in the document's order.
    pub criteria: Vec<JudgedCriterion>,
    /// The text that opens the controller's file, which answers sections 5.3.1 and 5.3.2; `null` of a
    /// controller without one.
    pub text: Option<String>,
    /// The cost of an ACK, where it was asked for: measured on one machine at one time, and so the one part
    /// of a card that does not repeat. No verdict rests on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cost: Vec<AckCost>,
}

/// The cost of an ACK to a controller, in congestion avoidance without loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AckCost {
    /// The controller's canonical name.
    pub controller: String,
    /// Nanoseconds an ACK: the least of the rounds, which other work on the machine disturbs least.
    pub ns: f64,
    /// The same in reference cycles of the processor, which count at its constant nominal rate and not at the
    /// core's own; `null` where it has no such counter.
    #[serde(default)]
    pub cycles: Option<f64>,
}

impl AckCost {
    /// The cost to each of these controllers, by the clock of this machine and its processor's counter.
    pub fn measured(controllers: &[ControllerSpec]) -> Vec<Self> {
        let choices: Vec<_> = controllers.iter().map(|cc| cc.choice).collect();
        let named = |(cc, cost): (&ControllerSpec, AckTiming)| {
            let AckTiming { ns, cycles } = cost;
            Self { controller: cc.to_string(), ns, cycles }
        };
        controllers.iter().zip(ack_cost::measure(&choices)).map(named).collect()
    }
}

/// A criterion with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedCriterion {
    /// The section's number.
    pub section: String,
    /// The section's title.
    pub title: String,
    /// The document's word: MUST, SHOULD, or in small letters should, ought or needs; `-` where it has
    /// none.
    pub requirement: String,
    /// The document's sentence with that word.
    pub says: String,
    /// The question.
    pub asks: String,
    /// The part of the section that is not measured, or another remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The verdict on all of its tests.
    pub verdict: CardVerdict,
    /// Why nothing is measured; `null` where something is.
    pub reason: Option<String>,
    /// The controller's own text answers it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answered_by_text: bool,
    /// Its tests.
    pub tests: Vec<JudgedTest>,
}

/// A test with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedTest {
    /// The scenario's name.
    pub scenario: String,
    /// The quantity, by its name in `--fail-if`.
    pub measure: String,
    /// The comparison, in a sentence.
    pub about: String,
    /// The threshold's name.
    pub threshold: String,
    /// The limit in words.
    pub limit: String,
    /// The source of the limit.
    pub limit_source: String,
    /// The verdict on all of its cells.
    pub verdict: CardVerdict,
    /// Why it is not applicable where the card ran; absent where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One for each setting, and each controller or variant beside it.
    pub cells: Vec<JudgedCell>,
}

/// A statement with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedCell {
    /// The setting.
    pub setting: String,
    /// The controller or variant beside which it is judged, of several the one that allows the most; `null`
    /// of a value that is judged by itself.
    pub beside: Option<String>,
    /// The verdict.
    pub verdict: CardVerdict,
    /// A command that repeats its runs, with the scenario's file in `DIR`; those of all variants of a
    /// scenario that has some.
    pub command: String,
    /// Why it is undecided, if it is not for want of seeds, or why it is not applicable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Nothing in it is random: one seed is the truth.
    pub exact: bool,
    /// The seeds that count.
    pub seeds: Vec<u64>,
    /// The value under each seed.
    pub values: Vec<f64>,
    /// The value of the runs beside it, seed by seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside_values: Vec<f64>,
    /// By how much each seed exceeds the limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excesses: Vec<f64>,
    /// By how much the limit is exceeded, on the mean of the seeds and in the measure's unit; below zero it
    /// is kept. Of a ratio this is the value less the limit times the value beside it.
    pub excess: Option<f64>,
    /// Half the width of its 95 % interval by itself; `null` where chance has not been seen at work.
    pub half_width: Option<f64>,
    /// The probability of so large a difference from the limit if only chance made it.
    pub p_value: Option<f64>,
}

impl JudgedTest {
    /// A setting of it with the name of its scenario: `6.4-cellular, as it stands`.
    pub fn setting_of(&self, cell: &JudgedCell) -> String {
        format!("{}, {}", self.scenario, cell.setting)
    }
}

impl Scorecard {
    /// The document's title up to its colon: `RFC 9743`.
    pub fn title_in_short(&self) -> &str {
        self.title.split(':').next().unwrap_or(&self.title)
    }

    /// The number of settings that are judged.
    pub fn settings(&self) -> usize {
        let cells = self.criteria.iter().flat_map(|c| &c.tests).flat_map(|test| &test.cells);
        cells.filter(|cell| cell.verdict != CardVerdict::NotApplicable).count()
    }

    /// The number of criteria with each verdict, in the order of [`CardVerdict::ALL`].
    pub fn counts(&self) -> [usize; 4] {
        CardVerdict::ALL
            .map(|verdict| self.criteria.iter().filter(|c| c.verdict == verdict).count())
    }
}

/// Cards as JSON: a list.
///
/// # Errors
/// If a number cannot be written.
pub fn json(cards: &[Scorecard]) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(cards).map(|text| text + "\n")
}

#[cfg(test)]
mod tests {
    use super::CardVerdict::{Fail, NotApplicable, Pass, Undecided};
    use super::*;

    #[test]
    fn one_failure_fails_a_criterion_and_one_doubt_leaves_it_open() {
        assert_eq!(CardVerdict::of_all([Pass, Fail, Undecided]), Fail);
        assert_eq!(CardVerdict::of_all([Pass, Undecided, Pass]), Undecided);
        assert_eq!(CardVerdict::of_all([Pass, NotApplicable]), Pass);
        assert_eq!(CardVerdict::of_all([]), NotApplicable);
    }
}
