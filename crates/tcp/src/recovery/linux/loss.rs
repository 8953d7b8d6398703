//! Timeouts: `tcp_enter_loss`, `tcp_process_loss`.
//!
//! Segments sent long enough ago count as lost, the oldest is sent again, and slow start begins. F-RTO
//! (RFC 5682 section 3.1, the SACK-enhanced version) first asks whether the timeout was real: after the
//! first ACK that moves forward, new data is sent instead of copies. If an ACK then covers a segment
//! sent before the timeout and only once, the timeout was spurious.

use westwood_cc::{Instant, Segments};

use super::flags::AckFlags;
use super::{CaState, LinuxRecovery, Rexmit};
use crate::sender::{Core, Signal};

impl LinuxRecovery {
    /// The retransmission timer has fired (`tcp_retransmit_timer`).
    pub(super) fn enter_loss(&mut self, core: &mut Core, now: Instant) {
        let first = self.state < CaState::Recovery;
        self.mark_old_lost(core, now);
        // Once a window of data, but for every new timeout.
        let fresh = self.state <= CaState::Disorder
            || self.high_seq <= core.snd_una()
            || (self.is_loss() && self.retransmits == 0);
        if fresh {
            self.undo.prior = Some(self.window_to_restore(core));
            core.reduce_ssthresh(now, Signal::Timeout);
            self.begin_undo(core);
        } else {
            core.on_repeated_timeout(now);
        }
        core.lose_window(Segments::new(self.board.in_flight(core) + 1));
        self.validation.stamp = now;
        if self.state <= CaState::Disorder {
            self.rack.timed_out(self.board.sacked());
        }
        self.high_seq = core.snd_max();
        self.probe.end();
        // Section 3.2: not on top of another recovery, unless the same segment times out again.
        self.state = CaState::Loss { frto: first || self.retransmits > 0 };
        self.retransmits += 1;
        self.rexmit = Rexmit::Oldest;
    }

    /// `tcp_timeout_mark_lost`: the oldest segment, and all that left at least a round trip ago.
    fn mark_old_lost(&mut self, core: &mut Core, now: Instant) {
        let rtt = self.rack.rtt();
        for seq in core.snd_una()..core.snd_max() {
            let old = core.flight().sent_at(seq).is_some_and(|at| now.since(at) >= rtt);
            if old || seq == core.snd_una() {
                self.board.mark_lost(core, seq);
            }
        }
    }

    /// True after a timeout.
    pub(super) fn is_loss(&self) -> bool {
        matches!(self.state, CaState::Loss { .. })
    }

    /// The timeout was real, or new data cannot test it.
    pub(super) fn end_frto(&mut self) {
        if let CaState::Loss { frto } = &mut self.state {
            *frto = false;
        }
    }

    /// An ACK after a timeout.
    pub(super) fn process_loss(&mut self, core: &mut Core, flags: &AckFlags) {
        let recovered = core.snd_una() >= self.high_seq;
        if flags.advanced && self.try_undo_loss(core, flags, false) {
            return;
        }
        if self.state == (CaState::Loss { frto: true }) {
            // Step 3 (b): a segment sent once, before the timeout, has arrived.
            if flags.original_delivered && self.try_undo_loss(core, flags, true) {
                return;
            }
            if core.snd_max() > self.high_seq {
                if flags.sacked || flags.is_duplicate() {
                    // Step 3 (a): the loss was real.
                    self.end_frto();
                }
            } else if flags.advanced && !recovered {
                // Step 2 (b): send new data, if there is any.
                self.high_seq = core.snd_max();
                if core.has_new() {
                    self.rexmit = Rexmit::AfterNew;
                    return;
                }
                self.end_frto();
            }
        }
        if recovered {
            self.try_undo_recovery(core, flags);
            return;
        }
        self.rexmit = Rexmit::Lost;
    }

    /// `tcp_try_undo_loss`.
    fn try_undo_loss(&mut self, core: &mut Core, flags: &AckFlags, spurious: bool) -> bool {
        if !spurious && !self.undo.may_undo(flags.echo()) {
            return false;
        }
        self.undo_reduction(core, flags.now, true);
        self.retransmits = 0;
        self.state = CaState::Open;
        true
    }
}
