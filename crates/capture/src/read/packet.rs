//! The TCP segment in a captured packet.
//!
//! Link headers as the tcpdump project lists them (tcpdump.org/linktypes.html), VLAN tags (IEEE
//! 802.1Q, 802.1ad), IPv4 (RFC 791), IPv6 with its extension headers (RFC 8200), TCP (RFC 9293) with
//! the options of RFC 2018 and RFC 7323. Payload need not have been kept: its length follows from the
//! headers.

mod ip;
mod link;
mod tcp;

pub use link::LinkType;
pub use tcp::{Options, Timestamps};

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use crate::read::file::Packet;

/// One end of a connection.
pub type Endpoint = SocketAddr;

/// A TCP segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Who sent it.
    pub from: Endpoint,
    /// To whom.
    pub to: Endpoint,
    /// Sequence number of its first byte.
    pub seq: u32,
    /// The next byte that its sender waits for; none without the flag ACK.
    pub ack: Option<u32>,
    /// The window field, without its shift.
    pub window: u16,
    /// It opens the connection.
    pub syn: bool,
    /// It ends its sender's stream.
    pub fin: bool,
    /// It breaks the connection.
    pub rst: bool,
    /// Bytes of data.
    pub payload: u32,
    /// Its options.
    pub options: Options,
}

impl Segment {
    /// The segment in a packet; none if there is none, or too little of it was kept.
    ///
    /// Fragments of IP packets are left out: only the first has a TCP header, and what the others
    /// hold is not known to belong to it.
    pub fn of(packet: &Packet<'_>) -> Option<Self> {
        let network = packet.link.network(packet.data)?;
        let before = packet.data.len() - network.len();
        let on_the_wire = (packet.wire_len as usize).saturating_sub(before);
        let datagram = ip::Datagram::of(network, on_the_wire)?;
        tcp::segment(&datagram)
    }
}

/// Two ends, from one to the other.
pub(crate) fn ends(from: IpAddr, to: IpAddr, ports: (u16, u16)) -> (Endpoint, Endpoint) {
    (SocketAddr::new(from, ports.0), SocketAddr::new(to, ports.1))
}

/// Two bytes in network order.
fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Four bytes in network order.
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {}: {} bytes from {}", self.from, self.to, self.payload, self.seq)
    }
}
