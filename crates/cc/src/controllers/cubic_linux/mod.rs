//! # CUBIC as Linux 6.1 ships it, with HyStart
//!
//! Linux 6.1, `net/ipv4/tcp_cubic.c` (CUBIC 2.3, after S. Ha, I. Rhee, L. Xu, "CUBIC: A New
//! TCP-Friendly High-Speed TCP Variant", 2008), with the fix of HyStart's round starts that 6.1.129
//! brought.
//!
//! The curve of [`cubic`](crate::controllers::cubic) in the kernel's integers: whole windows, time in
//! ticks, the pace of growth looked up once a tick. Slow start ends by HyStart, mostly before the
//! first loss.
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `cnt` | `Curve::per_segment` | segments acknowledged for one of growth |
//! | `snd_cwnd_cnt` | `count` | segments |
//! | `delay_min` | `delay_min_us` | us |
//! | `last_max_cwnd`, `bic_K`, `bic_origin_point`, `tcp_cwnd` | in `Curve` | segments, 2^-10 s |
//!
//! * `cnt = cwnd / (target - cwnd)`, the target being the curve at `t + delay_min`, or `100 cwnd` if
//!   the target is not above; at most 20 before the first loss, at least 2.
//! * Reno-friendly: Reno's window gains one for each `15/8 cwnd` segments, and `cnt` is at most
//!   `cwnd / (reno - cwnd)`.
//! * Loss: `ssthresh = max(2, 717/1024 cwnd)`. A timeout forgets curve, delay and HyStart.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations:
//! * The cube root is exact where the kernel's table and one Newton step err by 0.2 % on average.
//! * HyStart sees no ACK during recovery, since the window is then the transport's. The kernel looks,
//!   and lowers ssthresh further if the window has fallen below it before HyStart ever triggered.
//! * The pacing rate behind HyStart's cushion for offloading is computed from the window at the ACK
//!   before and the round-trip time of this one.
//! * Ticks are counted from time zero, so the phase of the clock is fixed.

mod curve;
mod hystart;

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, Count, jiffies, micros, stamp};
use crate::product::saturating;
use crate::units::{Duration, Instant, Ratio, Segments};
use curve::{Constants, Curve};
use hystart::{HyStart, HystartRules, SlowStartAck};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "cubic-linux",
    aliases: &[],
    summary: "CUBIC in the kernel's integers, slow start ended by HyStart",
    source: "Linux 6.1 tcp_cubic.c",
};

crate::choices! {
    /// The rule that ends slow start.
    pub enum Detect {
        /// The length of ACK trains or the rise of the delay.
        Both = "both",
        /// The length of ACK trains.
        Train = "train",
        /// The rise of the delay.
        Delay = "delay",
        /// Nothing but a loss.
        Neither = "neither",
    }
}

crate::parameters! {
    /// The module's parameters, and what it depends on in the kernel's build.
    pub struct Params {
        /// Share of the window that a loss leaves, in 1/1024.
        pub beta: u64 = 717, in 1, 1_000;
        /// How steep the curve is, in 1/1024 of ten segments per cubic second.
        pub bic_scale: u64 = 41, in 1, 1_024;
        /// A loss below the last maximum aims lower, to make room for new flows.
        pub fast_convergence: bool = true;
        /// Grow at least as Reno would.
        pub tcp_friendliness: bool = true;
        /// The rule that ends slow start.
        pub hystart: Detect = Detect::Both;
        /// HyStart decides nothing below this window.
        pub hystart_low_window: u64 = 16, in 1, 1 << 20;
        /// ACKs closer than this belong to one train.
        pub hystart_ack_delta: Duration = Duration::from_millis(2),
            in Duration::from_micros(1), Duration::from_secs(1);
        /// A train must last a whole round-trip time even where the sender is not paced.
        pub paced: bool = false;
        /// Largest packet that is handed to an offloading device, in bytes.
        pub gso_max_size: u64 = 65_215, in 1, 1 << 19;
        /// Ticks of the kernel's clock in a second.
        pub hz: u64 = 250, in 100, 1_000;
    }
}

/// Linux's CUBIC.
#[derive(Clone, Copy, Debug)]
pub struct CubicLinux {
    params: Params,
    curve: Curve,
    start: HyStart,
    count: Count,
    /// Smallest round-trip time since the start or the last timeout; 0 before the first.
    delay_min_us: u64,
    /// The window as it was last seen.
    window: Window,
    snd_nxt: u64,
    recovering: bool,
    /// HyStart has spoken: the window is to become ssthresh.
    leave_slow_start: bool,
}

/// A CUBIC of Linux's with these parameters.
pub fn new(params: &Params, setup: &Setup) -> CubicLinux {
    let detect = params.hystart;
    CubicLinux {
        params: *params,
        curve: Curve::new(Constants {
            beta: params.beta,
            bic_scale: params.bic_scale,
            friendly: params.tcp_friendliness,
            hz: params.hz,
        }),
        start: HyStart::new(HystartRules {
            train: matches!(detect, Detect::Both | Detect::Train),
            delay: matches!(detect, Detect::Both | Detect::Delay),
            low_window: params.hystart_low_window,
            spacing_us: micros(params.hystart_ack_delta),
            paced: params.paced || setup.paced,
        }),
        count: Count::default(),
        delay_min_us: 0,
        window: Window { cwnd: setup.initial_window, ssthresh: Segments::MAX },
        snd_nxt: 0,
        recovering: false,
        leave_slow_start: false,
    }
}

impl CubicLinux {
    /// True for the first second of a stage, whose delays still hold the queue of the last loss.
    fn is_settling(&self, tick: u64) -> bool {
        self.curve.epoch_start().is_some_and(|start| tick.saturating_sub(start) < self.params.hz)
    }

    /// `hystart_ack_delay`: the time that four of the largest packets take at the pacing rate, at
    /// most 1 ms. That rate is the window over the round-trip time, times 2, or times 1.2 from half
    /// of ssthresh on (`tcp_update_pacing_rate`).
    fn hystart_ack_delay_us(&self, ack: &Ack) -> u64 {
        let w = self.window;
        let percent = if w.cwnd < w.ssthresh.half().floor() { 200 } else { 120 };
        let segments = w.cwnd.whole().max(ack.snd_nxt.saturating_sub(ack.snd_una));
        let per_round = saturating(saturating(segments, ack.smss.get()), percent);
        let data = 4 * 100 * self.params.gso_max_size;
        saturating(data, micros(ack.srtt)).checked_div(per_round).unwrap_or(0).min(1_000)
    }

    fn hystart_input(&self, ack: &Ack, delay_us: u64) -> SlowStartAck {
        SlowStartAck {
            now_us: stamp(ack.now),
            delay_us,
            delay_min_us: self.delay_min_us,
            hystart_ack_delay_us: self.hystart_ack_delay_us(ack),
            snd_una: ack.snd_una,
            snd_nxt: ack.snd_nxt,
            cwnd: self.window.cwnd.whole(),
        }
    }

    /// `hystart_update`: if HyStart has spoken, the window becomes ssthresh, whatever the ACK lets grow.
    pub(super) fn end_slow_start(&mut self, w: Window) -> Window {
        if !core::mem::take(&mut self.leave_slow_start) {
            return w;
        }
        // Two is the project's floor; the kernel has none here.
        self.window = Window { ssthresh: w.cwnd.max(Segments::TWO), ..w };
        self.window
    }

    fn congestion_avoidance(&mut self, w: Window, acked: u64, now: Instant) -> Window {
        let cwnd = w.cwnd.whole();
        let tick = jiffies(now, self.params.hz);
        let per = self.curve.per_segment(cwnd, acked, tick, self.delay_min_us);
        linux::with_cwnd(w, self.count.spend(cwnd, per, acked))
    }
}

impl Controller for CubicLinux {
    /// `cubictcp_acked`.
    fn measure(&mut self, ack: &Ack) {
        self.snd_nxt = ack.snd_nxt;
        let Some(rtt) = ack.rtt else { return };
        if self.is_settling(jiffies(ack.now, self.params.hz)) {
            return;
        }
        let delay_us = micros(rtt).max(1);
        if self.delay_min_us == 0 || delay_us < self.delay_min_us {
            self.delay_min_us = delay_us;
        }
        if !self.recovering && self.window.in_slow_start() {
            let input = self.hystart_input(ack, delay_us);
            self.leave_slow_start |= self.start.ends(&input);
        }
    }

    /// `cubictcp_cong_avoid`.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let mut w = self.end_slow_start(linux::whole(w));
        let mut acked = grant.credit.whole();
        if w.in_slow_start() {
            (w, acked) = linux::slow_start(w, acked);
        }
        if acked > 0 {
            w = self.congestion_avoidance(w, acked, grant.now);
        }
        self.window = w;
        self.recovering = false;
        w
    }

    /// `cubictcp_recalc_ssthresh`.
    fn reduce(&mut self, w: Window, cause: Cause, _: Instant) -> Reduction {
        let cwnd = w.cwnd.whole();
        let ssthresh = self.curve.reduce(cwnd, self.params.fast_convergence);
        let ssthresh = Segments::new(ssthresh);
        self.count.clear();
        self.leave_slow_start = false;
        self.recovering = cause != Cause::Timeout;
        self.window = Window { cwnd: ssthresh, ssthresh };
        let share = Ratio::new(u32::try_from(self.params.beta).unwrap_or(u32::MAX), 1_024);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    /// `cubictcp_state`.
    fn timed_out(&mut self, now: Instant) {
        self.recovering = false;
        self.curve.reset();
        self.delay_min_us = 0;
        self.leave_slow_start = false;
        self.start.restart(stamp(now), self.snd_nxt);
        self.window.cwnd = Segments::ONE;
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.recovering = false;
        self.window = w;
        w
    }

    /// The curve keeps what it learnt from a loss that was none, as the kernel's does.
    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.recovering = false;
        self.window = linux::undone(now_w, before);
        self.window
    }

    /// `cubictcp_cwnd_event`.
    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window {
        let hz = self.params.hz;
        let tick = jiffies(now, hz);
        self.curve.shift(tick - jiffies(now - idle, hz), tick);
        self.window = w;
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, setup, slow_start};

    fn credit(ms: u64, n: u64) -> Grant {
        Grant::open(Instant::from_nanos(ms * 1_000_000), Segments::new(n))
    }

    #[test]
    fn a_rise_in_delay_makes_the_window_the_threshold_on_that_very_ack() {
        let mut c = new(&Params::default(), &setup());
        let mut w = slow_start(10);
        // A first round of ten at 100 ms brings the window to 20.
        for n in 1..=10 {
            c.measure(&ack(100, 100, n, 10 + 2 * n));
            w = c.grow(w, &credit(100, 1));
        }
        assert_eq!(w, slow_start(20));
        // The second round sees 113 ms; after eight samples, the ninth ACK ends slow start.
        for n in 1..=20 {
            c.measure(&ack(213, 113, 12 + n, 30 + 2 * n));
            w = c.grow(w, &credit(213, 1));
        }
        assert_eq!(w.ssthresh, Segments::new(28));
        assert_eq!(w.cwnd, Segments::new(28));
    }

    #[test]
    fn growth_before_the_first_loss_is_one_segment_for_twenty() {
        let mut c = new(&Params::default(), &setup());
        let mut w = Window { cwnd: Segments::new(123), ssthresh: Segments::new(123) };
        for n in 0..200 {
            c.measure(&ack(1_000 + n, 100, n, n + 123));
            w = c.grow(w, &credit(1_000 + n, 1));
        }
        assert_eq!(w.cwnd, Segments::new(133));
    }

    #[test]
    fn a_loss_leaves_seven_tenths_and_a_timeout_starts_hystart_again() {
        let mut c = new(&Params::default(), &setup());
        let w = Window { cwnd: Segments::new(177), ssthresh: Segments::new(123) };
        let now = Instant::from_nanos(1_900_000_000);
        // 177 * 717/1024 = 123.9; the kernel's own trace shows 123.
        assert_eq!(c.reduce(w, Cause::FastRetransmit, now).resume, Segments::new(123));
        c.reduce(w, Cause::Timeout, now);
        c.timed_out(now);
        assert_eq!(c.delay_min_us, 0);
        assert_eq!(c.curve.epoch_start(), None);
    }

    #[test]
    fn bictcp_reset_after_a_timeout_the_window_grows_as_before_the_first_loss() {
        let mut c = new(&Params::default(), &setup());
        let now = Instant::from_nanos(1_900_000_000);
        let w = Window { cwnd: Segments::new(600), ssthresh: Segments::new(600) };
        c.reduce(w, Cause::FastRetransmit, now);
        c.reduce(Window { cwnd: Segments::new(420), ..w }, Cause::Timeout, now);
        c.timed_out(now);
        // The last maximum of 600 is forgotten: one segment for twenty, and not towards it.
        let mut w = Window { cwnd: Segments::new(123), ssthresh: Segments::new(123) };
        for n in 0..200 {
            w = c.grow(w, &credit(2_000 + n, 1));
        }
        assert_eq!(w.cwnd, Segments::new(133));
    }

    #[test]
    fn after_a_loss_the_window_follows_the_kernels_trace() {
        // Linux 6.1 on 10 Mbit/s, 100 ms: lost at 177 segments, recovered at about 2.15 s, then one
        // ACK each 1.2 ms.
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(100, 100, 0, 10));
        let start = Window { cwnd: Segments::new(177), ssthresh: Segments::new(123) };
        let r = c.reduce(start, Cause::FastRetransmit, Instant::from_nanos(1_850_000_000));
        let mut w = c.recovered(
            Window { cwnd: r.resume, ssthresh: r.ssthresh },
            Instant::from_nanos(2_150_000_000),
        );
        let mut us = 2_150_000;
        for (until_ms, cwnd) in
            [(2_500, 131), (3_000, 144), (3_500, 153), (4_000, 161), (4_700, 169)]
        {
            while us < until_ms * 1_000 {
                w = c.grow(w, &Grant::open(Instant::from_nanos(us * 1_000), Segments::ONE));
                us += 1_200;
            }
            assert!(w.cwnd.whole().abs_diff(cwnd) <= 1, "at {until_ms} ms: {} {cwnd}", w.cwnd);
        }
    }

    #[test]
    fn bictcp_cwnd_event_idle_ticks_are_the_difference_of_two_readings_of_the_clock() {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(100, 100, 0, 10));
        let w = Window { cwnd: Segments::new(50), ssthresh: Segments::new(50) };
        c.grow(w, &credit(100, 1));
        assert_eq!(c.curve.epoch_start(), Some(25));
        // From 203 to 208 ms the clock of 4 ms goes from 50 to 52.
        c.restarted(w, Duration::from_millis(5), Instant::from_nanos(208_000_000));
        assert_eq!(c.curve.epoch_start(), Some(27));
    }

    #[test]
    fn windows_stay_whole_whatever_the_transport_hands_in() {
        let mut c = new(&Params::default(), &setup());
        let w = Window { cwnd: Segments::from_raw((7 << 32) + 99), ssthresh: Segments::TWO };
        let grown = c.grow(w, &credit(5, 2));
        assert_eq!(grown.cwnd, grown.cwnd.floor());
    }
}
