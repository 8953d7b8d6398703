//! The parts that the unit tests of several controllers share.

use crate::controller::{Ack, Setup, Window};
use crate::units::{Bytes, Duration, Instant, Segments};

/// A connection of 1500-byte segments that starts with ten of them.
pub(crate) fn setup() -> Setup {
    Setup {
        smss: Bytes::new(1_500),
        initial_window: Segments::new(10),
        seed: 1,
        handshake_rtt: None,
        paced: false,
    }
}

/// A window in congestion avoidance.
pub(crate) fn avoidance(cwnd: Segments) -> Window {
    Window { cwnd, ssthresh: Segments::TWO }
}

/// A window in slow start.
pub(crate) fn slow_start(cwnd: u64) -> Window {
    Window { cwnd: Segments::new(cwnd), ssthresh: Segments::MAX }
}

/// A number of segments for people and for f64 models.
#[expect(clippy::cast_precision_loss, reason = "a model needs no more than 53 bits")]
pub(crate) fn float(s: Segments) -> f64 {
    s.raw() as f64 / 4_294_967_296.0
}

/// An ACK at `now_ms` for one segment, with a round-trip time of `rtt_ms`, the whole of `snd_nxt`
/// segments sent and `snd_una` of them acknowledged.
pub(crate) fn ack(now_ms: u64, rtt_ms: u64, snd_una: u64, snd_nxt: u64) -> Ack {
    Ack {
        now: Instant::from_nanos(now_ms * 1_000_000),
        smss: Bytes::new(1_500),
        newly: 1,
        rtt: Some(Duration::from_millis(rtt_ms)),
        srtt: Duration::from_millis(rtt_ms),
        in_flight: snd_nxt - snd_una,
        delivered: snd_una,
        delivered_ce: 0,
        one_way_delay: None,
        predicted: None,
        snd_una,
        snd_nxt,
        sample: None,
    }
}
