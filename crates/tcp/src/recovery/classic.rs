//! Tahoe, Reno and NewReno: recovery from cumulative acknowledgments alone.
//!
//! RFC 5681 section 3.2 (fast retransmit and fast recovery) and RFC 6582 (NewReno). The inflation of
//! the window during recovery is kept apart from cwnd: a controller sees only the uninflated
//! window, and when recovery ends the inflation is simply dropped.
//!
//! Choices where the RFCs leave one:
//! * A fast retransmit is allowed only when the cumulative acknowledgment covers more than
//!   `recover` (RFC 6582 section 3.2 step 2, "Careful"), for Tahoe and Reno too, as in ns-2: the
//!   duplicates after a timeout answer retransmissions, not losses. A setting takes the rule from
//!   Tahoe and Reno: then a third duplicate in a timeout's repair begins a fast recovery too, and the
//!   repair goes on from where it was, as in 4.3BSD-Reno's `tcp_input`.
//! * At the end of recovery cwnd is the controller's window (RFC 6582 step 3, option 2), or with ns-2's
//!   habits what partial ACKs have left of it. Whether the ACK that ends it also counts as one that opens the
//!   window is a setting.
//! * The retransmission timer starts anew with a fast retransmit, as in BSD and in ns-2; RFC 6298
//!   section 5 starts it anew for ACKs of new data alone. A lost copy is waited for a little longer.
//! * The timer at partial ACKs is the "Impatient" one, which is RFC 6582's rule (section 3.2 step 3), or
//!   the "Slow-but-Steady" one. RFC 3782 section 4 names both.

use westwood_cc::controller::Phase;
use westwood_cc::{Instant, Segments};

use super::{DUP_THRESH, LossRecovery};
use crate::config::Recovery;
use crate::segment::AckSegment;
use crate::sender::{Burst, Core, Growth, LossVerdict, NextSend, ProcessedAck, Signal};

/// Tahoe, Reno or NewReno.
#[derive(Clone, Debug)]
pub(crate) struct Classic {
    variant: Recovery,
    state: ClassicState,
    /// `snd_max` when the last loss window began; none before the first.
    recover: Option<u64>,
    /// Segments counted as delivered, thanks to duplicate ACKs, before the cumulative ACK covers them.
    dupack_credit: u64,
}

/// The state of the repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClassicState {
    /// Nothing is being repaired.
    Open {
        /// Duplicate ACKs since `snd_una` last moved.
        dupacks: u32,
    },
    /// Fast recovery.
    Recovery {
        /// Segments by which the window is inflated; negative after a large partial ACK.
        inflation: i64,
        /// The first unacknowledged segment leaves next, whatever the window says.
        retransmit: bool,
        /// A partial ACK has been seen.
        seen_partial: bool,
        /// Where the timeout's repair stands that this recovery interrupted, if it did.
        snd_nxt: Option<u64>,
    },
    /// After a timeout, or Tahoe's fast retransmit: everything is sent again in order.
    Loss {
        /// The next segment to send, up to `snd_max`.
        snd_nxt: u64,
        /// Duplicate ACKs since `snd_una` last moved.
        dupacks: u32,
        /// Segments that they let out beyond the window, with ns-2's habits.
        limited: u64,
    },
}

impl ClassicState {
    const OPEN: Self = Self::Open { dupacks: 0 };
}

impl Classic {
    pub(crate) fn new(variant: Recovery) -> Self {
        Self { variant, state: ClassicState::OPEN, recover: None, dupack_credit: 0 }
    }

    // --- Delivery.

    /// A duplicate ACK says that some segment was delivered.
    ///
    /// After a timeout it rather answers a needless copy; and there are never more delivered than
    /// sent beyond the one that is missing.
    fn deliver_one(&mut self, core: &mut Core, now: Instant) {
        if self.phase() != Phase::Loss && self.dupack_credit + 1 < core.outstanding() {
            self.dupack_credit += 1;
            core.deliver_unknown(now);
        }
    }

    /// A cumulative ACK of `newly` segments delivers those that duplicates have not counted, so that
    /// `delivered` is always `snd_una + dupack_credit`.
    fn deliver(&mut self, core: &mut Core, now: Instant, newly: u64) {
        let beyond = core.outstanding() - newly;
        let credit = self.dupack_credit.saturating_sub(newly - 1);
        let credit = credit.min(beyond.saturating_sub(1));
        let fresh = (newly + credit).saturating_sub(self.dupack_credit);
        self.dupack_credit = credit;
        if fresh == newly {
            core.deliver_oldest(newly, now);
            return;
        }
        for (i, seq) in (0..newly).zip(core.snd_una()..) {
            // The first was missing until now; of the others the newest are the likeliest.
            if (i == 0 && fresh > 0) || i + fresh > newly {
                core.deliver(seq, now);
            }
        }
    }

    // --- ACKs of new data.

    /// The cumulative acknowledgment has moved.
    fn on_new_ack(&mut self, core: &mut Core, now: Instant, newly: u64) -> LossVerdict {
        let whole = self.recover.is_none_or(|r| core.snd_una() >= r);
        match self.state {
            ClassicState::Recovery { .. } if whole || self.variant == Recovery::Reno => {
                self.leave(core, now);
                let growth = Growth::covered_if(core.config().last_ack_grows);
                return LossVerdict { newly_lost: 0, growth };
            }
            ClassicState::Recovery { .. } => {
                let newly_lost = self.on_partial_ack(core, now, newly);
                return LossVerdict { newly_lost, growth: Growth::None };
            }
            ClassicState::Open { .. } => self.state = ClassicState::OPEN,
            ClassicState::Loss { .. } if whole => self.state = ClassicState::OPEN,
            ClassicState::Loss { ref mut dupacks, ref mut limited, .. } => {
                (*dupacks, *limited) = (0, 0);
            }
        }
        core.restart_rto(now);
        LossVerdict { newly_lost: 0, growth: Growth::Covered }
    }

    /// True if NewReno's fast recovery will go on after this ACK.
    fn is_partial(&self, ack: &AckSegment) -> bool {
        matches!(self.state, ClassicState::Recovery { .. })
            && self.variant == Recovery::NewReno
            && self.recover.is_some_and(|recover| ack.ack < recover)
    }

    /// RFC 6582 section 3.2 step 3, partial acknowledgment: retransmit the next hole, deflate by
    /// what left the network, and add back the one segment that takes its place. Answers how many
    /// segments it shows to be lost.
    fn on_partial_ack(&mut self, core: &mut Core, now: Instant, newly: u64) -> u64 {
        let ClassicState::Recovery { inflation, retransmit, seen_partial, .. } = &mut self.state
        else {
            return 0;
        };
        let newly = i64::try_from(newly).unwrap_or(i64::MAX);
        let excess = u64::try_from(newly - *inflation).unwrap_or(0);
        if excess > 0 && core.config().has_ns2_habits() {
            core.deflate_cwnd(excess);
            *inflation = 1;
        } else {
            *inflation += 1 - newly;
        }
        if core.is_closed_by_mark() {
            // `NewRenoTcpAgent::partialnewack` leaves one segment at least, whatever the excess.
            core.deflate_cwnd(0);
        }
        if !core.config().impatient || !*seen_partial {
            core.restart_rto(now);
        }
        *seen_partial = true;
        core.lose(core.snd_una());
        u64::from(!core::mem::replace(retransmit, true))
    }

    /// Fast recovery ends. A paced copy that still waits has become needless. A timeout's repair that
    /// it interrupted goes on.
    fn leave(&mut self, core: &mut Core, now: Instant) {
        self.state = match self.state {
            ClassicState::Recovery { snd_nxt: Some(snd_nxt), .. } if snd_nxt < core.snd_max() => {
                ClassicState::Loss { snd_nxt, dupacks: 0, limited: 0 }
            }
            _ => ClassicState::OPEN,
        };
        core.recovered(now);
        core.restart_rto(now);
    }

    // --- Duplicate ACKs.

    /// Answers how many segments it shows to be lost.
    fn on_duplicate(&mut self, core: &mut Core, now: Instant) -> u64 {
        let careful = self.is_careful(core);
        match &mut self.state {
            // Each duplicate says that one more segment has left the network (RFC 5681, 3.2 (4)).
            ClassicState::Recovery { inflation, .. } => *inflation += 1,
            ClassicState::Open { dupacks } => {
                *dupacks += 1;
                let beyond = self.recover.is_none_or(|r| core.snd_una() > r);
                if *dupacks == DUP_THRESH && (beyond || !careful) {
                    return self.fast_retransmit(core, now, None);
                }
            }
            &mut ClassicState::Loss { snd_nxt, ref mut dupacks, ref mut limited } => {
                *dupacks = dupacks.saturating_add(1);
                let one_more = (snd_nxt + 1 - core.snd_una()).saturating_sub(core.cwnd());
                let few = *dupacks < DUP_THRESH && core.config().limited_transmit;
                let lets_out = few && core.config().has_ns2_habits();
                *limited = if lets_out && one_more <= u64::from(*dupacks) { one_more } else { 0 };
                let allowed = !careful || core.recovery_of_mark().is_some();
                if *dupacks == DUP_THRESH && allowed {
                    return self.fast_retransmit(core, now, Some(snd_nxt));
                }
            }
        }
        0
    }

    /// True if duplicates of what an earlier reduction covered are no new signal.
    fn is_careful(&self, core: &Core) -> bool {
        core.config().careful || self.variant == Recovery::NewReno
    }

    /// Fast retransmit (RFC 5681 section 3.2 (2), (3)), during a timeout's repair up to `snd_nxt` if
    /// there is one: then the segment has counted as lost before.
    fn fast_retransmit(&mut self, core: &mut Core, now: Instant, snd_nxt: Option<u64>) -> u64 {
        core.lose(core.snd_una());
        self.recover = Some(core.recovery_of_mark().unwrap_or(core.snd_max()));
        core.begin_recovery(now, Signal::DuplicateAcks(DUP_THRESH));
        core.restart_rto(now);
        if self.variant == Recovery::Tahoe {
            core.lose_window(Segments::ONE);
            // The duplicates that follow are no third one.
            self.state =
                ClassicState::Loss { snd_nxt: core.snd_una(), dupacks: DUP_THRESH, limited: 0 };
            return 0;
        }
        self.state = ClassicState::Recovery {
            inflation: i64::from(DUP_THRESH),
            retransmit: true,
            seen_partial: false,
            snd_nxt,
        };
        u64::from(snd_nxt.is_none())
    }

    /// Counting begins anew with a timeout. ns-2's Tahoe goes on (`RenoTcpAgent::timeout` clears `dupacks_`,
    /// and `TcpAgent::timeout` does not).
    fn dupacks_after_timeout(&self, core: &Core) -> u32 {
        match self.state {
            ClassicState::Open { dupacks } | ClassicState::Loss { dupacks, .. }
                if core.config().has_ns2_habits() && self.variant == Recovery::Tahoe =>
            {
                dupacks
            }
            _ => 0,
        }
    }

    // --- Sending.

    /// How many segments from `snd_una` on may be outstanding.
    #[inline]
    fn usable(&self, core: &Core) -> u64 {
        let extra = match self.state {
            ClassicState::Recovery { inflation, .. } => inflation,
            // Limited transmit (RFC 3042): the first two duplicates let a new segment out each.
            ClassicState::Open { dupacks }
                if core.config().limited_transmit && dupacks < DUP_THRESH =>
            {
                i64::from(dupacks)
            }
            ClassicState::Open { .. } => 0,
            ClassicState::Loss { limited, .. } => i64::try_from(limited).unwrap_or(0),
        };
        core.window().cwnd.whole().saturating_add_signed(extra).max(core.least_cwnd())
    }

    /// The next segment to send, but for a fast retransmit.
    #[inline]
    fn snd_nxt(&self, core: &Core) -> u64 {
        match self.state {
            ClassicState::Loss { snd_nxt, .. }
            | ClassicState::Recovery { snd_nxt: Some(snd_nxt), .. } => snd_nxt,
            ClassicState::Open { .. } | ClassicState::Recovery { snd_nxt: None, .. } => {
                core.snd_max()
            }
        }
    }

    /// The next segment to send, and how many the window lets leave from there on.
    #[inline]
    fn position(&self, core: &Core) -> (u64, u64) {
        let snd_nxt = self.snd_nxt(core);
        (snd_nxt, (core.snd_una() + self.usable(core)).saturating_sub(snd_nxt))
    }

    fn choose(&self, core: &Core) -> Option<NextSend> {
        if matches!(self.state, ClassicState::Recovery { retransmit: true, .. }) {
            return Some(NextSend::Retransmission(core.snd_una()));
        }
        match self.position(core) {
            (_, 0) => None,
            (snd_nxt, _) if snd_nxt < core.snd_max() => Some(NextSend::Retransmission(snd_nxt)),
            (_, room) => core.has_new().then_some(NextSend::New(room)),
        }
    }
}

impl LossRecovery for Classic {
    type Evidence = ();

    fn absorb(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<()>> {
        let newly = ack.ack.checked_sub(core.snd_una())?;
        let rtt = if self.is_partial(ack) {
            core.take_partial_rtt(now, ack)
        } else {
            core.take_rtt(now, ack)
        };
        if newly > 0 {
            self.deliver(core, now, newly);
        } else if core.outstanding() > 0 {
            self.deliver_one(core, now);
        }
        core.advance(newly);
        if let ClassicState::Loss { snd_nxt, .. }
        | ClassicState::Recovery { snd_nxt: Some(snd_nxt), .. } = &mut self.state
        {
            *snd_nxt = ack.ack.max(*snd_nxt);
        }
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
        self.on_new_ack(core, now, absorbed.newly)
    }

    fn enter_recovery_if_needed(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &ProcessedAck<()>,
    ) -> u64 {
        let duplicate = absorbed.newly == 0 && core.outstanding() > 0;
        if duplicate { self.on_duplicate(core, now) } else { 0 }
    }

    #[inline]
    fn is_open_without_dupacks(&self) -> bool {
        self.dupack_credit == 0 && matches!(self.state, ClassicState::OPEN)
    }

    fn phase(&self) -> Phase {
        match self.state {
            ClassicState::Open { .. } => Phase::Open,
            ClassicState::Recovery { .. } => Phase::Recovery,
            ClassicState::Loss { .. } => Phase::Loss,
        }
    }

    /// Segments that left, less those that have left the network as duplicates tell.
    #[inline]
    fn in_flight(&self, core: &Core) -> u64 {
        match self.state {
            ClassicState::Open { dupacks } => core.outstanding().saturating_sub(dupacks.into()),
            // After a timeout counting began anew at the first unacknowledged segment.
            ClassicState::Recovery { inflation, .. } => (self.snd_nxt(core) - core.snd_una())
                .saturating_sub(u64::try_from(inflation).unwrap_or(0)),
            ClassicState::Loss { snd_nxt, .. } => snd_nxt - core.snd_una(),
        }
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        core.lose(core.snd_una());
        core.reduce_for_timeout(now);
        self.recover = Some(core.snd_max());
        let dupacks = self.dupacks_after_timeout(core);
        self.state = ClassicState::Loss { snd_nxt: core.snd_una(), dupacks, limited: 0 };
        core.on_timeout(now);
    }

    #[inline]
    fn sendable_now(&self, core: &Core) -> Option<u64> {
        matches!(self.state, ClassicState::Open { .. }).then(|| self.position(core).1)
    }

    fn next(&mut self, core: &mut Core, _: Instant) -> Option<NextSend> {
        self.choose(core)
    }

    fn has_next(&self, core: &Core) -> bool {
        self.choose(core).is_some()
    }

    fn sent(&mut self, _: &mut Core, _: Instant, burst: &Burst) {
        match &mut self.state {
            ClassicState::Recovery { retransmit, snd_nxt, .. } => {
                *retransmit = false;
                if let Some(snd_nxt) = snd_nxt {
                    *snd_nxt = (*snd_nxt).max(burst.segment.seq + burst.count);
                }
            }
            ClassicState::Loss { snd_nxt, .. } => *snd_nxt = burst.segment.seq + burst.count,
            ClassicState::Open { .. } => {}
        }
    }
}
