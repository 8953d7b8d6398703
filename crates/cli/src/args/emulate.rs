//! The flags of `westwood emulate`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use westwood_cc::{Bytes, Duration};
use westwood_kernel::{ChosenController, NoController};
use westwood_scenario::BadInput;
use westwood_scenario::file::Assignment;

use super::values::{file, folder, mtu, rtt, seed};
use super::{PathFlagValues, path_flags};

/// The flags of `westwood emulate`.
#[derive(Clone, Debug, Args)]
pub struct EmulateArgs {
    /// A scenario file or the name of a ready scenario, whose path is emulated instead of one from
    /// flags: the path of the first flow under test, without the other flows.
    #[arg(value_name = "SCENARIO", value_parser = file, 
        conflicts_with_all = path_flags().into_iter().map(|flag| flag.name))]
    pub scenario: Option<PathBuf>,

    /// Set a field of the scenario, as in dumbbell.rate=10Mbit/s; may be repeated.
    #[arg(long, value_parser = Assignment::parse, value_name = "PATH=VALUE", requires = "scenario")]
    pub set: Vec<Assignment>,

    /// The path.
    #[command(flatten)]
    pub path: PathFlagValues,

    /// The data direction, which has the losses of --loss, is from the server to the command.
    #[arg(long, help_heading = "Path")]
    pub download: bool,

    /// Seed of random losses, jitter and queues.
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N",
        allow_hyphen_values = true, help_heading = "Path")]
    pub seed: u64,

    /// The command, and its arguments. Its exit code is passed on.
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub command: Vec<OsString>,

    /// A shell command to run at the far end, before COMMAND begins: 'iperf3 -s -1'.
    ///
    /// COMMAND begins when it listens, or after two seconds, and it is ended when COMMAND has ended.
    #[arg(long, value_name = "COMMAND", help_heading = "Hosts",
        value_parser = OsStringValueParser::new().try_map(shell_command))]
    pub server: Option<OsString>,

    /// The kernel's congestion controller for every connection that asks for none
    /// [default: the system's].
    ///
    /// Names are those of westwood compare: westwood is this project's, and must be loaded;
    /// westwood-linux is the one that Linux ships. Any other name is the kernel's own.
    #[arg(long, value_name = "NAME", value_parser = controller, help_heading = "Hosts")]
    pub cc: Option<ChosenController>,

    /// The largest packet, headers included; without IPv6 below 1280 bytes.
    #[arg(long, value_parser = mtu, default_value = "1500", value_name = "BYTES",
        allow_hyphen_values = true, help_heading = "Hosts")]
    pub mtu: Bytes,

    /// How late packets may be at the 99th percentile; a later emulation is invalid, exit code 5
    /// [default: a hundredth of the round-trip time, at least 100us].
    #[arg(long, value_parser = rtt, value_name = "TIME", allow_hyphen_values = true,
        help_heading = "Measuring")]
    pub bound: Option<Duration>,

    /// Print what passes, every second, on stderr.
    #[arg(long, help_heading = "Output")]
    pub live: bool,

    /// Write what comes off each link (but access links) to DIR, as a pcapng file for each.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub pcap: Option<PathBuf>,

    /// Do not print what was carried.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

fn shell_command(text: OsString) -> Result<OsString, BadInput> {
    if text.to_string_lossy().trim().is_empty() {
        let what = BadInput::new("the command is empty");
        return Err(what.hint("write 'iperf3 -s -1', or leave the flag out"));
    }
    Ok(text)
}

fn controller(text: &str) -> Result<ChosenController, BadInput> {
    const HINT: &str = "write cubic, or leave the flag out";
    if text.trim().is_empty() {
        return Err(BadInput::new("no controller is given").hint(HINT));
    }
    ChosenController::named(text).map_err(|error| match error {
        NoController::Name(_) => BadInput::new(error.to_string()).hint(HINT),
        NoController::Call(error) => error,
        NoController::Parameters(_) => BadInput::new(error.to_string()),
    })
}
