//! TCP headers and options.

use super::bytes::{u16_at, u32_at};
use super::ip::Datagram;
use super::segment::{Segment, TcpOptions, Timestamps, ends};

const HEADER: usize = 20;
const END: u8 = 0;
const NOTHING: u8 = 1;
const LARGEST_SEGMENT: u8 = 2;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

pub(super) fn segment(datagram: &Datagram<'_>) -> Option<Segment> {
    let bytes = datagram.kept;
    let header = usize::from(*bytes.get(12)? >> 4) * 4;
    let flags = *bytes.get(13)?;
    // A segment that is shorter than its header is none.
    let payload = datagram.len.checked_sub(header).filter(|_| header >= HEADER)?;
    let ports = (u16_at(bytes, 0)?, u16_at(bytes, 2)?);
    let (from, to) = ends(datagram.from, datagram.to, ports);
    let kept = bytes.len().min(header);
    Some(Segment {
        from,
        to,
        id: datagram.id,
        seq: u32_at(bytes, 4)?,
        ack: u32_at(bytes, 8).filter(|_| flags & 0x10 != 0),
        window: u16_at(bytes, 14)?,
        fin: flags & 0x01 != 0,
        syn: flags & 0x02 != 0,
        rst: flags & 0x04 != 0,
        payload: u32::try_from(payload).unwrap_or(u32::MAX),
        options: bytes.get(HEADER..kept).map(options).unwrap_or_default(),
    })
}

/// Reads options until one makes no sense, or was not kept whole.
fn options(mut bytes: &[u8]) -> TcpOptions {
    let mut found = TcpOptions::default();
    while let Some(&kind) = bytes.first() {
        match kind {
            END => break,
            NOTHING => {
                bytes = &bytes[1..];
                continue;
            }
            _ => {}
        }
        let Some(len) = bytes.get(1).map(|len| usize::from(*len)).filter(|len| *len >= 2) else {
            break;
        };
        let Some(value) = bytes.get(2..len) else { break };
        found.take(kind, value);
        bytes = &bytes[len..];
    }
    found
}

impl TcpOptions {
    fn take(&mut self, kind: u8, value: &[u8]) {
        match kind {
            LARGEST_SEGMENT => self.mss = u16_at(value, 0),
            TIMESTAMPS => {
                let times = u32_at(value, 0).zip(u32_at(value, 4));
                self.timestamps = times.map(|(value, echo)| Timestamps { value, echo });
            }
            SACK => {
                let edges = value.chunks_exact(8);
                self.sack = edges.filter_map(|b| u32_at(b, 0).zip(u32_at(b, 4))).collect();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_up_to_where_they_were_cut() {
        let mut bytes = vec![NOTHING, NOTHING, TIMESTAMPS, 10, 0, 0, 0, 7, 0, 0, 0, 9];
        bytes.extend([SACK, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
        let whole = options(&bytes);
        assert_eq!(whole.timestamps, Some(Timestamps { value: 7, echo: 9 }));
        assert_eq!(whole.sack, [(1, 2)]);
        let cut = options(&bytes[..15]);
        assert_eq!((cut.timestamps, cut.sack), (whole.timestamps, vec![]));
    }

    #[test]
    fn options_without_length_end_the_list() {
        assert_eq!(options(&[9, 0, LARGEST_SEGMENT, 4, 5, 180]), TcpOptions::default());
        assert_eq!(options(&[LARGEST_SEGMENT, 4, 5, 180]).mss, Some(1460));
    }
}
