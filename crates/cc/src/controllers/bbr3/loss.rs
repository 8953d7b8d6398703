//! Losses and marks ("Updating the Model Upon Packet Loss", "Exiting Startup Based on Packet Loss").

use super::Bbr3;
use super::machine::BbrState;
use super::model::{AckSample, ShortTerm, beta};
use crate::controller::{LostSegment, Phase};
use crate::linux::stamp;
use crate::path_model::{Bw, UNIT};
use crate::product::saturating;

/// `BBRStartupFullLossCnt`: lost ranges of a round that end Startup.
const STARTUP_LOST_RANGES: u64 = 6;
/// `loss_thresh` counts thousandths.
const WHOLE: u64 = 1_000;

/// Losses of the present round, for Startup.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartupLosses {
    ranges: u64,
    /// One beyond the last segment lost.
    end: u64,
    /// The round in which fast recovery began.
    recovery_since: Option<u64>,
}

/// The state that a spurious loss restores.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BeforeLoss {
    /// It belongs to the recovery in progress, and is not saved again.
    is_saved: bool,
    /// The state that a loss has ended.
    pub(super) state: Option<BbrState>,
    short: ShortTerm,
    long: Option<u64>,
}

impl Bbr3 {
    /// `IsInflightTooHigh()`: more than 2 % of what was in flight is lost.
    pub(super) fn is_too_high(&self, lost: u64, tx_in_flight: u64) -> bool {
        saturating(lost, WHOLE) > saturating(tx_in_flight, self.params.loss_thresh)
    }

    /// `HandleLostPacket()`.
    pub(super) fn handle_lost_packet(&mut self, p: &LostSegment) {
        self.lost += 1;
        self.note_loss();
        self.startup.ranges += u64::from(p.seq != self.startup.end);
        self.startup.end = p.seq + 1;
        if self.probe.is_sample && self.is_too_high(p.lost_since, p.in_flight) {
            let held = self.inflight_at_loss(p);
            self.handle_inflight_too_high(stamp(p.now), held, p.app_limited);
        }
    }

    /// `NoteLoss()`.
    fn note_loss(&mut self) {
        self.save_upon_loss();
        self.latest.note_loss(self.delivered);
    }

    /// `SaveStateUponLoss()`, once a recovery: the loss that ends a probe also starts another round for
    /// losses, and a second copy would have forgotten the probe.
    pub(super) fn save_upon_loss(&mut self) {
        if self.undo.is_saved {
            return;
        }
        self.save_cwnd();
        self.undo = BeforeLoss { is_saved: true, state: None, short: self.short, long: self.long };
    }

    /// An ACK outside recovery: the next loss begins another one.
    pub(super) fn leave_recovery(&mut self) {
        self.undo.is_saved = false;
    }

    /// `InflightAtLoss()`: where in the segments in flight losses went beyond the threshold.
    pub(super) fn inflight_at_loss(&self, p: &LostSegment) -> u64 {
        let (before, lost) = (p.in_flight.saturating_sub(1), p.lost_since.saturating_sub(1));
        let thresh = self.params.loss_thresh;
        let budget = before.saturating_mul(thresh).saturating_sub(lost.saturating_mul(WHOLE));
        before + budget / (WHOLE - thresh)
    }

    /// `HandleInflightTooHigh()`: once a probe.
    fn handle_inflight_too_high(&mut self, now_us: u64, tx_in_flight: u64, app_limited: bool) {
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !app_limited {
            self.long = Some(tx_in_flight.max(beta(self.target_inflight())));
        }
        if self.state == BbrState::Up {
            self.undo.state = Some(BbrState::Up);
            self.start_down(now_us);
        }
    }

    /// A CE mark, which the draft leaves open: congestion, at the load of now.
    pub(super) fn on_mark(&mut self, now_us: u64) {
        self.latest.note_loss(self.delivered);
        if self.state == BbrState::Startup {
            self.end_startup();
        } else if self.probe.is_sample {
            self.handle_inflight_too_high(now_us, self.in_flight, false);
        }
    }

    /// `CheckStartupHighLoss()`.
    pub(super) fn check_startup_high_loss(&mut self, rs: &AckSample, phase: Phase) {
        let round = self.rounds.count();
        if phase == Phase::Recovery {
            self.startup.recovery_since.get_or_insert(round);
        } else {
            self.startup.recovery_since = None;
        }
        if !self.latest.round_start {
            return;
        }
        let ranges = core::mem::take(&mut self.startup.ranges);
        if self.state == BbrState::Startup
            && self.startup.recovery_since.is_some_and(|since| round > since)
            && ranges >= STARTUP_LOST_RANGES
            && self.is_too_high(rs.lost, rs.tx_in_flight)
        {
            self.end_startup();
        }
    }

    /// Losses end Startup.
    fn end_startup(&mut self) {
        self.undo.state = Some(BbrState::Startup);
        self.full.now = true;
        self.full.reached = true;
        self.long = Some(self.bdp(self.bw(), UNIT).max(self.latest.inflight));
    }

    /// `HandleSpuriousLossDetection()`.
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.restore_cwnd();
        self.latest.has_loss = false;
        self.leave_recovery();
        self.full.reset(Bw::ZERO);
        self.short = self.short.max(self.undo.short);
        self.long = self.long.zip(self.undo.long).map(|(now, before)| now.max(before));
        match self.undo.state.take() {
            Some(BbrState::Startup) if self.state != BbrState::Startup => {
                self.full.reached = false;
                if self.state != BbrState::ProbeRtt {
                    self.enter(BbrState::Startup);
                }
            }
            Some(BbrState::Up)
                if self.state != BbrState::Up && self.state != BbrState::ProbeRtt =>
            {
                self.start_refill();
            }
            _ => {}
        }
    }
}
