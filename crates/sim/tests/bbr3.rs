//! "BBR Example Test Cases" of draft-ietf-ccwg-bbr that speak of a link: one that batches ACKs, changes its
//! rate, polices or reorders. BBR's own state in them is held by `crates/cc/src/controllers/bbr3/tests.rs`.
//!
//! The draft has few numbers. Every bound was written down before its result was seen, but where a test says
//! otherwise.

use std::sync::Arc;

use crate::support::ms;
use crate::support::shared_link::{Flow, SharedLink, named};
use westwood_cc::{Bytes, Instant, Rate};
use westwood_net::{Capacity, Change, LinkChange, LinkConfig, PolicerConfig, ReorderConfig, Trace};
use westwood_sim::{Network, Outcome, Point, TcpSpec, Traffic, Workload, run};
use westwood_tcp::{AckPolicy, Config, Recovery, RtoConfig};

/// The bottleneck and the way of the ACKs.
const THERE: usize = 0;
const BACK: usize = 1;

fn mbit(n: u64) -> Rate {
    Rate::from_bits_per_s(n * 1_000_000)
}

fn at_ms(n: u64) -> Instant {
    Instant::ZERO + ms(n)
}

/// One flow of bbr3 with Linux's recovery, measured from `from` to `until` seconds; its window is recorded.
fn network(link: SharedLink, acks: AckPolicy, from: u64, until: u64) -> Network {
    let controller = named("bbr3");
    let mut network = link.network(&[Flow::of(controller)], from, until);
    let rto = RtoConfig { min: ms(200), ..RtoConfig::default() };
    let config = Config { recovery: Recovery::Linux, acks, rto, ..Config::default() };
    let tcp = TcpSpec { controller, config };
    network.flows[0].traffic = Traffic::Tcp(tcp.into(), Workload::Greedy);
    network.probes.windows = true;
    network
}

/// A link of the network as it is but for what `change` does.
fn change(network: &mut Network, link: usize, change: impl FnOnce(&mut LinkConfig)) {
    let mut config = (*network.links[link].config).clone();
    change(&mut config);
    network.links[link].config = config.into();
}

/// The bottleneck has another rate from second 10 on.
fn change_rate(network: &mut Network, rate: Rate) {
    change(network, THERE, |link| {
        link.schedule = vec![Change { at: at_ms(10_000), what: LinkChange::Rate(rate) }];
    });
}

/// ACKs arrive every so many ms, all that wait.
fn batch_acks(network: &mut Network, every: u64) {
    // Up to 150 ACKs of 40 bytes.
    let text = format!("{every}\n").repeat(4);
    let trace = Arc::new(Trace::parse(&text).expect("a trace"));
    change(network, BACK, |link| link.capacity = Capacity::Recorded(trace));
}

/// Windows and estimates in order of time: ms, segments, bit/s.
fn windows(outcome: &Outcome) -> Vec<(u64, u64, u64)> {
    let point = |record: &westwood_sim::Record| match &record.what {
        Point::Window { cwnd, bwe, .. } => {
            let ms = record.at.since(Instant::ZERO).as_nanos() / 1_000_000;
            Some((ms, cwnd.whole(), bwe.map_or(0, Rate::bits_per_s)))
        }
        _ => None,
    };
    outcome.records.iter().filter_map(point).collect()
}

/// The last window and estimate before this time in ms.
fn last(windows: &[(u64, u64, u64)], before: u64) -> (u64, u64) {
    let &(_, cwnd, bwe) = windows.iter().rev().find(|w| w.0 < before).expect("a window");
    (cwnd, bwe)
}

#[test]
fn achieving_expected_startup_bandwidth_on_a_link_with_aggregation() {
    // The product is 100 packets; the ACKs of 20 arrive at once.
    let link = SharedLink { mbit: 12, rtt: 100, buffer: 400 };
    let mut network = network(link, AckPolicy::Each, 0, 3);
    batch_acks(&mut network, 20);
    let windows = windows(&run(&network).expect("a network"));
    // Four rounds of at most 120 ms double ten segments to more than 100. Twice as many are enough.
    let found = windows.iter().find(|w| w.2 >= 11_400_000).expect("the rate").0;
    assert!(found < 960, "{found} ms");
    let widest = windows.iter().filter(|w| w.0 < 1_500).map(|w| w.1).max().expect("a window");
    assert!(widest > 200, "{widest} packets");
    // A batch at the end of a round-trip time is a fifth more than the path's rate.
    let fastest = windows.iter().map(|w| w.2).max().expect("an estimate");
    assert!(fastest <= 12_000_000 * 6 / 5, "{fastest} bit/s");
}

#[test]
fn achieving_expected_cruise_bandwidth_on_a_link_with_aggregation() {
    // The product is 20 packets, and the ACKs of 60 arrive at once: two products last for 40 ms.
    let link = SharedLink { mbit: 12, rtt: 20, buffer: 200 };
    let mut network = network(link, AckPolicy::Each, 20, 60);
    batch_acks(&mut network, 60);
    let bottleneck = run(&network).expect("a network").links.remove(THERE);
    assert!(bottleneck.utilization > 0.9, "{bottleneck:?}");
}

#[test]
fn correctly_managing_sub_packet_bdps() {
    // 64 kbit/s, the draft's least, and 10 ms: 80 bytes. A packet takes 188 ms.
    let link = SharedLink { mbit: 1, rtt: 10, buffer: 100 };
    let mut network = network(link, AckPolicy::Delayed { timer: ms(40) }, 30, 120);
    change(&mut network, THERE, |link| {
        link.capacity = Capacity::Fixed(Rate::from_bits_per_s(64_000));
    });
    let outcome = run(&network).expect("a network");
    let bottleneck = &outcome.links[THERE];
    assert!(bottleneck.utilization > 0.9, "{bottleneck:?}");
    let mut windows = windows(&outcome);
    windows.retain(|w| w.0 >= 30_000);
    assert!(!windows.is_empty() && windows.iter().all(|w| w.1 >= 4), "{windows:?}");
    let (_, bwe) = last(&windows, 120_000);
    assert!(bwe.abs_diff(64_000) <= 1_280, "{bwe} bit/s");
}

#[test]
fn increasing_bandwidth_10x_and_ensuring_full_bandwidth_is_reached() {
    // Of 333 packets with the larger rate: a buffer of as many, and one in which the slow link's probes lose.
    for buffer in [333, 16] {
        let link = SharedLink { mbit: 10, rtt: 40, buffer };
        let mut network = network(link, AckPolicy::Each, 16, 20);
        change_rate(&mut network, mbit(100));
        let outcome = run(&network).expect("a network");
        let windows = windows(&outcome);
        let found = windows.iter().find(|w| w.0 >= 10_000 && w.2 >= 90_000_000);
        // A probe begins within three seconds. Four times log2(333) rounds of at most 80 ms are allowed.
        let until = 10_000 + 3_000 + 34 * 80;
        let at = found.map(|w| w.0);
        assert!(at.is_some_and(|at| at < until), "{buffer}: {at:?} of {until} ms");
        let used = outcome.links[THERE].utilization;
        assert!(used > 0.85, "{buffer}: {used}");
    }
}

#[test]
fn decreasing_bandwidth_10x_and_ensuring_max_bandwidth_adapts_down() {
    let link = SharedLink { mbit: 100, rtt: 40, buffer: 333 };
    let mut network = network(link, AckPolicy::Each, 25, 50);
    change_rate(&mut network, mbit(10));
    let outcome = run(&network).expect("a network");
    let windows = windows(&outcome);
    let (_, before) = last(&windows, 10_000);
    assert!(before > 90_000_000, "{before} bit/s");
    // The bound was twice the new rate after ten rounds of a full buffer, 440 ms each: it fails. Each round
    // with a loss takes 0.7, but after three of them the bound in flight fits the buffer, and nothing is lost
    // that would lower the estimate further. The next probe begins with the old estimate.
    let soon = windows.iter().filter(|w| (10_000..14_400).contains(&w.0)).map(|w| w.2).min();
    let soon = soon.expect("an estimate");
    assert!((20_000_000..50_000_000).contains(&soon), "{soon} bit/s");
    // Two cycles of three seconds at most each, and rounds of them. Fifteen seconds are allowed.
    for at in [25_000, 35_000, 50_000] {
        let (_, bwe) = last(&windows, at);
        assert!((9_000_000..=11_000_000).contains(&bwe), "{at} ms: {bwe} bit/s");
    }
    let bottleneck = &outcome.links[THERE];
    assert!(bottleneck.utilization > 0.9, "{bottleneck:?}");
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn handling_token_bucket_policers() {
    // 100 Mbit/s, of which a policer lets 10 pass, and bursts of 100 packets.
    let link = SharedLink { mbit: 100, rtt: 40, buffer: 333 };
    let mut network = network(link, AckPolicy::Each, 20, 60);
    let burst = Bytes::new(150_000);
    change(&mut network, THERE, |link| {
        link.policer = Some(PolicerConfig { rate: mbit(10), burst });
    });
    let outcome = run(&network).expect("a network");
    let delivered = outcome.flows[0].delivered_bytes as f64 / 50_000_000.0;
    let dropped = outcome.links[THERE].dropped_policer as f64 / outcome.flows[0].sent as f64;
    assert!((0.7..=1.01).contains(&delivered), "{delivered} of the tokens");
    // LossThresh is 2 %: a probe may lose that, and the rounds around it are allowed as much again.
    assert!(dropped < 0.04, "{dropped} dropped");
}

#[test]
fn handling_spurious_fast_recovery() {
    let link = SharedLink { mbit: 12, rtt: 100, buffer: 200 };
    let mut network = network(link, AckPolicy::Each, 0, 60);
    change(&mut network, THERE, |link| {
        link.reorder = Some(ReorderConfig { p: 0.01, by: 40, within: ms(80) });
    });
    let outcome = run(&network).expect("a network");
    let (flow, bottleneck) = (&outcome.flows[0], &outcome.links[THERE]);
    assert!(flow.undone >= 1, "{flow:?}");
    assert_eq!((bottleneck.dropped_overflow, flow.timeouts), (0, 0));
    assert!(bottleneck.utilization > 0.9, "{bottleneck:?}");
}

#[test]
fn handling_spurious_rto_recovery() {
    let link = SharedLink { mbit: 12, rtt: 100, buffer: 200 };
    let mut network = network(link, AckPolicy::Each, 19, 40);
    // ACKs of a second come a second late, and none is lost.
    let delay = |at, delay| Change { at: at_ms(at), what: LinkChange::Delay(ms(delay)) };
    change(&mut network, BACK, |link| {
        link.schedule = vec![delay(20_000, 1_100), delay(21_000, 100)];
    });
    let outcome = run(&network).expect("a network");
    let flow = &outcome.flows[0];
    assert!(flow.timeouts >= 1 && flow.undone >= 1, "{flow:?}");
    let windows = windows(&outcome);
    let (before, after) = (last(&windows, 20_000), last(&windows, 23_000));
    assert!(after.0 * 10 >= before.0 * 9, "{before:?} {after:?}");
    assert!(after.1 * 10 >= before.1 * 9, "{before:?} {after:?}");
}
