//! Vegas' fine-grained retransmission: Brakmo and Peterson 1995, section 3.1. The whole agent is held to
//! ns-2's own runs by the crate `westwood-fidelity`.

use crate::support::{Script, ms};
use westwood_tcp::Recovery;

/// A window of ten is out, and its first round trip, of 100 ms, has given a timeout of about 160 ms.
fn steady() -> Script {
    let mut s = Script::with_window(Recovery::Vegas, 10);
    for ack in 1..=10 {
        s.ack(ack);
    }
    s
}

/// 10 is sent again, 180 ms late, and no round-trip time has been taken since.
fn repaired() -> Script {
    let mut s = steady();
    s.sender.take_rtt_sample();
    s.wait(ms(180));
    s.ack(10);
    s
}

#[test]
fn the_first_duplicate_sends_an_old_segment_again() {
    let mut s = steady();
    s.wait(ms(180));
    assert_eq!(s.ack(10)[0], 10);
    assert_eq!(s.reductions(), 1);
}

#[test]
fn a_young_segment_waits_for_the_third_duplicate() {
    let mut s = steady();
    s.wait(ms(100));
    assert_eq!(s.ack(10), []);
    assert_eq!(s.ack(10), []);
    assert_eq!(s.ack(10)[0], 10);
}

#[test]
fn the_first_acks_after_a_retransmission_show_the_next_loss_without_duplicates() {
    let mut s = steady();
    s.wait(ms(180));
    s.ack(10);
    // 10 was repaired, 12 is missing too and as old: the partial ACK is enough, and the window is not
    // reduced for it once more.
    s.wait(ms(50));
    assert_eq!(s.ack(12)[0], 12);
    assert_eq!(s.reductions(), 1);
}

#[test]
fn what_was_sent_before_a_reduction_does_not_reduce_again() {
    let mut s = steady();
    s.wait(ms(180));
    s.ack(10);
    s.ack(12);
    s.ack(13);
    let cwnd = s.cwnd();
    for _ in 0..3 {
        s.ack(13);
    }
    assert_eq!((s.reductions(), s.cwnd()), (1, cwnd));
}

#[test]
fn a_timeout_goes_back_to_the_first_segment_with_a_window_of_two() {
    let mut s = steady();
    assert_eq!(s.timeout(), [10, 11]);
    assert_eq!(s.cwnd(), 2);
}

#[test]
fn the_duplicates_of_what_a_timeout_sent_again_are_no_loss() {
    let mut s = steady();
    s.timeout();
    let sent = s.log.len();
    // All but 10 had arrived: the ACK covers everything that was out, and the copy of 11 is answered
    // by a duplicate.
    let beyond = s.log.iter().map(|segment| segment.seq).max().expect("a segment") + 1;
    s.ack(beyond);
    for _ in 0..3 {
        s.ack(beyond);
    }
    assert!(s.log[sent..].iter().all(|segment| segment.seq >= beyond));
    assert_eq!(s.sender.counts().fast_recoveries, 0);
}

#[test]
fn a_retransmission_by_duplicates_doubles_the_timer_until_a_later_segment_is_acknowledged() {
    let mut s = steady();
    assert_eq!(s.due(), ms(1_000));
    s.wait(ms(180));
    s.ack(10);
    assert_eq!(s.due(), ms(2_000));
    // ACKs of segments sent before the retransmission end nothing.
    let before = s.log.iter().map(|segment| segment.seq).max().expect("a segment") + 1;
    s.ack(before - 1);
    s.ack(before);
    assert_eq!(s.due(), ms(2_000));
    s.ack(before + 1);
    assert_eq!(s.due(), ms(1_000));
}

#[test]
fn a_round_trip_time_counts_from_the_sending_and_with_the_wait_for_a_repair() {
    let mut s = repaired();
    assert_eq!(s.sender.take_rtt_sample(), None);
    s.wait(ms(100));
    // 11 left 280 ms ago and waited for the copy of 10.
    s.ack(12);
    assert_eq!(s.sender.take_rtt_sample(), Some(ms(280)));
}

#[test]
fn a_copy_gives_no_round_trip_time() {
    let mut s = repaired();
    s.wait(ms(100));
    s.ack(11);
    assert_eq!(s.sender.take_rtt_sample(), None);
}

#[test]
fn up_to_three_duplicates_leave_the_window_inflated_and_more_take_it_back() {
    let after = |duplicates: u32| {
        let mut s = steady();
        s.wait(ms(100));
        for _ in 0..duplicates {
            s.ack(10);
        }
        s.wait(ms(50));
        s.ack(20);
        s.cwnd()
    };
    // Reno's half of ten is five. Three more stay, below an ssthresh of ten that stays too: the ACK adds
    // one. Five do not stay, and end slow start.
    assert_eq!(after(3), 9);
    assert_eq!(after(5), 5);
}
