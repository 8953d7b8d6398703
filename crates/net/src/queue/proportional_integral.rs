//! The proportional integral controller that PIE and DualPI2 share.
//!
//! At regular times a probability moves by how far the queueing delay is from its target, and by how much
//! it has grown (RFC 8033 section 4.2; RFC 9332 appendix A.1):
//!
//! ```text
//! change = alpha (delay - target) + beta (delay - delay before)
//! ```

use westwood_cc::{Duration, Instant};

use crate::error::LinkError;
use crate::queue::seconds;

/// The gains, and what they aim at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains {
    /// The queueing delay that is aimed at.
    pub(super) target: Duration,
    /// For a second above the target, in 1/s.
    pub(super) alpha: f64,
    /// For a second more than before, in 1/s.
    pub(super) beta: f64,
}

impl Gains {
    /// Refuses what no queue can want.
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        let bounded = !self.target.is_zero() && self.target <= Duration::from_secs(100);
        LinkError::unless(bounded, "queue.target", "more than zero and at most 100 s")?;
        for (gain, field) in [(self.alpha, "queue.alpha"), (self.beta, "queue.beta")] {
            LinkError::unless((0.0..=1000.0).contains(&gain), field, "from 0 to 1000 per second")?;
        }
        Ok(())
    }

    /// By how much the probability moves.
    pub(super) fn change(&self, delay: Duration, before: Duration) -> f64 {
        let delay = seconds(delay);
        self.alpha * (delay - seconds(self.target)) + self.beta * (delay - seconds(before))
    }
}

/// Regular updates that are made up for when the next packet comes or goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Updates {
    next: Instant,
    period: Duration,
}

impl Updates {
    /// One each period, the first after one.
    pub(super) fn every(period: Duration) -> Result<Self, LinkError> {
        let bounded = period >= Duration::from_micros(1) && period <= Duration::from_secs(100);
        LinkError::unless(bounded, "queue.update", "from 1 us to 100 s")?;
        Ok(Self { next: Instant::ZERO + period, period })
    }

    /// The time of the next update that is due at `now`, if one is.
    pub(super) fn due(&mut self, now: Instant) -> Option<Instant> {
        let due = self.next;
        if due > now {
            return None;
        }
        self.next += self.period;
        Some(due)
    }

    /// Passes over the updates that are due at `now`: none of them would change anything.
    pub(super) fn skip(&mut self, now: Instant) {
        let updates = now.since(self.next).as_nanos() / self.period.as_nanos();
        if self.next <= now {
            self.next += self.period * (updates + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_that_are_passed_over_keep_the_step() {
        let period = Duration::from_millis(16);
        let (mut each, mut skipped) = (Updates::every(period), Updates::every(period));
        let (Ok(each), Ok(skipped)) = (&mut each, &mut skipped) else { panic!("valid") };
        for ns in [0, 15_999_999, 16_000_000, 48_000_001, 3_600_000_000_001] {
            let now = Instant::from_nanos(ns);
            while each.due(now).is_some() {}
            skipped.skip(now);
            assert_eq!(each, skipped, "{ns}");
        }
    }

    #[test]
    fn an_update_is_told_its_own_time() {
        let Ok(mut updates) = Updates::every(Duration::from_millis(10)) else { panic!("valid") };
        let now = Instant::from_nanos(25_000_000);
        let due: Vec<_> = std::iter::from_fn(|| updates.due(now)).collect();
        assert_eq!(due, [10_000_000, 20_000_000].map(Instant::from_nanos));
    }
}
