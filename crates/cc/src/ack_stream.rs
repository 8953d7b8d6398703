//! A steady stream of ACKs for one controller, by which the cost of an ACK is measured.

use core::hint::black_box;

use crate::controller::{Ack, Cause, Controller, DeliverySample, Grant, Setup, Window};
use crate::controllers::{AnyController, Choice};
use crate::units::{Bytes, Duration, Instant, Segments};

/// A window of a hundred segments, one every millisecond.
const WINDOW: u64 = 100;
const GAP: Duration = Duration::from_millis(1);
const RTT: Duration = Duration::from_millis(WINDOW);
const SMSS: Bytes = Bytes::new(1_500);

/// A controller in congestion avoidance to which one segment after another is acknowledged: a window of 100
/// segments over 100 ms, no loss after the first.
///
/// ```
/// use westwood_cc::ack_stream::AckStream;
/// use westwood_cc::controllers::Choice;
/// let mut stream = AckStream::new(&Choice::named("reno").unwrap());
/// stream.run(1_000);
/// assert_eq!(stream.acked(), 1_000);
/// ```
#[derive(Clone, Debug)]
pub struct AckStream {
    controller: AnyController,
    window: Window,
    now: Instant,
    acked: u64,
    sampled: bool,
}

impl AckStream {
    /// The controller after one loss, so that one that grows towards its last window has one.
    pub fn new(choice: &Choice) -> Self {
        let cwnd = Segments::new(WINDOW);
        let mut controller = choice.build(&Setup {
            smss: SMSS,
            initial_window: cwnd,
            seed: 1,
            handshake_rtt: None,
            paced: false,
        });
        let window = Window { cwnd, ssthresh: cwnd };
        let now = Instant::ZERO + RTT;
        let first = controller.reduce(window, Cause::FastRetransmit, now);
        let reduced = Window { cwnd: first.resume, ssthresh: first.ssthresh };
        black_box(controller.recovered(reduced, now));
        let sampled = controller.reads_samples();
        Self { controller, window, now, acked: 0, sampled }
    }

    /// So many ACKs: each is measured, and the window grows. It is lent anew every time, so that every ACK
    /// meets the same one.
    pub fn run(&mut self, acks: u64) {
        for _ in 0..acks {
            self.now += GAP;
            self.acked += 1;
            let prior_delivered = self.acked.saturating_sub(WINDOW);
            let sample = DeliverySample {
                delivered: self.acked - prior_delivered,
                interval: RTT,
                prior_delivered,
                prior_lost: 0,
                in_flight_at_departure: WINDOW,
                prior_in_flight: WINDOW,
                acked_sacked: 1,
                app_limited: false,
            };
            self.controller.measure(&Ack {
                now: self.now,
                smss: SMSS,
                newly: 1,
                rtt: Some(RTT),
                srtt: RTT,
                in_flight: WINDOW,
                delivered: self.acked,
                delivered_ce: 0,
                one_way_delay: None,
                predicted: None,
                snd_una: self.acked,
                snd_nxt: self.acked + WINDOW,
                sample: self.sampled.then_some(sample),
            });
            black_box(self.controller.grow(self.window, &Grant::open(self.now, Segments::ONE)));
        }
    }

    /// The ACKs so far.
    pub fn acked(&self) -> u64 {
        self.acked
    }
}
