//! IPv4 and IPv6 headers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::bytes::u16_at;

const TCP: u8 = 6;
/// An IPv6 header without extensions, in bytes.
const IPV6_HEADER: usize = 40;
/// Extension headers that have a next header and a length in units of eight bytes: hop-by-hop,
/// routing, destination, mobility, host identity, shim6.
const EXTENSIONS: [u8; 6] = [0, 43, 60, 135, 139, 140];
const AUTHENTICATION: u8 = 51;
const FRAGMENT: u8 = 44;
/// More extension headers than these are nonsense.
const MOST_EXTENSIONS: usize = 8;

/// An IP packet that carries TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Datagram<'a> {
    pub(super) from: IpAddr,
    pub(super) to: IpAddr,
    /// The identification of IPv4, unless it is 0.
    pub(super) id: Option<u16>,
    /// The captured bytes of its TCP segment.
    pub(super) kept: &'a [u8],
    /// The length of the segment, in bytes.
    pub(super) len: usize,
}

impl<'a> Datagram<'a> {
    /// Reads the header at the beginning of `bytes`, of a packet that had `on_the_wire` bytes from
    /// there on.
    pub(super) fn of(bytes: &'a [u8], on_the_wire: usize) -> Option<Self> {
        match bytes.first()? >> 4 {
            4 => Self::of_ipv4(bytes, on_the_wire),
            6 => Self::of_ipv6(bytes, on_the_wire),
            _ => None,
        }
    }

    fn of_ipv4(bytes: &'a [u8], on_the_wire: usize) -> Option<Self> {
        let header = usize::from(bytes.first()? & 0x0f) * 4;
        let fragment = u16_at(bytes, 6)?;
        let is_fragment = fragment & 0x3fff != 0;
        if header < 20 || *bytes.get(9)? != TCP || is_fragment {
            return None;
        }
        let address =
            |at: usize| Some(IpAddr::V4(Ipv4Addr::from(*bytes.get(at..)?.first_chunk()?)));
        let len = stated(u16_at(bytes, 2)?, on_the_wire, 0).checked_sub(header)?;
        Some(Self {
            from: address(12)?,
            to: address(16)?,
            id: u16_at(bytes, 4).filter(|id| *id != 0),
            kept: trimmed(bytes.get(header..)?, len),
            len,
        })
    }

    fn of_ipv6(bytes: &'a [u8], on_the_wire: usize) -> Option<Self> {
        let address =
            |at: usize| Some(IpAddr::V6(Ipv6Addr::from(*bytes.get(at..)?.first_chunk()?)));
        let len = stated(u16_at(bytes, 4)?, on_the_wire, IPV6_HEADER);
        let header = upper(bytes)?;
        let len = len.checked_sub(header)?;
        Some(Self {
            from: address(8)?,
            to: address(24)?,
            id: None,
            kept: trimmed(bytes.get(header..)?, len),
            len,
        })
    }
}

/// A packet's length: as its header says, with the bytes that the field leaves out; as it was on the
/// wire if the header says 0, as it does before segmentation by the network card (RFC 2675 for IPv6).
fn stated(field: u16, on_the_wire: usize, left_out: usize) -> usize {
    if field == 0 { on_the_wire } else { usize::from(field) + left_out }
}

/// Without the padding of short Ethernet frames.
fn trimmed(bytes: &[u8], len: usize) -> &[u8] {
    bytes.get(..len).unwrap_or(bytes)
}

/// The offset of TCP in an IPv6 packet.
fn upper(bytes: &[u8]) -> Option<usize> {
    let (mut next, mut at) = (*bytes.get(6)?, IPV6_HEADER);
    for _ in 0..=MOST_EXTENSIONS {
        let units = || bytes.get(at + 1).map(|units| usize::from(*units));
        let len = match next {
            TCP => return Some(at),
            FRAGMENT if u16_at(bytes, at + 2)? & 0xfff9 == 0 => 8,
            AUTHENTICATION => (units()? + 2) * 4,
            kind if EXTENSIONS.contains(&kind) => (units()? + 1) * 8,
            _ => return None,
        };
        next = *bytes.get(at)?;
        at += len;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ipv6(next: u8, rest: &[u8]) -> Vec<u8> {
        let len = u16::try_from(rest.len()).unwrap().to_be_bytes();
        let mut bytes = vec![0x60, 0, 0, 0, len[0], len[1], next, 64];
        bytes.extend([1; 16]);
        bytes.extend([2; 16]);
        bytes.extend(rest);
        bytes
    }

    #[test]
    fn extension_headers_are_stepped_over() {
        let plain = ipv6(TCP, &[7; 20]);
        assert_eq!(Datagram::of(&plain, 60).unwrap().len, 20);
        let hop = [&[TCP, 0, 0, 0, 0, 0, 0, 0][..], &[7; 20]].concat();
        let found = ipv6(0, &hop);
        let found = Datagram::of(&found, 68).unwrap();
        assert_eq!((found.len, found.kept), (20, &[7; 20][..]));
        // The first and only fragment is a whole packet.
        let whole = [&[TCP, 0, 0, 0, 0, 0, 0, 9][..], &[7; 20]].concat();
        assert!(Datagram::of(&ipv6(FRAGMENT, &whole), 68).is_some());
        let part = [&[TCP, 0, 0, 1, 0, 0, 0, 9][..], &[7; 20]].concat();
        assert!(Datagram::of(&ipv6(FRAGMENT, &part), 68).is_none());
    }

    #[test]
    fn a_header_that_goes_in_circles_ends() {
        assert!(Datagram::of(&ipv6(0, &[0; 400]), 440).is_none());
    }

    #[test]
    fn a_length_of_zero_means_that_the_card_was_to_cut_it() {
        let mut big = ipv6(TCP, &[7; 20]);
        big[4..6].copy_from_slice(&[0, 0]);
        assert_eq!(Datagram::of(&big, 100_040).unwrap().len, 100_000);
    }
}
