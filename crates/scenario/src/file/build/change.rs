//! Changes during a run: `[[change]]`.

use westwood_cc::{Duration, Instant};
use westwood_net::{Capacity, Change as At, LinkChange, LossConfig};
use westwood_sim::LinkId;

use super::super::quantity::Direction;
use super::super::tables::Change;
use super::Builder;
use crate::error::BadInput;

/// Most changes of a run: each is an event, and a mistyped `every` would make billions.
const MOST: u64 = 1_000_000;

impl Builder<'_> {
    /// Puts the changes into the links' schedules.
    pub(super) fn changes(&mut self) {
        let mut made = 0;
        for change in self.case.top.change.iter().flat_map(|changes| &changes.value) {
            if self.check(change).is_none() {
                continue;
            }
            let links = self.links_of(change);
            let times = self.times(change);
            made += times.len() as u64 * links.len() as u64;
            if made > MOST {
                let what = BadInput::new(format!("more than {MOST} changes"));
                self.fault(change.place, what.hint("raise every, or leave it out"));
                return;
            }
            for link in links {
                self.schedule(link, change, &times);
            }
        }
    }

    fn check(&mut self, change: &Change) -> Option<()> {
        let end = self.network.duration;
        let what = [
            change.rate.is_some(),
            change.delay.is_some(),
            change.loss.is_some(),
            change.outage.is_some(),
        ];
        if !what.contains(&true) {
            let error = BadInput::new("the change changes nothing");
            self.fault(change.place, error.hint("write rate, delay, loss or outage"));
            return None;
        }
        if change.at.value >= end {
            let error =
                BadInput::new(format!("{} is not before the end at {end}", change.at.value));
            self.fault(change.at.place, error.hint("lower at, or raise time"));
            return None;
        }
        if let Some(every) = &change.every
            && every.value.is_zero()
        {
            self.fault(every.place, BadInput::new("must be more than zero").hint("write \"15 s\""));
            return None;
        }
        if let (Some(loss), Some(_)) = (&change.loss, &change.outage) {
            let error = BadInput::new("loss and outage cannot be given together");
            self.fault(loss.place, error.hint("write two changes"));
            return None;
        }
        if !self.links.contains_key(&change.link.value) {
            self.unknown_link(&change.link);
            return None;
        }
        Some(())
    }

    fn links_of(&mut self, change: &Change) -> Vec<LinkId> {
        let hops = self.links.get(&change.link.value).cloned().unwrap_or_default();
        let direction = change.direction.value;
        let there = (direction != Direction::Back).then_some(hops.iter().map(|(there, _)| *there));
        let back =
            (direction != Direction::There).then_some(hops.iter().filter_map(|(_, back)| *back));
        let links: Vec<LinkId> =
            there.into_iter().flatten().chain(back.into_iter().flatten()).collect();
        if links.is_empty() {
            let error = BadInput::new(format!("'{}' has no way back", change.link.value));
            self.fault(change.direction.place, error.hint("write direction = \"there\""));
        }
        let recorded =
            |&&l: &&LinkId| matches!(self.network.links[l].config.capacity, Capacity::Recorded(_));
        let has_trace = links.iter().find(recorded).is_some();
        if let (true, Some(rate)) = (has_trace, &change.rate) {
            let error = BadInput::new("the capacity of this link is recorded and has no rate");
            self.fault(rate.place, error.hint("leave rate out, or the link's trace"));
        }
        links
    }

    /// The times at which it happens, until the end of the run.
    fn times(&self, change: &Change) -> Vec<Duration> {
        let (end, at) = (self.network.duration, change.at.value);
        let Some(every) = &change.every else {
            return vec![at];
        };
        let mut times = Vec::new();
        let mut next = at;
        while next < end && times.len() as u64 <= MOST {
            times.push(next);
            next += every.value;
        }
        times
    }

    fn schedule(&mut self, link: LinkId, change: &Change, times: &[Duration]) {
        let usual = self.network.links[link].config.losses.clone();
        let schedule = &mut self.network.links[link].config.schedule;
        for &time in times {
            let at = Instant::ZERO + time;
            let mut add = |at, what| schedule.push(At { at, what });
            if let Some(rate) = &change.rate {
                add(at, LinkChange::Rate(rate.value));
            }
            if let Some(delay) = &change.delay {
                add(at, LinkChange::Delay(delay.value));
            }
            if let Some(loss) = &change.loss {
                add(at, LinkChange::Losses(loss.value.clone()));
            }
            if let Some(outage) = &change.outage {
                add(at, LinkChange::Losses(vec![LossConfig::Bernoulli { p: 1.0 }]));
                add(at + outage.value, LinkChange::Losses(usual.clone()));
            }
        }
    }
}
