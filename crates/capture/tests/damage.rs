//! Captures of other tools' making, cut off and damaged ones: read as far as they make sense, and
//! never a reason to fail.

#![allow(clippy::unwrap_used, reason = "a test may")]

use etherparse::{PacketBuilder, TcpHeader};
use proptest::prelude::*;
use westwood_capture::read::{CaptureDamage, CaptureWarning, Contents, EstimatorReplay, contents};
use westwood_cc::Duration;

const SMSS: u32 = 1_000;

/// Bytes of a link header, and which link it is by number (tcpdump.org/linktypes.html).
#[derive(Clone, Copy, Debug)]
enum Link {
    Ethernet,
    Vlan,
    Raw,
    Cooked,
    Cooked2,
    Loopback,
}

const LINKS: [Link; 6] =
    [Link::Ethernet, Link::Vlan, Link::Raw, Link::Cooked, Link::Cooked2, Link::Loopback];

impl Link {
    fn number(self) -> u32 {
        match self {
            Self::Ethernet | Self::Vlan => 1,
            Self::Raw => 101,
            Self::Cooked => 113,
            Self::Cooked2 => 276,
            Self::Loopback => 0,
        }
    }

    fn header(self, v6: bool) -> Vec<u8> {
        let kind: [u8; 2] = if v6 { [0x86, 0xdd] } else { [0x08, 0x00] };
        match self {
            Self::Raw => vec![],
            Self::Loopback => vec![if v6 { 30 } else { 2 }, 0, 0, 0],
            Self::Ethernet => [&[2; 12][..], &kind].concat(),
            Self::Vlan => [&[2; 12][..], &[0x81, 0, 0, 42], &kind].concat(),
            Self::Cooked => [&[0, 4, 0, 1, 0, 6][..], &[2; 8], &kind].concat(),
            Self::Cooked2 => [&kind[..], &[0; 18]].concat(),
        }
    }
}

/// A packet from the sender or from the receiver.
fn packet(link: Link, v6: bool, upward: bool, header: &TcpHeader, payload: usize) -> Vec<u8> {
    let mut header = header.clone();
    (header.source_port, header.destination_port) = if upward { (5000, 80) } else { (80, 5000) };
    let (a, b) = if upward { (1, 2) } else { (2, 1) };
    let builder = if v6 {
        PacketBuilder::ipv6([a; 16], [b; 16], 64)
    } else {
        PacketBuilder::ipv4([10, 0, 0, a], [10, 0, 0, b], 64)
    };
    let mut bytes = link.header(v6);
    builder.tcp_header(header).write(&mut bytes, &vec![0; payload]).unwrap();
    bytes
}

/// A transfer of 60 segments in rounds of four, 20 ms apart, each acknowledged after 10 ms.
fn packets(link: Link, v6: bool) -> Vec<(u64, Vec<u8>)> {
    let mut all = Vec::new();
    let mut tcp = TcpHeader { acknowledgment_number: 1, ack: true, ..TcpHeader::default() };
    tcp.window_size = 500;
    for round in 0..15_u32 {
        for i in 0..4 {
            tcp.sequence_number = 1 + (4 * round + i) * SMSS;
            let data = packet(link, v6, true, &tcp, SMSS as usize);
            all.push((u64::from(20_000 * round), data));
        }
        for i in 1..=4 {
            let acked = TcpHeader {
                acknowledgment_number: 1 + (4 * round + i) * SMSS,
                sequence_number: 1,
                ..tcp.clone()
            };
            let at = u64::from(20_000 * round + 10_000 + 500 * i);
            all.push((at, packet(link, v6, false, &acked, 0)));
        }
    }
    all
}

/// Which byte of a number a file has first: that of the machine that wrote it.
#[derive(Clone, Copy, Debug)]
enum Order {
    Least,
    Most,
}

const ORDERS: [Order; 2] = [Order::Least, Order::Most];

impl Order {
    fn word(self, n: u64) -> [u8; 4] {
        let n = u32::try_from(n).unwrap();
        match self {
            Self::Least => n.to_le_bytes(),
            Self::Most => n.to_be_bytes(),
        }
    }

    fn half(self, n: u32) -> [u8; 2] {
        let n = u16::try_from(n).unwrap();
        match self {
            Self::Least => n.to_le_bytes(),
            Self::Most => n.to_be_bytes(),
        }
    }
}

/// A pcap file with times in microseconds.
fn pcap(order: Order, link: Link, packets: &[(u64, Vec<u8>)], snaplen: usize) -> Vec<u8> {
    let word = |n| order.word(n);
    let version = [order.half(2), order.half(4)].concat();
    let head = [word(0xa1b2_c3d4).as_slice(), &version, &[0; 8], &word(snaplen as u64)].concat();
    let mut file = [head.as_slice(), &word(link.number().into())].concat();
    for (micros, bytes) in packets {
        let kept = bytes.len().min(snaplen);
        file.extend([word(micros / 1_000_000), word(micros % 1_000_000)].concat());
        file.extend([word(kept as u64), word(bytes.len() as u64)].concat());
        file.extend(&bytes[..kept]);
    }
    file
}

/// A pcapng file with times in nanoseconds.
fn pcapng(order: Order, link: Link, packets: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let word = |n| order.word(n);
    let block = |kind: u64, body: &[u8]| {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let len = word(body.len() as u64 + 12);
        [&word(kind)[..], &len, &body, &len].concat()
    };
    let version = [order.half(1), order.half(0)].concat();
    let section = [&word(0x1a2b_3c4d)[..], &version, &[0xff; 8]].concat();
    // An option of one byte: ticks are 10^-9 s.
    let nanoseconds = [&order.half(9)[..], &order.half(1), &[9, 0, 0, 0]].concat();
    let kind = order.half(link.number());
    let interface = [&kind[..], &[0, 0], &[0; 4], &nanoseconds, &[0; 4]].concat();
    let mut file = [block(0x0a0d_0d0a, &section), block(1, &interface)].concat();
    for (micros, bytes) in packets {
        let nanos = micros * 1_000;
        let time = [word(nanos >> 32), word(nanos & 0xffff_ffff)].concat();
        let len = word(bytes.len() as u64);
        let body = [&[0; 4][..], &time, &len, &len, bytes].concat();
        file.extend(block(6, &body));
    }
    file
}

/// Reads and replays everything, as the command does.
fn replays(file: &[u8]) -> Option<(Contents, Vec<EstimatorReplay>)> {
    let contents = contents(file).ok()?;
    let replay =
        |t| EstimatorReplay::of(t, westwood_capture::read::Transfer::smss(t), Duration::ZERO);
    let replays = contents.transfers.iter().map(replay).collect();
    Some((contents, replays))
}

#[test]
fn one_transfer_is_the_same_on_every_link_in_every_format_and_over_both_protocols() {
    for v6 in [false, true] {
        for link in LINKS {
            let packets = packets(link, v6);
            let headers = link.header(v6).len() + if v6 { 60 } else { 40 };
            let written = |order| {
                let whole = pcap(order, link, &packets, 65_535);
                [whole, pcap(order, link, &packets, headers), pcapng(order, link, &packets)]
            };
            for file in ORDERS.into_iter().flat_map(written) {
                let (contents, replays) = replays(&file).unwrap();
                assert_eq!((contents.packets, contents.others), (120, 0), "{link:?} {v6}");
                assert_eq!(contents.damage, None, "{link:?} {v6}");
                assert_eq!((replays.len(), replays[0].acks), (1, 60), "{link:?} {v6}");
                assert_eq!(contents.transfers[0].bytes(), u64::from(60 * SMSS));
                assert_eq!(replays[0].smss.get(), u64::from(SMSS));
                assert_eq!(replays[0].min_rtt, Some(Duration::from_micros(10_500)));
                // Four segments every 20 ms.
                let middle = replays[0].delivered.span().unwrap().0 + Duration::from_millis(150);
                let rate = replays[0].delivered.rate(middle, Duration::from_millis(80)).unwrap();
                assert_eq!(rate.bits_per_s(), 1_600_000);
            }
        }
    }
}

/// The packets with the identification of IPv4, each as often as the interfaces show it, 0.1 ms apart.
fn sighted(packets: &[(u64, Vec<u8>)], numbered: bool, sightings: u64) -> Vec<(u64, Vec<u8>)> {
    let mut all = Vec::new();
    for (id, (at, bytes)) in (1_u16..).zip(packets) {
        let mut bytes = bytes.clone();
        if numbered {
            bytes[4..6].copy_from_slice(&id.to_be_bytes());
        }
        all.extend((0..sightings).map(|n| (at + 100 * n, bytes.clone())));
    }
    all.sort_by_key(|(at, _)| *at);
    all
}

#[test]
fn packets_that_several_interfaces_show_count_once() {
    for (v6, numbered) in [(false, true), (false, false), (true, false)] {
        let packets = packets(Link::Raw, v6);
        let read = |sightings| {
            let file =
                pcap(Order::Least, Link::Raw, &sighted(&packets, numbered, sightings), 65_535);
            replays(&file).unwrap()
        };
        let (contents, once) = read(1);
        assert_eq!(contents.transfers[0].doubts(None), []);
        for sightings in [2, 3] {
            let (contents, more) = read(sightings);
            assert!(more[0].samples == once[0].samples, "{v6} {numbered} {sightings}");
            assert!(contents.transfers[0].resent_share() == 0.0);
            let copies = CaptureWarning::Copies { packets: 120 * (sightings - 1) };
            assert_eq!(contents.transfers[0].doubts(None), [copies]);
        }
    }
}

#[test]
fn a_clock_that_goes_back_is_told_and_no_estimate_is_made_of_its_step() {
    let packets = packets(Link::Raw, false);
    let read = |times: &dyn Fn(usize, u64) -> u64| {
        let at = |(i, (at, bytes)): (usize, &(u64, Vec<u8>))| (times(i, *at), bytes.clone());
        let changed: Vec<_> = packets.iter().enumerate().map(at).collect();
        let (contents, mut replays) =
            replays(&pcap(Order::Least, Link::Raw, &changed, 65_535)).unwrap();
        let replay = replays.remove(0);
        (contents.transfers[0].doubts(replay.min_rtt), replay)
    };
    let (doubts, truth) = read(&|_, at| 4_000_000_000 + at);
    assert_eq!(doubts, []);
    let span = |replay: &EstimatorReplay| {
        let (first, last) = replay.delivered.span().unwrap();
        last.since(first)
    };
    // The clock is set back by an hour, or the first packet is of a far future.
    let hour = |i: usize, at: u64| if i < 60 { 4_000_000_000 + at } else { 400_000_000 + at };
    let future = |i: usize, at: u64| if i == 0 { 4_000_000_000 } else { at };
    for times in [&hour as &dyn Fn(usize, u64) -> u64, &future] {
        let (doubts, replay) = read(times);
        assert!(matches!(doubts[..], [CaptureWarning::ClockBack { .. }]), "{doubts:?}");
        assert_eq!(replay.min_rtt, truth.min_rtt);
        // The time between the packets before and after the step is lost.
        let lost = span(&truth) - span(&replay);
        assert!(lost <= Duration::from_millis(20), "{lost}");
        let rates = |replay: &EstimatorReplay| replay.samples[59].rates[1].bits_per_s();
        let off = rates(&replay).abs_diff(rates(&truth));
        assert!(off * 10 <= rates(&truth), "{} for {}", rates(&replay), rates(&truth));
    }
}

#[test]
fn a_file_that_is_cut_off_is_read_up_to_there_and_says_so() {
    let packets = packets(Link::Ethernet, false);
    let written = |order| {
        [pcap(order, Link::Ethernet, &packets, 100), pcapng(order, Link::Ethernet, &packets)]
    };
    for file in ORDERS.into_iter().flat_map(written) {
        let (contents, _) = replays(&file[..file.len() - 7]).unwrap();
        assert_eq!((contents.packets, contents.damage), (119, Some(CaptureDamage::CutOff)));
    }
}

#[test]
fn a_block_longer_than_any_packet_is_damage() {
    for order in ORDERS {
        let mut file = pcapng(order, Link::Raw, &packets(Link::Raw, false));
        file.extend([order.word(6), order.word(0x7fff_fff0)].concat());
        file.extend(vec![0; 4_000_000]);
        let (contents, _) = replays(&file).unwrap();
        assert_eq!(
            (contents.packets, contents.damage),
            (120, Some(CaptureDamage::Nonsense)),
            "{order:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_200))]

    #[test]
    fn no_damage_makes_reading_or_replaying_fail(
        link in prop::sample::select(&LINKS[..]),
        v6 in any::<bool>(),
        ng in any::<bool>(),
        order in prop::sample::select(&ORDERS[..]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        early in 0_usize..1_200,
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let packets = packets(link, v6);
        let mut file = if ng { pcapng(order, link, &packets) } else { pcap(order, link, &packets, 200) };
        for (i, (place, value)) in changes.iter().enumerate() {
            // Half of the changes near the beginning, where headers and options stand.
            let len = if i % 2 == 0 { file.len() } else { early.max(24) };
            let at = place.index(len);
            file[at] = *value;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        if let Some((contents, replays)) = replays(&file) {
            prop_assert!(contents.packets >= contents.others);
            for (transfer, replay) in contents.transfers.iter().zip(&replays) {
                prop_assert!(transfer.span().is_some());
                let times = replay.samples.windows(2);
                prop_assert!(times.into_iter().all(|pair| pair[0].at <= pair[1].at));
            }
        }
    }

    #[test]
    fn no_bytes_at_all_make_it_fail(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        replays(&bytes);
        for order in ORDERS {
            let pcap = pcap(order, Link::Raw, &[], 65_535);
            let pcapng = pcapng(order, Link::Raw, &[]);
            for mut file in [pcap[..8].to_vec(), pcap, pcapng[..12].to_vec(), pcapng] {
                file.extend(&bytes);
                replays(&file);
            }
        }
    }
}

#[test]
fn a_block_shorter_than_its_own_head_is_damage_whatever_its_type() {
    let section = [
        0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255,
        255, 255, 255, 255, 255, 28, 0, 0, 0,
    ];
    for kind in [1_u32, 2, 5, 6, 0x8000_0001, 77] {
        for length in 0..12_u32 {
            let words = [kind, length, 0, 0, 0, 0];
            let block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let contents = contents(&[&section[..], &block].concat()[..]).unwrap();
            assert!(contents.damage.is_some(), "block {kind:#x} of {length} bytes");
        }
    }
}
