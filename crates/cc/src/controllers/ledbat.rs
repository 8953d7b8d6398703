//! # LEDBAT: background transfers by one-way delay
//!
//! S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind, "Low Extra Delay Background Transport (LEDBAT)",
//! RFC 6817.
//!
//! The window moves towards a queueing delay of `TARGET`, the more the further away it is. It grows by at
//! most as much as Reno's would; nothing bounds how much it falls but MIN_CWND. Section 2.4.2:
//!
//! ```text
//! queueing delay = FILTER(current delays) - MIN(base delays)
//! off_target = (TARGET - queueing delay) / TARGET
//! cwnd += GAIN off_target n / cwnd            for n segments acknowledged
//! cwnd <= flightsize + ALLOWED_INCREASE, cwnd >= MIN_CWND
//! loss:    cwnd = max(cwnd / 2, MIN_CWND), once a round-trip time
//! timeout: cwnd = 1
//! ```
//!
//! | RFC | here | value, unit |
//! |---|---|---|
//! | TARGET | `target` | 100 ms |
//! | GAIN | `gain` | 1 |
//! | ALLOWED_INCREASE, MIN_CWND | - | 1, 2 segments |
//! | base and current delays | `delay_history.rs` | 10 minutes, 4 samples |
//!
//! Delays are one way where ACKs have the receiver's clock ([`Ack::one_way_delay`]), else round-trip times,
//! which the RFC does not provide for: a queue on the ACKs' way then counts. The clocks' offset falls out of
//! the difference, their drift does not (appendix A.2): a receiver's clock that gains 50 ppm adds 30 ms in
//! ten minutes.
//!
//! Known weaknesses, which `ledbat++` mends: a flow that comes late takes the queue for the empty path, and
//! flows keep whatever shares they have.
//!
//! Rounding: products down, to 2^-32 segments.
//!
//! Deviations: no slow start, which the RFC leaves open. The bound by flightsize stops growth and
//! takes nothing off the window. An ECN echo is a loss.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::Info;
use crate::decrease::{Decrease as _, Multiplicative};
use crate::delay_history::DelayHistory;
use crate::math::scale;
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "ledbat",
    aliases: &[],
    summary: "background transfers: a queueing delay of 100 ms, one way where the receiver's clock is told",
    source: "RFC 6817",
};

crate::parameters! {
    /// LEDBAT's parameters.
    pub struct Params {
        /// The queueing delay that it aims at.
        pub target: Duration = Duration::from_millis(100),
            in Duration::from_millis(1), Duration::from_millis(100);
        /// The growth in a round-trip time on an empty path, in Reno's.
        pub gain: Ratio = Ratio::new(1, 1), in Ratio::new(1, 100), Ratio::new(1, 1);
    }
}

/// LEDBAT.
#[derive(Clone, Copy, Debug)]
pub struct Ledbat {
    params: Params,
    delays: DelayHistory,
    /// The delays are one-way delays: samples of another kind do not count.
    one_way: bool,
}

/// A LEDBAT with these parameters.
pub fn new(params: &Params, _: &Setup) -> Ledbat {
    Ledbat { params: *params, delays: DelayHistory::new(), one_way: false }
}

/// The window after an ACK that counts for `acked`.
fn by_delay(cwnd: Segments, acked: Segments, delay: Duration, params: &Params) -> Segments {
    let target = params.target.as_nanos().max(1);
    let part = acked.over(cwnd).times(params.gain);
    // The quotient of two spans of less than 2^32 ns each; longer delays count as that.
    let off = delay.as_nanos().abs_diff(target).min(u64::from(u32::MAX));
    let change = Segments::from_raw(scale(part.raw(), off, target));
    if delay <= params.target { cwnd + change } else { cwnd - change }
}

impl Ledbat {
    /// The queueing delay; none before a sample.
    pub fn queueing_delay(&self) -> Option<Duration> {
        self.delays.queueing()
    }
}

impl Controller for Ledbat {
    fn measure(&mut self, ack: &Ack) {
        if let Some(delay) = ack.one_way_delay {
            if !self.one_way {
                (self.one_way, self.delays) = (true, DelayHistory::new());
            }
            self.delays.update(ack.now, delay);
        } else if let Some(rtt) = ack.rtt.filter(|_| !self.one_way) {
            self.delays.update(ack.now, rtt.into());
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let delay = self.delays.queueing().unwrap_or_default();
        let next = by_delay(w.cwnd, grant.credit, delay, &self.params);
        // The data outstanding before this ACK, and one segment more.
        let most = Segments::new(grant.in_flight) + grant.credit + Segments::ONE;
        Window { cwnd: next.min(most.max(w.cwnd)).max(Segments::TWO), ..w }
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        Multiplicative::half().reduce(w, cause, now)
    }

    window_only_without_memory!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup};
    use crate::units::RelativeDelay;

    /// The change of a window of 100 segments over a round-trip time of this queueing delay, in segments.
    fn round(delay_ms: u64) -> i64 {
        let delay = Duration::from_millis(delay_ms);
        let step = |w, _| by_delay(w, Segments::ONE, delay, &Params::default());
        let after = (0..100).fold(Segments::new(100), step);
        let signed = |s: Segments| i64::try_from(s.raw() >> 24).unwrap_or(i64::MAX);
        // In 1/256 segment.
        (signed(after) - signed(Segments::new(100)) + 128) >> 8
    }

    #[test]
    fn rfc6817_2_4_2_the_change_of_a_round_trip_time_is_the_distance_to_the_target() {
        assert_eq!([0, 100, 200, 300].map(round), [1, 0, -1, -2]);
    }

    #[test]
    fn one_way_delays_take_the_place_of_round_trip_times() {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(100, 300, 1, 2));
        let told = |ms: i64| Some(RelativeDelay::from_nanos(ms * 1_000_000));
        for ms in [-7_000, -6_930, -6_930, -6_930, -6_930] {
            c.measure(&Ack { one_way_delay: told(ms), ..ack(200, 900, 1, 2) });
        }
        // An ACK without one says nothing.
        c.measure(&ack(300, 100, 1, 2));
        assert_eq!(c.queueing_delay(), Some(Duration::from_millis(70)));
    }

    #[test]
    fn rfc6817_2_4_2_the_window_is_what_is_in_flight_and_one_more_at_most() {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(100, 100, 1, 2));
        let grant = Grant { in_flight: 9, ..Grant::open(Instant::ZERO, Segments::ONE) };
        let grown = c.grow(avoidance(Segments::new(10)), &grant).cwnd;
        assert!((Segments::new(10)..=Segments::new(11)).contains(&grown));
        let idle = Grant { in_flight: 2, ..grant };
        assert_eq!(c.grow(avoidance(Segments::new(10)), &idle).cwnd, Segments::new(10));
    }
}
