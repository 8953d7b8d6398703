//! The plain engine: an event for each departure and each arrival at every link.
//!
//! Links hold their packets until they arrive and are woken for each. This engine is the reference for the
//! other one and shares no link with it: whatever that one saves may not change one bit of a result.
//!
//! It alone sees packets in the order in which they go by, and shows them to a [tap](super::tapped) if there
//! is one.

use westwood_cc::Instant;
use westwood_net::{DropCause, DualDelays, Histogram, Link, LinkStats, PacketCount};

use super::agents::event_driven_link;
use super::carrier::{Carrier, packets_in_transit, refused};
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, Network};
use crate::packet::Packet;
use crate::tap::{Tap, TapPoint};

/// Every link wakes for each packet.
pub(super) struct Plain<'t> {
    links: Vec<Link<Packet>>,
    /// The counts of each link when the measuring interval began.
    before: Vec<LinkStats>,
    /// The watcher of packets, if one watches.
    pub(super) tap: Option<&'t mut (dyn Tap + Send)>,
}

impl Carrier for Plain<'_> {
    const RELAYS: bool = true;

    fn new(network: &Network) -> Result<Self, SimError> {
        let link = |id: LinkId| {
            event_driven_link(network, id).map_err(|error| refused(&network.links[id], error))
        };
        let links = (0..network.links.len()).map(link).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { links, before: Vec::new(), tap: None })
    }

    fn prepare(run: &mut Run<'_, Self>) {
        for link in 0..run.carrier.links.len() {
            let next = run.carrier.links[link].next_event();
            run.wake(rank(link), next);
        }
    }

    #[inline]
    fn carry(run: &mut Run<'_, Self>, at: Instant, packet: Packet) {
        if run.carrier.tap.is_some() {
            run.show_on_its_way(&packet);
        }
        match run.routes.link(packet.cursor()) {
            Some(link) => run.offer(link, packet),
            None => run.arrive(at, packet),
        }
    }

    #[inline]
    fn drops(run: &mut Run<'_, Self>, link: LinkId, packet: &Packet, cause: DropCause) {
        if run.carrier.tap.is_some() {
            run.show(TapPoint::Dropped(link, cause), packet);
        }
    }

    #[inline]
    fn link(&mut self, link: LinkId) -> Option<&mut Link<Packet>> {
        self.links.get_mut(link)
    }

    #[inline]
    fn on_link(run: &mut Run<'_, Self>, link: LinkId) {
        run.step(link);
    }

    fn begin_measuring(&mut self, at: Instant) {
        self.before = self.links.iter_mut().map(|l| l.stats(at)).collect();
    }

    fn measured(&mut self, link: LinkId, now: Instant) -> LinkStats {
        let stats = self.links[link].stats(now);
        self.before.get(link).map_or(LinkStats::default(), |before| stats.since(before))
    }

    fn queue_delays(&mut self, link: LinkId, now: Instant) -> Option<Histogram> {
        self.links.get_mut(link)?.delays(now)
    }

    fn dual_delays(&mut self, link: LinkId, now: Instant) -> Option<DualDelays> {
        self.links.get_mut(link)?.dual_delays(now)
    }

    fn packets_in_transit(&self) -> PacketCount {
        let mut sum = PacketCount::default();
        for link in &self.links {
            sum += packets_in_transit(link);
        }
        sum
    }
}
