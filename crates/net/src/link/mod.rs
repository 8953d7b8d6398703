//! A link: a queue, a transmitter, and a wire.
//!
//! ```text
//!  offer --> queue --> transmitter --> losses --> delay, jitter --> step
//!             |drop                      |lost
//! ```
//!
//! Two paths stand behind one interface. A drop-tail, threshold or RED queue before a fixed rate
//! decides everything on arrival: the departure is `max(now, busy until) + size / rate`, and the
//! only event is the arrival at the far end. Everything else (CoDel, FQ-CoDel, recorded capacity, a
//! schedule) also wakes when packets leave the transmitter. Where both can do the work they give the
//! same result, which a test holds.
//!
//! # Rules
//! * Serialization carries the remainder of `size / rate` to the next packet, so that a long run is
//!   exact; a packet leaves at most 1 ns early. The remainder is dropped when the link falls idle.
//! * What leaves at an instant has left before what arrives at that instant.
//! * A link delays by at least 1 ns, so that no instant holds a chain of causes.
//! * Packets arrive in the order in which they left, unless jitter reorders them.

mod config;
mod fifo;
mod flight;
mod foreseen;
mod general;
mod lane;
mod room;
mod server;
mod way;

use westwood_cc::Instant;

use crate::error::LinkError;
use crate::histogram::Histogram;
use crate::packet::Packet;
use crate::stats::{LinkStats, Traffic};

pub use config::{Capacity, LinkConfig};
pub use foreseen::{Fate, Foreseen, Interval};

use fifo::Fifo;
use general::General;
use lane::Lane;

/// Why a packet did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// The queue was full.
    Overflow,
    /// Active queue management chose it.
    Aqm,
    /// A loss process took it on the wire.
    Random,
}

/// What became of a packet on its way into a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer<P> {
    /// It is on its way.
    Queued,
    /// It was dropped at once.
    Dropped(P, DropCause),
}

/// What has happened at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<P> {
    /// A packet arrived at the far end.
    Delivered(P),
    /// A packet would have arrived now but was lost, or was dropped out of the queue.
    Lost(P, DropCause),
    /// Something inside the link, or nothing at all.
    Nothing,
}

/// What is inside a link. The sum of both is exact at any time: offered packets are delivered, lost,
/// dropped, or here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InTransit {
    /// Waiting, as of the last call that had a time.
    pub queued: Traffic,
    /// In the transmitter or on the wire, those included that will turn out to be lost.
    pub on_wire: Traffic,
    /// Dropped out of the queue, and counted so, but not yet handed back by [`Link::step`].
    pub unreported: Traffic,
}

impl InTransit {
    /// Splits packets of which some may not have begun their service yet.
    fn split(waiting: Traffic, all: Traffic) -> Self {
        // Who has been delivered since the last call with a time does not wait any more.
        let queued = Traffic {
            packets: waiting.packets.min(all.packets),
            bytes: waiting.bytes.min(all.bytes),
        };
        Self { queued, on_wire: all - queued, unreported: Traffic::default() }
    }

    /// All that waits or flies.
    pub fn total(&self) -> Traffic {
        let mut sum = self.queued;
        sum += self.on_wire;
        sum
    }
}

/// A link in one direction.
///
/// Offers are made in order of time, and so are steps. After each [`offer`](Self::offer) and each
/// [`step`](Self::step) the [next event](Self::next_event) may be another one, also one at the
/// present instant. Who can look ahead may use a [`Foreseen`] link instead, where there is one.
#[derive(Debug)]
pub struct Link<P> {
    path: Path<P>,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "the common path should not cost a pointer")]
enum Path<P> {
    Fifo(Fifo<P>),
    General(Box<General<P>>),
}

impl<P: Packet> Link<P> {
    /// A link as configured. Its random numbers depend on the seed and on its name alone.
    pub fn new(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        config.validate()?;
        let path = if let Some(lane) = Lane::of(config, seed, name)? {
            Path::Fifo(Fifo::new(lane))
        } else {
            General::boxed(config, seed, name).map(Path::General)?
        };
        Ok(Self { path })
    }

    /// The same link for a user of [`offer_first`](Self::offer_first).
    pub fn with_precedence(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        config.validate()?;
        Ok(Self { path: General::boxed(config, seed, name).map(Path::General)? })
    }

    /// Hands a packet to the link at `now`.
    #[inline]
    pub fn offer(&mut self, now: Instant, packet: P) -> Offer<P> {
        match &mut self.path {
            Path::Fifo(fifo) => fifo.offer(now, packet),
            Path::General(general) => general.offer(now, packet),
        }
    }

    /// Hands the link a packet that goes next, whoever waits, and that no queue drops: what an agent
    /// beside the transmitter sends. False, and nothing done, if the link was not made
    /// [for it](Self::with_precedence).
    pub fn offer_first(&mut self, now: Instant, packet: P) -> bool {
        let Path::General(general) = &mut self.path else { return false };
        general.offer_first(now, packet);
        true
    }

    /// When the link wants to be stepped; [`Instant::FAR_FUTURE`] for never.
    #[inline]
    pub fn next_event(&self) -> Instant {
        match &self.path {
            Path::Fifo(fifo) => fifo.next_event(),
            Path::General(general) => general.next_event(),
        }
    }

    /// Carries out the event that is due at `now`, one packet at most. [`Step::Nothing`] if none is.
    #[inline]
    pub fn step(&mut self, now: Instant) -> Step<P> {
        match &mut self.path {
            Path::Fifo(fifo) => fifo.step(now),
            Path::General(general) => general.step(now),
        }
    }

    /// What the link has done up to `now`, events of that instant included. `now` is no earlier than
    /// any call before.
    pub fn stats(&mut self, now: Instant) -> LinkStats {
        let (stats, exit) = match &mut self.path {
            Path::Fifo(fifo) => (fifo.stats(now), fifo.far_end()),
            Path::General(general) => (general.stats(now), general.far_end()),
        };
        LinkStats { delivered: exit.delivered, random: exit.lost, ..stats }
    }

    /// Records how long each packet waits whose transmission begins at `from` or later. To be called
    /// before the first offer.
    pub fn record_delays(&mut self, from: Instant) {
        match &mut self.path {
            Path::Fifo(fifo) => fifo.record_delays(from),
            Path::General(general) => general.record_delays(from),
        }
    }

    /// How long packets waited whose transmission has begun by `now`, if that is
    /// [recorded](Self::record_delays). `now` is no earlier than any call before.
    pub fn delays(&mut self, now: Instant) -> Option<Histogram> {
        match &mut self.path {
            Path::Fifo(fifo) => fifo.delays(now),
            Path::General(general) => general.delays(now),
        }
    }

    /// What waits at `now`, beside the packet in the transmitter.
    pub fn waiting(&mut self, now: Instant) -> Traffic {
        match &mut self.path {
            Path::Fifo(fifo) => fifo.waiting(now),
            Path::General(general) => general.waiting(now),
        }
    }

    /// What is inside the link.
    pub fn in_transit(&self) -> InTransit {
        match &self.path {
            Path::Fifo(fifo) => fifo.in_transit(),
            Path::General(general) => general.in_transit(),
        }
    }
}
