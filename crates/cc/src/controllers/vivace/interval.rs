//! Monitor intervals: what was sent at one rate, and what became of it (section 4.3).

use super::utility::RateTrial;
use crate::units::{Duration, Instant, Rate};

/// ACKs of later segments after which all losses of an interval are known (`DupThresh`).
const LATER_ACKS: u32 = 3;
/// Intervals whose results are awaited, at most.
pub(super) const MOST: usize = 4;
/// `|d(RTT)/dT|` below 0.01 counts as none, 20 fractional bits.
const NOISE: u64 = (1 << 20) / 100;

/// An interval of time during which the sender keeps to one rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct MonitorInterval {
    rate: Rate,
    start: Instant,
    /// How long it lasts, and how many segments it has, at least.
    least: (Duration, u64),
    /// None while it is being sent.
    end: Option<Instant>,
    first: u64,
    /// The first segment after it.
    next: u64,
    lost: u64,
    later_acks: u32,
    app_limited: bool,
    trend: DelayTrend,
}

/// An ACK's round-trip time sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct DelaySample {
    pub(super) sent_at: Instant,
    pub(super) rtt: Duration,
    pub(super) app_limited: bool,
}

impl MonitorInterval {
    /// An interval that begins with the segment `first`, lasts and counts at least so much.
    pub(super) fn new(rate: Rate, start: Instant, least: (Duration, u64), first: u64) -> Self {
        Self {
            rate,
            start,
            least,
            end: None,
            first,
            next: u64::MAX,
            lost: 0,
            later_acks: 0,
            app_limited: false,
            trend: DelayTrend::default(),
        }
    }

    /// True while segments of it are being sent.
    pub(super) fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Ends it, if it has lasted long enough. The next segment to be sent is `snd_nxt`.
    pub(super) fn try_close(&mut self, now: Instant, snd_nxt: u64) -> bool {
        let (time, segments) = self.least;
        let enough = now >= self.start + time && snd_nxt >= self.first + segments;
        if enough && self.is_open() {
            (self.end, self.next) = (Some(now), snd_nxt);
            return true;
        }
        false
    }

    /// Takes in a sample, if it is of this interval or later.
    pub(super) fn measure(&mut self, sample: &DelaySample) {
        let since = sample.sent_at.since(self.start);
        if sample.sent_at < self.start {
            return;
        }
        if self.end.is_some_and(|end| sample.sent_at >= end) {
            self.later_acks += 1;
        } else {
            self.app_limited |= sample.app_limited;
            self.trend.add(since, sample.rtt);
        }
    }

    /// A segment is lost. The loss of a copy counts for no interval that comes later.
    pub(super) fn lose(&mut self, seq: u64) {
        if (self.first..self.next).contains(&seq) {
            self.lost += 1;
        }
    }

    /// True once the fate of every segment is known.
    pub(super) fn is_done(&self, snd_una: u64) -> bool {
        !self.is_open() && (self.later_acks >= LATER_ACKS || snd_una >= self.next)
    }

    /// The result; none if the sender had too little to send.
    pub(super) fn trial(&self) -> Option<RateTrial> {
        let sent = self.next - self.first;
        let lost = self.lost.min(sent);
        let rtt_gradient = self.trend.slope();
        (!self.app_limited).then_some(RateTrial { rate: self.rate, sent, lost, rtt_gradient })
    }
}

/// The sums of a linear regression of round-trip times over departure times.
#[derive(Clone, Copy, Debug, Default)]
struct DelayTrend {
    n: i64,
    /// Microseconds since the interval's beginning.
    time: i64,
    /// Microseconds beyond the first sample.
    delay: i64,
    time_squared: i64,
    product: i64,
    first: Duration,
}

impl DelayTrend {
    fn add(&mut self, since: Duration, rtt: Duration) {
        if self.n == 0 {
            self.first = rtt;
        }
        let micros = |d: Duration| i64::try_from(d.as_nanos() / 1_000).unwrap_or(i64::MAX);
        let time = micros(since);
        let delay = micros(rtt).saturating_sub(micros(self.first));
        self.n += 1;
        self.time = self.time.saturating_add(time);
        self.delay = self.delay.saturating_add(delay);
        self.time_squared = self.time_squared.saturating_add(time.saturating_mul(time));
        self.product = self.product.saturating_add(time.saturating_mul(delay));
    }

    /// The least-squares slope, 20 fractional bits. Zero if it is noise, or if all samples have one time.
    fn slope(&self) -> i64 {
        let [n, time, delay, squared, product] =
            [self.n, self.time, self.delay, self.time_squared, self.product].map(i128::from);
        let spread = n * squared - time * time;
        if spread <= 0 {
            return 0;
        }
        let slope = ((n * product - time * delay) << 20) / spread;
        let slope = i64::try_from(slope).unwrap_or(0);
        if slope.unsigned_abs() < NOISE { 0 } else { slope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(n: u64) -> Instant {
        Instant::ZERO + ms(n)
    }

    fn interval() -> MonitorInterval {
        MonitorInterval::new(Rate::from_bits_per_s(1_000_000), at(100), (ms(30), 10), 50)
    }

    fn sample(sent: u64, rtt_us: u64) -> DelaySample {
        DelaySample { sent_at: at(sent), rtt: Duration::from_micros(rtt_us), app_limited: false }
    }

    #[test]
    fn s4_3_the_gradient_is_the_slope_of_a_linear_regression() {
        let mut mi = interval();
        // Half a millisecond later for each millisecond, with noise that cancels out.
        for (t, noise) in (100..120).zip([0, 40, 0, 0, 40].into_iter().cycle()) {
            mi.measure(&sample(t, 30_000 + 500 * (t - 100) + noise));
        }
        assert!((mi.trend.slope() - (1 << 19)).abs() < 2_000, "{}", mi.trend.slope());
    }

    #[test]
    fn s4_3_a_gradient_below_a_hundredth_counts_as_none() {
        for (per_ms, counts) in [(9, false), (11, true)] {
            let mut mi = interval();
            (100..120).for_each(|t| mi.measure(&sample(t, 30_000 + per_ms * (t - 100))));
            assert_eq!(mi.trend.slope() != 0, counts, "{per_ms} us/ms");
        }
    }

    #[test]
    fn an_interval_lasts_its_time_and_ten_segments() {
        let mut mi = interval();
        assert!(!mi.try_close(at(129), 70));
        assert!(!mi.try_close(at(131), 59));
        assert!(mi.try_close(at(131), 60));
        assert!(!mi.try_close(at(132), 70), "it is over");
    }

    #[test]
    fn an_interval_counts_its_own_segments_and_is_done_when_three_later_acks_have_come() {
        let mut mi = interval();
        mi.measure(&sample(99, 1));
        mi.measure(&sample(100, 30_000));
        assert!(mi.try_close(at(130), 60));
        for seq in [49, 50, 59, 60] {
            mi.lose(seq);
        }
        for sent in [130, 131, 132] {
            assert!(!mi.is_done(55));
            mi.measure(&sample(sent, 90_000));
        }
        assert!(mi.is_done(55));
        let trial = mi.trial().expect("the sender had enough");
        assert_eq!((trial.sent, trial.lost, mi.trend.n), (10, 2, 1));
    }

    #[test]
    fn an_interval_in_which_the_sender_had_nothing_to_send_tells_nothing() {
        let mut mi = interval();
        mi.measure(&DelaySample { app_limited: true, ..sample(110, 30_000) });
        assert!(mi.try_close(at(130), 60));
        assert!(mi.is_done(60) && mi.trial().is_none());
    }
}
