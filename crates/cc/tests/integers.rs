//! The integer primitives against wider integers and f64.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the truth is computed wide and compared narrow"
)]

use proptest::prelude::*;
use westwood_cc::increase::{Additive, Increase, Logarithmic, Probing};
use westwood_cc::math::{cube_root, mul_q32, over, scale};
use westwood_cc::{Bytes, Cause, Duration, Instant, Rate, Ratio, Segments};

/// Numbers of up to `bits` bits, small ones as likely as large ones.
fn any_below(bits: u32) -> impl Strategy<Value = u64> {
    (0..=bits, any::<u64>()).prop_map(|(n, x)| x.checked_shr(64 - n).unwrap_or(0))
}

/// Windows of 1 to 2^24 segments, small ones as likely as large ones.
fn any_window() -> impl Strategy<Value = Segments> {
    any_below(56).prop_map(|raw| Segments::from_raw(raw.max(1 << 32)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn scale_is_the_exact_floor_while_num_times_den_fits_a_word(
        a in any_below(64), den in any_below(63), share in any_below(32),
    ) {
        let den = den.max(1);
        let num = share.min(u64::MAX / den);
        let truth = u128::from(a) * u128::from(num) / u128::from(den);
        prop_assume!(truth <= u128::from(u64::MAX));
        prop_assert_eq!(u128::from(scale(a, num, den)), truth);
    }

    #[test]
    fn mul_q32_is_the_exact_floor_while_the_result_fits_a_word(
        x in any_below(62), f in any_below(34),
    ) {
        let truth = (u128::from(x) * u128::from(f)) >> 32;
        prop_assert_eq!(u128::from(mul_q32(x, f)), truth);
        prop_assert_eq!(u128::from(mul_q32(f, x)), truth);
    }

    #[test]
    fn over_is_the_quotient_within_a_millionth(
        x in any_below(56), w in any_window(),
    ) {
        let truth = ((u128::from(x) << 32) / u128::from(w.raw())) as u64;
        let error = over(x, w.raw()).abs_diff(truth);
        // The window is at most 2^-20 too small. Three quotients are rounded down.
        prop_assert!(error <= (truth >> 20) + (truth >> 40) + 3, "off by {error} of {truth}");
    }

    #[test]
    fn the_cube_root_is_the_largest_whose_cube_fits(n in any_below(64)) {
        let root = u128::from(cube_root(n));
        prop_assert!(root.pow(3) <= u128::from(n));
        prop_assert!((root + 1).pow(3) > u128::from(n));
    }

    #[test]
    fn a_bandwidth_sample_is_data_over_time_up_to_its_ceiling(
        data in any_below(48), ns in any_below(40),
    ) {
        let ns = ns.max(1);
        let rate = Bytes::new(data).per(Duration::from_nanos(ns)).unwrap();
        let truth = (data as f64) * 65_536e9 / ns as f64;
        let ceiling = Rate::MAX_SAMPLE.raw() as f64;
        // Spans above 17 s drop eight bits of the data.
        let dropped = if ns >= 1 << 34 { 256.0 * 65_536e9 / ns as f64 } else { 0.0 };
        let error = (rate.raw() as f64 - truth.min(ceiling)).abs();
        prop_assert!(error <= truth.min(ceiling) * 2e-8 + dropped + 1.0, "{error} of {truth}");
    }

    #[test]
    fn the_pipe_is_rate_times_time_over_size_up_to_the_largest_window(
        rate in any_below(53), ns in any_below(34), smss in 1_u64..10_000,
    ) {
        let pipe = Rate::from_raw(rate).pipe(Duration::from_nanos(ns), Bytes::new(smss));
        let truth = rate as f64 / 65_536.0 * ns as f64 / 1e9 / smss as f64;
        let shown = pipe.raw() as f64 / 4_294_967_296.0;
        let error = (shown - truth.min(16_777_216.0)).abs();
        // 2^-16 of a segment, and of a byte before the division.
        prop_assert!(error <= truth * 1e-9 + 3.1e-5, "{shown} is not {truth}");
    }
}

#[test]
fn a_sample_just_below_the_ceiling_is_not_rounded_up_to_it() {
    let rate = Bytes::new(3_166_560).per(Duration::from_nanos(45)).unwrap();
    assert_eq!(rate, Rate::from_bytes_per_s(70_368_000_000_000));
    assert!(rate < Rate::MAX_SAMPLE);
}

/// The relative error of what `acks` ACKs make a window of `w` segments grow by; `increment` is the
/// paper's, in f64.
fn growth_error(mut up: impl Increase, w: u64, acks: u64, increment: impl Fn(f64) -> f64) -> f64 {
    let first = Segments::new(w);
    let (mut cwnd, mut grown) = (first, 0.0);
    for _ in 0..acks {
        cwnd = up.increase(cwnd, Segments::ONE, Instant::ZERO);
        grown += increment(w as f64 + grown);
    }
    let shown = (cwnd - first).raw() as f64 / 4_294_967_296.0;
    (shown / grown - 1.0).abs()
}

/// Window and the error allowed there.
fn sizes() -> impl Iterator<Item = (u64, f64)> {
    [1, 2, 10, 100, 1_500, 4_096, 40_000, 70_000, 1 << 18, 1 << 20, 1 << 22, (1 << 24) - 2_000]
        .into_iter()
        .map(|w| (w, if w <= 1 << 18 { 1e-4 } else { 4e-3 }))
}

#[test]
fn additive_growth_is_one_segment_a_window_at_every_size() {
    for (w, allowed) in sizes() {
        let error = growth_error(Additive, w, (2 * w).min(1_000_000), |w| 1.0 / w);
        assert!(error < allowed, "{w}: {error:e}");
    }
}

#[test]
fn probing_adds_its_gain_whatever_the_size() {
    for (w, allowed) in sizes() {
        let up = Probing { threshold: Segments::new(100), gain: Ratio::new(4, 100) };
        let paper = |w| if w < 100.0 { 1.0 / w } else { 0.04 };
        let error = growth_error(up, w, (2 * w).min(20_000), paper);
        assert!(error < allowed, "{w}: {error:e}");
    }
}

#[test]
fn the_logarithmic_climb_follows_equation_2_at_every_size() {
    for (w, allowed) in sizes() {
        for a in [2, 32, 1_000] {
            let w_max = (w + w / 5 + 1).min(1 << 24);
            let mut up = Logarithmic::new(a, false, false);
            let before = Segments::new(w_max);
            up.reduced(before, Segments::new(w), Cause::FastRetransmit, Instant::ZERO);
            let (w_max, a) = (w_max as f64, a as f64);
            let paper = |w: f64| ((w_max - w) / (a * w)).max(1.0 / w);
            let error = growth_error(up, w, (2 * w).min(200_000), paper);
            assert!(error < allowed, "{w}, a = {a}: {error:e}");
        }
    }
}
