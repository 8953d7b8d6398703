//! Packets seen on their way: what a capture is made of.

use westwood_cc::{Bytes, Ecn, Instant};
use westwood_net::DropCause;
use westwood_tcp::{AckSegment, DataSegment};

use crate::network::{LinkId, NodeId};

/// Watches packets go by, in the order in which they do.
pub trait Tap {
    /// A packet was seen.
    fn sees(&mut self, sighting: &TapEvent);
}

/// A packet at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapEvent {
    /// When.
    pub at: Instant,
    /// Where.
    pub place: TapPoint,
    /// The flow it belongs to: its place in [`Network::flows`](crate::Network::flows).
    pub flow: usize,
    /// Which of the flow's connections: a number that no other connection of the run has.
    pub connection: u64,
    /// Its size on the wire.
    pub size: Bytes,
    /// A router marked it (RFC 3168: congestion experienced).
    pub ce: bool,
    /// The packet's content.
    pub carries: TapContent,
}

/// Where a packet is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TapPoint {
    /// It leaves this host.
    Sent(NodeId),
    /// It comes off this link, at the far end.
    Link(LinkId),
    /// It has arrived at this host.
    Received(NodeId),
    /// This link has dropped or lost it. A drop is shown when the queue decides, a loss when the packet would
    /// have arrived.
    Dropped(LinkId, DropCause),
}

/// The content of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapContent {
    /// TCP data.
    Data(DataSegment),
    /// A TCP acknowledgment.
    Ack(AckSegment),
    /// The first packet of a connection, from its sender to its receiver.
    Syn {
        /// When it was sent.
        sent_at: Instant,
        /// The ECN codepoint with which it was sent.
        ecn: Ecn,
    },
    /// Its answer.
    SynAck {
        /// When the SYN was sent that reached the receiver first.
        echo: Instant,
        /// The ECN codepoint with which the SYN arrived.
        heard: Ecn,
        /// The ECN codepoint with which the answer was sent.
        ecn: Ecn,
    },
    /// A datagram, from a flow's sender to its receiver.
    Datagram,
    /// A report of a media flow's receiver to its sender.
    Report,
}
