//! The state machine of one doubtful ACK: `tcp_fastretrans_alert` and what it calls.
//!
//! Open: nothing is wrong. Disorder: something was sacked or sent again. Reducing (Linux's CWR): the
//! window shrinks after a congestion mark. Recovery: losses are being repaired. Loss: after a timeout.

use westwood_cc::controller::Command;
use westwood_cc::{Instant, Segments, Window};

use super::news::News;
use super::prr::Prr;
use super::{CaState, Linux, Resend};
use crate::sender::{Core, Note, Sign};

impl Linux {
    /// An ACK that is doubtful, or arrives while something is wrong.
    pub(super) fn alert(&mut self, core: &mut Core, news: &mut News) {
        if news.ece {
            self.undo.prior = None;
        }
        if self.state == CaState::Open {
            self.undo.forget_first_copy();
        } else if core.snd_una() >= self.high_seq {
            self.leave(core, news);
        }
        match self.state {
            CaState::Recovery => self.in_recovery_ack(core, news),
            CaState::Loss => {
                self.process_loss(core, news);
                self.identify_loss(core, news);
                if self.state == CaState::Open || news.copy_lost {
                    self.in_order_ack(core, news);
                }
            }
            CaState::Open | CaState::Disorder | CaState::Reducing => self.in_order_ack(core, news),
        }
    }

    /// All that was outstanding when the state was entered has been acknowledged.
    fn leave(&mut self, core: &mut Core, news: &News) {
        match self.state {
            // Something beyond must be acknowledged, so that the receiver has seen our answer.
            CaState::Reducing if core.snd_una() > self.high_seq => {
                self.end_reduction(core, news.now);
                self.state = CaState::Open;
            }
            CaState::Recovery => {
                self.try_undo_recovery(core, news);
                self.end_reduction(core, news.now);
            }
            _ => {}
        }
    }

    fn in_recovery_ack(&mut self, core: &mut Core, news: &mut News) {
        if news.advanced && self.try_undo_partial(core, news) {
            return;
        }
        if self.try_undo_dsack(core, news.now) {
            self.try_keep_open(core);
        }
        self.identify_loss(core, news);
        if self.state != CaState::Recovery {
            if self.board.lost() == 0 {
                return;
            }
            // A reduction was undone, but this loss is real.
            self.enter_recovery(core, news.now, news.ece);
        }
        self.resend = Resend::Lost;
    }

    /// Not, or no longer, repairing: is there a loss?
    fn in_order_ack(&mut self, core: &mut Core, news: &mut News) {
        if self.state <= CaState::Disorder {
            self.try_undo_dsack(core, news.now);
        }
        self.identify_loss(core, news);
        if self.board.lost() == 0 {
            self.try_to_open(core, news);
            return;
        }
        self.enter_recovery(core, news.now, news.ece);
        self.resend = Resend::Lost;
    }

    /// `tcp_identify_packet_loss`.
    fn identify_loss(&mut self, core: &mut Core, news: &mut News) {
        if core.outstanding() == 0 {
            return;
        }
        let copies = self.board.copies();
        let repairing = self.state >= CaState::Recovery;
        if let Some(wait) = self.rack.judge(&mut self.board, core, news.now, repairing) {
            self.await_reordering(core, news.now, wait);
            news.set_timer = false;
        }
        news.copy_lost |= self.board.copies() < copies;
    }

    /// The reordering window is over (`tcp_rack_reo_timeout`).
    pub(super) fn on_reordering_timer(&mut self, core: &mut Core, now: Instant) {
        let in_flight = self.board.in_flight(core);
        let repairing = self.state >= CaState::Recovery;
        self.rack.detect(&mut self.board, core, now, repairing);
        if self.board.in_flight(core) != in_flight {
            if self.state != CaState::Recovery {
                self.enter_recovery(core, now, false);
                if core.command() == Command::Window
                    && let Some(cwnd) = self.reduced(core, 1, false)
                {
                    core.set_cwnd(cwnd);
                }
            }
            self.resend = Resend::Lost;
        }
        self.rearm_rto(core, now);
    }

    // --- Entering and leaving.

    pub(super) fn enter_recovery(&mut self, core: &mut Core, now: Instant, ece: bool) {
        if !self.board.any_copy(core) {
            self.undo.forget_first_copy();
        }
        self.undo.prior = None;
        self.undo.begin(core.snd_una(), self.board.copies());
        if !self.in_reduction() {
            if !ece {
                self.undo.prior = Some(self.window_to_restore(core));
            }
            self.begin_reduction(core, now, Sign::Rack);
        }
        core.count_recovery();
        self.state = CaState::Recovery;
    }

    /// What undo goes back to.
    pub(super) fn window_to_restore(&self, core: &Core) -> Window {
        Window { cwnd: core.window().cwnd.floor(), ssthresh: self.current_ssthresh(core) }
    }

    /// `tcp_init_cwnd_reduction`: the controller is asked for its threshold, and PRR sets the window.
    pub(super) fn begin_reduction(&mut self, core: &mut Core, now: Instant, sign: Sign) {
        self.high_seq = core.snd_max();
        self.probe.high = None;
        core.reduce_ssthresh(now, sign);
        self.prr = Prr::new(core.window().cwnd.whole());
    }

    /// `tcp_end_cwnd_reduction`: the controller's window comes into force, unless the reduction was
    /// undone. A controller that commands everything sees the change of phase instead.
    pub(super) fn end_reduction(&mut self, core: &mut Core, now: Instant) {
        if core.command() == Command::Everything {
            core.note(Note::Recovered);
            return;
        }
        let in_force = self.state == CaState::Reducing || self.undo.marker.is_some();
        let cwnd = if in_force && core.window().ssthresh < Segments::MAX {
            self.usage.stamp = now;
            core.resume()
        } else {
            core.window().cwnd
        };
        core.recovered_at(now, cwnd);
    }

    /// `tcp_enter_cwr`: a congestion mark was echoed, and nothing will be undone.
    fn enter_cwr(&mut self, core: &mut Core, now: Instant) {
        self.undo.prior = None;
        if self.state < CaState::Reducing {
            self.undo.done();
            self.begin_reduction(core, now, Sign::EcnEcho);
            self.state = CaState::Reducing;
        }
    }

    pub(super) fn try_keep_open(&mut self, core: &Core) {
        let calm = self.board.sacked() + self.board.lost() == 0 && !self.board.any_copy(core);
        let state = if calm { CaState::Open } else { CaState::Disorder };
        if self.state != state {
            self.state = state;
            self.high_seq = core.snd_max();
        }
    }

    fn try_to_open(&mut self, core: &mut Core, news: &News) {
        if !self.board.any_copy(core) {
            self.undo.forget_first_copy();
        }
        if news.ece {
            self.enter_cwr(core, news.now);
        }
        if self.state != CaState::Reducing {
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
        self.usage.stamp = now;
        self.undo.done();
        self.rack.look_again();
    }

    /// At the end of a recovery.
    pub(super) fn try_undo_recovery(&mut self, core: &mut Core, news: &News) {
        if self.undo.may_undo(news.echo) {
            self.undo_reduction(core, news.now, false);
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
    /// in flight, and nothing more is to be judged.
    fn try_undo_partial(&mut self, core: &mut Core, news: &News) -> bool {
        if self.undo.marker.is_none() || !self.undo.answers_original(news.echo) {
            return false;
        }
        self.rack.note_reordering(news.prior_una, self.board.fack(core.snd_una()));
        if self.board.copies() > 0 {
            return true;
        }
        if !self.board.any_copy(core) {
            self.undo.forget_first_copy();
        }
        self.undo_reduction(core, news.now, true);
        self.try_keep_open(core);
        false
    }
}
