//! The cubic window increase of RFC 9438.

use super::Increase;
use crate::controller::{Ack, Cause};
use crate::math::{cube_root, mul_q32, scale};
use crate::units::{Duration, Instant, Ratio, Segments};

/// The settings of the curve.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// `C`: how steep the curve is, in segments per cubic second.
    pub c: Ratio,
    /// `beta_cubic`: the share of the window that a loss leaves. Reno-friendly growth depends on it.
    pub beta: Ratio,
    /// A loss below the last `W_max` aims lower, so that a new flow gets its share sooner.
    pub fast_convergence: bool,
    /// Grow at least as Reno would.
    pub reno_friendly: bool,
}

/// One stage of congestion avoidance, from the first ACK after a reduction.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// `t_epoch`.
    began: Instant,
    /// `K`, in seconds with 20 fractional bits.
    k: u64,
    /// The window at which the curve is flat: `W_max`.
    origin: Segments,
    /// `W_est`: the window that Reno would have.
    w_est: Segments,
}

/// The state that a spurious reduction must give back (section 4.9).
#[derive(Clone, Copy, Debug)]
struct Memory {
    w_max: Segments,
    cwnd_prior: Segments,
    epoch: Option<Epoch>,
}

/// `cwnd += (target - cwnd) / cwnd` for each ACK, the target lying on the cubic curve.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    shape: Shape,
    /// `alpha` times one segment, what most ACKs gain `W_est` before `cwnd_prior` is reached.
    alpha_segment: Segments,
    srtt: Duration,
    now: Memory,
    before: Memory,
}

impl Cubic {
    /// A curve without a past.
    pub fn new(shape: Shape) -> Self {
        let memory = Memory { w_max: Segments::ZERO, cwnd_prior: Segments::ZERO, epoch: None };
        let alpha_segment = Segments::ONE.times(alpha(shape.beta));
        Self { shape, alpha_segment, srtt: Duration::ZERO, now: memory, before: memory }
    }

    /// `W_max`: the window of the last loss; zero where none is known.
    pub fn w_max(&self) -> Segments {
        self.now.w_max
    }

    /// The stage in progress, begun by this ACK if none was.
    ///
    /// Section 4.2: the curve starts at `cwnd_epoch` and is flat at `W_max`. Without a `W_max`, after
    /// a timeout (4.8) or a slow start without loss (4.10), `K = 0` and the curve starts flat.
    fn epoch(&mut self, cwnd: Segments, now: Instant) -> Epoch {
        if let Some(epoch) = self.now.epoch {
            return epoch;
        }
        if self.now.cwnd_prior == Segments::ZERO {
            self.now.cwnd_prior = cwnd;
        }
        let origin = self.now.w_max.max(cwnd);
        Epoch { began: now, k: cubic_k(origin - cwnd, self.shape.c), origin, w_est: cwnd }
    }

    /// Figure 4: `W_est += alpha * segments_acked / cwnd`, `alpha` being 1 once the window before
    /// the loss is reached again.
    fn w_est(&self, w_est: Segments, cwnd: Segments, credit: Segments) -> Segments {
        let gained = if w_est >= self.now.cwnd_prior {
            credit
        } else if credit == Segments::ONE {
            self.alpha_segment
        } else {
            credit.times(alpha(self.shape.beta))
        };
        w_est + gained.over(cwnd)
    }
}

/// Section 4.3: `alpha = 3 (1 - beta) / (1 + beta)`, with which an AIMD window of factor `beta` is as
/// large on average as Reno's.
///
/// Terms beyond a word of 32 bits lose up to two of their low bits.
fn alpha(beta: Ratio) -> Ratio {
    let left = beta.complement();
    let num = 3 * u64::from(left.num());
    let den = u64::from(beta.den()) + u64::from(beta.num());
    let excess = 32_u32.saturating_sub(num.max(den).leading_zeros());
    let word = |n: u64| u32::try_from(n >> excess).unwrap_or(u32::MAX);
    Ratio::new(word(num), word(den))
}

/// Figure 2: `K = cbrt((W_max - cwnd_epoch) / C)`, in seconds with 20 fractional bits.
///
/// The radicand is shifted up in threes of bits as far as a word allows, so that the root has at
/// least 20 bits: it is low by 10^-6 at most.
fn cubic_k(distance: Segments, c: Ratio) -> u64 {
    // K^3 with 60 fractional bits would be this times 2^28.
    let cube = scale(distance.raw(), u64::from(c.den()), u64::from(c.num().max(1)));
    let (mut shift, mut rest) = (28_u32, 0_u32);
    while rest < 9 && cube >> (63 - shift) != 0 {
        shift -= 3;
        rest += 1;
    }
    cube_root(cube << shift) << rest
}

/// Figure 1: `W_cubic(t) = C (t - K)^3 + W_max`, both times in seconds with 20 fractional bits.
///
/// Times further than 512 s from `K` count as 512 s: with `C` at 0.4 the curve has long left the
/// range of windows there.
fn w_cubic(t: u64, epoch: &Epoch, c: Ratio) -> Segments {
    let x = t.abs_diff(epoch.k).min((512 << 20) - 1);
    let cube = mul_q32(x * x, x); // seconds^3 with 28 fractional bits, below 2^55
    let offset = scale(cube, u64::from(c.num()), u64::from(c.den())).min(1 << 52);
    let offset = Segments::from_raw(offset << 4);
    if t < epoch.k { epoch.origin - offset } else { epoch.origin + offset }
}

/// Seconds with 20 fractional bits, at most 1024 s.
fn seconds(d: Duration) -> u64 {
    scale(d.min(Duration::from_secs(1_024)).as_nanos(), 1 << 20, 1_000_000_000)
}

impl Increase for Cubic {
    fn measure(&mut self, ack: &Ack) {
        self.srtt = ack.srtt;
    }

    fn increase(&mut self, cwnd: Segments, credit: Segments, now: Instant) -> Segments {
        let mut epoch = self.epoch(cwnd, now);
        epoch.w_est = self.w_est(epoch.w_est, cwnd, credit);
        self.now.epoch = Some(epoch);
        let t = seconds(now.since(epoch.began));
        if self.shape.reno_friendly && w_cubic(t, &epoch, self.shape.c) < epoch.w_est {
            return cwnd.max(epoch.w_est);
        }
        // Section 4.2: the target is the curve one round-trip time ahead, within [cwnd, 1.5 cwnd].
        let target = w_cubic(t + seconds(self.srtt), &epoch, self.shape.c);
        let target = target.max(cwnd).min(cwnd + cwnd.half());
        cwnd + credit.times_q32((target - cwnd).over(cwnd))
    }

    /// Section 4.7, fast convergence; section 4.8 for a timeout.
    fn reduced(&mut self, before: Segments, after: Segments, cause: Cause, _: Instant) {
        self.before = self.now;
        self.now.cwnd_prior = before;
        self.now.epoch = None;
        self.now.w_max = if cause == Cause::Timeout {
            Segments::ZERO
        } else if self.shape.fast_convergence && before < self.now.w_max {
            (before + after).half()
        } else {
            before
        };
    }

    fn undone(&mut self) {
        self.now = self.before;
    }

    /// Section 4.2: `t` does not count the time in which there was nothing to send.
    fn restarted(&mut self, idle: Duration) {
        if let Some(epoch) = &mut self.now.epoch {
            epoch.began += idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::float;

    const C: Ratio = Ratio::new(2, 5);

    #[expect(clippy::cast_precision_loss, reason = "a model needs no more than 53 bits")]
    fn q20(x: u64) -> f64 {
        x as f64 / 1_048_576.0
    }

    #[test]
    fn k_for_a_loss_at_a_hundred_segments_is_four_seconds_and_a_fifth() {
        // (100 - 70) / 0.4 = 75 = 4.21716^3
        assert!((q20(cubic_k(Segments::new(30), C)) - 4.217_163).abs() < 2e-6);
        // 1000 s^3 has an exact root.
        assert!((q20(cubic_k(Segments::new(400), C)) - 10.0).abs() < 1.1e-5);
        assert_eq!(cubic_k(Segments::ZERO, C), 0);
    }

    #[test]
    fn k_is_within_a_millionth_for_any_distance() {
        let mut distance = 3_u64 << 20; // a thousandth of a segment
        while distance < Segments::MAX.raw() {
            let d = Segments::from_raw(distance);
            let exact = (float(d) / 0.4).cbrt();
            let error = q20(cubic_k(d, C)) - exact;
            assert!(error.abs() < 1.1e-6 * exact + 1.0e-6, "{distance}: {error}");
            distance = distance * 5 / 3;
        }
    }

    #[test]
    fn the_curve_is_flat_at_w_max_and_symmetric_about_it() {
        let origin = Segments::new(1_000);
        let epoch = Epoch { began: Instant::ZERO, k: 5 << 20, origin, w_est: origin };
        assert_eq!(w_cubic(5 << 20, &epoch, C), origin);
        // 0.4 * 5^3 = 50 below and above, to 2^-28.
        assert!((float(w_cubic(0, &epoch, C)) - 950.0).abs() < 1e-7);
        assert!((float(w_cubic(10 << 20, &epoch, C)) - 1_050.0).abs() < 1e-7);
        assert_eq!(w_cubic(u64::MAX, &epoch, Ratio::new(100, 1)), Segments::MAX);
    }

    #[test]
    fn alpha_is_nine_seventeenths_for_the_standard_beta_and_one_for_renos() {
        let a = alpha(Ratio::new(7, 10));
        assert_eq!(a.num() * 17, a.den() * 9);
        let reno = alpha(Ratio::new(1, 2));
        assert_eq!(reno.num(), reno.den());
    }

    #[test]
    fn alpha_is_right_for_a_beta_whose_terms_fill_their_words() {
        let off = |beta, want: Ratio| alpha(beta).q32().abs_diff(want.q32());
        assert!(off(Ratio::new(2_940_000_000, 4_200_000_000), Ratio::new(9, 17)) <= 8);
        assert!(off(Ratio::new(429_496_729, u32::MAX), Ratio::new(27, 11)) <= 32);
        assert_eq!(alpha(Ratio::new(u32::MAX, u32::MAX)).num(), 0);
    }
}
