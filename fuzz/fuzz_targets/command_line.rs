//! No command line panics; a valid one gives a network. Arguments are separated by newlines.
//!
//! `cargo +nightly fuzz run command_line`
#![no_main]

use std::ffi::OsString;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use westwood_cli::plan_of;
use westwood_sim::Probes;

fuzz_target!(|text: &str| {
    let line = ["westwood", "compare"].into_iter().chain(text.lines());
    let read = |_: &Path| Ok("0\n1\n5\n".to_owned());
    let Ok(Some(plan)) = plan_of(line.map(OsString::from), &read) else {
        return;
    };
    if plan.path.flow_count() < 100 {
        let network = plan.path.network(&plan.controllers[0], plan.seeds[0], Probes::default());
        assert!(network.is_ok());
    }
});
