//! # Illinois as Linux 6.1 ships it: additive increase and decrease by the queueing delay
//!
//! S. Liu, T. Başar, R. Srikant, "TCP-Illinois: A Loss and Delay-Based Congestion Control Algorithm for
//! High-Speed Networks", Performance Evaluation 65(6-7), 2008. Linux 6.1, `net/ipv4/tcp_illinois.c`.
//!
//! Losses decide when the window shrinks, the queueing delay decides by how much it moves. While the queue
//! is short the window grows by ten segments a round-trip time and a loss takes an eighth; while it is
//! long, by 0.3 segments and a loss takes half. The growth towards the next loss is concave.
//!
//! ```text
//! avoidance:  W += alpha / W  for each segment acknowledged
//! loss:       W -= beta W
//!
//! alpha = alpha_max                 if d_a <= d_1
//!         kappa_1 / (kappa_2 + d_a) beyond, from alpha_max at d_1 down to alpha_min at d_m
//! beta  = beta_min                  if d_a <= d_2
//!         kappa_3 + kappa_4 d_a     between: a straight line
//!         beta_max                  if d_a >= d_3
//! ```
//!
//! `d_a` is the mean queueing delay of a round and `d_m` the largest of all; `d_1 = d_m / 100`,
//! `d_2 = d_m / 10`, `d_3 = 0.8 d_m`. After a delay beyond `d_1`, alpha comes back to its maximum only after
//! `theta` rounds below it. Windows below `win_thresh` are Reno's, alpha 1 and beta 1/2.
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `base_rtt`, `max_rtt` | `base_us`, `most_us` | us |
//! | `sum_rtt`, `cnt_rtt` | `sum_us`, `samples` | us, - |
//! | `end_seq` | `round_end` | sequence number |
//! | `alpha` | `alpha` | segments a round-trip time, 7 fractional bits |
//! | `beta` | `beta` | share of the window, 6 fractional bits |
//! | `acked` | `acked` | segments |
//!
//! Rounding: all quotients down. `alpha_min` is 38/128 = 0.297. The window grows when the segments counted
//! times alpha reach it, and what exceeds that is forgotten with the count.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations: none under the recovery `linux`. Under the others a round ends where the window may grow, and
//! not also where it did not limit the sender.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::Info;
use crate::linux::{self, Count, micros};
use crate::product::saturating;
use crate::units::{Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "illinois",
    aliases: &[],
    summary: "the shorter the queue, the faster it grows and the less a loss takes",
    source: "Linux 6.1 tcp_illinois.c; Liu, Başar and Srikant, 2008",
};

crate::parameters! {
    /// The module's parameters.
    pub struct Params {
        /// Below this window both increase and decrease are Reno's.
        pub win_thresh: u64 = 15, in 0, 1 << 20;
        /// Rounds without a queue before the growth is the fastest again.
        pub theta: u64 = 5, in 0, 255;
    }
}

/// Segments a round-trip time, 7 fractional bits: 1, 10 and 0.3.
const ALPHA_ONE: u64 = 1 << 7;
const ALPHA_MAX: u64 = 10 * ALPHA_ONE;
const ALPHA_MIN: u64 = 3 * ALPHA_ONE / 10;
/// Shares of the window, 6 fractional bits: 1/2 and 1/8.
const BETA_ONE: u64 = 1 << 6;
const BETA_MAX: u64 = BETA_ONE / 2;
const BETA_MIN: u64 = BETA_ONE / 8;
/// Longer round-trip times count as 3.3 s, so that the kernel's 32-bit products do not wrap.
const LONGEST_US: u64 = u32::MAX as u64 / ALPHA_MAX;

/// Linux's Illinois.
#[derive(Clone, Copy, Debug)]
pub struct Illinois {
    params: Params,
    count: Count,
    alpha: u64,
    beta: u64,
    base_us: u64,
    most_us: u64,
    sum_us: u64,
    samples: u64,
    round_end: u64,
    snd_una: u64,
    snd_nxt: u64,
    acked: u64,
    /// The delay has exceeded `d_1` since alpha was last at its maximum.
    above: bool,
    /// Rounds below `d_1` since.
    low_rounds: u64,
}

/// An Illinois of Linux's with these parameters.
pub fn new(params: &Params, _: &Setup) -> Illinois {
    Illinois {
        params: *params,
        count: Count::default(),
        alpha: ALPHA_MAX,
        beta: BETA_MAX,
        base_us: u64::MAX,
        most_us: 0,
        sum_us: 0,
        samples: 0,
        round_end: 0,
        snd_una: 0,
        snd_nxt: 0,
        acked: 0,
        above: false,
        low_rounds: 0,
    }
}

/// The hyperbola between `d_1` and `d_m`, both taken off `over` and `span` already.
fn alpha_above(over: u64, span: u64) -> u64 {
    span * ALPHA_MAX / (span + over * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN)
}

/// The share that a loss takes at this mean delay.
fn beta(mean: u64, most: u64) -> u64 {
    let (d2, d3) = (most / 10, 8 * most / 10);
    if mean <= d2 {
        BETA_MIN
    } else if mean >= d3 || d3 <= d2 {
        BETA_MAX
    } else {
        (BETA_MIN * d3 + (BETA_MAX - BETA_MIN) * mean - BETA_MAX * d2) / (d3 - d2)
    }
}

impl Illinois {
    /// The increase of a round-trip time at this mean delay.
    fn alpha(&mut self, mean: u64, most: u64) -> u64 {
        let d1 = most / 100;
        if mean > d1 {
            self.above = true;
            return alpha_above(mean - d1, most - d1);
        }
        if self.above {
            self.low_rounds += 1;
            if self.low_rounds < self.params.theta {
                return self.alpha;
            }
            self.low_rounds = 0;
            self.above = false;
        }
        ALPHA_MAX
    }

    /// The once-per-round look at the delays.
    fn end_round(&mut self, cwnd: u64) {
        if cwnd < self.params.win_thresh {
            self.reset_to_reno();
        } else if let Some(mean) = self.sum_us.checked_div(self.samples) {
            let (mean, most) = (mean - self.base_us, self.most_us - self.base_us);
            self.alpha = self.alpha(mean, most);
            self.beta = beta(mean, most);
        }
        self.begin_round();
    }

    fn begin_round(&mut self) {
        self.round_end = self.snd_nxt;
        self.samples = 0;
        self.sum_us = 0;
    }

    fn reset_to_reno(&mut self) {
        self.alpha = ALPHA_ONE;
        self.beta = BETA_MAX;
    }
}

impl Controller for Illinois {
    fn measure(&mut self, ack: &Ack) {
        (self.snd_una, self.snd_nxt) = (ack.snd_una, ack.snd_nxt);
        self.acked = ack.newly;
        if let Some(rtt) = ack.rtt {
            let rtt_us = micros(rtt).min(LONGEST_US);
            self.base_us = self.base_us.min(rtt_us);
            self.most_us = self.most_us.max(rtt_us);
            self.sum_us += rtt_us;
            self.samples += 1;
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let w = linux::whole(w);
        let cwnd = w.cwnd.whole();
        if self.snd_una > self.round_end {
            self.end_round(cwnd);
        }
        if !grant.cwnd_limited {
            return w;
        }
        if w.in_slow_start() {
            return linux::slow_start(w, grant.credit.whole()).0;
        }
        self.count.add(self.acked);
        self.acked = 1;
        let grown = saturating(self.count.get(), self.alpha) / ALPHA_ONE / cwnd;
        if grown > 0 {
            self.count.clear();
        }
        linux::with_cwnd(w, cwnd.saturating_add(grown))
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let cwnd = w.cwnd.whole();
        let left = cwnd - cwnd * self.beta / BETA_ONE;
        let share = Ratio::new(u32::try_from(BETA_ONE - self.beta).unwrap_or(1), 64);
        self.count.clear();
        let ssthresh = Segments::new(left).max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    /// `tcp_illinois_state`.
    fn timed_out(&mut self, _: Instant) {
        self.reset_to_reno();
        self.low_rounds = 0;
        self.above = false;
        self.begin_round();
    }

    window_only_without_memory!(linux::undone);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup, slow_start};

    fn illinois() -> Illinois {
        new(&Params::default(), &setup())
    }

    /// `tcp_illinois_cong_avoid` updates its parameters before it asks whether the window is used.
    #[test]
    fn rounds_end_where_the_window_does_not_limit_the_sender_and_it_does_not_grow() {
        let mut c = illinois();
        let idle = Grant { cwnd_limited: false, ..Grant::open(Instant::ZERO, Segments::ONE) };
        let w = avoidance(Segments::new(40));
        c.measure(&ack(0, 100, 1, 41));
        assert_eq!(c.grow(w, &idle), w);
        assert_eq!(c.round_end, 41);
    }

    /// One round in which every segment of 40 took `rtt_ms`, and the window after its last ACK.
    fn round(c: &mut Illinois, rtt_ms: u64) -> Window {
        let (from, mut w) = (c.snd_una, avoidance(Segments::new(40)));
        c.round_end = from + 39;
        for i in 1..=40 {
            c.measure(&ack(from + i, rtt_ms, from + i, from + i + 40));
            w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
        }
        w
    }

    #[test]
    fn alpha_falls_from_ten_segments_without_a_queue_to_three_tenths_with_the_longest() {
        let mut c = illinois();
        // 100 ms of queue at most: d_1 is 1 ms.
        assert_eq!(c.alpha(1_000, 100_000), ALPHA_MAX);
        assert_eq!(c.alpha(100_000, 100_000), ALPHA_MIN);
        // By the paper, kappa_1 / (kappa_2 + d_a): (99 * 0.3 * 10 / 9.7) / (99 * 0.3 / 9.7 - 1 + 50) = 0.588;
        // 74/128 = 0.578 is what the rounded alpha_min makes of it.
        assert_eq!(c.alpha(50_000, 100_000), 74);
    }

    #[test]
    fn beta_is_an_eighth_to_a_tenth_of_the_delay_then_a_line_to_half_at_eight_tenths() {
        assert_eq!(beta(10_000, 100_000), 8);
        // Half-way between 10 and 80 ms: 5/16.
        assert_eq!(beta(45_000, 100_000), 20);
        assert_eq!(beta(79_999, 100_000), 31);
        assert_eq!(beta(80_000, 100_000), 32);
    }

    #[test]
    fn without_a_queue_a_segment_is_added_for_a_tenth_of_the_window_and_a_loss_takes_an_eighth() {
        let mut c = illinois();
        round(&mut c, 100);
        // The first for 4 ACKs, seven for 5 each: from 41 segments on, 4 times 10 do not suffice.
        assert_eq!(round(&mut c, 100).cwnd.whole(), 48);
        let r = c.reduce(avoidance(Segments::new(800)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.ssthresh.whole(), 700);
    }

    #[test]
    fn five_rounds_without_a_queue_bring_back_the_fastest_growth() {
        let mut c = illinois();
        round(&mut c, 100);
        round(&mut c, 200);
        assert_eq!(c.alpha, ALPHA_MIN);
        for _ in 0..4 {
            round(&mut c, 100);
            assert!(c.alpha < ALPHA_MAX);
        }
        round(&mut c, 100);
        assert_eq!(c.alpha, ALPHA_MAX);
    }

    #[test]
    fn a_window_below_fifteen_and_the_time_after_a_timeout_are_renos() {
        let mut c = illinois();
        c.end_round(14);
        assert_eq!((c.alpha, c.beta), (ALPHA_ONE, BETA_MAX));
        let mut c = illinois();
        round(&mut c, 100);
        c.reduce(avoidance(Segments::new(100)), Cause::Timeout, Instant::ZERO);
        c.timed_out(Instant::ZERO);
        assert_eq!((c.alpha, c.beta), (ALPHA_ONE, BETA_MAX));
    }

    #[test]
    fn slow_start_does_not_look_at_the_delay() {
        let mut c = illinois();
        c.measure(&ack(1, 100, 1, 41));
        let w = c.grow(slow_start(40), &Grant::open(Instant::ZERO, Segments::new(2)));
        assert_eq!(w.cwnd.whole(), 42);
    }
}
