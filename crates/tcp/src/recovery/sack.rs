//! Recovery from selective acknowledgments: RFC 6675.
//!
//! The scoreboard knows which segments have left the network, and `pipe` estimates how many have not. A
//! segment may leave whenever `pipe` is below cwnd: first lost ones, then new data, then doubtful ones.
//!
//! Choices where the RFC leaves one, and departures from its letter:
//! * Segments are counted, not bytes. Each duplicate ACK reports at least one more segment, so that
//!   `DupAcks >= DupThresh` (section 5, (1)) implies `IsLost(HighACK + 1)` (2), and (2) alone is kept.
//! * Recovery is considered at every ACK, not at duplicates only: when one loss window ends with the
//!   next hole already shown, waiting for one more duplicate could mean waiting for the timer.
//! * A hole above the recovery point that was repaired on the way is not sent once more when its own
//!   recovery begins (section 5, (4.3) would).
//! * The rescue copy (section 4, rule 4) is of the last segment, and only if no copy of it is under
//!   way: the letter would also repeat the copy of a hole that has just been sent.
//! * The retransmission timer starts anew when recovery begins (section 6 gives latitude).
//! * The scoreboard survives a timeout (section 5.1 allows it: receivers here never renege).
//! * An ACK that was overtaken by a later one still brings its SACK blocks.

use westwood_cc::Instant;
use westwood_cc::controller::Phase;

use super::scoreboard::Scoreboard;
use super::{DUP_THRESH, LossRecovery};
use crate::segment::AckSegment;
use crate::sender::{Burst, Core, Growth, LossVerdict, NextSend, ProcessedAck, Signal};

/// RFC 6675.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sack {
    board: Scoreboard,
    state: SackState,
}

/// The state of the repair. `point` is `RecoveryPoint`: the repair ends when all below is
/// acknowledged.
#[derive(Clone, Copy, Debug, Default)]
enum SackState {
    /// Nothing is being repaired.
    #[default]
    Open,
    /// Fast recovery.
    Recovery {
        point: u64,
        /// Its first copy leaves whatever pipe says (section 5, (4.3)).
        retransmit: bool,
        /// `RescueRxt`: the last-resort copy has been sent (section 4, rule 4).
        rescued: bool,
    },
    /// After a timeout.
    Loss { point: u64 },
}

/// The answer of `NextSeg()` (section 4).
#[derive(Clone, Copy, Debug)]
enum NextSeg {
    /// A copy of this segment: rules 1 and 3.
    Retransmission(u64),
    /// New segments: rule 2.
    New,
    /// A last-resort copy of the last segment: rule 4.
    Rescue(u64),
}

impl Sack {
    /// The cumulative acknowledgment has moved. True if the window may grow.
    fn on_new_ack(&mut self, core: &mut Core, now: Instant) -> bool {
        core.restart_rto(now);
        match self.state {
            SackState::Open => true,
            SackState::Recovery { point, .. } => {
                if core.snd_una() >= point {
                    self.state = SackState::Open;
                    core.recovered(now);
                }
                false
            }
            SackState::Loss { point } => {
                if core.snd_una() >= point {
                    self.state = SackState::Open;
                }
                true
            }
        }
    }

    /// Fast recovery begins (section 5, (4)).
    fn begin_recovery(&mut self, core: &mut Core, now: Instant) {
        core.begin_recovery(now, Signal::Sack);
        core.restart_rto(now);
        self.state = SackState::Recovery {
            point: core.snd_max(),
            retransmit: self.board.next_retransmission(core) == Some(core.snd_una()),
            rescued: false,
        };
    }

    /// Segments that count against the window. Before recovery a SACK makes room for new data: limited
    /// transmit (section 5, (3)).
    #[inline]
    fn occupied(&self, core: &Core) -> u64 {
        match self.state {
            SackState::Open if !core.config().limited_transmit => core.outstanding(),
            _ => self.board.pipe(core),
        }
    }

    /// How many segments the window lets leave.
    #[inline]
    fn space(&self, core: &Core) -> u64 {
        core.cwnd().saturating_sub(self.occupied(core))
    }

    /// True if a copy leaves whatever pipe says.
    #[inline]
    fn must_retransmit(&self) -> bool {
        matches!(self.state, SackState::Recovery { retransmit: true, .. })
    }

    /// `NextSeg()`, section 4: rules 1 to 4 in turn.
    #[inline]
    fn next_seg(&self, core: &Core) -> Option<NextSeg> {
        if self.must_retransmit() {
            return Some(NextSeg::Retransmission(core.snd_una()));
        }
        if self.space(core) == 0 {
            return None;
        }
        // Usually every lost segment has been sent again.
        if self.board.is_lost(self.board.retransmit_from(core))
            && let Some(seq) =
                self.board.next_retransmission(core).filter(|&seq| self.board.is_lost(seq))
        {
            return Some(NextSeg::Retransmission(seq));
        }
        if core.has_new() {
            return Some(NextSeg::New);
        }
        let SackState::Recovery { rescued, .. } = self.state else { return None };
        match self.board.next_retransmission(core)? {
            seq if self.board.is_below_sacked(seq) => Some(NextSeg::Retransmission(seq)),
            _ if !rescued => Some(NextSeg::Rescue(core.snd_max() - 1)),
            _ => None,
        }
    }

    /// Chooses the segments that leave next in a repair, and notes that they will.
    #[inline]
    fn next_of_repair(&mut self, core: &mut Core) -> Option<NextSend> {
        match self.next_seg(core)? {
            NextSeg::Retransmission(seq) => {
                if let SackState::Recovery { retransmit, .. } = &mut self.state {
                    *retransmit = false;
                }
                self.board.retransmit(core, seq);
                Some(NextSend::Retransmission(seq))
            }
            NextSeg::New => {
                self.board.skip_reported(core);
                Some(NextSend::New(self.space(core)))
            }
            // HighRxt stays (section 4, rule 4).
            NextSeg::Rescue(seq) => {
                if let SackState::Recovery { rescued, .. } = &mut self.state {
                    *rescued = true;
                }
                Some(NextSend::Retransmission(seq))
            }
        }
    }

    /// New data, if the window lets some leave.
    #[inline]
    fn next_new(&self, core: &Core) -> Option<NextSend> {
        let space = self.space(core);
        (space > 0 && core.has_new()).then_some(NextSend::New(space))
    }
}

impl LossRecovery for Sack {
    type Evidence = ();

    fn absorb(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<()>> {
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack.saturating_sub(core.snd_una());
        // In a repair most ACKs do not advance it.
        if newly > 0 {
            self.board.advance(core, now, newly);
        }
        self.board.absorb(core, now, &ack.options);
        Some(ProcessedAck { newly, rtt, measured: true, evidence: () })
    }

    fn detect_losses(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &mut ProcessedAck<()>,
    ) -> LossVerdict {
        let newly_lost = self.board.judge(core, DUP_THRESH);
        let grows = absorbed.newly > 0 && self.on_new_ack(core, now);
        LossVerdict { newly_lost, growth: Growth::covered_if(grows) }
    }

    /// Section 5, (2) and (4): `IsLost(HighACK + 1)`. A loss that a timeout already repairs is
    /// no new signal of congestion (section 5.1).
    fn enter_recovery_if_needed(
        &mut self,
        core: &mut Core,
        now: Instant,
        _: &ProcessedAck<()>,
    ) -> u64 {
        if matches!(self.state, SackState::Open) && self.board.is_lost(core.snd_una()) {
            self.begin_recovery(core, now);
        }
        0
    }

    #[inline]
    fn is_open_without_dupacks(&self) -> bool {
        matches!(self.state, SackState::Open)
    }

    fn phase(&self) -> Phase {
        match self.state {
            SackState::Open => Phase::Open,
            SackState::Recovery { .. } => Phase::Recovery,
            SackState::Loss { .. } => Phase::Loss,
        }
    }

    #[inline]
    fn in_flight(&self, core: &Core) -> u64 {
        self.board.pipe(core)
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        self.board.mark_all_lost(core);
        core.reduce_for_timeout(now);
        self.state = SackState::Loss { point: core.snd_max() };
        core.on_timeout(now);
    }

    #[inline]
    fn sendable_now(&self, core: &Core) -> Option<u64> {
        matches!(self.state, SackState::Open).then(|| self.space(core))
    }

    #[inline]
    fn next(&mut self, core: &mut Core, _: Instant) -> Option<NextSend> {
        match self.state {
            SackState::Open => self.next_new(core),
            SackState::Recovery { .. } | SackState::Loss { .. } => self.next_of_repair(core),
        }
    }

    fn has_next(&self, core: &Core) -> bool {
        match self.state {
            SackState::Open => self.next_new(core).is_some(),
            SackState::Recovery { .. } | SackState::Loss { .. } => self.next_seg(core).is_some(),
        }
    }

    /// In a repair copies may follow as long as pipe has room: rules 3 and 4.
    #[inline]
    fn is_last(&self, core: &Core, burst: &Burst) -> bool {
        let is_last = match self.state {
            SackState::Open => burst.is_last,
            SackState::Recovery { .. } | SackState::Loss { .. } => {
                !self.must_retransmit() && self.space(core) == 0
            }
        };
        core.sends_by_window_alone() && is_last
    }
}
