//! # LEDBAT++: background transfers that give way and share
//!
//! P. Balasubramanian, O. Ertugay, D. Havey, M. Bagnulo, "LEDBAT++: Congestion Control for Background
//! Traffic", draft-irtf-iccrg-ledbat-plus-plus-01. It mends LEDBAT, RFC 6817: that one grows as fast as Reno
//! on short paths, two flows keep whatever shares they have, and one that comes late takes the queue of the
//! others for the empty path.
//!
//! Rules and sections are those of revision 01, as implementations of it quote them. The newest revision,
//! 06 of January 2026, names the same four changes in its abstract (gain, slow start, decrease, slowdowns);
//! its rules were not compared one by one.
//!
//! ```text
//! GAIN = 1 / min(16, ceil(2 TARGET / base))                                              (4.2)
//! once a round-trip time:
//!   W += GAIN                                          delay <= TARGET                   (4.3)
//!   W += max(GAIN - W (delay / TARGET - 1), -W / 2)    delay >  TARGET
//! slow start: W += GAIN for each segment, the first one until delay > 3/4 TARGET         (4.1)
//! slowdown:   ssthresh = W, W = 2 for 2 round-trip times, then slow start to ssthresh    (4.4)
//!             first 2 round-trip times after the first slow start, then 9 times as long
//!             after each as it took
//! ```
//!
//! `delay` is the smallest of the last four round-trip times less `base`, the smallest of ten minutes
//! (`delay_history.rs`). The draft takes round-trip times, not LEDBAT's one-way delays (4.5): TCP's
//! timestamps are coarse and not always there, and the receiver's clock drifts. The price is that a queue on
//! the ACKs' way counts too; the filter takes out what a receiver delays.
//!
//! | draft | here | value, unit |
//! |---|---|---|
//! | TARGET | `target` | 60 ms |
//! | the constant of GAIN | `MOST_DIVISOR` | 16 |
//! | Constant of 4.3 | - | 1 |
//! | SSTHRESH, CWND | the transport's | segments |
//!
//! Rounding: an ACK of n segments makes n/W of a round-trip time's change, rounded down to 2^-32 segments;
//! the excess over TARGET too.
//!
//! ECN and losses halve the window (RFC 6817 section 2.4.2), which is two segments at least.
//!
//! Readings where the draft leaves a choice:
//! * A slowdown's slow start grows by GAIN too, like the first: section 4.4 says "the slow start algorithm".
//!   So does Apple's `tcp_ledbat.c`, as long as the delay is at most TARGET; some implementations double
//!   there.
//! * A slowdown comes when it is due. Apple's decrease puts it off until 30 s later.
//! * Two round-trip times are twice the smoothed one at their begin, by the clock.
//! * A slowdown lasts from its begin until the window is back at ssthresh.
//! * A loss in a slowdown halves what it goes back to. A timeout ends it, and slow start follows.
//! * The window of the first flight is the transport's; RFC 6817 has 2.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::Info;
use crate::decrease::{Decrease as _, Multiplicative};
use crate::delay_history::DelayHistory;
use crate::math::scale;
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "ledbat++",
    aliases: &["ledbat-plus-plus", "ledbatpp"],
    summary: "background transfers: a queue of 60 ms at most, and less than Reno's growth",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01",
};

crate::parameters! {
    /// LEDBAT++'s parameters.
    pub struct Params {
        /// The queueing delay that it allows itself.
        pub target: Duration = Duration::from_millis(60),
            in Duration::from_millis(1), Duration::from_secs(1);
        /// Whether it slows down now and then to see the empty path.
        pub slowdowns: bool = true;
    }
}

/// The most by which the growth is divided.
const MOST_DIVISOR: u64 = 16;
/// Times of a slowdown until the next begins.
const BETWEEN: u64 = 9;
/// Round-trip times of two segments, and from the first slow start to the first slowdown.
const ROUNDS: u64 = 2;

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LedbatPhase {
    /// The first slow start.
    Starting,
    /// Increase and decrease by delay, or slow start after a timeout.
    Steady { slowdown_at: Instant },
    /// Two segments in flight.
    Frozen { since: Instant, until: Instant },
    /// Slow start back to the window before.
    Returning { since: Instant },
}

/// LEDBAT++.
#[derive(Clone, Copy, Debug)]
pub struct LedbatPlusPlus {
    params: Params,
    delays: DelayHistory,
    srtt: Duration,
    phase: LedbatPhase,
}

/// A LEDBAT++ with these parameters.
pub fn new(params: &Params, _: &Setup) -> LedbatPlusPlus {
    LedbatPlusPlus {
        params: *params,
        delays: DelayHistory::new(),
        srtt: Duration::ZERO,
        phase: LedbatPhase::Starting,
    }
}

/// 1/GAIN (section 4.2).
fn divisor(target: Duration, base: Duration) -> u64 {
    let twice = (target * 2).as_nanos();
    twice.div_ceil(base.as_nanos().max(1)).clamp(1, MOST_DIVISOR)
}

/// The window after an ACK that counts for `acked` (section 4.3).
fn by_delay(
    cwnd: Segments,
    acked: Segments,
    divisor: u64,
    delay: Duration,
    target: Duration,
) -> Segments {
    let up = Segments::from_raw(acked.over(cwnd).raw() / divisor);
    // Beyond an excess of twice the target half of the window goes in any case.
    let excess = (delay - target).min(target * 2).as_nanos();
    let excess = Segments::from_raw(scale(Segments::ONE.raw(), excess, target.as_nanos().max(1)));
    let next = (cwnd + up) - acked.times_q32(excess);
    next.max(cwnd - acked.half())
}

impl LedbatPlusPlus {
    /// The queueing delay; none before a sample.
    pub fn queueing_delay(&self) -> Option<Duration> {
        self.delays.queueing()
    }

    fn delay(&self) -> Duration {
        self.delays.queueing().unwrap_or_default()
    }

    fn divisor(&self) -> u64 {
        let nothing = Duration::ZERO.into();
        let base = self.delays.base().unwrap_or(nothing).above(nothing);
        divisor(self.params.target, base)
    }

    /// Slow start by GAIN, up to ssthresh.
    fn slow_start(&self, w: Window, acked: Segments) -> Window {
        let up = Segments::from_raw(acked.raw() / self.divisor());
        Window { cwnd: (w.cwnd + up).min(w.ssthresh.max(w.cwnd)), ..w }
    }

    /// The first slow start (section 4.1): a delay ends it, or a loss has.
    fn start(&mut self, w: Window, grant: &Grant) -> Window {
        let is_full = self.delay() > self.params.target * 3 / 4;
        if w.in_slow_start() && !is_full {
            return self.slow_start(w, grant.credit);
        }
        let slowdown_at = grant.now + self.srtt * ROUNDS;
        self.phase = LedbatPhase::Steady { slowdown_at };
        Window { ssthresh: w.ssthresh.min(w.cwnd).max(Segments::TWO), ..w }
    }

    fn steady(&mut self, w: Window, slowdown_at: Instant, grant: &Grant) -> Window {
        if self.params.slowdowns && grant.now >= slowdown_at {
            let until = grant.now + self.srtt * ROUNDS;
            self.phase = LedbatPhase::Frozen { since: grant.now, until };
            return Window { cwnd: Segments::TWO, ssthresh: w.cwnd.max(Segments::TWO) };
        }
        if w.in_slow_start() {
            return self.slow_start(w, grant.credit);
        }
        let (delay, target) = (self.delay(), self.params.target);
        let cwnd = by_delay(w.cwnd, grant.credit, self.divisor(), delay, target);
        let cwnd = cwnd.max(Segments::TWO);
        // A decrease asks for no slow start.
        Window { cwnd, ssthresh: w.ssthresh.min(cwnd) }
    }

    /// Back to the window before the slowdown.
    fn restore_cwnd(&mut self, w: Window, since: Instant, grant: &Grant) -> Window {
        let w = self.slow_start(w, grant.credit);
        if !w.in_slow_start() {
            self.end_slowdown(since, grant.now);
        }
        w
    }

    fn end_slowdown(&mut self, since: Instant, now: Instant) {
        let slowdown_at = now + now.since(since) * BETWEEN;
        self.phase = LedbatPhase::Steady { slowdown_at };
    }
}

impl Controller for LedbatPlusPlus {
    fn measure(&mut self, ack: &Ack) {
        self.srtt = ack.srtt;
        if let Some(rtt) = ack.rtt {
            self.delays.update(ack.now, rtt.into());
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        match self.phase {
            LedbatPhase::Starting => self.start(w, grant),
            LedbatPhase::Steady { slowdown_at } => self.steady(w, slowdown_at, grant),
            LedbatPhase::Frozen { until, .. } if grant.now < until => w,
            LedbatPhase::Frozen { since, .. } => {
                self.phase = LedbatPhase::Returning { since };
                self.restore_cwnd(w, since, grant)
            }
            LedbatPhase::Returning { since } => self.restore_cwnd(w, since, grant),
        }
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        if let LedbatPhase::Frozen { since, .. } | LedbatPhase::Returning { since } = self.phase {
            // The lost segment is one of the window before, or of the way back to it.
            let ssthresh = w.ssthresh.half().max(Segments::TWO);
            if cause == Cause::Timeout {
                self.end_slowdown(since, now);
            }
            let resume = w.cwnd.min(ssthresh).max(Segments::ONE);
            return Reduction { ssthresh, resume, reason: Reason::Share(Ratio::new(1, 2)) };
        }
        Multiplicative::half().reduce(w, cause, now)
    }

    window_only_without_memory!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup, slow_start};

    const TARGET: Duration = Duration::from_millis(60);

    /// A LEDBAT++ on a path of 60 ms, so that GAIN is 1/2.
    fn on_60_ms() -> LedbatPlusPlus {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(60, 60, 1, 2));
        c
    }

    /// The window after an ACK of one segment at this time, with this round-trip time in all four samples.
    fn grown(c: &mut LedbatPlusPlus, w: Window, now_ms: u64, rtt_ms: u64) -> Window {
        for _ in 0..4 {
            c.measure(&ack(now_ms, rtt_ms, 1, 2));
        }
        c.grow(w, &Grant::open(Instant::from_nanos(now_ms * 1_000_000), Segments::ONE))
    }

    fn steady() -> LedbatPlusPlus {
        let phase = LedbatPhase::Steady { slowdown_at: Instant::FAR_FUTURE };
        LedbatPlusPlus { phase, ..on_60_ms() }
    }

    #[test]
    fn s4_1_the_first_slow_start_grows_by_gain_and_ends_above_three_quarters_of_the_target() {
        let mut c = on_60_ms();
        let w = grown(&mut c, slow_start(10), 100, 105);
        assert_eq!(w.cwnd, Segments::new(10) + Segments::ONE.half());
        // 45 ms were not above three quarters of 60; 46 are.
        let w = grown(&mut c, w, 110, 106);
        assert_eq!(w.ssthresh, w.cwnd);
        assert!(matches!(c.phase, LedbatPhase::Steady { .. }));
    }

    #[test]
    fn s4_2_gain_falls_from_one_on_long_paths_to_a_sixteenth_on_short_ones() {
        let of = |ms| divisor(TARGET, Duration::from_millis(ms));
        assert_eq!([500, 120, 119, 60, 20, 8, 7, 1].map(of), [1, 1, 2, 2, 6, 15, 16, 16]);
    }

    #[test]
    fn s4_3_below_the_target_a_round_trip_time_adds_gain() {
        let mut w = avoidance(Segments::new(20));
        let mut c = steady();
        for _ in 0..20 {
            w = grown(&mut c, w, 100, 120);
        }
        // Half a segment, less what the growth of the window itself makes of it.
        let gained = w.cwnd - Segments::new(20);
        assert!(gained <= Segments::ONE.half(), "{gained}");
        assert!(gained.raw() * 100 >= Segments::ONE.half().raw() * 97, "{gained}");
    }

    #[test]
    fn s4_3_above_the_target_the_decrease_is_a_share_of_the_window_and_half_of_it_at_most() {
        let after = |ms| {
            let round =
                |w: Segments, _| by_delay(w, Segments::ONE, 1, Duration::from_millis(ms), TARGET);
            (0..100).fold(Segments::new(100), round).whole()
        };
        // A tenth above the target: a tenth of 100 segments, and GAIN. Twice the target, and more: half.
        assert_eq!(after(66), 91);
        assert_eq!(after(90), 51);
        assert_eq!(after(120), 50);
        assert_eq!(after(600), 50);
    }

    #[test]
    fn s4_3_the_window_is_never_less_than_two_segments() {
        let mut w = avoidance(Segments::new(3));
        let mut c = steady();
        for _ in 0..20 {
            w = grown(&mut c, w, 100, 500);
        }
        assert_eq!(w.cwnd, Segments::TWO);
    }

    #[test]
    fn a_decrease_is_not_taken_back_by_slow_start() {
        let mut c = steady();
        let at = Window { cwnd: Segments::new(100), ssthresh: Segments::new(100) };
        let less = grown(&mut c, at, 100, 150);
        assert!(less.cwnd < at.cwnd);
        assert!(grown(&mut c, less, 101, 150).cwnd < less.cwnd);
    }

    #[test]
    fn s4_4_a_slowdown_is_two_segments_for_two_round_trip_times_and_slow_start_back() {
        let mut c = on_60_ms();
        let w = grown(&mut c, slow_start(40), 1_000, 120);
        assert_eq!(w.cwnd, Segments::new(40));
        // Two round-trip times of 120 ms later.
        let w = grown(&mut c, w, 1_239, 60);
        assert!(matches!(c.phase, LedbatPhase::Steady { .. }));
        c.srtt = Duration::from_millis(100);
        let before = w.cwnd;
        let w = c.grow(w, &Grant::open(Instant::from_nanos(1_240_000_000), Segments::ONE));
        assert_eq!((w.cwnd, w.ssthresh), (Segments::TWO, before));
        let w = grown(&mut c, w, 1_439, 60);
        assert_eq!(w.cwnd, Segments::TWO);
        // GAIN is 1/2: two segments for four ACKs.
        let mut w = grown(&mut c, w, 1_440, 60);
        let mut acks = 1;
        while w.in_slow_start() {
            w = grown(&mut c, w, 1_540, 130);
            acks += 1;
        }
        assert_eq!(w.cwnd, before, "a delay does not end it");
        assert!((76..=78).contains(&acks), "{acks}");
        // It took 300 ms: the next begins 2.7 s later.
        assert_eq!(
            c.phase,
            LedbatPhase::Steady { slowdown_at: Instant::from_nanos(4_240_000_000) }
        );
    }

    #[test]
    fn s4_4_a_loss_in_a_slowdown_halves_what_it_goes_back_to() {
        let since = Instant::ZERO;
        let mut c = LedbatPlusPlus { phase: LedbatPhase::Returning { since }, ..on_60_ms() };
        let w = Window { cwnd: Segments::TWO, ssthresh: Segments::new(40) };
        let r = c.reduce(w, Cause::FastRetransmit, since);
        assert_eq!((r.ssthresh, r.resume), (Segments::new(20), Segments::TWO));
    }

    #[test]
    fn rfc6817_2_4_2_a_loss_halves_the_window_to_two_segments_at_least() {
        let mut c = steady();
        let mut left =
            |n| c.reduce(avoidance(Segments::new(n)), Cause::FastRetransmit, Instant::ZERO).resume;
        assert_eq!([40, 3].map(&mut left), [Segments::new(20), Segments::TWO]);
    }
}
