//! The timeout without ticks.

use westwood_cc::{Duration, Instant};

/// Mean and variation of the round-trip time by the sender's own clock, and 17/16 (mean + 2 variation).
#[derive(Clone, Copy, Debug)]
pub(super) struct FineTimeout {
    mean: Duration,
    variation: Duration,
    timeout: Duration,
}

impl FineTimeout {
    /// Before the first sample nothing is late.
    pub(super) const fn new() -> Self {
        Self {
            mean: Duration::ZERO,
            variation: Duration::ZERO,
            timeout: Duration::from_secs(1_000),
        }
    }

    /// Takes in a sample, at Jacobson's gains. The handshake's was the first, if there was one.
    pub(super) fn sample(&mut self, handshake: Option<Duration>, rtt: Duration) {
        if self.mean.is_zero() {
            let first = handshake.unwrap_or(rtt);
            (self.mean, self.variation) = (first, first / 4);
        }
        let deviation = rtt.max(self.mean) - rtt.min(self.mean);
        self.mean = (self.mean * 7 + rtt) / 8;
        self.variation = (self.variation * 3 + deviation) / 4;
        self.timeout = (self.mean + self.variation * 2) * 17 / 16;
    }

    /// True if what was sent then should have been acknowledged by now.
    pub(super) fn has_passed(&self, sent: Instant, now: Instant) -> bool {
        now.since(sent) >= self.timeout
    }

    /// A segment that has been sent so often is sent again: it waits longer, up to `most`, until there
    /// is a sample.
    pub(super) fn back_off(&mut self, times: u32, most: Duration) {
        let more = if times > 1 { self.timeout } else { self.timeout / 8 };
        self.timeout = (self.timeout + more).min(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn after(time: Duration) -> Instant {
        Instant::ZERO + time
    }

    #[test]
    fn before_a_sample_nothing_is_late() {
        assert!(!FineTimeout::new().has_passed(Instant::ZERO, after(Duration::from_secs(100))));
    }

    #[test]
    fn the_first_sample_allows_half_as_much_again_and_a_sixteenth() {
        let mut t = FineTimeout::new();
        // Variation: 3/4 of 32 ms. 17/16 (128 + 2 x 24) = 187.
        t.sample(None, ms(128));
        assert!(!t.has_passed(Instant::ZERO, after(ms(186))));
        assert!(t.has_passed(Instant::ZERO, after(ms(187))));
    }

    #[test]
    fn the_sample_of_the_handshake_counts_first() {
        let mut t = FineTimeout::new();
        // Mean 128 - 16 = 112; variation (3 x 32 + 128) / 4 = 56; 17/16 of 224 = 238.
        t.sample(Some(ms(128)), Duration::ZERO);
        assert!(!t.has_passed(Instant::ZERO, after(ms(237))));
        assert!(t.has_passed(Instant::ZERO, after(ms(238))));
    }

    #[test]
    fn a_copy_waits_an_eighth_longer_and_the_copy_of_a_copy_twice_as_long() {
        let mut t = FineTimeout::new();
        t.sample(None, ms(128));
        t.back_off(2, ms(10_000));
        assert!(!t.has_passed(Instant::ZERO, after(ms(373))));
        assert!(t.has_passed(Instant::ZERO, after(ms(374))));
        t.back_off(1, ms(10_000));
        assert!(!t.has_passed(Instant::ZERO, after(ms(420))));
        assert!(t.has_passed(Instant::ZERO, after(ms(421))));
        t.back_off(2, ms(400));
        assert!(t.has_passed(Instant::ZERO, after(ms(400))));
    }
}
