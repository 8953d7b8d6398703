//! A made-up cellular link: a capacity trace whose rate wanders, dies and comes back.
//!
//! K. Winstein, A. Sivaraman, H. Balakrishnan, "Stochastic Forecasts Achieve High Throughput and Low
//! Delay over Cellular Networks", NSDI 2013, section 3.1: opportunities to send a packet are a Poisson
//! process whose rate is a Brownian motion between zero and a highest rate. At zero the link is out,
//! and leaves that state with a fixed chance a second.
//!
//! # Deviations
//! * The rate moves by a fair coin each millisecond, whose sum is the same motion after many steps. A
//!   walk beyond the highest rate stops at it.
//! * After an outage the rate starts anywhere up to the highest: the phone has found another cell. The
//!   paper forecasts and never has to say; a walk that starts at zero is back there at once, and the
//!   link would be out for most of the time.

use std::fmt::Write as _;

use westwood_net::Random;

/// The properties of a made-up cellular link. Packets are of 1500 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cellular {
    /// Highest rate, in packets a second: above zero.
    pub most_pps: f64,
    /// The drift of the rate: the deviation of its change in a second, in packets a second.
    pub wander_pps: f64,
    /// Chance a second that an outage ends: above zero.
    pub revival_per_s: f64,
    /// Length of the trace, in milliseconds.
    pub length_ms: u64,
}

impl Cellular {
    /// The paper's constants, a minute of them.
    pub const DOWN: Self =
        Self { most_pps: 1_000.0, wander_pps: 200.0, revival_per_s: 1.0, length_ms: 60_000 };

    /// The way up: half as fast.
    pub const UP: Self = Self { most_pps: 500.0, wander_pps: 100.0, ..Self::DOWN };

    /// A trace: a line for each opportunity, its time in milliseconds, as Mahimahi reads them. The same
    /// seed and name give the same text on every machine.
    pub fn trace(&self, seed: u64, name: &str) -> String {
        self.trace_within(seed, name, u128::MAX).unwrap_or_default()
    }

    /// The same; none if it has more than so many lines.
    pub(crate) fn trace_within(&self, seed: u64, name: &str, most: u128) -> Option<String> {
        let mut lines = 0;
        let mut random = Random::new(seed, name);
        let mut rate_pps = self.most_pps / 2.0;
        let mut text = String::new();
        // A Poisson process of varying rate by thinning one of the highest rate (P. Lewis, G. Shedler,
        // 1979).
        let mut next_s = random.exponential() / self.most_pps;
        for ms in 0..self.length_ms {
            #[expect(clippy::cast_precision_loss, reason = "a trace is shorter than 2^53 ms")]
            let end_s = (ms + 1) as f64 / 1_000.0;
            while next_s < end_s {
                if random.chance(rate_pps / self.most_pps) {
                    lines += 1;
                    if lines > most {
                        return None;
                    }
                    let _ = writeln!(text, "{ms}");
                }
                next_s += random.exponential() / self.most_pps;
            }
            rate_pps = self.walked(rate_pps, &mut random);
        }
        Some(text)
    }

    /// The rate a millisecond later.
    fn walked(&self, rate_pps: f64, random: &mut Random) -> f64 {
        const STEP_S: f64 = 0.001;
        let step = self.wander_pps * STEP_S.sqrt();
        if rate_pps > 0.0 {
            let moved = if random.chance(0.5) { rate_pps + step } else { rate_pps - step };
            moved.clamp(0.0, self.most_pps)
        } else if random.chance(self.revival_per_s * STEP_S) {
            self.most_pps * random.uniform()
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str) -> Vec<u64> {
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    #[test]
    fn a_rate_that_does_not_wander_gives_a_poisson_process() {
        let still = Cellular { wander_pps: 0.0, length_ms: 400_000, ..Cellular::DOWN };
        let times = times(&still.trace(1, "still"));
        // 500 a second for 400 s: 200,000, with a deviation of 447.
        assert!(times.len().abs_diff(200_000) < 5 * 447, "{}", times.len());
        let mut seconds = vec![0_u64; 400];
        for ms in times {
            seconds[usize::try_from(ms / 1_000).unwrap()] += 1;
        }
        // The variance of a second's count is its mean, 500, known here to 7 % (one deviation).
        let squares: u64 = seconds.iter().map(|n| n.abs_diff(500).pow(2)).sum();
        assert!((325..675).contains(&(squares / 400)), "{}", squares / 400);
    }

    #[test]
    fn a_trace_has_as_many_lines_as_are_allowed_and_no_more() {
        let text = Cellular::DOWN.trace(1, "down");
        let lines = text.lines().count() as u128;
        assert_eq!(Cellular::DOWN.trace_within(1, "down", lines), Some(text));
        assert_eq!(Cellular::DOWN.trace_within(1, "down", lines - 1), None);
    }

    #[test]
    fn outages_end_after_a_second_on_average() {
        let long = Cellular { length_ms: 3_600_000, ..Cellular::DOWN };
        let times = times(&long.trace(1, "long"));
        // The silences beyond 0.5 s are exponential times of mean 1 s, which have no memory: they last
        // for another second, on average.
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        let outages: Vec<u64> = gaps.filter(|gap| *gap > 500).collect();
        let mean = outages.iter().sum::<u64>() / outages.len() as u64;
        assert!(outages.len() > 100, "{}", outages.len());
        assert!((1_300..1_800).contains(&mean), "{mean} over {}", outages.len());
    }

    #[test]
    fn the_rate_never_exceeds_the_highest() {
        let times = times(&Cellular::UP.trace(3, "up"));
        let most = times.chunk_by(|a, b| a / 1_000 == b / 1_000).map(<[u64]>::len).max();
        // 500 a second and five deviations.
        assert!(most.unwrap() < 500 + 5 * 23, "{most:?}");
    }
}
