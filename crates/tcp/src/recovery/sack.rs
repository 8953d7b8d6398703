//! Recovery from selective acknowledgments: RFC 6675.
//!
//! The scoreboard says what has left the network; `pipe` estimates what has not; and a segment may
//! leave whenever `pipe` is below cwnd: first what is lost, then new data, then what might be lost.
//!
//! Beyond the RFC's letter:
//! * Outside recovery new data too is clocked by `pipe`, which is limited transmit (section 5, (3)).
//! * The scoreboard survives a timeout (section 5.1 allows it: receivers here never renege).

use westwood_cc::Instant;
use westwood_cc::controller::Phase;

use super::scoreboard::Scoreboard;
use super::{DUP_THRESH, LossRecovery};
use crate::segment::AckSegment;
use crate::sender::{Core, Sign};

/// RFC 6675.
#[derive(Clone, Debug)]
pub(crate) struct Sack {
    board: Scoreboard,
    dupacks: u32,
    phase: Phase,
    /// `RecoveryPoint`: recovery ends when all below is acknowledged. None before the first.
    recovery_point: Option<u64>,
    /// The first copy of a recovery leaves whatever pipe says (section 5, (4.3)).
    retransmit: bool,
    /// `RescueRxt`: the last-resort copy of this recovery, once sent (section 4, rule 4).
    rescued: bool,
}

impl Default for Sack {
    fn default() -> Self {
        Self {
            board: Scoreboard::default(),
            dupacks: 0,
            phase: Phase::Open,
            recovery_point: None,
            retransmit: false,
            rescued: false,
        }
    }
}

impl Sack {
    fn on_new_ack(&mut self, core: &mut Core, now: Instant, newly: u64, prior_in_flight: u64) {
        let over = self
            .recovery_point
            .is_none_or(|point| core.snd_una >= point);
        core.restart_rto(now);
        match self.phase {
            Phase::Recovery if over => {
                self.phase = Phase::Open;
                self.dupacks = 0;
                core.recovered(now);
            }
            Phase::Recovery => {}
            Phase::Loss | Phase::Open => {
                if over {
                    self.phase = Phase::Open;
                }
                self.dupacks = 0;
                core.grow(now, newly, prior_in_flight);
            }
        }
    }

    /// Section 5, (1) and (2): enough duplicates, or `IsLost(HighACK + 1)`.
    fn consider_entering(&mut self, core: &mut Core, now: Instant) {
        // What a timeout already repairs is not a new sign of congestion (section 5.1).
        if self.phase != Phase::Open || self.recovery_point.is_some_and(|p| core.snd_una < p) {
            return;
        }
        let head_lost = core.flight.get(core.snd_una).is_some_and(|e| e.lost);
        if !head_lost && self.dupacks < DUP_THRESH {
            return;
        }
        let sign = if head_lost {
            Sign::Sack
        } else {
            Sign::DuplicateAcks(self.dupacks)
        };
        core.reduce(now, sign);
        core.counts.fast_recoveries += 1;
        core.forget_timed();
        self.recovery_point = Some(core.snd_max);
        self.phase = Phase::Recovery;
        self.board.mark_lost_below(core, core.snd_una + 1);
        self.retransmit = true;
        self.rescued = false;
        core.restart_rto(now);
    }

    fn may_send(&self, core: &Core) -> bool {
        self.in_flight(core) < core.window.cwnd.whole().max(1)
    }

    /// `NextSeg()`, section 4: rules 1 to 4 in turn.
    fn next(&mut self, core: &Core) -> Option<u64> {
        if self.phase != Phase::Open
            && let Some(seq) = self.board.next_hole(core)
        {
            return Some(seq);
        }
        if core.has_new() {
            return Some(core.snd_max);
        }
        if self.phase != Phase::Recovery {
            return None;
        }
        self.board.next_doubtful(core).or_else(|| self.rescue(core))
    }

    /// Rule 4: nothing else can be sent, so the highest segment outstanding goes out once more, to
    /// keep the ACK clock alive.
    fn rescue(&mut self, core: &Core) -> Option<u64> {
        let highest = core.snd_max.checked_sub(1)?;
        if self.rescued || highest < core.snd_una || self.board.sacked().contains(highest) {
            return None;
        }
        self.rescued = true;
        Some(highest)
    }
}

impl LossRecovery for Sack {
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if ack.ack < core.snd_una {
            return;
        }
        let prior_in_flight = self.in_flight(core);
        core.flight.begin_sample(prior_in_flight);
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack - core.snd_una;
        self.board.advance(core, now, ack.ack);
        core.snd_nxt = core.snd_max;
        let news = self.board.absorb(core, now, &ack.sack);
        core.measure(now, newly, rtt, self.in_flight(core));
        if ack.ece && self.phase == Phase::Open {
            core.on_ecn_echo(now);
        }
        let newly_lost = self.board.judge(core, DUP_THRESH);
        if newly > 0 {
            self.on_new_ack(core, now, newly, prior_in_flight);
        } else if news {
            // A duplicate is an ACK that carries news beyond a gap (section 2).
            self.dupacks += 1;
        }
        self.consider_entering(core, now);
        core.steer(now, self.in_flight(core), newly_lost, self.phase);
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        if core.rtt.backoff() == 0 {
            core.reduce(now, Sign::Timeout);
        } else {
            core.window.cwnd = westwood_cc::Segments::ONE;
        }
        self.board.mark_all_lost(core);
        self.recovery_point = Some(core.snd_max);
        self.phase = Phase::Loss;
        self.dupacks = 0;
        self.retransmit = false;
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
        if self.may_send(core) {
            self.next(core)
        } else {
            None
        }
    }

    fn has_segment(&self, core: &Core) -> bool {
        self.retransmit || (self.may_send(core) && (core.has_new() || self.board.lost() > 0))
    }

    fn sent(&mut self, core: &mut Core, seq: u64, _: Instant) {
        self.board.sent(core, seq);
    }

    fn in_flight(&self, core: &Core) -> u64 {
        self.board.pipe(core)
    }

    fn in_recovery(&self) -> bool {
        self.phase != Phase::Open
    }
}
