//! What moves through the network.

use westwood_cc::Bytes;
use westwood_tcp::{AckSegment, DataSegment};

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// The connection or datagram flow it belongs to.
    pub(crate) slot: u32,
    /// Which of the connections that have used the slot.
    pub(crate) generation: u32,
    /// Its size on the wire.
    size: u32,
    /// Links passed.
    pub(crate) hop: u16,
    /// Its transport understands ECN.
    ect: bool,
    /// A router marked it.
    pub(crate) ce: bool,
    pub(crate) body: Body,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    Data(DataSegment),
    Ack(AckSegment),
    Datagram,
}

impl Packet {
    pub(crate) fn new(slot: u32, generation: u32, size: Bytes, ect: bool, body: Body) -> Self {
        let size = u32::try_from(size.get()).unwrap_or(u32::MAX);
        Self {
            slot,
            generation,
            size,
            hop: 0,
            ect,
            ce: false,
            body,
        }
    }

    /// True if it travels the way there, not the way back.
    pub(crate) fn is_forward(&self) -> bool {
        !matches!(self.body, Body::Ack(_))
    }
}

impl westwood_net::Packet for Packet {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// Data and ACKs of one connection are two flows, as their addresses say.
    fn flow(&self) -> u32 {
        self.slot << 1 | u32::from(!self.is_forward())
    }

    fn ect(&self) -> bool {
        self.ect
    }

    fn mark_ce(&mut self) {
        self.ce = true;
    }
}
