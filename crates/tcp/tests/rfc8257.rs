//! RFC 8257, DCTCP: the receiver's echo.

mod support;

use support::{Host, config, ms, segment};
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
