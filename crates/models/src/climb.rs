//! The time that a window takes from one value to another where nothing is lost.
//!
//! Up to the bandwidth-delay product a round trip takes the propagation time; beyond, the queue grows
//! with the window and a round trip takes W/C. Each growth is a fluid with an ACK for every segment.
//! With delayed ACKs additive and logarithmic growth take twice as long, and 4 % a round trip are 2 %.

use crate::units::{
    Aggressiveness, BitsPerSecond, OutOfRange, RoundTrip, Seconds, SegmentSize, Segments,
};

/// A path with one bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClimbPath {
    /// Segments a second.
    capacity: f64,
    /// Without queueing, in seconds.
    rtt: f64,
}

impl ClimbPath {
    /// A capacity, the size of a segment on it, and round-trip times, of which the least counts.
    pub fn new(capacity: BitsPerSecond, size: SegmentSize, times: RoundTrip) -> Self {
        Self { capacity: capacity.in_segments(size).value(), rtt: times.least() }
    }

    /// The bandwidth-delay product.
    pub fn product(&self) -> Segments {
        // Two positive numbers.
        Segments::from_model(self.capacity * self.rtt)
    }

    /// The time of a growth that adds a segment a round trip: Reno's and Westwood's.
    pub fn additive(&self, from: Segments, to: Segments) -> Result<Seconds, OutOfRange> {
        self.time(from, to, |low, high| high - low, |low, high| (high * high - low * low) / 2.0)
    }

    /// The time of a growth that multiplies the window by `factor` in a round trip, above 1:
    /// Westwood+ with probing has 1.04 (westwood-10g-2005 section 3.1).
    pub fn multiplicative(
        &self,
        from: Segments,
        to: Segments,
        factor: f64,
    ) -> Result<Seconds, OutOfRange> {
        let exponent = libm::log(factor);
        if !(exponent > 0.0 && exponent.is_finite()) {
            let range = "above 1, and finite";
            return Err(OutOfRange { quantity: "a factor of growth", value: factor, range });
        }
        let rounds = |low: f64, high: f64| libm::log(high / low) / exponent;
        self.time(from, to, rounds, |low, high| (high - low) / exponent)
    }

    /// The time of LogWestwood+'s growth towards `target` with the floor of a segment a round trip
    /// (equation 2), with `a` constant. The floor takes over within `a` of the target.
    pub fn logarithmic(
        &self,
        from: Segments,
        to: Segments,
        target: Segments,
        a: Aggressiveness,
    ) -> Result<Seconds, OutOfRange> {
        let (target, a) = (target.value(), a.value());
        let floor = (target - a).max(0.0);
        let curve = |w: f64| -a * libm::log(target - w);
        let rounds = |low: f64, high: f64| {
            let (bent, straight) = split(low, high, floor);
            let curved = if bent.0 < bent.1 { curve(bent.1) - curve(bent.0) } else { 0.0 };
            curved + straight.1 - straight.0
        };
        // The integral of a W/(W_max - W) is -a W - a W_max ln(W_max - W).
        let segments = |low: f64, high: f64| {
            let (bent, straight) = split(low, high, floor);
            let curved = if bent.0 < bent.1 {
                target * (curve(bent.1) - curve(bent.0)) - a * (bent.1 - bent.0)
            } else {
                0.0
            };
            curved + (straight.1 * straight.1 - straight.0 * straight.0) / 2.0
        };
        self.time(from, to, rounds, segments)
    }

    /// Round trips of constant length below the product and segments at the capacity above it. Refused
    /// for a last window below the first.
    fn time(
        &self,
        from: Segments,
        to: Segments,
        rounds: impl Fn(f64, f64) -> f64,
        segments: impl Fn(f64, f64) -> f64,
    ) -> Result<Seconds, OutOfRange> {
        if to < from {
            let range = "at least the first window";
            return Err(OutOfRange { quantity: "the last window", value: to.value(), range });
        }
        let (idle, full) = split(from.value(), to.value(), self.product().value());
        let waiting = if idle.0 < idle.1 { rounds(idle.0, idle.1) * self.rtt } else { 0.0 };
        let busy = if full.0 < full.1 { segments(full.0, full.1) / self.capacity } else { 0.0 };
        Seconds::new(waiting + busy)
    }
}

/// The parts of a range below and above `at`.
fn split(low: f64, high: f64, at: f64) -> ((f64, f64), (f64, f64)) {
    ((low, high.min(at).max(low)), (low.max(at).min(high), high))
}
