//! Hosts: what senders and receivers do when packets arrive and timers fire.

use westwood_cc::Bytes;
use westwood_net::Packet as _;
use westwood_tcp::{AckSegment, DataSegment};

use super::carrier::Carrier;
use super::moment::Moment;
use super::run::Run;
use crate::packet::{Address, Body, Packet};

impl<C: Carrier> Run<'_, C> {
    /// A packet enters the network at its host.
    #[inline]
    pub(super) fn send(&mut self, at: Moment, packet: Packet) {
        self.measure.enters(packet.size());
        C::carry(self, at, packet);
    }

    /// A packet is dropped by a link, or lost on it.
    #[cold]
    pub(super) fn lose(&mut self, at: Moment, link: usize, packet: &Packet) {
        self.measure.leaves(packet.size());
        self.measure.record_drop(at, link, self.slot_flow[packet.slot() as usize]);
    }

    /// A packet reaches its host.
    pub(super) fn arrive(&mut self, at: Moment, packet: Packet) {
        self.measure.leaves(packet.size());
        let slot = packet.slot() as usize;
        if self.generations[slot] != packet.generation() {
            return;
        }
        let size = packet.size();
        let header = self.slots[slot].as_deref().map_or(Bytes::ZERO, |c| c.header);
        match packet.unpack(header) {
            Body::Data(segment, ce) => self.on_data(at, slot, &segment, ce),
            Body::Ack(ack) => self.on_ack(slot, &ack),
            Body::Datagram => self.measure.on_datagram(at, self.slot_flow[slot], size),
        }
    }

    /// Whose packets those of a slot are, and where they begin: there, or back.
    pub(super) fn address(&self, slot: usize, flow: usize, back: bool) -> Address {
        let route = self.routes.flow(flow);
        Address {
            slot: slot_number(slot),
            generation: self.generations[slot],
            cursor: if back { route.back } else { route.there },
        }
    }

    // --- The receiver, which may be ahead of the present: the moment says when it acts.

    fn on_data(&mut self, at: Moment, slot: usize, segment: &DataSegment, ce: bool) {
        // A receiver that is run ahead has no other occasion. One that is not has fired.
        self.fire_delayed_ack_before(at, slot);
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        c.note_warmup(at.at);
        let before = c.receiver.counts().delivered_bytes;
        let ack = c.receiver.on_data(at.at, segment, ce);
        let delivered = c.receiver.counts().delivered_bytes;
        self.measure.on_delivered(at, c.flow, delivered - before);
        if !c.complete && c.size.is_some_and(|size| delivered >= size.get()) {
            c.complete = true;
            self.measure.on_complete(at.at, c);
        }
        self.after_receiver(at, slot, ack);
    }

    /// At equal times the packet comes before the timer.
    fn fire_delayed_ack_before(&mut self, at: Moment, slot: usize) {
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        let deadline = c.receiver.deadline();
        if deadline < at.at {
            let ack = c.receiver.on_timer(deadline);
            let at = Moment::of(deadline, self.receiver_rank(slot));
            self.after_receiver(at, slot, ack);
        }
    }

    pub(super) fn on_receiver_timer(&mut self, slot: usize) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        let ack = c.receiver.on_timer(now);
        self.after_receiver(self.moment, slot, ack);
    }

    fn after_receiver(&mut self, at: Moment, slot: usize, ack: Option<AckSegment>) {
        let Some(c) = self.slots[slot].as_deref() else {
            return;
        };
        let deadline = c.receiver.deadline();
        if let Some(ack) = ack {
            let (base, block) = c.ack_sizes;
            let size = base + block * u64::from(ack.sack.len());
            let address = self.address(slot, c.flow, true);
            self.send(at, Packet::ack(address, ack, size));
        }
        self.wake(self.receiver_rank(slot), deadline);
    }

    // --- The sender, which acts in the present.

    fn on_ack(&mut self, slot: usize, ack: &AckSegment) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        c.sender.on_ack(now, ack);
        if let Some(rtt) = c.sender.take_rtt_sample() {
            self.measure.on_rtt(self.moment, c.flow, rtt);
        }
        self.after_sender(slot);
    }

    pub(super) fn on_sender_timer(&mut self, slot: usize) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        if c.sender.deadline() <= now {
            c.sender.on_timer(now);
        }
        self.after_sender(slot);
    }

    /// Sends what the sender has to send, and asks when it wants to be woken.
    pub(super) fn after_sender(&mut self, slot: usize) {
        loop {
            let Some(c) = self.slots[slot].as_deref_mut() else {
                return;
            };
            let Some(segment) = c.sender.transmit(self.now) else {
                break;
            };
            let (flow, header) = (c.flow, c.header);
            let address = self.address(slot, flow, false);
            self.send(self.moment, Packet::data(address, &segment, header));
        }
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        self.measure.record_window(self.moment, c);
        let deadline = c.sender.deadline();
        let over = c.complete && c.sender.is_done();
        self.wake(self.sender_rank(slot), deadline);
        if over && self.is_short(self.slot_flow[slot]) {
            self.close(slot);
        }
    }
}

fn slot_number(slot: usize) -> u32 {
    u32::try_from(slot).unwrap_or(u32::MAX)
}
