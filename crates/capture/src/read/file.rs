//! Packets of a pcap or pcapng file.

use std::fmt;
use std::io::Read;

use pcap_parser::pcapng::Block;
use pcap_parser::traits::{PcapNGPacketBlock as _, PcapReaderIterator};
use pcap_parser::{
    InterfaceDescriptionBlock, PcapBlockOwned, PcapError, PcapHeader, create_reader,
};
use westwood_cc::{Duration, Instant};

use crate::read::packet::LinkType;

/// The bytes read at a time. The first block must fit: pcapng allows it options of 64 KiB each.
const BUFFER: usize = 1 << 18;
/// The largest block that is believed: four of the largest packets that `tcpdump` keeps.
const LARGEST_BLOCK: usize = 1 << 20;
const NANOS: u128 = 1_000_000_000;
/// Processors that write packets out of order do so within a millisecond or two.
const DISORDER: Duration = Duration::from_millis(5);
/// NTP sets a clock that is 128 ms off and slews a smaller error (RFC 5905, STEPT); the time since the last
/// packet hides a part of it.
const CLOCK_SET: Duration = Duration::from_millis(100);

/// The time of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketTime {
    /// Nanoseconds since 1970, or since the beginning of the file's clock. Never before the packet that
    /// stands before it in the file: a clock that is set back goes on from there.
    pub at: Instant,
    /// How far the times in the file have gone back so far, in steps of more than 5 ms.
    pub set_back: Duration,
}

/// A packet as it was captured.
#[derive(Clone, Copy, Debug)]
pub struct CapturedPacket<'a> {
    /// Its time.
    pub time: PacketTime,
    /// The kind of its first bytes.
    pub link: LinkType,
    /// The bytes that were kept.
    pub data: &'a [u8],
    /// Its length on the wire, in bytes.
    pub wire_len: u32,
}

/// The reason why nothing of a file can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureFormatError {
    /// It does not begin like a pcap or pcapng file.
    Unrecognized,
    /// It is empty.
    Empty,
    /// The system cannot read it.
    Unreadable,
}

impl fmt::Display for CaptureFormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unrecognized => "is neither a pcap nor a pcapng file",
            Self::Empty => "is empty",
            Self::Unreadable => "cannot be read",
        })
    }
}

impl std::error::Error for CaptureFormatError {}

/// The reason why reading ended before the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureDamage {
    /// The file ends within a packet.
    CutOff,
    /// The rest makes no sense, or cannot be read.
    Nonsense,
}

impl fmt::Display for CaptureDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CutOff => "the file ends within a packet; what came before it was read",
            Self::Nonsense => "the file is damaged; what came before the damage was read",
        })
    }
}

/// Shows every packet of a file, in its order, to `see`. Answers what ended it early, if anything did.
pub fn packets(
    from: impl Read + Send,
    mut see: impl FnMut(&CapturedPacket<'_>),
) -> Result<Option<CaptureDamage>, CaptureFormatError> {
    let mut reader = create_reader(BUFFER, from).map_err(|error| match error {
        PcapError::Eof => CaptureFormatError::Empty,
        PcapError::ReadError => CaptureFormatError::Unreadable,
        _ => CaptureFormatError::Unrecognized,
    })?;
    let mut state = ReaderState::default();
    let mut capacity = BUFFER;
    let in_blocks = reader.data().starts_with(&SECTION);
    loop {
        if in_blocks && is_too_short(reader.data()) {
            return Ok(Some(CaptureDamage::Nonsense));
        }
        match reader.next() {
            Ok((len, block)) => {
                if let Some(packet) = state.packet(&block) {
                    see(&packet);
                }
                reader.consume(len);
            }
            Err(PcapError::Eof) => return Ok(None),
            Err(PcapError::Incomplete(_) | PcapError::BufferTooSmall) => {
                if let Some(damage) = read_on(reader.as_mut(), &mut capacity) {
                    return Ok(Some(damage));
                }
            }
            Err(PcapError::UnexpectedEof) => return Ok(Some(CaptureDamage::CutOff)),
            Err(_) => return Ok(Some(CaptureDamage::Nonsense)),
        }
    }
}

/// The beginning of a pcapng file.
const SECTION: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// A block's type, and its length twice.
const LEAST_BLOCK: u32 = 12;

/// True if the next block says that it is shorter than any is, for which not all of the parser is made. In
/// the other byte order such a length is of 16 MiB and more.
fn is_too_short(data: &[u8]) -> bool {
    let length = data.get(4..8).and_then(|bytes| bytes.first_chunk().copied());
    length.is_some_and(|length| {
        u32::from_le_bytes(length) < LEAST_BLOCK || u32::from_be_bytes(length) < LEAST_BLOCK
    })
}

/// Reads more of a file, into a larger buffer if the present one is full.
fn read_on(reader: &mut dyn PcapReaderIterator, capacity: &mut usize) -> Option<CaptureDamage> {
    if reader.reader_exhausted() {
        return Some(CaptureDamage::CutOff);
    }
    let before = reader.data().len();
    if reader.refill().is_err() {
        return Some(CaptureDamage::Nonsense);
    }
    if reader.data().len() > before || reader.reader_exhausted() {
        return None;
    }
    *capacity *= 2;
    let grown = *capacity <= LARGEST_BLOCK && reader.grow(*capacity);
    (!grown).then_some(CaptureDamage::Nonsense)
}

/// The clock of an interface, and its link type.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: LinkType,
    /// Ticks a second.
    resolution: u64,
    /// Seconds to add.
    offset_s: i64,
    snaplen: u32,
}

impl Interface {
    fn of_file(header: &PcapHeader) -> Self {
        let resolution = if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 };
        Self { link: header.network.into(), resolution, offset_s: 0, snaplen: header.snaplen }
    }

    fn of_block(block: &InterfaceDescriptionBlock<'_>) -> Self {
        let exponent = u32::from(block.if_tsresol & 0x7f);
        // The top bit says whether ticks are powers of two or of ten; nonsense counts as the default.
        let ticks = match block.if_tsresol & 0x80 {
            0 => 10_u64.checked_pow(exponent),
            _ => 1_u64.checked_shl(exponent),
        };
        Self {
            link: block.linktype.into(),
            resolution: ticks.unwrap_or(1_000_000),
            offset_s: block.if_tsoffset,
            snaplen: block.snaplen,
        }
    }

    /// A time in nanoseconds; what lies outside of 64 bits is brought to their end.
    fn nanos(&self, ticks: u64) -> u64 {
        let since = i128::from(ticks) * NANOS.cast_signed() / i128::from(self.resolution.max(1));
        let nanos = since + i128::from(self.offset_s) * NANOS.cast_signed();
        u64::try_from(nanos.max(0)).unwrap_or(u64::MAX)
    }
}

/// The state from earlier blocks that a packet needs.
#[derive(Debug, Default)]
struct ReaderState {
    /// Of the present section; a pcap file has one.
    interfaces: Vec<Interface>,
    clock: CaptureClock,
}

impl ReaderState {
    fn packet<'b>(&mut self, block: &'b PcapBlockOwned<'_>) -> Option<CapturedPacket<'b>> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => {
                self.interfaces = vec![Interface::of_file(header)];
                None
            }
            PcapBlockOwned::Legacy(packet) => {
                let interface = *self.interfaces.first()?;
                let ticks = u64::from(packet.ts_sec)
                    .saturating_mul(interface.resolution)
                    .saturating_add(packet.ts_usec.into());
                let time = self.clock.time(interface.nanos(ticks));
                let data = packet.data.get(..packet.caplen as usize).unwrap_or(packet.data);
                Some(CapturedPacket { time, link: interface.link, data, wire_len: packet.origlen })
            }
            PcapBlockOwned::NG(block) => self.packet_of_block(block),
        }
    }

    fn packet_of_block<'b>(&mut self, block: &'b Block<'_>) -> Option<CapturedPacket<'b>> {
        match block {
            Block::SectionHeader(_) => self.interfaces.clear(),
            Block::InterfaceDescription(block) => {
                self.interfaces.push(Interface::of_block(block));
            }
            Block::EnhancedPacket(packet) => {
                let interface = *self.interfaces.get(packet.if_id as usize)?;
                let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
                let time = self.clock.time(interface.nanos(ticks));
                let (data, wire_len) = (packet.packet_data(), packet.origlen);
                return Some(CapturedPacket { time, link: interface.link, data, wire_len });
            }
            Block::SimplePacket(packet) => {
                // It has no time: that of the packet before it is the best guess.
                let interface = self.interfaces.first()?;
                let snaplen = if interface.snaplen == 0 { u32::MAX } else { interface.snaplen };
                let kept = packet.origlen.min(snaplen) as usize;
                let data = packet.data.get(..kept).unwrap_or(packet.data);
                return Some(CapturedPacket {
                    time: self.clock.present(),
                    link: interface.link,
                    data,
                    wire_len: packet.origlen,
                });
            }
            _ => {}
        }
        None
    }
}

/// Times that never go back, of those in a file.
#[derive(Clone, Copy, Debug, Default)]
struct CaptureClock {
    /// The latest time, in nanoseconds.
    latest: u64,
    /// Nanoseconds by which the clock was set back.
    shift: u64,
    set_back: Duration,
}

impl CaptureClock {
    fn time(&mut self, nanos: u64) -> PacketTime {
        let shifted = nanos.saturating_add(self.shift);
        let behind = Duration::from_nanos(self.latest.saturating_sub(shifted));
        if behind > DISORDER {
            self.set_back += behind;
        }
        // A packet out of order has the time of the one before it. Time goes on from a clock that was set.
        if behind >= CLOCK_SET {
            self.shift = self.shift.saturating_add(behind.as_nanos());
        }
        self.latest = self.latest.max(shifted);
        self.present()
    }

    fn present(&self) -> PacketTime {
        PacketTime { at: Instant::from_nanos(self.latest), set_back: self.set_back }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(resolution: u64, offset_s: i64) -> Interface {
        Interface { link: LinkType::Ethernet, resolution, offset_s, snaplen: 0 }
    }

    #[test]
    fn ticks_of_any_length_become_nanoseconds() {
        assert_eq!(interface(1_000_000, 0).nanos(1_500_000), 1_500_000_000);
        assert_eq!(interface(1 << 10, 0).nanos(512), 500_000_000);
        assert_eq!(interface(1_000, 2).nanos(1), 2_001_000_000);
    }

    #[test]
    fn times_outside_of_64_bits_are_brought_to_their_end() {
        assert_eq!(interface(1, 0).nanos(u64::MAX), u64::MAX);
        assert_eq!(interface(1, i64::MIN).nanos(5), 0);
    }

    #[test]
    fn packets_out_of_order_never_go_back_in_time() {
        let mut clock = CaptureClock::default();
        assert_eq!(clock.time(7), clock.time(3));
        let ms = |ms: u64| 1_000_000 * ms;
        let times = [500, 480, 520].map(|at| clock.time(ms(at)));
        assert_eq!(times.map(|time| time.at.as_nanos()), [500, 500, 520].map(ms));
        assert_eq!(times.map(|time| time.set_back.as_nanos()), [0, 20, 20].map(ms));
    }

    #[test]
    fn a_clock_that_is_set_back_goes_on_from_there() {
        let mut clock = CaptureClock::default();
        let times = [9_000, 5_000, 5_100, 5_300, 200, 300].map(|ms| clock.time(1_000_000 * ms));
        let millis = times.map(|time| time.at.as_nanos() / 1_000_000);
        assert_eq!(millis, [9_000, 9_000, 9_100, 9_300, 9_300, 9_400]);
        assert_eq!(times[5].set_back, Duration::from_millis(9_100));
    }

    #[test]
    fn what_is_no_capture_is_refused() {
        let seen = |bytes: &'static [u8]| packets(bytes, |_| unreachable!("no packet"));
        assert_eq!(seen(b""), Err(CaptureFormatError::Empty));
        assert_eq!(
            seen(b"time,rate\n1,2\n and more than 24 bytes"),
            Err(CaptureFormatError::Unrecognized)
        );
    }
}
