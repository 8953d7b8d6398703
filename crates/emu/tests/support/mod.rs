//! Tests that need the kernel's help.

pub(crate) mod judged;

use judged::skipped;
use westwood_emu::{FlowEnd, Host, HostConfig};

/// A host at one end of a single flow, with an MTU of 1500 bytes.
pub(crate) fn host(end: FlowEnd) -> HostConfig {
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
    let Err(why) = Host::new(&host(FlowEnd::Client)) else { return true };
    skipped(why);
    false
}
