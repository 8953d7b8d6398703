//! Tahoe, Reno and NewReno: recovery from cumulative acknowledgments alone.
//!
//! RFC 5681 section 3.2 (fast retransmit and fast recovery) and RFC 6582 (NewReno). The inflation of
//! the window during recovery is kept apart from cwnd: a controller sees only the uninflated
//! window, and when recovery ends the inflation is simply dropped.
//!
//! Choices where the RFCs leave one:
//! * A fast retransmit is allowed only when the cumulative acknowledgment covers more than
//!   `recover` (RFC 6582 section 3.2 step 1, "Careful"), for Tahoe and Reno too, as in ns-2: the
//!   duplicates after a timeout answer retransmissions, not losses.
//! * At the end of recovery cwnd is the controller's window (RFC 6582 step 3, option 2).
//! * The timer at partial ACKs is the "Slow-but-Steady" or the "Impatient" one (section 4).

use westwood_cc::controller::Phase;
use westwood_cc::{Instant, Segments};

use super::{DUP_THRESH, LossRecovery};
use crate::config::Recovery;
use crate::segment::AckSegment;
use crate::sender::{Core, Sign};

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
    /// Segments that duplicate ACKs have already counted as delivered.
    counted: u64,
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
            counted: 0,
        }
    }

    /// Counts what an ACK delivered: a duplicate one segment, whichever it was; a cumulative ACK
    /// what duplicates have not counted before.
    fn deliver(&mut self, core: &mut Core, now: Instant, newly: u64, duplicate: bool) {
        if duplicate {
            // More duplicates than segments in flight come from needless copies.
            if self.counted + 1 < core.outstanding() {
                self.counted += 1;
                core.flight.deliver_unknown(now);
            }
            return;
        }
        let fresh = newly.saturating_sub(self.counted).max(u64::from(newly > 0));
        for i in 0..newly {
            if let Some(entry) = core.flight.pop() {
                // The newest segments are the ones this ACK reports.
                if i >= newly - fresh {
                    core.flight.deliver(entry, now);
                }
            }
        }
        self.counted = self.counted.saturating_sub(newly - fresh);
    }

    fn on_new_ack(&mut self, core: &mut Core, now: Instant, newly: u64, prior_in_flight: u64) {
        if self.phase == Phase::Recovery {
            let whole = self.recover.is_none_or(|r| core.snd_una >= r);
            if whole || self.kind == Recovery::Reno {
                self.leave(core, now);
            } else {
                self.on_partial_ack(core, now, newly);
            }
            return;
        }
        if self.phase == Phase::Loss && self.recover.is_none_or(|r| core.snd_una >= r) {
            self.phase = Phase::Open;
        }
        self.dupacks = 0;
        core.restart_rto(now);
        core.grow(now, newly, prior_in_flight);
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
        core.reduce(now, Sign::DuplicateAcks(self.dupacks));
        core.counts.fast_recoveries += 1;
        core.forget_timed();
        self.recover = Some(core.snd_max);
        if self.kind == Recovery::Tahoe {
            core.window.cwnd = Segments::ONE;
            core.snd_nxt = core.snd_una;
            self.dupacks = 0;
            self.phase = Phase::Loss;
        } else {
            self.phase = Phase::Recovery;
            self.inflation = i64::from(DUP_THRESH);
            self.seen_partial = false;
            self.retransmit = true;
        }
        core.restart_rto(now);
    }

    /// How many segments from `snd_una` on may be outstanding.
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
}

impl LossRecovery for Classic {
    fn on_ack(&mut self, core: &mut Core, now: Instant, ack: &AckSegment) {
        if ack.ack < core.snd_una {
            return;
        }
        let prior_in_flight = self.in_flight(core);
        core.flight.begin_sample(prior_in_flight);
        let rtt = core.take_rtt(now, ack);
        let newly = ack.ack - core.snd_una;
        let duplicate = newly == 0 && core.outstanding() > 0;
        self.deliver(core, now, newly, duplicate);
        core.snd_una = ack.ack;
        core.snd_nxt = core.snd_nxt.max(ack.ack);
        core.measure(now, newly, rtt, self.in_flight(core));
        if ack.ece && self.phase == Phase::Open {
            core.on_ecn_echo(now);
        }
        if newly > 0 {
            self.on_new_ack(core, now, newly, prior_in_flight);
        } else if duplicate {
            self.on_duplicate(core, now);
        }
        core.steer(now, self.in_flight(core), 0, self.phase);
    }

    fn on_rto(&mut self, core: &mut Core, now: Instant) {
        // RFC 5681 section 3.1: a segment that the timer has already sent again does not lower
        // ssthresh once more.
        if core.rtt.backoff() == 0 {
            core.reduce(now, Sign::Timeout);
        } else {
            core.window.cwnd = Segments::ONE;
        }
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
        let duplicates = if self.phase == Phase::Open {
            self.counted
        } else {
            0
        };
        (core.snd_nxt - core.snd_una).saturating_sub(duplicates)
    }

    fn in_recovery(&self) -> bool {
        self.phase != Phase::Open
    }
}
