//! The arithmetic of Linux's CUBIC: 2^-10 seconds, whole segments, one recalculation a tick.

use crate::linux::jiffies_in;
use crate::math::{cube_root, scale};
use crate::product::saturating;

/// Times from the origin are cut at this many 2^-10 s (293 s) so that their cube fits a word.
const MAX_OFFSET: u64 = 300_000;

/// The constants of the curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    /// Share of the window that a loss leaves, in 1/1024.
    pub(super) beta: u64,
    /// `C`, in 1/1024 of ten segments per cubic second.
    pub(super) bic_scale: u64,
    /// Grow at least as Reno would.
    pub(super) friendly: bool,
    /// Ticks a second.
    pub(super) hz: u64,
}

/// One stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct CurveEpoch {
    /// Its first tick.
    start: u64,
    /// `K` in 2^-10 s.
    k: u64,
    /// The window at which the curve is flat.
    origin: u64,
    /// Segments acknowledged for which Reno's window has not grown yet.
    acked: u64,
    /// Reno's window.
    reno: u64,
}

/// The curve's state: `struct bictcp` without HyStart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    constants: Constants,
    epoch: Option<CurveEpoch>,
    last_max: u64,
    last_cwnd: u64,
    last_time: u64,
    per: u64,
}

impl Curve {
    pub(super) fn new(constants: Constants) -> Self {
        Self { constants, epoch: None, last_max: 0, last_cwnd: 0, last_time: 0, per: 0 }
    }

    /// The first tick of the stage in progress.
    pub(super) fn epoch_start(&self) -> Option<u64> {
        self.epoch.map(|e| e.start)
    }

    /// Idle ticks do not count, but the stage never begins in the future.
    pub(super) fn shift(&mut self, idle: u64, tick: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = (epoch.start + idle).min(tick);
        }
    }

    /// The window that a loss leaves (`bictcp_recalc_ssthresh`). The curve will return to the window
    /// before it, or lower if that was already below the last maximum.
    pub(super) fn reduce(&mut self, cwnd: u64, converge: bool) -> u64 {
        let beta = self.constants.beta;
        self.epoch = None;
        self.last_max =
            if converge && cwnd < self.last_max { cwnd * (1024 + beta) / 2048 } else { cwnd };
        (cwnd * beta / 1024).max(2)
    }

    /// A timeout forgets everything (`bictcp_reset`).
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.constants);
    }

    /// How many segments must be acknowledged for one segment of growth (`bictcp_update`).
    ///
    /// The curve is looked up when the window or, after a 32nd of a second, the time has moved on, and
    /// no more than once a tick; Reno's window in between.
    pub(super) fn per_segment(&mut self, cwnd: u64, acked: u64, tick: u64, delay_us: u64) -> u64 {
        if let Some(epoch) = &mut self.epoch {
            epoch.acked += acked;
        }
        let waited = tick.saturating_sub(self.last_time);
        if self.last_cwnd == cwnd && waited <= self.constants.hz / 32 {
            return self.per;
        }
        if self.epoch.is_none() || tick != self.last_time {
            self.last_cwnd = cwnd;
            self.last_time = tick;
            let epoch = self.begin(cwnd, acked, tick);
            self.per = self.along(&epoch, cwnd, tick, delay_us);
        }
        self.per = self.tcp_friendly(cwnd).max(2);
        self.per
    }

    /// The stage in progress, begun now if none was.
    fn begin(&mut self, cwnd: u64, acked: u64, tick: u64) -> CurveEpoch {
        let (last_max, scale) = (self.last_max, self.constants.bic_scale);
        *self.epoch.get_or_insert_with(|| CurveEpoch {
            start: tick,
            k: k(last_max.saturating_sub(cwnd), scale),
            origin: last_max.max(cwnd),
            acked,
            reno: cwnd,
        })
    }

    /// The curve's part: reach the window of one round-trip time from now within this one.
    fn along(&self, epoch: &CurveEpoch, cwnd: u64, tick: u64, delay_us: u64) -> u64 {
        let hz = self.constants.hz;
        let ticks = tick.saturating_sub(epoch.start) + jiffies_in(delay_us, hz);
        let target = curve(saturating(ticks, 1 << 10) / hz, epoch, self.constants.bic_scale);
        let per = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        // Without a loss yet, 5 % a round-trip time at least.
        if self.last_max == 0 { per.min(20) } else { per }
    }

    /// Reno's part: not slower than an AIMD window of the same decrease.
    fn tcp_friendly(&mut self, cwnd: u64) -> u64 {
        let Some(epoch) = self.epoch.as_mut().filter(|_| self.constants.friendly) else {
            return self.per;
        };
        let beta = self.constants.beta;
        // Segments acknowledged for one more of Reno's, in eighths a segment of the window: 15.
        let eighths = 8 * (1024 + beta) / 3 / (1024 - beta);
        let price = (cwnd * eighths / 8).max(1);
        let gained = epoch.acked.saturating_sub(1) / price;
        epoch.acked -= gained * price;
        epoch.reno += gained;
        if epoch.reno > cwnd { self.per.min(cwnd / (epoch.reno - cwnd)) } else { self.per }
    }
}

/// `K = cbrt(distance / C)`, in 2^-10 s, rounded down.
fn k(distance: u64, bic_scale: u64) -> u64 {
    cube_root((1 << 40) / (10 * bic_scale) * distance)
}

/// `C (t - K)^3 + origin` in whole segments, `t` in 2^-10 s; the distance from the origin is rounded
/// down.
fn curve(t: u64, epoch: &CurveEpoch, bic_scale: u64) -> u64 {
    let x = t.abs_diff(epoch.k).min(MAX_OFFSET);
    let offset = scale(x * x * x, 10 * bic_scale, 1 << 40);
    if t < epoch.k { epoch.origin.saturating_sub(offset) } else { epoch.origin + offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: Constants = Constants { beta: 717, bic_scale: 41, friendly: true, hz: 250 };

    #[test]
    fn k_for_a_loss_at_a_hundred_segments_is_four_seconds_and_a_fifth() {
        // C = 410/1024 = 0.4004 segments/s^3 and (100 - 70) / C = 74.93 = 4.2158^3 s.
        assert_eq!(k(30, 41), 4_316); // 4.2158 * 1024 = 4317
    }

    #[test]
    fn the_curve_is_flat_at_the_origin_and_fifty_segments_higher_five_seconds_later() {
        let epoch = CurveEpoch { start: 0, k: 4_096, origin: 1_000, acked: 0, reno: 1 };
        assert_eq!(curve(4_096, &epoch, 41), 1_000);
        // 0.4004 * 5^3 = 50.05
        assert_eq!(curve(9 * 1_024, &epoch, 41), 1_050);
        // 293 s at most: 0.4004 * 293^3.
        assert_eq!(curve(u64::MAX, &epoch, 41) / 1_000, 10_069);
    }

    #[test]
    fn without_a_loss_yet_growth_is_one_in_twenty() {
        let mut c = Curve::new(LINUX);
        assert_eq!(c.per_segment(100, 1, 1_000, 100_000), 20);
    }

    #[test]
    fn the_second_look_within_a_tick_changes_nothing_but_renos_part() {
        let mut c = Curve::new(LINUX);
        assert_eq!(c.reduce(1_000, true), 700);
        let per = c.per_segment(700, 1, 1_000, 100_000);
        // 300/C = 749.3 = 9.083^3; 0.1 s on, the curve is 9.8 segments higher, 10 in whole ones.
        assert_eq!(per, 70);
        assert_eq!(c.per_segment(701, 1, 1_000, 100_000), 70);
        assert_eq!(c.per_segment(701, 1, 1_001, 100_000), 70); // 711 is aimed at now
    }

    #[test]
    fn a_loss_below_the_last_maximum_aims_at_seventeen_twentieths() {
        let mut c = Curve::new(LINUX);
        c.reduce(1_000, true);
        assert_eq!(c.reduce(800, true), 560);
        assert_eq!(c.last_max, 680); // 800 * 1741/2048
        c.reset();
        assert_eq!(c.last_max, 0);
    }

    #[test]
    fn a_small_window_grows_as_aimd_with_the_same_decrease_does() {
        // 15/8 of a window of ACKs pay for one segment: 8/15 = 0.533 a round, near 9/17.
        let mut c = Curve::new(LINUX);
        c.reduce(14, true);
        let (mut count, mut cwnd) = (crate::linux::Count::default(), 9);
        for tick in 0..150 {
            // One ACK a tick on a path of 36 ms: 150 ACKs are 14 rounds of 9 to 13.
            let per = c.per_segment(cwnd, 1, 1_000 + tick, 36_000);
            cwnd = count.spend(cwnd, per, 1);
        }
        assert!((15..=17).contains(&cwnd), "{cwnd}");
    }
}
