//! Estimates of the path's rate from how far apart ACKs come: packet pair and Hoe's.
//!
//! ccr-2004 section 2.2 and westwood-plus-2004 section 1 discuss both, to show why Westwood+ does
//! without them: a queue that compresses or spreads ACKs goes straight into the estimate.

use super::Estimator;
use crate::controller::Ack;
use crate::math::scale;
use crate::units::{Bytes, Duration, Instant, Rate};

/// An ACK's arrival, and the oldest segment that it left unacknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AckArrival {
    at: Instant,
    snd_una: u64,
}

/// Packet pair (S. Keshav, "A Control-Theoretic Approach to Flow Control", SIGCOMM 1991): of segments
/// that leave back to back the bottleneck makes a train, and how far apart their ACKs come tells its
/// rate, `b = d / (t_2 - t_1)`, `d` what the later ACK acknowledges.
///
/// * A burst is what the sender put out between two ACKs, if that is two segments or more. A paced
///   sender has none.
/// * Two successive ACKs of segments of one burst are a pair. With delayed ACKs a burst of two has
///   one ACK and so no pair.
/// * The estimate is the latest pair's, without a filter. A duplicate ACK ends the burst.
/// * ACKs of the same instant say nothing.
///
/// ```
/// use westwood_cc::controller::Ack;
/// use westwood_cc::estimate::{Estimator, PacketPair};
/// use westwood_cc::{Bytes, Duration, Instant};
///
/// let mut estimate = PacketPair::new();
/// // Three segments of 1500 bytes left at once; their ACKs come 12 ms apart.
/// for (ms, snd_una, snd_nxt) in [(100, 1, 3), (112, 2, 5)] {
///     estimate.on_ack(&Ack {
///         now: Instant::ZERO + Duration::from_millis(ms),
///         smss: Bytes::new(1500),
///         newly: 1,
///         rtt: None,
///         srtt: Duration::ZERO,
///         in_flight: snd_nxt - snd_una,
///         delivered: snd_una,
///         delivered_ce: 0,
///         one_way_delay: None,
///         predicted: None,
///         snd_una,
///         snd_nxt,
///         sample: None,
///     });
/// }
/// assert_eq!(estimate.rate().bits_per_s(), 1_000_000);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketPair {
    /// The next segment to be sent when the last ACK came.
    sent: u64,
    /// The burst that is listened for: its first segment and the one behind its last.
    burst: Option<(u64, u64)>,
    /// The last ACK of one of its segments.
    last: Option<AckArrival>,
    rate: Rate,
}

impl PacketPair {
    /// An estimate of zero before the first pair.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Estimator for PacketPair {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.is_duplicate() {
            (self.burst, self.last, self.sent) = (None, None, ack.snd_nxt);
            return;
        }
        if self.burst.is_none() && ack.snd_nxt >= self.sent.saturating_add(2) {
            self.burst = Some((self.sent, ack.snd_nxt));
        }
        self.sent = ack.snd_nxt;
        let Some((first, end)) = self.burst else { return };
        if ack.snd_una > first && ack.snd_una <= end {
            let heard = AckArrival { at: ack.now, snd_una: ack.snd_una };
            if let Some(last) = self.last {
                let data = ack.smss * (ack.snd_una - last.snd_una);
                self.rate = data.per(ack.now.since(last.at)).unwrap_or(self.rate);
            }
            self.last = Some(heard);
        }
        if ack.snd_una >= end {
            (self.burst, self.last) = (None, None);
        }
    }

    fn read(&mut self, _: Instant) -> Rate {
        self.rate
    }

    fn rate(&self) -> Rate {
        self.rate
    }
}

/// J. C. Hoe, "Improving the Start-up Behavior of a Congestion Control Scheme for TCP", SIGCOMM 1996:
/// the slope of the least-squares line through three closely spaced ACKs.
///
/// ```text
/// rate = sum (t - mean t)(y - mean y) / sum (t - mean t)^2,   y what is acknowledged by time t
/// ```
///
/// * Closely spaced are the first three ACKs of a round trip, a round trip lasting until a segment is
///   acknowledged that left after its beginning. So there is an estimate in each.
/// * A duplicate ACK leaves the round trip without one.
/// * Times are shifted until they have 20 bits, which is a relative error below 4e-6.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hoe {
    /// The next segment to be sent when the round trip began.
    end: u64,
    /// Its first ACKs.
    heard: [Option<AckArrival>; 2],
    /// A third is waited for.
    open: bool,
    rate: Rate,
}

impl Hoe {
    /// An estimate of zero before the first round trip with three ACKs.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Estimator for Hoe {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.is_duplicate() {
            self.open = false;
            return;
        }
        let heard = AckArrival { at: ack.now, snd_una: ack.snd_una };
        if ack.snd_una > self.end {
            *self = Self { end: ack.snd_nxt, heard: [Some(heard), None], open: true, ..*self };
            return;
        }
        match self.heard {
            [Some(first), Some(second)] if self.open => {
                self.open = false;
                let times = [second.at, ack.now].map(|at| at.since(first.at));
                let data = [second.snd_una, ack.snd_una].map(|una| una - first.snd_una);
                let data = data.map(|segments| ack.smss * segments);
                self.rate = slope(times, data).unwrap_or(self.rate);
            }
            [Some(first), None] if self.open => self.heard = [Some(first), Some(heard)],
            _ => {}
        }
    }

    fn read(&mut self, _: Instant) -> Rate {
        self.rate
    }

    fn rate(&self) -> Rate {
        self.rate
    }
}

/// The slope of the least-squares line through (0, 0) and two later points; none if all are of one
/// instant.
///
/// With times 0, a, b and data 0, u, v the sums come to
/// `(2 a u + 2 b v - a v - b u) / (2 a^2 + 2 b^2 - 2 a b)`.
fn slope([second, third]: [Duration; 2], data: [Bytes; 2]) -> Option<Rate> {
    let mut shift = 0;
    while third.as_nanos() >> shift >= 1 << 20 {
        shift += 1;
    }
    let (a, b) = (second.as_nanos() >> shift, third.as_nanos() >> shift);
    let [u, v] = data.map(|data| data.get().min(1 << 38));
    // a <= b and u <= v, so that neither difference is negative.
    let num = a * u + (b - a) * (v - u) + b * v;
    let den = 2 * (b * (b - a) + a * a);
    if den == 0 {
        return None;
    }
    // The data that would come in all of the time, in 1/16 of a byte.
    let data = Bytes::new(scale(num, b << 4, den));
    Some(Rate::from_raw(data.per(third)?.raw() >> 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ack;

    /// ACKs, each for one segment, at these milliseconds; `sent` beyond what each acknowledges.
    fn hear(estimate: &mut impl Estimator, times: &[u64], sent: u64) {
        for (una, &ms) in (1..).zip(times) {
            estimate.on_ack(&ack(ms, 100, una, una + sent));
        }
    }

    #[test]
    fn both_are_exact_on_an_idle_path_in_slow_start() {
        // 1500 bytes in 12 ms, 1 Mbit/s, RTT 100 ms; each ACK sends two.
        let (mut pair, mut hoe) = (PacketPair::new(), Hoe::new());
        let arrivals = [100, 200, 212, 300, 312, 324, 336];
        for (una, &ms) in (1..).zip(&arrivals) {
            // The segments sent before this ACK: two segments for each before it, and the first.
            let heard = ack(ms, 100, una, 2 * una - 1);
            pair.on_ack(&heard);
            hoe.on_ack(&heard);
        }
        assert_eq!(pair.rate().bits_per_s(), 1_000_000);
        assert!(hoe.rate().bits_per_s().abs_diff(1_000_000) < 10, "{}", hoe.rate());
    }

    #[test]
    fn a_compressed_pair_misleads_and_three_acks_mislead_less() {
        let (mut pair, mut hoe) = (PacketPair::new(), Hoe::new());
        // The second ACK has been held up until just before the third.
        for (una, ms) in [(1, 100), (2, 123), (3, 124)] {
            let heard = ack(ms, 100, una, 10);
            pair.on_ack(&heard);
            hoe.on_ack(&heard);
        }
        assert_eq!(pair.rate().bits_per_s(), 12_000_000);
        // Times 0, 23, 24 ms around 47/3, segments 0, 1, 2 around 1: the products sum to 24, the
        // squares of the times to 1106/3, and 72/1106 segments a millisecond are 781,193 bit/s.
        assert!(hoe.rate().bits_per_s().abs_diff(781_193) < 10, "{}", hoe.rate());
    }

    #[test]
    fn segments_that_left_one_by_one_are_no_pair() {
        let mut pair = PacketPair::new();
        hear(&mut pair, &[100, 110, 120, 130], 0);
        assert_eq!(pair.rate(), Rate::ZERO);
    }

    #[test]
    fn a_duplicate_ends_the_burst_and_the_round_trip() {
        let (mut pair, mut hoe) = (PacketPair::new(), Hoe::new());
        for heard in [
            ack(100, 100, 1, 10),
            Ack { newly: 0, ..ack(101, 100, 1, 10) },
            ack(102, 100, 2, 10),
            ack(103, 100, 3, 10),
        ] {
            pair.on_ack(&heard);
            hoe.on_ack(&heard);
        }
        assert_eq!((pair.rate(), hoe.rate()), (Rate::ZERO, Rate::ZERO));
    }

    #[test]
    fn acks_of_one_instant_say_nothing() {
        let (mut pair, mut hoe) = (PacketPair::new(), Hoe::new());
        hear(&mut pair, &[100, 100, 100], 10);
        hear(&mut hoe, &[100, 100, 100], 10);
        assert_eq!((pair.rate(), hoe.rate()), (Rate::ZERO, Rate::ZERO));
    }
}
