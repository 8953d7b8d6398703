//! # CUBIC: a cubic function of the time since the last loss
//!
//! L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438,
//! 2023.
//!
//! After a loss the window returns to where the loss was along a curve that is steep at first, flat
//! about the old maximum and steep again beyond it. The curve runs by time and not by ACKs, so flows
//! with different round-trip times grow alike. Where Reno would be faster, the window is Reno's.
//!
//! | RFC 9438 | here | unit |
//! |---|---|---|
//! | beta_cubic | `beta` | 0.7 |
//! | C | `c` | 0.4 segments/s^3 |
//! | W_max, K, t_epoch, W_est, cwnd_prior | in [`increase::Cubic`] | segments, s |
//! | RTT | [`Ack::srtt`](crate::Ack::srtt) | ns |
//!
//! * Figure 1: `W_cubic(t) = C (t - K)^3 + W_max`; figure 2: `K = cbrt((W_max - cwnd_epoch) / C)`.
//! * Section 4.2: `target = clamp(W_cubic(t + RTT), cwnd, 1.5 cwnd)`.
//! * Sections 4.4 and 4.5: `cwnd += (target - cwnd) / cwnd` for each segment acknowledged.
//! * Section 4.3: `W_est += alpha / cwnd` for each segment acknowledged, `alpha = 9/17` until
//!   `W_est` reaches `cwnd_prior` and 1 from there; where `W_cubic(t) < W_est`, `cwnd = W_est`.
//! * Section 4.6: `ssthresh = max(beta cwnd, 2)`; 4.7: `W_max = cwnd (1 + beta)/2` if
//!   `cwnd < W_max`; 4.8: a timeout forgets `W_max`; 4.9: an undone reduction brings back the curve.
//!
//! Deviations:
//! * Slow start is the standard one; HyStart++ (section 4.10) is not included.
//! * The window stands for the flight size in section 4.6, see [`Multiplicative`].
//! * In the Reno-friendly region the window is never lowered to `W_est`.
//! * Where fast convergence would leave `W_max` below the window (windows of two segments), the
//!   curve starts flat at the window, as Linux does.
//!
//! ECN: an echoed mark is answered like a loss (section 4.6), not more gently (RFC 8511).
//!
//! Rounding: `K` is low by 10^-6 at most, `W_cubic` is within 10^-8; times are in 2^-20 s.

use crate::controller::Setup;
use crate::controllers::Info;
use crate::decrease::Multiplicative;
use crate::increase;
use crate::units::Ratio;
use crate::windowed::Windowed;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "cubic",
    aliases: &[],
    summary: "a cubic function of the time since the last loss",
    source: "RFC 9438",
};

crate::parameters! {
    /// CUBIC's parameters.
    pub struct Params {
        /// Share of the window that a loss leaves.
        pub beta: Ratio = Ratio::new(7, 10), in Ratio::new(1, 10), Ratio::new(99, 100);
        /// How steep the curve is, in segments per cubic second.
        pub c: Ratio = Ratio::new(2, 5), in Ratio::new(1, 100), Ratio::new(100, 1);
        /// A loss below the last maximum aims lower, to make room for new flows.
        pub fast_convergence: bool = true;
        /// Grow at least as Reno would.
        pub reno_friendly: bool = true;
    }
}

/// CUBIC.
pub type Cubic = Windowed<increase::Cubic, Multiplicative>;

/// A CUBIC with these parameters.
pub fn new(params: &Params, _: &Setup) -> Cubic {
    Windowed {
        up: increase::Cubic::new(increase::Shape {
            c: params.c,
            beta: params.beta,
            fast_convergence: params.fast_convergence,
            reno_friendly: params.reno_friendly,
        }),
        down: Multiplicative { share: params.beta },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Cause, Controller, Grant, Window};
    use crate::testing::{ack, avoidance, float, setup};
    use crate::units::{Instant, Segments};

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// Feeds a full window of ACKs evenly over each round-trip time until `end_ms`.
    fn drive(c: &mut Cubic, mut w: Window, rtt_ms: u64, from_ms: u64, end_ms: u64) -> Window {
        let (mut ns, end) = (from_ms * 1_000_000, end_ms * 1_000_000);
        while ns < end {
            c.measure(&ack(ns / 1_000_000, rtt_ms, 0, w.cwnd.whole()));
            w = c.grow(w, &Grant::open(Instant::from_nanos(ns), Segments::ONE));
            ns += rtt_ms * 1_000_000 / w.cwnd.whole();
        }
        w
    }

    /// The RFC in f64: the window some seconds after a loss, by the differential equation of the
    /// ACK stream in steps of an ACK.
    fn model(w_max: f64, rtt: f64, seconds: f64) -> f64 {
        let (beta, c) = (0.7, 0.4);
        let (mut cwnd, mut est) = (w_max * beta, w_max * beta);
        let k = ((w_max - cwnd) / c).cbrt();
        let curve = |t: f64| c * (t - k).powi(3) + w_max;
        let mut t = 0.0;
        while t < seconds {
            est += if est < w_max { 9.0 / 17.0 } else { 1.0 } / cwnd;
            cwnd = if curve(t) < est {
                cwnd.max(est)
            } else {
                cwnd + (curve(t + rtt).clamp(cwnd, 1.5 * cwnd) - cwnd) / cwnd
            };
            t += rtt / cwnd.floor();
        }
        cwnd
    }

    fn after_a_loss(w_max: u64) -> (Cubic, Window) {
        let mut c = new(&Params::default(), &setup());
        let r = c.reduce(avoidance(Segments::new(w_max)), Cause::FastRetransmit, at(0));
        (c, Window { cwnd: r.resume, ssthresh: r.ssthresh })
    }

    #[test]
    fn the_window_is_back_at_its_maximum_after_k_seconds() {
        // (10000 - 7000) / 0.4 = 7500 = 19.574^3; the target is one RTT ahead.
        let (mut c, w) = after_a_loss(10_000);
        let w = drive(&mut c, w, 100, 0, 19_574);
        assert!((float(w.cwnd) - 10_000.0).abs() < 1.0, "{}", w.cwnd);
    }

    #[test]
    fn integers_follow_the_model_on_short_and_long_paths() {
        for (w_max, rtt_ms, end_ms) in [
            (30_u64, 10_u64, 3_000_u64), // Reno-friendly throughout
            (100, 100, 4_000),           // concave
            (100, 100, 9_000),           // convex
            (2_000, 200, 20_000),
        ] {
            let (mut c, w) = after_a_loss(w_max);
            let got = float(drive(&mut c, w, rtt_ms, 0, end_ms).cwnd);
            let (max, rtt) = (float(Segments::new(w_max)), float(Segments::new(rtt_ms)) / 1e3);
            let want = model(max, rtt, float(Segments::new(end_ms)) / 1e3);
            assert!((got / want - 1.0).abs() < 1e-3, "{w_max} {rtt_ms}: {got} {want}");
        }
    }

    #[test]
    fn on_a_short_path_the_window_is_what_reno_with_the_same_average_would_have() {
        // 30 segments, 1 ms: alpha = 9/17 a round up to 30, then one a round: 100 rounds.
        let (mut c, w) = after_a_loss(30);
        let w = drive(&mut c, w, 1, 0, 100);
        // 9 / (9/17) = 17 rounds to get back to 30, then 83 more.
        assert!((float(w.cwnd) - 113.0).abs() < 1.5, "{}", w.cwnd);
    }

    #[test]
    fn fast_convergence_aims_at_seventeen_twentieths_of_a_lower_loss() {
        let (mut c, _) = after_a_loss(100);
        c.reduce(avoidance(Segments::new(80)), Cause::FastRetransmit, at(1_000));
        assert!((float(c.up.w_max()) - 68.0).abs() < 1e-6);
        c.undone(avoidance(Segments::new(56)), avoidance(Segments::new(80)), at(1_100));
        assert_eq!(c.up.w_max(), Segments::new(100));
    }

    #[test]
    fn a_timeout_forgets_the_maximum_and_the_curve_starts_flat() {
        let mut c = new(&Params::default(), &setup());
        let r = c.reduce(avoidance(Segments::new(1_000)), Cause::Timeout, at(0));
        assert!((float(r.ssthresh) - 700.0).abs() < 1e-6);
        let w = drive(&mut c, avoidance(Segments::new(700)), 100, 1_000, 3_000);
        // 0.4 * 2.1^3 = 3.7 segments by the curve; Reno's 20 rounds of 9/17 are 10.6.
        assert!((float(w.cwnd) - 710.6).abs() < 0.3, "{}", w.cwnd);
    }

    #[test]
    fn idle_time_does_not_move_the_window_along_the_curve() {
        let (mut busy, w) = after_a_loss(1_000);
        let mut idle = busy;
        let first = drive(&mut busy, w, 100, 0, 1_000);
        let second = drive(&mut idle, w, 100, 0, 1_000);
        idle.restarted(second, crate::Duration::from_secs(60), at(61_000));
        let busy = drive(&mut busy, first, 100, 1_000, 2_000);
        let idle = drive(&mut idle, second, 100, 61_000, 62_000);
        assert!((float(busy.cwnd) - float(idle.cwnd)).abs() < 0.1, "{} {}", busy.cwnd, idle.cwnd);
    }

    #[test]
    fn one_ack_never_grows_the_window_by_more_than_half_a_segment() {
        let (mut c, w) = after_a_loss(100_000);
        drive(&mut c, w, 100, 0, 100);
        let grown = c.grow(w, &Grant::open(at(500_000), Segments::ONE));
        assert!(grown.cwnd - w.cwnd <= Segments::ONE.half());
    }
}
