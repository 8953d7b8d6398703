//! Recorded calls through the controllers of `westwood-cc`: what they answer must be what the kernel
//! recorded.
//!
//! Changes that the stack makes to the window between two calls (proportional rate reduction, a timeout,
//! an idle restart) are inputs. The mapping of hooks to verbs is the one of `bpf/hooks.h`:
//!
//! * `ssthresh` is asked before the cause is known. The controller is asked for a fast retransmit;
//!   if the next state is Loss, it is asked again, from its state before, for a timeout. The
//!   numbers may not differ, what it remembers may.
//! * A guarded reduction answers the window at which recovery ends. Its ssthresh comes into force
//!   when recovery ends, or at once after a timeout.

use westwood_cc::controller::{Ack, Cause, Controller, Grant, Setup, Window};
use westwood_cc::controllers::{AnyController, Choice};
use westwood_cc::{Bytes, Duration, Instant, Segments};

use crate::event::{CallKind, Event, KernelWindow};

/// `TCP_CA_Loss` of the kernel's congestion states.
const LOSS: u32 = 4;

/// The controller's answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayAnswer {
    /// The window after the call.
    pub window: KernelWindow,
    /// The bandwidth estimate, byte/s with 16 fractional bits.
    pub bwe: u64,
}

/// One connection, replayed.
#[derive(Clone, Debug)]
pub struct Replay {
    controller: AnyController,
    /// A reduction whose cause is not known yet.
    asked: Option<PendingCall>,
    /// The guard's ssthresh until it comes into force.
    waiting: Option<u32>,
    /// `snd_una` of the last ACK, and the same without wrapping.
    snd_una: Option<(u32, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct PendingCall {
    before: AnyController,
    window: Window,
    now: Instant,
}

impl Replay {
    /// A connection that begins with an [`Init`](CallKind::Init) event.
    pub fn new(choice: &Choice, init: &Event) -> Self {
        let setup = Setup {
            smss: Bytes::new(u64::from(init.input[0])),
            initial_window: Segments::new(u64::from(init.before.cwnd)),
            seed: 0,
            handshake_rtt: None,
            paced: false,
        };
        Self { controller: choice.build(&setup), asked: None, waiting: None, snd_una: None }
    }

    /// The controller's answer to the inputs of an event. The answers that stand in the event are
    /// not looked at.
    pub fn step(&mut self, event: &Event) -> ReplayAnswer {
        let mut window = event.before;
        match event.kind {
            CallKind::Measure => self.measure(event),
            CallKind::Grow => (window.cwnd, window.cwnd_cnt) = self.grow(event),
            CallKind::Ssthresh => window.ssthresh = self.ssthresh(event),
            CallKind::State => window.ssthresh = self.state(event),
            CallKind::Undo => window.cwnd = self.undo(event),
            CallKind::Complete => window.ssthresh = self.waiting.take().unwrap_or(window.ssthresh),
            CallKind::Init | CallKind::Release | CallKind::End => {}
        }
        ReplayAnswer { window, bwe: self.controller.bwe().map_or(0, westwood_cc::Rate::raw) }
    }

    fn measure(&mut self, event: &Event) {
        let [newly, rtt_us, srtt_us, smss, snd_una, snd_nxt, ..] = event.input;
        let micros = |us: u32| Duration::from_micros(u64::from(us));
        let una = self.unwrapped(snd_una);
        let ack = Ack {
            now: now(event),
            smss: Bytes::new(u64::from(smss)),
            newly: u64::from(newly),
            rtt: (rtt_us > 0).then(|| micros(rtt_us)),
            srtt: micros(srtt_us),
            in_flight: 0,
            delivered: 0,
            delivered_ce: 0,
            one_way_delay: None,
            predicted: None,
            snd_una: una,
            snd_nxt: una + u64::from(snd_nxt.wrapping_sub(snd_una)),
            sample: None,
        };
        self.controller.measure(&ack);
    }

    /// Bytes instead of segments: the controllers only compare them.
    fn unwrapped(&mut self, snd_una: u32) -> u64 {
        let una = match self.snd_una {
            Some((last, una)) => una + u64::from(snd_una.wrapping_sub(last)),
            None => u64::from(snd_una),
        };
        self.snd_una = Some((snd_una, una));
        una
    }

    fn grow(&mut self, event: &Event) -> (u32, u32) {
        let [acked, clamp, ..] = event.input;
        let grant = Grant::open(now(event), Segments::new(u64::from(acked)));
        let grown = self.controller.grow(window(event), &grant).cwnd;
        let cwnd = grown.raw().min(u64::from(clamp) << 32);
        (high(cwnd), low(cwnd))
    }

    fn ssthresh(&mut self, event: &Event) -> u32 {
        let whole = Window { cwnd: window(event).cwnd.floor(), ..window(event) };
        self.asked = Some(PendingCall { before: self.controller, window: whole, now: now(event) });
        let reduction = self.controller.reduce(whole, Cause::FastRetransmit, now(event));
        let (resume, ssthresh) = (reduction.resume.raw(), reduction.ssthresh.raw());
        self.waiting = (high(resume) < high(ssthresh)).then_some(high(ssthresh));
        high(resume)
    }

    fn state(&mut self, event: &Event) -> u32 {
        let loss = event.input[0] == LOSS;
        if let Some(asked) = self.asked.take()
            && loss
        {
            self.controller = asked.before;
            self.controller.reduce(asked.window, Cause::Timeout, asked.now);
            self.controller.timed_out(asked.now);
        }
        let waiting = if loss { self.waiting.take() } else { None };
        waiting.unwrap_or(event.before.ssthresh)
    }

    fn undo(&mut self, event: &Event) -> u32 {
        self.waiting = None;
        let before = Window {
            cwnd: Segments::new(u64::from(event.input[0])),
            ssthresh: window(event).ssthresh,
        };
        high(self.controller.undone(window(event), before, now(event)).cwnd.raw())
    }
}

fn now(event: &Event) -> Instant {
    Instant::ZERO + Duration::from_micros(event.now_us)
}

fn window(event: &Event) -> Window {
    let before = event.before;
    Window {
        cwnd: Segments::from_raw(u64::from(before.cwnd) << 32 | u64::from(before.cwnd_cnt)),
        ssthresh: Segments::new(u64::from(before.ssthresh)),
    }
}

/// `snd_cwnd` of a window.
fn high(raw: u64) -> u32 {
    (raw >> 32) as u32
}

/// `snd_cwnd_cnt` of a window.
#[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
fn low(raw: u64) -> u32 {
    raw as u32
}
