//! The receiver: reassembly, acknowledgments, selective acknowledgments, ECN echo.
//!
//! Choices where the RFCs leave one:
//! * The ACK of the first marked segment is not delayed (RFC 3168 is silent; Linux does so).
//! * SACK blocks beyond those lately reported are filled up with the lowest ranges held (RFC 2018
//!   section 4 asks for as many as fit).
//! * Duplicates are reported (RFC 2883) to the `linux` recovery only; RFC 6675 has no use for them.

use westwood_cc::{Duration, Instant};

use crate::config::{AckPolicy, Config, Recovery};
use crate::quick_ack::QuickAck;
use crate::ranges::{Range, RangeSet};
use crate::segment::{AckSegment, DataSegment, MAX_SACK_BLOCKS, SackBlocks};

/// A TCP receiver as a state machine.
///
/// Hand it what arrives with [`on_data`](Self::on_data) and the time with
/// [`on_timer`](Self::on_timer); each may answer an ACK to be sent.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The next segment in order.
    rcv_nxt: u64,
    /// Segments held beyond a gap.
    held: RangeSet,
    /// A member of each range that was last reported, the latest first (RFC 2018 section 4).
    recent: [u64; MAX_SACK_BLOCKS],
    recent_len: usize,
    /// Segments that wait for an ACK.
    unacked: u32,
    /// The last cumulative acknowledgment: Last.ACK.sent (RFC 7323 section 4.3).
    acked: u64,
    /// When the delayed ACK is due.
    deadline: Instant,
    /// TS.Recent (RFC 7323 section 4.3).
    echo: Instant,
    /// Echo congestion until the sender says that it has reduced.
    ece: bool,
    policy: AckPolicy,
    quick: QuickAck,
    timestamps: bool,
    sack: bool,
    report_duplicates: bool,
    counts: Counts,
}

/// What a receiver has seen since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Payload bytes that arrived for the first time.
    pub delivered_bytes: u64,
    /// Segments that arrived for the first time.
    pub delivered: u64,
    /// Segments that arrived, copies included.
    pub arrived: u64,
}

impl Receiver {
    /// A receiver that has seen nothing.
    pub fn new(config: &Config) -> Self {
        Self {
            rcv_nxt: 0,
            held: RangeSet::default(),
            recent: [0; MAX_SACK_BLOCKS],
            recent_len: 0,
            unacked: 0,
            acked: 0,
            deadline: Instant::FAR_FUTURE,
            echo: Instant::ZERO,
            ece: false,
            policy: config.acks,
            quick: QuickAck::default(),
            timestamps: config.timestamps,
            sack: config.recovery.uses_sack(),
            report_duplicates: config.recovery == Recovery::Linux,
            counts: Counts::default(),
        }
    }

    /// A data segment arrives; `ce` if a router marked it. Answers the ACK to send now, if any.
    pub fn on_data(&mut self, now: Instant, segment: &DataSegment, ce: bool) -> Option<AckSegment> {
        self.counts.arrived += 1;
        let seq = segment.seq;
        let duplicate = seq < self.rcv_nxt || self.held.contains(seq);
        let mark_is_new = self.note_mark(segment, ce);
        // RFC 7323 section 4.3 (2): the segment that the last ACK asked for sets the echo, so that a
        // delayed ACK measures from the first segment it covers.
        if seq <= self.acked && self.in_window(seq) {
            self.echo = self.echo.max(segment.sent_at);
        }
        if duplicate {
            if seq >= self.rcv_nxt {
                self.remember(seq);
            }
            self.quick.duplicate();
            return Some(self.acknowledge(Some(seq)));
        }
        let in_order = seq == self.rcv_nxt;
        self.counts.delivered += 1;
        self.counts.delivered_bytes += segment.payload.get();
        let had_gap = !self.held.is_empty();
        let gathered = self.flush_gathered(seq);
        if in_order {
            self.advance();
            self.quick.in_order(now);
        } else {
            self.held.insert(Range { start: seq, end: seq + 1 }, |_| {});
            self.remember(seq);
            self.quick.out_of_order();
        }
        self.unacked += 1;
        if self.policy == AckPolicy::Linux && !mark_is_new {
            let ack = self.linux_ack(now, had_gap && self.held.is_empty());
            return ack.or(gathered);
        }
        // RFC 5681 section 4.2: at once when out of order, or when a gap is filled.
        if !in_order || had_gap || mark_is_new {
            return Some(self.acknowledge(None));
        }
        match self.policy {
            AckPolicy::Delayed { timer } if self.unacked < 2 => self.delay(now, timer),
            _ => Some(self.acknowledge(None)),
        }
    }

    /// The time has come that [`deadline`](Self::deadline) named. Answers the ACK to send.
    pub fn on_timer(&mut self, now: Instant) -> Option<AckSegment> {
        if now < self.deadline {
            return None;
        }
        self.quick.timer_fired();
        Some(self.acknowledge(None))
    }

    /// When the delayed ACK is due; [`Instant::FAR_FUTURE`] if none is waiting.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// What arrived since the start.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The next segment in order.
    pub fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Segments held beyond a gap.
    pub fn held(&self) -> u64 {
        self.held.count()
    }

    /// Takes in a router's mark and the sender's answer. True if the mark is news: it does not wait
    /// for a delayed ACK.
    fn note_mark(&mut self, segment: &DataSegment, ce: bool) -> bool {
        if segment.cwr {
            self.ece = false;
        }
        // A segment below the window says nothing about the path now (RFC 3168 section 6.1.5).
        let ce = ce && segment.seq >= self.rcv_nxt;
        let is_new = ce && !self.ece;
        self.ece |= ce;
        is_new
    }

    /// `__tcp_ack_snd_check`: at once when two segments in order wait, in quick mode, or when the last
    /// gap has been filled; gathered while something is missing; else delayed.
    fn linux_ack(&mut self, now: Instant, filled: bool) -> Option<AckSegment> {
        let advanced = self.rcv_nxt - self.acked;
        if advanced >= 2 || self.quick.wants_ack() || filled {
            return Some(self.acknowledge(None));
        }
        if self.held.is_empty() {
            return self.delay(now, self.quick.timeout());
        }
        match self.quick.gather(self.rcv_nxt) {
            Some(wait) => self.delay(now, wait),
            None => Some(self.acknowledge(None)),
        }
    }

    /// RFC 7323 section 5.3, R2: what lies wholly below the window does not count.
    fn in_window(&self, seq: u64) -> bool {
        seq + 1 >= self.acked
    }

    /// Before a third range comes, what was gathered is reported (`tcp_sack_new_ofo_skb`).
    fn flush_gathered(&mut self, seq: u64) -> Option<AckSegment> {
        let touches = |other: &u64| {
            self.held.find(*other).is_some_and(|r| r.start <= seq + 1 && seq <= r.end)
        };
        let beyond = !self.recent[..self.recent_len.min(2)].iter().any(touches);
        if self.quick.has_gathered() && seq != self.rcv_nxt && self.recent_len >= 2 && beyond {
            return Some(self.acknowledge(None));
        }
        None
    }

    fn delay(&mut self, now: Instant, timer: Duration) -> Option<AckSegment> {
        self.deadline = self.deadline.min(now + timer);
        None
    }

    /// The segment in order has arrived, and with it whatever waited behind it.
    fn advance(&mut self) {
        self.rcv_nxt += 1;
        if let Some(r) = self.held.find(self.rcv_nxt) {
            self.rcv_nxt = r.end;
        }
        self.held.remove_below(self.rcv_nxt);
    }

    /// Puts the range that holds `seq` at the head of those to report.
    fn remember(&mut self, seq: u64) {
        let range = self.held.find(seq).unwrap_or(Range { start: seq, end: seq + 1 });
        let mut kept = [0; MAX_SACK_BLOCKS];
        kept[0] = seq;
        let mut len = 1;
        for &other in &self.recent[..self.recent_len] {
            let same = range.start <= other && other < range.end;
            if len < MAX_SACK_BLOCKS && !same && other >= self.rcv_nxt {
                kept[len] = other;
                len += 1;
            }
        }
        (self.recent, self.recent_len) = (kept, len);
    }

    fn acknowledge(&mut self, duplicate: Option<u64>) -> AckSegment {
        self.unacked = 0;
        self.acked = self.rcv_nxt;
        self.deadline = Instant::FAR_FUTURE;
        self.quick.acknowledged();
        AckSegment {
            ack: self.rcv_nxt,
            sack: if self.sack { self.blocks(duplicate) } else { SackBlocks::NONE },
            echo: self.timestamps.then_some(self.echo),
            ece: self.ece,
        }
    }

    fn blocks(&self, duplicate: Option<u64>) -> SackBlocks {
        let duplicate = duplicate.filter(|_| self.report_duplicates);
        if self.held.is_empty() && duplicate.is_none() {
            return SackBlocks::NONE;
        }
        let mut blocks = SackBlocks::NONE;
        if let Some(seq) = duplicate {
            blocks.push_duplicate(Range { start: seq, end: seq + 1 });
        }
        // RFC 2018 section 3: the timestamp option leaves room for three blocks.
        let room = if self.timestamps { MAX_SACK_BLOCKS - 1 } else { MAX_SACK_BLOCKS };
        let recent = self.recent[..self.recent_len].iter();
        let recent = recent.filter_map(|&seq| self.held.find(seq));
        for range in recent.chain(self.held.iter()) {
            if usize::from(blocks.len()) == room {
                break;
            }
            if !blocks.iter().any(|b| b == range) {
                blocks.push(range);
            }
        }
        blocks
    }
}
