//! One ACK in congestion avoidance: measure, then grow.

use std::hint::black_box;

use westwood_cc::controller::{Ack, Grant, Setup, Window};
use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Cause, Controller, Duration, Instant, Segments};

use super::{Batch, ITEMS, Part};

const SMSS: Bytes = Bytes::new(1500);
/// A window of a hundred segments, one every millisecond.
const WINDOW: u64 = 100;
const RTT: Duration = Duration::from_millis(WINDOW);

pub(super) fn all() -> Vec<Part> {
    let part = |choice: Choice| {
        Part::new(format!("controller/{}", choice.info().name), ITEMS, move || acks(choice))
    };
    Choice::all().map(part).collect()
}

fn acks(choice: Choice) -> Batch {
    let initial_window = Segments::new(WINDOW);
    let mut controller = choice.build(&Setup { smss: SMSS, initial_window, seed: 1 });
    let window = Window { cwnd: initial_window, ssthresh: initial_window };
    let mut now = Instant::ZERO + RTT;
    let mut acked = 0;
    // One loss, so that what grows towards the last window has one.
    let first = controller.reduce(window, Cause::FastRetransmit, now);
    let reduced = Window { cwnd: first.resume, ssthresh: first.ssthresh };
    black_box(controller.recovered(reduced, now));
    Box::new(move || {
        for _ in 0..ITEMS {
            now += Duration::from_millis(1);
            acked += 1;
            controller.measure(&Ack {
                now,
                smss: SMSS,
                newly: 1,
                rtt: Some(RTT),
                srtt: RTT,
                in_flight: WINDOW,
                delivered: acked,
                delivered_ce: 0,
                one_way_delay: None,
                snd_una: acked,
                snd_nxt: acked + WINDOW,
                sample: None,
            });
            // The window is lent and put back, so that every ACK meets the same one.
            black_box(controller.grow(window, &Grant::open(now, Segments::ONE)));
        }
    })
}
