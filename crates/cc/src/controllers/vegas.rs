//! # Vegas: the queue as a signal, as ns-2 has it
//!
//! L. S. Brakmo, L. L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet",
//! IEEE JSAC 13(8), 1995; compared with in ccr-2004 sections 1, 2.2 and 3.1. The details are those of
//! ns-2.35's `Agent/TCP/Vegas`, with which the papers' figures were made.
//!
//! Once a round-trip time the rate is compared with the rate that the window would have on an empty
//! path. The difference, in segments, is what the flow itself keeps in the queue: below `alpha` the
//! window grows by one a round-trip time, above `beta` it shrinks by one. Slow start doubles every
//! other round-trip time, so that there is a steady one to compare, and ends above `gamma`.
//!
//! | ns-2 | here | unit |
//! |---|---|---|
//! | `v_baseRTT_` | `base_rtt` | ns |
//! | `v_sumRTT_ / v_cntRTT_` | `VegasRound::mean` | ns |
//! | `v_begseq_`, `v_begtime_` | `VegasRound::end`, `VegasRound::began` | sequence number, ns |
//! | `rttLen` | `sent` | segments sent during the round |
//! | `v_incr_` | `step` | segments an ACK |
//! | `v_alpha_`, `v_beta_`, `v_gamma_` | `alpha`, `beta`, `gamma` | 1, 3, 1 segments |
//!
//! * `delta = floor(in_transit - sent * base_rtt / rtt + 1/2)`, the expected rate being the data in
//!   transit over `base_rtt`, the actual rate what was sent in the round over its mean `rtt`.
//! * Slow start, every other round: `delta > gamma` takes an eighth off and ends it, else each ACK of
//!   the round adds one segment.
//! * Avoidance: `delta > beta` takes one segment; `delta < alpha` lets each ACK of the round add
//!   `1/cwnd`.
//! * An ACK adds only while two segments of the window at most are unused.
//! * Loss by duplicate ACKs: `cwnd = 3/4 cwnd`, at least 2, and `ssthresh = 2`: no slow start.
//!
//! Deviations:
//! * ns-2's agent also retransmits on the first duplicate ACK after a fine-grained timeout, and
//!   reduces only once for all losses of segments sent before a reduction. Both are the recovery `vegas`.
//! * It halves where a retransmission was itself lost; a controller is not told.
//! * It starts with 2 segments after a timeout; here that too is the recovery's, others start with 1.
//! * Going back after a timeout it counts rounds and what is in transit from the segment sent again. A
//!   round can then end on an ACK that jumps over it, without a sample, and `v_baseRTT_` becomes its
//!   length: near zero, so that the window stays at 2, or too long, so that it grows without need. Here
//!   they are counted from the newest segment.
//! * It adjusts in every round; here a round in which the transport does not let the window grow
//!   (during recovery) goes by without adjustment.
//! * ns-2 counts the ACK that ends a round in the next one, and so does this.
//!
//! ECN: an echoed mark halves the window, as ns-2's agents do, instead of keeping 3/4 of it.
//!
//! Rounding: `delta` is exact to 2^-32 segments before it is rounded to whole ones; `1/cwnd` is rounded
//! up, so that a round adds one segment. ns-2 adds in floating point, where many windows fall a hair short
//! of the next and send a segment less (crates/fidelity/reference/differences.md).

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::Info;
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "vegas",
    aliases: &[],
    summary: "one to three segments in the queue, by the rise of the round-trip time",
    source: "Brakmo and Peterson, JSAC 1995; ns-2.35",
};

crate::parameters! {
    /// Vegas' parameters.
    pub struct Params {
        /// Segments in the queue below which the window grows.
        pub alpha: u64 = 1, in 1, 1 << 16;
        /// Segments in the queue above which the window shrinks.
        pub beta: u64 = 3, in 1, 1 << 16;
        /// Segments in the queue above which slow start ends.
        pub gamma: u64 = 1, in 0, 1 << 16;
    }
}

/// One round-trip time, from a segment's sending to its acknowledgment.
#[derive(Clone, Copy, Debug)]
struct VegasRound {
    /// The segment with whose acknowledgment the round ends.
    end: u64,
    began: Instant,
    /// The samples of the round, added up, and how many.
    sum: Duration,
    samples: u64,
}

impl VegasRound {
    /// The mean round-trip time; without a sample the round's own length.
    fn mean(&self, now: Instant) -> Duration {
        if self.samples > 0 { self.sum / self.samples } else { now.since(self.began) }
    }
}

/// Vegas.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    params: Params,
    /// The round-trip time of the empty path: the smallest seen.
    base_rtt: Option<Duration>,
    round: VegasRound,
    /// The increase of each ACK in this round.
    step: Segments,
    /// Slow start: whether this round grows or compares.
    growing: bool,
    /// The ACK in work.
    ack: Option<Ack>,
}

/// A Vegas with these parameters.
pub fn new(params: &Params, _: &Setup) -> Vegas {
    Vegas {
        params: *params,
        base_rtt: None,
        round: VegasRound { end: 0, began: Instant::ZERO, sum: Duration::ZERO, samples: 0 },
        step: Segments::ZERO,
        growing: true,
        ack: None,
    }
}

/// `delta`: the segments that wait in a queue, rounded to the nearest, none if that is negative.
///
/// `base_rtt` is at most `rtt`.
fn queued(in_transit: u64, sent: u64, base_rtt: Duration, rtt: Duration) -> u64 {
    let Some(unqueued) = Segments::new(sent).share_of_time(base_rtt, rtt) else {
        return in_transit;
    };
    let half = Segments::ONE.half().raw();
    (Segments::new(in_transit).raw() + half).saturating_sub(unqueued.raw()) >> 32
}

/// `1/cwnd`, rounded up, so that as many ACKs as the window has segments add one whole segment.
/// Rounded down, the window would stay a hair below it, and send one segment less for as long as the
/// difference asks for no more.
fn one_in(cwnd: Segments) -> Segments {
    Segments::ONE.over(cwnd) + Segments::from_raw(1)
}

/// `t_seqno_ - last_ack_`: from the newest acknowledged segment to the next to be sent.
fn in_transit(ack: &Ack) -> u64 {
    ack.snd_nxt.saturating_sub(ack.snd_una).saturating_add(1)
}

impl Vegas {
    /// Counts the sample of an ACK, into the round that began with it at the latest.
    fn sample(&mut self, rtt: Duration) {
        self.round.sum += rtt;
        self.round.samples += 1;
        self.base_rtt = Some(self.base_rtt.map_or(rtt, |base| base.min(rtt)));
    }

    /// The once-per-round actions: compare, and decide what the ACKs of the next round add.
    fn end_round(&mut self, w: Window, ack: &Ack) -> Window {
        let rtt = self.round.mean(ack.now);
        let sent = ack.snd_nxt.saturating_sub(self.round.end);
        self.round =
            VegasRound { end: ack.snd_nxt, began: ack.now, sum: Duration::ZERO, samples: 0 };
        if rtt.is_zero() {
            return w;
        }
        // A single segment in transit met no queue of its own.
        let base = self.base_rtt.filter(|&base| base <= rtt && sent > 1).unwrap_or(rtt);
        self.base_rtt = Some(base);
        let delta = queued(in_transit(ack), sent, base, rtt);
        if w.in_slow_start() { self.start(w, delta) } else { self.congestion_avoidance(w, delta) }
    }

    fn start(&mut self, w: Window, delta: u64) -> Window {
        self.step = Segments::ZERO;
        self.growing = !self.growing;
        if !self.growing {
            return w;
        }
        if delta > self.params.gamma {
            let cwnd = w.cwnd.times(Ratio::new(7, 8)).max(Segments::TWO);
            return Window { cwnd, ssthresh: Segments::TWO };
        }
        self.step = Segments::ONE;
        w
    }

    fn congestion_avoidance(&mut self, w: Window, delta: u64) -> Window {
        self.step = Segments::ZERO;
        if delta > self.params.beta {
            return Window { cwnd: (w.cwnd - Segments::ONE).max(Segments::TWO), ..w };
        }
        if delta < self.params.alpha {
            self.step = one_in(w.cwnd);
        }
        w
    }
}

impl Controller for Vegas {
    fn measure(&mut self, ack: &Ack) {
        // The ACK before is over: its sample counts from here on.
        if let Some(rtt) = self.ack.filter(|last| !last.is_duplicate()).and_then(|last| last.rtt) {
            self.sample(rtt);
        }
        self.ack = Some(*ack);
        // The first round-trip time is all there is to start from.
        if let (None, Some(rtt)) = (self.base_rtt, ack.rtt) {
            self.base_rtt = Some(rtt);
            self.round.began = ack.now - rtt;
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let Some(ack) = self.ack else { return w };
        let mut w = w;
        if ack.snd_una > self.round.end {
            w = self.end_round(w, &ack);
        }
        if self.step == Segments::ONE && !w.in_slow_start() {
            self.step = Segments::ZERO;
        }
        let unused = w.cwnd - Segments::new(in_transit(&ack));
        if unused <= Segments::TWO {
            w.cwnd += grant.credit.times_q32(self.step);
        }
        w
    }

    fn reduce(&mut self, w: Window, cause: Cause, _: Instant) -> Reduction {
        let share = match cause {
            Cause::FastRetransmit => Ratio::new(3, 4),
            Cause::Timeout | Cause::Ecn => Ratio::new(1, 2),
        };
        let win = w.cwnd.floor();
        // A quarter in whole segments is taken, and a window of three is cut to two.
        let left = match cause {
            Cause::FastRetransmit => win - Segments::new(win.whole() / 4),
            Cause::Timeout | Cause::Ecn => win.half().floor(),
        };
        let left = if win.whole() <= 3 { Segments::TWO } else { left.max(Segments::TWO) };
        let ssthresh = if cause == Cause::FastRetransmit { Segments::TWO } else { left };
        Reduction { ssthresh, resume: left, reason: Reason::Share(share) }
    }

    window_only_without_memory!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup, slow_start};

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn the_difference_is_the_segments_in_the_queue() {
        // 50 segments in 125 ms where 100 ms would do: 40 fill the path and 10 wait.
        assert_eq!(queued(50, 50, ms(100), ms(125)), 10);
        assert_eq!(queued(50, 50, ms(100), ms(100)), 0);
        // A half rounds up: 20 - 20 * 39/40.
        assert_eq!(queued(20, 20, ms(39), ms(40)), 1);
        assert_eq!(queued(20, 30, ms(100), ms(100)), 0);
    }

    #[test]
    fn the_difference_is_right_for_round_trip_times_of_many_seconds() {
        let (base, rtt) = (Duration::from_secs(100), Duration::from_secs(125));
        assert_eq!(queued(50, 50, base, rtt), 10);
        assert_eq!(queued(50, 50, Duration::MAX, Duration::MAX), 50);
    }

    #[test]
    fn as_many_acks_as_the_window_has_segments_add_one_whole_segment() {
        for n in 2..10_000 {
            let cwnd = Segments::new(n);
            let grown = (0..n).fold(cwnd, |w, _| w + one_in(cwnd));
            assert_eq!(grown.whole(), n + 1);
            assert!(grown.raw() - Segments::new(n + 1).raw() < 1 << 20, "{n}");
        }
    }

    /// A link of one segment a millisecond and 100 ms: windows above 100 queue. Drives whole rounds
    /// of ACKs, one a millisecond at most.
    fn rounds(c: &mut Vegas, mut w: Window, n: usize) -> std::vec::Vec<u64> {
        let mut windows = std::vec::Vec::new();
        let (mut snd_una, mut snd_nxt) = (0, w.cwnd.whole());
        let mut now_ms = 1_000;
        for _ in 0..n {
            let end = snd_nxt;
            while snd_una < end {
                let flight = snd_nxt - snd_una;
                now_ms += (100 / flight).max(1);
                snd_una += 1;
                c.measure(&ack(now_ms, flight.max(100), snd_una, snd_nxt));
                w = c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
                snd_nxt = snd_nxt.max(snd_una + w.cwnd.whole());
            }
            windows.push(w.cwnd.whole());
        }
        windows
    }

    #[test]
    fn slow_start_doubles_every_other_round() {
        let mut c = new(&Params::default(), &setup());
        let path = rounds(&mut c, slow_start(2), 9);
        assert!(path.windows(3).all(|w| w[2] <= 2 * w[0] + 2), "{path:?}");
        assert!((14..=40).contains(&path[8]), "{path:?}");
    }

    #[test]
    fn the_window_settles_with_one_to_three_segments_in_the_queue() {
        for from in [80, 130] {
            let mut c = new(&Params::default(), &setup());
            rounds(&mut c, avoidance(Segments::new(20)), 2);
            let base = c.base_rtt;
            let mut c = new(&Params::default(), &setup());
            c.base_rtt = base;
            let path = rounds(&mut c, avoidance(Segments::new(from)), 60);
            assert!((100..=104).contains(&path[59]), "{path:?}");
        }
    }

    #[test]
    fn a_loss_takes_a_quarter_and_leaves_no_slow_start() {
        let mut c = new(&Params::default(), &setup());
        let mut lose =
            |n: u64| c.reduce(avoidance(Segments::new(n)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!(lose(41).resume, Segments::new(31));
        assert_eq!(lose(41).ssthresh, Segments::TWO);
        assert_eq!(lose(3).resume, Segments::TWO);
    }

    #[test]
    fn a_timeout_halves_the_threshold() {
        let mut c = new(&Params::default(), &setup());
        let r = c.reduce(avoidance(Segments::new(41)), Cause::Timeout, Instant::ZERO);
        assert_eq!(r.ssthresh, Segments::new(20));
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut c = new(&Params::default(), &setup());
        c.step = Segments::ONE;
        c.round.end = 100;
        c.measure(&ack(10, 100, 5, 10));
        let w = slow_start(20);
        assert_eq!(c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE)), w);
    }
}
