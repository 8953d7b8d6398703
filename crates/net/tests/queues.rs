//! Queues that act when packets leave, seen from outside.

use crate::common::{PacketFate, Pkt, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_cc::{Duration, Ecn, Instant};
use westwood_net::queue::InverseRoot;
use westwood_net::{
    CeThreshold, CoDelConfig, CobaltConfig, DropCause, DualPi2Config, EcnPath, FqCoDelConfig,
    FqPieConfig, Limit, Link, LinkConfig, LinkStats, MarkAbove, Offer, Packet, PieConfig,
    QueueConfig, Step, ThresholdConfig,
};

const AQM: PacketFate = PacketFate::Lost(DropCause::Aqm);

fn codel(ecn: bool) -> LinkConfig {
    LinkConfig {
        queue: QueueConfig::CoDel(CoDelConfig { ecn, ..CoDelConfig::default() }),
        ..link_12_mbit(Limit::Unlimited)
    }
}

/// 50 packets at once, then one a millisecond, which is what the link can send.
fn standing_queue(n: u64, ecn: Ecn) -> Vec<(Instant, Pkt)> {
    standing(50, n, ecn)
}

/// The same with so many packets at once: the others wait a millisecond for each.
fn standing(at_once: u64, n: u64, ecn: Ecn) -> Vec<(Instant, Pkt)> {
    let burst = (0..at_once).map(|i| (at_ms(0), i));
    let rest = (at_once..n).map(|i| (at_ms(i - at_once), i));
    let offers = burst.chain(rest);
    offers.map(|(t, i)| (t, Pkt { ecn, ..pkt(i, 1500) })).collect()
}

#[test]
fn codel_drops_by_its_control_law() {
    let log = drive(&mut build(&codel(false)), &standing_queue(500, Ecn::NotEct), at_ms(450));
    let drops: Vec<_> = log.iter().filter(|e| e.2 == AQM).map(|e| e.0).collect();
    // The wait reaches 5 ms at 5 ms. An interval later the first packet goes; then the drops follow
    // after 100 ms, 100/sqrt(2) = 70.7, 57.7, 50, 44.7 ms, each at the first departure from then on.
    assert_eq!(drops, [105, 205, 276, 334, 384, 429].map(at_ms));
}

#[test]
fn codel_with_the_kernels_root_drops_by_its_first_approximations() {
    let config = CoDelConfig { root: InverseRoot::Newton, ..CoDelConfig::default() };
    let config = LinkConfig { queue: QueueConfig::CoDel(config), ..link_12_mbit(Limit::Unlimited) };
    let log = drive(&mut build(&config), &standing_queue(500, Ecn::NotEct), at_ms(450));
    let drops: Vec<_> = log.iter().filter(|e| e.2 == AQM).map(|e| e.0).collect();
    // `codel_Newton_step` gives 0.5, 0.5625, 0.4878, 0.4415 and 0.4041 for the counts from 2 on: the drops
    // are due 50, 56.3, 48.8, 44.2 and 40.4 ms after 205 ms.
    assert_eq!(drops, [105, 205, 255, 312, 361, 405, 445].map(at_ms));
}

#[test]
fn codel_leaves_a_burst_that_drains_within_an_interval_alone() {
    let burst: Vec<_> = (0..90).map(|i| (at_ms(0), pkt(i, 1500))).collect();
    let log = drive(&mut build(&codel(false)), &burst, at_ms(999));
    assert!(log.iter().all(|e| e.2 == PacketFate::Delivered));
}

#[test]
fn codel_marks_instead_where_ecn_is_understood() {
    let mut link = build(&codel(true));
    let log = drive(&mut link, &standing_queue(500, Ecn::Ect0), at_ms(450));
    assert!(log.iter().all(|e| e.2 == PacketFate::Delivered));
    assert_eq!(link.stats(at_ms(450)).marks, 6);
}

/// How many packets came out by 450 ms with each codepoint, how many were dropped, and how many marked.
fn through(ecn_path: Option<EcnPath>, entered: Ecn) -> ([usize; 4], usize, u64) {
    let mut link = build(&LinkConfig { ecn_path, ..codel(true) });
    let (mut fields, mut dropped) = ([0; 4], 0);
    let mut until = |link: &mut Link<Pkt>, end: Instant| {
        while link.next_event() <= end {
            match link.step(link.next_event()) {
                Step::Delivered(packet) => fields[packet.ecn() as usize] += 1,
                Step::Lost(..) => dropped += 1,
                Step::Nothing => {}
            }
        }
    };
    for (now, packet) in standing_queue(500, entered) {
        until(&mut link, now);
        assert_eq!(link.offer(now, packet), Offer::Queued);
    }
    until(&mut link, at_ms(450));
    (fields, dropped, link.stats(at_ms(450)).marks)
}

#[test]
fn a_queue_within_a_tunnel_reads_the_outer_field_and_the_exit_decides_what_is_left_of_its_marks() {
    // Up to 450 ms CoDel marks or drops six, and the first of 440 packets that are left come out.
    let (not_ect, ect0, ce) = ([440, 0, 0, 0], [0, 0, 440, 0], [0, 0, 0, 440]);
    for (path, entered, come_out) in [
        (None, Ecn::Ect0, ([0, 0, 434, 6], 0, 6)),
        (None, Ecn::NotEct, (not_ect, 6, 0)),
        (Some(EcnPath::TunnelForget), Ecn::Ect0, (ect0, 0, 6)),
        (Some(EcnPath::TunnelForget), Ecn::NotEct, (not_ect, 6, 0)),
        (Some(EcnPath::TunnelHide), Ecn::Ect0, (ect0, 6, 0)),
        (Some(EcnPath::TunnelHide), Ecn::NotEct, (not_ect, 6, 0)),
        (Some(EcnPath::TunnelHide), Ecn::Ce, (ce, 6, 0)),
        (Some(EcnPath::MarkAll), Ecn::Ect0, (ce, 0, 6)),
        (Some(EcnPath::MarkAll), Ecn::NotEct, (not_ect, 6, 0)),
    ] {
        assert_eq!(through(path, entered), come_out, "{path:?} {entered:?}");
    }
}

#[test]
fn codel_marks_what_waits_longer_than_its_ce_threshold_of_the_codepoint_selected() {
    let marks = |ecn: Ecn, ect1_only: bool| {
        let ce_threshold = Some(CeThreshold { wait: ms(1), ect1_only });
        let config = CoDelConfig { ce_threshold, ..CoDelConfig::default() };
        let mut link = build(&LinkConfig {
            queue: QueueConfig::CoDel(config),
            ..link_12_mbit(Limit::Unlimited)
        });
        // A packet a millisecond leaves of ten that come at once: they wait 0 to 9 ms.
        let burst: Vec<_> = (0..10).map(|i| (at_ms(0), Pkt { ecn, ..pkt(i, 1500) })).collect();
        let log = drive(&mut link, &burst, at_ms(50));
        assert!(log.iter().all(|e| e.2 == PacketFate::Delivered));
        link.stats(at_ms(50)).marks
    };
    assert_eq!(marks(Ecn::Ect1, false), 8);
    assert_eq!(marks(Ecn::Ect1, true), 8);
    assert_eq!(marks(Ecn::Ect0, false), 8);
    assert_eq!(marks(Ecn::Ect0, true), 0);
    assert_eq!(marks(Ecn::NotEct, false), 0);
}

#[test]
fn codel_keeps_short_what_drop_tail_would_let_fill() {
    let offers = overload(66_000, |_| Ecn::NotEct);
    let (first, last) = offers.split_at(55_000);
    let mut link = build(&codel(false));
    drive(&mut link, first, at_ms(50_000));
    let early = link.stats(at_ms(50_000));
    drive(&mut link, last, at_ms(60_000));
    let late = link.stats(at_ms(60_000)).since(&early);
    // Drop-tail would hold 1000 packets. CoDel swings around its target of 5 with a period of
    // seconds, since it drops no faster than its control law lets it.
    let [median, high] = [0.5, 0.95].map(|q| late.waiting.quantile(q));
    assert!(median < 50 && high < 200, "{median} {high}");
}

/// A queue that decides as packets leave, whose next packet is taken out early or is not.
fn peeked(queue: QueueConfig, peeks: bool) -> LinkConfig {
    LinkConfig { queue, peeks, ..link_12_mbit(Limit::Unlimited) }
}

#[test]
fn a_packet_that_is_taken_out_early_is_judged_by_what_it_has_waited_until_then() {
    let queues = [
        QueueConfig::CoDel(CoDelConfig { ecn: false, ..CoDelConfig::default() }),
        QueueConfig::FqCoDel(FqCoDelConfig { ecn: false, ..FqCoDelConfig::default() }),
    ];
    for queue in queues {
        // All wait for the target of 5 ms, and for 4 ms until the packet before them begins to leave.
        let drops = |peeks| {
            let offers = standing(5, 500, Ecn::NotEct);
            let log = drive(&mut build(&peeked(queue, peeks)), &offers, at_ms(999));
            log.iter().filter(|e| e.2 == AQM).count()
        };
        assert_ne!(drops(false), 0, "{queue:?}");
        assert_eq!(drops(true), 0, "{queue:?}");
    }
}

#[test]
fn taking_packets_out_early_delays_none_and_counts_them_as_waiting() {
    for queue in [fq(100).queue, QueueConfig::DropTail(Limit::Packets(100))] {
        let offers: Vec<_> = (0..40).map(|i| (at_ms(3 * (i / 5)), pkt(i, 1500))).collect();
        let [mut plain, mut early] = [false, true].map(|peeks| build(&peeked(queue, peeks)));
        let log = drive(&mut plain, &offers, at_ms(999));
        assert_eq!(drive(&mut early, &offers, at_ms(999)), log);
        assert_eq!(early.stats(at_ms(999)), plain.stats(at_ms(999)));
    }
}

#[test]
fn fq_pie_holds_each_flow_near_its_target_and_lets_a_thin_one_pass() {
    let link = with_queue(QueueConfig::FqPie(FqPieConfig::default()));
    // Flow 0 offers 10 % more than the link can send, flow 1 a packet in 20 ms.
    let fat = overload(33_000, |_| Ecn::NotEct);
    let thin = (0..1_500).map(|i| (at_ms(20 * i + 7), of_flow(1, 1_000_000 + i, 1500)));
    let mut offers: Vec<_> = fat.into_iter().chain(thin.clone()).collect();
    offers.sort_by_key(|offer| offer.0);
    let mut link = build(&link);
    let log = drive(&mut link, &offers, at_ms(30_000));
    let thin: Vec<_> = log.iter().filter(|e| e.1 >= 1_000_000).collect();
    assert!(thin.iter().all(|e| e.2 == PacketFate::Delivered));
    // Behind a packet in the transmitter, its own millisecond and the 10 ms of the link.
    let waits = thin.iter().map(|e| e.0.since(at_ms(20 * (e.1 - 1_000_000) + 7)));
    assert!(waits.max() <= Some(Duration::from_micros(13_000)));
    let stats = link.stats(at_ms(30_000));
    let median = stats.waiting.quantile(0.5);
    assert!((10..=20).contains(&median), "{median}");
    assert_eq!(stats.overflow.packets, 0);
}

fn fq(limit: u64) -> LinkConfig {
    LinkConfig {
        queue: QueueConfig::FqCoDel(FqCoDelConfig {
            limit: Limit::Packets(limit),
            // Out of the way: these tests look at the scheduler.
            target: ms(50_000),
            interval: ms(50_000),
            ..FqCoDelConfig::default()
        }),
        ..link_12_mbit(Limit::Unlimited)
    }
}

fn of_flow(flow: u32, id: u64, size: u64) -> Pkt {
    Pkt { flow, ..pkt(id, size) }
}

/// Steps up to `end` and adds up the bytes of each of two flows.
fn bytes_by_flow(config: &LinkConfig, offers: &[(Instant, Pkt)], end: Instant) -> [u64; 2] {
    let mut link = build(config);
    for &(t, p) in offers {
        assert_eq!(link.offer(t, p), Offer::Queued);
    }
    let mut bytes = [0; 2];
    while link.next_event() <= end {
        let now = link.next_event();
        if let Step::Delivered(p) = link.step(now) {
            bytes[p.flow as usize] += p.size;
        }
    }
    bytes
}

#[test]
fn flows_share_bytes_equally_whatever_their_packets_and_their_queues() {
    let big = (0..900).map(|i| (at_ms(0), of_flow(0, i, 1500)));
    let small = (0..3_000).map(|i| (at_ms(0), of_flow(1, i, 300)));
    let offers: Vec<_> = big.chain(small).collect();
    let [a, b] = bytes_by_flow(&fq(10_000), &offers, at_ms(1_010));
    // 1000 packets' time in all; two quanta apart at most.
    assert!(a.abs_diff(b) <= 3_028, "{a} {b}");
    assert!(a + b >= 1_498_000, "{a} {b}");
}

#[test]
fn a_sparse_flow_goes_ahead_of_a_backlog() {
    let mut offers: Vec<_> = (0..500).map(|i| (at_ms(0), of_flow(0, i, 1500))).collect();
    for i in 1..20 {
        offers.push((at_ms(20 * i), of_flow(1, 1_000 + i, 100)));
    }
    let log = drive(&mut build(&fq(10_000)), &offers, at_ms(2_000));
    for i in 1..20 {
        let (arrival, ..) = log.iter().find(|e| e.1 == 1_000 + i).expect("delivered");
        let delay = arrival.since(at_ms(20 * i));
        // At most the packet in the transmitter and one in service order before it, and 10 ms.
        assert!(delay <= Duration::from_micros(12_100), "{delay}");
    }
}

#[test]
fn an_overflow_costs_the_fattest_flow_at_its_head() {
    let mut offers: Vec<_> = (0..101).map(|i| (at_ms(0), of_flow(0, i, 1500))).collect();
    offers.push((at_ms(0), of_flow(1, 1_000, 1500)));
    let log = drive(&mut build(&fq(100)), &offers, at_ms(2_000));
    let lost: Vec<_> =
        log.iter().filter(|e| e.2 != PacketFate::Delivered).map(|e| (e.1, e.2)).collect();
    // Packet 0 is in the transmitter; half of the hundred behind it go.
    let expected = (1..=50).map(|id| (id, PacketFate::Lost(DropCause::Overflow)));
    assert!(lost.iter().copied().eq(expected), "{lost:?}");
}

#[test]
fn empty_packets_overflow_too() {
    let offers: Vec<_> =
        (0..10).map(|i| (at_ms(0), of_flow(9, i, if i == 0 { 1500 } else { 0 }))).collect();
    let log = drive(&mut build(&fq(3)), &offers, at_ms(99));
    assert_eq!(log.iter().filter(|e| e.2 == PacketFate::Delivered).count(), 4);
}

/// So many packets at 110 % of what the link can send.
fn overload(n: u64, ecn: impl Fn(u64) -> Ecn) -> Vec<(Instant, Pkt)> {
    let at = |i| Instant::ZERO + Duration::from_nanos(909_091) * i;
    (0..n).map(|i| (at(i), Pkt { ecn: ecn(i), ..pkt(i, 1500) })).collect()
}

fn with_queue(queue: QueueConfig) -> LinkConfig {
    LinkConfig { queue, ..link_12_mbit(Limit::Unlimited) }
}

#[test]
fn a_step_marks_what_waits_longer_than_its_threshold_and_no_other() {
    let limit = Limit::Packets(100);
    let step =
        |mark_above| with_queue(QueueConfig::Threshold(ThresholdConfig { limit, mark_above }));
    // 50 packets come at once. The n-th, from 0, waits n ms and finds n - 1 packets waiting; the last
    // is not ECN-capable.
    let burst: Vec<_> = (0..50)
        .map(|i| {
            (at_ms(0), Pkt { ecn: if i == 49 { Ecn::NotEct } else { Ecn::Ect1 }, ..pkt(i, 1500) })
        })
        .collect();
    for (mark_above, marked) in [
        (MarkAbove::Wait(ms(20)), 21..49),
        (MarkAbove::Wait(ms(0)), 1..49),
        (MarkAbove::Packets(20), 22..49),
    ] {
        let mut link = build(&step(mark_above));
        for &(now, packet) in &burst {
            assert_eq!(link.offer(now, packet), Offer::Queued);
        }
        let mut marks = Vec::new();
        while link.next_event() < at_ms(1_000) {
            let now = link.next_event();
            if let Step::Delivered(packet) = link.step(now) {
                marks.extend(packet.ce.then_some(packet.id));
            }
        }
        assert!(marks.iter().copied().eq(marked), "{mark_above:?}: {marks:?}");
        assert_eq!(link.stats(at_ms(1_000)).marks, marks.len() as u64);
    }
}

/// The second half of a minute in which 10 % more comes than the link can send.
fn under_overload(config: &LinkConfig) -> LinkStats {
    let mut link = build(config);
    let offers = overload(66_000, |_| Ecn::NotEct);
    let (first, last) = offers.split_at(33_000);
    drive(&mut link, first, at_ms(30_000));
    let early = link.stats(at_ms(30_000));
    drive(&mut link, last, at_ms(60_000));
    link.stats(at_ms(60_000)).since(&early)
}

#[test]
fn pie_holds_a_steady_overload_near_its_target() {
    let late = under_overload(&with_queue(QueueConfig::Pie(PieConfig::default())));
    // A packet waits 1 ms for each before it: 15 packets are 15 ms.
    let [low, median, high] = [0.05, 0.5, 0.95].map(|q| late.waiting.quantile(q));
    assert!((10..=20).contains(&median) && low >= 5 && high <= 30, "{low} {median} {high}");
    // One of eleven is too many.
    let share = late.aqm.packets * 1_000 / late.offered.packets;
    assert!((86..=96).contains(&share), "{share}");
    assert_eq!(late.overflow.packets, 0);
}

#[test]
fn pie_lets_a_burst_pass_that_drains_within_its_allowance() {
    let burst: Vec<_> = (0..140).map(|i| (at_ms(0), pkt(i, 1500))).collect();
    let log =
        drive(&mut build(&with_queue(QueueConfig::Pie(PieConfig::default()))), &burst, at_ms(999));
    assert!(log.iter().all(|e| e.2 == PacketFate::Delivered));
}

#[test]
fn dualpi2_drops_classic_packets_only_and_keeps_scalable_ones_ahead() {
    // Every eleventh packet is scalable: 10 % of the rate beside 100 % of classic packets.
    let ecn = |i: u64| if i.is_multiple_of(11) { Ecn::Ect1 } else { Ecn::NotEct };
    let offers = overload(33_000, ecn);
    let mut link = build(&with_queue(QueueConfig::DualPi2(DualPi2Config::default())));
    let log = drive(&mut link, &offers, at_ms(30_000));
    let mut worst = Duration::ZERO;
    for &(at, id, fate) in &log {
        if id.is_multiple_of(11) {
            assert_eq!(fate, PacketFate::Delivered, "{id}");
            let (sent, _) = offers[usize::try_from(id).unwrap()];
            worst = worst.max(at.since(sent));
        }
    }
    // Behind a packet in the transmitter, its own millisecond and the 10 ms of the link.
    assert!(worst <= Duration::from_micros(13_000), "{worst}");
    let stats = link.stats(at_ms(30_000));
    assert!(stats.aqm.packets > 2_000 && stats.overflow.packets == 0, "{:?}", stats.aqm);
    // The classic queue is what waits: near the target of 15 ms.
    let median = stats.waiting.quantile(0.5);
    assert!((10..=20).contains(&median), "{median}");
}

#[test]
fn dualpi2_marks_a_scalable_flow_where_it_would_drop_a_classic_one() {
    let mut link = build(&with_queue(QueueConfig::DualPi2(DualPi2Config::default())));
    let log = drive(&mut link, &standing_queue(500, Ecn::Ect1), at_ms(400));
    assert!(log.iter().all(|e| e.2 == PacketFate::Delivered));
    // All wait about 50 ms, and so longer than the step of 1 ms.
    assert!(link.stats(at_ms(400)).marks > 390);
}

#[test]
fn cobalt_tames_a_steady_overload_with_both_its_parts() {
    let limit = Limit::Packets(200);
    let config = with_queue(QueueConfig::Cobalt(CobaltConfig { limit, ..CobaltConfig::default() }));
    let late = under_overload(&config);
    // Drop-tail would hold 200 packets, and one of eleven is too many.
    assert!(late.waiting.quantile(0.5) < 50, "{}", late.waiting.quantile(0.5));
    let dropped = late.aqm.packets + late.overflow.packets;
    assert!((2_950..=3_080).contains(&dropped), "{dropped}");
}

#[test]
fn a_full_cobalt_queue_drops_at_its_head() {
    let limit = Limit::Packets(3);
    let config = with_queue(QueueConfig::Cobalt(CobaltConfig { limit, ..CobaltConfig::default() }));
    let offers: Vec<_> = (0..6).map(|i| (at_ms(0), pkt(i, 1500))).collect();
    let log = drive(&mut build(&config), &offers, at_ms(999));
    // Packet 0 is in the transmitter.
    let lost: Vec<_> =
        log.iter().filter(|e| e.2 != PacketFate::Delivered).map(|e| (e.1, e.2)).collect();
    assert_eq!(lost, [1, 2].map(|id| (id, PacketFate::Lost(DropCause::Overflow))));
}
