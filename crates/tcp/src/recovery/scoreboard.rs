//! The SACK scoreboard: what was selectively acknowledged, lost, and sent again.
//!
//! The acknowledged part is kept in ranges and the rest as marks on the segments in flight. Every
//! pointer only moves forward within a loss window, so the work for each ACK is that of the news it
//! brings, not of the window: 40 segments or 40,000.

use westwood_cc::Instant;

use crate::ranges::{Range, RangeSet};
use crate::segment::SackBlocks;
use crate::sender::Core;

/// The scoreboard (RFC 6675 section 4, "Keeping Track of SACK Information").
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// Segments marked lost and neither acknowledged nor selectively acknowledged.
    lost: u64,
    /// Copies in flight.
    repaired: u64,
    /// Everything below has been looked at by [`mark_lost_below`](Self::mark_lost_below).
    judged: u64,
    /// No segment below is lost and unrepaired.
    next_hole: u64,
}

impl Scoreboard {
    /// Takes in SACK blocks: `Update()`. True if they say anything new.
    pub(crate) fn absorb(&mut self, core: &mut Core, now: Instant, blocks: &SackBlocks) -> bool {
        let before = self.sacked.count();
        let (low, high) = (core.snd_una, core.snd_max);
        for block in blocks.iter() {
            let range = Range {
                start: block.start.max(low),
                end: block.end.min(high),
            };
            let (lost, repaired) = (&mut self.lost, &mut self.repaired);
            self.sacked.insert(range, |new| {
                for seq in new.start..new.end {
                    if let Some(entry) = core.flight.get_mut(seq) {
                        entry.sacked = true;
                        *lost -= u64::from(entry.lost);
                        *repaired -= u64::from(entry.repaired);
                        let entry = *entry;
                        core.flight.deliver(entry, now);
                    }
                }
            });
        }
        self.sacked.count() > before
    }

    /// The cumulative acknowledgment moves to `ack`.
    pub(crate) fn advance(&mut self, core: &mut Core, now: Instant, ack: u64) {
        for _ in core.snd_una..ack {
            let Some(entry) = core.flight.pop() else {
                break;
            };
            if !entry.sacked {
                self.lost -= u64::from(entry.lost);
                self.repaired -= u64::from(entry.repaired);
                core.flight.deliver(entry, now);
            }
        }
        self.sacked.remove_below(ack);
        core.snd_una = ack;
        self.judged = self.judged.max(ack);
        self.next_hole = self.next_hole.max(ack);
    }

    /// Marks every segment below `end` lost that has not been selectively acknowledged, and
    /// answers how many are newly so.
    pub(crate) fn mark_lost_below(&mut self, core: &mut Core, end: u64) -> u64 {
        let before = self.lost;
        let mut seq = self.judged.max(core.snd_una);
        while seq < end {
            match core.flight.get_mut(seq) {
                Some(entry) if entry.sacked => {
                    seq = self.sacked.find(seq).map_or(seq + 1, |r| r.end);
                    continue;
                }
                Some(entry) if !entry.lost => {
                    entry.lost = true;
                    self.lost += 1;
                }
                _ => {}
            }
            seq += 1;
        }
        self.judged = self.judged.max(end);
        self.lost - before
    }

    /// `IsLost()` for all segments at once: a segment is lost when three segments above it have been
    /// selectively acknowledged. Answers how many are newly so.
    ///
    /// RFC 6675 also counts three discontiguous ranges; with whole segments each range holds at least
    /// one, so that rule adds nothing.
    pub(crate) fn judge(&mut self, core: &mut Core, dup_thresh: u32) -> u64 {
        match self.sacked.nth_highest(u64::from(dup_thresh)) {
            Some(third) => self.mark_lost_below(core, third),
            None => 0,
        }
    }

    /// After a timeout everything not selectively acknowledged counts as lost, copies included
    /// (RFC 6675 section 5.1).
    pub(crate) fn mark_all_lost(&mut self, core: &mut Core) {
        self.lost = 0;
        self.repaired = 0;
        for entry in core.flight.iter_mut() {
            entry.repaired = false;
            entry.lost = !entry.sacked;
            self.lost += u64::from(entry.lost);
        }
        self.judged = core.snd_max;
        self.next_hole = core.snd_una;
    }

    /// `SetPipe()`: segments in flight, kept as a sum.
    pub(crate) fn pipe(&self, core: &Core) -> u64 {
        core.outstanding() + self.repaired - self.sacked.count() - self.lost
    }

    /// `NextSeg()` rule 1: the lowest segment that is lost and not yet sent again.
    pub(crate) fn next_hole(&mut self, core: &Core) -> Option<u64> {
        let mut seq = self.next_hole.max(core.snd_una);
        while seq < self.judged {
            match core.flight.get(seq) {
                Some(entry) if entry.sacked => {
                    seq = self.sacked.find(seq).map_or(seq + 1, |r| r.end);
                }
                Some(entry) if entry.lost && !entry.repaired => break,
                _ => seq += 1,
            }
        }
        self.next_hole = seq;
        (seq < self.judged).then_some(seq)
    }

    /// `NextSeg()` rule 3: the lowest segment above all copies and below something selectively
    /// acknowledged, though nothing says that it is lost.
    pub(crate) fn next_doubtful(&self, core: &Core) -> Option<u64> {
        let top = self.sacked.last()?.start;
        let mut seq = self.next_hole.max(core.snd_una);
        while seq < top {
            match core.flight.get(seq) {
                Some(entry) if entry.sacked => {
                    seq = self.sacked.find(seq).map_or(seq + 1, |r| r.end);
                }
                Some(entry) if entry.repaired => seq += 1,
                _ => return Some(seq),
            }
        }
        None
    }

    /// Segment `seq` has left: if it is a copy it is in flight once more.
    pub(crate) fn sent(&mut self, core: &mut Core, seq: u64) {
        if let Some(entry) = core
            .flight
            .get_mut(seq)
            .filter(|e| e.retransmitted && !e.repaired)
        {
            entry.repaired = true;
            self.repaired += 1;
        }
    }

    /// What was selectively acknowledged.
    pub(crate) fn sacked(&self) -> &RangeSet {
        &self.sacked
    }

    /// Segments marked lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }
}
