//! The packets that move through the network.
//!
//! A path of 100 ms at 10 Gbit/s holds 80,000 packets, and each is written and read once a hop: how
//! fast the engine is depends on how small they are. So segments travel packed, in 40 bytes: what
//! data and ACKs both have shares a field, switches are bits, and options are elsewhere.

use westwood_cc::{Bytes, Ecn, Instant, Rate};
use westwood_tcp::{AckOptions, AckSegment, DataSegment};

use crate::routes::Cursor;

/// A packet on its way.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    /// The sequence number of data, what an ACK acknowledges, or the number of a datagram or report.
    number: u64,
    /// When data was sent, or what an ACK echoes.
    time: Instant,
    /// The reports of ACKs, and the routers' words to data that ACKs return.
    options: AckOptions,
    /// Its slot above, and its place on its way below. The place changes at every hop, just before
    /// the packet is copied: a word that is written in part and then read as a whole would have to
    /// wait until it has reached the cache.
    place: u64,
    /// Its size on the wire.
    size: u32,
    /// The generation, above the twelve switches.
    tag: u32,
}

// A new field costs memory on every hop.
const _: () = assert!(size_of::<Packet>() == 40, "a packet has grown");

/// An acknowledgment, not data.
const ACK: u32 = 1;
/// Data without a transport.
const DATAGRAM: u32 = 1 << 1;
/// Where the ECN codepoint is with which it was sent: two bits.
const ECN: u32 = 2;
/// A router marked it.
const CE: u32 = 1 << 4;
const RETRANSMISSION: u32 = 1 << 5;
const CWR: u32 = 1 << 6;
const ECE: u32 = 1 << 7;
/// An ACK echoes a time.
const ECHO: u32 = 1 << 8;
/// Its data cannot be read any more.
const DAMAGED: u32 = 1 << 9;
/// An ACK says that what it asks for arrived damaged.
const ELN: u32 = 1 << 10;
/// A receiver should hand its data to the application, and acknowledge it, at once.
const PUSH: u32 = 1 << 11;
/// A packet of a handshake: a datagram has no data to push.
const HANDSHAKE: u32 = DATAGRAM | PUSH;
const SWITCHES: u32 = 12;

/// Which of the connections that have used a slot: packets of an earlier one are strays.
///
/// It begins again after 2^20 steps. For that to matter, a packet would have to be under way while
/// the slot serves a million connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation(u32);

impl Generation {
    pub(crate) fn step(&mut self) {
        self.0 = (self.0 + 1) % (1 << (u32::BITS - SWITCHES));
    }

    /// The one after this.
    pub(crate) fn next(mut self) -> Self {
        self.step();
        self
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// The connection of a packet, and the place where it enters the network.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Address {
    pub(crate) slot: u32,
    pub(crate) generation: Generation,
    pub(crate) cursor: Cursor,
}

impl Packet {
    /// A place for a packet.
    pub(crate) const EMPTY: Self = Self {
        number: 0,
        time: Instant::ZERO,
        options: AckOptions::NONE,
        place: 0,
        size: 0,
        tag: 0,
    };

    /// A data segment under a header.
    pub(crate) fn data(to: Address, segment: &DataSegment, header: Bytes) -> Self {
        let switches =
            [(segment.cwr, CWR), (segment.retransmission, RETRANSMISSION), (segment.push, PUSH)];
        let ecn = u32::from(segment.ecn.bits()) << ECN;
        Self {
            number: segment.seq,
            time: segment.sent_at,
            options: AckOptions::NONE,
            ..Self::plain(to, segment.payload + header, ecn | pack(&switches))
        }
    }

    /// A copy of data, which has no options.
    #[inline]
    pub(crate) fn copy_data(&self) -> Self {
        debug_assert!(self.is_data());
        Self { options: AckOptions::NONE, ..*self }
    }

    /// Is the next segment of data from now on.
    #[inline]
    pub(crate) fn number_next(&mut self) {
        self.number += 1;
    }

    /// An ACK of this size. Pure ACKs are not ECN-capable (RFC 3168 section 6.1.4).
    pub(crate) fn ack(to: Address, ack: AckSegment, size: Bytes) -> Self {
        let switches = [(true, ACK), (ack.ece, ECE), (ack.eln, ELN), (ack.echo.is_some(), ECHO)];
        Self {
            number: ack.ack,
            time: ack.echo.unwrap_or_default(),
            options: ack.options,
            ..Self::plain(to, size, pack(&switches))
        }
    }

    /// The packet's content; nothing that owns memory stays behind.
    #[inline]
    pub(crate) fn take(&mut self) -> Self {
        Self { options: std::mem::take(&mut self.options), ..*self }
    }

    pub(crate) fn datagram(to: Address, size: Bytes) -> Self {
        Self::plain(to, size, DATAGRAM)
    }

    /// A datagram of a media flow, with its number and the time at which it is sent.
    pub(crate) fn media(to: Address, number: u64, sent_at: Instant, size: Bytes) -> Self {
        Self { number, time: sent_at, ..Self::plain(to, size, DATAGRAM) }
    }

    /// A report of a media flow's receiver.
    pub(crate) fn report(to: Address, number: u64, size: Bytes) -> Self {
        Self { number, ..Self::plain(to, size, ACK | DATAGRAM) }
    }

    /// The first packet of a handshake.
    pub(crate) fn syn(to: Address, sent_at: Instant, ecn: Ecn, size: Bytes) -> Self {
        let ecn = u32::from(ecn.bits()) << ECN;
        Self { time: sent_at, ..Self::plain(to, size, HANDSHAKE | ecn) }
    }

    /// Its answer, of the same size: it echoes a time, and tells with which ECN codepoint the SYN came.
    pub(crate) fn syn_ack(to: Address, syn: &Self, echo: Instant) -> Self {
        let ecn = u32::from(syn.sent_ecn().bits()) << ECN;
        let heard = westwood_net::Packet::ecn(syn).bits();
        let size = westwood_net::Packet::size(syn);
        Self {
            number: u64::from(heard),
            time: echo,
            ..Self::plain(to, size, ACK | HANDSHAKE | ecn)
        }
    }

    /// The ECN codepoint of the SYN that it answers.
    pub(crate) fn heard_ecn(&self) -> Ecn {
        Ecn::from_bits((self.number & 0b11) as u8)
    }

    fn plain(to: Address, size: Bytes, switches: u32) -> Self {
        Self {
            number: 0,
            time: Instant::ZERO,
            options: AckOptions::NONE,
            place: u64::from(to.slot) << 32 | u64::from(to.cursor.number()),
            // Networks with larger packets are refused.
            size: u32::try_from(size.get()).unwrap_or(u32::MAX),
            tag: to.generation.0 << SWITCHES | switches,
        }
    }

    /// The connection or datagram flow it belongs to.
    pub(crate) fn slot(&self) -> u32 {
        (self.place >> 32) as u32
    }

    /// Goes on to the next place on its way.
    #[inline]
    pub(crate) fn step(&mut self) {
        self.place += 1;
    }

    /// Is now at this place on its way.
    #[inline]
    pub(crate) fn move_to(&mut self, cursor: Cursor) {
        self.place = self.place >> 32 << 32 | u64::from(cursor.number());
    }

    /// Its place on its way.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low half of a word")]
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor::new(self.place as u32)
    }

    /// Hints that its options will be read soon.
    #[inline]
    pub(crate) fn prefetch_options(&self) {
        self.options.prefetch();
    }

    /// True if it goes from a flow's receiver to its sender.
    pub(crate) fn is_ack(&self) -> bool {
        self.is(ACK)
    }

    /// True if it carries data of a connection.
    pub(crate) fn is_data(&self) -> bool {
        self.tag & (ACK | DATAGRAM) == 0
    }

    /// True if it belongs to a handshake.
    pub(crate) fn is_of_handshake(&self) -> bool {
        self.tag & HANDSHAKE == HANDSHAKE
    }

    /// When a SYN or a datagram of a media flow was sent; of the answer to a SYN, the time that it echoes.
    pub(crate) fn sent_at(&self) -> Instant {
        self.time
    }

    /// The number of a datagram or of a report, the sequence number of data, or what an ACK acknowledges.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Its data cannot be read from now on.
    pub(crate) fn damage(&mut self) {
        self.tag |= DAMAGED;
    }

    /// True if its data cannot be read.
    pub(crate) fn is_damaged(&self) -> bool {
        self.is(DAMAGED)
    }

    /// A router writes the flow's share of its link into it, if it bears no less.
    pub(crate) fn set_share(&mut self, share: Rate) {
        self.options.set_share(share);
    }

    /// The least share that routers have written into it.
    pub(crate) fn share(&self) -> Option<Rate> {
        self.options.share()
    }

    /// True if it belongs to no connection.
    pub(crate) fn is_datagram(&self) -> bool {
        self.is(DATAGRAM)
    }

    /// The ECN codepoint with which it was sent.
    #[inline]
    pub(crate) fn sent_ecn(&self) -> Ecn {
        Ecn::from_bits((self.tag >> ECN & 0b11) as u8)
    }

    fn is(&self, switch: u32) -> bool {
        self.tag & switch != 0
    }

    pub(crate) fn generation(&self) -> Generation {
        Generation(self.tag >> SWITCHES)
    }

    /// The ACK that was packed, if one was.
    #[inline]
    pub(crate) fn into_ack(self) -> AckSegment {
        AckSegment {
            ack: self.number,
            echo: self.is(ECHO).then_some(self.time),
            ece: self.is(ECE),
            eln: self.is(ELN),
            options: self.options,
        }
    }

    /// The segment that was packed, if one was, and whether a router marked it; `header` is what
    /// [`data`](Self::data) was given.
    #[inline]
    pub(crate) fn into_segment(self, header: Bytes) -> (DataSegment, bool) {
        let segment = DataSegment {
            seq: self.number,
            payload: Bytes::new(u64::from(self.size)) - header,
            sent_at: self.time,
            retransmission: self.is(RETRANSMISSION),
            ecn: self.sent_ecn(),
            cwr: self.is(CWR),
            push: self.is(PUSH),
        };
        (segment, self.is(CE))
    }
}

fn pack(switches: &[(bool, u32)]) -> u32 {
    switches.iter().map(|&(on, bit)| if on { bit } else { 0 }).sum()
}

impl westwood_net::Packet for Packet {
    fn size(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// Data and ACKs of one connection are two flows, as their addresses say.
    fn flow(&self) -> u32 {
        self.slot() << 1 | u32::from(self.is(ACK))
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        if self.is(CE) { Ecn::Ce } else { self.sent_ecn() }
    }

    fn mark_ce(&mut self) {
        self.tag |= CE;
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        self.tag = self.tag & !(CE | 0b11 << ECN) | u32::from(ecn.bits()) << ECN;
        if ecn == Ecn::Ce {
            self.mark_ce();
        }
    }

    fn pure_ack(&self) -> Option<westwood_net::PureAck> {
        (self.tag & (ACK | DATAGRAM) == ACK).then(|| westwood_net::PureAck {
            number: self.number,
            has_news: self.is(ELN) || !self.options.has_no_block(),
            ecn: self.options.accurate().map_or(u8::from(self.is(ECE)), |told| told.ace),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use westwood_net::Packet as _;
    use westwood_tcp::SeqRange;

    fn address(slot: u32, steps: u32) -> Address {
        Address { slot, generation: Generation(steps % (1 << 20)), cursor: Cursor::default() }
    }

    proptest! {
        #[test]
        fn a_segment_arrives_as_it_was_sent(
            (slot, steps, seq, time) in any::<(u32, u32, u64, u64)>(),
            (payload, header) in (1_u64..1 << 31, 0_u64..1 << 31),
            (switches, ecn) in any::<([bool; 4], u8)>(),
        ) {
            let sent = DataSegment {
                seq,
                payload: Bytes::new(payload),
                sent_at: Instant::from_nanos(time),
                retransmission: switches[0],
                ecn: Ecn::from_bits(ecn),
                cwr: switches[1],
                push: switches[3],
            };
            let mut packet = Packet::data(address(slot, steps), &sent, Bytes::new(header));
            prop_assert_eq!(packet.size(), Bytes::new(payload + header));
            prop_assert_eq!((packet.slot(), packet.ecn()), (slot, Ecn::from_bits(ecn)));
            if switches[2] {
                packet.mark_ce();
                prop_assert_eq!(packet.ecn(), Ecn::Ce);
            }
            prop_assert_eq!(packet.generation(), address(slot, steps).generation);
            prop_assert!(!packet.is_ack() && !packet.is_datagram());
            prop_assert_eq!(packet.into_segment(Bytes::new(header)), (sent, switches[2]));
        }

        #[test]
        fn an_ack_arrives_as_it_was_sent(
            (slot, steps, ack, size) in any::<(u32, u32, u64, u32)>(),
            (echo, ece, eln) in any::<(Option<u64>, bool, bool)>(),
            blocks in prop::collection::vec((0_u64..1 << 40, 1_u64..100), 0..4),
        ) {
            let mut options = AckOptions::NONE;
            for (start, len) in blocks {
                options.push_block(SeqRange { start, end: start + len });
            }
            let sent = AckSegment { ack, options, echo: echo.map(Instant::from_nanos), ece, eln };
            let size = Bytes::new(u64::from(size));
            let packet = Packet::ack(address(slot, steps), sent.clone(), size);
            prop_assert_eq!((packet.size(), packet.ecn()), (size, Ecn::NotEct));
            prop_assert_eq!(packet.generation(), address(slot, steps).generation);
            prop_assert!(packet.is_ack());
            prop_assert_eq!(packet.into_ack(), sent);
        }
    }
}
