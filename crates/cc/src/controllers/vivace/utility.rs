//! The utility of a monitor interval (section 3, equation 1), and the power that it takes.

use super::Params;
use crate::units::{Rate, Ratio};

/// The measurements of one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RateTrial {
    /// The rate at which it sent.
    pub(super) rate: Rate,
    /// Segments sent for the first time.
    pub(super) sent: u64,
    /// Those of them judged lost.
    pub(super) lost: u64,
    /// `d(RTT)/dT`, 20 fractional bits.
    pub(super) rtt_gradient: i64,
}

impl RateTrial {
    /// `x^t - b x d(RTT)/dT - c x L` with x in Mbit/s (equation 1), 20 fractional bits.
    pub(super) fn utility(&self, params: &Params) -> i64 {
        let x = mbit_per_s(self.rate);
        let throughput = i128::from(power(x, params.exponent) >> (32 - 20));
        let x = i128::from(x);
        let of = |weight: Ratio, q: i128| q * i128::from(weight.num()) / i128::from(weight.den());
        // A thousand seconds a second, so that no product leaves its word.
        let gradient = i128::from(self.rtt_gradient.clamp(-(1 << 30), 1 << 30));
        let latency = of(params.latency, x * gradient) >> 32;
        let share = (i128::from(self.lost) << 32) / i128::from(self.sent.max(1));
        let penalty = of(params.loss, x * share) >> 44;
        let utility = throughput - latency - penalty;
        i64::try_from(utility).unwrap_or(if utility < 0 { i64::MIN } else { i64::MAX })
    }

    /// True if this trial, at the higher rate, lost a smaller share than the other (section 4.3).
    pub(super) fn loses_less_than(&self, other: &Self) -> bool {
        u128::from(self.lost) * u128::from(other.sent)
            < u128::from(other.lost) * u128::from(self.sent)
    }
}

/// A rate in Mbit/s with 32 fractional bits: bytes a second have 16.
pub(super) fn mbit_per_s(rate: Rate) -> u64 {
    let mbit = (u128::from(rate.raw()) << 19) / 1_000_000;
    u64::try_from(mbit).unwrap_or(u64::MAX)
}

/// The rate of so many Mbit/s with 32 fractional bits.
pub(super) fn from_mbit_per_s(mbit: u64) -> Rate {
    let raw = (u128::from(mbit) * 1_000_000) >> 19;
    Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX))
}

/// `x^t` with 32 fractional bits, for x below 2^30: `2^(t log2 x)`. The relative error is below 2^-25.
fn power(x: u64, t: Ratio) -> u64 {
    if x == 0 {
        return 0;
    }
    let log = i128::from(log2(x) - (32 << 32)) * i128::from(t.num()) / i128::from(t.den());
    exp2(i64::try_from(log).unwrap_or(i64::MAX))
}

/// `log2 n` with 32 fractional bits, for n above zero: each squaring of the mantissa tells a bit.
fn log2(n: u64) -> i64 {
    let zeros = n.leading_zeros();
    // In [1, 2), 31 fractional bits.
    let mut mantissa = (n << zeros) >> 32;
    let mut log = i64::from(63 - zeros);
    for _ in 0..32 {
        mantissa = (mantissa * mantissa) >> 31;
        let bit = mantissa >> 32;
        mantissa >>= bit;
        log = (log << 1) | i64::from(bit == 1);
    }
    log
}

/// `2^(1/2^i)` for i from 1 on, 31 fractional bits.
const ROOTS: [u64; 31] = {
    let mut roots = [0; 31];
    let mut root = 2 << 31;
    let mut i = 0;
    while i < roots.len() {
        root = crate::math::square_root(root << 31);
        roots[i] = root;
        i += 1;
    }
    roots
};

/// `2^e` with 32 fractional bits on both sides; `e` above 30 counts as 30.
fn exp2(e: i64) -> u64 {
    let whole = (e >> 32).min(30);
    let mut power = 1_u64 << 31;
    for (i, root) in ROOTS.iter().enumerate() {
        if (e >> (31 - i)) & 1 == 1 {
            power = (power * root) >> 31;
        }
    }
    match u32::try_from(whole) {
        Ok(whole) => power << (whole + 1),
        Err(_) => u32::try_from(-whole - 1).map_or(0, |down| power.checked_shr(down).unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbit(n: u64) -> Rate {
        Rate::from_bits_per_s(n * 1_000_000)
    }

    fn trial(n: u64, lost: u64, rtt_gradient: i64) -> RateTrial {
        RateTrial { rate: mbit(n), sent: 1_000, lost, rtt_gradient }
    }

    #[expect(clippy::cast_precision_loss, reason = "a model needs no more than 53 bits")]
    fn float(q: i64, bits: i32) -> f64 {
        q as f64 / 2_f64.powi(bits)
    }

    #[test]
    fn a_power_is_that_of_real_numbers() {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        for x in [1_u64, 77, 1 << 20, 1 << 31, 1 << 32, 3 << 32, 100 << 32, 12_345 << 30, 1 << 60] {
            for t in [Ratio::new(9, 10), Ratio::new(1, 2), Ratio::new(99, 100)] {
                let real =
                    (x as f64 / 2_f64.powi(32)).powf(f64::from(t.num()) / f64::from(t.den()));
                let ours = power(x, t) as f64 / 2_f64.powi(32);
                let error = (ours - real).abs();
                assert!(error < real * 3e-8 + 2e-9, "{x}^{t:?}: {ours}, {real}");
            }
        }
    }

    #[test]
    fn a_power_depends_on_the_exponent_and_not_on_its_terms() {
        for x in [1_u64, 1 << 32, 100 << 32, 1 << 60] {
            let large = Ratio::new(3_780_000_000, 4_200_000_000);
            assert_eq!(power(x, large), power(x, Ratio::new(9, 10)), "{x}");
        }
    }

    #[test]
    fn s3_equation_1_counts_mbit_per_second() {
        let params = Params::default();
        let utility = |trial: RateTrial| float(trial.utility(&params), 20);
        assert!((utility(trial(100, 0, 0)) - 100_f64.powf(0.9)).abs() < 1e-4);
        // A hundredth of the segments: 11.35 * 100 * 0.01.
        let lossy = 100_f64.powf(0.9) - 11.35;
        assert!((utility(trial(100, 10, 0)) - lossy).abs() < 1e-4);
        // The queue grows by an eighth of the time: 900 * 100 / 8.
        let late = 100_f64.powf(0.9) - 11_250.0;
        assert!((utility(trial(100, 0, 1 << 17)) - late).abs() < 1e-4);
        let early = 100_f64.powf(0.9) + 11_250.0;
        assert!((utility(trial(100, 0, -(1 << 17))) - early).abs() < 1e-4);
    }

    #[test]
    fn s3_2_at_100_mbit_per_second_a_loss_of_five_percent_is_where_more_is_worth_no_more() {
        // t x^(t-1) = c p: 0.9 / 100^0.1 / 11.35 = 0.0500.
        let params = Params::default();
        let worth = |n, per_mille| trial(n, per_mille, 0).utility(&params);
        assert!(worth(101, 48) > worth(99, 48));
        assert!(worth(101, 52) < worth(99, 52));
    }

    #[test]
    fn rates_survive_the_change_of_unit() {
        for rate in [mbit(1), mbit(100), mbit(100_000), Rate::from_bytes_per_s(1_234_567)] {
            let back = from_mbit_per_s(mbit_per_s(rate));
            assert!(rate - back <= Rate::from_bytes_per_s(1) && back <= rate, "{rate} {back}");
        }
    }
}
