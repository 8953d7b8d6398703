//! SACK before RFC 6675: Fall and Floyd 1996, as in ns-2's `Sack1`. The whole agent is held to ns-2's
//! own runs by the crate `westwood-fidelity`.

use crate::support::Script;
use westwood_tcp::Recovery;

fn old(window: u64) -> Script {
    Script::with_window(Recovery::Sack1996, window)
}

/// 0 and 2 are lost of a window of 12; recovery has begun with 14 segments out.
fn recovering() -> Script {
    let mut s = old(12);
    assert_eq!(s.sack(0, &[(1, 2)]), [12]);
    assert_eq!(s.sack(0, &[(3, 4), (1, 2)]), [13]);
    assert_eq!(s.sack(0, &[(3, 5), (1, 2)]), [0]);
    assert_eq!((s.cwnd(), s.ssthresh()), (6, 6));
    s
}

#[test]
fn pipe_counts_a_loss_as_in_flight_until_enough_acks_have_come() {
    let mut s = recovering();
    // pipe is 14 - 3 = 11; RFC 6675 would leave out both losses and send 2 two ACKs earlier.
    for end in 6..=10 {
        assert_eq!(s.sack(0, &[(3, end), (1, 2)]), [], "{end}");
    }
    assert_eq!(s.sack(0, &[(3, 11), (1, 2)]), [2]);
    assert_eq!(s.sack(0, &[(3, 12), (1, 2)]), [14]);
}

#[test]
fn a_partial_ack_takes_two_off_pipe() {
    let mut s = recovering();
    for end in 6..=9 {
        assert_eq!(s.sack(0, &[(3, end), (1, 2)]), [], "{end}");
    }
    // pipe is 7: one for the ACK and one for the segment that the copy replaced.
    assert_eq!(s.sack(2, &[(3, 9)]), [2]);
    assert!(s.sender.in_recovery());
}

#[test]
fn an_ack_of_all_that_was_out_ends_recovery_at_half_the_window() {
    let mut s = recovering();
    s.ack(14);
    assert!(!s.sender.in_recovery());
    assert_eq!(s.cwnd(), 6);
}

#[test]
fn a_duplicate_without_news_shows_no_loss() {
    let mut s = old(12);
    for _ in 0..5 {
        s.sack(0, &[(1, 2)]);
    }
    assert!(!s.sender.in_recovery());
}

#[test]
fn after_a_timeout_everything_is_sent_again_whatever_was_reported() {
    let mut s = recovering();
    assert_eq!(s.timeout(), [0]);
    assert_eq!(s.ack(1), [1, 2]);
    // 1 had been reported.
    assert_eq!(s.ack(3), [3, 4, 5]);
}

#[test]
fn rfc2018_8_what_a_timeout_sends_again_is_not_learned_from() {
    let mut s = recovering();
    s.timeout();
    s.ack(1);
    for end in 5..9 {
        s.sack(1, &[(3, end)]);
    }
    assert_eq!(s.sender.counts().fast_recoveries, 1);
}

#[test]
fn new_data_after_a_timeout_is_sent_once() {
    let mut s = old(4);
    s.timeout();
    let mut sent = Vec::new();
    for ack in 1..=6 {
        sent.extend(s.ack(ack));
    }
    let mut once = sent.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(sent, once);
}
