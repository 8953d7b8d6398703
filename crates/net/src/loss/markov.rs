//! Two states with exponential sojourns.

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::loss::gap::Gap;
use crate::random::Random;

/// Good and Bad, each left after an exponential time, with Bernoulli losses in each.
#[derive(Clone, Debug)]
pub(crate) struct Markov {
    means: [Duration; 2],
    random: Random,
    /// Losses in Good and in Bad. Having no memory, a gap may wait for its state to come back.
    losses: [Gap; 2],
    /// 0 is Good, 1 is Bad.
    state: usize,
    until: Instant,
}

/// Sojourns that are played one by one; over a longer silence the state is drawn at once.
const STEPS: u32 = 64;

impl Markov {
    pub(crate) fn new(
        means: [Duration; 2],
        p: [f64; 2],
        mut random: Random,
        begin: Instant,
    ) -> Result<Self, LinkError> {
        LinkError::unless(!means[0].is_zero(), "good", "more than zero")?;
        LinkError::unless(!means[1].is_zero(), "bad", "more than zero")?;
        LinkError::unless_probability(p[0], "p_good")?;
        LinkError::unless_probability(p[1], "p_bad")?;
        let until = begin + random.exponential_span(means[0]);
        let mut split = || Random::from_parts(u128::from(random.next_u64()), 0);
        let losses = [Gap::new(p[0], split()), Gap::new(p[1], split())];
        Ok(Self { means, random, losses, state: 0, until })
    }

    pub(crate) fn loses(&mut self, now: Instant) -> bool {
        self.advance(now);
        self.losses[self.state].hits(1)
    }

    /// Brings the state up to `now`.
    fn advance(&mut self, now: Instant) {
        for _ in 0..STEPS {
            if now < self.until {
                return;
            }
            self.state = 1 - self.state;
            let sojourn = self.sojourn();
            self.until += sojourn;
        }
        if now >= self.until {
            self.jump(now);
        }
    }

    /// At least 1 ns, so that time goes on.
    fn sojourn(&mut self) -> Duration {
        self.random.exponential_span(self.means[self.state]).max(Duration::from_nanos(1))
    }

    /// The state at `now`, given that the present one ends at `until`.
    ///
    /// A chain that just entered state s is, a time t later, in state s with probability
    /// `share + (1 - share) exp(-t (1/good + 1/bad))`, where `share` is that of s over all time.
    /// The rest of the sojourn is exponential again.
    #[cold]
    #[expect(clippy::cast_precision_loss, reason = "a probability needs no more than 53 bits")]
    fn jump(&mut self, now: Instant) {
        self.state = 1 - self.state;
        let seconds = |d: Duration| d.as_nanos() as f64;
        let (here, there) = (seconds(self.means[self.state]), seconds(self.means[1 - self.state]));
        let share = here / (here + there);
        let age = seconds(now.since(self.until));
        let stay = share + (1.0 - share) * libm::exp(-age * (1.0 / here + 1.0 / there));
        if !self.random.chance(stay) {
            self.state = 1 - self.state;
        }
        self.until = now + self.sojourn();
    }
}
