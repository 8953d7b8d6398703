//! The lookahead engine: packets are followed at once as far as nothing else can change their way.
//!
//! Most hops need no event. A link that only one flow can use is crossed when the packet is sent, a
//! shared one when the packet's turn comes there, and a receiver acts as soon as its packet's arrival
//! is known. That leaves an event where packets of different sources meet and one for each ACK at its
//! sender. [`plan`] says how far each packet may go; [`segments`] and [`travel`] take it there, over lanes
//! where nothing unusual meets it in a [`hurry`]; and [`trains`] spares it lanes on which nothing can happen
//! to it.
//!
//! Nothing is done later than in the plain engine and everything in the same order at each link and
//! host. What is done ahead carries its own [`Moment`], by which it counts and is recorded. Nothing
//! is done that lies beyond the end of the run.

mod hurry;
mod lane;
mod plan;
mod segments;
mod trains;
mod travel;

use westwood_cc::{Bytes, Instant};
use westwood_net::{Foreseen, Histogram, Interval, Link, LinkStats, Traffic as Moving};
use westwood_tcp::{AckSegment, Burst};

use super::agents;
use super::carrier::{Carrier, inside, refused};
use super::connection::Connection;
use super::measure::Measure;
use super::moment::Moment;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, LinkSpec, Network};
use crate::packet::{Address, Packet};
use crate::scheduler::Scheduler;
use lane::{Lane, Watch};
use plan::{Kinds, Plan};
use trains::Trains;

/// Links that are crossed ahead of time where that is allowed.
#[derive(Debug)]
pub(super) struct Lookahead {
    lanes: Vec<Lane>,
    /// Which link each lane is.
    links: Vec<u32>,
    /// What probes need to know of each lane; none without probes.
    watches: Vec<Watch>,
    /// What each lane would tell after the end of the run, up to the last that has told anything.
    beyond: Vec<Moving>,
    interval: Interval,
    /// Links that work by events.
    eventful: Vec<Eventful>,
    /// Where each link is among these.
    places: Vec<Place>,
    plan: Plan,
    trains: Trains,
    /// Somebody records what packets do on their way, and how queues move.
    watched: bool,
    /// Queues are looked at when they change.
    queues: bool,
    /// Queues are looked at when that is due.
    sampled: bool,
    /// What came first of an instant, packets tell by their numbers on their links.
    numbered: bool,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Lane(u32),
    Eventful(u32),
}

/// A link that works by events.
#[derive(Debug)]
struct Eventful {
    id: LinkId,
    link: Link<Packet>,
    /// What it had done when the measuring interval began.
    before: LinkStats,
}

impl Lookahead {
    /// Puts a link where it belongs.
    fn add(&mut self, network: &Network, id: LinkId) -> Result<(), SimError> {
        let LinkSpec { name, config, .. } = &network.links[id];
        let refused = |error| refused(&network.links[id], error);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let foreseen = Foreseen::new(config, network.seed, name, &self.interval);
        let foreseen = foreseen.map_err(refused)?.filter(|_| !network.is_attended(id));
        self.places.push(if let Some(mut link) = foreseen {
            if network.probes.delays == Some(id) {
                link.record_delays(&self.interval);
            }
            self.lanes.push(Lane::new(link));
            self.links.push(rank(id));
            Place::Lane(number(self.lanes.len() - 1))
        } else {
            let link = agents::eventful(network, id).map_err(refused)?;
            self.eventful.push(Eventful { id, link, before: LinkStats::default() });
            Place::Eventful(number(self.eventful.len() - 1))
        });
        Ok(())
    }

    /// Brings lanes into this order of links, in place.
    fn arrange(&mut self, order: impl Iterator<Item = LinkId>) {
        let mut to = 0;
        for link in order {
            let Place::Lane(from) = self.places[link] else { continue };
            let other = self.links[to as usize];
            self.lanes.swap(from as usize, to as usize);
            self.links.swap(from as usize, to as usize);
            self.places[other as usize] = Place::Lane(from);
            self.places[link] = Place::Lane(to);
            to += 1;
        }
    }

    /// Looks at a lane's queue at the arrivals before a moment.
    fn look_until(&mut self, place: usize, moment: Moment, measure: &mut Measure) {
        let Self { lanes, links, watches, interval, .. } = self;
        if let Some(watch) = watches.get_mut(place) {
            let lane = (links[place] as usize, &mut lanes[place], &*interval);
            watch.look_until(moment, lane, measure);
        }
    }

    /// Records a lane's queue at the times before `until` at which that is due.
    #[inline(never)]
    fn sample_until(&mut self, place: usize, until: Instant, measure: &mut Measure) {
        let Self { lanes, links, interval, .. } = self;
        if let Some(lane) = lanes.get_mut(place).filter(|lane| lane.looks_at(until)) {
            lane.sample_until(until, (links[place] as usize, &*interval), measure);
        }
    }

    /// Looks at a lane's queue after an offer at this moment, and will look again when the packet
    /// arrives, if it does.
    fn look(&mut self, place: usize, at: Moment, arrival: Option<Moment>, measure: &mut Measure) {
        let Self { lanes, links, watches, interval, .. } = self;
        let (Some(watch), Some(lane)) = (watches.get_mut(place), lanes.get_mut(place)) else {
            return;
        };
        if !lane.looks() {
            return;
        }
        watch.look(at, (links[place] as usize, lane, &*interval), measure);
        if let Some(arrival) = arrival {
            watch.expect(arrival);
        }
    }

    /// The arrival at `at` of the packet that was offered last.
    fn arrival(&self, place: usize, at: Instant) -> Moment {
        Moment::arrival(at, self.links[place], self.lanes[place].link.offered())
    }

    /// A packet that has waited at the far end of a lane arrives there now.
    #[inline]
    fn release(&mut self, place: usize, link: LinkId, now: Instant) -> Moment {
        let watch = self.watches.get_mut(place).filter(|_| self.numbered);
        let number = watch.map_or(0, Watch::release);
        Moment::arrival(now, rank(link), number)
    }

    /// No lane leads any other.
    fn part_all(&mut self) {
        self.trains.part_all(&self.interval, &mut self.lanes);
    }

    /// What becomes of a packet lies beyond the end of the run.
    fn note_beyond(&mut self, place: usize, size: Bytes) {
        if place >= self.beyond.len() {
            self.beyond.resize(place + 1, Moving::default());
        }
        self.beyond[place] += Moving { packets: 1, bytes: size };
    }
}

impl Carrier for Lookahead {
    fn new(network: &Network) -> Result<Self, SimError> {
        let mut it = Self {
            lanes: Vec::with_capacity(network.links.len()),
            links: Vec::with_capacity(network.links.len()),
            watches: Vec::new(),
            beyond: Vec::new(),
            interval: Interval {
                begin: Instant::ZERO + network.warmup,
                end: Instant::ZERO + network.duration,
            },
            eventful: Vec::new(),
            places: Vec::with_capacity(network.links.len()),
            plan: Plan::default(),
            trains: Trains::default(),
            watched: network.probes.on_the_way(),
            queues: network.probes.queues && !network.probes.samples(),
            sampled: network.probes.samples(),
            numbered: network.probes.any() && !network.probes.samples(),
        };
        (0..network.links.len()).try_for_each(|link| it.add(network, link))?;
        Ok(it)
    }

    fn prepare(run: &mut Run<'_, Self>) {
        let it = &mut run.carrier;
        let foreseen = it.places.iter().map(|p| matches!(p, Place::Lane(_))).collect();
        let kinds = Kinds::of(run.network, &run.routes, foreseen);
        it.arrange(kinds.order(run.network, &run.routes));
        let place = |place: &Place| match *place {
            Place::Lane(n) | Place::Eventful(n) => n,
        };
        let places: Vec<u32> = it.places.iter().map(place).collect();
        if run.network.probes.any() {
            for (lane, &link) in it.lanes.iter_mut().zip(&it.links) {
                lane.look_from(run.measure.queue_due(link as usize));
            }
            it.watches.resize_with(it.lanes.len(), Watch::default);
        }
        it.plan = Plan::of(run.network, &run.routes, &kinds, &places);
        if !it.numbered {
            it.trains = Trains::over(it.plan.runs(run.network, &run.routes));
        }
        for i in 0..run.carrier.eventful.len() {
            let Eventful { id, link, .. } = &run.carrier.eventful[i];
            let (id, next) = (*id, link.next_event());
            run.wake(rank(id), next);
        }
    }

    #[inline]
    fn carry(run: &mut Run<'_, Self>, at: Moment, packet: Packet) {
        run.follow(at, packet);
    }

    #[expect(
        clippy::inline_always,
        reason = "it chooses who does, and would save registers for nothing"
    )]
    #[inline(always)]
    fn carry_data(run: &mut Run<'_, Self>, c: &mut Connection, burst: &Burst) {
        run.follow_data(c, burst);
    }

    #[inline]
    fn carry_ack(run: &mut Run<'_, Self>, at: Moment, to: Address, ack: AckSegment, size: Bytes) {
        run.follow_ack(at, to, ack, size);
    }

    fn link(&mut self, link: LinkId) -> Option<&mut Link<Packet>> {
        match self.places[link] {
            Place::Lane(_) => None,
            Place::Eventful(place) => Some(&mut self.eventful[place as usize].link),
        }
    }

    #[inline]
    fn on_link(run: &mut Run<'_, Self>, link: LinkId) {
        let Scheduler::Few(scheduler) = &mut run.scheduler else {
            return run.on_link_among_many(link);
        };
        let Place::Lane(place) = run.carrier.places[link] else {
            return run.step(link);
        };
        let Some(mut packet) = scheduler.take(rank(link)) else { return };
        run.moment = run.carrier.release(place as usize, link, run.now);
        packet.step();
        if run.carrier.plan.stage(packet.cursor()).is_host() {
            run.arrive(run.moment, packet);
        } else {
            run.follow(run.moment, packet);
        }
    }

    fn pause(&mut self) {
        self.trains.form(&mut self.lanes);
    }

    fn record_until(run: &mut Run<'_, Self>, until: Instant) {
        run.carrier.part_all();
        for place in 0..run.carrier.lanes.len() {
            if run.carrier.sampled {
                run.carrier.sample_until(place, until, &mut run.measure);
            } else {
                run.carrier.look_until(place, Moment::of(until, 0), &mut run.measure);
            }
        }
        run.sample_queues(until);
    }

    fn begin_measuring(&mut self, at: Instant) {
        for it in &mut self.eventful {
            it.before = it.link.stats(at);
        }
    }

    fn measured(&mut self, link: LinkId, now: Instant) -> LinkStats {
        match self.places[link] {
            Place::Lane(place) => {
                let place = place as usize;
                let beyond = self.beyond.get(place).copied().unwrap_or_default();
                self.lanes[place].link.measured(&self.interval, beyond)
            }
            Place::Eventful(place) => {
                let it = &mut self.eventful[place as usize];
                it.link.stats(now).since(&it.before)
            }
        }
    }

    fn queue_delays(&mut self, link: LinkId, now: Instant) -> Option<Histogram> {
        match *self.places.get(link)? {
            Place::Lane(place) => self.lanes[place as usize].link.delays(&self.interval),
            Place::Eventful(place) => self.eventful[place as usize].link.delays(now),
        }
    }

    fn inside(&self) -> Moving {
        let mut sum = Moving::default();
        for it in &self.eventful {
            sum += inside(&it.link);
        }
        sum
    }
}
