//! The parts that the integration tests share: a stream of ACKs, and numbers as f64.
#![allow(dead_code, reason = "each test file uses its own part")]
#![expect(clippy::cast_precision_loss, reason = "models in f64 need no more than 53 bits")]

use westwood_cc::{Ack, Bytes, Duration, Instant, Rate, Segments};

/// Segments of 1500 bytes, as in the reference vectors.
pub(crate) const SMSS: Bytes = Bytes::new(1500);

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A receiver's ACKs, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) now: Instant,
    pub(crate) smss: Bytes,
    pub(crate) rtt: Duration,
    pub(crate) una: u64,
    pub(crate) flight: u64,
}

impl Stream {
    /// Nothing acknowledged yet, a constant round-trip time.
    pub(crate) fn new(rtt: Duration) -> Self {
        Self { now: Instant::ZERO, smss: SMSS, rtt, una: 0, flight: 64 }
    }

    /// An ACK for `newly` segments, `gap` after the last one.
    pub(crate) fn ack(&mut self, gap: Duration, newly: u64) -> Ack {
        self.now += gap;
        self.una += newly;
        Ack {
            now: self.now,
            smss: self.smss,
            newly,
            rtt: (newly > 0).then_some(self.rtt),
            srtt: self.rtt,
            in_flight: self.flight,
            delivered: self.una,
            delivered_ce: 0,
            one_way_delay: None,
            predicted: None,
            snd_una: self.una,
            snd_nxt: self.una + self.flight,
            sample: None,
        }
    }
}

pub(crate) fn bits_per_s(r: Rate) -> f64 {
    bytes_per_s(r) * 8.0
}

pub(crate) fn bytes_per_s(r: Rate) -> f64 {
    r.raw() as f64 / 65_536.0
}

pub(crate) fn segments(s: Segments) -> f64 {
    s.raw() as f64 / 4_294_967_296.0
}

pub(crate) fn seconds(d: Duration) -> f64 {
    d.as_nanos() as f64 / 1e9
}

pub(crate) fn float(n: u64) -> f64 {
    n as f64
}

/// Fails unless `value` is within the relative `tolerance` of `truth`.
#[track_caller]
pub(crate) fn assert_close(value: f64, truth: f64, tolerance: f64) {
    let error = (value - truth).abs() / truth.abs().max(f64::MIN_POSITIVE);
    assert!(error <= tolerance, "{value} is not {truth}: off by {error:e}");
}
