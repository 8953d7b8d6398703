//! The smallest round-trip time, and the look at the empty path for it ("`ProbeRTT` Logic").

use super::Bbr3;
use super::machine::BbrState;
use super::model::AckSample;
use super::probe_bw::AckPhase;
use crate::linux::micros;

/// The smallest round-trip time of ten seconds and that of five. Times in us; none before the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathRtt {
    /// `min_rtt`, `min_rtt_stamp`.
    pub(super) us: Option<u64>,
    stamp: u64,
    /// `probe_rtt_min_delay`, `probe_rtt_min_stamp`.
    recent: Option<u64>,
    recent_stamp: u64,
    begun: bool,
    /// `probe_rtt_expired`: the recent one has not been renewed for five seconds.
    expired: bool,
    /// `probe_rtt_done_stamp`, `probe_rtt_round_done`.
    done: Option<u64>,
    round_done: bool,
}

impl PathRtt {
    /// Begins with the sample of the handshake, if there was one (`OnInit()`).
    pub(super) fn after_handshake(us: Option<u64>) -> Self {
        Self { us, ..Self::default() }
    }

    /// The clock begins with the connection.
    pub(super) fn begin(&mut self, now_us: u64) {
        if !core::mem::replace(&mut self.begun, true) {
            self.stamp = now_us;
            self.recent_stamp = now_us;
        }
    }
}

impl Bbr3 {
    /// `UpdateMinRTT()`.
    pub(super) fn update_min_rtt(&mut self, rs: &AckSample) {
        let interval = micros(self.params.probe_rtt_interval);
        let window = micros(self.params.min_rtt_window);
        let it = &mut self.min_rtt;
        it.expired = rs.now_us > it.recent_stamp + interval;
        let renewed = rs.rtt_us.filter(|&rtt| it.expired || it.recent.is_none_or(|r| rtt < r));
        if renewed.is_some() {
            it.recent = renewed;
            it.recent_stamp = rs.now_us;
        }
        let Some(recent) = it.recent else { return };
        if it.us.is_none_or(|us| recent < us) || rs.now_us > it.stamp + window {
            it.us = Some(recent);
            it.stamp = it.recent_stamp;
        }
    }

    /// `CheckProbeRTT()`.
    pub(super) fn check_probe_rtt(&mut self, rs: &AckSample) {
        if self.state != BbrState::ProbeRtt && self.min_rtt.expired && !self.idle_restart {
            self.enter(BbrState::ProbeRtt);
            self.save_cwnd();
            self.min_rtt.done = None;
            self.probe.ack_phase = AckPhase::Stopping;
            self.start_round();
        }
        if self.state == BbrState::ProbeRtt {
            self.handle_probe_rtt(rs);
        }
        if rs.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// `HandleProbeRTT()`: from when little is in flight, 200 ms and a round.
    fn handle_probe_rtt(&mut self, rs: &AckSample) {
        self.limited.mark(self.delivered, rs.in_flight);
        if self.min_rtt.done.is_some() {
            self.min_rtt.round_done |= self.rounds.begins();
            if self.min_rtt.round_done {
                self.check_probe_rtt_done(rs.now_us);
            }
        } else if rs.in_flight <= self.probe_rtt_cwnd() {
            self.min_rtt.done = Some(rs.now_us + micros(self.params.probe_rtt_time));
            self.min_rtt.round_done = false;
            self.start_round();
        }
    }

    /// `CheckProbeRTTDone()` and `ExitProbeRTT()`.
    pub(super) fn check_probe_rtt_done(&mut self, now_us: u64) {
        if self.min_rtt.done.is_none_or(|done| now_us <= done) {
            return;
        }
        self.min_rtt.recent_stamp = now_us;
        self.restore_cwnd();
        self.short = super::ShortTerm::default();
        if self.full.reached {
            self.start_down(now_us);
            self.enter(BbrState::Cruise);
        } else {
            self.enter(BbrState::Startup);
        }
    }
}
