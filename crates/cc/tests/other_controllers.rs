//! The controllers beside the Westwood family, each on a link of its own.

mod link;

use link::{Loop, Path, Shown};
use westwood_cc::controller::{Controller, Setup};
use westwood_cc::controllers::bbr::{self, Bbr, Mode};
use westwood_cc::controllers::{Choice, cubic_linux, vegas, vegas_linux};
use westwood_cc::{Bytes, Segments};

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn setup() -> Setup {
    Setup {
        smss: Bytes::new(1_500),
        initial_window: Segments::new(10),
        seed: 7,
        handshake_rtt: None,
        paced: false,
    }
}

fn bbr_on(path: Path) -> Loop<Bbr> {
    Loop::new(bbr::new(&bbr::Params::default(), &setup()), path, 10)
}

/// Segments delivered between two times.
fn delivered<C: Controller>(l: &mut Loop<C>, from: u64, to: u64) -> u64 {
    let (mut before, mut after) = (0, 0);
    l.run(from, |_, s| before = s.delivered);
    l.run(to, |_, s| after = s.delivered);
    after - before
}

#[test]
fn bbr_fills_the_pipe_in_startup_drains_it_and_then_probes() {
    let mut l = bbr_on(Path::TEN_MEGABIT);
    let mut modes = vec![(0, Mode::Startup)];
    l.run(3 * S, |c, s| {
        if modes.last().is_some_and(|m| m.1 != c.mode()) {
            modes.push((s.now, c.mode()));
        }
    });
    let order: Vec<_> = modes.iter().map(|m| m.1).collect();
    assert_eq!(order, [Mode::Startup, Mode::Drain, Mode::ProbeBw]);
    // Three to four doublings fill 83 segments from 10, then three rounds without growth, longer by
    // then because of the queue.
    assert!((600 * MS..1_500 * MS).contains(&modes[1].0), "{modes:?}");
    assert!(modes[2].0 - modes[1].0 < 800 * MS, "{modes:?}");
}

#[test]
fn bbr_uses_the_link_with_a_short_queue_and_knows_its_bandwidth() {
    let mut l = bbr_on(Path::TEN_MEGABIT);
    let sent = delivered(&mut l, 3 * S, 9 * S);
    // 833.3 segments a second.
    assert!(sent > 5_000 * 98 / 100, "{sent}");
    let bwe = l.controller.bwe().expect("measured").bits_per_s();
    assert!((9_900_000..=10_050_000).contains(&bwe), "{bwe}");
    let (mut sum, mut n) = (0, 0);
    l.run(10 * S, |_, s| (sum, n) = (sum + s.rtt, n + 1));
    assert!(sum / n < 115 * MS, "mean RTT {} ms", sum / n / MS);
}

#[test]
fn bbr_cycles_its_gain_one_round_trip_time_a_phase() {
    let mut l = bbr_on(Path::TEN_MEGABIT);
    l.run(2 * S, |_, _| {});
    let mut phases: Vec<(u64, u64)> = Vec::new();
    l.run(9 * S, |c, s| {
        if phases.last().is_none_or(|p| p.1 != c.pacing_gain()) {
            phases.push((s.now, c.pacing_gain()));
        }
    });
    // 5/4, 3/4, and six phases of 1 that look like one.
    for three in phases.windows(3).filter(|p| p[0].1 == 320) {
        assert_eq!((three[1].1, three[2].1), (192, 256));
    }
    let probes: Vec<_> = phases.iter().filter(|p| p.1 == 320).map(|p| p.0).collect();
    assert!(probes.len() >= 6, "{phases:?}");
    for pair in probes.windows(2) {
        let cycle = pair[1] - pair[0];
        assert!((750 * MS..1_000 * MS).contains(&cycle), "{cycle}");
    }
}

#[test]
fn bbr_looks_at_the_empty_path_every_ten_seconds_with_four_segments() {
    // A path that becomes longer by 0.1 ms a second never shows its old minimum again.
    let mut l = bbr_on(Path::TEN_MEGABIT);
    let mut visits: Vec<(u64, u64)> = Vec::new();
    let (mut inside, mut cwnds) = (false, Vec::new());
    let mut before = 0;
    let mut show = |c: &Bbr, s: Shown| {
        let probing = c.mode() == Mode::ProbeRtt;
        match (inside, probing) {
            (false, true) => visits.push((s.now, s.now)),
            (true, true) => cwnds.push(s.w.cwnd.whole()),
            (true, false) => {
                visits.last_mut().expect("begun").1 = s.now;
                let restored = s.w.cwnd.whole();
                assert!(restored.abs_diff(before) <= 8, "{before} {restored}");
            }
            (false, false) => before = s.w.cwnd.whole(),
        }
        inside = probing;
    };
    for second in 1..=40 {
        l.path.rtt_ns += 100_000;
        l.run(second * S, &mut show);
    }
    assert!(visits.len() == 3, "{visits:?}");
    assert!((10 * S..11 * S).contains(&visits[0].0), "{visits:?}");
    for v in &visits {
        // One round to bring the segments in flight down, then 200 ms.
        assert!((280 * MS..450 * MS).contains(&(v.1 - v.0)), "{visits:?}");
    }
    assert!(cwnds.iter().all(|&c| c == 4), "{cwnds:?}");
}

#[test]
fn bbr_finds_a_link_that_becomes_faster_and_one_that_becomes_slower() {
    let mut l = bbr_on(Path::TEN_MEGABIT);
    l.run(5 * S, |_, _| {});
    l.path.service_ns = 600_000;
    l.run(9 * S, |_, _| {});
    let fast = l.controller.bwe().expect("measured").bits_per_s();
    // A quarter more each cycle of 0.8 s: doubled after three to four.
    assert!(fast > 19_000_000, "{fast}");
    l.path.service_ns = 2_400_000;
    l.run(25 * S, |_, _| {});
    let slow = l.controller.bwe().expect("measured").bits_per_s();
    assert!((4_900_000..=5_100_000).contains(&slow), "{slow}");
}

#[test]
fn bbr_hardly_minds_one_loss_in_a_hundred() {
    let mut l = bbr_on(Path { lose_every: 97, ..Path::TEN_MEGABIT });
    let sent = delivered(&mut l, 3 * S, 10 * S);
    assert!(sent > 5_833 * 94 / 100, "{sent}");
}

#[test]
fn bbr_with_the_same_seed_repeats_itself() {
    let trace = || {
        let mut windows = Vec::new();
        bbr_on(Path::TEN_MEGABIT).run(12 * S, |_, s| windows.push((s.now, s.w)));
        windows
    };
    assert_eq!(trace(), trace());
}

#[test]
fn hystart_leaves_slow_start_where_the_kernel_does() {
    // Linux 6.1 on 10 Mbit/s, 100 ms, 83 segments of buffer: ssthresh 123; the window 0.9 s after
    // the first data is 141, 1.5 s after it 166, 1.7 s after it 174.
    let c = cubic_linux::new(&cubic_linux::Params::default(), &setup());
    let mut l = Loop::new(c, Path::TEN_MEGABIT, 10);
    for (at, cwnd) in [(900, 141), (1_500, 166), (1_700, 174)] {
        l.run(at * MS, |_, _| {});
        assert_eq!(l.w.ssthresh.whole(), 123);
        assert!(l.w.cwnd.whole().abs_diff(cwnd) <= 2, "at {at} ms: {}", l.w.cwnd);
    }
}

#[test]
fn linux_vegas_holds_four_segments_in_the_queue_when_it_comes_from_above() {
    // Linux 6.1 on the same path: 89 segments from 30 s to 120 s.
    let c = vegas_linux::new(&vegas_linux::Params::default(), &setup());
    let mut l = Loop::new(c, Path::TEN_MEGABIT, 10);
    l.run(30 * S, |_, _| {});
    let settled = l.w.cwnd.whole();
    assert!((87..=89).contains(&settled), "{settled}");
    l.run(60 * S, |_, s| assert_eq!(s.w.cwnd.whole(), settled));
}

#[test]
fn vegas_fills_a_long_thin_path_as_in_ns2() {
    // ns-2.35 on 2 Mbit/s, 250 ms, 41 segments of buffer: 1.972 Mbit/s over the first 250 s.
    let path = Path { service_ns: 6_000_000, rtt_ns: 250 * MS, buffer: 41, lose_every: 0 };
    let c = vegas::new(&vegas::Params::default(), &setup());
    let mut l = Loop::new(c, path, 3);
    let rate = delivered(&mut l, 0, 250 * S) * 12_000 / 250;
    assert!(rate.abs_diff(1_972_224) < 1_972_224 / 100, "{rate}");
    l.run(260 * S, |_, s| {
        assert!(s.rtt < (250 + 6 * 5) * MS, "queue at {} s", s.now / S);
    });
}

#[test]
fn every_controller_but_vegas_fills_the_link_and_its_window_oscillates_about_the_buffer() {
    for name in ["reno", "scalable", "highspeed", "bic", "bic-linux", "cubic", "cubic-linux"] {
        let c = Choice::named(name).expect(name).build(&setup());
        let mut l = Loop::new(c, Path::TEN_MEGABIT, 10);
        let sent = delivered(&mut l, 20 * S, 60 * S);
        assert!(sent > 33_333 * 97 / 100, "{name}: {sent}");
        let mut windows = (u64::MAX, 0);
        l.run(120 * S, |_, s| {
            let cwnd = s.w.cwnd.whole();
            windows = (windows.0.min(cwnd), windows.1.max(cwnd));
        });
        assert!((80..=165).contains(&windows.0), "{name}: {windows:?}");
        assert!((165..=200).contains(&windows.1), "{name}: {windows:?}");
    }
}
