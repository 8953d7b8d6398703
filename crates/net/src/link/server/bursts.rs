//! A transmitter that sends packets in bursts.
//!
//! Wi-Fi puts packets for one station together: the frames of an A-MPDU (IEEE 802.11-2020 section 9.7)
//! share one access to the medium, one preamble and one acknowledgment, so that a burst takes
//!
//! ```text
//! overhead + sum of sizes / rate
//! ```
//!
//! and all its packets arrive at its end. A burst begins when the transmitter is free and takes what waits
//! then: up to `packets`, and another one as long as those before take less than `airtime`. The overhead
//! is constant: contention and its backoff are in it by their mean, and stations do not collide. Losses
//! take packets one by one, as the bitmap of a block ACK tells of each.

use westwood_cc::{Bytes, Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::server::offered::OfferedRate;
use crate::link::server::serializer::{divide, work};
use crate::queue::Queued;

/// How packets are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstConfig {
    /// Packets of a burst at most, 1 to 1024.
    pub packets: u32,
    /// A burst takes another packet as long as its payload takes less than this.
    pub airtime: Duration,
    /// The airtime of each burst beside its payload, at most a second.
    pub overhead: Duration,
}

impl BurstConfig {
    pub(crate) fn validate(&self) -> Result<(), LinkError> {
        let packets = (1..=1024).contains(&self.packets);
        LinkError::unless(packets, "bursts.packets", "within 1 to 1024")?;
        let second = Duration::from_secs(1);
        LinkError::unless(self.airtime <= second, "bursts.airtime", "at most a second")?;
        LinkError::unless(self.overhead <= second, "bursts.overhead", "at most a second")
    }
}

/// A transmitter of bursts, whose rate may change, also in the middle of one.
#[derive(Debug)]
pub(crate) struct Bursts<P> {
    config: BurstConfig,
    rate: OfferedRate,
    /// The packets on the air.
    pub(super) burst: Vec<Queued<P>>,
    /// When the burst began, or the last one ended.
    pub(super) since: Instant,
    /// From when on the payload is sent that is left.
    payload_from: Instant,
    /// Work left, with what was carried from the burst before. Without one, what is carried.
    work: u128,
    pub(super) done: Instant,
    busy: Duration,
}

impl<P> Bursts<P> {
    pub(crate) fn new(rate: Rate, config: BurstConfig) -> Self {
        Self {
            config,
            rate: OfferedRate::new(rate),
            burst: Vec::new(),
            since: Instant::ZERO,
            payload_from: Instant::ZERO,
            work: 0,
            done: Instant::FAR_FUTURE,
            busy: Duration::ZERO,
        }
    }

    /// Begins a burst at `now` with what waits.
    pub(super) fn begin(&mut self, now: Instant, mut take: impl FnMut() -> Option<Queued<P>>) {
        if now > self.since {
            self.work = 0;
        }
        let most = u128::from(self.rate.get().raw()) * u128::from(self.config.airtime.as_nanos());
        let mut sum = 0;
        while self.burst.len() as u64 != u64::from(self.config.packets)
            && (self.burst.is_empty() || sum < most)
            && let Some(queued) = take()
        {
            sum += work(queued.size);
            self.burst.push(queued);
        }
        if self.burst.is_empty() {
            return;
        }
        self.work += sum;
        self.since = now;
        self.payload_from = now + self.config.overhead;
        self.aim();
    }

    fn aim(&mut self) {
        self.done = if self.rate.get().is_zero() {
            Instant::FAR_FUTURE
        } else {
            self.payload_from + Duration::from_nanos(divide(self.work, self.rate.get().raw()).0)
        };
    }

    /// Ends the burst at `now`, its due time.
    pub(super) fn finish(&mut self, now: Instant) -> Vec<Queued<P>> {
        self.advance(now);
        self.busy += now.since(self.since);
        self.since = now;
        self.done = Instant::FAR_FUTURE;
        std::mem::take(&mut self.burst)
    }

    /// Does the work up to `now`.
    fn advance(&mut self, now: Instant) {
        if !self.burst.is_empty() && now > self.payload_from {
            let time = now.since(self.payload_from);
            let done = u128::from(self.rate.get().raw()) * u128::from(time.as_nanos());
            self.work = self.work.saturating_sub(done);
            self.payload_from = now;
        }
    }

    /// Sends at another rate from `now` on.
    pub(crate) fn set_rate(&mut self, now: Instant, rate: Rate) {
        self.advance(now);
        self.rate.set(now, rate);
        if !self.burst.is_empty() {
            self.aim();
        }
    }

    /// Time spent sending up to `now`, overheads included.
    pub(super) fn busy(&self, now: Instant) -> Duration {
        if self.burst.is_empty() { self.busy } else { self.busy + now.since(self.since) }
    }

    /// The capacity up to `now`, without overheads.
    pub(super) fn capacity(&self, now: Instant) -> Bytes {
        self.rate.capacity(now)
    }
}
