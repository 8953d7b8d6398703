//! Linux's round-trip time estimator: `tcp_rtt_estimator`, `tcp_set_rto`, `tcp_update_rtt_min`.
//!
//! Differences from RFC 6298:
//! * the variation that counts is the largest of the last round trips, not the running mean: it
//!   rises at once and falls by a quarter a round trip;
//! * four times the variation, not the whole timeout, is at least the minimum: RTO = SRTT + max(4
//!   RTTVAR, 200 ms);
//! * a sample far below the mean moves the variation by 1/32 instead of 1/4, as in Eifel;
//! * every ACK gives a sample, and the handshake's, if there was one, is the first.
//!
//! Left out: the timeout here is exact where Linux rounds it to ticks of 4 ms; the timer is not (`timer.rs`).

use westwood_cc::windowed_extreme::WindowedMin;
use westwood_cc::{Duration, Instant};

use crate::rtt::linux_first_variation;

/// How long the smallest round-trip time is remembered (`tcp_min_rtt_wlen`).
const MIN_RTT_WINDOW: Duration = Duration::from_secs(300);

/// The longest sample: eight times the mean fit into 32 bits of microseconds (`srtt_us`).
const LONGEST: Duration = Duration::from_micros(u32::MAX as u64 / 8);

/// The estimator. Nanoseconds, scaled as in the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinuxRtt {
    /// Eight times the smoothed round-trip time.
    srtt8: u64,
    /// Four times the mean deviation.
    mdev4: u64,
    /// The largest `mdev4` of this round trip.
    mdev_max4: u64,
    /// Four times the variation in force.
    rttvar4: u64,
    /// A round trip ends when this is acknowledged.
    round_end: u64,
    rto_min: u64,
    min: WindowedMin,
    /// The sample of the handshake, until there is another.
    handshake: Option<Duration>,
}

impl LinuxRtt {
    /// Before any data. `handshake` is what the SYN and its ACK took.
    pub(super) fn new(rto_min: Duration, handshake: Option<Duration>) -> Self {
        let mut estimator = Self {
            srtt8: 0,
            mdev4: 0,
            mdev_max4: 0,
            rttvar4: 0,
            round_end: 0,
            rto_min: rto_min.as_nanos(),
            min: WindowedMin::new(MIN_RTT_WINDOW.as_nanos()),
            handshake,
        };
        if let Some(rtt) = handshake {
            estimator.sample(rtt, 0, 0);
        }
        estimator
    }

    /// Takes in a sample (`tcp_rtt_estimator`).
    pub(super) fn sample(&mut self, rtt: Duration, snd_una: u64, snd_max: u64) {
        let rtt = rtt.min(LONGEST).as_nanos().max(1);
        if self.srtt8 == 0 {
            self.srtt8 = rtt * 8;
            self.mdev4 = rtt * 2;
            self.rttvar4 = linux_first_variation(
                Duration::from_nanos(rtt),
                Duration::from_nanos(self.rto_min),
            )
            .as_nanos();
            self.mdev_max4 = self.rttvar4;
            self.round_end = snd_max;
            return;
        }
        let srtt = self.srtt8 / 8;
        self.srtt8 = (self.srtt8 + rtt - srtt).max(1);
        let below = rtt < srtt;
        self.move_deviation(rtt.abs_diff(srtt), below);
        if self.mdev4 > self.mdev_max4 {
            self.mdev_max4 = self.mdev4;
            self.rttvar4 = self.rttvar4.max(self.mdev_max4);
        }
        if snd_una > self.round_end {
            self.rttvar4 -= self.rttvar4.saturating_sub(self.mdev_max4) / 4;
            self.round_end = snd_max;
            self.mdev_max4 = self.rto_min;
        }
    }

    /// The deviation rises by a quarter of what is missing, but only by a thirty-second when a sample
    /// far below the mean makes it rise: a falling round-trip time is no reason to wait longer.
    fn move_deviation(&mut self, error: u64, below: bool) {
        let quarter = self.mdev4 / 4;
        if error >= quarter {
            let rise = error - quarter;
            self.mdev4 += if below { rise / 8 } else { rise };
        } else {
            self.mdev4 -= quarter - error;
        }
    }

    /// Takes in a sample for the smallest round-trip time.
    pub(super) fn sample_min(&mut self, now: Instant, rtt: Duration) {
        if let Some(first) = self.handshake.take() {
            // It ended when the first data left.
            let ended = now.as_nanos().saturating_sub(rtt.as_nanos());
            self.min.update(ended, first.as_nanos());
        }
        self.min.update(now.as_nanos(), rtt.as_nanos());
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub(super) fn srtt(&self) -> Duration {
        Duration::from_nanos(self.srtt8 / 8)
    }

    /// The timeout without back-off.
    pub(super) fn rto(&self) -> Duration {
        Duration::from_nanos(self.srtt8 / 8 + self.rttvar4)
    }

    /// The smallest round-trip time of the last five minutes.
    pub(super) fn min(&self) -> Option<Duration> {
        self.min.get().map(Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn tcp_rtt_estimator_the_first_sample_gives_three_times_itself_or_itself_and_the_minimum() {
        let mut e = LinuxRtt::new(ms(200), None);
        e.sample(ms(250), 0, 10);
        assert_eq!((e.srtt(), e.rto()), (ms(250), ms(750)));
        let mut e = LinuxRtt::new(ms(200), None);
        e.sample(ms(50), 0, 10);
        assert_eq!(e.rto(), ms(250));
    }

    #[test]
    fn tcp_rtt_estimator_the_handshake_gives_the_first_sample() {
        let mut e = LinuxRtt::new(ms(200), Some(ms(80)));
        assert_eq!((e.srtt(), e.rto()), (ms(80), ms(280)));
        // The first data has waited: an eighth of what it waited counts.
        e.sample_min(Instant::ZERO + ms(160), ms(160));
        e.sample(ms(160), 10, 20);
        assert_eq!((e.srtt(), e.min()), (ms(90), Some(ms(80))));
    }

    #[test]
    fn tcp_rtt_estimator_a_steady_path_waits_its_round_trip_time_and_the_minimum() {
        let mut e = LinuxRtt::new(ms(200), None);
        for round in 0..60 {
            e.sample(ms(250), round * 10 + 1, round * 10 + 10);
        }
        assert!(e.rto() < ms(451) && e.rto() >= ms(450), "{}", e.rto());
    }

    #[test]
    fn tcp_rtt_estimator_a_rising_delay_raises_the_timeout_at_once() {
        let mut e = LinuxRtt::new(ms(200), None);
        for round in 0..60 {
            e.sample(ms(100), round * 10 + 1, round * 10 + 10);
        }
        e.sample(ms(900), 601, 610);
        // Four times the deviation, 800 ms, above the mean of 200 ms.
        assert!(e.rto() >= ms(1_000), "{}", e.rto());
    }

    #[test]
    fn tcp_rtt_estimator_a_falling_delay_hardly_raises_it() {
        let mut e = LinuxRtt::new(ms(200), None);
        for round in 0..60 {
            e.sample(ms(900), round * 10 + 1, round * 10 + 10);
        }
        let before = e.rto();
        e.sample(ms(100), 601, 610);
        assert!(e.rto() < before, "{}", e.rto());
    }

    #[test]
    fn tcp_rtt_estimator_a_round_trip_of_half_a_minute_is_waited_for() {
        // A queue of 160 packets on 64 kbit/s.
        let mut e = LinuxRtt::new(ms(200), None);
        for round in 0..60 {
            e.sample(ms(30_000), round * 10 + 1, round * 10 + 10);
        }
        assert_eq!(e.srtt(), ms(30_000));
        assert!(e.rto() > ms(30_000), "{}", e.rto());
    }

    #[test]
    fn tcp_update_rtt_min_forgets_a_minimum_after_five_minutes() {
        let mut e = LinuxRtt::new(ms(200), None);
        let at = |s: u64| Instant::ZERO + Duration::from_secs(s);
        e.sample_min(at(0), ms(50));
        for s in 1..300 {
            e.sample_min(at(s), ms(80));
        }
        assert_eq!(e.min(), Some(ms(50)));
        e.sample_min(at(301), ms(80));
        assert_eq!(e.min(), Some(ms(80)));
    }

    #[test]
    fn tcp_rtt_estimator_the_deviation_closes_in_by_a_quarter_of_what_it_is_too_large() {
        let mut e = LinuxRtt::new(ms(200), None);
        e.sample(ms(1_000), 0, 10);
        assert_eq!(e.mdev4, ms(2_000).as_nanos());
        // `m -= mdev >> 2; mdev += m`: the error is 400 ms, on either side.
        e.sample(ms(1_400), 1, 10);
        assert_eq!(e.mdev4, ms(1_900).as_nanos());
        // The mean is 1050 ms.
        e.sample(ms(650), 2, 10);
        assert_eq!(e.mdev4, ms(1_825).as_nanos());
    }
}
