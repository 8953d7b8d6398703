//! How many flows share a link.

use std::collections::BTreeSet;

use westwood_cc::{Duration, Instant, Rate};

/// Counts the flows whose data enters a link, and divides its rate by them.
///
/// Time goes in periods. A flow is active if it was seen in this period or in the one before.
#[derive(Debug)]
pub(crate) struct FlowCounter {
    rate: Rate,
    period: Duration,
    /// When the present period ends.
    end: Instant,
    present: BTreeSet<u32>,
    last: BTreeSet<u32>,
    /// Members of either.
    active: u64,
}

impl FlowCounter {
    pub(crate) fn new(rate: Rate, period: Duration) -> Self {
        let end = Instant::ZERO + period;
        Self { rate, period, end, present: BTreeSet::new(), last: BTreeSet::new(), active: 0 }
    }

    /// The share of a flow whose data enters now.
    pub(crate) fn share(&mut self, now: Instant, flow: u32) -> Rate {
        self.advance_period(now);
        if self.present.insert(flow) && !self.last.contains(&flow) {
            self.active += 1;
        }
        Rate::from_raw(self.rate.raw() / self.active.max(1))
    }

    fn advance_period(&mut self, now: Instant) {
        if now < self.end {
            return;
        }
        let past = now.since(self.end);
        self.last = std::mem::take(&mut self.present);
        if past >= self.period {
            self.last.clear();
        }
        self.active = self.last.len() as u64;
        self.end = self.end + past.floor_to(self.period) + self.period;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_shared_by_who_was_seen_lately() {
        let mbit = |n: u64| Rate::from_bits_per_s(n * 1_000_000);
        let at = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
        let mut meter = FlowCounter::new(mbit(12), Duration::from_secs(1));
        assert_eq!(meter.share(at(0), 7), mbit(12));
        assert_eq!(meter.share(at(10), 8), mbit(6));
        assert_eq!(meter.share(at(20), 8), mbit(6));
        assert_eq!(meter.share(at(999), 9), mbit(4));
        // All three belong to the period before.
        assert_eq!(meter.share(at(1_500), 7), mbit(4));
        // Only 7 does now.
        assert_eq!(meter.share(at(2_500), 8), mbit(6));
        assert_eq!(meter.share(at(60_000), 8), mbit(12));
    }
}
