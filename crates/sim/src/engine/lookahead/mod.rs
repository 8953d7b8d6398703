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

use westwood_cc::{Bytes, Duration, Instant};
use westwood_net::{Fate, Link, LinkStats, Packet as _, Traffic as Moving};
use westwood_tcp::{AckSegment, DataSegment};

use super::carrier::{Carrier, inside, refused};
use super::moment::Moment;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, LinkSpec, Network};
use crate::packet::Packet;
use crate::routes::Cursor;
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

    fn carry_data(run: &mut Run<'_, Self>, slot: usize, segment: &DataSegment, header: Bytes) {
        let address = run.there(slot);
        let size = segment.payload + header;
        let mut trip = Trip::new(run.moment, address.cursor, slot, size, segment.ect);
        match run.travel(&mut trip) {
            Stop::Gone => {}
            Stop::Host => {
                run.measure.leaves(size);
                run.on_data(trip.at, slot, segment, trip.marked);
            }
            stop => {
                let mut packet = Packet::data(address, segment, header);
                trip.leaves_in(&mut packet);
                run.leave_at(stop, trip.at, packet);
            }
        }
    }

    fn carry_ack(run: &mut Run<'_, Self>, at: Moment, slot: usize, ack: AckSegment, size: Bytes) {
        let address = run.back(slot);
        let mut trip = Trip::new(at, address.cursor, slot, size, false);
        let stop = run.travel(&mut trip);
        if !matches!(stop, Stop::Gone) {
            let mut packet = Packet::ack(address, ack, size);
            trip.leaves_in(&mut packet);
            run.leave_at(stop, trip.at, packet);
        }
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

/// A packet on its way, as far as links look at it.
struct Trip {
    /// When it is where it is.
    at: Moment,
    cursor: Cursor,
    slot: usize,
    size: Bytes,
    ect: bool,
    /// A link has marked it.
    marked: bool,
}

impl Trip {
    #[inline]
    fn new(at: Moment, cursor: Cursor, slot: usize, size: Bytes, ect: bool) -> Self {
        Self { at, cursor, slot, size, ect, marked: false }
    }

    /// Notes in the packet how far it has come.
    #[inline]
    fn leaves_in(&self, packet: &mut Packet) {
        packet.move_to(self.cursor);
        if self.marked {
            packet.mark_ce();
        }
    }
}

/// Where it can be followed no further for now.
enum Stop {
    /// It has reached its host.
    Host,
    /// It arrives at the far end of this link at the moment of the trip, and waits for it.
    Waits(LinkId),
    /// It is at the entry of this link, which works by events.
    Eventful(LinkId),
    /// It has been dropped or lost, or nothing of it happens within the run any more.
    Gone,
}

impl Run<'_, Lookahead> {
    /// Follows a packet from where it is at this moment as far as may be.
    fn follow(&mut self, at: Moment, mut packet: Packet) {
        let slot = packet.slot() as usize;
        let mut trip = Trip::new(at, packet.cursor(), slot, packet.size(), packet.ect());
        let stop = self.travel(&mut trip);
        trip.leaves_in(&mut packet);
        match stop {
            Stop::Host => self.arrive(trip.at, packet),
            stop => self.leave_at(stop, trip.at, packet),
        }
    }

    /// Leaves a packet where it can be followed no further.
    #[inline]
    fn leave_at(&mut self, stop: Stop, at: Moment, packet: Packet) {
        match stop {
            Stop::Waits(link) => {
                if let Line::Foreseen(line) = &mut self.carrier.lines[link]
                    && line.keep(at.at, packet)
                {
                    self.wake(rank(link), at.at);
                }
            }
            Stop::Eventful(link) => self.offer(link, packet),
            Stop::Host | Stop::Gone => {}
        }
    }

    /// Crosses links at once as long as what comes behind them may be done ahead.
    fn travel(&mut self, trip: &mut Trip) -> Stop {
        let queues = self.carrier.queues;
        while let Some(hop) = self.carrier.plan.hop(trip.cursor) {
            let Line::Foreseen(line) = &mut self.carrier.lines[hop.link] else {
                return Stop::Eventful(hop.link);
            };
            if queues {
                line.look_until(trip.at, hop.link, &mut self.measure);
            }
            let fate = line.link.offer(trip.at.at, trip.size, trip.ect);
            let (then, marked) = match fate {
                Fate::Arrives { at, marked } if at <= self.carrier.last => (at, marked),
                fate => return self.end(trip, hop.link, fate),
            };
            let arrival = line.arrival(hop.link, then);
            if queues {
                self.look_after(trip.at, hop.link, Some(arrival));
            }
            trip.at = arrival;
            trip.marked |= marked;
            if !hop.onward {
                return Stop::Waits(hop.link);
            }
            trip.cursor.step();
        }
        Stop::Host
    }

    /// A packet goes no further than the link to which it has just been offered.
    #[cold]
    fn end(&mut self, trip: &Trip, link: LinkId, fate: Fate) -> Stop {
        let Line::Foreseen(line) = &self.carrier.lines[link] else { return Stop::Gone };
        let mut seen = None;
        match fate {
            Fate::Lost { at } if at <= self.carrier.last => {
                let arrival = line.arrival(link, at);
                seen = Some(arrival);
                self.lose(arrival, link, trip.slot, trip.size);
            }
            Fate::Dropped(_) => self.lose(trip.at, link, trip.slot, trip.size),
            // What lies beyond the end does not happen.
            Fate::Lost { .. } | Fate::Arrives { .. } => self.measure.leaves(trip.size),
        }
        if self.carrier.queues {
            self.look_after(trip.at, link, seen);
        }
        Stop::Gone
    }

    /// Looks at the queue of a link to which a packet has just been offered, and will look again
    /// when it arrives.
    #[cold]
    fn look_after(&mut self, at: Moment, link: LinkId, arrival: Option<Moment>) {
        let Line::Foreseen(line) = &mut self.carrier.lines[link] else { return };
        self.measure.record_queue(at, link, line.link.waiting(at.at).packets);
        if let Some(arrival) = arrival {
            line.look_at(arrival);
        }
    }
}
