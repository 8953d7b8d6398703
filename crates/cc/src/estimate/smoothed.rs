//! The estimate that Westwood's authors tried first: every ACK smoothed as TCP smooths its RTT.

use super::{AckedCount, Constant, Counting, Estimator, Filter};
use crate::controller::Ack;
use crate::units::{Bytes, Instant, Rate, Ratio};

/// `B_k = 7/8 B_(k-1) + 1/8 b_k` with a sample `b_k = d_k / D_k` an ACK: westwood-2002 section 2.2 says that
/// a filter like that of the round-trip time (RFC 6298) was tried first, and why it was given up.
///
/// Every sample has the same weight, however short the time that it stands for. So bunches of ACKs, whose
/// samples are many, huge and short, own the mean: what [`PerAck`](super::PerAck) mends in part, by
/// weighing a sample by its time, and [`OncePerRtt`](super::OncePerRtt) altogether.
///
/// * ACKs of the same instant: the data of the later ones is added to the next sample.
/// * The first ACK starts the clock.
///
/// ```
/// use westwood_cc::controller::Ack;
/// use westwood_cc::estimate::{Estimator, Smoothed};
/// use westwood_cc::{Bytes, Duration, Instant};
///
/// let mut estimate = Smoothed::default();
/// // Pairs of ACKs 1 ms apart every 48 ms: 500 kbit/s, of which every second sample says 12 Mbit/s.
/// for k in 0..200 {
///     let at = Duration::from_millis(48) * (k / 2) + Duration::from_millis(k % 2);
///     estimate.on_ack(&Ack {
///         now: Instant::ZERO + at,
///         smss: Bytes::new(1500),
///         newly: 1,
///         rtt: None,
///         srtt: Duration::ZERO,
///         in_flight: 2,
///         delivered: k + 1,
///         delivered_ce: 0,
///         one_way_delay: None,
///         predicted: None,
///         snd_una: k + 1,
///         snd_nxt: k + 3,
///         sample: None,
///     });
/// }
/// assert!(estimate.rate().bits_per_s() > 5_000_000);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Smoothed {
    filter: Constant,
    count: AckedCount,
    last: Option<Instant>,
    /// Data of ACKs that came at the very instant of the last sample.
    held: Bytes,
}

impl Default for Smoothed {
    /// An estimate of zero.
    fn default() -> Self {
        Self {
            filter: Constant::new(Ratio::new(1, 8)),
            count: AckedCount::new(Counting::Printed),
            last: None,
            held: Bytes::ZERO,
        }
    }
}

impl Estimator for Smoothed {
    fn on_ack(&mut self, ack: &Ack) {
        let data = ack.smss * self.count.count(ack.newly);
        let Some(last) = self.last else {
            self.last = Some(ack.now);
            return;
        };
        self.held += data;
        let step = ack.now.since(last);
        if let Some(sample) = self.held.per(step) {
            self.filter.update(sample, step);
            self.held = Bytes::ZERO;
            self.last = Some(ack.now);
        }
    }

    fn read(&mut self, _: Instant) -> Rate {
        self.rate()
    }

    fn rate(&self) -> Rate {
        self.filter.rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ack;

    #[test]
    fn evenly_spaced_acks_are_estimated_right() {
        let mut estimate = Smoothed::default();
        for k in 1..=200 {
            estimate.on_ack(&ack(24 * k, 48, k, k + 2));
        }
        // 1500 bytes every 24 ms.
        assert_eq!(estimate.rate().bits_per_s() / 1_000, 499);
    }
}
