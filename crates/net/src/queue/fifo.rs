//! Packets in order of arrival.

use std::collections::VecDeque;

use westwood_cc::{Bytes, Ecn, Instant};

use crate::stats::PacketCount;

/// A packet that waits.
#[derive(Clone, Debug)]
pub(crate) struct Queued<P> {
    pub(crate) packet: P,
    pub(crate) size: Bytes,
    /// Its place among the packets offered to the link, from 1.
    pub(crate) number: u64,
    pub(crate) arrived: Instant,
    /// Its ECN field when it was offered.
    pub(crate) entered: Ecn,
    /// It has been sent before and is sent again.
    pub(crate) is_repeat: bool,
}

/// Packets in order of arrival.
#[derive(Clone, Debug)]
pub(crate) struct PacketFifo<P> {
    packets: VecDeque<Queued<P>>,
    bytes: Bytes,
}

impl<P> PacketFifo<P> {
    pub(crate) fn new() -> Self {
        Self { packets: VecDeque::new(), bytes: Bytes::ZERO }
    }

    pub(crate) fn push(&mut self, queued: Queued<P>) {
        self.bytes += queued.size;
        self.packets.push_back(queued);
    }

    pub(crate) fn pop(&mut self) -> Option<Queued<P>> {
        let queued = self.packets.pop_front()?;
        self.bytes -= queued.size;
        Some(queued)
    }

    /// The packet that leaves next.
    pub(crate) fn head(&self) -> Option<&Queued<P>> {
        self.packets.front()
    }

    pub(crate) fn waiting(&self) -> PacketCount {
        PacketCount { packets: self.packets.len() as u64, bytes: self.bytes }
    }
}

/// The packet that a discipline has taken out of its queue.
#[derive(Clone, Debug)]
pub(crate) struct Dequeued<P> {
    /// The packet to send, if any is left.
    pub(crate) packet: Option<Queued<P>>,
    /// It was marked.
    pub(crate) marked: bool,
}
