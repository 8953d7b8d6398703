//! The simulator against mathematics: what is known exactly, or in a limit, must come out.
//!
//! Where a law is one of chance, its band is a 99.9 % interval from independent seeds or long batches;
//! seeds are fixed and were not chosen, so a test that passes always passes. Where a law holds only
//! in a limit, how far it may be off is argued beside the test, in the law's own terms, and not
//! fitted.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts and times far below 2^53"
)]

use crate::laws::sample::Sample;
use crate::laws::window::{Law, Losses};
use crate::laws::{GIGABIT, arrivals, avoiding, datagrams, ms, row, simulate};
use westwood_cc::controllers::Choice;
use westwood_cc::params::Value;
use westwood_cc::{Bytes, Duration, Instant, Rate, Ratio};
use westwood_net::{Change, Limit, LinkChange, LinkConfig};
use westwood_sim::Network;
use westwood_tcp::{AckPolicy, Pacing};

const fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

fn link(rate: Rate, delay: Duration) -> LinkConfig {
    LinkConfig::new(rate, delay, Limit::Unlimited)
}

// --- Serialization and propagation.

/// 1500 bytes take 0.12 ms at 100 Mbit/s, 12/7 ms at 7 Mbit/s and 0.012 ms at 1 Gbit/s; the wires
/// take 1, 3 and 2 ms.
fn three_hops(rate: Rate, duration: Duration) -> Network {
    let links = [link(mbit(100), ms(1)), link(mbit(7), ms(3)), link(GIGABIT, ms(2))];
    row(&links, datagrams(Bytes::new(1_500), rate, false), duration)
}

#[test]
fn a_packet_alone_takes_its_transmissions_and_the_wires_to_the_nanosecond() {
    // 1.2 Mbit/s: one every 10 ms, each alone. 12/7 ms are 1 714 285.7 ns, and the fraction is cut.
    let found = arrivals(&three_hops(Rate::from_bits_per_s(1_200_000), ms(100)));
    let alone = 120_000 + 1_000_000 + 1_714_285 + 3_000_000 + 12_000 + 2_000_000;
    assert_eq!(alone, 7_846_285);
    let expected: Vec<u64> = (0..10).map(|i| i * 10_000_000 + alone).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_million_packets_in_a_row_leave_at_the_exact_rate() {
    // 10 Mbit/s into 7: from the first packet on the second link never rests. Packet n has left it
    // 12 n/7 ms after 1.12 ms, cut to whole nanoseconds once, and not n times: rounding each packet
    // down would be 0.71 ms early after a million.
    let found = arrivals(&three_hops(mbit(10), Duration::from_secs(1_720)));
    assert!(found.len() > 1_000_000);
    for (i, n) in (1..=1_000_000_u64).enumerate() {
        assert_eq!(found[i], 6_132_000 + 12_000_000 * n / 7, "packet {n}");
    }
    // Three of them by hand.
    let at = |n: usize| found[n - 1];
    assert_eq!((at(1), at(7), at(1_000_000)), (7_846_285, 18_132_000, 1_714_291_846_285));
}

// --- Queues: Poisson arrivals, constant service, one server.

/// 1000 bytes at 8 Mbit/s.
const SERVICE_NS: u64 = 1_000_000;
const SIZE: Bytes = Bytes::new(1_000);

/// A Poisson process that loads a server by `rho`, `packets` long.
fn poisson(rho: f64, packets: u64, server: LinkConfig, seed: u64) -> Network {
    let rate = Rate::from_bits_per_s((rho * 8e6).round() as u64);
    let span = packets as f64 / rho * SERVICE_NS as f64;
    let network = row(&[server], datagrams(SIZE, rate, true), Duration::from_nanos(span as u64));
    Network { seed, ..network }
}

/// How long each packet waits, in service times. The same process over a link that takes a
/// nanosecond tells when packets come; over the server, when they leave.
fn waits(rho: f64, packets: u64) -> Vec<f64> {
    let wire = Duration::from_nanos(1);
    let fast = Rate::MAX_SAMPLE;
    let come = arrivals(&poisson(rho, packets, link(fast, wire), 1));
    let leave = arrivals(&poisson(rho, packets, link(mbit(8), wire), 1));
    let wait = |(come, leave): (&u64, &u64)| (leave - come - SERVICE_NS) as f64;
    // The queue is empty at first: the first tenth is left out.
    let waits: Vec<f64> =
        come.iter().zip(&leave).map(wait).map(|ns| ns / SERVICE_NS as f64).collect();
    waits[waits.len() / 10..].to_vec()
}

#[test]
fn m_d_1_waits_have_the_mean_of_pollaczek_and_khinchine() {
    for rho in [0.3, 0.6, 0.8, 0.9] {
        let mean = Sample::of_batches(30, &waits(rho, 400_000));
        let truth = rho / (2.0 * (1.0 - rho));
        println!("rho {rho}: {:.4} +- {:.4}, theory {truth:.4}", mean.mean, mean.half);
        assert!(mean.holds(truth), "rho {rho}: {mean:?}, theory {truth}");
        // The band says something: it is a small part of what it holds.
        assert!(mean.half < 0.15 * truth, "rho {rho}: {mean:?}");
    }
}

/// The chance that a packet waits at most `t` service times: A. K. Erlang 1909, C. D. Crommelin 1932.
fn crommelin(rho: f64, t: f64) -> f64 {
    let mut sum = 0.0;
    let mut factorial = 1.0;
    for k in 0..=t.floor() as i32 {
        factorial *= f64::from(k.max(1));
        let u = rho * (f64::from(k) - t);
        sum += u.powi(k) / factorial * (-u).exp();
    }
    (1.0 - rho) * sum
}

#[test]
fn m_d_1_waits_are_distributed_as_erlang_and_crommelin_say() {
    for rho in [0.3, 0.6, 0.8] {
        let waits = waits(rho, 400_000);
        for t in [0.0, 0.5, 1.0, 2.0, 4.0] {
            let within: Vec<f64> = waits.iter().map(|&w| if w <= t { 1.0 } else { 0.0 }).collect();
            let share = Sample::of_batches(30, &within);
            // No wait at all: 1 - rho.
            let truth = if t == 0.0 { 1.0 - rho } else { crommelin(rho, t) };
            println!("rho {rho}, t {t}: {:.4} +- {:.4}, theory {truth:.4}", share.mean, share.half);
            assert!(share.holds(truth), "rho {rho}, t {t}: {share:?}, theory {truth}");
            assert!(share.half < 0.02, "{share:?}");
        }
    }
}

/// The share of packets that find a server and `room - 1` waiting places taken: O. Brun and
/// J.-M. Garcia, "Analytical solution of finite capacity M/D/1 queues", 2000. Written out for one to
/// three places, so that it is read and not believed.
fn blocked(rho: f64, room: u64) -> f64 {
    let b = match room {
        1 => 1.0,
        2 => rho.exp(),
        _ => (2.0 * rho).exp() - rho * rho.exp(),
    };
    1.0 - b / (1.0 + rho * b)
}

#[test]
fn m_d_1_k_blocks_as_many_as_its_places_say() {
    for (rho, room) in [(0.5, 1), (0.5, 2), (0.8, 3), (1.0, 2), (1.5, 3)] {
        let shares: Vec<f64> = (1..=20)
            .map(|seed| {
                let waiting = Limit::Packets(room - 1);
                let server = LinkConfig::new(mbit(8), Duration::ZERO, waiting);
                let link = simulate(&poisson(rho, 20_000, server, seed)).links[0];
                let dropped = link.dropped_overflow as f64;
                dropped / (dropped + link.delivered as f64)
            })
            .collect();
        let (share, truth) = (Sample::of(&shares), blocked(rho, room));
        println!(
            "rho {rho}, room {room}: {:.4} +- {:.4}, theory {truth:.4}",
            share.mean, share.half
        );
        assert!(share.holds(truth), "rho {rho}, room {room}: {share:?}, theory {truth}");
        assert!(share.half < 0.01, "{share:?}");
    }
}

// --- Windows under independent losses.

const DELAYED: AckPolicy = AckPolicy::Delayed { timer: ms(100) };

fn named(name: &str) -> Choice {
    Choice::named(name).expect("in the catalog")
}

/// The receivers: an ACK for every segment, or for every second one.
const RECEIVERS: [(AckPolicy, f64); 2] = [(AckPolicy::Each, 1.0), (DELAYED, 2.0)];

/// Reno from one loss in ten thousand to one in a hundred.
fn renos_rates(acks: AckPolicy, b: f64) {
    let law = Law { share: 0.5, b };
    for (p, segments) in [(1e-4, 4e6), (3e-4, 2e6), (1e-3, 2e6), (3e-3, 1e6), (1e-2, 5e5)] {
        let rates = Losses::new(p, named("reno"), acks, law.limit(), segments).rates();
        let Sample { mean, half } = rates.constant;
        let (up, down) = law.terms();
        let expected = law.limit() * (1.0 + (up - down) * p.sqrt());
        let bound = law.limit() * law.bound(p);
        println!(
            "b {b} p {p}: {mean:.4} +- {half:.4}, law {expected:.4} +- {bound:.4}, limit {:.4}",
            law.limit()
        );
        assert!((mean - expected).abs() <= half + bound, "b {b} p {p}");
    }
}

#[test]
fn renos_rate_is_the_exact_law_with_its_corrections() {
    assert!((Law { share: 0.5, b: 1.0 }.limit() - 1.3098).abs() < 1e-4);
    renos_rates(AckPolicy::Each, 1.0);
}

#[test]
fn with_delayed_acks_renos_law_is_lower_by_the_root_of_two() {
    renos_rates(DELAYED, 2.0);
}

#[test]
fn the_papers_constant_for_reno_is_too_high_by_what_the_mean_field_leaves_out() {
    // sqrt(2) is 8 % above the limit of 1.3098. The corrections at p = 1e-3 are another 4 %.
    let rates = Losses::new(1e-3, named("reno"), AckPolicy::Each, 1.3, 2e6).rates();
    let Sample { mean, half } = rates.constant;
    assert!(mean + half < 0.95 * 2_f64.sqrt(), "{mean} +- {half}");
}

#[test]
fn at_three_percent_the_law_ends_in_timeouts() {
    let at = |p, segments| Losses::new(p, named("reno"), AckPolicy::Each, 1.3, segments).rates();
    let (rare, often) = (at(1e-3, 5e5), at(3e-2, 3e5));
    println!("timeouts a loss: {:.4} and {:.4}", rare.timeouts_per_loss, often.timeouts_per_loss);
    // A window holds 7 segments on average: losses leave too few to show them, and lost copies are
    // as frequent as losses: at least one loss in 1/p ends in a timeout.
    assert!(rare.timeouts_per_loss < 0.003 && often.timeouts_per_loss > 0.02);
    let limit = Law { share: 0.5, b: 1.0 }.limit();
    assert!(often.constant.mean + often.constant.half < 0.85 * limit);
}

/// The first second takes 20 ms less: afterwards 80 of 100 ms are Rmin, and 20 are Tq, with no
/// capacity that the flow could reach.
fn with_20_ms_beyond_the_least(mut losses: Losses) -> Losses {
    let begins = Change { at: Instant::ZERO + ms(1_000), what: LinkChange::Delay(ms(50)) };
    losses.there.delay = ms(30);
    losses.there.schedule.push(begins);
    losses
}

#[test]
fn westwood_plus_keeps_its_share_of_the_window_as_its_law_assumes() {
    // ccr-2004, equation 3, assumes an estimate of B = W/RTT: a loss leaves Rmin/RTT = 0.8 of the
    // window. With a filter without memory (the last sample alone) that is nearly what happens.
    let mut plus = named("westwood+");
    plus.set("filter_gain", Value::Ratio(Ratio::new(1, 1))).expect("a gain");
    for (acks, b) in RECEIVERS {
        let law = Law { share: 0.8, b };
        // The last sample ended half a round trip ago on average, and its ACKs answer what was sent in
        // the one before: the window was then smaller by 1.5/b, and by half a segment that cannot be
        // sent.
        let late = 1.5 / b + 0.5;
        // That makes the window V after a loss smaller by `share late`, and W before the next in
        // proportion to sums of E[W_(n-k)/W_n], which lie between 1 (as E ln is 0) and
        // share^-k (a loss leaves no less).
        let s = law.share;
        let lower = |sum: f64| law.limit() * b * (s * late - (1.0 - s) * sum * late);
        let (most, least) = (lower(s * s / (1.0 - s * s)), lower(s / (1.0 - s)));
        for (p, segments) in [(1e-4, 3e6), (1e-3, 1e6), (3e-3, 5e5)] {
            let losses = Losses::new(p, plus, acks, law.limit(), segments);
            let Sample { mean, half } = with_20_ms_beyond_the_least(losses).rates().constant;
            let (up, down) = law.terms();
            let order = |estimate: f64| law.limit() * (1.0 + (up - down - estimate) * p.sqrt());
            let bound = law.limit() * (law.bound(p) + most * most * p);
            println!(
                "b {b} p {p}: {mean:.4} +- {half:.4}, law {:.4} to {:.4} +- {bound:.4}, limit {:.4}",
                order(most),
                order(least),
                law.limit()
            );
            assert!(mean >= order(most) - bound - half, "b {b} p {p}");
            assert!(mean <= order(least) + bound + half, "b {b} p {p}");
        }
    }
}

#[test]
fn westwoods_law_holds_for_spaced_acks_and_fails_by_far_for_bursts() {
    // Over a fast link a window leaves in one burst, and its ACKs come in one. A sample an ACK then
    // overestimates without bound (the papers' reason for Westwood+), a loss costs nothing, and
    // equation 3 has no say. Spaced out over the round trip the same losses leave 0.8 of the window.
    let p = 1e-3;
    let law = Law { share: 0.8, b: 1.0 };
    let with = |pacing, segments| {
        let losses = Losses::new(p, named("westwood"), AckPolicy::Each, law.limit(), segments);
        with_20_ms_beyond_the_least(Losses { pacing, ..losses }).rates().constant
    };
    let (spaced, bursts) = (with(Pacing::On, 5e5), with(Pacing::Off, 3e4));
    println!("spaced {spaced:?}, in bursts {bursts:?}, law {:.4}", law.limit());
    // The terms of Law, and the filter's memory of five round trips, 5 of 70 segments: 0.8 x 7 %.
    let (up, down) = law.terms();
    let off = law.limit() * ((up + down) * p.sqrt() + 0.06);
    assert!((spaced.mean - law.limit()).abs() < off + spaced.half, "{spaced:?}");
    assert!(bursts.mean > 10.0 * law.limit(), "{bursts:?}");
}

// --- Reno and the buffer.

/// The share of the capacity that Reno uses with a buffer of `beta` bandwidth-delay products: a window
/// that grows by one segment a round trip from half of `1 + beta` up to it, as a fluid.
///
/// Below one product the link idles, a round trip takes the propagation time, and `(1-beta)/2` products
/// of growth carry `(1-beta)(3+beta)/8`; above, it is full, and a round trip takes as long as the
/// window, so that `beta` of growth carries, and takes, `beta (1 + beta/2)`.
fn utilisation(beta: f64) -> f64 {
    let idle = (1.0 - beta) / 2.0;
    let carried = (1.0 - beta) * (3.0 + beta) / 8.0;
    let full = beta * (1.0 + beta / 2.0);
    (carried + full) / (idle + full)
}

/// A path of 250 segments with `waiting` places before it: the measured share of the capacity.
fn with_buffer(waiting: u64) -> f64 {
    let there = LinkConfig::new(mbit(30), ms(50), Limit::Packets(waiting));
    // A window of half of all, as after a loss. Four cycles of up to 50 s are measured.
    let half = u64::midpoint(250, waiting);
    let traffic = avoiding(named("reno"), AckPolicy::Each, Pacing::Off, half);
    let mut network = row(&[there], traffic, Duration::from_secs(250));
    network.links[1].config.delay = ms(50);
    network.warmup = Duration::from_secs(50);
    simulate(&network).links[0].utilization
}

#[test]
fn renos_utilisation_follows_from_its_buffer() {
    // Three points of the closed form by hand: 3/4, 1, and 90 % at 0.27.
    let by_hand = [(0.0, 0.75), (1.0, 1.0), (0.27, 0.9)];
    assert!(by_hand.iter().all(|&(beta, share)| (utilisation(beta) - share).abs() < 1e-3));
    for beta in [0.02, 0.05, 0.1, 0.2, 0.27, 0.4, 0.6, 0.8, 1.0] {
        let waiting = (beta * 250.0) as u64;
        let (found, model) = (with_buffer(waiting), utilisation(waiting as f64 / 250.0));
        println!("beta {beta}: {found:.4}, model {model:.4}");
        // A cycle has 125 round trips or more. The fluid has neither the one that passes until the loss
        // is seen, when the link is full, nor the one of recovery, when it is used by half.
        assert!((found - model).abs() < 2.0 / 125.0, "beta {beta}: {found}, model {model}");
    }
}

#[test]
fn without_any_place_to_wait_the_fluid_is_no_model() {
    // A window that grows sends two segments at one instant. With nowhere to wait the second is
    // dropped, so that each step of growth is a loss, and the window stays at its floor.
    let found = with_buffer(0);
    assert!(found < 0.02 && utilisation(0.0) > 0.7, "{found}");
}
