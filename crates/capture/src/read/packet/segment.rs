//! A TCP segment as it was captured.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// One end of a connection.
pub type Endpoint = SocketAddr;

/// A TCP segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Its sender.
    pub from: Endpoint,
    /// Its receiver.
    pub to: Endpoint,
    /// The identification of its IP packet; none in IPv6, and where a sender leaves it at 0.
    pub id: Option<u16>,
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
    pub options: TcpOptions,
}

#[cfg(test)]
impl Segment {
    /// A segment of tests that acknowledges byte 1 and has no options.
    pub(in crate::read) fn without_options(
        from: Endpoint,
        to: Endpoint,
        seq: u32,
        payload: u32,
    ) -> Self {
        Self {
            from,
            to,
            id: None,
            seq,
            ack: Some(1),
            window: 100,
            syn: false,
            fin: false,
            rst: false,
            payload,
            options: TcpOptions::default(),
        }
    }
}

/// The two times of RFC 7323 section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timestamps {
    /// The sender's clock.
    pub value: u32,
    /// The time of the other's that it echoes.
    pub echo: u32,
}

/// The options of a segment, as far as they were kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TcpOptions {
    /// The largest segment that its sender takes (RFC 9293 section 3.7.1).
    pub mss: Option<u16>,
    /// Its times.
    pub timestamps: Option<Timestamps>,
    /// Blocks of selective acknowledgment (RFC 2018), in their order.
    pub sack: Vec<(u32, u32)>,
}

/// Two ends, from one to the other.
pub(super) fn ends(from: IpAddr, to: IpAddr, ports: (u16, u16)) -> (Endpoint, Endpoint) {
    (SocketAddr::new(from, ports.0), SocketAddr::new(to, ports.1))
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} > {}: {} bytes from {}", self.from, self.to, self.payload, self.seq)
    }
}
