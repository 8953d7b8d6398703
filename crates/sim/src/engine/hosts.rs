//! Hosts: what senders and receivers do when packets arrive and timers fire.

use westwood_cc::{Bytes, Instant};
use westwood_net::Packet as _;
use westwood_tcp::{AckSegment, DataSegment};

use super::carrier::Carrier;
use super::moment::Moment;
use super::run::Run;
use crate::network::LinkId;
use crate::packet::{Address, Body, Packet};
use crate::routes::Cursor;

impl<C: Carrier> Run<'_, C> {
    /// A packet of a slot is dropped by a link, or lost on it.
    #[cold]
    pub(super) fn lose(&mut self, at: Moment, link: LinkId, slot: usize, size: Bytes) {
        self.measure.leaves(size);
        self.measure.record_drop(at, link, self.slot_flow[slot]);
    }

    /// A packet reaches its host.
    pub(super) fn arrive(&mut self, at: Moment, packet: Packet) {
        self.measure.leaves(packet.size());
        let slot = packet.slot() as usize;
        if self.generations[slot] != packet.generation() {
            return;
        }
        if packet.is_damaged() {
            if let Some(c) = self.slots[slot].as_deref_mut() {
                c.receiver.on_damaged(packet.number());
            }
            return;
        }
        let size = packet.size();
        let header = self.slots[slot].as_deref().map_or(Bytes::ZERO, |c| c.header);
        let share = packet.share();
        match packet.unpack(header) {
            Body::Data(segment, ce) => {
                if let (Some(share), Some(c)) = (share, self.slots[slot].as_deref_mut()) {
                    c.receiver.on_share(share);
                }
                self.on_data(at, slot, &segment, ce);
            }
            Body::Ack(ack) => self.on_ack(slot, &ack),
            Body::Datagram => self.measure.on_datagram(at, self.slot_flow[slot], size),
        }
    }

    /// Where the packets of a slot's sender go, and whose they are.
    pub(super) fn there(&self, slot: usize) -> Address {
        self.address(slot, self.routes.flow(self.slot_flow[slot]).there)
    }

    /// Where the packets of its receiver go.
    pub(super) fn back(&self, slot: usize) -> Address {
        self.address(slot, self.routes.flow(self.slot_flow[slot]).back)
    }

    fn address(&self, slot: usize, cursor: Cursor) -> Address {
        let slot_number = u32::try_from(slot).unwrap_or(u32::MAX);
        Address { slot: slot_number, generation: self.generations[slot], cursor }
    }

    // --- The receiver, which may be ahead of the present: the moment says when it acts.

    #[inline]
    pub(super) fn on_data(&mut self, at: Moment, slot: usize, segment: &DataSegment, ce: bool) {
        let Some(c) = self.slots[slot].as_deref() else { return };
        // A receiver that is run ahead has no other occasion. One that is not has fired. At equal
        // times the packet comes first.
        if c.receiver.deadline() < at.at {
            self.fire_delayed_ack(slot);
        }
        let Some(c) = self.slots[slot].as_deref_mut() else { return };
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

    /// Fires the timer of a receiver that is run ahead, at its time.
    #[inline(never)]
    fn fire_delayed_ack(&mut self, slot: usize) {
        let Some(c) = self.slots[slot].as_deref_mut() else { return };
        let deadline = c.receiver.deadline();
        let ack = c.receiver.on_timer(deadline);
        self.after_receiver(Moment::of(deadline, self.receiver_rank(slot)), slot, ack);
    }

    pub(super) fn on_receiver_timer(&mut self, slot: usize) {
        let now = self.now;
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        let ack = c.receiver.on_timer(now);
        self.after_receiver(self.moment, slot, ack);
    }

    #[inline]
    fn after_receiver(&mut self, at: Moment, slot: usize, ack: Option<AckSegment>) {
        let Some(c) = self.slots[slot].as_deref() else {
            return;
        };
        let (deadline, to, (size, block)) = (c.receiver.deadline(), c.back, c.ack_sizes);
        if let Some(ack) = ack {
            let size = size + block * u64::from(ack.sack.len());
            self.measure.enters(size);
            C::carry_ack(self, at, to, ack, size);
        }
        if deadline != Instant::FAR_FUTURE {
            self.wake(self.receiver_rank(slot), deadline);
        }
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
            let (to, header) = (c.there, c.header);
            self.measure.enters(segment.payload + header);
            C::carry_data(self, to, &segment, header);
        }
        let Some(c) = self.slots[slot].as_deref_mut() else {
            return;
        };
        self.measure.record_sender(self.moment, c);
        let deadline = c.sender.deadline();
        let over = c.complete && c.sender.is_done();
        self.wake(self.sender_rank(slot), deadline);
        if over && self.is_short(self.slot_flow[slot]) {
            self.close(slot);
        }
    }
}
