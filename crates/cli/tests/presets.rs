//! A preset is what a user could have written, and what the user writes wins.

use std::ffi::OsString;

use westwood_cc::Bytes;
use westwood_cli::plan_of;
use westwood_scenario::compare::{Plan, Progress, compare};
use westwood_scenario::presets::PRESETS;
use westwood_tcp::Recovery;

fn plan(flags: &[String]) -> Plan {
    let line = ["westwood", "compare", "--jobs", "1"].map(String::from).into_iter();
    let read = |_: &std::path::Path| Err("no file".to_owned());
    let line = line.chain(flags.iter().cloned()).map(OsString::from);
    plan_of(line, &read).unwrap_or_else(|stop| panic!("{}", stop.text())).expect("a comparison")
}

fn flags(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn a_preset_is_its_settings_written_by_hand() {
    for preset in PRESETS {
        let by_hand: Vec<String> = preset
            .settings
            .iter()
            .flat_map(|s| [format!("--{}", s.name), s.value.to_owned()])
            .collect();
        let (by_name, by_hand) = (plan(&flags(&format!("--like {}", preset.name))), plan(&by_hand));
        assert_eq!(by_name.path, by_hand.path, "{}", preset.name);
        assert_eq!(by_name.controllers, by_hand.controllers, "{}", preset.name);
    }
}

#[test]
fn what_is_given_by_hand_wins_wherever_it_stands() {
    for line in [
        "--recovery sack-1996 --packet 9000 --like ns-2",
        "--like ns-2 --recovery=sack-1996 --packet=9000",
    ] {
        let path = plan(&flags(line)).path;
        assert_eq!((path.recovery, path.packet), (Recovery::Sack1996, Bytes::new(9_000)));
        assert_eq!(path.initial_window, 2);
    }
}

#[test]
fn a_value_by_hand_wins_even_if_it_is_the_flags_default() {
    assert_eq!(plan(&flags("--like ns-2 --initial-window 10")).path.initial_window, 10);
}

#[test]
fn ns2_lets_one_packet_less_wait() {
    let waiting = |line: &str| plan(&flags(line)).path.buffer_packets();
    assert_eq!(waiting("--like ns-2 --buffer 104pkt"), Ok(103));
    assert_eq!(waiting("--like linux --buffer 104pkt"), Ok(104));
}

/// The goodput in bit/s of the first controller that a command line compares.
fn goodput(line: &str) -> f64 {
    let plan = plan(&flags(&format!("{line} --loss none --seeds 1")));
    let comparison = compare(&plan, &Progress::new(&plan)).expect("a valid plan");
    comparison.runs[0].goodput_bps
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
