//! `--like`: a preset's settings become flags, but for those that the user gives.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _};
use westwood_scenario::presets::Preset;

use crate::args::Westwood;

/// The command line with the preset's settings as flags behind it. What is given by hand stays.
pub(crate) fn expand(
    mut arguments: Vec<OsString>,
    preset: &Preset,
) -> Result<Vec<OsString>, clap::Error> {
    let matches = Westwood::command().try_get_matches_from(&arguments)?;
    let given = matches.subcommand().map(|(_, compare)| compare);
    for setting in preset.settings {
        if given.is_none_or(|compare| !by_hand(compare, setting.name)) {
            arguments.push(format!("--{}={}", setting.name, setting.value).into());
        }
    }
    Ok(arguments)
}

fn by_hand(compare: &ArgMatches, flag: &str) -> bool {
    compare.value_source(&flag.replace('-', "_")) == Some(ValueSource::CommandLine)
}
