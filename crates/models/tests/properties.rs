//! Properties of the models for any quantities: directions, limits, and each other's special cases.

mod given;

use core::num::NonZeroU8;

use given::{close, kept, loss, segments, times};
use proptest::prelude::*;
use westwood_models::log_westwood::{GivenEstimate, OwnRate};
use westwood_models::units::{Aggressiveness, Buffer};
use westwood_models::{buffer, moving, reno, westwood};

const ONE: NonZeroU8 = NonZeroU8::MIN;

/// Loss rates over their whole range, most of them small.
fn any_loss() -> impl Strategy<Value = f64> {
    (-12.0..-1e-6_f64).prop_map(|exponent| 10_f64.powf(exponent))
}

fn own_rate(rtt: f64, queue: f64, p: f64, target: f64, a: f64) -> OwnRate {
    OwnRate {
        times: times(rtt, rtt * (1.0 - queue)),
        p: loss(p),
        target: segments(target),
        a: Aggressiveness::new(a).expect("a"),
    }
}

fn given(rtt: f64, p: f64, target: f64, reduced: f64) -> GivenEstimate {
    let OwnRate { times, p, target, a } = own_rate(rtt, 0.1, p, target, 2.0);
    GivenEstimate { times, p, target, a, reduced: segments(target.value() * reduced) }
}

/// The slope of a rate in the logarithm of what it depends on.
fn exponent(rate: impl Fn(f64) -> f64, at: f64) -> f64 {
    (rate(at * 1.01) / rate(at)).ln() / 1.01_f64.ln()
}

proptest! {
    #[test]
    fn more_losses_never_give_a_higher_rate(
        rtt in 1e-3..1.0_f64,
        queue in 0.01..0.9_f64,
        losses in (any_loss(), any_loss()),
        target in 4.0..1e5_f64,
        reduced in 0.1..1.0_f64,
    ) {
        let (few, many) = (losses.0.min(losses.1), losses.0.max(losses.1));
        let times = times(rtt, rtt * (1.0 - queue));
        let (p, q) = (loss(few), loss(many));
        prop_assert!(reno::rate(times, p) >= reno::rate(times, q));
        prop_assert!(westwood::rate(times, p) >= westwood::rate(times, q));
        let of = |p| own_rate(rtt, queue, p, target, 2.0).rate().value();
        prop_assert!(of(few) >= of(many) * (1.0 - 1e-12));
        let of = |p| given(rtt, p, target, reduced).rate().value();
        prop_assert!(of(few) >= of(many) * (1.0 - 1e-12));
    }

    #[test]
    fn without_losses_log_westwood_stands_at_its_target(
        rtt in 1e-3..1.0_f64,
        queue in 0.0..0.9_f64,
        target in 4.0..1e5_f64,
        reduced in 0.1..1.0_f64,
    ) {
        // Proposition 2's limit W_max/RTT, and Proposition 1's.
        close(own_rate(rtt, queue, 1e-15, target, 2.0).rate().value() * rtt, target, 1e-8);
        close(given(rtt, 1e-15, target, reduced).rate().value() * rtt, target, 1e-8);
    }

    #[test]
    fn with_nothing_but_losses_the_given_estimate_is_the_window(
        target in 4.0..1e5_f64,
        reduced in 0.1..1.0_f64,
    ) {
        // The slope at the fixed point: the window is off by about (1-p)(W_max - K)/(a K).
        let window = given(0.1, 1.0 - 1e-9, target, reduced).fixed_point().value();
        close(window, target * reduced, 1e-7);
    }

    #[test]
    fn many_losses_leave_westwoods_law_times_the_root_of_the_target(
        rtt in 0.05..1.0_f64,
        queue in 0.1..0.9_f64,
        p in 1e-6..1e-4_f64,
        a in 2.0..64.0_f64,
    ) {
        // x is 4e7 or more: the rest of the root is a part of 1/sqrt(x).
        let own = own_rate(rtt, queue, p, 1e15, a);
        prop_assert!(own.x() > 1e7);
        close(own.rate().value(), own.rate_for_many_losses().value(), 4e-4);
        let westwood = westwood::rate(own.times, own.p).value();
        close(own.rate_for_many_losses().value() / westwood, (1e15 / a).sqrt(), 1e-9);
    }

    #[test]
    fn a_target_that_just_balances_makes_log_westwood_a_plain_westwood(
        rtt in 0.05..1.0_f64,
        queue in 0.1..0.9_f64,
        p in 1e-6..1e-2_f64,
    ) {
        // Where equation 1 adds 1/W, as Westwood does, that is where W_max - W = a, both rest at the
        // same window.
        let times = times(rtt, rtt * (1.0 - queue));
        let window = westwood::rate(times, loss(p)).value() * rtt;
        let own = own_rate(rtt, queue, p, window + 2.0, 2.0);
        close(own.fixed_point().value(), window, 1e-6);
    }

    #[test]
    fn a_queue_of_half_the_round_trip_makes_westwood_a_reno(rtt in 1e-3..1.0_f64, p in any_loss()) {
        let times = times(rtt, rtt / 2.0);
        close(westwood::rate(times, loss(p)).value(), reno::rate(times, loss(p)).value(), 1e-9);
        close(westwood::over_reno(times), 1.0, 1e-9);
    }

    #[test]
    fn the_ratio_to_reno_is_the_ratio_of_the_rates(
        rtt in 1e-3..1.0_f64,
        queue in 0.01..0.9_f64,
        p in any_loss(),
    ) {
        let times = times(rtt, rtt * (1.0 - queue));
        let ratio = westwood::rate(times, loss(p)).value() / reno::rate(times, loss(p)).value();
        close(westwood::over_reno(times), ratio, 1e-9);
    }

    #[test]
    fn a_moving_window_gets_less_than_one_at_rest_and_more_than_a_saw_tooth(k in 0.01..0.99_f64) {
        // At rest (1-p)/W = p (1-k) W: a constant of sqrt(1/(1-k)). Even losses give the least: any
        // other order of the same gaps has larger ones where the window is large.
        let constant = moving::constant(kept(k));
        prop_assert!(constant < (1.0 / (1.0 - k)).sqrt());
        prop_assert!(constant > moving::constant_for_even_losses(kept(k)));
    }

    #[test]
    fn a_larger_buffer_and_a_smaller_decrease_use_more(
        k in (0.1..0.9_f64, 0.1..0.9_f64),
        beta in (0.0..9.0_f64, 0.0..9.0_f64),
    ) {
        let used = |k, beta| {
            buffer::utilisation(kept(k), Buffer::new(beta).expect("a buffer"))
        };
        let (low, high) = (beta.0.min(beta.1), beta.0.max(beta.1));
        prop_assert!(used(k.0, low) <= used(k.0, high) + 1e-12);
        let (less, more) = (k.0.min(k.1), k.0.max(k.1));
        prop_assert!(used(less, beta.0) <= used(more, beta.0) + 1e-12);
        // From the needed buffer on nothing is lost, and below it something is.
        let needed = buffer::needed(kept(k.0)).expect("a buffer").value();
        close(used(k.0, needed * (1.0 + 1e-9)), 1.0, 1e-12);
        prop_assert!(used(k.0, needed * 0.9) < 1.0);
    }
}

#[test]
fn renos_slope_in_rtt_is_one_and_westwoods_a_half() {
    // ccr-2004 section 2.3: flows of different RTTs behind one queue of 50 ms.
    let p = loss(1e-4);
    let through = |rtt: f64| times(rtt, rtt - 0.05);
    close(exponent(|rtt| reno::rate(through(rtt), p).value(), 0.2), -1.0, 1e-9);
    close(exponent(|rtt| westwood::rate(through(rtt), p).value(), 0.2), -0.5, 1e-9);
    // And both fall with the root of the loss rate.
    close(exponent(|p| reno::rate(through(0.2), loss(p)).value(), 1e-6), -0.5, 1e-4);
    close(exponent(|p| westwood::rate(through(0.2), loss(p)).value(), 1e-6), -0.5, 1e-4);
}

#[test]
fn log_westwoods_slopes_are_a_half_for_many_losses_and_neither_for_few() {
    let at = |rtt: f64, p: f64| {
        let times = times(rtt, rtt - 0.02);
        OwnRate { times, ..own_rate(rtt, 0.1, p, 1800.0, 2.0) }
    };
    // x is about 1e4 at p = 0.88, where (1-p) already bends the slope in p: look at RTT alone there.
    assert!(at(0.2, 0.88).x() > 1e4);
    close(exponent(|rtt| at(rtt, 0.88).rate().value(), 0.2), -0.5, 0.02);
    // A target of a million segments has x = 8e4 at one loss in a hundred.
    let large = |p: f64| OwnRate { target: segments(1e6), ..at(0.2, p) };
    assert!(large(0.01).x() > 5e3);
    close(exponent(|p| large(p).rate().value(), 0.01), -0.5, 0.05);
    // Few losses: the rate goes with 1/RTT, against the paper's sentence, and not with p at all.
    close(exponent(|rtt| at(rtt, 1e-9).rate().value(), 0.2), -1.0, 1e-3);
    assert!(exponent(|p| at(0.2, p).rate().value(), 1e-9).abs() < 1e-3);
    // It is insensitive to RTT if W_max = C RTT.
    let grown = |rtt: f64| OwnRate { target: segments(9_000.0 * rtt), ..at(rtt, 1e-9) };
    assert!(exponent(|rtt| grown(rtt).rate().value(), 0.2).abs() < 1e-3);
}

#[test]
fn an_empty_queue_makes_losses_free_in_westwoods_model() {
    assert!(westwood::rate(times(0.1, 0.1), loss(0.01)).value().is_infinite());
    assert!(westwood::over_reno(times(0.1, 0.1)).is_infinite());
}

#[test]
fn the_rates_of_a_window_at_rest_and_of_one_that_moves_keep_their_distance() {
    // 8 % for Reno, whatever p and RTT.
    for (rtt, p) in [(0.01, 1e-3), (0.2, 1e-6)] {
        let times = times(rtt, rtt);
        let rest = reno::rate_for_rare_losses(times, loss(p)).value();
        let moves = moving::rate(times, loss(p), kept(0.5), ONE).expect("a rate").value();
        close(rest / moves, 1.079_7, 1e-4);
    }
}
