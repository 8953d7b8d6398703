//! Packets shown to a tap: each that enters the network, comes off a link, is dropped or has arrived.
//!
//! Only the plain engine sees packets in the order in which they go by. Results are the same.

use westwood_cc::{Bytes, Ecn};
use westwood_net::Packet as _;

use super::plain::Plain;
use super::run::Run;
use crate::packet::Packet;
use crate::tap::{TapContent, TapEvent, TapPoint};

impl Run<'_, Plain<'_>> {
    /// Shows a packet where it is on its way: where it comes from, and at its end where it arrives.
    #[inline(never)]
    pub(super) fn show_on_its_way(&mut self, packet: &Packet) {
        // A damaged packet's checksum is wrong: no capture would hold it.
        if packet.is_damaged() {
            return;
        }
        let (before, next) =
            (self.routes.link_before(packet.cursor()), self.routes.link(packet.cursor()));
        let flow = &self.network.flows[self.slot_flow[packet.slot() as usize]];
        let (from, to) = if packet.is_ack() { (flow.to, flow.from) } else { (flow.from, flow.to) };
        self.show(before.map_or(TapPoint::Sent(from), TapPoint::Link), packet);
        if next.is_none() {
            self.show(TapPoint::Received(to), packet);
        }
    }

    /// Shows a packet at this place.
    #[cold]
    pub(super) fn show(&mut self, place: TapPoint, packet: &Packet) {
        let flow = self.slot_flow[packet.slot() as usize];
        let tcp = self.network.flows[flow].traffic.tcp();
        let header = tcp.map_or(Bytes::ZERO, |tcp| tcp.config.sizes.header);
        // The packets of a handshake belong to the connection that it opens.
        let of_handshake = packet.is_of_handshake();
        let generation =
            if of_handshake { packet.generation().next() } else { packet.generation() };
        let (carries, ce) = if of_handshake {
            (content_of_handshake(packet), packet.ecn() == Ecn::Ce)
        } else if packet.is_datagram() {
            (if packet.is_ack() { TapContent::Report } else { TapContent::Datagram }, false)
        } else if packet.is_ack() {
            (TapContent::Ack(packet.clone().into_ack()), false)
        } else {
            let (segment, ce) = packet.clone().into_segment(header);
            (TapContent::Data(segment), ce)
        };
        let sighting = TapEvent {
            at: self.now,
            place,
            flow,
            connection: u64::from(packet.slot()) << 32 | u64::from(generation.number()),
            size: packet.size(),
            ce,
            carries,
        };
        if let Some(tap) = &mut self.carrier.tap {
            tap.sees(&sighting);
        }
    }
}

/// A SYN or its answer.
fn content_of_handshake(packet: &Packet) -> TapContent {
    let (sent_at, ecn) = (packet.sent_at(), packet.sent_ecn());
    if packet.is_ack() {
        TapContent::SynAck { echo: sent_at, heard: packet.heard_ecn(), ecn }
    } else {
        TapContent::Syn { sent_at, ecn }
    }
}
