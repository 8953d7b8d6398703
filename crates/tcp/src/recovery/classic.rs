//! Tahoe, Reno and NewReno: recovery from cumulative acknowledgments alone.
//!
//! RFC 5681 section 3.2 (fast retransmit and fast recovery) and RFC 6582 (NewReno). The inflation of
//! the window during recovery is kept apart from cwnd: a controller sees only the uninflated
//! window, and when recovery ends the inflation is simply dropped.
//!
//! Choices where the RFCs leave one:
//! * A fast retransmit is allowed only when the cumulative acknowledgment covers more than
//!   `recover` (RFC 6582 section 3.2 step 2, "Careful"), for Tahoe and Reno too, as in ns-2: the
//!   duplicates after a timeout answer retransmissions, not losses.
//! * At the end of recovery cwnd is the controller's window (RFC 6582 step 3, option 2). Whether the
//!   ACK that ends it also counts as one that opens the window is a setting.
//! * The retransmission timer starts anew with a fast retransmit, as in BSD and in ns-2; RFC 6298
//!   section 5 starts it anew for ACKs of new data alone. A lost copy is waited for a little longer.
//! * The timer at partial ACKs is the "Slow-but-Steady" or the "Impatient" one (section 4).

use westwood_cc::controller::Phase;
use westwood_cc::{Instant, Segments};

use super::{DUP_THRESH, LossRecovery};
use crate::config::Recovery;
use crate::segment::AckSegment;
use crate::sender::{Core, New, Sign};

/// Tahoe, Reno or NewReno.
#[derive(Clone, Debug)]
pub(crate) struct Classic {
    kind: Recovery,
    dupacks: u32,
    /// Segments by which the window is inflated; negative after a large partial ACK.
    inflation: i64,
    phase: Phase,
    /// `snd_max` when the last loss window began; none before the first.
    recover: Option<u64>,
    /// A partial ACK has been seen in this recovery.
    seen_partial: bool,
    /// The first unacknowledged segment leaves next, whatever the window says.
    retransmit: bool,
    /// Segments counted as delivered, thanks to duplicate ACKs, before the cumulative ACK covers them.
    held: u64,
}

impl Classic {
    pub(crate) fn new(kind: Recovery) -> Self {
        Self {
            kind,
            dupacks: 0,
            inflation: 0,
            phase: Phase::Open,
            recover: None,
            seen_partial: false,
            retransmit: false,
            held: 0,
        }
    }

    /// A duplicate ACK says that a segment was delivered, whichever it was.
    ///
    /// After a timeout it rather answers a needless copy; and there are never more delivered than
    /// sent beyond the one that is missing.
    fn deliver_one(&mut self, core: &mut Core, now: Instant) {
        if self.phase != Phase::Loss && self.held + 1 < core.outstanding() {
            self.held += 1;
            core.flight.deliver_unknown(now);
        }
    }

    /// A cumulative ACK of `newly` segments delivers those that duplicates have not counted, so that
    /// `delivered` is always `snd_una + held`.
    fn deliver(&mut self, core: &mut Core, now: Instant, newly: u64) {
        let beyond = core.outstanding() - newly;
        let held = self.held.saturating_sub(newly - 1);
        let held = held.min(beyond.saturating_sub(1));
        let fresh = (newly + held).saturating_sub(self.held);
        self.held = held;
        if fresh == newly {
            core.flight.deliver_oldest(newly, now);
            return;
        }
        for (i, seq) in (0..newly).zip(core.snd_una..) {
            // The first was missing until now; of the others the newest are the likeliest.
            if (i == 0 && fresh > 0) || i + fresh > newly {
                core.flight.deliver(seq, now);
            }
            core.flight.pop();
        }
    }

    /// The cumulative acknowledgment has moved. True if the window may grow.
    fn on_new_ack(&mut self, core: &mut Core, now: Instant, newly: u64) -> bool {
        let whole = self.recover.is_none_or(|r| core.snd_una >= r);
        if self.phase == Phase::Recovery {
            if whole || self.kind == Recovery::Reno {
                self.leave(core, now);
                return core.config.last_ack_grows;
            }
            self.on_partial_ack(core, now, newly);
            return false;
        }
        if whole {
            self.phase = Phase::Open;
        }
        self.dupacks = 0;
        core.restart_rto(now);
        true
    }

    /// RFC 6582 section 3.2 step 3, partial acknowledgment: retransmit the next hole, deflate by
    /// what left the network, and add back the one segment that takes its place.
    fn on_partial_ack(&mut self, core: &mut Core, now: Instant, newly: u64) {
        self.inflation += 1 - i64::try_from(newly).unwrap_or(i64::MAX);
        self.retransmit = true;
        if !core.config.impatient || !self.seen_partial {
            core.restart_rto(now);
        }
        self.seen_partial = true;
    }

    fn leave(&mut self, core: &mut Core, now: Instant) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.dupacks = 0;
        // A paced copy may still be waiting: it has become needless.
        self.retransmit = false;
        core.recovered(now);
        core.restart_rto(now);
    }

    fn on_duplicate(&mut self, core: &mut Core, now: Instant) {
        self.dupacks += 1;
        if self.phase == Phase::Recovery {
            // Each duplicate says that one more segment has left the network (RFC 5681, 3.2 (4)).
            self.inflation += 1;
        } else if self.dupacks == DUP_THRESH && self.recover.is_none_or(|r| core.snd_una > r) {
            self.enter(core, now);
        }
    }

    /// Fast retransmit (RFC 5681 section 3.2 (2), (3)).
    fn enter(&mut self, core: &mut Core, now: Instant) {
        core.reduce_for_loss(now, Sign::DuplicateAcks(self.dupacks));
        core.counts.fast_recoveries += 1;
        self.recover = Some(core.snd_max);
        if self.kind == Recovery::Tahoe {
            core.window.cwnd = Segments::ONE;
            core.snd_nxt = core.snd_una;
            self.dupacks = 0;
            self.phase = Phase::Loss;
        } else {
            self.phase = Phase::Recovery;
            core.snd_nxt = core.snd_max;
            self.inflation = i64::from(DUP_THRESH);
            self.seen_partial = false;
            self.retransmit = true;
        }
        core.restart_rto(now);
    }

    /// New segments that leave at once, if nothing is to be repaired.
    #[expect(clippy::inline_always, reason = "to hand over its answer would be half of it")]
    #[inline(always)]
    pub(super) fn send_new(&mut self, core: &mut Core, now: Instant) -> New {
        if self.phase != Phase::Open || self.retransmit || core.snd_nxt < core.snd_max {
            return New::Ask;
        }
        let room = (core.snd_una + self.usable(core)).saturating_sub(core.snd_nxt);
        let sent = core.send_new(now, room, self.in_flight(core));
        core.snd_nxt = core.snd_max;
        sent
    }

    /// How many segments from `snd_una` on may be outstanding.
    #[inline]
    fn usable(&self, core: &Core) -> u64 {
        let cwnd = core.window.cwnd.whole();
        let extra = match self.phase {
            Phase::Recovery => self.inflation,
            // Limited transmit (RFC 3042): the first two duplicates let a new segment out each.
            Phase::Open if core.config.limited_transmit && self.dupacks < DUP_THRESH => {
                i64::from(self.dupacks)
            }
            Phase::Open | Phase::Loss => 0,
        };
        cwnd.saturating_add_signed(extra).max(1)
    }

    /// True if an ACK moves the window on and nothing else is the case: nothing is missing, and no
    /// duplicate has said so.
    #[inline]
    fn is_plain(&self, core: &Core, ack: &AckSegment) -> bool {
        self.phase == Phase::Open
            && self.dupacks == 0
            && self.held == 0
            && !self.retransmit
            && core.flight.is_plain()
            && ack.ack > core.snd_una
            && !ack.ece
    }

    /// What [`on_ack`](LossRecovery::on_ack) does, for every ACK.
    #[inline(never)]
    fn on_any_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if ack.ack < core.snd_una {
            return;
        }
        let prior_in_flight = self.in_flight(core);
        core.flight.begin_sample(prior_in_flight);
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack - core.snd_una;
        let duplicate = newly == 0 && core.outstanding() > 0;
        if newly > 0 {
            self.deliver(core, now, newly);
        } else if duplicate {
            self.deliver_one(core, now);
        }
        core.snd_una = ack.ack;
        core.snd_nxt = core.snd_nxt.max(ack.ack);
        core.measure(now, newly, rtt, self.in_flight(core));
        if ack.ece && self.phase == Phase::Open {
            core.on_ecn_echo(now);
        }
        let waiting = self.retransmit;
        if newly > 0 {
            // In the repair after a timeout the window starts from one segment, and an echo is of a
            // mark from before.
            let held_back = core.is_echo(ack) && self.phase == Phase::Open;
            if self.on_new_ack(core, now, newly) && !held_back {
                core.grow(now, newly, prior_in_flight);
            }
        } else if duplicate {
            self.on_duplicate(core, now);
        }
        let newly_lost = u64::from(self.retransmit && !waiting);
        core.steer(now, self.in_flight(core), newly_lost, self.phase);
    }

    /// Segments that have left the network, as duplicates tell, and are not acknowledged.
    fn departed(&self) -> u64 {
        match self.phase {
            Phase::Open => u64::from(self.dupacks),
            Phase::Recovery => u64::try_from(self.inflation).unwrap_or(0),
            // Counting began anew at the first unacknowledged segment.
            Phase::Loss => 0,
        }
    }
}

/// What [`Classic::on_any_ack`] comes to for a plain ACK: nothing is missing, so all that left is in
/// flight, and every segment it covers is delivered by it.
#[inline]
fn on_plain_ack(core: &mut Core, now: Instant, ack: &AckSegment) {
    let prior_in_flight = core.snd_nxt - core.snd_una;
    let rtt = core.take_rtt(now, ack);
    let newly = ack.ack - core.snd_una;
    core.flight.deliver_plain(newly);
    core.snd_una = ack.ack;
    core.snd_nxt = core.snd_nxt.max(ack.ack);
    core.measure(now, newly, rtt, core.snd_nxt - ack.ack);
    core.restart_rto(now);
    core.grow(now, newly, prior_in_flight);
}

impl LossRecovery for Classic {
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
        core.snd_nxt = core.snd_una;
        self.recover = Some(core.snd_max);
        self.phase = Phase::Loss;
        self.inflation = 0;
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
        if !self.has_segment(core) {
            return None;
        }
        let seq = core.snd_nxt;
        core.snd_nxt += 1;
        Some(seq)
    }

    fn has_segment(&self, core: &Core) -> bool {
        self.retransmit
            || (core.snd_nxt < core.snd_una + self.usable(core)
                && (core.snd_nxt < core.snd_max || core.has_new()))
    }

    fn sent(&mut self, _: &mut Core, _: u64, _: Instant) {}

    fn in_flight(&self, core: &Core) -> u64 {
        (core.snd_nxt - core.snd_una).saturating_sub(self.departed())
    }

    fn in_recovery(&self) -> bool {
        self.phase != Phase::Open
    }
}
