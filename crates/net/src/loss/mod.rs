//! Loss processes.
//!
//! A packet is lost after its transmission, so a lost packet has used the link. Processes compose:
//! each judges every packet at the instant it leaves the transmitter, and one is enough to lose it.
//! Each has its own stream of random numbers, and the memoryless ones draw the gap to the next loss
//! instead of a number for each packet.

mod gap;
mod gilbert;
mod markov;

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::random::Random;

use gap::Gap;
use gilbert::Gilbert;
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
    /// decides which state comes next, so the same may come again (ccr-2004 section 3.4).
    Gilbert {
        /// Length of a sojourn in Good, at least 1 us. Nothing is lost.
        good: Duration,
        /// Length of a sojourn in Bad, at least 1 us.
        bad: Duration,
        /// Loss probability in Bad.
        p: f64,
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

/// A loss process at work.
#[derive(Clone, Debug)]
pub(crate) enum Loss {
    Bernoulli(Gap),
    BitErrors(Gap),
    Markov(Box<Markov>),
    Gilbert(Box<Gilbert>),
    Outage {
        begin: Instant,
        every: Duration,
        lasts: Duration,
    },
    List {
        offered_before: u64,
        numbers: Vec<u64>,
    },
}

/// A packet, as a loss process sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passing {
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
            Self::new(
                config,
                Random::new(seed, &format!("{name}/loss/{i}")),
                begin,
            )
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
            LossConfig::Markov {
                good,
                bad,
                p_good,
                p_bad,
            } => Self::Markov(Box::new(Markov::new(
                [*good, *bad],
                [*p_good, *p_bad],
                random,
                begin,
            )?)),
            LossConfig::Gilbert { good, bad, p } => {
                Self::Gilbert(Box::new(Gilbert::new(*good, *bad, *p, random, begin)?))
            }
            LossConfig::Outage { every, lasts } => {
                LinkError::unless(!every.is_zero(), "every", "more than zero")?;
                LinkError::unless(lasts < every, "lasts", "shorter than `every`")?;
                Self::Outage {
                    begin,
                    every: *every,
                    lasts: *lasts,
                }
            }
            LossConfig::List(numbers) => {
                LinkError::unless(!numbers.contains(&0), "list", "packet numbers from 1")?;
                let mut numbers = numbers.clone();
                numbers.sort_unstable();
                Self::List {
                    offered_before: 0,
                    numbers,
                }
            }
        })
    }

    /// Counts packets from the one after `offered` on.
    pub(crate) fn count_after(&mut self, offered: u64) {
        if let Self::List { offered_before, .. } = self {
            *offered_before = offered;
        }
    }

    /// Judges one packet. Calls come in order of time.
    #[inline]
    pub(crate) fn loses(&mut self, packet: &Passing) -> bool {
        match self {
            Self::Bernoulli(gap) => gap.hits(1),
            Self::BitErrors(gap) => gap.hits(packet.size.get().saturating_mul(8)),
            Self::Markov(markov) => markov.loses(packet.at),
            Self::Gilbert(gilbert) => gilbert.loses(packet.at),
            Self::Outage {
                begin,
                every,
                lasts,
            } => {
                let age = packet.at.since(*begin);
                age >= *every && age - age.floor_to(*every) < *lasts
            }
            Self::List {
                offered_before,
                numbers,
            } => {
                let number = packet.number.saturating_sub(*offered_before);
                numbers.binary_search(&number).is_ok()
            }
        }
    }
}
