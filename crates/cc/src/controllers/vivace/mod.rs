//! # PCC Vivace: a rate that climbs the gradient of its own utility
//!
//! M. Dong, T. Meng, D. Zarchy, E. Arslan, Y. Gilad, P. B. Godfrey, M. Schapira, "PCC Vivace: Online-Learning
//! Congestion Control", USENIX NSDI 2018.
//!
//! The sender tries two rates, one above and one below its own, each for a monitor interval, and gives each
//! a number for what it yielded: throughput, less a share for a queue that grows, less a share for losses.
//! Then it moves towards the better one, the further the larger the difference.
//!
//! ```text
//! u = x^t - b x d(RTT)/dT - c x L           t = 0.9, b = 900, c = 11.35   (section 3, equation 1)
//! trials:   r (1 + eps) and r (1 - eps), in a random order     eps = 0.05              (section 4.2)
//! gamma = (u1 - u2) / (x1 - x2)
//! r += m(tau) theta_0 gamma                                    theta_0 = 1
//! m(tau) = tau for tau <= 3, else 2 tau - 3    tau: steps in one direction
//! |change| <= omega r,  omega = 0.05 + 0.1 k   k: steps in this direction that were cut
//! start:    r doubles each interval until u falls for the first time                   (section 4.1)
//! ```
//!
//! | paper | here | unit |
//! |---|---|---|
//! | x | `utility::mbit_per_s` | Mbit/s, 32 fractional bits |
//! | u | `RateTrial::utility` | 20 fractional bits |
//! | d(RTT)/dT | `RateTrial::rtt_gradient`, by linear regression (section 4.3) | 20 fractional bits |
//! | L | `lost / sent` | - |
//! | gamma | `UtilityGradient` | per Mbit/s, 20 fractional bits |
//! | tau, k | `GradientAscent::streak`, `GradientAscent::cut` | - |
//!
//! Rounding: the power has a relative error below 2^-25, the rest is rounded down once. Losses up to
//! `p = t / (c x^(1-t))` do not stop the climb (section 3.2): 5 % at 100 Mbit/s.
//!
//! The text says what the symbols mean; the constants are those of the authors' code (PCC-Uspace) and of the
//! implementation in WebRTC where both agree, or of the one that carries out the paper's rule: Uspace has no
//! pairs of trials of 5 %, and other steps.
//!
//! Readings, and where the paper is silent:
//! * An interval lasts the smoothed round-trip time and ten segments or more (`segments`). Its result is
//!   known when three ACKs of later segments have come. Between a pair and its result the sender keeps to r.
//! * `|d(RTT)/dT|` below 0.01 counts as none (section 4.3).
//! * A trial at the higher rate that lost a smaller share is repeated once (section 4.3); if it does so
//!   again, the mean of both gradients counts.
//! * Sending begins with the initial window in the first round-trip time.
//! * The window is twice what the pace sends in srtt, and at least the initial window: it does not limit.
//! * A timeout of the retransmission timer halves r (the paper: an interval without feedback) and begins a
//!   new pair. r is two segments a round-trip time at least. ECN echoes are not read.
//! * An interval in which the application limited the sender tells nothing.
//!
//! It does not meet the condition that a controller reproduces a figure of its own paper, and is offered
//! nonetheless: a random loss far below `p` already takes a large part of the link, as a test of the
//! simulator shows, `s3_2_random_loss_of_one_percent_slows_it_though_its_utility_is_made_for_five`, with its
//! numbers in crates/fidelity/reference/differences.md. Trials of a round-trip time have few segments, so
//! that the shares which they lose differ by chance more than by the rate. The boundary then cuts steps to
//! equal shares up and down, which lowers the rate, and the double check repeats the pairs that chance has
//! favoured. A larger `segments` lengthens the trials.

mod ascent;
mod interval;
#[cfg(test)]
mod tests;
mod utility;

use ascent::{GradientAscent, UtilityGradient, gradient};
use interval::{DelaySample, MOST, MonitorInterval};
use utility::RateTrial;

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reason, Reduction, Setup, Window,
};
use crate::controllers::Info;
use crate::splitmix64::SplitMix64;
use crate::units::{Bytes, Duration, Instant, Rate, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "pcc-vivace",
    aliases: &["vivace"],
    summary: "tries a higher and a lower rate and moves to the better; bears random losses of some percent",
    source: "Dong and others, NSDI 2018",
};

crate::parameters! {
    /// Vivace's parameters.
    pub struct Params {
        /// t: the exponent of the rate in the utility.
        pub exponent: Ratio = Ratio::new(9, 10), in Ratio::new(1, 10), Ratio::new(99, 100);
        /// b: the weight of a round-trip time that grows.
        pub latency: Ratio = Ratio::new(900, 1), in Ratio::new(0, 1), Ratio::new(100_000, 1);
        /// c: the weight of losses.
        pub loss: Ratio = Ratio::new(1_135, 100), in Ratio::new(1, 100), Ratio::new(1_000, 1);
        /// epsilon: the share of the rate by which trials differ from it.
        pub trial: Ratio = Ratio::new(1, 20), in Ratio::new(1, 1_000), Ratio::new(1, 4);
        /// Segments that an interval has at least: more tell the share of losses better, and take longer.
        pub segments: u64 = 10, in 3, 1 << 20;
        /// theta_0: Mbit/s for a gradient of one.
        pub conversion: Ratio = Ratio::new(1, 1), in Ratio::new(1, 1_000), Ratio::new(1_000, 1);
        /// omega_0: the largest change, as a share of the rate.
        pub boundary: Ratio = Ratio::new(1, 20), in Ratio::new(1, 1_000), Ratio::new(1, 2);
        /// Whether a pair whose higher rate lost a smaller share is tried once more (section 4.3).
        pub double_check: bool = true;
        /// delta: what the largest change grows by while it is cut.
        pub boundary_step: Ratio = Ratio::new(1, 10), in Ratio::new(0, 1), Ratio::new(1, 2);
    }
}

/// The use that the sender makes of its intervals.
#[derive(Clone, Copy, Debug)]
enum VivaceStage {
    /// The rate doubles; the best interval so far.
    Starting(Option<(Rate, i64)>),
    /// Pairs of trials.
    Learning(TrialPair),
}

/// Two trials, one at the higher and one at the lower rate.
#[derive(Clone, Copy, Debug)]
struct TrialPair {
    /// The first is at the higher rate.
    high_first: bool,
    /// Trials begun.
    begun: u8,
    /// The result of the first.
    first: Option<RateTrial>,
    /// The gradient of the pair before, if this one repeats it.
    doubted: Option<UtilityGradient>,
}

/// Vivace.
#[derive(Clone, Copy, Debug)]
pub struct Vivace {
    params: Params,
    smss: Bytes,
    initial_window: Segments,
    draws: SplitMix64,
    stage: VivaceStage,
    ascent: GradientAscent,
    /// r, once there is a round-trip time.
    rate: Option<Rate>,
    /// At which segments leave now.
    pace: Rate,
    intervals: [Option<MonitorInterval>; MOST],
    srtt: Duration,
    snd_una: u64,
    snd_nxt: u64,
}

/// A Vivace with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Vivace {
    Vivace {
        params: *params,
        smss: setup.smss,
        initial_window: setup.initial_window,
        draws: SplitMix64::new(setup.seed),
        stage: VivaceStage::Starting(None),
        ascent: GradientAscent::default(),
        rate: None,
        pace: Rate::ZERO,
        intervals: [None; MOST],
        srtt: Duration::ZERO,
        snd_una: 0,
        snd_nxt: 0,
    }
}

impl Vivace {
    /// The rate around which trials are made.
    pub fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// True until the utility has fallen for the first time.
    pub fn is_starting(&self) -> bool {
        matches!(self.stage, VivaceStage::Starting(_))
    }

    /// Two segments a round-trip time.
    fn least_rate(&self) -> Rate {
        Segments::TWO.bytes(self.smss).per(self.srtt).unwrap_or(Rate::ZERO)
    }

    /// Begins an interval at this rate. None begins while too many results are awaited.
    fn begin(&mut self, now: Instant, pace: Rate) {
        let Some(free) = self.intervals.iter_mut().find(|place| place.is_none()) else { return };
        let least = (self.srtt, self.params.segments);
        self.pace = pace.min(Rate::MAX_SAMPLE);
        *free = Some(MonitorInterval::new(self.pace, now, least, self.snd_nxt));
    }

    /// Begins the next interval after one has ended, if there is one to begin.
    fn advance(&mut self, now: Instant, rate: Rate) {
        match &mut self.stage {
            VivaceStage::Starting(None) => self.begin(now, rate),
            // `begin` keeps the pace where no interval can begin.
            VivaceStage::Starting(Some(_)) => {
                let pace = self.pace + self.pace;
                self.begin(now, pace);
            }
            VivaceStage::Learning(pair) if pair.begun < 2 => {
                let higher = pair.high_first == (pair.begun == 0);
                pair.begun += 1;
                let change = rate.times(self.params.trial);
                self.begin(now, if higher { rate + change } else { rate - change });
            }
            VivaceStage::Learning(_) => self.pace = rate,
        }
    }

    /// Begins a pair of trials; what is still awaited counts no more.
    fn begin_pair(&mut self, now: Instant, rate: Rate, doubted: Option<UtilityGradient>) {
        let high_first = self.draws.below(2) == 0;
        self.intervals = [None; MOST];
        self.stage =
            VivaceStage::Learning(TrialPair { high_first, begun: 0, first: None, doubted });
        let rate = rate.min(Rate::MAX_SAMPLE);
        self.rate = Some(rate);
        self.advance(now, rate);
    }

    /// Takes in the result of the oldest interval.
    fn learn(&mut self, now: Instant, rate: Rate, trial: Option<RateTrial>) {
        match (&mut self.stage, trial) {
            (VivaceStage::Starting(_), None) => {}
            (VivaceStage::Starting(best), Some(trial)) => {
                let utility = trial.utility(&self.params);
                match *best {
                    Some((rate, most)) if utility < most && trial.rate > rate => {
                        self.begin_pair(now, rate, None);
                    }
                    _ => {
                        *best = Some((trial.rate, utility));
                        self.rate = Some(trial.rate);
                    }
                }
            }
            (VivaceStage::Learning(pair), Some(trial)) => match pair.first {
                None => pair.first = Some(trial),
                Some(first) => {
                    let pair = *pair;
                    self.decide(now, rate, &pair, (first, trial));
                }
            },
            // Half a pair tells nothing.
            (VivaceStage::Learning(pair), None) => {
                let doubted = pair.doubted;
                self.begin_pair(now, rate, doubted);
            }
        }
    }

    /// Both trials of a pair are known.
    fn decide(&mut self, now: Instant, rate: Rate, pair: &TrialPair, of: (RateTrial, RateTrial)) {
        let (high, low) = if pair.high_first { of } else { (of.1, of.0) };
        let gamma = gradient(&high, &low, &self.params);
        let is_odd = self.params.double_check && high.loses_less_than(&low);
        let gamma = match pair.doubted {
            None if is_odd => return self.begin_pair(now, rate, Some(gamma)),
            Some(before) if is_odd => before / 2 + gamma / 2,
            _ => gamma,
        };
        let next = self.ascent.step(rate, gamma, &self.params).max(self.least_rate());
        self.begin_pair(now, next, None);
    }

    /// Ends the interval in work, and takes in those that are done, the oldest first.
    fn run(&mut self, now: Instant) {
        let Some(rate) = self.rate else {
            let rate = self.initial_window.bytes(self.smss).per(self.srtt);
            self.rate = rate.map(|rate| rate.min(Rate::MAX_SAMPLE));
            if let Some(rate) = self.rate {
                self.advance(now, rate);
            }
            return;
        };
        let snd_nxt = self.snd_nxt;
        let open = self.intervals.iter_mut().flatten().find(|interval| interval.is_open());
        if open.is_none_or(|open| open.try_close(now, snd_nxt)) {
            self.advance(now, rate);
        }
        while let Some(oldest) = self.intervals[0].filter(|oldest| oldest.is_done(self.snd_una)) {
            self.intervals[0] = None;
            self.intervals.rotate_left(1);
            let rate = self.rate.unwrap_or(rate);
            self.learn(now, rate, oldest.trial());
        }
    }
}

impl Controller for Vivace {
    fn measure(&mut self, ack: &Ack) {
        (self.srtt, self.snd_una, self.snd_nxt) = (ack.srtt, ack.snd_una, ack.snd_nxt);
        let Some(rtt) = ack.rtt else { return };
        let app_limited = ack.sample.is_some_and(|sample| sample.app_limited);
        let sent_at = Instant::from_nanos(ack.now.as_nanos().saturating_sub(rtt.as_nanos()));
        let sample = DelaySample { sent_at, rtt, app_limited };
        self.intervals.iter_mut().flatten().for_each(|interval| interval.measure(&sample));
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        if self.srtt.is_zero() {
            return w;
        }
        self.run(grant.now);
        let pipe = self.pace.pipe(self.srtt, self.smss);
        Window { cwnd: (pipe + pipe).max(self.initial_window), ..w }
    }

    fn lost(&mut self, segment: &LostSegment) {
        self.intervals.iter_mut().flatten().for_each(|interval| interval.lose(segment.seq));
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        if let (Cause::Timeout, Some(rate)) = (cause, self.rate) {
            self.ascent = GradientAscent::default();
            let half = rate.times(Ratio::new(1, 2)).max(self.least_rate());
            self.begin_pair(now, half, None);
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

    fn undone(&mut self, now_w: Window, _: Window, _: Instant) -> Window {
        now_w
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Everything
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.rate.map(|_| self.pace)
    }

    /// r is a choice and estimates nothing.
    fn bwe(&self) -> Option<Rate> {
        None
    }
}
