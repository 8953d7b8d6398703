//! A transmitter with a rate.

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::link::server::offered::OfferedRate;
use crate::link::server::serializer::{divide, work};
use crate::queue::Queued;

/// A transmitter whose rate may change, also in the middle of a packet.
#[derive(Debug)]
pub(crate) struct VariableRate<P> {
    rate: OfferedRate,
    /// How long it takes after a rest until it begins to send.
    wake_up: Duration,
    pub(super) current: Option<Queued<P>>,
    /// When the present rate, or the present packet, began to count.
    pub(super) since: Instant,
    /// From when on it sends the present packet, or sends at the present rate.
    sends_from: Instant,
    /// Work left at `sends_from`, what was carried from the last packet included. Without a packet, what
    /// is to be carried to the next.
    work: u128,
    pub(super) done: Instant,
    busy: Duration,
}

impl<P> VariableRate<P> {
    pub(crate) fn new(rate: Rate, wake_up: Duration) -> Self {
        Self {
            rate: OfferedRate::new(rate),
            wake_up,
            current: None,
            since: Instant::ZERO,
            sends_from: Instant::ZERO,
            work: 0,
            done: Instant::FAR_FUTURE,
            busy: Duration::ZERO,
        }
    }

    /// Begins to send a packet at `now`, which is when the last one ended or later.
    pub(super) fn begin(&mut self, now: Instant, queued: Queued<P>) {
        self.sends_from = now;
        if now > self.since {
            self.work = 0;
            self.sends_from += self.wake_up;
        }
        self.since = now;
        self.work += work(queued.size);
        self.current = Some(queued);
        self.aim();
    }

    fn aim(&mut self) {
        self.done = if self.rate.get().is_zero() {
            Instant::FAR_FUTURE
        } else {
            self.sends_from + Duration::from_nanos(divide(self.work, self.rate.get().raw()).0)
        };
    }

    /// Ends the present packet at `now`, its due time.
    pub(super) fn finish(&mut self, now: Instant) -> Option<Queued<P>> {
        self.advance(now);
        self.done = Instant::FAR_FUTURE;
        self.current.take()
    }

    /// Does the work up to `now`.
    fn advance(&mut self, now: Instant) {
        if self.current.is_some() {
            let time = now.since(self.sends_from);
            let done = u128::from(self.rate.get().raw()) * u128::from(time.as_nanos());
            self.work = self.work.saturating_sub(done);
            self.sends_from = self.sends_from.max(now);
            self.busy += now.since(self.since);
            self.since = now;
        }
    }

    /// Sends at another rate from `now` on.
    pub(crate) fn set_rate(&mut self, now: Instant, rate: Rate) {
        self.advance(now);
        self.rate.set(now, rate);
        if self.current.is_some() {
            self.aim();
        }
    }

    /// Time spent sending up to `now`.
    pub(super) fn busy(&self, now: Instant) -> Duration {
        match self.current {
            Some(_) => self.busy + now.since(self.since),
            None => self.busy,
        }
    }

    /// Bytes that could have been sent up to `now`.
    pub(super) fn capacity(&self, now: Instant) -> Bytes {
        self.rate.capacity(now)
    }
}
