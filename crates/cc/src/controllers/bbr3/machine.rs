//! The states, their gains, and the way from Startup through Drain ("State Machine", "Startup", "Drain").

use super::Bbr3;
use super::model::AckSample;
use crate::controller::Phase;
use crate::path_model::UNIT;

/// `BBR.StartupPacingGain`, 4 ln 2: the smallest gain with which the rate can double every round.
pub(super) const STARTUP_PACING_GAIN: u64 = UNIT * 277 / 100 + 1;
/// `BBR.DrainPacingGain`.
const DRAIN_PACING_GAIN: u64 = UNIT / 2;
/// The gain of `ProbeBW_DOWN`.
const DOWN_PACING_GAIN: u64 = UNIT * 90 / 100;
/// The gain of `ProbeBW_UP`.
const UP_PACING_GAIN: u64 = UNIT * 5 / 4;
/// `BBR.DefaultCwndGain`.
const DEFAULT_CWND_GAIN: u64 = 2 * UNIT;
/// The window's gain in `ProbeBW_UP`.
const UP_CWND_GAIN: u64 = UNIT * 9 / 4;
/// `BBR.ProbeRTTCwndGain`.
pub(super) const PROBE_RTT_CWND_GAIN: u64 = UNIT / 2;
/// Drain ends after this many rounds, however much is in flight.
const DRAIN_ROUNDS: u64 = 3;

/// A state of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BbrState {
    /// Doubling the rate every round until the pipe is full.
    Startup,
    /// Sending slowly until the queue of Startup is gone.
    Drain,
    /// `ProbeBW_DOWN`: sending more slowly than the path delivers.
    Down,
    /// `ProbeBW_CRUISE`: sending as fast as the path delivers.
    Cruise,
    /// `ProbeBW_REFILL`: a round at the full estimate, before probing.
    Refill,
    /// `ProbeBW_UP`: sending faster than the path has delivered.
    Up,
    /// Half a bandwidth-delay product in flight, to see the round-trip time without a queue.
    ProbeRtt,
}

impl BbrState {
    /// The arrows of "State Transition Diagram", and those of a spurious loss, which lead back.
    ///
    /// ```text
    ///   Startup ---> Drain ---> Down ---> Cruise ---> Refill ---> Up
    ///      ^                     |  ^                   ^          |
    ///      |                     |  '-------------------|----------'
    ///      |                     '----------------------'
    ///      '--- ProbeRtt <--- any        ProbeRtt ---> Down ---> Cruise
    /// ```
    pub fn may_become(self, next: BbrState) -> bool {
        use BbrState::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
        match next {
            // A spurious loss leads back to Startup and to Refill.
            Startup | ProbeRtt => self != next,
            Refill => matches!(self, Drain | Down | Cruise | Refill),
            Drain => self == Startup,
            Down => matches!(self, Drain | Up | ProbeRtt),
            Cruise => self == Down,
            Up => self == Refill,
        }
    }

    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, BbrState::Down | BbrState::Cruise | BbrState::Refill | BbrState::Up)
    }

    /// `IsProbingBW()`: accelerating.
    pub(super) fn is_probing_bw(self) -> bool {
        matches!(self, BbrState::Startup | BbrState::Refill | BbrState::Up)
    }

    /// The pacing gain, in 1/256.
    pub fn pacing_gain(self) -> u64 {
        match self {
            BbrState::Startup => STARTUP_PACING_GAIN,
            BbrState::Drain => DRAIN_PACING_GAIN,
            BbrState::Down => DOWN_PACING_GAIN,
            BbrState::Cruise | BbrState::Refill | BbrState::ProbeRtt => UNIT,
            BbrState::Up => UP_PACING_GAIN,
        }
    }

    /// The window's gain, in 1/256.
    pub fn cwnd_gain(self) -> u64 {
        match self {
            BbrState::Up => UP_CWND_GAIN,
            BbrState::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }
}

impl Bbr3 {
    /// Every change of state.
    pub(super) fn enter(&mut self, next: BbrState) {
        debug_assert!(self.state.may_become(next), "{:?} to {next:?}", self.state);
        self.state = next;
    }

    /// `CheckStartupDone()`.
    pub(super) fn check_startup_done(&mut self, rs: &AckSample, phase: Phase) {
        self.check_startup_high_loss(rs, phase);
        if self.state == BbrState::Startup && self.full.reached {
            self.enter(BbrState::Drain);
            self.drain_round = self.rounds.count();
        }
    }

    /// `CheckDrainDone()`.
    pub(super) fn check_drain_done(&mut self, rs: &AckSample) {
        if self.state == BbrState::Drain
            && (rs.in_flight <= self.inflight(self.bw(), UNIT)
                || self.rounds.count() > self.drain_round + DRAIN_ROUNDS)
        {
            self.start_down(rs.now_us);
        }
    }
}
