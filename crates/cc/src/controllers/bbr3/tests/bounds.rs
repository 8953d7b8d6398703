//! "Updating Control Parameters": pacing rate, quantum, budgets, and the bounds of the window.

use super::*;

const STATES: [BbrState; 7] = [
    BbrState::Startup,
    BbrState::Drain,
    BbrState::Down,
    BbrState::Cruise,
    BbrState::Refill,
    BbrState::Up,
    BbrState::ProbeRtt,
];

/// A controller with a window of 1000 segments on a path of 1000 more.
fn wide(state: BbrState) -> Bbr3 {
    let mut path = Path::new();
    path.round(20 * RATE);
    let mut bbr = path.bbr;
    bbr.state = state;
    bbr.full.reached = true;
    bbr.cwnd = 1_000;
    bbr
}

/// The window after an ACK of nothing.
fn window(mut bbr: Bbr3) -> u64 {
    bbr.set_cwnd(&AckSample::default(), Phase::Open);
    bbr.cwnd
}

#[test]
fn bound_cwnd_for_model_by_state() {
    use BbrState::{Cruise, Down, Drain, ProbeRtt, Refill, Startup, Up};
    for state in STATES {
        // Half a bandwidth-delay product of 2000 in ProbeRTT: no bound of these tests.
        assert_eq!(window(wide(state)), 1_000, "{state:?}");
        // inflight_longterm of 400; 0.85 of it are 340.
        let long = match state {
            Startup | Drain => 1_000,
            Down | Refill | Up => 400,
            Cruise | ProbeRtt => 340,
        };
        assert_eq!(window(Bbr3 { long: Some(400), ..wide(state) }), long, "{state:?}");
        // inflight_shortterm binds wherever it is set; acceleration begins without it.
        let short = ShortTerm { bw: None, inflight: Some(300) };
        let both = Bbr3 { long: Some(400), short, ..wide(state) };
        assert_eq!(window(both), 300, "{state:?}");
        // No bound leaves fewer than MinPipeCwnd.
        let short = ShortTerm { bw: None, inflight: Some(1) };
        assert_eq!(window(Bbr3 { long: Some(1), short, ..wide(state) }), 4, "{state:?}");
    }
}

#[test]
fn the_window_falls_to_max_inflight_at_once_and_rises_by_what_is_acknowledged() {
    let ack = AckSample { newly_acked: 3, ..AckSample::default() };
    let mut bbr = wide(BbrState::Cruise);
    // Two products of 2000 segments, and of the aggregated ones an initial window, which was the most then.
    bbr.cwnd = 7_000;
    bbr.set_cwnd(&ack, Phase::Open);
    assert_eq!(bbr.cwnd, 4_010);
    bbr.cwnd = 4_000;
    bbr.set_cwnd(&ack, Phase::Open);
    assert_eq!(bbr.cwnd, 4_003);
    // Startup knows no such fall.
    let mut bbr = Bbr3 { cwnd: 7_000, ..wide(BbrState::Startup) };
    bbr.full.reached = false;
    bbr.set_cwnd(&ack, Phase::Open);
    assert_eq!(bbr.cwnd, 7_000);
}

#[test]
fn without_a_round_trip_time_the_initial_window_is_the_product() {
    let mut bbr = new(&Params::default(), &setup());
    assert_eq!(bbr.bdp(Bw::new(5, 1), 2 * UNIT), 10);
    // Until InitialCwnd is delivered the window grows beyond the model.
    bbr.cwnd = 100;
    bbr.delivered = 9;
    let ack = AckSample { newly_acked: 2, ..AckSample::default() };
    bbr.set_cwnd(&ack, Phase::Open);
    assert_eq!(bbr.cwnd, 102);
    bbr.delivered = 10;
    bbr.set_cwnd(&ack, Phase::Open);
    assert_eq!(bbr.cwnd, 102);
}

#[test]
fn send_quantum_is_a_millisecond_two_segments_at_least_and_64_kilobytes_at_most() {
    let quantum = |bytes_per_s| {
        let mut bbr = new(&Params::default(), &setup());
        bbr.pacing = bytes_per_s;
        bbr.send_quantum()
    };
    // 15 kbit/s, 24 Mbit/s and 60 Mbit/s; a millisecond of the last is five segments.
    assert_eq!([2_000, 3_000_000, 7_500_000].map(quantum), [2, 2, 5]);
    // 65,536 bytes are 43 whole segments.
    assert_eq!([65_536_000, 10_000_000_000].map(quantum), [43, 43]);
}

#[test]
fn offload_budget_is_three_quanta_and_up_adds_two_segments() {
    let budget = |state, pacing, cap| {
        let mut bbr = new(&Params::default(), &setup());
        (bbr.state, bbr.pacing) = (state, pacing);
        bbr.budget(cap)
    };
    for state in STATES {
        let more = if state == BbrState::Up { 2 } else { 0 };
        assert_eq!(budget(state, 1_000, 1), 6 + more, "{state:?}");
        assert_eq!(budget(state, 7_500_000, 1), 15 + more, "{state:?}");
        assert_eq!(budget(state, 7_500_000, 16), 16 + more, "{state:?}");
    }
}

#[test]
fn the_initial_pacing_rate_is_2_77_windows_a_millisecond_and_then_a_round_trip_time() {
    let mut bbr = new(&Params::default(), &setup());
    // 2.77 * 15,000 bytes, within the gain's rounding to 1/256.
    let near = |rate: u64, expected: u64| rate.abs_diff(expected) <= expected / 200;
    assert!(near(bbr.pacing, 41_550_000), "{}", bbr.pacing);
    bbr.begin(&crate::testing::ack(0, 100, 0, 10));
    assert!(near(bbr.pacing, 415_500), "{}", bbr.pacing);
    // The first round-trip time counts, and no later one.
    bbr.begin(&crate::testing::ack(100, 50, 0, 10));
    assert!(near(bbr.pacing, 415_500), "{}", bbr.pacing);
}

#[test]
fn until_the_pipe_is_full_the_pacing_rate_never_falls() {
    let mut path = Path::new();
    path.app_limited = true;
    let initial = path.bbr.pacing;
    path.round(10);
    assert_eq!(path.bbr.pacing, initial);
    path.bbr.full.reached = true;
    path.bbr.set_pacing(UNIT);
    // Ten segments a second, less a percent.
    assert!(path.bbr.pacing.abs_diff(14_850) < 100, "{}", path.bbr.pacing);
}
