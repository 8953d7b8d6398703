//! Modifiers beside a controller do as their RFCs say, whatever the controller.

use crate::support::{dumbbell, ms, ns2_tcp};
use westwood_cc::controllers::Choice;
use westwood_cc::modifiers::Modifiers;
use westwood_cc::slow_start::FirstSlowStart;
use westwood_cc::{Rate, Ratio};
use westwood_net::{Limit, LinkConfig, MarkAbove, QueueConfig, ThresholdConfig};
use westwood_sim::{Network, TcpSpec, run};
use westwood_tcp::{AckPolicy, Config, Recovery};

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

/// Segments dropped by the queue of a path with four times its bandwidth-delay product.
fn dropped(controller: Choice, slow_start: FirstSlowStart) -> u64 {
    let modifiers = Modifiers { slow_start, ..Modifiers::default() };
    let outcome = run(&path(controller, modifiers, 533)).expect("a network");
    outcome.links.iter().map(|link| link.dropped_overflow).sum()
}

fn led() -> impl Iterator<Item = Choice> {
    Choice::all().filter(|choice| Modifiers::fit(choice.command()))
}

#[test]
fn no_way_to_end_slow_start_early_makes_any_controller_lose_more() {
    for choice in led() {
        let name = choice.info().name;
        let standard = dropped(choice, FirstSlowStart::Standard);
        for slow_start in
            [FirstSlowStart::HyStartPlusPlus, FirstSlowStart::Search, FirstSlowStart::FirstAcks]
        {
            let early = dropped(choice, slow_start);
            assert!(early <= standard, "{name} {slow_start:?}: {early} of {standard}");
        }
    }
}

#[test]
fn on_an_idle_path_hoes_threshold_loses_nothing_and_search_less_than_half() {
    let reno = Choice::named("reno").expect("in the catalog");
    let standard = dropped(reno, FirstSlowStart::Standard);
    assert!(standard > 100, "{standard}");
    assert_eq!(dropped(reno, FirstSlowStart::FirstAcks), 0);
    let search = dropped(reno, FirstSlowStart::Search);
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

#[test]
fn alternative_backoff_keeps_a_link_with_a_short_queue_busier() {
    let reno = Choice::named("reno").expect("in the catalog");
    let busy = |beta_ecn| {
        let mut network = path(reno, Modifiers { beta_ecn, ..Modifiers::default() }, 0);
        network.duration = ms(60_000);
        network.warmup = ms(20_000);
        for link in &mut network.links {
            if &*link.name == "1-2" {
                let marking = ThresholdConfig {
                    limit: Limit::Packets(200),
                    mark_above: MarkAbove::Packets(10),
                };
                let queue = QueueConfig::Threshold(marking);
                link.config = LinkConfig { queue, ..(*link.config).clone() }.into();
            }
        }
        run(&network).expect("a network").flows[0].delivered_bytes
    };
    let (standard, abe) = (busy(Ratio::new(0, 1)), busy(Ratio::new(4, 5)));
    assert!(abe * 100 > standard * 103, "{abe} against {standard}");
}
