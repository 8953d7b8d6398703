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
mod general;
mod memory;
mod server;
mod wire;

use westwood_cc::Instant;

use crate::error::LinkError;
use crate::packet::Packet;
use crate::queue::{Admission, Queue};
use crate::random::Random;
use crate::stats::{LinkStats, Traffic};

pub use config::{Capacity, LinkConfig};

use fifo::Fifo;
use general::General;
use memory::{Exit, Memory};

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
/// present instant. A link on which only one flow sends may be run ahead, each packet being offered
/// and stepped to its arrival at once, if arrivals are [known on offer](Self::is_known_on_offer).
#[derive(Debug)]
pub struct Link<P> {
    path: Path<P>,
    /// For instants that were named; a link of the plain engine has none.
    memory: Option<Box<Memory>>,
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
        let random = Random::new(seed, &format!("{name}/queue"));
        let path = match &config.capacity {
            Capacity::Fixed(rate) if config.queue.on_arrival() && config.schedule.is_empty() => {
                let admission = Admission::new(&config.queue, random)?;
                Path::Fifo(Fifo::new(config, *rate, admission, seed, name)?)
            }
            _ => {
                let queue = Queue::new(&config.queue, random)?;
                Path::General(Box::new(General::new(config, queue, seed, name)?))
            }
        };
        Ok(Self { path, memory: None })
    }

    /// Hands a packet to the link at `now`.
    #[inline]
    pub fn offer(&mut self, now: Instant, packet: P) -> Offer<P> {
        if self.memory.is_some() {
            self.set_aside_entry(now);
        }
        match &mut self.path {
            Path::Fifo(fifo) => fifo.offer(now, packet),
            Path::General(general) => general.offer(now, packet),
        }
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
        if self.memory.is_some() {
            self.set_aside_exit(now);
        }
        match &mut self.path {
            Path::Fifo(fifo) => fifo.step(now),
            Path::General(general) => general.step(now),
        }
    }

    /// What the link has done up to `now`, events of that instant included. `now` is no earlier than
    /// any call before, or was named by [`remember`](Self::remember).
    pub fn stats(&mut self, now: Instant) -> LinkStats {
        let named = |m: &Option<Box<Memory>>| m.as_ref().and_then(|m| m.entry(now)).cloned();
        let mut stats = named(&self.memory).unwrap_or_else(|| self.present(now));
        let exit = self.memory.as_ref().and_then(|m| m.exit(now));
        let exit = exit.unwrap_or_else(|| self.far_end());
        stats.delivered = exit.delivered;
        stats.random = exit.lost;
        stats
    }

    /// Names an instant, not passed yet, whose statistics will be asked for after later packets have
    /// been processed: the end of a warm-up, or of the run, in an engine that runs ahead.
    pub fn remember(&mut self, at: Instant) {
        self.memory.get_or_insert_default().name(at);
    }

    /// Sets aside what the entry has seen by the instants that it is about to pass.
    #[cold]
    fn set_aside_entry(&mut self, now: Instant) {
        while let Some(at) = self.memory.as_ref().map(|m| m.next_entry())
            && now > at
        {
            let stats = self.present(at);
            if let Some(memory) = &mut self.memory {
                memory.enter(stats);
            }
        }
    }

    /// The same for the far end.
    #[cold]
    fn set_aside_exit(&mut self, now: Instant) {
        if matches!(self.path, Path::General(_)) {
            // Its queue moves with its steps.
            self.set_aside_entry(now);
        }
        let exit = self.far_end();
        if let Some(memory) = &mut self.memory {
            while now > memory.next_exit() {
                memory.leave(exit);
            }
        }
    }

    fn present(&mut self, now: Instant) -> LinkStats {
        match &mut self.path {
            Path::Fifo(fifo) => fifo.stats(now),
            Path::General(general) => general.stats(now),
        }
    }

    fn far_end(&self) -> Exit {
        match &self.path {
            Path::Fifo(fifo) => fifo.far_end(),
            Path::General(general) => general.far_end(),
        }
    }

    /// True if a packet's arrival is known when it is offered: nothing that comes later, other
    /// packets included, can change it or come before it.
    pub fn is_known_on_offer(&self) -> bool {
        match &self.path {
            Path::Fifo(fifo) => fifo.keeps_order(),
            Path::General(_) => false,
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
