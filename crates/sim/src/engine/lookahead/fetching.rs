//! Fetching: what the next events touch is brought into the cache before their turn.
//!
//! With many flows each event is of another flow than the last, and finds its packet, lanes and connection
//! cold. The calendar knows the order of the events of a slot, so their memory can be asked for while those
//! before them are handled. One thing leads to the next: each step reads what the step before has fetched.
//!
//! | events ahead | fetched |
//! |---|---|
//! | [`PACKET_AHEAD`] | the packet |
//! | [`STAGE_AHEAD`] | the stage behind its shared lane, and where its connection is |
//! | [`CONNECTION_AHEAD`] | the lanes of that stage, the connection, and the first lane on which it answers |
//! | [`BACKLOG_AHEAD`] | what may wait at a lane, the stage of the answer, memory for SACK blocks |
//!
//! Results depend on no hint. The state of fewer than [`PREFETCH_MIN_CONNECTIONS`] connections stays in
//! the second cache, so only packets are fetched for them. Slots with few events are put in order too
//! late for any hint.

use westwood_prefetch::lines;

use super::Lookahead;
use super::plan::{Stage, StageEnd};
use crate::engine::connection::Connection;
use crate::engine::run::Run;
use crate::packet::Packet;
use crate::scheduler::Calendar;

/// How many events ahead each step is: a few times as long as memory takes, and no longer than what is
/// fetched stays in the first cache. Twice or half as many make no difference that can be measured.
const PACKET_AHEAD: usize = 24;
const STAGE_AHEAD: usize = 16;
const CONNECTION_AHEAD: usize = 10;
const BACKLOG_AHEAD: usize = 4;

/// Connections that fill a second cache of one megabyte, with their lanes and packets: with 300 the hints
/// save as much as they cost.
const PREFETCH_MIN_CONNECTIONS: usize = 256;

impl Run<'_, Lookahead> {
    /// Fetches for later events, one step for each of four of them.
    #[inline]
    pub(super) fn fetch(&self) {
        if let Some(calendar) = self.scheduler.known() {
            calendar.prefetch(PACKET_AHEAD);
            if self.slots.len() >= PREFETCH_MIN_CONNECTIONS {
                self.fetch_for(calendar);
            }
        }
    }

    #[inline(never)]
    fn fetch_for(&self, calendar: &Calendar) {
        if let Some(packet) = calendar.ahead(STAGE_AHEAD) {
            self.fetch_stage(packet);
        }
        if let Some(packet) = calendar.ahead(CONNECTION_AHEAD) {
            self.fetch_connection(packet);
        }
        if let Some(packet) = calendar.ahead(BACKLOG_AHEAD) {
            self.fetch_backlog(packet);
        }
    }

    fn fetch_stage(&self, packet: &Packet) {
        let mut behind = packet.cursor();
        behind.advance(2);
        self.carrier.plan.prefetch(behind);
        if let Some(slot) = self.slots.get(packet.slot() as usize) {
            lines(slot, 0..1);
        }
    }

    fn fetch_connection(&self, packet: &Packet) {
        let stage = self.stage_behind(packet);
        self.fetch_lane(stage.first());
        if stage.then() != StageEnd::Host {
            return;
        }
        self.fetch_lane(stage.answer());
        let Some(connection) = self.connection_of(packet) else { return };
        if packet.is_ack() {
            connection.prefetch_sender();
            packet.prefetch_options();
        } else {
            connection.prefetch_receiver();
        }
    }

    fn fetch_backlog(&self, packet: &Packet) {
        let stage = self.stage_behind(packet);
        let Some(connection) = self.connection_of(packet) else { return };
        let (lane, answer) = if packet.is_ack() {
            (stage.answer(), connection.forward)
        } else {
            connection.receiver.prefetch_blocks();
            (stage.first(), connection.reverse)
        };
        if let Some(lane) = self.carrier.lanes.get(lane as usize) {
            lane.link.prefetch_backlog();
        }
        self.carrier.plan.prefetch(answer.cursor);
    }

    fn fetch_lane(&self, lane: u32) {
        if let Some(lane) = self.carrier.lanes.get(lane as usize) {
            lines(lane, 0..2);
        }
    }

    /// The stage behind the shared lane before which a packet waits.
    fn stage_behind(&self, packet: &Packet) -> Stage {
        let mut behind = packet.cursor();
        behind.advance(2);
        self.carrier.plan.stage(behind)
    }

    fn connection_of(&self, packet: &Packet) -> Option<&Connection> {
        self.slots.get(packet.slot() as usize)?.as_deref()
    }
}
