//! Tests that need the kernel's help, and what they say where it is not given.

use std::io::Write as _;

use westwood_emu::{End, Host, HostConfig};

/// A host at one end of a single flow, with an MTU of 1500 bytes.
pub(crate) fn host(end: End) -> HostConfig {
    HostConfig {
        end,
        flows: 0..1,
        mtu: 1500,
        single_segments: false,
        route: String::new(),
        settings: Vec::new(),
    }
}

/// Whether hosts can be made here. If not, a line says why; it is a failure where
/// `WESTWOOD_REQUIRE_KERNEL` is 1.
pub(crate) fn kernel_helps() -> bool {
    let Err(why) = Host::new(&host(End::Client)) else { return true };
    not_judged("skipped", &why);
    false
}

/// Says why nothing was judged; that is a failure where `WESTWOOD_REQUIRE_KERNEL` is 1.
pub(crate) fn not_judged(word: &str, why: &dyn std::fmt::Display) {
    let required = std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_some_and(|v| v == "1");
    assert!(!required, "WESTWOOD_REQUIRE_KERNEL=1, but {why}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "{word}: {why}");
}
