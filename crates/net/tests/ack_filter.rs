//! A link that thins ACKs: which it leaves out, when the others arrive, and what it never leaves out.

use crate::common::{PacketFate, Pkt, at, at_ms, build, drive, link_12_mbit, ms, pkt};
use westwood_cc::{Duration, Instant};
use westwood_net::{AckFilterConfig, AckRule, Limit, LinkConfig, PureAck};

/// An ACK of 1500 bytes, so that each takes a millisecond.
fn ack(id: u64, number: u64) -> Pkt {
    Pkt { ack: Some(PureAck { number, has_news: false, ecn: 0 }), ..pkt(id, 1500) }
}

fn thinning(rule: AckRule) -> LinkConfig {
    let filter = AckFilterConfig { rule, drop_sack: false, drop_ecn: false };
    LinkConfig { ack_filter: Some(filter), ..link_12_mbit(Limit::Unlimited) }
}

const BY_THREE: AckRule = AckRule::Decimate { n: 3, wait: Duration::from_millis(20) };

/// Milliseconds at which packets come out, and their numbers; how many were left out.
fn seen(config: &LinkConfig, offers: &[(Instant, Pkt)]) -> (Vec<(u64, u64)>, u64) {
    let mut link = build(config);
    let log = drive(&mut link, offers, at_ms(10_000));
    assert!(log.iter().all(|event| event.2 == PacketFate::Delivered));
    let out = log.iter().map(|event| (event.0.as_nanos() / 1_000_000, event.1)).collect();
    (out, link.stats(at_ms(10_000)).filtered.packets)
}

#[test]
fn a_waiting_ack_is_replaced_in_its_place_by_the_latest_of_its_connection() {
    // Packet 1 is in the transmitter; 2 waits and gives its place to 4 and then 5; data goes behind.
    let offers = [ack(1, 1), ack(2, 2), pkt(3, 1500), ack(4, 3), ack(5, 4)].map(|p| (at_ms(0), p));
    assert_eq!(seen(&thinning(AckRule::Replace), &offers), (vec![(11, 1), (12, 5), (13, 3)], 2));
}

#[test]
fn an_ack_in_the_transmitter_is_not_replaced_and_the_next_one_waits_behind_it() {
    let offers = [(at_ms(0), ack(1, 1)), (at(500_000), ack(2, 2)), (at_ms(9), ack(3, 3))];
    assert_eq!(seen(&thinning(AckRule::Replace), &offers), (vec![(11, 1), (12, 2), (20, 3)], 0));
}

#[test]
fn duplicates_news_a_changed_echo_and_other_connections_are_never_left_out() {
    let changed = |p: Pkt, change: fn(&mut PureAck)| {
        let mut ack = p.ack.expect("an ACK");
        change(&mut ack);
        Pkt { ack: Some(ack), ..p }
    };
    let pairs = [
        [ack(2, 7), ack(3, 7)],
        [ack(2, 7), ack(3, 6)],
        [changed(ack(2, 7), |a| a.has_news = true), ack(3, 8)],
        [ack(2, 7), changed(ack(3, 8), |a| a.ecn = 1)],
        [ack(2, 7), Pkt { flow: 1, ..ack(3, 8) }],
    ];
    for pair in pairs {
        let offers = [ack(1, 1), pair[0], pair[1]].map(|p| (at_ms(0), p));
        let all = (vec![(11, 1), (12, 2), (13, 3)], 0);
        assert_eq!(seen(&thinning(AckRule::Replace), &offers), all, "{pair:?}");
    }
}

#[test]
fn a_link_may_be_told_to_leave_out_news_and_echoes_as_well() {
    let drop = AckFilterConfig { rule: AckRule::Replace, drop_sack: true, drop_ecn: true };
    let config = LinkConfig { ack_filter: Some(drop), ..link_12_mbit(Limit::Unlimited) };
    let old = Pkt { ack: Some(PureAck { number: 7, has_news: true, ecn: 1 }), ..pkt(2, 1500) };
    let offers = [ack(1, 1), old, ack(3, 8)].map(|p| (at_ms(0), p));
    assert_eq!(seen(&config, &offers), (vec![(11, 1), (12, 3)], 1));
}

#[test]
fn numbers_that_wrap_are_compared_as_sequence_numbers_are() {
    let offers = [ack(1, 1), ack(2, u64::MAX), ack(3, 4)].map(|p| (at_ms(0), p));
    assert_eq!(seen(&thinning(AckRule::Replace), &offers), (vec![(11, 1), (12, 3)], 1));
}

#[test]
fn of_n_acks_the_last_goes_on_and_the_rest_after_the_wait() {
    // Three at 0, 5 and 10 ms make one; the fourth waits for others until 40 ms.
    let offers = [(0, 1), (5, 2), (10, 3), (20, 4)].map(|(t, id)| (at_ms(t), ack(id, id)));
    assert_eq!(seen(&thinning(BY_THREE), &offers), (vec![(21, 3), (51, 4)], 2));
}

#[test]
fn a_held_ack_goes_on_before_what_may_not_be_held() {
    let duplicate = ack(2, 1);
    let offers = [(at_ms(0), ack(1, 1)), (at_ms(5), duplicate), (at_ms(6), pkt(3, 1500))];
    assert_eq!(seen(&thinning(BY_THREE), &offers), (vec![(16, 1), (17, 2), (18, 3)], 0));
}

#[test]
fn one_ack_in_n_arrives_of_a_long_stream_and_the_counts_add_up() {
    let offers: Vec<_> = (1..=3_000).map(|id| (at(id * 10_000), ack(id, id))).collect();
    let (out, filtered) = seen(&thinning(BY_THREE), &offers);
    assert_eq!((out.len(), filtered), (1_000, 2_000));
    assert!(out.iter().all(|(_, id)| id.is_multiple_of(3)));
}

#[test]
fn a_filter_that_is_out_of_bounds_is_refused_by_name() {
    for (rule, field) in [
        (AckRule::Decimate { n: 1, wait: ms(1) }, "ack_filter.n"),
        (AckRule::Decimate { n: 2, wait: ms(100_000_000) }, "ack_filter.wait"),
    ] {
        let error = westwood_net::Link::<Pkt>::new(&thinning(rule), 1, "link").unwrap_err();
        assert_eq!(error.field, field);
    }
}
