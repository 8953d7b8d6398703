//! Modifiers beside a controller do as their RFCs say, whatever the controller.

use crate::support::{dumbbell, ms, ns2_tcp};
use westwood_cc::controllers::Choice;
use westwood_cc::modifiers::Modifiers;
use westwood_cc::slow_start::FirstSlowStart;
use westwood_cc::{Rate, Ratio, Segments};
use westwood_net::{Limit, LinkConfig, MarkAbove, QueueConfig, ThresholdConfig};
use westwood_sim::{Network, Notes, Point, Probes, TcpSpec, run};
use westwood_tcp::{AckPolicy, Config, Note, Recovery, Signal};

const MBIT: u64 = 1_000_000;

/// 20 Mbit/s, 80 ms, for 6 s.
fn path(controller: Choice, modifiers: Modifiers, waiting: u64) -> Network {
    path_of(&tcp(controller, modifiers), waiting)
}

fn tcp(controller: Choice, modifiers: Modifiers) -> TcpSpec {
    let plain = ns2_tcp("reno", Recovery::Sack);
    TcpSpec { controller, config: Config { modifiers, ecn: true, ..plain.config } }
}

fn path_of(tcp: &TcpSpec, waiting: u64) -> Network {
    let (rate, access) = (Rate::from_bits_per_s(20 * MBIT), Rate::from_bits_per_s(1_000 * MBIT));
    dumbbell(rate, ms(80), waiting, access, *tcp, ms(6_000), ms(0))
}

/// The first slow start of a flow over a queue of four times the path's bandwidth-delay product.
#[derive(Clone, Copy, Debug)]
struct Opening {
    /// The largest window in it.
    peak: Segments,
    /// A loss ended it.
    lost: bool,
    /// Segments that the queue dropped in the whole run.
    dropped: u64,
}

fn opening(controller: Choice, slow_start: FirstSlowStart) -> Opening {
    let mut tcp = tcp(controller, Modifiers { slow_start, ..Modifiers::default() });
    // HyStart++ compares rounds of eight samples; without timestamps a round has one.
    tcp.config.timestamps = true;
    let mut network = path_of(&tcp, 533);
    network.probes = Probes { windows: true, ..Probes::default() };
    let outcome = run(&network).expect("a network");
    let dropped = outcome.links.iter().map(|link| link.dropped_overflow).sum();
    let mut opening = Opening { peak: Segments::ZERO, lost: false, dropped };
    for record in &outcome.records {
        let Point::Window { cwnd, ssthresh, cause, .. } = &record.what else { continue };
        opening.lost = cause.as_ref().is_some_and(Notes::is_reduction);
        if opening.lost || cwnd >= ssthresh {
            break;
        }
        opening.peak = opening.peak.max(*cwnd);
    }
    opening
}

fn led() -> impl Iterator<Item = Choice> {
    Choice::all().filter(|choice| Modifiers::fit(choice.control_scope()))
}

/// Controllers that end slow start themselves before this path's queue is full.
const JUDGE_THEMSELVES: [&str; 8] =
    ["cdg", "cubic-linux", "ledbat", "ledbat++", "nv", "vegas", "vegas-linux", "yeah"];

#[test]
fn slow_start_ends_before_the_loss_beside_every_controller_and_none_loses_more() {
    for choice in led() {
        let name = choice.info().name;
        let standard = opening(choice, FirstSlowStart::Standard);
        assert_eq!(standard.lost, !JUDGE_THEMSELVES.contains(&name), "{name} {standard:?}");
        for slow_start in
            [FirstSlowStart::HyStartPlusPlus, FirstSlowStart::Search, FirstSlowStart::FirstAcks]
        {
            let early = opening(choice, slow_start);
            let told = || format!("{name} {slow_start:?}: {early:?}, standard {standard:?}");
            assert!(early.dropped <= standard.dropped, "{}", told());
            assert!(early.peak <= standard.peak, "{}", told());
            // Hybla's window goes from below the path's to beyond the queue's within two rounds.
            if standard.lost && (name != "hybla" || slow_start == FirstSlowStart::FirstAcks) {
                assert!(!early.lost && early.peak < standard.peak, "{}", told());
            }
        }
    }
}

#[test]
fn on_an_idle_path_hystart_search_and_hoes_threshold_lose_nothing() {
    let reno = Choice::named("reno").expect("in the catalog");
    let standard = opening(reno, FirstSlowStart::Standard).dropped;
    assert!(standard > 100, "{standard}");
    for slow_start in
        [FirstSlowStart::HyStartPlusPlus, FirstSlowStart::Search, FirstSlowStart::FirstAcks]
    {
        assert_eq!(opening(reno, slow_start).dropped, 0, "{slow_start:?}");
    }
}

#[test]
fn hystart_judges_nothing_where_a_round_has_a_single_sample() {
    let reno = Choice::named("reno").expect("in the catalog");
    let dropped = |slow_start| {
        let links = run(&path(reno, Modifiers { slow_start, ..Modifiers::default() }, 533));
        let links = links.expect("a network").links;
        links.iter().map(|link| link.dropped_overflow).sum::<u64>()
    };
    let standard = dropped(FirstSlowStart::Standard);
    assert_eq!(dropped(FirstSlowStart::HyStartPlusPlus), standard);
    let search = dropped(FirstSlowStart::Search);
    assert!(search * 2 < standard, "{search} of {standard}");
}

/// The longest queue within 2 s, and the mean one of the third second, where everything may wait.
fn queues(tcp: &TcpSpec) -> (u64, f64) {
    let queue = |from, to| {
        let mut network = path_of(tcp, 100_000);
        (network.warmup, network.duration) = (ms(from), ms(to));
        let links = run(&network).expect("a network").links;
        let longest = links.iter().map(|link| link.queue_max).max();
        (longest.unwrap_or(0), links.iter().map(|link| link.queue_mean).fold(0.0, f64::max))
    };
    (queue(0, 2_000).0, queue(2_000, 3_000).1)
}

fn reno(slow_start: FirstSlowStart) -> TcpSpec {
    let reno = Choice::named("reno").expect("in the catalog");
    tcp(reno, Modifiers { slow_start, ..Modifiers::default() })
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "packets of a queue")]
fn search_s3_2_the_drain_phase_shortens_the_queue_that_slow_start_has_built() {
    let (longest, later) = queues(&reno(FirstSlowStart::Search));
    assert!(later < longest as f64 * 0.75, "{later} of {longest}");
    let (longest, later) = queues(&reno(FirstSlowStart::Standard));
    assert!(later > longest as f64, "{later} of {longest}");
}

#[test]
fn search_does_not_see_a_queue_that_lengthens_the_round_trip_time_as_fast_as_time_passes() {
    // Two segments leave for each that arrives: what is acknowledged was always sent at one time.
    let later = |slow_start| {
        let mut tcp = reno(slow_start);
        tcp.config.acks = AckPolicy::Each;
        queues(&tcp).1
    };
    let (standard, search) = (later(FirstSlowStart::Standard), later(FirstSlowStart::Search));
    assert!(search > standard * 0.9, "{search} of {standard}");
}

/// Puts a queue that marks packets beyond so many waiting ones before the bottleneck.
fn mark_above(network: &mut Network, packets: u64) {
    for link in &mut network.links {
        if &*link.name == "1-2" {
            let mark_above = MarkAbove::Packets(packets);
            let marking = ThresholdConfig { limit: Limit::Packets(200), mark_above };
            let queue = QueueConfig::Threshold(marking);
            link.config = LinkConfig { queue, ..(*link.config).clone() }.into();
        }
    }
}

/// The window that the first mark finds, beyond slow start, and ssthresh behind it.
fn first_answer(controller: Choice, beta_ecn: Ratio) -> (Segments, Segments) {
    let mut tcp = tcp(controller, Modifiers { beta_ecn, ..Modifiers::default() });
    // Slow start ends at the path's 40 segments. The queue then grows to 30 packets.
    tcp.config.initial_ssthresh = Segments::new(40);
    let (rate, access) = (Rate::from_bits_per_s(20 * MBIT), Rate::from_bits_per_s(1_000 * MBIT));
    let mut network = dumbbell(rate, ms(24), 0, access, tcp, ms(8_000), ms(0));
    mark_above(&mut network, 30);
    network.probes = Probes { windows: true, ..Probes::default() };
    let outcome = run(&network).expect("a network");
    let is_echo = |note: &Note| matches!(note, Note::Reduced { signal: Signal::EcnEcho, .. });
    let mut before = Segments::ZERO;
    for record in &outcome.records {
        let Point::Window { cwnd, ssthresh, cause, .. } = &record.what else { continue };
        if cause.as_deref().unwrap_or_default().iter().any(is_echo) {
            return (before, *ssthresh);
        }
        before = *cwnd;
    }
    panic!("{} meets no mark", controller.info().name);
}

#[test]
fn rfc8511_a_mark_leaves_the_stated_share_of_the_window_whatever_the_controller_leaves() {
    let abe = Ratio::new(9, 10);
    for name in [
        "reno",
        "reno-linux",
        "westwood",
        "westwood+",
        "log-westwood+",
        "cubic",
        "cubic-linux",
        "highspeed",
        "htcp",
        "illinois",
        "veno",
        "dctcp",
    ] {
        let controller = Choice::named(name).expect("in the catalog");
        let apart_from_share = |beta_ecn| {
            let (before, after) = first_answer(controller, beta_ecn);
            assert!(before > Segments::new(40), "{name}: {before}");
            let share = before.times(abe);
            share.max(after) - share.min(after)
        };
        // The ACK of the mark may let the window grow first.
        let (own, stated) = (apart_from_share(Ratio::new(0, 1)), apart_from_share(abe));
        assert!(stated <= Segments::ONE, "{name}: {stated} segments");
        assert!(own > Segments::TWO, "{name}: {own} segments");
    }
}

#[test]
fn alternative_backoff_keeps_a_link_with_a_short_queue_busier() {
    let reno = Choice::named("reno").expect("in the catalog");
    let busy = |beta_ecn| {
        let mut network = path(reno, Modifiers { beta_ecn, ..Modifiers::default() }, 0);
        network.duration = ms(60_000);
        network.warmup = ms(20_000);
        mark_above(&mut network, 10);
        run(&network).expect("a network").flows[0].delivered_bytes
    };
    let (standard, abe) = (busy(Ratio::new(0, 1)), busy(Ratio::new(4, 5)));
    assert!(abe * 100 > standard * 103, "{abe} against {standard}");
}
