//! RFC 6582, the NewReno modification to fast recovery.

use crate::support::{Script, config, ms};
use westwood_cc::Segments;
use westwood_tcp::{Config, Recovery};

/// Ten segments out, 0 lost, three duplicates, and two segments of limited transmit: 12 are out.
fn in_recovery(config: &Config) -> Script {
    let mut s = Script::new(config);
    let _ = (s.ack(0), s.ack(0));
    assert_eq!(s.ack(0), [0]);
    s
}

fn newreno(window: u64) -> Config {
    config(Recovery::NewReno, window)
}

#[test]
fn s3_2_step_3_a_partial_ack_retransmits_the_next_hole() {
    let mut s = in_recovery(&newreno(10));
    assert_eq!(s.ack(4), [4]);
    assert_eq!(s.ack(7), [7]);
    assert!(s.sender.in_recovery());
    s.ack(12);
    assert!(!s.sender.in_recovery());
}

#[test]
fn s3_2_step_3_a_partial_ack_deflates_by_what_it_covers_less_one_segment() {
    let mut s = in_recovery(&newreno(10));
    // Window 5 + 3; all duplicates of the first flight make it 5 + 11 = 16: four more are out.
    let sent: usize = (0..8).map(|_| s.ack(0).len()).sum();
    assert_eq!((sent, s.sender.snd_max()), (4, 16));
    // Four are covered: 5 + 11 - 4 + 1 = 13 from 4 on, that is up to 17.
    assert_eq!(s.ack(4), [4, 16]);
    assert_eq!(s.cwnd(), 5);
}

#[test]
fn s3_2_step_3_recovery_ends_with_the_window_of_the_reduction() {
    let mut s = in_recovery(&newreno(10));
    s.ack(4);
    assert_eq!(s.ack(12).len(), 5);
    assert_eq!(s.sender.window().cwnd, Segments::new(5));
}

#[test]
fn s3_2_only_one_reduction_for_a_window_of_data() {
    let mut s = in_recovery(&newreno(20));
    for ack in [3, 6, 9] {
        assert_eq!(s.ack(ack)[0], ack);
        (0..4).for_each(|_| drop(s.ack(ack)));
    }
    s.ack(22);
    assert_eq!((s.reductions(), s.ssthresh()), (1, 10));
}

#[test]
fn s3_2_step_2_duplicates_of_what_a_timeout_repairs_are_no_new_loss() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let mut s = Script::new(&config(recovery, 10));
        assert_eq!(s.timeout(), [0], "{recovery}");
        s.ack(1);
        s.ack(2);
        // The copies arrive beside their originals.
        (0..6).for_each(|_| drop(s.ack(5)));
        assert_eq!(s.sender.counts().fast_recoveries, 0, "{recovery}");
    }
}

fn careless(recovery: Recovery, window: u64) -> Config {
    Config { careful: false, ..config(recovery, window) }
}

#[test]
fn s3_2_step_2_without_it_a_third_duplicate_in_a_timeouts_repair_is_a_new_loss() {
    for (recovery, recoveries) in
        [(Recovery::Tahoe, 1), (Recovery::Reno, 1), (Recovery::NewReno, 0)]
    {
        let mut s = Script::new(&careless(recovery, 10));
        s.timeout();
        s.ack(1);
        s.ack(2);
        (0..8).for_each(|_| drop(s.ack(5)));
        assert_eq!(s.sender.counts().fast_recoveries, recoveries, "{recovery}");
    }
}

#[test]
fn s3_2_step_2_without_it_reno_halves_again_for_the_next_hole_of_the_same_window() {
    for (careful, recoveries, ssthresh) in [(true, 1, 10), (false, 2, 5)] {
        let mut s = in_recovery(&Config { careful, ..config(Recovery::Reno, 20) });
        // Segment 4 was lost as well: the first new ACK ends Reno's recovery.
        s.ack(4);
        assert!(!s.sender.in_recovery());
        let _ = (s.ack(4), s.ack(4));
        assert_eq!(s.ack(4) == [4], !careful);
        assert_eq!((s.sender.counts().fast_recoveries, s.ssthresh()), (recoveries, ssthresh));
    }
}

#[test]
fn s3_2_step_2_without_it_a_repair_goes_on_behind_the_fast_recovery_that_interrupts_it() {
    let mut s = Script::new(&careless(Recovery::Reno, 10));
    assert_eq!(s.timeout(), [0]);
    assert_eq!(s.ack(1), [1, 2]);
    assert_eq!(s.ack(2), [3, 4]);
    let _ = (s.ack(2), s.ack(2));
    assert_eq!(s.ack(2)[0], 2, "the first hole once more");
    assert!(s.sender.in_recovery());
    // The segments that the timeout left to be sent again follow, in order, and nothing twice.
    let rest: Vec<u64> = (3..=10).flat_map(|n| s.ack(n)).filter(|&seq| seq < 10).collect();
    assert!(rest.is_sorted() && rest.last() == Some(&9), "{rest:?}");
}

#[test]
fn s3_2_step_2_duplicates_at_recover_itself_do_not_count_and_those_beyond_do() {
    for (ack, recoveries) in [(10, 0), (11, 1)] {
        let mut s = Script::new(&newreno(10));
        s.timeout();
        for n in 1..=ack {
            s.ack(n);
        }
        assert!(!s.sender.in_recovery());
        let _ = (s.ack(ack), s.ack(ack), s.ack(ack));
        assert_eq!(s.sender.counts().fast_recoveries, recoveries);
    }
}

#[test]
fn s3_2_step_3_the_impatient_variant_restarts_the_timer_at_the_first_partial_ack_only() {
    for (impatient, due) in [(true, [1_000, 600]), (false, [1_000, 1_000])] {
        let mut s = in_recovery(&Config { impatient, ..newreno(10) });
        s.wait(ms(100));
        s.ack(3);
        assert_eq!(s.due(), ms(due[0]));
        s.wait(ms(400));
        s.ack(6);
        assert_eq!(s.due(), ms(due[1]));
    }
}

#[test]
fn s3_2_step_4_a_timeout_ends_recovery_and_remembers_the_highest_segment_sent() {
    let mut s = in_recovery(&newreno(10));
    assert_eq!(s.timeout(), [0]);
    assert_eq!(s.cwnd(), 1);
    assert_eq!(s.ack(4), [4, 5]);
    let _ = (s.ack(4), s.ack(4), s.ack(4));
    assert_eq!(s.sender.counts().fast_recoveries, 1);
}

#[test]
fn after_a_timeout_an_ack_that_jumps_ahead_saves_the_copies_it_covers() {
    let mut s = Script::new(&newreno(10));
    assert_eq!(s.timeout(), [0]);
    assert_eq!(s.ack(8), [8, 9]);
    assert_eq!(s.ack(10), [10, 11, 12]);
}

#[test]
fn a_copy_that_pacing_held_back_until_all_arrived_is_not_sent() {
    let mut s = Script::new(&Config { pacing: westwood_tcp::Pacing::On, ..newreno(10) });
    s.wait(ms(10));
    // A first sample sets the pace; what follows is reordering, not loss.
    let _ = (s.ack(1), s.ack(1), s.ack(1), s.ack(1));
    let max = s.sender.snd_max();
    s.ack(max);
    s.wait(ms(500));
    assert_eq!(s.sender.counts().retransmitted, 0);
}
