//! Paths that do not leave the ECN field alone.
//!
//! Routers that rewrite the whole traffic-class byte, as if it were the old type of service, clear or
//! change the codepoint with it. Measurements call the first "bleaching" ("A Fresh Look at ECN Traversal in
//! the Wild", 2022, which finds it in two cellular networks as a matter of policy) and find that few
//! paths of QUIC pass the validation of ECN ("ECN with QUIC: Challenges in the Wild", IMC 2023).
//!
//! The field is changed where packets leave the link, so that marks of the link's own queue are lost
//! with those of links before it. Whether the connection has negotiated ECN is not touched.

use westwood_cc::Ecn;

use crate::packet::Packet;

/// A link's change of the ECN field of departing packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnPath {
    /// Every codepoint becomes Not-ECT: later queues drop where they would mark, and marks are lost.
    Bleach,
    /// CE becomes ECT(0): marks are lost, and nothing else.
    ClearCe,
    /// ECT(0) becomes ECT(1): classic traffic looks like L4S (RFC 9331).
    Remark,
}

impl EcnPath {
    /// The codepoint that leaves the link.
    fn of(self, field: Ecn) -> Ecn {
        match (self, field) {
            (Self::Bleach, _) => Ecn::NotEct,
            (Self::ClearCe, Ecn::Ce) => Ecn::Ect0,
            (Self::Remark, Ecn::Ect0) => Ecn::Ect1,
            (Self::ClearCe | Self::Remark, field) => field,
        }
    }

    /// Changes the field of a packet that leaves the link.
    pub(crate) fn apply<P: Packet>(self, packet: &mut P) {
        let (before, after) = (packet.ecn(), self.of(packet.ecn()));
        if after != before {
            packet.set_ecn(after);
        }
    }
}
