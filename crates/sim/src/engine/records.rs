//! What probes record, in order in the end.

use super::moment::Moment;
use crate::outcome::{Point, Record};

/// Records as they are made, which may be ahead of time.
#[derive(Debug, Default)]
pub(super) struct Records {
    list: Vec<(Moment, Point)>,
}

impl Records {
    /// A record that belongs to this moment. Those of one moment come in their order.
    pub(super) fn push(&mut self, at: Moment, what: Point) {
        self.list.push((at, what));
    }

    /// All of them by time, rank and order of making.
    pub(super) fn in_order(mut self) -> Vec<Record> {
        self.list.sort_by_key(|&(at, _)| at);
        self.list.into_iter().map(|(at, what)| Record { at: at.at, what }).collect()
    }
}
