//! Pacing: segments spread over the round-trip time, as Linux 6.1 spreads them.
//!
//! `tcp_update_pacing_rate`, `tcp_update_skb_after_send`. The rate counts payload, not headers.

use westwood_cc::{Bytes, Duration, Instant, Rate, Ratio, Segments, Window};

/// Segments that begin a connection without gaps, as with the fq queue; the last of them is followed
/// by the first gap.
const UNPACED: u64 = 10;

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    on: bool,
    next: Instant,
    rate: Option<Rate>,
}

impl Pacer {
    pub(crate) fn new(on: bool) -> Self {
        Self { on, next: Instant::ZERO, rate: None }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// When the next segment may leave; in the past if it may leave now.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// The rate of the last ACK; none before the first round-trip time sample.
    pub(crate) fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// Sets the rate, after each ACK. Neither a timeout nor a departure changes it.
    pub(crate) fn set_rate(&mut self, rate: Option<Rate>) {
        self.rate = rate;
    }

    /// The `count`th segment of the connection has left. Without a rate the next may follow at once.
    ///
    /// A segment that left later than it might have shortens the gap behind it, by half at most.
    pub(crate) fn sent(&mut self, now: Instant, payload: Bytes, rate: Option<Rate>, count: u64) {
        let Some(rate) = rate.filter(|r| !r.is_zero()) else {
            return;
        };
        let left = self.next.max(now);
        let late = left.since(self.next);
        // At most 2^16 bytes times 2^30 ns/s times the rate's scale of 2^16: within a word.
        let data = payload.get().min(1 << 16);
        let gap = Duration::from_nanos(((data * 1_000_000_000) << 16) / rate.raw());
        self.next = if count < UNPACED { left } else { left + (gap - late.min(gap / 2)) };
    }

    /// Linux's pace for controllers without one of their own (`tcp_update_pacing_rate`): 2 cwnd / srtt
    /// while cwnd is below ssthresh / 2, so that the last doubling is not a burst, and 1.2 cwnd / srtt
    /// above. In a recovery, where the window falls before the segments outstanding do, those count.
    pub(crate) fn window_rate(
        w: Window,
        outstanding: u64,
        srtt: Duration,
        smss: Bytes,
    ) -> Option<Rate> {
        let rate = w.cwnd.max(Segments::new(outstanding)).bytes(smss).per(srtt)?;
        let gain =
            if w.cwnd < w.ssthresh.half().floor() { Ratio::new(2, 1) } else { Ratio::new(6, 5) };
        Some(rate.times(gain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant::from_nanos(1_000_000_000);

    fn paced_from(start: Instant) -> Pacer {
        Pacer { next: start, ..Pacer::new(true) }
    }

    #[test]
    fn a_full_segment_at_ten_megabits_takes_a_millisecond_and_a_fifth() {
        let mut pacer = paced_from(START);
        pacer.sent(START, Bytes::new(1500), Some(Rate::from_bits_per_s(10_000_000)), 10);
        let gap = pacer.next().since(START);
        assert_eq!(gap, Duration::from_micros(1_200));
    }

    #[test]
    fn a_full_segment_at_a_hundred_gigabits_takes_120_nanoseconds() {
        let mut pacer = paced_from(START);
        let rate = Rate::from_bits_per_s(100_000_000_000);
        pacer.sent(START, Bytes::new(1500), Some(rate), 10);
        assert_eq!(pacer.next(), START + Duration::from_nanos(120));
    }

    #[test]
    fn a_late_segment_catches_up_by_half_a_gap_at_most() {
        let rate = Some(Rate::from_bits_per_s(10_000_000));
        let next_after = |late: u64| {
            let mut pacer = paced_from(START);
            let now = START + Duration::from_micros(late);
            pacer.sent(now, Bytes::new(1500), rate, 10);
            pacer.next().since(now)
        };
        assert_eq!(next_after(200), Duration::from_micros(1_000));
        assert_eq!(next_after(600), Duration::from_micros(600));
        assert_eq!(next_after(50_000), Duration::from_micros(600));
    }

    #[test]
    fn the_first_nine_segments_of_a_connection_leave_without_gaps() {
        let rate = Some(Rate::from_bits_per_s(10_000_000));
        let mut pacer = paced_from(START);
        for count in 1..10 {
            pacer.sent(START, Bytes::new(1500), rate, count);
            assert_eq!(pacer.next(), START);
        }
        pacer.sent(START, Bytes::new(1500), rate, 10);
        assert!(pacer.next() > START);
    }

    #[test]
    fn the_window_is_spread_at_twice_its_rate_in_slow_start_and_a_fifth_above_it_later() {
        let srtt = Duration::from_millis(100);
        let rate = |cwnd, ssthresh, outstanding| {
            let w = Window { cwnd: Segments::new(cwnd), ssthresh: Segments::new(ssthresh) };
            Pacer::window_rate(w, outstanding, srtt, Bytes::new(1000)).map(Rate::bits_per_s)
        };
        assert_eq!(rate(10, 100, 0), Some(1_600_000));
        assert_eq!(rate(10, 10, 0), Some(960_000));
        assert_eq!(rate(10, 10, 20), Some(1_920_000));
    }
}
