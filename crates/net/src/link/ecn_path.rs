//! Paths that do not leave the ECN field alone.
//!
//! Routers that rewrite the whole traffic-class byte, as if it were the old type of service, clear or
//! change the codepoint with it. Measurements call the first "bleaching" ("A Fresh Look at ECN Traversal in
//! the Wild", 2022, which finds it in two cellular networks as a matter of policy) and find that few
//! paths of QUIC pass the validation of ECN ("ECN with QUIC: Challenges in the Wild", IMC 2023). A path may
//! also show a mark on every packet: RFC 9768 section 3.2.2.3 advises senders to look for it, and QUIC's
//! test ECN before they rely on it (RFC 9000 section 13.4.2).
//!
//! A tunnel over the link has an outer header, whose field the link's queue reads and marks, and an inner
//! one. By RFC 6040 the entry copies the inner field outwards (section 4.1, normal mode) and the exit
//! combines both (section 4.2, figure 4), of which these rows and columns can occur:
//!
//! ```text
//! inner     outer Not-ECT   outer ECT(0)   outer ECT(1)   outer CE
//! Not-ECT   Not-ECT         -              -              -         a queue drops it and marks nothing
//! ECT(0)    ECT(0)          ECT(0)         -              CE
//! ECT(1)    ECT(1)          -              ECT(1)         CE
//! CE        CE              -              -              CE
//! ```
//!
//! With an entry and an exit that copy, the field that leaves is the outer one: such a tunnel does what a
//! link without one does. The column Not-ECT is an entry that hides the inner field (RFC 6040 section 4.1,
//! compatibility mode; RFC 3168 section 9.1, limited functionality). An exit from before these rules
//! discards the outer header and its marks (RFC 2003; RFC 6040 appendix A).
//!
//! The field is changed where packets leave the link. `Bleach` and `ClearCe` lose marks of the link's own
//! queue and of links before it, a tunnel those of its own queue alone. Whether the connection has
//! negotiated ECN is not touched.

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
    /// Every ECN-capable packet becomes CE, congestion or not.
    MarkAll,
    /// A tunnel whose exit keeps the inner field: the queue marks, and its marks are lost.
    TunnelForget,
    /// A tunnel whose outer field is Not-ECT: the queue drops where it would mark, and the field that
    /// entered leaves.
    TunnelHide,
}

impl EcnPath {
    /// The codepoint that the queue reads of a packet that enters the link.
    fn outer(self, entered: Ecn) -> Ecn {
        if self == Self::TunnelHide { Ecn::NotEct } else { entered }
    }

    /// The codepoint that leaves the link.
    fn leaving(self, entered: Ecn, field: Ecn) -> Ecn {
        match (self, field) {
            (Self::Bleach, _) => Ecn::NotEct,
            (Self::ClearCe, Ecn::Ce) => Ecn::Ect0,
            (Self::Remark, Ecn::Ect0) => Ecn::Ect1,
            (Self::MarkAll, field) if field.is_capable() => Ecn::Ce,
            (Self::TunnelForget | Self::TunnelHide, _) => entered,
            (Self::ClearCe | Self::Remark | Self::MarkAll, field) => field,
        }
    }

    /// Changes the field of a packet that enters the link.
    pub(crate) fn enter<P: Packet>(self, packet: &mut P) {
        set(packet, self.outer(packet.ecn()));
    }

    /// Changes the field of a packet that leaves the link, and that had the field `entered` before.
    pub(crate) fn leave<P: Packet>(self, packet: &mut P, entered: Ecn) {
        set(packet, self.leaving(entered, packet.ecn()));
    }
}

fn set<P: Packet>(packet: &mut P, field: Ecn) {
    if packet.ecn() != field {
        packet.set_ecn(field);
    }
}
