//! RFC 2018, the receiver's side of selective acknowledgments; RFC 2883 for duplicates.

use crate::support::{Host, config};
use westwood_tcp::{Config, Recovery};

#[test]
fn s4_the_first_block_holds_the_segment_that_triggered_the_ack() {
    let mut h = Host::with_sack();
    assert_eq!(h.blocks(2), [(2, 3)]);
    assert_eq!(h.blocks(6), [(6, 7), (2, 3)]);
    assert_eq!(h.blocks(4), [(4, 5), (6, 7), (2, 3)]);
    assert_eq!(h.blocks(7), [(6, 8), (4, 5), (2, 3)]);
}

#[test]
fn s4_a_segment_that_joins_two_blocks_reports_the_whole() {
    let mut h = Host::with_sack();
    h.blocks(2);
    h.blocks(4);
    assert_eq!(h.blocks(3), [(2, 5)]);
}

#[test]
fn s4_blocks_below_the_cumulative_acknowledgment_disappear() {
    let mut h = Host::with_sack();
    h.blocks(1);
    h.blocks(4);
    assert_eq!(h.blocks(0), [(4, 5)]);
    assert_eq!(h.blocks(2), [(4, 5)]);
    assert_eq!(h.blocks(3), []);
}

#[test]
fn s4_a_segment_held_already_puts_its_block_first_again() {
    let mut h = Host::with_sack();
    h.blocks(2);
    h.blocks(4);
    assert_eq!(h.blocks(2), [(2, 3), (4, 5)]);
}

#[test]
fn s3_three_blocks_fit_beside_timestamps_and_four_without() {
    for (timestamps, most) in [(true, 3), (false, 4)] {
        let mut h = Host::new(&Config { timestamps, ..config(Recovery::Sack, 10) });
        let counts: Vec<usize> = [1, 3, 5, 7, 9].map(|seq| h.blocks(seq).len()).into();
        assert_eq!(counts, [1, 2, 3, 4.min(most), 4.min(most)]);
    }
}

#[test]
fn s4_as_many_blocks_as_fit_are_reported() {
    let mut h = Host::with_sack();
    for seq in [1, 3, 5, 7, 9] {
        h.blocks(seq);
    }
    // 6 and 8 join the latest three into one: the oldest take the room.
    h.blocks(6);
    assert_eq!(h.blocks(8), [(5, 10), (3, 4), (1, 2)]);
}

#[test]
fn s4_each_block_is_reported_in_three_acks_at_least() {
    let mut h = Host::with_sack();
    h.blocks(1);
    assert!(h.blocks(3).contains(&(1, 2)));
    assert!(h.blocks(5).contains(&(1, 2)));
}

#[test]
fn without_sack_there_is_no_block() {
    let mut h = Host::new(&config(Recovery::NewReno, 10));
    assert_eq!(h.blocks(5), []);
}

#[test]
fn rfc2883_4_a_duplicate_is_reported_before_the_blocks_to_the_linux_recovery() {
    let mut h = Host::new(&config(Recovery::Linux, 10));
    h.data(0);
    h.data(2);
    let ack = h.data(0).expect("an ACK at once");
    assert_eq!(ack.options.duplicate().map(|r| (r.start, r.end)), Some((0, 1)));
    let held: Vec<_> = ack.options.blocks().map(|r| (r.start, r.end)).collect();
    assert_eq!(held, [(2, 3)]);
}

#[test]
fn rfc2883_4_a_duplicate_beyond_a_gap_is_followed_by_the_block_that_holds_it() {
    let mut h = Host::new(&config(Recovery::Linux, 10));
    h.data(2);
    h.data(3);
    h.data(6);
    let ack = h.data(3).expect("an ACK at once");
    assert_eq!(ack.options.duplicate().map(|r| (r.start, r.end)), Some((3, 4)));
    let held: Vec<_> = ack.options.blocks().map(|r| (r.start, r.end)).collect();
    assert_eq!(held, [(2, 4), (6, 7)]);
}

#[test]
fn every_segment_is_counted_when_it_arrives_for_the_first_time_only() {
    let mut h = Host::with_sack();
    for seq in [0, 2, 2, 1, 0, 3] {
        h.data(seq);
    }
    let counts = h.receiver.counts();
    assert_eq!((counts.delivered, counts.arrived), (4, 6));
    assert_eq!(counts.delivered_bytes, 4 * 1500);
    assert_eq!((h.receiver.rcv_nxt(), h.receiver.held()), (4, 0));
}
