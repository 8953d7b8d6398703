//! The receiver: reassembly, acknowledgments, selective acknowledgments, ECN echo.
//!
//! A segment in order, without a gap and without a mark, takes the short way of
//! [`on_data`](Receiver::on_data). Any other goes through [`reassembly`]; [`marks`] says how its mark is
//! echoed, and [`ack`] what the answer carries.
//!
//! Choices where the RFCs leave one:
//! * The ACK of the first marked segment is not delayed (RFC 3168 is silent; Linux does so).
//! * SACK blocks beyond those lately reported are filled up with the lowest ranges held (RFC 2018
//!   section 4 asks for as many as fit). Linux's receiver reports its list and no more.
//! * Duplicates are reported (RFC 2883) to the `linux` recovery only; RFC 6675 has no use for them.
//! * Of receivers with timestamps Linux's alone refuses segments older than the one that it echoes (RFC 7323
//!   section 5.3, R1). That needs a copy which overtakes new data.

mod ack;
pub(crate) mod clock;
mod extensions;
mod marks;
pub(crate) mod misbehaviour;
mod quick_ack;
mod reassembly;
mod receive_buffer;
mod relay_buffer;
mod sack_list;

use westwood_cc::{Duration, EcnFeedback, Instant, Rate};

use crate::config::{AckPolicy, Config, Recovery};
use crate::ranges::{RangeSet, SeqRange};
use crate::segment::{AckOptions, AckSegment, DataSegment};
pub use clock::ReceiverClock;
use extensions::ReceiverExtensions;
pub use misbehaviour::ReceiverBehaviour;
use quick_ack::QuickAck;
use relay_buffer::RelayBuffer;
use sack_list::SackList;

/// A TCP receiver as a state machine.
///
/// Feed it segments ([`on_data`](Self::on_data)) and the time ([`on_timer`](Self::on_timer)); each may
/// answer an ACK to send.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next segment in order.
    rcv_nxt: u64,
    /// The last cumulative acknowledgment: Last.ACK.sent (RFC 7323 section 4.3).
    acked: u64,
    /// When the delayed ACK is due.
    deadline: Instant,
    /// The ACK of a copy waits, as ns-2's receiver delays it.
    copy_waits: bool,
    /// TS.Recent (RFC 7323 section 4.3).
    echo: Instant,
    /// Payload bytes that arrived for the first time.
    delivered_bytes: u64,
    mode: AckMode,
    timestamps: bool,
    /// Congestion is echoed until a segment with CWR arrives.
    ece: bool,
    sack: bool,
    /// A receiver of the `linux` recovery: it reports duplicates, and refuses segments that are too old.
    is_linux: bool,
    /// A receiver with the habits of ns-2's.
    is_ns2: bool,
    /// Segments held beyond a gap.
    out_of_order: RangeSet,
    /// The ranges that changed last.
    recent: SackList,
    /// A duplicate behind the gap that the next ACK reports.
    duplicate: Option<u64>,
    /// Memory for the next blocks: every ACK would ask the allocator for it while segments are missing.
    spare: AckOptions,
    /// Segments that arrived again.
    duplicates: u64,
    /// Segments that were refused as too old.
    refused: u64,
    /// How ACKs tell of marks.
    feedback: EcnFeedback,
    /// ACKs that go before the one that is answered: that of segments before the first one that is marked, or
    /// not marked, after others; those of receivers that misbehave.
    prior: Option<Box<PriorAck>>,
    /// State of the extensions that a connection negotiated.
    extensions: Option<Box<ReceiverExtensions>>,
}

/// An ACK that goes first, and those after it.
#[derive(Clone, Debug)]
struct PriorAck {
    ack: AckSegment,
    next: Option<Box<PriorAck>>,
}

/// [`AckPolicy`] for ACKs that may be delayed, with the state that the policy needs.
#[derive(Clone, Debug)]
enum AckMode {
    Each,
    Delayed { timer: Duration },
    Linux(Box<QuickAck>),
}

/// Counters of a receiver, from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounts {
    /// Payload bytes that arrived for the first time.
    pub delivered_bytes: u64,
    /// Segments that arrived for the first time.
    pub delivered: u64,
    /// Segments that arrived, copies and refused ones included.
    pub arrived: u64,
}

impl Receiver {
    /// A receiver at the start of a connection.
    pub fn new(config: &Config) -> Self {
        let extensions = ReceiverExtensions::of(config);
        Self {
            rcv_nxt: 0,
            acked: 0,
            deadline: Instant::FAR_FUTURE,
            copy_waits: false,
            echo: Instant::ZERO,
            delivered_bytes: 0,
            mode: match config.acks {
                AckPolicy::Each => AckMode::Each,
                AckPolicy::Delayed { timer } => AckMode::Delayed { timer },
                AckPolicy::Linux { growth } => {
                    let grows = config.buffers.receive_sizes().is_some();
                    let growth = if grows { 0 } else { growth };
                    let window =
                        extensions.as_ref().map_or(u64::MAX, |e| e.last_advertised_window(0));
                    AckMode::Linux(Box::new(QuickAck::new(window, growth, config.handshake_rtt)))
                }
            },
            timestamps: config.timestamps,
            ece: false,
            sack: config.recovery.uses_sack(),
            is_linux: config.recovery == Recovery::Linux,
            is_ns2: config.has_ns2_habits(),
            out_of_order: RangeSet::default(),
            recent: SackList::of(config),
            duplicate: None,
            spare: AckOptions::NONE,
            duplicates: 0,
            refused: 0,
            feedback: if config.ecn { config.ecn_feedback } else { EcnFeedback::UntilAnswered },
            prior: None,
            extensions,
        }
    }

    /// Takes blocks that have been read: their memory serves for the next ones.
    pub fn reuse(&mut self, read: AckOptions) {
        self.spare = read;
    }

    /// Hints that a segment will arrive soon, whose ACK may report ranges.
    #[inline]
    pub fn prefetch_blocks(&self) {
        self.spare.prefetch();
    }

    /// A data segment arrives; `ce` if a router marked it. Answers the ACK to send now, if any.
    #[expect(clippy::inline_always, reason = "as a call it takes twice the instructions")]
    #[inline(always)]
    pub fn on_data(&mut self, now: Instant, segment: &DataSegment, ce: bool) -> Option<AckSegment> {
        // The next segment, without a gap and without a mark: it is new, no range is held that it could
        // join, and the only choice left is when to acknowledge.
        let next = segment.seq == self.rcv_nxt
            && segment.sent_at >= self.echo
            && self.out_of_order.is_empty()
            && !segment.cwr
            && !ce
            && self.feedback == EcnFeedback::UntilAnswered;
        let plain = next && self.extensions.is_none();
        match self.mode {
            AckMode::Linux(_) if next => self.take_next_by_linux(now, segment),
            AckMode::Each if plain => {
                self.take_next(segment);
                Some(self.cumulative_ack())
            }
            AckMode::Delayed { timer } if plain && !self.is_timer_first(now) => {
                self.take_next(segment);
                if self.is_one_waiting() {
                    return self.delay(now, timer);
                }
                Some(self.cumulative_ack())
            }
            _ => self.reassemble(now, segment, ce),
        }
    }

    /// The next ACK that goes before the one that [`on_data`](Self::on_data) or
    /// [`on_timer`](Self::on_timer) has answered, if there is one. Ask until there is none.
    #[inline]
    pub fn take_prior(&mut self) -> Option<AckSegment> {
        let PriorAck { ack, next } = *self.prior.take()?;
        self.prior = next;
        Some(ack)
    }

    /// A segment arrives damaged: its header can be read and its data cannot. The next ACK that asks
    /// for it reports the damage, if the connection negotiated that.
    pub fn on_damaged(&mut self, seq: u64) {
        let missing = seq >= self.rcv_nxt && !self.out_of_order.contains(seq);
        if let Some(extensions) = self.extensions.as_mut().filter(|_| missing) {
            extensions.damaged.insert(SeqRange { start: seq, end: seq + 1 }, |_| {});
        }
    }

    /// The next segment to arrive carries this share of a link's rate; ACKs return the latest.
    pub fn on_share(&mut self, share: Rate) {
        if let Some(extensions) = &mut self.extensions {
            extensions.share = Some(share);
        }
    }

    /// The time of [`deadline`](Self::deadline) has come. Answers the ACK to send.
    pub fn on_timer(&mut self, now: Instant) -> Option<AckSegment> {
        if now < self.deadline {
            return None;
        }
        self.note_time(now);
        match self.resume(now) {
            Some(true) => return Some(self.acknowledge(None)),
            Some(false) => {
                self.deadline = Instant::FAR_FUTURE;
                return None;
            }
            None => {}
        }
        if let AckMode::Linux(quick) = &mut self.mode {
            quick.timer_fired();
        }
        let ack = self.acknowledge(None);
        match self.extensions.as_mut().and_then(|e| e.misbehaviour.as_mut()) {
            Some(misbehaviour) => {
                let acks = misbehaviour.on_timer(ack);
                self.queue(acks)
            }
            None => Some(ack),
        }
    }

    /// The next connection of a proxy that reads here has taken the first `taken` bytes of the payload in
    /// order, and its receiver has acknowledged the first `delivered`. Answers an ACK if the window has
    /// opened so far that the sender should know. Without [`ReadMode::Relayed`](crate::ReadMode::Relayed)
    /// of no effect.
    pub fn relay(&mut self, now: Instant, taken: u64, delivered: u64) -> Option<AckSegment> {
        let (rcv_nxt, held) = (self.rcv_nxt, self.out_of_order.count());
        let extensions = self.extensions.as_mut()?;
        let relay = extensions.relay.as_mut()?;
        relay.advance(taken, delivered);
        let opens = match &mut extensions.buffer {
            Some(buffer) => {
                buffer.read_to(now, relay.unread());
                buffer.opens(rcv_nxt, held)
            }
            None => relay.opens(held),
        };
        self.note_time(now);
        opens.then(|| self.acknowledge(None))
    }

    /// Payload bytes in order, counted where a proxy reads; else 0.
    pub fn relayed_bytes(&self) -> u64 {
        let relay = self.extensions.as_ref().and_then(|e| e.relay.as_ref());
        relay.map_or(0, RelayBuffer::in_order)
    }

    /// When the delayed ACK is due; [`Instant::FAR_FUTURE`] if none is waiting.
    #[inline]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Payload bytes that arrived for the first time since the start.
    #[inline]
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// The counters since the start.
    pub fn counts(&self) -> ReceiverCounts {
        // A segment that has arrived lies below rcv_nxt, or is held.
        let delivered = self.rcv_nxt + self.out_of_order.count();
        ReceiverCounts {
            delivered_bytes: self.delivered_bytes,
            delivered,
            arrived: delivered + self.duplicates + self.refused,
        }
    }

    /// The next segment in order.
    pub fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Segments held beyond a gap.
    pub fn held(&self) -> u64 {
        self.out_of_order.count()
    }

    /// The time that the clock shows in the next ACK.
    fn note_time(&mut self, now: Instant) {
        if let Some(extensions) = &mut self.extensions {
            extensions.now = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use westwood_cc::{Bytes, Ecn};

    use crate::buffers::{BufferSizes, Buffers};
    use crate::segment::MAX_SACK_BLOCKS;

    /// A segment of the connection's first moment.
    fn segment(seq: u64) -> DataSegment {
        DataSegment {
            seq,
            payload: Bytes::new(1500),
            sent_at: Instant::ZERO,
            retransmission: false,
            ecn: Ecn::NotEct,
            cwr: false,
            push: false,
        }
    }

    fn policies() -> impl Strategy<Value = AckPolicy> {
        prop_oneof![
            Just(AckPolicy::Each),
            Just(AckPolicy::Delayed { timer: Duration::from_millis(100) }),
            Just(AckPolicy::LINUX),
        ]
    }

    proptest! {
        #[test]
        fn the_short_way_of_a_segment_in_order_ends_where_the_long_one_does(
            acks in policies(),
            timestamps: bool,
            sizes in prop::option::of((4_u32..64, 64_u32..256)),
            // How far from the next in order, marks, and milliseconds until the next event.
            steps in prop::collection::vec(
                (
                    prop_oneof![6 => Just(0_i64), 1 => -3_i64..6],
                    prop::bool::weighted(0.05),
                    prop::bool::weighted(0.05),
                    0_u64..120,
                ),
                1..200,
            ),
        ) {
            let receive = sizes.map(|(initial, max)| BufferSizes::of(4 << 10, initial << 10, max << 10));
            let buffers = Buffers { receive, ..Buffers::default() };
            let config = Config { buffers, acks, timestamps, ..Config::default() };
            let (mut short, mut long) = (Receiver::new(&config), Receiver::new(&config));
            let mut now = Instant::ZERO;
            for (offset, cwr, ce, wait) in steps {
                let seq = short.rcv_nxt.saturating_add_signed(offset);
                let segment = DataSegment { sent_at: now, ecn: Ecn::Ect0, cwr, ..segment(seq) };
                now += Duration::from_millis(wait);
                prop_assert_eq!(short.on_timer(now), long.on_timer(now));
                prop_assert_eq!(
                    short.on_data(now, &segment, ce),
                    long.reassemble(now, &segment, ce)
                );
                prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
            }
        }

        #[test]
        fn blocks_are_the_ranges_that_changed_last_and_then_the_lowest(
            steps in prop::collection::vec(0_u64..24, 1..120),
            timestamps in any::<bool>(),
        ) {
            let recovery = Recovery::Sack;
            let config = Config { recovery, timestamps, acks: AckPolicy::Each, ..Config::default() };
            let mut receiver = Receiver::new(&config);
            // The ranges that arrived; and of each that changed lately the number that changed it.
            let (mut here, mut recent) = (BTreeSet::new(), Vec::new());
            for offset in steps {
                let next = (0..1000).find(|n| !here.contains(n)).unwrap_or_default();
                let seq = (next + offset).saturating_sub(4);
                here.insert(seq);
                let next = (0..1000).find(|n| !here.contains(n)).unwrap_or_default();
                let range_of = |seq: u64| {
                    let start = (0..=seq).rev().find(|n| !here.contains(n)).map_or(0, |n| n + 1);
                    let end = (seq..1000).find(|n| !here.contains(n)).unwrap_or_default();
                    SeqRange { start, end }
                };
                if seq > next {
                    recent.retain(|&other| other > next && range_of(other) != range_of(seq));
                    recent.insert(0, seq);
                    recent.truncate(MAX_SACK_BLOCKS);
                }
                let held = here.iter().filter(|&&n| n > next);
                let mut blocks = Vec::new();
                for &seq in recent.iter().filter(|&&n| n > next).chain(held) {
                    if !blocks.contains(&range_of(seq)) {
                        blocks.push(range_of(seq));
                    }
                }
                blocks.truncate(if timestamps { 3 } else { 4 });
                let ack = receiver.on_data(Instant::ZERO, &segment(seq), false).expect("at once");
                prop_assert_eq!(ack.ack, next);
                prop_assert_eq!(ack.options.duplicate(), None);
                prop_assert_eq!(ack.options.blocks().collect::<Vec<_>>(), blocks);
            }
        }

        #[test]
        fn a_linux_receiver_reports_duplicates_and_parts_of_what_it_holds(
            steps in prop::collection::vec(0_u64..24, 1..120),
            timestamps in any::<bool>(),
        ) {
            let recovery = Recovery::Linux;
            let config = Config { recovery, timestamps, acks: AckPolicy::Each, ..Config::default() };
            let mut receiver = Receiver::new(&config);
            let mut here = BTreeSet::new();
            for offset in steps {
                let seq = (receiver.rcv_nxt + offset).saturating_sub(4);
                let twice = !here.insert(seq);
                let ack = receiver.on_data(Instant::ZERO, &segment(seq), false).expect("at once");
                let next = (0..1000).find(|n| !here.contains(n)).unwrap_or_default();
                prop_assert_eq!(ack.ack, next);
                let duplicate = twice.then_some(SeqRange { start: seq, end: seq + 1 });
                prop_assert_eq!(ack.options.duplicate(), duplicate);
                let blocks: Vec<SeqRange> = ack.options.blocks().collect();
                for (place, block) in blocks.iter().enumerate() {
                    prop_assert!(block.start > next && !block.is_empty());
                    prop_assert!((block.start..block.end).all(|n| here.contains(&n)));
                    let apart = |other: &SeqRange| other.end < block.start || block.end < other.start;
                    prop_assert!(blocks[..place].iter().all(apart), "{:?}", blocks);
                }
                let first = blocks.first().copied().unwrap_or_default();
                prop_assert!(seq < next || first.start <= seq && seq < first.end);
            }
        }
    }
}
