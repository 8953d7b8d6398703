//! The draft's rules and its "BBR Example Test Cases", by their titles.

mod bounds;
mod example_cases;

use std::vec::Vec;

use super::*;
use crate::path_model::UNIT;
use crate::testing::{setup, slow_start};

/// Segments a second of the path, and its round-trip time: 100 segments of bandwidth-delay product.
const RATE: u64 = 1_000;
const RTT_US: u64 = 100_000;
const BDP: u64 = 100;

/// A path that answers in rounds: each ACK begins one.
struct Path {
    bbr: Bbr3,
    now_us: u64,
    in_flight: u64,
    rtt_us: u64,
    app_limited: bool,
    cwnd_limited: bool,
    lost: u64,
    phase: Phase,
}

impl Path {
    fn new() -> Self {
        Self::with(&Params::default())
    }

    /// One that is never emptied for the round-trip time.
    fn never_looking() -> Self {
        let hour = Duration::from_secs(3_600);
        Self::with(&Params { probe_rtt_interval: hour, ..Params::default() })
    }

    fn with(params: &Params) -> Self {
        let mut bbr = new(params, &setup());
        bbr.begin(&crate::testing::ack(0, RTT_US / 1_000, 0, 10));
        Self {
            bbr,
            now_us: 0,
            in_flight: BDP,
            rtt_us: RTT_US,
            app_limited: false,
            cwnd_limited: false,
            lost: 0,
            phase: Phase::Open,
        }
    }

    /// A round in which so many segments a second are delivered.
    fn round(&mut self, rate: u64) -> BbrState {
        let delivered = rate * self.rtt_us / 1_000_000;
        let prior = self.bbr.delivered;
        self.now_us += self.rtt_us;
        self.bbr.delivered += delivered;
        self.ack(delivered, prior)
    }

    fn ack(&mut self, delivered: u64, prior: u64) -> BbrState {
        self.answer(delivered, prior, Bw::new(delivered, self.rtt_us))
    }

    /// An ACK of so many segments with a sample of this rate.
    fn answer(&mut self, delivered: u64, prior: u64, rate: Bw) -> BbrState {
        let rs = AckSample {
            now_us: self.now_us,
            newly_acked: delivered,
            rtt_us: Some(self.rtt_us),
            in_flight: self.in_flight,
            cwnd_limited: self.cwnd_limited,
            prior_delivered: Some(prior),
            delivered,
            rate,
            tx_in_flight: self.in_flight,
            lost: core::mem::take(&mut self.lost),
            app_limited: self.app_limited,
        };
        let w = Window { cwnd: Segments::new(self.bbr.cwnd), ..slow_start(1) };
        self.bbr.update_model_and_state(&rs, self.phase, w);
        self.bbr.set_pacing(self.bbr.state.pacing_gain());
        self.bbr.set_cwnd(&rs, self.phase);
        self.bbr.state
    }

    /// Rounds at the path's rate until this state, a hundred at most.
    fn until(&mut self, state: BbrState) {
        self.until_at(state, RATE);
    }

    fn until_at(&mut self, state: BbrState, rate: u64) {
        for _ in 0..100 {
            if self.bbr.state == state {
                return;
            }
            // Draining works: what is in flight follows the pacing gain.
            self.in_flight = match self.bbr.state {
                BbrState::Startup | BbrState::Up => 2 * rate * RTT_US / 1_000_000,
                _ => rate * RTT_US / 2_000_000,
            };
            self.round(rate);
        }
        panic!("still in {:?}", self.bbr.state);
    }

    /// This many segments in as many ranges are judged lost, of so many in flight.
    fn lose(&mut self, n: u64, in_flight: u64) {
        for i in 1..=n {
            self.bbr.handle_lost_packet(&LostSegment {
                now: Instant::from_nanos(self.now_us * 1_000),
                seq: self.bbr.delivered + 2 * i,
                in_flight,
                lost_since: i,
                app_limited: self.app_limited,
            });
        }
        self.lost = n;
    }
}

#[test]
fn summary_of_control_behavior_in_the_state_machine() {
    use BbrState::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
    let gains = [Startup, Drain, Down, Cruise, Refill, Up, ProbeRtt]
        .map(|s| (s.pacing_gain() * 100 / UNIT, s.cwnd_gain() * 100 / UNIT));
    let table = [(277, 200), (50, 200), (89, 200), (100, 200), (100, 200), (125, 225), (100, 50)];
    assert_eq!(gains, table);
}

#[test]
fn exiting_startup_on_bandwidth_plateau() {
    let mut path = Path::new();
    for rate in [100, 200, 400, 800, 1_000] {
        assert_eq!(path.round(rate), BbrState::Startup);
    }
    // The last grew by a quarter; now three rounds that do not.
    assert_eq!((path.round(RATE), path.round(RATE)), (BbrState::Startup, BbrState::Startup));
    assert!(!path.bbr.full.now);
    path.in_flight = 2 * BDP;
    assert_eq!(path.round(RATE), BbrState::Drain);
    assert!(path.bbr.full.now && path.bbr.full.reached);
    let estimate = path.bbr.bwe().expect("a rate").bits_per_s();
    assert!(estimate.abs_diff(12_000_000) < 240_000, "{estimate}");
}

#[test]
fn exiting_startup_on_loss_when_application_limited() {
    // Six ranges, more than 2 %, a full round in recovery: each is needed.
    for (ranges, of, rounds, leaves) in
        [(6, 200, 2, true), (5, 200, 2, false), (6, 400, 2, false), (6, 200, 1, false)]
    {
        let mut path = Path::new();
        path.app_limited = true;
        path.in_flight = of;
        path.phase = Phase::Recovery;
        for _ in 0..rounds {
            path.lose(ranges, of);
            path.round(RATE);
        }
        let left = path.bbr.state != BbrState::Startup;
        assert_eq!(left, leaves, "{ranges} ranges of {of} in {rounds} rounds");
        assert_eq!(path.bbr.full.now && path.bbr.full.reached, leaves);
        assert_eq!(path.bbr.long.is_some(), leaves);
    }
}

#[test]
fn exiting_drain_based_on_inflight() {
    let mut path = Path::new();
    path.until(BbrState::Drain);
    path.in_flight = BDP + 7;
    assert_eq!(path.round(RATE), BbrState::Drain);
    path.in_flight = BDP;
    // Through DOWN on the same ACK: the queue is gone.
    assert_eq!(path.round(RATE), BbrState::Cruise);
}

#[test]
fn exiting_drain_based_on_time() {
    let mut path = Path::new();
    path.until(BbrState::Drain);
    path.in_flight = 2 * BDP;
    let states = [0; 4].map(|_| path.round(RATE));
    assert_eq!(states, [BbrState::Drain, BbrState::Drain, BbrState::Drain, BbrState::Down]);
}

#[test]
fn exiting_probe_up_on_bandwidth_plateau() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    // UP begins with the rate of REFILL.
    assert_eq!((path.round(RATE), path.round(RATE)), (BbrState::Up, BbrState::Up));
    assert_eq!(path.round(RATE), BbrState::Down);
    assert!(!path.bbr.probe.was_too_high);
}

#[test]
fn bandwidth_that_grows_or_a_bound_that_is_reached_goes_on_probing() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    let mut rate = RATE;
    for round in 1..10 {
        rate = rate * 13 / 10;
        assert_eq!(path.round(rate), BbrState::Up, "round {round}");
    }
    // ProbeBW_UP, exit condition 1: a window held by inflight_longterm hides the plateau.
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.bbr.long = Some(BDP);
    path.in_flight = BDP;
    path.cwnd_limited = true;
    // A round more than a plateau takes.
    for round in 1..=4 {
        assert_eq!(path.round(RATE), BbrState::Up, "round {round}");
        // The window follows the bound, and an ACK within the round finds it full.
        path.bbr.delivered += 1;
        path.ack(1, 0);
    }
}

#[test]
fn exiting_probe_up_on_loss_when_application_limited() {
    for app_limited in [false, true] {
        let mut path = Path::new();
        path.until(BbrState::Up);
        path.app_limited = app_limited;
        path.lose(5, 200);
        // 5 of 200 are not yet 3 %, but more than 2 %.
        assert_eq!(path.bbr.state, BbrState::Down);
        assert!(path.bbr.probe.was_too_high);
        // Application-limited, the level in flight says nothing of the path.
        assert_eq!(path.bbr.long, (!app_limited).then_some(199));
    }
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.lose(4, 200);
    assert_eq!(path.bbr.state, BbrState::Up);
}

#[test]
fn never_exiting_probe_up_or_startup_when_application_limited_with_no_loss() {
    for state in [BbrState::Startup, BbrState::Up] {
        let mut path = Path::never_looking();
        path.until(state);
        path.app_limited = true;
        for _ in 0..40 {
            assert_eq!(path.round(RATE), state);
        }
    }
}

#[test]
fn exiting_probe_down_on_inflight() {
    let mut path = Path::new();
    path.until(BbrState::Down);
    path.bbr.long = Some(100);
    path.in_flight = 86;
    assert_eq!(path.round(RATE), BbrState::Down);
    path.in_flight = 85;
    assert_eq!(path.round(RATE), BbrState::Cruise);
}

#[test]
fn exiting_probe_down_after_max_time() {
    let mut path = Path::never_looking();
    path.until(BbrState::Down);
    path.in_flight = 3 * BDP;
    let began = path.now_us;
    while path.bbr.state == BbrState::Down {
        path.round(RATE);
    }
    assert_eq!(path.bbr.state, BbrState::Refill);
    let waited = path.now_us - began;
    assert!((2_000_000..=3_000_000 + RTT_US).contains(&waited), "{waited} us");
}

#[test]
fn reno_coexistence_probes_after_as_many_rounds_as_the_window_has_segments_and_after_63() {
    for (rtt_us, bdp) in [(10_000, 10), (1_000, 63)] {
        let mut path = Path::new();
        path.rtt_us = rtt_us;
        path.bbr.min_rtt.us = Some(rtt_us);
        let rate = bdp * 1_000_000 / rtt_us;
        while path.bbr.state != BbrState::Cruise {
            path.in_flight = if path.bbr.state == BbrState::Startup { 2 * bdp } else { 1 };
            path.round(rate);
        }
        let before = path.bbr.probe.rounds_since_up;
        let mut rounds = before;
        while path.bbr.state == BbrState::Cruise {
            path.round(rate);
            rounds += 1;
        }
        assert_eq!((path.bbr.state, rounds), (BbrState::Refill, bdp), "{bdp} segments");
    }
}

#[test]
fn precautionary_bandwidth_probing() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.lose(5, 200);
    assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Down, Some(199)));
    path.until(BbrState::Up);
    // Deceleration: at the bound that was too much the next probe stops.
    path.in_flight = 199;
    assert_eq!(path.round(RATE), BbrState::Down);
    assert!(!path.bbr.probe.was_too_high);
    // Acceleration: a round of feedback without loss, and it probes again.
    assert_eq!(path.round(RATE), BbrState::Refill);
    assert_eq!(path.round(RATE), BbrState::Up);
    assert_eq!(path.round(RATE), BbrState::Up);
}

#[test]
fn bandwidth_probing_raises_the_bound_by_1_2_4_segments_a_round() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.in_flight = path.bbr.cwnd;
    path.bbr.long = Some(path.bbr.cwnd);
    path.cwnd_limited = true;
    let mut grown = Vec::new();
    for _ in 0..3 {
        path.bbr.cwnd = path.bbr.long.expect("a bound");
        let (before, cwnd) = (path.bbr.long, path.bbr.cwnd);
        // A window is acknowledged.
        path.round(cwnd * 1_000_000 / RTT_US);
        grown.push(path.bbr.long.zip(before).map_or(0, |(now, before)| now - before));
    }
    assert_eq!(grown, [1, 2, 4]);
}

#[test]
fn entering_and_exiting_probe_rtt() {
    let mut path = Path::new();
    path.until(BbrState::Cruise);
    path.rtt_us += 1;
    path.in_flight = BDP;
    let mut entered = 0;
    while path.bbr.state != BbrState::ProbeRtt {
        path.round(RATE);
        entered = path.now_us;
        assert!(entered < 20_000_000);
    }
    // More than five seconds after the last smaller round-trip time, which was the first.
    assert!((5_000_000..5_300_000).contains(&entered), "{entered}");
    assert_eq!(path.bbr.state.cwnd_gain(), UNIT / 2);
    // Half a bandwidth-delay product.
    assert_eq!(path.bbr.cwnd, BDP / 2);
    path.in_flight = BDP / 2;
    path.rtt_us = RTT_US;
    // The clock starts when little is in flight; 200 ms are over in the third round.
    let states = [0; 4].map(|_| path.round(RATE / 2));
    assert_eq!(
        states,
        [BbrState::ProbeRtt, BbrState::ProbeRtt, BbrState::ProbeRtt, BbrState::Cruise]
    );
    assert!(path.bbr.cwnd > BDP, "the window is restored: {}", path.bbr.cwnd);
}

#[test]
fn skipping_probe_rtt_due_to_application_limited_sending() {
    let mut path = Path::new();
    path.until(BbrState::Cruise);
    path.now_us += 6_000_000;
    let now = Instant::from_nanos(path.now_us * 1_000);
    path.bbr.restarted(slow_start(path.bbr.cwnd), Duration::from_secs(6), now);
    assert!(path.bbr.idle_restart);
    // Paced at the estimate, less the margin.
    assert_eq!(path.bbr.pacing / 10_000, RATE * 1_500 * 99 / 100 / 10_000);
    assert_ne!(path.round(RATE), BbrState::ProbeRtt);
    assert!(!path.bbr.idle_restart);
}

#[test]
fn when_not_probing_for_bandwidth_a_round_with_losses_lowers_the_short_term_bounds() {
    let mut path = Path::new();
    path.until(BbrState::Cruise);
    let cwnd = path.bbr.cwnd;
    let bound = |path: &mut Path| {
        path.lose(1, BDP);
        path.round(RATE / 10);
        path.bbr.short.bw.expect("a bound").rate(1_500).bits_per_s()
    };
    // max(latest, 0.7 of what it was): the round of the loss has delivered the path's rate, ...
    assert!(bound(&mut path).abs_diff(12_000_000) < 1_000);
    assert_eq!(path.bbr.short.inflight, Some(cwnd * 7 / 10));
    // ... and the next has not.
    assert!(bound(&mut path).abs_diff(8_400_000) < 1_000);
    assert_eq!(path.bbr.short.inflight, Some(cwnd * 7 / 10 * 7 / 10));
    // Refill forgets them.
    path.until(BbrState::Refill);
    assert!(path.bbr.short.bw.is_none() && path.bbr.short.inflight.is_none());
}

#[test]
fn handling_a_spurious_loss_recovery_returns_to_the_state_that_the_loss_ended() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.lose(5, 200);
    assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Down, Some(199)));
    path.bbr.handle_spurious_loss_detection();
    assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Refill, None));

    let mut path = Path::new();
    path.in_flight = 200;
    path.phase = Phase::Recovery;
    for _ in 0..2 {
        path.lose(6, 200);
        path.round(RATE);
    }
    assert_eq!(path.bbr.state, BbrState::Drain);
    path.bbr.handle_spurious_loss_detection();
    assert_eq!(path.bbr.state, BbrState::Startup);
    assert!(!path.bbr.full.reached);
}

#[test]
fn inflight_at_loss_is_where_losses_went_beyond_the_threshold() {
    let bbr = new(&Params::default(), &setup());
    let at = |in_flight, lost_since| {
        let now = Instant::ZERO;
        bbr.inflight_at_loss(&LostSegment {
            now,
            seq: 0,
            in_flight,
            lost_since,
            app_limited: false,
        })
    };
    // (0.02 * 999 - 0) / 0.98 = 20 segments more might have been lost.
    assert_eq!(at(1_000, 1), 999 + 20);
    assert_eq!(at(1_000, 21), 999);
    assert_eq!(at(1_000, 500), 999);
}

#[test]
fn headroom_is_15_percent_and_at_least_a_segment() {
    assert_eq!([100, 20, 6, 5, 4].map(window::headroom), [85, 17, 5, 4, 4]);
}

#[test]
fn the_largest_rate_is_that_of_this_cycle_and_of_the_one_before() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.round(RATE * 2);
    let fast = path.bbr.max_bw.get();
    // Down, and once more around.
    path.until(BbrState::Down);
    path.round(RATE);
    assert_eq!(path.bbr.max_bw.get(), fast);
    path.until(BbrState::Up);
    path.until(BbrState::Down);
    path.round(RATE);
    path.round(RATE);
    assert!(path.bbr.max_bw.get() < fast);
}

#[test]
fn acks_in_bunches_raise_the_window_beyond_two_bandwidth_delay_products() {
    let mut path = Path::new();
    path.until(BbrState::Cruise);
    let before = path.bbr.cwnd;
    let prior = path.bbr.delivered;
    // Nothing for a round, and then 60 segments at once.
    path.bbr.delivered += 160;
    path.now_us += RTT_US;
    path.ack(160, prior);
    assert!(path.bbr.extra.get() >= 60, "{:?}", path.bbr.extra);
    for _ in 0..3 {
        path.round(RATE);
    }
    assert!(path.bbr.cwnd > before, "{} after {before}", path.bbr.cwnd);
}

#[test]
fn a_mark_ends_startup_and_a_probe() {
    let mut path = Path::new();
    path.round(RATE);
    path.bbr.reduce(slow_start(50), Cause::Ecn, Instant::ZERO);
    assert_ne!(path.round(RATE), BbrState::Startup);
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.bbr.reduce(slow_start(200), Cause::Ecn, Instant::from_nanos(path.now_us * 1_000));
    assert_eq!(path.bbr.state, BbrState::Down);
    assert!(path.bbr.long.is_some());
}

#[test]
fn no_state_follows_but_by_the_arrows() {
    use BbrState::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
    let all = [Startup, Drain, Down, Cruise, Refill, Up, ProbeRtt];
    let before =
        |next: BbrState| all.into_iter().filter(|s| s.may_become(next)).collect::<Vec<_>>();
    assert_eq!(before(Drain), [Startup]);
    assert_eq!(before(Down), [Drain, Up, ProbeRtt]);
    assert_eq!(before(Cruise), [Down]);
    assert_eq!(before(Up), [Refill]);
    assert!(!before(ProbeRtt).contains(&ProbeRtt) && before(ProbeRtt).len() == 6);
}
