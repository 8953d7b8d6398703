//! The faults of a contestant, independent of the others.

use serde::{Deserialize, Serialize};

use super::contest::{Contestant, Losses};
use super::{Criterion, Situation};

/// Below which index of Jain a share is a fault: of two flows one carries ten times as much as the
/// other, of many four in ten are left with nothing.
const UNEVEN: f64 = 0.6;
/// Above which share of segments sent again for other reasons than random loss a sender is a fault: by
/// the square-root law a loss of a tenth leaves a window of four segments, so that a sender that obeys
/// losses does not stay there.
const WASTEFUL: f64 = 0.1;
/// A harm above this is a fault of the contestant: the competing flows keep less than half of their goodput
/// beside flows of their own kind.
const HARMFUL: f64 = 0.5;

/// A fault of a contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Transfers under test did not finish.
    Unfinished,
    /// Its flows share unevenly: Jain's index below 0.6.
    Uneven,
    /// It sends more than a tenth of its segments again, what random loss accounts for left out.
    Wasteful,
    /// It takes more than half of the goodput that the competing flows would have.
    Harmful,
}

impl Fault {
    /// The criterion by which another contestant is clearly better; none where runs are counted.
    pub(super) fn criterion(self) -> Option<Criterion> {
        match self {
            Self::Unfinished => None,
            Self::Uneven => Some(Criterion::Fairness),
            Self::Wasteful => Some(Criterion::Resent),
            Self::Harmful => Some(Criterion::Harm),
        }
    }
}

/// The faults of a contestant, by the means of its runs.
pub(super) fn faults(one: &Contestant<'_>, situation: &Situation) -> Vec<Fault> {
    let mean = |criterion: Criterion| one.known_mean_of(criterion.metric());
    let uneven = situation.several
        && !situation.transfers
        && mean(Criterion::Fairness).is_some_and(|jain| jain < UNEVEN);
    let harmful = mean(Criterion::Harm).is_some_and(|harm| harm > HARMFUL);
    let all = [
        (Fault::Unfinished, situation.transfers && one.cut_off() > 0),
        (Fault::Uneven, uneven),
        (Fault::Wasteful, resent_by_itself(one) > WASTEFUL),
        (Fault::Harmful, harmful),
    ];
    all.into_iter().filter_map(|(fault, found)| found.then_some(fault)).collect()
}

/// The share resent, less what random loss accounts for: its share of the drops on all links. Random loss
/// is the path's fault.
fn resent_by_itself(one: &Contestant<'_>) -> f64 {
    let Losses { random, random_elsewhere, congestion, .. } = one.losses();
    let all = random + random_elsewhere + congestion;
    let share = if all > 0.0 { congestion / all } else { 1.0 };
    share * one.mean(Criterion::Resent)
}
