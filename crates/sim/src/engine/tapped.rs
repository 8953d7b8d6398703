//! The plain engine with a tap that sees every packet.
//!
//! Only the plain engine sees packets in the order in which they go by. Results are the same.

use westwood_net::{DropCause, DualDelays, Histogram, Link, LinkStats, Packet as _, PacketCount};

use super::carrier::Carrier;
use super::plain::Plain;
use super::run::{Run, rank};
use crate::error::SimError;
use crate::network::{LinkId, Network};
use crate::packet::Packet;
use crate::tap::{Tap, TapContent, TapEvent, TapPoint};
use westwood_cc::{Bytes, Ecn, Instant};

/// Links as in the plain engine; each packet that enters the network, comes off a link, is
/// dropped or has arrived is shown.
pub(super) struct Tapped<'t> {
    plain: Plain,
    tap: Option<&'t mut dyn Tap>,
}

impl<'t> Tapped<'t> {
    pub(super) fn watch(&mut self, tap: &'t mut dyn Tap) {
        self.tap = Some(tap);
    }
}

impl Carrier for Tapped<'_> {
    const RELAYS: bool = true;

    fn new(network: &Network) -> Result<Self, SimError> {
        Ok(Self { plain: Plain::new(network)?, tap: None })
    }

    fn prepare(run: &mut Run<'_, Self>) {
        for link in 0..run.network.links.len() {
            if let Some(it) = run.carrier.link(link) {
                let next = it.next_event();
                run.wake(rank(link), next);
            }
        }
    }

    fn carry(run: &mut Run<'_, Self>, at: Instant, packet: Packet) {
        let (before, next) =
            (run.routes.link_before(packet.cursor()), run.routes.link(packet.cursor()));
        let flow = &run.network.flows[run.slot_flow[packet.slot() as usize]];
        let (from, to) = if packet.is_ack() { (flow.to, flow.from) } else { (flow.from, flow.to) };
        // A damaged packet's checksum is wrong: no capture would hold it.
        let whole = !packet.is_damaged();
        if whole {
            run.show(before.map_or(TapPoint::Sent(from), TapPoint::Link), &packet);
        }
        if let Some(link) = next {
            run.offer(link, packet);
        } else {
            if whole {
                run.show(TapPoint::Received(to), &packet);
            }
            run.arrive(at, packet);
        }
    }

    fn drops(run: &mut Run<'_, Self>, link: LinkId, packet: &Packet, cause: DropCause) {
        run.show(TapPoint::Dropped(link, cause), packet);
    }

    fn link(&mut self, link: LinkId) -> Option<&mut Link<Packet>> {
        self.plain.link(link)
    }

    fn on_link(run: &mut Run<'_, Self>, link: LinkId) {
        run.step(link);
    }

    fn begin_measuring(&mut self, at: Instant) {
        self.plain.begin_measuring(at);
    }

    fn measured(&mut self, link: LinkId, now: Instant) -> LinkStats {
        self.plain.measured(link, now)
    }

    fn queue_delays(&mut self, link: LinkId, now: Instant) -> Option<Histogram> {
        self.plain.queue_delays(link, now)
    }

    fn dual_delays(&mut self, link: LinkId, now: Instant) -> Option<DualDelays> {
        self.plain.dual_delays(link, now)
    }

    fn packets_in_transit(&self) -> PacketCount {
        self.plain.packets_in_transit()
    }
}

impl Run<'_, Tapped<'_>> {
    fn show(&mut self, place: TapPoint, packet: &Packet) {
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
