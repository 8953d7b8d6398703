//! One timer for three purposes: `ICSK_TIME_RETRANS`, `ICSK_TIME_LOSS_PROBE`, `ICSK_TIME_REO_TIMEOUT`.
//!
//! RFC 8985 section 7 and `tcp_schedule_loss_probe`, `tcp_rearm_rto`: setting one replaces the
//! others. A tail loss probe is due after two round trips, never later than the timeout would be.
//!
//! All three fire when the kernel's timer wheel does ([`fires`]), with 250 ticks a second as in Debian's and
//! Ubuntu's kernels. Ticks are counted from time zero, so their phase is fixed.

use westwood_cc::product::saturating;
use westwood_cc::{Duration, Instant};

use super::{CaState, LinuxRecovery};
use crate::sender::Core;

/// `TCP_TIMEOUT_MIN_US`. Before 6.1.60 it was two ticks, 8 ms of Debian's and Ubuntu's kernels.
const TIMEOUT_MIN: Duration = Duration::from_millis(2);
/// `TCP_TIMEOUT_INIT`: before any round-trip time sample.
const INITIAL: Duration = Duration::from_secs(1);
/// A tick of the kernel's clock, a jiffy.
const TICK: Duration = Duration::from_millis(4);
/// Each level of the wheel (`LVL_CLK_SHIFT`) is eight times as coarse as the one below, and takes waits of
/// fewer than 63 of its own slots.
const LEVEL_BITS: u32 = 3;
const LEVEL_SLOTS: u64 = 63;
const LEVELS: u32 = 9;

/// The time at which a timer fires that is set now for this `wait`. The wait is rounded up to ticks
/// (`usecs_to_jiffies`), and the timer fires at the end of the slot of the wheel that it falls into
/// (`calc_index` in `kernel/time/timer.c`), so up to two slots late. A slot is a tick long for waits below
/// 252 ms, eight ticks below 2 s, and so on.
#[inline]
pub(crate) fn fires(now: Instant, wait: Duration) -> Instant {
    if now + wait == Instant::FAR_FUTURE {
        return Instant::FAR_FUTURE;
    }
    let ticks = wait.as_nanos().div_ceil(TICK.as_nanos());
    let level =
        (0..LEVELS - 1).find(|l| ticks < LEVEL_SLOTS << (l * LEVEL_BITS)).unwrap_or(LEVELS - 1);
    let shift = level * LEVEL_BITS;
    let expires = now.as_nanos() / TICK.as_nanos() + ticks;
    let at = ((expires >> shift) + 1) << shift;
    Instant::from_nanos(saturating(at, TICK.as_nanos()))
}

/// The timer's purpose, and when it fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The retransmission timeout, or nothing: the core keeps its time.
    Timeout,
    /// A tail loss probe.
    Probe(Instant),
    /// The end of RACK's reordering window.
    Reordering(Instant),
}

impl LinuxRecovery {
    /// Sets the timer to the timeout.
    fn set_timeout(&mut self, core: &mut Core, at: Instant) {
        self.timer = Timer::Timeout;
        core.set_rto(at);
    }

    /// Sets the timer to another purpose than the timeout.
    fn set_timer(&mut self, core: &mut Core, timer: Timer) {
        self.timer = timer;
        core.set_rto(Instant::FAR_FUTURE);
    }

    /// Pacing delays the next segment, and so its acknowledgment, by this much (`tcp_pacing_delay`).
    #[inline]
    fn paced(core: &Core, now: Instant) -> Duration {
        core.next_departure().since(now)
    }

    /// The rest of the timeout, counted from when the oldest segment left (`tcp_rto_delta_us`).
    #[inline]
    fn rto_left(core: &Core, now: Instant) -> Option<Duration> {
        let due = core.flight().sent_at(core.snd_una())? + core.rto();
        (due > now).then(|| due.since(now))
    }

    /// A whole timeout from now.
    #[inline]
    pub(super) fn start_rto(&mut self, core: &mut Core, now: Instant) {
        let wait = core.rto() + Self::paced(core, now);
        self.set_timeout(core, fires(now, wait));
    }

    /// `tcp_rearm_rto`: a timeout from now, or the rest of it after a probe or a reordering window.
    pub(super) fn rearm_rto(&mut self, core: &mut Core, now: Instant) {
        if core.outstanding() == 0 {
            self.set_timeout(core, Instant::FAR_FUTURE);
            return;
        }
        let wait = match self.timer {
            Timer::Timeout => core.rto(),
            Timer::Probe(_) | Timer::Reordering(_) => {
                Self::rto_left(core, now).unwrap_or(Duration::from_nanos(1))
            }
        };
        let wait = wait + Self::paced(core, now);
        self.set_timeout(core, fires(now, wait));
    }

    /// `tcp_schedule_loss_probe`: outside recovery, a probe after two round trips. `anew`: the timeout
    /// too would start from now. False if no probe is due.
    pub(super) fn schedule_probe(&mut self, core: &mut Core, now: Instant, anew: bool) -> bool {
        let calm = matches!(self.state, CaState::Open | CaState::Cwr);
        if !calm || core.outstanding() == 0 {
            return false;
        }
        let srtt = core.srtt();
        let mut wait = if srtt.is_zero() {
            INITIAL
        } else if core.outstanding() == 1 {
            // The receiver may delay the acknowledgment of a lone segment.
            srtt * 2 + core.config().rto.min
        } else {
            srtt * 2 + TIMEOUT_MIN
        };
        let rto = if anew { Some(core.rto()) } else { Self::rto_left(core, now) };
        if let Some(rto) = rto {
            wait = wait.min(rto);
        }
        let wait = wait + Self::paced(core, now);
        self.set_timer(core, Timer::Probe(fires(now, wait)));
        true
    }

    /// The end of the reordering window, `wait` from now (`tcp_rack_mark_lost`).
    pub(super) fn await_reordering(&mut self, core: &mut Core, now: Instant, wait: Duration) {
        let wait = (wait + TIMEOUT_MIN).min(core.rto());
        self.set_timer(core, Timer::Reordering(fires(now, wait)));
    }

    /// `tcp_set_xmit_timer`: a probe if there may be one, else the timeout.
    #[inline]
    pub(super) fn restart_timer(&mut self, core: &mut Core, now: Instant) {
        if !self.schedule_probe(core, now, true) {
            self.rearm_rto(core, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(now_ms: u64, wait_ms: u64) -> u64 {
        let now = Instant::from_nanos(now_ms * 1_000_000);
        fires(now, Duration::from_millis(wait_ms)).since(now).as_nanos() / 1_000_000
    }

    #[test]
    fn calc_index_a_timer_is_never_early_and_late_by_two_slots_at_most() {
        for (least, most, slot) in [(1, 248, 4), (249, 2_000, 32), (2_100, 16_000, 256)] {
            for wait in (least..most).step_by(7) {
                for now in [0, 1, 3, 4, 1_001, 1_022] {
                    let late = after(now, wait) - wait;
                    assert!(late <= 2 * slot, "{wait} ms from {now}: {late}");
                }
            }
        }
    }

    #[test]
    fn calc_wheel_index_a_wait_of_63_ticks_is_the_first_in_slots_of_eight() {
        assert_eq!(after(0, 248), 252);
        assert_eq!(after(0, 252), 256);
        assert_eq!(after(4, 252), 284, "tick 64 is in the slot that ends with 72");
        assert_eq!(fires(Instant::ZERO, Duration::MAX), Instant::FAR_FUTURE);
    }

    #[test]
    fn calc_wheel_index_a_wait_of_504_ticks_is_the_first_in_slots_of_sixty_four() {
        // `LVL_START(2)` is 63 << 3. Ticks 503 and 520 are in the slots that end with 504 and 576.
        assert_eq!(after(0, 4 * 503), 4 * 504);
        assert_eq!(after(0, 4 * 520), 4 * 576);
    }
}
