//! RFC 9768, accurate ECN: the receiver counts marks, and the sender reads the counts.

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::support::{Host, Script, config, ms, segment};
use westwood_cc::controller::Setup;
use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, Ecn, EcnFeedback, Instant};
use westwood_tcp::{
    AccEcn, AckPolicy, AckSegment, Config, DataSegment, EcnBytes, Receiver, Recovery, Sender,
};

fn accurate(feedback: EcnFeedback, recovery: Recovery) -> Config {
    Config { ecn: true, ecn_feedback: feedback, ..config(recovery, 20) }
}

/// A receiver that delays its ACKs.
fn host(feedback: EcnFeedback) -> Host {
    let acks = AckPolicy::Delayed { timer: ms(100) };
    Host::new(&Config { acks, ..accurate(feedback, Recovery::Sack) })
}

fn arrives(h: &mut Host, seq: u64, ecn: Ecn) -> Option<AckSegment> {
    let sent = DataSegment { ecn, ..segment(seq, h.now) };
    h.segment(&sent, ecn == Ecn::Ce)
}

fn told(ack: Option<AckSegment>) -> Option<(u64, u8)> {
    ack.and_then(|a| a.options.accurate().map(|told| (a.ack, told.ace)))
}

#[test]
fn s3_2_1_counters_begin_with_five_marks_and_a_byte_of_either_codepoint() {
    let mut h = host(EcnFeedback::Accurate);
    assert_eq!(arrives(&mut h, 0, Ecn::NotEct), None);
    let ack = arrives(&mut h, 1, Ecn::NotEct).expect("the second segment");
    let bytes = Some(EcnBytes { ect0: 1, ce: 0, ect1: 1 });
    assert_eq!(ack.options.accurate(), Some(AccEcn { ace: 5, bytes }));
    assert!(!ack.ece);
}

#[test]
fn s3_2_bytes_are_counted_by_the_codepoint_with_which_they_arrive() {
    let mut h = host(EcnFeedback::Accurate);
    arrives(&mut h, 0, Ecn::Ect1);
    arrives(&mut h, 1, Ecn::Ect0);
    let ack = arrives(&mut h, 2, Ecn::Ce).expect("a mark");
    let bytes = Some(EcnBytes { ect0: 1_501, ce: 1_500, ect1: 1_501 });
    assert_eq!(ack.options.accurate(), Some(AccEcn { ace: 6, bytes }));
}

#[test]
fn s3_2_2_the_ace_field_counts_marks_modulo_eight() {
    let mut h = host(EcnFeedback::Ace);
    let acks: Vec<_> = (0..7).filter_map(|seq| told(h.marked(seq))).collect();
    // At once at the first, and then at every second.
    assert_eq!(acks, [(1, 6), (3, 0), (5, 2), (7, 4)]);
    assert_eq!(h.marked(7).and_then(|a| a.options.accurate()).and_then(|told| told.bytes), None);
}

#[test]
fn s3_2_2_5_1_a_mark_behind_an_unmarked_segment_is_acknowledged_at_once() {
    let mut h = host(EcnFeedback::Accurate);
    let marks = [true, false, true, false, true, true];
    let acks: Vec<_> = (0..)
        .zip(marks)
        .map(|(seq, ce)| told(if ce { h.marked(seq) } else { h.data(seq) }))
        .collect();
    assert_eq!(acks, [Some((1, 6)), None, Some((3, 7)), None, Some((5, 0)), None]);
    // The end of marks is no occasion, and no ACK goes before another.
    assert_eq!(h.receiver.take_prior(), None);
}

#[test]
fn s3_2_2_5_1_two_marks_are_acknowledged_though_segments_might_wait_longer() {
    // Linux delays ACKs of segments behind a gap, and delays by an estimate of the gap between arrivals.
    let mut h = Host::new(&Config {
        acks: AckPolicy::Linux { growth: 0 },
        ..accurate(EcnFeedback::Accurate, Recovery::Linux)
    });
    let mut since = 0;
    for seq in 0..200 {
        h.now += Duration::from_micros(10);
        since += 1;
        if told(h.marked(seq)).is_some() {
            since = 0;
        }
        assert!(since < 2, "{since} marks since the last ACK at {seq}");
    }
}

#[test]
fn s3_2_a_segment_below_the_window_is_not_counted() {
    let mut h = host(EcnFeedback::Ace);
    assert_eq!(told(h.marked(0)), Some((1, 6)));
    assert_eq!(told(h.marked(0)), Some((1, 6)));
    // One that is held already lies in the window.
    assert_eq!(told(h.marked(5)), Some((1, 7)));
    assert_eq!(told(h.marked(5)), Some((1, 0)));
}

#[test]
fn s3_2_3_3_the_option_takes_the_place_of_the_third_block_and_not_of_the_second() {
    let mut h = host(EcnFeedback::Accurate);
    let told = |ack: Option<AckSegment>| {
        let sack = ack.expect("out of order").options;
        (sack.block_count(), sack.accurate().expect("accurate").bytes.is_some())
    };
    let mut seen = Vec::new();
    for seq in [2, 4, 6] {
        seen.push(told(arrives(&mut h, seq, Ecn::Ect1)));
    }
    // Ten bytes of timestamps, two blocks and five or eight bytes of counters.
    assert_eq!(seen, [(1, true), (2, true), (2, true)]);
    assert_eq!(told(arrives(&mut h, 8, Ecn::Ce)), (2, true));
    // With both codepoints there are eleven bytes: blocks go first.
    assert_eq!(told(arrives(&mut h, 10, Ecn::Ect0)), (3, false));
}

/// A sender whose receiver counts marks.
struct Counted {
    script: Script,
    option: bool,
}

impl Counted {
    fn new(feedback: EcnFeedback, recovery: Recovery) -> Self {
        let script = Script::new(&accurate(feedback, recovery));
        Self { script, option: feedback == EcnFeedback::Accurate }
    }

    /// An ACK of all below `ack`, of which so many have arrived marked.
    fn ack(&mut self, ack: u64, marks: u64) -> Vec<u64> {
        let ce = u32::try_from(1_500 * marks).expect("few");
        let ace = u8::try_from((5 + marks) % 8).expect("three bits");
        let bytes = self.option.then_some(EcnBytes { ect0: 1, ce, ect1: 1 });
        self.script.accurate(ack, AccEcn { ace, bytes })
    }
}

#[test]
fn s3_2_2_5_2_a_sender_reduces_once_a_round_trip_however_many_marks_it_is_told_of() {
    for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno, Recovery::Linux] {
        let mut c = Counted::new(EcnFeedback::Accurate, recovery);
        c.ack(2, 0);
        assert_eq!(c.script.reductions(), 0, "{recovery}");
        let sent = c.script.log.len() as u64;
        c.ack(4, 1);
        c.ack(6, 3);
        c.ack(8, 3);
        c.ack(sent, 4);
        assert_eq!(c.script.reductions(), 1, "{recovery}");
        let next = c.script.log.len() as u64;
        assert!(next > sent);
        c.ack(next, 5);
        assert_eq!(c.script.reductions(), 1, "{recovery}");
    }
}

#[test]
fn s3_2_the_same_count_told_again_is_no_mark() {
    let mut c = Counted::new(EcnFeedback::Ace, Recovery::Sack);
    c.ack(2, 1);
    assert_eq!(c.script.reductions(), 1);
    for round in 1..20 {
        let all = c.script.log.len() as u64;
        c.ack(all.min(2 + 6 * round), 1);
    }
    assert_eq!(c.script.reductions(), 0);
}

#[test]
fn s3_1_5_no_segment_carries_the_flag_cwr() {
    let mut c = Counted::new(EcnFeedback::Accurate, Recovery::Sack);
    c.ack(2, 1);
    c.ack(20, 1);
    assert_eq!(c.script.reductions(), 1);
    assert!(c.script.log.len() > 20);
    assert!(c.script.log.iter().all(|segment| !segment.cwr));
}

#[test]
fn s3_2_marks_survive_lost_acks() {
    let mut c = Counted::new(EcnFeedback::Accurate, Recovery::Sack);
    // The ACKs that told of the first two are lost.
    c.ack(18, 3);
    assert_eq!(c.script.sender.delivered_ce(), 3);
    let mut c = Counted::new(EcnFeedback::Ace, Recovery::Sack);
    // Three bits cannot tell three of eighteen from eleven: the safest case counts.
    c.ack(18, 3);
    assert_eq!(c.script.sender.delivered_ce(), 11);
}

/// Marks that a sender has counted when all its data has arrived, and marks that arrived. Segments arrive
/// marked, or not at all, and ACKs are lost, by chance.
fn counted(feedback: EcnFeedback, recovery: Recovery, seed: u64, acks_lost: u32) -> (u64, u64) {
    let acks = AckPolicy::Delayed { timer: ms(40) };
    let config = Config { acks, ect: Ecn::Ect1, ..accurate(feedback, recovery) };
    let setup = Setup {
        smss: config.sizes.payload,
        initial_window: config.initial_window,
        seed: 1,
        handshake_rtt: None,
        paced: false,
    };
    let mut state = seed;
    let mut chance = |percent: u32| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 100 < u64::from(percent)
    };
    let mut sender = Sender::new(&config, Choice::named("prague").expect("one").build(&setup));
    let mut receiver = Receiver::new(&config);
    sender.supply_segments(600);
    let (mut now, mut marks) = (Instant::ZERO + ms(1_000), 0);
    let (mut data, mut acks) = (VecDeque::new(), VecDeque::new());
    for _ in 0..200_000 {
        while let Some(burst) = sender.transmit(now) {
            data.extend(burst.segments().filter(|_| !chance(2)).map(|s| (s.sent_at + ms(10), s)));
        }
        let due = |queue: &VecDeque<(Instant, DataSegment)>| queue.front().map(|&(at, _)| at);
        let ack_due =
            acks.front().map_or(Instant::FAR_FUTURE, |&(at, _): &(Instant, AckSegment)| at);
        let data_due = due(&data).unwrap_or(Instant::FAR_FUTURE);
        now = now.max(data_due.min(ack_due).min(receiver.deadline()).min(sender.deadline()));
        if sender.is_done() {
            break;
        }
        let mut answers = Vec::new();
        if data_due <= now {
            let (_, segment) = data.pop_front().expect("due");
            let ce = segment.ecn == Ecn::Ect1 && chance(30);
            marks += u64::from(ce && segment.seq >= receiver.rcv_nxt());
            answers.extend(receiver.on_data(now, &segment, ce));
        } else if receiver.deadline() <= now {
            answers.extend(receiver.on_timer(now));
        } else if ack_due <= now {
            let (_, ack) = acks.pop_front().expect("due");
            sender.on_ack(now, &ack);
        } else {
            sender.on_timer(now);
        }
        acks.extend(answers.into_iter().filter(|_| !chance(acks_lost)).map(|a| (now + ms(10), a)));
    }
    assert!(sender.is_done(), "{recovery} {seed}");
    (sender.delivered_ce(), marks)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s2_4_every_mark_is_counted_once_whatever_data_and_acks_are_lost(
        recovery in prop::sample::select(vec![Recovery::Sack, Recovery::NewReno, Recovery::Linux]),
        seed: u64,
        acks_lost in 0_u32..70,
    ) {
        let (counted, marks) = counted(EcnFeedback::Accurate, recovery, seed, acks_lost);
        prop_assert!(marks > 0);
        prop_assert_eq!(counted, marks);
    }

    #[test]
    fn s3_2_2_5_2_the_field_alone_counts_no_mark_too_few(
        recovery in prop::sample::select(vec![Recovery::Sack, Recovery::NewReno, Recovery::Linux]),
        seed: u64,
        acks_lost in 0_u32..70,
    ) {
        let (counted, marks) = counted(EcnFeedback::Ace, recovery, seed, acks_lost);
        prop_assert!(counted >= marks && (counted - marks) % 8 == 0, "{} {}", counted, marks);
    }
}
