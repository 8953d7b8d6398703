//! What probes record, in order in the end.

use westwood_cc::Instant;

use super::moment::Moment;
use crate::outcome::{Point, Record};

/// So many records are put in order at a time, or more: they still lie in the cache, and the system need
/// not give much memory for those that wait.
const MANY: usize = 1 << 8;

/// Records as they are made, which may be ahead of time.
///
/// What is put in order are their moments, which are small, and not the records.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// In order, and nothing can come between them any more.
    settled: Vec<Record>,
    /// When the others happened, and which of the points each is: kind by kind, since those of one kind
    /// mostly come in order.
    open: [Vec<(Moment, usize)>; KINDS],
    points: Vec<Option<Point>>,
    /// How many of them were ahead of time when the others were put in order.
    ahead: usize,
    /// True if there are samples. Extremes are known late, and packets between two samples are not looked
    /// at, so that neither ranks nor the order of making tell what came first of an instant: its records
    /// come kind by kind, and those of a kind by flow or link.
    sampled: bool,
}

/// What senders do, their round-trip times, arrivals, queues, drops.
const KINDS: usize = 5;

const fn kind(point: &Point) -> usize {
    match point {
        Point::Window { .. } | Point::Estimate { .. } => 0,
        Point::Rtt { .. } => 1,
        Point::Delivered { .. } => 2,
        Point::Queue { .. } => 3,
        Point::Drop { .. } => 4,
    }
}

/// A record's kind, and its flow or link.
const fn place(point: &Point) -> (usize, usize) {
    let of = match *point {
        Point::Window { flow, .. }
        | Point::Estimate { flow, .. }
        | Point::Rtt { flow, .. }
        | Point::Delivered { flow, .. } => flow,
        Point::Queue { link, .. } | Point::Drop { link, .. } => link,
    };
    (kind(point), of)
}

impl Records {
    /// None yet; `sampled` if samples will be among them.
    pub(super) fn new(sampled: bool) -> Self {
        Self { sampled, ..Self::default() }
    }

    /// A record that belongs to this moment. Those of one moment come in their order.
    pub(super) fn push(&mut self, at: Moment, what: Point) {
        self.open[kind(&what)].push((at, self.points.len()));
        self.points.push(Some(what));
    }

    /// True if it is time to settle.
    pub(super) fn are_many(&self) -> bool {
        // Those ahead of time are moved again: no oftener than as many as they are have come.
        self.points.len() >= MANY.max(2 * self.ahead)
    }

    /// No record before `now` is still to come.
    pub(super) fn settle(&mut self, now: Instant) {
        // Those of one moment keep the order in which they were made. What is in order already is merged,
        // which a stable sort sees.
        let mut open = std::mem::take(&mut self.open[0]);
        for others in &mut self.open[1..] {
            open.append(others);
        }
        if self.sampled {
            let place = |i: usize| self.points.get(i)?.as_ref().map(place);
            open.sort_by_key(|&(at, i)| (at.at, place(i)));
        } else {
            open.sort();
        }
        let settled = open.partition_point(|&(at, _)| at.at < now);
        let Self { settled: records, points, .. } = self;
        let mut take = |(at, i): (Moment, usize)| Some((at, points.get_mut(i)?.take()?));
        let in_order = open.drain(..settled).filter_map(&mut take);
        records.extend(in_order.map(|(at, what)| Record { at: at.at, what }));
        // Few: those ahead of time.
        let rest: Vec<_> = open.drain(..).filter_map(take).collect();
        points.clear();
        self.ahead = rest.len();
        self.open[0] = open;
        for (at, what) in rest {
            self.push(at, what);
        }
    }

    /// All of them by time, rank and order of making.
    pub(super) fn in_order(mut self) -> Vec<Record> {
        self.settle(Instant::FAR_FUTURE);
        self.settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extreme_stands_in_its_place_whenever_it_is_known() {
        let at = Moment::of(Instant::from_nanos(9), 0);
        let rtt = || Point::Rtt { flow: 0, rtt: westwood_cc::Duration::from_millis(1) };
        let order = |points: [Point; 2]| {
            let mut records = Records::new(true);
            for point in points {
                records.push(at, point);
            }
            records.in_order()
        };
        let drop = || Point::Drop { link: 0, flow: 0 };
        assert_eq!(order([rtt(), drop()]), order([drop(), rtt()]));
    }

    #[test]
    fn records_come_by_moment_and_then_as_they_were_made_however_often_they_are_settled() {
        let drop = |link, flow| Point::Drop { link, flow };
        let at = |ns| Moment::of(Instant::from_nanos(ns), 0);
        let mut records = Records::default();
        records.push(at(9), drop(0, 0));
        records.push(at(4), drop(1, 0));
        records.push(at(9), drop(2, 0));
        records.settle(Instant::from_nanos(5));
        records.push(at(9), drop(3, 0));
        records.push(at(5), drop(4, 0));
        records.settle(Instant::from_nanos(6));
        let links: Vec<usize> = records
            .in_order()
            .iter()
            .filter_map(|r| if let Point::Drop { link, .. } = r.what { Some(link) } else { None })
            .collect();
        assert_eq!(links, [1, 4, 0, 2, 3]);
    }
}
