//! A preset is what a user could have written, and what the user writes wins.

use std::ffi::OsString;

use westwood_cc::Bytes;
use westwood_cli::scenario_of;
use westwood_experiment::run::{CompletedRun, GridProgress, RunBatch, RunTask, run};
use westwood_scenario::dumbbell::Dumbbell;
use westwood_scenario::file::Scenario;
use westwood_scenario::presets::PRESETS;
use westwood_tcp::Recovery;

fn scenario(flags: &[String]) -> Scenario {
    let line = ["westwood", "compare", "--jobs", "1"].map(String::from).into_iter();
    let read = |_: &std::path::Path| Err("no file".to_owned());
    let line = line.chain(flags.iter().cloned()).map(OsString::from);
    let read = scenario_of(line, &read).unwrap_or_else(|stop| panic!("{}", stop.text()));
    read.expect("a comparison")
}

fn flags(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn dumbbell(line: &str) -> Dumbbell {
    let scenario = scenario(&flags(line));
    scenario.build(&scenario.points()[0], 1).unwrap().dumbbell.expect("a comparison has one")
}

/// The networks of all controllers that a command line compares.
fn networks(flags: &[String]) -> String {
    let scenario = scenario(flags);
    let network = |point| scenario.build(point, 1).unwrap().network;
    format!("{:#?}", scenario.points().iter().map(network).collect::<Vec<_>>())
}

#[test]
fn a_preset_is_its_settings_written_by_hand() {
    for preset in PRESETS {
        let settings = preset.settings.iter();
        let by_hand: Vec<String> =
            settings.flat_map(|s| [format!("--{}", s.name), s.value.to_owned()]).collect();
        // Over the settings of another preset, each of which this one must set as well.
        for other in ["rfc", "linux"] {
            let like = |name: &str| flags(&format!("--like {name} --cc reno"));
            let named = networks(&like(preset.name));
            let set = |name: &str| preset.settings.iter().any(|s| s.name == name);
            let others = PRESETS.iter().find(|p| p.name == other).unwrap().settings;
            if others.iter().all(|s| set(s.name)) {
                let mut whole = vec!["--like".to_owned(), other.to_owned()];
                whole.extend(by_hand.chunks(2).filter(|s| s[0] != "--cc").flatten().cloned());
                whole.extend(["--cc".to_owned(), "reno".to_owned()]);
                assert!(named == networks(&whole), "{} over {other}", preset.name);
            }
        }
    }
}

#[test]
fn without_flags_todays_hosts_are_simulated() {
    assert_eq!(networks(&[]), networks(&flags("--like linux")));
}

#[test]
fn what_is_given_by_hand_wins_wherever_it_stands() {
    for line in [
        "--recovery sack-1996 --packet 9000 --like ns-2",
        "--like ns-2 --recovery=sack-1996 --packet=9000",
    ] {
        let transport = dumbbell(line).transport;
        let config = transport.config();
        assert_eq!(config.recovery, Recovery::Sack1996);
        assert_eq!(config.sizes.payload, Bytes::new(9_000));
        assert_eq!(config.initial_window.whole(), 2);
    }
}

#[test]
fn a_value_by_hand_wins_even_if_it_is_the_usual_one() {
    let transport = dumbbell("--like ns-2 --initial-window 10").transport;
    assert_eq!(transport.config().initial_window.whole(), 10);
}

#[test]
fn ns2_lets_one_packet_less_wait() {
    let waiting = |line: &str| dumbbell(line).buffer_packets();
    assert_eq!(waiting("--like ns-2 --buffer 104pkt"), Ok(103));
    assert_eq!(waiting("--like linux --buffer 104pkt"), Ok(104));
}

/// The goodput in bit/s of the first controller that a command line compares.
fn goodput(line: &str) -> f64 {
    let scenario = scenario(&flags(&format!("{line} --loss none --seeds 1")));
    let task = RunTask { point: 0, seed: 1 };
    let mut goodput = 0.0;
    let take = |done: CompletedRun| {
        goodput = done.record().summary.expect("it runs").goodput_bps;
        Ok::<(), ()>(())
    };
    let watch = GridProgress::new(&scenario, 1);
    assert_eq!(run(RunBatch::simulated(&scenario, &[task], 1), &watch, take), Ok(true));
    goodput
}

#[test]
fn like_ns2_gives_ns2s_goodput_within_3_percent() {
    // ns-2.35, S3: a limit of half and of a tenth of the bandwidth-delay product, from 50 s on.
    let path = "--like ns-2 --cc reno --rate 10Mbit/s --rtt 250ms --time 500s --warmup 50s";
    let newreno = goodput(&format!("{path} --buffer 104pkt"));
    assert!((newreno / 9_366_613.3 - 1.0).abs() < 0.03, "{newreno}");
    let sack = goodput(&format!("{path} --buffer 20pkt --recovery sack-1996"));
    assert!((sack / 8_115_840.0 - 1.0).abs() < 0.03, "{sack}");
}

#[test]
fn like_linux_gives_the_kernels_goodput_within_3_percent() {
    // Linux 6.1.192, L1: the whole run of Westwood+, whose first overshoot is its own.
    let path = "--rate 10Mbit/s --rtt 100ms --buffer 83pkt --time 120s --warmup 0s";
    let westwood = goodput(&format!("--like linux --cc westwood-linux {path}"));
    assert!((westwood / 9_432_800.0 - 1.0).abs() < 0.03, "{westwood}");
}
