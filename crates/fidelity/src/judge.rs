//! Ours and theirs held together.
//!
//! The bounds were fixed before any number was seen, one for each class of rows:
//!
//! | class | bound |
//! |---|---|
//! | one flow, no chance | 3 % |
//! | a total of several flows | 3 % on the means |
//! | random loss | the 95 % interval of the ratio of the means lies within 5 %, with at least 20 runs on each side |
//! | heavy-tailed (a few early losses are remembered for the whole run) | 10 % on the medians, with as many runs |
//! | a single flow's share among several, for information | none: distributions side by side |
//!
//! A heavy-tailed row has the interval of the ratio of its medians beside the difference. It came after the
//! bound and decides nothing.

use crate::resample::ratio_of_medians;
use crate::stats::{mean, median, ratio_half_width};

/// The kind of a row, hence its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowClass {
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

impl RowClass {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::Total, Self::Chance, Self::HeavyTailed, Self::Information];

    /// Its name in the document.
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

/// The bound on medians under a heavy tail.
pub const TAIL_BOUND: f64 = 0.10;

/// The verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowVerdict {
    /// Ours against theirs, as a share: 0.01 is one percent more.
    pub off: f64,
    /// Half the 95 % interval of that, where chance has a part and means are compared.
    pub half: Option<f64>,
    /// The 95 % interval of that, where medians are compared: from, to.
    pub range: Option<(f64, f64)>,
    /// Its meaning.
    pub outcome: Agreement,
}

/// The meaning of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Within the bound.
    Within,
    /// Beyond it.
    Exceeds,
    /// Chance allows neither answer: too few runs, or an interval that reaches beyond the bound though
    /// the difference itself does not.
    Open,
    /// Nothing is held.
    NotHeld,
}

/// Runs on each side that random loss needs.
pub const LEAST_RUNS: usize = 20;

/// Holds our runs and theirs together. Neither side may be empty or zero on average.
pub fn judge(class: RowClass, ours: &[f64], theirs: &[f64]) -> RowVerdict {
    let few = ours.len() < LEAST_RUNS || theirs.len() < LEAST_RUNS;
    let off = match class {
        RowClass::HeavyTailed => median(ours) / median(theirs) - 1.0,
        _ => mean(ours) / mean(theirs) - 1.0,
    };
    let tailed = class == RowClass::HeavyTailed;
    let several = ours.len() > 1 && theirs.len() > 1;
    let half = (several && !tailed).then(|| ratio_half_width(ours, theirs));
    let range = (several && tailed).then(|| ratio_of_medians(ours, theirs));
    let range = range.map(|(low, high)| (low - 1.0, high - 1.0));
    let beyond =
        |bound: f64| if off.abs() <= bound { Agreement::Within } else { Agreement::Exceeds };
    let outcome = match class {
        RowClass::Exact | RowClass::Total => beyond(0.03),
        RowClass::Chance | RowClass::HeavyTailed if few => Agreement::Open,
        RowClass::Chance => match beyond(0.05) {
            Agreement::Within if off.abs() + half.unwrap_or(0.0) > 0.05 => Agreement::Open,
            outcome => outcome,
        },
        RowClass::HeavyTailed => beyond(TAIL_BOUND),
        RowClass::Information => Agreement::NotHeld,
    };
    RowVerdict { off, half, range, outcome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_percent_is_within_and_more_is_not() {
        assert_eq!(judge(RowClass::Exact, &[102.9], &[100.0]).outcome, Agreement::Within);
        assert_eq!(judge(RowClass::Exact, &[96.9], &[100.0]).outcome, Agreement::Exceeds);
    }

    #[test]
    fn random_loss_needs_twenty_runs_however_well_they_agree() {
        let (few, enough) = ([100.0; 19], [100.0; 20]);
        assert_eq!(judge(RowClass::Chance, &few, &enough).outcome, Agreement::Open);
        assert_eq!(judge(RowClass::Chance, &enough, &enough).outcome, Agreement::Within);
    }

    #[test]
    fn random_loss_is_held_by_the_far_end_of_its_interval() {
        let wide: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 80.0 } else { 120.0 }).collect();
        let verdict = judge(RowClass::Chance, &wide, &[100.0; 20]);
        assert!(verdict.off.abs() < 1e-12);
        assert_eq!(verdict.outcome, Agreement::Open);
        let far: Vec<f64> = wide.iter().map(|x| x * 1.06).collect();
        assert_eq!(judge(RowClass::Chance, &far, &[100.0; 20]).outcome, Agreement::Exceeds);
    }

    #[test]
    fn one_outlier_does_not_move_a_heavy_tailed_row() {
        let mut tail = [100.0; 20];
        tail[19] = 10_000.0;
        assert_eq!(judge(RowClass::HeavyTailed, &tail, &[100.0; 20]).outcome, Agreement::Within);
    }

    #[test]
    fn a_heavy_tailed_row_has_an_interval_that_does_not_decide() {
        let wide: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 80.0 } else { 120.0 }).collect();
        let verdict = judge(RowClass::HeavyTailed, &wide, &[100.0; 20]);
        assert_eq!((verdict.half, verdict.outcome), (None, Agreement::Within));
        let (low, high) = verdict.range.expect("twenty runs");
        assert!((low + 0.2).abs() < 1e-12 && (high - 0.2).abs() < 1e-12, "{low} {high}");
        assert_eq!(judge(RowClass::HeavyTailed, &wide, &[100.0]).range, None);
        assert_eq!(judge(RowClass::Chance, &wide, &[100.0; 20]).range, None);
    }

    #[test]
    fn information_is_not_held() {
        assert_eq!(judge(RowClass::Information, &[1.0], &[2.0]).outcome, Agreement::NotHeld);
    }
}
