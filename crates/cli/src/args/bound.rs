//! The flag that says how punctual real packets have to be.

use clap::Args;
use westwood_cc::Duration;

use super::values::rtt;

/// How punctual the packets of `--on linux` have to be.
#[derive(Clone, Copy, Debug, Args)]
pub struct BoundArgs {
    /// With --on linux: how late packets may be at the 99th percentile; a later run is done anew, and
    /// invalid after the third time [default: a hundredth of the shortest round-trip time, at least
    /// 100us].
    ///
    /// It also is how long packets may stand still, if that is longer than the shortest buffer lasts.
    /// With a wide bound numbers say what this machine did, not what the path does. The bound stands
    /// beside the results (lateness_us in the JSON), and runs under another one are never taken for
    /// finished ones.
    #[arg(long, value_parser = rtt, value_name = "TIME", allow_hyphen_values = true)]
    pub bound: Option<Duration>,
}
