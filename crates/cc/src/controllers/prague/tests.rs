use super::*;
use crate::testing::{ack, avoidance, float, setup, slow_start};

/// A Prague with a window of so many segments in congestion avoidance, some rounds after slow start.
struct PragueFlow {
    c: Prague,
    w: Window,
    now_ms: u64,
    rtt_ms: u64,
    una: u64,
    marked: u64,
}

impl PragueFlow {
    fn new(params: &Params, cwnd: u64, rtt_ms: u64) -> Self {
        let mut c = new(params, &setup());
        c.frac = Segments::new(cwnd);
        c.in_slow_start = false;
        Self { c, w: avoidance(Segments::new(cwnd)), now_ms: 1_000, rtt_ms, una: 0, marked: 0 }
    }

    /// An ACK of `acked` segments, so many of them marked; the window is full.
    fn ack(&mut self, acked: u64, marked: u64) {
        self.una += acked;
        self.marked += marked;
        let cwnd = self.w.cwnd.whole();
        self.c.measure(&Ack {
            delivered_ce: self.marked,
            ..ack(self.now_ms, self.rtt_ms, self.una, self.una + cwnd)
        });
        let grant = Grant {
            in_flight: cwnd - acked.min(cwnd),
            ..Grant::open(self.now(), Segments::new(acked))
        };
        self.w = self.c.grow(self.w, &grant);
    }

    /// A round in which each segment is acknowledged, the first `marked` of them with a mark.
    fn round(&mut self, marked: u64) {
        self.now_ms += self.rtt_ms;
        let segments = self.w.cwnd.whole();
        for n in 0..segments {
            if n == 0 && marked > 0 {
                self.reduce(Cause::Ecn);
            }
            self.ack(1, u64::from(n < marked));
        }
    }

    fn rounds(&mut self, n: u64) {
        (0..n).for_each(|_| self.round(0));
    }

    fn reduce(&mut self, cause: Cause) -> Reduction {
        let r = self.c.reduce(self.w, cause, self.now());
        self.w.ssthresh = r.ssthresh;
        r
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now_ms * 1_000_000)
    }

    fn frac_millis(&self) -> u64 {
        ((self.c.frac.raw() >> 16) * 1_000) >> 16
    }
}

fn alpha_millis(c: &Prague) -> u64 {
    (c.alpha() * 1_000) >> ALPHA_BITS
}

#[test]
fn s2_3_2_alpha_moves_by_a_sixteenth_of_the_difference_each_round() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    flow.round(0);
    assert_eq!(flow.c.alpha(), 0);
    // All segments of a round; the round ends with the first ACK of the next.
    let all = flow.w.cwnd.whole();
    flow.round(all);
    flow.round(0);
    let alpha = alpha_millis(&flow.c);
    assert!((58..=62).contains(&alpha), "{alpha}");
    flow.round(0);
    let next = alpha_millis(&flow.c);
    assert!((alpha * 15 / 16 - 1..=alpha * 15 / 16 + 1).contains(&next), "{alpha} {next}");
}

#[test]
fn s2_3_2_alpha_comes_to_the_share_of_marks() {
    let mut share = Share::new(false);
    for round in 1..=400 {
        share.end_round(1_000 * round, 100 * round, Some(round));
    }
    // A tenth, but for the last sixteenth that is cut off.
    assert!((1_677_600..=1_677_722).contains(&share.alpha()), "{}", share.alpha());
}

#[test]
fn s2_4_1_a_loss_halves_the_window_and_growth_waits_for_the_end_of_recovery() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    assert_eq!(flow.reduce(Cause::FastRetransmit).ssthresh, Segments::new(50));
    let grant = |flow: &PragueFlow| Grant {
        phase: Phase::Recovery,
        ..Grant::open(flow.now(), Segments::ONE)
    };
    for _ in 0..100 {
        flow.una += 1;
        flow.c.measure(&ack(flow.now_ms, 50, flow.una, flow.una + 100));
        flow.w = flow.c.grow(flow.w, &grant(&flow));
    }
    assert_eq!((flow.w.cwnd, flow.c.frac), (Segments::new(50), Segments::new(50)));
    flow.ack(1, 0);
    assert!(flow.c.frac > Segments::new(50));
}

#[test]
fn s2_4_1_an_undone_loss_gives_the_window_back() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    let before = flow.w;
    flow.reduce(Cause::FastRetransmit);
    let w = flow.c.undone(flow.w, before, flow.now());
    assert_eq!((w.cwnd, flow.c.frac), (before.cwnd, before.cwnd));
}

#[test]
fn s2_4_2_a_mark_cuts_by_half_of_alpha_at_once_and_once_a_round() {
    let mut flow =
        PragueFlow::new(&Params { rtt_target: Duration::ZERO, ..Params::default() }, 100, 50);
    flow.c.saw_ce = true;
    flow.c.share = Share::new(true);
    // Alpha is one: half of the window.
    flow.reduce(Cause::Ecn);
    assert_eq!(flow.c.frac, Segments::new(50));
}

#[test]
fn s2_4_2_cuts_are_suppressed_for_a_virtual_round_trip_time() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 5);
    flow.rounds(10);
    assert!(flow.c.is_rtt_independent());
    flow.c.saw_ce = true;
    flow.c.share = Share::new(true);
    let cuts: [bool; 10] = core::array::from_fn(|_| {
        flow.now_ms += 5;
        let before = flow.c.frac;
        flow.reduce(Cause::Ecn);
        flow.c.frac < before
    });
    // One in 25 ms, whatever the round-trip time.
    assert_eq!(cuts.iter().filter(|&&cut| cut).count(), 2);
    assert!(cuts[0] && cuts[5]);
}

#[test]
fn s2_4_3_a_window_grows_by_a_segment_a_round_and_marked_segments_add_nothing() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    flow.rounds(10);
    let frac = flow.frac_millis();
    assert!((109_000..=110_000).contains(&frac), "{frac}");
    // Marks for half of the segments, and no cut worth its name: half of the growth.
    flow.c.saw_ce = true;
    let before = flow.c.frac;
    (0..100).for_each(|n| flow.ack(1, n % 2));
    let growth = float(flow.c.frac - before);
    assert!((0.44..0.47).contains(&growth), "{growth}");
}

#[test]
fn s2_4_4_below_25_ms_a_flow_grows_as_fast_in_segments_a_second_as_one_of_25_ms() {
    // In a second, at the same rate of segments: 4 segments a millisecond.
    let growth_of_rate = |rtt_ms: u64| {
        let mut flow = PragueFlow::new(&Params::default(), 4 * rtt_ms, rtt_ms);
        flow.c.rounds = 100;
        let (start, begin) = (flow.c.frac, flow.now_ms);
        while flow.now_ms < begin + 200 {
            flow.round(0);
        }
        float(flow.c.frac - start)
    };
    // Segments a millisecond by which the rates grew.
    let (short, long) = (growth_of_rate(5) / 5.0, growth_of_rate(25) / 25.0);
    assert!((short / long - 1.0).abs() < 0.1, "{short} {long}");
    assert_eq!(growth_per_segment(5_000, 25_000), (1 << 20) / 25);
    assert_eq!(growth_per_segment(25_000, 25_000), 1 << 20);
    assert_eq!(growth_per_segment(30_000, 25_000), 1 << 20);
}

#[test]
fn s2_4_4_the_first_rounds_after_slow_start_are_not_slowed_down() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 5);
    flow.rounds(3);
    assert!((102_500..103_000).contains(&flow.frac_millis()), "{}", flow.frac_millis());
    flow.rounds(10);
    assert!(flow.frac_millis() < 105_000, "{}", flow.frac_millis());
}

#[test]
fn s2_4_5_the_first_mark_halves_the_window_and_ends_slow_start() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    flow.w = slow_start(100);
    flow.rounds(1);
    assert_eq!(flow.w.cwnd, Segments::new(200));
    assert!(flow.w.in_slow_start());
    flow.reduce(Cause::Ecn);
    assert_eq!(flow.c.frac, Segments::new(100));
    flow.ack(1, 1);
    assert!(!flow.w.in_slow_start());
    // The window in force follows by a segment an ACK.
    assert_eq!(flow.w.cwnd, Segments::new(199));
    (0..150).for_each(|_| flow.ack(1, 0));
    assert_eq!(flow.w.cwnd.whole(), flow.c.whole_window());
    assert!(flow.w.cwnd < Segments::new(103));
}

#[test]
fn s2_5_1_the_pace_is_the_window_a_round_trip_time_and_twice_that_in_slow_start() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    flow.ack(1, 0);
    // 100 segments of 1500 bytes in 50 ms.
    assert_eq!(flow.c.pacing_rate().map(Rate::bits_per_s), Some(24_000_000));
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    flow.w = slow_start(100);
    flow.ack(1, 0);
    assert_eq!(flow.c.pacing_rate().map(Rate::bits_per_s), Some(2 * 24_240_000));
}

#[test]
fn an_application_that_sends_little_opens_no_window() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    for _ in 0..100 {
        flow.una += 1;
        flow.c.measure(&ack(flow.now_ms, 50, flow.una, flow.una + 10));
        let open = Grant::open(flow.now(), Segments::ONE);
        let grant = Grant { cwnd_limited: false, in_flight: 9, ..open };
        flow.w = flow.c.grow(flow.w, &grant);
    }
    assert_eq!(flow.c.frac, Segments::new(100));
}

#[test]
fn the_window_is_two_segments_at_least() {
    let mut flow = PragueFlow::new(&Params::default(), 2, 50);
    for _ in 0..10 {
        flow.reduce(Cause::FastRetransmit);
    }
    flow.ack(1, 0);
    assert_eq!(flow.w.cwnd, Segments::TWO);
}

#[test]
fn prague_cwnd_undo_growth_goes_on_after_an_undone_loss_and_keeps_what_was_gained_since() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    let before = flow.w;
    flow.reduce(Cause::FastRetransmit);
    flow.c.frac = Segments::new(120);
    flow.w = flow.c.undone(flow.w, before, flow.now());
    assert_eq!(flow.c.frac, Segments::new(120));
    // The recovery is over though the transport has not said so.
    flow.una += 1;
    flow.c.measure(&ack(flow.now_ms, 50, flow.una, flow.una + 100));
    let grant = Grant { phase: Phase::Recovery, ..Grant::open(flow.now(), Segments::ONE) };
    flow.w = flow.c.grow(flow.w, &grant);
    assert!(flow.c.frac > Segments::new(120));
}

#[test]
fn after_an_idle_time_the_window_returns_to_its_fractional_one_by_a_segment_an_ack() {
    let mut flow = PragueFlow::new(&Params::default(), 100, 50);
    let left = Window { cwnd: Segments::new(10), ssthresh: Segments::new(75) };
    flow.w = flow.c.restarted(left, Duration::from_secs(1), flow.now());
    assert_eq!((flow.w, flow.c.frac), (left, Segments::new(100)));
    flow.w.ssthresh = Segments::TWO;
    (0..5).for_each(|_| flow.ack(1, 0));
    assert_eq!(flow.w.cwnd, Segments::new(15));
}
