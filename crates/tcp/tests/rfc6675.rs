//! RFC 6675, loss recovery based on selective acknowledgments; RFC 2018 from the sender's side.

use crate::support::{Script, config, ms};
use westwood_cc::Bytes;
use westwood_tcp::{Config, Recovery};

fn sack(window: u64) -> Script {
    Script::with_window(Recovery::Sack, window)
}

/// A transfer of `total` segments whose first window of `window` is out.
fn transfer(window: u64, total: u64) -> Script {
    let mut s = Script::idle(&config(Recovery::Sack, window));
    s.sender.supply_segments(total);
    s.sends();
    s.wait(ms(100));
    s
}

#[test]
fn s4_is_lost_once_three_segments_above_are_sacked() {
    let mut s = sack(10);
    assert_eq!(s.sack(0, &[(1, 2)]), [10]);
    assert_eq!(s.sack(0, &[(3, 4), (1, 2)]), [11]);
    assert!(!s.sender.in_recovery());
    assert_eq!(s.sack(0, &[(5, 6), (3, 4), (1, 2)]), [0]);
    assert!(s.sender.in_recovery());
    assert_eq!((s.cwnd(), s.ssthresh()), (5, 5));
}

#[test]
fn s4_is_lost_by_one_ack_that_reports_three_segments() {
    // The ACKs in between were lost.
    let mut s = sack(10);
    assert_eq!(s.sack(2, &[(3, 6)])[0], 2);
    assert!(s.sender.in_recovery());
}

#[test]
fn s5_step_3_before_recovery_new_data_is_clocked_by_pipe_unless_limited_transmit_is_off() {
    for (limited_transmit, sent) in [(true, vec![10, 11]), (false, vec![])] {
        let mut s = Script::new(&Config { limited_transmit, ..config(Recovery::Sack, 10) });
        assert_eq!(s.sack(0, &[(1, 3)]), sent);
    }
}

#[test]
fn s4_pipe_counts_neither_what_was_sacked_nor_what_is_lost_but_copies() {
    let mut s = sack(10);
    // 0 and 2 are lost: 10 - 5 - 2, and the copy of 0 that leaves at once.
    s.sack(0, &[(3, 7), (1, 2)]);
    // 5 may be in flight: both copies fit, and no more.
    assert_eq!(s.log[10..].iter().map(|d| d.seq).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(s.sender.in_flight(), 5);
}

#[test]
fn s4_next_seg_sends_lost_segments_first_then_new_data() {
    let mut s = sack(12);
    // 0, 2 and 4 are lost, 6 is above all but the third highest.
    assert_eq!(s.sack(0, &[(5, 12), (3, 4), (1, 2)]), [0, 2, 4, 12, 13, 14]);
}

#[test]
fn s4_rule_3_without_new_data_what_may_be_lost_is_sent_again() {
    let mut s = transfer(12, 12);
    // 0 is lost by the three above; 3 and 10 have fewer above, and only 10 has none.
    assert_eq!(s.sack(0, &[(11, 12), (4, 5), (1, 3)]), [0]);
    assert_eq!(s.sack(0, &[(5, 10), (11, 12), (1, 3)]), [3, 10]);
}

#[test]
fn s4_rule_4_the_last_segment_is_rescued_once_a_recovery() {
    let mut s = transfer(8, 8);
    // 0, 6 and 7 are lost, and nothing tells of 6 and 7.
    assert_eq!(s.sack(0, &[(1, 4)]), [0]);
    assert_eq!(s.sack(0, &[(1, 5)]), []);
    assert_eq!(s.sack(0, &[(1, 6)]), [7]);
    // The copy of 7 tells of 6 in time: no timeout.
    assert_eq!(s.sack(6, &[(7, 8)]), [6]);
    s.ack(8);
    assert!(s.sender.is_done());
    assert_eq!(s.sender.counts().timeouts, 0);
}

#[test]
fn s4_rule_4_what_has_just_been_sent_again_is_not_rescued() {
    let mut s = transfer(8, 8);
    assert_eq!(s.sack(0, &[(1, 8)]), [0]);
    assert_eq!(s.sends(), []);
}

#[test]
fn s5_the_first_copy_leaves_though_pipe_is_above_the_window() {
    let mut s = sack(20);
    s.sack(0, &[(1, 2)]);
    s.sack(0, &[(1, 3)]);
    // 22 out, 3 sacked, 1 lost: 18 in flight and a window of 10.
    assert_eq!(s.sack(0, &[(1, 4)]), [0]);
    assert_eq!(s.sender.in_flight(), 19);
    assert_eq!(s.sack(0, &[(1, 5)]), []);
}

#[test]
fn s5_recovery_ends_beyond_the_recovery_point_and_not_at_partial_acks() {
    let mut s = sack(10);
    s.sack(0, &[(1, 4)]);
    let point = s.sender.snd_max();
    s.sack(5, &[(6, 8)]);
    assert!(s.sender.in_recovery());
    assert_eq!(s.reductions(), 1);
    s.ack(point - 1);
    assert!(s.sender.in_recovery());
    s.ack(point);
    assert!(!s.sender.in_recovery());
    assert_eq!(s.cwnd(), 5);
}

#[test]
fn s5_a_hole_beyond_the_recovery_point_is_a_new_loss_window() {
    let mut s = sack(10);
    s.sack(0, &[(1, 8)]);
    let point = s.sender.snd_max();
    // New data leaves in recovery, and its first segment is lost.
    let sent = s.sack(0, &[(1, 10)]);
    let (first, last) = (sent[0], s.sender.snd_max());
    assert_eq!(first, point);
    s.sack(0, &[(point + 1, last), (1, point)]);
    let more = s.sender.snd_max();
    assert_eq!(s.reductions(), 1);
    s.sack(point, &[(point + 1, more)]);
    assert!(s.sender.in_recovery());
    assert_eq!(s.reductions(), 1, "one more");
    assert_eq!(s.sender.counts().fast_recoveries, 2);
    let copies = s.log.iter().filter(|d| d.seq == point && d.retransmission);
    assert_eq!(copies.count(), 1, "repaired once");
}

#[test]
fn s5_1_after_a_timeout_only_what_was_not_sacked_is_sent_again() {
    let mut s = sack(10);
    s.sack(0, &[(6, 8)]);
    assert_eq!(s.timeout(), [0]);
    assert_eq!(s.cwnd(), 1);
    assert_eq!(s.sack(1, &[(6, 8)]), [1, 2]);
    assert_eq!(s.sack(2, &[(6, 8)]), [3, 4]);
    assert_eq!(s.sack(3, &[(6, 8)]), [5, 8]);
}

#[test]
fn s5_1_what_a_timeout_repairs_begins_no_recovery() {
    let mut s = sack(10);
    s.timeout();
    s.sack(1, &[(3, 8)]);
    assert!(s.sender.in_recovery());
    assert_eq!(s.sender.counts().fast_recoveries, 0);
    assert_eq!(s.reductions(), 1);
    s.ack(10);
    assert!(!s.sender.in_recovery());
}

#[test]
fn s5_1_a_copy_that_is_lost_waits_for_the_timer_and_is_sent_again() {
    let mut s = sack(10);
    s.sack(0, &[(1, 10)]);
    s.sack(0, &[(1, 12)]);
    assert_eq!(s.timeout(), [0]);
}

#[test]
fn an_ack_that_was_overtaken_still_brings_its_blocks() {
    let mut s = sack(10);
    s.ack(2);
    // Sent before that one, yet it reports three segments above 2.
    assert_eq!(s.sack(1, &[(4, 7)])[0], 2);
    assert_eq!(s.sender.snd_una(), 2);
}

#[test]
fn rfc2018_5_blocks_below_or_beyond_what_is_outstanding_are_ignored() {
    let mut s = sack(10);
    s.ack(5);
    assert_eq!(s.sack(5, &[(0, 4), (100, 200)]), []);
    assert_eq!(s.sender.in_flight(), 10);
    // Of a block that reaches beyond, the part inside counts: 12 to 14. Then 5 to 11 are lost.
    assert_eq!(s.sack(5, &[(12, 99)]), [5, 6, 7, 8, 9]);
    assert_eq!(s.sender.in_flight(), 5);
}

#[test]
fn the_last_of_two_losses_at_the_end_of_a_transfer_is_repaired_without_a_timeout() {
    let mut s = Script::idle(&config(Recovery::Sack, 10));
    s.sender.supply(Bytes::new(9 * 1500 + 10));
    s.sends();
    s.wait(ms(100));
    let copies = s.sack(2, &[(3, 9)]);
    assert_eq!(copies, [2, 9]);
    s.ack(10);
    assert!(s.sender.is_done());
    assert_eq!(s.sender.counts().timeouts, 0);
}
