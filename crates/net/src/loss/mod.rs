//! Loss processes.
//!
//! A packet is lost after its transmission, so a lost packet has used the link. Processes compose:
//! each judges every packet at the instant it leaves the transmitter, and one is enough to lose it.
//! Each has its own stream of random numbers, and the memoryless ones draw the gap to the next loss
//! instead of a number for each packet.

mod gap;
mod gilbert;
mod gilbert_elliott;
mod listed;
mod markov;

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::random::Random;

pub(crate) use gap::Gap;
use gilbert::Gilbert;
use gilbert_elliott::GilbertElliott;
pub(crate) use listed::Listed;
use markov::Markov;

/// A loss process and its parameters. Probabilities are within 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum LossConfig {
    /// Each packet is lost with probability `p`, independently (westwood-2002 section 5.1).
    Bernoulli {
        /// The probability.
        p: f64,
    },
    /// Each bit is damaged with probability `ber`, and one is enough: a packet of n bytes is lost
    /// with `1 - (1 - ber)^(8 n)`.
    BitErrors {
        /// The bit error rate.
        ber: f64,
    },
    /// Two states, Good at first, with exponential sojourns and Bernoulli losses in each
    /// (westwood-2002 section 5.2).
    Markov {
        /// Mean sojourn in Good.
        good: Duration,
        /// Mean sojourn in Bad.
        bad: Duration,
        /// Loss probability in Good.
        p_good: f64,
        /// Loss probability in Bad.
        p_bad: f64,
    },
    /// Two states, Good at first, with sojourns of fixed length; at the end of each a fair coin
    /// decides which state comes next, so the same may come again (ccr-2004 section 3.4). The
    /// sojourns pass by the clock, or with packets only: see [`Sojourns`].
    Gilbert {
        /// Length of a sojourn in Good, at least 1 us. Nothing is lost.
        good: Duration,
        /// Length of a sojourn in Bad, at least 1 us.
        bad: Duration,
        /// Loss probability in Bad.
        p: f64,
        /// The event that ends a sojourn.
        sojourns: Sojourns,
    },
    /// Two states, Good at first, that packets change, with Bernoulli losses in each: `tc`'s
    /// `netem loss gemodel`. A packet is judged by the state that it finds.
    GilbertElliott {
        /// Probability that a packet which passes in Good leaves the link in Bad.
        p: f64,
        /// Probability that a packet which passes in Bad leaves the link in Good.
        r: f64,
        /// Loss probability in Good (`1-k` in `tc`).
        p_good: f64,
        /// Loss probability in Bad (`1-h` in `tc`).
        p_bad: f64,
    },
    /// Everything is lost for `lasts` out of every `every`, first at `every`: from 4 s to 4.1 s,
    /// from 8 s to 8.1 s and so on for a handoff as in westwood-2002 section 5.3. The end of an
    /// outage is not part of it.
    Outage {
        /// From the beginning of an outage to the beginning of the next.
        every: Duration,
        /// How long it lasts; shorter than `every`.
        lasts: Duration,
    },
    /// Just these packets are lost, counted from 1 as they are offered to the link. One that the
    /// queue drops counts too, and is dropped by the queue.
    List(Vec<u64>),
}

impl LossConfig {
    /// True if chance decides which packets are lost: another seed may lose others.
    pub fn draws(&self) -> bool {
        match *self {
            Self::Bernoulli { p } => p > 0.0 && p < 1.0,
            Self::BitErrors { ber } => ber > 0.0 && ber < 1.0,
            Self::Markov { .. } | Self::Gilbert { .. } | Self::GilbertElliott { .. } => true,
            Self::Outage { .. } | Self::List(_) => false,
        }
    }
}

/// The event that ends the sojourns of [`LossConfig::Gilbert`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sojourns {
    /// The clock: a state lasts its length whether packets pass or not.
    #[default]
    Clock,
    /// Packets, as in ns-2's `ErrorModel/MultiState`. Every packet after a state's length throws the
    /// coin, until one changes the state, which then begins with that packet. So a change is always
    /// noticed: however short Bad is, it meets two packets on average.
    Packets,
}

/// A loss process at work.
#[derive(Clone, Debug)]
pub(crate) enum Loss {
    Bernoulli(Gap),
    BitErrors(Gap),
    Markov(Box<Markov>),
    Gilbert(Box<Gilbert>),
    GilbertElliott(Box<GilbertElliott>),
    Outage { begin: Instant, every: Duration, lasts: Duration },
    List(Listed),
}

/// A packet, as a loss process sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransmittedPacket {
    /// When it left the transmitter.
    pub(crate) at: Instant,
    pub(crate) size: Bytes,
    /// Its place among the packets offered to the link, from 1.
    pub(crate) number: u64,
}

impl Loss {
    /// All processes of a list, from `begin` on; the `i`-th draws from the stream `name/loss/i`.
    pub(crate) fn all(
        configs: &[LossConfig],
        seed: u64,
        name: &str,
        begin: Instant,
    ) -> Result<Vec<Self>, LinkError> {
        let one = |(i, config): (usize, &LossConfig)| {
            Self::new(config, Random::new(seed, &format!("{name}/loss/{i}")), begin)
                .map_err(|e| e.within(&format!("losses[{i}]")))
        };
        configs.iter().enumerate().map(one).collect()
    }

    fn new(config: &LossConfig, random: Random, begin: Instant) -> Result<Self, LinkError> {
        Ok(match config {
            LossConfig::Bernoulli { p } => {
                LinkError::unless_probability(*p, "p")?;
                Self::Bernoulli(Gap::new(*p, random))
            }
            LossConfig::BitErrors { ber } => {
                LinkError::unless_probability(*ber, "ber")?;
                Self::BitErrors(Gap::new(*ber, random))
            }
            LossConfig::Markov { good, bad, p_good, p_bad } => Self::Markov(Box::new(Markov::new(
                [*good, *bad],
                [*p_good, *p_bad],
                random,
                begin,
            )?)),
            LossConfig::Gilbert { good, bad, p, sojourns } => {
                Self::Gilbert(Box::new(Gilbert::new([*good, *bad], *p, *sojourns, random, begin)?))
            }
            LossConfig::GilbertElliott { p, r, p_good, p_bad } => Self::GilbertElliott(Box::new(
                GilbertElliott::new([*p, *r], [*p_good, *p_bad], random)?,
            )),
            LossConfig::Outage { every, lasts } => {
                LinkError::unless(!every.is_zero(), "every", "more than zero")?;
                LinkError::unless(lasts < every, "lasts", "shorter than `every`")?;
                Self::Outage { begin, every: *every, lasts: *lasts }
            }
            LossConfig::List(numbers) => {
                LinkError::unless(!numbers.contains(&0), "list", "packet numbers from 1")?;
                Self::List(Listed::new(numbers.clone()))
            }
        })
    }

    /// Counts packets from the one after `offered` on.
    pub(crate) fn count_after(&mut self, offered: u64) {
        if let Self::List(listed) = self {
            listed.count_after(offered);
        }
    }

    /// Judges one packet. Calls come in order of time.
    #[inline]
    pub(crate) fn loses(&mut self, packet: &TransmittedPacket) -> bool {
        match self {
            Self::Bernoulli(gap) => gap.hits(1),
            Self::BitErrors(gap) => gap.hits(packet.size.get().saturating_mul(8)),
            Self::Markov(markov) => markov.loses(packet.at),
            Self::Gilbert(gilbert) => gilbert.loses(packet.at),
            Self::GilbertElliott(chain) => chain.loses(),
            Self::Outage { begin, every, lasts } => {
                let age = packet.at.since(*begin);
                age >= *every && age - age.floor_to(*every) < *lasts
            }
            Self::List(listed) => listed.loses(packet.number),
        }
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "counts of packets are small")]
mod tests {
    use super::*;

    fn process(config: LossConfig) -> Loss {
        let mut all = Loss::all(&[config], 1, "test", Instant::ZERO).expect("valid parameters");
        all.remove(0)
    }

    /// Which of `n` packets are lost that leave every `gap`.
    fn fates(config: LossConfig, n: u64, gap: Duration, size: u64) -> impl Iterator<Item = bool> {
        let mut process = process(config);
        (1..=n).map(move |number| {
            process.loses(&TransmittedPacket {
                at: Instant::ZERO + gap * number,
                size: Bytes::new(size),
                number,
            })
        })
    }

    fn share(config: LossConfig, n: u64, gap: Duration) -> f64 {
        fates(config, n, gap, 1500).filter(|&lost| lost).count() as f64 / n as f64
    }

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn independent_losses_have_their_probability() {
        for p in [0.0, 0.001, 0.01, 0.5, 1.0] {
            let n = 1_000_000;
            let five_deviations = 5.0 * (p * (1.0 - p) / n as f64).sqrt();
            let measured = share(LossConfig::Bernoulli { p }, n, MS);
            assert!((measured - p).abs() <= five_deviations, "{measured} for {p}");
        }
    }

    #[test]
    fn independent_losses_do_not_know_each_other() {
        let fates: Vec<_> = fates(LossConfig::Bernoulli { p: 0.1 }, 1_000_000, MS, 1500).collect();
        let pairs = fates.windows(2).filter(|w| w[0] && w[1]).count();
        // 10,000 expected; the deviation is about 105.
        assert!(pairs.abs_diff(10_000) < 550, "{pairs}");
    }

    #[test]
    fn bit_errors_give_the_losses_of_the_papers() {
        // One bit in 64 KiB, and in 100 KiB, with packets of 400 bytes (westwood-2002).
        for (kib, percent) in [(64, 0.61), (100, 0.39)] {
            let ber = 1.0 / (8.0 * 1024.0 * f64::from(kib));
            let n = 4_000_000;
            let lost = fates(LossConfig::BitErrors { ber }, n, MS, 400).filter(|&l| l).count();
            let measured = 100.0 * lost as f64 / n as f64;
            // The printed digits, and five deviations.
            assert!((measured - percent).abs() < 0.005 + 0.02, "{measured} %");
        }
    }

    #[test]
    fn gilbert_losses_have_the_mean_of_the_papers_table() {
        // Length of Bad in us, time between packets in us, mean loss in percent.
        for (bad, gap, percent) in [
            (1_000, 100, 0.009_99),
            (10_000, 1_000, 0.099_0),
            (100_000, 1_000, 0.909),
            (1_000_000, 1_000, 5.0),
        ] {
            let config = LossConfig::Gilbert {
                good: Duration::from_secs(1),
                bad: Duration::from_micros(bad),
                p: 0.1,
                sojourns: Sojourns::Clock,
            };
            let measured = 100.0 * share(config, 20_000_000, Duration::from_micros(gap));
            assert!((measured / percent - 1.0).abs() < 0.1, "{measured} % for {percent} %");
        }
    }

    /// The lengths of runs in which every packet, or none, was lost.
    fn runs(fates: impl Iterator<Item = bool>) -> [Vec<u64>; 2] {
        let mut runs = [Vec::new(), Vec::new()];
        let mut run = (false, 0);
        for lost in fates {
            if lost != run.0 {
                runs[usize::from(run.0)].push(run.1);
                run = (lost, 0);
            }
            run.1 += 1;
        }
        runs
    }

    fn mean(list: &[u64]) -> f64 {
        list.iter().sum::<u64>() as f64 / list.len() as f64
    }

    #[test]
    fn gilbert_runs_are_geometric_multiples_of_a_sojourn() {
        let config =
            LossConfig::Gilbert { good: MS * 20, bad: MS * 5, p: 1.0, sojourns: Sojourns::Clock };
        let [good, bad] = runs(fates(config, 5_000_000, MS, 1500));
        assert!(bad.iter().all(|n| n % 5 == 0));
        assert!(good.iter().skip(1).all(|n| n % 20 == 0));
        // A fair coin ends a run: two sojourns on average, half of the runs have one.
        assert!((mean(&good) - 40.0).abs() < 1.0 && (mean(&bad) - 10.0).abs() < 0.25);
        let single = bad.iter().filter(|&&n| n == 5).count() as f64 / bad.len() as f64;
        assert!((single - 0.5).abs() < 0.01, "{single}");
    }

    #[test]
    fn by_packets_a_state_lasts_its_length_and_then_as_many_packets_as_the_coin_wants() {
        // A change takes two throws on average: one packet more than the length.
        for (good, bad, gap, good_packets, bad_packets) in [
            (MS * 20, MS * 5, MS, 21.0, 6.0),
            // Bad is over before the next packet, which throws the coin: two packets all the same.
            (MS * 20, MS / 10, MS, 21.0, 2.0),
            (MS * 20, MS * 5, MS * 30, 2.0, 2.0),
        ] {
            let config = LossConfig::Gilbert { good, bad, p: 1.0, sojourns: Sojourns::Packets };
            let [good, bad] = runs(fates(config, 500_000, gap, 1500));
            assert!((mean(&good) / good_packets - 1.0).abs() < 0.03, "{}", mean(&good));
            assert!((mean(&bad) / bad_packets - 1.0).abs() < 0.03, "{}", mean(&bad));
        }
    }

    #[test]
    fn markov_sojourns_have_their_means_and_are_exponential() {
        let config = LossConfig::Markov { good: MS * 80, bad: MS * 40, p_good: 0.0, p_bad: 1.0 };
        let [good, bad] = runs(fates(config, 5_000_000, MS, 1500));
        // A run of whole milliseconds has the sojourn's mean, but those that hold no packet are
        // unseen and join their neighbours: 1/(1 - 1/80) and so on.
        assert!((mean(&good) / 80.0 - 1.0).abs() < 0.04, "{}", mean(&good));
        assert!((mean(&bad) / 40.0 - 1.0).abs() < 0.04, "{}", mean(&bad));
        let long = bad.iter().filter(|&&n| n > 40).count() as f64 / bad.len() as f64;
        assert!((long - (-1.0_f64).exp()).abs() < 0.02, "{long}");
    }

    #[test]
    fn packets_change_the_states_of_gilbert_and_elliott() {
        let config = |p_good, p_bad| LossConfig::GilbertElliott { p: 0.02, r: 0.25, p_good, p_bad };
        // However long the link rests between two packets.
        for gap in [MS, MS * 3_600_000] {
            let [good, bad] = runs(fates(config(0.0, 1.0), 2_000_000, gap, 1500));
            assert!((mean(&good) / 50.0 - 1.0).abs() < 0.03, "{}", mean(&good));
            assert!((mean(&bad) / 4.0 - 1.0).abs() < 0.03, "{}", mean(&bad));
            // Geometric: three quarters of the bursts go on after each packet.
            let long = bad.iter().filter(|&&n| n > 4).count() as f64 / bad.len() as f64;
            assert!((long - 0.75_f64.powi(4)).abs() < 0.02, "{long}");
            let single = bad.iter().filter(|&&n| n == 1).count() as f64 / bad.len() as f64;
            assert!((single - 0.25).abs() < 0.02, "{single}");
        }
        // p / (p + r) of all packets pass in Bad.
        let bad = 0.02 / 0.27;
        let measured = share(config(0.01, 0.6), 4_000_000, MS);
        let expected = 0.6 * bad + 0.01 * (1.0 - bad);
        assert!((measured / expected - 1.0).abs() < 0.02, "{measured} for {expected}");
    }

    #[test]
    fn gilbert_and_elliott_begin_in_good_and_stay_where_nothing_leads_out() {
        let config = |p, r| LossConfig::GilbertElliott { p, r, p_good: 0.0, p_bad: 1.0 };
        assert!(!fates(config(0.0, 1.0), 10_000, MS, 1500).any(|lost| lost));
        // The first packet finds Good, and leaves the link in Bad for ever.
        assert!(fates(config(1.0, 0.0), 10_000, MS, 1500).skip(1).all(|lost| lost));
        assert!(!fates(config(1.0, 0.0), 1, MS, 1500).any(|lost| lost));
        // Every other packet.
        let fates: Vec<_> = fates(config(1.0, 1.0), 4, MS, 1500).collect();
        assert_eq!(fates, [false, true, false, true]);
    }

    #[test]
    fn two_states_keep_their_shares_over_long_silences() {
        let hour = Duration::from_secs(3_600);
        let gilbert = |bad| LossConfig::Gilbert {
            good: MS,
            bad: MS * bad,
            p: 1.0,
            sojourns: Sojourns::Clock,
        };
        let markov = LossConfig::Markov { good: MS * 8, bad: MS * 4, p_good: 0.0, p_bad: 1.0 };
        // A minute is played by words of coins, an hour is more than an age of Gilbert's.
        for (config, truth, silence) in [
            (gilbert(1), 0.5, MS * 60_000),
            (gilbert(3), 0.75, MS * 60_000),
            (gilbert(1), 0.5, hour),
            (gilbert(3), 0.75, hour * 24),
            (markov, 1.0 / 3.0, hour),
        ] {
            let measured = share(config, 2_000, silence);
            assert!((measured - truth).abs() < 0.055, "{measured} for {truth}");
        }
    }

    #[test]
    fn two_states_stand_the_end_of_time() {
        let gilbert = LossConfig::Gilbert {
            good: Duration::from_micros(1),
            bad: Duration::from_micros(1),
            p: 0.5,
            sojourns: Sojourns::Clock,
        };
        let markov = LossConfig::Markov {
            good: Duration::from_nanos(1),
            bad: Duration::from_nanos(1),
            p_good: 0.5,
            p_bad: 0.5,
        };
        for config in [gilbert, markov] {
            let mut process = process(config);
            for number in 1..100 {
                process.loses(&TransmittedPacket {
                    at: Instant::FAR_FUTURE,
                    size: Bytes::ZERO,
                    number,
                });
            }
        }
    }

    #[test]
    fn an_outage_returns_with_its_period_and_not_before() {
        let config = LossConfig::Outage { every: MS * 4_000, lasts: MS * 100 };
        let lost: Vec<_> = (1..).zip(fates(config, 12_000, MS, 40)).filter(|f| f.1).collect();
        let expected = (4_000..4_100).chain(8_000..8_100).chain(12_000..=12_000);
        assert!(lost.into_iter().map(|f| f.0).eq(expected));
    }

    #[test]
    fn a_list_names_its_victims_in_any_order() {
        let fates = fates(LossConfig::List(vec![7, 2, 2]), 9, MS, 40);
        let lost: Vec<_> = (1..).zip(fates).filter(|f| f.1).map(|f| f.0).collect();
        assert_eq!(lost, [2, 7]);
    }

    /// Whether a packet is lost that leaves so long after the beginning.
    fn loses(process: &mut Loss, at: Duration) -> bool {
        process.loses(&TransmittedPacket {
            at: Instant::ZERO + at,
            size: Bytes::new(1500),
            number: 1,
        })
    }

    #[test]
    fn gilberts_state_after_a_silence_is_the_one_that_packets_would_have_seen() {
        let config =
            LossConfig::Gilbert { good: MS, bad: MS * 3, p: 1.0, sojourns: Sojourns::Clock };
        for seconds in 1..100 {
            let (mut busy, mut silent) = (process(config.clone()), process(config.clone()));
            let fates: Vec<_> = (1..=1_000 * seconds).map(|n| loses(&mut busy, MS * n)).collect();
            assert_eq!(
                Some(&loses(&mut silent, MS * (1_000 * seconds))),
                fates.last(),
                "{seconds} s"
            );
        }
    }

    #[test]
    fn markovs_shares_hold_however_long_a_silence_is() {
        // Means of 8 and 4 ms: 64 sojourns take 384 ms on average, and what is beyond is not played.
        let config = LossConfig::Markov { good: MS * 8, bad: MS * 4, p_good: 0.0, p_bad: 1.0 };
        for silence in [100, 384, 1_000] {
            let measured = share(config.clone(), 200_000, MS * silence);
            // Five deviations.
            assert!((measured - 1.0 / 3.0).abs() < 0.0053, "{measured} after {silence} ms");
        }
    }

    #[test]
    fn two_packets_at_once_after_a_silence_meet_one_state() {
        let gilbert = LossConfig::Gilbert { good: MS, bad: MS, p: 1.0, sojourns: Sojourns::Clock };
        let markov = LossConfig::Markov { good: MS * 8, bad: MS * 4, p_good: 0.0, p_bad: 1.0 };
        for config in [gilbert, markov] {
            let mut process = process(config);
            for hours in 1..1_000 {
                let at = Duration::from_secs(3_600) * hours;
                assert_eq!(loses(&mut process, at), loses(&mut process, at), "{hours}");
            }
        }
    }
}
