//! # CDG as Linux 6.1 ships it: CAIA Delay-Gradient
//!
//! D. A. Hayes, G. Armitage, "Revisiting TCP Congestion Control Using Delay Gradients", IFIP Networking
//! 2011. Linux 6.1, `net/ipv4/tcp_cdg.c` by K. K. Jonassen.
//!
//! Not the delay but its rise tells of a queue, so that no threshold depends on the path. Once a
//! round-trip time the window backs off, with a probability that grows with the gradient of the round's
//! smallest, else of its largest round-trip times. Flows that only see losses are not left alone with the
//! queue: a shadow window grows on as if there had been no such back-off, and a loss halves that one.
//!
//! ```text
//! g_n = RTT_n - RTT_(n-1), summed over 8 rounds                equations 1 to 3, times 8
//! P[back-off] = 1 - exp(-g / G),  8 G = 1/42 s                 equation 4
//! back-off:   w = 0.7071 w
//! loss:       s = min(s / 2, w);  w = max(s, w / 2)            equation 7 with the shadow window s
//! avoidance:  w and s += 1 / w for each segment acknowledged
//! ```
//!
//! After five back-offs on end that lowered no delay, none follows until one falls (`use_ineff`). Slow
//! start ends by HyStart's two signs: a train of ACKs as long as half the smallest round-trip time, and
//! a round whose times are an eighth longer than the smallest.
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `rtt`, `rtt_prev` | `round`, `previous` | us |
//! | `gradients`, `gsum`, `tail`, `gfilled` | `Gradients` | us |
//! | `rtt_seq` | `round_end` | sequence number |
//! | `shadow_wnd` | `shadow` | segments |
//! | `backoff_cnt`, `sample_cnt`, `delack` | `useless`, `samples`, `delayed` | - |
//! | `delay_min` | `least_us` | us |
//! | `last_ack`, `round_start` | `train` | us |
//! | `state` | `tolerance` | - |
//!
//! The first round's times begin with that of the handshake (`tcp_cdg_acked` sees the SYN), which waits less
//! at a bottleneck than data.
//!
//! A sample is the difference of two readings of a clock of whole microseconds, as the kernel's. Over an
//! empty queue the smallest times of two rounds then differ by one at times, and that is a gradient.
//!
//! Rounding: windows down; the probability to 2^-32, where the kernel's exponential is within 10^-4.
//!
//! ECN: an echoed mark asks for the same reduction as a loss (`tcp_enter_cwr`).
//!
//! Deviations:
//! * A back-off is a reduction that the module asks the kernel for. Here the controller makes it: PRR's
//!   arithmetic (RFC 9937) for a round-trip time without growth. A loss in that time begins a recovery
//!   towards the same window; the kernel stays in the reduction that it has.
//! * The lots are drawn from the connection's seed.
//! * The gradients' window stays 8.

mod gradient;

use crate::controller::{
    Ack, Cause, Controller, Grant, Phase, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, Count, micros, rtt_us, stamp};
use crate::splitmix64::SplitMix64;
use crate::units::{Duration, Instant, Ratio, Segments};
use gradient::{Gradients, MinMax, exp_of_minus};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "cdg",
    aliases: &[],
    summary: "backs off by lot when the round-trip times rise",
    source: "Linux 6.1 tcp_cdg.c; Hayes and Armitage, 2011",
};

crate::parameters! {
    /// The module's parameters.
    pub struct Params {
        /// Share of the window that a back-off leaves, in 1/1024.
        pub backoff_beta: u64 = 724, in 1, 1_024;
        /// Scale of the probability: back-offs a second of gradient.
        pub backoff_factor: u64 = 42, in 0, 1 << 20;
        /// Ends of slow start: 1 the train of ACKs, 2 the delay, 3 both, 0 none.
        pub hystart_detect: u64 = 3, in 0, 3;
        /// Back-offs on end without effect after which none follows; 0 for no end.
        pub use_ineff: u64 = 5, in 0, 65_535;
        /// A loss halves the window as it would be without back-offs.
        pub use_shadow: bool = true;
        /// A loss while the queue is not full takes nothing.
        pub use_tolerance: bool = false;
    }
}

/// ACKs at most this far apart are a train.
const TRAIN_GAP_US: u64 = 3_000;
/// The smallest threshold of both signs.
const LEAST_DELAY_US: i64 = 125;
/// A fall of the summed gradient that shows a back-off to have worked.
const EFFECTUAL_US: i64 = -32;
/// Samples of a round before its delay counts.
const LEAST_SAMPLES: u64 = 8;
/// ACKs of several segments that are remembered.
const MOST_DELAYED: u64 = 5;

/// The state of the queue, for `use_tolerance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tolerance {
    Unknown,
    NotFull,
    Full,
}

/// A back-off in progress (`TCP_CA_CWR`).
#[derive(Clone, Copy, Debug)]
struct Backoff {
    /// The window before.
    from: u64,
    /// The window to come.
    to: u64,
    /// The next segment to be sent when it began.
    point: u64,
    delivered: u64,
}

impl Backoff {
    /// The window that PRR allows, when `sent` segments have left since the begin.
    fn window(&mut self, acked: u64, in_flight: u64, sent: u64) -> u64 {
        self.delivered += acked;
        let allowed = if in_flight > self.to {
            (self.to * self.delivered).div_ceil(self.from.max(1)).saturating_sub(sent)
        } else {
            (self.to - in_flight).min(self.delivered.saturating_sub(sent).max(acked) + 1)
        };
        in_flight + allowed.max(u64::from(sent == 0))
    }
}

/// Linux's CDG.
#[derive(Clone, Copy, Debug)]
pub struct Cdg {
    params: Params,
    count: Count,
    draws: SplitMix64,
    round: MinMax,
    previous: MinMax,
    gradients: Gradients,
    round_end: u64,
    snd_una: u64,
    snd_nxt: u64,
    shadow: u64,
    backoff: Option<Backoff>,
    /// A back-off was drawn while a timeout was repaired (`CDG_BACKOFF` without a reduction).
    is_refused: bool,
    tolerance: Tolerance,
    useless: u64,
    samples: u64,
    delayed: u64,
    least_us: i64,
    /// The last ACK of the train, and its first.
    train: Option<(u64, u64)>,
}

fn bounded(rtt_us: u64) -> i64 {
    rtt_us.min(1 << 32).cast_signed()
}

/// A CDG of Linux's with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Cdg {
    let mut round = MinMax::default();
    if let Some(rtt) = setup.handshake_rtt {
        round.add(bounded(micros(rtt)));
    }
    Cdg {
        params: *params,
        count: Count::default(),
        draws: SplitMix64::new(setup.seed),
        round,
        previous: MinMax::default(),
        gradients: Gradients::default(),
        round_end: 0,
        snd_una: 0,
        snd_nxt: 0,
        shadow: setup.initial_window.whole(),
        backoff: None,
        is_refused: false,
        tolerance: Tolerance::Unknown,
        useless: 0,
        samples: 0,
        delayed: 0,
        least_us: 0,
        train: None,
    }
}

impl Cdg {
    /// True if slow start is to end (`tcp_cdg_hystart_update`).
    fn ends_slow_start(&mut self, now_us: u64, is_limited: bool) -> bool {
        if self.least_us == 0 || self.round.min > 0 {
            self.least_us =
                if self.least_us == 0 { self.round.min } else { self.least_us.min(self.round.min) };
        }
        self.least_us > 0
            && (self.params.hystart_detect & 1 > 0 && self.is_long_train(now_us, is_limited)
                || self.params.hystart_detect & 2 > 0 && self.is_delayed())
    }

    /// An ACK that finds the window not to limit the sender begins a train anew: it says nothing of the path.
    fn is_long_train(&mut self, now_us: u64, is_limited: bool) -> bool {
        let Some((last, first)) = self.train.filter(|_| is_limited) else {
            self.train = Some((now_us, now_us));
            return false;
        };
        if now_us >= last + TRAIN_GAP_US {
            return false;
        }
        self.train = Some((now_us, first));
        let half = (self.least_us / 2).max(LEAST_DELAY_US);
        now_us > first.saturating_add(half.unsigned_abs())
    }

    fn is_delayed(&mut self) -> bool {
        if self.samples < LEAST_SAMPLES {
            self.samples += 1;
            return false;
        }
        self.round.min > (self.least_us + self.least_us / 8).max(LEAST_DELAY_US)
    }

    /// The gradient at the end of a round (`tcp_cdg_grad`).
    fn gradient(&mut self) -> i64 {
        let sum = self.gradients.add(self.round, self.previous);
        if sum.min <= EFFECTUAL_US || sum.max <= EFFECTUAL_US {
            self.useless = 0;
        }
        if self.params.use_tolerance {
            self.judge(sum);
        }
        self.gradients.of(sum)
    }

    /// A queue whose smallest times still rise while the largest do not is full.
    fn judge(&mut self, sum: MinMax) {
        let closest = |n: i64| (n + 32 * n.signum()) / 64;
        match (closest(sum.min), closest(sum.max)) {
            (min, max) if min > 0 && max <= 0 => self.tolerance = Tolerance::Full,
            (min, max) if min > 0 && max > 0 || max < 0 => self.tolerance = Tolerance::NotFull,
            _ => {}
        }
    }

    /// Draws whether to back off for this gradient (`tcp_cdg_backoff`).
    fn backs_off(&mut self, gradient: i64) -> bool {
        let exponent = gradient.unsigned_abs().saturating_mul(self.params.backoff_factor);
        if gradient <= 0 || self.draws.below(1 << 32) <= exp_of_minus(exponent) {
            return false;
        }
        if self.params.use_ineff == 0 {
            return true;
        }
        self.useless = self.useless.saturating_add(1);
        self.useless <= self.params.use_ineff
    }

    fn begin_backoff(&mut self, w: Window) -> Window {
        let cwnd = w.cwnd.whole();
        self.shadow = self.shadow.max(cwnd);
        self.count.clear();
        let to = (cwnd * self.params.backoff_beta / 1_024).max(2);
        self.backoff = Some(Backoff { from: cwnd, to, point: self.snd_nxt, delivered: 0 });
        Window { ssthresh: Segments::new(to), ..w }
    }

    /// Ends a round, and may begin a back-off: not while a timeout is repaired, when the kernel refuses the
    /// reduction. The window only stays, and the next reduction takes the refused one's share.
    fn end_round(&mut self, w: Window, phase: Phase) -> Option<Window> {
        let gradient = if self.previous.is_empty() { 0 } else { self.gradient() };
        self.begin_round();
        self.train = None;
        self.samples = 0;
        if !self.backs_off(gradient) {
            return None;
        }
        if phase == Phase::Open {
            return Some(self.begin_backoff(w));
        }
        self.shadow = self.shadow.max(w.cwnd.whole());
        self.is_refused = true;
        Some(w)
    }

    fn begin_round(&mut self) {
        self.round_end = self.snd_nxt;
        self.previous = core::mem::take(&mut self.round);
    }

    /// `CA_EVENT_CWND_RESTART`: idle time is about to shrink the window `w`. Everything measured is
    /// forgotten, and the shadow window is that of before. A back-off in progress is the transport's and
    /// goes on.
    pub(crate) fn restart(&mut self, w: Window) {
        self.round = MinMax::default();
        self.previous = MinMax::default();
        self.gradients = Gradients::default();
        self.round_end = self.snd_nxt;
        self.shadow = w.cwnd.whole();
        self.is_refused = false;
        self.tolerance = Tolerance::Unknown;
        self.useless = 0;
        self.samples = 0;
        self.delayed = 0;
        self.least_us = 0;
        self.train = None;
    }

    /// `CA_EVENT_COMPLETE_CWR`.
    fn complete(&mut self) {
        self.backoff = None;
        self.is_refused = false;
        self.tolerance = Tolerance::Unknown;
        self.begin_round();
    }
}

impl Controller for Cdg {
    /// `tcp_cdg_acked`, with Hayes' filter of delayed ACKs.
    fn measure(&mut self, ack: &Ack) {
        (self.snd_una, self.snd_nxt) = (ack.snd_una, ack.snd_nxt);
        let rtt_us = ack.rtt.map_or(0, |rtt| bounded(rtt_us(rtt, ack.now)));
        if rtt_us == 0 {
            return;
        }
        if ack.in_flight >= ack.snd_nxt.saturating_sub(ack.snd_una) {
            if ack.newly == 1 && self.delayed > 0 {
                self.round.add_delayed(rtt_us);
                self.delayed -= 1;
                return;
            }
            if ack.newly > 1 && self.delayed < MOST_DELAYED {
                self.delayed += 1;
            }
        }
        self.round.add(rtt_us);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let mut w = linux::whole(w);
        let acked = grant.credit.whole();
        if let Some(backoff) = &mut self.backoff {
            if self.snd_una <= backoff.point {
                let sent = self.snd_nxt - backoff.point;
                return linux::with_cwnd(w, backoff.window(acked, grant.in_flight, sent));
            }
            w = linux::with_cwnd(w, backoff.to);
            self.complete();
        }
        if w.in_slow_start()
            && self.params.hystart_detect > 0
            && self.ends_slow_start(stamp(grant.now), grant.cwnd_limited)
        {
            w.ssthresh = w.cwnd.max(Segments::TWO);
        }
        if self.snd_una > self.round_end
            && !self.round.is_empty()
            && let Some(reduced) = self.end_round(w, grant.phase)
        {
            return reduced;
        }
        if !grant.cwnd_limited {
            self.shadow = self.shadow.min(w.cwnd.whole());
            return w;
        }
        let next = linux::reno(w, acked, &mut self.count);
        self.shadow = self.shadow.saturating_add(next.cwnd.whole() - w.cwnd.whole());
        next
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        let cwnd = w.cwnd.whole();
        let left = if let Some(backoff) = self.backoff.take() {
            backoff.to
        } else if self.is_refused {
            (cwnd * self.params.backoff_beta / 1_024).max(2)
        } else if self.params.use_tolerance && self.tolerance == Tolerance::NotFull {
            cwnd
        } else {
            self.shadow = (self.shadow / 2).min(cwnd);
            if self.params.use_shadow { self.shadow.max(cwnd / 2) } else { cwnd / 2 }
        };
        self.count.clear();
        let ssthresh = Segments::new(left).max(Segments::TWO);
        let share = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let reason = Reason::Share(Ratio::new(share(left), share(cwnd).max(1)));
        Reduction { ssthresh, resume: ssthresh, reason }
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.complete();
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        linux::undone(now_w, before)
    }

    /// An idle time that leaves the window alone changes nothing; a window that restarts does.
    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup, slow_start};

    fn cdg() -> Cdg {
        new(&Params::default(), &setup())
    }

    fn grow(c: &mut Cdg, w: Window) -> Window {
        c.grow(w, &Grant::open(Instant::ZERO, Segments::ONE))
    }

    /// How often of 100,000 draws it backs off for this gradient, with nothing to end the back-offs.
    fn backoffs(gradient: i64) -> usize {
        let mut c = new(&Params { use_ineff: 0, ..Params::default() }, &setup());
        (0..100_000).filter(|_| c.backs_off(gradient)).count()
    }

    #[test]
    fn the_handshake_has_the_smallest_time_of_the_first_round() {
        let rtt = Duration::from_millis(262);
        let mut c = new(&Params::default(), &Setup { handshake_rtt: Some(rtt), ..setup() });
        c.measure(&ack(1, 267, 1, 10));
        grow(&mut c, slow_start(10));
        assert_eq!(c.previous, MinMax { min: 262_000, max: 267_000 });
    }

    #[test]
    fn the_probability_of_a_back_off_is_one_less_the_exponential_of_the_gradient() {
        assert_eq!(backoffs(0), 0);
        // 1 - exp(-0.042), 1 - exp(-0.42), 1 - exp(-4.2), and three standard deviations.
        let expected = [(1_000, 4_113, 188), (10_000, 34_295, 450), (100_000, 98_500, 115)];
        for (gradient, of, off) in expected {
            let drawn = backoffs(gradient);
            assert!(drawn.abs_diff(of) <= off, "{gradient}: {drawn}");
        }
    }

    #[test]
    fn a_round_whose_times_rise_steeply_backs_off_to_seven_tenths_within_a_round() {
        let mut c = cdg();
        c.previous = MinMax { min: 100_000, max: 100_000 };
        c.measure(&ack(1, 900, 1, 101));
        let w = grow(&mut c, avoidance(Segments::new(100)));
        assert_eq!((w.cwnd.whole(), w.ssthresh.whole()), (100, 70));
        // Half-way: 49 delivered and 35 sent since.
        let mut half = ack(2, 900, 50, 136);
        half.in_flight = 86;
        c.backoff.as_mut().expect("backing off").delivered = 48;
        c.measure(&half);
        let w = c.grow(w, &Grant { in_flight: 86, ..Grant::open(Instant::ZERO, Segments::ONE) });
        assert_eq!(w.cwnd.whole(), 86);
        // The first ACK of what was sent after its begin.
        c.measure(&ack(3, 900, 102, 171));
        let w = grow(&mut c, w);
        assert_eq!(w.cwnd.whole(), 70);
        assert!(c.backoff.is_none());
    }

    #[test]
    fn five_back_offs_on_end_without_effect_are_the_last() {
        let mut c = cdg();
        let drawn = (0..100).filter(|_| c.backs_off(1 << 24)).count();
        assert_eq!(drawn, 5);
        c.previous = MinMax { min: 100_100, max: 100_100 };
        c.round = MinMax { min: 100_000, max: 100_000 };
        c.gradient();
        assert!(c.backs_off(1 << 24));
    }

    #[test]
    fn a_loss_halves_the_window_as_it_would_be_without_back_offs() {
        let mut c = cdg();
        c.shadow = 160;
        let w = avoidance(Segments::new(100));
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), 80);
        let mut c = cdg();
        c.shadow = 400;
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), 100);
        let mut c = cdg();
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), 50);
    }

    /// `CDG_BACKOFF`, which `tcp_enter_cwr` leaves standing in `TCP_CA_Loss`.
    #[test]
    fn a_back_off_that_is_refused_after_a_timeout_makes_the_next_reduction_smaller() {
        let mut c = cdg();
        let w = avoidance(Segments::new(100));
        (c.shadow, c.params.use_ineff) = (20, 0);
        (c.previous, c.round) =
            (MinMax { min: 100_000, max: 100_000 }, MinMax { min: 900_000, max: 900_000 });
        let refused = (0..100).any(|_| {
            (c.previous, c.round) =
                (MinMax { min: 100_000, max: 100_000 }, MinMax { min: 900_000, max: 900_000 });
            c.end_round(w, Phase::Loss).is_some()
        });
        assert!(refused && c.backoff.is_none());
        assert_eq!(c.shadow, 100);
        let kept = 100 * c.params.backoff_beta / 1_024;
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), kept);
        c.recovered(w, Instant::ZERO);
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), 50);
    }

    #[test]
    fn slow_start_ends_when_a_round_is_an_eighth_slower() {
        let mut c = cdg();
        let mut w = slow_start(40);
        for i in 1..=9 {
            c.round_end = 1 << 20;
            c.measure(&ack(10 * i, 100, i, i + 40));
            w = c.grow(w, &Grant::open(Instant::from_nanos(10_000_000 * i), Segments::ONE));
        }
        assert!(w.in_slow_start());
        c.round = MinMax::default();
        c.measure(&ack(200, 113, 20, 60));
        w = c.grow(w, &Grant::open(Instant::from_nanos(200_000_000), Segments::ONE));
        assert!(!w.in_slow_start());
    }

    #[test]
    fn tcp_cdg_hystart_update_a_train_begins_anew_where_the_window_does_not_limit() {
        let ended = |unlimited: u64| {
            let mut c = cdg();
            c.measure(&ack(0, 100, 1, 40));
            c.round_end = 1 << 20;
            let mut w = slow_start(40);
            // An ACK each 2 ms; half of the smallest round-trip time is 50 ms.
            (0..60).map(|n| 2 * n).find(|&ms| {
                let now = Instant::from_nanos(1_000_000 * ms);
                let open = Grant::open(now, Segments::ONE);
                w = c.grow(w, &Grant { cwnd_limited: ms != unlimited, ..open });
                !w.in_slow_start()
            })
        };
        assert_eq!([1, 20].map(ended), [Some(52), Some(20 + 52)]);
    }

    #[test]
    fn a_lone_segment_after_delayed_acks_raises_no_round_trip_time() {
        let mut c = cdg();
        c.measure(&Ack { newly: 2, ..ack(1, 100, 2, 42) });
        c.measure(&ack(2, 140, 3, 42));
        assert_eq!(c.round, MinMax { min: 100_000, max: 100_000 });
        c.measure(&ack(3, 140, 4, 42));
        assert_eq!(c.round.max, 140_000);
    }

    /// With `use_tolerance`, the state of the queue after these sums of gradients in us.
    fn judged(min: i64, max: i64) -> Tolerance {
        let mut c = new(&Params { use_tolerance: true, ..Params::default() }, &setup());
        c.judge(MinMax { min, max });
        c.tolerance
    }

    #[test]
    fn tcp_cdg_grad_a_queue_is_full_when_the_least_times_rise_and_the_largest_do_not() {
        // `DIV_ROUND_CLOSEST(gmin, 64)`: less than 32 us are nothing.
        for (min, max) in [(32, 31), (32, 0), (200, -200)] {
            assert_eq!(judged(min, max), Tolerance::Full, "{min} {max}");
        }
        for (min, max) in [(32, 32), (0, -32), (-200, -200)] {
            assert_eq!(judged(min, max), Tolerance::NotFull, "{min} {max}");
        }
        for (min, max) in [(31, -31), (0, 0), (-200, 0), (-200, 200)] {
            assert_eq!(judged(min, max), Tolerance::Unknown, "{min} {max}");
        }
    }

    #[test]
    fn tcp_cdg_ssthresh_a_loss_before_the_queue_is_full_takes_nothing_where_losses_are_tolerated() {
        let left = |use_tolerance, tolerance| {
            let mut c = new(&Params { use_tolerance, ..Params::default() }, &setup());
            c.tolerance = tolerance;
            let w = avoidance(Segments::new(100));
            c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole()
        };
        assert_eq!(left(true, Tolerance::NotFull), 100);
        assert_eq!(left(true, Tolerance::Full), 50);
        assert_eq!(left(true, Tolerance::Unknown), 50);
        assert_eq!(left(false, Tolerance::NotFull), 50);
    }

    #[test]
    fn tcp_cdg_ssthresh_without_the_shadow_window_a_loss_takes_half() {
        let mut c = new(&Params { use_shadow: false, ..Params::default() }, &setup());
        c.shadow = 160;
        let w = avoidance(Segments::new(100));
        assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), 50);
    }

    #[test]
    fn tcp_cdg_cwnd_event_a_restarted_window_forgets_everything_and_no_other_pause_does() {
        for restarts in [false, true] {
            let mut c = cdg();
            c.measure(&ack(1, 100, 1, 41));
            (c.shadow, c.tolerance, c.useless) = (400, Tolerance::Full, 5);
            let w = avoidance(Segments::new(20));
            if restarts {
                c.restart(w);
            }
            let after = avoidance(Segments::new(10));
            assert_eq!(c.restarted(after, Duration::from_secs(2), Instant::ZERO), after);
            assert_eq!(c.shadow, if restarts { 20 } else { 400 });
            assert_eq!(c.round == MinMax::default(), restarts);
            assert_eq!(c.tolerance == Tolerance::Unknown, restarts);
            assert_eq!(c.backs_off(1 << 24), restarts, "no more back-offs without effect");
        }
    }
}
