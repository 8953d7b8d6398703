//! Timeouts: `tcp_enter_loss`, `tcp_process_loss`.
//!
//! Everything sent long enough ago counts as lost and the oldest segment goes out again; what follows
//! is slow start. F-RTO (RFC 5682 section 3.1, the SACK-enhanced version) first asks whether the
//! timeout was real: after the first ACK that moves forward, new data is sent instead of copies. If
//! something sent before the timeout and never again is then acknowledged, the timeout was spurious.

use westwood_cc::{Instant, Segments};

use super::news::News;
use super::{CaState, Linux, Resend};
use crate::sender::{Core, Sign};

impl Linux {
    /// The retransmission timer has fired (`tcp_retransmit_timer`).
    pub(super) fn enter_loss(&mut self, core: &mut Core, now: Instant) {
        let first = self.state < CaState::Recovery;
        self.mark_old_lost(core, now);
        // Once a window of data, but for every new timeout.
        let fresh = self.state <= CaState::Disorder
            || self.high_seq <= core.snd_una()
            || (self.state == CaState::Loss && self.retransmits == 0);
        if fresh {
            self.undo.prior = Some(self.window_to_restore(core));
            core.reduce_ssthresh(now, Sign::Timeout);
            self.undo.begin(core.snd_una(), self.board.copies());
        }
        core.set_cwnd(Segments::new(self.board.in_flight(core) + 1));
        self.usage.stamp = now;
        if self.state <= CaState::Disorder {
            self.rack.timed_out(self.board.sacked());
        }
        self.state = CaState::Loss;
        self.high_seq = core.snd_max();
        self.probe.high = None;
        // Section 3.2: not on top of another recovery, unless the same segment times out again.
        self.frto = first || self.retransmits > 0;
        self.retransmits += 1;
        self.resend = Resend::Lost;
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

    /// An ACK after a timeout.
    pub(super) fn process_loss(&mut self, core: &mut Core, news: &News) {
        let recovered = core.snd_una() >= self.high_seq;
        if news.advanced && self.try_undo_loss(core, news, false) {
            return;
        }
        if self.frto {
            // Step 3 (b): something sent once, before the timeout, has arrived.
            if news.original_delivered && self.try_undo_loss(core, news, true) {
                return;
            }
            if core.snd_max() > self.high_seq {
                if news.sacked || news.is_duplicate() {
                    // Step 3 (a): the loss was real.
                    self.frto = false;
                }
            } else if news.advanced && !recovered {
                // Step 2 (b): send new data, if there is any.
                self.high_seq = core.snd_max();
                if core.has_new() {
                    self.resend = Resend::AfterNew;
                    return;
                }
                self.frto = false;
            }
        }
        if recovered {
            self.try_undo_recovery(core, news);
            return;
        }
        self.resend = Resend::Lost;
    }

    /// `tcp_try_undo_loss`.
    fn try_undo_loss(&mut self, core: &mut Core, news: &News, spurious: bool) -> bool {
        if !spurious && !self.undo.may_undo(news.echo) {
            return false;
        }
        self.undo_reduction(core, news.now, true);
        self.retransmits = 0;
        self.state = CaState::Open;
        true
    }
}
