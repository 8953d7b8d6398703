//! RFC 3168, explicit congestion notification.

use crate::support::{Host, Script, config, ms, segment};
use westwood_tcp::{AckPolicy, Config, DataSegment, Recovery};

const FAST: [Recovery; 3] = [Recovery::Reno, Recovery::NewReno, Recovery::Sack];

fn ecn(recovery: Recovery, window: u64) -> Script {
    Script::new(&Config { ecn: true, ..config(recovery, window) })
}

/// Duplicates until 0 is known to be lost.
fn lose_first(s: &mut Script) {
    (2..=4).for_each(|end| drop(s.sack(0, &[(1, end)])));
}

#[test]
fn s6_1_2_an_echo_halves_the_window_and_nothing_is_sent_again() {
    for recovery in FAST {
        let mut s = ecn(recovery, 10);
        assert_eq!(s.echo(1), [], "{recovery}");
        assert_eq!((s.cwnd(), s.ssthresh()), (5, 5), "{recovery}");
        assert!(!s.sender.in_recovery());
        assert_eq!(s.sender.counts().retransmitted, 0);
    }
}

#[test]
fn s6_1_2_once_a_window_of_data_until_the_segment_with_cwr_is_acknowledged() {
    for recovery in FAST {
        let mut s = ecn(recovery, 10);
        // All echo until CWR arrives; it is in the first segment sent after the reduction, 10.
        for n in 1..=10 {
            s.echo(n);
        }
        assert_eq!(s.reductions(), 1, "{recovery}");
        assert!(s.log[10].cwr && s.log[10].seq == 10);
        // Another mark.
        s.echo(11);
        assert_eq!(s.reductions(), 1, "{recovery}: one more");
        assert_eq!(s.cwnd(), 2);
    }
}

#[test]
fn s6_1_2_an_overtaken_ack_echoes_no_other_mark() {
    for recovery in [Recovery::Sack1996, Recovery::Linux].into_iter().chain(FAST) {
        let mut s = ecn(recovery, 10);
        // The mark is answered; segment 10 carries CWR, and the ACK behind it has no echo any more.
        s.echo(1);
        (2..=11).for_each(|n| drop(s.ack(n)));
        assert_eq!(s.reductions(), 1, "{recovery}");
        s.ack(13);
        s.echo(12);
        assert_eq!(s.reductions(), 0, "{recovery}");
    }
}

#[test]
fn s6_1_2_an_ack_with_an_echo_does_not_grow_the_window() {
    for recovery in FAST {
        let mut s = ecn(recovery, 10);
        s.echo(1);
        let window = s.sender.window();
        (2..=10).for_each(|n| drop(s.echo(n)));
        assert_eq!(s.sender.window(), window, "{recovery}");
        s.ack(11);
        assert!(s.sender.window().cwnd > window.cwnd);
    }
}

#[test]
fn s6_1_2_a_loss_in_a_window_that_an_echo_has_answered_is_repaired_without_a_reduction() {
    for recovery in FAST {
        let mut s = ecn(recovery, 20);
        s.sack_echo(0, &[(1, 2)]);
        lose_first(&mut s);
        assert_eq!(s.log.last().map(|d| d.seq), Some(0), "{recovery}");
        assert_eq!((s.cwnd(), s.reductions()), (10, 1), "{recovery}");
        s.ack(20);
        assert_eq!(s.cwnd(), 10, "{recovery}");
    }
}

#[test]
fn s6_1_2_an_echo_on_the_ack_that_shows_a_loss_reduces_once() {
    let mut s = ecn(Recovery::Sack, 20);
    s.sack_echo(0, &[(1, 4)]);
    assert!(s.sender.in_recovery());
    assert_eq!((s.cwnd(), s.reductions()), (10, 1));
}

#[test]
fn s6_1_2_a_loss_of_what_was_sent_after_the_reduction_reduces_again() {
    for recovery in FAST {
        let mut s = ecn(recovery, 20);
        s.echo(20);
        assert_eq!(s.cwnd(), 10);
        (22..=25).for_each(|end| drop(s.sack(20, &[(21, end)])));
        assert_eq!(s.cwnd(), 5, "{recovery}");
    }
}

#[test]
fn s6_1_2_echoes_during_recovery_are_of_the_same_window() {
    for recovery in FAST {
        let mut s = ecn(recovery, 20);
        lose_first(&mut s);
        s.sack_echo(0, &[(1, 6)]);
        assert_eq!((s.cwnd(), s.reductions()), (10, 1), "{recovery}");
    }
}

#[test]
fn s6_1_2_cwr_is_set_once_in_the_first_new_segment_after_a_reduction() {
    for recovery in FAST {
        let mut s = ecn(recovery, 10);
        lose_first(&mut s);
        assert!(s.log.iter().all(|d| !d.cwr), "{recovery}: not in a copy");
        s.ack(s.sender.snd_max());
        let new = s.log.iter().rev().find(|d| d.cwr).map(|d| d.retransmission);
        assert_eq!(new, Some(false), "{recovery}");
        assert_eq!(s.log.iter().filter(|d| d.cwr).count(), 1, "{recovery}");
    }
}

#[test]
fn s6_1_5_new_data_is_ecn_capable_and_copies_are_not() {
    for recovery in FAST {
        let mut s = ecn(recovery, 10);
        lose_first(&mut s);
        s.timeout();
        assert!(s.log.iter().all(|d| d.ecn.is_capable() != d.retransmission), "{recovery}");
    }
}

#[test]
fn without_negotiation_nothing_is_ecn_capable_and_an_echo_is_ignored() {
    let mut s = Script::with_window(Recovery::NewReno, 10);
    s.echo(1);
    assert_eq!(s.cwnd(), 10);
    assert!(s.log.iter().all(|d| !d.ecn.is_capable() && !d.cwr));
}

#[test]
fn s6_1_3_every_ack_echoes_until_cwr_arrives() {
    let mut h = Host::with_sack();
    let echoes = |ack: Option<westwood_tcp::AckSegment>| ack.map(|a| a.ece);
    assert_eq!(echoes(h.data(0)), Some(false));
    assert_eq!(echoes(h.marked(1)), Some(true));
    assert_eq!(echoes(h.data(2)), Some(true));
    let cwr = DataSegment { cwr: true, ..segment(3, h.now) };
    assert_eq!(echoes(h.segment(&cwr, false)), Some(false));
    assert_eq!(echoes(h.data(4)), Some(false));
}

#[test]
fn s6_1_3_a_marked_segment_with_cwr_is_a_new_mark() {
    let mut h = Host::with_sack();
    h.marked(0);
    let cwr = DataSegment { cwr: true, ..segment(1, h.now) };
    assert_eq!(h.segment(&cwr, true).map(|a| a.ece), Some(true));
}

#[test]
fn s6_1_3_the_first_mark_does_not_wait_for_a_delayed_ack() {
    let mut h = Host::new(&Config {
        acks: AckPolicy::Delayed { timer: ms(100) },
        ..config(Recovery::NewReno, 10)
    });
    assert_eq!(h.marked(0).map(|a| a.ece), Some(true));
    assert!(h.marked(1).is_none());
    assert_eq!(h.marked(2).map(|a| a.ece), Some(true));
}

#[test]
fn s6_1_5_a_mark_on_what_had_arrived_already_is_ignored() {
    let mut h = Host::with_sack();
    h.data(0);
    assert_eq!(h.marked(0).map(|a| a.ece), Some(false));
}
