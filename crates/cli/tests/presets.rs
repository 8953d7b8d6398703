//! A preset is what a user could have written, and what the user writes wins.

use std::ffi::OsString;

use westwood_cc::Bytes;
use westwood_cli::plan_of;
use westwood_scenario::compare::Plan;
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
