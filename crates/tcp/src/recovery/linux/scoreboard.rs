//! The scoreboard: which segments are sacked, lost, and sent again, and in what order they left.
//!
//! Linux tags each segment: S (sacked), L (lost), R (a copy is in flight), and "ever sent again".
//! Here these are marks on the records in flight:
//!
//! | Linux | here |
//! |---|---|
//! | `TCPCB_SACKED_ACKED` | `sacked` |
//! | `TCPCB_LOST` | `lost` |
//! | `TCPCB_SACKED_RETRANS` | `retrans_out` |
//! | `TCPCB_EVER_RETRANS` | `retransmitted` |
//! | not on `tsorted_sent_queue` | `judged` |
//! | `sacked_out`, `lost_out`, `retrans_out` | counts |
//!
//! In flight = outstanding - sacked - lost + copies. The list in order of sending drops entries
//! lazily: one counts only while its segment's latest send time is the entry's own.

use std::collections::VecDeque;

use westwood_cc::Instant;

use super::flags::{AckFlags, Stamp};
use super::rack::Rack;
use crate::ranges::{RangeSet, SeqRange};
use crate::segment::{AckOptions, MAX_SACK_BLOCKS};
use crate::sender::{Burst, Core};

/// How many segments carry a mark.
#[derive(Clone, Copy, Debug, Default)]
struct MarkCounts {
    /// Lost and not sacked.
    lost: u64,
    /// With a copy in flight.
    retrans_out: u64,
}

/// The scoreboard.
#[derive(Clone, Debug, Default)]
pub(super) struct LinuxScoreboard {
    sacked: RangeSet,
    counts: MarkCounts,
    /// Marks set since the start (`tp->lost`).
    pub(super) marked: u64,
    /// No segment below is lost without a copy in flight.
    next_hole: u64,
    /// Segments in the order in which they last left.
    pub(super) order: VecDeque<(Instant, u64)>,
}

impl LinuxScoreboard {
    /// Segments in flight (`tcp_packets_in_flight`).
    #[inline]
    pub(super) fn in_flight(&self, core: &Core) -> u64 {
        (core.outstanding() + self.counts.retrans_out)
            .saturating_sub(self.sacked.count() + self.counts.lost)
    }

    pub(super) fn sacked(&self) -> u64 {
        self.sacked.count()
    }

    pub(super) fn lost(&self) -> u64 {
        self.counts.lost
    }

    pub(super) fn retrans_out(&self) -> u64 {
        self.counts.retrans_out
    }

    /// The end of what is sacked, above `una` (`tcp_highest_sack_seq`).
    pub(super) fn fack(&self, una: u64) -> u64 {
        self.sacked.last().map_or(una, |r| r.end.max(una))
    }

    /// True if a segment in the window has been sent again (`tcp_any_retrans_done`).
    pub(super) fn has_retransmission(&self, core: &Core) -> bool {
        self.counts.retrans_out > 0
            || core.flight().get(core.snd_una()).is_some_and(|e| e.retransmitted)
    }

    /// Takes in SACK blocks above `una` (`tcp_sacktag_write_queue`).
    pub(super) fn sack(
        &mut self,
        core: &mut Core,
        una: u64,
        blocks: &AckOptions,
        flags: &mut AckFlags,
        rack: &mut Rack,
    ) {
        let mut ranges = [SeqRange { start: 0, end: 0 }; MAX_SACK_BLOCKS];
        let mut count = 0;
        for block in blocks.blocks() {
            ranges[count] =
                SeqRange { start: block.start.max(una), end: block.end.min(core.snd_max()) };
            count += 1;
        }
        let ranges = &mut ranges[..count];
        ranges.sort_unstable_by_key(|r| r.start);
        let (sacked, counts) = (&mut self.sacked, &mut self.counts);
        for range in ranges.iter() {
            sacked.insert(*range, |new| {
                for seq in new.start..new.end {
                    counts.sack_one(core, seq, flags, rack);
                }
            });
        }
    }

    /// The cumulative acknowledgment covers the `newly` oldest segments (`tcp_clean_rtx_queue`).
    #[inline]
    pub(super) fn acknowledge(
        &mut self,
        core: &mut Core,
        newly: u64,
        flags: &mut AckFlags,
        rack: &mut Rack,
    ) {
        if newly > 0 && core.flight().is_unmarked() {
            Self::acknowledge_unmarked(core, newly, flags, rack);
        } else {
            self.acknowledge_each(core, newly, flags, rack);
            core.advance(newly);
            self.sacked.remove_below(core.snd_una());
        }
        self.next_hole = self.next_hole.max(core.snd_una());
        self.forget_delivered(core);
    }

    /// The segments acknowledged, one by one.
    #[inline(never)]
    fn acknowledge_each(
        &mut self,
        core: &mut Core,
        newly: u64,
        flags: &mut AckFlags,
        rack: &mut Rack,
    ) {
        for seq in flags.prior_una..flags.prior_una + newly {
            let (Some(entry), Some(at)) = (core.flight().get(seq), core.flight().sent_at(seq))
            else {
                break;
            };
            self.counts.retrans_out -= u64::from(entry.retrans_out);
            self.counts.lost -= u64::from(entry.lost);
            if entry.retransmitted {
                flags.retransmission_acked = true;
            } else if !entry.sacked {
                AckFlags::widen(&mut flags.acked_at, at);
                flags.late = flags.late.min(seq);
                flags.original_delivered |= seq < flags.high_seq;
            }
            if !entry.sacked {
                core.deliver(seq, flags.now);
                // An echo older than the copy shows that the original arrived (Eifel).
                let resent_at = entry.retransmitted.then(|| Stamp::of(at));
                let spurious = resent_at.is_some_and(|at| flags.echo().is_some_and(|e| e < at));
                if !spurious {
                    rack.advance(flags.now, at, entry.retransmitted, seq);
                }
            }
        }
    }

    /// Takes in a cumulative acknowledgment where no segment in flight has a mark: all were sent once,
    /// in order, so that the first and the last one say everything.
    #[inline]
    fn acknowledge_unmarked(core: &mut Core, newly: u64, flags: &mut AckFlags, rack: &mut Rack) {
        let first = flags.prior_una;
        let Some((first_at, last_at)) = core.acknowledge_in_order(newly, flags.now) else { return };
        flags.acked_at = Some((first_at, last_at));
        flags.late = flags.late.min(first);
        flags.original_delivered |= first < flags.high_seq;
        rack.advance(flags.now, last_at, false, first + newly - 1);
    }

    /// Drops delivered segments from the head of the list in order of sending.
    #[inline]
    fn forget_delivered(&mut self, core: &Core) {
        // Without marks every segment in flight was sent once.
        let (una, unmarked) = (core.snd_una(), core.flight().is_unmarked());
        while let Some(&(at, seq)) = self.order.front() {
            if seq >= una && (unmarked || is_current(core, at, seq)) {
                return;
            }
            self.order.pop_front();
        }
    }

    /// Judges a segment lost, or its copy lost too (`tcp_mark_skb_lost`).
    pub(super) fn mark_lost(&mut self, core: &mut Core, seq: u64) {
        let Some(marks) = core.flight().get(seq).filter(|marks| !marks.sacked) else {
            return;
        };
        if !marks.lost {
            core.mark_lost(seq);
            self.counts.lost += 1;
        } else if marks.retrans_out {
            core.mark_retransmission_lost(seq);
            self.counts.retrans_out -= 1;
        } else {
            return;
        }
        self.marked += 1;
        self.next_hole = self.next_hole.min(seq);
    }

    /// Takes back every judgement (`tcp_undo_cwnd_reduction`), and rebuilds the list in order of sending,
    /// from which lost segments were dropped.
    pub(super) fn unmark(&mut self, core: &mut Core) {
        let mut order = Vec::new();
        for seq in core.snd_una()..core.snd_max() {
            let at = core.flight().sent_at(seq);
            let (Some(marks), Some(at)) = (core.unmark_lost(seq), at) else {
                break;
            };
            if !marks.judged && !marks.sacked {
                order.push((at, seq));
            }
        }
        order.sort_unstable();
        self.order = order.into();
        self.counts.lost = 0;
        self.next_hole = core.snd_una();
    }

    /// The lowest segment that is lost and has no copy in flight.
    #[inline(never)]
    pub(super) fn next_hole(&mut self, core: &Core) -> Option<u64> {
        if self.counts.retrans_out >= self.counts.lost {
            return None;
        }
        let mut seq = self.next_hole.max(core.snd_una());
        while let Some(entry) = core.flight().get(seq) {
            if entry.sacked {
                seq = self.sacked.find(seq).map_or(seq + 1, |r| r.end);
            } else if entry.lost && !entry.retrans_out {
                self.next_hole = seq;
                return Some(seq);
            } else {
                seq += 1;
            }
        }
        self.next_hole = seq;
        None
    }

    /// These segments have left. `counted`: a copy that repairs a loss; a tail loss probe is not.
    #[inline]
    pub(super) fn sent(&mut self, core: &mut Core, burst: &Burst, counted: bool) {
        for segment in burst.segments() {
            self.order.push_back((segment.sent_at, segment.seq));
        }
        if counted {
            self.counts.retrans_out += u64::from(core.mark_retrans_out(burst.segment.seq));
        }
    }

    /// A duplicate was reported of segments in the window (`tcp_sacktag_one`): a copy of them is no longer in
    /// flight. Answers how many of them, from `marker` on, had been sent again.
    pub(super) fn duplicate(
        &mut self,
        core: &mut Core,
        range: SeqRange,
        marker: Option<u64>,
        flags: &mut AckFlags,
    ) -> u64 {
        let mut needless = 0;
        for seq in range.start..range.end.min(core.snd_max()) {
            let Some(marks) = core.flight().get(seq).filter(|marks| marks.retransmitted) else {
                continue;
            };
            needless += u64::from(marker.is_some_and(|marker| seq >= marker));
            if marks.sacked {
                flags.late = flags.late.min(seq);
            }
            if marks.retrans_out && !marks.lost {
                core.unmark_retrans_out(seq);
                self.counts.retrans_out -= 1;
            }
        }
        needless
    }
}

impl MarkCounts {
    /// One segment is sacked for the first time (`tcp_sacktag_one`).
    fn sack_one(&mut self, core: &mut Core, seq: u64, flags: &mut AckFlags, rack: &mut Rack) {
        let Some(at) = core.flight().sent_at(seq) else { return };
        let Some(old) = core.mark_sacked(seq) else { return };
        self.lost -= u64::from(old.lost);
        self.retrans_out -= u64::from(old.retrans_out && old.lost);
        rack.advance(flags.now, at, old.retransmitted, seq);
        if !old.retransmitted {
            if seq < flags.prior_fack {
                flags.late = flags.late.min(seq);
            }
            flags.original_delivered |= seq < flags.high_seq;
            AckFlags::widen(&mut flags.sacked_at, at);
        }
        flags.sacked = true;
        if flags.counts_reports() {
            core.deliver(seq, flags.now);
        } else {
            core.deliver_uncounted(seq);
        }
    }
}

/// True if the segment's latest copy left at `at` and has not been sacked.
pub(super) fn is_current(core: &Core, at: Instant, seq: u64) -> bool {
    core.flight().sent_at(seq) == Some(at)
        && core.flight().get(seq).is_some_and(|e| !e.judged && !e.sacked)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use westwood_cc::Duration;

    use super::*;
    use crate::config::{Config, Recovery};
    use crate::sender::NextSend;

    /// Ten segments in flight, sent so many microseconds after one another.
    fn in_flight(waits: &[u64]) -> (Core, Instant) {
        let config = Config { recovery: Recovery::Linux, ..Config::default() };
        let mut core = Core::with_reno(config);
        let mut now = Instant::ZERO;
        for (count, wait) in (1..).zip(waits) {
            now += Duration::from_micros(*wait);
            core.supply_segments(count);
            core.send(now, NextSend::New(1), count - 1);
        }
        (core, now)
    }

    proptest! {
        #[test]
        fn of_segments_without_marks_the_first_and_the_last_say_everything(
            waits in prop::collection::vec(0_u64..2_000, 10),
            (earlier, newly, high_seq) in (0_u64..5, 1_u64..=5, 0_u64..12),
            (echo, rtt) in (prop::option::of(0_u64..20), 1_u64..50_000),
        ) {
            let (mut core, last) = in_flight(&waits);
            core.advance(earlier);
            let now = last + Duration::from_micros(rtt);
            let echo = echo.map(|ms| Instant::ZERO + Duration::from_millis(ms));
            let mut flags = AckFlags::new(now, echo, earlier, earlier);
            flags.high_seq = high_seq;
            let (mut other, mut other_flags) = (core.clone(), flags);
            let (mut rack, mut other_rack) = (Rack::default(), Rack::default());
            LinuxScoreboard::acknowledge_unmarked(&mut core, newly, &mut flags, &mut rack);
            let mut board = LinuxScoreboard::default();
            board.acknowledge_each(&mut other, newly, &mut other_flags, &mut other_rack);
            other.advance(newly);
            let [told, expected] = [(&core, flags, rack), (&other, other_flags, other_rack)]
                .map(|all| format!("{all:?}"));
            prop_assert_eq!(told, expected);
        }
    }
}
