//! Scalable senders on queues that mark early.
//!
//! The bounds are those of the specifications, and were written down before the first run:
//! * RFC 9332 section 1 and appendix C: with k = 2 the coupling gives a classic and a scalable flow about
//!   equal rates. Theory for one Cubic in its Reno-friendly region, window 1.68/p', and one Prague, window
//!   2/(2 p') a virtual round-trip time of 25 ms at least: (1/25 ms) / (1.68/(20 ms + 15 ms)) = 0.83 at a
//!   base of 20 ms. "About equal" is taken for a factor of two.
//! * RFC 9330 section 1: queueing delay in the low-latency queue below a millisecond on average, and about
//!   2 ms at the 99th percentile.
//! * RFC 9332 appendix A.1: the classic queue's delay is held to the target of 15 ms.
//!
//! The first run gave Prague 2.2 times the rate of Cubic on the path of 20 ms. It cut then as the Linux
//! module does, once a window of data at most, so every 40 ms and not every 25 ms as the draft says; with
//! the draft's rule the ratio is 1.9. Two things were wrong with the theory: Linux's Cubic grows by 0.53
//! segments a round there, which makes its constant 1.22, and a cut waits for the next mark behind a
//! virtual round, which makes Prague's window larger by 1.4 (see [`window_for`]). Together that is a ratio
//! of 1.6. Cubic's saw-tooth, which moves p', takes the rest.

#![expect(clippy::cast_precision_loss, reason = "bytes of a minute are far below 2^53")]

use crate::support::{dumbbell, ms};
use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, EcnFeedback, Rate};
use westwood_net::{
    AckFilterConfig, AckRule, CeThreshold, DualPi2Config, FqCoDelConfig, Histogram, Limit,
    LossConfig, MarkAbove, QueueConfig, ThresholdConfig,
};
use westwood_sim::{FlowSpec, Network, Outcome, TcpSpec, Traffic, Workload, run};
use westwood_tcp::{AckPolicy, Config, Credit, Recovery};

const MBIT: u64 = 1_000_000;

/// A connection as a Linux host makes it.
fn tcp(name: &str) -> TcpSpec {
    let controller = Choice::named(name).expect("in the catalog");
    let config = Config {
        recovery: Recovery::Linux,
        acks: AckPolicy::LINUX,
        credit: Credit::PerSegment,
        ecn: true,
        ecn_feedback: controller.ecn_feedback(),
        ect: controller.ect(),
        ..Config::default()
    };
    TcpSpec { controller, config }
}

/// Greedy flows over one bottleneck with this queue, from one host to another, for a minute, of which the
/// last forty seconds are measured.
fn path(flows: &[TcpSpec], mbit: u64, rtt: Duration, queue: QueueConfig) -> Network {
    let (rate, access) = (Rate::from_bits_per_s(mbit * MBIT), Rate::from_bits_per_s(10_000 * MBIT));
    let mut network = dumbbell(rate, rtt, 1_000, access, flows[0], ms(60_000), ms(20_000));
    let first = network.flows[0].clone();
    network.flows = (0_u64..)
        .zip(flows)
        .map(|(n, tcp)| FlowSpec {
            name: format!("flow {n}").into(),
            start: first.start + ms(100 * n),
            traffic: Traffic::Tcp((*tcp).into(), Workload::Greedy),
            ..first.clone()
        })
        .collect();
    at_bottleneck(&mut network, |link| link.queue = queue);
    network
}

fn at_bottleneck(network: &mut Network, mut change: impl FnMut(&mut westwood_net::LinkConfig)) {
    for link in network.links.iter_mut().filter(|link| &*link.name == "1-2") {
        let mut config = (*link.config).clone();
        change(&mut config);
        link.config = config.into();
    }
}

fn goodput_mbit(outcome: &Outcome, flow: usize) -> f64 {
    8.0 * outcome.flows[flow].delivered_bytes as f64 / 40.0 / 1e6
}

/// Mean and 99th percentile of the time that a flow's segments waited at the bottleneck, in milliseconds.
fn waits(network: &Network, flow: usize, base: Duration) -> (f64, f64) {
    let mut network = network.clone();
    network.probes.one_way = (flow..flow + 1).into();
    let delays = run(&network).expect("a network").one_way_delays.summary().expect("samples");
    let millis = |d: Duration| d.as_nanos() as f64 / 1e6;
    (millis(delays.mean) - millis(base), millis(delays.p99) - millis(base))
}

/// Propagation one way, and the time that a segment takes on a link of so many Mbit/s.
fn one_way(rtt: Duration, mbit: u64) -> Duration {
    rtt / 2 + Duration::from_nanos(1_500 * 8 * 1_000 / mbit)
}

fn step(wait: Duration) -> QueueConfig {
    let (limit, mark_above) = (Limit::Packets(1_000), MarkAbove::Wait(wait));
    QueueConfig::Threshold(ThresholdConfig { limit, mark_above })
}

#[test]
fn prague_beside_cubic_shares_a_dual_queue_and_waits_a_millisecond() {
    for rtt in [ms(20), ms(40)] {
        let queue = QueueConfig::DualPi2(DualPi2Config::default());
        let mut network = path(&[tcp("prague"), tcp("cubic-linux")], 40, rtt, queue);
        network.probes.delays = network.links.iter().position(|link| &*link.name == "1-2");
        let outcome = run(&network).expect("a network");
        let (prague, cubic) = (goodput_mbit(&outcome, 0), goodput_mbit(&outcome, 1));
        let (low, low_p99) = waits(&network, 0, one_way(rtt, 40));
        let (classic, _) = waits(&network, 1, one_way(rtt, 40));
        println!(
            "{rtt}: {prague:.2} {cubic:.2} Mbit/s, L {low:.3} {low_p99:.3} ms, C {classic:.3} ms"
        );
        // The link's own account of its queues, whose packets are those of the two flows.
        let dual = outcome.dual_delays.clone().expect("two queues");
        let mean = |queue: Histogram| {
            queue.summary().map_or(0.0, |delay| delay.mean.as_nanos() as f64 / 1e6)
        };
        assert!((mean(dual.low_latency) - low).abs() < 0.01, "{low}");
        assert!((mean(dual.classic) - classic).abs() < 0.05, "{classic}");
        assert!((0.5..2.0).contains(&(prague / cubic)), "{prague} {cubic}");
        assert!(low < 1.0 && low_p99 < 2.0, "{low} {low_p99}");
        assert!((10.0..20.0).contains(&classic), "{classic}");
        assert!(prague + cubic > 0.95 * 40.0, "{prague} {cubic}");
    }
}

/// Prague's window for a share `p` of marks that come by chance: in the mean it grows by 1 - p a virtual
/// round, and falls by p/2 of itself at the first mark behind a virtual round, which lets 1/p segments pass.
///
/// ```text
/// (1 - p) (1 + 1/(p W)) = W p / 2
/// ```
fn window_for(p: f64) -> f64 {
    let a = 2.0 * (1.0 - p) / p;
    f64::midpoint(a, (a * a + 4.0 * a / p).sqrt())
}

#[test]
fn pragues_rate_is_that_of_its_share_of_marks() {
    for rtt in [ms(20), ms(40)] {
        let mut cubic = tcp("cubic-linux");
        // Then all marks are Prague's.
        cubic.config.ecn = false;
        let queue = QueueConfig::DualPi2(DualPi2Config::default());
        let outcome = run(&path(&[tcp("prague"), cubic], 40, rtt, queue)).expect("a network");
        let goodput = goodput_mbit(&outcome, 0);
        let marks = outcome.links.iter().map(|link| link.marked).sum::<u64>() as f64;
        let p = marks / (goodput * 1e6 * 40.0 / 8.0 / 1_500.0);
        let virtual_rtt = rtt.max(ms(25)).as_nanos() as f64 / 1e9;
        let expected = window_for(p) * 1_500.0 * 8.0 / virtual_rtt / 1e6;
        println!("{rtt}: {goodput:.2} Mbit/s, p {p:.4}, expected {expected:.2}");
        assert!((0.8..1.2).contains(&(goodput / expected)), "{goodput} {expected}");
    }
}

#[test]
fn two_pragues_of_different_round_trip_times_below_25_ms_share_a_link_equally() {
    let queue = QueueConfig::DualPi2(DualPi2Config::default());
    let mut network = path(&[tcp("prague"), tcp("prague")], 40, ms(20), queue);
    // The bottleneck's delay is 10 ms each way: the first flow's path has 20 ms, and so has the second's.
    // With the access links' delays gone and the bottleneck's at 1 ms, the first has 2 ms.
    for link in &mut network.links {
        let mut config = (*link.config).clone();
        if ["1-2", "2-1"].contains(&&*link.name) {
            config.delay = ms(1);
        }
        link.config = config.into();
    }
    far_away(&mut network, 1, ms(9));
    let outcome = run(&network).expect("a network");
    let (near, far) = (goodput_mbit(&outcome, 0), goodput_mbit(&outcome, 1));
    println!("{near:.2} {far:.2}");
    // Without it the nearer one would get about ten times the other's rate.
    assert!((0.5..2.0).contains(&(near / far)), "{near} {far}");
}

/// Gives a flow hosts of its own, `delay` from the others' in each direction.
fn far_away(network: &mut Network, flow: usize, delay: Duration) {
    let (host, like) = (network.nodes.len(), network.links[0].config.clone());
    network.nodes.push("far sender".into());
    for (from, to) in [(host, 1), (1, host)] {
        let mut config = (*like).clone();
        config.delay = delay;
        let name = format!("{from}-{to}").into();
        network.links.push(westwood_sim::LinkSpec { name, from, to, config: config.into() });
    }
    network.flows[flow].from = host;
}

#[test]
fn prague_alone_fills_a_link_that_marks_above_a_millisecond() {
    for (mbit, rtt) in [(40, ms(20)), (100, ms(40))] {
        let network = path(&[tcp("prague")], mbit, rtt, step(ms(1)));
        let outcome = run(&network).expect("a network");
        let goodput = goodput_mbit(&outcome, 0);
        let (wait, p99) = waits(&network, 0, one_way(rtt, mbit));
        println!("{mbit} Mbit/s {rtt}: {goodput:.2} Mbit/s, {wait:.3} {p99:.3} ms");
        assert!(goodput > 0.95 * mbit as f64, "{goodput}");
        assert!(wait < 1.5 && p99 < 3.0, "{wait} {p99}");
        assert!(outcome.links.iter().all(|link| link.dropped_overflow == 0));
    }
}

#[test]
fn prague_on_flow_queues_with_a_threshold_for_ect1_waits_a_millisecond_beside_cubic() {
    let queue = QueueConfig::FqCoDel(FqCoDelConfig {
        ce_threshold: Some(CeThreshold { wait: ms(1), ect1_only: true }),
        ..FqCoDelConfig::default()
    });
    let network = path(&[tcp("prague"), tcp("cubic-linux")], 40, ms(20), queue);
    let outcome = run(&network).expect("a network");
    let (prague, cubic) = (goodput_mbit(&outcome, 0), goodput_mbit(&outcome, 1));
    let ((low, p99), (classic, _)) =
        (waits(&network, 0, one_way(ms(20), 40)), waits(&network, 1, one_way(ms(20), 40)));
    println!("{prague:.2} {cubic:.2} Mbit/s, {low:.3} {p99:.3} {classic:.3} ms");
    // Round robin gives equal rates; a packet of the other flow may leave first.
    assert!((0.9..1.1).contains(&(prague / cubic)), "{prague} {cubic}");
    assert!(low < 1.5 && p99 < 3.0, "{low} {p99}");
    assert!(classic > 2.0 * low, "{classic} {low}");
}

#[test]
fn a_ramp_and_a_time_shift_hold_the_waits_of_a_step_and_shares() {
    let (step, ramp) = (Duration::from_micros(800), Duration::from_micros(400));
    let config = DualPi2Config { step, ramp, shift: Some(ms(50)), ..DualPi2Config::default() };
    let queue = QueueConfig::DualPi2(config);
    let network = path(&[tcp("prague"), tcp("cubic-linux")], 40, ms(40), queue);
    let outcome = run(&network).expect("a network");
    let (prague, cubic) = (goodput_mbit(&outcome, 0), goodput_mbit(&outcome, 1));
    let (low, p99) = waits(&network, 0, one_way(ms(40), 40));
    println!("{prague:.2} {cubic:.2} Mbit/s, {low:.3} {p99:.3} ms");
    // The bound of 2 is that of a step and shares.
    assert!((0.5..2.0).contains(&(prague / cubic)), "{prague} {cubic}");
    assert!(low < 1.0 && p99 < 2.0, "{low} {p99}");
}

#[test]
fn prague_on_a_drop_tail_path_gets_the_rate_of_reno_beside_it() {
    // At 40 ms its growth is not scaled, and nothing marks: additive increase, and a half for a loss.
    let queue = QueueConfig::DropTail(Limit::Packets(133));
    for other in ["reno-linux", "cubic-linux"] {
        let outcome = run(&path(&[tcp("prague"), tcp(other)], 40, ms(40), queue)).expect("one");
        let (prague, rival) = (goodput_mbit(&outcome, 0), goodput_mbit(&outcome, 1));
        println!("{other}: {prague:.2} {rival:.2}");
        assert!((1.0 / 3.0..3.0).contains(&(prague / rival)), "{other}: {prague} {rival}");
        assert!(prague + rival > 0.95 * 40.0);
    }
}

#[test]
fn prague_alone_on_a_drop_tail_path_falls_to_half_of_its_window_and_keeps_the_link_busy() {
    let queue = QueueConfig::DropTail(Limit::Packets(133));
    let one = |name| run(&path(&[tcp(name)], 40, ms(40), queue)).expect("a network");
    let (prague, reno) = (one("prague"), one("reno-linux"));
    let losses = |o: &Outcome| o.flows[0].fast_recoveries;
    println!("{} {} {}", goodput_mbit(&prague, 0), losses(&prague), losses(&reno));
    assert!(goodput_mbit(&prague, 0) > 0.95 * 40.0);
    assert!(
        losses(&prague) > 0 && losses(&prague).abs_diff(losses(&reno)) <= 2 + losses(&reno) / 2
    );
    assert_eq!(prague.flows[0].timeouts, 0);
}

#[test]
fn counts_of_marks_survive_an_ack_filter_and_the_loss_of_acks() {
    let thin = AckFilterConfig {
        rule: AckRule::Decimate { n: 16, wait: ms(5) },
        drop_sack: true,
        drop_ecn: true,
    };
    let run_with = |feedback, disturbed: bool| {
        let mut prague = tcp("prague");
        prague.config.ecn_feedback = feedback;
        let mut network = path(&[prague], 40, ms(20), step(ms(1)));
        for link in network.links.iter_mut().filter(|link| disturbed && &*link.name == "2-1") {
            let mut config = (*link.config).clone();
            config.ack_filter = Some(thin);
            config.losses = vec![LossConfig::Bernoulli { p: 0.2 }];
            link.config = config.into();
        }
        goodput_mbit(&run(&network).expect("a network"), 0)
    };
    let calm = run_with(EcnFeedback::Accurate, false);
    let (accurate, ace) = (run_with(EcnFeedback::Accurate, true), run_with(EcnFeedback::Ace, true));
    println!("{calm:.2} {accurate:.2} {ace:.2}");
    // With bytes beside them the counts are as good as before; three bits alone are taken for the worst.
    assert!(accurate > 0.9 * calm, "{calm} {accurate}");
    assert!(ace < accurate, "{ace} {accurate}");
}
