//! The average loss interval: how many packets come between two losses.
//!
//! RFC 5348 section 5.4, as RFC 8698 section 4.2 refers to it: the last eight closed intervals with the
//! weights 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2, or the open one with seven of them, whichever is longer.

use std::collections::VecDeque;

const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// Intervals between losses, in packets; the open one first.
#[derive(Clone, Debug, Default)]
pub(super) struct LossIntervals {
    intervals: VecDeque<u64>,
    expected: u64,
    has_lost: bool,
}

/// The open interval and the average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Intervals {
    pub(super) open: f64,
    pub(super) average: f64,
}

impl LossIntervals {
    /// A packet arrives. Packets that have been skipped are lost, those that come late are not made up
    /// for.
    pub(super) fn on_packet(&mut self, number: u64) {
        if self.intervals.is_empty() {
            self.intervals.push_front(0);
            self.expected = number;
        }
        if number < self.expected {
            return;
        }
        if number > self.expected {
            self.has_lost = true;
            self.intervals.push_front(0);
            self.intervals.truncate(WEIGHTS.len() + 1);
        }
        self.intervals[0] += 1;
        self.expected = number + 1;
    }

    /// None before the first loss.
    #[expect(clippy::cast_precision_loss, reason = "packets of one flow")]
    pub(super) fn get(&self) -> Option<Intervals> {
        if !self.has_lost {
            return None;
        }
        let closed = self.intervals.len() - 1;
        let sum = |skip| -> f64 {
            let those = self.intervals.iter().skip(skip).take(closed).zip(WEIGHTS);
            those.map(|(&interval, weight)| interval as f64 * weight).sum()
        };
        let average = sum(0).max(sum(1)) / WEIGHTS.iter().take(closed).sum::<f64>();
        Some(Intervals { open: self.intervals[0] as f64, average })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(numbers: impl IntoIterator<Item = u64>) -> Option<Intervals> {
        let mut intervals = LossIntervals::default();
        numbers.into_iter().for_each(|number| intervals.on_packet(number));
        intervals.get()
    }

    #[test]
    fn without_a_loss_there_is_no_interval() {
        assert_eq!(after(0..100), None);
    }

    #[test]
    fn the_open_interval_counts_once_it_is_longer_than_the_average() {
        // 10 packets, a loss, then some more.
        let lost = |more: u64| after((0..10).chain(11..11 + more)).expect("a loss");
        assert_eq!(lost(3), Intervals { open: 3.0, average: 10.0 });
        assert_eq!(lost(30), Intervals { open: 30.0, average: 30.0 });
    }

    #[test]
    fn the_newest_four_count_in_full_and_older_ones_less() {
        // Closed intervals of 4, newest first: 8, 8, 8, 8, 3, 3, 3, 3.
        let lengths = [3, 3, 3, 3, 8, 8, 8, 8];
        let mut next = 0;
        let mut numbers = Vec::new();
        for length in lengths {
            numbers.extend(next..next + length);
            next += length + 1;
        }
        numbers.push(next);
        let average = after(numbers).expect("losses").average;
        assert!((average - (4.0 * 8.0 + 3.0 * 2.0) / 6.0).abs() < 1e-12, "{average}");
    }
}
