//! The lookahead engine: packets are taken at once as far as nothing else can change their way.
//!
//! docs/explanation/engine.md has the picture, and says what a way, a lane, a stage and a chain are. Here
//!
//! * a way is one direction of a [`Route`], and [`plan`] cuts it into stages of [`lane`]s;
//! * [`link_chains`] finds the lane that leads each chain;
//! * [`crossing`] takes packets over lanes, and [`transit`] from host to host;
//! * [`fetching`] asks ahead for the memory of the next events;
//! * [`Carrier`] is what the two engines differ in: how packets get from host to host.
//!
//! Nothing is done later than in the plain engine and everything in the same order at each link and
//! host. Events done ahead count, and are sampled, by their own time.
//!
//! [`Route`]: crate::routes::Route

mod crossing;
mod fetching;
mod lane;
mod link_chains;
mod plan;
mod transit;

use westwood_cc::{Bytes, Instant};
use westwood_net::{DualDelays, Histogram, Interval, Link, LinkStats, PacketCount, PredictedLink};
use westwood_tcp::{AckSegment, Burst};

use super::agents;
use super::carrier::{Carrier, packets_in_transit, refused};
use super::connection::Connection;
use super::measure::Measurements;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, LinkSpec, Network};
use crate::packet::{Address, Packet};
use lane::Lane;
use link_chains::LinkChains;
use plan::{LinkSharing, Plan};

/// Links that are crossed ahead of time where that is allowed.
#[derive(Debug)]
pub(super) struct Lookahead {
    lanes: Vec<Lane>,
    /// Which link each lane is.
    links: Vec<u32>,
    /// Each lane's counts beyond the end of the run, up to the last lane that has any.
    after_end: Vec<PacketCount>,
    interval: Interval,
    /// Queues of lanes are sampled.
    may_sample: bool,
    /// Links that work by events.
    event_driven: Vec<EventDrivenLink>,
    /// Where each link is among these.
    places: Vec<LinkPlace>,
    plan: Plan,
    chains: LinkChains,
}

#[derive(Clone, Copy, Debug)]
enum LinkPlace {
    Lane(u32),
    EventDrivenLink(u32),
}

/// A link that works by events.
#[derive(Debug)]
struct EventDrivenLink {
    id: LinkId,
    link: Link<Packet>,
    /// The counts when the measuring interval began.
    before: LinkStats,
}

impl Lookahead {
    /// Puts a link where it belongs.
    fn add(&mut self, network: &Network, id: LinkId) -> Result<(), SimError> {
        let LinkSpec { name, config, .. } = &network.links[id];
        let refused = |error| refused(&network.links[id], error);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let link = PredictedLink::new(config, network.seed, name, &self.interval);
        let link = link.map_err(refused)?.filter(|_| !network.has_agent(id));
        self.places.push(if let Some(mut link) = link {
            if network.probes.delays == Some(id) {
                link.record_delays(&self.interval);
            }
            self.lanes.push(Lane::new(link));
            self.links.push(rank(id));
            LinkPlace::Lane(number(self.lanes.len() - 1))
        } else {
            let link = agents::event_driven_link(network, id).map_err(refused)?;
            self.event_driven.push(EventDrivenLink { id, link, before: LinkStats::default() });
            LinkPlace::EventDrivenLink(number(self.event_driven.len() - 1))
        });
        Ok(())
    }

    /// Brings lanes into this order of links, in place.
    fn arrange(&mut self, order: impl Iterator<Item = LinkId>) {
        let mut to = 0;
        for link in order {
            let LinkPlace::Lane(from) = self.places[link] else { continue };
            let other = self.links[to as usize];
            self.lanes.swap(from as usize, to as usize);
            self.links.swap(from as usize, to as usize);
            self.places[other as usize] = LinkPlace::Lane(from);
            self.places[link] = LinkPlace::Lane(to);
            to += 1;
        }
    }

    /// Records a lane's queue at the times before `until` at which that is due.
    #[inline]
    fn sample_until(&mut self, place: usize, until: Instant, measure: &mut Measurements) {
        let Self { lanes, links, interval, .. } = self;
        if let Some(lane) = lanes.get_mut(place) {
            lane.sample_until(until, links[place] as usize, interval, measure);
        }
    }

    /// No lane leads any other.
    fn part_all(&mut self) {
        self.chains.unlink_all(&self.interval, &mut self.lanes);
    }

    /// The packet's fate lies beyond the end of the run.
    fn count_after_end(&mut self, place: usize, size: Bytes) {
        if place >= self.after_end.len() {
            self.after_end.resize(place + 1, PacketCount::default());
        }
        self.after_end[place] += PacketCount { packets: 1, bytes: size };
    }
}

impl Carrier for Lookahead {
    const RELAYS: bool = false;

    fn new(network: &Network) -> Result<Self, SimError> {
        let mut it = Self {
            lanes: Vec::with_capacity(network.links.len()),
            links: Vec::with_capacity(network.links.len()),
            after_end: Vec::new(),
            interval: Interval {
                begin: Instant::ZERO + network.warmup,
                end: Instant::ZERO + network.duration,
            },
            may_sample: false,
            event_driven: Vec::new(),
            places: Vec::with_capacity(network.links.len()),
            plan: Plan::default(),
            chains: LinkChains::default(),
        };
        westwood_prefetch::large_pages(&it.lanes);
        (0..network.links.len()).try_for_each(|link| it.add(network, link))?;
        Ok(it)
    }

    fn prepare(run: &mut Run<'_, Self>) {
        let it = &mut run.carrier;
        let is_lane = it.places.iter().map(|p| matches!(p, LinkPlace::Lane(_))).collect();
        let sharing = LinkSharing::of(run.network, &run.routes, is_lane);
        it.arrange(sharing.order(run.network, &run.routes));
        let place = |place: &LinkPlace| match *place {
            LinkPlace::Lane(n) | LinkPlace::EventDrivenLink(n) => n,
        };
        let places: Vec<u32> = it.places.iter().map(place).collect();
        for (lane, &link) in it.lanes.iter_mut().zip(&it.links) {
            lane.sample_from(run.measure.queue_due(link as usize));
        }
        it.may_sample = it.lanes.iter().any(Lane::is_sampled);
        it.plan = Plan::of(run.network, &run.routes, &sharing, &places);
        it.chains = LinkChains::over(it.plan.rows(run.network, &run.routes));
        let least = it.plan.least_wait(run.network, &run.routes);
        run.scheduler.expect(least, sharing.shared_rate(run.network));
        for i in 0..run.carrier.event_driven.len() {
            let EventDrivenLink { id, link, .. } = &run.carrier.event_driven[i];
            let (id, next) = (*id, link.next_event());
            run.wake(rank(id), next);
        }
    }

    #[inline]
    fn carry(run: &mut Run<'_, Self>, at: Instant, packet: Packet) {
        run.forward(at, packet);
    }

    #[inline]
    fn carry_data(run: &mut Run<'_, Self>, c: &mut Connection, burst: &Burst) {
        run.send_burst(c, burst);
    }

    #[inline]
    fn carry_ack(run: &mut Run<'_, Self>, at: Instant, to: Address, ack: AckSegment, size: Bytes) {
        run.send_ack(at, to, ack, size);
    }

    fn link(&mut self, link: LinkId) -> Option<&mut Link<Packet>> {
        match self.places[link] {
            LinkPlace::Lane(_) => None,
            LinkPlace::EventDrivenLink(place) => Some(&mut self.event_driven[place as usize].link),
        }
    }

    #[expect(clippy::inline_always, reason = "it is the loop's body")]
    #[inline(always)]
    fn on_link(run: &mut Run<'_, Self>, link: LinkId) {
        run.wake_link(link);
    }

    fn pause(&mut self) {
        self.chains.link_to_leader(&mut self.lanes);
    }

    fn record_until(run: &mut Run<'_, Self>, until: Instant) {
        run.carrier.part_all();
        for place in 0..run.carrier.lanes.len() {
            run.carrier.sample_until(place, until, &mut run.measure);
        }
        run.sample_queues(until);
    }

    fn begin_measuring(&mut self, at: Instant) {
        for it in &mut self.event_driven {
            it.before = it.link.stats(at);
        }
    }

    fn measured(&mut self, link: LinkId, now: Instant) -> LinkStats {
        match self.places[link] {
            LinkPlace::Lane(place) => {
                let place = place as usize;
                let beyond = self.after_end.get(place).copied().unwrap_or_default();
                self.lanes[place].link.measured(&self.interval, beyond)
            }
            LinkPlace::EventDrivenLink(place) => {
                let it = &mut self.event_driven[place as usize];
                it.link.stats(now).since(&it.before)
            }
        }
    }

    fn dual_delays(&mut self, link: LinkId, now: Instant) -> Option<DualDelays> {
        match *self.places.get(link)? {
            // Such a link works by events.
            LinkPlace::Lane(_) => None,
            LinkPlace::EventDrivenLink(place) => {
                self.event_driven[place as usize].link.dual_delays(now)
            }
        }
    }

    fn queue_delays(&mut self, link: LinkId, now: Instant) -> Option<Histogram> {
        match *self.places.get(link)? {
            LinkPlace::Lane(place) => self.lanes[place as usize].link.delays(&self.interval),
            LinkPlace::EventDrivenLink(place) => self.event_driven[place as usize].link.delays(now),
        }
    }

    fn packets_in_transit(&self) -> PacketCount {
        let mut sum = PacketCount::default();
        for it in &self.event_driven {
            sum += packets_in_transit(&it.link);
        }
        sum
    }
}
