//! The receiver's clock in its timestamps (RFC 7323 section 3.2, TSval), for one-way delays.
//!
//! An ACK echoes when its segment was sent, by the sender's clock (TSecr), and says when it leaves, by the
//! receiver's (TSval). The difference is the way there, what the ACK waited, and the clocks' offset:
//!
//! ```text
//! reading(t) = granularity * floor((t + offset + t * drift) / granularity)
//! one-way delay = TSval - TSecr
//! ```
//!
//! The sender's clock is exact. Rounding: the drift is rounded down to 1 ns, a reading to a whole tick. A
//! reading is not modulo 2^32: no run lasts long enough for that to matter.

use westwood_cc::{Duration, Instant};

/// The clock of a receiver that tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverClock {
    /// One tick; zero for a perfect clock.
    pub granularity: Duration,
    /// By how much it runs fast, in 1/1,000,000; slow if negative.
    pub drift_ppm: i32,
    /// The clock's reading when the run begins.
    pub offset: Duration,
}

impl ReceiverClock {
    /// The reading at `now`, in ns.
    ///
    /// ```
    /// use westwood_cc::{Duration, Instant};
    /// use westwood_tcp::ReceiverClock;
    /// let clock = ReceiverClock { drift_ppm: 100, ..ReceiverClock::default() };
    /// assert_eq!(clock.reading(Instant::ZERO + Duration::from_secs(10)), 10_001_000_000);
    /// ```
    pub fn reading(&self, now: Instant) -> i64 {
        let t = i128::from(now.as_nanos());
        let exact = t
            + i128::from(self.offset.as_nanos())
            + (t * i128::from(self.drift_ppm)).div_euclid(1_000_000);
        let tick = i128::from(self.granularity.as_nanos().max(1));
        let whole = exact.div_euclid(tick) * tick;
        i64::try_from(whole).unwrap_or(if whole > 0 { i64::MAX } else { i64::MIN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(clock: ReceiverClock, ms: u64) -> i64 {
        clock.reading(Instant::ZERO + Duration::from_millis(ms))
    }

    #[test]
    fn a_reading_is_the_time_the_drift_and_the_offset() {
        let fast = ReceiverClock { drift_ppm: 200, ..ReceiverClock::default() };
        assert_eq!(reading(fast, 5_000), 5_001_000_000);
        let slow = ReceiverClock { drift_ppm: -200, ..fast };
        assert_eq!(reading(slow, 5_000), 4_999_000_000);
        let ahead = ReceiverClock { offset: Duration::from_secs(3), ..slow };
        assert_eq!(reading(ahead, 5_000), 7_999_000_000);
    }

    #[test]
    fn it_shows_whole_ticks() {
        let coarse =
            ReceiverClock { granularity: Duration::from_millis(10), ..ReceiverClock::default() };
        assert_eq!([9, 10, 19, 20].map(|ms| reading(coarse, ms) / 1_000_000), [0, 10, 10, 20]);
    }
}
