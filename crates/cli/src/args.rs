//! The flags: short help, long help and parser of each in one place.

mod bound;
mod capture;
mod emulate;
mod estimate;
mod evaluate;
mod flag_values;
mod kernel;
mod measure;
mod options;
mod trace;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use westwood_experiment::judgement::Practical;
use westwood_scenario::file::Assignment;

use crate::exit::EXIT_CODES;
use crate::worlds::WorldName;

pub use bound::BoundArgs;
pub use capture::{CaptureArgs, CapturePlaces, Seeds as CaptureSeeds};
pub use emulate::EmulateArgs;
pub use estimate::EstimateArgs;
pub use evaluate::{EvaluateArgs, EvaluatedControllers, EvaluatedDocument, VerdictCondition};
pub(crate) use flag_values::path_flags;
pub use flag_values::{FlagValues, PathFlagValues};
pub use kernel::{
    KernelArgs, KernelCommand, KernelLoadArgs, KernelRecordArgs, KernelUnloadArgs,
    KernelVerifyArgs, KernelWatchArgs, ListenArgs,
};
pub use measure::{MeasureArgs, MeasuredControllers};
pub use options::ExperimentOptions;
pub use trace::{TraceArgs, TraceCommand, TraceFormat, TraceGenerateArgs, TraceImportArgs};
pub use values::{FileFormat, JsonTarget, ListTopic};
use values::{file, folder, jobs, output, seed, seed_count, topic};

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
  westwood emulate --rate 20Mbit/s --rtt 600ms --loss 0.1% \\
      --server 'iperf3 -s -1' -- sh -c 'iperf3 -c $WESTWOOD_SERVER -C cubic'
      a real transfer over a satellite link
  westwood emulate --loss none --server 'iperf3 -s' -- bash
      a shell behind the path, to try things
  westwood emulate satellite-geo --set cc=reno -- ping -c 5 198.19.0.1
      the path of a scenario
";

const FORMULA_EXAMPLES: &str = "\
Examples:
  westwood formula
      what there is
  westwood formula floyd rate=10Gbit/s rtt=100ms size=1500B
      how seldom may Reno lose a packet on a fast path?
  westwood formula reno p=0.1% rtt=100ms
      its rate under random losses
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
    /// The command.
    #[command(subcommand)]
    pub command: WestwoodCommand,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum WestwoodCommand {
    /// Compare congestion controllers over a path.
    ///
    /// Simulates every controller of --cc over the same path under the same seeds, packet by packet,
    /// and says which one suits the path and why. Without flags the path has 10 Mbit/s, 100 ms of
    /// round-trip time and loses 0.5 % of its packets, and its hosts run Linux (--like).
    ///
    /// Quantities have units: 10Mbit/s, 10Mbps, 10mbit and 10M are the same rate (Mbps is megabits,
    /// MB/s megabytes a second); 100ms, 0.1s; 83pkt, 125kB, 1.5bdp; 0.1%, 1e-3.
    #[command(after_help = format!("{EXAMPLES}\n{EXIT_CODES}"))]
    Compare(Box<CompareArgs>),
    /// Simulate the experiments that scenario files describe, or ready ones.
    ///
    /// Every point of a scenario's grid is simulated with every seed, in parallel; everything is
    /// checked before anything runs. docs/reference/scenarios.md describes the files; a name
    /// that is no file is looked up among the ready scenarios (docs/reference/ready-scenarios.md).
    #[command(after_help = format!("{RUN_EXAMPLES}\n{EXIT_CODES}"))]
    Run(Box<RunArgs>),
    /// Run a command behind an emulated path: the simulator's links on real packets.
    ///
    /// The command runs in a network of its own, whose one way out is the path, with a server at its
    /// far end: 198.19.0.1, or 2001:2:0:2::1, and WESTWOOD_SERVER and WESTWOOD_SERVER6 in the
    /// environment. Everything that is made is gone afterwards. As root, or by user namespaces where
    /// they are allowed. docs/how-to/emulate.md tells more.
    #[command(after_help = format!("{EMULATE_EXAMPLES}\n{EXIT_CODES}"))]
    Emulate(Box<EmulateArgs>),
    /// Run the experiments of the papers, and hold every claim of theirs against them.
    ///
    /// Each run is simulated once, however many claims and figures use it. Without --quick it is as
    /// published, in some hours on two processors; interrupted, it goes on where it was.
    /// results/reproduction.md is the scoreboard, with the rules of the verdicts. A claim that differs
    /// is a result and no failure: the exit code is 0.
    #[command(after_help = format!("{REPRODUCE_EXAMPLES}\n{EXIT_CODES}"))]
    Reproduce(ReproduceArgs),
    /// Examine controllers by every criterion of RFC 9743, and fill in a scorecard.
    ///
    /// Each criterion of sections 5 to 7 is one scenario or more; the controller's runs are held against
    /// those of CUBIC and Reno under the same random numbers, with more seeds until each setting is decided
    /// or has 64. Verdicts are pass, fail, undecided and not applicable, and there is no score.
    /// docs/how-to/evaluate.md describes the card. A criterion that fails is a result: the exit code is 0
    /// without --fail-if.
    #[command(after_help = format!("{}\n{EXIT_CODES}", evaluate::EXAMPLES))]
    Evaluate(EvaluateArgs),
    /// Put the simulated controllers into the running kernel, and prove that they are the same.
    ///
    /// The Westwood family as eBPF programs: load, watch, record, verify, unload. docs/how-to/kernel.md
    /// describes them.
    Kernel(KernelArgs),
    /// Run bandwidth estimators on the ACKs of a capture.
    ///
    /// For each direction of every TCP connection: the estimates of Westwood's, Westwood+'s, Linux's,
    /// packet pair's and Hoe's estimators over time, beside the data that was delivered.
    /// docs/how-to/estimate.md describes the method and the requirements of a capture.
    #[command(after_help = format!("{}\n{EXIT_CODES}", estimate::EXAMPLES))]
    Estimate(EstimateArgs),
    /// Measure real transfers to an iperf3 server, one congestion controller after another.
    ///
    /// Sends data to any stock iperf3 server under each controller of --cc by turns, samples the
    /// kernel's account of each connection, and compares the controllers round by round. Linux only.
    /// docs/how-to/measure.md describes the method.
    #[command(after_help = format!("{}\n{EXIT_CODES}", measure::EXAMPLES))]
    Measure(MeasureArgs),
    /// Show what changed from one saved result to another.
    ///
    /// Runs are paired by point and seed; only what changed beyond chance, corrected for all that is
    /// compared, and by more than --practical is shown.
    #[command(after_help = EXIT_CODES)]
    Diff(DiffArgs),
    /// Compute a throughput formula of the papers.
    ///
    /// Without a name, lists them with their arguments. Values have units: rate=10Gbit/s rtt=100ms
    /// size=1500B p=0.1%. docs/explanation/formulas.md derives the formulas.
    #[command(after_help = format!("{FORMULA_EXAMPLES}\n{EXIT_CODES}"))]
    Formula(FormulaArgs),
    /// Recorded capacity from other formats, and made-up capacity, for --trace.
    ///
    /// The output has a line for each 1500 bytes that the link can send, its time in milliseconds: --trace
    /// and the key trace of scenarios read it. docs/how-to/paths.md tells more.
    Trace(TraceArgs),
    /// Join the results of the parts of a grid (--shard) into a folder equal to that of a single run.
    Merge(MergeArgs),
    /// Print the format of scenario files, or of results, as a JSON Schema.
    ///
    /// Editors complete and check scenario files by it; programs derive their types of results from it.
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
    /// The comparison and its path.
    #[command(flatten)]
    pub words: FlagValues,

    /// How it is done, and where results go.
    #[command(flatten)]
    pub options: ExperimentOptions,

    /// Write this comparison as a scenario file, which `westwood run` repeats to the same bits.
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Output")]
    pub write_scenario: Option<PathBuf>,
}

/// The flags of `westwood run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Scenario files, links to the playground, or names of ready scenarios: `westwood list scenarios`
    /// has them all.
    ///
    /// A link that holds two experiments counts as two FILEs, NAME-a and NAME-b.
    #[arg(value_name = "FILE|LINK|NAME", value_parser = file, required = true)]
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

    /// How it is done, and where results go.
    #[command(flatten)]
    pub options: ExperimentOptions,
}

/// The flags of `westwood reproduce`.
#[derive(Clone, Debug, Args)]
pub struct ReproduceArgs {
    /// A paper, one of its experiments, as in westwood-plus-2004/f15, or a claim, as in WP04-F15-1, which
    /// runs what the claim needs and shows it in full; all papers if absent.
    #[arg(value_name = "PAPER[/EXPERIMENT]|CLAIM")]
    pub part: Option<String>,

    /// Where the experiments run: sim, or linux.
    ///
    /// On linux what needs real hosts is measured: the claims that simulation cannot test. Flows are TCP
    /// connections of this machine's kernel over emulated paths, one run after the other, in real time:
    /// about 70 minutes, or 7 with --quick. It needs root, and a build that can load the controllers
    /// (docs/how-to/kernel.md). results/reproduction-linux.md is the scoreboard.
    #[arg(long, value_parser = WorldName::parse, default_value = "sim", value_name = "WORLD")]
    pub on: WorldName,

    /// How punctual real packets have to be.
    #[command(flatten)]
    pub bound: BoundArgs,

    /// Shorter runs where the claims allow it, in minutes instead of hours.
    #[arg(long)]
    pub quick: bool,

    /// Runs at the same time [default: one for each processor]; on linux always one. Results do not
    /// depend on it.
    #[arg(long, short, value_parser = jobs, value_name = "N", allow_hyphen_values = true)]
    pub jobs: Option<usize>,

    /// Write a site to DIR: an index with filters, a page for each paper with its figures and tables, and
    /// a page for each claim, which opens the claim's experiments in the playground beside it.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub html: Option<PathBuf>,

    /// Write the verdicts as JSON (schema westwood.reproduce/1); - for stdout, and nothing else there.
    ///
    /// It has all that the pages show: criteria, choices, ablations, tables, and of every figure the
    /// curves and the accepted values drawn in.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-")]
    pub json: Option<JsonTarget>,

    /// Write the scoreboard as Markdown, as results/reproduction.md has it.
    #[arg(long, value_parser = output, value_name = "FILE")]
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
    /// The files whose format is printed.
    #[arg(value_enum, default_value = "scenario", value_name = "scenario|run|compare",
        conflicts_with_all = ["markdown", "results", "criteria"])]
    pub format: FileFormat,
    /// As the page docs/reference/scenarios.md instead.
    #[arg(long, conflicts_with = "results")]
    pub markdown: bool,
    /// The page docs/reference/results.md instead: every file, table and column of a results folder.
    #[arg(long)]
    pub results: bool,
    /// The page docs/reference/criteria.md instead: every criterion of westwood evaluate, with its tests and
    /// limits.
    #[arg(long, conflicts_with_all = ["markdown", "results"])]
    pub criteria: bool,
}

/// The flags of `westwood diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// The earlier result: a file of --json, or results.json of a results folder.
    #[arg(value_name = "OLD", value_parser = file)]
    pub old: PathBuf,

    /// The later one.
    #[arg(value_name = "NEW", value_parser = file)]
    pub new: PathBuf,

    /// A smaller change than this share of a value does not count, however certain it is.
    #[arg(long, value_parser = Practical::parse, default_value = "1%", value_name = "SHARE",
        allow_hyphen_values = true)]
    pub practical: Practical,

    /// Write the changes as JSON (schema westwood.diff/1); - for stdout, and nothing else there.
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-")]
    pub json: Option<JsonTarget>,

    /// Write the changes as one page.
    #[arg(long, value_name = "FILE", value_parser = output)]
    pub html: Option<PathBuf>,

    /// Do not print the changes.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The arguments of `westwood formula`.
#[derive(Clone, Debug, Args)]
pub struct FormulaArgs {
    /// The formula; floyd for the arithmetic of a fast path.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// Its arguments, each as NAME=VALUE.
    #[arg(value_name = "ARGUMENT=VALUE", requires = "name")]
    pub arguments: Vec<String>,
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

    /// Write a report as one page that opens from disk. Curves over time are not in it: a folder has none,
    /// and run --out DIR --resume --html draws them.
    #[arg(long, value_name = "FILE", value_parser = output)]
    pub html: Option<PathBuf>,

    /// Write the page's figures to DIR, as SVG.
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub svg: Option<PathBuf>,

    /// Do not print the results.
    #[arg(long, short)]
    pub quiet: bool,
}

/// The flags of `westwood list`.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// The list to print, with parameters: controllers, recoveries, queues, losses, presets, scenarios or
    /// claims; an overview of everything if absent.
    #[arg(value_parser = topic, value_name = "TOPIC")]
    pub topic: Option<ListTopic>,
    /// Of claims those of this paper only, as in westwood-plus-2004.
    #[arg(value_name = "PAPER")]
    pub paper: Option<String>,
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
    /// The page docs/reference/command-line.md instead: the help of every command.
    #[arg(long, conflicts_with_all = ["command", "out"])]
    pub markdown: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_flags_are_consistent() {
        Westwood::command().debug_assert();
    }

    #[test]
    fn every_setting_that_is_declared_a_flag_is_one() {
        let command = Westwood::command();
        let compare = command.find_subcommand("compare").unwrap();
        for flag in westwood_scenario::file::flags() {
            let found = compare.get_arguments().find(|arg| arg.get_long() == Some(&flag.name));
            let help = found.and_then(|arg| arg.get_help()).map(ToString::to_string);
            assert!(help.is_some_and(|help| help.contains(&flag.absent)), "{}", flag.name);
        }
    }
}
