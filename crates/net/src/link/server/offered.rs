//! A rate that changes, and what it could have carried.

use westwood_cc::{Bytes, Instant, Rate};

use crate::link::server::serializer::bytes;

/// The present rate and the work that all rates so far could have done.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfferedRate {
    rate: Rate,
    /// The work of earlier rates, and since when the present one holds.
    before: u128,
    since: Instant,
}

impl OfferedRate {
    pub(super) fn new(rate: Rate) -> Self {
        Self { rate, before: 0, since: Instant::ZERO }
    }

    pub(super) fn get(&self) -> Rate {
        self.rate
    }

    /// Another rate from `now` on.
    pub(super) fn set(&mut self, now: Instant, rate: Rate) {
        *self = Self { rate, before: self.work(now), since: now };
    }

    /// Whole bytes up to `now`.
    pub(super) fn capacity(&self, now: Instant) -> Bytes {
        bytes(self.work(now))
    }

    fn work(&self, now: Instant) -> u128 {
        let time = now.since(self.since);
        self.before + u128::from(self.rate.raw()) * u128::from(time.as_nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rate_counts_for_as_long_as_it_holds() {
        let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
        let mut offered = OfferedRate::new(Rate::from_bits_per_s(8_000));
        offered.set(at(1_000), Rate::ZERO);
        offered.set(at(5_000), Rate::from_bits_per_s(80_000));
        assert_eq!(offered.capacity(at(5_500)), Bytes::new(1_000 + 5_000));
    }
}
