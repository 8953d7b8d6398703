//! Real packets as they are.

use std::borrow::Cow;
use std::io::Write;
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness};

use crate::write::CaptureError;

/// A capture of IP packets, IPv4 and IPv6, at one place.
pub struct RawCapture<W: Write> {
    writer: PcapNgWriter<W>,
    snaplen: u32,
}

impl<W: Write> RawCapture<W> {
    /// Begins a file for a place of this name; of each packet it will keep `snaplen` bytes.
    pub fn new(to: W, place: &str, snaplen: u32) -> Result<Self, CaptureError> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(
                concat!("westwood ", env!("CARGO_PKG_VERSION")).into(),
            )],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(to, section)?;
        writer.write_pcapng_block(InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen,
            options: vec![
                InterfaceDescriptionOption::IfName(place.to_owned().into()),
                // Ten to the minus nine: nanoseconds.
                InterfaceDescriptionOption::IfTsResol(9),
            ],
        })?;
        Ok(Self { writer, snaplen })
    }

    /// Adds a packet of `len` bytes, of which these are the first; `at` is the time since 1970.
    pub fn write(&mut self, at: Duration, packet: &[u8], len: u32) -> Result<(), CaptureError> {
        let kept = packet.len().min(self.snaplen as usize);
        self.writer.write_pcapng_block(EnhancedPacketBlock {
            interface_id: 0,
            timestamp: at,
            original_len: len,
            data: Cow::Borrowed(&packet[..kept]),
            options: vec![],
        })?;
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<(), CaptureError> {
        self.writer.get_mut().flush().map_err(CaptureError::Io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcapng::{Block, PcapNgReader};

    #[test]
    fn packets_come_back_with_their_times_and_cut_to_their_first_bytes() {
        let mut file = Vec::new();
        let mut capture = RawCapture::new(&mut file, "bottleneck", 40).unwrap();
        let at = Duration::new(1_700_000_000, 123_456_789);
        capture.write(at, &[0x45; 30], 30).unwrap();
        capture.write(at, &[0x60; 100], 1_500).unwrap();
        capture.finish().unwrap();
        let mut reader = PcapNgReader::new(&file[..]).unwrap();
        let mut seen = Vec::new();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.unwrap() {
                seen.push((packet.timestamp, packet.data.len(), packet.original_len));
            }
        }
        assert_eq!(seen, [(at, 30, 30), (at, 40, 1_500)]);
    }
}
