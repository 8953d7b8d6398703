//! The estimate of Westwood, one sample an ACK (westwood-2002 sections 2.2 and 2.3).

use super::{AckedCount, Counting, Estimator, Filter, Tustin};
use crate::controller::Ack;
use crate::units::{Bytes, Duration, Instant, Rate};

/// Westwood's bandwidth estimate: every ACK is a sample `b_k = d_k / D_k`, smoothed by a
/// [`Tustin`] filter with the varying step `D_k = t_k - t_(k-1)`.
///
/// * `d_k` is what [`AckedCount`] makes of the ACK, times the segment size.
/// * In silence a virtual sample of zero is fed every `tau/m`. An ACK exactly on that grid comes
///   before the virtual sample. So no step exceeds `tau/m`, and the estimate decays by
///   `(2m-1)/(2m+1)` a step.
/// * Without decay no virtual sample is fed, and `D_k` is the time since the last ACK, however long:
///   `b_k` is taken over all of it, and in the filter it counts as `2 tau` at most.
/// * After `32 tau` of silence the estimate is zero: that is 64 steps at m = 2, and less than 1e-13
///   of it would be left.
/// * ACKs of the same instant: the data of the later ones is added to the next sample.
/// * The first step begins at `t_0`, the time of the first data segment. The estimator does not see
///   segments leave, so it takes the first ACK's arrival less its RTT sample. Without one the first
///   ACK only starts the clock, and its data is not counted.
///
/// Tustin's rule weighs a sample by half the step before and half the step behind it. The last ACK
/// of a compressed burst is a huge sample before a long step, hence the over-estimates under ACK
/// compression that led to Westwood+.
///
/// ```
/// use westwood_cc::controller::Ack;
/// use westwood_cc::estimate::{Counting, Estimator, PerAck};
/// use westwood_cc::{Bytes, Duration, Instant};
///
/// let mut estimate = PerAck::new(Duration::from_millis(500), 2, Counting::Printed);
/// // Two segments of 1500 bytes every 48 ms: 500 kbit/s.
/// for k in 1..=100 {
///     estimate.on_ack(&Ack {
///         now: Instant::ZERO + Duration::from_millis(48) * k,
///         smss: Bytes::new(1500),
///         newly: 2,
///         rtt: Some(Duration::from_millis(48)),
///         srtt: Duration::from_millis(48),
///         in_flight: 2,
///         delivered: 2 * k,
///         delivered_ce: 0,
///         one_way_delay: None,
///         predicted: None,
///         snd_una: 2 * k,
///         snd_nxt: 2 * k + 2,
///         sample: None,
///     });
/// }
/// assert_eq!(estimate.rate().bits_per_s() / 1000, 499);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PerAck {
    filter: Tustin,
    count: AckedCount,
    /// m: virtual samples in a time constant.
    per_tau: u64,
    /// Virtual samples are fed.
    decays: bool,
    /// t_s: the time of the last sample, real or virtual.
    sampled: Option<Instant>,
    /// Data of ACKs that came at the very instant of the last sample.
    held: Bytes,
}

impl PerAck {
    /// The silence, in time constants, that leaves nothing of the estimate.
    const FORGOTTEN: u64 = 32;

    /// An estimate of zero with time constant `tau` (0.5 s in the papers) and `m` virtual samples in
    /// it, brought into 2 to 8 (the paper asks for at least 2).
    pub fn new(tau: Duration, m: u64, counting: Counting) -> Self {
        Self {
            filter: Tustin::new(tau),
            count: AckedCount::new(counting),
            per_tau: m.clamp(2, 8),
            decays: true,
            sampled: None,
            held: Bytes::ZERO,
        }
    }

    /// This estimate with virtual samples in silence, or without.
    pub fn decaying(self, decays: bool) -> Self {
        Self { decays, ..self }
    }

    /// This estimate with a known `t_0`, for records that hold the time of the first segment.
    pub fn begun_at(self, t_0: Instant) -> Self {
        Self { sampled: Some(t_0), ..self }
    }

    /// tau/m.
    fn grid(&self) -> Duration {
        self.filter.tau() / self.per_tau
    }

    /// Feeds `n` virtual samples of zero after the sample at `from`; the time of the last one. Without
    /// decay there are none.
    fn decay_idle(&mut self, from: Instant, n: u64) -> Instant {
        if !self.decays {
            return from;
        }
        if n >= Self::FORGOTTEN * self.per_tau {
            self.filter.reset_to(Rate::ZERO);
        } else {
            for _ in 0..n {
                self.filter.update(Rate::ZERO, self.grid());
            }
        }
        from + self.grid() * n
    }
}

impl Estimator for PerAck {
    fn on_ack(&mut self, ack: &Ack) {
        let data = ack.smss * self.count.count(ack.newly);
        let Some(last) = self.sampled.or_else(|| ack.rtt.map(|rtt| ack.now - rtt)) else {
            self.sampled = Some(ack.now);
            return;
        };
        // Strictly before this ACK: on the grid the ACK wins.
        let silent = ack.now.since(last).as_nanos().saturating_sub(1) / self.grid().as_nanos();
        let last = self.decay_idle(last, silent);
        self.held += data;
        let step = ack.now.since(last);
        self.sampled = Some(last);
        if let Some(sample) = self.held.per(step) {
            self.filter.update(sample, step);
            self.held = Bytes::ZERO;
            self.sampled = Some(ack.now);
        }
    }

    fn read(&mut self, now: Instant) -> Rate {
        if let Some(last) = self.sampled {
            let silent = now.since(last).as_nanos() / self.grid().as_nanos();
            self.sampled = Some(self.decay_idle(last, silent));
        }
        self.rate()
    }

    fn rate(&self) -> Rate {
        self.filter.rate()
    }
}
