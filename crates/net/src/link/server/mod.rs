//! Transmitters: how long a packet takes to leave.

mod rated;
mod recorded;
mod serializer;

use westwood_cc::{Bytes, Duration, Instant};

use crate::queue::Queued;

pub(crate) use rated::Rated;
pub(crate) use recorded::Recorded;
pub(crate) use serializer::{Division, Serializer, capacity};

/// A transmitter that can say when it is done with what it has.
#[derive(Debug)]
pub(crate) enum Server<P> {
    Rated(Rated<P>),
    Recorded(Recorded<P>),
}

impl<P> Server<P> {
    /// When it next completes or may send something.
    pub(crate) fn next_event(&self) -> Instant {
        match self {
            Self::Rated(s) => s.done,
            Self::Recorded(s) => s.next_at,
        }
    }

    /// Since when it has had nothing to do; `None` if busy.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        match self {
            Self::Rated(s) => s.current.is_none().then_some(s.since),
            Self::Recorded(s) => s.idle_since(),
        }
    }

    /// True if it takes a packet at once.
    pub(crate) fn is_free(&self) -> bool {
        matches!(self, Self::Rated(s) if s.current.is_none())
    }

    /// Something waits at `now`: begins to send it, or to watch for an opportunity.
    pub(crate) fn wake(&mut self, now: Instant, mut take: impl FnMut() -> Option<Queued<P>>) {
        match self {
            Self::Rated(s) => {
                if s.current.is_none()
                    && let Some(queued) = take()
                {
                    s.begin(now, queued);
                }
            }
            Self::Recorded(s) => s.wake(now),
        }
    }

    /// Carries out the event due at `now`.
    pub(crate) fn serve(
        &mut self,
        now: Instant,
        mut take: impl FnMut() -> Option<Queued<P>>,
        mut sent: impl FnMut(Queued<P>),
    ) {
        match self {
            Self::Rated(s) => {
                s.finish(now).into_iter().for_each(&mut sent);
                if let Some(queued) = take() {
                    s.begin(now, queued);
                }
            }
            Self::Recorded(s) => s.use_opportunity(take, sent),
        }
    }

    /// Nothing waits any more at `now`.
    pub(crate) fn rest(&mut self, now: Instant) {
        if let Self::Recorded(s) = self
            && s.current.is_none()
        {
            s.sleep(now);
        }
    }

    /// The packet that is being sent, by its size.
    pub(crate) fn sending(&self) -> Option<Bytes> {
        match self {
            Self::Rated(s) => s.current.as_ref().map(|q| q.size),
            Self::Recorded(s) => s.current.as_ref().map(|(q, _)| q.size),
        }
    }

    /// Time spent sending up to `now`.
    pub(crate) fn busy(&self, now: Instant) -> Duration {
        match self {
            Self::Rated(s) => s.busy(now),
            Self::Recorded(s) => s.busy(now),
        }
    }

    /// What could have been sent up to `now`.
    pub(crate) fn capacity(&self, now: Instant) -> Bytes {
        match self {
            Self::Rated(s) => s.capacity(now),
            Self::Recorded(s) => s.capacity(now),
        }
    }
}
