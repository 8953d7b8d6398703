//! A link that repairs its losses: what it sends again, when, and what TCP sees of it.

use crate::common;
use crate::common::{PacketFate, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_net::{ArqConfig, DropCause, Limit, LinkConfig, LossConfig};

fn repairing(losses: LossConfig, arq: ArqConfig) -> LinkConfig {
    let plain = link_12_mbit(Limit::Unlimited);
    LinkConfig { losses: vec![losses], arq: Some(arq), ..plain }
}

fn arq(in_order: bool) -> ArqConfig {
    ArqConfig { tries: 3, delay: ms(2), in_order }
}

/// Milliseconds at which packets come out, and their numbers.
fn seen(config: &LinkConfig, packets: u64) -> Vec<(u64, u64)> {
    let offers: Vec<_> = (1..=packets).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut build(config), &offers, at_ms(10_000));
    assert!(log.iter().all(|event| event.2 == PacketFate::Delivered));
    log.iter().map(|event| (event.0.as_nanos() / 1_000_000, event.1)).collect()
}

#[test]
fn a_lost_packet_is_sent_again_before_all_that_wait_once_its_loss_is_known() {
    // Packet 1 leaves at 1 ms, is missed at 3 ms, when packet 3 has just left, and leaves again at 4 ms.
    let config = repairing(LossConfig::List(vec![1]), arq(false));
    assert_eq!(seen(&config, 5), [(12, 2), (13, 3), (14, 1), (15, 4), (16, 5)]);
}

#[test]
fn a_far_end_that_keeps_order_holds_what_comes_behind_the_gap() {
    let config = repairing(LossConfig::List(vec![1]), arq(true));
    assert_eq!(seen(&config, 5), [(14, 1), (14, 2), (14, 3), (15, 4), (16, 5)]);
}

#[test]
fn a_packet_that_no_try_brings_across_is_lost_once_and_took_every_tries_time() {
    for in_order in [false, true] {
        let config = repairing(LossConfig::Bernoulli { p: 1.0 }, arq(in_order));
        let mut link = build(&config);
        let log = drive(&mut link, &[(at_ms(0), pkt(1, 1500))], at_ms(1_000));
        // Sent at 1, 4, 7 and 10 ms.
        assert_eq!(log, [(at_ms(20), 1, PacketFate::Lost(DropCause::Random))]);
        let stats = link.stats(at_ms(1_000));
        assert_eq!((stats.random.packets, stats.offered.packets), (1, 1));
        assert_eq!(stats.busy, ms(4));
        assert_eq!((stats.repairs.packets, stats.repaired.packets), (3, 0));
    }
}

#[test]
fn repairs_take_the_share_of_the_link_that_is_lost() {
    // Of a link that loses 20 %, 80 % is left, and nothing of what is sent.
    let arq = ArqConfig { tries: 64, delay: ms(5), in_order: true };
    let mut link = build(&repairing(LossConfig::Bernoulli { p: 0.2 }, arq));
    let offers: Vec<_> = (1..=8_000).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut link, &offers, at_ms(100_000));
    assert!(log.is_sorted_by_key(|event| event.1) && log.len() == 8_000);
    let took = log.last().map_or(0, |event| event.0.as_nanos() / 1_000_000);
    assert!((9_800..10_200).contains(&took), "{took} ms");
    let stats = link.stats(at_ms(100_000));
    assert_eq!(stats.random.packets, 0);
    // Of 8,000 packets the share that is lost once or oftener: 1,600 give or take four deviations.
    assert!((1_457..1_743).contains(&stats.repaired.packets), "{}", stats.repaired.packets);
    assert!((1_800..2_200).contains(&stats.repairs.packets), "{}", stats.repairs.packets);
}

#[test]
fn a_repair_that_is_out_of_bounds_is_refused_by_name() {
    let refused = |arq| {
        let config = repairing(LossConfig::Bernoulli { p: 0.1 }, arq);
        westwood_net::Link::<common::Pkt>::new(&config, 1, "link").unwrap_err().field
    };
    assert_eq!(refused(ArqConfig { tries: 0, ..arq(true) }), "arq.tries");
    let long = westwood_cc::Duration::from_secs(100_000);
    assert_eq!(refused(ArqConfig { delay: long, ..arq(true) }), "arq.delay");
}
