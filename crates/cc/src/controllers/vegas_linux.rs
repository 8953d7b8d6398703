//! # Vegas as Linux 6.1 ships it
//!
//! Linux 6.1, `net/ipv4/tcp_vegas.c`, after L. S. Brakmo, L. L. Peterson, "TCP Vegas: End to End
//! Congestion Avoidance on a Global Internet", IEEE JSAC 13(8), 1995.
//!
//! Once a round-trip time the window is compared with what it would be without a queue; the
//! difference is kept between two and four segments. Slow start doubles every round-trip time, and
//! ends when the difference exceeds one segment. Losses are Reno's.
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `baseRTT` | `times.base_us` | us, plus 1 |
//! | `minRTT` | `times.least_us` | us, plus 1 |
//! | `cntRTT` | `times.samples` | - |
//! | `beg_snd_nxt` | `times.end` | sequence number |
//!
//! * `diff = cwnd (rtt - base) / base` with the smallest round-trip time of the round, not the mean:
//!   delayed ACKs do not count.
//! * Slow start, `diff > gamma`: `cwnd = min(cwnd, cwnd base / rtt + 1)`, and ssthresh with it.
//! * Avoidance: one segment up if `diff < alpha`, down if `diff > beta`. Then
//!   `ssthresh = max(ssthresh, 3/4 cwnd)`.
//! * A round with two samples or less, and any time after a loss or behind a hole until none is left, is
//!   Reno's.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviation, under recoveries other than `linux`: a timeout leaves nothing in flight, so that the copy after
//! it forgets the smallest round-trip time. The kernel leaves young segments in flight, and keeps it then.
//!
//! As in the kernel a hole in the data switches the rounds off, and they begin again when none is left
//! (`tcp_vegas_state`).

use crate::controller::{Ack, Cause, Controller, Grant, Reduction, Setup, Window, window_only};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count, RoundTimes};
use crate::units::{Duration, Instant, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "vegas-linux",
    aliases: &[],
    summary: "Vegas in the kernel's integers, slow start every round-trip time",
    source: "Linux 6.1 tcp_vegas.c",
};

crate::parameters! {
    /// The module's parameters.
    pub struct Params {
        /// Segments in the queue below which the window grows.
        pub alpha: u64 = 2, in 0, 1 << 16;
        /// Segments in the queue above which the window shrinks.
        pub beta: u64 = 4, in 0, 1 << 16;
        /// Segments in the queue at which slow start ends.
        pub gamma: u64 = 1, in 0, 1 << 16;
    }
}

/// Linux's Vegas.
#[derive(Clone, Copy, Debug)]
pub struct VegasLinux {
    params: Params,
    count: Count,
    state: CongestionState,
    /// False after a loss or behind a hole: Reno's growth.
    counting: bool,
    pub(super) times: RoundTimes,
}

/// A Vegas of Linux's with these parameters.
pub fn new(params: &Params, _: &Setup) -> VegasLinux {
    VegasLinux {
        params: *params,
        count: Count::default(),
        state: CongestionState::Open,
        counting: true,
        times: RoundTimes::new(),
    }
}

/// `diff`: how many of the window's segments wait in a queue.
fn queued(cwnd: u64, rtt_us: u64, base_us: u64) -> u64 {
    cwnd.saturating_mul(rtt_us.saturating_sub(base_us)) / base_us.max(1)
}

/// The window that has the present rate without a queue.
fn unqueued(cwnd: u64, rtt_us: u64, base_us: u64) -> u64 {
    cwnd.saturating_mul(base_us) / rtt_us.max(1)
}

impl VegasLinux {
    /// `vegas_enable`: the next round begins with the next segment sent.
    fn enable(&mut self) {
        self.counting = true;
        self.times.begin();
    }

    /// `tcp_reno_cong_avoid`, which asks whether the window limits the sender. Vegas' own steps do not.
    fn reno(&mut self, w: Window, grant: &Grant) -> Window {
        if !grant.cwnd_limited {
            return w;
        }
        linux::reno(w, grant.credit.whole(), &mut self.count)
    }

    /// The once-per-round adjustment.
    fn adjust(&self, w: Window, acked: u64) -> Window {
        let cwnd = w.cwnd.whole();
        let (rtt, base) = (self.times.least_us, self.times.base_us);
        let diff = queued(cwnd, rtt, base);
        let mut w = match (w.in_slow_start(), diff) {
            (true, d) if d > self.params.gamma => lower(w, cwnd.min(unqueued(cwnd, rtt, base) + 1)),
            (true, _) => linux::slow_start(w, acked).0,
            (false, d) if d > self.params.beta => lower(w, cwnd - 1),
            (false, d) if d < self.params.alpha => linux::with_cwnd(w, cwnd + 1),
            (false, _) => w,
        };
        w.cwnd = w.cwnd.max(Segments::TWO);
        // `tcp_current_ssthresh`
        let cwnd = w.cwnd.whole();
        w.ssthresh = w.ssthresh.max(Segments::new(cwnd / 2 + cwnd / 4));
        w
    }
}

/// A window that has turned out too large: ssthresh is not left above it. Two is the project's floor;
/// the kernel has none here.
fn lower(w: Window, cwnd: u64) -> Window {
    let w = linux::with_cwnd(w, cwnd);
    Window { ssthresh: w.ssthresh.min(w.cwnd.max(Segments::TWO)), ..w }
}

impl Controller for VegasLinux {
    /// `tcp_vegas_pkts_acked`.
    fn measure(&mut self, ack: &Ack) {
        self.times.measure(ack);
        if self.state.measured(ack) {
            self.enable();
        } else if self.state == CongestionState::Disorder {
            self.counting = false;
        }
    }

    /// `tcp_vegas_cong_avoid`.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        if self.state.granted(grant.phase) {
            self.enable();
        }
        let w = linux::whole(w);
        let acked = grant.credit.whole();
        if !self.counting {
            return self.reno(w, grant);
        }
        if !self.times.is_over() {
            return if w.in_slow_start() { linux::slow_start(w, acked).0 } else { w };
        }
        let next =
            if self.times.samples <= 2 { self.reno(w, grant) } else { self.adjust(w, acked) };
        self.times.begin();
        next
    }

    /// `tcp_reno_ssthresh`.
    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.count.clear();
        self.state = CongestionState::Reduced;
        self.counting = false;
        linux::halved(w)
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        self.enable();
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        self.enable();
        linux::undone(now_w, before)
    }

    /// `tcp_vegas_cwnd_event`: everything measured is forgotten, and rounds are counted even while a timeout
    /// is repaired whose copy had nothing in flight before it.
    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        self.times.forget();
        self.counting = true;
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup, slow_start};

    /// One round of `n` ACKs with this round-trip time, the last of which ends it.
    fn round(c: &mut VegasLinux, mut w: Window, rtt_ms: u64, from: u64) -> Window {
        let n = w.cwnd.whole();
        for i in 1..=n {
            c.measure(&ack(from, rtt_ms, from + i, from + i + n));
            w = c.grow(w, &Grant::open(Instant::from_nanos(from), Segments::ONE));
        }
        w
    }

    /// After a first round that sets the smallest round-trip time to 100 ms.
    fn settled() -> VegasLinux {
        let mut c = new(&Params::default(), &setup());
        round(&mut c, avoidance(Segments::new(20)), 100, 0);
        c
    }

    #[test]
    fn the_window_moves_by_one_segment_a_round_towards_two_to_four_in_the_queue() {
        // At 20 segments and 100 ms, 5 ms of queue hold one segment, 15 three, 30 six.
        for (rtt_ms, delta) in [(105, 1), (115, 0), (130, -1)] {
            let mut c = settled();
            let w = avoidance(Segments::new(20));
            c.times.begin();
            c.times.end = 40;
            let mut now = w;
            for i in 1..=41 {
                c.measure(&ack(i, rtt_ms, i, i + 20));
                now = c.grow(now, &Grant::open(Instant::ZERO, Segments::ONE));
            }
            assert_eq!(now.cwnd.whole().cast_signed(), 20 + delta, "{rtt_ms}");
        }
    }

    #[test]
    fn slow_start_ends_at_the_window_that_needs_no_queue() {
        let mut c = new(&Params::default(), &setup());
        c.times.base_us = 100_001;
        c.times.least_us = 110_001;
        c.times.samples = 10;
        (c.times.snd_una, c.times.snd_nxt) = (50, 90);
        let w = c.grow(slow_start(40), &Grant::open(Instant::ZERO, Segments::ONE));
        // 40 * 100/110 = 36.4, and one more.
        assert_eq!((w.cwnd.whole(), w.ssthresh.whole()), (37, 37));
    }

    #[test]
    fn slow_start_doubles_while_the_queue_is_empty() {
        let mut c = new(&Params::default(), &setup());
        let w = round(&mut c, slow_start(10), 100, 0);
        assert_eq!(w.cwnd.whole(), 20);
    }

    #[test]
    fn a_round_with_two_samples_grows_like_reno() {
        let mut c = new(&Params::default(), &setup());
        (c.times.samples, c.times.snd_una) = (2, 5);
        c.times.base_us = 1;
        let w =
            c.grow(avoidance(Segments::new(10)), &Grant::open(Instant::ZERO, Segments::new(10)));
        assert_eq!(w.cwnd.whole(), 11);
    }

    #[test]
    fn a_loss_halves_and_the_next_round_is_measured_afresh() {
        let mut c = settled();
        let r = c.reduce(avoidance(Segments::new(21)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(r.resume, Segments::new(10));
        assert!(!c.counting);
        c.recovered(avoidance(r.resume), Instant::ZERO);
        assert!(c.counting);
        assert_eq!((c.times.samples, c.times.end), (0, c.times.snd_nxt));
    }

    #[test]
    fn slow_start_goes_on_where_the_window_does_not_limit_the_sender() {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(0, 100, 1, 11));
        let idle = Grant { cwnd_limited: false, ..Grant::open(Instant::ZERO, Segments::ONE) };
        let w = slow_start(10);
        c.grow(w, &idle);
        assert_eq!(c.grow(w, &idle).cwnd.whole(), 11);
        // Reno's step asks.
        c.counting = false;
        assert_eq!(c.grow(w, &idle), w);
    }

    #[test]
    fn a_copy_with_nothing_in_flight_has_the_base_measured_anew_while_a_timeout_is_repaired() {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(0, 50, 1, 11));
        let w = avoidance(Segments::new(100));
        c.reduce(w, Cause::Timeout, Instant::ZERO);
        assert!(!c.counting && c.times.base_us == 50_001);
        c.restarted(w, Duration::ZERO, Instant::ZERO);
        c.measure(&ack(1, 80, 2, 12));
        assert!(c.counting && c.times.base_us == 80_001);
    }
}
