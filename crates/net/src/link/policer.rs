//! A token-bucket policer: drops what exceeds a rate, and delays nothing.
//!
//! RFC 2697's bucket with one rate and one burst, as Linux's `act_police` with `conform-exceed drop`: tokens
//! come at the rate until the bucket holds a burst; a packet takes as many as it has bytes, and one that
//! finds fewer is dropped and takes none. The bucket is full at the start.
//!
//! A token is `2^16 x 10^9` units, so that those that a rate brings in a nanosecond are whole: nothing is
//! rounded.

use westwood_cc::{Bytes, Instant, Rate};

use crate::error::LinkError;

/// The rate and the burst that a policer lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicerConfig {
    /// The rate at which tokens come: above zero, at most 2^46 byte/s.
    pub rate: Rate,
    /// The size of the bucket: 1 byte to 2^40 bytes. A larger packet never passes.
    pub burst: Bytes,
}

impl PolicerConfig {
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        let bounded = !self.rate.is_zero() && self.rate <= Rate::MAX_SAMPLE;
        LinkError::unless(bounded, "policer.rate", "above zero and at most 2^46 byte/s")?;
        let bounded = (1..=1 << 40).contains(&self.burst.get());
        LinkError::unless(bounded, "policer.burst", "from 1 byte to 2^40 bytes")
    }
}

/// A policer at work.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    rate: Rate,
    burst: u128,
    /// As of `at`.
    tokens: u128,
    at: Instant,
}

impl TokenBucket {
    pub(crate) fn new(config: PolicerConfig) -> Self {
        let burst = units(config.burst);
        Self { rate: config.rate, burst, tokens: burst, at: Instant::ZERO }
    }

    /// True if a packet of this size may pass at `now`. Packets come in order of time.
    pub(crate) fn admits(&mut self, now: Instant, size: Bytes) -> bool {
        let came = u128::from(self.rate.raw()) * u128::from(now.since(self.at).as_nanos());
        self.tokens = self.tokens.saturating_add(came).min(self.burst);
        self.at = now;
        let left = self.tokens.checked_sub(units(size));
        self.tokens = left.unwrap_or(self.tokens);
        left.is_some()
    }
}

fn units(bytes: Bytes) -> u128 {
    (u128::from(bytes.get()) << 16) * 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_us(us: u64) -> Instant {
        Instant::from_nanos(1_000 * us)
    }

    fn policer(burst: u64) -> TokenBucket {
        // A byte a microsecond.
        let rate = Rate::from_bits_per_s(8_000_000);
        TokenBucket::new(PolicerConfig { rate, burst: Bytes::new(burst) })
    }

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let mut policer = policer(3_000);
        let size = Bytes::new(1_000);
        let passed: Vec<_> = (0..9).map(|i| policer.admits(at_us(500 * i), size)).collect();
        // 3000 tokens and 500 more each time: 3000, 2500, 2000, 1500, 1000, then 500, 1000, ...
        let expected = [true, true, true, true, true, false, true, false, true];
        assert_eq!(passed, expected);
    }

    #[test]
    fn a_bucket_holds_no_more_than_a_burst_however_long_it_waits() {
        let mut policer = policer(2_000);
        assert!(!policer.admits(at_us(1_000_000), Bytes::new(2_001)));
        assert!(policer.admits(at_us(1_000_000), Bytes::new(2_000)));
        assert!(!policer.admits(at_us(1_000_000), Bytes::new(1)));
    }

    #[test]
    fn tokens_are_exact() {
        // A third of a byte a nanosecond cannot be written, but what is written is kept: after looks at
        // odd times there are as many tokens as rate times time, and not one more.
        let rate = Rate::from_raw((1 << 16) * 1_000_000_000 / 3);
        let mut policer = TokenBucket::new(PolicerConfig { rate, burst: Bytes::new(1 << 40) });
        assert!(policer.admits(Instant::ZERO, Bytes::new(1 << 40)));
        for ns in (0..3_000_000).step_by(7) {
            assert!(policer.admits(Instant::from_nanos(ns), Bytes::ZERO));
        }
        let end = Instant::from_nanos(3_000_000);
        let came = u128::from(rate.raw()) * 3_000_000 / (65_536 * 1_000_000_000);
        let came = u64::try_from(came).unwrap();
        assert!(!policer.clone().admits(end, Bytes::new(came + 1)));
        assert!(policer.admits(end, Bytes::new(came)));
    }
}
