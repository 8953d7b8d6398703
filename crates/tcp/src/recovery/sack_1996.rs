//! Recovery from selective acknowledgments before RFC 6675: SACK as Fall and Floyd simulated it.
//!
//! K. Fall, S. Floyd, "Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", CCR 26(3), 1996,
//! section 4; the details are those of ns-2.35's `Agent/TCP/Sack1`, which is their code.
//!
//! `pipe` is not recomputed from the scoreboard. It is what was outstanding when recovery began; each
//! ACK takes one segment off it, a partial one two, and each segment sent adds one. So a loss counts as
//! in flight until it is repaired, and with half a window lost hardly a copy leaves before the timer.
//!
//! | ns-2 | here |
//! |---|---|
//! | `pipe_` | `pipe` |
//! | `recover_` | `point`, `recover`: one more |
//! | `scb_->GetNextRetran()` | `Scoreboard::next_retransmission` below what is reported |
//! | `dupacks_` | `dupacks`: those that report news |
//!
//! A timeout forgets the scoreboard (RFC 2018 section 8: the receiver might have reneged), and until all sent
//! before it is acknowledged nothing is learned: everything is sent again. With ns-2's habits, from the first
//! ACK of new data on, the first two duplicates with news let an old segment out each.

use westwood_cc::Instant;
use westwood_cc::controller::Phase;

use super::scoreboard::Scoreboard;
use super::{DUP_THRESH, LossRecovery};
use crate::ranges::SeqRange;
use crate::segment::AckSegment;
use crate::sender::{Burst, Core, Growth, LossVerdict, NextSend, ProcessedAck, Signal};

/// Fall and Floyd's SACK.
#[derive(Clone, Debug)]
pub(crate) struct Sack1996 {
    board: Scoreboard,
    state: Sack1996State,
    /// `snd_max` at the last timeout, until the next fast recovery has ended: one begins only beyond.
    recover: Option<u64>,
}

/// The state of the repair, which ends when all below `point` is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sack1996State {
    /// Nothing is being repaired.
    Open {
        /// Duplicate ACKs with news since the cumulative acknowledgment last moved.
        dupacks: u32,
    },
    /// Fast recovery.
    Recovery {
        point: u64,
        /// Segments in flight, as ACKs are counted.
        pipe: u64,
        /// The first copy leaves whatever pipe says, and does not count.
        retransmit: bool,
    },
    /// After a timeout.
    Loss {
        point: u64,
        /// Duplicate ACKs with news since the cumulative acknowledgment last moved; none before it has.
        dupacks: Option<u32>,
        /// Segments that the last ACK reported; nothing is remembered of which.
        reported: u64,
    },
}

impl Sack1996State {
    const OPEN: Self = Self::Open { dupacks: 0 };
}

impl Default for Sack1996 {
    fn default() -> Self {
        Self { board: Scoreboard::default(), state: Sack1996State::OPEN, recover: None }
    }
}

impl Sack1996 {
    /// The cumulative acknowledgment has moved. True if the window may grow.
    fn on_new_ack(&mut self, core: &mut Core, now: Instant) -> bool {
        core.restart_rto(now);
        match &mut self.state {
            Sack1996State::Open { dupacks } => *dupacks = 0,
            Sack1996State::Recovery { point, .. } if core.snd_una() >= *point => {
                self.state = Sack1996State::OPEN;
                self.recover = None;
                core.recovered(now);
                core.forget_reduction();
                return false;
            }
            Sack1996State::Recovery { pipe, .. } => {
                *pipe = pipe.saturating_sub(1);
                return false;
            }
            Sack1996State::Loss { point, .. } if core.snd_una() >= *point => {
                self.state = Sack1996State::OPEN;
            }
            Sack1996State::Loss { dupacks, reported, .. } => (*dupacks, *reported) = (Some(0), 0),
        }
        true
    }

    /// Nothing moved, but news came: after three of these the first hole is lost, unless it belongs to
    /// a timeout's repair.
    fn on_news(&mut self, core: &mut Core, now: Instant) {
        let Sack1996State::Open { dupacks } = &mut self.state else { return };
        *dupacks = dupacks.saturating_add(1);
        if *dupacks != DUP_THRESH || self.recover.is_some_and(|point| core.snd_una() <= point) {
            return;
        }
        let point = core.recovery_of_mark().unwrap_or(core.snd_max());
        core.begin_recovery(now, Signal::Sack);
        core.restart_rto(now);
        let pipe = core.outstanding().saturating_sub(u64::from(DUP_THRESH));
        self.state = Sack1996State::Recovery { point, pipe, retransmit: true };
    }

    /// The next hole below what was reported, else new data.
    fn choose(&self, core: &Core) -> Option<NextSend> {
        let new = |room: u64| (room > 0 && core.has_new()).then_some(NextSend::New(room));
        let hole = self.board.next_retransmission(core);
        match self.state {
            Sack1996State::Open { .. } => new(self.sendable_now(core).unwrap_or_default()),
            Sack1996State::Recovery { retransmit: true, .. } => {
                Some(NextSend::Retransmission(core.snd_una()))
            }
            Sack1996State::Recovery { pipe, .. } => {
                let room = core.cwnd().checked_sub(pipe).filter(|&room| room > 0)?;
                let hole = hole.filter(|&seq| self.board.is_below_sacked(seq));
                hole.map(NextSend::Retransmission).or_else(|| new(room))
            }
            Sack1996State::Loss { point, dupacks, .. } => {
                let limited = dupacks.map_or(0, |n| limited_transmit(core, n));
                let end = core.snd_una() + core.cwnd() + limited;
                // A segment that is sent for the first time now is not part of the repair.
                match hole.filter(|&seq| seq < point) {
                    Some(seq) => (seq < end).then_some(NextSend::Retransmission(seq)),
                    None => new(end.saturating_sub(core.snd_max())),
                }
            }
        }
    }
}

impl LossRecovery for Sack1996 {
    /// True if a segment was reported for the first time.
    type Evidence = bool;

    fn absorb(
        &mut self,
        core: &mut Core,
        now: Instant,
        ack: &AckSegment,
    ) -> Option<ProcessedAck<bool>> {
        let rtt = match self.state {
            Sack1996State::Recovery { point, .. } if ack.ack < point => {
                core.take_partial_rtt(now, ack)
            }
            _ => core.take_rtt(now, ack),
        };
        let newly = ack.ack.saturating_sub(core.snd_una());
        if newly > 0 {
            self.board.advance(core, now, newly);
        }
        let before = self.board.reported();
        let evidence = if let Sack1996State::Loss { dupacks, reported, .. } = &mut self.state {
            let before =
                core::mem::replace(reported, ack.options.blocks().map(SeqRange::len).sum());
            if core.config().has_ns2_habits() && newly == 0 && *reported > before {
                *dupacks = dupacks.map(|n| n.saturating_add(1));
            }
            false
        } else {
            self.board.absorb(core, now, &ack.options);
            self.board.reported() > before
        };
        Some(ProcessedAck { newly, rtt, measured: true, evidence })
    }

    fn detect_losses(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &mut ProcessedAck<bool>,
    ) -> LossVerdict {
        let newly_lost = self.board.judge(core, DUP_THRESH);
        if let Sack1996State::Recovery { pipe, .. } = &mut self.state {
            *pipe = pipe.saturating_sub(1);
        }
        let grows = absorbed.newly > 0 && self.on_new_ack(core, now);
        LossVerdict { newly_lost, growth: Growth::covered_if(grows) }
    }

    fn enter_recovery_if_needed(
        &mut self,
        core: &mut Core,
        now: Instant,
        absorbed: &ProcessedAck<bool>,
    ) -> u64 {
        if absorbed.newly == 0 && absorbed.evidence {
            self.on_news(core, now);
        }
        0
    }

    #[inline]
    fn is_open_without_dupacks(&self) -> bool {
        matches!(self.state, Sack1996State::OPEN)
    }

    fn phase(&self) -> Phase {
        match self.state {
            Sack1996State::Open { .. } => Phase::Open,
            Sack1996State::Recovery { .. } => Phase::Recovery,
            Sack1996State::Loss { .. } => Phase::Loss,
        }
    }

    #[inline]
    fn in_flight(&self, core: &Core) -> u64 {
        self.board.pipe(core)
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        self.board.forget();
        self.board.mark_all_lost(core);
        core.reduce_for_timeout(now);
        self.state = Sack1996State::Loss { point: core.snd_max(), dupacks: None, reported: 0 };
        self.recover = Some(core.snd_max());
        core.on_timeout(now);
    }

    /// With limited transmit (RFC 3042) one segment more for each of the first two duplicates.
    #[inline]
    fn sendable_now(&self, core: &Core) -> Option<u64> {
        let Sack1996State::Open { dupacks } = self.state else { return None };
        Some(
            (core.cwnd() + limited_transmit(core, dupacks.min(2)))
                .saturating_sub(core.outstanding()),
        )
    }

    fn next(&mut self, core: &mut Core, _: Instant) -> Option<NextSend> {
        self.choose(core)
    }

    fn has_next(&self, core: &Core) -> bool {
        self.choose(core).is_some()
    }

    fn sent(&mut self, core: &mut Core, _: Instant, burst: &Burst) {
        if burst.segment.retransmission {
            self.board.retransmit(core, burst.segment.seq);
        }
        if let Sack1996State::Recovery { pipe, retransmit, .. } = &mut self.state
            && !core::mem::take(retransmit)
        {
            *pipe += burst.count;
        }
    }
}

/// Segments beyond the window that the first two duplicates let out (RFC 3042).
fn limited_transmit(core: &Core, dupacks: u32) -> u64 {
    if core.config().limited_transmit && dupacks < DUP_THRESH { u64::from(dupacks) } else { 0 }
}
