//! The papers' throughput models from the controllers' own steps (reference vectors, 21.5).
//!
//! A model says where a window settles: the growth of an ACK, times the chance of one, equals the
//! reduction of a loss, times its chance. Here growth and reduction are asked of the integer
//! controllers, the balance is found by halving an interval, and the result is held to the published
//! closed forms' numbers. So no formula is written twice.
//!
//! RTT 200 ms, of which 20 ms are queueing; K = 1500, Wmax = 1800, a = 2. Of LogWestwood+'s columns the
//! one "as printed" follows from a misprint and not from the algorithm. At a loss probability of 1e-6
//! Proposition 2 settles within `a` segments of Wmax, where the algorithm's floor of 1/W takes over,
//! which the model leaves out (its assumption vi).
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "windows of a few thousand segments"
)]

use westwood_cc::controller::Reduction;
use westwood_cc::decrease::{Adaptive, Decrease, Multiplicative, Rules, WindowRtt};
use westwood_cc::estimate::Estimator;
use westwood_cc::increase::{Additive, Increase, Logarithmic};
use westwood_cc::{Ack, Bytes, Cause, Duration, Instant, Rate, Ratio, Segments, Window};

const SMSS: Bytes = Bytes::new(1500);
const RTT_S: f64 = 0.2;
const MIN_RTT: Duration = Duration::from_millis(180);
const NOW: Instant = Instant::ZERO;

fn segments(w: f64) -> Segments {
    Segments::from_raw((w * 2_f64.powi(32)) as u64)
}

fn real(w: Segments) -> f64 {
    w.raw() as f64 / 2_f64.powi(32)
}

/// The increase of one ACK.
fn growth(up: &mut impl Increase, w: f64) -> f64 {
    real(up.increase(segments(w), Segments::ONE, NOW)) - w
}

/// The window that a loss leaves.
fn kept(down: &mut impl Decrease, w: f64) -> f64 {
    let window = Window { cwnd: segments(w), ssthresh: segments(w) };
    let Reduction { resume, .. } = down.reduce(window, Cause::FastRetransmit, NOW);
    real(resume)
}

/// The rate in segments a second at which growth and loss balance.
fn settled(p: f64, mut growth: impl FnMut(f64) -> f64, mut kept: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (2.0, 100_000.0);
    for _ in 0..60 {
        let w = f64::midpoint(low, high);
        if (1.0 - p) * growth(w) > p * (w - kept(w)) { low = w } else { high = w }
    }
    low / RTT_S
}

/// An estimate that is exactly what the window carries.
struct Carried(Rate);

impl Estimator for Carried {
    fn on_ack(&mut self, _: &Ack) {}
    fn read(&mut self, _: Instant) -> Rate {
        self.0
    }
    fn rate(&self) -> Rate {
        self.0
    }
}

/// Westwood's decrease for a flow that carries `carried` segments a round-trip time.
fn adaptive(carried: f64) -> Adaptive<Carried> {
    let bytes_per_s = carried * SMSS.get() as f64 / RTT_S;
    let rate = Rate::from_raw((bytes_per_s * 65_536.0) as u64);
    let rules = Rules { guard: false, window: WindowRtt::MinRtt, given: Rate::ZERO };
    let mut down = Adaptive::new(Carried(rate), rules, SMSS);
    down.measure(&Ack {
        now: NOW,
        smss: SMSS,
        newly: 1,
        rtt: Some(MIN_RTT),
        srtt: MIN_RTT,
        in_flight: 1,
        delivered: 1,
        delivered_ce: 0,
        one_way_delay: None,
        predicted: None,
        snd_una: 1,
        snd_nxt: 2,
        sample: None,
    });
    down
}

/// LogWestwood+'s increase towards 1800 segments, with a fixed at 2.
fn towards_1800() -> Logarithmic {
    let mut up = Logarithmic::new(2, false, false);
    up.reduced(Segments::new(1800), Segments::new(1500), Cause::FastRetransmit, NOW);
    up
}

fn assert_near(what: &str, p: f64, ours: f64, printed: f64) {
    let off = ours / printed - 1.0;
    assert!(off.abs() < 1e-4, "{what} at {p}: {ours:.3}, printed {printed}: {off:+.1e}");
}

#[test]
fn reno_settles_where_its_model_says() {
    let printed =
        [(1e-6, 7071.064), (1e-5, 2236.057), (1e-4, 707.071), (1e-3, 223.495), (1e-2, 70.356)];
    for (p, rate) in printed {
        let mut down = Multiplicative { share: Ratio::new(1, 2) };
        let ours = settled(p, |w| growth(&mut Additive, w), |w| kept(&mut down, w));
        assert_near("Reno", p, ours, rate);
    }
}

#[test]
fn westwood_plus_settles_where_its_model_says() {
    let printed =
        [(1e-6, 15811.380), (1e-5, 4999.975), (1e-4, 1581.060), (1e-3, 499.750), (1e-2, 157.321)];
    for (p, rate) in printed {
        let ours = settled(p, |w| growth(&mut Additive, w), |w| kept(&mut adaptive(w), w));
        assert_near("Westwood+", p, ours, rate);
    }
}

#[test]
fn log_westwood_plus_settles_where_proposition_2_says() {
    let printed = [(1e-5, 8967.831), (1e-4, 8697.391), (1e-3, 7024.359), (1e-2, 3641.681)];
    for (p, rate) in printed {
        let mut up = towards_1800();
        let ours = settled(p, |w| growth(&mut up, w), |w| kept(&mut adaptive(w), w));
        assert_near("Proposition 2", p, ours, rate);
    }
}

#[test]
fn log_westwood_plus_settles_where_the_corrected_proposition_1_says() {
    // There the bandwidth estimate is given: K = B Rmin / S = 1500 segments.
    let carried = 1500.0 * RTT_S / 0.18;
    let printed = [(1e-5, 8948.166), (1e-4, 8615.527), (1e-3, 7861.637), (1e-2, 7547.626)];
    for (p, rate) in printed {
        let mut up = towards_1800();
        let ours = settled(p, |w| growth(&mut up, w), |w| kept(&mut adaptive(carried), w));
        assert_near("Proposition 1", p, ours, rate);
    }
}
