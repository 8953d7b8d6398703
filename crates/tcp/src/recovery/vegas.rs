//! Vegas' fine-grained retransmission.
//!
//! L. S. Brakmo, L. L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE
//! JSAC 13(8), 1995, section 3.1; the details are those of ns-2.35's `Agent/TCP/Vegas`.
//!
//! The time at which each segment was sent gives a timeout without ticks. A duplicate ACK is looked at
//! once: if the first unacknowledged segment is older than that timeout it is sent again, without
//! waiting for two more. The first two ACKs after a retransmission look in the same way for the next
//! loss. And the window is reduced once for all losses of segments sent before the reduction.
//!
//! | ns-2 | here | unit |
//! |---|---|---|
//! | `v_sendtime_`, `v_transmits_` | `sent`: when a segment last left, and how often | |
//! | `v_sa_ / 8`, `v_sd_ / 4` | `mean`, `variation` | ns |
//! | `v_timeout_` | `timeout` = 17/16 (mean + 2 variation) | ns |
//! | `v_worried_` | `worried` | ACKs that are still looked at |
//! | `t_cwnd_changed_` | `reduced_at` | |
//!
//! As in ns-2, the timeout grows by an eighth at each early retransmission, doubles for a segment that
//! has been sent twice, and is computed anew at the next sample. The window is inflated by the duplicates
//! that have come; only if more than three have come is that taken back. A segment that was lost twice
//! halves the window, whatever the controller says.
//!
//! Differs from ns-2: after a timeout more than three duplicates take ns-2's window to nothing
//! (`v_newcwnd_` is zero then), until the timer fires again.

use std::collections::VecDeque;

use westwood_cc::controller::Phase;
use westwood_cc::{Duration, Instant, Segments};

use super::{DUP_THRESH, LossRecovery};
use crate::segment::AckSegment;
use crate::sender::{Core, Sign};

/// When a segment last left, and how often it has.
#[derive(Clone, Copy, Debug)]
struct Sending {
    at: Instant,
    times: u32,
}

/// Vegas' recovery.
#[derive(Clone, Debug)]
pub(crate) struct Vegas {
    /// From `snd_una` on.
    sent: VecDeque<Sending>,
    mean: Duration,
    variation: Duration,
    timeout: Duration,
    worried: u32,
    reduced_at: Instant,
    dupacks: u32,
    /// Segments by which the window is inflated.
    inflation: u64,
    phase: Phase,
    /// `snd_max` when the last timeout or retransmission by duplicates came.
    recover: u64,
    /// The first unacknowledged segment leaves next, whatever the window says.
    retransmit: bool,
}

impl Default for Vegas {
    fn default() -> Self {
        Self {
            sent: VecDeque::new(),
            mean: Duration::ZERO,
            variation: Duration::ZERO,
            timeout: Duration::from_secs(1_000),
            worried: 0,
            reduced_at: Instant::ZERO,
            dupacks: 0,
            inflation: 0,
            phase: Phase::Open,
            recover: 0,
            retransmit: false,
        }
    }
}

impl Vegas {
    /// The first unacknowledged segment.
    fn first(&self) -> Option<Sending> {
        self.sent.front().copied()
    }

    /// True if the first unacknowledged segment is older than the timeout.
    fn is_expired(&self, now: Instant) -> bool {
        self.first().is_some_and(|first| now.since(first.at) >= self.timeout)
    }

    /// The time of the newest segment acknowledged, if it was sent once: section 3.1's fine-grained
    /// estimate, at Jacobson's gains.
    fn sample(&mut self, now: Instant, newest: Sending) {
        if newest.times != 1 {
            return;
        }
        let rtt = now.since(newest.at);
        if self.mean.is_zero() {
            (self.mean, self.variation) = (rtt, rtt / 4);
        }
        let deviation = rtt.max(self.mean) - rtt.min(self.mean);
        self.mean = (self.mean * 7 + rtt) / 8;
        self.variation = (self.variation * 3 + deviation) / 4;
        self.timeout = (self.mean + self.variation * 2) * 17 / 16;
    }

    fn on_new_ack(&mut self, core: &mut Core, now: Instant, newest: Option<Sending>) {
        if self.dupacks <= DUP_THRESH && self.inflation > 0 {
            core.window.cwnd += Segments::new(self.inflation);
        }
        self.inflation = 0;
        self.dupacks = 0;
        core.restart_rto(now);
        if core.snd_una >= self.recover && self.phase != Phase::Open {
            self.leave(core, now);
        }
        if let Some(newest) = newest {
            self.sample(now, newest);
        }
        if self.worried > 0 {
            self.worried -= 1;
            if self.is_expired(now) {
                self.dupacks = DUP_THRESH;
                self.retransmit = true;
            } else {
                self.worried = 0;
            }
        }
    }

    fn leave(&mut self, core: &mut Core, now: Instant) {
        if self.phase == Phase::Recovery {
            let cwnd = core.window.cwnd;
            core.complete(now, cwnd);
        }
        self.phase = Phase::Open;
    }

    fn on_duplicate(&mut self, core: &mut Core, now: Instant) {
        self.dupacks = self.dupacks.saturating_add(1);
        if !self.is_expired(now) && self.dupacks != DUP_THRESH {
            self.inflation += u64::from(self.dupacks > DUP_THRESH);
            return;
        }
        let Some(first) = self.first() else { return };
        // What a timeout sends again is no new sign.
        if self.phase == Phase::Loss && core.snd_una <= self.recover {
            return;
        }
        self.phase = Phase::Recovery;
        self.recover = core.snd_max;
        self.worried = u32::try_from(core.outstanding()).unwrap_or(u32::MAX).min(2);
        self.timeout =
            if first.times > 1 { self.timeout * 2 } else { self.timeout + self.timeout / 8 };
        self.timeout = self.timeout.min(core.config.rto.max);
        if self.reduced_at < first.at {
            core.reduce_for_loss(now, Sign::DuplicateAcks(self.dupacks));
            core.counts.fast_recoveries += 1;
            if first.times > 1 {
                let half = Segments::new(core.before.cwnd.whole() / 2).max(Segments::new(2));
                core.window.cwnd = core.window.cwnd.min(half);
            }
            self.inflation = u64::from(self.dupacks);
            self.reduced_at = now;
        }
        core.restart_rto(now);
        self.retransmit = true;
        if first.times == 1 {
            self.dupacks = DUP_THRESH;
        }
    }

    /// Between the first duplicate and the retransmission nothing leaves.
    fn waits(&self) -> bool {
        self.dupacks > 0 && self.dupacks < DUP_THRESH
    }
}

impl LossRecovery for Vegas {
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if ack.ack < core.snd_una {
            return;
        }
        let prior_in_flight = self.in_flight(core);
        core.flight.begin_sample(prior_in_flight);
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack - core.snd_una;
        let duplicate = newly == 0 && core.outstanding() > 0;
        let mut newest = None;
        for _ in 0..newly {
            newest = self.sent.pop_front();
        }
        core.flight.deliver_oldest(newly, now);
        core.snd_una = ack.ack;
        core.snd_nxt = core.snd_nxt.max(ack.ack);
        core.measure(now, newly, rtt, self.in_flight(core));
        if ack.ece && self.phase == Phase::Open {
            core.on_ecn_echo(now);
        }
        let waiting = self.retransmit;
        if newly > 0 {
            self.retransmit = false;
            self.on_new_ack(core, now, newest);
            if !core.is_echo(ack) {
                core.grow(now, newly, prior_in_flight);
            }
        } else if duplicate {
            self.on_duplicate(core, now);
        }
        let newly_lost = u64::from(self.retransmit && !waiting);
        core.steer(now, self.in_flight(core), newly_lost, self.phase);
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        core.reduce_for_timeout(now);
        core.snd_nxt = core.snd_una;
        self.recover = core.snd_max;
        self.phase = Phase::Loss;
        self.inflation = 0;
        self.dupacks = 0;
        self.retransmit = false;
        self.reduced_at = now;
        core.back_off(now);
    }

    fn on_deadline(&mut self, _: &mut Core, _: Instant) {}

    fn deadline(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    fn next_segment(&mut self, core: &mut Core, _: Instant) -> Option<u64> {
        if self.retransmit {
            self.retransmit = false;
            return Some(core.snd_una);
        }
        if !self.has_segment(core) {
            return None;
        }
        let seq = core.snd_nxt;
        core.snd_nxt += 1;
        Some(seq)
    }

    fn has_segment(&self, core: &Core) -> bool {
        let usable = core.window.cwnd.whole().saturating_add(self.inflation).max(1);
        self.retransmit
            || (!self.waits()
                && core.snd_nxt < core.snd_una + usable
                && (core.snd_nxt < core.snd_max || core.has_new()))
    }

    fn sent(&mut self, core: &mut Core, seq: u64, now: Instant) {
        let place = usize::try_from(seq - core.snd_una).unwrap_or(usize::MAX);
        match self.sent.get_mut(place) {
            Some(sending) => *sending = Sending { at: now, times: sending.times.saturating_add(1) },
            None => self.sent.push_back(Sending { at: now, times: 1 }),
        }
    }

    fn in_flight(&self, core: &Core) -> u64 {
        (core.snd_nxt - core.snd_una).saturating_sub(self.inflation)
    }

    fn in_recovery(&self) -> bool {
        self.phase != Phase::Open
    }
}
