//! The state machine of one dubious ACK: `tcp_fastretrans_alert` and its callees.
//!
//! | state | meaning |
//! |---|---|
//! | Open | no loss is suspected |
//! | Disorder | a segment was sacked or sent again |
//! | Cwr | the window shrinks after a congestion mark |
//! | Recovery | losses are being repaired |
//! | Loss | the repair after a timeout |

use westwood_cc::controller::ControlScope;
use westwood_cc::{Instant, Segments, Window};

use super::flags::AckFlags;
use super::prr::Prr;
use super::{CaState, LinuxRecovery, Rexmit};
use crate::sender::{Core, Note, Signal};

impl LinuxRecovery {
    /// Takes in an ACK that is dubious, or that finds another state than Open.
    pub(super) fn fastretrans_alert(&mut self, core: &mut Core, flags: &mut AckFlags) {
        if flags.ece {
            self.undo.prior = None;
        }
        if self.state == CaState::Open {
            self.undo.forget_first_retransmission();
        } else if core.snd_una() >= self.high_seq {
            self.leave(core, flags);
        }
        match self.state {
            CaState::Recovery => self.in_recovery_ack(core, flags),
            CaState::Loss { .. } => {
                self.process_loss(core, flags);
                self.identify_loss(core, flags);
                if self.state == CaState::Open || flags.retransmission_lost {
                    self.in_order_ack(core, flags);
                }
            }
            CaState::Open | CaState::Disorder | CaState::Cwr => self.in_order_ack(core, flags),
        }
    }

    /// All that was outstanding when the state was entered has been acknowledged.
    fn leave(&mut self, core: &mut Core, flags: &AckFlags) {
        match self.state {
            // An ACK beyond high_seq shows that the receiver has seen CWR.
            CaState::Cwr if core.snd_una() > self.high_seq => {
                self.end_reduction(core, flags.now);
                self.state = CaState::Open;
            }
            CaState::Recovery => {
                self.try_undo_recovery(core, flags);
                self.end_reduction(core, flags.now);
            }
            _ => {}
        }
    }

    fn in_recovery_ack(&mut self, core: &mut Core, flags: &mut AckFlags) {
        if flags.advanced && self.try_undo_partial(core, flags) {
            return;
        }
        if self.try_undo_dsack(core, flags.now) {
            self.try_keep_open(core);
        }
        self.identify_loss(core, flags);
        if self.state != CaState::Recovery {
            if self.board.lost() == 0 {
                return;
            }
            // A reduction was undone, but this loss is real.
            self.enter_recovery(core, flags.now, flags.ece);
        }
        self.rexmit = Rexmit::Lost;
    }

    /// Outside a repair: looks for a loss, and begins a recovery.
    fn in_order_ack(&mut self, core: &mut Core, flags: &mut AckFlags) {
        if self.state <= CaState::Disorder {
            self.try_undo_dsack(core, flags.now);
        }
        self.identify_loss(core, flags);
        if self.board.lost() == 0 {
            self.try_to_open(core, flags);
            return;
        }
        self.enter_recovery(core, flags.now, flags.ece);
        self.rexmit = Rexmit::Lost;
    }

    /// `tcp_identify_packet_loss`.
    fn identify_loss(&mut self, core: &mut Core, flags: &mut AckFlags) {
        if core.outstanding() == 0 {
            return;
        }
        let retrans_out = self.board.retrans_out();
        let repairing = self.state >= CaState::Recovery;
        if let Some(wait) = self.rack.judge(&mut self.board, core, flags.now, repairing) {
            self.await_reordering(core, flags.now, wait);
            flags.set_timer = false;
        }
        flags.retransmission_lost |= self.board.retrans_out() < retrans_out;
    }

    /// The reordering window is over (`tcp_rack_reo_timeout`).
    pub(super) fn on_reordering_timer(&mut self, core: &mut Core, now: Instant) {
        let in_flight = self.board.in_flight(core);
        let repairing = self.state >= CaState::Recovery;
        self.rack.detect(&mut self.board, core, now, repairing);
        if self.board.in_flight(core) != in_flight {
            if self.state != CaState::Recovery {
                self.enter_recovery(core, now, false);
                if core.control_scope() == ControlScope::Window
                    && let Some(cwnd) = self.reduced(core, 1, false)
                {
                    core.reduce_to(cwnd);
                }
            }
            self.rexmit = Rexmit::Lost;
        }
        self.rearm_rto(core, now);
    }

    // --- Entering and leaving.

    pub(super) fn enter_recovery(&mut self, core: &mut Core, now: Instant, ece: bool) {
        if !self.board.has_retransmission(core) {
            self.undo.forget_first_retransmission();
        }
        self.undo.prior = None;
        self.begin_undo(core);
        if !self.in_reduction() {
            if !ece {
                self.undo.prior = Some(self.window_to_restore(core));
            }
            self.begin_reduction(core, now, Signal::Rack);
        } else if core.reduces_for_loss_after_ecn() {
            // `dctcp_state`, `prague_state`: a loss counts though a mark has begun the reduction.
            core.reduce_ssthresh_again(now);
        }
        core.count_recovery();
        self.state = CaState::Recovery;
    }

    /// `tcp_init_undo`: the copy that a probe has sent counts, too.
    pub(super) fn begin_undo(&mut self, core: &Core) {
        let retransmissions =
            self.board.retrans_out() + u64::from(self.probe.awaits_retransmission());
        self.undo.begin(core.snd_una(), retransmissions);
    }

    /// The window that undo restores.
    pub(super) fn window_to_restore(&self, core: &Core) -> Window {
        Window { cwnd: core.window().cwnd.floor(), ssthresh: self.current_ssthresh(core) }
    }

    /// `tcp_init_cwnd_reduction`: the controller is asked for its threshold, and PRR sets the window.
    pub(super) fn begin_reduction(&mut self, core: &mut Core, now: Instant, signal: Signal) {
        self.high_seq = core.snd_max();
        self.probe.end();
        core.reduce_ssthresh(now, signal);
        self.prr = Prr::new(core.window().cwnd.whole());
    }

    /// `tcp_end_cwnd_reduction`: the controller's window comes into force, unless the reduction was
    /// undone. A controller that commands everything sees the change of phase instead.
    pub(super) fn end_reduction(&mut self, core: &mut Core, now: Instant) {
        if core.control_scope() == ControlScope::Everything {
            core.note(Note::Recovered);
            return;
        }
        let in_force = self.state == CaState::Cwr || self.undo.marker.is_some();
        let cwnd = if in_force && core.window().ssthresh < Segments::MAX {
            self.validation.stamp = now;
            core.post_recovery_cwnd()
        } else {
            core.window().cwnd
        };
        core.recovered_at(now, cwnd);
    }

    /// `tcp_enter_cwr`: a congestion mark was echoed, and nothing will be undone.
    fn enter_cwr(&mut self, core: &mut Core, now: Instant) {
        self.undo.prior = None;
        if self.state < CaState::Cwr {
            self.undo.done();
            self.begin_reduction(core, now, Signal::EcnEcho);
            self.state = CaState::Cwr;
        }
    }

    pub(super) fn try_keep_open(&mut self, core: &Core) {
        let calm =
            self.board.sacked() + self.board.lost() == 0 && !self.board.has_retransmission(core);
        let state = if calm { CaState::Open } else { CaState::Disorder };
        if self.state != state {
            self.state = state;
            self.high_seq = core.snd_max();
        }
    }

    fn try_to_open(&mut self, core: &mut Core, flags: &AckFlags) {
        if !self.board.has_retransmission(core) {
            self.undo.forget_first_retransmission();
        }
        if flags.ece {
            self.enter_cwr(core, flags.now);
        }
        if self.state != CaState::Cwr {
            self.try_keep_open(core);
        }
    }

    // --- Undo.

    /// `tcp_undo_cwnd_reduction`.
    pub(super) fn undo_reduction(&mut self, core: &mut Core, now: Instant, unmark: bool) {
        if unmark {
            self.board.unmark(core);
        }
        if let Some(prior) = self.undo.prior {
            core.undo_reduction(now, prior);
        }
        self.validation.stamp = now;
        self.undo.done();
        self.rack.force_detection();
    }

    /// At the end of a recovery.
    pub(super) fn try_undo_recovery(&mut self, core: &mut Core, flags: &AckFlags) {
        if self.undo.may_undo(flags.echo()) {
            self.undo_reduction(core, flags.now, false);
        } else {
            self.rack.recovered();
        }
        self.state = CaState::Open;
    }

    /// Every copy was reported as a duplicate.
    fn try_undo_dsack(&mut self, core: &mut Core, now: Instant) -> bool {
        if !self.undo.all_duplicates() {
            return false;
        }
        self.rack.undone();
        self.undo_reduction(core, now, false);
        true
    }

    /// A partial ACK that answers an original: the hole was late, not lost. True if copies are still
    /// in flight, and no loss is to be judged.
    fn try_undo_partial(&mut self, core: &mut Core, flags: &AckFlags) -> bool {
        if self.undo.marker.is_none() || !self.undo.answers_original(flags.echo()) {
            return false;
        }
        self.rack.note_reordering(flags.prior_una, self.board.fack(core.snd_una()));
        if self.board.retrans_out() > 0 {
            return true;
        }
        if !self.board.has_retransmission(core) {
            self.undo.forget_first_retransmission();
        }
        self.undo_reduction(core, flags.now, true);
        self.try_keep_open(core);
        false
    }
}
