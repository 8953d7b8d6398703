//! Shared parts of the tests of queues and links.

use westwood_cc::{Bytes, Ecn, Instant};

use super::{Arrival, Queued};
use crate::packet::{Packet, PureAck};
use crate::stats::PacketCount;

/// An arrival that finds so many packets of 1500 bytes.
pub(crate) fn finds(packets: u64) -> Arrival {
    Arrival {
        now: Instant::ZERO,
        waiting: PacketCount { packets, bytes: Bytes::new(1500 * packets) },
        free: false,
        idle_since: None,
        size: Bytes::new(1500),
        ect: false,
    }
}

/// A packet of 1500 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestPacket {
    /// Its flow.
    pub(crate) flow: u32,
    /// Its ECN field.
    pub(crate) ecn: Ecn,
}

impl Packet for TestPacket {
    fn size(&self) -> Bytes {
        Bytes::new(1500)
    }

    fn flow(&self) -> u32 {
        self.flow
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }

    fn pure_ack(&self) -> Option<PureAck> {
        None
    }
}

impl TestPacket {
    /// A packet of this flow that cannot be marked.
    pub(crate) fn of(flow: u32) -> Self {
        Self { flow, ecn: Ecn::NotEct }
    }

    /// The packet as it waits from this time on.
    pub(crate) fn queued(self, arrived: Instant) -> Queued<Self> {
        let (size, entered) = (self.size(), self.ecn());
        Queued { packet: self, size, number: 0, arrived, entered, is_repeat: false }
    }
}

/// An instant, in milliseconds.
pub(crate) fn at_ms(ms: u64) -> Instant {
    Instant::from_nanos(1_000_000 * ms)
}
