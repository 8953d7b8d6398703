//! From the gradient of utility to the next rate (section 4.2).

use super::Params;
use super::utility::{RateTrial, from_mbit_per_s, mbit_per_s};
use crate::units::{Rate, Ratio};

/// The gradient of utility: per Mbit/s, 20 fractional bits.
pub(super) type UtilityGradient = i64;

/// `(u1 - u2) / (x1 - x2)`; zero if the two rates are one.
pub(super) fn gradient(a: &RateTrial, b: &RateTrial, params: &Params) -> UtilityGradient {
    let change = i128::from(a.utility(params)) - i128::from(b.utility(params));
    let step = i128::from(mbit_per_s(a.rate)) - i128::from(mbit_per_s(b.rate));
    if step == 0 {
        return 0;
    }
    let gradient = (change << 32) / step;
    i64::try_from(gradient).unwrap_or(if gradient < 0 { i64::MIN } else { i64::MAX })
}

/// The steps so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GradientAscent {
    /// tau: steps in one direction, negative downwards.
    streak: i64,
    /// k: steps in this direction that the boundary has cut.
    cut: u32,
}

impl GradientAscent {
    /// The next rate: `r + m(tau) theta_0 gamma`, by omega r at most.
    pub(super) fn step(&mut self, rate: Rate, gamma: UtilityGradient, params: &Params) -> Rate {
        let direction = gamma.signum();
        if direction == 0 {
            *self = Self::default();
            return rate;
        }
        if self.streak.signum() == direction {
            self.streak += direction;
        } else {
            *self = Self { streak: direction, cut: 0 };
        }
        let change = self.bounded(rate, self.change(gamma, params), params);
        if direction > 0 { rate + change } else { rate - change }
    }

    /// `m(tau) theta_0 gamma`.
    fn change(&self, gamma: UtilityGradient, params: &Params) -> Rate {
        let factor = params.conversion;
        let mbit = u128::from(gamma.unsigned_abs()) * u128::from(confidence_amplifier(self.streak));
        let mbit = (mbit * u128::from(factor.num()) / u128::from(factor.den())) << 12;
        from_mbit_per_s(u64::try_from(mbit).unwrap_or(u64::MAX))
    }

    /// The dynamic change boundary: `omega = omega_0 + k delta`.
    fn bounded(&mut self, rate: Rate, change: Rate, params: &Params) -> Rate {
        let bound = |k: u32| {
            let of = |share: Ratio, n: u64| rate.times(share).raw().saturating_mul(n);
            let raw = of(params.boundary, 1).saturating_add(of(params.boundary_step, k.into()));
            Rate::from_raw(raw)
        };
        if change > bound(self.cut) {
            self.cut += 1;
            return bound(self.cut - 1);
        }
        while self.cut > 0 && change <= bound(self.cut - 1) {
            self.cut -= 1;
        }
        change
    }
}

/// The confidence amplifier: `m(tau) = tau` up to 3, `2 tau - 3` beyond.
fn confidence_amplifier(streak: i64) -> u64 {
    match streak.unsigned_abs() {
        0 => 1,
        n @ 1..=3 => n,
        n => 2 * n - 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: UtilityGradient = 1 << 20;

    fn kbit(n: u64) -> Rate {
        Rate::from_bits_per_s(n * 1_000)
    }

    /// The rates in kbit/s after these gradients, from 100 Mbit/s on.
    fn after<const N: usize>(gradients: [UtilityGradient; N]) -> [u64; N] {
        let (mut ascent, mut rate) = (GradientAscent::default(), kbit(100_000));
        gradients.map(|gamma| {
            rate = ascent.step(rate, gamma, &Params::default());
            (rate.bits_per_s() + 500) / 1_000
        })
    }

    #[test]
    fn s4_2_the_amplifier_counts_steps_in_one_direction() {
        assert_eq!([0, 1, 2, 3, 4, 5, -4].map(confidence_amplifier), [1, 1, 2, 3, 5, 7, 5]);
        let tenth = ONE / 10 + 1;
        assert_eq!(after([tenth; 5]), [100_100, 100_300, 100_600, 101_100, 101_800]);
        // A change of direction begins anew.
        assert_eq!(after([tenth, tenth, -tenth]), [100_100, 100_300, 100_200]);
    }

    #[test]
    fn s4_2_a_step_is_bounded_by_a_share_of_the_rate_that_grows_while_it_is_cut() {
        // 5 %, 15 % and 25 % of the rate, and 5 % again in the other direction.
        let rates = after([1_000 * ONE, 1_000 * ONE, 1_000 * ONE, -1_000 * ONE]);
        assert_eq!(rates, [105_000, 120_750, 150_938, 143_391]);
    }

    #[test]
    fn s4_2_a_step_within_the_boundary_makes_k_the_smallest_that_admits_it() {
        let (mut ascent, params) = (GradientAscent::default(), Params::default());
        let mut rate = kbit(100_000);
        for _ in 0..3 {
            rate = ascent.step(rate, 1_000 * ONE, &params);
        }
        assert_eq!(ascent.cut, 3);
        // About 10 % of 151 Mbit/s, for an amplifier of 5: k = 1 admits 15 %, k = 0 only 5 %.
        ascent.step(rate, 3 * ONE, &params);
        assert_eq!(ascent.cut, 1);
    }

    #[test]
    fn s4_2_a_flat_utility_moves_nothing() {
        assert_eq!(after([0, 0]), [100_000, 100_000]);
    }
}
