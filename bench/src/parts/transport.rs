//! Both ends of a connection, apart and together, with small and with large windows.

use std::collections::VecDeque;
use std::hint::black_box;

use westwood_cc::controller::Setup;
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Ecn, Instant, Segments};
use westwood_tcp::{
    AckOptions, AckPolicy, AckSegment, Config, DataSegment, Receiver, Recovery, Sender,
};

use super::{Batch, ITEMS, Part};

const SMSS: Bytes = Bytes::new(1500);
const RTT: Duration = Duration::from_millis(100);

pub(super) fn all() -> Vec<Part> {
    let mut parts = vec![
        Part::new("receiver/in-order", ITEMS, || segments(None)),
        Part::new("receiver/one-in-100-late", ITEMS, || segments(Some(100))),
    ];
    for recovery in Recovery::ALL {
        for window in [40, 40_000] {
            let name = format!("sender/{recovery}/{window}");
            parts.push(Part::new(name, ITEMS, move || acks(recovery, window)));
        }
    }
    for recovery in Recovery::ALL {
        for window in [40, 40_000] {
            let name = format!("losses/{recovery}/{window}");
            parts.push(Part::new(name, ITEMS, move || exchange(recovery, window)));
        }
    }
    parts
}

fn config(recovery: Recovery, window: u64) -> Config {
    Config {
        recovery,
        initial_window: Segments::new(window),
        initial_ssthresh: Segments::new(window),
        receive_window: window,
        acks: AckPolicy::Each,
        ..Config::default()
    }
}

/// A sender whose window is full. Westwood's window stays what the path carries, losses or not.
fn sender(config: &Config) -> Option<Sender> {
    let setup = Setup {
        smss: SMSS,
        initial_window: config.initial_window,
        seed: 1,
        handshake_rtt: None,
        paced: false,
    };
    let mut sender = Sender::new(config, Choice::named("westwood")?.build(&setup));
    sender.supply_forever();
    Some(sender)
}

fn segment(seq: u64, sent_at: Instant) -> DataSegment {
    let ecn = Ecn::NotEct;
    DataSegment { seq, payload: SMSS, sent_at, retransmission: false, ecn, cwr: false, push: false }
}

/// Segments reach a receiver with delayed ACKs; one in `late` comes ten places later.
fn segments(late: Option<u64>) -> Batch {
    let config = Config::default();
    let mut receiver = Receiver::new(&config);
    let mut now = Instant::ZERO + RTT;
    let mut next = 0;
    Box::new(move || {
        for _ in 0..ITEMS {
            now += Duration::from_micros(120);
            // Of the first ten places of each stretch, the first comes last.
            let seq = late.map_or(next, |stretch| match next % stretch {
                place @ 0..10 => next - place + (place + 1) % 10,
                _ => next,
            });
            next += 1;
            black_box(receiver.on_data(now, &segment(seq, now), false));
        }
    })
}

/// ACKs reach a sender, one for each segment, and each lets another segment out.
fn acks(recovery: Recovery, window: u64) -> Batch {
    let mut sender = sender(&config(recovery, window));
    let gap = Duration::from_nanos(RTT.as_nanos() / window);
    let mut now = Instant::ZERO;
    let mut sent = VecDeque::new();
    let mut ack = 0;
    Box::new(move || {
        let Some(sender) = &mut sender else { return };
        while let Some(burst) = sender.transmit(now) {
            sent.extend(burst.segments().map(|segment| segment.sent_at));
        }
        for _ in 0..ITEMS {
            let Some(echo) = sent.pop_front() else { return };
            now = (now + gap).max(echo + RTT);
            ack += 1;
            let segment = AckSegment {
                ack,
                options: AckOptions::NONE,
                echo: Some(echo),
                ece: false,
                eln: false,
            };
            sender.on_ack(now, &segment);
            while let Some(burst) = sender.transmit(now) {
                sent.extend(burst.segments().map(|segment| segment.sent_at));
            }
        }
    })
}

/// A sender and a receiver behind a bottleneck; one new segment in a thousand is lost, which makes
/// forty holes in the larger window.
fn exchange(recovery: Recovery, window: u64) -> Batch {
    let config = config(recovery, window);
    let (mut sender, mut receiver) = (sender(&config), Receiver::new(&config));
    let gap = Duration::from_nanos(RTT.as_nanos() / window);
    let mut now = Instant::ZERO;
    let mut path = VecDeque::new();
    Box::new(move || {
        let Some(sender) = &mut sender else { return };
        for _ in 0..ITEMS {
            if sender.deadline() <= now || path.is_empty() {
                now = now.max(if path.is_empty() { sender.deadline() } else { now });
                sender.on_timer(now);
            }
            while let Some(burst) = sender.transmit(now) {
                path.extend(burst.segments());
            }
            let Some(segment) = path.pop_front() else { continue };
            now = (now + gap).max(segment.sent_at + RTT);
            let lost = segment.seq % 1000 == 500 && !segment.retransmission;
            let ack = if lost { None } else { receiver.on_data(now, &segment, false) };
            if let Some(ack) = ack {
                sender.on_ack(now, &ack);
            }
        }
    })
}
