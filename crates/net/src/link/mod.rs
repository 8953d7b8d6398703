//! A link: a queue, a transmitter, and a wire.
//!
//! ```text
//!  offer --> policer --> queue --> transmitter --> losses --> delay, jitter --> step
//!             |drop       |drop        ^             |lost
//!                                      '---- arq ----'
//! ```
//!
//! A [`Link`] acts event by event: it wakes when packets leave the transmitter and when they arrive, for
//! every queue, capacity and schedule. A [`PredictedLink`] tells a packet's fate on offer, for a
//! drop-tail, threshold or RED queue before a fixed rate: the departure is `max(now, busy until) + size /
//! rate`. The two share what judges a single packet: the rule by which RED or a threshold admits it, losses,
//! jitter and serialization, which have tests of their own. Waiting, departures and statistics are built
//! twice, so that each can contradict the other; tests hold them equal.
//!
//! # Rules
//! * Serialization carries the remainder of `size / rate` to the next packet, so that a long run is
//!   exact; a packet leaves at most 1 ns early. The remainder is dropped when the link falls idle.
//! * A departure precedes the arrivals of its instant.
//! * An idle transmitter begins [`LinkConfig::wake_up`] after a packet has come, a busy one at once.
//! * A link delays by at least 1 ns, so that no instant holds a chain of causes.
//! * Packets arrive in the order in which they left, unless jitter, a repair or [`ReorderConfig`] reorders
//!   them.

mod ack_filter;
mod arq;
mod backlog;
mod changes;
mod config;
mod departures;
mod ecn_path;
mod fec;
mod fixed_rate;
mod flight;
mod general;
mod policer;
mod predicted_link;
mod reorder;
mod server;
mod wire;

use westwood_cc::Instant;

use crate::error::LinkError;
use crate::histogram::Histogram;
use crate::packet::Packet;
use crate::queue::DualDelays;
use crate::stats::{LinkStats, PacketCount};

pub use ack_filter::{AckFilterConfig, AckRule};
pub use arq::ArqConfig;
pub use config::{Capacity, LinkConfig};
pub use ecn_path::EcnPath;
pub use fec::FecConfig;
pub use policer::PolicerConfig;
pub use predicted_link::{Interval, PacketFate, PredictedLink};
pub use reorder::ReorderConfig;
pub use server::BurstConfig;

use general::GeneralLink;

/// Why a packet did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// The queue was full.
    Overflow,
    /// Active queue management chose it.
    Aqm,
    /// It was beyond a policer's rate and burst.
    Policer,
    /// A loss process took it on the wire.
    Random,
}

/// The fate of a packet on its way into a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer<P> {
    /// It is on its way.
    Queued,
    /// It was dropped at once.
    Dropped(P, DropCause),
}

/// An event at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<P> {
    /// A packet arrived at the far end.
    Delivered(P),
    /// A packet would have arrived now but was lost, or was dropped out of the queue.
    Lost(P, DropCause),
    /// Something inside the link, or nothing at all.
    Nothing,
}

/// The packets inside a link. The sum of both is exact at any time: offered packets are delivered, lost,
/// dropped, filtered, or here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InTransit {
    /// Waiting, as of the last call that had a time, ACKs that are held included.
    pub queued: PacketCount,
    /// In the transmitter or on the wire, those included that will turn out to be lost.
    pub on_wire: PacketCount,
    /// Dropped out of the queue, and counted so, but not yet handed back by [`Link::step`].
    pub unreported: PacketCount,
    /// ACKs that the link has left out so far: they are not inside, and no step tells of them.
    pub filtered: PacketCount,
}

impl InTransit {
    /// All that waits or flies.
    pub fn total(&self) -> PacketCount {
        let mut sum = self.queued;
        sum += self.on_wire;
        sum
    }
}

/// A link in one direction.
///
/// Offers are made in order of time, and so are steps. After each [`offer`](Self::offer) and each
/// [`step`](Self::step) the [next event](Self::next_event) may be another one, also one at the
/// present instant. A user who can look ahead may use a [`PredictedLink`] instead, where there is one.
#[derive(Debug)]
pub struct Link<P> {
    general: Box<GeneralLink<P>>,
}

impl<P: Packet> Link<P> {
    /// A link as configured. Its random numbers depend on the seed and on its name alone.
    pub fn new(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        config.validate()?;
        Ok(Self { general: GeneralLink::boxed(config, seed, name)? })
    }

    /// Hands a packet to the link at `now`.
    #[inline]
    pub fn offer(&mut self, now: Instant, packet: P) -> Offer<P> {
        self.general.offer(now, packet)
    }

    /// Hands the link a packet that goes next, before all that wait, and that no queue drops: what an agent
    /// beside the transmitter sends.
    pub fn offer_first(&mut self, now: Instant, packet: P) {
        self.general.offer_first(now, packet);
    }

    /// When the link wants to be stepped; [`Instant::FAR_FUTURE`] for never.
    #[inline]
    pub fn next_event(&self) -> Instant {
        self.general.next_event()
    }

    /// Carries out the event that is due at `now`, one packet at most. [`Step::Nothing`] if none is.
    #[inline]
    pub fn step(&mut self, now: Instant) -> Step<P> {
        self.general.step(now)
    }

    /// The link's counters up to `now`, events of that instant included. `now` is no earlier than
    /// any call before.
    pub fn stats(&mut self, now: Instant) -> LinkStats {
        let (stats, exit) = (self.general.stats(now), self.general.far_end());
        LinkStats { delivered: exit.delivered, random: exit.lost, ..stats }
    }

    /// Records how long each packet waits whose transmission begins at `from` or later. To be called
    /// before the first offer.
    pub fn record_delays(&mut self, from: Instant) {
        self.general.record_delays(from);
    }

    /// How long packets waited whose transmission has begun by `now`, if that is
    /// [recorded](Self::record_delays). `now` is no earlier than any call before.
    pub fn delays(&mut self, now: Instant) -> Option<Histogram> {
        self.general.delays(now)
    }

    /// The same of each queue of a [`DualPi2`](crate::QueueConfig::DualPi2).
    pub fn dual_delays(&mut self, now: Instant) -> Option<DualDelays> {
        self.general.dual_delays(now)
    }

    /// The queue at `now`, beside the packet in the transmitter.
    pub fn waiting(&mut self, now: Instant) -> PacketCount {
        self.general.waiting(now)
    }

    /// The packets inside the link.
    pub fn in_transit(&self) -> InTransit {
        self.general.in_transit()
    }
}
