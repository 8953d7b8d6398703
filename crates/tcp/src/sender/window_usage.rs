//! How full the window was: congestion window validation.
//!
//! A window that did not limit the sender says nothing about the path, so it does not grow. The rule is
//! Linux's `tcp_is_cwnd_limited`. It asks for the fullest moment of a round-trip time, not the moment when an
//! ACK arrives: a paced sender fills its window only for part of the time.
//!
//! It is stricter than RFC 7661 section 4.3, by which half of the window in use validates it. Of that RFC the
//! reduction after a loss (section 4.4) and the five minutes for which an unused window is kept are left out:
//! a restart after an idle time is RFC 5681's (section 4.1).

use westwood_cc::Window;

/// How full the window was in the present round and in the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowUsage {
    /// The present round ends when all below is acknowledged.
    until: u64,
    this_round: RoundUsage,
    last_round: RoundUsage,
}

#[derive(Clone, Copy, Debug, Default)]
struct RoundUsage {
    /// Most segments in flight.
    max_in_flight: u64,
    /// The window was full at some time.
    full: bool,
}

impl WindowUsage {
    /// Segments have left: `in_flight` includes them all, and `snd_max` is beyond the first of them.
    #[inline]
    pub(crate) fn sent(&mut self, in_flight: u64, w: Window, snd_una: u64, snd_max: u64) {
        if snd_una >= self.until {
            self.last_round = core::mem::take(&mut self.this_round);
            self.until = snd_max;
        }
        self.this_round.max_in_flight = self.this_round.max_in_flight.max(in_flight);
        self.this_round.full |= in_flight >= w.cwnd.whole();
    }

    /// True if the window was full at some time.
    pub(crate) fn full(&self) -> bool {
        self.this_round.full || self.last_round.full
    }

    /// True if the window limited the sender. In slow start half of it is enough, since it doubles.
    #[inline]
    pub(crate) fn limited(&self, w: Window) -> bool {
        is_cwnd_limited(
            self.full(),
            self.this_round.max_in_flight.max(self.last_round.max_in_flight),
            w,
        )
    }
}

/// `tcp_is_cwnd_limited`: the window was full, or in slow start more than half of it was used.
#[inline]
pub(crate) fn is_cwnd_limited(full: bool, max_in_flight: u64, w: Window) -> bool {
    full || (w.in_slow_start() && w.cwnd.whole() < 2 * max_in_flight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Segments;

    fn window(cwnd: u64, ssthresh: u64) -> Window {
        Window { cwnd: Segments::new(cwnd), ssthresh: Segments::new(ssthresh) }
    }

    #[test]
    fn a_window_that_was_full_once_in_the_last_two_rounds_limits_the_sender() {
        let w = window(4, 2);
        let mut window_usage = WindowUsage::default();
        for n in 1..=4 {
            window_usage.sent(n, w, 0, n);
        }
        assert!(window_usage.limited(w));
        // Two rounds with two segments each.
        window_usage.sent(1, w, 4, 5);
        window_usage.sent(2, w, 4, 6);
        assert!(window_usage.limited(w));
        window_usage.sent(1, w, 6, 7);
        assert!(!window_usage.limited(w));
    }

    #[test]
    fn in_slow_start_more_than_half_of_the_window_is_enough() {
        let w = window(5, 100);
        let mut window_usage = WindowUsage::default();
        window_usage.sent(2, w, 0, 2);
        assert!(!window_usage.limited(w));
        window_usage.sent(3, w, 0, 3);
        assert!(window_usage.limited(w));
        assert!(!window_usage.limited(window(5, 5)));
    }
}
