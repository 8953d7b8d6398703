#![expect(clippy::cast_precision_loss, reason = "counts of packets are small")]

use super::*;
use crate::queue::testing::{TestPacket, at_ms};
use westwood_cc::Ecn;

fn dualpi2(config: &DualPi2Config) -> DualPi2<TestPacket> {
    DualPi2::new(config, Random::new(1, "dualpi2")).expect("valid parameters")
}

/// A base probability that no update moves.
fn fixed(base: f64) -> DualPi2<TestPacket> {
    let mut queue = dualpi2(&DualPi2Config { alpha: 0.0, beta: 0.0, ..DualPi2Config::default() });
    queue.control.base = base;
    queue
}

fn push(queue: &mut DualPi2<TestPacket>, now: Instant, ecn: Ecn) {
    let number = queue.waiting().packets;
    queue.push(Queued { number, ..TestPacket { flow: 0, ecn }.queued(now) });
}

/// The shares of packets dropped and marked, of 20,000 that wait no longer than the step.
fn shares(base: f64, ecn: Ecn) -> [f64; 2] {
    let (mut queue, n) = (fixed(base), 20_000);
    for _ in 0..n + 2 {
        push(&mut queue, Instant::ZERO, ecn);
    }
    let (mut dropped, mut marked) = (0, 0);
    while queue.waiting().packets > 2 {
        marked += u32::from(queue.take(Instant::ZERO, &mut |_| dropped += 1).marked);
    }
    [dropped, marked].map(|count| f64::from(count) / f64::from(n))
}

fn close(a: [f64; 2], b: [f64; 2]) -> bool {
    // Six deviations of a share of a half.
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.022)
}

#[test]
fn the_base_probability_moves_as_appendix_a_says() {
    let mut control = dualpi2(&DualPi2Config::default()).control;
    let mut updated = |base: f64, delay: u64, before: u64| {
        control.base = base;
        control.delay_before = Duration::from_millis(before);
        control.update(Duration::from_millis(delay));
        control.base
    };
    // 0.16 x 10 ms + 3.2 x 5 ms
    assert!((updated(0.1, 25, 20) - (0.1 + 0.0016 + 0.016)).abs() < 1e-12);
    assert!((updated(0.1, 15, 15) - 0.1).abs() < 1e-12);
    assert!(updated(0.001, 0, 20) <= 0.0);
    assert!(updated(0.999, 1_000, 0) >= 1.0);
}

#[test]
fn classic_packets_suffer_the_square_and_scalable_ones_twice_the_base() {
    assert!(close(shares(0.3, Ecn::NotEct), [0.09, 0.0]));
    assert!(close(shares(0.3, Ecn::Ect0), [0.0, 0.09]));
    assert!(close(shares(0.3, Ecn::Ect1), [0.0, 0.6]));
    assert!(close(shares(0.3, Ecn::Ce), [0.0, 0.6]));
}

#[test]
fn at_overload_all_are_dropped_with_the_classic_probability() {
    // k p' = 1.2
    assert!(close(shares(0.6, Ecn::NotEct), [0.36, 0.0]));
    assert!(close(shares(0.6, Ecn::Ect0), [0.36, 0.0]));
    assert!(close(shares(0.6, Ecn::Ect1), [0.36, 0.64]));
}

#[test]
fn a_scalable_packet_that_waits_longer_than_the_step_is_marked_whatever_the_base() {
    for (waited, marked) in [(1_000_000, false), (1_000_001, true)] {
        for ecn in [Ecn::Ect1, Ecn::Ect0] {
            let mut queue = fixed(0.0);
            push(&mut queue, Instant::ZERO, ecn);
            let taken = queue.take(Instant::from_nanos(waited), &mut |_| ());
            assert_eq!(taken.marked, marked && ecn == Ecn::Ect1, "{ecn:?} {waited}");
        }
    }
}

#[test]
fn the_low_latency_queue_goes_first_and_the_classic_one_has_a_tenth() {
    let mut queue = fixed(0.0);
    for _ in 0..1_000 {
        push(&mut queue, Instant::ZERO, Ecn::NotEct);
        push(&mut queue, Instant::ZERO, Ecn::Ect1);
    }
    let taken = (0..1_000).map(|_| queue.take(Instant::ZERO, &mut |_| ()).packet);
    let classic: Vec<_> =
        taken.map(|packet| packet.is_some_and(|it| it.packet.ecn == Ecn::NotEct)).collect();
    // The credit begins at 1500 x (10 % - 90 %), and a packet adds 1500 x 10 %.
    assert_eq!(classic.iter().position(|&is_classic| is_classic), Some(9));
    let share = classic.iter().filter(|&&is_classic| is_classic).count() as f64 / 1_000.0;
    assert!((share - 0.1).abs() < 0.003, "{share}");
}

#[test]
fn the_older_head_of_both_queues_is_the_delay() {
    let config = DualPi2Config { alpha: 1.0, beta: 0.0, ..DualPi2Config::default() };
    let mut queue = dualpi2(&config);
    push(&mut queue, at_ms(1), Ecn::NotEct);
    push(&mut queue, at_ms(7), Ecn::Ect1);
    // Updates at 16, 32 and 48 ms: 15, 31 and 47 ms old, 15 ms of which are the target.
    queue.catch_up(at_ms(48));
    assert!((queue.control.base - 0.048).abs() < 1e-12, "{}", queue.control.base);
}

#[test]
fn on_a_ramp_the_share_of_marks_climbs_with_the_wait() {
    let config = DualPi2Config {
        step: Duration::from_micros(800),
        ramp: Duration::from_micros(400),
        alpha: 0.0,
        beta: 0.0,
        ..DualPi2Config::default()
    };
    let share = |base: f64, waited_us: u64| {
        let (mut queue, n) = (dualpi2(&config), 20_000);
        queue.control.base = base;
        (0..n + 2).for_each(|_| push(&mut queue, Instant::ZERO, Ecn::Ect1));
        let now = Instant::from_nanos(1_000 * waited_us);
        let marked = (0..n).filter(|_| queue.take(now, &mut |_| ()).marked).count();
        marked as f64 / f64::from(n)
    };
    for (waited_us, expected) in [(800, 0.0), (900, 0.25), (1_000, 0.5), (1_200, 1.0), (2_000, 1.0)]
    {
        assert!((share(0.0, waited_us) - expected).abs() < 0.022, "{waited_us}");
    }
    // The larger of the two probabilities, and not their sum: k p' = 0.4.
    assert!((share(0.2, 900) - 0.4).abs() < 0.022);
    assert!((share(0.2, 1_000) - 0.5).abs() < 0.022);
}

#[test]
fn with_a_time_shift_a_classic_packet_leaves_before_scalable_ones_that_came_so_much_later() {
    let shift = Some(Duration::from_millis(50));
    let mut queue = dualpi2(&DualPi2Config { shift, ..DualPi2Config::default() });
    push(&mut queue, at_ms(0), Ecn::NotEct);
    push(&mut queue, at_ms(50), Ecn::Ect1);
    push(&mut queue, at_ms(51), Ecn::Ect1);
    let mut leaves = || queue.take(at_ms(51), &mut |_| ()).packet.map(|it| it.packet.ecn);
    assert_eq!(leaves(), Some(Ecn::Ect1));
    assert_eq!(leaves(), Some(Ecn::NotEct));
    assert!(leaves().is_some());
    assert!(leaves().is_none());
}

#[test]
fn credit_moves_while_both_queues_wait_and_begins_anew_once_both_are_empty() {
    // `dequeue_packet` of Linux's `sch_dualpi2`: a packet changes the credit if the other queue waits.
    let mut queue = fixed(0.0);
    let mut leaves = |from: Ecn| {
        push(&mut queue, Instant::ZERO, from);
        queue.take(Instant::ZERO, &mut |_| ()).packet.map(|queued| queued.packet.ecn)
    };
    for _ in 0..50 {
        assert_eq!(leaves(Ecn::Ect1), Some(Ecn::Ect1));
    }
    for _ in 0..2 {
        for _ in 0..20 {
            push(&mut queue, Instant::ZERO, Ecn::NotEct);
            push(&mut queue, Instant::ZERO, Ecn::Ect1);
        }
        let taken = std::iter::from_fn(|| queue.take(Instant::ZERO, &mut |_| ()).packet);
        let classic: Vec<_> = taken.map(|queued| queued.packet.ecn == Ecn::NotEct).collect();
        assert_eq!(classic.iter().position(|&is_classic| is_classic), Some(9));
        assert_eq!(classic.len(), 40);
    }
}
