//! The lookahead engine: packets are followed at once as far as nothing else can change their way.
//!
//! Most hops need no event. A link that only one flow can use is crossed when the packet is sent, a
//! shared one when the packet's turn comes there, and a receiver acts as soon as its packet's arrival
//! is known. That leaves an event where packets of different sources meet and one for each ACK at its
//! sender. [`plan`] says how far each packet may go.
//!
//! Nothing is done later than in the plain engine and everything in the same order at each link and
//! host. What is done ahead carries its own [`Moment`], by which it counts and is recorded. Nothing
//! is done that lies beyond the end of the run.

mod line;
mod plan;

use westwood_cc::{Duration, Instant};
use westwood_net::{Fate, Link, LinkStats, Packet as _, Traffic as Moving};

use super::carrier::{Carrier, inside, refused};
use super::moment::Moment;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, LinkSpec, Network};
use crate::packet::Packet;
use line::Line;
use plan::Plan;

/// Links that are crossed ahead of time where that is allowed.
#[derive(Debug)]
pub(super) struct Lookahead {
    lines: Vec<Line>,
    plan: Plan,
    /// The last instant at which anything happens.
    last: Instant,
    /// Somebody records how queues move.
    queues: bool,
}

impl Carrier for Lookahead {
    fn new(network: &Network) -> Result<Self, SimError> {
        let line = |l: &LinkSpec| Line::new(l, network).map_err(|error| refused(l, error));
        Ok(Self {
            lines: network.links.iter().map(line).collect::<Result<_, _>>()?,
            plan: Plan::default(),
            // An event at the end of all time never comes.
            last: (Instant::ZERO + network.duration)
                .min(Instant::FAR_FUTURE - Duration::from_nanos(1)),
            queues: network.probes.queues,
        })
    }

    fn prepare(run: &mut Run<'_, Self>) {
        let it = &mut run.carrier;
        it.plan = Plan::of(run.network, &run.routes, &it.lines);
        for link in 0..run.carrier.lines.len() {
            if let Line::Eventful(it) = &run.carrier.lines[link] {
                let next = it.link.next_event();
                run.wake(rank(link), next);
            }
        }
    }

    #[inline]
    fn carry(run: &mut Run<'_, Self>, at: Moment, packet: Packet) {
        run.follow(at, packet);
    }

    fn link(&mut self, link: LinkId) -> Option<&mut Link<Packet>> {
        match &mut self.lines[link] {
            Line::Foreseen(_) => None,
            Line::Eventful(it) => Some(&mut it.link),
        }
    }

    #[inline]
    fn on_link(run: &mut Run<'_, Self>, link: LinkId) {
        match &mut run.carrier.lines[link] {
            Line::Foreseen(line) => {
                let Some((mut packet, number, next)) = line.release() else { return };
                run.wake(rank(link), next);
                run.moment = Moment::arrival(run.now, rank(link), number);
                packet.step();
                run.follow(run.moment, packet);
            }
            Line::Eventful(_) => run.step(link),
        }
    }

    fn begin_measuring(&mut self, at: Instant) {
        for line in &mut self.lines {
            if let Line::Eventful(it) = line {
                it.before = it.link.stats(at);
            }
        }
    }

    fn measured(run: &mut Run<'_, Self>) -> Vec<LinkStats> {
        let Lookahead { lines, last, .. } = &mut run.carrier;
        let (measure, beyond) = (&mut run.measure, Moment::of(*last + Duration::from_nanos(1), 0));
        let stats = |(link, line): (LinkId, &mut Line)| match line {
            Line::Foreseen(line) => {
                line.look_until(beyond, link, measure);
                line.link.measured()
            }
            Line::Eventful(it) => it.link.stats(run.now).since(&it.before),
        };
        lines.iter_mut().enumerate().map(stats).collect()
    }

    fn inside(&self) -> Moving {
        let mut sum = Moving::default();
        for line in &self.lines {
            sum += match line {
                Line::Foreseen(line) => line.inside(),
                Line::Eventful(it) => inside(&it.link),
            };
        }
        sum
    }
}

impl Run<'_, Lookahead> {
    /// Follows a packet from where it is at this moment as far as may be.
    fn follow(&mut self, mut at: Moment, mut packet: Packet) {
        while let Some(hop) = self.carrier.plan.hop(packet.cursor()) {
            let Line::Foreseen(line) = &mut self.carrier.lines[hop.link] else {
                return self.offer(hop.link, packet);
            };
            if self.carrier.queues {
                line.look_until(at, hop.link, &mut self.measure);
            }
            let fate = line.link.offer(at.at, packet.size(), packet.ect());
            if let Fate::Dropped(_) = fate {
                self.lose(at, hop.link, &packet);
            }
            if self.carrier.queues {
                self.look_after(at, hop.link, fate);
            }
            let Some(arrival) = self.arrival(hop.link, fate, &mut packet) else { return };
            if !hop.onward {
                return self.wait(hop.link, arrival.at, packet);
            }
            packet.step();
            at = arrival;
        }
        self.arrive(at, packet);
    }

    /// When a packet that has just been offered arrives, if it does within the run.
    #[inline]
    fn arrival(&mut self, link: LinkId, fate: Fate, packet: &mut Packet) -> Option<Moment> {
        let (then, lost) = match fate {
            Fate::Arrives { at, marked } => {
                if marked {
                    packet.mark_ce();
                }
                (at, false)
            }
            Fate::Lost { at } => (at, true),
            Fate::Dropped(_) => return None,
        };
        if then > self.carrier.last {
            self.measure.leaves(packet.size());
            return None;
        }
        let Line::Foreseen(line) = &self.carrier.lines[link] else { return None };
        let arrival = line.arrival(link, then);
        if lost {
            self.lose(arrival, link, packet);
            return None;
        }
        Some(arrival)
    }

    /// A packet waits for its arrival.
    fn wait(&mut self, link: LinkId, arrival: Instant, packet: Packet) {
        if let Line::Foreseen(line) = &mut self.carrier.lines[link]
            && line.keep(arrival, packet)
        {
            self.wake(rank(link), arrival);
        }
    }

    /// Looks at the queue of a link to which a packet has just been offered, and will look again
    /// when it arrives.
    #[cold]
    fn look_after(&mut self, at: Moment, link: LinkId, fate: Fate) {
        let Lookahead { lines, last, .. } = &mut self.carrier;
        let Line::Foreseen(line) = &mut lines[link] else { return };
        self.measure.record_queue(at, link, line.link.waiting(at.at).packets);
        if let Fate::Arrives { at: then, .. } | Fate::Lost { at: then } = fate
            && then <= *last
        {
            line.look_at(line.arrival(link, then));
        }
    }
}
