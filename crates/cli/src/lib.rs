//! The command `westwood`: flags in, a comparison or the runs of a scenario out.
//!
//! Thin on purpose. What the user writes is parsed in `westwood-scenario`, what the user sees is
//! made in `westwood-report`; here are the flags, the order of things, files and signals.
//!
//! Nothing runs before everything is checked: every value, every combination, and that each output
//! file can be written.

pub mod args;
mod capture;
mod command_line;
mod complete;
mod diff;
mod dry_run;
mod estimate;
mod exit;
mod experiment;
mod kernel;
// What needs Linux, and what stands for it elsewhere.
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod linux;
mod list;
mod machine;
mod measure;
mod output;
mod pages;
mod progress;
mod refusal;
mod reproduce;
mod results;
mod schema;
mod shard;
mod show;
mod terminal;
pub mod worlds;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Command, Westwood};
use command_line::command_line;
pub use exit::{Exit, Stop};
pub use experiment::Reader;
use westwood_scenario::file::Scenario;

/// Runs the command with the program's arguments.
pub fn main() -> ExitCode {
    match dispatch(std::env::args_os()) {
        Ok(()) => Exit::Done.into(),
        Err(stop) => report(&stop),
    }
}

/// Prints why the command stops.
fn report(stop: &Stop) -> ExitCode {
    if let Some(code) = stop.passed_on {
        return code.into();
    }
    if stop.asked_for {
        if let Err(stop) = output::print(stop.text()) {
            return report(&stop);
        }
    } else {
        eprintln!("error: {}", stop.text());
    }
    stop.exit().into()
}

/// The scenario that a command line means, with files read by `read`; none if it asks for something
/// else than a comparison. Runs nothing and writes nothing: for tests and fuzzing.
pub fn scenario_of(
    arguments: impl IntoIterator<Item = OsString>,
    read: Reader<'_>,
) -> Result<Option<Scenario>, Stop> {
    match parse(arguments)?.command {
        Command::Compare(args) => experiment::comparison(&args, read).map(|s| Some(s.scenario)),
        _ => Ok(None),
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Westwood, Stop> {
    Westwood::try_parse_from(arguments).map_err(|e| refusal::stop(&e))
}

fn dispatch(arguments: impl Iterator<Item = OsString>) -> Result<(), Stop> {
    let arguments: Vec<OsString> = arguments.collect();
    match parse(arguments.iter().cloned())?.command {
        Command::Compare(args) => experiment::compare(&args, &command_line(&arguments)),
        Command::Run(args) => experiment::run(&args, &command_line(&arguments)),
        Command::Emulate(args) => linux::emulate::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Kernel(args) => kernel::run(&args),
        Command::Estimate(args) => estimate::run(&args, &command_line(&arguments)),
        Command::Measure(args) => measure::run(&args, &command_line(&arguments)),
        Command::Diff(args) => diff::run(&args, &command_line(&arguments)),
        Command::Merge(args) => results::merge(&args),
        Command::Schema(args) => schema::run(&args),
        Command::List(args) => list::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Complete(args) => complete::run(&args),
        Command::Completions(args) => pages::completions(&args),
        Command::Man(args) => pages::man(&args),
    }
}
