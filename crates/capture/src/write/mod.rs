//! Simulated packets as capture files that Wireshark opens.
//!
//! A [`Capture`] is a [`Tap`] that writes what it sees at a place into a pcapng file
//! (draft-ietf-opsawg-pcapng): IPv4 packets with TCP sequence and acknowledgment numbers, SACK
//! blocks, timestamps, windows and congestion marks as simulated, and checksums that are right.
//!
//! Values that the simulation does not have are made up, always in the same way: node n has the
//! address 10.0.0.0 + n + 1, with its name in the file; a connection's sender has a port of its
//! own, the receiver's is 5001; payload is zeros; timestamps count microseconds of simulated time,
//! and an ACK shows the time that it echoes as its own. A handshake is a SYN and its answer, which the
//! first data acknowledges; a connection without one begins with its data, and the shift of its window
//! is in the file's comment. Headers are as long as these fields need: a packet's length is its
//! payload's and theirs, even if the scenario counts headers otherwise.

mod frame;
mod raw;
mod stream;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use etherparse::IpEcn;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::name_resolution::{Ipv4Record, NameResolutionBlock, Record};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use westwood_cc::Ecn;
use westwood_sim::{FlowSpec, LinkId, Name, Network, NodeId, Tap, TapContent, TapEvent, TapPoint};
use westwood_tcp::Config;

use frame::{IpHeader, IpPacket, LARGEST_HEADERS, LARGEST_PACKET};
use stream::SegmentStream;

pub use raw::RawCapture;

/// Bytes of each packet that a capture keeps unless told otherwise: all headers and options.
pub const HEADERS_ONLY: u32 = 128;

/// The place of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CapturePoint {
    /// Packets that leave and reach a host, as `tcpdump` there would see them.
    Host(NodeId),
    /// Packets that come off a link, as `tcpdump` at its far end would see them.
    Link(LinkId),
}

impl CapturePoint {
    /// Its name in this network.
    pub fn name(self, network: &Network) -> &str {
        let name = match self {
            Self::Host(node) => network.nodes.get(node),
            Self::Link(link) => network.links.get(link).map(|l| &l.name),
        };
        name.map_or("", Name::as_str)
    }

    /// Whether this is the place, and on which side of the host: bits 0 and 1 of the pcapng flags
    /// word, 1 for inbound, 2 for outbound.
    fn side(self, place: TapPoint) -> Option<u32> {
        match (self, place) {
            (Self::Host(here), TapPoint::Received(node)) if here == node => Some(1),
            (Self::Host(here), TapPoint::Sent(node)) if here == node => Some(2),
            (Self::Link(here), TapPoint::Link(link)) if here == link => Some(0),
            _ => None,
        }
    }
}

/// The reason why there is no capture.
#[derive(Debug)]
pub enum CaptureError {
    /// The place is not in the network.
    NoSuchPlace,
    /// This flow's packets do not fit into IPv4's 16 bits of length.
    TooLarge {
        /// The flow's name.
        flow: String,
        /// The most payload that fits, in bytes.
        most: usize,
    },
    /// The file cannot be written.
    Io(io::Error),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPlace => f.write_str("no such host or link to capture at"),
            Self::TooLarge { flow, most } => write!(
                f,
                "the packets of flow {flow} are too large for a capture: IPv4 carries at most {most} bytes of payload"
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CaptureError {}

impl From<PcapError> for CaptureError {
    fn from(error: PcapError) -> Self {
        Self::Io(match error {
            PcapError::IoError(error) => error,
            other => io::Error::other(other),
        })
    }
}

/// A capture of one run at one place or several, each in a file of its own, written as it happens.
///
/// An error ends the capture, not the run; [`finish`](Self::finish) tells of it.
pub struct Capture<W: Write> {
    files: Vec<File<W>>,
    snaplen: u32,
    flows: Vec<FlowHeaders>,
    /// By [`TapEvent::connection`].
    streams: HashMap<u64, Conversation>,
    packets: u64,
    failed: Option<CaptureError>,
}

/// A packet seen at one place.
struct File<W: Write> {
    point: CapturePoint,
    writer: PcapNgWriter<W>,
}

/// The headers that all packets of a flow share.
struct FlowHeaders {
    source: [u8; 4],
    destination: [u8; 4],
    /// None for datagrams.
    tcp: Option<Config>,
}

/// One connection, or one flow of datagrams.
struct Conversation {
    port: u16,
    /// None for datagrams.
    stream: Option<SegmentStream>,
}

/// The receiver's port: iperf's.
const RECEIVER_PORT: u16 = 5001;
/// Senders' ports: unregistered ones (RFC 6335 section 6), one after the other.
const SENDER_PORTS: std::ops::Range<u64> = 49152..65536;
/// More flows than these are not listed one by one in a file's comment.
const MOST_SCALES: usize = 100;

impl<W: Write> Capture<W> {
    /// Begins a file with the network's names; of each packet it will keep `snaplen` bytes.
    pub fn new(
        to: W,
        network: &Network,
        point: CapturePoint,
        snaplen: u32,
    ) -> Result<Self, CaptureError> {
        let mut capture = Self {
            files: Vec::new(),
            snaplen,
            flows: network.flows.iter().map(FlowHeaders::of).collect::<Result<_, _>>()?,
            streams: HashMap::new(),
            packets: 0,
            failed: None,
        };
        capture.also(to, network, point)?;
        Ok(capture)
    }

    /// Captures the same run at another place too, in a file of its own.
    pub fn also(
        &mut self,
        to: W,
        network: &Network,
        point: CapturePoint,
    ) -> Result<(), CaptureError> {
        let exists = match point {
            CapturePoint::Host(node) => node < network.nodes.len(),
            CapturePoint::Link(link) => link < network.links.len(),
        };
        if !exists {
            return Err(CaptureError::NoSuchPlace);
        }
        let comment = window_scales(network).map(|text| SectionHeaderOption::Comment(text.into()));
        let writer = concat!("westwood ", env!("CARGO_PKG_VERSION"));
        let writer = SectionHeaderOption::UserApplication(writer.into());
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: comment.into_iter().chain([writer]).collect(),
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(to, section)?;
        writer.write_pcapng_block(InterfaceDescriptionBlock {
            linktype: DataLink::IPV4,
            snaplen: self.snaplen,
            options: vec![
                InterfaceDescriptionOption::IfName(point.name(network).to_owned().into()),
                // Ten to the minus nine: nanoseconds.
                InterfaceDescriptionOption::IfTsResol(9),
            ],
        })?;
        writer.write_pcapng_block(names(network))?;
        self.files.push(File { point, writer });
        Ok(())
    }

    /// Ends the capture: how many packets its files hold, or why it ended early.
    pub fn finish(mut self) -> Result<u64, CaptureError> {
        match self.failed {
            Some(error) => Err(error),
            None => self
                .files
                .iter_mut()
                .try_for_each(|file| file.writer.get_mut().flush())
                .map_err(CaptureError::Io)
                .map(|()| self.packets),
        }
    }

    /// Writes a packet into the files of the places where it is seen.
    fn write(&mut self, sighting: &TapEvent) -> Result<(), CaptureError> {
        for i in 0..self.files.len() {
            let Some(side) = self.files[i].point.side(sighting.place) else { continue };
            let Some(frame) = self.frame(sighting) else { return Ok(()) };
            self.files[i].writer.write_pcapng_block(EnhancedPacketBlock {
                interface_id: 0,
                timestamp: Duration::from_nanos(sighting.at.as_nanos()),
                original_len: u32::try_from(frame.len).unwrap_or(u32::MAX),
                data: Cow::Owned(frame.bytes),
                options: if side == 0 { vec![] } else { vec![EnhancedPacketOption::Flags(side)] },
            })?;
            self.packets += 1;
        }
        Ok(())
    }

    fn frame(&self, sighting: &TapEvent) -> Option<IpPacket> {
        let flow = self.flows.get(sighting.flow)?;
        let talk = self.streams.get(&sighting.connection)?;
        let (there, back) = ((talk.port, RECEIVER_PORT), (RECEIVER_PORT, talk.port));
        let snaplen = self.snaplen as usize;
        let envelope = |ecn| IpHeader { source: flow.source, destination: flow.destination, ecn };
        let returned =
            IpHeader { source: flow.destination, destination: flow.source, ecn: IpEcn::NotEct };
        let field = |sent: Ecn| match if sighting.ce { Ecn::Ce } else { sent } {
            Ecn::Ce => IpEcn::CongestionExperienced,
            Ecn::Ect0 => IpEcn::Ect0,
            Ecn::Ect1 => IpEcn::Ect1,
            Ecn::NotEct => IpEcn::NotEct,
        };
        // A datagram's size is all of it.
        let datagram = usize::try_from(sighting.size.get()).ok()?.saturating_sub(28);
        match (&sighting.carries, &talk.stream) {
            (TapContent::Data(segment), Some(stream)) => {
                let payload = usize::try_from(segment.payload.get()).ok()?;
                envelope(field(segment.ecn)).tcp(stream.data(there, segment), payload, snaplen)
            }
            (&TapContent::Syn { sent_at, ecn }, Some(stream)) => {
                envelope(field(ecn)).tcp(stream.syn(there, sent_at), 0, snaplen)
            }
            (&TapContent::SynAck { echo, heard, ecn }, Some(stream)) => {
                IpHeader { ecn: field(ecn), ..returned }.tcp(
                    stream.syn_ack(back, echo, heard),
                    0,
                    snaplen,
                )
            }
            (TapContent::Ack(ack), Some(stream)) => returned.tcp(stream.ack(back, ack), 0, snaplen),
            (TapContent::Datagram, None) => envelope(IpEcn::NotEct).udp(there, datagram, snaplen),
            (TapContent::Report, None) => returned.udp(back, datagram, snaplen),
            _ => None,
        }
    }
}

impl<W: Write> Tap for Capture<W> {
    fn sees(&mut self, sighting: &TapEvent) {
        let Some(flow) = self.flows.get(sighting.flow).filter(|_| self.failed.is_none()) else {
            return;
        };
        let known = self.streams.len() as u64;
        let talk = self.streams.entry(sighting.connection).or_insert_with(|| Conversation {
            port: sender_port(known),
            stream: flow.tcp.as_ref().map(SegmentStream::new),
        });
        // Wherever the capture is taken, the sender's end of a stream tells where it ends.
        if let (TapContent::Data(segment), Some(stream)) = (&sighting.carries, &mut talk.stream) {
            stream.learn(segment);
        }
        if let Err(error) = self.write(sighting) {
            self.failed = Some(error);
        }
    }
}

impl FlowHeaders {
    fn of(spec: &FlowSpec) -> Result<Self, CaptureError> {
        let tcp = spec.traffic.tcp().map(|tcp| tcp.config);
        let payload = tcp.map_or(spec.traffic.largest_packet(), |config| config.sizes.payload);
        let most = LARGEST_PACKET - LARGEST_HEADERS;
        if payload.get() > most as u64 {
            return Err(CaptureError::TooLarge { flow: spec.name.to_string(), most });
        }
        Ok(Self { source: address(spec.from), destination: address(spec.to), tcp })
    }
}

/// Whether a flow's packets can be captured: they must fit into IPv4.
pub fn check(flow: &FlowSpec) -> Result<(), CaptureError> {
    FlowHeaders::of(flow).map(|_| ())
}

#[expect(clippy::cast_possible_truncation, reason = "a remainder of 16384 fits")]
fn sender_port(connection: u64) -> u16 {
    let ports = SENDER_PORTS.end - SENDER_PORTS.start;
    (SENDER_PORTS.start + connection % ports) as u16
}

/// Node n's address: 10.0.0.0/8, from 10.0.0.1 on.
fn address(node: NodeId) -> [u8; 4] {
    let [_, a, b, c] = u32::try_from(node + 1).unwrap_or(u32::MAX).to_be_bytes();
    [10, a, b, c]
}

/// The nodes that are the end of a flow, and their addresses.
fn names(network: &Network) -> NameResolutionBlock<'_> {
    let mut hosts: Vec<_> = network.flows.iter().flat_map(|f| [f.from, f.to]).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let mut records: Vec<_> = hosts
        .into_iter()
        .filter_map(|node| {
            let names = vec![Cow::Borrowed(network.nodes.get(node)?.as_str())];
            Some(Record::Ipv4(Ipv4Record { ip_addr: address(node).to_vec().into(), names }))
        })
        .collect();
    records.push(Record::End);
    NameResolutionBlock { records, options: vec![] }
}

/// The shifts of the windows of flows without a handshake, which would tell them; none if there is no such
/// flow.
fn window_scales(network: &Network) -> Option<String> {
    let scale = |flow: &FlowSpec| {
        let tcp = flow.traffic.tcp().filter(|_| !flow.handshake)?;
        Some(format!("{} {}", flow.name, stream::shifted_window(&tcp.config).1))
    };
    let mut scales: Vec<_> = network.flows.iter().filter_map(scale).take(MOST_SCALES + 1).collect();
    if scales.is_empty() {
        return None;
    }
    if scales.len() > MOST_SCALES {
        scales[MOST_SCALES] = "and so on".into();
    }
    let comment = format!("No handshakes. Window scale: {}.", scales.join(", "));
    // An option's length has 16 bits, and a character at most four bytes.
    Some(comment.chars().take(usize::from(u16::MAX) / 4).collect())
}
