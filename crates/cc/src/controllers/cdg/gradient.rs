//! The gradient of the round-trip times, and the probability of backing off for it.

/// The smallest and the largest round-trip time of a round, or how they changed, in us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MinMax {
    pub(super) min: i64,
    pub(super) max: i64,
}

impl MinMax {
    /// True before the first sample.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Takes in a sample.
    pub(super) fn add(&mut self, rtt_us: i64) {
        self.min = if self.min == 0 { rtt_us } else { self.min.min(rtt_us) };
        self.max = self.max.max(rtt_us);
    }

    /// A delayed ACK may lower a smallest time that is known, and no more.
    pub(super) fn add_delayed(&mut self, rtt_us: i64) {
        self.min = self.min.min(rtt_us);
    }

    fn minus(self, other: Self) -> Self {
        Self { min: self.min - other.min, max: self.max - other.max }
    }

    fn plus(self, other: Self) -> Self {
        Self { min: self.min + other.min, max: self.max + other.max }
    }
}

/// Rounds over which gradients are summed.
const WINDOW: usize = 8;

/// The gradients of the last rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gradients {
    last: [MinMax; WINDOW],
    tail: usize,
    sum: MinMax,
    is_full: bool,
}

impl Gradients {
    /// Takes in the change over a round: their sum over the last rounds.
    pub(super) fn add(&mut self, now: MinMax, before: MinMax) -> MinMax {
        let change = now.minus(before);
        self.sum = self.sum.plus(change).minus(self.last[self.tail]);
        self.last[self.tail] = change;
        self.tail = (self.tail + 1) % WINDOW;
        self.sum
    }

    /// The gradient that counts: of the smallest times if it is positive, else of the largest. Until
    /// the sum has all its rounds, the missing ones are taken to be like those there are.
    pub(super) fn of(&mut self, sum: MinMax) -> i64 {
        let gradient = if sum.min > 0 { sum.min } else { sum.max };
        if self.is_full {
            return gradient;
        }
        if self.tail == 0 {
            self.is_full = true;
            return gradient;
        }
        let count = |n: usize| i64::try_from(n).unwrap_or(1);
        gradient * count(WINDOW) / count(self.tail)
    }
}

/// `exp(-x)` for `x` in millionths, with 32 fractional bits.
///
/// `exp(-x) = 2^-k exp(-r)` with `r < ln 2`, and ten terms of the series for `exp(-r)`.
pub(super) fn exp_of_minus(millionths: u64) -> u64 {
    /// ln 2 in millionths, with 12 fractional bits.
    const LN_2: u64 = 2_839_130_852;
    let x = millionths.min(1 << 24) << 12;
    let (halvings, rest) = (x / LN_2, x % LN_2);
    // 32 fractional bits.
    let rest = (rest << 20) / 1_000_000;
    let (mut sum, mut term) = (1_u64 << 32, 1_u64 << 32);
    for n in 1..=10 {
        term = ((term * rest) >> 32) / n;
        sum = if n % 2 == 1 { sum - term } else { sum + term };
    }
    sum >> halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_rise_counts_eight_times_from_the_first_round_on() {
        let mut g = Gradients::default();
        for i in 1..=20 {
            let at = |i: i64| MinMax { min: 100_000 + 100 * i, max: 110_000 + 100 * i };
            let sum = g.add(at(i), at(i - 1));
            assert_eq!(g.of(sum), 800, "{i}");
        }
    }

    #[test]
    fn the_largest_times_count_where_the_smallest_do_not_rise() {
        let mut g = Gradients::default();
        let (now, before) = (MinMax { min: 100, max: 160 }, MinMax { min: 100, max: 150 });
        let sum = g.add(now, before);
        assert_eq!(g.of(sum), 80);
    }

    #[test]
    fn the_exponential_is_right_to_a_millionth() {
        for millionths in [0_u32, 1, 255, 1_000, 42_000, 693_147, 1_000_000, 5_000_000, 16_000_000]
        {
            let want = (-f64::from(millionths) / 1e6).exp();
            let got = exp_of_minus(u64::from(millionths));
            let got = f64::from(u32::try_from(got.min(u64::from(u32::MAX))).unwrap_or(0));
            assert!((got / 4_294_967_296.0 - want).abs() < 1e-6, "{millionths}");
        }
        assert!(exp_of_minus(u64::MAX) < 1_000);
    }

    #[test]
    fn the_smallest_times_count_where_they_rise_whatever_the_largest_do() {
        for largest in [300, -300] {
            let mut g = Gradients::default();
            for i in 1..=20 {
                let at = |i: i64| MinMax { min: 100_000 + 100 * i, max: 110_000 + largest * i };
                let sum = g.add(at(i), at(i - 1));
                assert_eq!(g.of(sum), 800, "{i}");
            }
        }
    }
}
