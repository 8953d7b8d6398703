//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus) on a simulated bottleneck, by the draft's aims.
//!
//! Every bound was written down before its result was seen, but where a test says otherwise.

#[path = "support/mod.rs"]
mod support;

use support::shared_link::{Flow, SharedLink, named, parts};
use westwood_cc::controllers::Choice;
use westwood_cc::params::Value;

/// A packet a millisecond: a queue of 60 ms is one of 60 packets. The product is 50.
const LONG: SharedLink = SharedLink { mbit: 12, rtt: 50, buffer: 200 };
/// A buffer of one bandwidth-delay product, which is less than the target.
const SHORT: SharedLink = SharedLink { buffer: 50, ..LONG };

/// LEDBAT++ that never slows down.
fn without_slowdowns() -> Choice {
    let mut ledbat = named("ledbat++");
    ledbat.set("slowdowns", Value::Flag(false)).expect("a switch");
    ledbat
}

#[test]
fn s4_alone_it_fills_the_link_but_for_a_tenth_and_keeps_the_queue_at_the_target() {
    let outcome = LONG.run(&[Flow::of(named("ledbat++"))], 20, 180);
    let bottleneck = &outcome.links[0];
    // Section 4.4: slowdowns cost a tenth at most.
    assert!(bottleneck.utilization > 0.9, "{bottleneck:?}");
    // A tenth above 60 ms.
    assert!(bottleneck.queue_p95 <= 66, "{bottleneck:?}");
}

#[test]
fn s1_beside_reno_and_cubic_it_takes_little() {
    for rival in ["reno", "cubic"] {
        let part = |path: SharedLink| {
            let flows = [Flow::of(named("ledbat++")), Flow::of(named(rival))];
            parts(&path.run(&flows, 20, 180))[0]
        };
        // A standing queue beyond the target leaves it two segments a round-trip time.
        assert!(part(LONG) < 0.05, "{rival}: {}", part(LONG));
        // A queue that never reaches the target says nothing: losses do, and GAIN is a third.
        assert!(part(SHORT) < 0.25, "{rival}: {}", part(SHORT));
    }
}

#[test]
fn s4_4_with_slowdowns_a_late_comer_shares_and_without_them_it_takes_the_queue_for_the_empty_path()
{
    let parts = |ledbat| {
        let flows = [Flow::of(ledbat), Flow { start: 30, ..Flow::of(ledbat) }];
        parts(&LONG.run(&flows, 60, 180))
    };
    let (with, without) = (parts(named("ledbat++")), parts(without_slowdowns()));
    assert!(with.iter().all(|part| (0.35..0.65).contains(part)), "{with:?}");
    assert!(without[1] > 0.65, "{without:?}");
}
