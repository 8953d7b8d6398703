//! The model of the path ("Updating Network Path Model Parameters").

use super::Bbr3;
use crate::controller::Window;
use crate::path_model::{Bw, Plateau};
use crate::product::saturating;
use crate::windowed_extreme::WindowedMax;

/// `BBR.ExtraAckedFilterLen`: rounds, once the pipe was full.
const EXTRA_ACKED_ROUNDS: u64 = 10;

/// `RS`: an ACK's rate sample, losses included. Without a sample `rate` and `delivered` are zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckSample {
    pub(super) now_us: u64,
    /// Segments acknowledged or selectively acknowledged by this ACK.
    pub(super) newly_acked: u64,
    pub(super) rtt_us: Option<u64>,
    /// Segments in flight after this ACK.
    pub(super) in_flight: u64,
    pub(super) cwnd_limited: bool,
    /// Segments delivered when the newest acknowledged one was sent.
    pub(super) prior_delivered: Option<u64>,
    /// Segments delivered since then, and how fast.
    pub(super) delivered: u64,
    pub(super) rate: Bw,
    /// Segments in flight when it was sent, itself included, and judged lost since.
    pub(super) tx_in_flight: u64,
    pub(super) lost: u64,
    pub(super) app_limited: bool,
}

/// `BBR.max_bw_filter`: the largest rate of this cycle and of the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBw {
    before: Bw,
    present: Bw,
}

impl MaxBw {
    pub(super) fn get(&self) -> Bw {
        self.before.max(self.present)
    }

    /// `UpdateMaxBw()`: a sample from an idle application says little, unless it is a high one.
    fn update(&mut self, rs: &AckSample) {
        if rs.rate >= self.get() || !rs.app_limited {
            self.present = self.present.max(rs.rate);
        }
    }

    /// `AdvanceMaxBwFilter()`.
    pub(super) fn advance(&mut self) {
        if !self.present.is_zero() {
            self.before = core::mem::take(&mut self.present);
        }
    }
}

/// The "full pipe" estimator ("Exiting Acceleration Based on Bandwidth Plateau").
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBw {
    /// `full_bw`, `full_bw_count`.
    plateau: Plateau,
    /// `full_bw_now`: since it was last looked for.
    pub(super) now: bool,
    /// `full_bw_reached`: ever.
    pub(super) reached: bool,
}

impl FullBw {
    /// `ResetFullBW()`, with the rate that growth is measured by.
    pub(super) fn reset(&mut self, bw: Bw) {
        self.plateau = Plateau::from(bw);
        self.now = false;
    }

    /// `CheckFullBWReached()`.
    pub(super) fn check(&mut self, rs: &AckSample, round_start: bool) {
        if self.now || !round_start || rs.app_limited {
            return;
        }
        self.now = self.plateau.is_reached_with(rs.rate);
        self.reached |= self.now;
    }
}

/// The delivery of the present round, and whether it has seen a loss.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latest {
    /// `bw_latest`, `inflight_latest`.
    bw: Bw,
    pub(super) inflight: u64,
    /// `loss_round_delivered`, `loss_round_start`.
    round_delivered: u64,
    pub(super) round_start: bool,
    /// `is_loss_in_round`.
    pub(super) has_loss: bool,
}

impl Latest {
    /// `UpdateLatestDeliverySignals()`; `delivered` counts from the start.
    pub(super) fn update(&mut self, rs: &AckSample, delivered: u64) {
        self.bw = self.bw.max(rs.rate);
        self.inflight = self.inflight.max(rs.delivered);
        self.round_start = rs.prior_delivered.is_some_and(|prior| prior >= self.round_delivered);
        if self.round_start {
            self.round_delivered = delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals()`.
    pub(super) fn advance(&mut self, rs: &AckSample) {
        if self.round_start {
            self.bw = rs.rate;
            self.inflight = rs.delivered;
        }
    }

    /// `NoteLoss()`: the round that a loss belongs to ends with what is sent from now on.
    pub(super) fn note_loss(&mut self, delivered: u64) {
        if !self.has_loss {
            self.round_delivered = delivered;
        }
        self.has_loss = true;
    }

    /// `ResetCongestionSignals()`.
    pub(super) fn reset(&mut self) {
        self.has_loss = false;
        self.bw = Bw::ZERO;
        self.inflight = 0;
    }
}

/// `bw_shortterm`, `inflight_shortterm`; none is infinity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShortTerm {
    pub(super) bw: Option<Bw>,
    pub(super) inflight: Option<u64>,
}

impl ShortTerm {
    /// `InitLowerBounds()` and `LossLowerBounds()`: `max(latest, 0.7 bound)`.
    fn lower(&mut self, latest: &Latest, max_bw: Bw, cwnd: u64) {
        let (bw, inflight) = (self.bw.unwrap_or(max_bw), self.inflight.unwrap_or(cwnd));
        self.bw = Some(latest.bw.max(Bw::from_raw(beta(bw.raw()))));
        self.inflight = Some(latest.inflight.max(beta(inflight)));
    }

    /// The larger of two bounds each.
    pub(super) fn max(self, o: Self) -> Self {
        Self {
            bw: self.bw.zip(o.bw).map(|(a, b)| a.max(b)),
            inflight: self.inflight.zip(o.inflight).map(|(a, b)| a.max(b)),
        }
    }
}

/// `BBR.Beta`: 0.7 of a bound, rounded down.
pub(super) fn beta(bound: u64) -> u64 {
    saturating(bound, 7) / 10
}

/// `extra_acked`: how many segments more than expected are acknowledged at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtraAcked {
    /// When the interval began; none before the first ACK.
    since_us: Option<u64>,
    delivered: u64,
    max: WindowedMax,
}

impl Default for ExtraAcked {
    fn default() -> Self {
        // In Startup one round.
        Self { since_us: None, delivered: 0, max: WindowedMax::new(1) }
    }
}

impl ExtraAcked {
    pub(super) fn begin(&mut self, now_us: u64) {
        self.since_us.get_or_insert(now_us);
    }

    pub(super) fn restart(&mut self, now_us: u64) {
        self.since_us = Some(now_us);
    }

    pub(super) fn get(&self) -> u64 {
        self.max.get()
    }
}

impl Bbr3 {
    /// `UpdateCongestionSignals()`.
    pub(super) fn update_congestion_signals(&mut self, rs: &AckSample, w: Window) {
        self.update_round(rs);
        if !rs.rate.is_zero() {
            self.max_bw.update(rs);
        }
        if !self.latest.round_start {
            return;
        }
        // `AdaptLowerBoundsFromCongestion()`: once a round.
        if self.latest.has_loss && !self.state.is_probing_bw() {
            self.short.lower(&self.latest, self.max_bw.get(), w.cwnd.whole());
        }
        self.latest.has_loss = false;
    }

    /// `UpdateRound()`.
    fn update_round(&mut self, rs: &AckSample) {
        match rs.prior_delivered {
            Some(prior) => self.rounds.update(prior, self.delivered),
            None => self.rounds.set_begins(false),
        }
        if self.rounds.begins() {
            self.probe.rounds_since_up += 1;
        }
    }

    /// `StartRound()`.
    pub(super) fn start_round(&mut self) {
        self.rounds.restart(self.delivered);
    }

    /// `UpdateACKAggregation()`.
    pub(super) fn update_extra_acked(&mut self, rs: &AckSample, cwnd: u64) {
        let bw = self.bw();
        let it = &mut self.extra;
        let since = it.since_us.unwrap_or(rs.now_us);
        let mut expected = bw.segments_in(rs.now_us.saturating_sub(since));
        if it.delivered <= expected {
            it.delivered = 0;
            it.since_us = Some(rs.now_us);
            expected = 0;
        }
        it.delivered = it.delivered.saturating_add(rs.newly_acked);
        let extra = it.delivered.saturating_sub(expected).min(cwnd);
        it.max.set_window(if self.full.reached { EXTRA_ACKED_ROUNDS } else { 1 });
        it.max.update(self.rounds.count(), extra);
    }
}
