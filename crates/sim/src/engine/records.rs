//! What probes record, in order in the end.

use westwood_cc::Instant;

use super::moment::Moment;
use crate::outcome::{Point, Record};

/// So many records are put in order at a time: they still lie in the cache.
const MANY: usize = 1 << 14;

/// Records as they are made, which may be ahead of time.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// In order, and nothing can come between them any more.
    settled: Vec<Record>,
    open: Vec<(Moment, Point)>,
}

impl Records {
    /// A record that belongs to this moment. Those of one moment come in their order.
    pub(super) fn push(&mut self, at: Moment, what: Point) {
        self.open.push((at, what));
    }

    /// True if it is time to settle.
    pub(super) fn are_many(&self) -> bool {
        self.open.len() >= MANY
    }

    /// No record before `now` is still to come.
    pub(super) fn settle(&mut self, now: Instant) {
        // Stable: those of one moment keep the order in which they were made.
        self.open.sort_by_key(|&(at, _)| at);
        let settled = self.open.partition_point(|&(at, _)| at.at < now);
        let records = self.open.drain(..settled);
        self.settled.extend(records.map(|(at, what)| Record { at: at.at, what }));
    }

    /// All of them by time, rank and order of making.
    pub(super) fn in_order(mut self) -> Vec<Record> {
        self.settle(Instant::FAR_FUTURE);
        self.settled
    }
}
