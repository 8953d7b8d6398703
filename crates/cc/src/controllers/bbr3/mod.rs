//! # BBR, version 3: a model of the path that losses bound
//!
//! N. Cardwell, I. Swett, J. Beshay (editors), "BBR Congestion Control", draft-ietf-ccwg-bbr: the text of
//! the working group's repository after revision 06, master at 4ce5e87 of 3 August 2026. The code cites
//! sections by their titles.
//!
//! As in [version 1](super::bbr), the largest recent delivery rate and the smallest round-trip time are
//! a model of the path, and segments are paced. New are bounds that losses set: a long-term one, the
//! segments in flight that the path bore when it was last probed, and short-term ones, the rate and
//! the segments in flight of the last round with a loss.
//!
//! ```text
//! bw = min(max_bw, bw_shortterm)                     max_bw: of this cycle and the last      5.5.10.3
//! bdp = bw min_rtt                                                                           5.6.4.2
//! max_inflight = max(cwnd_gain bdp + extra_acked, offload_budget, 4)    UP: 2 more           5.6.4.2
//! offload_budget = 3 send_quantum                                                            5.5.8.1
//! send_quantum = max(min(pacing_rate 1 ms, 64 KB), 2)                                        5.6.3
//! pacing_rate = pacing_gain bw 99/100                at first 2.77 InitialCwnd / srtt        5.6.2
//! cwnd = min(cwnd + newly_acked, max_inflight), at least 4, then the caps below              5.6.4.6
//! extra_acked = max of 10 rounds of (acked - bw interval), at most cwnd                      5.5.9
//! full pipe: 3 rounds with delivery_rate < 1.25 full_bw                                      5.3.1.2
//! too high:  lost > 0.02 tx_in_flight                                                        5.5.10.2
//!   lost_prefix = (0.02 inflight_prev - lost_prev) / (1 - 0.02)
//!   inflight_longterm = max(inflight_prev + lost_prefix, 0.7 min(bdp, cwnd))
//! bw_shortterm = max(bw_latest, 0.7 bw_shortterm)    each round with a loss, and             5.5.10.3
//! inflight_shortterm = max(inflight_latest, 0.7 inflight_shortterm)
//! inflight_with_headroom = inflight_longterm - max(1, 0.15 inflight_longterm), at least 4    5.3.3.9
//! in UP inflight_longterm grows by 1, 2, 4, ... segments in successive rounds                5.3.3.9
//! T_probe = min(2 to 3 s, min(bdp, cwnd, 63) rounds less 0 or 1)                              5.3.3.8.2
//! ```
//!
//! | draft | here | unit |
//! |---|---|---|
//! | `max_bw`, `bw_shortterm`, `bw` | `max_bw`, `short.bw`, `Bbr3::bw` | segments/us, 24 fractional bits |
//! | `min_rtt`, `probe_rtt_min_delay` | `min_rtt` | us |
//! | `inflight_longterm` | `long` | segments; none is infinity |
//! | `inflight_shortterm` | `short.inflight` | segments; none is infinity |
//! | `bw_latest`, `inflight_latest` | `latest` | segments/us, segments |
//! | `round_count`, `round_start` | `rounds` | -, segments |
//! | `full_bw`, `full_bw_now`, `full_bw_reached` | `full` | see `model.rs` |
//! | `ack_phase`, `cycle_stamp`, `bw_probe_wait`, ... | `probe` | see `probe_bw.rs` |
//! | `extra_acked` | `extra` | segments |
//! | `undo_*` | `undo` | see `loss.rs` |
//! | `C.pacing_rate` | `pacing` | bytes/s |
//!
//! | state | pacing gain | cwnd gain | cap of the rate | cap in flight |
//! |---|---|---|---|---|
//! | Startup | 2.77 | 2 | none | none |
//! | Drain | 0.5 | 2 | short term | short term |
//! | `ProbeBW_DOWN` | 0.9 | 2 | short term | long term, short term |
//! | `ProbeBW_CRUISE` | 1 | 2 | short term | 0.85 of the long term, short term |
//! | `ProbeBW_REFILL` | 1 | 2 | none | long term |
//! | `ProbeBW_UP` | 1.25 | 2.25 | none | long term |
//! | `ProbeRTT` | 1 | 0.5 | short term | 0.85 of the long term, short term |
//!
//! Readings of the draft:
//! * The table of "Summary of Control Behavior" bounds Drain by `inflight_longterm`, `BoundCwndForModel()`
//!   does not. The pseudo-code is followed.
//! * `SaveStateUponLoss()` is called at the first loss of a round and when recovery is entered. It saves
//!   once a recovery: a second call would save bounds that the first loss had already lowered, and forget
//!   the probe that it ended.
//! * `probe_rtt_min_delay` and its stamp are not initialised in the draft: infinity, and the first ACK.
//! * `lost_prefix` may be negative in `InflightAtLoss()`: it counts as zero.
//! * A CE mark is congestion ("ECN": it MUST be treated so, and no response is specified). A mark counts
//!   as a loss in the round; while probing it ends the probe, and in Startup it ends Startup.
//! * A filter of two cycles without any sample in the newer one keeps the older.
//!
//! Deviations:
//! * A round-trip time sample by timestamps is that of the oldest segment acknowledged, unless recovery is
//!   Linux's ("Round-Trip Time Samples": the newest).
//! * An interval shorter than the smallest round-trip time gives no sample, and so no round.
//! * Connections are taken to have SACK: without it each recovery shows one loss a round.
//!
//! Other readings of the same algorithm, google/bbr's branch v3 and n0-computer/noq at c334d2da:
//!
//! | rule | draft, here | google/bbr, `tcp_bbr.c`, version 3 | n0-computer/noq, `bbr3` (QUIC) |
//! |---|---|---|---|
//! | Startup's pacing gain | 2.77 | 2.77 | 2.773 |
//! | Drain's pacing gain | 0.5 | 0.35 | 0.5 |
//! | DOWN's pacing gain | 0.9 | 0.91 | 0.9 |
//! | window of `extra_acked` | 10 rounds | 5 to 10 rounds, 100 ms of `bw` at most | 10 rounds |
//! | lost ranges that end Startup | 6 ranges | 6 ACKs that mark losses | 6 ranges |
//! | rounds until a probe | 63 less 0 or 1 | 63 less 0 or 1 | 62 or 63, less 0 or 1 |
//! | Startup's window beyond the model | until `InitialCwnd` is delivered | to 2 `InitialCwnd` | as here |
//! | in flight, where DOWN and UP end | after the ACK | before it, less what is paced | after the ACK |
//! | marks | loss in the round; end Startup, probes | below 5 ms: smoothed share | a lost packet |
//! | budget for offload | three quanta | three bursts | a quantum and a delayed ACK's worth |
//! | `max_inflight` | from `bw` | from `bw` | from `max_bw` |
//! | precautionary probing | yes | yes | none |
//! | filter of `max_bw` advances | once a cycle | once a cycle | each round from UP to REFILL |
//! | end of Drain | bdp in flight, or three rounds | bdp in flight | as here |
//! | growth that resets the plateau | at a round's start | at any ACK | at a round's start |
//! | losses that end Startup | after a round of recovery | at a round's end in recovery | as here |
//! | repair by a tail loss probe | no rule of its own | one segment lost | no rule of its own |
//! | saved for undo | once a recovery | when recovery begins | at every loss |
//! | undo restores the window | yes | yes | no |
//! | undo of a probe's end | REFILL | no state | UP |
//! | undo of Startup's end | Startup, full pipe forgotten | no state | Startup, the pipe still full |
//!
//! google/bbr smooths the share of marks with a gain of 1/16, cuts by a third of it, and takes a half for
//! too much.
//!
//! Rounding: gains have 8 fractional bits (2.77 is 710/256, rounded up so that Startup can double; 0.9 is
//! 230/256); shares of segments in flight are rounded down, a bandwidth-delay product up; a bandwidth is
//! rounded down to 2^-24 segments/us.

mod loss;
mod machine;
mod model;
mod probe_bw;
mod probe_rtt;
mod window;

pub use machine::BbrState;

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Phase, Reason, Reduction, Setup,
    Window,
};
use crate::controllers::Info;
use crate::linux::{self, micros, stamp};
use crate::path_model::{Bw, Limited, UNIT};
use crate::rounds::Rounds;
use crate::splitmix64::SplitMix64;
use crate::units::{Duration, Instant, Rate, Segments};
use loss::{BeforeLoss, StartupLosses};
use machine::STARTUP_PACING_GAIN;
use model::{AckSample, ExtraAcked, FullBw, Latest, MaxBw, ShortTerm};
use probe_bw::ProbeCycle;
use probe_rtt::PathRtt;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "bbr3",
    aliases: &["bbrv3"],
    summary: "BBR whose model of the path is bounded by what was lost when it probed",
    source: "draft-ietf-ccwg-bbr after -06 (4ce5e87, 3 August 2026)",
};

/// `BBR.MinPipeCwnd`: the least in flight.
const MIN_PIPE_CWND: u64 = 4;

crate::parameters! {
    /// BBR's parameters.
    pub struct Params {
        /// `BBR.MinRTTFilterLen`: how long the smallest round-trip time counts.
        pub min_rtt_window: Duration = Duration::from_secs(10),
            in Duration::from_millis(100), Duration::from_secs(3_600);
        /// `BBR.ProbeRTTInterval`: the least time between two looks at the empty path.
        pub probe_rtt_interval: Duration = Duration::from_secs(5),
            in Duration::from_millis(100), Duration::from_secs(3_600);
        /// `BBR.ProbeRTTDuration`: how long such a look lasts at least.
        pub probe_rtt_time: Duration = Duration::from_millis(200),
            in Duration::from_millis(1), Duration::from_secs(10);
        /// `BBR.LossThresh`: the share lost in a round, in thousandths, that a probe takes for too much.
        pub loss_thresh: u64 = 20, in 1, 500;
    }
}

/// BBR, version 3.
#[derive(Clone, Copy, Debug)]
pub struct Bbr3 {
    params: Params,
    smss: u64,
    initial_window: u64,
    state: BbrState,
    rounds: Rounds,
    max_bw: MaxBw,
    extra: ExtraAcked,
    min_rtt: PathRtt,
    full: FullBw,
    latest: Latest,
    short: ShortTerm,
    /// `inflight_longterm`.
    long: Option<u64>,
    probe: ProbeCycle,
    startup: StartupLosses,
    undo: BeforeLoss,
    limited: Limited,
    draws: SplitMix64,
    /// Bytes a second.
    pacing: u64,
    has_seen_rtt: bool,
    idle_restart: bool,
    /// The round in which Drain began.
    drain_round: u64,
    prior_phase: Phase,
    prior_cwnd: u64,
    /// The window as it was last seen.
    cwnd: u64,
    in_flight: u64,
    /// The ACK in work, the segments delivered by it, and those judged lost so far.
    ack: Option<Ack>,
    delivered: u64,
    lost: u64,
}

/// A BBR with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Bbr3 {
    let smss = setup.smss.get().max(1);
    let initial_window = setup.initial_window.whole().max(1);
    Bbr3 {
        params: *params,
        smss,
        initial_window,
        state: BbrState::Startup,
        rounds: Rounds::default(),
        max_bw: MaxBw::default(),
        extra: ExtraAcked::default(),
        min_rtt: PathRtt::after_handshake(setup.handshake_rtt.map(micros)),
        full: FullBw::default(),
        latest: Latest::default(),
        short: ShortTerm::default(),
        long: None,
        probe: ProbeCycle::default(),
        startup: StartupLosses::default(),
        undo: BeforeLoss::default(),
        limited: Limited::default(),
        draws: SplitMix64::new(setup.seed),
        pacing: Bw::of_first_window(setup).bytes_per_s(smss, STARTUP_PACING_GAIN),
        has_seen_rtt: setup.handshake_rtt.is_some(),
        idle_restart: false,
        drain_round: 0,
        prior_phase: Phase::Open,
        prior_cwnd: 0,
        cwnd: initial_window,
        in_flight: 0,
        ack: None,
        delivered: 0,
        lost: 0,
    }
}

impl Bbr3 {
    /// The state BBR is in.
    pub fn state(&self) -> BbrState {
        self.state
    }

    /// `BBR.bw`: the largest of two cycles, bounded by the last losses (`BoundBWForModel()`).
    fn bw(&self) -> Bw {
        self.short.bw.map_or(self.max_bw.get(), |bound| bound.min(self.max_bw.get()))
    }

    /// True while `C.app_limited` is of BBR's own making, by its small window.
    pub(super) fn is_limited(&self) -> bool {
        self.limited.covers(self.delivered)
    }

    /// `InitPacingRate()` and `OnInit()` at the first round-trip time, where the handshake had none.
    fn begin(&mut self, ack: &Ack) {
        // `OnInit()` ran when the first data left, a round trip before its ACK.
        let began = stamp(ack.now - ack.rtt.unwrap_or_default());
        self.min_rtt.begin(began);
        self.extra.begin(began);
        if !self.has_seen_rtt && !ack.srtt.is_zero() {
            self.has_seen_rtt = true;
            let srtt = micros(ack.srtt).max(1);
            self.pacing = Bw::new(self.cwnd, srtt).bytes_per_s(self.smss, STARTUP_PACING_GAIN);
            self.min_rtt.us = Some(srtt);
        }
    }

    /// `GenerateRateSample()`: what the ACK and the losses judged on it say.
    fn sample(&self, ack: &Ack, grant: &Grant) -> AckSample {
        let common = AckSample {
            now_us: stamp(ack.now),
            newly_acked: grant.credit.whole(),
            rtt_us: ack.rtt.map(micros),
            in_flight: grant.in_flight,
            cwnd_limited: grant.cwnd_limited,
            ..AckSample::default()
        };
        let Some(s) = ack.sample.filter(|s| !s.interval.is_zero()) else { return common };
        AckSample {
            prior_delivered: Some(s.prior_delivered),
            delivered: s.delivered,
            rate: Bw::new(s.delivered, micros(s.interval).max(1)),
            tx_in_flight: s.in_flight_at_departure,
            lost: self.lost.saturating_sub(s.prior_lost),
            app_limited: s.app_limited || self.limited.covers(s.prior_delivered),
            ..common
        }
    }

    /// `UpdateModelAndState()`, in the draft's order.
    fn update_model_and_state(&mut self, rs: &AckSample, phase: Phase, w: Window) {
        self.latest.update(rs, self.delivered);
        self.update_congestion_signals(rs, w);
        self.update_extra_acked(rs, w.cwnd.whole());
        self.full.check(rs, self.rounds.begins());
        self.check_startup_done(rs, phase);
        self.check_drain_done(rs);
        self.update_probe_bw(rs);
        self.update_min_rtt(rs);
        self.check_probe_rtt(rs);
        self.latest.advance(rs);
    }
}

impl Controller for Bbr3 {
    fn measure(&mut self, ack: &Ack) {
        self.begin(ack);
        self.delivered = self.delivered.max(ack.delivered);
        self.ack = Some(*ack);
    }

    /// `UpdateOnACK()`.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let w = linux::whole(w);
        let Some(ack) = self.ack.take() else { return w };
        let rs = self.sample(&ack, grant);
        self.in_flight = grant.in_flight;
        self.cwnd = w.cwnd.whole();
        self.update_model_and_state(&rs, grant.phase, w);
        self.set_pacing(self.state.pacing_gain());
        self.set_cwnd(&rs, grant.phase);
        linux::with_cwnd(w, self.cwnd)
    }

    /// `OnEnterFastRecovery()`, `OnEnterRTO()`: the model changes by the segments
    /// [lost](Controller::lost), and the window not at all. After a timeout the transport sets it.
    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        self.cwnd = w.cwnd.whole();
        self.save_cwnd();
        self.save_upon_loss();
        match cause {
            Cause::Ecn => self.on_mark(stamp(now)),
            Cause::FastRetransmit => {}
            Cause::Timeout => self.prior_phase = Phase::Loss,
        }
        Reduction {
            ssthresh: w.ssthresh.max(Segments::TWO),
            resume: w.cwnd.max(Segments::ONE),
            reason: Reason::Model,
        }
    }

    fn lost(&mut self, segment: &LostSegment) {
        self.handle_lost_packet(segment);
    }

    /// The first ACK after recovery restores the window, not its end.
    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.cwnd = now_w.cwnd.whole();
        self.handle_spurious_loss_detection();
        let w = linux::with_cwnd(now_w, self.cwnd);
        Window { ssthresh: w.ssthresh.max(before.ssthresh), ..w }
    }

    /// `HandleRestartFromIdle()`.
    fn restarted(&mut self, w: Window, _: Duration, now: Instant) -> Window {
        self.cwnd = w.cwnd.whole();
        self.idle_restart = true;
        self.extra.restart(stamp(now));
        if self.state.is_probe_bw() {
            self.set_pacing(UNIT);
        } else if self.state == BbrState::ProbeRtt {
            self.check_probe_rtt_done(stamp(now));
        }
        linux::with_cwnd(w, self.cwnd)
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Everything
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bytes_per_s(self.pacing))
    }

    fn bwe(&self) -> Option<Rate> {
        let bw = self.bw();
        (!bw.is_zero()).then(|| bw.rate(self.smss))
    }
}

#[cfg(test)]
mod tests;
