//! Estimators beside a connection, fed with the same ACKs as its controller.

use super::{
    Constant, Estimator, Filter, Hoe, LinuxEstimate, OncePerRtt, PacketPair, PerAck, Resampled,
    Sampling, Smoothed,
};
use crate::controller::Ack;
use crate::estimate::Counting;
use crate::units::{Duration, Instant, Rate, Ratio, Segments};

/// An estimator that can be run beside a connection, with the constants of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EstimatorKind {
    /// Westwood's: a sample an ACK (westwood-2002).
    Westwood,
    /// Westwood+'s, filter A (westwood-plus-2004).
    WestwoodPlusA,
    /// Westwood+'s, filter B (ccr-2004).
    WestwoodPlusB,
    /// Linux's.
    Linux,
    /// The window over the round-trip time (ccr-2004 figure 2).
    InputRate,
    /// Packet pair.
    PacketPair,
    /// Hoe's.
    Hoe,
    /// A sample an ACK, smoothed as TCP smooths its round-trip time: an ablation.
    Smoothed,
}

impl EstimatorKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Westwood,
        Self::WestwoodPlusA,
        Self::WestwoodPlusB,
        Self::Linux,
        Self::InputRate,
        Self::PacketPair,
        Self::Hoe,
        Self::Smoothed,
    ];

    /// The name in scenario files and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Westwood => "westwood",
            Self::WestwoodPlusA => "westwood+a",
            Self::WestwoodPlusB => "westwood+b",
            Self::Linux => "linux",
            Self::InputRate => "input-rate",
            Self::PacketPair => "packet-pair",
            Self::Hoe => "hoe",
            Self::Smoothed => "smoothed",
        }
    }

    /// Its rule, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Westwood => "a sample an ACK, Tustin's filter of 0.5 s (westwood-2002)",
            Self::WestwoodPlusA => "a sample an RTT, Tustin's filter (westwood-plus-2004)",
            Self::WestwoodPlusB => "a sample an RTT, filter 0.9 (ccr-2004)",
            Self::Linux => "Linux's Westwood+: two filters of 7/8 in cascade",
            Self::InputRate => "cwnd over RTT, once an RTT, filter 0.9 (ccr-2004 figure 2)",
            Self::PacketPair => "the latest packet pair",
            Self::Hoe => "a line through the first three ACKs of each round trip",
            Self::Smoothed => {
                "a sample an ACK, filter 7/8 whatever its time (westwood-2002, rejected)"
            }
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of estimators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimatorKinds(u8);

impl EstimatorKinds {
    /// No estimator.
    pub const NONE: Self = Self(0);

    /// This set with one more.
    #[must_use]
    pub const fn with(self, kind: EstimatorKind) -> Self {
        Self(self.0 | kind.bit())
    }

    /// True if there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its members, in the order of [`EstimatorKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = EstimatorKind> {
        EstimatorKind::ALL.into_iter().filter(move |kind| self.0 & kind.bit() != 0)
    }
}

impl FromIterator<EstimatorKind> for EstimatorKinds {
    fn from_iter<I: IntoIterator<Item = EstimatorKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::with)
    }
}

/// An estimator beside a connection: it sees every ACK, and nothing depends on it.
#[derive(Clone, Copy, Debug)]
pub struct ShadowEstimator {
    kind: EstimatorKind,
    estimator: Any,
}

#[derive(Clone, Copy, Debug)]
enum Any {
    Westwood(PerAck),
    PlusA(OncePerRtt<Resampled>),
    PlusB(OncePerRtt<Constant>),
    Linux(LinuxEstimate),
    InputRate(InputRate),
    PacketPair(PacketPair),
    Hoe(Hoe),
    Smoothed(Smoothed),
}

impl ShadowEstimator {
    /// The papers' time constant, and their virtual samples in it.
    const TAU: Duration = Duration::from_millis(500);
    const PER_TAU: u64 = 2;
    /// Clock ticks a second of the kernel.
    const HZ: u64 = 250;

    /// An estimator that has seen nothing.
    pub fn new(kind: EstimatorKind) -> Self {
        let sampling = Sampling::default();
        let estimator = match kind {
            EstimatorKind::Westwood => {
                Any::Westwood(PerAck::new(Self::TAU, Self::PER_TAU, Counting::Printed))
            }
            EstimatorKind::WestwoodPlusA => {
                Any::PlusA(OncePerRtt::new(Resampled::new(Self::TAU), sampling))
            }
            EstimatorKind::WestwoodPlusB => {
                Any::PlusB(OncePerRtt::new(Constant::new(Constant::GAIN), sampling))
            }
            EstimatorKind::Linux => Any::Linux(LinuxEstimate::new(Self::HZ, false)),
            EstimatorKind::InputRate => Any::InputRate(InputRate::new(Constant::GAIN)),
            EstimatorKind::PacketPair => Any::PacketPair(PacketPair::new()),
            EstimatorKind::Hoe => Any::Hoe(Hoe::new()),
            EstimatorKind::Smoothed => Any::Smoothed(Smoothed::default()),
        };
        Self { kind, estimator }
    }

    /// Which one it is.
    pub fn kind(&self) -> EstimatorKind {
        self.kind
    }

    /// Takes in an ACK that finds the window at `cwnd`.
    pub fn on_ack(&mut self, ack: &Ack, cwnd: Segments) {
        match &mut self.estimator {
            Any::Westwood(e) => e.on_ack(ack),
            Any::PlusA(e) => e.on_ack(ack),
            Any::PlusB(e) => e.on_ack(ack),
            Any::Linux(e) => e.on_ack(ack),
            Any::InputRate(e) => e.on_ack(ack, cwnd),
            Any::PacketPair(e) => e.on_ack(ack),
            Any::Hoe(e) => e.on_ack(ack),
            Any::Smoothed(e) => e.on_ack(ack),
        }
    }

    /// The estimate as the last ACK left it.
    pub fn rate(&self) -> Rate {
        match &self.estimator {
            Any::Westwood(e) => e.rate(),
            Any::PlusA(e) => e.rate(),
            Any::PlusB(e) => e.rate(),
            Any::Linux(e) => e.rate(),
            Any::InputRate(e) => e.filter.rate(),
            Any::PacketPair(e) => e.rate(),
            Any::Hoe(e) => e.rate(),
            Any::Smoothed(e) => e.rate(),
        }
    }
}

/// The sending rate `cwnd S / RTT`, sampled once an RTT and smoothed by filter B: ccr-2004 figure 2
/// holds it against the filtered rate of ACKs. It counts what is sent, and not what is delivered.
#[derive(Clone, Copy, Debug)]
struct InputRate {
    filter: Constant,
    sampled: Option<Instant>,
}

impl InputRate {
    fn new(gain: Ratio) -> Self {
        Self { filter: Constant::new(gain), sampled: None }
    }

    fn on_ack(&mut self, ack: &Ack, cwnd: Segments) {
        let Some(rtt) = ack.rtt else { return };
        let span = self.sampled.map(|at| ack.now.since(at));
        if span.is_some_and(|span| span < rtt) {
            return;
        }
        let Some(rate) = cwnd.bytes(ack.smss).per(rtt) else { return };
        match span {
            Some(span) => self.filter.update(rate, span),
            None => self.filter.reset_to(rate),
        }
        self.sampled = Some(ack.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ack;

    #[test]
    fn a_set_holds_what_was_put_in_and_names_are_their_own() {
        let set: EstimatorKinds =
            [EstimatorKind::Hoe, EstimatorKind::Westwood].into_iter().collect();
        assert!(set.iter().eq([EstimatorKind::Westwood, EstimatorKind::Hoe]));
        assert!(
            EstimatorKinds::NONE.is_empty()
                && EstimatorKind::ALL
                    .into_iter()
                    .collect::<EstimatorKinds>()
                    .iter()
                    .eq(EstimatorKind::ALL)
        );
        for (i, kind) in EstimatorKind::ALL.iter().enumerate() {
            assert!(EstimatorKind::ALL[..i].iter().all(|other| other.name() != kind.name()));
        }
    }

    #[test]
    fn on_a_steady_stream_that_fills_the_path_all_find_its_rate() {
        // An ACK for 1500 bytes every 10 ms, 1.2 Mbit/s, RTT 100 ms, ten segments in flight; each
        // fifth ACK lets two out, the one before none: bursts for the packet pair.
        let mut all = EstimatorKind::ALL.map(ShadowEstimator::new);
        for una in 1..=2_000 {
            let nxt = una + 9 + u64::from(una % 5 == 0);
            let heard = ack(10 * una, 100, una, nxt);
            for estimate in &mut all {
                estimate.on_ack(&heard, Segments::new(10));
            }
        }
        for estimate in &all {
            let rate = estimate.rate().bits_per_s();
            // The kernel counts ticks of 4 ms, of which an interval has 27.
            let within =
                if estimate.kind() == EstimatorKind::Linux { 1_200_000 / 27 } else { 12_000 };
            assert!(rate.abs_diff(1_200_000) < within, "{:?}: {rate}", estimate.kind());
        }
    }

    #[test]
    fn the_input_rate_counts_a_queue_that_nothing_delivers() {
        // The window doubles what the path delivers.
        let [mut sent, mut delivered] =
            [EstimatorKind::InputRate, EstimatorKind::WestwoodPlusB].map(ShadowEstimator::new);
        for una in 1..=2_000 {
            let heard = ack(10 * una, 100, una, una + 20);
            sent.on_ack(&heard, Segments::new(20));
            delivered.on_ack(&heard, Segments::new(20));
        }
        assert_eq!(sent.rate().bits_per_s() / 1_000, 2_400);
        assert!(delivered.rate().bits_per_s() <= 1_200_000);
    }
}
