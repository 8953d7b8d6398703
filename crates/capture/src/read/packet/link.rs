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
    /// Anything else: not read.
    Other,
}

impl From<Linktype> for LinkType {
    fn from(link: Linktype) -> Self {
        match link {
            Linktype::ETHERNET => Self::Ethernet,
            // 12 and 14 are the numbers of "raw IP" of systems that write their own.
            Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 | Linktype(12 | 14) => Self::Ip,
            Linktype::NULL | Linktype::LOOP => Self::Null,
            Linktype::LINUX_SLL => Self::Cooked,
            Linktype::LINUX_SLL2 => Self::Cooked2,
            _ => Self::Other,
        }
    }
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// Tags of 802.1Q, of 802.1ad, and of equipment that stacked tags before it.
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
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
            Self::Other => None,
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
    if kind == IPV4 || kind == IPV6 { packet.get(end..) } else { None }
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
            (LinkType::Cooked, cooked),
            (LinkType::Cooked2, cooked2),
        ] {
            assert_eq!(behind(link, &header), Some(ip.to_vec()), "{link:?} {header:?}");
        }
    }

    #[test]
    fn what_is_not_ip_is_left_out() {
        let arp = [&[0; 12][..], &[8, 6], &[0; 28]].concat();
        assert_eq!(LinkType::Ethernet.network(&arp), None);
        assert_eq!(LinkType::Other.network(&arp), None);
        assert_eq!(LinkType::Ethernet.network(&arp[..13]), None);
        let tags = [&[0; 12][..], &[0x81, 0, 0, 0].repeat(9)].concat();
        assert_eq!(LinkType::Ethernet.network(&tags), None);
    }
}
