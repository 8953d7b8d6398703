//! The operations in which the engines differ.

use westwood_cc::{Bytes, Duration, Instant};
use westwood_net::{
    DropCause, DualDelays, Histogram, Link, LinkError, LinkStats, Offer, Packet as _, PacketCount,
    Step,
};
use westwood_tcp::{AckSegment, Burst};

use super::connection::Connection;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, LinkSpec, Network, Observation};
use crate::packet::{Address, Packet};

/// How packets get from host to host.
pub(super) trait Carrier: Sized {
    /// True if proxies can move data on: every event is in the present.
    const RELAYS: bool;

    /// The network's links.
    fn new(network: &Network) -> Result<Self, SimError>;

    /// Prepares the carrier once the routes are known, and schedules the events of links that come before any
    /// packet.
    fn prepare(run: &mut Run<'_, Self>);

    /// A packet goes on from its place on its way at `at`, in the present or ahead of it.
    fn carry(run: &mut Run<'_, Self>, at: Instant, packet: Packet);

    /// A connection's sender puts segments on their way, in the present.
    fn carry_data(run: &mut Run<'_, Self>, c: &mut Connection, burst: &Burst) {
        for segment in burst.segments() {
            Self::carry(run, run.now, Packet::data(c.forward, &segment, c.header));
        }
    }

    /// A connection's receiver puts an ACK of this size on its way.
    #[inline]
    fn carry_ack(run: &mut Run<'_, Self>, at: Instant, to: Address, ack: AckSegment, size: Bytes) {
        Self::carry(run, at, Packet::ack(to, ack, size));
    }

    /// A link drops a packet, or has lost it, in the present.
    #[inline]
    fn drops(_run: &mut Run<'_, Self>, _link: LinkId, _packet: &Packet, _cause: DropCause) {}

    /// The link with this number, if it holds its packets and is woken for each.
    fn link(&mut self, link: LinkId) -> Option<&mut Link<Packet>>;

    /// A link is woken.
    fn on_link(run: &mut Run<'_, Self>, link: LinkId);

    /// Does work between events that makes the next ones cheaper. The loop calls it now and then.
    fn pause(&mut self) {}

    /// Makes all records of links that belong before `until`, which is the present or just after it.
    fn record_until(run: &mut Run<'_, Self>, until: Instant) {
        run.sample_queues(until);
    }

    /// The measuring interval begins: no event of this instant or later has been handled.
    fn begin_measuring(&mut self, at: Instant);

    /// The run has ended, at `now`: what this link did in the measuring interval. Each is asked once.
    fn measured(&mut self, link: LinkId, now: Instant) -> LinkStats;

    /// The run has ended, at `now`: how long packets waited at this link, if that was recorded.
    fn queue_delays(&mut self, link: LinkId, now: Instant) -> Option<Histogram>;

    /// How long packets waited in each queue of a link that has two.
    fn dual_delays(&mut self, link: LinkId, now: Instant) -> Option<DualDelays>;

    /// Packets that have been sent and have neither reached their host nor been lost.
    fn packets_in_transit(&self) -> PacketCount;
}

/// From a time to just after it.
pub(super) const TICK: Duration = Duration::from_nanos(1);

/// Links that work by events: the present offers them packets and wakes them.
impl<C: Carrier> Run<'_, C> {
    #[expect(
        clippy::inline_always,
        reason = "a packet that comes off a link stays in registers until the next has it: a third of the time"
    )]
    #[inline(always)]
    pub(super) fn offer(&mut self, id: LinkId, mut packet: Packet) {
        let now = self.now;
        // Agents may ask the link how it stands, which moves it on to the present.
        self.sample_queue(id, now + TICK);
        if self.agents.is_some() {
            self.pass_entry(id, &mut packet);
        }
        let Some(link) = self.carrier.link(id) else { return };
        let offer = link.offer(now, packet);
        let next = link.next_event();
        self.wake(rank(id), next);
        if let Offer::Dropped(packet, cause) = offer {
            C::drops(self, id, &packet, cause);
            if self.agents.is_some() {
                self.on_queue_drop(id, &packet);
            }
            self.on_drop(now, id, packet.slot() as usize, packet.size());
        }
        if self.network.probes.queues {
            self.sample_queue_after_change(id);
        }
    }

    #[inline]
    pub(super) fn step(&mut self, id: LinkId) {
        let now = self.now;
        self.sample_queue(id, now + TICK);
        if self.agents.is_some() {
            self.fire_local_timers(id);
        }
        let Some(link) = self.carrier.link(id) else { return };
        let (step, next) = (link.step(now), link.next_event());
        self.wake(rank(id), next);
        match step {
            Step::Delivered(mut packet) => {
                if self.agents.is_none() || self.pass_exit(id, &packet) {
                    packet.step();
                    C::carry(self, now, packet);
                }
            }
            Step::Lost(mut packet, cause)
                if self.agents.is_some() && self.delivers_damaged(id, &packet, cause) =>
            {
                self.measure.record_drop(now, id, self.slot_flow[packet.slot() as usize]);
                packet.damage();
                packet.step();
                C::carry(self, now, packet);
            }
            Step::Lost(packet, cause) => {
                C::drops(self, id, &packet, cause);
                if self.agents.is_some() && cause != DropCause::Random {
                    self.on_queue_drop(id, &packet);
                }
                self.on_drop(now, id, packet.slot() as usize, packet.size());
            }
            Step::Nothing => {}
        }
        if self.network.probes.queues {
            self.sample_queue_after_change(id);
        }
    }

    /// Takes the samples due before `until` of the queues of links that work by events.
    pub(super) fn sample_queues(&mut self, until: Instant) {
        for link in 0..self.network.links.len() {
            self.sample_queue(link, until);
        }
    }

    /// Takes those samples of one link, before every change of its queue.
    #[inline]
    pub(super) fn sample_queue(&mut self, id: LinkId, until: Instant) {
        if self.network.probes.queues && self.observation == Observation::Samples {
            self.sample_queue_until(id, until);
        }
    }

    #[cold]
    fn sample_queue_until(&mut self, id: LinkId, until: Instant) {
        if let Some(link) = self.carrier.link(id) {
            self.measure.sample_queue(id, until, |at| link.waiting(at).packets);
        }
    }

    /// Looks at a link's queue after a change.
    #[cold]
    pub(super) fn sample_queue_after_change(&mut self, id: LinkId) {
        let now = self.now;
        if self.observation == Observation::Samples {
            return;
        }
        if let Some(link) = self.carrier.link(id) {
            self.measure.record_queue(now, id, || link.waiting(now).packets);
        }
    }
}

/// Packets inside a link that holds them, with those it has left out: neither have reached a host.
pub(super) fn packets_in_transit(link: &Link<Packet>) -> PacketCount {
    let transit = link.in_transit();
    let mut inside = transit.total();
    inside += transit.unreported;
    inside += transit.filtered;
    inside
}

/// A link's configuration is refused.
pub(super) fn refused(link: &LinkSpec, error: LinkError) -> SimError {
    SimError::Link { link: link.name.to_string(), error }
}
