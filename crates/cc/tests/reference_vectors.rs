//! Worked numbers, computed by hand or by an independent program from the papers' definitions.

mod common;

use common::{Stream, assert_close, bits_per_s, ms};
use westwood_cc::estimate::{
    Constant, Counting, Estimator, Filter, LinuxEstimate, OncePerRtt, PerAck, Resampled, Sampling,
    Start, Tustin,
};
use westwood_cc::{Bytes, Duration, Instant, Rate, Ratio};

const TAU: Duration = ms(500);

fn westwood() -> PerAck {
    PerAck::new(TAU, 2, Counting::Printed).begun_at(Instant::ZERO)
}

fn once_per_rtt<F: Filter>(filter: F, start: Start) -> OncePerRtt<F> {
    OncePerRtt::new(filter, Sampling { start, ..Sampling::default() })
}

fn filter_b() -> Constant {
    Constant::new(Constant::GAIN)
}

#[test]
fn a_steady_stream_lifts_westwoods_estimate_as_computed_by_hand() {
    let expected = [
        22_900.763,
        66_604.510,
        106_304.860,
        142_368.537,
        175_128.671,
        204_887.877,
        231_921.049,
        256_477.899,
        278_785.267,
        299_049.212,
    ];
    let (mut estimate, mut stream) = (westwood(), Stream::new(ms(200)));
    for bits in expected {
        estimate.on_ack(&stream.ack(ms(48), 2));
        assert_close(bits_per_s(estimate.rate()), bits, 3e-8);
    }
}

/// A filter of Westwood that has long seen 1 Mbit/s, its last sample at time zero.
fn at_a_megabit() -> (PerAck, Stream) {
    let (mut estimate, mut stream) = (westwood(), Stream::new(ms(200)));
    for _ in 0..2000 {
        // 3000 bytes in 24 ms.
        estimate.on_ack(&stream.ack(ms(24), 2));
    }
    assert_close(bits_per_s(estimate.rate()), 1e6, 1e-6);
    (estimate, stream)
}

#[test]
fn silence_decays_westwoods_estimate_step_by_step() {
    let (mut estimate, stream) = at_a_megabit();
    for (step, bits) in [(1, 800_000.0), (2, 480_000.0), (3, 288_000.0), (4, 172_800.0)] {
        let rate = estimate.read(stream.now + ms(250) * step);
        assert_close(bits_per_s(rate), bits, 1e-6);
    }
}

#[test]
fn an_ack_after_silence_counts_from_the_last_virtual_sample() {
    let (mut estimate, mut stream) = at_a_megabit();
    estimate.on_ack(&stream.ack(ms(1000), 2));
    assert_close(bits_per_s(estimate.rate()), 192_000.0, 1e-6);
}

#[test]
fn a_long_silence_leaves_nothing_of_the_estimate() {
    let (mut estimate, mut stream) = at_a_megabit();
    assert!(!estimate.clone().read(stream.now + ms(15_000)).is_zero());
    assert!(estimate.read(stream.now + ms(16_000)).is_zero());
    // A century later the filter still works.
    estimate.on_ack(&stream.ack(Duration::from_secs(3_000_000_000), 2));
    assert!(estimate.rate() < Rate::from_bits_per_s(20_000));
}

#[test]
fn without_decay_silence_leaves_the_estimate_and_the_ack_that_ends_it_is_one_sample() {
    let (estimate, mut stream) = at_a_megabit();
    let mut estimate = estimate.decaying(false);
    let rate = estimate.read(stream.now + ms(15_000));
    assert_close(bits_per_s(rate), 1e6, 1e-6);
    // 3000 bytes in half a second are 48 kbit/s: alpha is 1/3, the rest their mean with the megabit.
    estimate.on_ack(&stream.ack(ms(500), 2));
    assert_close(bits_per_s(estimate.rate()), 1e6 / 3.0 + 1_048_000.0 / 3.0, 1e-6);
}

#[test]
fn without_decay_a_silence_of_more_than_two_time_constants_weighs_as_much_as_two() {
    let (estimate, mut stream) = at_a_megabit();
    let mut estimate = estimate.decaying(false);
    // alpha is 0: the mean of this sample, 2.4 kbit/s, and the last one.
    estimate.on_ack(&stream.ack(ms(10_000), 2));
    assert_close(bits_per_s(estimate.rate()), 501_200.0, 1e-6);
}

#[test]
fn reading_the_estimate_twice_does_not_decay_it_twice() {
    let (mut estimate, stream) = at_a_megabit();
    let later = stream.now + ms(600);
    assert_eq!(estimate.read(later), estimate.read(later));
}

#[test]
fn acks_of_one_instant_are_one_sample() {
    let (mut merged, mut stream) = (westwood(), Stream::new(ms(200)));
    merged.on_ack(&stream.ack(ms(48), 2));
    let mut apart = merged;
    // Three ACKs at once, the later two held for the next sample.
    let mut burst = stream.clone();
    for (gap, newly) in [(10, 1), (0, 1), (0, 1), (10, 1)] {
        merged.on_ack(&burst.ack(ms(gap), newly));
    }
    for (gap, newly) in [(10, 1), (10, 3)] {
        apart.on_ack(&stream.ack(ms(gap), newly));
    }
    assert_eq!(merged.rate(), apart.rate());
}

#[test]
fn the_first_step_begins_when_the_first_segment_was_sent() {
    let mut stream = Stream::new(ms(48));
    let first = stream.ack(ms(48), 2);
    let mut unknown = PerAck::new(TAU, 2, Counting::Printed);
    let mut known = westwood();
    unknown.on_ack(&first);
    known.on_ack(&first);
    assert_eq!(unknown.rate(), known.rate());
    let mut blind = PerAck::new(TAU, 2, Counting::Printed);
    blind.on_ack(&westwood_cc::Ack { rtt: None, ..first });
    assert!(blind.rate().is_zero());
}

/// Brings a filter with tau = 0.5 s to B = 500,000 and b = 400,000 bit/s: from 512,500 a sample of
/// 400,000 over an eighth of a second gives (512,500 + 400,000/8) / (1 + 1/8).
fn at_half_a_megabit<F: Filter>(mut filter: F) -> F {
    filter.reset_to(Rate::from_bits_per_s(512_500));
    filter.update(Rate::from_bits_per_s(400_000), ms(125));
    assert_close(bits_per_s(filter.rate()), 500_000.0, 1e-9);
    filter
}

#[test]
fn a_long_interval_is_resampled_by_filter_a() {
    let sample = Rate::from_bits_per_s(800_000);
    let mut steps = at_half_a_megabit(Tustin::new(TAU));
    for (step, bits) in [(125, 522_222.222), (125, 583_950.617), (50, 604_526.749)] {
        steps.update(sample, ms(step));
        assert_close(bits_per_s(steps.rate()), bits, 2e-9);
    }
    let mut filter = at_half_a_megabit(Resampled::new(TAU));
    filter.update(sample, ms(300));
    assert_eq!(filter.rate(), steps.rate());
    let mut one_step = at_half_a_megabit(Tustin::new(TAU));
    one_step.update(sample, ms(300));
    assert_close(bits_per_s(one_step.rate()), 546_153.846, 2e-9);
}

/// The average rate is 500 kbit/s, in bursts of `n` ACKs 0.64 ms apart.
fn compressed(n: u64, estimate: &mut impl Estimator) -> Rate {
    let mut stream = Stream::new(ms(200));
    let within = Duration::from_micros(640);
    let between = ms(48) * n - within * (n - 1);
    for _ in 0..(6_000 / n) {
        for k in 0..n {
            let gap = if k == 0 { between } else { within };
            estimate.on_ack(&stream.ack(gap, 2));
        }
    }
    estimate.rate()
}

#[test]
fn compressed_acks_lead_westwood_astray_by_up_to_38_times() {
    for (burst, megabits) in [(2, 18.9), (4, 19.0), (8, 11.2), (16, 4.2)] {
        let rate = compressed(burst, &mut westwood());
        let shown = (bits_per_s(rate) / 1e5).round() / 10.0;
        assert_close(shown, megabits, 1e-9);
    }
}

#[test]
fn compressed_acks_do_not_touch_westwood_plus() {
    for burst in [2, 4, 8, 16] {
        for start in [Start::FirstSample, Start::Zero, Start::Settled] {
            let a = compressed(burst, &mut once_per_rtt(Resampled::new(TAU), start));
            let b = compressed(burst, &mut once_per_rtt(filter_b(), start));
            // Within the integer form's rounding: 2^-16 byte/s over the gain.
            for rate in [a, b] {
                assert_close(bits_per_s(rate), 500_000.0, 2e-7);
            }
        }
    }
}

#[test]
fn filter_b_reaches_the_papers_shares_of_a_constant_input() {
    let mut filter = filter_b();
    let input = Rate::from_bits_per_s(1_000_000);
    let shares = [(1, 0.1), (2, 0.19), (5, 0.41), (10, 0.65), (22, 0.90)];
    let mut fed = 0;
    for (n, share) in shares {
        while fed < n {
            filter.update(input, ms(1));
            fed += 1;
        }
        assert!((bits_per_s(filter.rate()) / 1e6 - share).abs() < 0.005, "after {n}");
    }
}

#[test]
fn a_gain_of_one_follows_the_samples() {
    let mut filter = Constant::new(Ratio::new(1, 1));
    filter.update(Rate::from_bits_per_s(12_345), ms(1));
    assert_eq!(filter.rate(), Rate::from_bits_per_s(12_345));
}

/// Slow start towards a bottleneck of 10 Mbit/s with 100 ms of round-trip time: the window doubles
/// from 2 segments; beyond 83 segments ACKs come at the bottleneck's pace. Ends at the overshoot,
/// `rounds` after the pipe is full.
fn slow_start(estimate: &mut impl Estimator, rounds: u64) {
    let mut stream = Stream::new(ms(100));
    let packet = Duration::from_micros(1_200);
    let mut window = 2;
    let mut full = 0;
    while full < rounds {
        let busy = packet * window;
        for _ in 0..window {
            estimate.on_ack(&stream.ack(packet, 1));
        }
        if busy < ms(100) {
            stream.now = stream.now + ms(100) - busy;
            window *= 2;
        } else {
            full += 1;
        }
    }
}

#[test]
fn a_settled_start_is_right_at_the_first_overshoot() {
    let mut settled = once_per_rtt(filter_b(), Start::Settled);
    let mut first_sample = once_per_rtt(filter_b(), Start::FirstSample);
    slow_start(&mut settled, 2);
    slow_start(&mut first_sample, 2);
    assert_close(bits_per_s(settled.rate()), 1e7, 0.02);
    assert!(bits_per_s(first_sample.rate()) < 4e6, "the default lags behind slow start");
}

#[test]
fn a_settled_start_hands_over_to_the_filter_once_samples_stop_growing() {
    let mut settled = once_per_rtt(filter_b(), Start::Settled);
    slow_start(&mut settled, 5);
    let mut stream = Stream::new(ms(100));
    stream.now = Instant::ZERO + Duration::from_secs(100);
    let before = settled.rate();
    // One lone sample, ten times the rate: the filter takes a tenth of it, not all.
    for _ in 0..1_000 {
        settled.on_ack(&stream.ack(Duration::from_micros(120), 1));
    }
    assert!(bits_per_s(settled.rate()) < 2.1 * bits_per_s(before));
}

#[test]
fn the_interval_may_have_a_floor_and_follow_the_smoothed_rtt() {
    use westwood_cc::estimate::IntervalRtt;
    let intervals = |sampling| {
        let mut estimate = OncePerRtt::new(Constant::new(Ratio::new(1, 1)), sampling);
        let mut stream = Stream::new(ms(10));
        let mut changes = 0;
        let mut last = estimate.rate();
        for k in 1..=300 {
            let mut ack = stream.ack(ms(1), 1 + k % 7);
            ack.srtt = ms(100);
            estimate.on_ack(&ack);
            changes += u32::from(estimate.rate() != last);
            last = estimate.rate();
        }
        changes
    };
    let default = Sampling::default();
    assert!(intervals(default) > 20);
    assert!(intervals(Sampling { floor: ms(50), ..default }) <= 5);
    assert!(intervals(Sampling { rtt: IntervalRtt::Smoothed, ..default }) <= 2);
}

#[test]
fn linux_counts_in_whole_bytes_a_jiffy() {
    // 250 Hz, RTT 100 ms = 25 jiffies: the interval ends with the ACK of jiffy 26 after its
    // beginning. ACKs every 4 ms, 2 segments each: 3000 bytes a jiffy.
    let mut estimate = LinuxEstimate::new(250, true);
    let mut stream = Stream::new(ms(100));
    stream.now = Instant::ZERO + ms(100);
    for _ in 0..2_000 {
        estimate.on_ack(&stream.ack(ms(4), 2));
    }
    assert_eq!(estimate.rate(), Rate::from_bytes_per_s(3_000 * 250));
    assert_eq!(estimate.min_rtt(), ms(100));
    assert_eq!(estimate.pipe_bytes(), 3_000 * 25);
}

#[test]
fn linux_learns_the_smallest_rtt_anew_from_the_ack_after_it_was_forgotten() {
    let mut estimate = LinuxEstimate::new(1_000, true);
    let mut stream = Stream::new(ms(20));
    for _ in 0..3 {
        estimate.on_ack(&stream.ack(ms(5), 1));
    }
    assert_eq!(estimate.min_rtt(), ms(20));
    stream.rtt = ms(80);
    estimate.on_ack(&stream.ack(ms(5), 1));
    estimate.forget_min_rtt();
    assert_eq!(estimate.min_rtt(), ms(20));
    estimate.on_ack(&stream.ack(ms(5), 1));
    assert_eq!(estimate.min_rtt(), ms(80));
}

#[test]
fn linux_counts_a_window_twice_that_duplicates_claimed_on_the_fast_path() {
    let after_recovery = |fast_path| {
        // Coarse ticks and large segments, so that whole bytes a jiffy can tell the difference.
        let mut estimate = LinuxEstimate::new(100, fast_path);
        let mut stream = Stream::new(ms(100));
        stream.smss = Bytes::new(9_000);
        for _ in 0..2_000 {
            estimate.on_ack(&stream.ack(ms(10), 1));
        }
        for _ in 0..5 {
            estimate.on_ack(&stream.ack(ms(10), 0));
        }
        // Six segments at once, five of which the duplicates have claimed; then on until the
        // interval is over.
        estimate.on_ack(&stream.ack(ms(10), 6));
        for _ in 0..11 {
            estimate.on_ack(&stream.ack(ms(10), 1));
        }
        estimate.rate()
    };
    assert!(after_recovery(true) > after_recovery(false));
}
