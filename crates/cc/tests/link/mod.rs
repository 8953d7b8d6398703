//! A sender and one link, as small as they can be: every segment is acknowledged on arrival, a loss is
//! seen when three later segments have been acknowledged, and lost data is not sent again.
//!
//! Enough to close the loop around a controller; the transport proper is another crate's.

use std::collections::VecDeque;

use westwood_cc::controller::{ControlScope, Grant, Phase};
use westwood_cc::{
    Ack, Bytes, Cause, Controller, DeliverySample, Duration, Instant, Segments, Window,
};

const SMSS: u64 = 1_500;

/// A bottleneck with its propagation delay and buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// Time to put one segment on the link, in ns.
    pub(crate) service_ns: u64,
    /// Round-trip time without queue and service, in ns.
    pub(crate) rtt_ns: u64,
    /// Segments that may wait beside the one in service.
    pub(crate) buffer: u64,
    /// One segment in so many is lost behind the bottleneck; 0 for none.
    pub(crate) lose_every: u64,
}

impl Path {
    /// 10 Mbit/s, 100 ms, a bandwidth-delay product of buffer.
    pub(crate) const TEN_MEGABIT: Self =
        Self { service_ns: 1_200_000, rtt_ns: 100_000_000, buffer: 83, lose_every: 0 };
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    seq: u64,
    sent: u64,
    /// When its ACK arrives; never if it is lost.
    acked: Option<u64>,
    delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    prior_in_flight: u64,
}

/// The facts that an observer is shown after each ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub(crate) now: u64,
    pub(crate) w: Window,
    pub(crate) rtt: u64,
    pub(crate) delivered: u64,
}

/// The sender's and the link's state.
pub(crate) struct Loop<C> {
    pub(crate) controller: C,
    pub(crate) path: Path,
    pub(crate) now: u64,
    pub(crate) w: Window,
    flight: VecDeque<Segment>,
    busy_until: u64,
    may_send_at: u64,
    snd_nxt: u64,
    snd_una: u64,
    delivered: u64,
    delivered_at: u64,
    first_sent: u64,
    srtt: u64,
    /// Recovery ends when this segment is acknowledged.
    recover: Option<u64>,
    window_end: u64,
}

impl<C: Controller> Loop<C> {
    pub(crate) fn new(controller: C, path: Path, cwnd: u64) -> Self {
        Self {
            controller,
            path,
            now: 0,
            w: Window { cwnd: Segments::new(cwnd), ssthresh: Segments::MAX },
            flight: VecDeque::new(),
            busy_until: 0,
            may_send_at: 0,
            snd_nxt: 0,
            snd_una: 0,
            delivered: 0,
            delivered_at: 0,
            first_sent: 0,
            srtt: 0,
            recover: None,
            window_end: 0,
        }
    }

    fn in_flight(&self) -> u64 {
        self.flight.len() as u64
    }

    fn send(&mut self) {
        let waiting = self.busy_until.saturating_sub(self.now).div_ceil(self.path.service_ns);
        let dropped = waiting > self.path.buffer;
        if !dropped {
            self.busy_until = self.busy_until.max(self.now) + self.path.service_ns;
        }
        let unlucky = self.path.lose_every > 0
            && self.snd_nxt % self.path.lose_every == self.path.lose_every - 1;
        if self.flight.is_empty() {
            (self.first_sent, self.delivered_at) = (self.now, self.now);
        }
        let prior_in_flight = self.in_flight() + 1;
        self.flight.push_back(Segment {
            seq: self.snd_nxt,
            sent: self.now,
            acked: (!dropped && !unlucky).then_some(self.busy_until + self.path.rtt_ns),
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            prior_in_flight,
        });
        self.snd_nxt += 1;
        if let Some(rate) = self.controller.pacing_rate() {
            let gap = SMSS * 1_000_000_000 / (rate.bits_per_s() / 8).max(1);
            self.may_send_at = self.may_send_at.max(self.now) + gap;
        }
    }

    /// Runs until `end` (in ns), showing every ACK.
    pub(crate) fn run(&mut self, end: u64, mut show: impl FnMut(&C, Shown)) {
        loop {
            let ack_at = self.flight.iter().find_map(|s| s.acked);
            let may_send = self.in_flight() < self.w.cwnd.whole();
            let send_at = may_send.then_some(self.may_send_at.max(self.now));
            let next = match (send_at, ack_at) {
                (Some(s), Some(a)) => s.min(a),
                (Some(t), None) | (None, Some(t)) => t,
                // All in flight is lost: forget it, as a timeout would.
                (None, None) => {
                    self.flight.clear();
                    continue;
                }
            };
            if next > end {
                self.now = end;
                return;
            }
            self.now = next;
            if ack_at == Some(next) {
                self.acknowledge(&mut show);
            } else {
                self.send();
            }
        }
    }

    fn acknowledge(&mut self, show: &mut impl FnMut(&C, Shown)) {
        let at = self.flight.iter().position(|s| s.acked == Some(self.now)).expect("an ACK is due");
        let s = self.flight.remove(at).expect("it is in flight");
        let (before, mut last_lost) = (self.flight.len(), None);
        self.flight.retain(|o| {
            let lost = o.acked.is_none() && o.seq + 3 <= s.seq;
            last_lost = if lost { Some(o.seq) } else { last_lost };
            !lost
        });
        let newly_lost = (before - self.flight.len()) as u64;
        self.delivered += 1;
        self.delivered_at = self.now;
        self.first_sent = s.sent;
        let rtt = self.now - s.sent;
        self.srtt = if self.srtt == 0 { rtt } else { (7 * self.srtt + rtt) / 8 };
        self.snd_una = s.seq + 1;
        self.controller.measure(&self.ack(&s, rtt));
        self.react(last_lost);
        let phase = if self.recover.is_some() { Phase::Recovery } else { Phase::Open };
        let grant = Grant {
            now: Instant::from_nanos(self.now),
            credit: Segments::ONE,
            in_flight: self.in_flight(),
            newly_lost,
            cwnd_limited: true,
            phase,
        };
        if phase == Phase::Open || self.controller.control_scope() == ControlScope::Everything {
            self.w = self.controller.grow(self.w, &grant);
        }
        show(&self.controller, Shown { now: self.now, w: self.w, rtt, delivered: self.delivered });
    }

    /// Enters recovery at a loss and leaves it when all that was in flight then is acknowledged.
    fn react(&mut self, lost: Option<u64>) {
        let now = Instant::from_nanos(self.now);
        if self.recover.is_some_and(|r| self.snd_una >= r) {
            self.recover = None;
            self.w = self.controller.recovered(self.w, now);
        }
        // Segments sent before the last recovery are of the same loss window.
        if lost.is_some_and(|seq| seq >= self.window_end) {
            self.recover = Some(self.snd_nxt);
            self.window_end = self.snd_nxt;
            let r = self.controller.reduce(self.w, Cause::FastRetransmit, now);
            self.w = Window { cwnd: r.resume, ssthresh: r.ssthresh };
        }
    }

    fn ack(&self, s: &Segment, rtt: u64) -> Ack {
        let interval = (s.sent - s.first_sent).max(self.now - s.delivered_at);
        Ack {
            now: Instant::from_nanos(self.now),
            smss: Bytes::new(SMSS),
            newly: 1,
            rtt: Some(Duration::from_nanos(rtt)),
            srtt: Duration::from_nanos(self.srtt),
            in_flight: self.in_flight(),
            delivered: self.delivered,
            delivered_ce: 0,
            one_way_delay: None,
            predicted: None,
            snd_una: self.snd_una,
            snd_nxt: self.snd_nxt,
            sample: Some(DeliverySample {
                delivered: self.delivered - s.delivered,
                interval: Duration::from_nanos(interval),
                prior_delivered: s.delivered,
                prior_lost: 0,
                in_flight_at_departure: s.prior_in_flight + 1,
                prior_in_flight: s.prior_in_flight.max(self.in_flight() + 1),
                acked_sacked: 1,
                app_limited: false,
            }),
        }
    }
}
