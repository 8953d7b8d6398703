//! Pacing rate and window ("Updating Control Parameters").

use super::machine::{BbrState, PROBE_RTT_CWND_GAIN};
use super::model::AckSample;
use super::{Bbr3, MIN_PIPE_CWND};
use crate::controller::Phase;
use crate::path_model::{Bw, UNIT};
use crate::product::saturating;

/// The largest quantum handed to the device.
const MOST_QUANTUM_BYTES: u64 = 64 * 1_024;
/// The smallest, in segments.
const LEAST_QUANTUM: u64 = 2;
/// Quanta that the offload engines of two hosts hold.
const OFFLOAD_QUANTA: u64 = 3;

/// `InflightWithHeadroom()`: 0.85 of the long-term bound, one segment less at least.
pub(super) fn headroom(long: u64) -> u64 {
    let room = (saturating(long, 15) / 100).max(1);
    long.saturating_sub(room).max(MIN_PIPE_CWND)
}

impl Bbr3 {
    /// `SetPacingRateWithGain()`: Startup never slows down.
    pub(super) fn set_pacing(&mut self, gain: u64) {
        let rate = self.bw().pacing(self.smss, gain);
        if self.full.reached || rate > self.pacing {
            self.pacing = rate;
        }
    }

    /// `C.send_quantum` in segments: a millisecond's worth.
    pub(super) fn send_quantum(&self) -> u64 {
        let bytes = (self.pacing / 1_000).min(MOST_QUANTUM_BYTES);
        (bytes / self.smss).max(LEAST_QUANTUM)
    }

    /// `BDPMultiple()`.
    pub(super) fn bdp(&self, bw: Bw, gain: u64) -> u64 {
        self.min_rtt.us.map_or(self.initial_window, |rtt| bw.bdp(rtt, gain))
    }

    /// `QuantizationBudget()`.
    pub(super) fn budget(&self, segments: u64) -> u64 {
        let cap = segments.max(OFFLOAD_QUANTA * self.send_quantum()).max(MIN_PIPE_CWND);
        if self.state == BbrState::Up { cap + 2 } else { cap }
    }

    /// `Inflight()`: segments in flight at this bandwidth and gain.
    pub(super) fn inflight(&self, bw: Bw, gain: u64) -> u64 {
        self.budget(self.bdp(bw, gain))
    }

    /// `TargetInflight()`.
    pub(super) fn target_inflight(&self) -> u64 {
        self.bdp(self.bw(), UNIT).min(self.cwnd)
    }

    /// `UpdateMaxInflight()`.
    fn max_inflight(&self) -> u64 {
        self.budget(self.bdp(self.bw(), self.state.cwnd_gain()) + self.extra.get())
    }

    /// `ProbeRTTCwnd()`.
    pub(super) fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp(self.bw(), PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND)
    }

    /// `SaveCwnd()`: the last window that neither recovery nor probing has cut.
    pub(super) fn save_cwnd(&mut self) {
        let cut = self.prior_phase != Phase::Open || self.state == BbrState::ProbeRtt;
        self.prior_cwnd = if cut { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// `RestoreCwnd()`.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// `SetCwnd()`: up by what is acknowledged, down at once. The end of recovery restores the window.
    pub(super) fn set_cwnd(&mut self, rs: &AckSample, phase: Phase) {
        let before = core::mem::replace(&mut self.prior_phase, phase);
        if phase == Phase::Open {
            self.leave_recovery();
            if before != Phase::Open {
                self.restore_cwnd();
            }
        }
        let (most, grown) = (self.max_inflight(), self.cwnd.saturating_add(rs.newly_acked));
        if self.full.reached {
            self.cwnd = grown.min(most);
        } else if self.cwnd < most || self.delivered < self.initial_window {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE_CWND);
        if self.state == BbrState::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd_for_model();
    }

    /// `BoundCwndForModel()`.
    fn bound_cwnd_for_model(&mut self) {
        let long = match self.state {
            BbrState::Startup | BbrState::Drain => None,
            BbrState::Cruise | BbrState::ProbeRtt => self.long.map(headroom),
            BbrState::Down | BbrState::Refill | BbrState::Up => self.long,
        };
        let cap = long.unwrap_or(u64::MAX).min(self.short.inflight.unwrap_or(u64::MAX));
        self.cwnd = self.cwnd.min(cap.max(MIN_PIPE_CWND));
    }
}
