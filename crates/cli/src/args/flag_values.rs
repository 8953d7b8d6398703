//! The flags that say an experiment: as the tables of scenario files declare them.

use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use westwood_scenario::file::{Flag, FlagValue, flags};

/// Settings in words, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagValues(pub Vec<FlagValue>);

/// Those of the path alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathFlagValues(pub Vec<FlagValue>);

/// The flags that describe a path.
pub(crate) fn path_flags() -> Vec<Flag> {
    let of_path = |flag: &Flag| flag.heading == "Path" && flag.name != "rtt-spread";
    flags().into_iter().filter(of_path).collect()
}

/// Bytes of a placeholder. A longer one would push the text of every flag to the margin.
const MOST_OF_PLACEHOLDER: usize = 50;

/// A flag of the command. Faults of its value are reported when the experiment is read, all at
/// once.
fn argument(flag: Flag) -> Arg {
    let (first, rest) = flag.about.split_once(". ").unwrap_or((flag.about.as_str(), ""));
    let short = first.trim_end_matches('.').to_owned();
    let absent = format!("[default: {}]", flag.absent);
    let long = if rest.is_empty() {
        format!("{short}.\n\n{absent}")
    } else {
        format!("{short}.\n\n{rest}\n\n{absent}")
    };
    let value =
        if flag.value.len() > MOST_OF_PLACEHOLDER { flag.name.to_uppercase() } else { flag.value };
    Arg::new(flag.name.clone())
        .long(flag.name)
        .value_name(value)
        .value_parser(ValueParser::string())
        .allow_hyphen_values(true)
        .help_heading(flag.heading)
        .help(format!("{short} {absent}"))
        .long_help(long)
}

fn augmented(command: Command, flags: Vec<Flag>) -> Command {
    flags.into_iter().fold(command, |command, flag| command.arg(argument(flag)))
}

fn given(matches: &ArgMatches, flags: Vec<Flag>) -> Vec<FlagValue> {
    let word = |flag: Flag| {
        let value = matches.get_one::<String>(&flag.name)?.clone();
        Some((matches.index_of(&flag.name)?, FlagValue { flag: flag.name, value }))
    };
    let mut words: Vec<(usize, FlagValue)> = flags.into_iter().filter_map(word).collect();
    words.sort_by_key(|(place, _)| *place);
    words.into_iter().map(|(_, word)| word).collect()
}

macro_rules! words {
    ($name:ident, $flags:expr) => {
        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                augmented(command, $flags)
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                Ok(Self(given(matches, $flags)))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

words!(FlagValues, flags());
words!(PathFlagValues, path_flags());
