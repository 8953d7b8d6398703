//! Proxies between two connections: data that arrives over one is sent on over the other.
//!
//! A flow and the flow that it feeds have their connections in pairs, in slots of the same order. A pair
//! opens at one instant, or the second by a handshake of its own, and closes at one instant if its flows are
//! short. A proxy acts after the events of its two ends: it reads data in order, as much as the next sender
//! takes, and announces the window that this opens.

use westwood_cc::{Bytes, Duration, Instant};
use westwood_tcp::ReadMode;

use super::carrier::Carrier;
use super::connection::Connection;
use super::run::Run;
use crate::network::{Network, Traffic, Workload};
use crate::outcome::{FlowOutcome, ProxyOutcome};

/// The flows that proxies join, and the work of each proxy. Empty of a network without proxies.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// For each flow the one that feeds it.
    upstream: Vec<Option<usize>>,
    /// For each flow the one that it feeds.
    next: Vec<Option<usize>>,
    /// Of the proxy at each flow's receiver.
    outcomes: Vec<ProxyOutcome>,
}

impl Proxies {
    /// Those of a network.
    pub(super) fn of(network: &Network) -> Self {
        let upstream: Vec<_> =
            (0..network.flows.len()).map(|flow| network.relayed_from(flow)).collect();
        if upstream.iter().all(Option::is_none) {
            return Self::default();
        }
        let mut next = vec![None; upstream.len()];
        for (flow, feeds) in upstream.iter().enumerate() {
            if let Some(feeds) = feeds {
                next[*feeds] = Some(flow);
            }
        }
        let outcomes = vec![ProxyOutcome::default(); upstream.len()];
        Self { upstream, next, outcomes }
    }

    /// True if there are any.
    #[inline]
    pub(super) fn any(&self) -> bool {
        !self.outcomes.is_empty()
    }

    fn upstream(&self, flow: usize) -> Option<usize> {
        self.upstream.get(flow).copied().flatten()
    }

    fn next(&self, flow: usize) -> Option<usize> {
        self.next.get(flow).copied().flatten()
    }

    /// A flow, the one that feeds it, and so on to the first.
    fn upstream_chain(&self, flow: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(flow), |&flow| self.upstream(flow))
    }

    fn note_held(&mut self, flow: usize, held: u64) {
        if let Some(outcome) = self.outcomes.get_mut(flow) {
            outcome.most_held_bytes = outcome.most_held_bytes.max(held);
        }
    }

    /// A connection that a proxy reads from is over.
    fn add_closed(&mut self, flow: usize, received: u64, held: u64) {
        if let Some(outcome) = self.outcomes.get_mut(flow) {
            outcome.received_bytes += received;
            outcome.held_bytes += held;
        }
    }

    /// Adds the work of proxies to the outcomes. A flow has delivered as much as the last one behind its
    /// proxies.
    pub(super) fn report(&self, flows: &mut [FlowOutcome]) {
        // A flow stands behind the one that feeds it.
        for (flow, &next) in self.next.iter().enumerate().rev() {
            let Some(next) = next else { continue };
            flows[flow].delivered_bytes = flows[next].delivered_bytes;
            flows[flow].proxy = Some(self.outcomes[flow]);
        }
    }
}

impl<C: Carrier> Run<'_, C> {
    /// The slot that this one feeds.
    fn next_slot(&self, slot: usize) -> Option<usize> {
        let flow = self.slot_flow[slot];
        let next = self.proxies.next(flow)?;
        Some(self.flow_slots[next].first() + slot - self.flow_slots[flow].first())
    }

    /// The slot that feeds this one.
    fn upstream_slot(&self, slot: usize) -> Option<usize> {
        let flow = self.slot_flow[slot];
        let upstream = self.proxies.upstream(flow)?;
        Some(self.flow_slots[upstream].first() + slot - self.flow_slots[flow].first())
    }

    /// The slot of the first connection of those that this one belongs to.
    fn first_slot(&self, slot: usize) -> usize {
        std::iter::successors(Some(slot), |&slot| self.upstream_slot(slot)).last().unwrap_or(slot)
    }

    /// Opens the connections beyond proxies of one that has just been opened, but for those that open by a
    /// handshake.
    pub(super) fn connect_downstream(&mut self, slot: usize) {
        let mut slot = slot;
        while let Some(next) = self.next_slot(slot) {
            if !self.has_handshake(self.slot_flow[next]) {
                self.connect(next);
            }
            slot = next;
        }
    }

    /// The first packet of a connection has reached a proxy, which asks for the next one.
    pub(super) fn ask_downstream(&mut self, slot: usize) {
        if let Some(next) = self.next_slot(slot)
            && self.has_handshake(self.slot_flow[next])
            && self.slots[next].is_none()
            && self.handshakes[next].is_none()
        {
            self.ask(next, None);
        }
    }

    /// The handshake of a connection beyond a proxy is over: it takes what waits there.
    pub(super) fn connect_beyond(&mut self, slot: usize) {
        self.connect(slot);
        let first = self.first_slot(slot);
        let size = self.slots[first].as_ref().and_then(|c| c.size);
        if let Some(c) = &mut self.slots[slot] {
            c.size = size;
        }
        self.relay_to(slot);
    }

    /// A transfer has begun over connections beyond proxies, too.
    pub(super) fn note_begin_downstream(&mut self, slot: usize) {
        let mut slot = slot;
        while let Some(next) = self.next_slot(slot) {
            self.measure.on_begin(self.slot_flow[next]);
            slot = next;
        }
    }

    /// A connection begins to carry so much in all, and those beyond proxies will.
    pub(super) fn begin_downstream(&mut self, slot: usize, size: Bytes) {
        let mut slot = slot;
        while let Some(next) = self.next_slot(slot) {
            if let Some(c) = &mut self.slots[next] {
                c.size = Some(size);
            }
            slot = next;
        }
    }

    /// Payload arrives for the first time. Only that at the end of the last connection is delivered.
    pub(super) fn deliver_downstream(&mut self, at: Instant, flow: usize, bytes: u64) {
        if self.proxies.next(flow).is_none() {
            for flow in self.proxies.upstream_chain(flow) {
                self.measure.on_delivered(at, flow, bytes);
            }
        }
    }

    /// The last byte of a transfer arrives, at its receiver or at a proxy, where more is to come.
    pub(super) fn complete_downstream(&mut self, at: Instant, c: &Connection) {
        if self.proxies.next(c.flow).is_some() {
            return;
        }
        let begins = match self.network.flows[c.flow].traffic {
            Traffic::Tcp(_, Workload::RelayedFrom { begins, .. }) => begins,
            _ => Duration::ZERO,
        };
        let first = self.slots[self.first_slot(c.forward.slot as usize)].as_ref();
        let completion = first.map_or(c, |first| first).completion(at, begins);
        for flow in self.proxies.upstream_chain(c.flow) {
            self.measure.on_complete(flow, completion);
        }
    }

    /// Data has arrived at the receiver of a slot, where a proxy may read.
    #[inline]
    pub(super) fn relay_from(&mut self, slot: usize) {
        if self.proxies.any()
            && let Some(next) = self.next_slot(slot)
        {
            self.relay(slot, next);
        }
    }

    /// The sender of a slot, which a proxy may feed, has acted.
    #[inline]
    pub(super) fn relay_to(&mut self, slot: usize) {
        if self.proxies.any()
            && let Some(upstream) = self.upstream_slot(slot)
        {
            self.relay(upstream, slot);
        }
    }

    /// The proxy between the connections of two slots reads from the first as far as the second takes it.
    #[inline(never)]
    fn relay(&mut self, first: usize, second: usize) {
        let Some(mut a) = self.slots[first].take() else { return };
        let b = self.slots[second].take();
        let is_open = b.is_some();
        if let Some(mut b) = b {
            self.relay_between(&mut a, &mut b);
            self.slots[second] = Some(b);
        } else {
            self.proxies.note_held(a.flow, a.receiver.delivered_bytes());
        }
        self.slots[first] = Some(a);
        if !is_open {
            self.ask_downstream(first);
        }
    }

    fn relay_between(&mut self, a: &mut Connection, b: &mut Connection) {
        self.proxies.note_held(a.flow, held(a, b));
        let in_order = Bytes::new(a.receiver.relayed_bytes());
        if b.sender.supply_relayed(in_order, a.size == Some(in_order)) {
            self.send_all(b);
        }
        let taken = b.sender.written_bytes().get();
        let delivered = b.sender.acknowledged_bytes().get();
        if let Some(ack) = a.receiver.relay(self.now, taken, delivered) {
            self.acknowledge_in_order(self.now, a, ack);
        }
    }

    /// Closes the connections that carry a transfer, through proxies or not, once all are over.
    pub(super) fn close_with_proxies(&mut self, slot: usize) {
        let first = self.first_slot(slot);
        let all: Vec<usize> =
            std::iter::successors(Some(first), |&slot| self.next_slot(slot)).collect();
        let over = |&slot: &usize| {
            self.slots[slot].as_ref().is_some_and(|c| c.complete && c.sender.is_done())
        };
        if all.iter().all(over) {
            self.add_pairs(&all);
            for slot in all {
                self.close(slot);
            }
        }
    }

    /// The run is over.
    pub(super) fn add_open_pairs(&mut self) {
        if self.proxies.any() {
            let all: Vec<usize> = (0..self.slots.len()).collect();
            self.add_pairs(&all);
        }
    }

    /// Counts the work of proxies for the connections of these slots.
    fn add_pairs(&mut self, slots: &[usize]) {
        for &slot in slots {
            let Some(next) = self.next_slot(slot) else { continue };
            let Some(a) = &self.slots[slot] else { continue };
            let received = a.receiver.delivered_bytes();
            let held = self.slots[next].as_ref().map_or(received, |b| held(a, b));
            self.proxies.add_closed(a.flow, received, held);
        }
    }

    /// True if each proxy has passed on only data that arrived there in order, and holds no more than its
    /// memory allows, or one segment.
    pub(super) fn proxies_conserve(&self) -> bool {
        if !self.proxies.any() {
            return true;
        }
        (0..self.slots.len()).all(|slot| {
            let next = self.next_slot(slot).and_then(|next| self.slots[next].as_ref());
            let (Some(a), Some(b)) = (&self.slots[slot], next) else { return true };
            let in_order = a.receiver.relayed_bytes();
            let written = b.sender.written_bytes().get();
            let memory = self.memory(a.flow);
            b.receiver.delivered_bytes() <= written && written <= in_order && held(a, b) <= memory
        })
    }

    /// The most that the proxy at a flow's receiver may hold for a connection.
    fn memory(&self, flow: usize) -> u64 {
        let config = self.network.flows[flow].traffic.tcp().map(|tcp| &tcp.config);
        match config.map(|config| (config.buffers.reading, config.sizes.payload)) {
            Some((ReadMode::Relayed { memory: Some(memory) }, segment)) => {
                memory.max(segment.get())
            }
            _ => u64::MAX,
        }
    }
}

/// The payload that the proxy between two connections holds: all that has arrived and that the next receiver
/// has not acknowledged.
fn held(a: &Connection, b: &Connection) -> u64 {
    a.receiver.delivered_bytes().saturating_sub(b.sender.acknowledged_bytes().get())
}
