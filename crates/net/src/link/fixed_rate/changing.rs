//! Losses that are replaced at given times.
//!
//! A process judges the packets that leave the transmitter after it began, and counts those that are offered
//! after that. A packet offered before may leave after: it is judged on offer, when its number in the
//! process's count is not known yet. No [list](crate::LossConfig::List) names such a packet, and no other
//! process needs its number.

use std::collections::VecDeque;

use westwood_cc::Instant;

use super::{FixedRate, ImpairmentMode};
use crate::error::LinkError;
use crate::link::changes::{Effect, effects};
use crate::link::config::LinkConfig;
use crate::loss::Loss;

/// The losses that are still to come.
#[derive(Debug, Default)]
pub(crate) struct LossChanges {
    /// In order of time.
    waiting: VecDeque<(Instant, Vec<Loss>)>,
    /// When the present losses began, if no packet has been offered since then.
    uncounted: Option<Instant>,
}

impl LossChanges {
    /// Those of a link that changes nothing else.
    pub(super) fn of(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        let losses = |(at, effect)| match effect {
            Effect::Losses(losses) => Some((at, losses)),
            Effect::Rate(_) | Effect::Delay(_) => None,
        };
        let waiting = effects(config, seed, name)?.into_iter().filter_map(losses).collect();
        Ok(Self { waiting, uncounted: None })
    }

    /// When the next ones begin.
    pub(super) fn next(&self) -> Option<Instant> {
        self.waiting.front().map(|&(at, _)| at)
    }

    /// True if the present losses know the number of the packet that they began with.
    #[inline]
    pub(super) fn are_counted(&self) -> bool {
        self.uncounted.is_none()
    }

    fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.uncounted.is_none()
    }

    /// The last ones that begin by `time`.
    fn take_until(&mut self, time: Instant) -> Option<(Instant, Vec<Loss>)> {
        let mut last = None;
        while self.next().is_some_and(|at| at <= time) {
            last = self.waiting.pop_front();
        }
        last
    }
}

impl FixedRate {
    /// Begins the losses that judge and count the packet offered at `now`, which has not been counted yet.
    #[inline]
    pub(super) fn change_before_offer(&mut self, now: Instant) {
        if self.cold.as_ref().is_some_and(|cold| !cold.changes.is_over()) {
            self.change_by_offer(now);
        }
    }

    #[cold]
    fn change_by_offer(&mut self, now: Instant) {
        let offered = self.offered();
        let changes = &mut self.cold().changes;
        let next = changes.take_until(now);
        if next.is_some() || changes.uncounted.is_some_and(|at| at <= now) {
            changes.uncounted = None;
            self.replace(next.map(|(_, losses)| losses), offered);
        }
    }

    /// Losses begin that judge the packet which leaves then.
    #[inline]
    pub(super) fn change_before_departure(&mut self, departure: Instant) {
        if self.cold.as_ref().is_some_and(|cold| !cold.changes.waiting.is_empty()) {
            self.change_by_departure(departure);
        }
    }

    #[cold]
    fn change_by_departure(&mut self, departure: Instant) {
        if let Some((at, losses)) = self.cold().changes.take_until(departure) {
            self.cold().changes.uncounted = Some(at);
            self.replace(Some(losses), u64::MAX);
        }
    }

    /// Puts these losses, or the present ones, to work on packets after so many.
    fn replace(&mut self, losses: Option<Vec<Loss>>, offered_before: u64) {
        let offered = self.offered();
        let cold = self.cold.get_or_insert_default();
        let Some(wire) = &mut cold.wire else { return };
        if let Some(losses) = losses {
            wire.set_losses(losses);
        }
        wire.count_after(offered_before);
        self.impairment = ImpairmentMode::knowing(wire.spared(offered));
        cold.known = offered;
        self.left = if self.is_counted() { 0 } else { u64::MAX - offered };
    }
}
