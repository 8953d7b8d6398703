//! Two states with sojourns of fixed length and a fair coin between them.

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::loss::Sojourns;
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
    sojourns: Sojourns,
    random: Random,
    /// Coins not used yet, the next one lowest, and their number.
    coins: u64,
    coins_left: u32,
    is_bad: bool,
    until: Instant,
}

/// So many sojourns of silence are not played at all.
const AGE: u64 = 1 << 20;

impl Gilbert {
    pub(crate) fn new(
        [good, bad]: [Duration; 2],
        p: f64,
        sojourns: Sojourns,
        mut random: Random,
        begin: Instant,
    ) -> Result<Self, LinkError> {
        const LEAST: Duration = Duration::from_micros(1);
        LinkError::unless(good >= LEAST, "good", "at least 1 us")?;
        LinkError::unless(bad >= LEAST, "bad", "at least 1 us")?;
        LinkError::unless_probability(p, "p")?;
        let losses = Gap::new(p, Random::from_parts(u128::from(random.next_u64()), 0));
        let until = begin + good;
        let (coins, coins_left, is_bad) = (0, 0, false);
        Ok(Self { good, bad, losses, sojourns, random, coins, coins_left, is_bad, until })
    }

    pub(crate) fn loses(&mut self, now: Instant) -> bool {
        if now >= self.until {
            match self.sojourns {
                Sojourns::Clock => self.advance(now),
                Sojourns::Packets => self.throw(now),
            }
        }
        self.is_bad && self.losses.hits(1)
    }

    /// One throw of the coin: the state changes and begins now, or the next packet throws again.
    fn throw(&mut self, now: Instant) {
        if self.random.below(2) == 1 {
            self.is_bad = !self.is_bad;
            self.until = now + self.length();
        }
    }

    /// Brings the state up to `now`: whole words of coins while the silence is long, then coin by
    /// coin.
    fn advance(&mut self, now: Instant) {
        let longest = self.good.max(self.bad);
        if now.since(self.until) > longest * AGE {
            return self.forget(now);
        }
        while now >= self.until && self.until < Instant::FAR_FUTURE {
            if self.coins_left == 0 {
                self.coins = self.random.next_u64();
                self.coins_left = 64;
                if now.since(self.until) > longest * 64 {
                    let bad = u64::from(self.coins.count_ones());
                    self.until += self.bad * bad + self.good * (64 - bad);
                    self.coins_left = 0;
                    continue;
                }
            }
            self.is_bad = self.coins & 1 == 1;
            self.coins >>= 1;
            self.coins_left -= 1;
            self.until += self.length();
        }
    }

    /// After an age: a state by its share of the time, at any point of its sojourn.
    #[cold]
    fn forget(&mut self, now: Instant) {
        let (good, bad) = (self.good.as_nanos(), self.bad.as_nanos());
        self.is_bad = self.random.below(good.saturating_add(bad)) < bad;
        let left = 1 + self.random.below(self.length().as_nanos());
        self.until = now + Duration::from_nanos(left);
    }

    fn length(&self) -> Duration {
        if self.is_bad { self.bad } else { self.good }
    }
}
