//! A link whose packets leave in bursts, each with an overhead.

use crate::common;
use crate::common::{arrivals, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_cc::{Duration, Rate};
use westwood_net::{BurstConfig, Capacity, Change, Limit, LinkChange, LinkConfig};

/// Packets of 1500 bytes take a millisecond, bursts two more, and ten on the way.
fn bursty(packets: u32, airtime: Duration) -> LinkConfig {
    let bursts = Some(BurstConfig { packets, airtime, overhead: ms(2) });
    LinkConfig { bursts, ..link_12_mbit(Limit::Unlimited) }
}

/// Microseconds at which so many packets arrive that are offered at once.
fn seen(config: &LinkConfig, packets: u64) -> Vec<u64> {
    let offers: Vec<_> = (1..=packets).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut build(config), &offers, at_ms(100_000));
    assert!(log.is_sorted_by_key(|event| event.1));
    arrivals(&log).into_iter().map(|ns| ns / 1_000).collect()
}

#[test]
fn what_waits_when_the_medium_is_free_leaves_in_one_burst_and_arrives_at_its_end() {
    // Alone from 0 to 3 ms, four from 3 to 9 ms, alone from 9 to 12 ms.
    let four = [19_000; 4];
    assert_eq!(seen(&bursty(4, ms(1_000)), 6), [&[13_000][..], &four, &[22_000]].concat());
}

#[test]
fn a_burst_takes_no_more_packets_once_its_airtime_is_used() {
    assert_eq!(seen(&bursty(64, ms(2)), 5), [13_000, 17_000, 17_000, 21_000, 21_000]);
    assert_eq!(seen(&bursty(64, Duration::ZERO), 2), [13_000, 16_000]);
}

#[test]
fn in_the_long_run_each_burst_costs_its_overhead_once() {
    const PACKETS: u64 = 4_001;
    let mut link = build(&bursty(4, ms(1_000)));
    let offers: Vec<_> = (1..=PACKETS).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut link, &offers, at_ms(100_000));
    // Six milliseconds for every four packets, after the first that went alone.
    assert_eq!(arrivals(&log).last(), Some(&((3 + 6_000 + 10) * 1_000_000)));
    assert_eq!(link.stats(at_ms(100_000)).busy, ms(6_003));
}

#[test]
fn what_a_burst_leaves_below_a_nanosecond_is_carried_to_the_next() {
    let rate = Rate::from_bits_per_s(7_000_003);
    let config = LinkConfig { capacity: Capacity::Fixed(rate), ..bursty(4, ms(1_000)) };
    let offers: Vec<_> = (1..=4_001).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut build(&config), &offers, at_ms(100_000));
    // One alone and a thousand of four, with 2 ms each.
    let payload = 4_001 * 12_000 * 1_000_000_000 / 7_000_003;
    assert_eq!(arrivals(&log).last(), Some(&(payload + (1_001 * 2 + 10) * 1_000_000)));
}

#[test]
fn a_new_rate_holds_for_the_payload_that_is_left_and_not_for_the_overhead() {
    let twice = LinkChange::Rate(Rate::from_bits_per_s(24_000_000));
    let at = |n: u64, what: &LinkChange| {
        let schedule = vec![Change { at: at_ms(n), what: what.clone() }];
        seen(&LinkConfig { schedule, ..bursty(4, ms(1_000)) }, 5)[1]
    };
    // The second burst has its overhead from 3 to 5 ms.
    assert_eq!(at(4, &twice), 17_000);
    assert_eq!(at(6, &twice), 17_500);
    assert_eq!(at(50, &twice), 19_000);
}

#[test]
fn packets_on_the_air_do_not_wait() {
    let mut link = build(&bursty(4, ms(1_000)));
    let offers: Vec<_> = (1..=6).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    drive(&mut link, &offers, at_ms(4));
    assert_eq!(link.waiting(at_ms(4)).packets, 1);
    assert_eq!(link.in_transit().on_wire.packets, 5);
    // The burst from 3 ms on counts as far as it has come.
    assert_eq!(link.stats(at_ms(4)).busy, ms(4));
}

#[test]
fn the_time_between_bursts_is_not_busy() {
    let mut link = build(&bursty(4, ms(1_000)));
    // Three milliseconds for each.
    drive(&mut link, &[(at_ms(0), pkt(1, 1500)), (at_ms(50), pkt(2, 1500))], at_ms(200));
    assert_eq!(link.stats(at_ms(200)).busy, ms(6));
}

#[test]
fn bursts_that_are_out_of_bounds_are_refused_by_name() {
    let error = westwood_net::Link::<common::Pkt>::new(&bursty(0, ms(1)), 1, "link").unwrap_err();
    assert_eq!(error.field, "bursts.packets");
    let error = westwood_net::Link::<common::Pkt>::new(&bursty(1, ms(9_000)), 1, "l").unwrap_err();
    assert_eq!(error.field, "bursts.airtime");
}
