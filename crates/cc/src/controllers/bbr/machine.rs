//! The state machine: start up, drain the queue, cycle gains, and now and then look at the empty path.

use super::model::BbrAck;
use super::policer::PolicerVerdict;
use super::{Bbr, MIN_WINDOW, Params};
use crate::controller::Window;
use crate::linux::{jiffies_in, jiffies_of, micros};
use crate::path_model::UNIT;
use crate::splitmix64::SplitMix64;
use crate::units::Segments;

/// 2/ln 2: the smallest gain with which the rate can double every round-trip time.
pub(super) const HIGH_GAIN: u64 = UNIT * 2_885 / 1_000 + 1;
/// Its inverse, which drains in one round what start-up queued.
const DRAIN_GAIN: u64 = UNIT * 1_000 / 2_885;
/// The window leaves room for delayed and stretched ACKs.
const CWND_GAIN: u64 = 2 * UNIT;
/// One cycle: probe for more, give back, cruise.
const CYCLE: [u64; 8] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];
/// The phases a cycle may begin with are drawn from this many: all but the one that gives back.
const CYCLE_DRAW: u64 = 7;

/// The states of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Doubling the rate every round-trip time until the bandwidth stops growing.
    Startup,
    /// Sending below the bandwidth until the queue of start-up is gone.
    Drain,
    /// Cycling the pacing gain about the bandwidth.
    ProbeBw,
    /// Four segments in flight for 200 ms, to see the round-trip time without a queue.
    ProbeRtt,
}

impl Mode {
    /// The arrows of the state machine:
    ///
    /// ```text
    ///   Startup -----> Drain -----> ProbeBw <---. a policer's limit is given up:
    ///      ^  \           \           |   \____/  the cycle begins anew
    ///      |   '-----------'--> ProbeRtt
    ///      '--------------------'   '-----> ProbeBw
    ///    the pipe was not full      it was
    /// ```
    pub fn may_become(self, next: Mode) -> bool {
        match self {
            Mode::Startup => matches!(next, Mode::Drain | Mode::ProbeRtt),
            Mode::Drain | Mode::ProbeBw => matches!(next, Mode::ProbeBw | Mode::ProbeRtt),
            Mode::ProbeRtt => matches!(next, Mode::ProbeBw | Mode::Startup),
        }
    }
}

/// The pacing gain's cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub(super) index: usize,
    pub(super) since_us: u64,
    /// Begun with the connection's seed.
    draws: SplitMix64,
}

impl Cycle {
    pub(super) fn new(seed: u64) -> Self {
        Self { index: 0, since_us: 0, draws: SplitMix64::new(seed) }
    }

    /// Begins at a phase by lot, so that flows do not probe in step.
    fn begin(&mut self, now_us: u64) {
        let drawn = usize::try_from(self.draws.below(CYCLE_DRAW)).unwrap_or(0);
        self.index = CYCLE.len() - 1 - drawn;
        self.advance(now_us);
    }

    fn advance(&mut self, now_us: u64) {
        self.index = (self.index + 1) % CYCLE.len();
        self.since_us = now_us;
    }
}

/// The smallest round-trip time and the search for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    /// The smallest of the window, in us.
    pub(super) us: Option<u64>,
    /// When it was seen, or waived; the connection's begin before the first. In jiffies.
    pub(super) stamp: Option<u64>,
    /// When probing for it ends, once few enough segments are in flight. In jiffies.
    done: Option<u64>,
    round_done: bool,
}

impl MinRtt {
    /// Begins with the sample of the handshake, if there was one (`bbr_init`).
    pub(super) fn after_handshake(us: Option<u64>) -> Self {
        Self { us, ..Self::default() }
    }
}

impl Bbr {
    /// Every change of mode.
    fn enter(&mut self, next: Mode) {
        debug_assert!(self.mode.may_become(next), "{:?} to {next:?}", self.mode);
        self.mode = next;
    }

    /// `bbr_update_model`: every estimate first, then the modes, then the gains.
    pub(super) fn update_model(&mut self, s: &BbrAck, w: Window, params: &Params) -> Window {
        self.update_bw(s);
        let bw = self.bw();
        self.aggregation.update(s, bw, self.rounds.begins(), w.cwnd.whole());
        if self.mode == Mode::ProbeBw && self.phase_is_over(s) {
            self.cycle.advance(s.delivered_at_us);
        }
        if self.rounds.begins() && !s.rate.is_some_and(|r| r.app_limited) {
            self.full.update(self.max_bw.get());
        }
        let w = self.check_drain(s, w);
        let w = self.update_min_rtt(s, w, params);
        self.update_gains();
        w
    }

    fn update_bw(&mut self, s: &BbrAck) {
        self.rounds.set_begins(false);
        let Some(rate) = s.rate else { return };
        self.rounds.update(rate.prior_delivered, s.delivered);
        if self.rounds.begins() {
            self.conserve = false;
        }
        self.update_policer(s);
        self.max_bw.update(&rate, self.rounds.count());
    }

    pub(super) fn update_policer(&mut self, s: &BbrAck) {
        let probing = self.mode == Mode::ProbeBw;
        let was_in_use = self.policer.bw().is_some();
        if self.policer.update(s, self.rounds.begins(), probing) == PolicerVerdict::Expired {
            self.probe_bw(s.delivered_at_us);
        }
        if !was_in_use && self.policer.bw().is_some() {
            // `bbr_lt_bw_interval_done`: the phase of the same ACK is judged by this gain.
            self.pacing_gain = UNIT;
        }
    }

    /// `bbr_is_next_cycle_phase`: a phase lasts a round-trip time; probing goes on until the gain has
    /// reached the segments in flight or something was lost, giving back ends as soon as it has.
    fn phase_is_over(&self, s: &BbrAck) -> bool {
        let lasted = s.delivered_at_us.saturating_sub(self.cycle.since_us);
        let full_length = self.min_rtt.us.is_some_and(|rtt| lasted > rtt);
        if self.pacing_gain == UNIT {
            return full_length;
        }
        let in_flight = self.in_network(s.prior_in_flight);
        let bw = self.max_bw.get();
        if self.pacing_gain > UNIT {
            let reached = in_flight >= self.inflight(bw, self.pacing_gain);
            return full_length && (s.losses > 0 || reached);
        }
        full_length || in_flight <= self.inflight(bw, UNIT)
    }

    /// `bbr_packets_in_net_at_edt`, with the next departure at once.
    fn in_network(&self, in_flight: u64) -> u64 {
        if self.pacing_gain > UNIT { in_flight.saturating_add(self.burst()) } else { in_flight }
    }

    fn check_drain(&mut self, s: &BbrAck, w: Window) -> Window {
        let mut w = w;
        if !matches!(self.mode, Mode::Startup | Mode::Drain) {
            return w;
        }
        let target = self.inflight(self.max_bw.get(), UNIT);
        if self.mode == Mode::Startup && self.full.reached {
            self.enter(Mode::Drain);
            w.ssthresh = Segments::new(target);
        }
        if self.mode == Mode::Drain && self.in_network(s.in_flight) <= target {
            self.probe_bw(s.delivered_at_us);
        }
        w
    }

    fn probe_bw(&mut self, now_us: u64) {
        self.enter(Mode::ProbeBw);
        self.cycle.begin(now_us);
    }

    /// Back to where probing for the round-trip time interrupted.
    fn resume_probing(&mut self, now_us: u64) {
        if self.full.reached {
            self.probe_bw(now_us);
        } else {
            self.enter(Mode::Startup);
        }
    }

    /// `bbr_update_min_rtt`: the minimum over ten seconds; if none went below it in that time, the
    /// window falls to four segments to see it again. A sample that only equals the minimum does not
    /// put that off.
    fn update_min_rtt(&mut self, s: &BbrAck, w: Window, params: &Params) -> Window {
        let now = jiffies_of(s.now_us, params.hz);
        let stamp = *self.min_rtt.stamp.get_or_insert(now);
        let expired = now > stamp + jiffies_in(micros(params.min_rtt_window), params.hz);
        let renewed = s.rtt_us.filter(|&rtt| expired || self.min_rtt.us.is_none_or(|m| rtt < m));
        if renewed.is_some() {
            self.min_rtt.us = renewed;
            self.min_rtt.stamp = Some(now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.enter(Mode::ProbeRtt);
            self.save_cwnd(w);
            self.min_rtt.done = None;
        }
        let mut w = w;
        if self.mode == Mode::ProbeRtt {
            w = self.probe_rtt(s, w, params);
        }
        if s.rate.is_some_and(|r| r.delivered > 0) {
            self.idle_restart = false;
        }
        w
    }

    /// The window stays small for 200 ms and a round from when the segments in flight are few.
    fn probe_rtt(&mut self, s: &BbrAck, w: Window, params: &Params) -> Window {
        self.limited.mark(s.delivered, s.in_flight);
        if self.min_rtt.done.is_some() {
            self.min_rtt.round_done |= self.rounds.begins();
            if self.min_rtt.round_done {
                return self.check_probe_rtt_done(s.now_us, s.delivered_at_us, w);
            }
        } else if s.in_flight <= MIN_WINDOW {
            let lasts = jiffies_in(micros(params.probe_rtt_time), params.hz);
            self.min_rtt.done = Some(jiffies_of(s.now_us, params.hz) + lasts);
            self.min_rtt.round_done = false;
            self.rounds.restart(s.delivered);
        }
        w
    }

    pub(super) fn check_probe_rtt_done(&mut self, now_us: u64, at_us: u64, w: Window) -> Window {
        let now = jiffies_of(now_us, self.params.hz);
        if self.min_rtt.done.is_none_or(|done| now <= done) {
            return w;
        }
        self.min_rtt.stamp = Some(now);
        self.resume_probing(at_us);
        Window { cwnd: w.cwnd.max(Segments::new(self.prior_cwnd)), ..w }
    }

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw if self.policer.bw().is_some() => (UNIT, CWND_GAIN),
            Mode::ProbeBw => (CYCLE[self.cycle.index], CWND_GAIN),
            Mode::ProbeRtt => (UNIT, UNIT),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_never_begins_by_giving_back_and_may_begin_anywhere_else() {
        let mut cycle = Cycle::new(1);
        let mut seen = [0_u32; 8];
        for _ in 0..7_000 {
            cycle.begin(0);
            seen[cycle.index] += 1;
        }
        assert_eq!(seen[1], 0);
        let others = seen.iter().enumerate().filter(|&(i, _)| i != 1);
        assert!(others.clone().all(|(_, &n)| (850..1_150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn draining_follows_start_up_alone_and_nothing_follows_itself_but_the_cycle() {
        use Mode::{Drain, ProbeBw, ProbeRtt, Startup};
        let all = [Startup, Drain, ProbeBw, ProbeRtt];
        let before = |next: Mode| all.map(|mode| mode.may_become(next));
        assert_eq!(before(Startup), [false, false, false, true]);
        assert_eq!(before(Drain), [true, false, false, false]);
        assert_eq!(before(ProbeBw), [false, true, true, true]);
        assert_eq!(before(ProbeRtt), [true, true, true, false]);
    }

    /// A sample of this round-trip time, at this time.
    fn see(bbr: &mut Bbr, ms: u64, rtt_us: u64) {
        let s = BbrAck { now_us: ms * 1_000, rtt_us: Some(rtt_us), ..BbrAck::default() };
        let w = Window { cwnd: Segments::new(100), ssthresh: Segments::MAX };
        bbr.update_min_rtt(&s, w, &Params::default());
    }

    #[test]
    fn round_trip_times_that_only_equal_the_minimum_do_not_put_off_the_look_at_the_empty_path() {
        let mut bbr = crate::controllers::bbr::new(&Params::default(), &crate::testing::setup());
        for ms in 0..=10_003 {
            see(&mut bbr, ms, 100_000);
            assert_ne!(bbr.mode(), Mode::ProbeRtt, "at {ms} ms");
        }
        // More than 2,500 ticks of 4 ms after the first.
        see(&mut bbr, 10_004, 100_000);
        assert_eq!(bbr.mode(), Mode::ProbeRtt);
    }

    #[test]
    fn a_shorter_round_trip_time_puts_it_off() {
        let mut bbr = crate::controllers::bbr::new(&Params::default(), &crate::testing::setup());
        see(&mut bbr, 0, 100_000);
        see(&mut bbr, 6_000, 99_999);
        see(&mut bbr, 16_000, 99_999);
        assert_ne!(bbr.mode(), Mode::ProbeRtt);
        see(&mut bbr, 16_004, 99_999);
        assert_eq!(bbr.mode(), Mode::ProbeRtt);
    }
}
