//! No command line panics; a valid one gives a network. Arguments are separated by newlines.
//!
//! `cargo +nightly fuzz run command_line`
#![no_main]

use std::ffi::OsString;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use westwood_cli::scenario_of;

fuzz_target!(|text: &str| {
    let line = ["westwood", "compare"].into_iter().chain(text.lines());
    let read = |_: &Path| Ok("0\n1\n5\n".to_owned());
    let Ok(Some(scenario)) = scenario_of(line.map(OsString::from), &read) else {
        return;
    };
    let (point, seeds) = (&scenario.points()[0], scenario.seeds());
    assert!(scenario.build(point, seeds[0]).is_ok());
});
