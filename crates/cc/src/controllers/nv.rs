//! # NV as Linux 6.1 ships it: New Vegas
//!
//! L. S. Brakmo, "TCP-NV: An Update to TCP-Vegas", 2015. Linux 6.1, `net/ipv4/tcp_nv.c`.
//!
//! The largest rate that a round has seen, times the smallest round-trip time, is the window that the rate
//! needs; ten segments more may wait in a queue. Above that the window shrinks by 30 % of the excess, at once
//! and in slow start too; well below it Reno's growth is allowed. A decision needs many samples, since in a
//! data centre times are noise: 60 to shrink (30 to end the first slow start), 20 to grow. So on windows that
//! give fewer samples a round, it decides every few rounds.
//!
//! ```text
//! rtt   = (sample + rtt) / 2
//! rate  = 80000 in_flight / rtt                     in_flight in bytes; in 100 bit/s
//! need  = max rate * min_rtt / (80000 mss)          once a round
//! cwnd >  need + 10:  ssthresh = need + 10
//!                     cwnd -= max(2, 38/128 excess)  an excess of 3 or more, else cwnd = need + 10
//! cwnd <= need + 8:   the window may grow
//! growth: cwnd += 1 for every max(4, cwnd) segments, for every 2^k cwnd after k timeouts
//! loss:   cwnd = 819/1024 cwnd
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `nv_last_rtt`, `nv_min_rtt`, `nv_min_rtt_new` | `last_rtt`, `min_rtt`, `next_min_rtt` | us |
//! | `nv_min_rtt_reset_jiffies` | `renews_at` | jiffies |
//! | `nv_rtt_max_rate` | `max_rate` | 100 bit/s |
//! | `nv_rtt_start_seq`, `nv_last_snd_una` | `round_end`, `last_snd_una` | segments |
//! | `nv_rtt_cnt`, `nv_eval_call_cnt` | `rounds`, `samples` | - |
//! | `nv_allow_cwnd_growth`, `nv_reset` | `may_grow`, `forgets` | - |
//! | `cwnd_growth_factor`, `nv_no_cong_cnt` | `growth`, `uncongested_rounds` | - |
//! | `nv_min_cwnd` of the connection | `least_window` | segments |
//!
//! `in_flight` is what has been delivered since the segment left, in bytes: since 5.16 the kernel has no
//! other count there. The smallest round-trip time is renewed every 3.75 to 6.24 s, by lot, the first time
//! after 2 s, from what was seen since the time before.
//!
//! Rounding: all quotients down; times in whole microseconds and jiffies.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations:
//! * The decision of a round is taken with the next window that may grow; in the kernel with the ACK that
//!   ends the round, whether the window may grow or not.
//! * An ACK whose delivery-rate sample the transport refuses, for an interval shorter than the smallest
//!   round-trip time, is left out.
//! * Jiffies are counted from time zero. The lots are drawn from the connection's seed.
//! * A base round-trip time given by a BPF program is left out, and so is what only that uses.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count, jiffies, micros};
use crate::splitmix64::SplitMix64;
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "nv",
    aliases: &["tcp-nv"],
    summary: "ten segments in the queue, by the largest rate of a round",
    source: "Linux 6.1 tcp_nv.c; Brakmo, 2015",
};

crate::parameters! {
    /// The module's parameters, and what it depends on in the kernel's build.
    pub struct Params {
        /// Segments that may wait in the queue.
        pub pad: u64 = 10, in 2, 1_000;
        /// Seconds until the smallest round-trip time is renewed, give or take a quarter.
        pub reset_period: u64 = 5, in 1, 3_600;
        /// The window that it does not go below without losses.
        pub min_cwnd: u64 = 2, in 2, 1_000;
        /// Ticks of the kernel's clock in a second.
        pub hz: u64 = 250, in 100, 1_000;
    }
}

/// `nv_pad_buffer`.
const PAD_BUFFER: u64 = 2;
/// `nv_cong_dec_mult`: 30 %, in 1/128.
const DECREASE: u64 = 30 * 128 / 100;
/// `nv_loss_dec_factor`: 80 %, in 1/1024.
const LOSS: u64 = 819;
/// `nv_cwnd_growth_rate_neg`: rounds without congestion that take a timeout's effect back.
const UNCONGESTED_ROUNDS: u64 = 8;
/// `nv_dec_eval_min_calls`, `nv_inc_eval_min_calls`, `nv_ssthresh_eval_min_calls`.
const SAMPLES_TO_SHRINK: u64 = 60;
const SAMPLES_TO_GROW: u64 = 20;
const SAMPLES_TO_END_SLOW_START: u64 = 30;
/// `nv_stop_rtt_cnt`, `nv_rtt_min_cnt`.
const ROUNDS_TO_STOP: u64 = 10;
const LEAST_ROUNDS: u64 = 2;
/// `NV_MIN_CWND`, `NV_MIN_CWND_GROW`, `NV_TSO_CWND_BOUND`.
const LEAST_WINDOW: u64 = 4;
const LEAST_WINDOW_STEP: u64 = 2;
const MOST_LEAST_WINDOW: u64 = 80 + 1;
/// The most that a counter of one byte holds.
const COUNTER: u64 = 255;
const NO_RTT: u64 = u32::MAX as u64;

/// Linux's NV.
#[derive(Clone, Copy, Debug)]
pub struct Nv {
    params: Params,
    count: Count,
    state: CongestionState,
    draws: SplitMix64,
    smss: u64,
    last_rtt: u64,
    min_rtt: u64,
    next_min_rtt: u64,
    /// None before the first ACK.
    renews_at: Option<u64>,
    max_rate: u64,
    round_end: u64,
    last_snd_una: u64,
    snd_una: u64,
    rounds: u64,
    samples: u64,
    /// A round is over, and its decision is to be taken.
    is_over: bool,
    may_grow: bool,
    forgets: bool,
    /// Negative: less than Reno's growth.
    growth: i32,
    uncongested_rounds: u64,
    least_window: u64,
}

/// An NV of Linux's with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Nv {
    Nv {
        params: *params,
        count: Count::default(),
        state: CongestionState::Open,
        draws: SplitMix64::new(setup.seed),
        smss: setup.smss.get().max(1),
        last_rtt: 0,
        min_rtt: NO_RTT,
        next_min_rtt: NO_RTT,
        renews_at: None,
        max_rate: 0,
        round_end: 0,
        last_snd_una: 0,
        snd_una: 0,
        rounds: 0,
        samples: 0,
        is_over: false,
        may_grow: true,
        forgets: false,
        growth: 0,
        uncongested_rounds: 0,
        least_window: LEAST_WINDOW,
    }
}

impl Nv {
    /// `tcpnv_state`, back in the open state.
    fn on_ca_open(&mut self) {
        self.state = CongestionState::Open;
        if core::mem::take(&mut self.forgets) {
            self.uncongested_rounds = 0;
            self.rounds = 0;
            self.last_rtt = 0;
            self.max_rate = 0;
            self.round_end = self.snd_una;
            self.samples = 0;
            self.last_snd_una = self.snd_una;
            self.is_over = false;
        }
    }

    /// The moving average of the round-trip time, with this sample in it.
    fn average(&mut self, rtt_us: u64) -> u64 {
        if self.last_rtt > 0 {
            self.last_rtt = (rtt_us * 128 + self.last_rtt * 128) >> 8;
        } else {
            self.last_rtt = rtt_us;
            self.min_rtt = rtt_us * 2;
        }
        self.last_rtt
    }

    /// The smallest round-trip times, the one in use and the next.
    fn update_min(&mut self, rtt_us: u64, tick: u64) {
        self.min_rtt = self.min_rtt.min(rtt_us);
        self.next_min_rtt = self.next_min_rtt.min(rtt_us);
        let renews_at = *self.renews_at.get_or_insert(tick + 2 * self.params.hz);
        if tick >= renews_at {
            self.min_rtt = self.next_min_rtt;
            self.next_min_rtt = NO_RTT;
            let lot = 384 + self.draws.below(256);
            self.renews_at = Some(tick + ((self.params.reset_period * lot * self.params.hz) >> 9));
            self.least_window = (self.least_window / 2).max(LEAST_WINDOW);
        }
    }

    /// The first half of what a round's end does: all but the decision. `newly` counts segments.
    fn end_round(&mut self, newly: u64, snd_nxt: u64) {
        self.round_end = snd_nxt;
        self.rounds = (self.rounds + 1).min(COUNTER);
        let is_small = newly + 1 >= self.least_window && self.least_window < MOST_LEAST_WINDOW;
        if self.samples == 1 && is_small {
            // One ACK for the whole window: it is too small to judge.
            self.least_window = (self.least_window + LEAST_WINDOW_STEP).min(MOST_LEAST_WINDOW);
            self.round_end = snd_nxt + self.least_window;
            self.samples = 0;
            self.may_grow = true;
        } else {
            self.is_over = true;
        }
    }

    /// `cwnd_by_slope`: the window that the largest rate of the round needs.
    fn needed(&self) -> u64 {
        self.max_rate.saturating_mul(self.min_rtt) / (80_000 * self.smss)
    }

    /// The decision of a round.
    fn decide(&mut self, w: Window) -> Window {
        let (cwnd, most) = (w.cwnd.whole(), self.needed() + self.params.pad);
        let w = if cwnd > most {
            if !self.may_shrink(w) {
                return w;
            }
            self.shrink(cwnd, most)
        } else if cwnd <= most - PAD_BUFFER {
            if self.samples < SAMPLES_TO_GROW {
                return w;
            }
            self.uncongested_round();
            w
        } else {
            return w;
        };
        self.samples = 0;
        self.rounds = 0;
        self.max_rate = 0;
        linux::with_cwnd(w, w.cwnd.whole().max(self.params.min_cwnd))
    }

    /// True if there is enough to go by.
    fn may_shrink(&mut self, w: Window) -> bool {
        if self.rounds < LEAST_ROUNDS {
            return false;
        }
        if w.ssthresh == Segments::MAX {
            return self.samples >= SAMPLES_TO_END_SLOW_START;
        }
        if self.samples < SAMPLES_TO_SHRINK {
            self.may_grow &= self.rounds <= ROUNDS_TO_STOP;
            return false;
        }
        true
    }

    fn shrink(&mut self, cwnd: u64, most: u64) -> Window {
        self.may_grow = false;
        self.growth = self.growth.min(0);
        self.uncongested_rounds = 0;
        let excess = cwnd - most;
        let left = if excess > 2 { cwnd - ((excess * DECREASE) >> 7).max(2) } else { most };
        Window { cwnd: Segments::new(left), ssthresh: Segments::new(most) }
    }

    fn uncongested_round(&mut self) {
        self.may_grow = true;
        self.uncongested_rounds += 1;
        if self.growth < 0 && self.uncongested_rounds > UNCONGESTED_ROUNDS {
            self.growth += 1;
            self.uncongested_rounds = 0;
        }
    }
}

impl Controller for Nv {
    /// `tcpnv_acked`.
    fn measure(&mut self, ack: &Ack) {
        let reduced = self.state == CongestionState::Reduced;
        self.snd_una = ack.snd_una;
        if self.state.measured(ack) {
            self.on_ca_open();
        }
        let tick = jiffies(ack.now, self.params.hz);
        if self.renews_at.is_none() {
            // The connection began a round-trip time ago.
            let began = jiffies(ack.now - ack.rtt.unwrap_or_default(), self.params.hz);
            self.renews_at = Some(began + 2 * self.params.hz);
        }
        let (Some(rtt), Some(sample), false) = (ack.rtt, ack.sample, reduced) else { return };
        let newly = self.snd_una.saturating_sub(self.last_snd_una);
        self.last_snd_una = self.snd_una;
        let in_flight = self.smss * ack.delivered.saturating_sub(sample.prior_delivered);
        if in_flight == 0 {
            return;
        }
        let rtt_us = self.average(micros(rtt));
        let rate = in_flight.saturating_mul(80_000) / rtt_us.max(1);
        self.max_rate = self.max_rate.max(rate.min(u64::from(u32::MAX)));
        self.samples = (self.samples + 1).min(COUNTER);
        self.update_min(rtt_us, tick);
        if self.round_end < self.snd_una {
            self.end_round(newly, ack.snd_nxt);
        }
    }

    /// `tcpnv_cong_avoid`, after what `tcpnv_acked` decides.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let mut w = linux::whole(w);
        if self.state.granted(grant.phase) {
            self.on_ca_open();
        }
        if core::mem::take(&mut self.is_over) {
            w = self.decide(w);
        }
        if !self.may_grow {
            return w;
        }
        let acked = grant.credit.whole();
        let (w, left) = if w.in_slow_start() { linux::slow_start(w, acked) } else { (w, acked) };
        if left == 0 {
            return w;
        }
        let cwnd = w.cwnd.whole();
        let per = match u32::try_from(-self.growth) {
            Ok(slower) if slower > 0 => cwnd << slower,
            _ => (cwnd >> self.growth.max(0)).max(4),
        };
        linux::with_cwnd(w, self.count.spend(cwnd, per, left))
    }

    /// `tcpnv_recalc_ssthresh`, and `tcpnv_state` for every reduction.
    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.count.clear();
        self.state = CongestionState::Reduced;
        self.forgets = true;
        self.may_grow = false;
        self.is_over = false;
        let ssthresh = Segments::new((w.cwnd.whole() * LOSS) >> 10).max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(Ratio::new(819, 1_024)) }
    }

    /// `tcpnv_state`: growth becomes slower.
    fn timed_out(&mut self, _: Instant) {
        self.forgets = true;
        self.may_grow = false;
        self.is_over = false;
        self.growth = (self.growth.min(0) - 1).max(-8);
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.on_ca_open();
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.on_ca_open();
        linux::undone(now_w, before)
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::DeliverySample;
    use crate::testing::{ack, avoidance, setup, slow_start};

    fn nv() -> Nv {
        new(&Params::default(), &setup())
    }

    /// So many ACKs of one segment each at `now_ms`, while a round-trip time delivers `per_rtt` segments.
    fn acks(c: &mut Nv, n: u64, now_ms: u64, rtt_ms: u64, per_rtt: u64) {
        for _ in 0..n {
            let una = c.snd_una + 1;
            let sample = DeliverySample {
                delivered: per_rtt,
                interval: Duration::from_millis(rtt_ms),
                prior_delivered: una.saturating_sub(per_rtt),
                prior_lost: 0,
                in_flight_at_departure: per_rtt,
                prior_in_flight: per_rtt,
                acked_sacked: 1,
                app_limited: false,
            };
            c.measure(&Ack { sample: Some(sample), ..ack(now_ms, rtt_ms, una, una + per_rtt) });
        }
    }

    /// After 200 segments of 100 a round-trip time of 100 ms, of which 50 ms are the path's.
    fn queued() -> Nv {
        let mut c = nv();
        acks(&mut c, 1, 0, 50, 1);
        acks(&mut c, 200, 100, 100, 100);
        c
    }

    #[test]
    fn the_window_that_a_rate_needs_is_the_rate_times_the_smallest_round_trip_time() {
        let c = queued();
        // 100 segments in 100 ms, and 50 ms; the averages come near to that.
        assert!((49..=51).contains(&c.needed()), "{}", c.needed());
    }

    #[test]
    fn thirty_percent_of_the_excess_goes() {
        let mut c = queued();
        let most = c.needed() + 10;
        let w = c.decide(avoidance(Segments::new(160)));
        assert_eq!(w.cwnd.whole(), 160 - (((160 - most) * 38) >> 7));
        assert_eq!(w.ssthresh.whole(), most);
        assert!(!c.may_grow);
    }

    #[test]
    fn a_small_excess_goes_at_once() {
        let mut c = queued();
        let most = c.needed() + 10;
        assert_eq!(c.decide(avoidance(Segments::new(most + 2))).cwnd.whole(), most);
    }

    #[test]
    fn few_samples_decide_nothing_and_after_ten_rounds_end_the_growth() {
        let mut c = queued();
        c.samples = 59;
        let w = avoidance(Segments::new(160));
        c.rounds = 10;
        assert_eq!(c.decide(w), w);
        assert!(c.may_grow);
        c.rounds = 11;
        assert_eq!(c.decide(w), w);
        assert!(!c.may_grow);
        // The first slow start ends by half as many.
        assert!(c.decide(slow_start(160)).cwnd < w.cwnd);
    }

    #[test]
    fn well_below_the_window_grows_as_renos() {
        let mut c = queued();
        let w = avoidance(Segments::new(40));
        c.may_grow = false;
        assert_eq!(c.decide(w), w);
        assert!(c.may_grow);
        let grant = Grant::open(Instant::ZERO, Segments::new(40));
        c.is_over = false;
        assert_eq!(c.grow(w, &grant).cwnd.whole(), 41);
    }

    #[test]
    fn a_loss_leaves_four_fifths_and_a_timeout_halves_the_growth() {
        let mut c = nv();
        let r = c.reduce(avoidance(Segments::new(100)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.ssthresh.whole(), 79);
        c.reduce(avoidance(Segments::new(100)), Cause::Timeout, Instant::ZERO);
        c.timed_out(Instant::ZERO);
        assert_eq!(c.growth, -1);
        for _ in 0..=UNCONGESTED_ROUNDS {
            c.uncongested_round();
        }
        assert_eq!(c.growth, 0);
    }

    #[test]
    fn the_smallest_round_trip_time_is_renewed_after_two_seconds_and_then_every_five() {
        let mut c = nv();
        acks(&mut c, 1, 50, 50, 1);
        acks(&mut c, 40, 1_000, 100, 10);
        assert_eq!(c.min_rtt, 50_000);
        // The minimum since the start, and from then on a new one.
        acks(&mut c, 1, 2_004, 100, 10);
        assert_eq!(c.min_rtt, 50_000);
        let renews_at = c.renews_at.unwrap_or_default();
        let span = renews_at - jiffies(Instant::from_nanos(2_004_000_000), 250);
        assert!((937..=1_560).contains(&span), "{span}");
        acks(&mut c, 1, renews_at * 4, 100, 10);
        assert!(c.min_rtt > 99_000, "{}", c.min_rtt);
    }
}
