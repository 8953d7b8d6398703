//! Following segments from their sender.

use westwood_tcp::{Burst, DataSegment};

use super::Lookahead;
use super::hurry::Stop;
use super::plan::{Stage, Then};
use super::travel::Trip;
use crate::engine::connection::Connection;
use crate::engine::moment::Moment;
use crate::engine::run::Run;
use crate::packet::Packet;

impl Run<'_, Lookahead> {
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
            let lanes = if SAMPLED {
                self.carrier.hurry_and_sample(stage, &mut now, size, &mut self.measure)
            } else {
                self.carrier.hurry_over::<false>(stage, 0, &mut now, size)
            };
            let at = Moment::of(now, 0);
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
            let lanes = self.carrier.hurry_over::<false>(stage, 0, &mut now, size);
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
}
