//! The points that probes record, in order in the end.

use westwood_cc::Instant;

use crate::network::Observation;
use crate::outcome::{Point, Record};

/// The least number of samples that are put in order at a time: so few still lie in the cache, and take
/// little memory while they wait.
const MANY: usize = 1 << 8;

/// Records as they are made.
///
/// Under [`Observation::EveryChange`] each event makes its records in its turn, and they are in order.
/// Samples are also taken ahead of time, and extremes are known late: records are ordered by time, then by
/// series, then by flow or link.
#[derive(Debug, Default)]
pub(super) struct Records {
    observation: Observation,
    /// The records in their final order: no record can come between them any more.
    sorted: Vec<Record>,
    /// The others, in the order of making.
    open: Vec<Record>,
    /// How many of them were ahead of time when the others were put in order.
    ahead: usize,
}

/// The quantity of a point, and its flow or link.
const fn series(point: &Point) -> (u8, usize) {
    match *point {
        Point::Window { flow, .. } | Point::Estimate { flow, .. } => (0, flow),
        Point::Rtt { flow, .. } => (1, flow),
        Point::Delivered { flow, .. } => (2, flow),
        Point::Queue { link, .. } => (3, link),
        Point::Drop { link, .. } => (4, link),
    }
}

impl Records {
    /// None yet.
    pub(super) fn new(observation: Observation) -> Self {
        Self { observation, ..Self::default() }
    }

    /// Adds a record of this time. Those of one series and time come in their order.
    pub(super) fn push(&mut self, at: Instant, what: Point) {
        let record = Record { at, what };
        if self.observation == Observation::EveryChange {
            debug_assert!(self.sorted.last().is_none_or(|last| last.at <= at), "out of order");
            self.sorted.push(record);
        } else {
            self.open.push(record);
        }
    }

    /// True if it is time to [sort](Self::sort_until).
    pub(super) fn are_many(&self) -> bool {
        // Early records move again, so sort only after as many new ones.
        self.open.len() >= MANY.max(2 * self.ahead)
    }

    /// Puts samples in order. None before `now` is still to come.
    pub(super) fn sort_until(&mut self, now: Instant) {
        // A stable sort keeps the order of making, and merges what is in order already.
        self.open.sort_by_key(|record| (record.at, series(&record.what)));
        let sorted = self.open.partition_point(|record| record.at < now);
        self.sorted.extend(self.open.drain(..sorted));
        self.ahead = self.open.len();
    }

    /// Those that stand in their final places.
    pub(super) fn sorted(&self) -> &[Record] {
        &self.sorted
    }

    /// All of them in order.
    pub(super) fn in_order(mut self) -> Vec<Record> {
        self.sort_until(Instant::FAR_FUTURE);
        self.sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drop(link: usize, flow: usize) -> Point {
        Point::Drop { link, flow }
    }

    #[test]
    fn an_extreme_stands_in_its_place_whenever_it_is_known() {
        let rtt = || Point::Rtt { flow: 0, rtt: westwood_cc::Duration::from_millis(1) };
        let order = |points: [Point; 2]| {
            let mut records = Records::new(Observation::Samples);
            for point in points {
                records.push(Instant::from_nanos(9), point);
            }
            records.in_order()
        };
        assert_eq!(order([rtt(), drop(0, 0)]), order([drop(0, 0), rtt()]));
    }

    #[test]
    fn samples_come_by_time_and_series_and_then_as_they_were_made_however_often_they_are_sorted() {
        let at = Instant::from_nanos;
        let mut records = Records::new(Observation::Samples);
        records.push(at(9), drop(0, 3));
        records.push(at(4), drop(1, 0));
        records.push(at(9), drop(2, 0));
        records.sort_until(at(5));
        records.push(at(9), drop(0, 1));
        records.push(at(5), drop(4, 0));
        records.sort_until(at(6));
        let made = [(4, 1, 0), (5, 4, 0), (9, 0, 3), (9, 0, 1), (9, 2, 0)];
        let expected = made.map(|(ns, link, flow)| Record { at: at(ns), what: drop(link, flow) });
        assert_eq!(records.in_order(), expected);
    }
}
