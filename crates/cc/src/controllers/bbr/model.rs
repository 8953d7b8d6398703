//! The model of the path: bandwidth over ten rounds, whether slow start has filled the pipe.

use crate::path_model::{Bw, Plateau};
use crate::windowed_extreme::WindowedMax;

/// Length of the bandwidth filter: one cycle of gains and two rounds.
const BW_ROUNDS: u64 = 10;

/// The rate part of an ACK's sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateSample {
    /// Segments delivered over the interval, in us.
    pub(super) delivered: u64,
    pub(super) interval_us: u64,
    /// The delivered count when the newest acknowledged segment was sent.
    pub(super) prior_delivered: u64,
    pub(super) app_limited: bool,
}

/// One ACK as BBR sees it, losses included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BbrAck {
    pub(super) now_us: u64,
    pub(super) smss: u64,
    /// The delivered count and when it last rose.
    pub(super) delivered: u64,
    pub(super) delivered_at_us: u64,
    /// Segments delivered and judged lost by this ACK, and all judged lost so far.
    pub(super) acked: u64,
    pub(super) losses: u64,
    pub(super) lost: u64,
    pub(super) in_flight: u64,
    pub(super) prior_in_flight: u64,
    pub(super) rtt_us: Option<u64>,
    pub(super) rate: Option<RateSample>,
}

/// The bandwidth filter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bandwidth {
    max: WindowedMax,
}

impl Bandwidth {
    pub(super) fn new() -> Self {
        Self { max: WindowedMax::new(BW_ROUNDS) }
    }

    pub(super) fn get(&self) -> Bw {
        Bw::from_raw(self.max.get())
    }

    /// A sample from an idle application says little about the path, unless it is a high one.
    pub(super) fn update(&mut self, rate: &RateSample, round: u64) {
        let bw = Bw::new(rate.delivered, rate.interval_us);
        if !rate.app_limited || bw >= self.get() {
            self.max.update(round, bw.raw());
        }
    }
}

/// Whether start-up has filled the pipe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    plateau: Plateau,
    pub(super) reached: bool,
}

impl FullPipe {
    /// Asked once a round, unless the application was idle.
    pub(super) fn update(&mut self, max_bw: Bw) {
        self.reached = self.reached || self.plateau.is_reached_with(max_bw);
    }

    /// A spurious loss, or a timeout, spoils the comparison; rounds without growth count on after
    /// a timeout.
    pub(super) fn forget(&mut self, rounds_too: bool) {
        if rounds_too {
            self.plateau = Plateau::default();
        } else {
            self.plateau.forget_rate();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_application_does_not_lower_the_bandwidth() {
        let mut b = Bandwidth::new();
        let rate = |delivered, app_limited| RateSample {
            delivered,
            interval_us: 1_000,
            prior_delivered: 0,
            app_limited,
        };
        b.update(&rate(10, false), 0);
        for round in 1..50 {
            b.update(&rate(1, true), round);
        }
        assert_eq!(b.get(), Bw::new(10, 1_000));
        b.update(&rate(20, true), 50);
        assert_eq!(b.get(), Bw::new(20, 1_000));
    }

    #[test]
    fn bbr_bw_rtts_a_sample_counts_for_ten_rounds() {
        let mut b = Bandwidth::new();
        let rate = |delivered| RateSample {
            delivered,
            interval_us: 1_000,
            prior_delivered: 0,
            app_limited: false,
        };
        b.update(&rate(10), 0);
        for round in 1..=10 {
            b.update(&rate(1), round);
            assert_eq!(b.get(), Bw::new(10, 1_000), "{round}");
        }
        b.update(&rate(1), 11);
        assert_eq!(b.get(), Bw::new(1, 1_000));
    }
}
