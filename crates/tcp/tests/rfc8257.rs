//! RFC 8257, DCTCP: the receiver's echo.

use crate::support::{Host, Script, config, ms, segment};
use westwood_cc::EcnFeedback;
use westwood_tcp::{AckPolicy, AckSegment, Config, DataSegment, Recovery};

/// A receiver that delays its ACKs.
fn host() -> Host {
    Host::new(&Config {
        acks: AckPolicy::Delayed { timer: ms(100) },
        ecn: true,
        ecn_feedback: EcnFeedback::EachSegment,
        ..config(Recovery::Sack, 10)
    })
}

/// The acknowledgment of an ACK, and whether it echoes a mark.
fn told(ack: Option<AckSegment>) -> Option<(u64, bool)> {
    ack.map(|a| (a.ack, a.ece))
}

#[test]
fn s3_2_an_ack_tells_whether_the_segments_it_covers_are_marked() {
    let mut h = host();
    let marks = [false, false, true, true, false, false];
    let acks: Vec<_> = (0..)
        .zip(marks)
        .map(|(seq, ce)| told(if ce { h.marked(seq) } else { h.data(seq) }))
        .collect();
    // The first of a series goes at once.
    assert_eq!(acks, [None, Some((2, false)), Some((3, true)), None, Some((5, false)), None]);
    // Segment 3 had waited for an ACK when the marks ended.
    assert_eq!(told(h.receiver.take_prior()), Some((4, true)));
    assert_eq!(told(h.receiver.take_prior()), None);
}

#[test]
fn s3_2_segments_that_wait_are_acknowledged_as_they_came_before_a_mark() {
    let mut h = host();
    assert_eq!(told(h.data(0)), None);
    assert_eq!(told(h.marked(1)), Some((2, true)));
    assert_eq!(told(h.receiver.take_prior()), Some((1, false)));
}

#[test]
fn s3_2_cwr_ends_no_echo() {
    let mut h = host();
    assert_eq!(told(h.marked(0)), Some((1, true)));
    let cwr = DataSegment { cwr: true, ..segment(1, h.now) };
    assert_eq!(told(h.segment(&cwr, true)), None);
    assert_eq!(told(h.marked(2)), Some((3, true)));
}

#[test]
fn a_segment_that_had_arrived_already_says_nothing() {
    let mut h = host();
    assert_eq!(told(h.marked(0)), Some((1, true)));
    assert_eq!(told(h.data(0)), Some((1, true)));
}

/// A sender of DCTCP in congestion avoidance.
fn sender(recovery: Recovery) -> Script {
    Script::of("dctcp", &Config { ecn: true, ..config(recovery, 40) })
}

/// Duplicates until 1 is known to be lost.
fn lose_second(s: &mut Script) {
    (3..=6).for_each(|end| drop(s.sack(1, &[(2, end)])));
}

#[test]
fn s3_5_a_loss_in_a_window_that_a_mark_has_reduced_halves_the_window_again() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let mut s = sender(recovery);
        // alpha is 1 at first, and still after an ACK of one segment, which is marked: 40 - 20.
        s.echo(1);
        assert_eq!(s.ssthresh(), 20, "{recovery}");
        lose_second(&mut s);
        assert_eq!((s.ssthresh(), s.reductions()), (10, 2), "{recovery}");
    }
}

#[test]
fn dctcp_react_to_loss_halves_the_window_that_proportional_rate_reduction_has_reached() {
    let mut s = sender(Recovery::Linux);
    s.echo(1);
    assert_eq!(s.ssthresh(), 20);
    let cwnd = s.cwnd();
    lose_second(&mut s);
    assert!(s.ssthresh() < 20 && s.ssthresh() <= cwnd / 2, "{} of {cwnd}", s.ssthresh());
    assert_eq!(s.reductions(), 2);
    // One CWR tells of the mark; the loss needs none.
    assert!(s.log.iter().filter(|d| d.cwr).count() <= 1);
}

#[test]
fn tcp_process_tlp_ack_a_tail_loss_that_a_probe_has_repaired_is_answered_by_alpha() {
    let mut s = Script::of("dctcp", &Config { ecn: true, ..config(Recovery::Linux, 10) });
    s.sender.hold();
    s.ack(8);
    let probe = s.due();
    assert_eq!(s.wait(probe), [9]);
    s.wait(ms(100));
    s.ack(10);
    s.sender.supply_segments(12);
    assert_eq!(s.sends(), [10, 11]);
    s.wait(ms(100));
    let before = s.cwnd();
    s.ack(12);
    // Three windows of data without a mark: alpha is 1024 - 64 - 60 - 56. A loss would leave half.
    assert_eq!((s.reductions(), s.ssthresh()), (1, before - ((before * 844) >> 11)));
    assert!(s.ssthresh() > before / 2);
}

#[test]
fn tcp_ca_needs_ecn_copies_are_ecn_capable() {
    let mut s = sender(Recovery::Linux);
    s.echo(1);
    lose_second(&mut s);
    assert!(s.log.iter().any(|d| d.retransmission));
    assert!(s.log.iter().all(|d| d.ecn.is_capable()));
}

#[test]
fn tcp_ecn_accept_cwr_linux_acknowledges_a_reduction_at_once() {
    let answer = |acks, cwr| {
        let mut h = Host::new(&Config { acks, ecn: true, ..config(Recovery::Linux, 10) });
        // Beyond the quick ACKs of the beginning.
        let mut seq = 0;
        while h.data(seq).is_some() {
            seq += 1;
        }
        h.data(seq + 1);
        told(h.segment(&DataSegment { cwr, ..segment(seq + 2, h.now) }, false)).is_some()
    };
    assert!(answer(AckPolicy::Linux { growth: 0 }, true));
    assert!(!answer(AckPolicy::Linux { growth: 0 }, false));
    assert!(!answer(AckPolicy::Delayed { timer: ms(100) }, true));
}
