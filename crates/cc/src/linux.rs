//! The habits that Linux's controllers share: whole windows, a count of segments, ticks of a clock.
//!
//! Linux 6.1, `net/ipv4/tcp_cong.c`. A window there is a whole number of segments, and growth by less
//! than one is a count of acknowledged segments beside it. The count lives in the controller, so the
//! windows handed back are whole.

use crate::controller::{Ack, Phase, Reason, Reduction, Window};
use crate::math::scale;
use crate::units::{Duration, Instant, NS_PER_S, Ratio, Segments};

/// `snd_cwnd_cnt`: segments acknowledged towards the next segment of growth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count(u64);

impl Count {
    /// `tcp_cong_avoid_ai`: the next window, growing by one segment for every `per` acknowledged.
    ///
    /// A count gathered at a larger `per` is spent first, on one segment whatever it was worth.
    pub(crate) fn spend(&mut self, cwnd: u64, per: u64, acked: u64) -> u64 {
        let per = per.max(1);
        let mut cwnd = cwnd;
        if self.0 >= per {
            self.0 = 0;
            cwnd += 1;
        }
        self.0 += acked;
        cwnd += self.0 / per;
        self.0 %= per;
        cwnd
    }

    /// Segments counted so far.
    pub(crate) fn get(self) -> u64 {
        self.0
    }

    /// Counts without growth.
    pub(crate) fn add(&mut self, acked: u64) {
        self.0 += acked;
    }

    /// Takes `n` off the count. False, and as it was, if there are fewer.
    pub(crate) fn take(&mut self, n: u64) -> bool {
        let full = self.0 >= n;
        if full {
            self.0 -= n;
        }
        full
    }

    /// A reduction forgets the count (`tcp_init_cwnd_reduction`, `tcp_enter_loss`).
    pub(crate) fn clear(&mut self) {
        self.0 = 0;
    }
}

/// `icsk_ca_state`, as far as controllers ask for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CongestionState {
    /// No segment is missing.
    #[default]
    Open,
    /// A segment behind another has arrived first, and no loss is known.
    Disorder,
    /// From a reduction until what was outstanding is acknowledged: `CWR`, `Recovery` and `Loss`.
    Reduced,
}

impl CongestionState {
    /// Takes in an ACK after its measurement. True if it comes back to [`Open`](Self::Open).
    ///
    /// Segments that are neither acknowledged nor in flight are reported or lost.
    pub(crate) fn measured(&mut self, ack: &Ack) -> bool {
        let before = *self;
        if before != Self::Reduced {
            let outstanding = ack.snd_nxt.saturating_sub(ack.snd_una);
            *self = if ack.in_flight < outstanding { Self::Disorder } else { Self::Open };
        }
        before == Self::Disorder && *self == Self::Open
    }

    /// Takes in a grant. True if it is the first outside the repair after a timeout.
    pub(crate) fn granted(&mut self, phase: Phase) -> bool {
        let opens = *self == Self::Reduced && phase == Phase::Open;
        if opens {
            *self = Self::Open;
        }
        opens
    }
}

/// `tcp_slow_start`: the next window, and what is left of the segments acknowledged once it has
/// reached ssthresh.
pub(crate) fn slow_start(w: Window, acked: u64) -> (Window, u64) {
    let cwnd = w.cwnd.whole();
    let next = (cwnd + acked).min(w.ssthresh.whole()).max(cwnd);
    (with_cwnd(w, next), acked - (next - cwnd))
}

/// `tcp_reno_cong_avoid`.
pub(crate) fn reno(w: Window, acked: u64, count: &mut Count) -> Window {
    let (w, left) = if w.in_slow_start() { slow_start(w, acked) } else { (w, acked) };
    if left == 0 {
        return w;
    }
    with_cwnd(w, count.spend(w.cwnd.whole(), w.cwnd.whole(), left))
}

/// `tcp_reno_ssthresh`: half of the window, two segments at least.
pub(crate) fn halved(w: Window) -> Reduction {
    let ssthresh = w.cwnd.half().floor().max(Segments::TWO);
    Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(Ratio::new(1, 2)) }
}

/// `tcp_undo_cwnd_reduction` with `tcp_reno_undo_cwnd`.
pub(crate) fn undone(now_w: Window, before: Window) -> Window {
    Window {
        cwnd: now_w.cwnd.max(before.cwnd.floor()),
        ssthresh: now_w.ssthresh.max(before.ssthresh),
    }
}

/// This window with another cwnd, at least one segment.
pub(crate) fn with_cwnd(w: Window, cwnd: u64) -> Window {
    Window { cwnd: Segments::new(cwnd.max(1)), ..w }
}

/// The window as Linux keeps it: without fractions, at least one segment.
pub(crate) fn whole(w: Window) -> Window {
    Window { ssthresh: w.ssthresh.floor(), ..with_cwnd(w, w.cwnd.whole()) }
}

/// `jiffies` of a clock with `hz` ticks a second, counted from time zero.
pub(crate) const fn jiffies(now: Instant, hz: u64) -> u64 {
    scale(now.as_nanos(), hz, NS_PER_S)
}

/// `jiffies` of a point in time in whole microseconds.
pub(crate) const fn jiffies_of(us: u64, hz: u64) -> u64 {
    scale(us, hz, 1_000_000)
}

/// `usecs_to_jiffies`: the ticks that a span touches, rounded up.
pub(crate) const fn jiffies_in(us: u64, hz: u64) -> u64 {
    us.div_ceil(1_000_000 / hz)
}

/// A span of whole ticks.
pub(crate) const fn from_jiffies(ticks: u64, hz: u64) -> Duration {
    Duration::from_nanos(scale(ticks, NS_PER_S, hz))
}

/// Whole microseconds of a span, the unit of the kernel's round-trip times.
pub(crate) const fn micros(d: Duration) -> u64 {
    d.as_nanos() / 1_000
}

/// `tcp_mstamp`: whole microseconds of a point in time.
pub(crate) const fn stamp(now: Instant) -> u64 {
    now.as_nanos() / 1_000
}

/// A round-trip time that ends now as Linux takes it (`tcp_stamp_us_delta`): the difference of two
/// readings of a clock of whole microseconds. The same span is then longer by one at some times.
pub(crate) const fn rtt_us(rtt: Duration, now: Instant) -> u64 {
    let (rtt, now) = (rtt.as_nanos(), now.as_nanos());
    // Nanoseconds that the reading at sending left out.
    let left_out = (now % 1_000 + 1_000 - rtt % 1_000) % 1_000;
    (rtt + left_out) / 1_000
}

/// The round-trip times of `tcp_vegas.c`: the smallest of a round, and of all since the start or the last
/// time that nothing was in flight. In microseconds, plus 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTimes {
    /// `baseRTT`.
    pub(crate) base_us: u64,
    /// `minRTT`.
    pub(crate) least_us: u64,
    /// `cntRTT`.
    pub(crate) samples: u64,
    /// `beg_snd_nxt`: the round is over when more than this is acknowledged.
    pub(crate) end: u64,
    pub(crate) snd_una: u64,
    pub(crate) snd_nxt: u64,
}

impl RoundTimes {
    pub(crate) const fn new() -> Self {
        Self { base_us: u64::MAX, least_us: u64::MAX, samples: 0, end: 0, snd_una: 0, snd_nxt: 0 }
    }

    /// `tcp_vegas_pkts_acked`.
    pub(crate) fn measure(&mut self, ack: &Ack) {
        (self.snd_una, self.snd_nxt) = (ack.snd_una, ack.snd_nxt);
        if let Some(rtt) = ack.rtt {
            let rtt_us = micros(rtt) + 1;
            self.base_us = self.base_us.min(rtt_us);
            self.least_us = self.least_us.min(rtt_us);
            self.samples += 1;
        }
    }

    /// True once a segment sent after the round began is acknowledged.
    pub(crate) fn is_over(&self) -> bool {
        self.snd_una > self.end
    }

    /// The next round begins with the next segment sent.
    pub(crate) fn begin(&mut self) {
        self.end = self.snd_nxt;
        self.samples = 0;
        self.least_us = u64::MAX;
    }

    /// `tcp_vegas_init`: everything measured is forgotten.
    pub(crate) fn forget(&mut self) {
        self.base_us = u64::MAX;
        self.begin();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u64, ssthresh: u64) -> Window {
        Window { cwnd: Segments::new(cwnd), ssthresh: Segments::new(ssthresh) }
    }

    #[test]
    fn a_round_trip_time_is_the_difference_of_two_readings() {
        let at = |ns| Instant::from_nanos(ns);
        // Sent at 9,999 and at 9,000 ns, which the clock reads as 9 us.
        assert_eq!(rtt_us(Duration::from_nanos(5_001), at(15_000)), 15 - 9);
        assert_eq!(rtt_us(Duration::from_nanos(6_999), at(15_999)), 15 - 9);
        for (sent, now) in [(0, 999), (1, 1_000), (999, 1_000), (123_456, 789_012), (1_000, 3_000)]
        {
            let rtt = Duration::from_nanos(now - sent);
            assert_eq!(rtt_us(rtt, at(now)), now / 1_000 - sent / 1_000, "{sent} to {now}");
        }
    }

    #[test]
    fn ten_acks_at_ten_segments_add_one() {
        let mut count = Count::default();
        let mut cwnd = 10;
        for _ in 0..9 {
            cwnd = count.spend(cwnd, cwnd, 1);
        }
        assert_eq!(cwnd, 10);
        assert_eq!(count.spend(cwnd, cwnd, 1), 11);
    }

    #[test]
    fn a_count_gathered_at_a_slower_pace_is_worth_one_segment() {
        let mut count = Count::default();
        assert_eq!(count.spend(100, 100, 90), 100);
        // The pace changes to one in ten: 90 would be worth nine.
        assert_eq!(count.spend(100, 10, 2), 101);
        assert_eq!(count.spend(101, 10, 8), 102);
    }

    #[test]
    fn a_stretched_ack_is_split_at_ssthresh() {
        let (w, left) = slow_start(window(8, 10), 5);
        assert_eq!((w.cwnd.whole(), left), (10, 3));
        let mut count = Count::default();
        assert_eq!(reno(window(8, 10), 5, &mut count).cwnd.whole(), 10);
        assert_eq!(count.spend(10, 10, 7), 11);
    }

    #[test]
    fn a_span_of_a_microsecond_touches_one_tick() {
        assert_eq!(jiffies_in(1, 250), 1);
        assert_eq!(jiffies_in(4_001, 250), 2);
        assert_eq!(jiffies(Instant::from_nanos(7_999_999), 250), 1);
    }
}
