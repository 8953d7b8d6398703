//! The rules of a judgement: the practical bound, and the preference that names the leader.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use westwood_scenario::BadInput;

use super::criterion::Criterion;
use super::practical::Practical;

/// The controllers beside which others are described, the usual one of hosts today first.
pub(super) const USUAL: [&str; 4] = ["cubic-linux", "cubic", "reno-linux", "reno"];

/// The criterion that decides first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Preference {
    /// Goodput, or completion times of transfers.
    #[default]
    Goodput,
    /// A short queue.
    Delay,
    /// Jain's index, then harm.
    Fairness,
    /// Little that is resent, few timeouts, little harm.
    Sparing,
}

impl Preference {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("goodput", Self::Goodput),
        ("delay", Self::Delay),
        ("fairness", Self::Fairness),
        ("sparing", Self::Sparing),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }

    /// The criteria that decide, the first one first.
    pub(super) fn criteria(self) -> &'static [Criterion] {
        use Criterion::{
            Completion, Fairness, Goodput, Harm, QueueDelay, Resent, SlowestCompletion, Timeouts,
        };
        match self {
            Self::Goodput => &[Completion, SlowestCompletion, Goodput],
            Self::Delay => &[QueueDelay],
            Self::Fairness => &[Fairness, Harm],
            Self::Sparing => &[Resent, Timeouts, Harm],
        }
    }
}

impl FromStr for Preference {
    type Err = BadInput;

    fn from_str(text: &str) -> Result<Self, BadInput> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        let names = Self::ALL.map(|(name, _)| name);
        found.map(|(_, one)| one).ok_or_else(|| BadInput::unknown("preference", text, names))
    }
}

/// The rules of a judgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgementRules {
    /// The bound that a difference must exceed to matter.
    pub practical: Practical,
    /// The criterion that decides first.
    pub preference: Preference,
}
