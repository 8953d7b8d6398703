//! Buffers: the limit of each link's queue, once the flows that cross it are known.

use westwood_cc::{Bytes, Duration};
use westwood_net::Limit;
use westwood_sim::Traffic;

use super::Builder;
use super::pending::Pending;
use super::transport::transport;
use crate::dumbbell::{Backlog, LinkCapacity};
use crate::error::BadInput;
use crate::limits;
use crate::units::Buffer;

/// The TCP flows that cross a link.
#[derive(Clone, Copy, Default)]
pub(super) struct Crossing {
    /// The largest propagation round-trip time.
    rtt: Duration,
    /// The largest full segment on the wire.
    packet: Bytes,
}

impl Crossing {
    /// The largest segment, or this one where none is known.
    pub(super) fn packet_or(self, usual: Bytes) -> Bytes {
        if self.packet == Bytes::ZERO { usual } else { self.packet }
    }
}

impl Builder<'_> {
    /// Configures the queues of `[[link]]`, and the policers before them.
    pub(super) fn buffers(&mut self) {
        let crossing = self.crossing();
        for pending in std::mem::take(&mut self.pending) {
            let crossing = crossing[pending.id];
            let Some(limit) = self.limit(&pending, crossing) else {
                continue;
            };
            let packet = crossing.packet_or(self.usual_packet());
            match pending.link.aqm.value.config(limit, packet) {
                Ok(queue) => self.network.links[pending.id].config.queue = queue,
                Err(error) => self.fault(pending.link.aqm.place, error),
            }
            if let Some(policer) = &pending.link.policer {
                match policer.value.config(packet) {
                    Ok(policer) => self.network.links[pending.id].config.policer = Some(policer),
                    Err(error) => self.fault(policer.place, error),
                }
            }
        }
    }

    /// The flows that cross each link. Flows whose ways are not known count nowhere.
    pub(super) fn crossing(&self) -> Vec<Crossing> {
        let mut all = vec![Crossing::default(); self.network.links.len()];
        for (flow, rtt) in self.network.flows.iter().zip(&self.largest_rtts) {
            let (Traffic::Tcp(tcp, _) | Traffic::ShortFlows { tcp, .. }) = &flow.traffic else {
                continue;
            };
            let packet = tcp.config.sizes.payload + tcp.config.sizes.header;
            for &link in flow.path.iter().chain(&flow.return_path).flatten() {
                all[link].rtt = all[link].rtt.max(*rtt);
                all[link].packet = all[link].packet.max(packet);
            }
        }
        all
    }

    pub(super) fn limit(&mut self, pending: &Pending<'_>, crossing: Crossing) -> Option<Limit> {
        let place = pending.buffer.place;
        let Some(buffer) = pending.buffer.value else {
            return Some(Limit::Unlimited);
        };
        if matches!(buffer, Buffer::Bdp(_)) && crossing.rtt.is_zero() {
            let name = &pending.link.name.value;
            let what =
                format!("no TCP flow crosses '{name}', so it has no bandwidth-delay product");
            self.fault(place, BadInput::new(what).hint("write buffer = \"100 packets\""));
            return None;
        }
        let packet = crossing.packet_or(self.usual_packet());
        let rate = pending.speed.rate();
        let backlog = Backlog {
            buffer,
            rate,
            bdp_rate: rate,
            rtt: crossing.rtt,
            packet,
            in_service: pending.link.buffer_in_service.value,
            recorded: matches!(pending.speed, LinkCapacity::Recorded(_)),
        };
        let limit = self.faults.check(place, backlog.limit())?;
        Some(at_least(limit, buffer, pending.link.min_buffer.value, packet))
    }

    /// A full segment of the scenario's transport.
    pub(super) fn usual_packet(&self) -> Bytes {
        let sizes = transport(&[&self.case.top.tcp.value]).config().sizes;
        sizes.payload + sizes.header
    }
}

/// A buffer that is derived from the path holds at least so many packets.
fn at_least(limit: Limit, buffer: Buffer, least: u64, packet: Bytes) -> Limit {
    match (buffer, limit) {
        (Buffer::Bdp(_) | Buffer::Time(_), Limit::Packets(n)) => Limit::Packets(n.max(least)),
        (Buffer::Bdp(_) | Buffer::Time(_), Limit::Bytes(n)) => Limit::Bytes(n.max(packet * least)),
        (_, limit) => limit,
    }
}

/// The number of packets that may wait at a link; many for one without a limit.
pub(crate) fn queue_capacity(link: &westwood_sim::LinkSpec, packet: Bytes) -> u64 {
    match link.config.queue.limit() {
        Limit::Packets(n) => n,
        Limit::Bytes(n) => n.get() / packet.get().max(1),
        Limit::Unlimited => limits::MAX_BUFFER_PACKETS,
    }
}
