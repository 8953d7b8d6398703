//! Pacing: segments spread over the round-trip time.

use westwood_cc::{Bytes, Duration, Instant, Rate, Ratio, Window};

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    on: bool,
    next: Instant,
}

impl Pacer {
    pub(crate) fn new(on: bool) -> Self {
        Self { on, next: Instant::ZERO }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// When the next segment may leave; in the past if it may leave now.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// A segment has left. Without a rate, before the first round-trip time sample, the next may
    /// follow at once.
    pub(crate) fn sent(&mut self, now: Instant, wire: Bytes, rate: Option<Rate>) {
        let Some(rate) = rate.filter(|r| !r.is_zero()) else {
            return;
        };
        // At most 2^16 bytes times 2^30 ns/s times the rate's scale of 2^16: within a word.
        let data = wire.get().min(1 << 16);
        let gap = ((data * 1_000_000_000) << 16) / rate.raw();
        self.next = self.next.max(now) + Duration::from_nanos(gap);
    }

    /// What Linux paces at when a controller has no wish: twice the window per smoothed round-trip
    /// time in slow start, 1.2 times afterwards (`tcp_update_pacing_rate`).
    ///
    /// "Slow start" ends at half of ssthresh there, so that the last doubling is not a burst.
    pub(crate) fn window_rate(w: Window, srtt: Duration, smss: Bytes) -> Option<Rate> {
        let rate = w.cwnd.bytes(smss).per(srtt)?;
        let gain = if w.cwnd < w.ssthresh.half() { Ratio::new(2, 1) } else { Ratio::new(6, 5) };
        Some(rate.times(gain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Segments;

    #[test]
    fn a_full_segment_at_ten_megabits_takes_a_millisecond_and_a_fifth() {
        let mut pacer = Pacer::new(true);
        let start = Instant::from_nanos(1_000_000_000);
        pacer.sent(start, Bytes::new(1500), Some(Rate::from_bits_per_s(10_000_000)));
        let gap = pacer.next().since(start);
        assert_eq!(gap, Duration::from_micros(1_200));
    }

    #[test]
    fn a_full_segment_at_a_hundred_gigabits_takes_120_nanoseconds() {
        let mut pacer = Pacer::new(true);
        let rate = Rate::from_bits_per_s(100_000_000_000);
        pacer.sent(Instant::ZERO, Bytes::new(1500), Some(rate));
        assert_eq!(pacer.next(), Instant::from_nanos(120));
    }

    #[test]
    fn the_window_is_spread_at_twice_its_rate_in_slow_start_and_a_fifth_above_it_later() {
        let srtt = Duration::from_millis(100);
        let rate = |cwnd, ssthresh| {
            let w = Window { cwnd: Segments::new(cwnd), ssthresh: Segments::new(ssthresh) };
            Pacer::window_rate(w, srtt, Bytes::new(1000)).map(Rate::bits_per_s)
        };
        assert_eq!(rate(10, 100), Some(1_600_000));
        assert_eq!(rate(10, 10), Some(960_000));
    }
}
