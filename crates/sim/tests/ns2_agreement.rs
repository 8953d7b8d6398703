//! Agreement with ns-2.35's classical agents (reno, newreno, sack, vegas) beyond S3, which
//! `ns2_truth.rs` holds: long paths, reverse traffic, many flows, several bottlenecks, random loss.
//!
//! ns-2's numbers are those of the reference measurements, `ns2.csv`; where chance has a part they
//! are of 20 to 160 seeds of the same script. Three bounds:
//!
//! | rows | bound |
//! |---|---|
//! | without chance | 3 % |
//! | totals of several flows | 3 % on the mean |
//! | chance | the 95 % interval of the ratio of means lies within 5 % |
//! | chance, heavy-tailed (S2 with loss) | 10 % on the median |
//!
//! Differs, and why:
//!
//! | row | ours / ns-2 | reason |
//! |---|---|---|
//! | S2 sack, no loss, delayed ACKs | +5 % | the first overshoot ends in a timeout on both sides. ns-2 then forgets what was selectively acknowledged and sends it all again, which takes a second timeout and a far lower ssthresh; here the scoreboard survives (RFC 6675 section 5.1). |
//! | S2 sack, loss 1e-5 | 0 %, interval 12 % | the same overshoot, where no loss comes before it |
//! | S10 sack | +80 % | a knife's edge: after the first overshoot the first hole is filled after 331 ms, ns-2's timer stands at 330 ms and fires, ours has not fired. |
//! | S5 vegas, m = 60 | goodput -0.2 %, timeouts x 40 | ns-2's agent retransmits on the first duplicate ACK after a fine-grained timeout, and in `recv` takes the inflation back only after more than three duplicates, so that a small window loses little by a loss. Ours is the controller with Reno's recovery. |
//! | S1 vegas, reverse RTT 250 ms | 250 to 500 s +20 %, 500 to 750 s x 21 | in ns-2 a round after go-back-N can end on an ACK that jumps over it; without a sample its length becomes `v_baseRTT_`, near zero. All in transit then counts as queued and the window stays at 2 for good, on an idle path too. A defect: with alpha 3 it moves to 3 and stops there. |
//! | S6 newreno through vegas, 1 hop | cross flow +18 %, total -0.1 % | the cross flow is a Vegas that loses packets: as S5 |
//! | S8 vegas | goodputs agree, Jain -7 (4) % | not traced: small windows with losses, as S5 |
//! | retransmissions of sack, S8 | +8 % | ns-2's `pipe_` falls by one for each duplicate ACK and so counts what is lost as in flight; RFC 6675's does not. Goodputs agree. |
//! | retransmissions of newreno, S8 and S5, m = 60 | -5 % | ns-2 lets a segment out on each of the first two duplicates also in the repair after a timeout, where it is an old one; RFC 3042 is of unsent data. Goodputs agree. |
#![allow(clippy::cast_precision_loss, reason = "goodputs in bit/s, for people")]

mod support;

use support::ns2::{self, Agent, goodput, jain, mbit};
use westwood_sim::{Network, Outcome};

use Agent::{NewReno, Reno, Sack, Vegas};

/// What ns-2 gave: the mean over so many seeds and their standard deviation.
#[derive(Clone, Copy)]
struct Theirs {
    mean: f64,
    deviation: f64,
    seeds: f64,
}

const fn theirs(mean: f64, deviation: f64, seeds: f64) -> Theirs {
    Theirs { mean, deviation, seeds }
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// The variance of the mean.
fn variance(x: &[f64]) -> f64 {
    let (m, n) = (mean(x), x.len() as f64);
    x.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (n - 1.0) / n
}

fn median(x: &[f64]) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    f64::midpoint(sorted[half], sorted[sorted.len() - 1 - half])
}

/// One run for each seed from 1 on, measured.
fn runs(seeds: u64, network: impl Fn(u64) -> Network, of: impl Fn(&Outcome) -> f64) -> Vec<f64> {
    let one = |seed| of(&westwood_sim::run(&network(seed)).expect("a valid network"));
    (1..=seeds).map(one).collect()
}

/// One run of a network without chance.
fn only(network: &Network, of: impl Fn(&Outcome) -> f64) -> f64 {
    of(&westwood_sim::run(network).expect("a valid network"))
}

fn within(percent: f64, row: &str, ours: f64, theirs: f64) {
    let off = (ours / theirs - 1.0) * 100.0;
    println!("{row}: {ours:.0}, ns-2 {theirs:.0}: {off:+.2} %");
    assert!(off.abs() < percent, "{row}: {off:+.2} %");
}

/// The 95 % interval of the ratio of means lies within 5 %.
fn same(row: &str, ours: &[f64], theirs: Theirs) {
    let ratio = mean(ours) / theirs.mean;
    let ours_part = variance(ours) / mean(ours).powi(2);
    let theirs_part = (theirs.deviation / theirs.mean).powi(2) / theirs.seeds;
    let half = 1.96 * ratio * (ours_part + theirs_part).sqrt();
    let (off, half) = ((ratio - 1.0) * 100.0, half * 100.0);
    println!("{row}: {:.0}, ns-2 {:.0}: {off:+.2} +- {half:.2} %", mean(ours), theirs.mean);
    assert!(off.abs() + half < 5.0, "{row}: {off:+.2} +- {half:.2} %");
}

#[test]
fn s1_a_flow_alone_and_against_ten_reverse_flows() {
    // Alone, in [0, 250] s; against ten, in [250, 500] and [750, 1000] s. 20 seeds.
    let rows = [
        (NewReno, false, 1_953_792.0, 1_148_041.0, 40_188.0),
        (NewReno, true, 1_953_792.0, 1_264_367.0, 32_471.0),
        (Reno, false, 1_949_904.0, 1_072_734.0, 38_808.0),
        (Reno, true, 1_949_904.0, 1_215_492.0, 25_287.0),
        (Sack, false, 1_980_624.0, 1_295_228.0, 32_207.0),
        (Sack, true, 1_980_624.0, 1_393_658.0, 44_434.0),
        (Vegas, true, 1_972_224.0, 237_133.0, 983.0),
    ];
    for (agent, spread, alone, on, deviation) in rows {
        let row = format!("S1 {} spread {spread}", agent.name());
        let seeds = if spread { 6 } else { 14 };
        let mut first = 0.0;
        let mut against = Vec::new();
        for seed in 1..=seeds {
            let network = ns2::s1(agent, spread, seed);
            let outcome = westwood_sim::run(&network).expect("a valid network");
            first = goodput(&outcome, 0, 0, 250);
            let [a, b] = [(250, 500), (750, 1_000)].map(|(s, e)| goodput(&outcome, 0, s, e));
            against.push(f64::midpoint(a, b));
        }
        within(3.0, &format!("{row}, alone"), first, alone);
        same(&format!("{row}, against ten"), &against, theirs(on, deviation, 20.0));
    }
}

#[test]
fn s2_a_long_fast_path_without_loss() {
    // [50, 500] s and [0, 500] s. Without delayed ACKs: dack=0.
    let rows = [
        (NewReno, true, 58_461_867.0, 53_899_272.0),
        (NewReno, false, 81_357_387.0, 76_484_808.0),
        (Sack, false, 76_616_293.0, 70_514_712.0),
    ];
    for (agent, delayed, late, full) in rows {
        let network = ns2::s2(agent, 0.0, delayed, 1);
        let outcome = westwood_sim::run(&network).expect("a valid network");
        let row = format!("S2 {} delayed ACKs {delayed}", agent.name());
        within(3.0, &row, goodput(&outcome, 0, 50, 500), late);
        within(3.0, &format!("{row}, full"), goodput(&outcome, 0, 0, 500), full);
    }
}

#[test]
fn s2_a_long_fast_path_with_loss_by_medians() {
    // Loss 1e-3, [50, 500] s: ns-2's median of 60 seeds.
    let rows = [
        (NewReno, true, 1_865_013.3),
        (NewReno, false, 2_676_586.7),
        (Sack, true, 1_858_520.0),
        (Sack, false, 2_676_520.0),
    ];
    for (agent, delayed, theirs) in rows {
        let row = format!("S2 {} loss 1e-3, delayed ACKs {delayed}, median", agent.name());
        let ours = runs(24, |s| ns2::s2(agent, 1e-3, delayed, s), |o| goodput(o, 0, 50, 500));
        within(10.0, &row, median(&ours), theirs);
    }
}

#[test]
fn s4_short_and_long_buffers() {
    // goodput_full without loss, then with 0.4 % both ways: 30 seeds.
    for (mbit_s, theirs) in [(1, 983_664.0), (100, 91_355_232.0)] {
        let ours = only(&ns2::s4(NewReno, mbit(mbit_s), 0.0, 1), |o| goodput(o, 0, 0, 500));
        within(3.0, &format!("S4 newreno {mbit_s} Mbit/s"), ours, theirs);
    }
    let rows = [(1, theirs(582_771.2, 38_722.6, 30.0)), (100, theirs(660_951.2, 53_167.7, 30.0))];
    for (mbit_s, theirs) in rows {
        let ours =
            runs(40, |s| ns2::s4(NewReno, mbit(mbit_s), 0.004, s), |o| goodput(o, 0, 0, 500));
        same(&format!("S4 newreno {mbit_s} Mbit/s, loss 0.4 %"), &ours, theirs);
    }
}

#[test]
fn s5_many_flows_of_many_round_trip_times() {
    // goodput_total and jain: 20 seeds for m = 10, else 10.
    let rows = [
        (NewReno, 10, 9_058_549.2, 0.920_07),
        (NewReno, 60, 9_725_524.8, 0.950_995),
        (Vegas, 10, 2_171_896.8, 0.962_363),
        (Vegas, 60, 9_884_263.2, 0.963_295),
    ];
    for (agent, m, total, fairness) in rows {
        let row = format!("S5 {} m = {m}", agent.name());
        let each = |o: &Outcome| (0..m).map(|i| goodput(o, i, 0, 500)).collect::<Vec<_>>();
        let seeds = match (agent, m) {
            (Vegas, 10) => 10,
            (_, 10) => 4,
            _ => 1,
        };
        let shares: Vec<Vec<f64>> = (1..=seeds)
            .map(|s| westwood_sim::run(&ns2::s5(agent, m as u64, s)).expect("a valid network"))
            .map(|o| each(&o))
            .collect();
        let totals: Vec<f64> = shares.iter().map(|s| s.iter().sum()).collect();
        let jains: Vec<f64> = shares.iter().map(|s| jain(s)).collect();
        within(3.0, &row, mean(&totals), total);
        within(3.0, &format!("{row}, Jain's index x 1000"), mean(&jains) * 1e3, fairness * 1e3);
    }
}

#[test]
fn s6_one_hop_with_cross_traffic() {
    // goodput_total: C1 and the cross flow with it. 20 seeds.
    let rows = [
        (NewReno, NewReno, 8_627_780.7),
        (NewReno, Vegas, 9_926_275.9),
        (Vegas, NewReno, 7_738_584.8),
    ];
    for (agent, cross, theirs) in rows {
        let row = format!("S6 {} through {}, 1 hop", agent.name(), cross.name());
        let both = |o: &Outcome| goodput(o, 0, 10, 300) + goodput(o, 1, 10, 300);
        let ours = runs(6, |s| ns2::s6(agent, cross, 1, s), both);
        within(3.0, &row, mean(&ours), theirs);
    }
}

#[test]
fn s7_a_lossy_last_hop() {
    // goodput without loss.
    for (agent, theirs) in [(NewReno, 1_982_794.7), (Reno, 1_981_781.3), (Sack, 1_992_096.0)] {
        let ours = only(&ns2::s7(agent, 0.0, 1), |o| goodput(o, 0, 0, 300));
        within(3.0, &format!("S7 {}", agent.name()), ours, theirs);
    }
    // With it, both ways: 40 seeds, and 160 where the smaller loss spreads them more.
    let rows = [
        (NewReno, 0.02, theirs(171_241.1, 6_932.1, 40.0)),
        (NewReno, 0.005, theirs(398_789.3, 18_851.9, 160.0)),
        (Reno, 0.02, theirs(157_607.2, 5_642.3, 40.0)),
        (Reno, 0.005, theirs(378_775.5, 19_038.6, 160.0)),
        (Sack, 0.02, theirs(163_847.5, 7_157.3, 40.0)),
        (Sack, 0.005, theirs(394_702.3, 19_389.3, 160.0)),
    ];
    for (agent, loss, theirs) in rows {
        let row = format!("S7 {} loss {loss}", agent.name());
        let ours = runs(64, |s| ns2::s7(agent, loss, s), |o| goodput(o, 0, 0, 300));
        same(&row, &ours, theirs);
    }
}

#[test]
fn s8_twenty_flows_in_a_small_buffer() {
    // Both groups of ten together: goodput_first10 + goodput_last10. 20 seeds.
    let rows = [
        (NewReno, 198_506.2, 0.996_458),
        (Reno, 198_748.7, 0.996_585),
        (Sack, 199_487.0, 0.996_664),
    ];
    for (agent, total, fairness) in rows {
        let row = format!("S8 {}", agent.name());
        let o = westwood_sim::run(&ns2::s8(agent, 1)).expect("a valid network");
        let shares: Vec<f64> = (0..20).map(|i| goodput(&o, i, 0, 300)).collect();
        within(3.0, &row, shares.iter().sum::<f64>() / 10.0, total);
        within(3.0, &format!("{row}, Jain's index x 1000"), jain(&shares) * 1e3, fairness * 1e3);
    }
}

#[test]
fn s10_jumbo_packets_at_a_gigabit() {
    // [50, 300] s and [0, 300] s.
    let outcome = westwood_sim::run(&ns2::s10(NewReno, mbit(1_000))).expect("a valid network");
    let [late, full] = [50, 0].map(|from| goodput(&outcome, 0, from, 300));
    within(3.0, "S10 newreno", late, 423_735_840.0);
    within(3.0, "S10 newreno, full", full, 402_205_920.0);
}
