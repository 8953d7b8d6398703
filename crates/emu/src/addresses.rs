//! The addresses of hosts, and the routes of packets between them.
//!
//! Hosts have addresses that are reserved for benchmarks and lead nowhere else: the client of flow n
//! (from 0) is 198.18.0.0 + n + 1, its server 198.19.0.0 + n + 1 (RFC 2544 appendix C.2.2); in IPv6
//! they are 2001:2:0:1:: and 2001:2:0:2:: with the same number (RFC 5180 section 8).

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::frame::version;

/// The end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowEnd {
    /// The end that opens connections.
    Client,
    /// The end that accepts them.
    Server,
}

/// So many flows have addresses of their own.
pub const MOST_FLOWS: usize = 65_534;

impl FlowEnd {
    /// The IPv4 address of this end of a flow.
    pub fn ipv4(self, flow: usize) -> Ipv4Addr {
        let [high, low] = number(flow).to_be_bytes();
        let net = match self {
            Self::Client => 18,
            Self::Server => 19,
        };
        Ipv4Addr::new(198, net, high, low)
    }

    /// The IPv6 address of this end of a flow.
    pub fn ipv6(self, flow: usize) -> Ipv6Addr {
        let net = match self {
            Self::Client => 1,
            Self::Server => 2,
        };
        Ipv6Addr::new(0x2001, 2, 0, net, 0, 0, 0, number(flow))
    }
}

/// Counted from 1; no more than [`MOST_FLOWS`] are made.
fn number(flow: usize) -> u16 {
    u16::try_from(flow + 1).unwrap_or(u16::MAX)
}

/// The flow that a packet between two of our hosts belongs to, and the end that it comes from.
pub(crate) fn sender_of(packet: &[u8]) -> Option<(usize, FlowEnd)> {
    let (from, to) = match version(packet)? {
        4 => (ipv4_end(&packet[12..16])?, ipv4_end(&packet[16..20])?),
        _ => (ipv6_end(&packet[8..24])?, ipv6_end(&packet[24..40])?),
    };
    (from.0 == to.0 && from.1 != to.1).then_some(from)
}

fn ipv4_end(address: &[u8]) -> Option<(usize, FlowEnd)> {
    let end = match address[..2] {
        [198, 18] => FlowEnd::Client,
        [198, 19] => FlowEnd::Server,
        _ => return None,
    };
    Some((flow(address[2], address[3])?, end))
}

fn ipv6_end(address: &[u8]) -> Option<(usize, FlowEnd)> {
    const NET: [u8; 7] = [0x20, 0x01, 0, 2, 0, 0, 0];
    let end = match address[7] {
        1 => FlowEnd::Client,
        2 => FlowEnd::Server,
        _ => return None,
    };
    let ours = address[..7] == NET && address[8..14] == [0; 6];
    ours.then_some((flow(address[14], address[15])?, end))
}

fn flow(high: u8, low: u8) -> Option<usize> {
    usize::from(u16::from_be_bytes([high, low])).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ipv4(from: Ipv4Addr, to: Ipv4Addr) -> Vec<u8> {
        let mut packet = vec![0; 20];
        packet[0] = 0x45;
        packet[12..16].copy_from_slice(&from.octets());
        packet[16..20].copy_from_slice(&to.octets());
        packet
    }

    #[test]
    fn a_packet_between_the_ends_of_a_flow_is_known_in_both_directions() {
        for flow in [0, 1, 254, 255, 300, MOST_FLOWS - 1] {
            let there = ipv4(FlowEnd::Client.ipv4(flow), FlowEnd::Server.ipv4(flow));
            assert_eq!(sender_of(&there), Some((flow, FlowEnd::Client)));
            let mut back = vec![0; 40];
            back[0] = 0x60;
            back[8..24].copy_from_slice(&FlowEnd::Server.ipv6(flow).octets());
            back[24..40].copy_from_slice(&FlowEnd::Client.ipv6(flow).octets());
            assert_eq!(sender_of(&back), Some((flow, FlowEnd::Server)));
        }
    }

    #[test]
    fn packets_to_anywhere_else_have_no_way() {
        let client = FlowEnd::Client.ipv4(0);
        let elsewhere = [
            Ipv4Addr::BROADCAST,
            FlowEnd::Server.ipv4(1),
            FlowEnd::Client.ipv4(0),
            Ipv4Addr::LOCALHOST,
        ];
        for to in elsewhere {
            assert_eq!(sender_of(&ipv4(client, to)), None, "{to}");
        }
        // Router solicitations, which an IPv6 host sends by itself.
        let mut multicast = vec![0; 48];
        (multicast[0], multicast[24]) = (0x60, 0xff);
        assert_eq!(sender_of(&multicast), None);
    }

    #[test]
    fn the_first_flow_has_the_addresses_that_the_manual_names() {
        assert_eq!(FlowEnd::Client.ipv4(0).to_string(), "198.18.0.1");
        assert_eq!(FlowEnd::Server.ipv4(0).to_string(), "198.19.0.1");
        assert_eq!(FlowEnd::Client.ipv6(0).to_string(), "2001:2:0:1::1");
        assert_eq!(FlowEnd::Server.ipv6(0).to_string(), "2001:2:0:2::1");
    }
}
