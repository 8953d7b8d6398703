//! The options that `compare` and `run` share: how an experiment runs, and where its results go.

use std::path::PathBuf;

use clap::Args;
use westwood_experiment::Condition;
use westwood_experiment::judgement::{JudgementRules, Practical, Preference};
use westwood_scenario::BadInput;

use super::values::{file, folder, jobs, output};
use super::{BoundArgs, CaptureArgs, JsonTarget};
use crate::shard::Shard;
use crate::worlds::WorldNames;

/// How an experiment is done, and where its results go.
#[derive(Clone, Debug, Args)]
pub struct ExperimentOptions {
    /// Where it runs: sim, linux, or both as sim,linux.
    ///
    /// On linux the flows are TCP connections of this machine's kernel over the emulated path, one run
    /// after the other, in real time. Their names end in @linux, and controllers are the kernel's of the
    /// same name: cubic and cubic-linux are its cubic, westwood-linux its westwood, westwood+ and its kin
    /// those of westwood kernel load. docs/how-to/emulate.md tells more.
    #[arg(long, value_parser = WorldNames::parse, default_value = "sim", value_name = "WORLDS",
        help_heading = "Running")]
    pub on: WorldNames,

    /// How punctual real packets have to be.
    #[command(flatten, next_help_heading = "Running")]
    pub bound: BoundArgs,

    /// Runs at the same time [default: one for each processor]. Results do not depend on it.
    #[arg(long, short, value_parser = jobs, value_name = "N", allow_hyphen_values = true,
        help_heading = "Running")]
    pub jobs: Option<usize>,

    /// Print the points and how long it would take, and run nothing but a moment to measure.
    #[arg(long, help_heading = "Running")]
    pub dry_run: bool,

    /// Go on with the newest folder in --out of the same experiment, settings and version, if there is
    /// one: its finished runs are kept and not repeated.
    #[arg(long, requires = "out", help_heading = "Running")]
    pub resume: bool,

    /// Run only every N-th run, beginning with the I-th; westwood merge joins the parts. A part is not
    /// judged (--fail-if); the joined folder is, by --out DIR --resume --fail-if.
    #[arg(long, value_parser = Shard::parse, value_name = "I/N", requires = "out",
        help_heading = "Running")]
    pub shard: Option<Shard>,

    /// Exit with 3 if this holds for a controller's mean, as in 'rtt_p95>200ms', or of one controller, as in
    /// 'westwood+: goodput<15Mbit/s'; may be repeated.
    ///
    /// goodput, throughput, utilization, retransmission_ratio, fast_recoveries, timeouts, jain,
    /// rtt_min, rtt_mean, rtt_p50, rtt_p95, rtt_p99, queue_delay_p50, queue_delay_p95,
    /// one_way_delay_p50, one_way_delay_p95, queue_mean, queue_p95, queue_max, drops_overflow,
    /// drops_aqm, drops_policer, drops_random, against_goodput, harm, reverse_goodput, fct_mean, fct_max,
    /// unfinished, least_share, least_competing_share, self_inflicted_loss, sent_per_rtt, convergence,
    /// recovery, frame_delay_p95, solo_harm_rate, solo_harm_delay, solo_harm_loss, solo_harm_fct,
    /// ack_cost, ack_cycles, compared by <, <=, > or >= with a value and its unit: 'goodput<5Mbit/s',
    /// 'queue_delay_p95>200ms'. One that no run can tell is refused before anything runs, such as jain of a
    /// single flow.
    #[arg(long, value_parser = Condition::parse, value_name = "CRITERION",
        allow_hyphen_values = true, help_heading = "Judging")]
    pub fail_if: Vec<Condition>,

    /// Exit with 3 if anything is clearly worse than in this saved result (--json, or results.json of a
    /// results folder), paired by point and seed; westwood diff shows what changed.
    #[arg(long, value_parser = file, value_name = "FILE", help_heading = "Judging")]
    pub fail_if_worse_than: Option<PathBuf>,

    /// The criterion that decides first: goodput (or completion times), delay, fairness or sparing.
    ///
    /// Among those on the front; the sentence says so. delay prefers a short queue, fairness an even
    /// share and little harm, sparing little that is resent and few timeouts.
    #[arg(long, value_parser = preference, default_value = "goodput", value_name = "WHAT",
        help_heading = "Judging")]
    pub prefer: Preference,

    /// A smaller difference than this share of a value does not count, however certain it is.
    #[arg(long, value_parser = Practical::parse, default_value = "1%", value_name = "SHARE",
        allow_hyphen_values = true, help_heading = "Judging")]
    pub practical: Practical,

    /// Write everything as JSON; - for stdout, and nothing else there.
    ///
    /// compare writes the schema westwood.compare/1, run westwood.run/1. With several FILEs this is a
    /// folder, which gets a file NAME.json for each scenario; on stdout each has one line (JSON Lines).
    #[arg(long, value_parser = JsonTarget::parse, value_name = "FILE|-", help_heading = "Output")]
    pub json: Option<JsonTarget>,

    /// Write tables to DIR: runs, groups, flows and links, and time series.
    ///
    /// compare records windows, queues and round-trip times of the first seed for them, run what the
    /// file's `record` says. docs/reference/results.md describes the columns. With several FILEs
    /// each scenario has a folder NAME in it.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub csv: Option<PathBuf>,

    /// Write everything to a new folder in DIR: tables as CSV and Parquet, time series, JSON and a
    /// manifest. docs/reference/results.md describes it.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Write a report as one page that opens from disk: curves, numbers, causes, how to repeat it.
    ///
    /// Everything stands in the one file, which loads nothing from anywhere;
    /// docs/reference/report.md says what it shows. With several FILEs this is a folder, which gets
    /// a page NAME.html for each scenario.
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Write the playground with this experiment inside: a page that simulates in a browser, from disk.
    ///
    /// The page loads nothing from anywhere. Its address holds the experiment, and `westwood run LINK`
    /// takes it back, to the same bits. A report of --html then has a link that opens it there. With several
    /// FILEs this is a folder, which gets a page NAME.html for each scenario.
    #[arg(long, value_name = "FILE", value_parser = output, help_heading = "Output")]
    pub play: Option<PathBuf>,

    /// Write each figure to DIR as SVG, 3.5 inches wide, its text as text.
    ///
    /// With several FILEs each scenario has a folder NAME in it.
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Which packets are written as captures.
    #[command(flatten)]
    pub captures: CaptureArgs,

    /// Print neither progress nor results.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

fn preference(text: &str) -> Result<Preference, BadInput> {
    text.parse()
}

impl ExperimentOptions {
    /// The rules by which results are judged.
    pub(crate) fn rules(&self) -> JudgementRules {
        JudgementRules { practical: self.practical, preference: self.prefer }
    }

    /// Whether stdout is for people.
    pub(crate) fn prints(&self) -> bool {
        !self.quiet && self.json != Some(JsonTarget::Stdout)
    }

    /// Whether anything is drawn but on the terminal.
    pub(crate) fn draws(&self) -> bool {
        self.html.is_some() || self.svg.is_some()
    }

    /// Whether the runs are a part of the grid's, from which nothing is concluded.
    pub(crate) fn is_part(&self) -> bool {
        self.shard.is_some_and(|shard| shard.of > 1)
    }
}
