//! Statistics at instants that were named in advance, for engines that run ahead.
//!
//! Such an engine may have processed packets beyond the end of a measuring interval when it asks.
//! What counts is an event's own time, so the statistics are set aside by the first event beyond
//! the instant: separately for the entry of the link and for its far end, because a packet may be
//! followed to its arrival before an earlier one has been offered.

use westwood_cc::Instant;

use crate::stats::{LinkStats, Traffic};

/// The instants named, in order, and what was set aside for each.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    moments: Vec<Moment>,
    /// How many of them the entry, and the far end, have passed.
    entered: usize,
    left: usize,
}

#[derive(Debug)]
struct Moment {
    at: Instant,
    entry: Option<LinkStats>,
    exit: Option<Exit>,
}

/// What the far end counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    pub(crate) delivered: Traffic,
    pub(crate) lost: Traffic,
}

impl Memory {
    /// Names an instant.
    pub(crate) fn name(&mut self, at: Instant) {
        let moment = Moment { at, entry: None, exit: None };
        let place = self.moments.partition_point(|m| m.at < at);
        self.moments.insert(place.max(self.entered).max(self.left), moment);
    }

    /// The next instant that the entry must not pass unseen.
    pub(crate) fn next_entry(&self) -> Instant {
        self.moments.get(self.entered).map_or(Instant::FAR_FUTURE, |m| m.at)
    }

    /// The next instant that the far end must not pass unseen.
    pub(crate) fn next_exit(&self) -> Instant {
        self.moments.get(self.left).map_or(Instant::FAR_FUTURE, |m| m.at)
    }

    /// The entry passes the next instant.
    pub(crate) fn enter(&mut self, stats: LinkStats) {
        self.moments[self.entered].entry = Some(stats);
        self.entered += 1;
    }

    /// The far end passes the next instant.
    pub(crate) fn leave(&mut self, exit: Exit) {
        self.moments[self.left].exit = Some(exit);
        self.left += 1;
    }

    /// What the entry set aside for `at`.
    pub(crate) fn entry(&self, at: Instant) -> Option<&LinkStats> {
        self.moments.iter().find(|m| m.at == at)?.entry.as_ref()
    }

    /// What the far end set aside for `at`.
    pub(crate) fn exit(&self, at: Instant) -> Option<Exit> {
        self.moments.iter().find(|m| m.at == at)?.exit
    }
}
