//! Logarithmic increase: a concave climb towards the window of the last loss, then linear probing
//! (log-westwood-2008 section 3.1).

use super::Increase;
use crate::controller::{Ack, Cause};
use crate::units::{Duration, Instant, Segments};

/// `W += max((Wmax - W) / (a W), 1 / W)` below `Wmax`, `W += 1/W` from there on and before the first
/// loss, for each ACK (equations 1 and 2; printed as an assignment, meant as an addition).
///
/// How `Wmax` and `a` move:
///
/// * `Wmax` is the window at which the last loss was seen.
/// * `a` doubles when a loss comes below `Wmax`, up to 2^20, and halves, down to where it began,
///   once a climb that reaches `Wmax`. It is judged before `Wmax` is replaced.
/// * A timeout does the same, unless it strikes within the loss window of the last reduction: before
///   all that had been sent by then is acknowledged. The last ACK tells what had been sent.
/// * An undone reduction gives back `Wmax` and `a`.
///
/// For `W < Wmax / (1 + a)` an ACK adds more than a segment: 449 at `W = 2`, `Wmax = 1800`, `a = 2`.
/// The cap, if wanted, keeps it to slow start's pace. A single ACK's climb ends at `Wmax` even when
/// it counts for many segments.
///
/// Rounding: quotients are rounded down to 2^-32 segments, the gap over `W` before it is divided by
/// `a`.
#[derive(Clone, Copy, Debug)]
pub struct Logarithmic {
    start_a: u64,
    cap: bool,
    adapt: bool,
    growth: LogGrowth,
    /// As it was before the last reduction.
    before: Option<LogGrowth>,
    /// The end of the loss window: snd_nxt when the window was last reduced.
    recover: u64,
    snd_una: u64,
    snd_nxt: u64,
}

/// Where the climb goes to, and how.
#[derive(Clone, Copy, Debug)]
struct LogGrowth {
    /// Wmax; none before the first loss.
    w_max: Option<Segments>,
    /// The aggressiveness; larger is slower.
    a: u64,
    /// Wmax has been reached since the last loss.
    reached: bool,
}

impl Logarithmic {
    /// The largest `a`: only against overflow.
    pub const MAX_A: u64 = 1 << 20;

    /// An increase before the first loss. `a` (2 in the paper) is where the aggressiveness begins
    /// and its floor; `adapt` lets it move; `cap` keeps the increment to what the ACK counts.
    pub fn new(a: u64, adapt: bool, cap: bool) -> Self {
        let a = a.clamp(1, Self::MAX_A);
        Self {
            start_a: a,
            cap,
            adapt,
            growth: LogGrowth { w_max: None, a, reached: false },
            before: None,
            recover: 0,
            snd_una: 0,
            snd_nxt: 0,
        }
    }

    /// The window that the climb aims at; none before the first loss.
    pub fn w_max(&self) -> Option<Segments> {
        self.growth.w_max
    }

    /// The aggressiveness `a`; the climb covers `1/a` of what is left in a round-trip time.
    pub fn a(&self) -> u64 {
        self.growth.a
    }

    /// Equation 2, for an ACK that counts `credit`.
    fn increment(&self, w: Segments, w_max: Segments, credit: Segments) -> Segments {
        let gap = w_max - w;
        let per_segment = Segments::from_raw(gap.over(w).raw() / self.growth.a);
        let climb = per_segment.times_q32(credit).min(gap);
        let climb = if self.cap { climb.min(credit) } else { climb };
        climb.max(credit.over(w))
    }

    /// Once a climb: Wmax is reached without a loss.
    fn check_w_max_reached(&mut self, w: Segments) {
        if !self.growth.reached && self.growth.w_max.is_some_and(|w_max| w >= w_max) {
            self.growth.reached = true;
            if self.adapt {
                self.growth.a = (self.growth.a / 2).max(self.start_a);
            }
        }
    }

    /// True while data is missing that had been sent when the window was last reduced.
    fn in_loss_window(&self) -> bool {
        self.before.is_some() && self.snd_una < self.recover
    }
}

impl Increase for Logarithmic {
    fn measure(&mut self, ack: &Ack) {
        self.snd_una = ack.snd_una;
        self.snd_nxt = ack.snd_nxt;
    }

    fn increase(&mut self, cwnd: Segments, credit: Segments, _: Instant) -> Segments {
        let next = match self.growth.w_max {
            Some(w_max) if cwnd < w_max => cwnd + self.increment(cwnd, w_max, credit),
            _ => cwnd + credit.over(cwnd),
        };
        self.check_w_max_reached(next);
        next
    }

    fn reduced(&mut self, before: Segments, _: Segments, cause: Cause, _: Instant) {
        if cause == Cause::Timeout && self.in_loss_window() {
            return;
        }
        self.before = Some(self.growth);
        self.recover = self.snd_nxt;
        // Slow start may have carried the window past Wmax.
        self.check_w_max_reached(before);
        if self.adapt && self.growth.w_max.is_some_and(|w_max| before < w_max) {
            self.growth.a = (self.growth.a * 2).min(Self::MAX_A);
        }
        self.growth.w_max = Some(before);
        self.growth.reached = false;
    }

    fn undone(&mut self) {
        if let Some(before) = self.before.take() {
            self.growth = before;
        }
    }

    fn restarted(&mut self, _: Duration) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Instant = Instant::ZERO;

    fn lose(up: &mut Logarithmic, at: u64) {
        up.reduced(Segments::new(at), Segments::new(at / 2), Cause::FastRetransmit, T);
    }

    #[test]
    fn the_reference_climb_is_met_to_its_printed_precision() {
        let mut up = Logarithmic::new(2, true, false);
        lose(&mut up, 1801);
        let mut cwnd = Segments::new(1500);
        // Millionths of a segment beyond 1500.
        for expected in [100_333, 200_627, 300_880, 401_093, 501_265_u64] {
            cwnd = up.increase(cwnd, Segments::ONE, T);
            let millionths = ((cwnd - Segments::new(1500)).raw() * 1_000_000) >> 32;
            assert!(millionths.abs_diff(expected) <= 1, "{millionths}");
        }
    }

    #[test]
    fn a_loss_below_the_last_one_doubles_a_and_a_whole_climb_halves_it_once() {
        let mut up = Logarithmic::new(2, true, false);
        for (at, a) in [(100, 2), (90, 4), (80, 8)] {
            lose(&mut up, at);
            assert_eq!(up.a(), a);
        }
        let mut cwnd = Segments::new(79);
        for _ in 0..1000 {
            cwnd = up.increase(cwnd, Segments::ONE, T);
        }
        assert!(cwnd > Segments::new(80));
        assert_eq!(up.a(), 4);
    }

    #[test]
    fn without_the_cap_one_ack_may_add_hundreds_of_segments() {
        let grown = |cap| {
            let mut up = Logarithmic::new(2, true, cap);
            lose(&mut up, 1800);
            (up.increase(Segments::TWO, Segments::ONE, T) - Segments::TWO).whole()
        };
        assert_eq!(grown(false), 449);
        assert_eq!(grown(true), 1);
    }

    #[test]
    fn a_climb_ends_at_the_last_loss_however_much_an_ack_counts() {
        let mut up = Logarithmic::new(2, true, false);
        lose(&mut up, 1800);
        assert_eq!(up.increase(Segments::TWO, Segments::new(60), T), Segments::new(1800));
    }

    fn ack(snd_una: u64, snd_nxt: u64) -> Ack {
        Ack {
            now: T,
            smss: crate::Bytes::new(1500),
            newly: 1,
            rtt: None,
            srtt: Duration::ZERO,
            in_flight: snd_nxt - snd_una,
            delivered: snd_una,
            delivered_ce: 0,
            one_way_delay: None,
            predicted: None,
            snd_una,
            snd_nxt,
            sample: None,
        }
    }

    #[test]
    fn a_timeout_within_recovery_changes_neither_the_target_nor_a() {
        let mut up = Logarithmic::new(2, true, false);
        up.measure(&ack(100, 140));
        lose(&mut up, 40);
        up.measure(&ack(120, 145));
        up.reduced(Segments::new(20), Segments::TWO, Cause::Timeout, T);
        assert_eq!((up.w_max(), up.a()), (Some(Segments::new(40)), 2));
        up.measure(&ack(140, 160));
        up.reduced(Segments::new(20), Segments::TWO, Cause::Timeout, T);
        assert_eq!((up.w_max(), up.a()), (Some(Segments::new(20)), 4));
    }

    #[test]
    fn an_undone_reduction_gives_back_the_target_and_a() {
        let mut up = Logarithmic::new(2, true, false);
        lose(&mut up, 100);
        lose(&mut up, 50);
        up.undone();
        assert_eq!((up.w_max(), up.a()), (Some(Segments::new(100)), 2));
    }
}
