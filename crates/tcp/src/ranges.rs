//! A set of sequence numbers, kept as ranges.
//!
//! Both ends use it: the receiver for what it holds out of order, the sender for what has been
//! selectively acknowledged. A window of 40,000 segments with three holes is four ranges.

use std::collections::VecDeque;

/// Sequence numbers from `start` up to, and without, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
}

impl Range {
    /// How many there are.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// True if there are none.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// A set of sequence numbers: disjoint ranges in ascending order with gaps between them.
#[derive(Clone, Debug, Default)]
pub struct RangeSet {
    ranges: VecDeque<Range>,
    count: u64,
}

impl RangeSet {
    /// How many sequence numbers the set holds.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True if it holds none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range> + '_ {
        self.ranges.iter().copied()
    }

    /// The highest range.
    pub fn last(&self) -> Option<Range> {
        self.ranges.back().copied()
    }

    /// The range that is all of the set, if there is only one.
    #[inline]
    pub fn only(&self) -> Option<Range> {
        self.ranges.front().copied().filter(|_| self.ranges.len() == 1)
    }

    /// The range that holds `seq`.
    pub fn find(&self, seq: u64) -> Option<Range> {
        // Mostly there is nothing, or the question is of the newest data.
        let last = *self.ranges.back()?;
        if last.start <= seq {
            return (seq < last.end).then_some(last);
        }
        let i = self.first_ending_after(seq);
        self.ranges.get(i).copied().filter(|r| r.start <= seq)
    }

    /// True if the set holds `seq`.
    pub fn contains(&self, seq: u64) -> bool {
        self.find(seq).is_some()
    }

    /// Adds `range` and calls `added` for each part of it that was not there, in ascending order.
    pub fn insert(&mut self, range: Range, mut added: impl FnMut(Range)) {
        if range.is_empty() {
            return;
        }
        // The ranges that touch the new one, an adjacent one included, become one with it.
        let first = match self.ranges.back() {
            // New data mostly lies at or beyond the highest range.
            Some(last) if last.end < range.start => self.ranges.len(),
            Some(last) if last.start <= range.start => self.ranges.len() - 1,
            _ => self.ranges.partition_point(|r| r.end < range.start),
        };
        let mut merged = range;
        let mut gap = range.start;
        let mut past = first;
        while let Some(r) = self.ranges.get(past).filter(|r| r.start <= range.end) {
            if gap < r.start {
                self.count += r.start - gap;
                added(Range { start: gap, end: r.start });
            }
            gap = gap.max(r.end);
            merged = Range { start: merged.start.min(r.start), end: merged.end.max(r.end) };
            past += 1;
        }
        if gap < range.end {
            self.count += range.end - gap;
            added(Range { start: gap, end: range.end });
        }
        if past == first {
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            // Mostly it is one range that grows.
            if past > first + 1 {
                self.ranges.drain(first + 1..past);
            }
        }
    }

    /// Removes all below `seq`.
    pub fn remove_below(&mut self, seq: u64) {
        while let Some(r) = self.ranges.front_mut().filter(|r| r.start < seq) {
            self.count -= r.end.min(seq) - r.start;
            if r.end > seq {
                r.start = seq;
                return;
            }
            self.ranges.pop_front();
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.count = 0;
    }

    /// The sequence number of the `n`-th highest member, counted from 1.
    ///
    /// Costs a step for each range passed; with small `n` that is at most `n`.
    pub fn nth_highest(&self, n: u64) -> Option<u64> {
        let mut left = n.checked_sub(1)?;
        for r in self.ranges.iter().rev() {
            if left < r.len() {
                return Some(r.end - 1 - left);
            }
            left -= r.len();
        }
        None
    }

    fn first_ending_after(&self, seq: u64) -> usize {
        self.ranges.partition_point(|r| r.end <= seq)
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
            steps in prop::collection::vec((0_u64..60, 0_u64..12, prop::bool::weighted(0.2)), 1..60)
        ) {
            let (mut ranges, mut truth) = (RangeSet::default(), BTreeSet::new());
            for (start, len, cut) in steps {
                if cut {
                    ranges.remove_below(start);
                    truth = truth.split_off(&start);
                } else {
                    let mut added = Vec::new();
                    ranges.insert(Range { start, end: start + len }, |r| added.extend(r.start..r.end));
                    let new: Vec<u64> =
                        (start..start + len).filter(|s| truth.insert(*s)).collect();
                    prop_assert_eq!(added, new);
                }
                let held: Vec<u64> = ranges.iter().flat_map(|r| r.start..r.end).collect();
                prop_assert_eq!(&held, &truth.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(ranges.count(), truth.len() as u64);
                prop_assert!(ranges.iter().zip(ranges.iter().skip(1)).all(|(a, b)| a.end < b.start));
                for n in 1..4 {
                    prop_assert_eq!(ranges.nth_highest(n), truth.iter().copied().rev().nth(usize::try_from(n - 1).unwrap_or(0)));
                }
                prop_assert_eq!(ranges.contains(start), truth.contains(&start));
            }
        }
    }
}
