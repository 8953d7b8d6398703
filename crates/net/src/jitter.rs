//! Delay that varies from packet to packet, on top of a link's own.

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::random::{Random, scaled};

/// A random delay for each packet, drawn when it leaves the transmitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// How the delays are distributed.
    pub spread: JitterDistribution,
    /// False: a packet that would overtake arrives together with the one before it. True: packets
    /// may overtake each other.
    pub reorder: bool,
}

/// How random delays are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JitterDistribution {
    /// Every delay up to `most` is equally likely.
    Uniform {
        /// The longest delay.
        most: Duration,
    },
    /// Exponential.
    Exponential {
        /// The mean delay.
        mean: Duration,
    },
    /// Normal, a negative delay counting as none.
    Normal {
        /// The mean delay, before negative ones are cut off.
        mean: Duration,
        /// The standard deviation.
        deviation: Duration,
    },
    /// None by chance: each packet arrives at the next multiple of `every`, with all that came since
    /// the last. A medium that is granted in turns delivers so (DOCSIS, Wi-Fi, satellite uplinks), and
    /// compresses ACKs. Nothing changes where `every` is zero.
    Bunches {
        /// From one bunch to the next.
        every: Duration,
    },
}

impl JitterDistribution {
    /// True if chance decides the delay of a packet.
    pub fn draws(&self) -> bool {
        !matches!(self, Self::Bunches { .. })
    }
}

/// A jitter at work.
#[derive(Clone, Debug)]
pub(crate) struct JitterSource {
    spread: JitterDistribution,
    random: Random,
}

impl JitterSource {
    pub(crate) fn new(jitter: &Jitter, random: Random) -> Result<Self, LinkError> {
        // A day: far above any network, far below where a double loses nanoseconds.
        let bounded = |d: Duration| d <= Duration::from_secs(86_400);
        let all = match jitter.spread {
            JitterDistribution::Uniform { most } => bounded(most),
            JitterDistribution::Exponential { mean } => bounded(mean),
            JitterDistribution::Normal { mean, deviation } => bounded(mean) && bounded(deviation),
            JitterDistribution::Bunches { every } => bounded(every),
        };
        LinkError::unless(all, "jitter", "at most a day")?;
        Ok(Self { spread: jitter.spread, random })
    }

    /// The delay of a packet that would arrive at `at` without it.
    pub(crate) fn draw(&mut self, at: Instant) -> Duration {
        match self.spread {
            JitterDistribution::Uniform { most } => {
                Duration::from_nanos(self.random.below(most.as_nanos() + 1))
            }
            JitterDistribution::Exponential { mean } => self.random.exponential_span(mean),
            JitterDistribution::Normal { mean, deviation } => {
                let z = self.random.normal();
                if z < 0.0 { mean - scaled(deviation, -z) } else { mean + scaled(deviation, z) }
            }
            JitterDistribution::Bunches { every } => {
                let over = at.as_nanos().checked_rem(every.as_nanos()).unwrap_or(0);
                if over == 0 { Duration::ZERO } else { every - Duration::from_nanos(over) }
            }
        }
    }
}
