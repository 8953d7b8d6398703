//! RFC 7323, timestamps.

use crate::support::{Host, Script, config, ms, segment};
use westwood_cc::{Duration, Instant};
use westwood_tcp::{AckPolicy, Config, Recovery};

const fn at(t: u64) -> Instant {
    Instant::from_nanos(t * 1_000_000)
}

fn host(acks: AckPolicy) -> Host {
    Host::new(&Config { acks, ..config(Recovery::NewReno, 10) })
}

fn echo(h: &mut Host, seq: u64, sent_at: Instant) -> Option<Instant> {
    h.segment(&segment(seq, sent_at), false).and_then(|a| a.echo)
}

#[test]
fn s4_3_in_order_the_echo_is_the_segments_own_timestamp() {
    let mut h = host(AckPolicy::Each);
    assert_eq!(echo(&mut h, 0, at(10)), Some(at(10)));
    assert_eq!(echo(&mut h, 1, at(20)), Some(at(20)));
}

#[test]
fn s4_3_a_delayed_ack_echoes_the_first_segment_it_covers() {
    let mut h = host(AckPolicy::default());
    assert_eq!(echo(&mut h, 0, at(10)), None);
    assert_eq!(echo(&mut h, 1, at(20)), Some(at(10)));
    assert_eq!(echo(&mut h, 2, at(30)), None);
    let due = h.receiver.deadline();
    assert_eq!(h.receiver.on_timer(due).and_then(|a| a.echo), Some(at(30)));
}

#[test]
fn s4_3_out_of_order_the_echo_is_that_of_the_last_segment_in_order() {
    let mut h = host(AckPolicy::Each);
    echo(&mut h, 0, at(10));
    assert_eq!(echo(&mut h, 2, at(20)), Some(at(10)));
    assert_eq!(echo(&mut h, 3, at(30)), Some(at(10)));
}

#[test]
fn s4_3_a_segment_that_fills_a_gap_is_echoed_itself() {
    let mut h = host(AckPolicy::default());
    echo(&mut h, 0, at(10));
    echo(&mut h, 1, at(11));
    echo(&mut h, 3, at(20));
    assert_eq!(echo(&mut h, 2, at(50)), Some(at(50)));
}

#[test]
fn s4_3_a_gap_filled_while_an_ack_waits_echoes_the_waiting_segment() {
    let mut h = host(AckPolicy::default());
    echo(&mut h, 0, at(10));
    assert_eq!(echo(&mut h, 2, at(20)), Some(at(10)), "covers 0 for the first time");
    assert_eq!(echo(&mut h, 1, at(30)), Some(at(30)));
}

#[test]
fn s4_3_an_old_copy_that_comes_late_does_not_turn_the_echo_back() {
    let mut h = host(AckPolicy::Each);
    echo(&mut h, 0, at(10));
    echo(&mut h, 1, at(50));
    assert_eq!(echo(&mut h, 0, at(5)), Some(at(50)));
}

#[test]
fn s5_3_r2_a_copy_from_below_the_window_does_not_change_the_echo() {
    let mut h = host(AckPolicy::default());
    echo(&mut h, 0, at(10));
    echo(&mut h, 1, at(11));
    assert_eq!(echo(&mut h, 2, at(12)), None);
    assert_eq!(echo(&mut h, 0, at(40)), Some(at(12)));
}

#[test]
fn without_the_option_nothing_is_echoed() {
    let mut h = Host::new(&Config { timestamps: false, ..config(Recovery::NewReno, 10) });
    assert_eq!(echo(&mut h, 0, at(10)), None);
}

#[test]
fn s4_1_only_an_ack_of_new_data_gives_a_sample() {
    let mut s = Script::with_window(Recovery::Sack, 4);
    s.ack(1);
    assert_eq!(s.sender.take_rtt_sample(), Some(ms(100)));
    s.wait(ms(500));
    s.sack(1, &[(2, 3)]);
    assert_eq!(s.sender.take_rtt_sample(), None);
    assert_eq!(s.sender.srtt(), ms(100));
}

#[test]
fn s4_every_ack_of_new_data_gives_a_sample() {
    let mut s = Script::with_window(Recovery::NewReno, 4);
    for n in 1..=4 {
        s.ack(n);
        assert_eq!(s.sender.take_rtt_sample(), Some(ms(100)));
    }
    // 4 to 7 left a moment ago.
    s.wait(ms(50));
    s.ack(5);
    assert_eq!(s.sender.take_rtt_sample(), Some(ms(50)));
    assert_eq!(s.sender.srtt(), Duration::from_micros(93_750));
}

/// A copy that was sent at 21 ms has overtaken new data and filled the gap.
fn behind_a_copy(recovery: Recovery) -> Host {
    let mut h = Host::new(&Config { acks: AckPolicy::Each, ..config(recovery, 10) });
    echo(&mut h, 0, at(10));
    echo(&mut h, 2, at(12));
    assert_eq!(echo(&mut h, 1, at(21)), Some(at(21)));
    h
}

#[test]
fn s5_3_r1_linux_refuses_a_segment_older_than_the_echo_and_asks_for_it_again() {
    let mut h = behind_a_copy(Recovery::Linux);
    let ack = h.segment(&segment(3, at(19)), false).expect("at once");
    assert_eq!((ack.ack, ack.echo, ack.options.block_count()), (3, Some(at(21)), 0));
    assert_eq!(h.receiver.counts().delivered, 3);
    assert_eq!(h.receiver.counts().arrived, 4);
    // The copy is young enough.
    let ack = h.segment(&segment(3, at(60)), false).expect("at once");
    assert_eq!((ack.ack, ack.options.duplicate()), (4, None));
}

#[test]
fn s5_3_r1_linux_forgives_one_tick_of_a_millisecond() {
    let mut h = behind_a_copy(Recovery::Linux);
    let ack = h.segment(&segment(3, at(20)), false).expect("at once");
    assert_eq!(ack.ack, 4);
}

#[test]
fn s5_3_r1_only_linux_looks_at_the_age() {
    let mut h = behind_a_copy(Recovery::Sack);
    let ack = h.segment(&segment(3, at(19)), false).expect("at once");
    assert_eq!(ack.ack, 4);
}
