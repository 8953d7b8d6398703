//! Vegas' fine-grained retransmission: Brakmo and Peterson 1995, section 3.1. The whole agent is held to
//! ns-2's own runs by the crate `westwood-fidelity`.

mod support;

use support::{Script, ms};
use westwood_tcp::Recovery;

/// A window of ten is out, and its first round trip, of 100 ms, has given a timeout of about 160 ms.
fn steady() -> Script {
    let mut s = Script::with_window(Recovery::Vegas, 10);
    for ack in 1..=10 {
        s.ack(ack);
    }
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
fn a_timeout_goes_back_to_the_first_segment_with_a_window_of_one() {
    let mut s = steady();
    assert_eq!(s.timeout(), [10]);
    assert_eq!(s.cwnd(), 1);
}
