//! # YeAH as Linux 6.1 ships it: fast while the queue is short, then Reno
//!
//! A. Baiocchi, A. P. Castellani, F. Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007. Linux
//! 6.1, `net/ipv4/tcp_yeah.c`.
//!
//! Two modes, chosen once a round-trip time. In the fast mode the window grows as Scalable TCP's. When the
//! queue holds too many segments, or delays too much, the mode is slow: the growth is Reno's, and a queue
//! of too many segments is taken off the window. A loss takes only the queue, unless a Reno flow seems to
//! share the path.
//!
//! ```text
//! Q = (RTT_min - RTT_base) cwnd / RTT_min                    segments in the queue
//! L = (RTT_min - RTT_base) / RTT_base                        load of the network
//! fast:  Q <= Q_max and L <= 1/phi:  cwnd += 1 for every min(cwnd, 100) segments
//! slow:  otherwise:                  cwnd += 1 for every cwnd segments
//!        Q > Q_max, cwnd > cwnd_reno: cwnd = ssthresh = max(cwnd - min(Q / gamma, cwnd / 2), cwnd_reno)
//! loss:  cwnd -= max(min(Q, cwnd / 2), cwnd / 8)             up to 15 slow rounds before
//!        cwnd -= cwnd / 2                                    else
//! ```
//!
//! `cwnd_reno` follows the window that a Reno flow would have: half of the window at the first slow round,
//! one more for each after it, half after a loss, and 2 again after more than 50 fast rounds.
//!
//! | paper | kernel | here | value, unit |
//! |---|---|---|---|
//! | Q_max | `TCP_YEAH_ALPHA` | `MOST_QUEUED` | 80 segments |
//! | phi | `TCP_YEAH_PHY` | `LEAST_BASES` | 8 |
//! | gamma | `TCP_YEAH_GAMMA` | - | 1 |
//! | epsilon, delta | `TCP_YEAH_EPSILON`, `TCP_YEAH_DELTA` | - | 1/2, 1/8 |
//! | rho | `TCP_YEAH_RHO` | `COMPETING_ROUNDS` | 16 rounds |
//! | zeta | `TCP_YEAH_ZETA` | `ALONE_ROUNDS` | 50 rounds |
//! | count_reno | `doing_reno_now` | `slow_rounds` | - |
//! | count_fast | `fast_count` | `fast_rounds` | - |
//! | cwnd_reno | `reno_count` | `reno_window` | segments |
//! | Q | `lastQ` | `queued` | segments |
//!
//! Rounds and their times are Vegas', see [`vegas_linux`](super::vegas_linux): a round with two samples or
//! less chooses nothing, and a change back from a loss or disorder begins a round.
//!
//! Rounding: all quotients down.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations: no window is below two segments. Under recoveries other than `linux` a timeout leaves nothing
//! in flight, so that the copy after it forgets the smallest round-trip time. The kernel leaves young
//! segments in flight, and keeps it then.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, CongestionState, Count, RoundTimes};
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "yeah",
    aliases: &[],
    summary: "Scalable's growth while the queue is short, then Reno's, and the queue is drained",
    source: "Linux 6.1 tcp_yeah.c; Baiocchi, Castellani and Vacirca, 2007",
};

crate::parameters! {
    /// The module has no parameters.
    pub struct Params {}
}

/// As many segments may wait in the queue: more of them are taken off the window.
const MOST_QUEUED: u64 = 80;
/// A queue of more than this part of the smallest round-trip time is a load.
const LEAST_BASES: u64 = 8;
/// Slow rounds on end after which a loss is a Reno flow's.
const COMPETING_ROUNDS: u64 = 16;
/// Fast rounds without a loss after which there is no Reno flow.
const ALONE_ROUNDS: u64 = 50;
/// Scalable's growth: one segment for as many.
const SCALABLE: u64 = 100;

/// Linux's YeAH.
#[derive(Clone, Copy, Debug)]
pub struct Yeah {
    count: Count,
    state: CongestionState,
    pub(super) times: RoundTimes,
    queued: u64,
    /// Slow rounds on end: none in the fast mode.
    slow_rounds: u64,
    fast_rounds: u64,
    reno_window: u64,
}

/// A YeAH of Linux's.
pub fn new(_: &Params, _: &Setup) -> Yeah {
    Yeah {
        count: Count::default(),
        state: CongestionState::Open,
        times: RoundTimes::new(),
        queued: 0,
        slow_rounds: 0,
        fast_rounds: 0,
        reno_window: 2,
    }
}

impl Yeah {
    /// The growth of the mode.
    fn grow_by_mode(&mut self, w: Window, acked: u64) -> Window {
        let (w, left) = if w.in_slow_start() { linux::slow_start(w, acked) } else { (w, acked) };
        if left == 0 {
            return w;
        }
        let cwnd = w.cwnd.whole();
        let per = if self.slow_rounds == 0 { cwnd.min(SCALABLE) } else { cwnd };
        linux::with_cwnd(w, self.count.spend(cwnd, per, left))
    }

    /// Chooses the mode of the next round.
    fn end_round(&mut self, w: Window) -> Window {
        let cwnd = w.cwnd.whole();
        let (rtt, base) = (self.times.least_us, self.times.base_us);
        let delay = rtt.saturating_sub(base);
        self.queued = cwnd.saturating_mul(delay) / rtt.max(1);
        if self.queued > MOST_QUEUED || delay > base / LEAST_BASES {
            self.slow_round(w)
        } else {
            self.fast_round();
            w
        }
    }

    fn fast_round(&mut self) {
        self.fast_rounds += 1;
        if self.fast_rounds > ALONE_ROUNDS {
            self.reno_window = 2;
            self.fast_rounds = 0;
        }
        self.slow_rounds = 0;
    }

    fn slow_round(&mut self, w: Window) -> Window {
        let cwnd = w.cwnd.whole();
        let w = if self.queued > MOST_QUEUED && cwnd > self.reno_window {
            let left = Segments::new((cwnd - self.queued.min(cwnd / 2)).max(self.reno_window));
            Window { cwnd: left, ssthresh: left }
        } else {
            w
        };
        self.reno_window = if self.reno_window <= 2 {
            (w.cwnd.whole() / 2).max(2)
        } else {
            self.reno_window.saturating_add(1)
        };
        self.slow_rounds += 1;
        w
    }
}

impl Controller for Yeah {
    fn measure(&mut self, ack: &Ack) {
        self.times.measure(ack);
        if self.state.measured(ack) {
            self.times.begin();
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        if self.state.granted(grant.phase) {
            self.times.begin();
        }
        let mut w = self.grow_by_mode(linux::whole(w), grant.credit.whole());
        if self.times.is_over() {
            if self.times.samples > 2 {
                w = self.end_round(w);
            }
            self.times.begin();
        }
        w
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let cwnd = w.cwnd.whole();
        let half = (cwnd / 2).max(2);
        let taken = if self.slow_rounds < COMPETING_ROUNDS {
            self.queued.min(half).max(cwnd / 8)
        } else {
            half
        };
        self.fast_rounds = 0;
        self.reno_window = (self.reno_window / 2).max(2);
        self.count.clear();
        self.state = CongestionState::Reduced;
        let left = cwnd.saturating_sub(taken);
        let share = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let ssthresh = Segments::new(left).max(Segments::TWO);
        let reason = Reason::Share(Ratio::new(share(left), share(cwnd).max(1)));
        Reduction { ssthresh, resume: ssthresh, reason }
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        self.times.begin();
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.state = CongestionState::Open;
        self.times.begin();
        linux::undone(now_w, before)
    }

    /// `CA_EVENT_TX_START`.
    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        self.times.forget();
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup};

    /// Ends a round of 10 samples whose smallest round-trip time is `rtt_us`, beside 100 ms at all.
    fn round(c: &mut Yeah, cwnd: u64, rtt_us: u64) -> Window {
        c.times.base_us = 100_000;
        c.times.least_us = rtt_us;
        c.times.samples = 10;
        c.end_round(avoidance(Segments::new(cwnd)))
    }

    fn yeah() -> Yeah {
        new(&Params::default(), &setup())
    }

    #[test]
    fn fast_adds_a_segment_for_a_hundred_and_slow_one_for_the_window() {
        let mut c = yeah();
        let w = avoidance(Segments::new(1_000));
        assert_eq!(c.grow_by_mode(w, 100).cwnd.whole(), 1_001);
        c.slow_rounds = 1;
        assert_eq!(c.grow_by_mode(w, 100).cwnd.whole(), 1_000);
        assert_eq!(c.grow_by_mode(w, 900).cwnd.whole(), 1_001);
    }

    #[test]
    fn a_delay_of_an_eighth_or_eighty_segments_in_the_queue_make_it_slow() {
        for (cwnd, rtt_us, rounds) in [
            (100, 112_500, 0), // 11 segments, an eighth of the base
            (100, 112_501, 1),
            (1_000, 108_800, 0), // 80 segments
            (1_000, 108_900, 1), // 81
        ] {
            let mut c = yeah();
            round(&mut c, cwnd, rtt_us);
            assert_eq!(c.slow_rounds, rounds, "{cwnd} {rtt_us}");
        }
    }

    #[test]
    fn more_than_eighty_segments_are_taken_off_but_half_the_window_at_most() {
        // 1000 * 25/125 = 200 in the queue.
        assert_eq!(
            round(&mut yeah(), 1_000, 125_000),
            Window { cwnd: Segments::new(800), ssthresh: Segments::new(800) }
        );
        assert_eq!(round(&mut yeah(), 1_000, 300_000).cwnd.whole(), 500);
    }

    #[test]
    fn the_window_of_a_reno_flow_is_never_gone_below() {
        let mut c = yeah();
        round(&mut c, 1_000, 125_000);
        assert_eq!(c.reno_window, 400);
        for _ in 0..50 {
            round(&mut c, 100, 113_000);
        }
        assert_eq!(c.reno_window, 450);
        assert_eq!(round(&mut c, 500, 125_000).cwnd.whole(), 450);
        c.reduce(avoidance(Segments::new(500)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(c.reno_window, 225);
        for _ in 0..51 {
            round(&mut c, 100, 100_000);
        }
        assert_eq!(c.reno_window, 2);
    }

    #[test]
    fn a_loss_takes_the_queue_at_least_an_eighth_and_half_beside_a_reno_flow() {
        let lose = |c: &mut Yeah| {
            let r = c.reduce(avoidance(Segments::new(800)), Cause::FastRetransmit, Instant::ZERO);
            r.ssthresh.whole()
        };
        let mut c = yeah();
        assert_eq!(lose(&mut c), 700);
        c.queued = 300;
        assert_eq!(lose(&mut c), 500);
        c.queued = 700;
        assert_eq!(lose(&mut c), 400);
        (c.queued, c.slow_rounds) = (0, 16);
        assert_eq!(lose(&mut c), 400);
    }

    #[test]
    fn a_round_ends_with_the_first_segment_sent_in_it_and_needs_three_samples() {
        let mut c = yeah();
        c.times.end = 12;
        for i in 10..=13 {
            c.measure(&ack(i, 100, i, i + 20));
            c.grow(avoidance(Segments::new(20)), &Grant::open(Instant::ZERO, Segments::ONE));
        }
        assert_eq!((c.fast_rounds, c.times.end), (1, 33));
        let mut c = yeah();
        c.measure(&ack(1, 100, 1, 21));
        c.grow(avoidance(Segments::new(20)), &Grant::open(Instant::ZERO, Segments::ONE));
        assert_eq!((c.fast_rounds, c.times.end), (0, 21));
    }
}
