//! Estimators run on the ACKs of a captured transfer.

use westwood_cc::estimate::{EstimatorKind, ShadowEstimator};
use westwood_cc::{Ack, Bytes, Duration, Instant, Rate, Segments};

use crate::read::delivered_bytes::DeliveredBytes;
use crate::read::file::PacketTime;
use crate::read::flight::UnackedData;
use crate::read::transfer::{Transfer, TransferEvent};

/// The estimators that need nothing but ACKs: all but the input rate, which needs the window.
pub const KINDS: [EstimatorKind; 6] = [
    EstimatorKind::Westwood,
    EstimatorKind::WestwoodPlusA,
    EstimatorKind::WestwoodPlusB,
    EstimatorKind::Linux,
    EstimatorKind::PacketPair,
    EstimatorKind::Hoe,
];

/// The estimates after an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EstimateSample {
    /// The time.
    pub at: Instant,
    /// Estimates, in the order of [`KINDS`].
    pub rates: [Rate; KINDS.len()],
}

/// A transfer with its estimates.
#[derive(Clone, Debug)]
pub struct EstimatorReplay {
    /// Estimates in order of time.
    pub samples: Vec<EstimateSample>,
    /// The delivered data.
    pub delivered: DeliveredBytes,
    /// ACKs that the estimators have seen.
    pub acks: u64,
    /// The shortest round-trip time, if one was measured.
    pub min_rtt: Option<Duration>,
    /// The smoothed one at the end (RFC 6298).
    pub srtt: Option<Duration>,
    /// The segment size that was counted by.
    pub smss: Bytes,
}

impl EstimatorReplay {
    /// Runs the estimators over a transfer with segments of `smss` bytes, and keeps their estimates
    /// at most once every `interval`; after every ACK if that is zero.
    pub fn of(transfer: &Transfer, smss: Bytes, interval: Duration) -> Self {
        let mut sender = ReplayedSender::new(smss);
        for event in &transfer.events {
            match event {
                TransferEvent::Sent { time, start, end, value } => {
                    sender.replay.delivered.begin(time.at);
                    sender.flight.send(*time, *start, *end, *value);
                }
                TransferEvent::Heard { time, ack, echo, sack } => {
                    sender.hear(*time, *ack, *echo, sack, interval);
                }
            }
        }
        sender.replay
    }

    /// The last estimate of the estimator at this place of [`KINDS`] at a time; zero before its
    /// first.
    pub fn estimate_at(&self, at: Instant, place: usize) -> Rate {
        let passed = self.samples.partition_point(|sample| sample.at <= at);
        let last = passed.checked_sub(1).and_then(|last| self.samples[last].rates.get(place));
        last.copied().unwrap_or_default()
    }
}

/// The sender as it was, as far as its ACKs say.
struct ReplayedSender {
    estimators: [ShadowEstimator; KINDS.len()],
    flight: UnackedData,
    replay: EstimatorReplay,
    /// Segments of the stream that ACKs have covered, a begun one counted as whole.
    covered: u64,
}

impl ReplayedSender {
    fn new(smss: Bytes) -> Self {
        Self {
            estimators: KINDS.map(ShadowEstimator::new),
            flight: UnackedData::default(),
            replay: EstimatorReplay {
                samples: Vec::new(),
                delivered: DeliveredBytes::default(),
                acks: 0,
                min_rtt: None,
                srtt: None,
                smss: smss.max(Bytes::new(1)),
            },
            covered: 0,
        }
    }

    fn hear(
        &mut self,
        time: PacketTime,
        ack: u64,
        echo: Option<u32>,
        sack: &[(u64, u64)],
        interval: Duration,
    ) {
        let at = time.at;
        let news = ack > self.flight.snd_una;
        let rtt = self.flight.acknowledge(time, ack, echo, sack);
        self.replay.delivered.add(at, self.flight.delivered());
        if let Some(rtt) = rtt {
            self.measure(rtt);
        }
        let covered = self.segments(self.flight.snd_una);
        let newly = covered - self.covered;
        // Part of a segment that is counted already: its ACK is no duplicate, and no news.
        if news && newly == 0 {
            return;
        }
        self.covered = covered;
        let ack = self.ack(at, newly, rtt);
        for estimator in &mut self.estimators {
            // Only the input rate asks for the window.
            estimator.on_ack(&ack, Segments::ZERO);
        }
        self.replay.acks += 1;
        let last = self.replay.samples.last();
        if last.is_none_or(|last| at.since(last.at) >= interval) {
            let rates = self.estimators.map(|estimator| estimator.rate());
            self.replay.samples.push(EstimateSample { at, rates });
        }
    }

    fn ack(&self, now: Instant, newly: u64, rtt: Option<Duration>) -> Ack {
        let (snd_una, snd_nxt) = (self.covered, self.segments(self.flight.snd_max));
        let sacked = self.segments(self.flight.delivered() - self.flight.snd_una);
        Ack {
            now,
            smss: self.replay.smss,
            newly,
            rtt,
            srtt: self.replay.srtt.unwrap_or(Duration::ZERO),
            in_flight: (snd_nxt - snd_una).saturating_sub(sacked),
            delivered: snd_una + sacked,
            delivered_ce: 0,
            one_way_delay: None,
            predicted: None,
            snd_una,
            snd_nxt,
            sample: None,
        }
    }

    fn segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.replay.smss.get())
    }

    /// RFC 6298 section 2.
    fn measure(&mut self, rtt: Duration) {
        let replay = &mut self.replay;
        replay.min_rtt = Some(replay.min_rtt.map_or(rtt, |min| min.min(rtt)));
        let smoothed = |srtt: Duration| {
            Duration::from_nanos(srtt.as_nanos() - srtt.as_nanos() / 8 + rtt.as_nanos() / 8)
        };
        replay.srtt = Some(replay.srtt.map_or(rtt, smoothed));
    }
}
