//! Nodes and links of `[[link]]`.

use westwood_cc::Duration;
use westwood_net::{Jitter, Limit, LinkConfig, LossConfig};
use westwood_sim::{LinkSpec, NodeId};

use super::super::section::Located;
use super::super::tables::Link;
use super::Builder;
use super::pending::Pending;
use crate::dumbbell::LinkCapacity;
use crate::error::BadInput;
use crate::spec::{BurstSpec, FecSpec, ReorderSpec};
use crate::units::Buffer;

/// One of a link's two directions.
struct LinkDirection {
    speed: LinkCapacity,
    delay: Duration,
    losses: Vec<LossConfig>,
    buffer: Located<Option<Buffer>>,
}

impl<'a> Builder<'a> {
    /// Builds all links, their buffers left open; `None` if flows could not find their ways.
    pub(super) fn links(&mut self) -> Option<()> {
        let links = self.case.top.link.iter().flat_map(|links| &links.value);
        let mut whole = true;
        for link in links {
            whole &= self.link(link).is_some();
        }
        whole.then_some(())
    }

    fn link(&mut self, link: &'a Link) -> Option<()> {
        let (from, to) = (self.node(&link.from, true), self.node(&link.to, true));
        let (from, to) = (from?, to?);
        if from == to {
            let what = BadInput::new("the link leads back to the node where it begins");
            self.fault(link.to.place, what.hint("name another node"));
            return None;
        }
        if self.links.contains_key(&link.name.value) {
            let what = BadInput::new(format!("another link is called '{}'", link.name.value));
            self.fault(
                link.name.place,
                what.hint("names must differ: random numbers derive from them"),
            );
            return None;
        }
        let (there, back) = self.directions(link)?;
        self.check_link_layer(link.arq.is_some(), link.fec.as_ref());
        let is_recorded = |speed: &LinkCapacity| matches!(speed, LinkCapacity::Recorded(_));
        self.check_bursts(link.bursts.as_ref(), is_recorded(&there) || is_recorded(&back));
        self.check_reorder(link);
        let both = &link.loss_both.value;
        let delay = link.delay.value;
        let ways = [
            LinkDirection {
                speed: there,
                delay,
                losses: link.loss.value.iter().chain(both).cloned().collect(),
                buffer: link.buffer,
            },
            LinkDirection {
                speed: back,
                delay: link.return_delay.as_ref().map_or(delay, |given| given.value),
                losses: link.return_loss.value.iter().chain(both).cloned().collect(),
                buffer: link.return_buffer.unwrap_or(link.buffer),
            },
        ];
        let mut hops = Vec::new();
        let count = link.hops.value;
        let mut at = from;
        for hop in 1..=count {
            let next = if hop == count { to } else { self.inner_node(link, hop)? };
            let name = match count {
                1 => link.name.value.clone(),
                _ => format!("{} {hop}", link.name.value),
            };
            let one = self.one_way(link, name.clone(), (at, next), &ways[0]);
            let other = link
                .both_ways
                .value
                .then(|| self.one_way(link, format!("{name} return"), (next, at), &ways[1]));
            hops.push((one, other));
            at = next;
        }
        self.links.insert(link.name.value.clone(), hops);
        Some(())
    }

    /// A link repairs its losses in one way.
    pub(super) fn check_link_layer(&mut self, has_arq: bool, fec: Option<&Located<FecSpec>>) {
        if let Some(fec) = fec.filter(|_| has_arq) {
            let what = BadInput::new("fec and arq cannot be given together");
            self.fault(fec.place, what.hint("leave one of them out"));
        }
    }

    /// Recorded capacity says itself when packets leave.
    pub(super) fn check_bursts(&mut self, bursts: Option<&Located<BurstSpec>>, recorded: bool) {
        if let Some(bursts) = bursts.filter(|_| recorded) {
            let what = BadInput::new("bursts and a trace cannot be given together");
            self.fault(bursts.place, what.hint("leave one of them out"));
        }
    }

    /// Packets overtake each other only by delays that differ, which bunches do not give them.
    fn check_reorder(&mut self, link: &Link) {
        let differ = link.jitter.as_ref().is_some_and(|jitter| jitter.value.spread.draws());
        if link.reorder.value == ReorderSpec::ByJitter && !differ {
            let what = match &link.jitter {
                Some(_) => "no packet overtakes another by this jitter",
                None => "packets overtake each other by jitter, and the link has none",
            };
            let hint = "write jitter = \"uniform(10 ms)\" too, or reorder = \"1 % by 3\"";
            self.fault(link.reorder.place, BadInput::new(what).hint(hint));
        }
    }

    /// The speeds of both directions. Without a way back the second is not used.
    fn directions(&mut self, link: &Link) -> Option<(LinkCapacity, LinkCapacity)> {
        let there = self.speed(link.rate.as_ref(), link.trace.as_ref(), link.place)?;
        let back = match (&link.return_rate, &link.return_trace) {
            (None, None) => LinkCapacity::Fixed(there.rate()),
            (rate, trace) => self.speed(rate.as_ref(), trace.as_ref(), link.place)?,
        };
        Some((there, back))
    }

    /// A node within a chain.
    fn inner_node(&mut self, link: &Link, hop: u64) -> Option<NodeId> {
        let name = format!("{} {hop}", link.name.value);
        if self.nodes.contains_key(&name) {
            let what = format!("the chain needs a node '{name}', which there is already");
            self.fault(link.name.place, BadInput::new(what).hint("give the chain another name"));
            return None;
        }
        self.nodes.insert(name.clone(), self.network.nodes.len());
        self.network.nodes.push(name.into());
        Some(self.network.nodes.len() - 1)
    }

    fn one_way(
        &mut self,
        link: &'a Link,
        name: String,
        (from, to): (NodeId, NodeId),
        way: &LinkDirection,
    ) -> usize {
        let id = self.network.links.len();
        if !self.hop_names.insert(name.clone()) {
            let what = BadInput::new(format!("another link is called '{name}'"));
            self.fault(link.name.place, what.hint("give one of them another name"));
        }
        let reorder = link.reorder.value == ReorderSpec::ByJitter;
        let jitter = link.jitter.as_ref().map(|given| Jitter { reorder, ..given.value });
        let config = LinkConfig {
            capacity: way.speed.capacity(),
            losses: way.losses.clone(),
            ack_filter: link.ack_filter.as_ref().map(|it| it.value.config()),
            ecn_path: link.ecn_path.as_ref().and_then(|it| it.value.config()),
            reorder: link.reorder.value.config(),
            bursts: link.bursts.as_ref().map(|it| it.value.config()),
            fec: link.fec.as_ref().map(|it| it.value.over(way.delay)),
            arq: link.arq.as_ref().map(|arq| arq.value.over(way.delay)),
            jitter,
            wake_up: link.wake_up.value,
            ..LinkConfig::new(way.speed.rate(), way.delay, Limit::Unlimited)
        };
        self.network.links.push(LinkSpec { name: name.into(), from, to, config: config.into() });
        self.core.push(id);
        self.pending.push(Pending { id, speed: way.speed.clone(), buffer: way.buffer, link });
        id
    }
}
