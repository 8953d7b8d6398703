//! Hosts: what senders and receivers do when packets arrive and timers fire.

use westwood_cc::{Bytes, Duration, Instant};
use westwood_net::Packet as _;
use westwood_tcp::{AckOptions, AckSegment, DataSegment};

use super::carrier::Carrier;
use super::connection::Connection;
use super::run::Run;
use crate::network::LinkId;
use crate::packet::{Address, Packet};
use crate::routes::Cursor;

impl<C: Carrier> Run<'_, C> {
    /// A packet of a slot is dropped by a link, or lost on it.
    #[cold]
    pub(super) fn on_drop(&mut self, at: Instant, link: LinkId, slot: usize, size: Bytes) {
        self.measure.leaves(size);
        self.measure.record_drop(at, link, self.slot_flow[slot]);
    }

    /// A packet reaches its host.
    #[expect(clippy::inline_always, reason = "an ACK is not copied once more")]
    #[inline(always)]
    pub(super) fn arrive(&mut self, at: Instant, packet: Packet) {
        self.measure.leaves(packet.size());
        let slot = packet.slot() as usize;
        if !packet.is_ack() {
            self.on_data_packet(at, slot, packet);
        } else if let Some(c) = self.take_connection(slot, &packet) {
            let ack = packet.into_ack();
            self.on_ack(slot, c, &ack);
            self.recycle_sack_blocks(ack.options);
        } else if packet.is_datagram() {
            self.take_report(at, slot, &packet);
        }
    }

    /// A packet that is no ACK reaches a sender: the answer to a SYN, or a report.
    #[cold]
    #[inline(never)]
    fn take_report(&mut self, at: Instant, slot: usize, packet: &Packet) {
        if packet.is_of_handshake() {
            self.on_syn_ack(at, slot, packet.generation());
        } else {
            self.on_media_report(slot, packet);
        }
    }

    /// Keeps the memory of SACK blocks that have been read.
    #[inline]
    fn recycle_sack_blocks(&mut self, read: AckOptions) {
        if read.is_boxed() {
            self.read_blocks.push(read);
        }
    }

    /// Takes out the connection that the packet addresses; a packet of an earlier connection is a stray.
    #[inline]
    fn take_connection(&mut self, slot: usize, packet: &Packet) -> Option<Box<Connection>> {
        self.slots[slot].take_if(|c| c.forward.generation == packet.generation())
    }

    /// A packet of a sender reaches its receiver.
    #[expect(clippy::inline_always, reason = "a segment is not copied once more")]
    #[inline(always)]
    fn on_data_packet(&mut self, at: Instant, slot: usize, packet: Packet) {
        if packet.is_datagram() {
            return self.take_datagram(at, slot, &packet);
        }
        let Some(mut c) = self.take_connection(slot, &packet) else { return };
        if packet.is_damaged() {
            c.receiver.on_damaged(packet.number());
        } else {
            if let Some(share) = packet.share() {
                c.receiver.on_share(share);
            }
            let (segment, ce) = packet.into_segment(c.header);
            self.receive(at, &mut c, &segment, ce);
            self.wake_receiver(&mut c);
        }
        self.slots[slot] = Some(c);
        if C::RELAYS {
            self.relay_from(slot);
        }
    }

    /// A datagram or a SYN reaches its receiver.
    #[inline(never)]
    fn take_datagram(&mut self, at: Instant, slot: usize, packet: &Packet) {
        if packet.is_of_handshake() {
            return self.on_syn(at, slot, packet);
        }
        self.measure.on_datagram(at, self.slot_flow[slot], packet.size());
        self.on_media_packet(at, slot, packet);
    }

    /// Where the packets of a slot's sender go, and whose they are.
    pub(super) fn forward_address(&self, slot: usize) -> Address {
        self.address(slot, self.routes.flow(self.slot_flow[slot]).forward)
    }

    /// Where the packets of its receiver go.
    pub(super) fn reverse_address(&self, slot: usize) -> Address {
        self.address(slot, self.routes.flow(self.slot_flow[slot]).reverse)
    }

    fn address(&self, slot: usize, cursor: Cursor) -> Address {
        let slot_number = u32::try_from(slot).unwrap_or(u32::MAX);
        Address { slot: slot_number, generation: self.generations[slot], cursor }
    }

    // An event takes the connection out of its slot for as long as it lasts: nothing else asks for it
    // meanwhile, and it need not be looked up after each step.

    // --- The receiver, which may be ahead of the present: the moment says when it acts.

    /// A segment arrives. Afterwards the receiver must be [woken](Self::wake_receiver) in time.
    #[expect(clippy::inline_always, reason = "as a call it is twice as long")]
    #[inline(always)]
    pub(super) fn receive(
        &mut self,
        at: Instant,
        c: &mut Connection,
        segment: &DataSegment,
        ce: bool,
    ) {
        // A receiver run ahead fires its overdue timers here; any other has already fired them. At equal
        // times the packet comes first. An ACK may set the timer anew, for a reader that soon goes on.
        while c.receiver.deadline() < at {
            self.fire_delayed_ack(c);
        }
        c.note_warmup(at);
        self.measure.on_segment(at, c.flow, segment.sent_at);
        let before = c.receiver.delivered_bytes();
        let ack = c.receiver.on_data(at, segment, ce);
        let delivered = c.receiver.delivered_bytes();
        if C::RELAYS && self.proxies.any() {
            self.deliver_downstream(at, c.flow, delivered - before);
        } else {
            self.measure.on_delivered(at, c.flow, delivered - before);
        }
        if c.size.is_some() {
            self.note_completion(at, c);
        }
        if let Some(ack) = ack {
            self.acknowledge_in_order(at, c, ack);
        }
    }

    /// Notes when the last byte of a transfer has arrived.
    #[inline(never)]
    fn note_completion(&mut self, at: Instant, c: &mut Connection) {
        let delivered = c.receiver.delivered_bytes();
        if !c.complete && c.size.is_some_and(|size| delivered >= size.get()) {
            c.complete = true;
            if C::RELAYS && self.proxies.any() {
                self.complete_downstream(at, c);
            } else {
                self.measure.on_complete(c.flow, c.completion(at, Duration::ZERO));
            }
        }
    }

    /// Fires the timer of a receiver that is run ahead, at its time.
    #[inline(never)]
    fn fire_delayed_ack(&mut self, c: &mut Connection) {
        let deadline = c.receiver.deadline();
        let ack = c.receiver.on_timer(deadline);
        if let Some(ack) = ack {
            self.acknowledge_in_order(deadline, c, ack);
        }
    }

    pub(super) fn on_receiver_timer(&mut self, slot: usize) {
        let Some(mut c) = self.slots[slot].take() else { return self.report_media(slot) };
        c.receiver_armed = Instant::FAR_FUTURE;
        if let Some(ack) = c.receiver.on_timer(self.now) {
            self.acknowledge_in_order(self.now, &mut c, ack);
        }
        self.wake_receiver(&mut c);
        self.slots[slot] = Some(c);
    }

    /// Puts an ACK on its way, after those that go before it.
    #[inline]
    pub(super) fn acknowledge_in_order(
        &mut self,
        at: Instant,
        c: &mut Connection,
        ack: AckSegment,
    ) {
        while let Some(prior) = c.receiver.take_prior() {
            self.acknowledge(at, c, prior);
        }
        self.acknowledge(at, c, ack);
    }

    /// Puts an ACK on its way.
    #[inline(never)]
    fn acknowledge(&mut self, at: Instant, c: &mut Connection, ack: AckSegment) {
        let mut size = c.ack_sizes.with_blocks(0);
        if ack.options.is_boxed() {
            size = c.ack_sizes.with_blocks(u64::from(ack.options.block_count()));
            if let Some(read) = self.read_blocks.pop() {
                c.receiver.reuse(read);
            }
        }
        self.measure.enter(1, size);
        C::carry_ack(self, at, c.reverse, ack, size);
    }

    /// Asks that a delayed ACK be sent when it is due.
    #[inline]
    pub(super) fn wake_receiver(&mut self, c: &mut Connection) {
        let deadline = c.receiver.deadline();
        if deadline < c.receiver_armed {
            c.receiver_armed = deadline;
            self.wake(self.receiver_rank(c.forward.slot as usize), deadline);
        }
    }

    /// Asks that the sender be woken at `due`.
    #[inline]
    fn wake_sender(&mut self, c: &mut Connection, due: Instant) {
        if due < c.sender_armed {
            c.sender_armed = due;
            self.wake(self.sender_rank(c.forward.slot as usize), due);
        }
    }

    // --- The sender, which acts in the present.

    #[expect(clippy::inline_always, reason = "an ACK is not copied once more")]
    #[inline(always)]
    fn on_ack(&mut self, slot: usize, mut c: Box<Connection>, ack: &AckSegment) {
        c.sender.on_ack(self.now, ack);
        if let Some(rtt) = c.sender.take_rtt_sample() {
            self.measure.on_rtt(self.now, &mut c, rtt);
        }
        self.send_and_put_back(slot, c);
        if C::RELAYS {
            self.relay_to(slot);
        }
    }

    pub(super) fn on_sender_timer(&mut self, slot: usize) {
        let Some(mut c) = self.slots[slot].take() else {
            return self.on_timer_without_connection(slot);
        };
        c.sender_armed = Instant::FAR_FUTURE;
        let due = c.sender_due();
        if due <= self.now {
            c.sender.on_timer(self.now);
            self.send(slot, c);
        } else {
            // An ACK has moved the deadline since this was asked for.
            self.wake_sender(&mut c, due);
            self.slots[slot] = Some(c);
        }
        if C::RELAYS {
            self.relay_to(slot);
        }
    }

    /// An ACK will reach its sender at `at`, and nothing but timers may move the sender before. It acts
    /// at its own time: that is its present.
    #[expect(clippy::inline_always, reason = "an ACK is not copied once more")]
    #[inline(always)]
    pub(super) fn on_ack_ahead(&mut self, at: Instant, packet: Packet) {
        self.measure.leaves(packet.size());
        let slot = packet.slot() as usize;
        let Some(mut c) = self.take_connection(slot, &packet) else {
            return self.take_report(at, slot, &packet);
        };
        let present = self.now;
        if c.sender_due().max(self.now) < at {
            c = self.fire_timers_before(at, c);
        }
        self.now = at;
        c.run_sender_ahead(at, self.measure.is_warm());
        let ack = packet.into_ack();
        self.on_ack(slot, c, &ack);
        self.recycle_sack_blocks(ack.options);
        self.now = present;
    }

    /// Fires the timers of a sender that is run ahead, each at its time. At equal times the ACK comes
    /// first.
    #[inline(never)]
    fn fire_timers_before(&mut self, until: Instant, mut c: Box<Connection>) -> Box<Connection> {
        while let due = c.sender_due().max(self.now)
            && due < until
        {
            self.now = due;
            c.run_sender_ahead(due, self.measure.is_warm());
            c.sender.on_timer(due);
            self.send_all(&mut c);
        }
        c
    }

    /// Sends what the sender has to send, asks when it wants to be woken, and puts the connection back
    /// into its slot.
    #[inline(never)]
    pub(super) fn send(&mut self, slot: usize, c: Box<Connection>) {
        self.send_and_put_back(slot, c);
    }

    #[expect(clippy::inline_always, reason = "after an ACK it is worth a copy of its own")]
    #[inline(always)]
    fn send_and_put_back(&mut self, slot: usize, mut c: Box<Connection>) {
        self.send_all(&mut c);
        let over = c.complete && c.sender.is_done() && self.is_short(c.flow);
        self.slots[slot] = Some(c);
        if over && C::RELAYS {
            self.close_with_proxies(slot);
        } else if over {
            self.close(slot);
        }
    }

    /// Sends what the sender has to send, and asks when it wants to be woken.
    #[expect(clippy::inline_always, reason = "after an ACK it is worth a copy of its own")]
    #[inline(always)]
    pub(super) fn send_all(&mut self, c: &mut Connection) {
        while let Some(burst) = c.sender.transmit(self.now) {
            self.measure.enter(burst.count, burst.segment.payload + c.header);
            C::carry_data(self, c, &burst);
            if burst.is_last {
                break;
            }
        }
        self.measure.record_sender(self.now, c);
        self.wake_sender(c, c.sender.deadline());
    }
}
