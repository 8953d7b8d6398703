//! The segments and ACKs of a flow around its first loss: a time-sequence diagram.
//!
//! The run is simulated once more up to a little after the loss, with a tap at both ends of the flow.

use std::collections::HashMap;

use westwood_cc::{Duration, Instant};
use westwood_scenario::file::Built;
use westwood_sim::{Control, NodeId, Tap, TapContent, TapEvent, TapPoint, Traffic, run_tapped};

use super::series::RunSeries;

/// Round-trip times that are shown after the loss; before it, one.
const AFTER: u64 = 5;
/// More segments than these are no picture.
const MOST: usize = 3_000;

/// The segments that a flow's sender sent for a while, and the ACKs that it heard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSequence {
    /// The beginning of the while.
    pub from: Instant,
    /// Its end.
    pub until: Instant,
    /// The segments that were sent, in order of time.
    pub sent: Vec<SentSegment>,
    /// The ACKs that arrived: when, and the next segment that the receiver expects.
    pub acks: Vec<(Instant, u64)>,
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentSegment {
    /// When.
    pub at: Instant,
    /// Its number, from the beginning of the connection.
    pub number: u64,
    /// It was sent before.
    pub again: bool,
    /// It never arrived.
    pub lost: bool,
}

/// The first flow under test around its first loss; none without one, or of a flow that is no single TCP
/// connection.
pub(super) fn around_first_loss(built: &Built, series: &RunSeries) -> Option<TimeSequence> {
    let flow = built.layout.tested_flows().start;
    let spec = built.network.flows.get(flow)?;
    if !matches!(spec.traffic, Traffic::Tcp(..)) {
        return None;
    }
    let (loss, _) = series.drops.iter().find(|(_, of)| *of == 0)?;
    let (.., round) = *series.rtts.iter().rfind(|(at, of, _)| *of == 0 && at <= loss)?;
    let from = if loss.since(Instant::ZERO) > round { *loss - round } else { Instant::ZERO };
    let until = loss.since(Instant::ZERO) + round * AFTER;
    let mut network = built.network.clone();
    network.duration = network.duration.min(until);
    // Nothing is measured, and a warm-up must be shorter than the run.
    network.warmup = Duration::ZERO;
    network.probes = westwood_sim::Probes::default();
    let mut tap = SequenceTap {
        flow,
        ends: (spec.from, spec.to),
        from,
        under_way: HashMap::new(),
        seen: TimeSequence {
            from,
            until: Instant::ZERO + network.duration,
            ..TimeSequence::default()
        },
    };
    run_tapped(&network, Control::default(), &mut tap).ok()?;
    Some(tap.finished(round))
}

/// Watches both ends of a flow.
struct SequenceTap {
    flow: usize,
    ends: (NodeId, NodeId),
    from: Instant,
    /// For each number, the places of its copies under way, the oldest first.
    under_way: HashMap<u64, Vec<usize>>,
    seen: TimeSequence,
}

impl Tap for SequenceTap {
    fn sees(&mut self, sighting: &TapEvent) {
        if sighting.flow != self.flow || self.seen.sent.len() >= MOST {
            return;
        }
        let at = sighting.at;
        match (&sighting.carries, sighting.place) {
            (TapContent::Data(segment), TapPoint::Sent(node))
                if node == self.ends.0 && at >= self.from =>
            {
                self.under_way.entry(segment.seq).or_default().push(self.seen.sent.len());
                let again = segment.retransmission;
                self.seen.sent.push(SentSegment { at, number: segment.seq, again, lost: true });
            }
            (TapContent::Data(segment), TapPoint::Received(node)) if node == self.ends.1 => {
                // Copies arrive in the order in which they were sent: the others before it are lost.
                let sent = segment.sent_at;
                let copies = self.under_way.get_mut(&segment.seq);
                let copy = copies.and_then(|copies| {
                    let place = copies.iter().position(|&i| self.seen.sent[i].at == sent)?;
                    Some(copies.swap_remove(place))
                });
                if let Some(place) = copy {
                    self.seen.sent[place].lost = false;
                }
            }
            (TapContent::Ack(ack), TapPoint::Received(node))
                if node == self.ends.0 && at >= self.from =>
            {
                self.seen.acks.push((at, ack.ack));
            }
            _ => {}
        }
    }
}

impl SequenceTap {
    /// Segments that may be under way still at the end are not lost.
    fn finished(mut self, round: Duration) -> TimeSequence {
        let end = self.seen.sent.last().map_or(self.seen.until, |last| last.at.max(self.from));
        for segment in &mut self.seen.sent {
            segment.lost &= segment.at + round < end;
        }
        self.seen
    }
}
