//! Long-term bandwidth: the rate that a token-bucket policer lets through.
//!
//! A policer lets bursts pass and then drops all above its rate. BBR's maximum filter would take the
//! burst for the bandwidth; two intervals of at least four rounds that both end in losses of a fifth
//! or more, at nearly the same rate, are taken for a policer, and that rate is used for 48 rounds.

use super::model::BbrAck;
use crate::path_model::{Bw, UNIT};
use crate::product::saturating;

const INTERVAL_MIN_ROUNDS: u64 = 4;
/// Losses over deliveries from which an interval counts, in 1/256.
const LOSS_THRESHOLD: u64 = 50;
/// Two rates agree within an eighth ...
const AGREE_RATIO: u64 = UNIT / 8;
/// ... or within 4 kbit/s, in bytes a second.
const AGREE_BYTES_PER_S: u64 = 4_000 / 8;
const USE_ROUNDS: u64 = 48;

/// The policer's request to the state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PolicerVerdict {
    /// Nothing changes.
    Same,
    /// The long-term rate has been used long enough: probe again.
    Expired,
}

/// The detector's state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    bw: Bw,
    in_use: bool,
    sampling: bool,
    rounds: u64,
    began_ms: u64,
    delivered: u64,
    lost: u64,
}

impl Policer {
    /// The policed rate while it is in force.
    pub(super) fn bw(&self) -> Option<Bw> {
        self.in_use.then_some(self.bw)
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self, s: &BbrAck) {
        *self = Self::default();
        self.begin(s);
    }

    fn begin(&mut self, s: &BbrAck) {
        self.began_ms = s.delivered_at_us / 1_000;
        self.delivered = s.delivered;
        self.lost = s.lost;
        self.rounds = 0;
    }

    /// Takes in one ACK, or a timeout, which counts as the end of a round with a loss.
    pub(super) fn update(
        &mut self,
        s: &BbrAck,
        round_start: bool,
        probing_bw: bool,
    ) -> PolicerVerdict {
        if self.in_use {
            return self.age(s, round_start && probing_bw);
        }
        if !self.sampling {
            // The first loss shows that the bucket is empty; earlier rates would include its burst.
            if s.losses == 0 {
                return PolicerVerdict::Same;
            }
            self.begin(s);
            self.sampling = true;
        }
        if s.rate.is_some_and(|r| r.app_limited) {
            self.reset(s);
            return PolicerVerdict::Same;
        }
        self.rounds += u64::from(round_start);
        if self.rounds > 4 * INTERVAL_MIN_ROUNDS {
            self.reset(s);
        } else if self.rounds >= INTERVAL_MIN_ROUNDS && s.losses > 0 {
            self.end_interval(s);
        }
        PolicerVerdict::Same
    }

    fn age(&mut self, s: &BbrAck, round: bool) -> PolicerVerdict {
        self.rounds += u64::from(round);
        if round && self.rounds >= USE_ROUNDS {
            self.reset(s);
            return PolicerVerdict::Expired;
        }
        PolicerVerdict::Same
    }

    /// Compares the interval's rate with the one before, if it lost enough to be policed.
    fn end_interval(&mut self, s: &BbrAck) {
        let lost = s.lost.saturating_sub(self.lost);
        let delivered = s.delivered.saturating_sub(self.delivered);
        let ms = (s.delivered_at_us / 1_000).saturating_sub(self.began_ms);
        if delivered == 0
            || saturating(lost, UNIT) < saturating(delivered, LOSS_THRESHOLD)
            || ms == 0
        {
            return;
        }
        let bw = Bw::new(delivered, ms * 1_000);
        if !self.bw.is_zero() && self.agrees(bw, s.smss) {
            self.bw = self.bw.mean(bw);
            self.in_use = true;
            self.rounds = 0;
            return;
        }
        self.bw = bw;
        self.begin(s);
    }

    fn agrees(&self, bw: Bw, smss: u64) -> bool {
        let diff = bw.abs_diff(self.bw);
        diff.raw() * UNIT <= AGREE_RATIO * self.bw.raw()
            || diff.pacing(smss, UNIT) <= AGREE_BYTES_PER_S
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of affairs after `n` rounds of 100 ms at 100 segments a round, a quarter lost.
    fn after(n: u64, per_round: u64) -> BbrAck {
        BbrAck {
            delivered: n * per_round,
            lost: n * per_round / 4,
            losses: 5,
            delivered_at_us: n * 100_000,
            smss: 1_500,
            ..BbrAck::default()
        }
    }

    #[test]
    fn two_lossy_intervals_of_the_same_rate_are_a_policer_for_forty_eight_rounds() {
        let mut p = Policer::default();
        let mut n = 0;
        while p.bw().is_none() {
            n += 1;
            p.update(&after(n, 100), true, true);
        }
        // Rounds count from the first loss: four for each interval.
        assert_eq!(n, 8);
        assert_eq!(p.bw(), Some(Bw::new(1, 1_000)));
        let verdicts = (1..=48)
            .filter(|i| p.update(&after(n + i, 100), true, true) == PolicerVerdict::Expired);
        assert_eq!(verdicts.collect::<std::vec::Vec<_>>(), [48]);
        assert_eq!(p.bw(), None);
    }

    #[test]
    fn rates_that_differ_by_more_than_an_eighth_are_no_policer() {
        let mut p = Policer::default();
        for n in 1..=40 {
            // Each interval is half as fast again as the one before.
            let factor = [100, 150, 225, 337, 506, 759, 1138, 1708, 2562, 3843][(n - 1) / 4];
            let n = n as u64;
            let mut s = after(n, 100);
            s.delivered = n * factor;
            s.lost = s.delivered / 4;
            p.update(&s, true, true);
            assert_eq!(p.bw(), None, "round {n}");
        }
    }

    #[test]
    fn an_application_that_runs_dry_starts_the_search_over() {
        let mut p = Policer::default();
        for n in 1..=3 {
            p.update(&after(n, 100), true, true);
        }
        let rate = super::super::model::RateSample { app_limited: true, ..Default::default() };
        p.update(&BbrAck { rate: Some(rate), ..after(4, 100) }, true, true);
        assert!(!p.sampling);
    }

    #[test]
    fn few_losses_are_no_policer() {
        let mut p = Policer::default();
        for n in 1..=60 {
            p.update(&BbrAck { lost: n * 10, ..after(n, 100) }, true, true);
        }
        assert_eq!(p.bw(), None);
    }
}
