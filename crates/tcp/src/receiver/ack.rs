//! The ACK: when it leaves, and what it carries.

use westwood_cc::{Duration, Instant};

use super::{AckMode, Receiver};
use crate::ranges::SeqRange;
use crate::segment::{AckOptions, AckSegment, MAX_SACK_BLOCKS};

impl Receiver {
    /// True if a single segment in order waits for an ACK, and no copy before it. One out of order never
    /// waits, unless Linux compresses SACKs.
    #[inline]
    pub(super) fn is_one_waiting(&self) -> bool {
        self.rcv_nxt - self.acked < 2 && !self.copy_waits
    }

    /// True if a segment in order or a copy waits for an ACK.
    pub(super) fn is_any_waiting(&self) -> bool {
        self.rcv_nxt > self.acked || self.copy_waits
    }

    /// The ACK by Linux's policy; `at_once` if the segment filled the last gap, or carries PSH and there is
    /// no gap.
    pub(super) fn linux_ack(&mut self, now: Instant, at_once: bool) -> Option<AckSegment> {
        let waiting = self.rcv_nxt - self.acked;
        let gap = (!self.out_of_order.is_empty()).then_some(self.rcv_nxt);
        let buffer = self.extensions.as_ref().and_then(|e| e.buffer.as_ref());
        let advances = || buffer.is_none_or(|buffer| buffer.advances(self.out_of_order.count()));
        let wait = match &mut self.mode {
            AckMode::Linux(quick) if !at_once => quick.wait(waiting, gap, advances),
            _ => None,
        };
        match wait {
            Some(wait) if !self.reader_opens_window() => self.delay(now, wait),
            _ => Some(self.acknowledge(None)),
        }
    }

    /// True if the application has read what has just arrived, and an ACK should tell of the window.
    #[inline]
    pub(super) fn reader_opens_window(&self) -> bool {
        let extensions = self.extensions.as_ref();
        let buffer = extensions.and_then(|extensions| extensions.buffer.as_ref());
        buffer.is_some_and(|buffer| {
            buffer.has_fresh_read() && buffer.opens(self.rcv_nxt, self.out_of_order.count())
        })
    }

    /// Reports the ranges gathered so far before a third one begins or grows (`tcp_sack_new_ofo_skb`).
    pub(super) fn flush_gathered(&mut self, seq: u64) -> Option<AckSegment> {
        let AckMode::Linux(quick) = &self.mode else {
            return None;
        };
        if !quick.has_gathered() {
            return None;
        }
        (self.recent.extend(seq) >= 2).then(|| self.acknowledge(None))
    }

    /// True if a range that changed lately is still held.
    #[inline]
    pub(super) fn is_held(&self, recent: &SeqRange) -> bool {
        // The cumulative acknowledgment covers whole ranges.
        recent.start >= self.rcv_nxt
    }

    #[inline]
    pub(super) fn delay(&mut self, now: Instant, timer: Duration) -> Option<AckSegment> {
        self.deadline = self.deadline.min(now + timer);
        None
    }

    /// An ACK while nothing is held.
    #[inline]
    pub(super) fn cumulative_ack(&mut self) -> AckSegment {
        self.acked = self.rcv_nxt;
        self.deadline = Instant::FAR_FUTURE;
        self.copy_waits = false;
        AckSegment {
            ack: self.rcv_nxt,
            options: AckOptions::NONE,
            echo: self.timestamps.then_some(self.echo),
            ece: self.ece,
            eln: false,
        }
    }

    pub(super) fn acknowledge(&mut self, duplicate: Option<u64>) -> AckSegment {
        if let AckMode::Linux(quick) = &mut self.mode {
            quick.acknowledged();
        }
        let mut ack = self.cumulative_ack();
        if self.sack {
            ack.options = self.blocks(duplicate);
        }
        if let Some(extensions) = &mut self.extensions {
            extensions.damaged.remove_below(self.rcv_nxt);
            ack.eln = extensions.damaged.contains(self.rcv_nxt);
            extensions.tell(&mut ack.options, self.timestamps, &mut self.spare);
            let held = self.out_of_order.count();
            let offered = match (&mut extensions.buffer, &mut extensions.relay) {
                (Some(buffer), _) => {
                    self.deadline = buffer.resumes_at();
                    Some(buffer.offer(self.rcv_nxt, held))
                }
                (None, Some(relay)) => relay.offer(held),
                (None, None) => None,
            };
            if let Some((window, scarce)) = offered {
                ack.options.set_window(window, &mut self.spare);
                if let (true, AckMode::Linux(quick)) = (scarce, &mut self.mode) {
                    quick.cancel_quickacks();
                }
                if let Some(buffer) = &extensions.buffer {
                    ack.options.set_header_window(buffer.header_window());
                }
            }
        }
        ack
    }

    #[inline]
    pub(super) fn blocks(&mut self, duplicate: Option<u64>) -> AckOptions {
        let duplicate = duplicate.or(self.duplicate.take()).filter(|_| self.is_linux);
        if self.out_of_order.is_empty() && duplicate.is_none() {
            return AckOptions::NONE;
        }
        // RFC 2018 section 3: the timestamp option leaves room for three blocks.
        let three = self.timestamps || self.is_ns2;
        let room = if three { MAX_SACK_BLOCKS - 1 } else { MAX_SACK_BLOCKS };
        let marks = self.extensions.as_ref().and_then(|e| e.marks.as_ref());
        let room = marks.map_or(room, |marks| marks.room_for_blocks(room, self.timestamps));
        let mut blocks = [SeqRange::default(); MAX_SACK_BLOCKS];
        let first = duplicate.map_or(0, |seq| {
            blocks[0] = SeqRange { start: seq, end: seq + 1 };
            1
        });
        let mut len = first;
        for range in self.recent.ranges().iter().filter(|r| self.is_held(r)) {
            if len < room {
                blocks[len] = *range;
                len += 1;
            }
        }
        // Usually these are all.
        let all = room.min(first + self.out_of_order.iter().len());
        if len < all && !self.recent.is_exhaustive() {
            len = self.fill_up(&mut blocks[..all], first, len);
        }
        AckOptions::of(blocks, len, duplicate.is_some(), &mut self.spare)
    }

    /// Adds the lowest ranges that are not among `blocks`, of which those from `first` to `len` are taken.
    /// Answers how many there are then.
    #[inline(never)]
    pub(super) fn fill_up(&self, blocks: &mut [SeqRange], first: usize, mut len: usize) -> usize {
        for range in self.out_of_order.iter() {
            if len == blocks.len() {
                break;
            }
            if !blocks[first..len].contains(&range) {
                blocks[len] = range;
                len += 1;
            }
        }
        len
    }
}
