//! # BBR: bottleneck bandwidth and round-trip time, version 1 as Linux 6.1 ships it
//!
//! N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson, "BBR: Congestion-Based
//! Congestion Control", ACM Queue 14(5), 2016; in detail Linux 6.1, `net/ipv4/tcp_bbr.c`.
//!
//! The largest delivery rate of ten rounds and the smallest round-trip time of ten seconds are a model
//! of the path; segments are paced at that rate, and the window is twice their product. Neither can
//! be measured while the other is, so the rate is raised by a quarter once in eight round-trip times
//! and the window cut to four segments once in ten seconds. A loss alone changes little.
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `bw` | `max_bw`, or the policer's | segments/us, 24 fractional bits |
//! | `min_rtt_us` | `min_rtt` | us |
//! | `rtt_cnt`, `round_start`, `next_rtt_delivered` | `rounds` | -, segments |
//! | `full_bw`, `full_bw_cnt` | `full` | segments/us, rounds |
//! | `lt_*` | `policer` | see `policer.rs` |
//! | `ack_epoch_*`, `extra_acked` | `aggregation` | segments |
//! | `pacing_gain`, `cwnd_gain` | the same | 8 fractional bits |
//! | `sk_pacing_rate` | `pacing` | bytes/s |
//! | `prior_cwnd`, `packet_conservation` | `prior_cwnd`, `conserve` | segments, - |
//!
//! * Pacing: `0.99 * gain * bw`, at first `2.89 * initial window / srtt`, never less in start-up.
//! * Window: `ceil(gain * bw * min_rtt)`, the bunches seen lately, three bursts, rounded up to even.
//! * Start-up ends when three rounds have not raised `bw` by a quarter; then drain at 1/2.89 until no
//!   more is in flight than `bw * min_rtt` and three bursts.
//!
//! Deviations:
//! * Ticks of the kernel's clock are counted from time zero, so the phase of the clock is fixed.
//! * The segments in the network are counted now, not at the next departure (less than one burst).
//! * ACKs that the kernel suspects of delay, single runts, do not occur among full-sized segments.
//! * The seed of the connection draws the first phase of a cycle, by SplitMix64.
//! * The bursts of `bbr_tso_segs_goal` are budgeted for as in the kernel, though the transport may
//!   send one segment at a time.
//! * An ECN mark's reduction counts as recovery, but for the recovery `linux`; the kernel's BBR does not
//!   notice it.
//!
//! Rounding: as in the kernel; a bandwidth is rounded down to 2^-24 segments/us (about 715 bit/s).

mod aggregation;
mod machine;
mod model;
mod policer;
mod window;

pub use machine::Mode;

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Phase, Reason, Reduction, Setup,
    Window,
};
use crate::controllers::Info;
use crate::linux::{self, micros, stamp};
use crate::path_model::{Bw, Limited, UNIT};
use crate::rounds::Rounds;
use crate::units::{Duration, Instant, Rate, Segments};
use aggregation::Aggregation;
use machine::{Cycle, HIGH_GAIN, MinRtt};
use model::{Bandwidth, BbrAck, FullPipe, RateSample};
use policer::Policer;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "bbr",
    aliases: &["bbr1"],
    summary: "pace at the bottleneck's bandwidth, two bandwidth-delay products in flight",
    source: "Cardwell et al., ACM Queue 2016; Linux 6.1 tcp_bbr.c",
};

/// The least in flight: two delayed ACKs' worth.
const MIN_WINDOW: u64 = 4;

crate::parameters! {
    /// BBR's parameters.
    pub struct Params {
        /// How long the smallest round-trip time counts.
        pub min_rtt_window: Duration = Duration::from_secs(10),
            in Duration::from_millis(100), Duration::from_secs(3_600);
        /// How long the window stays at four segments to look for it.
        pub probe_rtt_time: Duration = Duration::from_millis(200),
            in Duration::from_millis(1), Duration::from_secs(10);
        /// Ticks of the kernel's clock in a second: both times above are counted in them.
        pub hz: u64 = 250, in 100, 1_000;
    }
}

/// BBR.
#[derive(Clone, Copy, Debug)]
pub struct Bbr {
    params: Params,
    smss: u64,
    mode: Mode,
    max_bw: Bandwidth,
    rounds: Rounds,
    min_rtt: MinRtt,
    full: FullPipe,
    cycle: Cycle,
    policer: Policer,
    aggregation: Aggregation,
    limited: Limited,
    pacing_gain: u64,
    cwnd_gain: u64,
    /// Bytes a second.
    pacing: u64,
    has_seen_rtt: bool,
    idle_restart: bool,
    prior_phase: Phase,
    prior_cwnd: u64,
    conserve: bool,
    /// The window as it was last seen.
    cwnd: u64,
    /// The ACK in work, the delivered count after the one before, and when an ACK last delivered.
    ack: Option<Ack>,
    delivered: u64,
    delivered_at_us: u64,
    lost: u64,
    in_flight: u64,
}

/// A BBR with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Bbr {
    let smss = setup.smss.get().max(1);
    let cwnd = setup.initial_window.whole().max(1);
    Bbr {
        params: *params,
        smss,
        mode: Mode::Startup,
        max_bw: Bandwidth::new(),
        rounds: Rounds::default(),
        min_rtt: MinRtt::after_handshake(setup.handshake_rtt.map(micros)),
        full: FullPipe::default(),
        cycle: Cycle::new(setup.seed),
        policer: Policer::default(),
        aggregation: Aggregation::default(),
        limited: Limited::default(),
        pacing_gain: HIGH_GAIN,
        cwnd_gain: HIGH_GAIN,
        pacing: Bw::of_first_window(setup).pacing(smss, HIGH_GAIN),
        has_seen_rtt: setup.handshake_rtt.is_some(),
        idle_restart: false,
        prior_phase: Phase::Open,
        prior_cwnd: 0,
        conserve: false,
        cwnd,
        ack: None,
        delivered: 0,
        delivered_at_us: 0,
        lost: 0,
        in_flight: 0,
    }
}

impl Bbr {
    /// The state of BBR.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The pacing gain in force, in 1/256.
    pub fn pacing_gain(&self) -> u64 {
        self.pacing_gain
    }

    /// The bandwidth in use: the policer's while one is suspected, else the largest of ten rounds.
    fn bw(&self) -> Bw {
        self.policer.bw().unwrap_or(self.max_bw.get())
    }

    /// True while `app_limited` is of BBR's own making, by its small window (`bbr_update_min_rtt`).
    pub(super) fn is_limited(&self) -> bool {
        self.limited.covers(self.delivered)
    }

    /// `bbr_set_pacing_rate`: start-up never slows down.
    fn set_pacing(&mut self, gain: u64) {
        let rate = self.bw().pacing(self.smss, gain);
        if self.full.reached || rate > self.pacing {
            self.pacing = rate;
        }
    }

    /// `bbr_init_pacing_rate_from_rtt` at the first round-trip time, where the handshake had none.
    fn begin(&mut self, ack: &Ack) {
        // `bbr_init` stamps the handshake's end, when the first data left: a round trip before its ACK.
        let began = ack.now - ack.rtt.unwrap_or_default();
        self.min_rtt.stamp.get_or_insert(linux::jiffies(began, self.params.hz));
        if !self.has_seen_rtt && !ack.srtt.is_zero() {
            self.has_seen_rtt = true;
            let bw = Bw::new(self.cwnd, micros(ack.srtt).max(1));
            self.pacing = bw.pacing(self.smss, HIGH_GAIN);
            self.min_rtt.us = self.min_rtt.us.into_iter().chain(ack.rtt.map(micros)).min();
        }
    }

    /// The samples of the ACK and of the losses judged on it.
    fn sample(&mut self, ack: &Ack, grant: &Grant) -> BbrAck {
        // `acked_sacked`. The count may have risen since the last ACK seen here, by a duplicate that was told
        // while nothing was in flight.
        let acked = grant.credit.whole();
        if acked > 0 {
            self.delivered_at_us = stamp(ack.now);
        }
        self.delivered = self.delivered.max(ack.delivered);
        self.in_flight = grant.in_flight;
        let rate = ack.sample.map(|r| RateSample {
            delivered: r.delivered,
            interval_us: micros(r.interval),
            prior_delivered: r.prior_delivered,
            app_limited: r.app_limited || self.limited.covers(r.prior_delivered),
        });
        BbrAck {
            now_us: stamp(ack.now),
            acked,
            losses: grant.newly_lost,
            prior_in_flight: ack
                .sample
                .map_or(ack.in_flight.saturating_add(acked), |r| r.prior_in_flight),
            rtt_us: ack.rtt.map(micros),
            rate: rate.filter(|r| r.interval_us > 0),
            ..self.ack_without_sample()
        }
    }

    /// How things stand between two ACKs.
    fn ack_without_sample(&self) -> BbrAck {
        BbrAck {
            smss: self.smss,
            delivered: self.delivered,
            delivered_at_us: self.delivered_at_us,
            lost: self.lost,
            in_flight: self.in_flight,
            ..BbrAck::default()
        }
    }
}

impl Controller for Bbr {
    fn measure(&mut self, ack: &Ack) {
        self.begin(ack);
        self.ack = Some(*ack);
    }

    /// `bbr_main`.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let w = linux::whole(w);
        let Some(ack) = self.ack.take() else { return w };
        let s = self.sample(&ack, grant);
        let params = self.params;
        let w = self.update_model(&s, w, &params);
        self.set_pacing(self.pacing_gain);
        self.cwnd = self.next_cwnd(&s, grant.phase, w.cwnd.whole());
        linux::with_cwnd(w, self.cwnd)
    }

    /// `bbr_ssthresh`, which saves the window and changes nothing.
    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.save_cwnd(w);
        Reduction {
            ssthresh: w.ssthresh.max(Segments::TWO),
            resume: w.cwnd.max(Segments::ONE),
            reason: Reason::Model,
        }
    }

    /// `bbr_set_state`.
    fn timed_out(&mut self, _: Instant) {
        self.prior_phase = Phase::Loss;
        self.full.forget(false);
        self.rounds.set_begins(true);
        self.update_policer(&BbrAck { losses: 1, ..self.ack_without_sample() });
    }

    /// `tp->lost`: what a timer judges lost counts, too, though it is no loss of any ACK.
    fn lost(&mut self, _: &LostSegment) {
        self.lost = self.lost.saturating_add(1);
    }

    /// The window is restored by the first ACK after recovery, not by its end.
    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    /// `bbr_undo_cwnd`.
    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.full.forget(true);
        let standing = self.ack_without_sample();
        self.policer.reset(&standing);
        Window { ssthresh: now_w.ssthresh.max(before.ssthresh), ..now_w }
    }

    /// `bbr_cwnd_event`.
    fn restarted(&mut self, w: Window, _: Duration, now: Instant) -> Window {
        self.idle_restart = true;
        self.aggregation.restart(stamp(now));
        match self.mode {
            Mode::ProbeBw => self.set_pacing(UNIT),
            Mode::ProbeRtt => {
                return self.check_probe_rtt_done(stamp(now), self.delivered_at_us, w);
            }
            Mode::Startup | Mode::Drain => {}
        }
        w
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
mod tests {
    use super::*;
    use crate::testing::{ack, setup};

    #[test]
    fn bbr_init_pacing_rate_from_rtt_a_handshake_spreads_a_large_first_window() {
        let setup = Setup { initial_window: Segments::new(32), ..setup() };
        let rate = |handshake_rtt| {
            let bbr = new(&Params::default(), &Setup { handshake_rtt, ..setup });
            bbr.pacing_rate().map_or(0, Rate::bits_per_s) / (8 * setup.smss.get())
        };
        // 320 segments a second times 2.885 and 0.99; without a round-trip time 100 times as many.
        assert!((910..918).contains(&rate(Some(Duration::from_millis(100)))));
        assert!((91_000..91_800).contains(&rate(None)));
    }

    #[test]
    fn has_seen_rtt_a_first_ack_lowers_no_rate_that_the_handshake_has_set() {
        let after_one_ack = |handshake_rtt| {
            let mut c = new(&Params::default(), &Setup { handshake_rtt, ..setup() });
            c.measure(&ack(220, 200, 1, 10));
            c.pacing_rate()
        };
        let before = new(
            &Params::default(),
            &Setup { handshake_rtt: Some(Duration::from_millis(100)), ..setup() },
        );
        assert_eq!(after_one_ack(Some(Duration::from_millis(100))), before.pacing_rate());
        assert_ne!(after_one_ack(None), new(&Params::default(), &setup()).pacing_rate());
    }

    #[test]
    fn bbr_init_the_ten_seconds_of_the_smallest_rtt_run_from_the_handshake() {
        let mut c = new(&Params::default(), &setup());
        c.measure(&ack(220, 200, 1, 10));
        assert_eq!(c.min_rtt.stamp, Some(5), "20 ms in jiffies of 4 ms");
    }

    #[test]
    fn bbr_lt_bw_interval_done_a_policed_rate_is_paced_at_from_its_ack_on() {
        let mut c = new(&Params::default(), &setup());
        c.pacing_gain = UNIT * 3 / 4;
        c.rounds.set_begins(true);
        for n in 1..=8 {
            assert_eq!(c.pacing_gain, UNIT * 3 / 4, "round {n}");
            c.update_policer(&BbrAck {
                delivered: n * 100,
                lost: n * 25,
                losses: 5,
                delivered_at_us: n * 100_000,
                smss: 1_500,
                ..BbrAck::default()
            });
        }
        assert_eq!((c.pacing_gain, c.policer.bw().is_some()), (UNIT, true));
    }

    #[test]
    fn a_loss_that_a_timer_finds_counts_though_no_ack_brings_it() {
        let mut c = new(&Params::default(), &setup());
        let lost = LostSegment {
            now: Instant::ZERO,
            seq: 1,
            in_flight: 10,
            lost_since: 1,
            app_limited: false,
        };
        c.lost(&lost);
        assert_eq!(c.ack_without_sample().lost, 1);
    }

    #[test]
    fn tcp_rate_gen_an_ack_counts_what_it_delivers_itself() {
        let mut c = new(&Params::default(), &setup());
        let grant = Grant::open(Instant::ZERO, Segments::ONE);
        c.sample(&ack(100, 50, 1, 10), &grant);
        // A duplicate has been told in between, on an ACK that BBR has not seen (`no_queue` in `tcp_ack`).
        let s = c.sample(&Ack { delivered: 3, ..ack(200, 50, 2, 10) }, &grant);
        assert_eq!((s.acked, s.delivered), (1, 3));
    }

    #[test]
    fn bbr_quantization_budget_two_segments_more_are_for_the_phase_that_probes_alone() {
        let mut c = new(&Params::default(), &setup());
        let mut target = |mode, index| {
            (c.mode, c.cycle.index) = (mode, index);
            c.inflight(c.bw(), UNIT)
        };
        let cruising = target(Mode::ProbeBw, 2);
        assert_eq!(target(Mode::ProbeBw, 0), cruising + 2);
        assert_eq!(target(Mode::ProbeBw, 1), cruising);
        assert_eq!(target(Mode::Startup, 0), cruising);
    }
}
