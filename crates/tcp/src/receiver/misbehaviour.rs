//! Receivers that misbehave: S. Savage, N. Cardwell, D. Wetherall, T. Anderson, "TCP Congestion Control with
//! a Misbehaving Receiver", ACM CCR 29(5), 1999; RFC 9743 section 7.6 asks that a proposal be tried with
//! them.
//!
//! Each turns the ACKs of an honest receiver into others:
//!
//! | receiver | ACKs | a sender gains |
//! |---|---|---|
//! | [`Divide`](ReceiverBehaviour::Divide) | n for each one, which acknowledge equal parts of the same bytes | if it counts ACKs; not if it counts bytes (RFC 3465, Linux) |
//! | [`Spoof`](ReceiverBehaviour::Spoof) | n duplicates after each one | if duplicates without SACK inflate the window |
//! | [`Optimistic`](ReceiverBehaviour::Optimistic) | of segments that have not arrived; losses are hidden | a round-trip time that looks shorter, and no reduction |
//! | [`Withhold`](ReceiverBehaviour::Withhold) | one for n segments, or after a time | nothing; its bursts hurt others |
//!
//! Sequence numbers here count segments, so that an ACK of a part of a segment needs a number of its own: it
//! acknowledges the segments before, and says how many n-ths of the next one have come. A sender that counts
//! ACKs grows its window for it as for any ACK of new data. One that counts bytes waits for the whole
//! segment: the parts of a segment are worth a segment. While losses are repaired such ACKs have no effect;
//! in Savage's attack they matter in growth.
//!
//! An optimistic receiver does not know what has been sent. With each segment that arrives its lead grows by
//! one, up to the lead that it wants. An ACK beyond what was sent is ignored by senders (RFC 9293 section
//! 3.10.7.4); when an old segment comes again the receiver has gone too far, and begins without a lead. (A
//! first flight of two segments is shorter than the lead at its end, and costs a timeout.) It
//! echoes the time of the newest segment. Lost segments are never sent again, and never delivered.

use westwood_cc::{Duration, Instant};

use crate::segment::{AckOptions, AckSegment, DataSegment};

/// The window of a receiver that wants everything at once, whatever its buffer.
const NEVER_CLOSED: u64 = 1 << 24;

/// How a receiver answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReceiverBehaviour {
    /// As the other settings say.
    #[default]
    Honest,
    /// Each ACK becomes this many.
    Divide {
        /// Two at least.
        pieces: u32,
    },
    /// So many duplicates follow each ACK.
    Spoof {
        /// One at least.
        extra: u32,
    },
    /// Segments that have not arrived are acknowledged.
    Optimistic {
        /// So many, at most.
        lead: u64,
    },
    /// ACKs are rare.
    Withhold {
        /// One for so many segments.
        segments: u32,
        /// Or so long after the first of them, if that is sooner.
        time: Duration,
    },
}

/// The state of a receiver that misbehaves.
#[derive(Clone, Debug)]
pub(crate) struct Misbehaviour {
    behaviour: ReceiverBehaviour,
    /// One beyond the highest segment acknowledged, true or not.
    claimed: u64,
    /// One beyond the highest segment that has arrived.
    highest: u64,
    /// How far ahead of it an optimistic receiver is.
    lead: u64,
    /// Segments without an ACK, and when it is due at the latest.
    waiting: u32,
    due: Instant,
}

/// The answer in place of an honest receiver's answer to a segment.
#[derive(Clone, Debug)]
pub(crate) enum AckAnswer {
    /// These ACKs, the earliest first.
    Acks(Vec<AckSegment>),
    /// An ACK of all that has arrived, now.
    Release,
    /// None before this time.
    Wait(Instant),
}

impl Misbehaviour {
    /// The state at the start; none for an honest receiver.
    pub(crate) fn new(behaviour: ReceiverBehaviour) -> Option<Self> {
        (behaviour != ReceiverBehaviour::Honest).then_some(Self {
            behaviour,
            claimed: 0,
            highest: 0,
            lead: 0,
            waiting: 0,
            due: Instant::FAR_FUTURE,
        })
    }

    /// A segment has arrived, and an honest receiver would answer `ack`.
    pub(crate) fn answer(
        &mut self,
        now: Instant,
        segment: &DataSegment,
        ack: Option<AckSegment>,
    ) -> AckAnswer {
        match self.behaviour {
            ReceiverBehaviour::Withhold { segments, time } => self.withhold(now, segments, time),
            ReceiverBehaviour::Optimistic { lead } => {
                self.note_arrival(segment, lead);
                AckAnswer::Acks(
                    ack.map(|ack| self.optimistic_ack(&ack, segment)).into_iter().collect(),
                )
            }
            _ => AckAnswer::Acks(ack.map_or_else(Vec::new, |ack| self.multiply(ack))),
        }
    }

    /// The timer of a delayed ACK has fired: these leave in its place.
    pub(crate) fn on_timer(&mut self, ack: AckSegment) -> Vec<AckSegment> {
        (self.waiting, self.due) = (0, Instant::FAR_FUTURE);
        match self.behaviour {
            ReceiverBehaviour::Optimistic { .. } => vec![self.ack_ahead(&ack)],
            ReceiverBehaviour::Divide { .. } | ReceiverBehaviour::Spoof { .. } => {
                self.multiply(ack)
            }
            ReceiverBehaviour::Withhold { .. } | ReceiverBehaviour::Honest => vec![ack],
        }
    }

    fn withhold(&mut self, now: Instant, segments: u32, time: Duration) -> AckAnswer {
        self.waiting += 1;
        if self.waiting >= segments {
            (self.waiting, self.due) = (0, Instant::FAR_FUTURE);
            return AckAnswer::Release;
        }
        self.due = self.due.min(now + time);
        AckAnswer::Wait(self.due)
    }

    fn multiply(&mut self, ack: AckSegment) -> Vec<AckSegment> {
        match self.behaviour {
            ReceiverBehaviour::Divide { pieces } => self.divide(ack, pieces),
            ReceiverBehaviour::Spoof { extra } => {
                let bare = AckSegment { options: AckOptions::NONE, ..ack.clone() };
                let spoofed = std::iter::repeat_n(bare, extra as usize);
                std::iter::once(ack).chain(spoofed).collect()
            }
            _ => vec![ack],
        }
    }

    /// Equal parts of what an ACK covers. One that covers nothing new is not divided.
    fn divide(&mut self, ack: AckSegment, pieces: u32) -> Vec<AckSegment> {
        let (before, pieces) = (self.claimed, u64::from(pieces));
        let covered = ack.ack.saturating_sub(before);
        self.claimed = self.claimed.max(ack.ack);
        let part = |n: u64| {
            let (whole, rest) = (n * covered / pieces, n * covered % pieces);
            let mut piece = AckSegment { ack: before + whole, options: AckOptions::NONE, ..ack };
            if rest > 0 {
                piece.options.set_part(u32::try_from(rest).unwrap_or(u32::MAX));
            }
            piece
        };
        let mut acks: Vec<AckSegment> =
            if covered > 0 { (1..pieces).map(part).collect() } else { Vec::new() };
        acks.push(ack);
        acks
    }

    /// Takes a longer lead, or begins anew after an old segment.
    fn note_arrival(&mut self, segment: &DataSegment, lead: u64) {
        if segment.seq < self.highest {
            self.lead = 0;
            self.claimed = self.highest;
        } else {
            self.lead = (self.lead + 1).min(lead);
        }
        self.highest = self.highest.max(segment.seq + 1);
    }

    /// The ACK of all up to the highest segment and of the lead.
    fn optimistic_ack(&mut self, ack: &AckSegment, segment: &DataSegment) -> AckSegment {
        let echo = ack.echo.map(|_| segment.sent_at);
        AckSegment { echo, ..self.ack_ahead(ack) }
    }

    fn ack_ahead(&mut self, ack: &AckSegment) -> AckSegment {
        self.claimed = self.claimed.max(self.highest + self.lead);
        let mut options = AckOptions::NONE;
        if ack.options.window().is_some() {
            options.set_window(NEVER_CLOSED, &mut AckOptions::default());
        }
        AckSegment { ack: self.claimed, options, ..*ack }
    }
}
