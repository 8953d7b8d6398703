//! A lane, and when its queue is looked at next.

use westwood_cc::{Bytes, Instant};
use westwood_net::{Interval, PredictedLink};

use crate::engine::measure::Measurements;
use crate::network::LinkId;

/// A link of the kind that is crossed ahead of time, with its next sample.
///
/// A lane is two adjacent cache lines. A packet that finds the transmitter at rest touches the first alone:
/// with ten thousand flows the lanes of a packet are never in the cache.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Lane {
    pub(super) link: PredictedLink,
    /// A packet that is offered at this time or later must be preceded by a sample of the queue; never, if
    /// it is not recorded.
    next_sample: Instant,
}

const _: () = assert!(size_of::<Lane>() == 128, "a lane has grown");

impl Lane {
    /// A lane whose queue is not sampled.
    pub(super) fn new(link: PredictedLink) -> Self {
        Self { link, next_sample: Instant::FAR_FUTURE }
    }

    /// True if its queue is to be sampled.
    pub(super) fn is_sampled(&self) -> bool {
        self.next_sample != Instant::FAR_FUTURE
    }

    /// Its queue is to be sampled from this time on.
    pub(super) fn sample_from(&mut self, at: Instant) {
        self.next_sample = at;
    }

    /// When a packet arrives behind the lane, and behind those that it leads, if nothing unusual meets it.
    /// If none, nothing has happened: the packet is still to be offered on the full path. `may_sample` is
    /// false if no lane is ever sampled.
    #[expect(
        clippy::inline_always,
        reason = "a packet crosses lanes in registers: a third of the time of a crossing"
    )]
    #[inline(always)]
    pub(super) fn try_cross(
        &mut self,
        now: Instant,
        size: Bytes,
        may_sample: bool,
    ) -> Option<Instant> {
        if may_sample && now >= self.next_sample {
            return None;
        }
        self.link.try_offer(now, size)
    }

    /// Records its queue at the times before `until` at which that is due.
    pub(super) fn sample_until(
        &mut self,
        until: Instant,
        id: LinkId,
        interval: &Interval,
        measure: &mut Measurements,
    ) {
        if until >= self.next_sample {
            measure.sample_queue(id, until, |at| self.link.waiting(interval, at).packets);
            self.next_sample = measure.queue_due(id);
        }
    }
}
