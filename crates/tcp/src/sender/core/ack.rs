//! One ACK, in the order in which every recovery takes it in.
//!
//! | step | by | what happens |
//! |---|---|---|
//! | 1. absorb | recovery | delivered segments are counted, `snd_una` moves, the round-trip time is sampled |
//! | 2. measure | core | the controller reads the ACK |
//! | 3. judge | core, recovery | an ECN echo reduces; losses are marked; a recovery may end |
//! | 4. grow | core | the window grows, if the judgement allows it |
//! | 5. answer | recovery | a recovery may begin, and reduces |
//!
//! A controller that commands everything (BBR) sets the window last, in place of step 4.
//!
//! Most ACKs only advance `snd_una` while no loss is suspected. For them the steps come down to a
//! few lines, [`Core::take_advance`]; a property test compares the two.

use westwood_cc::controller::{ControlScope, Grant, Phase};
use westwood_cc::{Controller, Duration, Instant, Segments};

use super::Core;
use crate::recovery::{AnyRecovery, LossRecovery};
use crate::segment::AckSegment;

/// An ACK after the first step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessedAck<E> {
    /// Segments newly covered by the cumulative acknowledgment.
    pub(crate) newly: u64,
    /// The round-trip time sample for the controller, if there is one.
    pub(crate) rtt: Option<Duration>,
    /// False if the ACK is judged and no more: a later one has overtaken it, or nothing was in
    /// flight.
    pub(crate) measured: bool,
    /// Evidence for the recovery's own next steps.
    pub(crate) evidence: E,
}

/// The result of the third step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossVerdict {
    /// Segments that this ACK shows to be lost.
    pub(crate) newly_lost: u64,
    /// How the window changes.
    pub(crate) growth: Growth,
}

/// How an ACK changes the window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Growth {
    /// Not at all.
    None,
    /// It grows for the segments covered, if it limited the sender.
    Covered,
    /// It grows by this grant.
    Granted(Grant),
    /// It is set to this during a reduction (RFC 9937).
    To(Segments),
}

impl Growth {
    /// [`Covered`](Self::Covered), if `grows`.
    pub(crate) const fn covered_if(grows: bool) -> Self {
        if grows { Self::Covered } else { Self::None }
    }
}

impl Core {
    /// Takes in an ACK.
    #[inline]
    pub(crate) fn take_ack(&mut self, recovery: &mut AnyRecovery, now: Instant, ack: &AckSegment) {
        if recovery.is_open_without_dupacks() && self.only_advances(ack) {
            self.take_advance(now, ack);
        } else {
            recovery.run_steps(self, now, ack);
        }
    }

    /// True if an ACK only advances `snd_una`, and no segment has a record.
    #[inline]
    fn only_advances(&self, ack: &AckSegment) -> bool {
        self.flight.is_unrecorded()
            && ack.ack > self.snd_una()
            && !ack.options.is_boxed()
            && !ack.ece
    }

    /// [`run_steps`](Self::run_steps) for an ACK that only advances: all segments sent are in flight, the
    /// ACK delivers all that it covers, and no loss is to be judged.
    #[inline]
    fn take_advance(&mut self, now: Instant, ack: &AckSegment) {
        let prior_in_flight = self.outstanding();
        let rtt = self.take_rtt(now, ack);
        let newly = ack.ack - self.snd_una();
        self.flight.acknowledge_unmarked(newly);
        self.measure(now, newly, rtt, self.outstanding());
        self.restart_rto(now);
        self.grow(now, newly, prior_in_flight);
    }

    /// The steps of any ACK.
    #[inline(never)]
    pub(crate) fn run_steps<R: LossRecovery>(
        &mut self,
        recovery: &mut R,
        now: Instant,
        ack: &AckSegment,
    ) {
        let prior_in_flight = recovery.in_flight(self);
        self.flight.begin_sample(prior_in_flight);
        // 1. Absorb.
        let Some(mut absorbed) = recovery.absorb(self, now, ack) else { return };
        self.note_marks(ack, absorbed.measured);
        // 2. Measure.
        if absorbed.measured {
            self.measure(now, absorbed.newly, absorbed.rtt, recovery.in_flight(self));
        }
        // 3. Judge. The window does not grow on an echo (RFC 3168 section 6.1.2).
        let echo = self.is_echo()
            && (recovery.core_handles_ece() || self.answers_echo_in_loss(recovery.phase()));
        if echo {
            self.on_ecn_echo(now);
        }
        let judgement = recovery.detect_losses(self, now, &mut absorbed);
        if !absorbed.measured {
            return;
        }
        // 4. Grow.
        match judgement.growth {
            Growth::Covered if !(echo || self.is_echo_in_ns2()) => {
                self.grow(now, absorbed.newly, prior_in_flight);
            }
            Growth::None | Growth::Covered => {}
            Growth::Granted(grant) => self.grow_by(&grant),
            Growth::To(cwnd) => self.reduce_to(cwnd),
        }
        // 5. Answer.
        let newly_lost =
            judgement.newly_lost + recovery.enter_recovery_if_needed(self, now, &absorbed);
        if self.control_scope == ControlScope::Everything {
            let in_flight = recovery.in_flight(self);
            self.update_cwnd_every_ack(now, in_flight, newly_lost, recovery.phase());
        }
    }

    /// Tells the controller of the segments judged lost.
    pub(super) fn report_losses(&mut self, now: Instant) {
        let Self { flight, controller, .. } = self;
        flight.take_losses(now).for_each(|segment| controller.lost(&segment));
    }

    /// Asks a controller that commands everything for the window, on every ACK.
    fn update_cwnd_every_ack(
        &mut self,
        now: Instant,
        in_flight: u64,
        newly_lost: u64,
        phase: Phase,
    ) {
        let credit = Segments::new(self.flight.acked_sacked());
        let cwnd_limited = self.window_usage.full();
        let grant = Grant { now, credit, in_flight, newly_lost, cwnd_limited, phase };
        self.report_losses(now);
        self.window = self.controller.grow(self.window, &grant);
    }
}
