//! Segments of the simulation as TCP headers.
//!
//! The simulation counts segments from 0; a capture counts bytes. So a SYN has the sequence number 0, the
//! stream begins at 1, with a handshake or without, and segment n begins at byte n x smss + 1 modulo 2^32.

use etherparse::{TcpHeader, TcpOptionElement};
use westwood_cc::{Ecn, EcnFeedback, Instant};
use westwood_tcp::{AckSegment, Config, DataSegment, SeqRange};

/// The sequence number of a SYN and of its answer.
const INITIAL_SEQ: u32 = 0;
/// The receiver's sequence number after the handshake: it sends no data.
const RECEIVER_SEQ: u32 = 1;
/// The bytes of timestamps in a header. An announced segment size counts them (RFC 6691 section 2).
const TIMESTAMPS_LEN: u64 = 12;

/// The byte stream of one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentStream {
    /// Bytes in a full segment.
    smss: u64,
    timestamps: bool,
    sack: bool,
    /// How marks are told, if ECN is in use.
    feedback: Option<EcnFeedback>,
    /// The receiver's window, shifted, and the shift.
    window: u16,
    shift: u8,
    /// The end of the last segment, if one has been seen that is not full.
    end: Option<StreamEnd>,
}

/// The end of a stream, with a short segment.
#[derive(Clone, Copy, Debug)]
struct StreamEnd {
    /// The segment after the last.
    segment: u64,
    /// The byte after the last.
    byte: u64,
}

impl SegmentStream {
    pub(crate) fn new(config: &Config) -> Self {
        let (window, shift) = shifted_window(config);
        Self {
            smss: config.sizes.payload.get(),
            timestamps: config.timestamps,
            sack: config.recovery.uses_sack(),
            feedback: config.ecn.then_some(config.ecn_feedback),
            window,
            shift,
            end: None,
        }
    }

    /// The first packet of the connection.
    pub(crate) fn syn(&self, ports: (u16, u16), sent_at: Instant) -> TcpHeader {
        let mut tcp = self.opening(ports, sent_at, Instant::ZERO);
        let [ae, cwr, ece] = match self.feedback {
            None => [false; 3],
            // RFC 3168 section 6.1.1. A SYN that asks for accurate ECN sets all three (RFC 9768 section
            // 3.1.1).
            Some(feedback) => [feedback.counts_marks(), true, true],
        };
        (tcp.ns, tcp.cwr, tcp.ece) = (ae, cwr, ece);
        tcp
    }

    /// The answer to a SYN that was sent at `echo` and came with this ECN codepoint. `ports` are the answer's
    /// own source and destination.
    pub(crate) fn syn_ack(&self, ports: (u16, u16), echo: Instant, heard: Ecn) -> TcpHeader {
        // A receiver without a clock of its own shows the time that it echoes.
        let mut tcp = self.opening(ports, echo, echo);
        tcp.ack = true;
        tcp.acknowledgment_number = INITIAL_SEQ + 1;
        let [ae, cwr, ece] = match self.feedback {
            None => [false; 3],
            Some(feedback) if !feedback.counts_marks() => [false, false, true],
            // RFC 9768 section 3.1.2, table 2.
            Some(_) => match heard {
                Ecn::NotEct => [false, true, false],
                Ecn::Ect1 => [false, true, true],
                Ecn::Ect0 => [true, false, false],
                Ecn::Ce => [true, true, false],
            },
        };
        (tcp.ns, tcp.cwr, tcp.ece) = (ae, cwr, ece);
        tcp
    }

    /// A packet that opens the connection, with what is negotiated. Its own window is not shifted (RFC 7323
    /// section 2.2).
    fn opening(&self, ports: (u16, u16), value: Instant, echo: Instant) -> TcpHeader {
        let window = u32::from(self.window) << self.shift;
        let window = u16::try_from(window).unwrap_or(u16::MAX);
        let mut tcp = TcpHeader::new(ports.0, ports.1, INITIAL_SEQ, window);
        tcp.syn = true;
        let room = if self.timestamps { TIMESTAMPS_LEN } else { 0 };
        let mss = u16::try_from(self.smss + room).unwrap_or(u16::MAX);
        let mut options = vec![TcpOptionElement::MaximumSegmentSize(mss)];
        options.extend(self.sack.then_some(TcpOptionElement::SelectiveAcknowledgementPermitted));
        options.extend(self.timestamps.then(|| timestamps(value, echo)));
        options.push(TcpOptionElement::WindowScale(self.shift));
        set_options(&mut tcp, &options);
        tcp
    }

    /// Every segment is full but the last, so this is all there is to learn.
    pub(crate) fn learn(&mut self, segment: &DataSegment) {
        let payload = segment.payload.get();
        if (1..self.smss).contains(&payload) {
            let byte = segment.seq.saturating_mul(self.smss).saturating_add(payload);
            self.end = Some(StreamEnd { segment: segment.seq + 1, byte });
        }
    }

    pub(crate) fn data(&self, ports: (u16, u16), segment: &DataSegment) -> TcpHeader {
        // A probe of a closed window has no data, and the number of the segment's last byte.
        let sequence = match segment.payload.get() {
            0 => self.sequence(segment.seq + 1).wrapping_sub(1),
            _ => self.sequence(segment.seq),
        };
        let mut tcp = TcpHeader::new(ports.0, ports.1, sequence, self.window);
        tcp.acknowledgment_number = RECEIVER_SEQ;
        tcp.ack = true;
        tcp.cwr = segment.cwr;
        if self.timestamps {
            // Data answers nothing, so there is no time to echo.
            set_options(&mut tcp, &[timestamps(segment.sent_at, Instant::ZERO)]);
        }
        tcp
    }

    /// `ports` are those of the ACK's own source and destination.
    pub(crate) fn ack(&self, ports: (u16, u16), ack: &AckSegment) -> TcpHeader {
        let mut tcp = TcpHeader::new(ports.0, ports.1, RECEIVER_SEQ, self.window);
        tcp.acknowledgment_number = self.sequence(ack.ack);
        tcp.ack = true;
        // The ACE field of accurate ECN is these three flags, AE first (RFC 9768 section 3.2.2).
        let ace = ack.options.accurate().map_or(u8::from(ack.ece), |told| told.ace);
        (tcp.ns, tcp.cwr, tcp.ece) = (ace & 4 != 0, ace & 2 != 0, ace & 1 != 0);
        let mut options = Vec::new();
        // A receiver without a clock of its own shows the time that it echoes.
        let clock =
            ack.options.clock().and_then(|ns| u64::try_from(ns).ok()).map(Instant::from_nanos);
        options.extend(ack.echo.map(|echo| timestamps(clock.unwrap_or(echo), echo)));
        options.extend(self.sack(ack, if ack.echo.is_some() { 3 } else { 4 }));
        set_options(&mut tcp, &options);
        tcp
    }

    /// SACK blocks in the order in which they were sent, the report of a duplicate first. With
    /// timestamps there is room for three (RFC 2018 section 3).
    fn sack(&self, ack: &AckSegment, room: usize) -> Option<TcpOptionElement> {
        let edges = |r: SeqRange| (self.sequence(r.start), self.sequence(r.end));
        let mut blocks = ack.options.duplicate().into_iter().chain(ack.options.blocks()).map(edges);
        let first = blocks.next()?;
        let mut rest = [None; 3];
        for (place, block) in rest.iter_mut().take(room - 1).zip(blocks) {
            *place = Some(block);
        }
        Some(TcpOptionElement::SelectiveAcknowledgement(first, rest))
    }

    /// The sequence number on the wire of a segment's first byte.
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    fn sequence(&self, segment: u64) -> u32 {
        let byte = match self.end {
            Some(end) if segment >= end.segment => end.byte,
            _ => segment.saturating_mul(self.smss),
        };
        byte.wrapping_add(1) as u32
    }
}

/// Timestamps count microseconds, modulo 2^32 (RFC 7323 section 5.4 asks for 1 ms to 1 s a tick at
/// least once a window; finer ones show more).
#[expect(clippy::cast_possible_truncation, reason = "timestamps are modulo 2^32")]
fn timestamps(value: Instant, echo: Instant) -> TcpOptionElement {
    let micros = |t: Instant| (t.as_nanos() / 1000) as u32;
    TcpOptionElement::Timestamp(micros(value), micros(echo))
}

/// Options that do not fit are left out, the last first; the callers keep within the 40 bytes.
fn set_options(tcp: &mut TcpHeader, options: &[TcpOptionElement]) {
    for n in (0..=options.len()).rev() {
        if tcp.set_options(&options[..n]).is_ok() {
            return;
        }
    }
}

/// The window field, and the shift with which a window of that many bytes fits (RFC 7323 section
/// 2.3: at most 14). A larger window is shown as the largest.
pub(crate) fn shifted_window(config: &Config) -> (u16, u8) {
    let bytes = config.receive_window.saturating_mul(config.sizes.payload.get());
    let shift = (0..14).find(|s| u16::try_from(bytes >> s).is_ok()).unwrap_or(14);
    (u16::try_from(bytes >> shift).unwrap_or(u16::MAX), shift)
}
