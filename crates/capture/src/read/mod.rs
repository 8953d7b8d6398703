//! Captures of TCP traffic, and what bandwidth estimators make of the ACKs in them.
//!
//! * [`packets`] reads a pcap or pcapng file, packet by packet.
//! * [`Segment`] is the TCP segment in a packet, whatever link it was seen on.
//! * [`Conversations`] sorts segments into [`Transfer`]s: the data that one end of a connection sends,
//!   and the ACKs that answer it.
//! * [`EstimatorReplay`] turns a transfer into the stream of ACKs that its sender heard, runs the
//!   estimators of `westwood-cc` on it, and counts the data delivered.
//!
//! A capture is to be taken at the sender: elsewhere ACKs have other distances than those that a
//! sender would measure. Nothing in a file can make this crate fail but a header that is not that
//! of a capture: parts that are cut off or damaged are left out and reported.

mod accuracy;
mod conversations;
mod copies;
mod delivered_bytes;
mod file;
mod flight;
mod packet;
mod replay;
mod segment_size;
mod sequence;
mod transfer;

pub use accuracy::{Accuracy, accuracy};
pub use conversations::Conversations;
pub use delivered_bytes::DeliveredBytes;
pub use file::{CaptureDamage, CaptureFormatError, CapturedPacket, PacketTime, packets};
pub use packet::{Endpoint, LinkType, READ_LINKS, Segment, TcpOptions, Timestamps};
pub use replay::{EstimateSample, EstimatorReplay, KINDS};
pub use transfer::{CaptureWarning, Transfer};

use std::collections::BTreeMap;
use std::io::Read;

/// The contents of a capture.
#[derive(Debug)]
pub struct Contents {
    /// The transfers, that with the most data first.
    pub transfers: Vec<Transfer>,
    /// Packets read.
    pub packets: u64,
    /// Packets of links that are read which are no TCP segment, or of which too little was kept.
    pub others: u64,
    /// Packets of each link type that is not read, by its number.
    pub unread: BTreeMap<u16, u64>,
    /// The reason why reading ended before the end of the file.
    pub damage: Option<CaptureDamage>,
}

/// Reads a whole capture.
///
/// ```
/// // The header of an empty pcap file: version 2.4, 65535 bytes of each packet, Ethernet.
/// let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// file.extend([0xff, 0xff, 0, 0, 1, 0, 0, 0]);
/// let contents = westwood_capture::read::contents(file.as_slice()).unwrap();
/// assert!(contents.transfers.is_empty() && contents.damage.is_none());
/// assert!(westwood_capture::read::contents(&b"no capture"[..]).is_err());
/// ```
pub fn contents(from: impl Read + Send) -> Result<Contents, CaptureFormatError> {
    let mut conversations = Conversations::default();
    let (mut seen, mut others, mut unread) = (0, 0, BTreeMap::new());
    let damage = packets(from, |packet| {
        seen += 1;
        match (packet.link, Segment::of(packet)) {
            (_, Some(segment)) => conversations.add(packet.time, &segment),
            (LinkType::Other(number), None) => *unread.entry(number).or_default() += 1,
            (_, None) => others += 1,
        }
    })?;
    let transfers = conversations.into_transfers();
    Ok(Contents { transfers, packets: seen, others, unread, damage })
}
