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
//! | `recover_` | `recovery_point`, one more |
//! | `scb_->GetNextRetran()` | `Scoreboard::next_copy` below what is reported |
//! | `dupacks_` | `dupacks`: those that report news |
//!
//! Differs from ns-2: after a fast retransmit cwnd is at least two segments (RFC 5681 equation (4)), where
//! ns-2 halves a window of three to one and a half.
//!
//! A timeout forgets the scoreboard (RFC 2018 section 8: the receiver might have reneged), and until all
//! sent before it is acknowledged nothing is learned: everything is sent again.

use westwood_cc::Instant;
use westwood_cc::controller::Phase;

use super::scoreboard::Scoreboard;
use super::{DUP_THRESH, LossRecovery};
use crate::segment::AckSegment;
use crate::sender::{Core, Sign};

/// Fall and Floyd's SACK.
#[derive(Clone, Debug)]
pub(crate) struct Sack1996 {
    board: Scoreboard,
    phase: Phase,
    /// A repair ends when all below is acknowledged. Stays after a timeout's.
    recovery_point: u64,
    /// Segments in flight, as ACKs are counted.
    pipe: u64,
    /// Duplicate ACKs with news since the cumulative acknowledgment last moved.
    dupacks: u32,
    /// The first copy of a recovery leaves whatever pipe says, and does not count.
    retransmit: bool,
}

impl Default for Sack1996 {
    fn default() -> Self {
        Self {
            board: Scoreboard::default(),
            phase: Phase::Open,
            recovery_point: 0,
            pipe: 0,
            dupacks: 0,
            retransmit: false,
        }
    }
}

impl Sack1996 {
    /// The cumulative acknowledgment has moved. True if the window may grow.
    fn on_new_ack(&mut self, core: &mut Core, now: Instant) -> bool {
        core.restart_rto(now);
        self.dupacks = 0;
        let was = self.phase;
        if was == Phase::Open {
            return true;
        }
        if core.snd_una >= self.recovery_point {
            self.phase = Phase::Open;
            if was == Phase::Recovery {
                self.retransmit = false;
                // Only what a timeout repaired must be passed before the next recovery.
                self.recovery_point = 0;
                core.recovered(now);
            }
        } else {
            self.pipe = self.pipe.saturating_sub(1);
        }
        was != Phase::Recovery
    }

    /// Nothing moved, but news came: after three of these the first hole is lost, unless it belongs to
    /// what a timeout repaired.
    fn on_news(&mut self, core: &mut Core, now: Instant) {
        self.dupacks = self.dupacks.saturating_add(1);
        let repaired = self.recovery_point > 0 && core.snd_una <= self.recovery_point;
        if self.phase != Phase::Open || self.dupacks != DUP_THRESH || repaired {
            return;
        }
        core.reduce_for_loss(now, Sign::Sack);
        core.counts.fast_recoveries += 1;
        self.phase = Phase::Recovery;
        self.recovery_point = core.snd_max;
        self.pipe = core.outstanding().saturating_sub(u64::from(DUP_THRESH));
        self.retransmit = true;
        core.restart_rto(now);
    }

    /// The next hole below what was reported, else new data.
    fn next(&self, core: &Core) -> Option<u64> {
        let cwnd = core.window.cwnd.whole().max(1);
        let new = core.has_new().then_some(core.snd_max);
        match self.phase {
            Phase::Open => new.filter(|_| core.outstanding() < cwnd + self.limited(core)),
            Phase::Recovery if self.retransmit => Some(core.snd_una),
            Phase::Recovery if self.pipe >= cwnd => None,
            Phase::Recovery => {
                let hole = self.board.next_copy(core);
                hole.filter(|&seq| self.board.is_below_sacked(seq)).or(new)
            }
            Phase::Loss => {
                // What is sent for the first time now is not part of the repair.
                let old = self.board.next_copy(core).filter(|&seq| seq < self.recovery_point);
                old.or(new).filter(|&seq| seq < core.snd_una + cwnd)
            }
        }
    }

    /// Limited transmit (RFC 3042): one new segment for each of the first two duplicates.
    fn limited(&self, core: &Core) -> u64 {
        if core.config.limited_transmit { u64::from(self.dupacks.min(2)) } else { 0 }
    }
}

impl LossRecovery for Sack1996 {
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        let prior_in_flight = self.in_flight(core);
        core.flight.begin_sample(prior_in_flight);
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack.saturating_sub(core.snd_una);
        self.board.advance(core, now, core.snd_una + newly);
        core.snd_nxt = core.snd_max;
        let before = self.board.reported();
        if self.phase != Phase::Loss {
            self.board.absorb(core, now, &ack.sack);
        }
        let news = self.board.reported() > before;
        core.measure(now, newly, rtt, self.in_flight(core));
        if ack.ece && self.phase == Phase::Open {
            core.on_ecn_echo(now);
        }
        let newly_lost = self.board.judge(core, DUP_THRESH);
        if self.phase == Phase::Recovery {
            self.pipe = self.pipe.saturating_sub(1);
        }
        if newly > 0 {
            let held_back = core.is_echo(ack) && self.phase == Phase::Open;
            if self.on_new_ack(core, now) && !held_back {
                core.grow(now, newly, prior_in_flight);
            }
        } else if news {
            self.on_news(core, now);
        }
        core.steer(now, self.in_flight(core), newly_lost, self.phase);
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        core.reduce_for_timeout(now);
        self.board.forget();
        self.board.mark_all_lost(core);
        self.recovery_point = core.snd_max;
        self.phase = Phase::Loss;
        self.retransmit = false;
        self.dupacks = 0;
        core.back_off(now);
    }

    fn on_deadline(&mut self, _: &mut Core, _: Instant) {}

    fn deadline(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    fn next_segment(&mut self, core: &mut Core, _: Instant) -> Option<u64> {
        let seq = self.next(core)?;
        if seq < core.snd_max {
            self.board.repair(core, seq);
        }
        if self.retransmit {
            self.retransmit = false;
        } else if self.phase == Phase::Recovery {
            self.pipe += 1;
        }
        Some(seq)
    }

    fn has_segment(&self, core: &Core) -> bool {
        self.next(core).is_some()
    }

    fn sent(&mut self, _: &mut Core, _: u64, _: Instant) {}

    fn in_flight(&self, core: &Core) -> u64 {
        self.board.pipe(core)
    }

    fn in_recovery(&self) -> bool {
        self.phase != Phase::Open
    }
}
