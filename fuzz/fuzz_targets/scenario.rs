//! No file panics on its way to a simulation; one that is accepted can be simulated.
//!
//! `cargo +nightly fuzz run scenario`
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use westwood_cc::Duration;
use westwood_scenario::file::Scenario;
use westwood_sim::run;

/// The part of each network that is simulated: enough for handshakes of everything, fast enough to fuzz.
const MOST_TIME: Duration = Duration::from_millis(20);
const MOST_PACKETS: u128 = 20_000_000;
const MOST_FLOWS: usize = 200;

fuzz_target!(|text: &str| {
    let read = |_: &Path| Ok("0\n1\n5\n".to_owned());
    let scenario = match Scenario::parse("f.toml", text, &[], &read) {
        Ok(scenario) => scenario,
        Err(error) => {
            assert!(error.count() > 0);
            assert!(!error.to_string().contains('\u{1b}'));
            return;
        }
    };
    let Some(point) = scenario.points().last() else {
        return;
    };
    let seed = scenario.seeds()[0];
    let mut network = scenario.build(point, seed).expect("an accepted file can be built").network;
    if point.estimate.packets > MOST_PACKETS || network.flows.len() > MOST_FLOWS {
        return;
    }
    network.duration = network.duration.min(MOST_TIME);
    network.warmup = Duration::ZERO;
    run(&network).expect("an accepted file can be simulated");
});
