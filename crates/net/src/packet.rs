//! What a link must know of a packet.

use westwood_cc::Bytes;

/// A packet, as a link sees it.
pub trait Packet {
    /// Its size on the link, headers included if they count there.
    fn size(&self) -> Bytes;

    /// Which flow it belongs to, for queues that keep flows apart.
    fn flow(&self) -> u32;

    /// True if its transport understands ECN (ECT, RFC 3168 section 5).
    fn ect(&self) -> bool;

    /// Sets the congestion-experienced mark. Called only if [`ect`](Packet::ect) is true.
    fn mark_ce(&mut self);
}
