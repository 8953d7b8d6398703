//! Extensions: explicit loss notification and the fair share.

use crate::support::{Host, Script, config, ms, segment};
use westwood_cc::{Rate, Segments};
use westwood_tcp::{Config, Recovery};

fn with_eln(recovery: Recovery) -> Config {
    Config { eln: true, ..config(recovery, 10) }
}

const REPAIRING: [Recovery; 4] =
    [Recovery::Reno, Recovery::NewReno, Recovery::Sack1996, Recovery::Sack];

#[test]
fn a_damaged_segment_is_sent_again_and_the_window_stays() {
    for recovery in REPAIRING {
        let mut s = Script::new(&with_eln(recovery));
        let sent: Vec<u64> =
            (2..5).flat_map(|end| s.damaged(0, &[(1, end)])).filter(|&seq| seq == 0).collect();
        assert_eq!(sent, [0], "{recovery}");
        assert_eq!((s.cwnd(), s.ssthresh()), (10, 10), "{recovery}");
        s.ack(12);
        assert!(!s.sender.in_recovery(), "{recovery}");
        assert_eq!((s.cwnd(), s.reductions()), (10, 0), "{recovery}");
    }
}

#[test]
fn a_loss_without_notice_reduces_as_ever() {
    for recovery in REPAIRING {
        let mut s = Script::new(&with_eln(recovery));
        for end in 2..5 {
            s.sack(0, &[(1, end)]);
        }
        assert_eq!((s.cwnd(), s.reductions()), (5, 1), "{recovery}");
    }
}

#[test]
fn a_notice_means_nothing_to_who_has_not_asked_for_it() {
    let mut s = Script::with_window(Recovery::NewReno, 10);
    for _ in 0..3 {
        s.damaged(0, &[]);
    }
    assert_eq!((s.cwnd(), s.reductions()), (5, 1));
}

#[test]
fn a_second_hole_that_was_not_damaged_is_congestion() {
    for recovery in [Recovery::NewReno, Recovery::Sack1996, Recovery::Sack] {
        let mut s = Script::new(&with_eln(recovery));
        for end in 2..5 {
            s.damaged(0, &[(1, end)]);
        }
        assert_eq!(s.cwnd(), 10, "{recovery}");
        // 0 is repaired, and 5 is missing for another reason.
        s.sack(5, &[(6, 9)]);
        assert_eq!((s.cwnd(), s.reductions()), (5, 1), "{recovery}");
        // It is one loss window: there is no second reduction.
        s.sack(5, &[(6, 10)]);
        assert_eq!((s.cwnd(), s.reductions()), (5, 0), "{recovery}");
    }
}

#[test]
fn a_second_damaged_hole_costs_nothing_either() {
    let mut s = Script::new(&with_eln(Recovery::NewReno));
    for _ in 0..3 {
        s.damaged(0, &[]);
    }
    s.damaged(5, &[]);
    s.ack(12);
    assert_eq!((s.cwnd(), s.reductions()), (10, 0));
}

#[test]
fn a_timeout_reduces_whatever_was_told() {
    let mut s = Script::new(&with_eln(Recovery::NewReno));
    s.damaged(0, &[]);
    s.timeout();
    assert_eq!((s.cwnd(), s.ssthresh()), (1, 5));
}

#[test]
fn the_receiver_reports_what_it_asks_for_and_nothing_else() {
    let mut host = Host::new(&with_eln(Recovery::NewReno));
    host.data(0);
    host.receiver.on_damaged(1);
    host.receiver.on_damaged(3);
    let eln = |host: &mut Host, seq| host.data(seq).map(|ack| (ack.ack, ack.eln));
    assert_eq!(eln(&mut host, 2), Some((1, true)));
    assert_eq!(eln(&mut host, 4), Some((1, true)));
    // The copy arrives; now 3 is asked for, and 5 has not been damaged.
    assert_eq!(eln(&mut host, 1), Some((3, true)));
    assert_eq!(eln(&mut host, 6), Some((3, true)));
    assert_eq!(eln(&mut host, 3), Some((5, false)));
    // Bytes that have arrived cannot be damaged any more.
    host.receiver.on_damaged(4);
    host.receiver.on_damaged(6);
    assert_eq!(eln(&mut host, 5), Some((7, false)));
}

#[test]
fn a_receiver_that_has_not_negotiated_it_reports_nothing() {
    let mut host = Host::new(&config(Recovery::NewReno, 10));
    host.receiver.on_damaged(0);
    host.receiver.on_share(Rate::from_bits_per_s(1));
    let ack = host.data(1).expect("an ACK at once");
    assert!(!ack.eln && ack.options.share().is_none());
}

#[test]
fn acks_return_the_latest_share() {
    let mut host = Host::new(&Config { fair_share: true, ..config(Recovery::NewReno, 10) });
    let mbit = |n: u64| Rate::from_bits_per_s(n * 1_000_000);
    assert_eq!(host.data(0).expect("an ACK").options.share(), None);
    host.receiver.on_share(mbit(3));
    assert_eq!(
        host.segment(&segment(1, host.now), false).expect("an ACK").options.share(),
        Some(mbit(3))
    );
    host.receiver.on_share(mbit(5));
    assert_eq!(host.data(2).expect("an ACK").options.share(), Some(mbit(5)));
}

#[test]
fn a_loss_sets_the_window_that_a_router_told() {
    let told = Config { fair_share: true, ..config(Recovery::NewReno, 10) };
    let mut s = Script::new(&told);
    // 2.4 Mbit/s over a round trip of 100 ms: 20 segments of 1500 bytes.
    let share = Rate::from_bits_per_s(2_400_000);
    s.shared(1, share);
    for _ in 0..3 {
        s.shared(1, share);
    }
    assert_eq!((s.sender.window().ssthresh, s.cwnd()), (Segments::new(20), 20));
    s.ack(30);
    assert_eq!(s.cwnd(), 20);
    s.timeout();
    assert_eq!((s.cwnd(), s.ssthresh()), (1, 20));
}

#[test]
fn without_a_share_the_controller_decides() {
    let mut s = Script::new(&Config { fair_share: true, ..config(Recovery::NewReno, 10) });
    for _ in 0..4 {
        s.ack(1);
    }
    assert_eq!(s.ssthresh(), 5);
    s.wait(ms(1));
}
