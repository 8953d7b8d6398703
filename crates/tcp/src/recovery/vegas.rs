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
//! | `v_timeout_`, `v_sa_ / 8`, `v_sd_ / 4` | `timeout` | ns |
//! | `v_worried_` | `worried` | ACKs that are still looked at |
//! | `t_cwnd_changed_` | `reduced_at` | |
//! | `v_newcwnd_` | `reduced_to` | segments |
//! | `rtt_active_`, `rtt_seq_` | `timed` | |
//!
//! As in ns-2:
//! * The controller's round-trip times are of the same clock: from the last sending of the newest
//!   segment that an ACK covers, if it was sent once. One that waited at the receiver for an older one
//!   to be repaired counts with its wait. Timestamps and ticks are for the retransmission timer alone.
//! * The timeout grows by an eighth at each early retransmission, doubles for a segment that has been
//!   sent twice, and is computed anew at the next sample.
//! * Each retransmission by duplicates doubles the retransmission timer, and only the ACK of a segment
//!   that is sent for the first time afterwards ends that.
//! * The window is inflated by the duplicates that have come. More than three take it back to the last
//!   reduction's, and end slow start; fewer leave it inflated, and slow start as it is.
//! * A segment that was lost twice halves the window, whatever the controller says. It is the inflated
//!   window that a reduction reduces.
//! * After a timeout the window is two segments.
//!
//! Differs from ns-2, where that is a defect:
//! * After a timeout more than three duplicates take ns-2's window to nothing (`v_newcwnd_` is zero
//!   then), until the timer fires again.
//! * With nothing outstanding ns-2 takes the next segment, which has no time of sending yet, for an old
//!   one, and sends it twice.

mod timeout;

use std::collections::VecDeque;

use westwood_cc::controller::Phase;
use westwood_cc::{Duration, Instant, Segments, Window};

use super::{DUP_THRESH, LossRecovery};
use crate::segment::AckSegment;
use crate::sender::{Burst, Core, Growth, LossVerdict, NextSend, ProcessedAck, Signal};
use timeout::FineTimeout;

/// When a segment last left, and how often it has.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    at: Instant,
    times: u32,
}

/// Vegas' recovery.
#[derive(Clone, Debug)]
pub(crate) struct VegasRecovery {
    /// From `snd_una` on.
    sent: VecDeque<Transmission>,
    timeout: FineTimeout,
    worried: u32,
    reduced_at: Instant,
    /// The window that the last reduction left; none after a timeout.
    reduced_to: Option<Segments>,
    /// The segment whose ACK ends a back-off, and without timestamps gives the retransmission timer its
    /// sample; and when it left.
    timed: Option<(u64, Instant)>,
    dupacks: u32,
    /// Segments by which the window is inflated.
    inflation: u64,
    state: VegasState,
    /// `snd_max` when the last timeout or retransmission by duplicates came.
    recover: u64,
    /// The last answer to a loss was a timeout.
    timed_out: bool,
    /// The first unacknowledged segment leaves next, whatever the window says.
    retransmit: bool,
}

/// The state of the repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VegasState {
    /// Nothing is being repaired.
    Open,
    /// After a retransmission by duplicates.
    Recovery,
    /// After a timeout: everything is sent again in order.
    Loss {
        /// The next segment to send, up to `snd_max`.
        snd_nxt: u64,
    },
}

impl Default for VegasRecovery {
    fn default() -> Self {
        Self {
            sent: VecDeque::new(),
            timeout: FineTimeout::new(),
            worried: 0,
            reduced_at: Instant::ZERO,
            reduced_to: None,
            timed: None,
            dupacks: 0,
            inflation: 0,
            state: VegasState::Open,
            recover: 0,
            timed_out: false,
            retransmit: false,
        }
    }
}

impl VegasRecovery {
    /// The first unacknowledged segment.
    fn first(&self) -> Option<Transmission> {
        self.sent.front().copied()
    }

    /// True if the first unacknowledged segment is older than the timeout.
    fn is_expired(&self, now: Instant) -> bool {
        self.first().is_some_and(|first| self.timeout.has_passed(first.at, now))
    }

    /// The time of the newest segment acknowledged, if it was sent once: section 3.1's fine-grained
    /// estimate.
    fn sample(now: Instant, newest: Option<Transmission>) -> Option<Duration> {
        newest.filter(|newest| newest.times == 1).map(|newest| now.since(newest.at))
    }

    /// Updates the retransmission timer's estimate by an ACK of new data.
    fn update_rto(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if let Some(echo) = ack.echo {
            core.sample_rto(now.since(echo));
        }
        if let Some((_, at)) = self.timed.take_if(|&mut (seq, _)| ack.ack > seq) {
            core.end_backoff(ack.echo.is_none().then_some(at), now);
        }
    }

    /// Takes the inflation back if more than three duplicates came, else it stays.
    fn deflate(&mut self, core: &mut Core) {
        if self.dupacks <= DUP_THRESH {
            core.add_to_cwnd(self.inflation);
        } else if let Some(left) = self.reduced_to {
            core.add_to_cwnd(self.inflation);
            core.clamp_cwnd(Window { cwnd: left, ssthresh: Segments::TWO });
        }
        self.inflation = 0;
    }

    fn on_new_ack(&mut self, core: &mut Core, now: Instant, rtt: Option<Duration>) {
        self.deflate(core);
        self.dupacks = 0;
        core.restart_rto(now);
        if core.snd_una() >= self.recover {
            self.leave(core, now);
        }
        if let Some(rtt) = rtt {
            self.timeout.sample(core.config().handshake_rtt, rtt);
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
        if self.state == VegasState::Recovery {
            core.recovered_at(now, core.window().cwnd);
        }
        self.state = VegasState::Open;
    }

    fn on_duplicate(&mut self, core: &mut Core, now: Instant) {
        self.dupacks = self.dupacks.saturating_add(1);
        if !self.is_expired(now) && self.dupacks != DUP_THRESH {
            self.inflation += u64::from(self.dupacks > DUP_THRESH);
            return;
        }
        let Some(first) = self.first() else { return };
        // A segment that a timeout sends again is no new signal.
        if self.timed_out && core.snd_una() <= self.recover {
            return;
        }
        self.timed_out = false;
        self.state = VegasState::Recovery;
        self.recover = core.snd_max();
        self.worried = u32::try_from(core.outstanding()).unwrap_or(u32::MAX).min(2);
        self.timeout.back_off(first.times, core.config().rto.max);
        if self.reduced_at < first.at {
            self.reduce(core, now, first);
        }
        core.back_off(now);
        self.timed = None;
        self.retransmit = true;
        if first.times == 1 {
            self.dupacks = DUP_THRESH;
        }
    }

    /// Reduces the window, inflated as it is.
    fn reduce(&mut self, core: &mut Core, now: Instant, first: Transmission) {
        core.lose(core.snd_una());
        core.add_to_cwnd(self.inflation);
        let before = core.window();
        core.begin_recovery(now, Signal::DuplicateAcks(self.dupacks));
        let mut cwnd = core.window().cwnd;
        if first.times > 1 {
            cwnd = cwnd.min(Segments::new(before.cwnd.whole() / 2).max(Segments::TWO));
        }
        core.clamp_cwnd(Window { cwnd, ssthresh: before.ssthresh });
        self.inflation = u64::from(self.dupacks);
        self.reduced_to = Some(cwnd);
        self.reduced_at = now;
    }

    /// Between the first duplicate and the retransmission nothing leaves.
    fn dupacks_below_threshold(&self) -> bool {
        self.dupacks > 0 && self.dupacks < DUP_THRESH
    }

    /// The next segment to send.
    fn snd_nxt(&self, core: &Core) -> u64 {
        match self.state {
            VegasState::Loss { snd_nxt } => snd_nxt,
            VegasState::Open | VegasState::Recovery => core.snd_max(),
        }
    }

    fn choose(&self, core: &Core) -> Option<NextSend> {
        if self.retransmit {
            return Some(NextSend::Retransmission(core.snd_una()));
        }
        if self.dupacks_below_threshold() {
            return None;
        }
        let snd_nxt = self.snd_nxt(core);
        let usable = core.window().cwnd.whole().saturating_add(self.inflation).max(1);
        match (core.snd_una() + usable).saturating_sub(snd_nxt) {
            0 => None,
            _ if snd_nxt < core.snd_max() => Some(NextSend::Retransmission(snd_nxt)),
            room => core.has_new().then_some(NextSend::New(room)),
        }
    }
}

impl LossRecovery for VegasRecovery {
    type Evidence = ();

    fn absorb(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<()>> {
        let newly = ack.ack.checked_sub(core.snd_una())?;
        let mut newest = None;
        for _ in 0..newly {
            newest = self.sent.pop_front();
        }
        if newly > 0 {
            self.update_rto(core, now, ack);
        }
        core.deliver_oldest(newly, now);
        core.advance(newly);
        if let VegasState::Loss { snd_nxt } = &mut self.state {
            *snd_nxt = ack.ack.max(*snd_nxt);
        }
        let rtt = Self::sample(now, newest);
        Some(ProcessedAck { newly, rtt, measured: true, evidence: () })
    }

    fn detect_losses(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &mut ProcessedAck<()>,
    ) -> LossVerdict {
        if absorbed.newly == 0 {
            return LossVerdict { newly_lost: 0, growth: Growth::None };
        }
        let waiting = core::mem::take(&mut self.retransmit);
        self.on_new_ack(core, now, absorbed.rtt);
        let newly_lost = u64::from(self.retransmit && !waiting);
        LossVerdict { newly_lost, growth: Growth::covered_if(!core.is_echo()) }
    }

    fn enter_recovery_if_needed(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &ProcessedAck<()>,
    ) -> u64 {
        if absorbed.newly > 0 || core.outstanding() == 0 {
            return 0;
        }
        let waiting = self.retransmit;
        self.on_duplicate(core, now);
        u64::from(self.retransmit && !waiting)
    }

    fn phase(&self) -> Phase {
        match self.state {
            VegasState::Open => Phase::Open,
            VegasState::Recovery => Phase::Recovery,
            VegasState::Loss { .. } => Phase::Loss,
        }
    }

    fn in_flight(&self, core: &Core) -> u64 {
        (self.snd_nxt(core) - core.snd_una()).saturating_sub(self.inflation)
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        core.lose(core.snd_una());
        core.add_to_cwnd(self.inflation);
        core.reduce_for_timeout(now);
        core.lose_window(Segments::TWO);
        self.recover = core.snd_max();
        self.state = VegasState::Loss { snd_nxt: core.snd_una() };
        self.inflation = 0;
        self.dupacks = 0;
        self.retransmit = false;
        self.reduced_at = now;
        self.reduced_to = None;
        self.timed = None;
        self.timed_out = true;
        core.on_timeout(now);
    }

    fn next(&mut self, core: &mut Core, _: Instant) -> Option<NextSend> {
        self.choose(core)
    }

    fn has_next(&self, core: &Core) -> bool {
        self.choose(core).is_some()
    }

    fn sent(&mut self, core: &mut Core, now: Instant, burst: &Burst) {
        if !core::mem::take(&mut self.retransmit)
            && let VegasState::Loss { snd_nxt } = &mut self.state
        {
            *snd_nxt = burst.segment.seq + burst.count;
        }
        for segment in burst.segments() {
            let index = usize::try_from(segment.seq - core.snd_una()).unwrap_or(usize::MAX);
            if let Some(transmission) = self.sent.get_mut(index) {
                *transmission =
                    Transmission { at: now, times: transmission.times.saturating_add(1) };
            } else {
                self.sent.push_back(Transmission { at: now, times: 1 });
                self.timed = self.timed.or(Some((segment.seq, now)));
            }
        }
    }
}
