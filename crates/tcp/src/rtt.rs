//! The round-trip time and the retransmission timeout: RFC 6298.
//!
//! With timestamps every ACK of new data gives a sample, at the same gains of 1/8 and 1/4: RFC 7323
//! appendix G would lower them. The back-off ends with the first sample after a timeout (section 5), and
//! with timestamps a copy gives one (section 3), as in Linux. That this "can only happen when new data has
//! been sent and acknowledged" is Karn's rule, and section 3 excepts timestamps from it.

use westwood_cc::product::saturating;
use westwood_cc::{Duration, Instant};

use crate::config::RtoConfig;

/// Smoothed round-trip time, its variation, and the timeout that follows from them.
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    config: RtoConfig,
    srtt: Duration,
    /// On a perfect clock.
    rttvar: Duration,
    /// On a coarse clock.
    in_ticks: InTicks,
    /// The smallest sample; [`Duration::MAX`] before the first.
    min: Duration,
    /// The timeout before back-off.
    rto: Duration,
    /// How often the timeout has doubled.
    backoff: u32,
}

/// The estimate in ticks of a coarse clock.
#[derive(Clone, Copy, Debug, Default)]
struct InTicks {
    /// The smoothed round-trip time, in eighths of a tick.
    mean: u64,
    /// Its variation, in quarters of a tick.
    variation: u64,
    /// The last sample, to the nearest tick.
    sample: u64,
}

impl RttEstimator {
    /// Before any sample.
    pub fn new(config: RtoConfig) -> Self {
        Self {
            config,
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            in_ticks: InTicks::default(),
            min: Duration::MAX,
            rto: config.initial,
            backoff: 0,
        }
    }

    /// Takes in a sample: sections 2.2 to 2.4.
    #[inline]
    pub fn sample(&mut self, rtt: Duration) {
        self.min = self.min.min(rtt);
        self.update(rtt);
    }

    /// Takes in the sample of a segment that the sender timed by its own clock. A coarse clock counts the
    /// ticks between sending and acknowledgment.
    pub(crate) fn sample_timed(&mut self, sent: Instant, now: Instant) {
        let tick = self.config.granularity;
        let rtt = now.since(sent);
        self.min = self.min.min(rtt);
        if tick.is_zero() {
            self.update(rtt);
        } else {
            let reading = |at: Instant| at.since(Instant::ZERO).floor_to(tick);
            self.update(reading(now) - reading(sent));
        }
    }

    /// Takes in the sample of a handshake that ends now.
    pub(crate) fn sample_handshake(&mut self, rtt: Duration, now: Instant) {
        let sent = Instant::from_nanos(now.as_nanos().saturating_sub(rtt.as_nanos()));
        self.sample_timed(sent, now);
    }

    #[inline]
    fn update(&mut self, rtt: Duration) {
        let tick = self.config.granularity;
        let timeout =
            if tick.is_zero() { self.smooth(rtt) } else { self.smooth_in_ticks(rtt, tick) };
        self.rto = timeout.max(self.config.min).min(self.config.max);
    }

    /// The timeout by the RFC's formulas, on a perfect clock.
    #[inline]
    fn smooth(&mut self, rtt: Duration) -> Duration {
        if self.srtt.is_zero() {
            self.srtt = rtt;
            self.rttvar = rtt / 2;
        } else {
            let deviation = rtt.max(self.srtt) - rtt.min(self.srtt);
            self.rttvar = (self.rttvar * 3 + deviation) / 4;
            self.srtt = (self.srtt * 7 + rtt) / 8;
        }
        self.srtt + self.rttvar * 4
    }

    /// The timeout on a coarse clock: the same formulas in whole numbers, as V. Jacobson and M. Karels
    /// give them in appendix A of "Congestion Avoidance and Control", 1988, and BSD and ns-2 have them.
    ///
    /// The mean is kept in eighths of a tick and the variation in quarters, and shifts round down. So the
    /// variation does not decay below three quarters of a tick, and on the steadiest path
    /// the timeout stays three ticks above the mean, which meets section 2.3's G. The sample is first
    /// rounded to the nearest tick, at least one.
    #[inline]
    fn smooth_in_ticks(&mut self, rtt: Duration, tick: Duration) -> Duration {
        let tick = tick.as_nanos();
        let InTicks { mean, variation, .. } = self.in_ticks;
        let sample = self.in_ticks.nearest(rtt, tick).max(1);
        let (mean, variation) = if self.srtt.is_zero() {
            (sample * 8, sample * 2)
        } else {
            let deviation = sample.abs_diff(mean / 8);
            (mean - mean / 8 + sample, variation - variation / 4 + deviation)
        };
        (self.in_ticks.mean, self.in_ticks.variation) = (mean.max(1), variation.max(1));
        let InTicks { mean, variation, .. } = self.in_ticks;
        self.srtt = Duration::from_nanos(saturating(mean, tick) / 8);
        Duration::from_nanos(saturating(mean / 8 + variation, tick))
    }

    /// Takes over the results of another estimator, and ends the back-off.
    pub(crate) fn set_from(&mut self, srtt: Duration, rto: Duration, min: Option<Duration>) {
        self.srtt = srtt;
        self.rto = rto.min(self.config.max);
        self.min = min.unwrap_or(Duration::MAX);
        self.backoff = 0;
    }

    /// The timeout doubles, up to the largest: section 5.5.
    pub fn back_off(&mut self) {
        if self.rto() < self.config.max {
            self.backoff += 1;
        }
    }

    /// There is a new measurement: the back-off ends (section 5).
    pub fn end_backoff(&mut self) {
        self.backoff = 0;
    }

    /// Clears the mean and its variation: the next sample is taken for the first one (section 5, last
    /// paragraph). The timeout stays until then.
    pub(crate) fn clear_mean(&mut self) {
        self.srtt = Duration::ZERO;
    }

    /// How often the timeout has doubled since new data was acknowledged.
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// The timeout, back-off included.
    pub fn rto(&self) -> Duration {
        let rto = if self.backoff == 0 { self.rto } else { self.backed_off() };
        rto.min(self.config.max)
    }

    #[cold]
    fn backed_off(&self) -> Duration {
        self.rto * (1_u64 << self.backoff.min(16))
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub fn srtt(&self) -> Duration {
        self.srtt
    }

    /// The smallest sample so far.
    pub fn min(&self) -> Option<Duration> {
        (self.min != Duration::MAX).then_some(self.min)
    }
}

impl InTicks {
    /// A time to the nearest tick, which is kept. Most samples are in the tick of the one before, and need no
    /// division.
    #[inline]
    fn nearest(&mut self, rtt: Duration, tick: u64) -> u64 {
        let shifted = rtt.as_nanos().saturating_add(tick / 2);
        if shifted.wrapping_sub(self.sample.wrapping_mul(tick)) >= tick {
            self.sample = shifted / tick;
        }
        self.sample
    }
}

/// Linux's variation after a first sample, times four (`tcp_rtt_estimator`): twice the sample. The
/// minimum bounds it, and not the timeout.
pub(crate) fn linux_first_variation(sample: Duration, least: Duration) -> Duration {
    (sample * 2).max(least)
}

/// Linux's timeout after a first sample (`__tcp_set_rto`).
pub(crate) fn linux_first_timeout(sample: Duration, least: Duration) -> Duration {
    sample + linux_first_variation(sample, least)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn estimator(min: Duration, tick: Duration) -> RttEstimator {
        RttEstimator::new(RtoConfig { min, granularity: tick, ..RtoConfig::default() })
    }

    #[test]
    fn rfc6298_2_1_before_a_sample_the_timeout_is_one_second() {
        assert_eq!(estimator(ms(200), Duration::ZERO).rto(), ms(1_000));
    }

    #[test]
    fn rfc6298_2_2_the_first_sample_gives_three_times_itself() {
        let mut e = estimator(ms(200), Duration::ZERO);
        e.sample(ms(100));
        // srtt 100, rttvar 50: 100 + 4 x 50.
        assert_eq!((e.srtt(), e.rto()), (ms(100), ms(300)));
    }

    #[test]
    fn the_smallest_sample_is_kept_however_it_was_taken() {
        let mut e = estimator(ms(200), Duration::ZERO);
        assert_eq!(e.min(), None);
        for (rtt, min) in [(120, 120), (100, 100), (180, 100)] {
            e.sample(ms(rtt));
            assert_eq!(e.min(), Some(ms(min)));
        }
        e.sample_timed(Instant::ZERO + ms(500), Instant::ZERO + ms(590));
        assert_eq!(e.min(), Some(ms(90)));
    }

    #[test]
    fn rfc6298_2_3_the_variation_moves_before_the_mean() {
        let mut e = estimator(ms(200), Duration::ZERO);
        e.sample(ms(100));
        e.sample(ms(180));
        // rttvar = 3/4 x 50 + 1/4 x 80 = 57.5; srtt = 7/8 x 100 + 1/8 x 180 = 110.
        assert_eq!(e.srtt(), ms(110));
        assert_eq!(e.rto(), ms(110) + Duration::from_micros(57_500) * 4);
    }

    #[test]
    fn rfc6298_2_4_the_timeout_is_at_least_the_minimum() {
        let mut e = estimator(ms(1_000), Duration::ZERO);
        e.sample(ms(10));
        assert_eq!(e.rto(), ms(1_000));
    }

    #[test]
    fn rfc6298_5_5_the_timeout_doubles_up_to_the_largest() {
        let mut e = estimator(ms(1_000), Duration::ZERO);
        e.sample(ms(10));
        let seen: Vec<u64> = (0..8)
            .map(|_| {
                e.back_off();
                e.rto().as_nanos() / 1_000_000_000
            })
            .collect();
        assert_eq!(seen, [2, 4, 8, 16, 32, 60, 60, 60]);
        e.end_backoff();
        assert_eq!(e.rto(), ms(1_000));
    }

    #[test]
    fn a_coarse_clock_rounds_samples_to_the_nearest_tick_and_the_mean_down() {
        let mut e = estimator(ms(200), ms(10));
        e.sample(Duration::from_micros(104_900));
        assert_eq!((e.srtt(), e.rto()), (ms(100), ms(300)));
        // rttvar = 3/4 x 50 + 1/4 x 10 = 40; srtt = 7/8 x 100 + 1/8 x 110 = 101.25, of which 100 count.
        e.sample(Duration::from_micros(105_000));
        assert_eq!(e.srtt(), Duration::from_micros(101_250));
        assert_eq!(e.rto(), ms(260));
    }

    #[test]
    fn a_coarse_clock_follows_appendix_a_of_jacobson_and_karels_from_sample_to_sample() {
        let mut e = estimator(ms(20), ms(10));
        // Samples that stay within a tick of 10 ms, that leave it by a nanosecond, and that jump; then
        // the mean in eighths of a tick, the variation in quarters, and the timeout in ms: the mean's
        // whole ticks and the variation's number of them.
        let almost = ms(105) - Duration::from_nanos(1);
        for (rtt, mean, variation, rto) in [
            (ms(104), 80, 20, 300),
            // 10 ticks again: 20 - 5 + 0.
            (almost, 80, 15, 250),
            // 11 ticks: 80 - 10 + 11, and 15 - 3 + 1.
            (ms(105), 81, 13, 230),
            (ms(104), 81, 10, 200),
            // 1 tick, 9 below the mean: 81 - 10 + 1, and 10 - 2 + 9.
            (ms(1), 72, 17, 260),
            // 64 ticks, 55 above it: 72 - 9 + 64, and 17 - 4 + 55.
            (ms(640), 127, 68, 830),
            (ms(644), 176, 100, 1_220),
            // 65 ticks, 43 above it: 176 - 22 + 65, and 100 - 25 + 43.
            (ms(645), 219, 118, 1_450),
            // 17 below it: 219 - 27 + 10, and 118 - 29 + 17.
            (ms(104), 202, 106, 1_310),
        ] {
            e.sample(rtt);
            assert_eq!((e.in_ticks.mean, e.in_ticks.variation), (mean, variation), "{rtt}");
            assert_eq!((e.srtt(), e.rto()), (ms(10) * mean / 8, ms(rto)), "{rtt}");
        }
    }

    #[test]
    fn a_timed_segment_takes_the_ticks_that_pass_meanwhile() {
        let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
        for (sent, ticks) in [(0, 10), (4, 10), (5, 11), (9, 11)] {
            let mut e = estimator(ms(20), ms(10));
            e.sample_timed(at(sent), at(sent + 105));
            assert_eq!(e.srtt(), ms(10) * ticks);
        }
    }

    #[test]
    fn on_a_coarse_clock_the_timeout_stays_three_ticks_above_a_steady_round_trip_time() {
        let mut e = estimator(ms(20), ms(10));
        for _ in 0..1_000 {
            e.sample(ms(250));
        }
        assert_eq!((e.srtt(), e.rto()), (ms(250), ms(280)));
    }

    #[test]
    fn the_smallest_sample_keeps_its_full_precision() {
        let mut e = estimator(ms(200), ms(10));
        e.sample(Duration::from_micros(104_900));
        assert_eq!(e.min(), Some(Duration::from_micros(104_900)));
    }
}
