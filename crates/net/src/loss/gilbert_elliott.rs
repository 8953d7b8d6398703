//! Two states that packets change: the model of E. N. Gilbert ("Capacity of a burst-noise channel", Bell
//! System Technical Journal, 1960) and E. O. Elliott (the same journal, 1963), as `tc`'s `netem loss gemodel`
//! has it.
//!
//! Each packet that passes in Good leaves the link in Bad with probability p, and each that passes in Bad
//! leaves it in Good with probability r. So sojourns are counted in packets and geometric, of 1/p and 1/r
//! packets in the mean, p / (p + r) of all packets pass in Bad, and the link at rest changes nothing. A
//! packet is judged by the state that it finds: of those in Bad the share `p_bad` is lost (`1-h` in `tc`), of
//! those in Good `p_good` (`1-k`).

use crate::error::LinkError;
use crate::loss::gap::Gap;
use crate::random::Random;

/// The chain, from Good on.
#[derive(Clone, Debug)]
pub(crate) struct GilbertElliott {
    /// The probability that a packet changes the state: from Good, from Bad.
    changes: [f64; 2],
    /// Losses in Good and in Bad. Having no memory, a gap may wait for its state to come back.
    losses: [Gap; 2],
    random: Random,
    /// 0 is Good, 1 is Bad.
    state: usize,
    /// Packets that this sojourn still has; `u64::MAX` if it never ends.
    left: u64,
    /// True if nothing is lost in Good.
    good_spares: bool,
}

impl GilbertElliott {
    pub(crate) fn new(
        changes: [f64; 2],
        lost: [f64; 2],
        mut random: Random,
    ) -> Result<Self, LinkError> {
        for (p, name) in changes.iter().zip(["p", "r"]).chain(lost.iter().zip(["p_good", "p_bad"]))
        {
            LinkError::unless_probability(*p, name)?;
        }
        let mut split = || Random::from_parts(u128::from(random.next_u64()), 0);
        let losses = [Gap::new(lost[0], split()), Gap::new(lost[1], split())];
        let left = sojourn(&mut random, changes[0]);
        Ok(Self { changes, losses, random, state: 0, left, good_spares: lost[0] == 0.0 })
    }

    /// The packets that are spared before one may be lost.
    #[inline]
    pub(crate) fn spared(&self) -> u64 {
        if self.state == 0 && self.good_spares { self.left } else { 0 }
    }

    /// Of the packets that are [spared](Self::spared) so many are left.
    #[inline]
    pub(crate) fn leave(&mut self, left: u64) {
        if self.spared() > 0 {
            self.left = left;
        }
    }

    pub(crate) fn loses(&mut self) -> bool {
        if self.left == 0 {
            self.state = 1 - self.state;
            self.left = sojourn(&mut self.random, self.changes[self.state]);
        }
        if self.left != u64::MAX {
            self.left -= 1;
        }
        self.losses[self.state].hits(1)
    }
}

/// The packets of a sojourn that each ends with this probability: at least one.
fn sojourn(random: &mut Random, change: f64) -> u64 {
    random.geometric(change).saturating_add(1)
}
