//! The cases of "BBR Example Test Cases" that need a path in finer steps, a spurious recovery, or two states.
//!
//! Those of a link that changes, batches ACKs or polices are on simulated links too:
//! `crates/sim/tests/bbr3.rs`.

use super::*;

/// One in ten of a bandwidth-delay product.
const TENTH: u64 = BDP / 10;

/// A bandwidth is rounded down, and with it what is expected: a segment more is none.
fn is_about(segments: u64, expected: u64) -> bool {
    (expected..=expected + 1).contains(&segments)
}

impl Path {
    /// A round of ten ACKs, each of a tenth, whose samples cover a round-trip time.
    fn smooth_round(&mut self) {
        for _ in 0..10 {
            self.now_us += self.rtt_us / 10;
            self.bbr.delivered += TENTH;
            let prior = self.bbr.delivered.saturating_sub(BDP);
            self.answer(TENTH, prior, Bw::new(BDP, RTT_US));
        }
    }

    /// ACKs come more slowly than expected: an episode of aggregation is over.
    fn pause(&mut self) {
        self.now_us += 2 * self.rtt_us;
    }

    /// A round-trip time of silence, and then its ACKs at once. The samples are still those of the path.
    fn bunched_round(&mut self) {
        let prior = self.bbr.delivered;
        self.now_us += self.rtt_us;
        self.bbr.delivered += BDP;
        self.answer(BDP, prior, Bw::new(BDP, RTT_US));
    }

    /// Ten ACKs of a round in which the sender sends what pacing and window allow, and so much at most is
    /// delivered.
    fn closed_round(&mut self, most: u64) {
        let began = self.bbr.delivered;
        for tenth in 1..=10 {
            let paced = self.bbr.pacing * self.rtt_us / 1_000_000 / 1_500;
            self.cwnd_limited = self.bbr.cwnd <= paced;
            self.in_flight = self.bbr.cwnd.min(paced);
            let delivered = self.in_flight.min(most);
            let acked = delivered * tenth / 10 - delivered * (tenth - 1) / 10;
            self.now_us += self.rtt_us / 10;
            self.bbr.delivered += acked;
            // The first was sent at the end of the last round.
            let prior = began.saturating_sub(u64::from(tenth > 1));
            self.answer(acked, prior, Bw::new(delivered, self.rtt_us));
        }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now_us * 1_000)
    }

    fn window(&self) -> Window {
        Window { cwnd: Segments::new(self.bbr.cwnd), ..slow_start(1) }
    }

    /// Segments judged lost and the recovery that they begin, in a transport's order.
    fn recover(&mut self, lost: u64, in_flight: u64, cause: Cause) {
        self.lose(lost, in_flight);
        let (w, now) = (self.window(), self.now());
        self.bbr.reduce(w, cause, now);
        if cause == Cause::Timeout {
            // The transport's: one segment.
            self.bbr.cwnd = 1;
        }
        self.phase = if cause == Cause::Timeout { Phase::Loss } else { Phase::Recovery };
    }

    /// The recovery was spurious.
    fn undo(&mut self, before: Window) {
        let (w, now) = (self.window(), self.now());
        self.bbr.undone(w, before, now);
        self.phase = Phase::Open;
    }
}

#[test]
fn achieving_expected_startup_bandwidth_on_a_link_with_aggregation() {
    let mut path = Path::new();
    for segments in [10, 20, 40, 80] {
        let before = path.bbr.pacing;
        // Every ACK of a round arrives at once: all of it is more than expected.
        assert_eq!(path.round(segments * 1_000_000 / RTT_US), BbrState::Startup);
        assert_eq!(path.bbr.extra.get(), segments);
        // The rate doubles with what is delivered; the initial one has no margin of a percent.
        let least = if segments == 10 { before } else { 2 * before * 99 / 100 - 1_000 };
        assert!(path.bbr.pacing >= least, "{} after {before}", path.bbr.pacing);
    }
    path.round(RATE);
    path.round(RATE);
    path.round(RATE);
    assert_eq!(path.bbr.max_bw.get(), Bw::new(BDP, RTT_US));
    assert!(is_about(path.bbr.extra.get(), BDP), "{:?}", path.bbr.extra);
    assert!(path.bbr.cwnd > 2 * BDP, "{}", path.bbr.cwnd);
}

#[test]
fn in_startup_extra_acked_is_the_largest_of_one_round() {
    let mut path = Path::new();
    path.app_limited = true;
    // A window is the most that counts: one of the path's size first.
    path.round(RATE);
    path.bunched_round();
    assert!(is_about(path.bbr.extra.get(), BDP), "{:?}", path.bbr.extra);
    path.pause();
    path.smooth_round();
    path.smooth_round();
    assert_eq!(path.bbr.state, BbrState::Startup);
    assert!(is_about(path.bbr.extra.get(), TENTH), "{:?}", path.bbr.extra);
}

#[test]
fn achieving_expected_cruise_bandwidth_on_a_link_with_aggregation() {
    let mut path = Path::never_looking();
    path.until(BbrState::Cruise);
    // Longer than a probe may take to come: none of the maxima below are of another state.
    path.bbr.probe.wait_us = u64::MAX / 2;
    path.pause();
    for _ in 0..12 {
        path.bbr.probe.rounds_since_up = 0;
        path.smooth_round();
    }
    // An ACK of a tenth that is never late is a tenth more than nothing.
    let usual = path.bbr.extra.get();
    assert!(is_about(usual, TENTH), "{:?}", path.bbr.extra);
    assert_eq!(path.bbr.cwnd, 2 * BDP + usual);
    path.bunched_round();
    let bunch = path.bbr.extra.get();
    assert!(is_about(bunch, BDP), "{:?}", path.bbr.extra);
    path.pause();
    for round in 1..=12 {
        path.bbr.probe.rounds_since_up = 0;
        path.smooth_round();
        // `ExtraAckedFilterLen`: ten rounds. The window holds them on top of two products.
        let extra = if round <= 10 { bunch } else { usual };
        assert_eq!((path.bbr.state, path.bbr.extra.get()), (BbrState::Cruise, extra), "{round}");
        assert_eq!(path.bbr.cwnd, 2 * BDP + extra, "{round}");
    }
}

#[test]
fn correctly_managing_sub_packet_bdps() {
    let mut path = Path::new();
    // A segment a second; half of one is a bandwidth-delay product.
    path.rtt_us = 500_000;
    path.bbr.min_rtt.us = Some(500_000);
    path.bbr.full.reached = true;
    path.in_flight = 1;
    for _ in 0..20 {
        path.now_us += 1_000_000;
        let prior = path.bbr.delivered;
        path.bbr.delivered += 1;
        path.answer(1, prior, Bw::new(1, 1_000_000));
        assert!(path.bbr.cwnd >= MIN_PIPE_CWND, "{}", path.bbr.cwnd);
    }
    assert!(path.bbr.state.is_probe_bw());
    // A product rounded up is one segment; two of them and what an ACK brings are less than the budget for
    // offload, three quanta of two segments.
    assert_eq!(path.bbr.bdp(path.bbr.bw(), UNIT), 1);
    assert_eq!(path.bbr.inflight(path.bbr.bw(), UNIT), 6);
    // 1500 bytes a second less 1 %, by the gain: a bandwidth of 16 units is 15 in DOWN, and so on.
    let gain = path.bbr.state.pacing_gain();
    let expected = 1_485 * gain / UNIT;
    assert!(path.bbr.pacing.abs_diff(expected) <= 100, "{} at {gain}", path.bbr.pacing);
    // ProbeRTT and every bound leave four segments.
    path.bbr.state = BbrState::ProbeRtt;
    path.bbr.long = Some(1);
    path.bbr.short.inflight = Some(1);
    path.bbr.set_cwnd(&AckSample::default(), Phase::Open);
    assert_eq!(path.bbr.cwnd, MIN_PIPE_CWND);
}

#[test]
fn increasing_bandwidth_10x_and_ensuring_full_bandwidth_is_reached() {
    let mut path = Path::never_looking();
    path.until(BbrState::Cruise);
    path.bbr.long = Some(BDP);
    let mut rounds = 0;
    let mut steps = Vec::new();
    while path.bbr.max_bw.get() < Bw::new(98 * BDP / 10, RTT_US) {
        let before = path.bbr.long;
        path.closed_round(10 * BDP);
        if path.bbr.state == BbrState::Up {
            rounds += 1;
            steps.extend(path.bbr.long.zip(before).map(|(now, before)| now - before));
        }
        assert!(path.now_us < 20_000_000, "{rounds} rounds, {steps:?}");
    }
    // Each within a segment of twice the one before: ACKs within a round find a larger window.
    let doubling = [1, 2, 4, 8, 16].into_iter().zip(&steps);
    assert!(doubling.clone().all(|(step, it)| it.abs_diff(step) <= 1), "{steps:?}");
    // In steps of 1, 2, 4, ... nine products take log2(900) = 10 rounds, by a quarter less a percent each
    // round they take 11.
    assert!(rounds <= 21, "{rounds} rounds, {steps:?}");
}

#[test]
fn decreasing_bandwidth_10x_and_ensuring_max_bandwidth_adapts_down() {
    let mut path = Path::never_looking();
    path.until(BbrState::Cruise);
    let slow = Bw::new(BDP / 10, RTT_US);
    // The round of the change has delivered the path's rate still.
    path.lose(1, BDP);
    path.round(RATE / 10);
    // 0.7 a round: a tenth in seven rounds, and no less than what is delivered.
    for round in 1..=7 {
        assert_eq!(path.bbr.state, BbrState::Cruise, "{round}");
        assert!(path.bbr.short.bw > Some(slow), "{round}: {:?}", path.bbr.short);
        path.lose(1, BDP);
        path.round(RATE / 10);
    }
    assert_eq!((path.bbr.short.bw, path.bbr.bw()), (Some(slow), slow));
    assert_eq!(path.bbr.max_bw.get(), Bw::new(BDP, RTT_US));
    // Two cycles: `MaxBwFilterLen`.
    for _ in 0..2 {
        path.until_at(BbrState::Up, RATE / 10);
        path.until_at(BbrState::Cruise, RATE / 10);
        path.round(RATE / 10);
    }
    assert_eq!(path.bbr.max_bw.get(), slow);
}

#[test]
fn handling_token_bucket_policers() {
    let mut path = Path::never_looking();
    path.until(BbrState::Cruise);
    // The bucket is empty: half of the rate passes, and the rest is lost.
    for _ in 0..3 {
        path.lose(BDP / 2, BDP);
        path.round(RATE / 2);
    }
    let tokens = Bw::new(BDP / 2, RTT_US);
    assert_eq!((path.bbr.short.bw, path.bbr.bw()), (Some(tokens), tokens));
    let inflight = path.bbr.short.inflight.expect("a bound");
    assert!(path.bbr.cwnd <= inflight && inflight < 2 * BDP, "{:?}", path.bbr.short);
    // Paced below the tokens, nothing is lost any more.
    let paced = path.bbr.pacing / 1_500;
    assert!((RATE * 45 / 100..RATE / 2).contains(&paced), "{paced}");
}

/// The state, the bounds and the window are those of before a recovery that was spurious.
fn undoes(cause: Cause) {
    // A probe: 5 of 200 segments are too many, and more are judged lost afterwards.
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.bbr.long = Some(300);
    let (window, cwnd) = (path.window(), path.bbr.cwnd);
    path.recover(9, 200, cause);
    assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Down, Some(199)));
    assert_eq!(path.bbr.undo.state, Some(BbrState::Up));
    path.in_flight = 200;
    path.round(RATE);
    assert!(path.bbr.cwnd <= 199, "{}", path.bbr.cwnd);
    path.undo(window);
    assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Refill, Some(300)), "{cause}");
    assert!(path.bbr.cwnd >= cwnd, "{cause}: {} of {cwnd}", path.bbr.cwnd);
    assert!(path.bbr.short.bw.is_none() && path.bbr.short.inflight.is_none());
    // The probe begins again, a round later.
    assert_eq!(path.round(RATE), BbrState::Up, "{cause}");

    // No probe: the bounds of the loss go, those of before come back. In Drain, since the window of an RTO
    // is so small that in ProbeBW the next round would begin a probe ("reno_bdp").
    for bounded in [false, true] {
        let mut path = Path::new();
        path.until(BbrState::Drain);
        path.in_flight = 8 * BDP;
        if bounded {
            path.lose(1, BDP);
            path.round(RATE);
        }
        let (window, before) = (path.window(), path.bbr.short);
        for _ in 0..2 {
            path.recover(3, BDP, cause);
            path.round(RATE / 10);
        }
        assert!(path.bbr.short.bw.is_some() && path.bbr.cwnd < window.cwnd.whole(), "{cause}");
        assert!(path.bbr.short.inflight < before.inflight || !bounded, "{:?}", path.bbr.short);
        path.undo(window);
        assert_eq!(path.bbr.state, BbrState::Drain, "{cause}");
        assert_eq!((path.bbr.short.bw, path.bbr.short.inflight), (before.bw, before.inflight));
        assert!(path.bbr.cwnd >= window.cwnd.whole(), "{cause}: {}", path.bbr.cwnd);
    }
}

#[test]
fn handling_spurious_fast_recovery() {
    undoes(Cause::FastRetransmit);
}

#[test]
fn handling_spurious_rto_recovery() {
    undoes(Cause::Timeout);
}

#[test]
fn a_recovery_saves_the_bounds_of_its_own_beginning() {
    let mut path = Path::new();
    path.until(BbrState::Up);
    path.bbr.long = Some(300);
    path.recover(9, 200, Cause::FastRetransmit);
    // It ends, and was not spurious. The next one is.
    path.phase = Phase::Open;
    path.until(BbrState::Cruise);
    let (window, long) = (path.window(), path.bbr.long);
    path.recover(3, BDP, Cause::FastRetransmit);
    path.undo(window);
    assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Cruise, long));
}

#[test]
fn entering_and_exiting_probe_rtt_during_startup() {
    let mut path = Path::new();
    // A slow application: the pipe is never seen full.
    path.app_limited = true;
    path.round(RATE);
    path.rtt_us += 1;
    path.in_flight = BDP / 4;
    while path.bbr.state == BbrState::Startup {
        path.round(RATE / 4);
    }
    assert_eq!(path.bbr.state, BbrState::ProbeRtt);
    assert!((5_000_000..5_400_000).contains(&path.now_us), "{}", path.now_us);
    assert!(!path.bbr.full.reached);
    // So little is in flight that the clock starts at once: two rounds are more than 200 ms.
    let states = [0; 2].map(|_| path.round(RATE / 4));
    assert_eq!(states, [BbrState::ProbeRtt, BbrState::Startup]);
    assert!(!path.bbr.full.reached);
    // It searches on: the rate grows again, and a plateau ends it.
    path.app_limited = false;
    path.rtt_us = RTT_US;
    path.in_flight = 8 * BDP;
    for rate in [RATE, 2 * RATE, 4 * RATE, 4 * RATE, 4 * RATE] {
        assert_eq!(path.round(rate), BbrState::Startup, "{rate}");
    }
    assert_eq!(path.round(4 * RATE), BbrState::Drain);
    assert_eq!(path.bbr.max_bw.get(), Bw::new(4 * BDP, RTT_US));
}

#[test]
fn handling_loss_during_probe_up_after_inflight_longterm_is_set() {
    // The load at the loss, but no less than 0.7 of what is aimed at: 100 segments.
    for (in_flight, long) in [(200, 199), (60, 70)] {
        let mut path = Path::new();
        path.until(BbrState::Up);
        path.bbr.long = Some(300);
        // A round without a plateau yet.
        assert_eq!(path.round(RATE), BbrState::Up);
        path.lose(5, in_flight);
        assert_eq!((path.bbr.state, path.bbr.long), (BbrState::Down, Some(long)));
        assert!(path.bbr.probe.was_too_high && !path.bbr.probe.is_sample);
        // Once a probe: more losses do not lower it again.
        path.lose(5, in_flight / 2);
        assert_eq!(path.bbr.long, Some(long));
    }
}

#[test]
fn handling_application_limited_sending_during_probe_refill() {
    let mut path = Path::never_looking();
    path.until(BbrState::Refill);
    let before = path.bbr.max_bw.get();
    // As if the filter had just advanced: what the application keeps back would be all of the new cycle.
    path.bbr.max_bw.advance();
    path.app_limited = true;
    path.in_flight = BDP / 10;
    assert_eq!(path.round(RATE / 10), BbrState::Up);
    assert_eq!(path.bbr.max_bw.get(), before);
    // The application pauses on: neither a plateau nor a lower estimate.
    for _ in 0..10 {
        assert_eq!(path.round(RATE / 10), BbrState::Up);
    }
    let mut next_cycle = path.bbr.max_bw;
    next_cycle.advance();
    assert_eq!((path.bbr.max_bw.get(), next_cycle.get()), (before, before));
    // It sends again. The probe began with the sample of an idle application, so that the path's rate is
    // growth, and three rounds of it are a plateau.
    path.app_limited = false;
    path.in_flight = 2 * BDP;
    let states = [0; 4].map(|_| path.round(RATE));
    assert_eq!(states, [BbrState::Up, BbrState::Up, BbrState::Up, BbrState::Down]);
}
