//! A set of sequence numbers, kept as ranges.
//!
//! Both ends use it: the receiver for what it holds out of order, the sender for what has been
//! selectively acknowledged. A window of 40,000 segments with three holes is four ranges.

/// Sequence numbers from `start` up to, and without, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeqRange {
    /// The first.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
}

impl SeqRange {
    /// How many there are.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// True if there are none.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// How many ranges a search tries from the highest down, where most insertions fall, before it halves
/// the rest.
const NEAR: usize = 8;

/// A set of sequence numbers: disjoint ranges in ascending order with gaps between them.
#[derive(Clone, Debug, Default)]
pub struct RangeSet {
    /// Removed ranges up to `head`, then the ranges of the set.
    ranges: Vec<SeqRange>,
    /// The index of the lowest range.
    head: usize,
    count: u64,
}

impl RangeSet {
    /// How many sequence numbers the set holds.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True if it holds none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The ranges in ascending order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SeqRange> + ExactSizeIterator + '_ {
        self.live().iter().copied()
    }

    /// The highest range.
    pub fn last(&self) -> Option<SeqRange> {
        // Removed ranges stay only in front of others.
        self.ranges.last().copied()
    }

    /// The range that is all of the set, if there is only one.
    #[inline]
    pub fn only(&self) -> Option<SeqRange> {
        self.last().filter(|_| self.ranges.len() == self.head + 1)
    }

    /// The range that holds `seq`.
    pub fn find(&self, seq: u64) -> Option<SeqRange> {
        let first = self.first(|r| r.end <= seq);
        self.ranges.get(first).copied().filter(|r| r.start <= seq)
    }

    /// True if the set holds `seq`.
    pub fn contains(&self, seq: u64) -> bool {
        self.find(seq).is_some()
    }

    /// Adds `range` and calls `added` for each part of it that was not there, in ascending order.
    #[inline]
    pub fn insert(&mut self, range: SeqRange, mut added: impl FnMut(SeqRange)) {
        match self.append(range) {
            Ok(new) if new.is_empty() => {}
            Ok(new) => added(new),
            Err(first) => {
                self.join(first, range, added);
            }
        }
    }

    /// Adds `range` if the set holds it already or if it only appends to one range, as most do. Answers
    /// the new part, or the index where `range` belongs.
    #[inline]
    pub(crate) fn append(&mut self, range: SeqRange) -> Result<SeqRange, usize> {
        if range.is_empty() {
            return Ok(range);
        }
        let first = self.first(|r| r.end < range.start);
        let next = self.ranges.get(first + 1).map_or(u64::MAX, |r| r.start);
        match self.ranges.get_mut(first) {
            Some(r) if r.start <= range.start && range.end < next => {
                let new = SeqRange { start: r.end, end: range.end };
                if !new.is_empty() {
                    r.end = range.end;
                    self.count += new.len();
                }
                Ok(new)
            }
            _ => Err(first),
        }
    }

    /// Adds `seq` and answers the range that it is part of now; nothing if it was there.
    #[inline]
    pub fn insert_one(&mut self, seq: u64) -> Option<SeqRange> {
        let first = self.first(|r| r.end < seq);
        let next = self.ranges.get(first + 1).map_or(u64::MAX, |r| r.start);
        match self.ranges.get_mut(first) {
            Some(r) if r.start <= seq && seq < r.end => None,
            Some(r) if r.end == seq && seq + 1 < next => {
                r.end += 1;
                self.count += 1;
                Some(*r)
            }
            _ => Some(self.join(first, SeqRange { start: seq, end: seq + 1 }, |_| {})),
        }
    }

    /// Adds `range` and joins it with those that it touches, from index `first` on. Answers the joined
    /// range.
    #[inline(never)]
    fn join(&mut self, first: usize, range: SeqRange, mut added: impl FnMut(SeqRange)) -> SeqRange {
        let mut merged = range;
        let mut gap = range.start;
        let mut past = first;
        while let Some(r) = self.ranges.get(past).filter(|r| r.start <= range.end) {
            if gap < r.start {
                self.count += r.start - gap;
                added(SeqRange { start: gap, end: r.start });
            }
            gap = gap.max(r.end);
            merged = SeqRange { start: merged.start.min(r.start), end: merged.end.max(r.end) };
            past += 1;
        }
        if gap < range.end {
            self.count += range.end - gap;
            added(SeqRange { start: gap, end: range.end });
        }
        if past == first {
            self.make_place(first, merged);
        } else {
            self.ranges[first] = merged;
            self.close(first, past);
        }
        merged
    }

    /// Inserts `range` at index `i`.
    fn make_place(&mut self, i: usize, range: SeqRange) {
        let len = self.ranges.len();
        if self.head > 0 && i - self.head < len - i {
            self.ranges.copy_within(self.head..i, self.head - 1);
            self.head -= 1;
            self.ranges[i - 1] = range;
        } else if len == self.ranges.capacity() && self.head > len / 2 {
            // Instead of growing.
            self.ranges.drain(..self.head);
            self.ranges.insert(i - self.head, range);
            self.head = 0;
        } else {
            self.ranges.insert(i, range);
        }
    }

    /// Removes the ranges between the indices `i` and `past`.
    fn close(&mut self, i: usize, past: usize) {
        let gone = past - i - 1;
        if gone == 0 {
            return;
        }
        if i - self.head < self.ranges.len() - past {
            self.ranges.copy_within(self.head..=i, self.head + gone);
            self.head += gone;
        } else {
            self.ranges.drain(i + 1..past);
        }
    }

    /// Removes all below `seq`.
    #[inline]
    pub fn remove_below(&mut self, seq: u64) {
        while let Some(r) = self.ranges.get_mut(self.head).filter(|r| r.start < seq) {
            self.count -= r.end.min(seq) - r.start;
            if r.end > seq {
                r.start = seq;
                return;
            }
            self.head += 1;
        }
        if self.count == 0 {
            self.clear();
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.head = 0;
        self.count = 0;
    }

    /// The `n`-th highest member, counted from 1, and the range that it is in.
    ///
    /// Costs a step for each range passed; with small `n` that is at most `n`.
    pub fn nth_highest(&self, n: u64) -> Option<(u64, SeqRange)> {
        let mut left = n.checked_sub(1)?;
        for r in self.live().iter().rev() {
            if left < r.len() {
                return Some((r.end - 1 - left, *r));
            }
            left -= r.len();
        }
        None
    }

    fn live(&self) -> &[SeqRange] {
        self.ranges.get(self.head..).unwrap_or_default()
    }

    /// The index of the lowest range for which `before` is false.
    #[inline]
    fn first(&self, is_before: impl Fn(&SeqRange) -> bool) -> usize {
        let len = self.ranges.len();
        // Removed ranges lie below the others, so the search may include them.
        match self.ranges.as_slice() {
            [.., last] if is_before(last) => len,
            [] | [_] => 0,
            [.., lower, _] if is_before(lower) => len - 1,
            _ => self.first_of_all(is_before),
        }
    }

    #[inline(never)]
    fn first_of_all(&self, is_before: impl Fn(&SeqRange) -> bool) -> usize {
        let (far, mut near) = {
            let live = self.live();
            live.split_at(live.len().saturating_sub(NEAR))
        };
        while let Some((r, lower)) = near.split_last() {
            if is_before(r) {
                return self.head + far.len() + near.len();
            }
            near = lower;
        }
        self.head + far.partition_point(is_before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_range_set_behaves_like_a_set_of_numbers(
            steps in prop::collection::vec((0_u64..60, 0_u64..12, prop::bool::weighted(0.2)), 1..60),
            singles in any::<bool>(),
        ) {
            let (mut ranges, mut truth) = (RangeSet::default(), BTreeSet::new());
            for (start, len, cut) in steps {
                if cut {
                    // Rarely all of many ranges.
                    let below = if singles { start / 3 } else { start };
                    ranges.remove_below(below);
                    truth = truth.split_off(&below);
                } else if singles {
                    let is_new = truth.insert(start);
                    let part = ranges.insert_one(start);
                    prop_assert_eq!(part.is_some(), is_new);
                    prop_assert!(part.is_none_or(|part| ranges.find(start) == Some(part)));
                } else {
                    let mut added = Vec::new();
                    ranges.insert(SeqRange { start, end: start + len }, |r| added.extend(r.start..r.end));
                    let new: Vec<u64> =
                        (start..start + len).filter(|s| truth.insert(*s)).collect();
                    prop_assert_eq!(added, new);
                }
                let held: Vec<u64> = ranges.iter().flat_map(|r| r.start..r.end).collect();
                prop_assert_eq!(&held, &truth.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(ranges.count(), truth.len() as u64);
                prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(a, b)| a.end < b.start));
                for n in 1..4 {
                    let nth = truth.iter().rev().nth(n - 1);
                    let nth = nth.map(|&seq| (seq, ranges.find(seq).unwrap_or_default()));
                    prop_assert_eq!(ranges.nth_highest(n as u64), nth);
                }
                prop_assert_eq!(ranges.contains(start), truth.contains(&start));
                prop_assert_eq!(ranges.is_empty(), truth.is_empty());
                prop_assert_eq!(ranges.last(), ranges.iter().last());
                prop_assert_eq!(ranges.only(), ranges.last().filter(|_| ranges.iter().len() == 1));
            }
        }
    }
}
