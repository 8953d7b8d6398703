//! A link that tells fates on offer, and what probes need to know of it.

use std::collections::VecDeque;

use westwood_cc::Instant;
use westwood_net::{Foreseen, Interval};

use crate::engine::measure::Measure;
use crate::engine::moment::Moment;
use crate::network::LinkId;

/// A link whose packets' fates are known on offer.
///
/// Two lines of the cache, beside each other: with ten thousand flows every packet finds its lanes
/// cold.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Lane {
    pub(super) link: Foreseen,
    /// Before that nobody wants to know how long its queue is; never, if it is not recorded.
    looks_from: Instant,
}

const _: () = assert!(size_of::<Lane>() == 128, "a lane has grown");

impl Lane {
    /// A lane whose queue nobody looks at.
    pub(super) fn new(link: Foreseen) -> Self {
        Self { link, looks_from: Instant::FAR_FUTURE }
    }

    /// Its queue is to be looked at from this time on.
    pub(super) fn look_from(&mut self, at: Instant) {
        self.looks_from = at;
    }

    /// True if its queue is recorded.
    #[inline]
    pub(super) fn looks(&self) -> bool {
        self.looks_from != Instant::FAR_FUTURE
    }

    /// True if its queue is looked at now.
    #[inline]
    pub(super) fn looks_at(&self, now: Instant) -> bool {
        now >= self.looks_from
    }

    /// Records its queue at the times before `until` at which that is due.
    #[inline(never)]
    pub(super) fn sample_until(
        &mut self,
        until: Instant,
        (id, interval): (LinkId, &Interval),
        measure: &mut Measure,
    ) {
        measure.sample_queue(id, until, |at| self.link.waiting(interval, at).packets);
        self.looks_from = measure.queue_due(id);
    }
}

/// For probes: what is still to happen at a link.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The numbers of packets that wait.
    due: VecDeque<u64>,
    /// Arrivals at which the queue has not yet been looked at.
    unseen: VecDeque<Moment>,
    /// The queue's last point.
    recorded: Option<u64>,
}

impl Watch {
    /// Looks at the queue at this moment, if it is time to.
    #[inline]
    pub(super) fn look(
        &mut self,
        at: Moment,
        (id, lane, interval): (LinkId, &mut Lane, &Interval),
        measure: &mut Measure,
    ) {
        if !lane.looks_at(at.at) {
            return;
        }
        let packets = lane.link.waiting(interval, at.at).packets;
        // Where ACKs go, mostly nobody waits for long.
        if self.recorded != Some(packets) {
            self.recorded = Some(packets);
            measure.record_queue(at, id, || packets);
            lane.looks_from = measure.queue_due(id);
        }
    }

    /// A packet of this number waits for its arrival.
    #[inline]
    pub(super) fn keep(&mut self, number: u64) {
        self.due.push_back(number);
    }

    /// The number of the packet that is due.
    #[inline]
    pub(super) fn release(&mut self) -> u64 {
        self.due.pop_front().unwrap_or(0)
    }

    /// Will look at the queue again at this arrival.
    #[inline]
    pub(super) fn expect(&mut self, arrival: Moment) {
        self.unseen.push_back(arrival.end());
    }

    /// Looks at the queue at the arrivals before a moment.
    pub(super) fn look_until(
        &mut self,
        moment: Moment,
        (id, lane, interval): (LinkId, &mut Lane, &Interval),
        measure: &mut Measure,
    ) {
        while let Some(&arrival) = self.unseen.front()
            && arrival < moment
        {
            self.unseen.pop_front();
            self.look(arrival, (id, &mut *lane, interval), measure);
        }
    }
}
