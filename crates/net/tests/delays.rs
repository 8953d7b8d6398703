//! How long packets wait before their transmission begins: worked numbers, and the same where they
//! are foretold.

use std::sync::Arc;

use crate::common::{Pkt, at_ms, build, drive, link_12_mbit, ms, pkt};
use proptest::prelude::*;
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_net::{
    Capacity, Change, CoDelConfig, FqCoDelConfig, Histogram, Interval, Limit, Link, LinkChange,
    LinkConfig, PredictedLink, QueueConfig, Trace,
};

/// The delays at a link that packets are offered to, of transmissions in this interval.
fn delays(config: &LinkConfig, offers: &[(Instant, Pkt)], interval: Interval) -> Histogram {
    let mut link = build(config);
    link.record_delays(interval.begin);
    drive(&mut link, offers, interval.end);
    link.delays(interval.end).expect("delays are recorded")
}

/// The same of a link that tells fates on offer.
fn foreseen(config: &LinkConfig, offers: &[(Instant, Pkt)], interval: Interval) -> Histogram {
    let link = PredictedLink::new(config, 1, "link", &interval).expect("valid");
    let mut link = link.expect("known on offer");
    link.record_delays(&interval);
    for &(now, packet) in offers {
        link.offer(&interval, now, Bytes::new(packet.size), packet.ecn.is_capable());
    }
    link.delays(&interval).expect("delays are recorded")
}

/// A histogram of these times in ms.
fn of_ms(times: impl IntoIterator<Item = u64>) -> Histogram {
    let mut all = Histogram::default();
    times.into_iter().for_each(|n| all.add(ms(n)));
    all
}

fn together(count: u64, at: Instant) -> Vec<(Instant, Pkt)> {
    (0..count).map(|id| (at, pkt(id, 1500))).collect()
}

const WHOLE: Interval = Interval { begin: Instant::ZERO, end: Instant::from_nanos(10_000_000_000) };

#[test]
fn of_packets_that_come_together_each_waits_for_those_before_it() {
    // A full packet takes 1 ms.
    let config = link_12_mbit(Limit::Unlimited);
    let offers = together(50, at_ms(3));
    let expected = of_ms(0..50);
    assert_eq!(delays(&config, &offers, WHOLE), expected);
    assert_eq!(foreseen(&config, &offers, WHOLE), expected);
    let summary = expected.summary().expect("fifty packets");
    assert_eq!((summary.samples, summary.mean), (50, Duration::from_micros(24_500)));
}

#[test]
fn transmissions_count_that_begin_in_the_interval_whenever_their_packets_came() {
    let config = link_12_mbit(Limit::Unlimited);
    // They begin at 0, 1, ... 9 ms; one more comes at 20 ms, and one when the interval has ended.
    let mut offers = together(10, at_ms(0));
    offers.extend([(at_ms(20), pkt(10, 1500)), (at_ms(20), pkt(11, 1500))]);
    for (begin, end, expected) in [
        (at_ms(4), at_ms(30), of_ms([4, 5, 6, 7, 8, 9, 0, 1])),
        (at_ms(4), at_ms(20), of_ms([4, 5, 6, 7, 8, 9, 0])),
        (at_ms(20), at_ms(30), of_ms([0, 1])),
        (at_ms(21), at_ms(30), of_ms([1])),
        (at_ms(22), at_ms(30), of_ms([])),
    ] {
        let interval = Interval { begin, end };
        assert_eq!(delays(&config, &offers, interval), expected, "{begin:?}");
        assert_eq!(foreseen(&config, &offers, interval), expected, "{begin:?}");
    }
}

#[test]
fn packets_that_the_queue_drops_do_not_count() {
    let config = link_12_mbit(Limit::Packets(3));
    let offers = together(50, at_ms(3));
    for delays in [delays(&config, &offers, WHOLE), foreseen(&config, &offers, WHOLE)] {
        assert_eq!(delays, of_ms(0..4));
    }
    // CoDel takes them out of the queue, which is then shorter for those behind them.
    let codel = QueueConfig::CoDel(CoDelConfig::default());
    let config = LinkConfig { queue: codel, ..config };
    let (mut link, offers) = (build(&config), together(400, at_ms(0)));
    link.record_delays(Instant::ZERO);
    drive(&mut link, &offers, WHOLE.end);
    let (delays, stats) = (link.delays(WHOLE.end).expect("recorded"), link.stats(WHOLE.end));
    assert!(stats.aqm.packets > 0);
    assert_eq!(delays, of_ms(0..stats.delivered.packets));
}

#[test]
fn every_flow_has_a_turn_with_a_queue_of_its_own() {
    let queue = QueueConfig::FqCoDel(FqCoDelConfig::default());
    let config = LinkConfig { queue, ..link_12_mbit(Limit::Unlimited) };
    let of = |flow, id| (at_ms(0), Pkt { flow, ..pkt(id, 1500) });
    // The other flow's packet is the second to go: it has waited 1 ms, and those before it longer.
    let offers = [of(1, 0), of(1, 1), of(1, 2), of(1, 3), of(2, 4)];
    assert_eq!(delays(&config, &offers, WHOLE), of_ms(0..5));
    let last_of_each = [of(1, 0), of(1, 1), (at_ms(1), of(2, 2).1)];
    assert_eq!(delays(&config, &last_of_each, WHOLE), of_ms([0, 1, 1]));
}

#[test]
fn with_recorded_capacity_a_packet_waits_for_its_opportunity() {
    let trace = Trace::parse("5\n10\n30\n").expect("a trace");
    let capacity = Capacity::Recorded(Arc::new(trace));
    let config = LinkConfig { capacity, ..link_12_mbit(Limit::Unlimited) };
    let offers = together(3, at_ms(1));
    assert_eq!(delays(&config, &offers, WHOLE), of_ms([4, 9, 29]));
}

#[test]
fn a_rate_that_changes_makes_those_wait_longer_who_are_behind() {
    let half = LinkChange::Rate(Rate::from_bits_per_s(6_000_000));
    let schedule = vec![Change { at: at_ms(1), what: half }];
    let config = LinkConfig { schedule, ..link_12_mbit(Limit::Unlimited) };
    assert_eq!(delays(&config, &together(4, at_ms(0)), WHOLE), of_ms([0, 1, 3, 5]));
}

#[test]
fn what_is_offered_first_counts_and_makes_the_others_wait() {
    let config = link_12_mbit(Limit::Packets(2));
    let mut link = Link::new(&config, 1, "link").expect("a valid link");
    link.record_delays(Instant::ZERO);
    for id in 0..3 {
        link.offer(at_ms(0), pkt(id, 1500));
    }
    link.offer_first(at_ms(0), pkt(9, 1500));
    drive(&mut link, &[], WHOLE.end);
    assert_eq!(link.delays(WHOLE.end), Some(of_ms(0..4)));
}

#[test]
fn nothing_is_recorded_of_a_link_of_which_nobody_asked() {
    let config = link_12_mbit(Limit::Unlimited);
    assert_eq!(build(&config).delays(WHOLE.end), None);
    let mut link = PredictedLink::new(&config, 1, "link", &WHOLE).expect("valid").expect("known");
    assert_eq!(link.delays(&WHOLE), None);
}

proptest! {
    #[test]
    fn every_path_measures_the_same_delays_and_nothing_else_changes(
        limit in prop_oneof![
            (0_u64..8).prop_map(Limit::Packets),
            Just(Limit::Unlimited),
            Just(Limit::Bytes(Bytes::new(4_000))),
        ],
        // A rate at which no size takes whole nanoseconds, and one at which all do.
        rate in prop_oneof![Just(7_000_003_u64), Just(8_000_000)],
        (begin, length) in (0_u64..100_000, 0_u64..100_000),
        // Microseconds since the last offer, often none, and one of few sizes.
        offers in prop::collection::vec(
            (prop_oneof![Just(0_u64), 0_u64..3_000], 0_usize..3),
            1..120,
        ),
    ) {
        let config = LinkConfig::new(Rate::from_bits_per_s(rate), ms(1), limit);
        let micros = |n| Instant::ZERO + Duration::from_micros(n);
        let interval = Interval { begin: micros(begin), end: micros(begin + length) };
        let mut now = 0;
        let offers: Vec<_> = (0..).zip(offers).map(|(id, (wait, size))| {
            now += wait;
            (micros(now), pkt(id, [40, 1_500, 576][size]))
        }).filter(|&(at, _)| at <= interval.end).collect();
        let measured = delays(&config, &offers, interval);
        prop_assert_eq!(&foreseen(&config, &offers, interval), &measured);
        let (mut with, mut without) = (build(&config), build(&config));
        with.record_delays(interval.begin);
        prop_assert_eq!(
            drive(&mut with, &offers, interval.end),
            drive(&mut without, &offers, interval.end)
        );
        prop_assert_eq!(with.stats(interval.end), without.stats(interval.end));
    }
}
