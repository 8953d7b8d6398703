//! What probes record, in order in the end.

use super::moment::Moment;
use crate::outcome::{Point, Record};

/// Records as they are made. What senders record is made in the present and so in order; all else may
/// have been made ahead of time.
#[derive(Debug, Default)]
pub(super) struct Records {
    present: Vec<Entry>,
    ahead: Vec<Entry>,
    made: u64,
}

#[derive(Debug)]
struct Entry {
    at: Moment,
    /// Its number: records of one moment come in the order in which they were made.
    number: u64,
    what: Point,
}

impl Entry {
    fn key(&self) -> (Moment, u64) {
        (self.at, self.number)
    }
}

impl Records {
    /// A record of the present moment.
    pub(super) fn push(&mut self, at: Moment, what: Point) {
        let entry = self.entry(at, what);
        self.present.push(entry);
    }

    /// A record that may belong to a later moment than others that are yet to come.
    pub(super) fn push_ahead(&mut self, at: Moment, what: Point) {
        let entry = self.entry(at, what);
        self.ahead.push(entry);
    }

    fn entry(&mut self, at: Moment, what: Point) -> Entry {
        self.made += 1;
        Entry { at, number: self.made, what }
    }

    /// All of them by time, rank and order of making.
    pub(super) fn in_order(mut self) -> Vec<Record> {
        self.ahead.sort_by_key(Entry::key);
        let mut all = Vec::with_capacity(self.present.len() + self.ahead.len());
        let mut ahead = self.ahead.into_iter().peekable();
        for entry in self.present {
            while let Some(earlier) = ahead.next_if(|other| other.key() < entry.key()) {
                all.push(earlier.into());
            }
            all.push(entry.into());
        }
        all.extend(ahead.map(Record::from));
        all
    }
}

impl From<Entry> for Record {
    fn from(Entry { at, what, .. }: Entry) -> Self {
        Self { at: at.at, what }
    }
}
