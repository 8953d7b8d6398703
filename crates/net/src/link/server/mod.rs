//! Transmitters: how long a packet takes to leave.

mod bursts;
mod offered;
mod recorded;
mod serializer;
mod variable_rate;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::queue::Queued;

pub use bursts::BurstConfig;
pub(crate) use bursts::Bursts;
pub(crate) use recorded::RecordedCapacity;
pub(crate) use serializer::{Division, Serializer, capacity};
pub(crate) use variable_rate::VariableRate;

/// A transmitter that can say when it is done with what it has.
#[derive(Debug)]
pub(crate) enum Server<P> {
    VariableRate(VariableRate<P>),
    Bursts(Bursts<P>),
    Recorded(RecordedCapacity<P>),
}

impl<P> Server<P> {
    /// When it next completes or may send something.
    pub(crate) fn next_event(&self) -> Instant {
        match self {
            Self::VariableRate(s) => s.done,
            Self::Bursts(s) => s.done,
            Self::Recorded(s) => s.next_at,
        }
    }

    /// Since when it has had nothing to do; `None` if busy.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        match self {
            Self::VariableRate(s) => s.current.is_none().then_some(s.since),
            Self::Bursts(s) => s.burst.is_empty().then_some(s.since),
            Self::Recorded(s) => s.idle_since(),
        }
    }

    /// True if it takes a packet at once.
    pub(crate) fn is_free(&self) -> bool {
        match self {
            Self::VariableRate(s) => s.current.is_none(),
            Self::Bursts(s) => s.burst.is_empty(),
            Self::Recorded(_) => false,
        }
    }

    /// Something waits at `now`: begins to send it, or to watch for an opportunity.
    pub(crate) fn wake(&mut self, now: Instant, mut take: impl FnMut() -> Option<Queued<P>>) {
        match self {
            Self::VariableRate(s) => {
                if s.current.is_none()
                    && let Some(queued) = take()
                {
                    s.begin(now, queued);
                }
            }
            Self::Bursts(s) => {
                if s.burst.is_empty() {
                    s.begin(now, take);
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
            Self::VariableRate(s) => {
                s.finish(now).into_iter().for_each(&mut sent);
                if let Some(queued) = take() {
                    s.begin(now, queued);
                }
            }
            Self::Bursts(s) => {
                s.finish(now).into_iter().for_each(&mut sent);
                s.begin(now, take);
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

    /// Sends at another rate from `now` on, if it has one.
    pub(crate) fn set_rate(&mut self, now: Instant, rate: Rate) {
        match self {
            Self::VariableRate(s) => s.set_rate(now, rate),
            Self::Bursts(s) => s.set_rate(now, rate),
            Self::Recorded(_) => {}
        }
    }

    /// The packet or burst in the transmitter.
    pub(crate) fn sending(&self) -> Vec<&Queued<P>> {
        match self {
            Self::VariableRate(s) => s.current.iter().collect(),
            Self::Bursts(s) => s.burst.iter().collect(),
            Self::Recorded(s) => s.current.iter().map(|(queued, _)| queued).collect(),
        }
    }

    /// Time spent sending up to `now`.
    pub(crate) fn busy(&self, now: Instant) -> Duration {
        match self {
            Self::VariableRate(s) => s.busy(now),
            Self::Bursts(s) => s.busy(now),
            Self::Recorded(s) => s.busy(now),
        }
    }

    /// Bytes that could have been sent up to `now`.
    pub(crate) fn capacity(&self, now: Instant) -> Bytes {
        match self {
            Self::VariableRate(s) => s.capacity(now),
            Self::Bursts(s) => s.capacity(now),
            Self::Recorded(s) => s.capacity(now),
        }
    }
}
