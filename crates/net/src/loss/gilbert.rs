//! Two states with sojourns of fixed length and a fair coin between them.

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::loss::gap::Gap;
use crate::random::Random;

/// Gilbert's model as ccr-2004 section 3.4 uses it: the next state is drawn with probability 1/2 at
/// the end of each sojourn, so that runs of a state are geometric, Bad has the share
/// `bad / (good + bad)` of the time, and the mean loss is `p` times that.
#[derive(Clone, Debug)]
pub(crate) struct Gilbert {
    good: Duration,
    bad: Duration,
    losses: Gap,
    random: Random,
    /// Coins not used yet, the next one lowest, and their number.
    coins: u64,
    coins_left: u32,
    is_bad: bool,
    until: Instant,
}

impl Gilbert {
    pub(crate) fn new(
        good: Duration,
        bad: Duration,
        p: f64,
        mut random: Random,
        begin: Instant,
    ) -> Result<Self, LinkError> {
        const LEAST: Duration = Duration::from_micros(1);
        LinkError::unless(good >= LEAST, "good", "at least 1 us")?;
        LinkError::unless(bad >= LEAST, "bad", "at least 1 us")?;
        LinkError::unless_probability(p, "p")?;
        let losses = Gap::new(p, Random::from_parts(u128::from(random.next_u64()), 0));
        let until = begin + good;
        Ok(Self {
            good,
            bad,
            losses,
            random,
            coins: 0,
            coins_left: 0,
            is_bad: false,
            until,
        })
    }

    pub(crate) fn loses(&mut self, now: Instant) -> bool {
        if now >= self.until {
            self.advance(now);
        }
        self.is_bad && self.losses.hits(1)
    }

    /// Brings the state up to `now`: whole words of coins while the silence is long, then coin by
    /// coin.
    fn advance(&mut self, now: Instant) {
        let longest = self.good.max(self.bad) * 64;
        while now >= self.until {
            if self.coins_left == 0 {
                self.coins = self.random.next_u64();
                self.coins_left = 64;
                let bad = u64::from(self.coins.count_ones());
                if now.since(self.until) > longest {
                    self.until += self.bad * bad + self.good * (64 - bad);
                    self.coins_left = 0;
                    continue;
                }
            }
            self.is_bad = self.coins & 1 == 1;
            self.coins >>= 1;
            self.coins_left -= 1;
            self.until += if self.is_bad { self.bad } else { self.good };
        }
    }
}
