//! The queueing delay as LEDBAT measures it (RFC 6817 section 2.4.2): a delay now, less the smallest of many
//! minutes.
//!
//! ```text
//! base:    the smallest delay of each of the last 10 minutes, and the smallest of those
//! current: the smallest of the last 4 samples
//! queueing delay = current - base
//! ```
//!
//! Delays are relative: round-trip times, or one-way delays between two clocks whose offset nobody
//! knows. A base that is minutes old forgets slowly, so that a clock's drift counts as a queue, or hides one,
//! until the history has passed.

use crate::units::{Duration, Instant, RelativeDelay};

/// `BASE_HISTORY`, in minutes.
const MINUTES: usize = 10;
/// `CURRENT_FILTER`, in samples.
const SAMPLES: usize = 4;
const MINUTE: u64 = 60_000_000_000;
/// Longer than any delay: there was none.
const NONE: RelativeDelay = RelativeDelay::from_nanos(i64::MAX);

/// The delays of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelayHistory {
    /// The smallest of each minute, round and round.
    minutes: [RelativeDelay; MINUTES],
    minute: usize,
    /// The minute of the connection's clock in which the newest began.
    began: u64,
    /// The latest samples, round and round.
    samples: [RelativeDelay; SAMPLES],
    sample: usize,
}

impl DelayHistory {
    pub(crate) const fn new() -> Self {
        let (minutes, samples) = ([NONE; MINUTES], [NONE; SAMPLES]);
        Self { minutes, minute: 0, began: 0, samples, sample: 0 }
    }

    /// `update_base_delay` and `update_current_delay`.
    pub(crate) fn update(&mut self, now: Instant, delay: RelativeDelay) {
        let minute = now.as_nanos() / MINUTE;
        if minute == self.began {
            self.minutes[self.minute] = self.minutes[self.minute].min(delay);
        } else {
            self.began = minute;
            self.minute = (self.minute + 1) % MINUTES;
            self.minutes[self.minute] = delay;
        }
        self.samples[self.sample] = delay;
        self.sample = (self.sample + 1) % SAMPLES;
    }

    /// `MIN(base_delays)`.
    pub(crate) fn base(&self) -> Option<RelativeDelay> {
        least(&self.minutes)
    }

    /// `FILTER(current_delays) - MIN(base_delays)`; none before a sample.
    pub(crate) fn queueing(&self) -> Option<Duration> {
        Some(least(&self.samples)?.above(self.base()?))
    }
}

fn least(of: &[RelativeDelay]) -> Option<RelativeDelay> {
    of.iter().copied().min().filter(|&delay| delay < NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: i64) -> RelativeDelay {
        RelativeDelay::from_nanos(n * 1_000_000)
    }

    fn at(s: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(s)
    }

    #[test]
    fn rfc6817_2_4_2_the_smallest_of_four_samples_counts_over_the_smallest_of_all() {
        let mut history = DelayHistory::new();
        assert_eq!(history.queueing(), None);
        for delay in [50, 80, 90, 70, 100] {
            history.update(at(1), ms(delay));
        }
        // Of 80, 90, 70 and 100.
        assert_eq!(history.queueing(), Some(Duration::from_millis(20)));
    }

    #[test]
    fn rfc6817_2_4_2_a_base_is_forgotten_after_ten_minutes() {
        let mut history = DelayHistory::new();
        history.update(at(1), ms(50));
        for minute in 1..10 {
            history.update(at(60 * minute), ms(90));
            assert_eq!(history.base(), Some(ms(50)), "minute {minute}");
        }
        history.update(at(600), ms(90));
        assert_eq!(history.base(), Some(ms(90)));
    }

    #[test]
    fn delays_between_two_clocks_may_be_negative() {
        let mut history = DelayHistory::new();
        for delay in [-500, -480, -480, -480, -480] {
            history.update(at(1), ms(delay));
        }
        assert_eq!(history.queueing(), Some(Duration::from_millis(20)));
    }
}
