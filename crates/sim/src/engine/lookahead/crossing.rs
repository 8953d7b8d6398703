//! Crossing lanes: on a fast path in registers while nothing unusual meets a packet, else on the full path.
//!
//! On the fast path a packet is a time, a size and a place on its way. Most packets meet only others of their
//! kind. Where a queue may drop or mark a packet, where it may be lost, where measuring begins or the queue
//! is sampled, it stops before the lane and crosses that one on the full path.

use westwood_cc::{Bytes, Instant};
use westwood_net::{Packet as _, PacketFate};

use super::Lookahead;
use super::plan::{Stage, StageEnd};
use crate::engine::carrier::TICK;
use crate::engine::run::Run;
use crate::packet::Packet;
use crate::routes::Cursor;

/// Where a packet can go no further for now.
#[derive(Clone, Copy)]
pub(super) enum CrossingStop {
    /// It has reached its host.
    Host,
    /// It arrives behind this lane, and waits there for its time.
    Waits(usize),
    /// It is at the entry of this link, which works by events.
    EventDrivenLink(usize),
    /// It has been dropped or lost, or nothing of it happens within the run any more.
    Dropped,
}

/// A packet on its way, as far as links look at it.
#[derive(Clone, Copy)]
pub(super) struct CrossingPacket {
    /// When it is where it is.
    pub(super) at: Instant,
    pub(super) cursor: Cursor,
    pub(super) slot: u32,
    pub(super) size: Bytes,
    pub(super) ect: bool,
    /// A queue has marked it (ECN).
    pub(super) marked: bool,
    /// The next lane has refused the fast path.
    pub(super) refused: bool,
}

impl CrossingPacket {
    pub(super) fn of(packet: &Packet, at: Instant, refused: bool) -> Self {
        let (cursor, slot) = (packet.cursor(), packet.slot());
        Self {
            at,
            cursor,
            slot,
            size: packet.size(),
            ect: packet.ecn().is_capable(),
            marked: false,
            refused,
        }
    }

    /// Writes into the packet where it is now, and whether it was marked.
    pub(super) fn write_to(&self, packet: &mut Packet) {
        packet.move_to(self.cursor);
        if self.marked {
            packet.mark_ce();
        }
    }
}

impl Lookahead {
    /// The fast path: takes a packet of this size along its way and says where it stops. If none, something
    /// unusual meets it at the next lane.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    pub(super) fn try_cross(
        &mut self,
        now: &mut Instant,
        cursor: &mut Cursor,
        size: Bytes,
    ) -> Option<CrossingStop> {
        loop {
            let stage = self.plan.stage(*cursor);
            let left = self.cross_stage(stage, now, size);
            if left > 0 {
                cursor.advance(stage.count() - left);
                return None;
            }
            if let Some(stop) = stage.stop(cursor) {
                return Some(stop);
            }
        }
    }

    /// Takes a packet over the lanes of a stage as long as nothing unusual meets it. Answers how many lanes
    /// are left.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    pub(super) fn cross_stage(&mut self, stage: Stage, now: &mut Instant, size: Bytes) -> u32 {
        if stage.count() == 0 {
            return 0;
        }
        let Some(lane) = self.lanes.get_mut(stage.first() as usize) else { return 0 };
        let may_sample = self.may_sample;
        let Some(then) = lane.try_cross(*now, size, may_sample) else { return stage.count() };
        *now = then;
        // Most stages have one lane. Behind a leader the packet has crossed them all.
        if stage.count() == 1 || lane.link.leads() { 0 } else { self.cross_rest(stage, now, size) }
    }

    /// Takes a packet over the lanes of a stage behind the first. Answers how many are left.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    fn cross_rest(&mut self, stage: Stage, now: &mut Instant, size: Bytes) -> u32 {
        let mut left = stage.count() - 1;
        while left > 0 {
            let place = stage.end() - left;
            let Some(lane) = self.lanes.get_mut(place as usize) else { break };
            let Some(then) = lane.try_cross(*now, size, self.may_sample) else { return left };
            *now = then;
            if lane.link.leads() {
                break;
            }
            left -= 1;
        }
        0
    }
}

impl Run<'_, Lookahead> {
    /// Takes a packet along its way, on the full path where something unusual meets it, and says where it
    /// stops.
    pub(super) fn cross(&mut self, packet: &mut CrossingPacket) -> CrossingStop {
        if packet.refused {
            return self.cross_lane_by_lane(packet);
        }
        let CrossingPacket { at, cursor, size, .. } = packet;
        self.carrier.try_cross(at, cursor, *size).unwrap_or_else(|| self.cross_lane_by_lane(packet))
    }

    /// The full path: takes a packet along its way lane by lane, whatever meets it, and says where it stops.
    #[inline(never)]
    pub(super) fn cross_lane_by_lane(&mut self, packet: &mut CrossingPacket) -> CrossingStop {
        loop {
            let stage = self.carrier.plan.stage(packet.cursor);
            for place in stage.lanes() {
                let it = &mut self.carrier;
                let (refused, may_sample) = (std::mem::take(&mut packet.refused), it.may_sample);
                it.sample_until(place, packet.at + TICK, &mut self.measure);
                let Some(lane) = it.lanes.get_mut(place) else { break };
                if lane.link.leads() {
                    if let Some(then) = lane.try_cross(packet.at, packet.size, may_sample) {
                        packet.at = then;
                        break;
                    }
                    it.chains.unlink(&it.interval, &mut it.lanes, place);
                }
                let Some(lane) = it.lanes.get_mut(place) else { break };
                let fate = if refused {
                    lane.link.offer_any(&it.interval, packet.at, packet.size, packet.ect)
                } else {
                    lane.link.offer(&it.interval, packet.at, packet.size, packet.ect)
                };
                match fate {
                    PacketFate::Arrives { at, marked } => {
                        packet.at = at;
                        packet.marked |= marked;
                    }
                    fate => {
                        self.end(packet, place, fate);
                        return CrossingStop::Dropped;
                    }
                }
            }
            if let Some(stop) = stage.stop(&mut packet.cursor) {
                return stop;
            }
        }
    }

    /// A packet goes no further than the lane to which it has just been offered.
    #[cold]
    fn end(&mut self, packet: &CrossingPacket, lane: usize, fate: PacketFate) {
        let (link, slot) = (self.carrier.links[lane] as usize, packet.slot as usize);
        match fate {
            PacketFate::Lost { at } => self.on_drop(at, link, slot, packet.size),
            PacketFate::Dropped(_) => self.on_drop(packet.at, link, slot, packet.size),
            // Events beyond the end do not happen.
            PacketFate::Beyond => {
                self.carrier.count_after_end(lane, packet.size);
                self.measure.leaves(packet.size);
            }
            PacketFate::Arrives { .. } => {}
        }
    }
}

impl Stage {
    /// Moves a packet's place behind the stage's lanes. Answers where the packet stops, if it does.
    #[inline]
    fn stop(self, cursor: &mut Cursor) -> Option<CrossingStop> {
        cursor.advance(self.count());
        match self.then() {
            StageEnd::Onward => None,
            StageEnd::Host => Some(CrossingStop::Host),
            StageEnd::Waits => {
                // The packet stays before the step over the last lane.
                cursor.step_back();
                Some(CrossingStop::Waits(self.last()))
            }
            StageEnd::EventDrivenLink => Some(CrossingStop::EventDrivenLink(self.first() as usize)),
        }
    }
}
