//! RFC 5681, TCP Congestion Control; RFC 6928 for the initial window, RFC 7661 for one that is not used, and
//! RFC 9293 for ACKs that are none.

use crate::support::{Host, Script, config, ms};
use westwood_cc::{Bytes, Segments};
use westwood_tcp::{Config, Note, Recovery};

const CLASSIC: [Recovery; 3] = [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno];
const FAST: [Recovery; 3] = [Recovery::Reno, Recovery::NewReno, Recovery::Sack];

fn slow_start(window: u64) -> Config {
    Config { initial_ssthresh: Segments::MAX, ..config(Recovery::NewReno, window) }
}

#[test]
fn rfc6928_2_the_first_window_leaves_at_once() {
    let mut s = Script::idle(&slow_start(10));
    s.sender.supply_forever();
    assert_eq!(s.sends(), (0..10).collect::<Vec<_>>());
}

#[test]
fn s3_1_slow_start_doubles_the_window_in_a_round_trip() {
    let mut s = Script::new(&slow_start(2));
    assert_eq!(s.ack(1), [2, 3]);
    assert_eq!(s.ack(2), [4, 5]);
    assert_eq!(s.cwnd(), 4);
}

#[test]
fn s3_1_slow_start_ends_at_ssthresh() {
    let mut s = Script::new(&Config { initial_ssthresh: Segments::new(4), ..slow_start(3) });
    assert_eq!(s.ack(1), [3, 4]);
    assert_eq!(s.ack(2), [5]);
}

#[test]
fn s3_1_congestion_avoidance_adds_a_segment_in_a_round_trip() {
    let mut s = Script::with_window(Recovery::NewReno, 4);
    let sent: Vec<usize> = (1..=4).map(|n| s.ack(n).len()).collect();
    // Each ACK adds a little less than a quarter, so that the fifth completes the segment.
    assert_eq!(sent, [1, 1, 1, 1]);
    assert_eq!(s.ack(5), [8, 9]);
}

#[test]
fn s3_1_after_a_timeout_the_window_is_one_segment_and_slow_start_ends_at_half() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack]].concat() {
        let mut s = Script::with_window(recovery, 8);
        assert_eq!(s.timeout(), [0], "{recovery}");
        assert_eq!((s.cwnd(), s.ssthresh()), (1, 4), "{recovery}");
        assert_eq!(s.ack(1), [1, 2], "{recovery}");
        assert_eq!(s.ack(2), [3, 4], "{recovery}");
        assert_eq!(s.cwnd(), 3, "{recovery}");
    }
}

#[test]
fn s3_1_a_segment_that_times_out_twice_lowers_ssthresh_once() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack]].concat() {
        let mut s = Script::with_window(recovery, 16);
        for _ in 0..3 {
            assert_eq!(s.timeout(), [0], "{recovery}");
            assert_eq!((s.cwnd(), s.ssthresh()), (1, 8), "{recovery}");
        }
        assert_eq!(s.reductions(), 1, "{recovery}");
    }
}

#[test]
fn s3_1_or_each_of_its_timeouts_does_if_the_classical_algorithm_is_to_be_followed() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack1996, Recovery::Sack]].concat() {
        let config = Config { reduce_each_timeout: true, ..config(recovery, 16) };
        let mut s = Script::new(&config);
        for ssthresh in [8, 2, 2] {
            assert_eq!(s.timeout(), [0], "{recovery}");
            assert_eq!((s.cwnd(), s.ssthresh()), (1, ssthresh), "{recovery}");
        }
        assert_eq!(s.reductions(), 3, "{recovery}");
    }
}

#[test]
fn s3_1_cwnd_beyond_the_receivers_window_is_not_halved() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack1996, Recovery::Sack]].concat() {
        let config = Config { receive_window: 8, cwnd_validation: false, ..config(recovery, 16) };
        let mut s = Script::new(&config);
        assert_eq!(s.cwnd(), 16, "{recovery}");
        s.timeout();
        assert_eq!((s.cwnd(), s.ssthresh()), (1, 4), "{recovery}");
    }
}

#[test]
fn s3_1_another_segment_that_times_out_lowers_ssthresh_again() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack]].concat() {
        let mut s = Script::with_window(recovery, 16);
        s.timeout();
        s.ack(1);
        s.timeout();
        assert_eq!((s.cwnd(), s.ssthresh()), (1, 2), "{recovery}");
    }
}

#[test]
fn s3_1_ssthresh_is_never_below_two_segments() {
    let mut s = Script::with_window(Recovery::NewReno, 1);
    s.timeout();
    assert_eq!(s.ssthresh(), 2);
}

#[test]
fn s3_2_the_third_duplicate_retransmits_and_halves() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut s = Script::with_window(recovery, 10);
        s.ack(1);
        // Limited transmit: one new segment on each of the first two.
        assert_eq!((s.ack(1), s.ack(1)), (vec![11], vec![12]), "{recovery}");
        assert_eq!(s.ack(1), [1], "{recovery}");
        assert_eq!((s.cwnd(), s.ssthresh()), (5, 5), "{recovery}");
        assert_eq!(s.sender.counts().fast_recoveries, 1, "{recovery}");
    }
}

#[test]
fn s3_2_tahoe_goes_back_in_slow_start_from_one_segment() {
    let mut s = Script::with_window(Recovery::Tahoe, 10);
    s.ack(1);
    let _ = (s.ack(1), s.ack(1));
    assert_eq!(s.ack(1), [1]);
    assert_eq!((s.cwnd(), s.ssthresh()), (1, 5));
    // Duplicates neither inflate nor count again.
    for _ in 0..8 {
        assert_eq!(s.ack(1), []);
    }
    // All but one had arrived: no need to go back over them.
    assert_eq!(s.ack(13), [13, 14]);
    assert_eq!(s.cwnd(), 2);
}

#[test]
fn s3_2_tahoe_sends_all_again_from_the_loss_on_if_nothing_more_is_acknowledged() {
    let mut s = Script::with_window(Recovery::Tahoe, 10);
    let _ = (s.ack(0), s.ack(0), s.ack(0));
    assert_eq!(s.ack(1), [1, 2]);
    assert_eq!(s.ack(2), [3, 4]);
}

#[test]
fn s3_2_duplicates_inflate_the_window_and_the_new_ack_deflates_it() {
    let mut s = Script::with_window(Recovery::Reno, 10);
    let _ = (s.ack(0), s.ack(0), s.ack(0));
    // 12 are out and the window is 5 + 3: four more duplicates make it 12.
    for _ in 0..4 {
        assert_eq!(s.ack(0), []);
    }
    assert_eq!((s.ack(0), s.ack(0)), (vec![12], vec![13]));
    assert_eq!(s.cwnd(), 5, "the window in force is not the inflated one");
    // All is acknowledged: 5 in the network.
    assert_eq!(s.ack(12), [14, 15, 16]);
    assert!(!s.sender.in_recovery());
}

#[test]
fn s3_2_renos_recovery_ends_with_the_first_new_ack() {
    let mut s = Script::with_window(Recovery::Reno, 10);
    let _ = (s.ack(0), s.ack(0), s.ack(0));
    // Segment 4 is lost as well: Reno has to wait for its timer.
    assert_eq!(s.ack(4), []);
    assert!(!s.sender.in_recovery());
    assert_eq!(s.cwnd(), 5);
    assert_eq!(s.timeout(), [4]);
}

#[test]
fn s3_2_the_window_that_recovery_leaves_grows_no_more_on_the_ack_that_ends_it() {
    for recovery in FAST {
        let mut s = Script::with_window(recovery, 10);
        for n in 1..=9 {
            s.sack(0, &[(1, 1 + n)]);
        }
        s.ack(s.sender.snd_max());
        assert_eq!(s.sender.window().cwnd, Segments::new(5), "{recovery}");
    }
}

#[test]
fn s3_2_or_it_grows_if_ns2_is_to_be_followed() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut s = Script::new(&Config { last_ack_grows: true, ..config(recovery, 10) });
        let _ = (s.ack(0), s.ack(0), s.ack(0));
        s.ack(s.sender.snd_max());
        // 5 segments, and a fifth of one for this ACK.
        assert_eq!(s.sender.window().cwnd, Segments::new(5) + Segments::ONE.over(Segments::new(5)));
    }
}

#[test]
fn s2_an_ack_is_no_duplicate_when_nothing_is_outstanding() {
    let mut s = Script::idle(&config(Recovery::NewReno, 4));
    s.sender.supply(Bytes::new(1500 * 2));
    s.sends();
    s.ack(2);
    for _ in 0..5 {
        s.ack(2);
    }
    assert_eq!(s.sender.counts().fast_recoveries, 0);
}

#[test]
fn s4_1_after_an_idle_timeout_the_window_is_the_initial_one() {
    let c = slow_start(4);
    let mut s = Script::idle(&c);
    s.sender.supply_segments(12);
    s.sends();
    s.wait(ms(100));
    for n in 1..=12 {
        s.ack(n);
    }
    assert!(s.cwnd() > 8);
    s.wait(ms(1_500));
    s.sender.supply_forever();
    assert_eq!(s.sends(), [12, 13, 14, 15]);
}

#[test]
fn s4_1_a_shorter_pause_or_a_switch_keeps_the_window() {
    for (pause, idle_restart) in [(900, true), (1_500, false)] {
        let mut s = Script::idle(&Config { idle_restart, ..slow_start(4) });
        s.sender.supply_segments(12);
        s.sends();
        s.wait(ms(100));
        (1..=12).for_each(|n| drop(s.ack(n)));
        let cwnd = s.cwnd();
        s.wait(ms(pause));
        s.sender.supply_forever();
        assert_eq!(s.sends().len() as u64, cwnd);
    }
}

#[test]
fn s4_1_an_idle_time_without_new_data_changes_nothing() {
    let mut s = Script::idle(&slow_start(4));
    s.sender.supply_segments(12);
    s.sends();
    s.wait(ms(100));
    (1..=12).for_each(|n| drop(s.ack(n)));
    let cwnd = s.cwnd();
    s.wait(ms(5_000));
    s.sends();
    assert_eq!(s.cwnd(), cwnd);
    assert!(!s.sender.take_notes().contains(&Note::Restarted));
}

#[test]
fn s4_2_every_second_segment_is_acknowledged() {
    let mut h = Host::delaying();
    assert!(h.data(0).is_none());
    assert_eq!(h.data(1).map(|a| a.ack), Some(2));
    assert!(h.data(2).is_none());
    assert_eq!(h.data(3).map(|a| a.ack), Some(4));
}

#[test]
fn s4_2_a_single_segment_is_acknowledged_when_the_timer_expires() {
    let mut h = Host::delaying();
    assert!(h.data(0).is_none());
    let due = h.receiver.deadline();
    assert_eq!(due, h.now + ms(100));
    assert!(h.receiver.on_timer(h.now + ms(99)).is_none());
    assert_eq!(h.receiver.on_timer(due).map(|a| a.ack), Some(1));
    assert!(h.receiver.on_timer(due).is_none(), "once");
}

#[test]
fn s4_2_what_is_out_of_order_or_fills_a_gap_is_acknowledged_at_once() {
    let mut h = Host::delaying();
    assert!(h.data(0).is_none());
    assert_eq!(h.data(3).map(|a| a.ack), Some(1));
    assert_eq!(h.data(5).map(|a| a.ack), Some(1));
    assert_eq!(h.data(1).map(|a| a.ack), Some(2), "a part of the gap");
    assert_eq!(h.data(2).map(|a| a.ack), Some(4), "the rest of the first gap");
    assert_eq!(h.data(4).map(|a| a.ack), Some(6));
    assert!(h.data(6).is_none(), "in order again");
}

#[test]
fn s4_2_what_arrives_twice_is_acknowledged_at_once() {
    let mut h = Host::delaying();
    h.data(0);
    h.data(1);
    assert_eq!(h.data(0).map(|a| a.ack), Some(2));
}

#[test]
fn rfc9293_3_10_7_4_an_ack_of_what_was_never_sent_or_long_ago_changes_nothing() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack]].concat() {
        let mut s = Script::with_window(recovery, 8);
        s.ack(4);
        let (window, due) = (s.sender.window(), s.due());
        assert_eq!(s.ack(1_000), [], "{recovery}");
        for _ in 0..5 {
            assert_eq!(s.ack(2), [], "{recovery}");
        }
        assert_eq!((s.sender.window(), s.due()), (window, due), "{recovery}");
        assert_eq!(s.sender.snd_una(), 4, "{recovery}");
    }
}

#[test]
fn s3_1_never_more_than_the_receivers_window_is_outstanding() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack]].concat() {
        let mut s = Script::new(&Config { receive_window: 6, ..config(recovery, 10) });
        assert_eq!(s.log.len(), 6, "{recovery}");
        assert_eq!(s.ack(2), [6, 7], "{recovery}");
        // Duplicates do not open it.
        for n in 1..=3 {
            s.sack(2, &[(3, 3 + n)]);
        }
        assert_eq!(s.sender.snd_max(), 8, "{recovery}");
    }
}

#[test]
fn rfc7661_4_3_a_window_that_did_not_limit_the_sender_does_not_grow() {
    for (cwnd_validation, grown) in [(true, 10), (false, 12)] {
        let mut s = Script::idle(&Config { cwnd_validation, ..slow_start(10) });
        // Two segments a round-trip time.
        s.sender.supply_segments(2);
        s.sends();
        s.wait(ms(100));
        let _ = (s.ack(1), s.ack(2));
        assert_eq!(s.cwnd(), grown);
    }
}

#[test]
fn a_transfer_whose_last_segment_is_lost_ends_by_its_timer() {
    for recovery in [CLASSIC.as_slice(), &[Recovery::Sack]].concat() {
        let mut s = Script::idle(&config(recovery, 10));
        s.sender.supply(Bytes::new(4_600));
        assert_eq!(s.sends(), [0, 1, 2, 3]);
        assert_eq!(s.log[3].payload, Bytes::new(100));
        s.wait(ms(100));
        s.ack(3);
        assert_eq!(s.timeout(), [3], "{recovery}");
        assert_eq!(s.log[4].payload, Bytes::new(100));
        s.ack(4);
        assert!(s.sender.is_done());
        assert_eq!(s.sender.deadline(), westwood_cc::Instant::FAR_FUTURE);
    }
}
