//! The flags of `westwood trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use westwood_cc::{Duration, Rate};
use westwood_scenario::traces::SyntheticTrace;
use westwood_scenario::{BadInput, limits, units};

use super::values::{file, output, seed};
use crate::exit::EXIT_CODES;

const EXAMPLES: &str = "\
Examples:
  westwood trace import drive.csv --time-column t --rate-column down --rate-unit kbit/s --out drive.trace
      a table of time and rate as recorded capacity
  westwood compare --trace drive.trace --rtt 60ms
      which controller for it?
  westwood trace import profiles.csv --format errant --profile telia,sweden,4G,medium --out telia.toml
      a profile of ERRANT's as a scenario
  westwood trace generate leo --seed 7 --time 2min --out leo.trace
      made-up capacity of a satellite link in low orbit
";

/// The flags of `westwood trace`.
#[derive(Clone, Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n{EXIT_CODES}"), subcommand_required = true,
    arg_required_else_help = true)]
pub struct TraceArgs {
    /// Where the trace comes from.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// Where a trace comes from.
#[derive(Clone, Debug, Subcommand)]
pub enum TraceCommand {
    /// Read a recording, or a table of profiles, in a format of others.
    ///
    /// csv: a table of time and rate; each rate holds until the time of the next row. mahimahi: a line for
    /// each 1500 bytes, its time in milliseconds; it is checked, and kept as it is. errant: a table of
    /// profiles as ERRANT's profiles.csv, one of which becomes a scenario.
    Import(TraceImportArgs),
    /// Make capacity up: leo, lte or wifi.
    ///
    /// leo: a satellite link in low orbit, assigned anew every 15 s; lte: a cellular link whose rate wanders
    /// and dies; wifi: rates of 802.11n, and other stations. Which parameters are measured and which are
    /// assumed stands in the how-to page docs/how-to/paths.md.
    Generate(TraceGenerateArgs),
}

/// A format of recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// A table of time and rate.
    Csv,
    /// Mahimahi's.
    Mahimahi,
    /// A table of profiles.
    Errant,
}

/// The flags of `westwood trace import`.
#[derive(Clone, Debug, Args)]
pub struct TraceImportArgs {
    /// The recording.
    #[arg(value_name = "FILE", value_parser = file)]
    pub recording: PathBuf,

    /// Its format.
    #[arg(long, value_enum, default_value = "csv", value_name = "FORMAT")]
    pub format: TraceFormat,

    /// The column of the time in a csv: its name in the first line, or its number.
    #[arg(long, default_value = "1", value_name = "NAME|N")]
    pub time_column: String,

    /// The column of the rate.
    #[arg(long, default_value = "2", value_name = "NAME|N")]
    pub rate_column: String,

    /// The unit of times that have none.
    #[arg(long, value_parser = time_unit, default_value = "s", value_name = "UNIT")]
    pub time_unit: String,

    /// The unit of rates that have none: bit/s, kbit/s, Mbit/s, MB/s and so on.
    #[arg(long, value_parser = rate_unit, default_value = "Mbit/s", value_name = "UNIT")]
    pub rate_unit: String,

    /// The profile of a table of profiles: OPERATOR,COUNTRY,RAT,QUALITY.
    #[arg(long, value_name = "NAME", required_if_eq("format", "errant"))]
    pub profile: Option<String>,

    /// Write to FILE [default: to stdout].
    #[arg(long, value_name = "FILE", value_parser = output)]
    pub out: Option<PathBuf>,
}

/// The flags of `westwood trace generate`.
#[derive(Clone, Debug, Args)]
pub struct TraceGenerateArgs {
    /// leo, lte or wifi.
    #[arg(value_name = "KIND", value_parser = SyntheticTrace::parse)]
    pub kind: SyntheticTrace,

    /// The seed: the same gives the same trace.
    #[arg(long, value_parser = seed, default_value = "1", value_name = "N",
        allow_hyphen_values = true)]
    pub seed: u64,

    /// How long it is.
    #[arg(long, value_parser = length, default_value = "60s", value_name = "TIME",
        allow_hyphen_values = true)]
    pub time: Duration,

    /// The highest rate [default: leo 370Mbit/s, lte 12Mbit/s, wifi 65Mbit/s].
    #[arg(long, value_parser = most, value_name = "RATE", allow_hyphen_values = true)]
    pub most: Option<Rate>,

    /// Write to FILE [default: to stdout].
    #[arg(long, value_name = "FILE", value_parser = output)]
    pub out: Option<PathBuf>,
}

fn time_unit(text: &str) -> Result<String, BadInput> {
    units::duration(&format!("1 {text}")).map(|_| text.to_owned())
}

fn rate_unit(text: &str) -> Result<String, BadInput> {
    units::rate(&format!("1 {text}")).map(|_| text.to_owned())
}

fn length(text: &str) -> Result<Duration, BadInput> {
    let (least, most) = (Duration::from_secs(1), limits::MAX_TIME);
    limits::duration_within(text, least, most)
}

fn most(text: &str) -> Result<Rate, BadInput> {
    limits::rate_within(text, limits::MAX_RATE)
}
