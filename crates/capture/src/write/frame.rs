//! Bytes of an IPv4 packet.

use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, UdpHeader};

/// The largest IPv4 packet (RFC 791: a total length of 16 bits).
pub(crate) const LARGEST_PACKET: usize = u16::MAX as usize;
/// IPv4, TCP and all its options: what a payload leaves room for at worst.
pub(crate) const LARGEST_HEADERS: usize = Ipv4Header::MIN_LEN + TcpHeader::MAX_LEN;

/// Payload is all zeros: the simulation carries none. Zeros also leave a checksum as it is.
static PAYLOAD: [u8; LARGEST_PACKET] = [0; LARGEST_PACKET];

/// Source, destination and congestion mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IpHeader {
    pub(crate) source: [u8; 4],
    pub(crate) destination: [u8; 4],
    pub(crate) ecn: IpEcn,
}

/// An IPv4 packet: its first bytes, and how long it is in all.
#[derive(Debug)]
pub(crate) struct IpPacket {
    pub(crate) bytes: Vec<u8>,
    pub(crate) len: usize,
}

impl IpHeader {
    /// A TCP segment with `payload` bytes of data, of which at most `snaplen` bytes are written.
    pub(crate) fn tcp(
        self,
        mut tcp: TcpHeader,
        payload: usize,
        snaplen: usize,
    ) -> Option<IpPacket> {
        let ip = self.ip(IpNumber::TCP, tcp.header_len() + payload)?;
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, PAYLOAD.get(..payload)?).ok()?;
        Some(frame(&ip, &tcp.to_bytes(), payload, snaplen))
    }

    /// A datagram with `payload` bytes of data.
    pub(crate) fn udp(self, ports: (u16, u16), payload: usize, snaplen: usize) -> Option<IpPacket> {
        let ip = self.ip(IpNumber::UDP, UdpHeader::LEN + payload)?;
        let data = PAYLOAD.get(..payload)?;
        let udp = UdpHeader::with_ipv4_checksum(ports.0, ports.1, &ip, data).ok()?;
        Some(frame(&ip, &udp.to_bytes(), payload, snaplen))
    }

    fn ip(self, protocol: IpNumber, len: usize) -> Option<Ipv4Header> {
        let len = u16::try_from(len).ok()?;
        let mut ip = Ipv4Header::new(len, 64, protocol, self.source, self.destination).ok()?;
        ip.ecn = self.ecn;
        ip.header_checksum = ip.calc_header_checksum();
        Some(ip)
    }
}

fn frame(ip: &Ipv4Header, transport: &[u8], payload: usize, snaplen: usize) -> IpPacket {
    let mut bytes = ip.to_bytes().to_vec();
    bytes.extend_from_slice(transport);
    let len = bytes.len() + payload;
    bytes.resize(len.min(snaplen), 0);
    IpPacket { bytes, len }
}
