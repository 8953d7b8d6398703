//! Transmitters: how long a packet takes to leave.

use std::sync::Arc;

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::queue::Queued;
use crate::trace::{OPPORTUNITY, Trace};

/// One byte in units of work. A rate's raw form (2^-16 byte/s) times nanoseconds gives such units,
/// so that no division is needed to say how much is left.
const BYTE: u64 = 1_000_000_000 << 16;

/// The time of whole packets at one rate, with the remainder carried from each to the next.
#[derive(Clone, Debug)]
pub(crate) struct Serializer {
    rate: u64,
    /// Work left over below one nanosecond, less than `rate`.
    carry: u64,
    /// The last size, its time in ns and the remainder: most packets have the size of the last.
    size: Bytes,
    time: u64,
    rest: u64,
}

impl Serializer {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate: rate.raw().max(1),
            carry: 0,
            size: Bytes::ZERO,
            time: 0,
            rest: 0,
        }
    }

    /// The time that a packet takes, rounded down with what was carried; the rest is carried on.
    #[inline]
    pub(crate) fn time(&mut self, size: Bytes) -> Duration {
        if size != self.size {
            self.divide(size);
        }
        let mut time = self.time;
        // Both are below the rate, which is at most 2^62.
        self.carry += self.rest;
        if self.carry >= self.rate {
            self.carry -= self.rate;
            time += 1;
        }
        Duration::from_nanos(time)
    }

    /// Forgets what was carried: the link had nothing to do.
    #[inline]
    pub(crate) fn fall_idle(&mut self) {
        self.carry = 0;
    }

    fn divide(&mut self, size: Bytes) {
        self.size = size;
        if let Some(work) = size.get().checked_mul(BYTE) {
            (self.time, self.rest) = (work / self.rate, work % self.rate);
        } else {
            let (time, rest) = divide(u128::from(size.get()) * u128::from(BYTE), self.rate);
            // A time beyond the range stands for never.
            (self.time, self.rest) = (time.min(u64::MAX - 1), rest);
        }
    }
}

/// Quotient, at most `u64::MAX`, and remainder.
fn divide(work: u128, rate: u64) -> (u64, u64) {
    let rate = u128::from(rate);
    let whole = u64::try_from(work / rate).unwrap_or(u64::MAX);
    (whole, u64::try_from(work % rate).unwrap_or(0))
}

/// What a rate carries in a time, rounded down.
pub(crate) fn capacity(rate: Rate, time: Duration) -> Bytes {
    bytes(u128::from(rate.raw()) * u128::from(time.as_nanos()))
}

fn bytes(work: u128) -> Bytes {
    Bytes::new(u64::try_from(work / u128::from(BYTE)).unwrap_or(u64::MAX))
}

/// A transmitter that can say when it is done with what it has.
#[derive(Debug)]
pub(crate) enum Server<P> {
    Rated(Rated<P>),
    Recorded(Recorded<P>),
}

/// A transmitter whose rate may change, also in the middle of a packet.
#[derive(Debug)]
pub(crate) struct Rated<P> {
    rate: Rate,
    current: Option<Queued<P>>,
    /// When the present rate, or the present packet, began to count.
    since: Instant,
    /// Work left at `since`, what was carried from the last packet included. Without a packet, what
    /// is to be carried to the next.
    work: u128,
    done: Instant,
    busy: Duration,
    /// What the transmitter could have done at earlier rates, and since when the present one holds.
    capacity: u128,
    rate_since: Instant,
}

impl<P> Rated<P> {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate,
            current: None,
            since: Instant::ZERO,
            work: 0,
            done: Instant::FAR_FUTURE,
            busy: Duration::ZERO,
            capacity: 0,
            rate_since: Instant::ZERO,
        }
    }

    /// Begins to send a packet at `now`, which is when the last one ended or later.
    fn begin(&mut self, now: Instant, queued: Queued<P>) {
        if now > self.since {
            self.work = 0;
        }
        self.since = now;
        self.work += u128::from(queued.size.get()) * u128::from(BYTE);
        self.current = Some(queued);
        self.aim();
    }

    fn aim(&mut self) {
        self.done = if self.rate.is_zero() {
            Instant::FAR_FUTURE
        } else {
            self.since + Duration::from_nanos(divide(self.work, self.rate.raw()).0)
        };
    }

    /// Ends the present packet at `now`, its due time.
    fn finish(&mut self, now: Instant) -> Option<Queued<P>> {
        self.advance(now);
        self.done = Instant::FAR_FUTURE;
        self.current.take()
    }

    /// Does the work up to `now`.
    fn advance(&mut self, now: Instant) {
        if self.current.is_some() {
            let time = now.since(self.since);
            let done = u128::from(self.rate.raw()) * u128::from(time.as_nanos());
            self.work = self.work.saturating_sub(done);
            self.busy += time;
            self.since = now;
        }
    }

    /// Sends at another rate from `now` on.
    pub(crate) fn set_rate(&mut self, now: Instant, rate: Rate) {
        self.capacity = self.worth(now);
        self.rate_since = now;
        self.advance(now);
        self.rate = rate;
        if self.current.is_some() {
            self.aim();
        }
    }

    fn worth(&self, now: Instant) -> u128 {
        let time = now.since(self.rate_since);
        self.capacity + u128::from(self.rate.raw()) * u128::from(time.as_nanos())
    }
}

/// A transmitter that may send at recorded instants only.
#[derive(Debug)]
pub(crate) struct Recorded<P> {
    trace: Arc<Trace>,
    /// The opportunity to come, and its time while there is something to send.
    next: u64,
    next_at: Instant,
    /// A packet sent in part, and the bytes that are left of it.
    current: Option<(Queued<P>, Bytes)>,
    /// Since when there has been something to send.
    busy_since: Option<Instant>,
    /// When there last was.
    idle_since: Instant,
    busy: Duration,
}

impl<P> Recorded<P> {
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
    fn wake(&mut self, now: Instant) {
        if self.busy_since.is_none() {
            self.busy_since = Some(now);
            self.next = self.trace.until(now);
            self.next_at = self.trace.time(self.next);
        }
    }

    /// Uses the opportunity at `now`: sends what `take` gives, and passes on to `sent` what is
    /// complete.
    fn use_opportunity(
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
    fn sleep(&mut self, now: Instant) {
        if let Some(since) = self.busy_since.take() {
            self.busy += now.since(since);
            self.idle_since = now;
        }
        self.next_at = Instant::FAR_FUTURE;
    }
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
            Self::Recorded(s) => s.busy_since.is_none().then_some(s.idle_since),
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
            Self::Rated(s) => match s.current {
                Some(_) => s.busy + now.since(s.since),
                None => s.busy,
            },
            Self::Recorded(s) => {
                s.busy
                    + s.busy_since
                        .map_or(Duration::ZERO, |since| now.since(since))
            }
        }
    }

    /// What could have been sent up to `now`.
    pub(crate) fn capacity(&self, now: Instant) -> Bytes {
        match self {
            Self::Rated(s) => bytes(s.worth(now)),
            Self::Recorded(s) => OPPORTUNITY * s.trace.until(now),
        }
    }
}
