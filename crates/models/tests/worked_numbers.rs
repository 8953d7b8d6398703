//! Numbers worked by hand, or printed in the papers, and not by the functions under test.

mod given;

use core::num::{NonZeroU8, NonZeroU32};

use given::{close, kept, loss, seconds, segments, times};
use westwood_models::climb::ClimbPath;
use westwood_models::log_westwood::{GivenEstimate, OwnRate, growth, printed};
use westwood_models::units::{Aggressiveness, BitsPerSecond, Buffer, SegmentSize};
use westwood_models::{buffer, convergence, filter, floyd, moving, reno, westwood};

const ONE: NonZeroU8 = NonZeroU8::MIN;

fn a(a: f64) -> Aggressiveness {
    Aggressiveness::new(a).expect("a")
}

fn pipe(mbit: f64, rtt: f64, bytes: f64) -> ClimbPath {
    let capacity = BitsPerSecond::new(mbit * 1e6).expect("a capacity");
    ClimbPath::new(capacity, SegmentSize::new(bytes).expect("a size"), times(rtt, rtt))
}

/// RTT 0.2 s, Tq 0.02 s, K = 1500, W_max = 1800, a = 2; rates in segments a second, worked with fifty
/// digits: p, Reno, Westwood+, Proposition 2, Proposition 1, Proposition 1 as printed.
const RATES: [(f64, [f64; 5]); 5] = [
    (1e-6, [7071.064, 15811.380, 8996.762, 8994.623, 7499.993]),
    (1e-5, [2236.057, 4999.975, 8967.831, 8948.166, 7499.925]),
    (1e-4, [707.071, 1581.060, 8697.391, 8615.527, 7499.250]),
    (1e-3, [223.495, 499.750, 7024.359, 7861.637, 7492.501]),
    (1e-2, [70.356, 157.321, 3641.681, 7547.626, 7425.005]),
];

#[test]
fn the_five_rates_are_the_worked_ones() {
    let times = times(0.2, 0.18);
    let (target, reduced, a) = (segments(1800.0), segments(1500.0), a(2.0));
    for (p, expected) in RATES {
        let p = loss(p);
        let given = GivenEstimate { times, p, target, a, reduced };
        let found = [
            reno::rate(times, p),
            westwood::rate(times, p),
            OwnRate { times, p, target, a }.rate(),
            given.rate(),
            printed::rate(&given),
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found.value() - expected).abs() < 6e-4, "{found:?}, {expected}, {p:?}");
        }
    }
}

#[test]
fn the_page_has_the_worked_rates() {
    let page = include_str!("../../../docs/explanation/formulas.md");
    for (p, rates) in RATES {
        let row = rates.map(|rate| format!("{rate:.3}")).join(" | ");
        assert!(page.contains(&format!("| {p:e} | {row} |")), "{p:e} | {row}");
    }
}

#[test]
fn ten_gigabits_need_83_333_segments_and_one_loss_in_five_thousand_million() {
    let capacity = BitsPerSecond::new(1e10).expect("a capacity");
    let size = SegmentSize::new(1500.0).expect("a size");
    let times = times(0.1, 0.1);
    let window = floyd::window(capacity, times, size).expect("a window");
    assert!((window.value() - 83_333.333).abs() < 1e-3);
    let p = floyd::loss_rate(window).expect("a loss rate");
    // 1.5 / 83,333.33^2; the paper rounds to 2e-10, and to 2e-14 in bits.
    close(p.value(), 2.16e-10, 1e-9);
    close(floyd::bit_error_rate(p, size), 1.8e-14, 1e-9);
    // 4.63e9 segments at 833,333 a second.
    close(floyd::segments_between_losses(p), 4.629_629_63e9, 1e-8);
    let rate = floyd::rate(window, times);
    close(floyd::time_between_losses(p, rate).expect("a time").value(), 5_555.555_56, 1e-8);
    close(rate.in_bits(size), 1e10, 1e-12);
}

#[test]
fn one_bit_in_64_kib_loses_0_61_percent_of_400_byte_packets() {
    // westwood-2002 section 5.1: 3200 bits of 524,288; 1 - e^-0.0061035 = 0.0060849.
    let size = SegmentSize::new(400.0).expect("a size");
    let p = floyd::loss_of_bit_errors(1.0 / (8.0 * 65_536.0), size).expect("a loss rate");
    close(p.value(), 0.006_084_9, 1e-5);
    assert!(floyd::loss_of_bit_errors(1.5, size).is_err());
    assert!(floyd::loss_of_bit_errors(0.0, size).is_err());
}

#[test]
fn reno_uses_three_quarters_without_a_buffer_and_all_with_one_product() {
    // In steps of a tenth, and 90 % at 0.27.
    let expected = [0.75, 0.818, 0.871, 0.912, 0.942, 0.964, 0.980, 0.990, 0.996, 0.999, 1.0, 1.0];
    for (tenths, expected) in expected.into_iter().enumerate() {
        let beta = Buffer::new(f64::from(u8::try_from(tenths).expect("small")) / 10.0);
        let found = buffer::utilisation(kept(0.5), beta.expect("a buffer"));
        assert!((found - expected).abs() < 6e-4, "{tenths}: {found}");
    }
    let found = buffer::utilisation(kept(0.5), Buffer::new(0.27).expect("a buffer"));
    assert!((found - 0.9).abs() < 1e-3, "{found}");
}

#[test]
fn a_decrease_by_an_eighth_needs_a_seventh_of_a_product() {
    let needed = buffer::needed(kept(0.875)).expect("a buffer");
    close(needed.value(), 1.0 / 7.0, 1e-12);
    // A fluid that keeps 7/8 of one product averages 15/16 of it.
    let none = Buffer::new(0.0).expect("a buffer");
    close(buffer::utilisation(kept(0.875), none), 0.9375, 1e-12);
}

#[test]
fn a_window_that_moves_has_renos_known_constants() {
    // Ott, Kemperman and Mathis: 1.3098; Mathis and others for even losses: sqrt(3/2).
    assert!((moving::constant(kept(0.5)) - 1.309_8).abs() < 5e-5);
    close(moving::constant_for_even_losses(kept(0.5)), 1.224_745, 1e-6);
    // 100 ms, 1e-4, an ACK for every second segment: 1.3098/sqrt(2) x 100 segments in each 100 ms.
    let rate = moving::rate(times(0.1, 0.1), loss(1e-4), kept(0.5), NonZeroU8::new(2).expect("2"));
    close(rate.expect("a rate").value(), 926.17, 1e-4);
    // 1 - 1.3098^2/2 = 0.1422: from there on the window at rest would be smaller.
    let reno = |p| moving::rate(times(0.1, 0.1), loss(p), kept(0.5), ONE);
    assert!(reno(0.142).is_ok() && reno(0.1425).is_err() && reno(0.9).is_err());
}

#[test]
fn timeouts_take_over_where_losses_are_many() {
    // RTT 0.1 s, RTO 1 s, p = 1 %: 0.1 sqrt(0.02/3) + 3 sqrt(0.03/8) 0.01 1.0032 = 0.0081650 +
    // 0.0018430, hence 99.92; without timeouts 122.5.
    let times = times(0.1, 0.1);
    let rate = reno::rate_with_timeouts(times, seconds(1.0), ONE, loss(0.01));
    close(rate.value(), 99.92, 1e-4);
    let rate = reno::rate_with_timeouts(times, seconds(0.0), ONE, loss(0.01));
    close(rate.value(), 122.474, 1e-5);
}

#[test]
fn a_small_loss_rate_gives_the_square_root_of_two_over_p() {
    close(reno::rate_for_rare_losses(times(0.1, 0.1), loss(2e-4)).value(), 1_000.0, 1e-12);
}

#[test]
fn westwoods_printed_proportion_has_another_slope_in_rtt() {
    // Twice the RTT with the same Tq: half, where the mended form has 1/sqrt(2).
    let (near, far) = (times(0.2, 0.18), times(0.4, 0.38));
    let p = loss(1e-4);
    close(westwood::proportion_printed(far, p) / westwood::proportion_printed(near, p), 0.5, 1e-9);
    let mended = westwood::rate(far, p).value() / westwood::rate(near, p).value();
    close(mended, 0.5_f64.sqrt(), 1e-9);
}

#[test]
fn at_100_mbit_and_180_ms_windows_climb_as_worked_by_hand() {
    // 8333 segments a second, a product of 1500. From 900: 600 round trips of 0.18 s, then
    // (1800^2 - 1500^2)/2/8333 = 59.4 s.
    let path = pipe(100.0, 0.18, 1500.0);
    close(path.product().value(), 1500.0, 1e-9);
    let additive =
        |from: f64, to: f64| path.additive(segments(from), segments(to)).expect("a time").value();
    close(additive(1500.0, 1800.0), 59.4, 1e-9);
    close(additive(900.0, 1800.0), 167.4, 1e-9);
    close(additive(900.0, 1200.0), 54.0, 1e-9);
    // No climb takes no time, and down leads none.
    close(additive(1500.0, 1500.0), 0.0, 1e-9);
    assert!(path.additive(segments(1800.0), segments(900.0)).is_err());
}

#[test]
fn two_hours_of_climbing_take_thirteen_seconds_at_four_percent() {
    // westwood-10g-2005: 9000-byte packets, 265 ms, from 2.7e7 bytes (or 3.5e7) to 2.5e8. 24,778 round
    // trips; ln(250/35)/ln(1.04) = 50.1.
    let path = pipe(1e6, 0.265, 9000.0);
    let bytes = |b: f64| segments(b / 9000.0);
    let slow = path.additive(bytes(2.7e7), bytes(2.5e8)).expect("a time");
    close(slow.value() / 3600.0, 1.823_9, 1e-4);
    let fast = |factor| path.multiplicative(bytes(3.5e7), bytes(2.5e8), factor);
    close(fast(1.04).expect("a time").value(), 13.284, 1e-4);
    close(fast(1.02).expect("a time").value(), 26.311, 1e-4);
    assert!(fast(1.0).is_err() && fast(f64::NAN).is_err());
}

#[test]
fn an_ack_of_log_westwood_adds_what_was_worked_by_hand() {
    // W_max 1801, a = 2, from 1500: five ACKs.
    let (target, a) = (segments(1801.0), a(2.0));
    let mut window = 1500.0;
    for expected in [1_500.100_333, 1_500.200_627, 1_500.300_880, 1_500.401_093, 1_500.501_265] {
        window += growth::increment_with_floor(segments(window), target, a);
        assert!((window - expected).abs() < 6e-7, "{window}, {expected}");
    }
    // At the target only the floor is left, and beyond it equation 1 would shrink the window.
    close(growth::increment_with_floor(segments(1801.0), target, a), 1.0 / 1801.0, 1e-12);
    assert!(growth::increment(segments(1900.0), target, a) < 0.0);
}

#[test]
fn filter_weights_are_the_papers() {
    // westwood-2002 section 2.2: a tenth of the time constant leaves 19/21.
    close(filter::old_weight(seconds(0.05), seconds(0.5)).expect("a weight"), 19.0 / 21.0, 1e-12);
    assert!(filter::old_weight(seconds(0.05), seconds(0.0)).is_err());
    let two = NonZeroU32::new(2).expect("2");
    close(filter::left_by_a_null_sample(two), 0.6, 1e-12);
    close(filter::left_by_the_continuous_filter(two), 0.606_530_66, 1e-8);
    for (k, reached) in [(1, 0.1), (2, 0.19), (5, 0.409_51), (22, 0.901_5)] {
        assert!((filter::constant_filter_reached(k) - reached).abs() < 1e-4, "{k}");
    }
    close(filter::constant_filter_memory(), 9.491_22, 1e-6);
}

#[test]
fn with_a_buffer_of_one_product_a_cycle_halves_the_difference_of_two_windows() {
    let product = Buffer::new(1.0).expect("a buffer");
    close(convergence::difference(segments(64.0), product, 5).value(), 2.0, 1e-12);
    // 80 and 40 of 120 become 40 and 20; both gain 30: 70 and 50, from 40 apart to 20.
    let after = |w: f64| convergence::after_overflow(segments(w), product).value();
    close(after(80.0) - after(40.0), 20.0, 1e-12);
}
