//! RFC 3465, appropriate byte counting, beside the one segment an ACK of RFC 5681 and the papers.

use crate::support::{Script, config};
use westwood_cc::Segments;
use westwood_tcp::{Config, Credit, Recovery};

fn slow_start(credit: Credit) -> Script {
    Script::new(&Config {
        credit,
        initial_ssthresh: Segments::new(100),
        ..config(Recovery::NewReno, 8)
    })
}

#[test]
fn an_ack_counts_one_segment_however_many_it_covers() {
    let mut s = slow_start(Credit::PerAck);
    s.ack(4);
    assert_eq!(s.cwnd(), 9);
}

#[test]
fn counted_by_segment_an_ack_counts_what_it_covers() {
    let mut s = slow_start(Credit::PerSegment);
    s.ack(4);
    assert_eq!(s.cwnd(), 12);
}

#[test]
fn s2_2_in_slow_start_an_ack_counts_at_most_two_segments() {
    let mut s = slow_start(Credit::Limited);
    s.ack(4);
    assert_eq!(s.cwnd(), 10);
    s.ack(5);
    assert_eq!(s.cwnd(), 11);
}

#[test]
fn s2_3_in_the_slow_start_after_a_timeout_an_ack_counts_one() {
    let mut s = Script::new(&Config { credit: Credit::Limited, ..config(Recovery::NewReno, 16) });
    s.timeout();
    s.ack(1);
    assert_eq!(s.cwnd(), 2);
    s.ack(3);
    assert_eq!(s.cwnd(), 3);
}

#[test]
fn s2_1_in_congestion_avoidance_the_window_grows_by_a_segment_for_each_window_acknowledged() {
    for credit in [Credit::PerSegment, Credit::Limited] {
        let mut s = Script::new(&Config { credit, ..config(Recovery::NewReno, 8) });
        s.ack(8);
        assert_eq!(s.sender.window().cwnd, Segments::new(9));
    }
}
