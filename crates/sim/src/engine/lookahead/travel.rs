//! Following packets.

use westwood_cc::Bytes;
use westwood_net::{Fate, Packet as _};
use westwood_tcp::{AckSegment, DataSegment};

use super::Lookahead;
use super::plan::Then;
use crate::engine::moment::Moment;
use crate::engine::run::Run;
use crate::packet::{Address, Packet};
use crate::routes::Cursor;

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
    fn note(&self, packet: &mut Packet) {
        packet.move_to(self.cursor);
        if self.marked {
            packet.mark_ce();
        }
    }
}

/// Where it can be followed no further for now.
#[derive(Clone, Copy)]
enum Stop {
    /// It has reached its host.
    Host,
    /// It arrives at the far end of this lane at the moment of the trip, and waits for it.
    Waits(usize),
    /// It is at the entry of this link, which works by events.
    Eventful(usize),
    /// It has been dropped or lost, or nothing of it happens within the run any more.
    Gone,
}

impl Run<'_, Lookahead> {
    /// Follows a packet from where it is at this moment as far as may be.
    pub(super) fn follow(&mut self, at: Moment, mut packet: Packet) {
        let slot = packet.slot() as usize;
        let mut trip = Trip::new(at, packet.cursor(), slot, packet.size(), packet.ect());
        let stop = self.travel(&mut trip);
        trip.note(&mut packet);
        match stop {
            Stop::Host => self.arrive(trip.at, packet),
            stop => self.leave_at(stop, trip.at, packet),
        }
    }

    /// Follows a segment from its sender.
    #[inline]
    pub(super) fn follow_data(&mut self, to: Address, segment: &DataSegment, header: Bytes) {
        let (slot, size) = (to.slot as usize, segment.payload + header);
        let mut trip = Trip::new(self.moment, to.cursor, slot, size, segment.ect);
        match self.travel(&mut trip) {
            Stop::Gone => {}
            Stop::Host => {
                self.measure.leaves(size);
                self.on_data(trip.at, slot, segment, trip.marked);
            }
            stop => {
                let mut packet = Packet::data(to, segment, header);
                trip.note(&mut packet);
                self.leave_at(stop, trip.at, packet);
            }
        }
    }

    /// Follows an ACK from its receiver. It never reaches its sender before its time.
    #[inline]
    pub(super) fn follow_ack(&mut self, at: Moment, to: Address, ack: AckSegment, size: Bytes) {
        let mut trip = Trip::new(at, to.cursor, to.slot as usize, size, false);
        let stop = self.travel(&mut trip);
        if !matches!(stop, Stop::Gone) {
            let mut packet = Packet::ack(to, ack, size);
            trip.note(&mut packet);
            self.leave_at(stop, trip.at, packet);
        }
    }

    /// Leaves a packet where it can be followed no further.
    #[inline]
    fn leave_at(&mut self, stop: Stop, at: Moment, packet: Packet) {
        match stop {
            Stop::Waits(lane) => {
                let Lookahead { lanes, watches, links, .. } = &mut self.carrier;
                if let Some(watch) = watches.get_mut(lane) {
                    watch.keep(lanes[lane].link.offered());
                }
                self.scheduler.post(links[lane], at.at, packet);
            }
            Stop::Eventful(place) => self.offer(self.carrier.eventful[place].id, packet),
            Stop::Host | Stop::Gone => {}
        }
    }

    #[inline]
    fn travel(&mut self, trip: &mut Trip) -> Stop {
        if self.carrier.watched { self.cross::<true>(trip) } else { self.cross::<false>(trip) }
    }

    /// Crosses lanes at once as long as what comes behind them may be done ahead.
    #[inline(never)]
    fn cross<const WATCHED: bool>(&mut self, trip: &mut Trip) -> Stop {
        let it = &mut self.carrier;
        let queues = WATCHED && it.queues;
        // Where nobody watches, an instant is all that is needed of a moment.
        let (mut now, mut at, mut marked) = (trip.at.at, trip.at, false);
        let (lane, fate) = 'way: loop {
            let stage = it.plan.stage(trip.cursor);
            let first = stage.first as usize;
            let beyond = first + stage.count as usize;
            for place in first..beyond {
                if queues {
                    it.look_until(place, at, &mut self.measure);
                }
                let Some(lane) = it.lanes.get_mut(place) else { break };
                let fate = lane.link.offer(&it.interval, now, trip.size, trip.ect);
                let Fate::Arrives { at: then, marked: mark } = fate else {
                    break 'way (place, fate);
                };
                now = then;
                marked |= mark;
                if WATCHED {
                    let arrival = it.arrival(place, then);
                    if queues {
                        it.look(place, at, Some(arrival), &mut self.measure);
                    }
                    at = arrival;
                }
            }
            trip.cursor.go(stage.count);
            let stop = match stage.then {
                Then::Onward => continue,
                Then::Host => Stop::Host,
                Then::Waits => {
                    // The packet stays before the step over the last lane.
                    trip.cursor.back();
                    Stop::Waits(beyond - 1)
                }
                Then::Eventful => Stop::Eventful(first),
            };
            trip.at = if WATCHED { at } else { Moment::of(now, 0) };
            trip.marked = marked;
            return stop;
        };
        trip.at = if WATCHED { at } else { Moment::of(now, 0) };
        self.end(trip, lane, fate);
        Stop::Gone
    }

    /// A packet goes no further than the lane to which it has just been offered.
    #[cold]
    fn end(&mut self, trip: &Trip, lane: usize, fate: Fate) {
        let (link, mut arrival) = (self.carrier.links[lane] as usize, None);
        match fate {
            Fate::Lost { at } => {
                let then = self.carrier.arrival(lane, at);
                arrival = Some(then);
                self.lose(then, link, trip.slot, trip.size);
            }
            Fate::Dropped(_) => self.lose(trip.at, link, trip.slot, trip.size),
            // What lies beyond the end does not happen.
            Fate::Beyond => {
                self.carrier.note_beyond(lane, trip.size);
                self.measure.leaves(trip.size);
            }
            Fate::Arrives { .. } => {}
        }
        if self.carrier.queues {
            self.carrier.look(lane, trip.at, arrival, &mut self.measure);
        }
    }
}
