//! One-way delays from the receiver's clock in ACKs (RFC 7323 section 3.2, TSval and TSecr).

use crate::support::{Host, config, ms, segment};
use westwood_cc::{Instant, RelativeDelay};
use westwood_tcp::{AckPolicy, Config, ReceiverClock, Recovery};

fn host(clock: ReceiverClock, acks: AckPolicy) -> Host {
    Host::new(&Config { receiver_clock: Some(clock), acks, ..config(Recovery::Sack, 10) })
}

/// The delay that the ACK of a segment tells which was `way` ms on the way and arrives at `arrives` ms.
fn told(host: &mut Host, seq: u64, way: u64, arrives: u64) -> Option<RelativeDelay> {
    host.now = Instant::ZERO + ms(arrives);
    let sent = Instant::ZERO + ms(arrives - way);
    host.segment(&segment(seq, sent), false).expect("an ACK").one_way_delay()
}

const fn in_ms(n: i64) -> RelativeDelay {
    RelativeDelay::from_nanos(n * 1_000_000)
}

#[test]
fn an_ack_tells_the_time_on_the_way_and_the_offset_of_the_clocks() {
    let mut h = host(ReceiverClock::default(), AckPolicy::Each);
    assert_eq!(told(&mut h, 0, 30, 100), Some(in_ms(30)));
    let mut h = host(ReceiverClock { offset: ms(5_000), ..Default::default() }, AckPolicy::Each);
    assert_eq!(told(&mut h, 0, 30, 100), Some(in_ms(5_030)));
}

#[test]
fn a_drift_adds_up_and_a_granularity_rounds_down() {
    let mut h = host(ReceiverClock { drift_ppm: -500, ..Default::default() }, AckPolicy::Each);
    assert_eq!(told(&mut h, 0, 30, 10_000), Some(in_ms(25)));
    assert_eq!(told(&mut h, 1, 30, 100_000), Some(in_ms(-20)), "a delay may be negative");
    let mut h = host(ReceiverClock { granularity: ms(10), ..Default::default() }, AckPolicy::Each);
    // The clock shows 110 ms.
    assert_eq!(told(&mut h, 0, 30, 117), Some(in_ms(23)));
}

#[test]
fn the_wait_of_a_delayed_ack_counts() {
    let mut h = host(ReceiverClock::default(), AckPolicy::Delayed { timer: ms(100) });
    h.now = Instant::ZERO + ms(50);
    assert_eq!(h.segment(&segment(0, Instant::ZERO + ms(20)), false), None);
    h.now = Instant::ZERO + ms(150);
    let ack = h.receiver.on_timer(h.now).expect("it is due");
    assert_eq!(ack.one_way_delay(), Some(in_ms(130)));
}

#[test]
fn without_a_clock_or_without_timestamps_no_delay_is_told() {
    let mut h = Host::new(&config(Recovery::Sack, 10));
    assert_eq!(h.data(0).expect("an ACK").one_way_delay(), None);
    let clock = Some(ReceiverClock::default());
    let mut h = Host::new(&Config {
        receiver_clock: clock,
        timestamps: false,
        acks: AckPolicy::Each,
        ..config(Recovery::Sack, 10)
    });
    let ack = h.data(0).expect("an ACK");
    assert_eq!((ack.one_way_delay(), ack.options.clock()), (None, None));
}
