//! The fields of a packet that a link reads.

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

    /// Sets the ECN field, as links do that do not leave it alone.
    fn set_ecn(&mut self, ecn: Ecn);

    /// Its acknowledgment, if it is a TCP segment with an ACK and nothing else: no data, SYN, FIN or
    /// RST. Links that thin ACKs ask.
    fn pure_ack(&self) -> Option<PureAck>;
}

/// An ACK, as a link that thins ACKs reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PureAck {
    /// The acknowledgment number: of two, the later is ahead by less than 2^63, modulo 2^64.
    pub number: u64,
    /// It carries what a later one need not repeat: SACK blocks or a loss notification.
    pub has_news: bool,
    /// Its echo of congestion marks.
    pub ecn: u8,
}
