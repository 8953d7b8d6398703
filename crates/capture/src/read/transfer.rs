//! The data that one end of a connection sends, and the ACKs that it hears.

use std::collections::VecDeque;
use std::fmt;

use westwood_cc::{Bytes, Duration, Instant};

use crate::read::copies::PASSAGE;
use crate::read::file::PacketTime;
use crate::read::packet::{Endpoint, Segment};
use crate::read::segment_size::PayloadSizes;
use crate::read::sequence::SequenceUnwrapper;

/// Shorter handshakes are the work of the hosts, and do not tell where a capture was taken.
const A_PATHS: Duration = Duration::from_millis(1);

/// A doubt about a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureWarning {
    /// Data is answered sooner than half of the handshake's round-trip time: the capture was taken
    /// nearer to the receiver than to the sender.
    NotAtSender {
        /// The shortest time from data to its ACK.
        answered: Duration,
        /// The time that the handshake took.
        handshake: Duration,
    },
    /// No ACK of the transfer is there: the capture shows one direction.
    NoAcks,
    /// Data is answered sooner than a path takes, and no handshake shows where the capture was taken.
    AnsweredAtOnce {
        /// The shortest time from data to its ACK.
        answered: Duration,
    },
    /// The times of the file go back while the connection lasts.
    ClockBack {
        /// By how much, in all.
        set_back: Duration,
    },
    /// Packets of its connection are in the capture more than once.
    Copies {
        /// The number of packets beside the first of each.
        packets: u64,
    },
    /// Most of the data comes twice within a moment, in packets of other sizes.
    CutAnew {
        /// The number of bytes that came again.
        bytes: u64,
    },
    /// ACKs came for data that the capture does not show: it has lost packets.
    Gaps {
        /// The number of bytes.
        bytes: u64,
    },
}

impl fmt::Display for CaptureWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAtSender { answered, handshake } => write!(
                f,
                "data is answered within {answered} where the handshake took {handshake}: the capture \
                 was not taken at the sender, and the estimates are not those a sender would make"
            ),
            Self::NoAcks => f.write_str(
                "no ACK of it is in the capture, which shows one direction alone: nothing can be estimated",
            ),
            Self::AnsweredAtOnce { answered } => write!(
                f,
                "data is answered within {answered}, and the capture shows no handshake to compare with: it \
                 was probably taken at the receiver, and the estimates are not those a sender would make"
            ),
            Self::ClockBack { set_back } => write!(
                f,
                "the times of the capture go back by {set_back} while the connection lasts: its clock was set, or \
                 its packets are out of order, and rates and round-trip times near there are wrong"
            ),
            Self::Copies { packets } => {
                let copies = if *packets == 1 { "copy" } else { "copies" };
                write!(
                    f,
                    "the capture has packets of its connection more than once ({packets} {copies}), as the \
                     interface 'any' of a bridge or of a host of containers shows them: each counts once"
                )
            }
            Self::CutAnew { bytes } => write!(
                f,
                "most of its data is in the capture twice, in packets of other sizes ({bytes} bytes), as \
                 interfaces before and after the cut to the path's packets show it (segmentation offload): \
                 they count as resent, and the estimates are wrong; capture on one interface"
            ),
            Self::Gaps { bytes } => write!(
                f,
                "{bytes} bytes were acknowledged that the capture does not show: it has lost packets"
            ),
        }
    }
}

/// The facts that the opening of a connection reveals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Handshake {
    opened: Option<Instant>,
    answered: bool,
    /// From the SYN to the ACK that completes the handshake. It is one round-trip time wherever the
    /// capture was taken.
    took: Option<Duration>,
    /// The smaller of the announced segment sizes.
    mss: Option<u16>,
}

impl Handshake {
    pub(crate) fn take(&mut self, at: Instant, segment: &Segment) {
        if segment.syn {
            self.mss = match (self.mss, segment.options.mss) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            match segment.ack {
                // A SYN that is repeated makes the handshake longer than a round trip.
                None => self.opened = Some(at),
                Some(_) => self.answered = true,
            }
        } else if self.answered && self.took.is_none() {
            self.took = self.opened.map(|opened| at.since(opened));
        }
    }
}

/// Something that the sender did or heard.
#[derive(Clone, Debug)]
pub(crate) enum TransferEvent {
    /// It sent these bytes, counted from the first of the stream.
    Sent {
        time: PacketTime,
        start: u64,
        end: u64,
        /// Its timestamp.
        value: Option<u32>,
    },
    /// It heard an ACK that is news, or a duplicate in the sense of RFC 5681 section 2.
    Heard {
        time: PacketTime,
        ack: u64,
        /// The timestamp that it echoes.
        echo: Option<u32>,
        sack: Box<[(u64, u64)]>,
    },
}

/// The data that one end of a connection sends, as a capture shows it.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// The sender.
    pub from: Endpoint,
    /// The receiver.
    pub to: Endpoint,
    pub(crate) events: Vec<TransferEvent>,
    numbers: SequenceUnwrapper,
    handshake: Handshake,
    sizes: PayloadSizes,
    timestamps: bool,
    /// The byte after the last one sent, and after the last one acknowledged.
    snd_max: u64,
    snd_una: u64,
    /// The greatest ACK heard, as an offset from the first byte: negative where the capture begins within
    /// the connection.
    greatest_ack: Option<i64>,
    /// The end of the stream, once that is known.
    end: Option<u64>,
    /// The window field of the last ACK.
    window: Option<u16>,
    /// Bytes acknowledged that were not seen to be sent.
    unseen: u64,
    resent: u64,
    /// The data of the last moment, and the bytes that came again in it in other packets.
    recent: VecDeque<(Instant, u64, u64)>,
    cut_anew: u64,
    /// Packets of the connection that repeat one.
    copies: u64,
    /// How far the capture's clock had been set back by the connection's first packet, and by its last.
    clock: Option<(Duration, Duration)>,
}

impl Transfer {
    pub(crate) fn new(from: Endpoint, to: Endpoint) -> Self {
        Self {
            from,
            to,
            events: Vec::new(),
            numbers: SequenceUnwrapper::default(),
            handshake: Handshake::default(),
            sizes: PayloadSizes::default(),
            timestamps: false,
            snd_max: 0,
            snd_una: 0,
            greatest_ack: None,
            end: None,
            window: None,
            unseen: 0,
            resent: 0,
            recent: VecDeque::new(),
            cut_anew: 0,
            copies: 0,
            clock: None,
        }
    }

    /// Adds the facts of the connection: its handshake, and the packets that repeat one.
    pub(crate) fn with(self, handshake: Handshake, copies: u64) -> Self {
        Self { handshake, copies, ..self }
    }

    /// Takes in a segment that this end sent.
    pub(crate) fn sent(&mut self, time: PacketTime, segment: &Segment) {
        self.follow(time);
        if segment.syn {
            self.numbers.begin(segment.seq.wrapping_add(1));
            return;
        }
        if segment.payload == 0 && !segment.fin {
            return;
        }
        let start = self.within(segment.seq);
        let end = self.within(segment.seq.wrapping_add(segment.payload)).max(start);
        if segment.fin {
            self.end = Some(self.end.map_or(end, |known| known.max(end)));
        }
        if end == start {
            return;
        }
        self.timestamps |= segment.options.timestamps.is_some();
        self.sizes.add(segment.payload);
        let again = self.snd_max.min(end).saturating_sub(start);
        self.resent += again;
        self.cut_anew += if self.is_cut_anew(time.at, start, end) { again } else { 0 };
        self.snd_max = self.snd_max.max(end);
        let value = segment.options.timestamps.map(|times| times.value);
        self.events.push(TransferEvent::Sent { time, start, end, value });
    }

    /// Takes in data; true if some of it came just before, in a packet with other ends.
    fn is_cut_anew(&mut self, at: Instant, start: u64, end: u64) -> bool {
        while self.recent.front().is_some_and(|(seen, ..)| at.since(*seen) > PASSAGE) {
            self.recent.pop_front();
        }
        let other = |&&(_, from, to): &&(Instant, u64, u64)| {
            from < end && start < to && (from, to) != (start, end)
        };
        let found = self.recent.iter().rev().any(|seen| other(&seen));
        self.recent.push_back((at, start, end));
        found
    }

    /// Takes in a segment that this end heard.
    pub(crate) fn heard(&mut self, time: PacketTime, segment: &Segment) {
        self.follow(time);
        let Some(ack) = segment.ack.filter(|_| !segment.syn && !segment.rst && self.has_data())
        else {
            return;
        };
        // The ACK of a FIN is one higher than that of the data before it.
        let end = self.end.map_or(i64::MAX, u64::cast_signed);
        let offset = self.numbers.offset(ack).min(end);
        let greatest = self.greatest_ack.replace(self.greatest_ack.unwrap_or(offset).max(offset));
        let window = self.window.replace(segment.window);
        // An ACK below the stream's first byte answers data before the capture.
        let Ok(ack) = u64::try_from(offset) else { return };
        // A stream that is seen from its first byte on begins with nothing acknowledged.
        let repeated = greatest.unwrap_or(0) == offset;
        if ack <= self.snd_una && !(repeated && self.is_duplicate(window, segment)) {
            return;
        }
        if ack > self.snd_max {
            self.unseen += ack - self.snd_max;
            self.snd_max = ack;
        }
        self.snd_una = self.snd_una.max(ack);
        let blocks = segment.options.sack.iter();
        let sack = blocks.map(|&(a, b)| (self.within(a), self.within(b))).collect();
        let echo = segment.options.timestamps.map(|times| times.echo);
        self.events.push(TransferEvent::Heard { time, ack, echo, sack });
    }

    fn follow(&mut self, time: PacketTime) {
        let first = self.clock.map_or(time.set_back, |(first, _)| first);
        self.clock = Some((first, time.set_back));
    }

    /// The offset of a number from the stream's first byte; 0 for those before it.
    fn within(&mut self, number: u32) -> u64 {
        u64::try_from(self.numbers.offset(number)).unwrap_or(0)
    }

    /// True if an ACK whose number equals the greatest one received is a duplicate. RFC 5681 section 2: no
    /// data, something outstanding, the window as it was; or news of selective acknowledgment.
    fn is_duplicate(&self, window: Option<u16>, segment: &Segment) -> bool {
        let outstanding = self.snd_max > self.snd_una;
        let bare = segment.payload == 0 && !segment.fin && window == Some(segment.window);
        !segment.options.sack.is_empty() || (outstanding && bare)
    }

    /// True if data was seen.
    pub fn has_data(&self) -> bool {
        self.sizes.any()
    }

    /// Bytes of data sent, each counted once.
    pub fn bytes(&self) -> u64 {
        self.snd_max
    }

    /// Bytes sent again, over all bytes sent.
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    pub fn resent_share(&self) -> f64 {
        self.resent as f64 / (self.snd_max + self.resent).max(1) as f64
    }

    /// The sender's segment size, in bytes of payload: the one of the handshake, less the bytes of
    /// timestamps; without a handshake, the one that the sizes of the packets suggest.
    pub fn smss(&self) -> Bytes {
        let room = if self.timestamps { 12 } else { 0 };
        let agreed = self.handshake.mss.map(|mss| u32::from(mss).saturating_sub(room));
        // A path may take less than the handshake agreed upon.
        let size = agreed.filter(|size| *size > 0 && self.sizes.largest() >= *size);
        Bytes::new(size.unwrap_or_else(|| self.sizes.usual()).max(1).into())
    }

    /// The times of the first data and of the last event; none without data.
    pub fn span(&self) -> Option<(Instant, Instant)> {
        Some((self.events.first()?.at(), self.events.last()?.at()))
    }

    /// The doubts about the estimates. `answered` is the shortest round trip found.
    pub fn doubts(&self, answered: Option<Duration>) -> Vec<CaptureWarning> {
        let mut doubts = Vec::new();
        if !self.events.iter().any(|event| matches!(event, TransferEvent::Heard { .. })) {
            doubts.push(CaptureWarning::NoAcks);
        }
        let set_back = self.clock.map_or(Duration::ZERO, |(first, last)| last - first);
        if set_back.is_zero() {
            doubts.extend(answered.and_then(|answered| self.misplaced(answered)));
        } else {
            // Spans of such a clock do not show where the capture was taken.
            doubts.push(CaptureWarning::ClockBack { set_back });
        }
        if self.copies > 0 {
            doubts.push(CaptureWarning::Copies { packets: self.copies });
        }
        // Retransmissions of a short path are cut anew as well, but not most of the data.
        if 2 * self.cut_anew > self.snd_max {
            doubts.push(CaptureWarning::CutAnew { bytes: self.cut_anew });
        }
        if self.unseen > 0 {
            doubts.push(CaptureWarning::Gaps { bytes: self.unseen });
        }
        doubts
    }

    /// The doubt that a capture was taken at the sender.
    fn misplaced(&self, answered: Duration) -> Option<CaptureWarning> {
        match self.handshake.took {
            None if answered < A_PATHS => Some(CaptureWarning::AnsweredAtOnce { answered }),
            Some(handshake) if handshake >= A_PATHS && answered < handshake / 2 => {
                Some(CaptureWarning::NotAtSender { answered, handshake })
            }
            _ => None,
        }
    }
}

impl TransferEvent {
    pub(crate) fn at(&self) -> Instant {
        match self {
            Self::Sent { time, .. } | Self::Heard { time, .. } => time.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::packet::{TcpOptions, Timestamps};

    fn transfer() -> Transfer {
        Transfer::new("10.0.0.1:5000".parse().unwrap(), "10.0.0.2:80".parse().unwrap())
    }

    fn segment(seq: u32, ack: u32, payload: u32) -> Segment {
        let t = transfer();
        Segment { ack: Some(ack), ..Segment::without_options(t.from, t.to, seq, payload) }
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn ms(ms: u64) -> PacketTime {
        PacketTime { at: at(ms), set_back: Duration::ZERO }
    }

    fn heard(transfer: &Transfer) -> Vec<u64> {
        let ack = |event: &TransferEvent| match event {
            TransferEvent::Heard { ack, .. } => Some(*ack),
            TransferEvent::Sent { .. } => None,
        };
        transfer.events.iter().filter_map(ack).collect()
    }

    #[test]
    fn duplicates_are_those_of_rfc_5681_section_2() {
        let mut t = transfer();
        t.sent(ms(0), &segment(1, 1, 3_000));
        t.heard(ms(1), &segment(1, 1_001, 0));
        // A duplicate, then a window update, then data of the other end: one duplicate.
        t.heard(ms(2), &segment(1, 1_001, 0));
        t.heard(ms(3), &Segment { window: 200, ..segment(1, 1_001, 0) });
        t.heard(ms(4), &Segment { window: 200, ..segment(1, 1_001, 10) });
        t.heard(ms(5), &Segment { window: 200, ..segment(1, 3_001, 0) });
        // Nothing is outstanding: no duplicate, unless it tells of a block.
        t.heard(ms(6), &Segment { window: 200, ..segment(1, 3_001, 0) });
        let told = TcpOptions { sack: vec![(1, 1_001)], ..TcpOptions::default() };
        t.heard(ms(7), &Segment { window: 200, options: told, ..segment(1, 3_001, 0) });
        assert_eq!(heard(&t), [1_000, 1_000, 3_000, 3_000]);
    }

    #[test]
    fn acks_of_data_before_the_capture_are_no_duplicates() {
        let mut t = transfer();
        t.sent(ms(0), &segment(9_001, 1, 1_000));
        for (at, ack) in (1..).zip([5_001, 6_001, 7_001, 8_001, 9_001]) {
            t.heard(ms(at), &segment(1, ack, 0));
        }
        assert_eq!(heard(&t), []);
        // The last of them repeated is one.
        t.heard(ms(6), &segment(1, 9_001, 0));
        t.heard(ms(7), &segment(1, 10_001, 0));
        assert_eq!(heard(&t), [0, 1_000]);
    }

    #[test]
    fn the_ack_of_a_fin_acknowledges_no_data() {
        let mut t = transfer();
        t.sent(ms(0), &Segment { fin: true, ..segment(1, 1, 1_000) });
        t.heard(ms(1), &segment(1, 1_001, 0));
        t.heard(ms(2), &segment(1, 1_002, 0));
        assert_eq!(heard(&t), [1_000]);
        assert!(t.doubts(None).is_empty());
    }

    #[test]
    fn the_segment_size_is_that_of_the_handshake_less_the_room_of_timestamps() {
        let mut t = transfer();
        let times = Some(Timestamps { value: 1, echo: 0 });
        t.sent(
            ms(9),
            &Segment {
                options: TcpOptions { timestamps: times, ..TcpOptions::default() },
                ..segment(1, 1, 14_480)
            },
        );
        let opening = Segment {
            syn: true,
            ack: None,
            options: TcpOptions { mss: Some(1_460), ..TcpOptions::default() },
            ..segment(0, 0, 0)
        };
        let mut handshake = Handshake::default();
        handshake.take(at(0), &opening);
        assert_eq!(t.with(handshake, 0).smss(), Bytes::new(1_448));
    }

    #[test]
    fn a_capture_at_the_receiver_is_found_out() {
        let mut handshake = Handshake::default();
        let opening = Segment { syn: true, ack: None, ..segment(0, 0, 0) };
        handshake.take(at(0), &opening);
        handshake.take(at(0), &Segment { ack: Some(1), ..opening });
        handshake.take(at(100), &segment(1, 1, 0));
        let mut t = transfer();
        t.sent(ms(100), &segment(1, 1, 1_000));
        t.heard(ms(101), &segment(1, 1_001, 0));
        let t = t.with(handshake, 0);
        assert_eq!(t.doubts(Some(Duration::from_millis(99))), []);
        assert_eq!(t.doubts(Some(Duration::from_millis(1))).len(), 1);
        // Two hosts in one machine: where it was taken cannot be told.
        let quick = Handshake { took: Some(Duration::from_micros(40)), ..handshake };
        assert_eq!(t.with(quick, 0).doubts(Some(Duration::from_micros(5))), []);
    }

    #[test]
    fn a_capture_of_one_direction_or_of_a_receiver_without_a_handshake_is_doubted() {
        let mut t = transfer();
        t.sent(ms(0), &segment(1, 1, 1_000));
        assert_eq!(t.doubts(None), [CaptureWarning::NoAcks]);
        t.heard(ms(0), &segment(1, 1_001, 0));
        let answered = Duration::from_micros(3);
        assert_eq!(t.doubts(Some(answered)), [CaptureWarning::AnsweredAtOnce { answered }]);
        assert_eq!(t.doubts(Some(Duration::from_millis(20))), []);
    }

    #[test]
    fn a_clock_that_goes_back_tells_nothing_of_the_place_of_a_capture() {
        let set = PacketTime { set_back: Duration::from_secs(3_600), ..ms(1) };
        let mut t = transfer();
        t.sent(ms(0), &segment(1, 1, 1_000));
        t.heard(set, &segment(1, 1_001, 0));
        let warning = CaptureWarning::ClockBack { set_back: set.set_back };
        assert_eq!(t.doubts(Some(Duration::from_micros(3))), [warning]);
        // A connection that begins later is not concerned.
        let mut later = transfer();
        later.sent(set, &segment(1, 1, 1_000));
        later.heard(set, &segment(1, 1_001, 0));
        assert_eq!(later.doubts(Some(Duration::from_millis(20))), []);
    }

    #[test]
    fn data_that_comes_twice_in_packets_of_other_sizes_is_doubted() {
        // The host hands over 3,000 bytes, and the next interface shows them in packets of 1,000.
        let seen = |order: [bool; 2]| {
            let mut t = transfer();
            for burst in 0..4 {
                let first = 1 + 3_000 * burst;
                for whole in order {
                    let sizes: &[u32] = if whole { &[3_000] } else { &[1_000; 3] };
                    let mut seq = first;
                    for size in sizes {
                        t.sent(ms(20 * u64::from(burst)), &segment(seq, 1, *size));
                        seq += size;
                    }
                }
                t.heard(ms(20 * u64::from(burst) + 10), &segment(1, first + 3_000, 0));
            }
            t.doubts(None)
        };
        let doubt = CaptureWarning::CutAnew { bytes: 12_000 };
        assert_eq!(seen([true, false]), [doubt]);
        assert_eq!(seen([false, true]), [doubt]);
        // A segment that is lost and leaves again, alone, is none.
        let mut t = transfer();
        t.sent(ms(0), &segment(1, 1, 3_000));
        t.sent(ms(2), &segment(1_001, 1, 1_000));
        t.heard(ms(3), &segment(1, 3_001, 0));
        assert_eq!(t.doubts(None), []);
    }

    #[test]
    fn acknowledged_data_that_was_not_seen_is_told() {
        let mut t = transfer();
        t.sent(ms(0), &segment(1, 1, 1_000));
        t.heard(ms(1), &segment(1, 5_001, 0));
        assert_eq!(t.doubts(None), [CaptureWarning::Gaps { bytes: 4_000 }]);
    }
}
