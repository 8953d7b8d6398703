//! Single packets of a capture, read back with a parser of its own.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::collections::BTreeSet;

use etherparse::{IpEcn, PacketHeaders, TcpOptionElement, TransportHeader};
use pcap_file::pcapng::{Block, PcapNgReader};
use westwood_capture::write::{Capture, CaptureError, CapturePoint, HEADERS_ONLY};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Ecn, EcnFeedback, Instant, Rate};
use westwood_net::{Limit, LinkConfig};
use westwood_sim::{
    Control, FlowSpec, LinkSpec, MediaSpec, Network, Probes, Tap, TapContent, TapEvent, TapPoint,
    TcpSpec, Traffic, Workload, run_tapped,
};
use westwood_tcp::{AccEcn, AckOptions, AckSegment, Config, DataSegment, SeqRange};

const SENDER: usize = 0;
const RECEIVER: usize = 1;
const SMSS: u64 = 1000;

fn network(payload: u64) -> Network {
    let config = LinkConfig::new(
        Rate::from_bits_per_s(10_000_000),
        Duration::from_millis(10),
        Limit::Packets(50),
    );
    let link = |from, to| LinkSpec {
        name: format!("{from}-{to}").into(),
        from,
        to,
        config: config.clone().into(),
    };
    let mut tcp = Config::default();
    tcp.sizes.payload = Bytes::new(payload);
    let flow = FlowSpec::between(
        "upload",
        SENDER,
        RECEIVER,
        Traffic::Tcp(
            TcpSpec { controller: Choice::named("reno").unwrap(), config: tcp }.into(),
            Workload::Greedy,
        ),
    );
    Network {
        agents: Vec::new(),
        nodes: vec!["ship".into(), "shore".into()],
        links: vec![link(SENDER, RECEIVER), link(RECEIVER, SENDER)],
        flows: vec![flow],
        seed: 1,
        duration: Duration::from_secs(1),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

fn data(seq: u64, payload: u64) -> DataSegment {
    DataSegment {
        seq,
        payload: Bytes::new(payload),
        sent_at: Instant::ZERO + Duration::from_millis(7),
        retransmission: false,
        ecn: Ecn::NotEct,
        cwr: false,
        push: false,
    }
}

fn ack(ack: u64, options: AckOptions) -> AckSegment {
    AckSegment {
        ack,
        options,
        echo: Some(Instant::ZERO + Duration::from_millis(7)),
        ece: false,
        eln: false,
    }
}

fn sighting(place: TapPoint, carries: TapContent) -> TapEvent {
    TapEvent {
        at: Instant::from_nanos(1_234_567_891),
        place,
        flow: 0,
        connection: 77,
        size: Bytes::new(1500),
        ce: false,
        carries,
    }
}

/// A packet in the file: its kept bytes, its length, its time in ns, its flags.
struct Read {
    bytes: Vec<u8>,
    len: u32,
    nanos: u128,
}

fn capture(point: CapturePoint, snaplen: u32, seen: &[TapEvent]) -> Vec<Read> {
    let mut file = Vec::new();
    let mut capture = Capture::new(&mut file, &network(SMSS), point, snaplen).unwrap();
    for sighting in seen {
        capture.sees(sighting);
    }
    let packets = capture.finish().unwrap();
    let read = read(&file);
    assert_eq!(packets, read.len() as u64);
    read
}

fn read(file: &[u8]) -> Vec<Read> {
    let mut reader = PcapNgReader::new(file).unwrap();
    let mut packets = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(p) = block.unwrap() {
            packets.push(Read {
                bytes: p.data.to_vec(),
                len: p.original_len,
                nanos: p.timestamp.as_nanos(),
            });
        }
    }
    packets
}

/// The TCP header, its options, and the congestion mark around it; every checksum is checked.
fn tcp(packet: &Read) -> (etherparse::TcpHeader, Vec<TcpOptionElement>, IpEcn) {
    let headers = PacketHeaders::from_ip_slice(&packet.bytes).unwrap();
    let Some(etherparse::NetHeaders::Ipv4(ip, _)) = headers.net else { panic!("not IPv4") };
    let Some(TransportHeader::Tcp(tcp)) = headers.transport else { panic!("not TCP") };
    assert_eq!(ip.header_checksum, ip.calc_header_checksum());
    assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(&ip, headers.payload.slice()).unwrap());
    let options = tcp.options_iterator().map(Result::unwrap).collect();
    (tcp, options, ip.ecn)
}

#[test]
fn sequence_numbers_count_bytes_from_one() {
    let sent = TapPoint::Sent(SENDER);
    let read = capture(
        CapturePoint::Host(SENDER),
        u32::MAX,
        &[
            sighting(sent, TapContent::Data(data(0, SMSS))),
            sighting(sent, TapContent::Data(data(5, SMSS))),
            sighting(TapPoint::Received(SENDER), TapContent::Ack(ack(3, AckOptions::NONE))),
        ],
    );
    assert_eq!(tcp(&read[0]).0.sequence_number, 1);
    assert_eq!(tcp(&read[1]).0.sequence_number, 5001);
    assert_eq!(tcp(&read[2]).0.acknowledgment_number, 3001);
    assert_eq!(read[0].nanos, 1_234_567_891);
    // IPv4 20, TCP 20, timestamps 12.
    assert_eq!(read[0].len, 52 + 1000);
    assert_eq!(read[2].len, 52);
}

#[test]
fn sequence_numbers_wrap_at_four_gibibytes() {
    let seen = [sighting(TapPoint::Link(0), TapContent::Data(data((1 << 32) / SMSS + 1, SMSS)))];
    let read = capture(CapturePoint::Link(0), u32::MAX, &seen);
    // 4,294,968 segments of 1000 bytes are 704 bytes beyond 2^32.
    assert_eq!(tcp(&read[0]).0.sequence_number, 705);
}

#[test]
fn the_ack_of_a_short_last_segment_ends_where_the_data_ends() {
    let read = capture(
        CapturePoint::Link(1),
        u32::MAX,
        &[
            sighting(TapPoint::Sent(SENDER), TapContent::Data(data(4, 123))),
            sighting(TapPoint::Link(1), TapContent::Ack(ack(5, AckOptions::NONE))),
        ],
    );
    assert_eq!(read.len(), 1, "only what comes off the link is captured");
    assert_eq!(tcp(&read[0]).0.acknowledgment_number, 4124);
}

#[test]
fn sack_blocks_and_timestamps_are_those_of_the_ack() {
    let mut blocks = AckOptions::NONE;
    blocks.push_duplicate(SeqRange { start: 1, end: 2 });
    blocks.push_block(SeqRange { start: 8, end: 10 });
    blocks.push_block(SeqRange { start: 5, end: 6 });
    let read = capture(
        CapturePoint::Link(1),
        u32::MAX,
        &[sighting(TapPoint::Link(1), TapContent::Ack(ack(3, blocks)))],
    );
    let (_, options, _) = tcp(&read[0]);
    let sack = TcpOptionElement::SelectiveAcknowledgement(
        (1001, 2001),
        [Some((8001, 10_001)), Some((5001, 6001)), None],
    );
    assert!(options.contains(&TcpOptionElement::Timestamp(7000, 7000)), "{options:?}");
    assert!(options.contains(&sack), "{options:?}");
}

#[test]
fn congestion_marks_are_shown_in_both_headers() {
    let mut marked = sighting(
        TapPoint::Link(0),
        TapContent::Data(DataSegment { ecn: Ecn::Ect0, ..data(0, SMSS) }),
    );
    let plain = marked.clone();
    marked.ce = true;
    let reduced =
        sighting(TapPoint::Link(0), TapContent::Data(DataSegment { cwr: true, ..data(1, SMSS) }));
    let read = capture(CapturePoint::Link(0), u32::MAX, &[plain, marked, reduced]);
    let ecn: Vec<_> = read.iter().map(|p| tcp(p).2).collect();
    assert_eq!(ecn, [IpEcn::Ect0, IpEcn::CongestionExperienced, IpEcn::NotEct]);
    assert!(tcp(&read[2]).0.cwr);
}

#[test]
fn accurate_ecns_count_is_the_three_flags() {
    let counted = |ace: u8| {
        let mut options = AckOptions::NONE;
        options.set_accurate(AccEcn { ace, bytes: None }, &mut AckOptions::default());
        sighting(TapPoint::Received(SENDER), TapContent::Ack(ack(3, options)))
    };
    let sent: Vec<_> = (0..8).map(counted).collect();
    let read = capture(CapturePoint::Host(SENDER), u32::MAX, &sent);
    let flags = |p| {
        let header = tcp(p).0;
        [header.ns, header.cwr, header.ece].iter().fold(0, |ace, &flag| 2 * ace + u8::from(flag))
    };
    assert_eq!(read.iter().map(flags).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_short_snapshot_keeps_the_headers_and_tells_the_length() {
    let read = capture(
        CapturePoint::Link(0),
        HEADERS_ONLY,
        &[sighting(TapPoint::Link(0), TapContent::Data(data(0, SMSS)))],
    );
    assert_eq!((read[0].bytes.len(), read[0].len), (128, 1052));
    let full = capture(
        CapturePoint::Link(0),
        u32::MAX,
        &[sighting(TapPoint::Link(0), TapContent::Data(data(0, SMSS)))],
    );
    assert_eq!(read[0].bytes[..], full[0].bytes[..128], "checksums are those of the whole packet");
}

/// A handshake of a connection with this ECN feedback, if any: the flags AE, CWR and ECE of the SYN, which
/// comes with this codepoint, and of its answer.
fn ecn_flags(feedback: Option<EcnFeedback>, heard: Ecn) -> [[bool; 3]; 2] {
    let mut network = network(SMSS);
    let Traffic::Tcp(spec, _) = &mut network.flows[0].traffic else { unreachable!() };
    spec.config.ecn = feedback.is_some();
    spec.config.ecn_feedback = feedback.unwrap_or_default();
    let mut file = Vec::new();
    let mut capture = Capture::new(&mut file, &network, CapturePoint::Link(0), u32::MAX).unwrap();
    let (sent_at, ecn) = (Instant::ZERO, heard);
    for carries in [
        TapContent::Syn { sent_at, ecn },
        TapContent::SynAck { echo: sent_at, heard, ecn: Ecn::NotEct },
    ] {
        capture.sees(&sighting(TapPoint::Link(0), carries));
    }
    capture.finish().unwrap();
    let packets = read(&file);
    [0, 1].map(|n| {
        let tcp = tcp(&packets[n]).0;
        [tcp.ns, tcp.cwr, tcp.ece]
    })
}

#[test]
fn a_handshake_negotiates_what_the_connection_uses() {
    let seven = Instant::ZERO + Duration::from_millis(7);
    let eight = Instant::ZERO + Duration::from_millis(8);
    let (host, ecn) = (TapPoint::Sent(SENDER), Ecn::NotEct);
    let read = capture(
        CapturePoint::Host(SENDER),
        u32::MAX,
        &[
            sighting(host, TapContent::Syn { sent_at: seven, ecn }),
            sighting(
                TapPoint::Received(SENDER),
                TapContent::SynAck { echo: eight, heard: ecn, ecn: Ecn::Ect0 },
            ),
            sighting(host, TapContent::Data(data(0, SMSS))),
        ],
    );
    let [(syn, offered, _), (answer, agreed, mark), (data, ..)] = [0, 1, 2].map(|n| tcp(&read[n]));
    assert_eq!((syn.syn, syn.ack, syn.sequence_number), (true, false, 0));
    assert_eq!((answer.syn, answer.ack), (true, true));
    assert_eq!((answer.sequence_number, answer.acknowledgment_number), (0, 1));
    assert_eq!((data.sequence_number, data.acknowledgment_number), (1, 1));
    assert_eq!((syn.source_port, syn.destination_port), (answer.destination_port, 5001));
    assert_eq!(mark, IpEcn::Ect0);
    // The window is far larger, and an opening one is not shifted.
    assert_eq!((syn.window_size, answer.window_size, data.window_size), (65_535, 65_535, 65_535));
    let options = |value, echo| {
        [
            TcpOptionElement::MaximumSegmentSize(1_012),
            TcpOptionElement::SelectiveAcknowledgementPermitted,
            TcpOptionElement::Timestamp(value, echo),
            TcpOptionElement::WindowScale(14),
        ]
    };
    let known = |all: &[TcpOptionElement]| {
        all.iter().filter(|option| **option != TcpOptionElement::Noop).cloned().collect::<Vec<_>>()
    };
    assert_eq!(known(&offered), options(7_000, 0));
    // The answer shows the time that it echoes as its own.
    assert_eq!(known(&agreed), options(8_000, 8_000));
}

#[test]
fn a_handshake_negotiates_ecn_as_its_documents_say() {
    let (yes, no) = (true, false);
    assert_eq!(ecn_flags(None, Ecn::NotEct), [[no; 3]; 2]);
    // RFC 3168 section 6.1.1.
    for feedback in [EcnFeedback::UntilAnswered, EcnFeedback::EachSegment] {
        let flags = ecn_flags(Some(feedback), Ecn::NotEct);
        assert_eq!(flags, [[no, yes, yes], [no, no, yes]], "{feedback:?}");
    }
    // RFC 9768 section 3.1.2, table 2.
    let told = [
        (Ecn::NotEct, [no, yes, no]),
        (Ecn::Ect1, [no, yes, yes]),
        (Ecn::Ect0, [yes, no, no]),
        (Ecn::Ce, [yes, yes, no]),
    ];
    for (heard, answer) in told {
        for feedback in [EcnFeedback::Ace, EcnFeedback::Accurate] {
            assert_eq!(ecn_flags(Some(feedback), heard), [[yes; 3], answer], "{heard:?}");
        }
    }
}

#[test]
fn only_a_flow_without_handshake_needs_its_window_scale_in_the_comment() {
    let comment = |handshake| {
        let mut network = network(SMSS);
        network.flows[0].handshake = handshake;
        let mut file = Vec::new();
        Capture::new(&mut file, &network, CapturePoint::Link(0), u32::MAX)
            .unwrap()
            .finish()
            .unwrap();
        String::from_utf8_lossy(&file).contains("Window scale")
    };
    assert!(comment(false) && !comment(true));
}

#[test]
fn a_receive_window_beyond_65535_bytes_is_scaled() {
    let mut file = Vec::new();
    let mut network = network(SMSS);
    let Traffic::Tcp(spec, _) = &mut network.flows[0].traffic else { unreachable!() };
    // 1000 segments of 1000 bytes: 65535 x 2^3 is too few, x 2^4 enough.
    spec.config.receive_window = 1000;
    let mut capture = Capture::new(&mut file, &network, CapturePoint::Link(0), u32::MAX).unwrap();
    capture.sees(&sighting(TapPoint::Link(0), TapContent::Data(data(0, SMSS))));
    capture.finish().unwrap();
    assert_eq!(tcp(&read(&file)[0]).0.window_size, 62_500);
    assert!(String::from_utf8_lossy(&file).contains("Window scale: upload 4."));
}

#[test]
fn a_place_that_does_not_exist_is_refused() {
    let refused = Capture::new(Vec::new(), &network(SMSS), CapturePoint::Link(2), HEADERS_ONLY);
    assert!(matches!(refused.err(), Some(CaptureError::NoSuchPlace)));
}

#[test]
fn packets_beyond_ipv4_are_refused_by_the_name_of_their_flow() {
    let refused = Capture::new(Vec::new(), &network(70_000), CapturePoint::Link(0), HEADERS_ONLY);
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("upload") && message.contains("65455"), "{message}");
}

#[test]
fn a_full_disk_is_told_at_the_end() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut capture =
        Capture::new(Full(2000), &network(SMSS), CapturePoint::Link(0), HEADERS_ONLY).unwrap();
    for n in 0..100 {
        capture.sees(&sighting(TapPoint::Link(0), TapContent::Data(data(n, SMSS))));
    }
    let Err(CaptureError::Io(error)) = capture.finish() else { panic!("the disk was full") };
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
}

#[test]
fn reports_of_a_media_flow_lead_from_its_receiver_to_its_sender() {
    let media = MediaSpec {
        min_rate: Rate::from_bits_per_s(500_000),
        max_rate: Rate::from_bits_per_s(1_500_000),
        fps: 30,
        packet: Bytes::new(1_200),
    };
    let flow = FlowSpec::between("call", SENDER, RECEIVER, Traffic::Media(media));
    let network = Network { flows: vec![flow], ..network(SMSS) };
    // Source and destination of all packets off a link: addresses and ports.
    let ends = |link| -> BTreeSet<Vec<u8>> {
        let mut file = Vec::new();
        let point = CapturePoint::Link(link);
        let mut capture = Capture::new(&mut file, &network, point, HEADERS_ONLY).unwrap();
        run_tapped(&network, Control::default(), &mut capture).unwrap();
        capture.finish().unwrap();
        read(&file).iter().map(|packet| packet.bytes[12..24].to_vec()).collect()
    };
    let (sender, receiver) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let (there, back) = ([192, 0, 19, 137], [19, 137, 192, 0]);
    assert_eq!(ends(0), BTreeSet::from([[sender, receiver, there].concat()]));
    assert_eq!(ends(1), BTreeSet::from([[receiver, sender, back].concat()]));
}

#[test]
fn a_probe_of_a_closed_window_has_the_number_of_the_last_byte_and_no_data_and_ends_nothing() {
    let at = TapPoint::Sent(SENDER);
    let seen = [data(4, SMSS), data(4, 0), data(5, SMSS)]
        .map(|segment| sighting(at, TapContent::Data(segment)));
    let read = capture(CapturePoint::Host(SENDER), u32::MAX, &seen);
    let numbers: Vec<u32> = read.iter().map(|packet| tcp(packet).0.sequence_number).collect();
    assert_eq!(numbers, [4_001, 5_000, 5_001]);
    assert_eq!(read[1].len, 52);
}
