//! The headers before the network layer.

use pcap_parser::Linktype;

use super::bytes::u16_at;

/// The kind of the first bytes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// An Ethernet header, with or without VLAN tags.
    Ethernet,
    /// An IPv4 or IPv6 header.
    Ip,
    /// Four bytes of address family: BSD's loopback.
    Null,
    /// Linux's header for the interface `any`.
    Cooked,
    /// The second version of the same.
    Cooked2,
    /// PPP (RFC 1661), with or without the address and control of HDLC.
    Ppp,
    /// PPP over Ethernet, without the header of Ethernet.
    Pppoe,
    /// The number of any other (tcpdump.org/linktypes.html): not read.
    Other(u16),
}

/// The types that are read, in words.
pub const READ_LINKS: &str = "Ethernet, PPP, Linux's 'any', loopback and plain IP";

impl From<Linktype> for LinkType {
    fn from(link: Linktype) -> Self {
        // The field of a pcap file has 16 bits; those above it tell the length of Ethernet's checksum.
        let number = link.0 & 0xffff;
        match Linktype(number) {
            Linktype::ETHERNET => Self::Ethernet,
            // 12 and 14 are the numbers of "raw IP" of systems that write their own.
            Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 | Linktype(12 | 14) => Self::Ip,
            Linktype::NULL | Linktype::LOOP => Self::Null,
            Linktype::LINUX_SLL => Self::Cooked,
            Linktype::LINUX_SLL2 => Self::Cooked2,
            Linktype(9 | 50) => Self::Ppp,
            Linktype(51) => Self::Pppoe,
            _ => Self::Other(u16::try_from(number).unwrap_or(u16::MAX)),
        }
    }
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// Tags of 802.1Q, of 802.1ad, and of equipment that stacked tags before it.
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// A session of PPP over Ethernet (RFC 2516): a header of six bytes, then PPP.
const PPPOE: u16 = 0x8864;
const PPPOE_HEADER: usize = 6;
/// IPv4 and IPv6 in PPP (RFC 1332, RFC 5072).
const PPP_IP: [u16; 2] = [0x0021, 0x0057];
/// More tags than these are nonsense.
const MOST_TAGS: usize = 4;

impl LinkType {
    /// The bytes from the IP header on; none if the payload is not IP.
    pub(crate) fn network(self, packet: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Ip => Some(packet),
            // The family's number differs between systems; the IP header says which version it is.
            Self::Null => packet.get(4..),
            Self::Ethernet => untagged(packet, u16_at(packet, 12)?, 14),
            Self::Cooked => untagged(packet, u16_at(packet, 14)?, 16),
            Self::Cooked2 => untagged(packet, u16_at(packet, 0)?, 20),
            Self::Ppp => ppp(packet),
            Self::Pppoe => ppp(packet.get(PPPOE_HEADER..)?),
            Self::Other(_) => None,
        }
    }
}

/// Steps over VLAN tags, from the header that ends at `end` and says that `kind` follows.
fn untagged(packet: &[u8], mut kind: u16, mut end: usize) -> Option<&[u8]> {
    for _ in 0..=MOST_TAGS {
        if !VLAN.contains(&kind) {
            break;
        }
        kind = u16_at(packet, end + 2)?;
        end += 4;
    }
    match kind {
        IPV4 | IPV6 => packet.get(end..),
        PPPOE => ppp(packet.get(end + PPPOE_HEADER..)?),
        _ => None,
    }
}

/// The bytes behind PPP's protocol field, if that names IP. Both ends may agree to leave out address and
/// control, and the first byte of the field, which is 0 (RFC 1661 section 6.5).
fn ppp(packet: &[u8]) -> Option<&[u8]> {
    let field = packet.strip_prefix(&[0xff, 0x03]).unwrap_or(packet);
    let (protocol, rest) = match *field.first()? {
        short if short & 1 == 1 => (short.into(), field.get(1..)?),
        _ => (u16_at(field, 0)?, field.get(2..)?),
    };
    PPP_IP.contains(&protocol).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_layer_is_found_behind_every_kind_of_link() {
        let ip = [0x45, 1, 2, 3];
        let behind = |link: LinkType, header: &[u8]| {
            let packet = [header, &ip].concat();
            link.network(&packet).map(<[u8]>::to_vec)
        };
        let ethernet = |rest: &[u8]| [&[0; 12], rest].concat();
        let cooked = [&[0; 14][..], &[8, 0]].concat();
        let cooked2 = [&[8, 0][..], &[0; 18]].concat();
        for (link, header) in [
            (LinkType::Ip, vec![]),
            (LinkType::Null, vec![2, 0, 0, 0]),
            (LinkType::Ethernet, ethernet(&[8, 0])),
            (LinkType::Ethernet, ethernet(&[0x81, 0, 0, 7, 8, 0])),
            (LinkType::Ethernet, ethernet(&[0x88, 0xa8, 0, 7, 0x81, 0, 0, 9, 8, 0])),
            (LinkType::Ethernet, ethernet(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 6, 0, 0x21])),
            (LinkType::Pppoe, vec![0x11, 0, 0, 1, 0, 6, 0, 0x57]),
            (LinkType::Ppp, vec![0xff, 3, 0, 0x21]),
            (LinkType::Ppp, vec![0x21]),
            (LinkType::Cooked, cooked),
            (LinkType::Cooked2, cooked2),
        ] {
            assert_eq!(behind(link, &header), Some(ip.to_vec()), "{link:?} {header:?}");
        }
    }

    #[test]
    fn the_length_of_a_checksum_above_the_type_is_not_part_of_it() {
        // Four bytes: two words, and the bit that says so.
        assert_eq!(LinkType::from(Linktype(0x2400_0001)), LinkType::Ethernet);
        assert_eq!(LinkType::from(Linktype(0x2400_0069)), LinkType::Other(105));
    }

    #[test]
    fn what_is_not_ip_is_left_out() {
        let arp = [&[0; 12][..], &[8, 6], &[0; 28]].concat();
        assert_eq!(LinkType::Ethernet.network(&arp), None);
        assert_eq!(LinkType::Other(105).network(&arp), None);
        // The link control protocol of PPP.
        assert_eq!(LinkType::Ppp.network(&[0xff, 3, 0xc0, 0x21, 1, 0, 0, 4]), None);
        assert_eq!(LinkType::Ethernet.network(&arp[..13]), None);
        let tags = [&[0; 12][..], &[0x81, 0, 0, 0].repeat(9)].concat();
        assert_eq!(LinkType::Ethernet.network(&tags), None);
    }
}
