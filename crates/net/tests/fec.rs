//! A link that codes its packets: what it brings back, when, and what that costs.

use crate::common;
use crate::common::{PacketFate, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_cc::{Duration, Instant};
use westwood_net::{ArqConfig, BurstConfig, DropCause, FecConfig, Limit, LinkConfig, LossConfig};

/// Packets of 1500 bytes take a millisecond, and ten on the way.
fn coded(k: u32, n: u32, in_order: bool, lost: &[u64]) -> LinkConfig {
    let fec = Some(FecConfig { k, n, wait: ms(20), in_order });
    let losses = vec![LossConfig::List(lost.to_vec())];
    LinkConfig { losses, fec, ..link_12_mbit(Limit::Unlimited) }
}

/// So many packets offered at once: milliseconds at which they come out, their numbers, and their fates.
fn seen(config: &LinkConfig, packets: u64) -> Vec<(u64, u64, bool)> {
    let offers: Vec<_> = (1..=packets).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut build(config), &offers, at_ms(10_000));
    let fate = |fate| fate == PacketFate::Delivered;
    log.iter().map(|e| (e.0.as_nanos() / 1_000_000, e.1, fate(e.2))).collect()
}

#[test]
fn a_lost_packet_arrives_with_the_repair_packet_that_completes_its_block() {
    // 1, 2 and 3, two repair packets, 4, 5 and 6.
    let arrived =
        [(11, 1), (13, 3), (14, 2), (16, 4), (17, 5), (18, 6)].map(|(t, id)| (t, id, true));
    assert_eq!(seen(&coded(3, 5, false, &[2]), 6), arrived);
}

#[test]
fn a_far_end_that_keeps_order_holds_the_block_behind_the_gap() {
    let arrived =
        [(11, 1), (14, 2), (14, 3), (16, 4), (17, 5), (18, 6)].map(|(t, id)| (t, id, true));
    assert_eq!(seen(&coded(3, 5, true, &[2]), 6), arrived);
}

#[test]
fn as_many_losses_as_repair_packets_are_repaired_and_one_more_takes_them_all() {
    let two = [(13, 3), (15, 1), (15, 2)].map(|(t, id)| (t, id, true));
    assert_eq!(seen(&coded(3, 5, false, &[1, 2]), 3), two);
    let lost = [(14, 1, false), (14, 2, false), (14, 3, true)];
    assert_eq!(seen(&coded(3, 4, true, &[1, 2]), 3), lost);
}

#[test]
fn a_repair_packet_that_is_lost_repairs_nothing() {
    let losses = vec![LossConfig::Bernoulli { p: 1.0 }];
    let mut link = build(&LinkConfig { losses, ..coded(1, 2, false, &[]) });
    let log = drive(&mut link, &[(at_ms(0), pkt(1, 1500))], at_ms(1_000));
    // It leaves at 1 ms, and is given up when its repair packet would have come.
    assert_eq!(log, [(at_ms(12), 1, PacketFate::Lost(DropCause::Random))]);
    let stats = link.stats(at_ms(1_000));
    assert_eq!((stats.repairs.packets, stats.repaired.packets, stats.random.packets), (1, 0, 1));
}

#[test]
fn a_block_that_does_not_fill_is_closed_after_the_wait() {
    // It leaves at 1 ms, its repair packet 20 ms later at 22 ms.
    assert_eq!(seen(&coded(3, 4, false, &[1]), 1), [(32, 1, true)]);
}

#[test]
fn the_packet_in_the_transmitter_is_the_last_of_a_block_that_is_closed() {
    let fec = Some(FecConfig { k: 10, n: 11, wait: Duration::from_micros(1_500), in_order: false });
    let config = LinkConfig { fec, ..coded(10, 11, false, &[1]) };
    // At 2.5 ms, with packet 3 in the transmitter; the repair packet follows, then 4.
    let arrived = [(12, 2), (13, 3), (14, 1), (15, 4)].map(|(t, id)| (t, id, true));
    assert_eq!(seen(&config, 4), arrived);
}

/// The same in bursts of so many packets, each of which takes 2 ms beside.
fn in_bursts(packets: u32, config: LinkConfig) -> LinkConfig {
    let bursts = Some(BurstConfig { packets, airtime: ms(100), overhead: ms(2) });
    LinkConfig { bursts, ..config }
}

#[test]
fn a_burst_that_holds_the_last_of_a_block_begins_the_next_one() {
    // Packet 1 alone until 3 ms, the other four until 9 ms, the repair packet of the first three until 12 ms.
    // Packets 4 and 5 are a block that is closed at 29 ms.
    let arrived = [(13, 1), (19, 2), (19, 3), (19, 4), (42, 5)].map(|(t, id)| (t, id, true));
    assert_eq!(seen(&in_bursts(4, coded(3, 4, false, &[5])), 5), arrived);
}

#[test]
fn every_block_of_a_burst_has_its_repair_packets() {
    // Packet 1 until 3 ms, 2 to 6 until 10 ms: three blocks, and their three repair packets until 15 ms.
    let of = |in_order, lost: &[u64]| seen(&in_bursts(5, coded(2, 3, in_order, lost)), 6);
    let arrived = |all: [(u64, u64); 6]| all.map(|(t, id)| (t, id, true));
    assert_eq!(of(false, &[3, 6]), arrived([(13, 1), (20, 2), (20, 4), (20, 5), (25, 3), (25, 6)]));
    // Packets behind the first gap wait for its repair, in the blocks behind as well.
    assert_eq!(of(true, &[3]), arrived([(13, 1), (20, 2), (25, 3), (25, 4), (25, 5), (25, 6)]));
    assert_eq!(of(true, &[3, 6]), arrived([(13, 1), (20, 2), (25, 3), (25, 4), (25, 5), (25, 6)]));
    // A block that is given up takes the others' packets with it no longer.
    let given_up = of(true, &[3, 4]);
    assert_eq!(given_up[2..], [(25, 3, false), (25, 4, false), (25, 5, true), (25, 6, true)]);
}

#[test]
fn bursts_change_nothing_of_how_many_repair_packets_are_sent() {
    let mut link = build(&in_bursts(62, coded(20, 24, true, &[])));
    let offers: Vec<_> = (1..=1_200).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut link, &offers, at_ms(5_000));
    assert!(log.is_sorted_by_key(|event| event.1) && log.len() == 1_200);
    assert_eq!(link.stats(at_ms(5_000)).repairs.packets, 1_200 / 20 * 4);
}

#[test]
fn the_burst_in_the_transmitter_fills_a_block_that_is_closed() {
    let of = |wait, packets, lost: &[u64]| {
        let fec = Some(FecConfig { k: 4, n: 5, wait: ms(wait), in_order: false });
        seen(&in_bursts(8, LinkConfig { fec, ..coded(4, 5, false, lost) }), packets)
    };
    // At 6 ms packets 2 and 3 are sent, until 7 ms: a block of three, whose repair packet follows.
    assert_eq!(of(3, 3, &[3]), [(13, 1), (17, 2), (20, 3)].map(|(t, id)| (t, id, true)));
    // At 8 ms packets 2 to 6 are, until 10 ms: three of them fill the block.
    let arrived = [(13, 1), (20, 2), (20, 3), (20, 5), (20, 6), (23, 4)];
    assert_eq!(of(5, 6, &[4]), arrived.map(|(t, id)| (t, id, true)));
}

#[test]
fn repair_packets_take_time_and_are_counted_and_are_not_offered() {
    let mut link = build(&coded(3, 5, false, &[2]));
    let offers: Vec<_> = (1..=6).map(|id| (at_ms(0), pkt(id, 1500 - 100 * id))).collect();
    drive(&mut link, &offers, at_ms(1_000));
    let stats = link.stats(at_ms(1_000));
    assert_eq!((stats.offered.packets, stats.delivered.packets, stats.random.packets), (6, 6, 0));
    assert_eq!((stats.repairs.packets, stats.repaired.packets), (4, 1));
    // Two as large as packet 1, two as large as packet 4.
    assert_eq!(stats.repairs.bytes.get(), 2 * 1400 + 2 * 1100);
    assert_eq!(stats.repaired.bytes.get(), 1300);
    let bytes = stats.offered.bytes.get() + stats.repairs.bytes.get();
    assert_eq!(stats.busy, Duration::from_nanos(bytes * 1_000_000 / 1_500));
}

fn binomial(n: u32, p: f64, k: u32) -> f64 {
    let ways = (0..k).fold(1.0, |ways, i| ways * f64::from(n - i) / f64::from(i + 1));
    ways * p.powi(k.cast_signed()) * (1.0 - p).powi((n - k).cast_signed())
}

#[test]
fn independent_losses_leave_what_the_binomial_distribution_says() {
    const BLOCKS: u32 = 3_000;
    let (k, n, p) = (10, 12, 0.08);
    // Of a block that has lost `l`, all are lost if fewer repair packets arrive.
    let (mut mean, mut square) = (0.0, 0.0);
    for lost in 1..=k {
        for repairs in 0..lost.min(n - k + 1) {
            let chance = binomial(k, p, lost) * binomial(n - k, 1.0 - p, repairs);
            mean += chance * f64::from(lost);
            square += chance * f64::from(lost * lost);
        }
    }
    let fec = Some(FecConfig { k, n, wait: ms(20), in_order: true });
    let losses = vec![LossConfig::Bernoulli { p }];
    let mut link = build(&LinkConfig { losses, fec, ..link_12_mbit(Limit::Unlimited) });
    let offers: Vec<_> = (1..=u64::from(BLOCKS * k)).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut link, &offers, Instant::ZERO + Duration::from_secs(100));
    assert!(log.is_sorted_by_key(|event| event.1));
    let stats = link.stats(Instant::ZERO + Duration::from_secs(100));
    let expected = f64::from(BLOCKS) * mean;
    let deviation = (f64::from(BLOCKS) * (square - mean * mean)).sqrt();
    let found = f64::from(u32::try_from(stats.random.packets).unwrap());
    assert!((found - expected).abs() < 4.0 * deviation, "{found}, {expected} +- {deviation}");
    // Every packet is lost or repaired as the wire lost it.
    let raw = f64::from(BLOCKS * k) * p;
    let wire = found + f64::from(u32::try_from(stats.repaired.packets).unwrap());
    assert!((wire - raw).abs() < 4.0 * (raw * (1.0 - p)).sqrt(), "{wire}, {raw}");
}

#[test]
fn a_code_that_is_out_of_bounds_or_beside_arq_is_refused_by_name() {
    let refused = |config: &LinkConfig| {
        westwood_net::Link::<common::Pkt>::new(config, 1, "link").unwrap_err().field
    };
    assert_eq!(refused(&coded(0, 1, true, &[])), "fec.k");
    assert_eq!(refused(&coded(3, 3, true, &[])), "fec.n");
    let arq = Some(ArqConfig { tries: 1, delay: ms(1), in_order: true });
    assert_eq!(refused(&LinkConfig { arq, ..coded(3, 4, true, &[]) }), "fec");
}
