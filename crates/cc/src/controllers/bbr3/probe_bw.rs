//! Probing for bandwidth: down, cruise, refill, up ("ProbeBW Algorithm Details").

use super::Bbr3;
use super::machine::BbrState;
use super::model::AckSample;
use super::window::headroom;
use crate::path_model::UNIT;

/// The rounds after which Reno would have gained its loss back on a path of 25 Mbit/s and 30 ms.
const RENO_ROUNDS: u64 = 63;
/// The next probe begins two to three seconds after the last.
const LEAST_WAIT_US: u64 = 2_000_000;
const DRAWN_WAIT_US: u64 = 1_000_000;
/// `bw_probe_up_rounds` rises no further: the slope has doubled this often.
const MOST_DOUBLINGS: u32 = 30;

/// `BBR.ack_phase`: what the ACKs say about the last probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// Nothing: no probe.
    #[default]
    Init,
    /// The pipe is being filled.
    Refilling,
    /// Probing, and its first ACK is still to come.
    Starting,
    /// ACKs of the probe arrive.
    Feedback,
    /// Probing is over, and its ACKs still arrive.
    Stopping,
}

/// The cycle of probes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeCycle {
    pub(super) ack_phase: AckPhase,
    /// `is_bw_probe_sample`: the ACKs are of segments sent while accelerating, not answered yet.
    pub(super) is_sample: bool,
    /// `cycle_stamp` and `bw_probe_wait`, in us.
    cycle_us: u64,
    pub(super) wait_us: u64,
    pub(super) rounds_since_up: u64,
    /// `bw_probe_up_rounds`, `bw_probe_up_acked`, `probe_up_acked_per_inc` (none is infinity).
    up_rounds: u32,
    up_acked: u64,
    acked_per_increase: Option<u64>,
    /// `prev_probe_too_high`: the last probe has lost too much.
    pub(super) was_too_high: bool,
    /// `prev_probe_precautionary`: the last probe ended at the bound that the one before had found.
    was_precautionary: bool,
}

impl Bbr3 {
    /// `StartProbeBW_DOWN()`, and so `EnterProbeBW()`.
    pub(super) fn start_down(&mut self, now_us: u64) {
        self.latest.reset();
        // `PickProbeWait()`.
        self.probe.rounds_since_up = self.draws.below(2);
        self.probe.wait_us = LEAST_WAIT_US + self.draws.below(DRAWN_WAIT_US);
        self.probe.acked_per_increase = None;
        self.probe.cycle_us = now_us;
        self.probe.ack_phase = AckPhase::Stopping;
        self.start_round();
        self.enter(BbrState::Down);
    }

    /// `StartProbeBW_REFILL()`.
    pub(super) fn start_refill(&mut self) {
        self.short = super::ShortTerm::default();
        self.probe.up_rounds = 0;
        self.probe.up_acked = 0;
        self.probe.was_precautionary = false;
        self.probe.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.enter(BbrState::Refill);
    }

    /// `StartProbeBW_UP()`.
    fn start_up(&mut self, rs: &AckSample) {
        self.probe.is_sample = true;
        self.probe.ack_phase = AckPhase::Starting;
        self.start_round();
        self.full.reset(rs.rate);
        self.enter(BbrState::Up);
        self.raise_slope();
    }

    /// `UpdateProbeBWCyclePhase()`.
    pub(super) fn update_probe_bw(&mut self, rs: &AckSample) {
        if !self.full.reached || self.adapt_long_term_model(rs) {
            return;
        }
        match self.state {
            BbrState::Down | BbrState::Cruise if self.is_time_to_probe(rs) => self.start_refill(),
            BbrState::Down if self.is_time_to_cruise(rs) => self.enter(BbrState::Cruise),
            // After one round.
            BbrState::Refill if self.rounds.begins() => self.start_up(rs),
            BbrState::Up => self.end_probe(rs),
            _ => {}
        }
    }

    fn end_probe(&mut self, rs: &AckSample) {
        if self.is_time_to_go_down(rs) {
            self.probe.was_too_high = false;
            self.start_down(rs.now_us);
        }
    }

    /// `IsTimeToProbeBW()`: by the clock, or when Reno would have.
    fn is_time_to_probe(&self, rs: &AckSample) -> bool {
        let reno_rounds = self.target_inflight().min(RENO_ROUNDS);
        rs.now_us > self.probe.cycle_us + self.probe.wait_us
            || self.probe.rounds_since_up >= reno_rounds
    }

    /// `IsTimeToCruise()`: there is headroom, and the queue is gone.
    fn is_time_to_cruise(&self, rs: &AckSample) -> bool {
        self.long.is_none_or(|long| rs.in_flight <= headroom(long))
            && rs.in_flight <= self.inflight(self.max_bw.get(), UNIT)
    }

    /// `IsTimeToGoDown()`.
    fn is_time_to_go_down(&mut self, rs: &AckSample) -> bool {
        // A bound that was too much for the last probe is not held for a round.
        if self.probe.was_too_high && self.long.is_some_and(|long| rs.in_flight >= long) {
            self.probe.was_precautionary = true;
            return true;
        }
        if self.is_bounded_by_long_term(rs) {
            // The bound limits the rate, and not the path.
            self.full.reset(rs.rate);
            return false;
        }
        self.full.now
    }

    /// The window limits the sender, and the long-term bound the window.
    fn is_bounded_by_long_term(&self, rs: &AckSample) -> bool {
        rs.cwnd_limited && self.long.is_some_and(|long| self.cwnd >= long)
    }

    /// `RaiseInflightLongtermSlope()`: 1, 2, 4, ... segments in successive rounds.
    fn raise_slope(&mut self) {
        let growth = 1 << self.probe.up_rounds;
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(MOST_DOUBLINGS);
        self.probe.acked_per_increase = Some((self.cwnd / growth).max(1));
    }

    /// `ProbeInflightLongtermUpward()`.
    fn probe_upward(&mut self, rs: &AckSample, long: u64) {
        if !self.is_bounded_by_long_term(rs) {
            return;
        }
        self.probe.up_acked += rs.newly_acked;
        if let Some(per) = self.probe.acked_per_increase {
            self.long = Some(long + self.probe.up_acked / per);
            self.probe.up_acked %= per;
        }
        if self.rounds.begins() {
            self.raise_slope();
        }
    }

    /// `AdaptLongTermModel()`. True if the state has changed.
    fn adapt_long_term_model(&mut self, rs: &AckSample) -> bool {
        if self.rounds.begins() {
            match self.probe.ack_phase {
                AckPhase::Starting => self.probe.ack_phase = AckPhase::Feedback,
                AckPhase::Stopping => {
                    if self.end_feedback(rs) {
                        return true;
                    }
                }
                AckPhase::Init | AckPhase::Refilling | AckPhase::Feedback => {}
            }
        }
        if self.is_too_high(rs.lost, rs.tx_in_flight) {
            return false;
        }
        if let Some(long) = self.long {
            let long = long.max(rs.tx_in_flight);
            self.long = Some(long);
            if self.state == BbrState::Up {
                self.probe_upward(rs, long);
            }
        }
        false
    }

    /// The last ACKs of a probe have arrived. True if the next one begins at once, because a cautious
    /// one has lost nothing.
    fn end_feedback(&mut self, rs: &AckSample) -> bool {
        self.probe.is_sample = false;
        self.probe.ack_phase = AckPhase::Init;
        if !self.state.is_probe_bw() {
            return false;
        }
        if !rs.app_limited {
            self.max_bw.advance();
        }
        let again = self.probe.was_precautionary && !self.probe.was_too_high;
        if again {
            self.start_refill();
        }
        again
    }
}
