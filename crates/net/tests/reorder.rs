//! Packets that others overtake by number, and ECN fields that a path changes.

use crate::common::{PacketFate, Pkt, arrivals, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_cc::Ecn;
use westwood_net::{
    EcnPath, Jitter, JitterDistribution, Limit, LinkConfig, LossConfig, Offer, ReorderConfig, Step,
};

fn reordering(p: f64, by: u32) -> LinkConfig {
    let reorder = Some(ReorderConfig { p, by, within: ms(50) });
    LinkConfig { reorder, ..link_12_mbit(Limit::Unlimited) }
}

/// The numbers of those that arrived, in order of arrival.
fn order(config: &LinkConfig, packets: u64) -> Vec<u64> {
    let offers: Vec<_> = (1..=packets).map(|id| (at_ms(0), pkt(id, 1500))).collect();
    let log = drive(&mut build(config), &offers, at_ms(1_000_000));
    assert!(log.is_sorted_by_key(|event| event.0));
    log.iter().filter(|event| event.2 == PacketFate::Delivered).map(|event| event.1).collect()
}

/// By how many later packets each was overtaken: the reordering extent of one that arrives after.
fn overtaken(order: &[u64]) -> Vec<usize> {
    let later = |place: usize| order[..place].iter().filter(|&&id| id > order[place]).count();
    (0..order.len()).map(later).collect()
}

#[test]
fn a_share_of_packets_is_overtaken_by_so_many_and_the_rest_by_none() {
    const PACKETS: u64 = 20_000;
    let order = order(&reordering(0.01, 3), PACKETS);
    assert_eq!(order.len() as u64, PACKETS);
    let extents = overtaken(&order[..order.len() - 10]);
    let late: Vec<_> = extents.into_iter().filter(|&n| n > 0).collect();
    // The binomial expectation is 200, its deviation 14. Two that are held together are overtaken
    // by the same three, and the second does not overtake the first.
    assert!((158..=242).contains(&late.len()), "{}", late.len());
    assert!(late.iter().all(|&n| n == 3), "{late:?}");
}

#[test]
fn a_packet_that_nothing_follows_arrives_within_the_limit() {
    let config = reordering(1.0, 1);
    let log = drive(&mut build(&config), &[(at_ms(0), pkt(1, 1500))], at_ms(1_000));
    // It leaves at 1 ms, would arrive at 11 ms, and waits 50 ms for another.
    assert_eq!(arrivals(&log), [61_000_000]);
}

#[test]
fn where_all_are_held_back_none_is_overtaken_and_all_are_late() {
    assert_eq!(order(&reordering(1.0, 3), 50), (1..=50).collect::<Vec<_>>());
}

#[test]
fn lost_packets_have_not_passed() {
    // Of a stream of which the second is lost, the third is the first to overtake.
    let config =
        LinkConfig { losses: vec![LossConfig::List((2..=9).collect())], ..reordering(0.5, 1) };
    let (_, order) = (0..100)
        .map(|seed| {
            let mut link = westwood_net::Link::new(&config, seed, "link").expect("valid");
            let offers: Vec<_> = (1..=10).map(|id| (at_ms(0), pkt(id, 1500))).collect();
            let log = drive(&mut link, &offers, at_ms(1_000));
            let delivered: Vec<_> =
                log.iter().filter(|e| e.2 == PacketFate::Delivered).map(|e| (e.0, e.1)).collect();
            (seed, delivered)
        })
        .find(|(_, order)| order[0].1 == 10)
        .expect("one of a hundred seeds holds the first packet back and not the last");
    assert_eq!(order, [(at_ms(20), 10), (at_ms(20), 1)]);
}

#[test]
fn a_link_reorders_by_number_or_by_jitter_and_says_so() {
    let jitter =
        Some(Jitter { spread: JitterDistribution::Uniform { most: ms(1) }, reorder: true });
    for (config, field) in [
        (LinkConfig { jitter, ..reordering(0.1, 1) }, "reorder"),
        (reordering(1.5, 1), "reorder.p"),
        (reordering(0.1, 0), "reorder.by"),
    ] {
        let error = westwood_net::Link::<Pkt>::new(&config, 1, "link").unwrap_err();
        assert_eq!(error.field, field);
    }
}

#[test]
fn a_path_bleaches_clears_remarks_or_marks_the_field_and_leaves_the_rest_alone() {
    let all = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];
    for (path, expected) in [
        (None, all),
        (Some(EcnPath::Bleach), [Ecn::NotEct; 4]),
        (Some(EcnPath::ClearCe), [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ect0]),
        (Some(EcnPath::Remark), [Ecn::NotEct, Ecn::Ect1, Ecn::Ect1, Ecn::Ce]),
        (Some(EcnPath::MarkAll), [Ecn::NotEct, Ecn::Ce, Ecn::Ce, Ecn::Ce]),
        (Some(EcnPath::TunnelForget), all),
        (Some(EcnPath::TunnelHide), all),
    ] {
        let config = LinkConfig { ecn_path: path, ..link_12_mbit(Limit::Unlimited) };
        let mut link = build(&config);
        for (id, ecn) in (0..).zip(all) {
            assert_eq!(link.offer(at_ms(0), Pkt { ecn, ..pkt(id, 1500) }), Offer::Queued);
        }
        let mut found = Vec::new();
        while found.len() < all.len() {
            let next = link.next_event();
            if let Step::Delivered(packet) = link.step(next) {
                found.push(packet.ecn);
            }
        }
        assert_eq!(found, expected, "{path:?}");
    }
}
