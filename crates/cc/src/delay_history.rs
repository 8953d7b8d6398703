//! The queueing delay as LEDBAT measures it (RFC 6817 section 2.4.2): a delay now, less the smallest of many
//! minutes.
//!
//! ```text
//! base:    the smallest delay of each of the last 10 minutes, and the smallest of those
//! current: the smallest of the last 4 samples
//! queueing delay = current - base
//! ```
//!
//! Delays are in ns and relative: round-trip times, or one-way delays between two clocks whose offset nobody
//! knows. A base that is minutes old forgets slowly, so that a clock's drift counts as a queue, or hides one,
//! until the history has passed.

use crate::units::{Duration, Instant};

/// `BASE_HISTORY`, in minutes.
const MINUTES: usize = 10;
/// `CURRENT_FILTER`, in samples.
const SAMPLES: usize = 4;
const MINUTE: u64 = 60_000_000_000;

/// The delays of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelayHistory {
    /// The smallest of each minute, round and round; `i64::MAX` before there was one.
    minutes: [i64; MINUTES],
    minute: usize,
    /// The minute of the connection's clock in which the newest began.
    began: u64,
    /// The latest samples, round and round.
    samples: [i64; SAMPLES],
    sample: usize,
}

impl DelayHistory {
    pub(crate) const fn new() -> Self {
        let (minutes, samples) = ([i64::MAX; MINUTES], [i64::MAX; SAMPLES]);
        Self { minutes, minute: 0, began: 0, samples, sample: 0 }
    }

    /// `update_base_delay` and `update_current_delay`.
    pub(crate) fn update(&mut self, now: Instant, delay_ns: i64) {
        let minute = now.as_nanos() / MINUTE;
        if minute != self.began {
            self.began = minute;
            self.minute = (self.minute + 1) % MINUTES;
            self.minutes[self.minute] = delay_ns;
        } else {
            self.minutes[self.minute] = self.minutes[self.minute].min(delay_ns);
        }
        self.samples[self.sample] = delay_ns;
        self.sample = (self.sample + 1) % SAMPLES;
    }

    /// `MIN(base_delays)`, in ns.
    pub(crate) fn base(&self) -> Option<i64> {
        least(&self.minutes)
    }

    /// `FILTER(current_delays) - MIN(base_delays)`; none before a sample.
    pub(crate) fn queueing(&self) -> Option<Duration> {
        let waits = least(&self.samples)?.saturating_sub(self.base()?);
        Some(Duration::from_nanos(u64::try_from(waits).unwrap_or(0)))
    }
}

fn least(of: &[i64]) -> Option<i64> {
    of.iter().copied().min().filter(|&delay| delay < i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn at(s: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(s)
    }

    #[test]
    fn rfc6817_2_4_2_the_smallest_of_four_samples_counts_over_the_smallest_of_all() {
        let mut history = DelayHistory::new();
        assert_eq!(history.queueing(), None);
        for delay in [50, 80, 90, 70, 100] {
            history.update(at(1), delay * MS);
        }
        // Of 80, 90, 70 and 100.
        assert_eq!(history.queueing(), Some(Duration::from_millis(20)));
    }

    #[test]
    fn rfc6817_2_4_2_a_base_is_forgotten_after_ten_minutes() {
        let mut history = DelayHistory::new();
        history.update(at(1), 50 * MS);
        for minute in 1..10 {
            history.update(at(60 * minute), 90 * MS);
            assert_eq!(history.base(), Some(50 * MS), "minute {minute}");
        }
        history.update(at(600), 90 * MS);
        assert_eq!(history.base(), Some(90 * MS));
    }

    #[test]
    fn delays_between_two_clocks_may_be_negative() {
        let mut history = DelayHistory::new();
        for delay in [-500, -480, -480, -480, -480] {
            history.update(at(1), delay * MS);
        }
        assert_eq!(history.queueing(), Some(Duration::from_millis(20)));
    }
}
