//! The TCP segment in a captured packet.
//!
//! Link headers as the tcpdump project lists them (tcpdump.org/linktypes.html), VLAN tags (IEEE
//! 802.1Q, 802.1ad), IPv4 (RFC 791), IPv6 with its extension headers (RFC 8200), TCP (RFC 9293) with
//! the options of RFC 2018 and RFC 7323. Payload need not have been kept: its length follows from the
//! headers.

mod bytes;
mod ip;
mod link;
mod segment;
mod tcp;

pub use link::{LinkType, READ_LINKS};
pub use segment::{Endpoint, Segment, TcpOptions, Timestamps};

use crate::read::file::CapturedPacket;

impl Segment {
    /// The segment in a packet; none if there is none, or too little of it was kept.
    ///
    /// Fragments of IP packets are left out: only the first has a TCP header, and the others cannot
    /// be assigned to it.
    pub fn of(packet: &CapturedPacket<'_>) -> Option<Self> {
        let network = packet.link.network(packet.data)?;
        let before = packet.data.len() - network.len();
        let on_the_wire = (packet.wire_len as usize).saturating_sub(before);
        let datagram = ip::Datagram::of(network, on_the_wire)?;
        tcp::segment(&datagram)
    }
}
