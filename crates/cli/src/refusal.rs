//! The parser's refusals, each as one line in our own words.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use westwood_scenario::BadInput;

use crate::args::Westwood;
use crate::exit::Stop;
use crate::terminal;

/// The message for a command line that could not be parsed.
pub(crate) fn stop(error: &clap::Error) -> Stop {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render();
            Stop::output(if terminal::style().colour {
                text.ansi().to_string()
            } else {
                text.to_string()
            })
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Stop::bad_input(
            "no command is given; write westwood compare, westwood run or westwood --help",
        ),
        _ => Stop::bad_input(in_one_line(error)),
    }
}

fn in_one_line(error: &clap::Error) -> BadInput {
    let flag = flag_of(error, ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(source) => BadInput::new(source.to_string()).at(flag),
            None => first_line(error),
        },
        ErrorKind::InvalidValue => invalid_value(error, &flag),
        ErrorKind::UnknownArgument => {
            let what = BadInput::new(format!("there is no argument '{flag}'"));
            let near = words(error, ContextKind::SuggestedArg);
            match near.first() {
                Some(near) => what.hint(format!("did you mean {near}?")),
                None => what.hint("see westwood --help"),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let given = words(error, ContextKind::InvalidSubcommand).join(" ");
            let root = Westwood::command();
            let visible = root.get_subcommands().filter(|command| !command.is_hide_set());
            let names: Vec<&str> = visible.map(clap::Command::get_name).collect();
            BadInput::unknown("command", &given, names)
        }
        ErrorKind::ArgumentConflict => match words(error, ContextKind::PriorArg).first() {
            Some(prior) if short(prior) == flag => BadInput::new("is given twice").at(flag),
            Some(prior) => {
                BadInput::new(format!("cannot be used together with {}", short(prior))).at(flag)
            }
            None => BadInput::new("is given twice").at(flag),
        },
        ErrorKind::MissingRequiredArgument => {
            BadInput::new(format!("{flag} is missing")).hint("see westwood --help")
        }
        _ => first_line(error),
    }
}

fn invalid_value(error: &clap::Error, flag: &str) -> BadInput {
    let given = words(error, ContextKind::InvalidValue).join(" ");
    let valid = words(error, ContextKind::ValidValue);
    if given.is_empty() {
        let what = BadInput::new("a value is missing").at(flag);
        return if valid.is_empty() {
            what
        } else {
            what.hint(format!("write one of {}", valid.join(", ")))
        };
    }
    BadInput::unknown("value", &given, valid.iter().map(String::as_str)).at(flag)
}

/// The flag that an error is about, without its placeholder.
fn flag_of(error: &clap::Error, kind: ContextKind) -> String {
    words(error, kind).first().map(|word| short(word)).unwrap_or_default()
}

/// `--rate` of `--rate <RATE>`.
fn short(flag: &str) -> String {
    flag.split([' ', '=']).next().unwrap_or(flag).trim_end_matches("...").to_owned()
}

fn words(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => vec![word.clone()],
        Some(ContextValue::Strings(words)) => words.clone(),
        _ => Vec::new(),
    }
}

fn first_line(error: &clap::Error) -> BadInput {
    let text = error.render().to_string();
    let line = text.lines().next().unwrap_or("the command line is not understood");
    BadInput::new(line.trim_start_matches("error: "))
}
