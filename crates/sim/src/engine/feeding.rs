//! The actions of applications on connections: open, supply, close.

use westwood_cc::Bytes;

use super::application::{Action, Supply};
use super::carrier::Carrier;
use super::connection::Connection;
use super::run::Run;
use crate::network::{TcpSpec, Traffic};
use crate::packet::Packet;

impl<'a, C: Carrier> Run<'a, C> {
    #[inline(never)]
    pub(super) fn on_application(&mut self, flow: usize) {
        let now = self.now;
        if self.applications[flow].next() <= now {
            match self.applications[flow].on_wake(now) {
                Some(Action::Connect) => self.ask(self.flow_slots[flow].first(), None),
                Some(Action::Open(supply)) => {
                    let slot = self.flow_slots[flow].first();
                    self.open(slot, supply);
                }
                Some(Action::Supply(supply)) => self.supply(self.flow_slots[flow].first(), supply),
                Some(Action::Spawn(size)) => self.spawn(flow, size),
                Some(Action::Datagram(size)) => self.send_datagram(flow, size),
                Some(Action::Frame) => self.capture_frame(flow),
                None => {}
            }
        }
        self.wake_application(flow);
    }

    pub(super) fn tcp(&self, flow: usize) -> Option<&'a TcpSpec> {
        self.network.flows[flow].traffic.tcp()
    }

    /// True if connections of this flow are closed when they are over.
    pub(super) fn is_short(&self, flow: usize) -> bool {
        let origin = if C::RELAYS { self.network.origin(flow) } else { flow };
        matches!(self.network.flows[origin].traffic, Traffic::ShortFlows { .. })
    }

    pub(super) fn open(&mut self, slot: usize, supply: Supply) {
        self.connect(slot);
        if C::RELAYS {
            self.connect_downstream(slot);
        }
        self.supply(slot, supply);
    }

    /// Puts a new connection into a slot.
    pub(super) fn connect(&mut self, slot: usize) {
        let flow = self.slot_flow[slot];
        let Some(tcp) = self.tcp(flow) else { return };
        self.generations[slot].step();
        let ways = (self.forward_address(slot), self.reverse_address(slot));
        let Some(config) = self.configs.of_flow(flow) else { return };
        let now = self.now;
        let opened = self.handshakes[slot].take().map(|it| it.settings(config, now));
        let config = opened.as_ref().unwrap_or(config);
        let mut connection = Connection::new(tcp, flow, now, self.network, config, ways);
        let probes = &self.network.probes;
        if probes.windows || !probes.estimates.is_empty() {
            connection.sender.watch();
        }
        connection.sender.estimate(probes.estimates);
        self.slots[slot] = Some(Box::new(connection));
    }

    fn supply(&mut self, slot: usize, supply: Supply) {
        let Some(mut c) = self.slots[slot].take() else { return };
        match supply {
            Supply::Forever => c.sender.supply_forever(),
            Supply::Bytes(bytes) => {
                c.sender.supply(bytes);
                c.size = Some(bytes);
                if !self.has_handshake(c.flow) {
                    self.note_begin(slot);
                }
                if C::RELAYS {
                    self.begin_downstream(slot, bytes);
                }
            }
            Supply::Segments(n) => c.sender.supply_segments(n),
            Supply::Nothing => c.sender.hold(),
        }
        self.send(slot, c);
    }

    /// A transfer has begun, over the connection of a slot and those beyond its proxies.
    pub(super) fn note_begin(&mut self, slot: usize) {
        self.measure.on_begin(self.slot_flow[slot]);
        if C::RELAYS {
            self.note_begin_downstream(slot);
        }
    }

    fn spawn(&mut self, flow: usize, size: Bytes) {
        match self.flow_slots[flow].take() {
            Some(slot) if self.has_handshake(flow) => self.ask(slot, Some(size)),
            Some(slot) => self.open(slot, Supply::Bytes(size)),
            None => self.measure.on_refused(flow),
        }
    }

    pub(super) fn close(&mut self, slot: usize) {
        if let Some(mut c) = self.slots[slot].take() {
            self.measure.close(&mut c, self.now);
            // Copies still on their way are strays from now on.
            self.generations[slot].step();
            self.flow_slots[c.flow].release(slot);
        }
    }

    fn send_datagram(&mut self, flow: usize, size: Bytes) {
        let slot = self.flow_slots[flow].first();
        self.measure.on_datagram_sent(flow, size);
        self.measure.enter(1, size);
        C::carry(self, self.now, Packet::datagram(self.forward_address(slot), size));
    }
}
