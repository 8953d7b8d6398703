//! How many segments more than expected are acknowledged at once.
//!
//! Receivers and links that bunch ACKs leave the sender silent in between; the window is raised by
//! the largest bunch of the last five to ten rounds to bridge the gap.

use super::model::BbrAck;
use crate::path_model::Bw;

const WINDOW_ROUNDS: u64 = 5;
/// An epoch of this many segments is too old to say anything.
const EPOCH_LIMIT: u64 = 1 << 20;
/// The window is raised by what the bandwidth moves in this time at most.
const MAX_US: u64 = 100_000;

/// The estimator's state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    epoch_us: u64,
    epoch_acked: u64,
    /// The maxima of this five rounds and of the five before.
    extra: [u64; 2],
    /// Which of the two is this one's.
    current: usize,
    rounds: u64,
}

impl Aggregation {
    /// A new epoch: sending begins again after idle time.
    pub(super) fn restart(&mut self, now_us: u64) {
        self.epoch_us = now_us;
        self.epoch_acked = 0;
    }

    /// Takes in one ACK; `bw` is the bandwidth in use.
    pub(super) fn update(&mut self, s: &BbrAck, bw: Bw, round_start: bool, cwnd: u64) {
        if s.acked == 0 || s.rate.is_none() {
            return;
        }
        if round_start {
            self.next_round();
        }
        let mut expected = bw.segments_in(s.delivered_at_us.saturating_sub(self.epoch_us));
        if self.epoch_acked <= expected || s.acked >= EPOCH_LIMIT - self.epoch_acked {
            self.restart(s.delivered_at_us);
            expected = 0;
        }
        self.epoch_acked = self.epoch_acked.saturating_add(s.acked).min(EPOCH_LIMIT - 1);
        let extra = self.epoch_acked.saturating_sub(expected).min(cwnd);
        let max = &mut self.extra[self.current];
        *max = extra.max(*max);
    }

    fn next_round(&mut self) {
        self.rounds += 1;
        if self.rounds >= WINDOW_ROUNDS {
            self.rounds = 0;
            self.current = 1 - self.current;
            self.extra[self.current] = 0;
        }
    }

    /// The allowance to raise the window by.
    pub(super) fn allowance(&self, bw: Bw) -> u64 {
        self.extra[0].max(self.extra[1]).min(bw.segments_in(MAX_US))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acks(n: u64, at_us: u64) -> BbrAck {
        BbrAck {
            acked: n,
            delivered_at_us: at_us,
            rate: Some(super::super::model::RateSample::default()),
            ..BbrAck::default()
        }
    }

    #[test]
    fn a_bunch_of_acks_counts_by_what_exceeds_the_bandwidth() {
        let mut a = Aggregation::default();
        let bw = Bw::new(1, 1_000);
        // One segment a millisecond: the one just in, and one for the rounding of the bandwidth.
        for ms in 1..=10 {
            a.update(&acks(1, ms * 1_000), bw, false, 100);
        }
        assert!(a.allowance(bw) <= 2, "{a:?}");
        // Then 20 at once.
        a.update(&acks(20, 30_000), bw, false, 100);
        assert_eq!(a.allowance(bw), 20);
    }

    #[test]
    fn a_bunch_is_forgotten_after_ten_rounds() {
        let mut a = Aggregation::default();
        let bw = Bw::new(1, 1_000);
        a.update(&acks(20, 30_000), bw, false, 100);
        for round in 1..=10 {
            assert_eq!(a.allowance(bw), 20, "round {round}");
            a.update(&acks(1, 30_000 + round * 100_000), bw, true, 100);
        }
        assert_eq!(a.allowance(bw), 1);
    }

    #[test]
    fn the_allowance_is_bounded_by_a_tenth_of_a_second_and_by_the_window() {
        let mut a = Aggregation::default();
        let bw = Bw::new(1, 1_000);
        a.update(&acks(5_000, 10), bw, false, 3_000);
        assert_eq!(a.allowance(bw), 99);
        assert_eq!(a.allowance(Bw::new(100, 1_000)), 3_000);
    }
}
