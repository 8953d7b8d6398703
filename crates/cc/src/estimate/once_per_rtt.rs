//! The estimate of Westwood+, one sample a round-trip time (westwood-plus-2004 section 2.3;
//! ccr-2004 section 2.2).

use super::{AckedCount, Counting, Estimator, Filter};
use crate::controller::Ack;
use crate::units::{Bytes, Duration, Instant, Rate};

crate::choices! {
    /// The estimate before the filter has a memory. The papers do not say;
    /// docs/explanation/decisions.md has what their authors' implementations do.
    pub enum Start {
        /// The first sample sets it, as in Linux from 2.6.18 on. In slow start that is the initial
        /// window over a round-trip time; the filter then lags behind the doubling, at about a fifth
        /// of it with filter B.
        FirstSample = "first-sample",
        /// Zero, as in Linux 2.4 and up to 2.6.17, in ns-2's modules and in ns-3: filter B needs 22
        /// round-trip times to reach 90 % of a constant input.
        Zero = "zero",
        /// The largest sample so far, while samples grow; see [`OncePerRtt`]. No implementation of
        /// the authors has it.
        Settled = "settled",
    }
}

crate::choices! {
    /// Which round-trip time an interval lasts.
    pub enum IntervalRtt {
        /// The latest sample, as the papers have it.
        Last = "last",
        /// The smoothed one of RFC 6298.
        Smoothed = "smoothed",
    }
}

/// How samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How ACKs are counted.
    pub counting: Counting,
    /// How the estimate begins.
    pub start: Start,
    /// Which round-trip time an interval lasts.
    pub rtt: IntervalRtt,
    /// The shortest interval: none in the papers, 50 ms in Linux.
    pub floor: Duration,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            counting: Counting::Printed,
            start: Start::FirstSample,
            rtt: IntervalRtt::Last,
            floor: Duration::ZERO,
        }
    }
}

/// Westwood+'s bandwidth estimate: `b_k = D_k / D`, the data that ACKs counted over an interval of a
/// round-trip time, smoothed by a [`Filter`].
///
/// * The first ACK begins the first interval. An interval ends with the first ACK that comes at
///   least a round-trip time after its beginning, and that ACK belongs to the next one. So no ACK is
///   counted twice, and a burst of compressed ACKs falls into one interval.
/// * Until there is an RTT sample no interval ends.
/// * Silence does not decay the estimate: the next sample is averaged over a longer interval.
///
/// With [`Start::Settled`] the filter's memory holds nothing of slow start, and the estimate is
/// nearer to the path's rate at the first overshoot. Until the samples have settled, the estimate
/// is the largest sample so far. They have settled at the third sample in a row that is not a
/// quarter above the estimate (the rule, and the numbers, by which BBR sees that the pipe is full).
/// From that sample on the filter works. A sample spans a round-trip time, so it cannot exceed the
/// bottleneck's rate by more than one compressed burst; the largest and not the latest is taken
/// because a loss, or a short queue that runs empty, only makes samples too small.
///
/// ```
/// use westwood_cc::controller::Ack;
/// use westwood_cc::estimate::{Constant, Estimator, OncePerRtt, Sampling};
/// use westwood_cc::{Bytes, Duration, Instant};
///
/// let mut estimate = OncePerRtt::new(Constant::new(Constant::GAIN), Sampling::default());
/// // A recorded stream: (arrival in ms, segments covered), 1500 bytes each, RTT 100 ms.
/// let record = [(0, 2), (1, 2), (100, 2), (101, 2), (200, 2), (201, 2)];
/// let mut una = 0;
/// for (ms, newly) in record {
///     una += newly;
///     estimate.on_ack(&Ack {
///         now: Instant::ZERO + Duration::from_millis(ms),
///         smss: Bytes::new(1500),
///         newly,
///         rtt: Some(Duration::from_millis(100)),
///         srtt: Duration::from_millis(100),
///         in_flight: 4,
///         delivered: una,
///         delivered_ce: 0,
///         one_way_delay: None,
///         predicted: None,
///         snd_una: una,
///         snd_nxt: una + 4,
///         sample: None,
///     });
/// }
/// // Four segments in 100 ms.
/// assert_eq!(estimate.rate().bits_per_s(), 480_000);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OncePerRtt<F> {
    filter: F,
    count: AckedCount,
    sampling: Sampling,
    phase: StartPhase,
    rtt: Option<Duration>,
    /// When the interval began; none before the first ACK.
    began: Option<Instant>,
    /// The bytes that its ACKs have counted.
    data: Bytes,
}

/// How far the beginning has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartPhase {
    /// The next sample sets the estimate.
    First,
    /// The estimate climbs with the samples; this many in a row have not grown.
    Climbing(u8),
    /// The filter works.
    Filtering,
}

impl<F: Filter> OncePerRtt<F> {
    /// The samples in a row without growth by a quarter that end the climb.
    const SETTLED_AFTER: u8 = 3;

    /// An estimate of zero before the first sample.
    pub fn new(filter: F, sampling: Sampling) -> Self {
        Self {
            filter,
            count: AckedCount::new(sampling.counting),
            phase: match sampling.start {
                Start::FirstSample => StartPhase::First,
                Start::Zero => StartPhase::Filtering,
                Start::Settled => StartPhase::Climbing(0),
            },
            sampling,
            rtt: None,
            began: None,
            data: Bytes::ZERO,
        }
    }

    /// Once a round-trip time, unlike what stands around it.
    #[inline(never)]
    fn on_sample(&mut self, sample: Rate, span: Duration) {
        self.phase = match self.phase {
            StartPhase::First => {
                self.filter.reset_to(sample);
                StartPhase::Filtering
            }
            StartPhase::Climbing(flat) => self.track_maximum(sample, span, flat),
            StartPhase::Filtering => {
                self.filter.update(sample, span);
                StartPhase::Filtering
            }
        };
    }

    fn track_maximum(&mut self, sample: Rate, span: Duration, flat: u8) -> StartPhase {
        let highest = self.filter.rate();
        let grown = sample.raw() > highest.raw().saturating_add(highest.raw() / 4);
        let flat = if grown { 0 } else { flat + 1 };
        if flat == Self::SETTLED_AFTER {
            self.filter.update(sample, span);
            return StartPhase::Filtering;
        }
        if sample > highest {
            self.filter.reset_to(sample);
        }
        StartPhase::Climbing(flat)
    }

    #[inline]
    fn note_rtt(&mut self, ack: &Ack) {
        self.rtt = match self.sampling.rtt {
            IntervalRtt::Smoothed if !ack.srtt.is_zero() => Some(ack.srtt),
            _ => ack.rtt.or(self.rtt),
        };
    }
}

impl<F: Filter> Estimator for OncePerRtt<F> {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.note_rtt(ack);
        let began = *self.began.get_or_insert(ack.now);
        let span = ack.now.since(began);
        if self.rtt.is_some_and(|rtt| span >= rtt.max(self.sampling.floor)) {
            // No sample of an interval without length: it goes on.
            if let Some(sample) = self.data.per(span) {
                self.on_sample(sample, span);
                self.began = Some(ack.now);
                self.data = Bytes::ZERO;
            }
        }
        self.data += ack.smss * self.count.count(ack.newly);
    }

    fn read(&mut self, _: Instant) -> Rate {
        self.rate()
    }

    fn rate(&self) -> Rate {
        self.filter.rate()
    }
}
