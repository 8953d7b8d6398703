//! The project's one generator of random numbers.
//!
//! PCG64, that is PCG XSL-RR 128/64: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient
//! Statistically Good Algorithms for Random Number Generation", HMC-CS-2014-0905, 2014. A linear
//! congruential generator modulo 2^128 whose high and low halves are folded and rotated.
//!
//! Each component has its own stream, derived from the run's seed and the component's name, so that
//! adding a flow disturbs no other. Distributions are computed here and through one mathematical
//! library, so that their bits are equal on every machine.
//!
//! Results depend on every choice made in this file; [`GENERATOR`] names them and changes with them.

use westwood_cc::Duration;

/// The generator, its seeding and its distributions, by name and version.
pub const GENERATOR: &str = "pcg64-xsl-rr/1";

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u128,
    increment: u128,
}

impl Random {
    /// The stream of the component `name` in a run with this seed.
    ///
    /// State and stream number are four words of SplitMix64 started at the FNV-1a hash of the
    /// seed's eight bytes, low byte first, and the name's bytes.
    ///
    /// ```
    /// use westwood_net::Random;
    /// let (mut a, mut b) = (Random::new(1, "link a"), Random::new(1, "link b"));
    /// assert_ne!(a.next_u64(), b.next_u64());
    /// ```
    pub fn new(seed: u64, name: &str) -> Self {
        let mut words = fnv1a(seed.to_le_bytes().into_iter().chain(name.bytes()));
        let mut wide =
            || u128::from(split_mix(&mut words)) << 64 | u128::from(split_mix(&mut words));
        let state = wide();
        Self::from_parts(state, wide())
    }

    /// The generator as its author seeds it: an initial state and the number of a stream.
    pub fn from_parts(state: u128, stream: u128) -> Self {
        let increment = stream << 1 | 1;
        let mut random = Self { state: increment.wrapping_add(state), increment };
        random.advance();
        random
    }

    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 random bits.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a wider word")]
    pub fn next_u64(&mut self) -> u64 {
        self.advance();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    pub fn uniform(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Uniform among the whole numbers below `n`; 0 if `n` is 0.
    ///
    /// D. Lemire, "Fast Random Integer Generation in an Interval", 2019: a product in place of a
    /// division, and no bias.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a wider word")]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let reject_below = n.wrapping_neg() % n;
            while (product as u64) < reject_below {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log1p(-self.uniform())
    }

    /// An exponentially distributed span with this mean, rounded down to nanoseconds.
    pub fn exponential_span(&mut self, mean: Duration) -> Duration {
        scaled(mean, self.exponential())
    }

    /// How many failures come before the first success, each trial succeeding with probability
    /// `p`. `u64::MAX` stands for "never".
    pub fn geometric(&mut self, p: f64) -> u64 {
        if p >= 1.0 {
            0
        } else if p > 0.0 {
            floor(libm::log1p(-self.uniform()) / libm::log1p(-p))
        } else {
            u64::MAX
        }
    }

    /// Pareto with this shape and smallest value: `P(X > x) = (least / x)^shape`.
    pub fn pareto(&mut self, shape: f64, least: f64) -> f64 {
        least * libm::exp(self.exponential() / shape)
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller 1958; the second value is not kept).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Log-normal: the exponential of a normal value with this mean and deviation.
    pub fn log_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        libm::exp(mean + deviation * self.normal())
    }
}

/// A span times a factor, rounded down; zero for a negative factor.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
pub(crate) fn scaled(span: Duration, factor: f64) -> Duration {
    Duration::from_nanos(floor(span.as_nanos() as f64 * factor))
}

/// The largest whole number within `x`; 0 below 0, `u64::MAX` above the range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, as the text says"
)]
pub(crate) fn floor(x: f64) -> u64 {
    x as u64
}

/// 64-bit FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo).
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014).
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "counts of draws are small")]
mod tests {
    use super::*;

    const DRAWS: u32 = 200_000;

    fn mean(mut draw: impl FnMut(&mut Random) -> f64) -> f64 {
        let mut random = Random::new(7, "mean");
        (0..DRAWS).map(|_| draw(&mut random)).sum::<f64>() / f64::from(DRAWS)
    }

    #[test]
    fn the_generator_gives_its_authors_numbers() {
        // pcg64_demo of the author's C library: state 42, stream 54.
        let mut random = Random::from_parts(42, 54);
        let words: Vec<u64> = (0..6).map(|_| random.next_u64()).collect();
        assert_eq!(
            words,
            [
                0x86b1_da1d_7206_2b68,
                0x1304_aa46_c985_3d39,
                0xa367_0e9e_0dd5_0358,
                0xf909_0e52_9a7d_ae00,
                0xc85b_9fd8_3799_6f2c,
                0x6061_21f8_e391_9196,
            ]
        );
    }

    #[test]
    fn the_hashes_give_their_published_values() {
        assert_eq!(fnv1a(b"foobar".iter().copied()), 0x8594_4171_f739_67e8);
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_stream_depends_on_seed_and_name_alone() {
        let first = |seed, name| Random::new(seed, name).next_u64();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let mut random = Random::new(1, "uniform");
        let mut tenths = [0_u32; 10];
        for _ in 0..DRAWS {
            let u = random.uniform();
            assert!((0.0..1.0).contains(&u));
            tenths[usize::try_from(floor(u * 10.0)).unwrap()] += 1;
        }
        // Five standard deviations of a binomial count.
        assert!(tenths.iter().all(|&n| n.abs_diff(DRAWS / 10) < 700), "{tenths:?}");
    }

    #[test]
    fn whole_numbers_below_n_are_equally_likely() {
        let mut random = Random::new(1, "below");
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[usize::try_from(random.below(6)).unwrap()] += 1;
        }
        assert!(counts.iter().all(|n| n.abs_diff(10_000) < 470), "{counts:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn distributions_have_their_means() {
        let near = |x: f64, truth: f64| assert!((x / truth - 1.0).abs() < 0.02, "{x} for {truth}");
        near(mean(Random::exponential), 1.0);
        near(mean(|r| r.geometric(0.01) as f64), 99.0);
        near(mean(|r| r.pareto(3.0, 2.0)), 3.0);
        near(mean(|r| r.normal().powi(2)), 1.0);
        assert!(mean(Random::normal).abs() < 0.012);
        near(mean(|r| r.log_normal(1.0, 0.5)), 1.125_f64.exp());
    }

    #[test]
    fn geometric_gaps_know_never_and_always() {
        let mut random = Random::new(1, "edges");
        assert_eq!(random.geometric(0.0), u64::MAX);
        assert_eq!(random.geometric(1.0), 0);
        assert_eq!(random.geometric(f64::NAN), u64::MAX);
    }
}
