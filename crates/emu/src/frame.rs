//! IP packets, as far as a link looks into them.

mod tcp;

use westwood_cc::{Bytes, Ecn};
use westwood_net::{Packet, PureAck};

/// The ECN field, congestion experienced: both of its bits.
const CE: u8 = Ecn::Ce.bits();

/// The number of TCP among the protocols.
const TCP: u8 = 6;

/// A whole IP packet on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IpFrame {
    bytes: Vec<u8>,
    /// The way it takes, and how many of its links lie behind it.
    pub(crate) way: usize,
    pub(crate) hop: usize,
}

impl IpFrame {
    pub(crate) fn new(bytes: Vec<u8>, way: usize) -> Self {
        Self { bytes, way, hop: 0 }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Packet for IpFrame {
    fn size(&self) -> Bytes {
        Bytes::new(self.bytes.len() as u64)
    }

    /// A hash of what tells connections apart: addresses, protocol and ports.
    fn flow(&self) -> u32 {
        let (ends, protocol, transport) = match version(&self.bytes) {
            Some(4) => (12..20, 9, usize::from(self.bytes[0] & 0x0f) * 4),
            Some(6) => (8..40, 6, 40),
            _ => return 0,
        };
        let ports = self.bytes.get(transport..transport + 4).unwrap_or_default();
        let identity = [&self.bytes[ends], &self.bytes[protocol..=protocol], ports];
        fnv1a(identity.into_iter().flatten())
    }

    /// A frame without an IP packet has no ECN field.
    fn ecn(&self) -> Ecn {
        match version(&self.bytes) {
            Some(4) => Ecn::from_bits(self.bytes[1]),
            Some(_) => Ecn::from_bits(self.bytes[1] >> 4),
            None => Ecn::NotEct,
        }
    }

    fn mark_ce(&mut self) {
        self.set_ecn(Ecn::Ce);
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        match version(&self.bytes) {
            Some(4) => {
                let before = u16::from_be_bytes([self.bytes[0], self.bytes[1]]);
                self.bytes[1] = self.bytes[1] & !CE | ecn.bits();
                let after = u16::from_be_bytes([self.bytes[0], self.bytes[1]]);
                let sum = u16::from_be_bytes([self.bytes[10], self.bytes[11]]);
                self.bytes[10..12].copy_from_slice(&amended(sum, before, after).to_be_bytes());
            }
            // The header of IPv6 has no checksum, and the pseudo-header leaves the field out.
            Some(6) => self.bytes[1] = self.bytes[1] & !(CE << 4) | ecn.bits() << 4,
            _ => {}
        }
    }

    fn pure_ack(&self) -> Option<PureAck> {
        tcp::pure_ack(segment(&self.bytes)?)
    }
}

/// The TCP segment of an IP packet that is neither a fragment nor has extension headers.
fn segment(packet: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| usize::from(u16::from_be_bytes([packet[at], packet[at + 1]]));
    match version(packet)? {
        // The offset of a fragment, and the bit that more come.
        4 if packet[9] == TCP && word(6) % (1 << 14) == 0 => {
            packet.get(usize::from(packet[0] & 0x0f) * 4..word(2))
        }
        6 if packet[6] == TCP => packet.get(40..40 + word(4)),
        _ => None,
    }
}

/// The version of an IP packet whose fixed header is all there.
pub(crate) fn version(packet: &[u8]) -> Option<u8> {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 20 => Some(4),
        Some(6) if packet.len() >= 40 => Some(6),
        _ => None,
    }
}

/// A header's checksum after one of its words has changed (RFC 1624 equation 3).
fn amended(sum: u16, before: u16, after: u16) -> u16 {
    let mut total = u32::from(!sum) + u32::from(!before) + u32::from(after);
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    !u16::try_from(total).unwrap_or(u16::MAX)
}

/// FNV-1a, 32 bits.
fn fnv1a<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    bytes.fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ones' complement sum of all words of a header: all ones if its checksum is right.
    fn words_add_up(header: &[u8]) -> bool {
        let sum: u32 = header.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        (sum & 0xffff) + (sum >> 16) == 0xffff
    }

    /// The example header of RFC 1071's readers: 198.18.0.1 to 198.19.0.1, ECT(0), checksum right.
    fn ipv4(ecn: u8) -> Vec<u8> {
        let mut bytes = vec![
            0x45, ecn, 0x00, 0x1c, 0x12, 0x34, 0x40, 0x00, 64, 17, 0, 0, 198, 18, 0, 1, 198, 19, 0,
            1, 0x10, 0x01, 0x20, 0x02, 0, 8, 0, 0,
        ];
        let sum: u32 = bytes[..20].chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        let check = !u16::try_from(folded).unwrap();
        bytes[10..12].copy_from_slice(&check.to_be_bytes());
        bytes
    }

    #[test]
    fn a_mark_leaves_the_checksum_of_an_ipv4_header_right() {
        for ecn in 0..=3 {
            let mut frame = IpFrame::new(ipv4(ecn), 0);
            assert!(words_add_up(&frame.bytes()[..20]));
            assert_eq!(frame.ecn(), Ecn::from_bits(ecn));
            frame.mark_ce();
            assert_eq!(frame.bytes()[1], 3);
            assert!(words_add_up(&frame.bytes()[..20]), "marked from {ecn}");
            frame.set_ecn(Ecn::NotEct);
            assert_eq!((frame.bytes()[1], frame.ecn()), (0, Ecn::NotEct));
            assert!(words_add_up(&frame.bytes()[..20]), "bleached from {ecn}");
        }
    }

    #[test]
    fn an_ack_is_found_behind_either_header_and_not_in_a_fragment() {
        let mut tcp = vec![0; 20];
        (tcp[11], tcp[12], tcp[13]) = (7, 5 << 4, 16);
        let mut v4 = [ipv4(0)[..20].to_vec(), tcp.clone()].concat();
        (v4[3], v4[9], v4[6]) = (40, 6, 0x40);
        let mut v6 = [vec![0; 40], tcp].concat();
        (v6[0], v6[5], v6[6]) = (0x60, 20, 6);
        let number = |bytes: &[u8]| IpFrame::new(bytes.to_vec(), 0).pure_ack().map(|a| a.number);
        assert_eq!((number(&v4), number(&v6)), (Some(7 << 32), Some(7 << 32)));
        v4[6] = 0x20;
        assert_eq!(number(&v4), None);
        v4[6] = 0;
        // Longer than it is, and another protocol.
        assert_eq!(number(&v4[..39]), None);
        v4[9] = 17;
        assert_eq!(number(&v4), None);
    }

    #[test]
    fn a_mark_in_ipv6_touches_the_traffic_class_alone() {
        let mut bytes = vec![0; 48];
        (bytes[0], bytes[1]) = (0x60, 0x2f);
        let mut frame = IpFrame::new(bytes, 0);
        assert_eq!(frame.ecn(), Ecn::Ect0);
        frame.mark_ce();
        assert_eq!(frame.bytes()[..2], [0x60, 0x3f]);
        frame.set_ecn(Ecn::Ect1);
        assert_eq!(frame.bytes()[..2], [0x60, 0x1f]);
    }

    #[test]
    fn connections_are_told_apart_by_their_ports() {
        let (first, mut other) = (ipv4(0), ipv4(0));
        other[21] = 9;
        assert_ne!(IpFrame::new(first.clone(), 0).flow(), IpFrame::new(other, 0).flow());
        assert_eq!(IpFrame::new(first.clone(), 0).flow(), IpFrame::new(first, 1).flow());
    }

    #[test]
    fn what_is_no_ip_packet_is_carried_without_a_look_inside() {
        for bytes in [vec![], vec![0x45], vec![0x60; 39], vec![0xff; 100], vec![0x4f; 20]] {
            let mut frame = IpFrame::new(bytes.clone(), 0);
            let _ = frame.flow();
            if frame.ecn().is_capable() {
                frame.mark_ce();
            }
            assert_eq!(frame.bytes().len(), bytes.len());
        }
    }
}
