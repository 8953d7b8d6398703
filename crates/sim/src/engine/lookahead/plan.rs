//! Stages: how far ahead a packet may be taken (docs/explanation/engine.md).
//!
//! The state of a private lane depends on nothing but the packets that come to it, in their order: packets
//! may be offered before their time. So it is with a receiver that answers on one: its actions depend on
//! the packets of its flow alone, and so do its ACKs on that lane.
//!
//! A sender is run ahead only if its ACKs pass a link that is not private, behind one that is: there each
//! waits for the present, so that the two ends of a connection do not drive each other on without end.
//!
//! Everything else happens in the present: at a link that others use too the order of arrivals
//! matters, and the connections of short flows share receivers' accounts.

use std::ops::Range;

use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, Rate};

use crate::network::{FlowSpec, LinkId, Network, Observation, Traffic, Workload};
use crate::routes::{Cursor, Route, Routes};

/// The next step of a packet at its place on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    first: u32,
    count: u8,
    then: StageEnd,
    /// The first lane of the answer if the stage ends at a host, counted from the stage's first; 0 if that
    /// lane is not near.
    answer: i16,
}

// Each packet reads several, and with ten thousand flows finds them cold.
const _: () = assert!(size_of::<Stage>() == 8, "a stage has grown");

/// The end of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageEnd {
    /// The packet is at its host, and may be dealt with at once.
    Host,
    /// Another stage, at once.
    Onward,
    /// The last lane keeps the packet until its arrival is due.
    Waits,
    /// There is no lane, but a link that works by events.
    EventDrivenLink,
}

impl Stage {
    const AT_HOST: Self = Self::new(0, 0, StageEnd::Host);

    const fn new(first: u32, count: u8, then: StageEnd) -> Self {
        Self { first, count, then, answer: 0 }
    }

    /// The host at its end answers on this lane first.
    fn answered_on(self, lane: u32) -> Self {
        let ahead = i64::from(lane) - i64::from(self.first);
        Self { answer: i16::try_from(ahead).unwrap_or(0), ..self }
    }

    /// The first of its lanes, or the link that works by events.
    #[inline]
    pub(super) fn first(self) -> u32 {
        self.first
    }

    /// How many lanes a packet crosses.
    #[inline]
    pub(super) fn count(self) -> u32 {
        u32::from(self.count)
    }

    /// Its end.
    #[inline]
    pub(super) fn then(self) -> StageEnd {
        self.then
    }

    /// The first lane of the answer if the stage ends at a host and that lane is near; else its own first.
    #[inline]
    pub(super) fn answer(self) -> u32 {
        self.first.wrapping_add_signed(i32::from(self.answer))
    }

    /// The place behind these lanes.
    #[inline]
    pub(super) fn end(self) -> u32 {
        self.first() + self.count()
    }

    /// The place of the last of them, if there is any.
    #[inline]
    pub(super) fn last(self) -> usize {
        (self.end() as usize).wrapping_sub(1)
    }

    /// The places of these lanes.
    #[inline]
    pub(super) fn lanes(self) -> Range<usize> {
        self.first() as usize..self.end() as usize
    }
}

/// For each place on each way the stage that begins there.
#[derive(Debug, Default)]
pub(super) struct Plan {
    stages: Vec<Stage>,
}

/// Which links are lanes and which of these are private.
pub(super) struct LinkSharing {
    is_lane: Vec<bool>,
    /// For each link, the places of ways at which it stands, counted up to two.
    uses: Vec<u8>,
}

impl LinkSharing {
    /// Given which links tell fates on offer.
    pub(super) fn of(network: &Network, routes: &Routes, is_lane: Vec<bool>) -> Self {
        let mut uses = vec![0; network.links.len()];
        for link in ways(network, routes).flat_map(|way| routes.links(way.start)) {
            uses[link] = 2.min(uses[link] + 1);
        }
        Self { is_lane, uses }
    }

    fn is_private(&self, link: LinkId) -> bool {
        self.is_lane[link] && self.uses[link] == 1
    }

    /// The capacity of all links together that several ways use.
    pub(super) fn shared_rate(&self, network: &Network) -> Rate {
        let shared = network.links.iter().zip(&self.uses).filter(|&(_, &uses)| uses > 1);
        let rates = shared.filter_map(|(link, _)| link.config.predictable_rate());
        rates.fold(Rate::ZERO, |sum, rate| sum + rate)
    }

    /// The links in the order of lanes: those that are private in the order of their ways, so that a
    /// packet that crosses several finds them side by side, and then all others.
    pub(super) fn order<'a>(
        &'a self,
        network: &'a Network,
        routes: &'a Routes,
    ) -> impl Iterator<Item = LinkId> + 'a {
        let on_ways = ways(network, routes).flat_map(|way| routes.links(way.start));
        let private = on_ways.filter(|&l| self.is_private(l));
        let others = (0..self.uses.len()).filter(|&l| !self.is_private(l));
        private.chain(others)
    }
}

/// A way on which packets go.
struct OneWayRoute {
    start: Cursor,
    /// The host at its end may be run ahead.
    host_ahead: HostLookahead,
}

/// When a host may be run ahead.
#[derive(Clone, Copy)]
enum HostLookahead {
    Always,
    /// A receiver: if its ACKs begin their way here on a private link.
    IfPrivate(Cursor),
    /// A sender: if its segments begin their way here on a private link, and its ACKs theirs on one
    /// that is followed by some other.
    IfReturnPathShared {
        forward: Cursor,
        reverse: Cursor,
    },
    Never,
}

/// True if nothing but ACKs and its own timers moves a flow's sender once it has been supplied. A controller
/// from outside may look at more, and may be [steered](crate::Stepped) at any time.
fn is_supplied_once(spec: &FlowSpec) -> bool {
    let once = match &spec.traffic {
        Traffic::Tcp(tcp, Workload::Greedy | Workload::Transfer(_)) => {
            !matches!(tcp.controller, Choice::Own(_))
        }
        _ => false,
    };
    once && spec.stop.is_none()
}

fn ways<'a>(network: &'a Network, routes: &'a Routes) -> impl Iterator<Item = OneWayRoute> + 'a {
    network.flows.iter().enumerate().flat_map(|(flow, spec)| {
        let Route { forward, reverse } = routes.flow(flow);
        let (host_ahead, answered) = match spec.traffic {
            Traffic::Tcp(..) => (HostLookahead::IfPrivate(reverse), true),
            Traffic::ShortFlows { .. } | Traffic::Media(_) => (HostLookahead::Never, true),
            // Nothing answers a datagram.
            Traffic::Udp { .. } => (HostLookahead::Always, false),
        };
        let sender =
            if is_supplied_once(spec) && network.probes.observation() == Observation::Nothing {
                HostLookahead::IfReturnPathShared { forward, reverse }
            } else {
                HostLookahead::Never
            };
        let data = OneWayRoute { start: forward, host_ahead };
        let acks = OneWayRoute { start: reverse, host_ahead: sender };
        std::iter::once(data).chain(answered.then_some(acks))
    })
}

impl Plan {
    /// Hints that the stage at a place will be read soon.
    #[inline]
    pub(super) fn prefetch(&self, at: Cursor) {
        if let Some(stage) = self.stages.get(at.number() as usize) {
            westwood_prefetch::value(stage);
        }
    }

    /// The stage that begins at a place.
    #[inline]
    pub(super) fn stage(&self, at: Cursor) -> Stage {
        self.stages.get(at.number() as usize).copied().unwrap_or(Stage::AT_HOST)
    }

    /// The rows of two or more private lanes that follow each other on a way, by place, in the order of
    /// lanes.
    pub(super) fn rows(&self, network: &Network, routes: &Routes) -> Vec<Range<u32>> {
        let mut rows = Vec::new();
        for OneWayRoute { start, .. } in ways(network, routes) {
            let (mut at, mut left) = (start, routes.links(start).count());
            while left > 0 {
                let stage = self.stage(at);
                let lanes = stage.count().max(1);
                if lanes > 1 {
                    rows.push(stage.first()..stage.first() + lanes);
                }
                at.advance(lanes);
                left = left.saturating_sub(lanes as usize);
            }
        }
        rows
    }

    /// The least time between two events of a packet, transmission aside. Links that work by events do not
    /// count, since they may wake at any time.
    pub(super) fn least_wait(&self, network: &Network, routes: &Routes) -> Duration {
        let mut least = Duration::MAX;
        for OneWayRoute { start, .. } in ways(network, routes) {
            let (mut at, mut wait) = (start, Duration::ZERO);
            while routes.link(at).is_some() {
                let stage = self.stage(at);
                let lanes = routes.links(at).take(stage.count() as usize);
                wait = lanes.fold(wait, |wait, link| wait + network.links[link].config.delay);
                if matches!(stage.then(), StageEnd::Waits | StageEnd::EventDrivenLink) {
                    least = least.min(wait);
                    wait = Duration::ZERO;
                }
                at.advance(stage.count().max(1));
            }
        }
        least
    }

    /// The plan, given the place of each link among the lanes or among those that work by events.
    pub(super) fn of(
        network: &Network,
        routes: &Routes,
        sharing: &LinkSharing,
        places: &[u32],
    ) -> Self {
        let mut stages = vec![Stage::AT_HOST; routes.places()];
        for OneWayRoute { start, host_ahead } in ways(network, routes) {
            let answer = match host_ahead {
                HostLookahead::IfPrivate(reverse) => Some(reverse),
                HostLookahead::IfReturnPathShared { forward, .. } => Some(forward),
                HostLookahead::Always | HostLookahead::Never => None,
            };
            let answer = answer.and_then(|at| routes.link(at)).map(|link| places[link]);
            let begins_privately = |at| routes.link(at).is_some_and(|l| sharing.is_private(l));
            let host_ahead = match host_ahead {
                HostLookahead::Always => true,
                HostLookahead::Never => false,
                HostLookahead::IfPrivate(reverse) => begins_privately(reverse),
                HostLookahead::IfReturnPathShared { forward, reverse } => {
                    begins_privately(forward)
                        && begins_privately(reverse)
                        && !routes.links(reverse).all(|l| sharing.is_private(l))
                }
            };
            // From the end on: what may be done behind a link?
            let end = if host_ahead { StageEnd::Host } else { StageEnd::Waits };
            let mut behind = Stage::new(0, 0, end);
            let links: Vec<LinkId> = routes.links(start).collect();
            for (i, &link) in links.iter().enumerate().rev() {
                let stage = sharing.stage(link, places[link], behind);
                stages[start.number() as usize + i] = match answer {
                    Some(lane) if stage.then() == StageEnd::Host => stage.answered_on(lane),
                    _ => stage,
                };
                behind = if sharing.is_private(link) {
                    stage
                } else {
                    Stage::new(0, 0, StageEnd::Waits)
                };
            }
        }
        Self { stages }
    }
}

impl LinkSharing {
    /// The stage that begins with a link at this place, before what may be done behind it.
    fn stage(&self, link: LinkId, place: u32, behind: Stage) -> Stage {
        let count = u8::try_from(behind.count()).unwrap_or(u8::MAX);
        if !self.is_lane[link] {
            Stage::new(place, 0, StageEnd::EventDrivenLink)
        } else if self.is_private(link) && count < u8::MAX {
            // Private lanes side by side are one stage.
            Stage::new(place, 1 + count, behind.then())
        } else if count > 0 {
            Stage::new(place, 1, StageEnd::Onward)
        } else {
            Stage::new(place, 1, behind.then())
        }
    }
}
