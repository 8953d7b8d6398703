//! The command that measures. `westwood-bench --help` says how.

mod callgrind;
mod error;
mod instructions;
mod measure;
mod meter;
mod once;
mod other_simulators;
mod report;
mod rows;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use westwood_bench::networks::BenchNetwork;
use westwood_cc::Duration;

use crate::error::BenchError;
use crate::other_simulators::OtherSimulators;
use crate::rows::BenchRow;

/// How fast the simulator is, against itself and against ns-2 and ns-3.
#[derive(Debug, Parser)]
#[command(name = "westwood-bench", disable_help_subcommand = true)]
struct Bench {
    #[command(subcommand)]
    what: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// Measure whole runs, ours and those of ns-2 and ns-3, in turn.
    Whole {
        /// Rows: P1, P1-reno, hosts, P2, P3, P4, P5, probes, compare [default: all].
        #[arg(value_name = "ROW")]
        rows: Vec<String>,
        /// How often each program runs.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
        rounds: u16,
        /// Simulate next to nothing: does everything run?
        #[arg(long)]
        tiny: bool,
        /// Write the page there, too.
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Count instructions a packet by component, and by part, with valgrind.
    Instructions {
        /// Networks: P1, P2, P3, P4 [default: P1, P2, P4].
        #[arg(value_name = "NETWORK")]
        networks: Vec<String>,
        /// Count the parts instead: all, or those whose names begin so, as in controller/.
        #[arg(long, value_name = "BEGIN", num_args = 0..=1, default_missing_value = "",
            conflicts_with = "networks")]
        parts: Option<String>,
    },
    /// Simulate one network and print what was delivered.
    Once {
        /// The network.
        network: String,
        /// For how long, in seconds.
        #[arg(value_parser = milliseconds)]
        seconds: Duration,
        /// How many seeds.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
        seeds: u64,
    },
    /// Run one part over and over.
    Part {
        /// Its name.
        name: String,
        /// How many batches.
        batches: u32,
    },
}

/// Seconds as a decimal, in whole milliseconds.
fn milliseconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    if !(0.001..=1e6).contains(&seconds) {
        return Err("not within 0.001 to 1000000 seconds".into());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range has been checked"
    )]
    Ok(Duration::from_millis((seconds * 1000.0).round() as u64))
}

fn main() -> ExitCode {
    let result = match Bench::parse().what {
        BenchCommand::Whole { rows, rounds, tiny, output } => {
            whole(&rows, rounds.into(), tiny, output.as_deref())
        }
        BenchCommand::Instructions { networks, parts } => {
            instructions::print(&networks, parts.as_deref())
        }
        BenchCommand::Once { network, seconds, seeds } => {
            name(&network).and_then(|n| once::once(n, seconds, seeds))
        }
        BenchCommand::Part { name, batches } => instructions::run_part(&name, batches),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e @ BenchError::Unknown { .. }) => fail(&e, 2),
        Err(e) => fail(&e, 1),
    }
}

fn fail(e: &BenchError, code: u8) -> ExitCode {
    eprintln!("error: {e}");
    ExitCode::from(code)
}

fn name(text: &str) -> Result<BenchNetwork, BenchError> {
    BenchNetwork::ALL.into_iter().find(|n| n.as_str() == text).ok_or_else(|| BenchError::Unknown {
        kind: "network",
        name: text.into(),
        known: BenchNetwork::ALL.map(BenchNetwork::as_str).join(", "),
    })
}

fn whole(
    rows: &[String],
    rounds: usize,
    tiny: bool,
    output: Option<&Path>,
) -> Result<(), BenchError> {
    let chosen: Result<Vec<BenchRow>, _> = rows.iter().map(|r| BenchRow::parse(r)).collect();
    let chosen = if rows.is_empty() { BenchRow::ALL.to_vec() } else { chosen? };
    let rivals = OtherSimulators::find()?;
    let words = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let mut page = report::head(&format!("westwood-bench {words}"), &rivals.missing);
    for row in chosen {
        let all = measure::measure(row, row.rounds(rounds), tiny, &rivals)?;
        page.push_str(&report::section(row, &all));
        // After each row, so that a run that is cut short has not been in vain.
        if let Some(path) = output {
            let file = |why| BenchError::File { path: path.into(), why };
            std::fs::write(path, &page).map_err(file)?;
        }
    }
    say(&page)
}

/// Prints; whoever reads may have gone away.
fn say(text: &str) -> Result<(), BenchError> {
    let failed = |why| BenchError::File { path: "standard output".into(), why };
    std::io::stdout().write_all(text.as_bytes()).map_err(failed)
}
