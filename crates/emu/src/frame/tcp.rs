//! TCP segments (RFC 9293 section 3.1), as far as a link that thins ACKs looks into them.

use westwood_net::PureAck;

/// The flags FIN, SYN, RST and URG.
const OTHER_FLAGS: u8 = 0b10_0111;
const ACK: u8 = 0b01_0000;
/// The options that end the list, fill it, and report selectively (RFC 2018).
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const SACK: u8 = 5;
const HEADER: usize = 20;

/// The acknowledgment, if the segment carries one and nothing else.
pub(super) fn pure_ack(segment: &[u8]) -> Option<PureAck> {
    let header: &[u8; HEADER] = segment.first_chunk()?;
    // Without payload the header is the whole segment.
    let length = usize::from(header[12] >> 4) * 4;
    let options = segment.get(HEADER..length)?;
    let flags = header[13];
    if segment.len() != length || flags & ACK == 0 || flags & OTHER_FLAGS != 0 {
        return None;
    }
    let number = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
    Some(PureAck {
        // In the upper half, where the difference of two has the sign of TCP's.
        number: u64::from(number) << 32,
        has_news: reports(options)?,
        // AE, CWR and ECE: the echo of RFC 3168, and the counter of accurate ECN (RFC 9768).
        ecn: (header[12] & 1) << 2 | flags >> 6,
    })
}

/// Whether options have SACK blocks; none if they are malformed.
fn reports(mut options: &[u8]) -> Option<bool> {
    loop {
        options = match options {
            [] | [END, ..] => return Some(false),
            [NO_OPERATION, rest @ ..] => rest,
            [SACK, ..] => return Some(true),
            [_, length, ..] => options.get(usize::from(*length).max(2)..)?,
            [_] => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment that acknowledges 0x0102_0304, with options and payload.
    fn segment(flags: u8, options: &[u8], payload: usize) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[8..12].copy_from_slice(&[1, 2, 3, 4]);
        bytes[12] = u8::try_from((HEADER + options.len()) / 4).unwrap() << 4;
        bytes[13] = flags;
        bytes.extend_from_slice(options);
        bytes.resize(bytes.len() + payload, 0);
        bytes
    }

    #[test]
    fn an_ack_alone_is_told_from_all_that_carry_more() {
        assert_eq!(pure_ack(&segment(ACK, &[], 0)).map(|a| a.number), Some(0x0102_0304 << 32));
        // PSH says nothing without data.
        assert!(pure_ack(&segment(ACK | 8, &[], 0)).is_some());
        assert_eq!(pure_ack(&segment(ACK, &[], 1)), None);
        for flag in [1, 2, 4, 32] {
            assert_eq!(pure_ack(&segment(ACK | flag, &[], 0)), None);
        }
        assert_eq!(pure_ack(&segment(0, &[], 0)), None);
    }

    #[test]
    fn sack_blocks_and_the_echo_of_marks_are_seen() {
        let timestamps = [1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0];
        let sack = [1, 1, 5, 10, 0, 0, 0, 0, 0, 0, 0, 0];
        let news = |options: &[u8]| pure_ack(&segment(ACK, options, 0)).map(|ack| ack.has_news);
        assert_eq!(news(&timestamps), Some(false));
        assert_eq!(news(&sack), Some(true));
        assert_eq!(news(&[timestamps, sack].concat()), Some(true));
        assert_eq!(pure_ack(&segment(ACK | 64, &[], 0)).map(|ack| ack.ecn), Some(1));
    }

    #[test]
    fn what_is_cut_short_is_no_ack() {
        let whole = segment(ACK, &[8, 10, 0, 0], 0);
        for length in 0..=whole.len() {
            assert_eq!(pure_ack(&whole[..length]), None);
        }
    }
}
