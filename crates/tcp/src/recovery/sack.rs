//! Recovery from selective acknowledgments: RFC 6675.
//!
//! The scoreboard says what has left the network; `pipe` estimates what has not; and a segment may
//! leave whenever `pipe` is below cwnd: first what is lost, then new data, then what might be lost.
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
use crate::sender::{Burst, Core, New, Sign};

/// RFC 6675.
#[derive(Clone, Debug)]
pub(crate) struct Sack {
    board: Scoreboard,
    phase: Phase,
    /// `RecoveryPoint`: recovery ends when all below is acknowledged.
    recovery_point: u64,
    /// Only in recovery: its first copy leaves whatever pipe says (section 5, (4.3)).
    retransmit: bool,
    /// `RescueRxt`: the last-resort copy of this recovery has been sent (section 4, rule 4).
    rescued: bool,
}

/// What leaves next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A copy of this segment.
    Copy(u64),
    /// The next new segment.
    New,
    /// A last-resort copy of the last segment.
    Rescue(u64),
}

impl Default for Sack {
    fn default() -> Self {
        Self {
            board: Scoreboard::default(),
            phase: Phase::Open,
            recovery_point: 0,
            retransmit: false,
            rescued: false,
        }
    }
}

impl Sack {
    /// What [`on_ack`](LossRecovery::on_ack) does, for every ACK.
    #[inline(never)]
    fn on_any_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        let prior_in_flight = self.in_flight(core);
        core.flight.begin_sample(prior_in_flight);
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack.saturating_sub(core.snd_una);
        self.board.advance(core, now, core.snd_una + newly);
        core.snd_nxt = core.snd_max;
        self.board.absorb(core, now, &ack.sack);
        core.measure(now, newly, rtt, self.in_flight(core));
        if ack.ece && self.phase == Phase::Open {
            core.on_ecn_echo(now);
        }
        let newly_lost = self.board.judge(core, DUP_THRESH);
        if newly > 0 {
            // In the repair after a timeout the window starts from one segment, and an echo is of a
            // mark from before.
            let held_back = core.is_echo(ack) && self.phase == Phase::Open;
            if self.on_new_ack(core, now) && !held_back {
                core.grow(now, newly, prior_in_flight);
            }
        }
        self.consider_entering(core, now);
        core.steer(now, self.in_flight(core), newly_lost, self.phase);
    }

    /// True if an ACK moves the window on and nothing else is the case: no hole is known, and none is
    /// reported.
    #[inline]
    fn is_plain(&self, core: &Core, ack: &AckSegment) -> bool {
        self.phase == Phase::Open
            && core.flight.is_plain()
            && ack.ack > core.snd_una
            && ack.sack.is_empty()
            && !ack.ece
    }

    /// The cumulative acknowledgment has moved. True if the window may grow.
    fn on_new_ack(&mut self, core: &mut Core, now: Instant) -> bool {
        core.restart_rto(now);
        let was = self.phase;
        if core.snd_una >= self.recovery_point && was != Phase::Open {
            self.phase = Phase::Open;
            self.retransmit = false;
            if was == Phase::Recovery {
                core.recovered(now);
            }
        }
        was != Phase::Recovery
    }

    /// Section 5, (2) and (4): `IsLost(HighACK + 1)`. What a timeout already repairs is not a new
    /// sign of congestion (section 5.1).
    fn consider_entering(&mut self, core: &mut Core, now: Instant) {
        if self.phase != Phase::Open || !self.board.is_lost(core.snd_una) {
            return;
        }
        core.reduce_for_loss(now, Sign::Sack);
        core.counts.fast_recoveries += 1;
        self.phase = Phase::Recovery;
        self.recovery_point = core.snd_max;
        self.retransmit = self.board.next_copy(core) == Some(core.snd_una);
        self.rescued = false;
        core.restart_rto(now);
    }

    /// New segments that leave at once, if nothing is to be repaired.
    #[expect(clippy::inline_always, reason = "to hand over its answer would be half of it")]
    #[inline(always)]
    pub(super) fn send_new(&mut self, core: &mut Core, now: Instant) -> New {
        if self.phase != Phase::Open {
            return New::Ask;
        }
        let room = core.window.cwnd.whole().max(1).saturating_sub(self.occupied(core));
        core.send_new(now, room, self.in_flight(core))
    }

    /// What counts against the window. Before recovery what SACK reports makes room for new data, which
    /// is limited transmit (section 5, (3)).
    #[inline]
    fn occupied(&self, core: &Core) -> u64 {
        if self.phase == Phase::Open && !core.config.limited_transmit {
            core.outstanding()
        } else {
            self.board.pipe(core)
        }
    }

    /// True if pipe has room.
    #[inline]
    fn has_room(&self, core: &Core) -> bool {
        self.occupied(core) < core.window.cwnd.whole().max(1)
    }

    /// True if nothing is to be repaired and new data may leave.
    #[inline]
    fn may_send_new(&self, core: &Core) -> bool {
        self.has_room(core) && core.has_new()
    }

    /// `NextSeg()`, section 4: rules 1 to 4 in turn.
    #[inline]
    fn next_of_repair(&self, core: &Core) -> Option<Next> {
        if self.retransmit {
            return Some(Next::Copy(core.snd_una));
        }
        if !self.has_room(core) {
            return None;
        }
        // Mostly all that is lost has been sent again.
        if self.board.is_lost(self.board.next_to_copy(core))
            && let Some(seq) = self.board.next_copy(core).filter(|&seq| self.board.is_lost(seq))
        {
            return Some(Next::Copy(seq));
        }
        if core.has_new() {
            return Some(Next::New);
        }
        if self.phase != Phase::Recovery {
            return None;
        }
        match self.board.next_copy(core)? {
            seq if self.board.is_below_sacked(seq) => Some(Next::Copy(seq)),
            _ if !self.rescued => Some(Next::Rescue(core.snd_max - 1)),
            _ => None,
        }
    }

    /// What [`transmit`](LossRecovery::transmit) sends while something is repaired, where segments leave as
    /// soon as they may: then it is known whether more do.
    #[inline(never)]
    fn send_of_repair(&mut self, core: &mut Core, now: Instant) -> Option<Burst> {
        let in_flight = self.in_flight(core);
        let seq = self.next_segment_of_repair(core)?;
        let segment = core.send(now, seq, in_flight);
        let is_last = !self.retransmit && !self.has_room(core);
        Some(Burst { is_last, ..Burst::of_one(segment) })
    }

    /// What leaves next, if it is not [`New`].
    #[inline]
    pub(super) fn send_next(&mut self, core: &mut Core, now: Instant) -> Option<Burst> {
        if self.phase == Phase::Open || core.outstanding() == 0 {
            return self.transmit(core, now).map(Burst::of_one);
        }
        self.send_of_repair(core, now)
    }

    /// Names what leaves next, and notes that it will.
    #[inline]
    fn next_segment_of_repair(&mut self, core: &mut Core) -> Option<u64> {
        match self.next_of_repair(core)? {
            Next::Copy(seq) => {
                self.retransmit = false;
                self.board.repair(core, seq);
                Some(seq)
            }
            Next::New => {
                self.board.skip_reported(core);
                Some(core.snd_max)
            }
            // HighRxt stays (section 4, rule 4).
            Next::Rescue(seq) => {
                self.rescued = true;
                Some(seq)
            }
        }
    }
}

/// What [`Sack::on_any_ack`] comes to for a plain ACK, and most are. With nothing marked the scoreboard is
/// empty: pipe is what is outstanding, and there is nothing to judge, to repair or to leave.
#[inline]
fn on_plain_ack(core: &mut Core, now: Instant, ack: &AckSegment) {
    let prior_in_flight = core.outstanding();
    let rtt = core.take_rtt(now, ack);
    let newly = ack.ack - core.snd_una;
    core.flight.deliver_plain(newly);
    core.snd_una = ack.ack;
    core.snd_nxt = core.snd_max;
    core.measure(now, newly, rtt, core.outstanding());
    core.restart_rto(now);
    core.grow(now, newly, prior_in_flight);
}

impl LossRecovery for Sack {
    #[inline]
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if self.is_plain(core, ack) {
            on_plain_ack(core, now, ack);
        } else {
            self.on_any_ack(core, now, ack);
        }
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        core.reduce_for_timeout(now);
        self.board.mark_all_lost(core);
        self.recovery_point = core.snd_max;
        self.phase = Phase::Loss;
        self.retransmit = false;
        core.back_off(now);
    }

    fn on_deadline(&mut self, _: &mut Core, _: Instant) {}

    fn deadline(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    #[inline]
    fn next_segment(&mut self, core: &mut Core, _: Instant) -> Option<u64> {
        if self.phase == Phase::Open {
            return self.may_send_new(core).then_some(core.snd_max);
        }
        self.next_segment_of_repair(core)
    }

    fn has_segment(&self, core: &Core) -> bool {
        match self.phase {
            Phase::Open => self.may_send_new(core),
            Phase::Recovery | Phase::Loss => self.next_of_repair(core).is_some(),
        }
    }

    fn sent(&mut self, _: &mut Core, _: u64, _: Instant) {}

    fn in_flight(&self, core: &Core) -> u64 {
        self.board.pipe(core)
    }

    fn in_recovery(&self) -> bool {
        self.phase != Phase::Open
    }
}
