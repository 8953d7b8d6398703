//! BBR's window: the bandwidth-delay product times a gain, with room for bunches of segments and ACKs.

use super::machine::Mode;
use super::model::BbrAck;
use super::{Bbr, MIN_WINDOW};
use crate::controller::{Phase, Window};
use crate::path_model::Bw;

/// The window before any round-trip time is known, and the deliveries before which it only grows.
const INITIAL_WINDOW: u64 = 10;
/// Below this rate in bytes a second segments are sent one at a time, above two at a time.
const SINGLE_RATE: u64 = 1_200_000 / 8;
/// The largest bunch handed to the device: 64 kB less a header, and 127 segments.
const BURST_BYTES: u64 = 65_536 - 1 - 320;
const BURST_SEGMENTS: u64 = 127;

impl Bbr {
    /// `bbr_tso_segs_goal`: the segments that leave the sender at once, a millisecond's worth.
    pub(super) fn burst(&self) -> u64 {
        let bytes = (self.pacing >> 10).min(BURST_BYTES);
        let least = if self.pacing < SINGLE_RATE { 1 } else { 2 };
        (bytes / self.smss).max(least).min(BURST_SEGMENTS)
    }

    fn bdp(&self, bw: Bw, gain: u64) -> u64 {
        self.min_rtt.us.map_or(INITIAL_WINDOW, |rtt| bw.bdp(rtt, gain))
    }

    /// `bbr_quantization_budget`: room for three bunches on the way, an even number for delayed ACKs,
    /// and two more when probing so that a small window probes at all.
    fn budget(&self, segments: u64) -> u64 {
        let even = (segments + 3 * self.burst()).next_multiple_of(2);
        let probing = self.mode == Mode::ProbeBw && self.cycle.index == 0;
        even + if probing { 2 } else { 0 }
    }

    /// Segments in flight at this bandwidth and gain.
    pub(super) fn inflight(&self, bw: Bw, gain: u64) -> u64 {
        self.budget(self.bdp(bw, gain))
    }

    /// `bbr_save_cwnd`: the last window that was not cut by recovery or by probing.
    pub(super) fn save_cwnd(&mut self, w: Window) {
        let cwnd = w.cwnd.whole();
        let cut = self.prior_phase != Phase::Open || self.mode == Mode::ProbeRtt;
        self.prior_cwnd = if cut { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    /// `bbr_set_cwnd`: up to the target by what is acknowledged, down to it at once.
    pub(super) fn next_cwnd(&mut self, s: &BbrAck, phase: Phase, cwnd: u64) -> u64 {
        let mut cwnd = cwnd;
        if s.acked > 0 {
            cwnd = self.recover_or_restore(s, phase, cwnd);
            if !self.conserve {
                cwnd = self.cwnd_toward_target(s, cwnd).max(MIN_WINDOW);
            }
        }
        if self.mode == Mode::ProbeRtt { cwnd.min(MIN_WINDOW) } else { cwnd }
    }

    fn cwnd_toward_target(&self, s: &BbrAck, cwnd: u64) -> u64 {
        let bw = self.bw();
        let extra = if self.full.reached { self.aggregation.allowance(bw) } else { 0 };
        let target = self.budget(self.bdp(bw, self.cwnd_gain) + extra);
        if self.full.reached {
            cwnd.saturating_add(s.acked).min(target)
        } else if cwnd < target || s.delivered < INITIAL_WINDOW {
            cwnd.saturating_add(s.acked)
        } else {
            cwnd
        }
    }

    /// `bbr_set_cwnd_to_recover_or_restore`: in the first round of recovery one segment out for one
    /// in; at its end the window from before.
    fn recover_or_restore(&mut self, s: &BbrAck, phase: Phase, cwnd: u64) -> u64 {
        let mut cwnd = cwnd.saturating_sub(s.losses).max(1);
        let before = core::mem::replace(&mut self.prior_phase, phase);
        if phase == Phase::Recovery && before != Phase::Recovery {
            self.conserve = true;
            self.rounds.restart(s.delivered);
            cwnd = s.in_flight.saturating_add(s.acked);
        } else if before != Phase::Open && phase == Phase::Open {
            cwnd = cwnd.max(self.prior_cwnd);
            self.conserve = false;
        }
        if self.conserve { cwnd.max(s.in_flight.saturating_add(s.acked)) } else { cwnd }
    }
}
