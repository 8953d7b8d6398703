//! The command `westwood`: flags in, a comparison or the runs of a scenario out.
//!
//! Thin on purpose. `westwood-scenario` parses the user's input and `westwood-report` makes the
//! output; here are the flags, the order of work, files and signals.
//!
//! Nothing runs before everything is checked: every value, every combination, and that each output
//! file can be written.

pub mod args;
mod cache;
mod capture;
mod command_line;
mod complete;
mod diff;
mod draft;
mod dry_run;
mod estimate;
mod evaluate;
mod exit;
mod experiment;
mod formula;
mod kernel;
// The part that needs Linux, and its substitute elsewhere.
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod linux;
mod list;
mod machine;
mod measure;
mod output;
mod pages;
mod playground;
mod progress;
mod refusal;
mod reproduce;
mod results;
mod schema;
mod shard;
mod show;
mod terminal;
mod trace;
pub mod worlds;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Westwood, WestwoodCommand};
use command_line::command_line;
pub use exit::{CommandExit, Stop};
use westwood_scenario::file::{Scenario, TraceReader};

/// Runs the command with the program's arguments.
pub fn main() -> ExitCode {
    match dispatch(std::env::args_os()) {
        Ok(()) => CommandExit::Done.into(),
        Err(stop) => report(&stop),
    }
}

/// Prints why the command stops.
fn report(stop: &Stop) -> ExitCode {
    if let Some(code) = stop.passed_on {
        return code.into();
    }
    if stop.is_output {
        if let Err(stop) = output::print(stop.text()) {
            return report(&stop);
        }
    } else {
        output::tell(format_args!("error: {}", stop.text()));
    }
    stop.exit().into()
}

/// The scenario that a command line means, with files read by `read`; none if it asks for something
/// else than a comparison. Runs nothing and writes nothing: for tests and fuzzing.
pub fn scenario_of(
    arguments: impl IntoIterator<Item = OsString>,
    read: TraceReader<'_>,
) -> Result<Option<Scenario>, Stop> {
    match parse(arguments)?.command {
        WestwoodCommand::Compare(args) => {
            experiment::comparison(&args, read).map(|s| Some(s.scenario))
        }
        _ => Ok(None),
    }
}

/// Columns of a page of help. Wider lines of prose are hard to read.
const MOST_COLUMNS: usize = 100;

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Westwood, Stop> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command = Westwood::command().term_width(terminal::style().width.min(MOST_COLUMNS));
    let parsed = command.try_get_matches_from(&arguments);
    let parsed = parsed.and_then(|mut matches| Westwood::from_arg_matches_mut(&mut matches));
    parsed.map_err(|e| refusal::stop(&e, &arguments))
}

fn dispatch(arguments: impl Iterator<Item = OsString>) -> Result<(), Stop> {
    let arguments: Vec<OsString> = arguments.collect();
    match parse(arguments.iter().cloned())?.command {
        WestwoodCommand::Compare(args) => experiment::compare(&args, &command_line(&arguments)),
        WestwoodCommand::Run(args) => experiment::run(&args, &command_line(&arguments)),
        WestwoodCommand::Emulate(args) => linux::emulate::run(&args),
        WestwoodCommand::Reproduce(args) => reproduce::run(&args),
        WestwoodCommand::Evaluate(args) => evaluate::run(&args),
        WestwoodCommand::Kernel(args) => kernel::run(&args),
        WestwoodCommand::Estimate(args) => estimate::run(&args, &command_line(&arguments)),
        WestwoodCommand::Measure(args) => measure::run(&args, &command_line(&arguments)),
        WestwoodCommand::Diff(args) => diff::run(&args, &command_line(&arguments)),
        WestwoodCommand::Formula(args) => formula::run(&args),
        WestwoodCommand::Trace(args) => trace::run(&args),
        WestwoodCommand::Merge(args) => results::merge(&args, &command_line(&arguments)),
        WestwoodCommand::Schema(args) => schema::run(&args),
        WestwoodCommand::List(args) => list::run(&args),
        WestwoodCommand::Show(args) => show::run(&args),
        WestwoodCommand::Complete(args) => complete::run(&args),
        WestwoodCommand::Completions(args) => pages::completions(&args),
        WestwoodCommand::Man(args) => pages::man(&args),
    }
}
