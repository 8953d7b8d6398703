//! The sign of a full pipe: rounds in which the rate no longer grows.

use super::bandwidth::{Bw, UNIT};

/// The rate has stopped growing after this many rounds ...
const ROUNDS: u8 = 3;
/// ... in none of which it rose by a quarter.
const GROWTH: u64 = UNIT * 5 / 4;

/// Counts the rounds since the rate last rose by a quarter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plateau {
    bw: Bw,
    rounds: u8,
}

impl Plateau {
    /// Growth is measured by this rate from now on.
    pub(crate) fn from(bw: Bw) -> Self {
        Self { bw, rounds: 0 }
    }

    /// A round with this rate ends. True from the third one without growth on.
    pub(crate) fn is_reached_with(&mut self, bw: Bw) -> bool {
        if bw >= self.bw.gain(GROWTH) {
            *self = Self::from(bw);
        } else {
            self.rounds = self.rounds.saturating_add(1);
        }
        self.rounds >= ROUNDS
    }

    /// Forgets the rate, not the rounds: the next rate counts as growth.
    pub(crate) fn forget_rate(&mut self) {
        self.bw = Bw::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached<const N: usize>(rates: [u64; N]) -> [bool; N] {
        let mut plateau = Plateau::default();
        rates.map(|bw| plateau.is_reached_with(Bw::from_raw(bw)))
    }

    #[test]
    fn three_rounds_without_a_quarter_more_are_a_plateau() {
        let rates = [100, 200, 250, 260, 280, 290];
        assert_eq!(reached(rates), [false, false, false, false, false, true]);
    }

    #[test]
    fn growth_by_a_quarter_starts_the_count_again() {
        let rates = [100, 100, 100, 125, 125, 125, 125];
        assert_eq!(reached(rates), [false, false, false, false, false, false, true]);
    }
}
