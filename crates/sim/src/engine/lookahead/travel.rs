//! Following packets: with care, and those that come off lanes and ACKs the short way first.

use westwood_cc::{Bytes, Instant};
use westwood_net::{Fate, Packet as _};
use westwood_tcp::AckSegment;

use super::hurry::Stop;
use super::plan::Then;
use super::{Lookahead, Place};
use crate::engine::carrier::TICK;
use crate::engine::moment::Moment;
use crate::engine::run::{Run, rank};
use crate::network::LinkId;
use crate::packet::{Address, Packet};
use crate::routes::Cursor;

/// A packet on its way, as far as links look at it.
#[derive(Clone, Copy)]
pub(super) struct Trip {
    /// When it is where it is.
    at: Moment,
    cursor: Cursor,
    slot: u32,
    size: Bytes,
    ect: bool,
}

impl Trip {
    #[inline]
    pub(super) fn new(at: Moment, cursor: Cursor, slot: u32, size: Bytes, ect: bool) -> Self {
        Self { at, cursor, slot, size, ect }
    }
}

/// How far a packet has come: when it is where, whether it was marked, and what it waits for.
pub(super) struct End {
    pub(super) at: Moment,
    cursor: Cursor,
    pub(super) marked: bool,
    pub(super) stop: Stop,
}

impl End {
    /// Notes in the packet how far it has come.
    #[inline]
    pub(super) fn note(&self, packet: &mut Packet) {
        packet.move_to(self.cursor);
        if self.marked {
            packet.mark_ce();
        }
    }
}

impl Run<'_, Lookahead> {
    /// Follows a packet from where it is at this moment as far as may be.
    #[inline(never)]
    pub(super) fn follow(&mut self, at: Moment, mut packet: Packet) {
        let trip = Trip::new(at, packet.cursor(), packet.slot(), packet.size(), packet.ect());
        let end = self.travel(trip);
        end.note(&mut packet);
        match end.stop {
            Stop::Host => self.arrive_ahead(end.at, packet),
            stop => self.leave_at(stop, end.at, packet),
        }
    }

    /// A link is woken where sources are many.
    #[inline(never)]
    pub(super) fn on_link_among_many(&mut self, link: LinkId) {
        // A lane is woken for a packet alone, and any other link never for one.
        let Some(mut packet) = self.scheduler.take(rank(link)) else {
            if let Place::Eventful(_) = self.carrier.places[link] {
                self.step(link);
            }
            return;
        };
        packet.step();
        if self.carrier.watched {
            self.follow_watched(link, packet);
        } else {
            self.moment = Moment::of(self.now, rank(link));
            self.follow_now(packet);
        }
    }

    /// A packet comes off a lane now, and somebody watches.
    #[inline(never)]
    fn follow_watched(&mut self, link: LinkId, packet: Packet) {
        if let Place::Lane(place) = self.carrier.places[link] {
            self.moment = self.carrier.release(place as usize, link, self.now);
        }
        self.follow(self.moment, packet);
    }

    /// What [`follow`](Self::follow) does where nobody watches, for a packet that comes off a lane now.
    #[expect(
        clippy::inline_always,
        reason = "a packet is read where it waited, and not copied before"
    )]
    #[inline(always)]
    fn follow_now(&mut self, mut packet: Packet) {
        let (mut now, mut cursor, size) = (self.now, packet.cursor(), packet.size());
        loop {
            let stage = self.carrier.plan.stage(cursor);
            let crossed = self.carrier.hurry_over::<false>(stage, 0, &mut now, size);
            cursor.go(crossed);
            if crossed < stage.count() || stage.then == Then::Eventful {
                packet.move_to(cursor);
                return self.follow(Moment::of(now, 0), packet);
            }
            match stage.then {
                Then::Onward | Then::Eventful => {}
                Then::Host => return self.arrive_ahead(Moment::of(now, 0), packet),
                Then::Waits => {
                    // It stays before the step over the last lane.
                    cursor.back();
                    packet.move_to(cursor);
                    return self.keep((stage.first + crossed) as usize - 1, now, packet);
                }
            }
        }
    }

    /// A packet's arrival at its host is known, in the present or ahead of it.
    #[expect(
        clippy::inline_always,
        reason = "a packet is read where it waited, and not copied before"
    )]
    #[inline(always)]
    fn arrive_ahead(&mut self, at: Moment, packet: Packet) {
        if packet.is_ack() && at.at > self.now {
            self.hear_ahead(at, packet);
        } else {
            self.arrive(at, packet);
        }
    }

    /// Follows an ACK from its receiver. It never reaches its sender before its time.
    #[inline]
    pub(super) fn follow_ack(&mut self, at: Moment, to: Address, ack: AckSegment, size: Bytes) {
        let stage = self.carrier.plan.stage(to.cursor);
        let (mut now, mut cursor) = (at.at, to.cursor);
        if stage.then != Then::Waits {
            return self.follow(at, Packet::ack(to, ack, size));
        }
        let lanes = if !self.carrier.watched {
            self.carrier.hurry_over::<false>(stage, 0, &mut now, size)
        } else if self.carrier.sampled {
            self.carrier.hurry_and_sample(stage, &mut now, size, &mut self.measure)
        } else {
            return self.follow_watched_ack(at, to, ack, size);
        };
        cursor.go(lanes);
        if lanes == stage.count() && lanes > 0 {
            // It stays before the step over the last lane.
            cursor.back();
            let last = (stage.first + lanes) as usize - 1;
            return self.keep(last, now, Packet::ack(Address { cursor, ..to }, ack, size));
        }
        self.follow(Moment::of(now, 0), Packet::ack(Address { cursor, ..to }, ack, size));
    }

    /// The same while somebody watches.
    #[inline(never)]
    fn follow_watched_ack(&mut self, at: Moment, mut to: Address, ack: AckSegment, size: Bytes) {
        let stage = self.carrier.plan.stage(to.cursor);
        let (at, lanes) = self.hurry_watched(stage, at, size);
        to.cursor.go(lanes);
        if lanes == stage.count() && lanes > 0 {
            to.cursor.back();
            let last = (stage.first + lanes) as usize - 1;
            return self.keep(last, at.at, Packet::ack(to, ack, size));
        }
        self.follow(at, Packet::ack(to, ack, size));
    }

    /// Leaves a packet where it can be followed no further.
    #[inline(never)]
    pub(super) fn leave_at(&mut self, stop: Stop, at: Moment, packet: Packet) {
        match stop {
            Stop::Waits(lane) => self.keep(lane, at.at, packet),
            Stop::Eventful(place) => self.enter_eventful(place, packet),
            Stop::Host | Stop::Gone => {}
        }
    }

    /// A packet waits at the far end of a lane for the time at which it arrives there.
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    #[inline(always)]
    pub(super) fn keep(&mut self, lane: usize, at: Instant, packet: Packet) {
        let Lookahead { lanes, watches, links, numbered, .. } = &mut self.carrier;
        if *numbered && let Some(watch) = watches.get_mut(lane) {
            watch.keep(lanes[lane].link.offered());
        }
        self.scheduler.post(links[lane], at, packet);
    }

    /// A packet has come to a link that works by events.
    #[inline(never)]
    fn enter_eventful(&mut self, place: usize, packet: Packet) {
        self.offer(self.carrier.eventful[place].id, packet);
    }

    /// Crosses lanes at once as long as what comes behind them may be done ahead.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    pub(super) fn travel(&mut self, mut trip: Trip) -> End {
        if self.carrier.watched {
            return self.cross::<true>(trip);
        }
        let (mut now, mut cursor) = (trip.at.at, trip.cursor);
        if let Some(stop) = self.carrier.hurry(&mut now, &mut cursor, trip.size) {
            return End { at: Moment::of(now, 0), cursor, marked: false, stop };
        }
        (trip.at, trip.cursor) = (Moment::of(now, 0), cursor);
        self.cross::<false>(trip)
    }

    /// What [`travel`](Self::travel) does, for every packet.
    #[inline(never)]
    fn cross<const WATCHED: bool>(&mut self, mut trip: Trip) -> End {
        let it = &mut self.carrier;
        let queues = WATCHED && it.queues;
        // Where nobody watches, an instant is all that is needed of a moment.
        let (mut now, mut at, mut marked) = (trip.at.at, trip.at, false);
        let (lane, fate) = 'way: loop {
            let stage = it.plan.stage(trip.cursor);
            let first = stage.first as usize;
            for place in first..first + stage.count() as usize {
                if queues {
                    it.look_until(place, at, &mut self.measure);
                } else if WATCHED && it.sampled {
                    it.sample_until(place, now + TICK, &mut self.measure);
                }
                let Some(lane) = it.lanes.get_mut(place) else { break };
                if lane.link.leads() {
                    if let Some(then) = lane.link.offer_plain(now, trip.size) {
                        (now, at) = (then, Moment::of(then, 0));
                        break;
                    }
                    it.trains.part(&it.interval, &mut it.lanes, place);
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
            let Some(stop) = stage.stop(&mut trip.cursor) else { continue };
            let at = if WATCHED { at } else { Moment::of(now, 0) };
            return End { at, cursor: trip.cursor, marked, stop };
        };
        trip.at = if WATCHED { at } else { Moment::of(now, 0) };
        self.end(&trip, lane, fate);
        End { at: trip.at, cursor: trip.cursor, marked, stop: Stop::Gone }
    }

    /// A packet goes no further than the lane to which it has just been offered.
    #[cold]
    fn end(&mut self, trip: &Trip, lane: usize, fate: Fate) {
        let link = self.carrier.links[lane] as usize;
        let (slot, mut arrival) = (trip.slot as usize, None);
        match fate {
            Fate::Lost { at } => {
                let then = self.carrier.arrival(lane, at);
                arrival = Some(then);
                self.lose(then, link, slot, trip.size);
            }
            Fate::Dropped(_) => self.lose(trip.at, link, slot, trip.size),
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
