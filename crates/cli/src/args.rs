//! The flags: short help, long help and parser of each in one place.

mod bound;
mod capture;
mod emulate;
mod estimate;
mod kernel;
mod measure;
mod path;
mod tuning;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use westwood_cc::{Bytes, Duration};
use westwood_report::catalog::Topic;
use westwood_scenario::file::Assignment;
use westwood_scenario::presets::{self, Preset};
use westwood_scenario::spec::{ControllerSpec, Criterion};
use westwood_scenario::units;
use westwood_tcp::Recovery;

use crate::exit::EXIT_CODES;
use crate::results::Shard;
use crate::worlds::{Place, Places};

pub use bound::BoundArgs;
pub use capture::{CaptureArgs, Places as CapturePlaces, Seeds as CaptureSeeds};
pub use emulate::EmulateArgs;
pub use estimate::EstimateArgs;
pub use kernel::{
    KernelArgs, KernelCommand, KernelLoadArgs, KernelRecordArgs, KernelUnloadArgs,
    KernelVerifyArgs, KernelWatchArgs, ListenArgs,
};
pub use measure::{Chosen, MeasureArgs};
pub use path::PathArgs;
pub use tuning::{Segments, TuningArgs};
pub use values::{Against, Controllers, JsonTarget, Losses, Spread, TraceFiles};
use values::{
    ack, file, flows, folder, header, initial_window, jobs, min_rto, packet, recovery,
    reverse_flows, seed, seed_count, time, topic, transfer, warmup,
};

const EXAMPLES: &str = "\
Examples:
  westwood compare
      every controller of note over a lossy 10 Mbit/s, 100 ms path
  westwood compare --rate 50Mbit/s --rtt 600ms --loss 0.1% --packet 1400
      which controller for my satellite link?
  westwood compare --cc cubic,bbr --against reno:1 --loss none --time 2min
      whom does it harm?
  westwood compare --cc 'westwood+(tau=0.3s,filter=b),reno' --seeds 20 --csv out
      a parameter's effect, with every number in files
  westwood compare --cc reno,westwood+ --pcap caps
      every packet, for Wireshark
  westwood compare --like ns-2 --cc reno --loss none
      what ns-2 would say
  westwood compare --like linux --cc reno-linux,cubic-linux --on sim,linux --seeds 3
      simulated like Linux, and on this machine's Linux over the emulated path
  westwood run experiment.toml
      any network, sweeps and more, from a file
  westwood list controllers
      what there is, with its parameters
";

const EMULATE_EXAMPLES: &str = "\
Examples:
  westwood emulate --rate 20Mbit/s --rtt 600ms --loss 0.1% --server 'iperf3 -s -1' -- \\
      sh -c 'iperf3 -c $WESTWOOD_SERVER -C cubic'
      a real transfer over a satellite link
  westwood emulate --loss none --server 'iperf3 -s' -- bash
      a shell behind the path, to try things
  westwood emulate satellite-geo --set cc=reno -- ping -c 5 198.19.0.1
      the path of a scenario
";

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  westwood reproduce --quick
      every paper in minutes
  westwood reproduce westwood-plus-2004/f15
      one experiment as published: its claims, and who is right
  westwood reproduce --html pages --json verdicts.json
      everything, with every figure drawn beside what the paper says of it
  westwood reproduce --on linux --quick
      what simulation cannot test, on this machine's kernel over emulated paths
";

const RUN_EXAMPLES: &str = "\
Examples:
  westwood run satellite-geo
      a scenario that comes with the program; westwood list scenarios names them all
  westwood run satellite.toml
      every point of the grid with every seed
  westwood run satellite.toml --set dumbbell.loss=0.1%,1% --set cc=bbr,cubic
      the same with other settings; several values make an axis of the grid
  westwood run satellite.toml --out results --resume
      tables, time series and a manifest in a folder; killed, it goes on where it was
  westwood run tcpeval-delay-throughput --html report.html
      one page with every figure and number, and how to repeat it
  westwood run satellite.toml --dry-run
      the grid, and how long it would take
  westwood compare --rtt 600ms --write-scenario geo.toml && westwood run geo.toml
      a comparison as a file, and the same results from it
";

/// A workbench for TCP congestion control.
#[derive(Debug, Parser)]
#[command(
    name = "westwood",
    version,
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = format!("{EXAMPLES}\n{EXIT_CODES}")
)]
pub struct Westwood {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compare congestion controllers over a path.
    ///
    /// Simulates every controller of --cc over the same path under the same seeds, packet by packet,
    /// and says which one suits the path and why. Without flags the path has 10 Mbit/s, 100 ms of
    /// round-trip time and loses 0.5 % of its packets.
    ///
    /// Quantities have units: 10Mbit/s, 10Mbps, 10mbit and 10M are the same rate (Mbps is megabits,
    /// MB/s megabytes a second); 100ms, 0.1s; 83pkt, 125kB, 1.5bdp; 0.1%, 1e-3.
    #[command(after_help = format!("{EXAMPLES}\n{EXIT_CODES}"))]
    Compare(Box<CompareArgs>),
    /// Simulate the experiments that scenario files describe, or ready ones.
    ///
    /// Every point of a scenario's grid is simulated with every seed, in parallel; everything is
    /// checked before anything runs. docs/scenarios.md describes the files; a name
    /// that is no file is looked up among the ready scenarios (docs/scenario-library.md).
    #[command(after_help = format!("{RUN_EXAMPLES}\n{EXIT_CODES}"))]
    Run(Box<RunArgs>),
    /// Run a command behind an emulated path: the simulator's links on real packets.
    ///
    /// The command runs in a network of its own, whose one way out is the path, with a server at its
    /// far end: 198.19.0.1, or 2001:2:0:2::1, and WESTWOOD_SERVER and WESTWOOD_SERVER6 in the
    /// environment. Everything that is made is gone afterwards. As root, or by user namespaces where
    /// they are allowed. docs/emulation.md tells more.
    #[command(after_help = format!("{EMULATE_EXAMPLES}\n{EXIT_CODES}"))]
    Emulate(Box<EmulateArgs>),
    /// Run the experiments of the papers, and hold every claim of theirs against them.
    ///
    /// Each run is simulated once, however many claims and figures use it. Without --quick it is as
    /// published, in three quarters of an hour on two processors; interrupted, it goes on where it was.
    /// docs/reproduction.md is the scoreboard, with the rules of the verdicts. A claim that differs
    /// is a result and no failure: the exit code is 0.
    #[command(after_help = format!("{REPRODUCE_EXAMPLES}\n{EXIT_CODES}"))]
    Reproduce(ReproduceArgs),
    /// Put the simulated controllers into the running kernel, and prove that they are the same.
    ///
    /// The Westwood family as eBPF programs: load, watch, record, verify, unload. docs/kernel.md
    /// describes them.
    Kernel(KernelArgs),
    /// Run bandwidth estimators on the ACKs of a capture.
    ///
    /// For what each end of every TCP connection sends: what Westwood's, Westwood+'s, Linux's, packet
    /// pair and Hoe's estimators would say to its sender over time, beside what was truly delivered.
    /// docs/estimate.md says how it is done and what a capture must have.
    #[command(after_help = format!("{}\n{EXIT_CODES}", estimate::EXAMPLES))]
    Estimate(EstimateArgs),
    /// Measure real transfers to an iperf3 server, one congestion controller after another.
    ///
    /// Sends data to any stock iperf3 server under each controller of --cc by turns, samples what the
    /// kernel says of each connection, and compares the controllers round by round. Linux only.
    /// docs/measure.md says how it is done.
    #[command(after_help = format!("{}\n{EXIT_CODES}", measure::EXAMPLES))]
    Measure(MeasureArgs),
    /// Join the results of the parts of a grid (--shard) into a folder equal to that of a single run.
    Merge(MergeArgs),
    /// Print the format of scenario files as a JSON Schema, for editors.
    Schema(SchemaArgs),
    /// List what there is to choose from.
    List(ListArgs),
    /// Print a ready scenario, to begin a file of one's own with.
    Show(ShowArgs),
    /// Print a shell's completions.
    Completions(CompletionArgs),
    /// Print the manual page of the command, or of one of its commands.
    Man(ManArgs),
    /// Print what may stand at the end of a command line: for the shells' completions.
    #[command(hide = true)]
    Complete(CompleteArgs),
}

/// The flags of `westwood compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// The path.
    #[command(flatten)]
    pub path: PathArgs,

    /// Round-trip times of the flows, evenly spaced from MIN to MAX.
    #[arg(long, value_parser = Spread::parse, value_name = "MIN-MAX", allow_hyphen_values = true,
        conflicts_with = "rtt", help_heading = "Path")]
    pub rtt_spread: Option<Spread>,

    /// Controllers to compare.
    ///
    /// With parameters: 'westwood+(tau=0.3s,filter=b),reno'; each one also takes pacing=on|off.
    /// Names without '+' are accepted: westwood-plus. See `westwood list controllers`.
    #[arg(long, value_parser = Controllers::parse, value_name = "LIST", allow_hyphen_values = true,
        default_value = "reno,cubic,bbr,westwood,westwood+,log-westwood+", help_heading = "Flows")]
    pub cc: Controllers,

    /// Loss recovery of every flow: tahoe, reno, newreno, vegas, sack-1996, sack or linux.
    #[arg(long, value_parser = recovery, default_value = "sack", allow_hyphen_values = true,
        help_heading = "Flows")]
    pub recovery: Recovery,

    /// Flows of the controller under test.
    #[arg(long, value_parser = flows, default_value = "1", value_name = "N",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub flows: u64,

    /// N competing flows of another controller over the same bottleneck: whom does it harm?
    #[arg(long, value_parser = Against::parse, value_name = "CC:N", allow_hyphen_values = true,
        help_heading = "Flows")]
    pub against: Option<Against>,

    /// Flows in the other direction, whose data delays the ACKs.
    #[arg(long, value_parser = reverse_flows, default_value = "0", value_name = "N",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub reverse_flows: u64,

    /// Controller of the reverse flows [default: the one under test].
    #[arg(long, value_parser = ControllerSpec::parse, value_name = "CC", allow_hyphen_values = true,
        help_heading = "Flows")]
    pub reverse_cc: Option<ControllerSpec>,

    /// Each flow transfers this much, then ends: completion times are measured.
    ///
    /// A run ends with its last transfer, at the latest after --time.
    #[arg(long, value_parser = transfer, allow_hyphen_values = true, help_heading = "Flows")]
    pub size: Option<Bytes>,

    /// Payload of a segment, in bytes: what goodput counts.
    #[arg(long, value_parser = packet, default_value = "1500", value_name = "BYTES",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub packet: Bytes,

    /// Header of a segment, in bytes, on top: it uses the link and is never goodput.
    #[arg(long, value_parser = header, default_value = "0", value_name = "BYTES",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub header: Bytes,

    /// An ACK on the wire, in bytes.
    #[arg(long, value_parser = ack, default_value = "40", value_name = "BYTES",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub ack: Bytes,

    /// Acknowledge every second segment (RFC 5681 section 4.2): on or off.
    #[arg(long, value_parser = units::switch, default_value = "on", value_name = "on|off",
        action = clap::ArgAction::Set, allow_hyphen_values = true, help_heading = "Flows")]
    pub delayed_ack: bool,

    /// Initial window, in segments (RFC 6928).
    #[arg(long, value_parser = initial_window, default_value = "10", value_name = "N",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub initial_window: u64,

    /// Smallest retransmission timeout (RFC 6298).
    #[arg(long, value_parser = min_rto, default_value = "1s", value_name = "TIME",
        allow_hyphen_values = true, help_heading = "Flows")]
    pub min_rto: Duration,

    /// The settings of another implementation: ns-2 or linux.
    ///
    /// A bundle of the flags here, each of which you may still give by hand. `westwood list presets`
    /// shows what it sets and why.
    #[arg(long, value_parser = presets::named, value_name = "PRESET", allow_hyphen_values = true,
        help_heading = "Transport")]
    pub like: Option<&'static Preset>,

    /// What tells implementations apart.
    #[command(flatten)]
    pub tuning: TuningArgs,

    /// Simulated time.
    #[arg(long, value_parser = time, default_value = "30s", allow_hyphen_values = true,
        help_heading = "Measuring")]
    pub time: Duration,

    /// When measuring begins [default: 5s, less in a run below 30 s, 0s with --size].
    #[arg(long, value_parser = warmup, value_name = "TIME", allow_hyphen_values = true,
        help_heading = "Measuring")]
    pub warmup: Option<Duration>,

    /// First seed: the same seed gives every controller the same random network.
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N",
        allow_hyphen_values = true, help_heading = "Measuring")]
    pub seed: u64,

    /// Where it runs: sim, linux, or both as sim,linux.
    ///
    /// On linux the flows are TCP connections of this machine's kernel over the emulated path, one run
    /// after the other, in real time. Their names end in @linux, and controllers are the kernel's of the
    /// same name: cubic and cubic-linux are its cubic, westwood-linux its westwood, westwood+ and its kin
    /// those of westwood kernel load. docs/emulation.md tells more.
    #[arg(long, value_parser = Places::parse, default_value = "sim", value_name = "WORLDS",
        help_heading = "Measuring")]
    pub on: Places,

    /// How punctual real packets have to be.
    #[command(flatten, next_help_heading = "Measuring")]
    pub bound: BoundArgs,

    /// How many seeds, one after another.
    #[arg(long, value_parser = seed_count, default_value = "8", value_name = "N",
        allow_hyphen_values = true, help_heading = "Measuring")]
    pub seeds: u64,

    /// Runs at the same time [default: one for each processor]. Results do not depend on it.
    #[arg(long, short, value_parser = jobs, value_name = "N", allow_hyphen_values = true,
        help_heading = "Measuring")]
    pub jobs: Option<usize>,

    /// Exit with 3 if this holds for a controller's mean, as in 'jain<0.9'; may be repeated.
    ///
    /// goodput, throughput, utilization, retransmission_ratio, fast_recoveries, timeouts, jain,
    /// rtt_min, rtt_mean, rtt_p50, rtt_p95, rtt_p99, queue_mean, queue_p95, queue_max,
    /// drops_overflow, drops_aqm, drops_random, against_goodput, reverse_goodput, fct_mean, fct_max,
    /// compared by <, <=, > or >= with a value and its unit: 'goodput<5Mbit/s', 'rtt_p95>200ms'.
    #[arg(long, value_parser = Criterion::parse, value_name = "CRITERION",
        allow_hyphen_values = true, help_heading = "Output")]
    pub fail_if: Vec<Criterion>,

    /// Write everything as JSON (schema westwood.compare/1); - for stdout, and nothing else there.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-", help_heading = "Output")]
    pub json: Option<JsonTarget>,

    /// Write tables to DIR: runs, flows, and cwnd, queue and rtt over time of the first seed.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub csv: Option<PathBuf>,

    /// Write a report as one page that opens from disk: curves, numbers, causes, how to repeat it.
    ///
    /// Runs with the first seed are recorded in full; everything stands in the one file, which loads
    /// nothing from anywhere.
    #[arg(long, value_name = "FILE", value_parser = file, help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Write each figure to DIR as SVG, 3.5 inches wide, its text as text.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Write this comparison as a scenario file, which `westwood run` repeats to the same bits.
    #[arg(long, value_name = "FILE", value_parser = file, help_heading = "Output")]
    pub write_scenario: Option<PathBuf>,

    /// Which packets are written as captures.
    #[command(flatten)]
    pub captures: CaptureArgs,

    /// Print neither progress nor results.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// The flags of `westwood run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Scenario files, or names of ready scenarios: `westwood list scenarios` has them all.
    #[arg(value_name = "FILE|NAME", value_parser = file, required = true)]
    pub files: Vec<PathBuf>,

    /// Set a field, as in dumbbell.rate=10Mbit/s, link.last.loss=1% or cc=reno,cubic; may be
    /// repeated.
    ///
    /// Several values make an axis of the grid, after those of the file's sweep; a field that is
    /// swept there takes these values instead.
    #[arg(long, value_parser = Assignment::parse, value_name = "PATH=VALUE[,VALUE...]")]
    pub set: Vec<Assignment>,

    /// First seed, instead of the file's.
    #[arg(long, value_parser = seed, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<u64>,

    /// How many seeds, instead of the file's.
    #[arg(long, value_parser = seed_count, value_name = "N", allow_hyphen_values = true)]
    pub seeds: Option<u64>,

    /// Runs at the same time [default: one for each processor]. Results do not depend on it.
    #[arg(long, short, value_parser = jobs, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<usize>,

    /// Write everything as JSON (schema westwood.run/1); - for stdout, and nothing else there.
    ///
    /// With several FILEs this is a folder, which gets a file NAME.json for each scenario; on stdout
    /// one document follows the other.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-")]
    pub json: Option<JsonTarget>,

    /// Write everything to a new folder in DIR: tables as CSV and Parquet, time series, JSON and a
    /// manifest. docs/results.md describes it.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub out: Option<PathBuf>,

    /// Write a report as one page that opens from disk: sweeps, seeds, what variants change, curves,
    /// how to repeat it. docs/report.md says what it shows.
    ///
    /// With several FILEs this is a folder, which gets a page NAME.html for each scenario. What is
    /// drawn over time is simulated once more.
    #[arg(long, value_name = "FILE", value_parser = file)]
    pub html: Option<PathBuf>,

    /// Write each figure to DIR as SVG, 3.5 inches wide, its text as text.
    ///
    /// With several FILEs each scenario has a folder NAME in it.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub svg: Option<PathBuf>,

    /// Which packets are written as captures.
    #[command(flatten)]
    pub captures: CaptureArgs,

    /// Go on with the newest folder in --out of the same scenario, settings and version, if there is
    /// one: its finished runs are kept and not repeated.
    #[arg(long, requires = "out")]
    pub resume: bool,

    /// Run only every N-th run, beginning with the I-th; westwood merge joins the parts.
    #[arg(long, value_parser = Shard::parse, value_name = "I/N", requires = "out")]
    pub shard: Option<Shard>,

    /// Where it runs: sim, or linux, where flows are TCP connections of this machine's kernel over the
    /// emulated path, one run after the other, in real time (docs/emulation.md).
    #[arg(long, value_parser = Place::parse, default_value = "sim", value_name = "WORLD")]
    pub on: Place,

    /// How punctual real packets have to be.
    #[command(flatten)]
    pub bound: BoundArgs,

    /// Print the grid and how long it would take, and run nothing but a moment to measure.
    #[arg(long)]
    pub dry_run: bool,

    /// Print neither progress nor results.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The flags of `westwood reproduce`.
#[derive(Clone, Debug, Args)]
pub struct ReproduceArgs {
    /// A paper, or one of its experiments, as in westwood-plus-2004/f15; all papers if absent.
    #[arg(value_name = "PAPER[/EXPERIMENT]")]
    pub part: Option<String>,

    /// Where the experiments run: sim, or linux.
    ///
    /// On linux what needs real hosts is measured: the claims that simulation cannot test. Flows are TCP
    /// connections of this machine's kernel over emulated paths, one run after the other, in real time:
    /// 37 minutes, or 7 with --quick. It needs root, and a build that can load the controllers
    /// (docs/kernel.md). docs/reproduction-linux.md is the scoreboard.
    #[arg(long, value_parser = Place::parse, default_value = "sim", value_name = "WORLD")]
    pub on: Place,

    /// How punctual real packets have to be.
    #[command(flatten)]
    pub bound: BoundArgs,

    /// Shorter runs where the claims allow it, in minutes instead of three quarters of an hour.
    #[arg(long)]
    pub quick: bool,

    /// Runs at the same time [default: one for each processor]; on linux always one. Results do not
    /// depend on it.
    #[arg(long, short, value_parser = jobs, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<usize>,

    /// Write pages to DIR: every figure and table beside what the paper says, and a scoreboard.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub html: Option<PathBuf>,

    /// Write the verdicts as JSON (schema westwood.reproduce/1); - for stdout, and nothing else there.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-")]
    pub json: Option<JsonTarget>,

    /// Write the scoreboard as Markdown, as docs/reproduction.md has it.
    #[arg(long, value_parser = file, value_name = "FILE")]
    pub markdown: Option<PathBuf>,

    /// Keep finished runs in DIR, and take those that are there already
    /// [default: westwood/reproduce in $XDG_CACHE_HOME or ~/.cache].
    ///
    /// An interrupted reproduction goes on where it was. Runs are taken only if scenario, settings and
    /// version are the same.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub cache: Option<PathBuf>,

    /// Read the papers from this folder instead of those that come with the program;
    /// papers/README.md describes it.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub papers: Option<PathBuf>,

    /// Run nothing: judge those claims whose runs are kept.
    #[arg(long, conflicts_with = "fresh")]
    pub kept: bool,

    /// Simulate everything anew, and keep nothing.
    #[arg(long, conflicts_with = "cache")]
    pub fresh: bool,

    /// Print neither progress nor results.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The flags of `westwood schema`.
#[derive(Clone, Debug, Args)]
pub struct SchemaArgs {
    /// As the page docs/scenarios.md instead.
    #[arg(long, conflicts_with = "results")]
    pub markdown: bool,
    /// The page docs/results.md instead: every file, table and column of a results folder.
    #[arg(long)]
    pub results: bool,
}

/// The flags of `westwood merge`.
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// The results folders of all parts.
    #[arg(value_name = "FOLDER", value_parser = folder, required = true)]
    pub folders: Vec<PathBuf>,

    /// Write the whole to a new folder in DIR.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub out: PathBuf,

    /// Do not print the results.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The flags of `westwood list`.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// What to list, with parameters; an overview of everything if absent.
    #[arg(value_parser = topic, value_name = "controllers|recoveries|queues|losses|presets|scenarios")]
    pub topic: Option<Topic>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// The flags of `westwood show`.
#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// The scenario: `westwood list scenarios` has them all; or a trace that one of them reads.
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// The flags of `westwood complete`.
#[derive(Clone, Debug, Args)]
pub struct CompleteArgs {
    /// The shell that asks.
    pub shell: clap_complete::Shell,
    /// The words before the cursor, the one that is being written last; for bash the whole line up to
    /// the cursor, and the characters at which it breaks words.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

/// The flags of `westwood completions`.
#[derive(Clone, Debug, Args)]
pub struct CompletionArgs {
    /// The shell.
    pub shell: clap_complete::Shell,
}

/// The flags of `westwood man`.
#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// Which command's page; that of westwood itself if absent.
    pub command: Option<String>,
    /// Write the pages of all commands to DIR, as westwood.1, westwood-run.1 and so on.
    #[arg(long, value_name = "DIR", value_parser = folder, conflicts_with = "command")]
    pub out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn compare(flags: &[&str]) -> CompareArgs {
        let line = ["westwood", "compare"].iter().chain(flags);
        match Westwood::try_parse_from(line).unwrap().command {
            Command::Compare(args) => *args,
            other => panic!("not a comparison: {other:?}"),
        }
    }

    #[test]
    fn the_flags_are_consistent() {
        Westwood::command().debug_assert();
    }

    #[test]
    fn a_spread_may_have_exponents() {
        let spread = compare(&["--rtt-spread", "2e-2s-250ms"]).rtt_spread.unwrap();
        assert_eq!(
            (spread.min, spread.max),
            (Duration::from_millis(20), Duration::from_millis(250))
        );
    }

    #[test]
    fn competing_flows_may_have_parameters() {
        let against = compare(&["--against", "reno(keep=0.7):3"]).against.unwrap();
        assert_eq!((against.controller.to_string().as_str(), against.flows), ("reno(keep=0.7)", 3));
    }

    #[test]
    fn switches_take_on_and_off() {
        assert!(compare(&[]).delayed_ack);
        assert!(!compare(&["--delayed-ack", "off"]).delayed_ack);
    }

    #[test]
    fn criteria_add_up() {
        assert_eq!(compare(&["--fail-if", "jain<0.9", "--fail-if", "timeouts>0"]).fail_if.len(), 2);
    }
}
