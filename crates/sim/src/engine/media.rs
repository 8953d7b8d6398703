//! Media flows: their sources, receivers and reports, which have timers like connections.

use westwood_cc::Instant;
use westwood_net::Packet as _;

use super::carrier::Carrier;
use super::run::Run;
use crate::media::{MediaFlow, MediaPacket, REPORT_SIZE};
use crate::network::Traffic;
use crate::packet::Packet;

impl<C: Carrier> Run<'_, C> {
    /// The camera of a flow yields a frame.
    pub(super) fn capture_frame(&mut self, flow: usize) {
        let Traffic::Media(spec) = &self.network.flows[flow].traffic else { return };
        let warmup = Instant::ZERO + self.network.warmup;
        let slot = self.flow_slots[flow].first();
        let media = || Box::new(MediaFlow::new(spec, warmup));
        let media = self.media[slot].get_or_insert_with(media);
        media.capture(self.now);
        self.send_media(slot);
    }

    /// Sends the datagram that is due, and asks to be woken for the next.
    pub(super) fn send_media(&mut self, slot: usize) {
        let now = self.now;
        let Some(media) = &mut self.media[slot] else { return };
        let (packet, next) = (media.send(now), media.send_at());
        if let Some(MediaPacket { number, size }) = packet {
            self.measure.on_datagram_sent(self.slot_flow[slot], size);
            self.measure.enter(1, size);
            C::carry(self, now, Packet::media(self.forward_address(slot), number, now, size));
        }
        self.wake(self.sender_rank(slot), next);
    }

    /// A datagram reaches its receiver, perhaps one of a media flow.
    pub(super) fn on_media_packet(&mut self, at: Instant, slot: usize, packet: &Packet) {
        let Some(media) = &mut self.media[slot] else { return };
        let arrived = MediaPacket { number: packet.number(), size: packet.size() };
        media.on_packet(at, arrived, packet.sent_at());
        let next = media.report_at();
        self.wake(self.receiver_rank(slot), next);
    }

    /// Sends the report that is due, and asks to be woken for the next.
    pub(super) fn report_media(&mut self, slot: usize) {
        let now = self.now;
        let Some(media) = &mut self.media[slot] else { return };
        let (report, next) = (media.report(now), media.report_at());
        if let Some(number) = report {
            self.measure.enter(1, REPORT_SIZE);
            C::carry(self, now, Packet::report(self.reverse_address(slot), number, REPORT_SIZE));
        }
        self.wake(self.receiver_rank(slot), next);
    }

    /// A report reaches the sender of a media flow.
    pub(super) fn on_media_report(&mut self, slot: usize, packet: &Packet) {
        let now = self.now;
        if let Some(media) = &mut self.media[slot] {
            media.on_report(now, packet.number());
        }
    }
}
