//! Ours and theirs held together.
//!
//! The bounds were fixed before any number was seen, one for each class of rows:
//!
//! | class | bound |
//! |---|---|
//! | one flow, no chance | 3 % |
//! | a total of several flows | 3 % on the means |
//! | random loss | the 95 % interval of the ratio of the means lies within 5 %, with at least 20 runs on each side |
//! | heavy-tailed (a few early losses are remembered for the whole run) | 10 % on the medians |
//! | a single flow's share among several, for information | none: distributions side by side |

use crate::stats::{mean, median, ratio_half_width};

/// What kind of row, hence which bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One flow, no chance: one run on each side.
    Exact,
    /// The total of several flows.
    Total,
    /// Random loss.
    Chance,
    /// Random loss whose outcome has a heavy tail.
    HeavyTailed,
    /// Printed, not held.
    Information,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::Total, Self::Chance, Self::HeavyTailed, Self::Information];

    /// What it is called in the document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "no chance",
            Self::Total => "total",
            Self::Chance => "random loss",
            Self::HeavyTailed => "heavy-tailed",
            Self::Information => "information",
        }
    }

    /// Its bound, in words.
    pub const fn bound(self) -> &'static str {
        match self {
            Self::Exact => "3 %",
            Self::Total => "3 % on means",
            Self::Chance => "interval within 5 %",
            Self::HeavyTailed => "10 % on medians",
            Self::Information => "none",
        }
    }
}

/// What came of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Ours against theirs, as a share: 0.01 is one percent more.
    pub off: f64,
    /// Half the 95 % interval of that, where chance has a part.
    pub half: Option<f64>,
    /// Within the bound; none where nothing is held.
    pub within: Option<bool>,
}

/// Runs on each side that random loss needs.
pub const LEAST_RUNS: usize = 20;

/// Holds our runs and theirs together. Neither side may be empty or zero on average.
pub fn judge(class: Class, ours: &[f64], theirs: &[f64]) -> Verdict {
    let off = mean(ours) / mean(theirs) - 1.0;
    let half = (ours.len() > 1 && theirs.len() > 1).then(|| ratio_half_width(ours, theirs));
    let of_means = |within| Verdict { off, half, within };
    match class {
        Class::Exact | Class::Total => of_means(Some(off.abs() <= 0.03)),
        Class::Chance => {
            let enough = ours.len() >= LEAST_RUNS && theirs.len() >= LEAST_RUNS;
            let reach = off.abs() + half.unwrap_or(f64::INFINITY);
            of_means(Some(enough && reach <= 0.05))
        }
        Class::HeavyTailed => {
            let off = median(ours) / median(theirs) - 1.0;
            Verdict { off, half: None, within: Some(off.abs() <= 0.10) }
        }
        Class::Information => of_means(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_percent_is_within_and_more_is_not() {
        assert_eq!(judge(Class::Exact, &[102.9], &[100.0]).within, Some(true));
        assert_eq!(judge(Class::Exact, &[96.9], &[100.0]).within, Some(false));
    }

    #[test]
    fn random_loss_needs_twenty_runs_however_well_they_agree() {
        let (few, enough) = ([100.0; 19], [100.0; 20]);
        assert_eq!(judge(Class::Chance, &few, &enough).within, Some(false));
        assert_eq!(judge(Class::Chance, &enough, &enough).within, Some(true));
    }

    #[test]
    fn random_loss_is_held_by_the_far_end_of_its_interval() {
        let wide: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 80.0 } else { 120.0 }).collect();
        let verdict = judge(Class::Chance, &wide, &[100.0; 20]);
        assert!(verdict.off.abs() < 1e-12);
        assert_eq!(verdict.within, Some(false));
    }

    #[test]
    fn one_outlier_does_not_move_a_heavy_tailed_row() {
        let tail = [100.0, 101.0, 99.0, 100.0, 1_000.0];
        assert_eq!(judge(Class::HeavyTailed, &tail, &[100.0; 5]).within, Some(true));
    }

    #[test]
    fn information_is_not_held() {
        assert_eq!(judge(Class::Information, &[1.0], &[2.0]).within, None);
    }
}
