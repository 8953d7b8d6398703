//! # Copa: a target rate by the queueing delay
//!
//! V. Arun, H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", USENIX NSDI
//! 2018.
//!
//! A sender that keeps `1/delta` packets in the queue of its bottleneck sends at `1/(delta d_q)`. Copa moves
//! its window towards that rate, by the same step up as down, so that the queue swings about its length and
//! is empty every few round-trip times. A queue that is never empty has a competitor that fills buffers:
//! then `1/delta` itself is raised and halved like a window. Section 2:
//!
//! ```text
//! d_q = RTT_standing - RTT_min                                        (equation 2)
//! target:  lambda_t = 1 / (delta d_q), lambda = cwnd / RTT_standing   (equation 1)
//! ACK:     cwnd += v / (delta cwnd)   lambda <= lambda_t
//!          cwnd -= v / (delta cwnd)   else
//! pace:    2 cwnd / RTT_standing
//! start:   cwnd doubles once a round-trip time until lambda > lambda_t
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | RTT_standing, over srtt / 2 | `RttExtremes::standing` | ns |
//! | RTT_min, over 10 s | `RttExtremes::min` | ns |
//! | RTT_max, over 4 round-trip times | `RttExtremes::max` | ns |
//! | 1 / delta | `DeltaMode::per_delta` | packets, 32 fractional bits |
//! | v | `Velocity::v` | - |
//!
//! `lambda <= lambda_t` is compared as `cwnd d_q / RTT_standing <= 1/delta`: the packets of its own that the
//! sender sees in the queue against those that it aims at, without a quotient of rates.
//!
//! Rounding: that product and the step are rounded down, to 2^-32 segments and to [`Segments::over`]'s error.
//! Three samples stand for each window of time ([`windowed_extreme`](crate::windowed_extreme)): a minimum is
//! never below the true one, and may be above it once the smallest sample has grown old.
//!
//! Readings of the paper, and where it is silent:
//! * A step counts each segment that an ACK delivers: the paper acknowledges each packet.
//! * Times of so many round-trip times count the smoothed one; rounds count deliveries.
//! * Equal windows at both ends of a round have no direction: v is 1.
//! * v stays such that a round-trip time does not change the window by more than itself, as in the authors'
//!   code (genericCC).
//! * The window grows only while it limits the sender, and is two segments at least.
//! * `d_q = 0` is nearly empty, though no round-trip time differs from another.
//! * A loss in the default mode changes nothing. After a timeout the window is one segment (RFC 5681) and
//!   slow start begins anew. An ECN echo is a loss.
//! * A loss halves `1/delta`, once a loss window; a round-trip time without one adds 1, as genericCC does.
//!
//! genericCC differs from the paper and from this file: it takes the smallest of four round-trip times, not
//! of five, for the mode, counts the directions of single ACKs in place of the window's, and cuts the window
//! by 0.3 where many packets are lost. mvfst has no competitive mode, takes d_q from the latest
//! round-trip time unless told otherwise, and doubles the window in one step in slow start.
//!
//! One rule is mvfst's by default: the first ACK that moves the window the other way resets v
//! (`reversal=ack`). By the text (`reversal=round`) v is reset at the end of the round, and the window turns
//! with a large v. A single flow on a long path then swings for ever on the stack of the RFCs, and for some
//! seconds on that of Linux.
//!
//! Two statements of section 2.2 fail here, and the simulator's tests show it: flows of Copa alone do not
//! always see a nearly empty queue within five round-trip times, since a queue has whole packets, and then
//! take each other for a competitor. W. Jiang et al., "Copa+", INFOCOM 2022, report the same.

mod mode;
#[cfg(test)]
mod tests;
mod velocity;

use mode::DeltaMode;
pub use mode::Modes;
pub use velocity::Reversal;
use velocity::{Velocity, WindowTrend};

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reason, Reduction, Setup, Window,
};
use crate::controllers::Info;
use crate::math::scale;
use crate::rounds::Rounds;
use crate::units::{Bytes, Duration, Instant, Rate, Ratio, Segments};
use crate::windowed_extreme::{WindowedMax, WindowedMin};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "copa",
    aliases: &[],
    summary: "two packets in the queue; beside a flow that fills it, as many as Reno would have",
    source: "Arun and Balakrishnan, NSDI 2018",
};

crate::parameters! {
    /// Copa's parameters.
    pub struct Params {
        /// The weight of delay against throughput: the window aims at 1/delta packets in the queue.
        pub delta: Ratio = Ratio::new(1, 2), in Ratio::new(1, 1_000), Ratio::new(10, 1);
        /// Whether delta stays (default), answers losses (competitive), or does so while the
        /// queue is never nearly empty (auto).
        pub mode: Modes = Modes::Auto;
        /// When a change of direction resets the velocity: with the first ACK that moves the window
        /// the other way (ack, as in mvfst), or at the end of the round-trip time (round, the paper).
        pub reversal: Reversal = Reversal::Ack;
    }
}

/// `RTT_min` counts this long.
const MIN_WINDOW: Duration = Duration::from_secs(10);

/// The round-trip times in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RttExtremes {
    min: Duration,
    standing: Duration,
    max: Duration,
    smoothed: Duration,
}

impl RttExtremes {
    /// `d_q` (equation 2).
    fn queueing(&self) -> Duration {
        self.standing - self.min
    }

    /// `cwnd d_q / RTT_standing`: the packets of this window that wait in the queue.
    ///
    /// Times of 4.3 s and more lose their low 8 bits, so that the product fits a word.
    fn backlog(&self, cwnd: Segments) -> Segments {
        let (mut waits, mut all) = (self.queueing().as_nanos(), self.standing.as_nanos());
        while all >= 1 << 32 {
            (waits, all) = (waits >> 8, all >> 8);
        }
        Segments::from_raw(scale(cwnd.raw(), waits, all.max(1)))
    }
}

/// The lengths of the windowed minima and maxima.
#[derive(Clone, Copy, Debug)]
struct Filters {
    min: WindowedMin,
    standing: WindowedMin,
    max: WindowedMax,
}

impl Filters {
    const fn new() -> Self {
        let min = WindowedMin::new(MIN_WINDOW.as_nanos());
        Self { min, standing: WindowedMin::new(0), max: WindowedMax::new(0) }
    }

    fn update(&mut self, now: Instant, rtt: Duration, srtt: Duration) -> RttExtremes {
        let (now, rtt) = (now.as_nanos(), rtt.as_nanos());
        self.standing.set_window((srtt / 2).as_nanos());
        self.max.set_window((srtt * mode::MAX_ROUNDS).as_nanos());
        self.min.update(now, rtt);
        self.standing.update(now, rtt);
        self.max.update(now, rtt);
        let of = |least: &WindowedMin| Duration::from_nanos(least.get().unwrap_or(rtt));
        let (min, standing) = (of(&self.min), of(&self.standing));
        RttExtremes { min, standing, max: Duration::from_nanos(self.max.get()), smoothed: srtt }
    }
}

/// Copa.
#[derive(Clone, Copy, Debug)]
pub struct Copa {
    reversal: Reversal,
    smss: Bytes,
    filters: Filters,
    /// None before the first sample.
    delays: Option<RttExtremes>,
    rounds: Rounds,
    mode: DeltaMode,
    velocity: Velocity,
    slow_start: bool,
    /// Whether it was slow start before the timeout, if that was the last reduction.
    before_timeout: Option<bool>,
    /// The window as it was last seen.
    cwnd: Segments,
}

/// A Copa with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Copa {
    Copa {
        reversal: params.reversal,
        smss: setup.smss,
        filters: Filters::new(),
        delays: None,
        rounds: Rounds::default(),
        mode: DeltaMode::new(params),
        velocity: Velocity::default(),
        slow_start: true,
        before_timeout: None,
        cwnd: setup.initial_window,
    }
}

impl Copa {
    /// True while delta answers losses.
    pub fn is_competitive(&self) -> bool {
        self.mode.is_competitive()
    }

    /// The packets that the window aims to keep in the queue: 1/delta.
    pub fn per_delta(&self) -> Segments {
        self.mode.per_delta()
    }

    /// The velocity.
    pub fn velocity(&self) -> u64 {
        self.velocity.get()
    }

    /// The next window, `lambda` being at most its target or above it.
    fn step(&mut self, cwnd: Segments, grows: bool, grant: &Grant) -> Segments {
        if self.slow_start && grows {
            return if grant.cwnd_limited { cwnd + grant.credit } else { cwnd };
        }
        if self.slow_start {
            self.slow_start = false;
            self.velocity = Velocity::from(cwnd);
        } else if self.rounds.begins() {
            self.velocity.end_round(cwnd);
        }
        if self.reversal == Reversal::Ack {
            self.velocity
                .on_direction_change(if grows { WindowTrend::Up } else { WindowTrend::Down }, cwnd);
        }
        let per_delta = self.mode.per_delta();
        self.velocity.bound(cwnd, per_delta);
        let step = change(cwnd, self.velocity.get(), per_delta, grant.credit);
        match grows {
            true if grant.cwnd_limited => cwnd + step,
            true => cwnd,
            // A window of one segment, after a timeout, is not raised here.
            false => (cwnd - step).max(Segments::TWO.min(cwnd)),
        }
    }
}

/// `v / (delta cwnd)` for each segment delivered.
fn change(cwnd: Segments, v: u64, per_delta: Segments, delivered: Segments) -> Segments {
    let most = Segments::from_raw(per_delta.raw().saturating_mul(v));
    most.times_q32(delivered.over(cwnd))
}

impl Controller for Copa {
    fn measure(&mut self, ack: &Ack) {
        self.rounds.set_begins(false);
        if let Some(sample) = ack.sample {
            self.rounds.update(sample.prior_delivered, ack.delivered);
        }
        if let Some(rtt) = ack.rtt {
            let delays = self.filters.update(ack.now, rtt, ack.srtt);
            self.mode.observe(ack.now, &delays);
            self.delays = Some(delays);
        }
        if self.rounds.begins() {
            self.mode.end_round();
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let per_delta = self.mode.per_delta();
        // Without a sample no queue is known.
        let grows = self.delays.is_none_or(|delays| delays.backlog(w.cwnd) <= per_delta);
        let cwnd = self.step(w.cwnd, grows, grant).max(Segments::ONE);
        self.cwnd = cwnd;
        Window { cwnd, ..w }
    }

    fn lost(&mut self, _: &LostSegment) {}

    fn reduce(&mut self, w: Window, cause: Cause, _: Instant) -> Reduction {
        self.mode.on_loss();
        self.before_timeout = None;
        if cause == Cause::Timeout {
            self.before_timeout = Some(self.slow_start);
            self.slow_start = true;
        }
        Reduction {
            ssthresh: w.ssthresh.max(Segments::TWO),
            resume: w.cwnd.max(Segments::ONE),
            reason: Reason::Model,
        }
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    /// A timeout alone has changed the window.
    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        let Some(slow_start) = self.before_timeout.take() else { return now_w };
        self.slow_start = slow_start;
        self.velocity = Velocity::from(before.cwnd);
        Window { cwnd: now_w.cwnd.max(before.cwnd), ..now_w }
    }

    /// An idle time says nothing of the queue.
    fn restarted(&mut self, w: Window, _: Duration, now: Instant) -> Window {
        self.mode.restart(now);
        w
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Everything
    }

    fn pacing_rate(&self) -> Option<Rate> {
        let standing = self.delays?.standing;
        let cwnd = self.cwnd + self.cwnd;
        cwnd.max(Segments::TWO).bytes(self.smss).per(standing)
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}
