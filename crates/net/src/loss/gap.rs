//! Independent losses, drawn as gaps.

use crate::random::Random;

/// Trials that each succeed with one probability: packets, or the bits of packets.
///
/// The number drawn is that of failures before the next success, which is geometric. A packet of
/// many bits ends the draw wherever its first error falls; what follows is drawn anew, and since a
/// geometric gap has no memory packets stay independent.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    p: f64,
    random: Random,
    /// Trials before the next success; `u64::MAX` for never.
    left: u64,
}

impl Gap {
    pub(crate) fn new(p: f64, mut random: Random) -> Self {
        let left = random.geometric(p);
        Self { p, random, left }
    }

    /// Trials that are known to fail before one succeeds; `u64::MAX` for never.
    #[inline]
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Some of those have been made: so many are left.
    #[inline]
    pub(crate) fn leave(&mut self, left: u64) {
        self.left = left;
    }

    /// True if one of the next `trials` succeeds.
    #[inline]
    pub(crate) fn hits(&mut self, trials: u64) -> bool {
        if self.left < trials {
            self.left = self.random.geometric(self.p);
            return true;
        }
        if self.left != u64::MAX {
            self.left -= trials;
        }
        false
    }
}
