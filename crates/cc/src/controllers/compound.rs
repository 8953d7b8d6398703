//! # Compound TCP: a loss-based window and a delay-based one, added up
//!
//! K. Tan, J. Song, Q. Zhang, M. Sridharan, "A Compound TCP Approach for High-speed and Long Distance
//! Networks", INFOCOM 2006; draft-sridharan-tcpm-ctcp-02, 2008. Described in
//! log-westwood-2008 section 2 as a competitor, not simulated there.
//!
//! Reno's window is small after a loss on a fast path. A second window, the delay window, is added to
//! it: it grows faster the larger the whole window is, as long as few segments wait in the queue, and
//! gives way as soon as they do. So an empty path is filled quickly, and a full one shared like Reno.
//!
//! Equations:
//!
//! ```text
//! win  = cwnd + dwnd
//! ACK:       cwnd = cwnd + 1/win
//! once a round trip, outside slow start, diff = win (1 - baseRTT/RTT):
//!     diff <  gamma:  dwnd = dwnd + max(alpha win^k - 1, 0)
//!     diff >= gamma:  dwnd = max(dwnd - zeta diff, 0)
//! loss:      cwnd = cwnd/2;  dwnd = max(win (1 - beta) - cwnd/2, 0)
//! timeout:   the same threshold, and dwnd = 0
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | win | [`Window::cwnd`] | segments |
//! | dwnd | `delay` | segments |
//! | cwnd | the difference of the two | segments |
//! | baseRTT, RTT | `base_rtt`, `CompoundRound::mean` | ns |
//! | alpha, beta, gamma, zeta | [`Params`] | 1/8, 1/2, 30 segments, 1 |
//! | k | 3/4, fixed | - |
//!
//! Rounding: `win^(3/4)` is the product of a square root and a fourth root, each rounded down to
//! 2^-16; `diff` is exact to 2^-32 segments.
//!
//! Deviations and choices:
//!
//! * log-westwood-2008 gives 0.125 as the reduction. That is the constant of the increase; the
//!   reduction is one half in the paper and in the draft.
//! * There is no threshold below which the delay window stays at zero, but that `alpha win^k - 1` is
//!   zero below 16 segments.
//! * gamma is fixed; its tuning (TUBE) is left out.
//! * The round trip's RTT is the mean of its samples.
//!
//! ECN, which the paper does not treat: a mark is answered like a loss. An undone reduction brings
//! both windows back.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::math::square_root;
use crate::slow_start::standard;
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "compound",
    aliases: &["ctcp"],
    summary: "reno's window plus one that grows while the queue is short",
    source: "Tan et al., INFOCOM 2006; draft-sridharan-tcpm-ctcp-02",
};

crate::parameters! {
    /// Compound TCP's parameters.
    pub struct Params {
        /// Growth of the delay window a round-trip time, times the window to the power of 3/4.
        pub alpha: Ratio = Ratio::new(1, 8), in Ratio::new(0, 1), Ratio::new(1, 1);
        /// Share of the whole window that a loss takes.
        pub beta: Ratio = Ratio::new(1, 2), in Ratio::new(1, 1_024), Ratio::new(1, 2);
        /// Segments in the queue from which the delay window shrinks.
        pub gamma: u64 = 30, in 1, 1 << 16;
        /// How many segments it shrinks by for each in the queue.
        pub zeta: u64 = 1, in 1, 1 << 10;
    }
}

/// One round-trip time's samples.
#[derive(Clone, Copy, Debug)]
struct CompoundRound {
    /// It ends when a segment beyond this one is acknowledged.
    end: u64,
    sum: Duration,
    samples: u64,
}

impl CompoundRound {
    fn mean(&self) -> Option<Duration> {
        (self.samples > 0).then(|| self.sum / self.samples)
    }
}

/// Compound TCP.
#[derive(Clone, Copy, Debug)]
pub struct Compound {
    params: Params,
    /// The delay window, a part of the whole.
    delay: Segments,
    /// It, before the last reduction.
    delay_before: Segments,
    base_rtt: Option<Duration>,
    round: CompoundRound,
    /// A round has ended, with this RTT, since the window last grew.
    ended: Option<Duration>,
}

/// A Compound TCP with these parameters.
pub fn new(params: &Params, _: &Setup) -> Compound {
    Compound {
        params: *params,
        delay: Segments::ZERO,
        delay_before: Segments::ZERO,
        base_rtt: None,
        round: CompoundRound { end: 0, sum: Duration::ZERO, samples: 0 },
        ended: None,
    }
}

/// `win^(3/4)`.
fn three_quarters_power(win: Segments) -> Segments {
    // With 32 fractional bits in, 16 come out of each root, and the product has 32 again.
    let root = square_root(win.raw());
    let fourth_root = square_root(root << 16);
    Segments::from_raw(root * fourth_root)
}

/// `win (1 - baseRTT/RTT)`: the segments that wait in a queue.
fn queued(win: Segments, base_rtt: Duration, rtt: Duration) -> Segments {
    win.share_of_time(base_rtt, rtt).map_or(win, |unqueued| win - unqueued)
}

impl Compound {
    /// The delay window after a round of this RTT.
    fn next_delay(&self, win: Segments, rtt: Duration) -> Segments {
        let base = self.base_rtt.unwrap_or(rtt);
        let diff = queued(win, base, rtt);
        if diff < Segments::new(self.params.gamma) {
            self.delay + (three_quarters_power(win).times(self.params.alpha) - Segments::ONE)
        } else {
            self.delay - Segments::from_raw(diff.raw().saturating_mul(self.params.zeta))
        }
    }
}

impl Controller for Compound {
    fn measure(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base_rtt = Some(self.base_rtt.map_or(rtt, |base| base.min(rtt)));
            self.round.sum += rtt;
            self.round.samples += 1;
        }
        if ack.snd_una > self.round.end {
            self.ended = self.round.mean();
            self.round = CompoundRound { end: ack.snd_nxt, sum: Duration::ZERO, samples: 0 };
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let ended = self.ended.take();
        if w.in_slow_start() {
            let grown = standard(w, grant.credit);
            if grown.left == Segments::ZERO {
                return grown.window;
            }
            let cwnd = grown.window.cwnd + grown.left.over(grown.window.cwnd);
            return Window { cwnd, ..grown.window };
        }
        let mut cwnd = w.cwnd + grant.credit.over(w.cwnd);
        if let Some(rtt) = ended {
            let delay = self.next_delay(w.cwnd, rtt);
            cwnd = (cwnd + delay - self.delay).max(Segments::TWO);
            self.delay = delay;
        }
        Window { cwnd, ..w }
    }

    fn reduce(&mut self, w: Window, cause: Cause, _: Instant) -> Reduction {
        let by_loss = (w.cwnd - self.delay).half();
        let whole = w.cwnd.times(self.params.beta.complement()).max(by_loss).max(Segments::TWO);
        self.delay_before = self.delay;
        self.delay = match cause {
            Cause::FastRetransmit | Cause::Ecn => whole - by_loss.max(Segments::TWO),
            Cause::Timeout => Segments::ZERO,
        };
        self.ended = None;
        let reason = Reason::Share(self.params.beta.complement());
        Reduction { ssthresh: whole, resume: whole, reason }
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.delay = self.delay_before;
        now_w.or_larger(before)
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        self.delay = Segments::ZERO;
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, float, setup, slow_start};

    /// Round trips of this RTT over a window: one ACK each for all of it, then the window.
    fn rounds(c: &mut Compound, mut w: Window, rtt_ms: u64, n: u64) -> Window {
        for round in 1..=n {
            let una = c.round.end + 1;
            c.measure(&ack(round * rtt_ms, rtt_ms, una, una + w.cwnd.whole()));
            w = c.grow(w, &Grant::open(Instant::ZERO, w.cwnd.floor()));
        }
        w
    }

    #[test]
    fn the_power_is_that_of_the_whole_numbers_that_have_one() {
        for (win, power) in [(1, 1), (16, 8), (81, 27), (10_000, 1_000), (1 << 20, 1 << 15)] {
            assert_eq!(three_quarters_power(Segments::new(win)), Segments::new(power));
        }
        assert!((float(three_quarters_power(Segments::new(1_500))) - 241.028).abs() < 0.001);
    }

    #[test]
    fn on_an_empty_path_both_windows_grow() {
        let mut c = new(&Params::default(), &setup());
        // 10,000 segments: 1000/8 - 1 for the delay window, 1 for the other. The first round's end
        // is the first ACK.
        let w = rounds(&mut c, avoidance(Segments::new(10_000)), 100, 1);
        assert!((float(w.cwnd) - 10_125.0).abs() < 0.01, "{:?}", w.cwnd);
        assert_eq!(c.delay, Segments::new(124));
    }

    #[test]
    fn below_sixteen_segments_it_is_reno() {
        let mut c = new(&Params::default(), &setup());
        let w = rounds(&mut c, avoidance(Segments::new(10)), 100, 1);
        assert!((float(w.cwnd) - 11.0).abs() < 0.01);
        assert_eq!(c.delay, Segments::ZERO);
    }

    #[test]
    fn a_queue_takes_the_delay_window_away() {
        let mut c = new(&Params::default(), &setup());
        let mut w = rounds(&mut c, avoidance(Segments::new(1_000)), 100, 5);
        let full = c.delay;
        assert!(full > Segments::new(100), "{full:?}");
        // 100 of 1000 segments wait.
        w.cwnd = Segments::new(1_000);
        rounds(&mut c, w, 111, 1);
        let taken = float(full) - float(c.delay);
        assert!((99.0..101.0).contains(&taken), "{taken}");
        rounds(&mut c, w, 130, 1);
        assert_eq!(c.delay, Segments::ZERO);
    }

    #[test]
    fn a_loss_halves_the_whole_and_a_timeout_ends_the_delay_window() {
        let mut c = new(&Params::default(), &setup());
        c.delay = Segments::new(600);
        let w = avoidance(Segments::new(1_000));
        let r = c.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        assert_eq!((r.resume, r.ssthresh), (Segments::new(500), Segments::new(500)));
        // Of 400 in the loss window 200 are left.
        assert_eq!(c.delay, Segments::new(300));
        c.undone(avoidance(r.resume), w, Instant::ZERO);
        assert_eq!(c.delay, Segments::new(600));
        c.reduce(w, Cause::Timeout, Instant::ZERO);
        assert_eq!(c.delay, Segments::ZERO);
    }

    #[test]
    fn slow_start_is_the_standard_one() {
        let mut c = new(&Params::default(), &setup());
        let w = rounds(&mut c, slow_start(100), 100, 1);
        assert_eq!((w.cwnd, c.delay), (Segments::new(200), Segments::ZERO));
    }
}
