//! A transmitter with recorded opportunities.

use std::sync::Arc;

use westwood_cc::{Bytes, Duration, Instant};

use crate::queue::Queued;
use crate::trace::{OPPORTUNITY, Trace};

/// A transmitter that may send at recorded instants only.
#[derive(Debug)]
pub(crate) struct RecordedCapacity<P> {
    trace: Arc<Trace>,
    /// The opportunity to come, and its time while there is something to send.
    next: u64,
    pub(super) next_at: Instant,
    /// A packet sent in part, and the bytes that are left of it.
    pub(super) current: Option<(Queued<P>, Bytes)>,
    /// Since when there has been something to send.
    busy_since: Option<Instant>,
    /// When there last was.
    idle_since: Instant,
    busy: Duration,
}

impl<P> RecordedCapacity<P> {
    pub(crate) fn new(trace: Arc<Trace>) -> Self {
        Self {
            trace,
            next: 0,
            next_at: Instant::FAR_FUTURE,
            current: None,
            busy_since: None,
            idle_since: Instant::ZERO,
            busy: Duration::ZERO,
        }
    }

    /// There is something to send: waits for the first opportunity after `now`.
    pub(super) fn wake(&mut self, now: Instant) {
        if self.busy_since.is_none() {
            self.busy_since = Some(now);
            self.next = self.trace.until(now);
            self.next_at = self.trace.time(self.next);
        }
    }

    /// Uses the opportunity at `now`: sends what `take` gives, and passes on to `sent` what is
    /// complete.
    pub(super) fn use_opportunity(
        &mut self,
        mut take: impl FnMut() -> Option<Queued<P>>,
        mut sent: impl FnMut(Queued<P>),
    ) {
        self.next += 1;
        self.next_at = self.trace.time(self.next);
        let mut room = OPPORTUNITY;
        while room > Bytes::ZERO {
            let begin = |queued: Queued<P>| {
                let size = queued.size;
                (queued, size)
            };
            let Some((queued, left)) = self.current.take().or_else(|| take().map(begin)) else {
                return;
            };
            if left > room {
                self.current = Some((queued, left - room));
                return;
            }
            room -= left;
            sent(queued);
        }
    }

    /// There is nothing to send any more.
    pub(super) fn sleep(&mut self, now: Instant) {
        if let Some(since) = self.busy_since.take() {
            self.busy += now.since(since);
            self.idle_since = now;
        }
        self.next_at = Instant::FAR_FUTURE;
    }

    /// Since when there has been nothing to send; `None` if there is something.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.busy_since.is_none().then_some(self.idle_since)
    }

    /// Time with something to send, up to `now`.
    pub(super) fn busy(&self, now: Instant) -> Duration {
        self.busy + self.busy_since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// Bytes that could have been sent up to `now`.
    pub(super) fn capacity(&self, now: Instant) -> Bytes {
        OPPORTUNITY * self.trace.until(now)
    }
}
