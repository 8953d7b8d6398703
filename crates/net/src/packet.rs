//! What a link must know of a packet.

use westwood_cc::{Bytes, Ecn};

/// A packet, as a link sees it.
pub trait Packet {
    /// Its size on the link, headers included if they count there.
    fn size(&self) -> Bytes;

    /// Which flow it belongs to, for queues that keep flows apart.
    fn flow(&self) -> u32;

    /// The codepoint of its ECN field, marks of earlier links included.
    fn ecn(&self) -> Ecn;

    /// Sets the congestion-experienced mark. Called only if the [codepoint](Packet::ecn) is
    /// [ECN-capable](Ecn::is_capable).
    fn mark_ce(&mut self);
}
