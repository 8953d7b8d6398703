//! The SACK scoreboard: what was selectively acknowledged, lost, and sent again.
//!
//! The acknowledged part is kept in ranges. Losses and copies need no list: what is lost are the
//! holes below one number, `judged`, and what was sent again are the holes below another,
//! `high_rxt`. Both only move forward within a loss window, so the work for each ACK is that of the
//! news it brings, not of the window: 40 segments or 40,000.

use westwood_cc::Instant;

use crate::ranges::{Range, RangeSet};
use crate::segment::SackBlocks;
use crate::sender::Core;

/// The scoreboard (RFC 6675 section 4, "Keeping Track of SACK Information").
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// Holes judged lost.
    lost: u64,
    /// Holes of which a copy is in flight.
    repaired: u64,
    /// Every hole below is lost.
    judged: u64,
    /// One beyond `HighRxt`: every hole below has been sent again.
    high_rxt: u64,
}

impl Scoreboard {
    /// Takes in SACK blocks: `Update()`.
    pub(crate) fn absorb(&mut self, core: &mut Core, now: Instant, blocks: &SackBlocks) {
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
    }

    /// `IsLost()` for all segments at once: a hole is lost when three segments above it have been
    /// selectively acknowledged. Answers how many are newly so.
    ///
    /// RFC 6675 also counts three discontiguous ranges; with whole segments each range holds at least
    /// one, so that rule adds nothing.
    pub(crate) fn judge(&mut self, core: &mut Core, dup_thresh: u32) -> u64 {
        let before = self.lost;
        let Some(third) = self.sacked.nth_highest(u64::from(dup_thresh)) else {
            return 0;
        };
        let mut seq = self.judged.max(core.snd_una);
        while seq < third {
            if let Some(range) = self.sacked.find(seq) {
                seq = range.end;
                continue;
            }
            if let Some(entry) = core.flight.get_mut(seq) {
                entry.lost = true;
                self.lost += 1;
            }
            seq += 1;
        }
        self.judged = self.judged.max(third);
        self.lost - before
    }

    /// After a timeout every hole counts as lost, copies included (RFC 6675 section 5.1).
    pub(crate) fn mark_all_lost(&mut self, core: &mut Core) {
        self.lost = 0;
        self.repaired = 0;
        for entry in core.flight.iter_mut() {
            entry.repaired = false;
            entry.lost = !entry.sacked;
            self.lost += u64::from(entry.lost);
        }
        self.judged = core.snd_max;
        self.high_rxt = core.snd_una;
    }

    /// `SetPipe()`: segments in flight, kept as a sum. What was sent again though it is not lost
    /// counts twice.
    pub(crate) fn pipe(&self, core: &Core) -> u64 {
        core.outstanding() + self.repaired - self.sacked.count() - self.lost
    }

    /// The lowest hole that has not been sent again: what `NextSeg()` rules 1, 3 and 4 look for.
    pub(crate) fn next_copy(&self, core: &Core) -> Option<u64> {
        let seq = self.high_rxt.max(core.snd_una);
        let seq = self.sacked.find(seq).map_or(seq, |range| range.end);
        (seq < core.snd_max).then_some(seq)
    }

    /// True if `seq`, a hole, is lost.
    pub(crate) fn is_lost(&self, seq: u64) -> bool {
        seq < self.judged
    }

    /// True if something above `seq`, a hole, has been selectively acknowledged.
    pub(crate) fn is_below_sacked(&self, seq: u64) -> bool {
        self.sacked.last().is_some_and(|range| seq < range.start)
    }

    /// A copy of the hole `seq` leaves.
    pub(crate) fn repair(&mut self, core: &mut Core, seq: u64) {
        self.high_rxt = self.high_rxt.max(seq + 1);
        if let Some(entry) = core.flight.get_mut(seq).filter(|e| !e.repaired) {
            entry.repaired = true;
            self.repaired += 1;
        }
    }
}
