//! Reno's rate under independent losses.
//!
//! A segment is acknowledged with probability 1-p and adds 1/W, or is lost with probability p and
//! takes W/2 away. W of them are sent in a round trip, so the window drifts by
//!
//! ```text
//! dW/dt = W/RTT [ (1-p)/W - p W/2 ]
//! ```
//!
//! and rests where the bracket is zero. All losses are supposed to be seen by duplicate ACKs, each
//! segment to be acknowledged by its own ACK.

use core::num::NonZeroU8;

use crate::units::{LossRate, RoundTrip, Seconds, Segments, SegmentsPerSecond};

/// The window at which growth and losses balance, sqrt(2(1-p)/p) segments (ccr-2004, the window of
/// equation 2).
pub fn window(p: LossRate) -> Segments {
    let p = p.value();
    // Two roots, since the quotient overflows for the smallest p.
    Segments::from_model((2.0 * (1.0 - p)).sqrt() / p.sqrt())
}

/// The rate (1/RTT) sqrt(2(1-p)/p), ccr-2004 equation 2.
pub fn rate(times: RoundTrip, p: LossRate) -> SegmentsPerSecond {
    SegmentsPerSecond::of(window(p).value(), times.mean())
}

/// For small p: (1/RTT) sqrt(2/p). westwood-plus-2004 equation 1 states it as a proportion, without
/// the constant.
pub fn rate_for_rare_losses(times: RoundTrip, p: LossRate) -> SegmentsPerSecond {
    SegmentsPerSecond::of(2.0_f64.sqrt() / p.value().sqrt(), times.mean())
}

/// The rate with timeouts, for all p: RFC 5348 section 3.1 (after J. Padhye, V. Firoiu, D. Towsley,
/// J. Kurose, SIGCOMM 1998, whose min(1, ...) over the share of timeouts it leaves out), with `b` segments
/// for each ACK. The papers' models leave timeouts out.
///
/// ```text
/// r = 1 / ( RTT sqrt(2bp/3) + RTO (3 sqrt(3bp/8)) p (1 + 32 p^2) )
/// ```
///
/// `b` is 1, or 2 where ACKs are delayed.
pub fn rate_with_timeouts(
    times: RoundTrip,
    rto: Seconds,
    b: NonZeroU8,
    p: LossRate,
) -> SegmentsPerSecond {
    let (p, b) = (p.value(), f64::from(b.get()));
    let repairs = times.mean() * (2.0 * b * p / 3.0).sqrt();
    let timeouts = rto.value() * 3.0 * (3.0 * b * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    SegmentsPerSecond::from_model(1.0 / (repairs + timeouts))
}
