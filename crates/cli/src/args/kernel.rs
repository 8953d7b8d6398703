//! The flags of `westwood kernel`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use westwood_cc::Duration;

use super::values::{output, time};
use crate::exit::EXIT_CODES;

const EXAMPLES: &str = "\
Examples:
  westwood kernel load westwood_plus
      sockets may now choose it by name: iperf3 -C westwood_plus, setsockopt(TCP_CONGESTION)
  westwood kernel load westwood_plus --set start=settled --set pacing=on --default
      with parameters, for every new socket of this network namespace
  westwood kernel watch
      what its connections do, live
  westwood kernel verify --live --time 30s
      new connections of the next 30 s are held to the simulator, call by call
  westwood kernel unload --all
      connections keep what they have until they end
";

/// The flags of `westwood kernel`.
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n{EXIT_CODES}"), subcommand_required = true,
    arg_required_else_help = true)]
pub struct KernelArgs {
    /// The command on the kernel.
    #[command(subcommand)]
    pub command: KernelCommand,
}

/// The commands on the kernel.
#[derive(Clone, Debug, Subcommand)]
pub enum KernelCommand {
    /// The controllers of this kernel, ours, and whether ours can be loaded.
    List,
    /// Which of ours are loaded: parameters, and the connections that use them.
    Status,
    /// Load a controller. It stays after the command ends, until it is unloaded or a reboot.
    ///
    /// The names are westwood_2002, westwood_plus, westwood_probe and log_westwood. Nothing uses it
    /// before a socket or an administrator chooses it.
    Load(KernelLoadArgs),
    /// Unload a controller. Connections that use it keep it until they end.
    ///
    /// Its name is gone, and the default of this network namespace is again the one from before the
    /// first of ours. Other namespaces whose default it is, and sockets that listen with it, give it
    /// to new connections still: the answer tells how many there are, and the same command within
    /// such a namespace restores its default.
    Unload(KernelUnloadArgs),
    /// Show the TCP connections of this network namespace, live.
    Watch(KernelWatchArgs),
    /// Record every call of a controller and its answers, of connections that begin from now on.
    Record(KernelRecordArgs),
    /// Replay a recording through the simulator's controller: every answer must be equal to the bit.
    ///
    /// Exit code 1 if an answer differs, 5 if the recording is incomplete or holds nothing.
    Verify(KernelVerifyArgs),
}

/// The flags of `westwood kernel load`.
#[derive(Clone, Debug, Args)]
pub struct KernelLoadArgs {
    /// The controller, by its name in the kernel or in the simulator.
    pub name: String,
    /// Set a parameter: tau=0.3s; may be given several times. pacing=on asks for the kernel's
    /// pacing; westwood list controllers shows the others.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Make it the default of this network namespace.
    ///
    /// A namespace that is made later begins with the default of the machine's first one.
    #[arg(long)]
    pub default: bool,
}

/// The flags of `westwood kernel unload`.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct KernelUnloadArgs {
    /// The controller.
    pub name: Option<String>,
    /// Every controller of ours.
    #[arg(long)]
    pub all: bool,
}

/// The flags of `westwood kernel watch`.
#[derive(Clone, Debug, Args)]
pub struct KernelWatchArgs {
    /// Also write every line to a CSV file.
    #[arg(long, value_parser = output, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Time between two looks.
    #[arg(long, value_parser = time, default_value = "1s")]
    pub interval: Duration,
    /// End after this time; else with Ctrl-C.
    #[arg(long, value_parser = time)]
    pub time: Option<Duration>,
    /// Show the connections of the kernel's own controllers too.
    #[arg(long)]
    pub every: bool,
}

/// The connections that a recorder listens to.
#[derive(Clone, Debug, Args)]
pub struct ListenArgs {
    /// End after this time; else with Ctrl-C.
    #[arg(long, value_parser = time)]
    pub time: Option<Duration>,
    /// Only connections with this port at either end.
    #[arg(long)]
    pub port: Option<u16>,
    /// Room for events that wait to be read, in MiB: a power of two.
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = ring)]
    pub ring: u32,
}

/// The flags of `westwood kernel record`.
#[derive(Clone, Debug, Args)]
pub struct KernelRecordArgs {
    /// The controller; needed if several are loaded.
    pub name: Option<String>,
    /// The file to write.
    #[arg(long, short, value_parser = output, value_name = "FILE")]
    pub output: PathBuf,
    /// The connections to listen to.
    #[command(flatten)]
    pub listen: ListenArgs,
}

/// The flags of `westwood kernel verify`.
#[derive(Clone, Debug, Args)]
pub struct KernelVerifyArgs {
    /// The recording; with --live the controller, needed if several are loaded.
    #[arg(required_unless_present = "live", value_name = "FILE|NAME")]
    pub file: Option<PathBuf>,
    /// Listen to a loaded controller instead of reading a file.
    #[arg(long)]
    pub live: bool,
    /// The connections to listen to.
    #[command(flatten)]
    pub listen: ListenArgs,
}

fn ring(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(mib) if mib.is_power_of_two() && mib <= 1_024 => Ok(mib),
        _ => Err("write a power of two from 1 to 1024".to_owned()),
    }
}
