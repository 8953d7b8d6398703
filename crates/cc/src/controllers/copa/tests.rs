//! Copa's reactions to single ACKs. How it fares on a link is told by the simulator's tests.

use super::*;
use crate::controller::{DeliverySample, Phase};
use crate::testing::{ack, setup};

/// A Copa and its window.
struct CopaSender {
    copa: Copa,
    w: Window,
    now_ms: u64,
    delivered: u64,
}

impl CopaSender {
    fn new(modes: Modes, cwnd: u64) -> Self {
        let params = Params { mode: modes, ..Params::default() };
        let w = Window { cwnd: Segments::new(cwnd), ssthresh: Segments::MAX };
        Self { copa: new(&params, &setup()), w, now_ms: 0, delivered: 0 }
    }

    /// Past slow start.
    fn steady(modes: Modes, cwnd: u64) -> Self {
        let mut it = Self::new(modes, cwnd);
        it.copa.slow_start = false;
        it.copa.velocity = Velocity::from(it.w.cwnd);
        it
    }

    /// An ACK of one segment sent a window ago, `later_ms` after the one before.
    fn ack(&mut self, later_ms: u64, rtt_ms: u64) {
        self.now_ms += later_ms;
        self.delivered += 1;
        let sample = DeliverySample {
            delivered: 1,
            interval: Duration::from_millis(rtt_ms),
            prior_delivered: self.delivered.saturating_sub(self.w.cwnd.whole()),
            prior_lost: 0,
            in_flight_at_departure: 0,
            prior_in_flight: 0,
            acked_sacked: 1,
            app_limited: false,
        };
        let (una, nxt) = (self.delivered, self.delivered + self.w.cwnd.whole());
        self.copa.measure(&Ack { sample: Some(sample), ..ack(self.now_ms, rtt_ms, una, nxt) });
        let grant = Grant {
            in_flight: self.w.cwnd.whole(),
            ..Grant::open(Instant::from_nanos(self.now_ms * 1_000_000), Segments::ONE)
        };
        assert_eq!(grant.phase, Phase::Open);
        self.w = self.copa.grow(self.w, &grant);
    }

    fn lose(&mut self) {
        let now = Instant::from_nanos(self.now_ms * 1_000_000);
        let before = self.w;
        let answer = self.copa.reduce(before, Cause::FastRetransmit, now);
        assert_eq!(answer.resume, before.cwnd, "the window stays");
    }
}

#[test]
fn s2_1_the_window_grows_while_it_sees_less_than_its_share_of_the_queue_and_shrinks_above() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    s.ack(0, 100);
    // No queue: one ACK adds v / (delta cwnd) = 1/25.
    let gained = s.w.cwnd - Segments::new(50);
    assert_eq!(gained.raw() * 25 / Segments::ONE.raw(), 0);
    assert_eq!((gained.raw() * 26) / Segments::ONE.raw(), 1);
    // 4 of 104 ms wait: 50 x 4 / 104 is less than two packets. The smaller sample is old by then.
    s.ack(80, 104);
    assert!(s.w.cwnd > Segments::new(50) + gained);
    // 5 of 105 ms: more than two.
    let before = s.w.cwnd;
    s.ack(80, 105);
    assert!(s.w.cwnd < before);
}

#[test]
fn s2_1_a_round_changes_the_window_by_one_over_delta() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    for _ in 0..50 {
        s.ack(2, 100);
    }
    assert!((Segments::new(51)..=Segments::new(52)).contains(&s.w.cwnd), "{}", s.w.cwnd);
}

#[test]
fn s2_1_the_standing_round_trip_time_is_the_least_of_half_a_round_trip_time() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    s.ack(0, 100);
    s.ack(40, 140);
    assert_eq!(s.copa.delays.map(|d| d.standing), Some(Duration::from_millis(100)));
    s.ack(40, 130);
    assert_eq!(s.copa.delays.map(|d| d.standing), Some(Duration::from_millis(130)));
    assert_eq!(s.copa.delays.map(|d| d.min), Some(Duration::from_millis(100)));
}

#[test]
fn s2_1_segments_leave_at_twice_the_window_a_standing_round_trip_time() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    assert_eq!(s.copa.pacing_rate(), None);
    s.ack(0, 100);
    // 100 segments of 1500 bytes in 100 ms.
    assert_eq!(s.copa.pacing_rate().map(Rate::bits_per_s), Some(12_000_000));
}

#[test]
fn s2_1_slow_start_doubles_until_the_rate_exceeds_its_target() {
    let mut s = CopaSender::new(Modes::Auto, 10);
    for _ in 0..30 {
        s.ack(3, 100);
    }
    assert_eq!(s.w.cwnd, Segments::new(40));
    // 40 x 6 / 106 packets wait.
    s.ack(100, 106);
    assert!(s.w.cwnd < Segments::new(40));
    assert!(!s.copa.slow_start);
    let before = s.w.cwnd;
    s.ack(100, 100);
    assert!(s.w.cwnd < before + Segments::ONE, "it does not come back");
}

#[test]
fn s2_2_five_round_trip_times_without_an_empty_queue_tell_of_a_competitor_and_one_with_it_of_none()
{
    let mut s = CopaSender::steady(Modes::Auto, 50);
    s.ack(0, 100);
    for _ in 0..49 {
        s.ack(10, 150);
    }
    assert!(!s.copa.is_competitive());
    for _ in 0..40 {
        s.ack(10, 150);
    }
    assert!(s.copa.is_competitive());
    // 5 ms wait, of a range of 50: not below a tenth; 4 ms are.
    s.ack(100, 105);
    assert!(s.copa.is_competitive());
    s.ack(100, 104);
    assert!(!s.copa.is_competitive());
    assert_eq!(s.copa.per_delta(), Segments::TWO);
}

#[test]
fn s2_2_in_competitive_mode_a_round_adds_one_to_one_over_delta_and_a_loss_halves_it() {
    let mut s = CopaSender::steady(Modes::Competitive, 50);
    s.ack(0, 100);
    let mut rounds = 0;
    while s.copa.per_delta() < Segments::new(12) {
        s.ack(2, 150);
        rounds += 1;
        assert!(rounds < 2_000);
    }
    s.lose();
    assert_eq!(s.copa.per_delta(), Segments::new(6));
    for _ in 0..4 {
        s.lose();
    }
    assert_eq!(s.copa.per_delta(), Segments::TWO, "delta is at most one half");
}

#[test]
fn s2_2_in_default_mode_a_loss_changes_nothing() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    s.ack(0, 100);
    let before = (s.w, s.copa.per_delta());
    s.lose();
    assert_eq!((s.w, s.copa.per_delta()), before);
}

#[test]
fn a_timeout_begins_slow_start_and_a_spurious_one_is_taken_back() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    s.ack(0, 100);
    let before = s.w;
    s.copa.reduce(before, Cause::Timeout, Instant::ZERO);
    s.w.cwnd = Segments::ONE;
    s.ack(300, 100);
    assert_eq!(s.w.cwnd, Segments::TWO);
    let back = s.copa.undone(s.w, before, Instant::ZERO);
    assert_eq!(back.cwnd, before.cwnd);
    assert!(!s.copa.slow_start);
}

#[test]
fn a_window_that_does_not_limit_the_sender_shrinks_and_does_not_grow() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    s.ack(0, 100);
    let w = s.w;
    let grant = Grant { cwnd_limited: false, ..Grant::open(Instant::ZERO, Segments::ONE) };
    assert_eq!(s.copa.grow(w, &grant), w);
    s.ack(100, 150);
    assert!(s.copa.grow(w, &grant).cwnd < w.cwnd);
}

#[test]
fn a_loss_without_a_timeout_has_changed_no_window_and_none_comes_back() {
    let mut s = CopaSender::steady(Modes::Default, 50);
    s.ack(0, 100);
    s.copa.reduce(s.w, Cause::Timeout, Instant::ZERO);
    s.lose();
    let larger = Window { cwnd: Segments::new(90), ..s.w };
    assert_eq!(s.copa.undone(s.w, larger, Instant::ZERO), s.w);
}

#[test]
fn an_idle_time_without_a_nearly_empty_queue_tells_of_no_competitor() {
    let competitor_after = |restart: bool| {
        let mut s = CopaSender::steady(Modes::Auto, 50);
        s.ack(0, 100);
        s.ack(10, 150);
        // Ten smoothed round-trip times without an ACK.
        s.now_ms += 1_500;
        if restart {
            let now = Instant::from_nanos(s.now_ms * 1_000_000);
            assert_eq!(s.copa.restarted(s.w, Duration::from_millis(1_500), now), s.w);
        }
        s.ack(10, 150);
        s.copa.is_competitive()
    };
    assert_eq!([false, true].map(competitor_after), [true, false]);
}
