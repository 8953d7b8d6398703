//! # BIC as Linux 6.1 ships it
//!
//! Linux 6.1, `net/ipv4/tcp_bic.c`, after L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion
//! Control (BIC) for Fast Long-Distance Networks", IEEE INFOCOM 2004.
//!
//! The search of [`bic`](crate::controllers::bic) in the kernel's integers, with other constants: it
//! goes a quarter of the way instead of half, keeps 819/1024 and grows by 16 a round-trip time at
//! most. The pace allows for the segments that an ACK acknowledges on average.
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `cnt` | `per` | segments acknowledged for one of growth |
//! | `last_max_cwnd` | `last_max` | segments |
//! | `delayed_ack` | `ack_ratio` | segments an ACK, 4 fractional bits |
//! | `BICTCP_B` | `B` | 4 |
//!
//! * Below the maximum: `dist = (max - cwnd) / 4`; `cnt = cwnd / 16` if `dist > 16`, `5 cwnd` if
//!   `dist <= 1`, else `cwnd / dist`.
//! * Beyond: `5 cwnd` for 4 segments, `3 cwnd / (cwnd - max)` up to 48 segments, then `cwnd / 16`.
//! * At most 20 before the first loss; then divided by the segments an ACK acknowledges.
//! * Up to 14 segments Reno. Loss: 819/1024 of the window, half of it up to 14 segments.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations: ticks are counted from time zero, so the phase of the clock is fixed.
//!
//! The `delayed_ack` correction is the kernel's own, though its growth already counts segments and
//! not ACKs: with a delayed-ACK receiver Linux's BIC grows twice as fast as the formula says. Its
//! integer average has no way back: at two segments an ACK it stays wherever a few longer ACKs have
//! brought it, up to 47/16. A real receiver sends such ACKs after a long recovery, while the reader
//! catches up; the receivers here do not.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count, jiffies};
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "bic-linux",
    aliases: &[],
    summary: "BIC in the kernel's integers and with its constants",
    source: "Linux 6.1 tcp_bic.c",
};

crate::parameters! {
    /// The module's parameters, and what it depends on in the kernel's build.
    pub struct Params {
        /// Share of the window that a loss leaves, in 1/1024.
        pub beta: u64 = 819, in 1, 1_023;
        /// Largest increase in a round-trip time.
        pub max_increment: u64 = 16, in 1, 4_096;
        /// Up to this window both increase and decrease are Reno's.
        pub low_window: u64 = 14, in 0, 1 << 20;
        /// Round-trip times for the last four segments before the maximum and the first four beyond.
        pub smooth_part: u64 = 20, in 4, 4_096;
        /// A loss below the last maximum aims lower, to make room for new flows.
        pub fast_convergence: bool = true;
        /// Ticks of the kernel's clock in a second.
        pub hz: u64 = 250, in 100, 1_000;
    }
}

/// The search goes to a point a quarter of the way on.
const B: u64 = 4;
/// Fractional bits of the segments an ACK.
const RATIO_SHIFT: u32 = 4;

/// Linux's BIC.
#[derive(Clone, Copy, Debug)]
pub struct BicLinux {
    params: Params,
    count: Count,
    last_max: u64,
    last_cwnd: u64,
    last_time: u64,
    per: u64,
    ack_ratio: u64,
    state: CongestionState,
}

/// A BIC of Linux's with these parameters.
pub fn new(params: &Params, _: &Setup) -> BicLinux {
    BicLinux {
        params: *params,
        count: Count::default(),
        last_max: 0,
        last_cwnd: 0,
        last_time: 0,
        per: 0,
        ack_ratio: 2 << RATIO_SHIFT,
        state: CongestionState::Open,
    }
}

/// The pace of the search: segments acknowledged for one of growth.
fn search(cwnd: u64, max: u64, p: &Params) -> u64 {
    let slow = cwnd * p.smooth_part / B;
    let linear = cwnd / p.max_increment;
    if cwnd < max {
        let dist = (max - cwnd) / B;
        return match dist {
            0..=1 => slow,
            d if d > p.max_increment => linear,
            d => cwnd / d,
        };
    }
    match cwnd - max {
        gained if gained < B => slow,
        gained if gained < p.max_increment * (B - 1) => cwnd * (B - 1) / gained,
        _ => linear,
    }
}

impl BicLinux {
    /// `bictcp_update`: looked up when the window, or after a 32nd of a second the time, moved on.
    fn update(&mut self, cwnd: u64, tick: u64) {
        let waited = tick.saturating_sub(self.last_time);
        if self.last_cwnd == cwnd && waited <= self.params.hz / 32 {
            return;
        }
        self.last_cwnd = cwnd;
        self.last_time = tick;
        if cwnd <= self.params.low_window {
            self.per = cwnd;
            return;
        }
        let mut per = search(cwnd, self.last_max, &self.params);
        if self.last_max == 0 {
            per = per.min(20);
        }
        self.per = ((per << RATIO_SHIFT) / self.ack_ratio).max(1);
    }

    /// `bictcp_reset`.
    fn reset(&mut self) {
        self.last_max = 0;
        self.last_cwnd = 0;
        self.last_time = 0;
        self.per = 0;
        self.ack_ratio = 2 << RATIO_SHIFT;
    }
}

impl Controller for BicLinux {
    /// `bictcp_acked`: `ratio = 15/16 ratio + 1/16 sample`, for an ACK that comes while nothing is missing.
    fn measure(&mut self, ack: &Ack) {
        if self.state == CongestionState::Open {
            let left = self.ack_ratio - (self.ack_ratio >> RATIO_SHIFT);
            self.ack_ratio = left.saturating_add(ack.newly).clamp(1, 1 << 24);
        }
        self.state.measured(ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let mut w = linux::whole(w);
        let mut acked = grant.credit.whole();
        self.state.granted(grant.phase);
        if w.in_slow_start() {
            (w, acked) = linux::slow_start(w, acked);
        }
        if acked == 0 {
            return w;
        }
        let cwnd = w.cwnd.whole();
        self.update(cwnd, jiffies(grant.now, self.params.hz));
        linux::with_cwnd(w, self.count.spend(cwnd, self.per, acked))
    }

    /// `bictcp_recalc_ssthresh`; after a timeout also `bictcp_state`.
    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let (cwnd, beta) = (w.cwnd.whole(), self.params.beta);
        self.last_max = if self.params.fast_convergence && cwnd < self.last_max {
            cwnd * (1_024 + beta) / 2_048
        } else {
            cwnd
        };
        let share = if cwnd <= self.params.low_window {
            Ratio::new(1, 2)
        } else {
            Ratio::new(u32::try_from(beta).unwrap_or(u32::MAX), 1_024)
        };
        self.count.clear();
        self.state = CongestionState::Reduced;
        let ssthresh = w.cwnd.floor().times(share).floor().max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    /// `bictcp_state`.
    fn timed_out(&mut self, _: Instant) {
        self.reset();
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
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
    use crate::testing::{ack, avoidance, setup};

    #[test]
    fn the_pace_depends_on_the_distance_to_the_maximum() {
        let p = Params::default();
        let pace = |cwnd| search(cwnd, 1_000, &p);
        assert_eq!(pace(800), 50); // 200 / 4 = 50 > 16: 16 a round
        assert_eq!(pace(960), 96); // 40 / 4 = 10 a round
        assert_eq!(pace(996), 4_980); // one in five rounds
        assert_eq!(pace(1_003), 5_015);
        assert_eq!(pace(1_030), 103); // 30 / 3 = 10 a round
        assert_eq!(pace(1_100), 68); // 16 a round
    }

    #[test]
    fn the_ratio_of_segments_to_acks_settles_at_what_the_receiver_does() {
        let mut c = new(&Params::default(), &setup());
        for n in 0..200 {
            c.measure(&ack(n, 100, n, n + 10));
        }
        // One segment an ACK: 16/16, where integers stop at 31/16.
        assert!((16..32).contains(&c.ack_ratio), "{}", c.ack_ratio);
    }

    #[test]
    fn a_loss_keeps_four_fifths_and_half_of_a_small_window() {
        let mut c = new(&Params::default(), &setup());
        let lose = |c: &mut BicLinux, n| {
            c.reduce(avoidance(Segments::new(n)), Cause::FastRetransmit, Instant::ZERO)
                .resume
                .whole()
        };
        assert_eq!(lose(&mut c, 1_000), 799); // 1000 * 819/1024
        assert_eq!(lose(&mut c, 900), 719);
        assert_eq!(c.last_max, 809); // 900 * 1843/2048
        assert_eq!(lose(&mut c, 14), 7);
        assert_eq!(lose(&mut c, 3), 2);
    }

    #[test]
    fn growth_before_the_first_loss_is_one_segment_for_ten_with_the_initial_ratio() {
        let mut c = new(&Params::default(), &setup());
        let mut w = avoidance(Segments::new(600));
        for _ in 0..50 {
            w = c.grow(w, &Grant::open(Instant::from_nanos(1), Segments::new(2)));
        }
        // 20 / 2 = 10 segments acknowledged for one: 100 of them make ten.
        assert_eq!(w.cwnd.whole(), 610);
    }

    #[test]
    fn a_timeout_forgets_the_maximum() {
        let mut c = new(&Params::default(), &setup());
        c.reduce(avoidance(Segments::new(100)), Cause::Timeout, Instant::ZERO);
        c.timed_out(Instant::ZERO);
        assert_eq!(c.last_max, 0);
    }
}
