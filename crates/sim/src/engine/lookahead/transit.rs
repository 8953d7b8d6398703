//! Packets between hosts: segments from their sender, ACKs from their receiver, and whatever has waited.
//!
//! Each is taken [across](super::crossing) as many lanes as may be, and put where it stops: into its host,
//! into the scheduler, or into a link that works by events.

use westwood_cc::{Bytes, Instant};
use westwood_net::Packet as _;
use westwood_tcp::{AckSegment, Burst, DataSegment};

use super::crossing::{CrossingPacket, CrossingStop};
use super::plan::{Stage, StageEnd};
use super::{LinkPlace, Lookahead};
use crate::engine::connection::Connection;
use crate::engine::run::{Run, rank};
use crate::network::LinkId;
use crate::packet::{Address, Packet};

impl Run<'_, Lookahead> {
    /// A link is woken: a packet comes off a lane, or a link that works by events has something to do.
    #[expect(clippy::inline_always, reason = "it is the loop's body")]
    #[inline(always)]
    pub(super) fn wake_link(&mut self, link: LinkId) {
        self.fetch();
        // A lane is woken for a packet alone, and any other link never for one.
        if let Some(mut packet) = self.scheduler.take(rank(link)) {
            packet.step();
            self.forward(self.now, packet);
        } else if let LinkPlace::EventDrivenLink(_) = self.carrier.places[link] {
            self.step(link);
        }
    }

    /// Takes a packet on from where it is at this time.
    #[expect(
        clippy::inline_always,
        reason = "a packet is read where it waited, and not copied before"
    )]
    #[inline(always)]
    pub(super) fn forward(&mut self, at: Instant, mut packet: Packet) {
        let (mut now, mut cursor) = (at, packet.cursor());
        let stop = self.carrier.try_cross(&mut now, &mut cursor, packet.size());
        packet.move_to(cursor);
        if let Some(stop) = stop {
            self.put(stop, now, packet);
        } else {
            self.forward_crossing(now, packet, true);
        }
    }

    /// [`forward`](Self::forward) for a packet that something unusual may meet; perhaps the next lane
    /// has `refused` it the fast path.
    #[inline(never)]
    fn forward_crossing(&mut self, at: Instant, mut packet: Packet, refused: bool) {
        let mut crossing = CrossingPacket::of(&packet, at, refused);
        let stop = self.cross(&mut crossing);
        crossing.write_to(&mut packet);
        self.put(stop, crossing.at, packet);
    }

    /// Puts a packet where it stops.
    #[expect(
        clippy::inline_always,
        reason = "a packet is read where it waited, and not copied before"
    )]
    #[inline(always)]
    fn put(&mut self, stop: CrossingStop, at: Instant, packet: Packet) {
        match stop {
            CrossingStop::Host => self.arrive_at_host(at, packet),
            CrossingStop::Waits(lane) => self.schedule_arrival(lane, at, packet),
            CrossingStop::EventDrivenLink(place) => self.enter_event_driven_link(place, packet),
            CrossingStop::Dropped => {}
        }
    }

    /// A packet reaches its host, in the present or ahead of it.
    #[expect(
        clippy::inline_always,
        reason = "a packet is read where it waited, and not copied before"
    )]
    #[inline(always)]
    fn arrive_at_host(&mut self, at: Instant, packet: Packet) {
        if packet.is_ack() && at > self.now {
            self.on_ack_ahead(at, packet);
        } else {
            self.arrive(at, packet);
        }
    }

    /// A packet waits behind a lane for the time at which it arrives there.
    #[expect(clippy::inline_always, reason = "a packet is written where it waits, and not before")]
    #[inline(always)]
    fn schedule_arrival(&mut self, lane: usize, at: Instant, packet: Packet) {
        self.scheduler.post(self.carrier.links[lane], at, packet);
    }

    /// A packet comes to a link that works by events.
    #[inline(never)]
    fn enter_event_driven_link(&mut self, place: usize, packet: Packet) {
        self.offer(self.carrier.event_driven[place].id, packet);
    }

    /// Takes a burst from its sender.
    #[inline]
    pub(super) fn send_burst(&mut self, c: &mut Connection, burst: &Burst) {
        let stage = self.carrier.plan.stage(c.forward.cursor);
        if stage.then() == StageEnd::Waits {
            self.send_to_shared_lane(c, burst, stage);
        } else {
            self.send_ahead(c, burst, stage);
        }
    }

    /// Takes a burst over lanes behind which each segment waits for its time.
    #[inline(never)]
    fn send_to_shared_lane(&mut self, c: &mut Connection, burst: &Burst, stage: Stage) {
        let mut to = c.forward;
        to.cursor.advance(stage.count() - 1);
        let mut segment = burst.segment;
        let mut packet = Packet::data(to, &segment, c.header);
        let size = packet.size();
        for _ in 0..burst.count {
            let mut now = self.now;
            let left = self.carrier.cross_stage(stage, &mut now, size);
            if left == 0 {
                self.schedule_arrival(stage.last(), now, packet.copy_data());
            } else {
                self.send_on(c, &segment, now, stage, left);
            }
            segment.seq += 1;
            packet.number_next();
        }
    }

    /// Takes a burst as far as its receiver, segment by segment.
    #[inline(never)]
    fn send_ahead(&mut self, c: &mut Connection, burst: &Burst, stage: Stage) {
        let mut segment = burst.segment;
        let size = segment.payload + c.header;
        for _ in 0..burst.count {
            let mut now = self.now;
            let left = self.carrier.cross_stage(stage, &mut now, size);
            if stage.then() == StageEnd::Host && left == 0 {
                self.measure.leaves(size);
                self.receive(now, c, &segment, false);
            } else {
                self.send_on(c, &segment, now, stage, left);
            }
            segment.seq += 1;
        }
        self.wake_receiver(c);
    }

    #[inline(never)]
    fn put_sent(&mut self, stop: CrossingStop, at: Instant, packet: Packet) {
        self.put(stop, at, packet);
    }

    /// Takes a segment on behind its first stage, whatever meets it. If some lanes of the stage are left, the
    /// next of them has refused the fast path.
    #[inline(never)]
    fn send_on(
        &mut self,
        c: &mut Connection,
        segment: &DataSegment,
        at: Instant,
        stage: Stage,
        left: u32,
    ) {
        let mut crossing = CrossingPacket {
            at,
            cursor: c.forward.cursor,
            slot: c.forward.slot,
            size: segment.payload + c.header,
            ect: segment.ecn.is_capable(),
            marked: false,
            refused: left > 0,
        };
        crossing.cursor.advance(stage.count() - left);
        match self.cross(&mut crossing) {
            CrossingStop::Host => {
                self.measure.leaves(crossing.size);
                self.receive(crossing.at, c, segment, crossing.marked);
            }
            stop => {
                let mut packet = Packet::data(c.forward, segment, c.header);
                crossing.write_to(&mut packet);
                self.put_sent(stop, crossing.at, packet);
            }
        }
    }

    /// Takes an ACK from its receiver.
    #[inline]
    pub(super) fn send_ack(&mut self, at: Instant, mut to: Address, ack: AckSegment, size: Bytes) {
        let (mut now, stage) = (at, self.carrier.plan.stage(to.cursor));
        let left = self.carrier.cross_stage(stage, &mut now, size);
        to.cursor.advance(stage.count() - left);
        if left == 0 && stage.then() == StageEnd::Waits {
            to.cursor.step_back();
            return self.schedule_arrival(stage.last(), now, Packet::ack(to, ack, size));
        }
        self.forward_crossing(now, Packet::ack(to, ack, size), left > 0);
    }
}
