//! The ranges that ACKs report: those that changed last, the latest first (RFC 2018 section 4).
//!
//! RFC 2018 reports a range whole: with every segment around the latest one. Linux keeps a list of four
//! ranges (`selective_acks`) and joins a segment to those alone, so that of a range that has fallen off the
//! list only the segments that come later are reported. The two differ where more than four ranges are held.
//!
//! | kernel | here |
//! |---|---|
//! | `tcp_sack_extend` | [`extend`](SackList::extend) |
//! | `tcp_sack_new_ofo_skb`, `tcp_sack_maybe_coalesce` | [`report`](SackList::report) |
//! | `tcp_sack_remove` | [`remove_below`](SackList::remove_below) |

use crate::config::{Config, Recovery};
use crate::ranges::SeqRange;
use crate::segment::MAX_SACK_BLOCKS;

/// The list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SackList {
    /// The latest first. Without Linux's rules some may be acknowledged.
    ranges: [SeqRange; MAX_SACK_BLOCKS],
    len: usize,
    /// How many it keeps.
    most: usize,
    /// Linux's rules.
    is_linux: bool,
    /// ACKs report the list and no other range.
    is_exhaustive: bool,
}

impl SackList {
    /// An empty list. ns-2's receiver remembers three ranges and reports no others (`maxSackBlocks_`,
    /// `SackStack`).
    pub(crate) fn of(config: &Config) -> Self {
        let is_linux = config.recovery == Recovery::Linux;
        let is_ns2 = config.has_ns2_habits();
        let most = if is_ns2 { MAX_SACK_BLOCKS - 1 } else { MAX_SACK_BLOCKS };
        let is_exhaustive = is_linux || is_ns2;
        let ranges = [SeqRange::default(); MAX_SACK_BLOCKS];
        Self { ranges, len: 0, most, is_linux, is_exhaustive }
    }

    /// Its ranges.
    #[inline]
    pub(crate) fn ranges(&self) -> &[SeqRange] {
        &self.ranges[..self.len]
    }

    /// True if ACKs report the list and no other range, the rule of Linux and of ns-2.
    pub(crate) fn is_exhaustive(&self) -> bool {
        self.is_exhaustive
    }

    /// The place of the range that a segment joins, or the length of the list if it joins none. By Linux's
    /// rules the range holds the segment from now on.
    pub(crate) fn extend(&mut self, seq: u64) -> usize {
        let joins = |r: &SeqRange| r.start <= seq + 1 && seq <= r.end;
        let Some(place) = self.ranges().iter().position(joins) else { return self.len };
        if self.is_linux {
            let range = &mut self.ranges[place];
            *range = SeqRange { start: range.start.min(seq), end: range.end.max(seq + 1) };
        }
        place
    }

    /// Segment `seq` arrived behind a gap that begins at `rcv_nxt`, and is now in the range `whole`, which
    /// becomes the first.
    #[inline]
    pub(crate) fn report(&mut self, seq: u64, whole: SeqRange, rcv_nxt: u64) {
        if self.is_linux {
            return self.report_joined(seq);
        }
        let newest = &mut self.ranges[0];
        if self.len > 0 && newest.start == whole.start && newest.end + 1 == whole.end {
            newest.end = whole.end;
        } else {
            self.put_first(whole, |other| other.start >= rcv_nxt);
        }
    }

    /// Linux's: the segment, and what it joins of the list.
    fn report_joined(&mut self, seq: u64) {
        let place = self.extend(seq);
        let alone = SeqRange { start: seq, end: seq + 1 };
        let mut first = self.ranges().get(place).copied().unwrap_or(alone);
        // The range may have grown up to others, which may end where further ones begin.
        for other in self.ranges() {
            if other.start <= first.end && first.start <= other.end {
                first =
                    SeqRange { start: first.start.min(other.start), end: first.end.max(other.end) };
            }
        }
        self.put_first(first, |_| true);
    }

    /// Makes a range the first; what begins within it, or is not kept, goes.
    #[inline(never)]
    fn put_first(&mut self, first: SeqRange, keeps: impl Fn(&SeqRange) -> bool) {
        let mut kept = [first; MAX_SACK_BLOCKS];
        let mut len = 1;
        for other in self.ranges() {
            // A range that was joined to it begins within it.
            let same = first.start <= other.start && other.start < first.end;
            if len < self.most && !same && keeps(other) {
                kept[len] = *other;
                len += 1;
            }
        }
        (self.ranges, self.len) = (kept, len);
    }

    /// All below `rcv_nxt` has arrived: by Linux's rules ranges that begin there are removed, and all of them
    /// if nothing is held any more.
    pub(crate) fn remove_below(&mut self, rcv_nxt: u64, is_held: bool) {
        if !self.is_linux || self.len == 0 {
            return;
        }
        let mut len = 0;
        for place in 0..self.len {
            let range = self.ranges[place];
            if is_held && rcv_nxt < range.start {
                self.ranges[len] = range;
                len += 1;
            }
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> SeqRange {
        SeqRange { start, end }
    }

    /// A list after segments behind a gap at 592, each with the whole range that it is in.
    fn after(is_linux: bool, segments: &[(u64, SeqRange)]) -> SackList {
        let recovery = if is_linux { Recovery::Linux } else { Recovery::Sack };
        let mut list = SackList::of(&Config { recovery, ..Config::default() });
        for &(seq, whole) in segments {
            list.report(seq, whole, 592);
        }
        list
    }

    #[test]
    fn linux_joins_a_segment_to_the_four_ranges_that_it_remembers() {
        // As captured: 619 has fallen off the list when 620 comes.
        let alone = [611, 619, 617, 621, 623, 625].map(|seq| (seq, range(seq, seq + 1)));
        let segments = [&alone[..], &[(620, range(619, 622))]].concat();
        let linux = after(true, &segments);
        assert_eq!(
            linux.ranges(),
            [range(620, 622), range(625, 626), range(623, 624), range(617, 618)]
        );
        let rfc = after(false, &segments);
        assert_eq!(rfc.ranges()[0], range(619, 622));
    }

    #[test]
    fn linux_joins_ranges_of_the_list_that_come_to_touch() {
        let segments = [(600, range(600, 601)), (602, range(602, 603)), (601, range(600, 603))];
        assert_eq!(after(true, &segments).ranges(), [range(600, 603)]);
    }

    #[test]
    fn linux_removes_what_is_acknowledged() {
        let segments = [600, 604, 608].map(|seq| (seq, range(seq, seq + 1)));
        let mut list = after(true, &segments);
        list.remove_below(601, true);
        assert_eq!(list.ranges(), [range(608, 609), range(604, 605)]);
        list.remove_below(605, false);
        assert_eq!(list.ranges(), []);
    }
}
