//! The lookahead engine: packets are followed at once as far as nothing else can change their way.
//!
//! Most hops need no event. A link that only one flow can use is crossed when the packet is sent, a
//! shared one when the packet's turn comes there, and a receiver acts as soon as its packet's arrival
//! is known. That leaves an event where packets of different sources meet and one for each ACK at its
//! sender. [`plan`] says how far each packet may go, [`travel`] takes it there.
//!
//! Nothing is done later than in the plain engine and everything in the same order at each link and
//! host. What is done ahead carries its own [`Moment`], by which it counts and is recorded. Nothing
//! is done that lies beyond the end of the run.

mod lane;
mod plan;
mod travel;

use westwood_cc::{Bytes, Duration, Instant};
use westwood_net::{Foreseen, Link, LinkStats, Traffic as Moving};
use westwood_tcp::{AckSegment, Burst};

use super::agents;
use super::carrier::{Carrier, inside, refused};
use super::connection::Connection;
use super::moment::Moment;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, LinkSpec, Network};
use crate::packet::{Address, Packet};
use lane::Lane;
use plan::{Kinds, Plan};

/// Links that are crossed ahead of time where that is allowed.
#[derive(Debug)]
pub(super) struct Lookahead {
    lanes: Vec<Lane>,
    /// Links that work by events.
    eventful: Vec<Eventful>,
    /// Where each link is among these.
    places: Vec<Place>,
    plan: Plan,
    /// Somebody records something, and how queues move.
    watched: bool,
    queues: bool,
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
        let (begin, end) = (Instant::ZERO + network.warmup, Instant::ZERO + network.duration);
        let refused = |error| refused(&network.links[id], error);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let foreseen = Foreseen::new(config, network.seed, name, begin, end).map_err(refused)?;
        let foreseen = foreseen.filter(|_| !network.is_attended(id));
        self.places.push(if let Some(link) = foreseen {
            self.lanes.push(Lane::new(link, id, self.watched));
            Place::Lane(number(self.lanes.len() - 1))
        } else {
            let link = agents::eventful(network, id).map_err(refused)?;
            self.eventful.push(Eventful { id, link, before: LinkStats::default() });
            Place::Eventful(number(self.eventful.len() - 1))
        });
        Ok(())
    }

    /// Brings lanes into this order of links.
    fn arrange(&mut self, order: &[LinkId]) {
        let mut lanes: Vec<_> = std::mem::take(&mut self.lanes).into_iter().map(Some).collect();
        for &link in order {
            if let Place::Lane(place) = &mut self.places[link]
                && let Some(lane) = lanes[*place as usize].take()
            {
                *place = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
                self.lanes.push(lane);
            }
        }
    }
}

impl Carrier for Lookahead {
    fn new(network: &Network) -> Result<Self, SimError> {
        let mut it = Self {
            lanes: Vec::new(),
            eventful: Vec::new(),
            places: Vec::new(),
            plan: Plan::default(),
            watched: network.probes.any(),
            queues: network.probes.queues,
        };
        (0..network.links.len()).try_for_each(|link| it.add(network, link))?;
        Ok(it)
    }

    fn prepare(run: &mut Run<'_, Self>) {
        let it = &mut run.carrier;
        let foreseen = it.places.iter().map(|p| matches!(p, Place::Lane(_))).collect();
        let kinds = Kinds::of(run.network, &run.routes, foreseen);
        it.arrange(&kinds.order(run.network, &run.routes));
        let place = |place: &Place| match *place {
            Place::Lane(n) | Place::Eventful(n) => n,
        };
        let places: Vec<u32> = it.places.iter().map(place).collect();
        it.plan = Plan::of(run.network, &run.routes, &kinds, &places);
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

    #[inline]
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
    fn on_link(run: &mut Run<'_, Self>, link: LinkId) -> Instant {
        let Place::Lane(place) = run.carrier.places[link] else {
            run.step(link);
            return Instant::FAR_FUTURE;
        };
        let lane = &mut run.carrier.lanes[place as usize];
        let Some((mut packet, number, next)) = lane.release() else {
            return Instant::FAR_FUTURE;
        };
        run.moment = Moment::arrival(run.now, rank(link), number);
        packet.step();
        if run.carrier.plan.stage(packet.cursor()).is_host() {
            run.arrive(run.moment, packet);
        } else {
            run.follow(run.moment, packet);
        }
        next
    }

    fn record_until_now(run: &mut Run<'_, Self>) {
        for lane in &mut run.carrier.lanes {
            lane.look_until(Moment::of(run.now, 0), &mut run.measure);
        }
    }

    fn begin_measuring(&mut self, at: Instant) {
        for it in &mut self.eventful {
            it.before = it.link.stats(at);
        }
    }

    fn measured(run: &mut Run<'_, Self>) -> Vec<LinkStats> {
        let Lookahead { lanes, eventful, places, .. } = &mut run.carrier;
        let beyond = Moment::of(run.now + Duration::from_nanos(1), 0);
        let stats = |place: &Place| match *place {
            Place::Lane(place) => {
                let lane = &mut lanes[place as usize];
                lane.look_until(beyond, &mut run.measure);
                lane.link.measured()
            }
            Place::Eventful(place) => {
                let it = &mut eventful[place as usize];
                it.link.stats(run.now).since(&it.before)
            }
        };
        places.iter().map(stats).collect()
    }

    fn inside(&self) -> Moving {
        let mut sum = Moving::default();
        for lane in &self.lanes {
            sum += lane.inside();
        }
        for it in &self.eventful {
            sum += inside(&it.link);
        }
        sum
    }
}
