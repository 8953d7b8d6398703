//! Following packets.

use westwood_cc::{Bytes, Instant};
use westwood_net::{Fate, Packet as _};
use westwood_tcp::{AckSegment, Burst, DataSegment};

use super::plan::{Stage, Then};
use super::{Lookahead, Place};
use crate::engine::carrier::TICK;
use crate::engine::connection::Connection;
use crate::engine::measure::Measure;
use crate::engine::moment::Moment;
use crate::engine::run::{Run, rank};
use crate::network::LinkId;
use crate::packet::{Address, Packet};
use crate::routes::Cursor;

/// A packet on its way, as far as links look at it.
#[derive(Clone, Copy)]
struct Trip {
    /// When it is where it is.
    at: Moment,
    cursor: Cursor,
    slot: u32,
    size: Bytes,
    ect: bool,
}

impl Trip {
    #[inline]
    fn new(at: Moment, cursor: Cursor, slot: u32, size: Bytes, ect: bool) -> Self {
        Self { at, cursor, slot, size, ect }
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

/// How far a packet has come: when it is where, whether it was marked, and what it waits for.
struct End {
    at: Moment,
    cursor: Cursor,
    marked: bool,
    stop: Stop,
}

impl End {
    /// Notes in the packet how far it has come.
    #[inline]
    fn note(&self, packet: &mut Packet) {
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
            let crossed = self.carrier.hurry_over(stage, &mut now, size);
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

    /// Follows segments from their sender.
    #[expect(
        clippy::inline_always,
        reason = "it chooses who does, and would save registers for nothing"
    )]
    #[inline(always)]
    pub(super) fn follow_data(&mut self, c: &mut Connection, burst: &Burst) {
        let stage = self.carrier.plan.stage(c.there.cursor);
        match stage.then {
            Then::Host if !self.carrier.watched => self.follow_to_host::<false>(c, stage, burst),
            Then::Host if self.carrier.sampled => self.follow_to_host::<true>(c, stage, burst),
            Then::Host => self.follow_watched_to_host(c, stage, burst),
            Then::Waits if !self.carrier.watched => self.follow_to_wait(c, stage, burst),
            _ => self.follow_each(c, burst),
        }
        self.wake_receiver(c);
    }

    /// What [`follow_data`](Self::follow_data) does, for every way.
    #[inline(never)]
    fn follow_each(&mut self, c: &mut Connection, burst: &Burst) {
        for segment in burst.segments() {
            self.follow_segment(c, &segment, self.moment, 0);
        }
    }

    /// Follows segments that nothing stops before the receiver. Nobody watches, or only now and then.
    #[inline(never)]
    fn follow_to_host<const SAMPLED: bool>(
        &mut self,
        c: &mut Connection,
        stage: Stage,
        burst: &Burst,
    ) {
        let mut segment = burst.segment;
        let size = segment.payload + c.header;
        let end = segment.seq + burst.count;
        while segment.seq < end {
            let mut now = self.now;
            let (lanes, at) = if SAMPLED {
                let lanes = self.carrier.hurry_and_sample(stage, &mut now, size, &mut self.measure);
                (lanes, self.carrier.moment_after(stage, lanes, self.moment, now))
            } else {
                (self.carrier.hurry_over(stage, &mut now, size), Moment::of(now, 0))
            };
            if lanes == stage.count() {
                self.measure.leaves(size);
                self.receive(at, c, &segment, false);
            } else {
                self.follow_segment(c, &segment, at, lanes);
            }
            segment.seq += 1;
        }
    }

    /// Follows segments that wait for their time behind their first lanes. Nobody watches.
    #[inline(never)]
    fn follow_to_wait(&mut self, c: &mut Connection, stage: Stage, burst: &Burst) {
        let mut segment = burst.segment;
        let size = segment.payload + c.header;
        for _ in 0..burst.count {
            let mut now = self.now;
            let lanes = self.carrier.hurry_over(stage, &mut now, size);
            if lanes == stage.count() && lanes > 0 {
                let mut to = c.there;
                to.cursor.go(lanes - 1);
                let last = (stage.first + lanes) as usize - 1;
                self.keep(last, now, Packet::data(to, &segment, c.header));
            } else {
                self.follow_segment(c, &segment, Moment::of(now, 0), lanes);
            }
            segment.seq += 1;
        }
    }

    /// The same while somebody watches every change.
    #[inline(never)]
    fn follow_watched_to_host(&mut self, c: &mut Connection, stage: Stage, burst: &Burst) {
        for segment in burst.segments() {
            let size = segment.payload + c.header;
            let (at, lanes) = self.hurry_watched(stage, self.moment, size);
            if lanes == stage.count() {
                self.measure.leaves(size);
                self.receive(at, c, &segment, false);
            } else {
                self.follow_segment(c, &segment, at, lanes);
            }
        }
    }

    /// Follows a segment that has crossed so many lanes of its way.
    #[inline(never)]
    fn follow_segment(
        &mut self,
        c: &mut Connection,
        segment: &DataSegment,
        at: Moment,
        lanes: u32,
    ) {
        let (mut to, size) = (c.there, segment.payload + c.header);
        to.cursor.go(lanes);
        let end = self.travel(Trip::new(at, to.cursor, to.slot, size, segment.ect));
        match end.stop {
            Stop::Gone => {}
            Stop::Host => {
                self.measure.leaves(size);
                self.receive(end.at, c, segment, end.marked);
            }
            stop => {
                let mut packet = Packet::data(to, segment, c.header);
                end.note(&mut packet);
                self.leave_at(stop, end.at, packet);
            }
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
            self.carrier.hurry_over(stage, &mut now, size)
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
        let at = if self.carrier.watched {
            self.carrier.moment_after(stage, lanes, at, now)
        } else {
            Moment::of(now, 0)
        };
        self.follow(at, Packet::ack(Address { cursor, ..to }, ack, size));
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
    fn leave_at(&mut self, stop: Stop, at: Moment, packet: Packet) {
        match stop {
            Stop::Waits(lane) => self.keep(lane, at.at, packet),
            Stop::Eventful(place) => self.enter_eventful(place, packet),
            Stop::Host | Stop::Gone => {}
        }
    }

    /// A packet waits at the far end of a lane for the time at which it arrives there.
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    #[inline(always)]
    fn keep(&mut self, lane: usize, at: Instant, packet: Packet) {
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

    /// Takes a packet over the lanes of a stage as long as nothing unusual meets it, and looks at queues
    /// that have changed. Answers when it is where it is, and how many lanes it has crossed.
    fn hurry_watched(&mut self, stage: Stage, mut at: Moment, size: Bytes) -> (Moment, u32) {
        let mut crossed = 0;
        while crossed < stage.count() {
            let Lookahead { lanes, watches, links, .. } = &mut self.carrier;
            let range = (stage.first + crossed) as usize..(stage.first + stage.count()) as usize;
            let (Some(lanes), Some(watches), Some(links)) =
                (lanes.get_mut(range.clone()), watches.get_mut(range.clone()), links.get(range))
            else {
                break;
            };
            for ((lane, watch), &link) in lanes.iter_mut().zip(watches).zip(links) {
                if watch.looks_at(at.at) {
                    break;
                }
                let Some(then) = lane.link.offer_plain(at.at, size) else { return (at, crossed) };
                at = Moment::arrival(then, link, lane.link.offered());
                if watch.looks() {
                    watch.expect(at);
                }
                crossed += 1;
            }
            if crossed < stage.count() {
                let place = (stage.first + crossed) as usize;
                let Some(then) = self.look_and_offer(place, at, size) else { break };
                at = then;
                crossed += 1;
            }
        }
        (at, crossed)
    }

    /// Offers a packet to a lane whose queue is to be looked at. Answers when it arrives, if nothing
    /// unusual meets it.
    #[inline(never)]
    fn look_and_offer(&mut self, place: usize, at: Moment, size: Bytes) -> Option<Moment> {
        let it = &mut self.carrier;
        it.look_until(place, at, &mut self.measure);
        let then = it.lanes.get_mut(place)?.link.offer_plain(at.at, size)?;
        let arrival = it.arrival(place, then);
        it.look(place, at, Some(arrival), &mut self.measure);
        Some(arrival)
    }

    /// Crosses lanes at once as long as what comes behind them may be done ahead.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    fn travel(&mut self, mut trip: Trip) -> End {
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
                    it.trains.part(&mut it.lanes, place);
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

impl Lookahead {
    /// Takes a packet over the lanes of a stage as long as nothing unusual meets it. Answers how many it
    /// has crossed.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    fn hurry_over(&mut self, stage: Stage, now: &mut Instant, size: Bytes) -> u32 {
        let first = stage.first as usize;
        let lanes = self.lanes.get_mut(first..first + stage.count() as usize);
        let mut lanes = lanes.unwrap_or_default().iter_mut();
        while let Some(lane) = lanes.next() {
            let Some(then) = lane.link.offer_plain(*now, size) else {
                // As many as there were, without this one and those behind it.
                return stage.count() - u32::try_from(lanes.len()).unwrap_or(0) - 1;
            };
            *now = then;
            // Behind it they all are, if it leads those that are left.
            if lane.link.leads() {
                break;
            }
        }
        stage.count()
    }

    /// The same, and looks at queues where that is due.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    fn hurry_and_sample(
        &mut self,
        stage: Stage,
        now: &mut Instant,
        size: Bytes,
        measure: &mut Measure,
    ) -> u32 {
        let range = stage.first as usize..(stage.first + stage.count()) as usize;
        let Self { lanes, links, watches, interval, .. } = self;
        let lanes = lanes.get_mut(range.clone()).unwrap_or_default().iter_mut();
        let watches = watches.get_mut(range).unwrap_or_default();
        let mut crossed = 0;
        for (lane, watch) in lanes.zip(watches) {
            if watch.looks_at(*now) {
                let link = links[(stage.first + crossed) as usize] as usize;
                watch.sample_until(*now + TICK, (link, &mut *lane, &*interval), measure);
            }
            let Some(then) = lane.link.offer_plain(*now, size) else { break };
            *now = then;
            if lane.link.leads() {
                return stage.count();
            }
            crossed += 1;
        }
        crossed
    }

    /// The moment after so many lanes of a stage, of which none is asked for on the way.
    #[inline]
    fn moment_after(&self, stage: Stage, lanes: u32, before: Moment, now: Instant) -> Moment {
        if !self.numbered {
            return Moment::of(now, 0);
        }
        if lanes == 0 {
            return before;
        }
        self.arrival((stage.first + lanes) as usize - 1, now)
    }

    /// Takes a packet of this size along its way as long as nothing unusual meets it, and says where it
    /// stops. If none, it is at the entry of a lane that must be asked for its fate.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    fn hurry(&mut self, now: &mut Instant, cursor: &mut Cursor, size: Bytes) -> Option<Stop> {
        loop {
            let stage = self.plan.stage(*cursor);
            let crossed = self.hurry_over(stage, now, size);
            if crossed < stage.count() {
                cursor.go(crossed);
                return None;
            }
            if let Some(stop) = stage.stop(cursor) {
                return Some(stop);
            }
        }
    }
}

impl Stage {
    /// A packet has crossed the stage's lanes: where it stops, if it does, and its place there.
    #[inline]
    fn stop(self, cursor: &mut Cursor) -> Option<Stop> {
        cursor.go(self.count());
        match self.then {
            Then::Onward => None,
            Then::Host => Some(Stop::Host),
            Then::Waits => {
                // The packet stays before the step over the last lane.
                cursor.back();
                Some(Stop::Waits((self.first + self.count()) as usize - 1))
            }
            Then::Eventful => Some(Stop::Eventful(self.first as usize)),
        }
    }
}
