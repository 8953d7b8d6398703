//! # H-TCP as Linux 6.1 ships it: growth by the time since the last loss
//!
//! D. Leith, R. Shorten, "H-TCP: TCP for High-Speed and Long-Distance Networks", PFLDnet 2004. Linux 6.1,
//! `net/ipv4/tcp_htcp.c`.
//!
//! For a second after a loss the window grows as Reno's, then ever faster with the time `Delta` that has
//! passed: a path that loses seldom is a long one. A loss leaves the share of the window that fills the
//! path without its queue.
//!
//! ```text
//! avoidance:  cwnd += 2 (1 - beta) alpha(Delta) / cwnd    for each segment acknowledged
//!             alpha(Delta) = 1                            Delta <= Delta_L = 1 s
//!             alpha(Delta) = 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2
//!             scaled by RTT_min / 100 ms, between 1/10 and 2
//! loss:       cwnd = beta cwnd
//!             beta = RTT_min / RTT_max, between 0.5 and 0.8
//!             beta = 0.5  if the throughput B differs from that of the last loss by more than a fifth
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `alpha`, `beta` | `alpha`, `beta` | 7 fractional bits |
//! | `minRTT`, `maxRTT` | `min_rtt`, `max_rtt` | jiffies |
//! | `last_cong` | `last_loss` | jiffies |
//! | `modeswitch` | `adapts` | - |
//! | `Bi`, `maxB`, `old_maxB` | `rate`, `most`, `most_before` | segments/s |
//! | `packetcount`, `lasttime` | `delivered`, `counted_from` | segments, jiffies |
//! | `pkts_acked` | `acked` | segments |
//!
//! `RTT_max` rises by at most 20 ms a sample and keeps 95 % of its distance to `RTT_min` at a loss. beta
//! adapts from the second loss of like throughput on, and only if `RTT_min` is more than 10 ms. `Delta`
//! runs from the end of a recovery.
//!
//! Rounding: times in whole jiffies, samples rounded up; quotients down. The window grows by one segment
//! when the count is full, and the ACK that finds it so counts for nothing else.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations: jiffies are counted from time zero, so the phase of the clock is fixed.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count, jiffies, jiffies_in, micros};
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "htcp",
    aliases: &["h-tcp"],
    summary: "grows faster the longer ago the last loss was",
    source: "Linux 6.1 tcp_htcp.c; Leith and Shorten, 2004",
};

crate::parameters! {
    /// The module's parameters, and what it depends on in the kernel's build.
    pub struct Params {
        /// Growth by time and not by round-trip times.
        pub use_rtt_scaling: bool = true;
        /// Half of the window where the throughput has changed since the last loss.
        pub use_bandwidth_switch: bool = true;
        /// Ticks of the kernel's clock in a second.
        pub hz: u64 = 250, in 100, 1_000;
    }
}

/// 1, with the fractional bits of alpha and beta.
const ONE: u64 = 1 << 7;
const BETA_MIN: u64 = ONE / 2;
/// 0.8 with 7 fractional bits.
const BETA_MAX: u64 = 102;

/// Linux's H-TCP.
#[derive(Clone, Copy, Debug)]
pub struct Htcp {
    params: Params,
    count: Count,
    state: CongestionState,
    alpha: u64,
    beta: u64,
    adapts: bool,
    acked: u64,
    /// The window that the next ACK finds, while nothing is repaired.
    cwnd: u64,
    min_rtt: u64,
    max_rtt: u64,
    /// None before the first ACK.
    last_loss: Option<u64>,
    /// `undo_last_cong`: the last loss before this one, for the case that this was none.
    before: Option<u64>,
    rate: u64,
    most: u64,
    most_before: u64,
    delivered: u64,
    counted_from: u64,
}

/// An H-TCP of Linux's with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Htcp {
    Htcp {
        params: *params,
        count: Count::default(),
        state: CongestionState::Open,
        alpha: ONE,
        beta: BETA_MIN,
        adapts: false,
        acked: 1,
        cwnd: setup.initial_window.whole(),
        min_rtt: 0,
        max_rtt: 0,
        last_loss: None,
        before: None,
        rate: 0,
        most: 0,
        most_before: 0,
        delivered: 0,
        counted_from: 0,
    }
}

/// `alpha(Delta)`, with `Delta` in jiffies.
fn by_time(delta: u64, hz: u64) -> u64 {
    match delta.saturating_sub(hz) {
        0 => 1,
        over => (10 * over + (over / 2).saturating_mul(over / 2) / hz) / hz + 1,
    }
}

/// The factor `alpha(Delta)` for a path of this smallest round-trip time.
fn scaled(factor: u64, min_rtt: u64, hz: u64) -> u64 {
    // 100 ms over RTT_min, with 3 fractional bits, from 1/2 to 10.
    let scale = (8 * hz / (10 * min_rtt)).clamp(4, 80);
    (8 * factor / scale).max(1)
}

impl Htcp {
    fn since_loss(&self, tick: u64) -> u64 {
        tick.saturating_sub(self.last_loss.unwrap_or(tick))
    }

    /// `htcp_alpha_update`.
    fn update_alpha(&mut self, tick: u64) {
        let hz = self.params.hz;
        let mut factor = by_time(self.since_loss(tick), hz);
        if self.params.use_rtt_scaling && self.min_rtt > 0 {
            factor = scaled(factor, self.min_rtt, hz);
        }
        self.alpha = factor.saturating_mul(2 * (ONE - self.beta)).min(u64::from(u32::MAX));
    }

    /// `htcp_beta_update`.
    fn update_beta(&mut self) {
        if self.params.use_bandwidth_switch {
            let before = core::mem::replace(&mut self.most_before, self.most);
            if !(4 * before..=6 * before).contains(&(5 * self.most)) {
                self.beta = BETA_MIN;
                self.adapts = false;
                return;
            }
        }
        let is_long = self.min_rtt > jiffies_in(10_000, self.params.hz);
        if self.adapts && is_long && self.max_rtt > 0 {
            self.beta = (self.min_rtt * ONE / self.max_rtt).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.beta = BETA_MIN;
            self.adapts = true;
        }
    }

    /// `measure_rtt`.
    fn measure_rtt(&mut self, rtt: u64) {
        if self.min_rtt == 0 || rtt < self.min_rtt {
            self.min_rtt = rtt;
        }
        if self.state == CongestionState::Open {
            self.max_rtt = self.max_rtt.max(self.min_rtt);
            if rtt <= self.max_rtt + jiffies_in(20_000, self.params.hz) {
                self.max_rtt = self.max_rtt.max(rtt);
            }
        }
    }

    /// The next window in congestion avoidance.
    fn avoid(&mut self, cwnd: u64, tick: u64) -> u64 {
        let acked = core::mem::replace(&mut self.acked, 1);
        if self.count.get().saturating_mul(self.alpha) / ONE < cwnd {
            self.count.add(acked);
            return cwnd;
        }
        self.count.clear();
        self.update_alpha(tick);
        cwnd + 1
    }

    /// Takes note of the window that the next ACK finds.
    fn keep(&mut self, w: Window) -> Window {
        self.cwnd = w.cwnd.whole();
        w
    }

    /// The achieved throughput, once a window and at most once a round-trip time.
    fn measure_rate(&mut self, tick: u64) {
        let window = self.cwnd.checked_sub((self.alpha / ONE).max(1));
        let span = tick.saturating_sub(self.counted_from);
        let is_whole = window.is_some_and(|window| self.delivered >= window);
        if !is_whole || self.min_rtt == 0 || span < self.min_rtt {
            return;
        }
        let now = self.delivered * self.params.hz / span;
        if self.since_loss(tick) / self.min_rtt <= 3 {
            self.rate = now;
            self.most = now;
        } else {
            self.rate = (3 * self.rate + now) / 4;
            self.most = self.most.max(self.rate);
        }
        self.delivered = 0;
        self.counted_from = tick;
    }

    /// `htcp_reset`, at each entry into a state of loss. The kernel keeps `maxRTT` and `old_maxB` as well,
    /// after `htcp_recalc_ssthresh` has changed them, and nothing changes them until the undo.
    fn reset(&mut self, tick: u64) {
        self.before = Some(self.last_loss.unwrap_or(tick));
        self.last_loss = Some(tick);
    }

    /// `htcp_state`, back in the open state.
    fn on_ca_open(&mut self, tick: u64) {
        self.state = CongestionState::Open;
        if self.before.take().is_some() {
            self.last_loss = Some(tick);
        }
    }
}

impl Controller for Htcp {
    /// `measure_achieved_throughput`.
    fn measure(&mut self, ack: &Ack) {
        let (tick, hz) = (jiffies(ack.now, self.params.hz), self.params.hz);
        if self.last_loss.is_none() {
            // The connection began a round-trip time ago.
            self.last_loss = Some(jiffies(ack.now - ack.rtt.unwrap_or_default(), hz));
        }
        if self.state == CongestionState::Open {
            self.acked = ack.newly;
        }
        if let Some(rtt) = ack.rtt.map(micros).filter(|&us| us > 0) {
            self.measure_rtt(jiffies_in(rtt, hz));
        }
        if self.state == CongestionState::Reduced {
            self.delivered = 0;
            self.counted_from = tick;
        } else {
            self.delivered = self.delivered.saturating_add(ack.newly);
            // Before losses are judged, and on duplicates too: the ACK that shows a loss may end a window.
            if self.params.use_bandwidth_switch {
                self.measure_rate(tick);
            }
        }
        self.state.measured(ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let w = linux::whole(w);
        let (cwnd, tick) = (w.cwnd.whole(), jiffies(grant.now, self.params.hz));
        if self.state.granted(grant.phase) {
            self.on_ca_open(tick);
        }
        let next = if w.in_slow_start() {
            linux::slow_start(w, grant.credit.whole()).0
        } else {
            linux::with_cwnd(w, self.avoid(cwnd, tick))
        };
        self.keep(next)
    }

    /// `htcp_recalc_ssthresh`, and `htcp_reset` of the state that follows; [`timed_out`](Self::timed_out)
    /// has that of a timeout.
    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        let tick = jiffies(now, self.params.hz);
        self.update_beta();
        self.update_alpha(tick);
        if self.min_rtt > 0 && self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + (self.max_rtt - self.min_rtt) * 95 / 100;
        }
        if cause != Cause::Timeout {
            self.reset(tick);
        }
        self.state = CongestionState::Reduced;
        self.count.clear();
        let left = w.cwnd.whole() * self.beta / ONE;
        let ssthresh = Segments::new(left).max(Segments::TWO);
        let share = Ratio::new(u32::try_from(self.beta).unwrap_or(64), 128);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    /// `tcp_enter_loss` sets the state at every timeout, at the first of a series and at those that follow.
    fn timed_out(&mut self, now: Instant) {
        self.reset(jiffies(now, self.params.hz));
    }

    fn recovered(&mut self, w: Window, now: Instant) -> Window {
        self.on_ca_open(jiffies(now, self.params.hz));
        self.keep(w)
    }

    /// `htcp_cwnd_undo`.
    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        if let Some(last_loss) = self.before.take() {
            self.last_loss = Some(last_loss);
        }
        self.state = CongestionState::Open;
        self.keep(linux::undone(now_w, before))
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        self.keep(w)
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup};

    const HZ: u64 = 250;

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn htcp() -> Htcp {
        new(&Params::default(), &setup())
    }

    /// A loss from this window, at the end of a round trip of `rtt_ms` beside the smallest of 100 ms.
    fn lose(c: &mut Htcp, cwnd: u64, ms: u64, rtt_ms: u64) -> u64 {
        for (i, rtt) in [(0, 100), (1, rtt_ms)] {
            c.measure(&ack(ms + i, rtt, ms + i, ms + i + cwnd));
        }
        let r = c.reduce(avoidance(Segments::new(cwnd)), Cause::FastRetransmit, at(ms + 1));
        c.recovered(avoidance(r.resume), at(ms + 1));
        r.resume.whole()
    }

    #[test]
    fn alpha_is_one_for_a_second_and_then_grows_with_the_time_and_its_square() {
        assert_eq!(by_time(HZ, HZ), 1);
        // One second more: 1 + 10 + 1/4; five: 1 + 50 + 6.25; ten: 1 + 100 + 25.
        assert_eq!(by_time(2 * HZ, HZ), 11);
        assert_eq!(by_time(6 * HZ, HZ), 57);
        assert_eq!(by_time(11 * HZ, HZ), 126);
    }

    #[test]
    fn alpha_is_scaled_by_the_round_trip_time_over_100_ms_from_a_tenth_to_two() {
        assert_eq!(scaled(100, 25, HZ), 100);
        assert_eq!(scaled(100, 10, HZ), 40);
        assert_eq!(scaled(100, 1, HZ), 10);
        assert_eq!(scaled(100, 100, HZ), 200);
        assert_eq!(scaled(1, 1, HZ), 1);
    }

    #[test]
    fn the_first_loss_takes_half_and_the_next_leaves_what_fills_the_path() {
        let mut c = htcp();
        assert_eq!(lose(&mut c, 100, 100, 120), 50);
        // min 25, max 30 jiffies, of which 4 of 5 are kept: 25/29 is more than 0.8.
        assert_eq!(lose(&mut c, 100, 300, 120), 79); // 102/128
        // 130 ms touch 33 jiffies: 25/33 = 96/128.
        assert_eq!(lose(&mut c, 100, 500, 130), 75);
    }

    #[test]
    fn a_sample_more_than_20_ms_above_the_longest_does_not_count() {
        let mut c = htcp();
        lose(&mut c, 100, 100, 120);
        // 29 of 30 jiffies are left, and 35 is more than five above.
        c.measure(&ack(300, 140, 300, 400));
        assert_eq!(c.max_rtt, 29);
        c.measure(&ack(301, 136, 301, 401));
        assert_eq!(c.max_rtt, 34);
    }

    #[test]
    fn a_change_of_the_throughput_by_a_fifth_makes_it_half_again() {
        let mut c = htcp();
        c.most = 1_000;
        lose(&mut c, 100, 100, 120);
        lose(&mut c, 100, 300, 120);
        c.most = 1_201;
        assert_eq!(lose(&mut c, 100, 500, 120), 50);
        c.most = 1_000;
        // 5/6 of it is within 4/5 to 6/5.
        assert_eq!(lose(&mut c, 100, 700, 120), 50);
        assert_eq!(lose(&mut c, 100, 900, 120), 79);
    }

    #[test]
    fn a_spurious_loss_does_not_reset_the_time() {
        let mut c = htcp();
        lose(&mut c, 100, 1_000, 120);
        let w = avoidance(Segments::new(100));
        c.reduce(w, Cause::FastRetransmit, at(9_000));
        assert_eq!(c.since_loss(jiffies(at(9_001), HZ)), 0);
        c.undone(w, w, at(9_100));
        assert_eq!(c.since_loss(jiffies(at(9_100), HZ)), 2_025);
    }

    #[test]
    fn htcp_cwnd_undo_after_an_undone_loss_a_longer_round_trip_time_counts_again() {
        let mut c = htcp();
        c.measure(&ack(100, 100, 100, 200));
        c.measure(&ack(101, 120, 101, 201));
        let before = avoidance(Segments::new(100));
        let r = c.reduce(before, Cause::FastRetransmit, at(200));
        c.measure(&ack(201, 136, 102, 202));
        assert_eq!(c.max_rtt, 29, "a loss is being repaired");
        assert_eq!(c.undone(avoidance(r.resume), before, at(300)).cwnd, before.cwnd);
        c.measure(&ack(301, 136, 103, 203));
        assert_eq!(c.max_rtt, 34);
    }

    #[test]
    fn the_time_runs_from_the_last_timeout_of_a_series() {
        let mut c = htcp();
        lose(&mut c, 100, 1_000, 120);
        let w = avoidance(Segments::new(100));
        c.reduce(w, Cause::Timeout, at(9_000));
        c.timed_out(at(9_000));
        c.timed_out(at(10_000));
        assert_eq!(c.since_loss(jiffies(at(10_000), HZ)), 0);
        // `undo_last_cong` is that of the timeout before.
        c.undone(w, w, at(10_100));
        assert_eq!(c.since_loss(jiffies(at(10_100), HZ)), 275);
    }

    #[test]
    fn within_the_first_second_the_growth_is_renos_at_half_of_the_window_kept() {
        let mut c = htcp();
        let mut w = avoidance(Segments::new(20));
        for i in 1..=42 {
            c.measure(&ack(100 + i, 100, i, i + 20));
            w = c.grow(w, &Grant::open(at(100 + i), Segments::ONE));
        }
        // The ACK that finds the count full is not counted.
        assert_eq!(w.cwnd.whole(), 21);
    }

    /// `measure_achieved_throughput` runs for each ACK in the states Open and Disorder: at the duplicate that
    /// shows a loss, before the loss ends the window uncounted.
    #[test]
    fn measure_achieved_throughput_a_duplicate_may_end_a_window() {
        let mut c = htcp();
        c.keep(avoidance(Segments::new(3)));
        c.counted_from = jiffies(at(100), HZ);
        c.measure(&ack(120, 100, 1, 4));
        c.measure(&ack(180, 100, 2, 5));
        assert_eq!(c.rate, 0, "not a round-trip time since the last one");
        c.measure(&Ack { newly: 0, rtt: None, in_flight: 2, ..ack(220, 100, 2, 5) });
        // Two segments in 30 jiffies.
        assert_eq!((c.rate, c.delivered), (16, 0));
    }

    #[test]
    fn the_throughput_is_taken_anew_after_a_loss_and_smoothed_from_four_round_trips_on() {
        let mut c = htcp();
        (c.params.hz, c.min_rtt, c.last_loss) = (1_000, 100, Some(0));
        let mut measured = |cwnd, delivered, tick| {
            (c.cwnd, c.delivered) = (cwnd, delivered);
            c.measure_rate(tick);
            (c.rate, c.most)
        };
        // 50 segments in 100 ms.
        assert_eq!(measured(51, 50, 100), (500, 500));
        assert_eq!(measured(51, 49, 200), (500, 500), "not a window");
        assert_eq!(measured(51, 100, 199), (500, 500), "not a round-trip time");
        // Three round-trip times after the loss: `htcp_ccount(ca) <= 3`.
        assert_eq!(measured(51, 100, 350), (400, 400));
        // (3 x 400 + 800) / 4, and (3 x 500 + 100) / 4.
        assert_eq!(measured(51, 80, 450), (500, 500));
        assert_eq!(measured(11, 10, 550), (400, 500));
    }
}
