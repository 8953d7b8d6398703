//! Several segments that leave at the same instant.
//!
//! An ACK mostly lets two segments out, and the window is full. Whether each may leave need not be
//! asked again when the first answer tells of all.

use westwood_cc::Instant;

use super::Core;
use crate::segment::DataSegment;

/// Segments that leave at once: new ones, or a single one of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// The first.
    pub segment: DataSegment,
    /// How many there are, one at least: each like the one before but for its sequence number, which
    /// is one higher.
    pub count: u64,
    /// Nothing more leaves now: it need not be asked for.
    pub is_last: bool,
}

impl Burst {
    pub(crate) const fn of_one(segment: DataSegment) -> Self {
        Self { segment, count: 1, is_last: false }
    }

    /// Each of them.
    #[inline]
    pub fn segments(&self) -> impl Iterator<Item = DataSegment> + use<> {
        let first = self.segment;
        (0..self.count).map(move |n| DataSegment { seq: first.seq + n, ..first })
    }
}

/// What may leave where nothing is to be repaired.
#[derive(Clone, Copy, Debug)]
pub(crate) enum New {
    /// So many at once, from this one on; nothing more, if they are the last.
    Burst {
        /// The first.
        seq: u64,
        /// How many.
        count: u64,
        /// Nothing more leaves now.
        is_last: bool,
    },
    /// Nothing.
    Nothing,
    /// Each segment must be asked for: the next one is not like others.
    Ask,
}

impl Core {
    /// New segments leave at once, at most `room` of them; `in_flight` is counted before.
    ///
    /// It is what [`send`](Self::send) does for each of them, if nothing makes one differ from the
    /// next: no idle time before it, no pace, no news for the receiver, nothing to be kept of it.
    #[expect(clippy::inline_always, reason = "to hand over its answer would be half of it")]
    #[inline(always)]
    pub(crate) fn send_new(&mut self, now: Instant, room: u64, in_flight: u64) -> New {
        let outstanding = self.outstanding();
        let timed = self.config.timestamps || self.timed.is_some();
        if !self.is_even || outstanding == 0 || self.cwr || !timed {
            return New::Ask;
        }
        let supplied = self.stream.available() - self.snd_max;
        let window = self.config.receive_window.max(1).saturating_sub(outstanding);
        let most = room.min(window).min(supplied);
        if most == 0 {
            return New::Nothing;
        }
        // The last segment of a transfer may be short.
        let count = most.min(self.stream.full_beyond(self.snd_max));
        if count == 0 {
            return New::Ask;
        }
        let seq = self.snd_max;
        self.flight.record_plain(count);
        self.snd_max += count;
        self.usage.sent(in_flight + count, self.window, self.snd_una, seq + 1);
        self.note_departure(now);
        New::Burst { seq, count, is_last: count == most }
    }

    /// What has left by [`send_new`](Self::send_new).
    #[inline]
    pub(crate) fn burst(&self, now: Instant, seq: u64, count: u64, is_last: bool) -> Burst {
        let segment = DataSegment {
            seq,
            payload: self.stream.full(),
            sent_at: now,
            retransmission: false,
            ect: self.config.ecn,
            cwr: false,
        };
        Burst { segment, count, is_last }
    }
}
