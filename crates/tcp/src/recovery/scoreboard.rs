//! The SACK scoreboard: segments selectively acknowledged, lost, and sent again.
//!
//! The acknowledged part is kept in ranges. Losses and copies need no list: the holes below one number,
//! `judged`, are lost, and the holes below another have been sent again,
//! `high_rxt`. Both only move forward within a loss window, so the work for each ACK is that of the
//! news it brings, not of the window: 40 segments or 40,000.

use westwood_cc::Instant;

use crate::ranges::{RangeSet, SeqRange};
use crate::segment::{AckOptions, MAX_SACK_BLOCKS};
use crate::sender::Core;

/// The scoreboard (RFC 6675 section 4, "Keeping Track of SACK Information").
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    /// Holes judged lost.
    lost: u64,
    /// Holes of which a copy is in flight.
    retrans_out: u64,
    /// Every hole below is lost.
    judged: u64,
    /// One beyond `HighRxt`: every hole below has been sent again.
    high_rxt: u64,
    /// The last blocks that were taken in: the next ACK repeats most of them.
    known: [SeqRange; MAX_SACK_BLOCKS],
}

impl Scoreboard {
    /// Takes in SACK blocks: `Update()`.
    pub(crate) fn absorb(&mut self, core: &mut Core, now: Instant, blocks: &AckOptions) {
        let Some((first, others)) = blocks.block_slice().split_first() else { return };
        // Usually the first block is new, and each other block was in the last ACK at its index or before.
        let known = self.known;
        // A block beyond snd_max is clamped, so it may bring more when it comes again.
        let sound = blocks.blocks().all(|block| block.end <= core.snd_max());
        self.known = if sound { blocks.ranges() } else { Default::default() };
        match self.sacked.append(clamp(core, *first)) {
            Ok(new) if new.is_empty() => {}
            Ok(new) => self.note_sacked(core, now, new),
            Err(_) => self.insert_block(core, now, *first),
        }
        for (block, before) in others.iter().zip(known.windows(2)) {
            if !before.contains(block) {
                self.insert_block(core, now, *block);
            }
        }
    }

    /// Takes in any block.
    #[inline(never)]
    fn insert_block(&mut self, core: &mut Core, now: Instant, block: SeqRange) {
        let mut sacked = core::mem::take(&mut self.sacked);
        sacked.insert(clamp(core, block), |new| self.note_sacked(core, now, new));
        self.sacked = sacked;
    }

    /// These segments are selectively acknowledged, for the first time.
    #[inline]
    fn note_sacked(&mut self, core: &mut Core, now: Instant, new: SeqRange) {
        let (lost, retrans_out) = core.sack(new, now);
        self.lost -= lost;
        self.retrans_out -= retrans_out;
    }

    /// The cumulative acknowledgment covers the `newly` oldest segments.
    #[inline(never)]
    pub(crate) fn advance(&mut self, core: &mut Core, now: Instant, newly: u64) {
        let ack = core.snd_una() + newly;
        for seq in core.snd_una()..ack {
            let marks = core.flight().get(seq).unwrap_or_default();
            self.lost -= u64::from(marks.lost);
            self.retrans_out -= u64::from(marks.retrans_out);
            if !marks.sacked {
                core.deliver(seq, now);
            }
        }
        self.sacked.remove_below(ack);
        core.advance(newly);
    }

    /// `IsLost()` for all segments at once: a hole is lost when three segments above it have been
    /// selectively acknowledged. Answers how many are newly so.
    ///
    /// RFC 6675 also counts three discontiguous ranges; with whole segments each range holds at least
    /// one, so that rule adds nothing.
    #[inline]
    pub(crate) fn judge(&mut self, core: &mut Core, dup_thresh: u32) -> u64 {
        let Some((third, highest)) = self.sacked.nth_highest(u64::from(dup_thresh)) else {
            return 0;
        };
        let from = self.judged.max(core.snd_una());
        self.judged = self.judged.max(third);
        // Usually every hole has been judged.
        if from < highest.start { self.lose_holes(core, from, highest.start) } else { 0 }
    }

    /// The holes between `seq` and `end` are lost, for the first time. Answers how many there are.
    #[inline(never)]
    fn lose_holes(&mut self, core: &mut Core, mut seq: u64, end: u64) -> u64 {
        let before = self.lost;
        while seq < end {
            if let Some(range) = self.sacked.find(seq) {
                seq = range.end;
                continue;
            }
            self.lost += u64::from(core.mark_lost(seq));
            seq += 1;
        }
        self.lost - before
    }

    /// After a timeout every hole counts as lost, copies included (RFC 6675 section 5.1).
    pub(crate) fn mark_all_lost(&mut self, core: &mut Core) {
        // No reported segment is lost. Without any report all segments are, forgotten ones included.
        let no_report = self.sacked.count() == 0;
        tell_all_lost(core, no_report);
        self.lost = core.mark_all_lost(no_report);
        self.retrans_out = 0;
        self.judged = core.snd_max();
        self.high_rxt = core.snd_una();
    }

    /// Forgets the reports (RFC 2018 section 8). The segments stay counted as delivered, and are sent
    /// again.
    pub(crate) fn forget(&mut self) {
        self.sacked = RangeSet::default();
        self.known = Default::default();
    }

    /// Segments reported above the cumulative acknowledgment.
    pub(crate) fn reported(&self) -> u64 {
        self.sacked.count()
    }

    /// `SetPipe()`: segments in flight, kept as a sum. A segment that was sent again though it is not lost
    /// counts twice.
    pub(crate) fn pipe(&self, core: &Core) -> u64 {
        core.outstanding() + self.retrans_out - self.sacked.count() - self.lost
    }

    /// The lowest hole that has not been sent again, for rules 1, 3 and 4 of `NextSeg()`.
    pub(crate) fn next_retransmission(&self, core: &Core) -> Option<u64> {
        let seq = self.retransmit_from(core);
        let seq = self.sacked.find(seq).map_or(seq, |range| range.end);
        (seq < core.snd_max()).then_some(seq)
    }

    /// [`next_retransmission`](Self::next_retransmission) lies here or beyond.
    #[inline]
    pub(crate) fn retransmit_from(&self, core: &Core) -> u64 {
        self.high_rxt.max(core.snd_una())
    }

    /// Moves the search for the next copy beyond the range reported there.
    #[inline]
    pub(crate) fn skip_reported(&mut self, core: &Core) {
        let seq = self.retransmit_from(core);
        if self.is_lost(seq) {
            self.high_rxt = self.sacked.find(seq).map_or(seq, |range| range.end);
        }
    }

    /// True if `seq`, a hole, is lost.
    pub(crate) fn is_lost(&self, seq: u64) -> bool {
        seq < self.judged
    }

    /// True if a segment above `seq`, a hole, has been selectively acknowledged.
    pub(crate) fn is_below_sacked(&self, seq: u64) -> bool {
        self.sacked.last().is_some_and(|range| seq < range.start)
    }

    /// A copy of the hole `seq` leaves.
    pub(crate) fn retransmit(&mut self, core: &mut Core, seq: u64) {
        self.high_rxt = self.high_rxt.max(seq + 1);
        self.retrans_out += u64::from(core.mark_retrans_out(seq));
    }
}

/// All segments that did not count as lost are lost now, and so are all copies.
fn tell_all_lost(core: &mut Core, no_report: bool) {
    for seq in core.snd_una()..core.snd_max() {
        let marks = core.flight().get(seq).unwrap_or_default();
        if (no_report || !marks.sacked) && (!marks.lost || marks.retrans_out) {
            core.lose(seq);
        }
    }
}

/// The part of a block that lies in the flight.
#[inline]
fn clamp(core: &Core, block: SeqRange) -> SeqRange {
    SeqRange { start: block.start.max(core.snd_una()), end: block.end.min(core.snd_max()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::sender::{NextSend, touched};
    use proptest::prelude::*;

    const NOW: Instant = Instant::ZERO;

    /// A window of `n` segments, all out.
    fn window(n: u64) -> Core {
        let mut core = Core::with_reno(Config::default());
        core.supply_segments(n);
        core.send(NOW, NextSend::New(n), 0);
        core
    }

    fn blocks(ranges: &[(u64, u64)]) -> AckOptions {
        let mut blocks = AckOptions::NONE;
        for &(start, end) in ranges {
            blocks.push_block(SeqRange { start, end });
        }
        blocks
    }

    /// One ACK's work on the scoreboard: how many records it touches.
    fn cost(board: &mut Scoreboard, core: &mut Core, ranges: &[(u64, u64)]) -> u64 {
        touched::take();
        board.absorb(core, NOW, &blocks(ranges));
        board.judge(core, 3);
        if let Some(seq) = board.next_retransmission(core).filter(|&seq| board.is_lost(seq)) {
            board.retransmit(core, seq);
        }
        touched::take()
    }

    proptest! {
        #[test]
        fn what_is_known_or_lies_behind_is_passed_over_without_a_difference(
            acks in prop::collection::vec(
                (prop::collection::vec((0_u64..30, 1_u64..6), 0..4), 0_usize..2, 0_u64..4, 0_u8..40),
                1..60,
            ),
        ) {
            let (mut short, mut long) = (Scoreboard::default(), Scoreboard::default());
            let (mut core, mut other) = (window(24), window(24));
            let mut last = Vec::new();
            for (news, skipped, newly, event) in acks {
                // Usually blocks come again, at the next index or at the same.
                let news = news.iter().map(|&(start, len)| (start, start + len));
                let mut ranges: Vec<_> = news.chain(last.into_iter().skip(skipped)).collect();
                ranges.truncate(MAX_SACK_BLOCKS);
                // The receiver cannot hold what it asks for.
                let ack = core.snd_una().max(newly * 3).min(core.snd_max());
                let newly = ack - core.snd_una();
                short.advance(&mut core, NOW, newly);
                long.advance(&mut other, NOW, newly);
                long.known = Default::default();
                short.absorb(&mut core, NOW, &blocks(&ranges));
                long.absorb(&mut other, NOW, &blocks(&ranges));
                prop_assert_eq!(short.judge(&mut core, 3), long.judge(&mut other, 3));
                short.skip_reported(&core);
                prop_assert_eq!(short.next_retransmission(&core), long.next_retransmission(&other));
                if let Some(seq) = long.next_retransmission(&other).filter(|_| event < 20) {
                    short.retransmit(&mut core, seq);
                    long.retransmit(&mut other, seq);
                }
                if event == 38 {
                    short.forget();
                    long.forget();
                }
                if event >= 38 {
                    short.mark_all_lost(&mut core);
                    long.mark_all_lost(&mut other);
                }
                last = ranges;
                prop_assert!(short.sacked.iter().eq(long.sacked.iter()));
                prop_assert_eq!(short.pipe(&core), long.pipe(&other));
                prop_assert_eq!(core.flight().delivered(), other.flight().delivered());
            }
        }
    }

    #[test]
    fn an_ack_over_40000_segments_with_three_holes_touches_as_few_records_as_one_over_40() {
        for n in [40, 40_000] {
            let mut core = window(n);
            let mut board = Scoreboard::default();
            let (a, b, end) = (n / 4, n / 2, n - 10);
            cost(&mut board, &mut core, &[(b + 1, end), (a + 1, b), (1, a)]);
            // Holes at 0, a and b; each ACK brings one more segment.
            let costs: Vec<u64> = (end..end + 5)
                .map(|last| cost(&mut board, &mut core, &[(b + 1, last + 1)]))
                .collect();
            assert_eq!(costs, [2, 2, 1, 1, 1], "{n}");
            assert_eq!(board.pipe(&core), 10 - 5 + 3);
        }
    }

    #[test]
    fn news_costs_what_it_brings() {
        let mut core = window(40_000);
        let mut board = Scoreboard::default();
        assert_eq!(cost(&mut board, &mut core, &[(1, 30_001)]), 30_000 + 2);
        assert_eq!(cost(&mut board, &mut core, &[(1, 30_001)]), 0);
    }

    #[test]
    fn pipe_counts_a_doubtful_segment_sent_again_twice() {
        let mut core = window(10);
        let mut board = Scoreboard::default();
        board.absorb(&mut core, NOW, &blocks(&[(5, 6)]));
        assert_eq!(board.pipe(&core), 9);
        board.retransmit(&mut core, 0);
        assert_eq!(board.pipe(&core), 10);
        // Once it is judged lost only the copy counts.
        board.absorb(&mut core, NOW, &blocks(&[(5, 8)]));
        board.judge(&mut core, 3);
        assert_eq!(board.pipe(&core), 10 - 3 - 5 + 1);
    }
}
