//! The true deliveries, and their rate.

use westwood_cc::{Bytes, Duration, Instant, Rate};

/// The bytes delivered by each time, as the ACKs report them.
#[derive(Clone, Debug, Default)]
pub struct DeliveredBytes {
    /// In order of time, both growing.
    steps: Vec<(Instant, u64)>,
}

impl DeliveredBytes {
    /// Begins at the time of the first data.
    pub(crate) fn begin(&mut self, at: Instant) {
        if self.steps.is_empty() {
            self.steps.push((at, 0));
        }
    }

    pub(crate) fn add(&mut self, at: Instant, bytes: u64) {
        match self.steps.last_mut() {
            Some((last, most)) if *last == at => *most = bytes.max(*most),
            Some((_, most)) if *most >= bytes => {}
            _ => self.steps.push((at, bytes)),
        }
    }

    /// From the first data to the last delivery; none if nothing was delivered.
    pub fn span(&self) -> Option<(Instant, Instant)> {
        let (first, last) = (self.steps.first()?, self.steps.last()?);
        (last.1 > 0).then_some((first.0, last.0))
    }

    /// The bytes that had been delivered by a time.
    pub fn by(&self, at: Instant) -> u64 {
        let passed = self.steps.partition_point(|step| step.0 <= at);
        passed.checked_sub(1).map_or(0, |last| self.steps[last].1)
    }

    /// The rate of delivery around a time: the bytes delivered within half a `window` before it and
    /// half a window behind it, over that time. At the ends of the transfer the window is cut off
    /// there. It looks ahead, as no estimator can: estimates are held against it.
    pub fn rate(&self, at: Instant, window: Duration) -> Option<Rate> {
        let (first, last) = self.span()?;
        let half = window / 2;
        let from = if at.since(first) > half { at - half } else { first };
        let to = (at + half).min(last);
        Bytes::new(self.by(to).saturating_sub(self.by(from))).per(to.since(from))
    }

    /// The rate over the whole transfer.
    pub fn mean(&self) -> Option<Rate> {
        let (first, last) = self.span()?;
        Bytes::new(self.by(last)).per(last.since(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_rate_is_that_of_the_window_around() {
        let mut delivered = DeliveredBytes::default();
        delivered.begin(ms(0));
        // 1000 bytes every 10 ms for a second, then 3000.
        for i in 1..=100 {
            delivered.add(ms(10 * i), 1_000 * i);
        }
        for i in 1..=100 {
            delivered.add(ms(1_000 + 10 * i), 100_000 + 3_000 * i);
        }
        let kilobits =
            |at| delivered.rate(ms(at), Duration::from_millis(400)).unwrap().bits_per_s() / 1_000;
        assert_eq!([500, 1_000, 1_500].map(kilobits), [800, 1_600, 2_400]);
        // At the ends there is half of the window.
        assert_eq!([0, 2_000].map(kilobits), [800, 2_400]);
        assert_eq!(delivered.mean().unwrap().bits_per_s(), 1_600_000);
    }

    #[test]
    fn without_a_delivery_there_is_no_rate() {
        let mut delivered = DeliveredBytes::default();
        delivered.begin(ms(5));
        assert_eq!(delivered.rate(ms(5), Duration::from_secs(1)), None);
        assert_eq!(delivered.mean(), None);
    }
}
