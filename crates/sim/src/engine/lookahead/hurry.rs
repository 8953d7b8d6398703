//! Crossing lanes as long as nothing unusual meets a packet, as mostly nothing does.
//!
//! A packet is then no more than a time and a size, and stays in registers. Whoever hurries answers how
//! many lanes are crossed: before the next one the packet meets something, and is
//! [followed](super::travel) with care.

use westwood_cc::{Bytes, Instant};

use super::Lookahead;
use super::plan::{Stage, Then};
use crate::engine::carrier::TICK;
use crate::engine::measure::Measure;
use crate::engine::moment::Moment;
use crate::engine::run::Run;
use crate::routes::Cursor;

/// Where it can be followed no further for now.
#[derive(Clone, Copy)]
pub(super) enum Stop {
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
    /// Takes a packet over the lanes of a stage as long as nothing unusual meets it, and looks at queues
    /// that have changed. Answers when it is where it is, and how many lanes it has crossed.
    pub(super) fn hurry_watched(
        &mut self,
        stage: Stage,
        mut at: Moment,
        size: Bytes,
    ) -> (Moment, u32) {
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
                if lane.looks_at(at.at) {
                    break;
                }
                let Some(then) = lane.link.offer_plain(at.at, size) else { return (at, crossed) };
                at = Moment::arrival(then, link, lane.link.offered());
                if lane.looks() {
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
}

impl Lookahead {
    /// Takes a packet over the lanes of a stage, of which it has crossed so many, as long as nothing unusual
    /// meets it; of `SAMPLED` ones to where a queue is to be looked at before. Answers how many it has
    /// crossed then.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    pub(super) fn hurry_over<const SAMPLED: bool>(
        &mut self,
        stage: Stage,
        crossed: u32,
        now: &mut Instant,
        size: Bytes,
    ) -> u32 {
        let (first, left) = (stage.first + crossed, stage.count() - crossed);
        let lanes = self.lanes.get_mut(first as usize..first as usize + left as usize);
        let mut lanes = lanes.unwrap_or_default().iter_mut();
        while let Some(lane) = lanes.next() {
            let then = if SAMPLED && lane.looks_at(*now) {
                None
            } else {
                lane.link.offer_plain(*now, size)
            };
            let Some(then) = then else {
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

    /// The same to the end of the stage, and looks at queues where that is due.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    pub(super) fn hurry_and_sample(
        &mut self,
        stage: Stage,
        now: &mut Instant,
        size: Bytes,
        measure: &mut Measure,
    ) -> u32 {
        let mut crossed = self.hurry_over::<true>(stage, 0, now, size);
        while crossed < stage.count() && self.sample_if_due(stage.first + crossed, *now, measure) {
            crossed = self.hurry_over::<true>(stage, crossed, now, size);
        }
        crossed
    }

    /// Looks at a lane's queue if that is due, so that it is due no more.
    #[inline(never)]
    fn sample_if_due(&mut self, place: u32, now: Instant, measure: &mut Measure) -> bool {
        let is_due = self.lanes.get(place as usize).is_some_and(|lane| lane.looks_at(now));
        if is_due {
            self.sample_until(place as usize, now + TICK, measure);
        }
        is_due
    }

    /// Takes a packet of this size along its way as long as nothing unusual meets it, and says where it
    /// stops. If none, it is at the entry of a lane that must be asked for its fate.
    #[expect(
        clippy::inline_always,
        reason = "where a packet is stays in registers; to hand it over is a third of a crossing"
    )]
    #[inline(always)]
    pub(super) fn hurry(
        &mut self,
        now: &mut Instant,
        cursor: &mut Cursor,
        size: Bytes,
    ) -> Option<Stop> {
        loop {
            let stage = self.plan.stage(*cursor);
            let crossed = self.hurry_over::<false>(stage, 0, now, size);
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
    pub(super) fn stop(self, cursor: &mut Cursor) -> Option<Stop> {
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
