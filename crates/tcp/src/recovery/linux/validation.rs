//! Congestion window validation: `tcp_cwnd_validate`, `tcp_is_cwnd_limited`, `tcp_cwnd_restart`.
//!
//! RFC 7661 in Linux's way. A window that did not limit the sender does not grow. One that was not full
//! for a timeout shrinks half-way to the part in use (RFC 2861). After an idle time it is halved for
//! every timeout that passed.

use westwood_cc::controller::ControlScope;
use westwood_cc::{Duration, Instant, Segments, Window};

use super::{CaState, LinuxRecovery};
use crate::sender::{Core, Note, is_cwnd_limited};

/// How much of the window is used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CwndValidation {
    /// The window was full in this round.
    limited: bool,
    /// The most segments outstanding in this round.
    max_outstanding: u64,
    /// The round ends when this is acknowledged (`cwnd_usage_seq`).
    round_end: u64,
    /// The most segments outstanding since the window was last full.
    used: u64,
    /// When the window was last full or last changed (`snd_cwnd_stamp`).
    pub(super) stamp: Instant,
}

impl LinuxRecovery {
    /// Segments were sent, or could not be because the window is full: once for those that leave at the same
    /// time.
    #[inline]
    pub(super) fn validate(&mut self, core: &mut Core, now: Instant) {
        let full = self.board.in_flight(core) >= core.window().cwnd.whole();
        let outstanding = core.outstanding();
        let u = &mut self.validation;
        if core.snd_una() >= u.round_end || full || (!u.limited && outstanding > u.max_outstanding)
        {
            u.limited = full;
            u.max_outstanding = outstanding;
            u.round_end = core.snd_max();
        }
        if self.is_cwnd_limited(core) {
            self.validation.used = 0;
            self.validation.stamp = now;
            return;
        }
        self.validation.used = self.validation.used.max(outstanding);
        let unused_for = now.since(self.validation.stamp);
        if core.config().idle_restart
            && core.control_scope() == ControlScope::Window
            && unused_for >= core.rto()
        {
            self.shrink_to_used(core, now);
        }
    }

    /// True if the window may grow.
    pub(super) fn is_cwnd_limited(&self, core: &Core) -> bool {
        !core.config().cwnd_validation
            || is_cwnd_limited(
                self.validation.limited,
                self.validation.max_outstanding,
                core.window(),
            )
    }

    /// `tcp_cwnd_application_limited`, RFC 2861.
    fn shrink_to_used(&mut self, core: &mut Core, now: Instant) {
        if self.state == CaState::Open && !core.has_new() && !core.writer_waits() {
            let used = Segments::new(self.validation.used).max(core.config().initial_window);
            if used < core.window().cwnd {
                core.clamp_cwnd(Window {
                    cwnd: (core.window().cwnd + used).half().floor(),
                    ssthresh: self.current_ssthresh(core),
                });
            }
            self.validation.used = 0;
        }
        self.validation.stamp = now;
    }

    /// The threshold that a window in use is worth, at least three quarters of it
    /// (`tcp_current_ssthresh`).
    pub(super) fn current_ssthresh(&self, core: &Core) -> Segments {
        let w = core.window();
        if self.in_reduction() {
            w.ssthresh
        } else {
            w.ssthresh.max(w.cwnd.half().floor() + w.cwnd.half().half().floor())
        }
    }

    /// Sending begins again with nothing in flight (`tcp_slow_start_after_idle_check`,
    /// `CA_EVENT_TX_START`).
    #[inline(never)]
    pub(super) fn restart(&mut self, core: &mut Core, now: Instant) {
        let Some(idle) = core.idle_time(now) else { return };
        let mut w = core.window();
        let rto = core.rto();
        if core.config().idle_restart && core.control_scope() == ControlScope::Window && idle > rto
        {
            core.window_restarts();
            w = Window {
                cwnd: halved(w.cwnd, core.config().initial_window, idle, rto),
                ssthresh: self.current_ssthresh(core),
            };
            self.validation.used = 0;
            self.validation.stamp = now;
            core.note(Note::Restarted);
        }
        core.restart_at(now, idle, w);
    }
}

/// The window halved for each timeout in `idle`, down to the initial one (`tcp_cwnd_restart`).
fn halved(cwnd: Segments, initial: Segments, idle: Duration, rto: Duration) -> Segments {
    let least = initial.min(cwnd);
    let mut cwnd = cwnd;
    let mut left = idle - rto;
    while !left.is_zero() && cwnd > least {
        cwnd = cwnd.half().floor();
        left = left - rto;
    }
    cwnd.max(least)
}
