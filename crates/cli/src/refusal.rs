//! The parser's refusals, each as one line in our own words.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use westwood_scenario::{BadInput, nearest};

use crate::args::Westwood;
use crate::exit::Stop;
use crate::terminal;

/// The message for a command line that could not be parsed.
pub(crate) fn stop(error: &clap::Error, arguments: &[OsString]) -> Stop {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render();
            Stop::output(if terminal::style().colour {
                text.ansi().to_string()
            } else {
                text.to_string()
            })
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Stop::bad_input(no_command(error)),
        ErrorKind::InvalidUtf8 => Stop::bad_input(no_text(arguments)),
        _ => Stop::bad_input(in_one_line(error, arguments)),
    }
}

/// Flags that mean nothing without another one, which the parser names alone: the flag, and what it needs.
const NEEDS: [(&str, &str); 7] = [
    ("--resume", "--out"),
    ("--shard", "--out"),
    ("--pcap-points", "--pcap"),
    ("--pcap-seeds", "--pcap"),
    ("--pcap-snaplen", "--pcap"),
    ("--play", "--html"),
    ("--set", "<SCENARIO>"),
];

/// The place of the command that `westwood emulate` runs.
const BEHIND: &str = "behind --, as in westwood emulate -- ping 198.19.0.1";

/// The refusal of an argument that is no text.
fn no_text(arguments: &[OsString]) -> BadInput {
    let found = arguments.iter().find(|argument| argument.to_str().is_none());
    let shown = found.map(|argument| argument.to_string_lossy().into_owned()).unwrap_or_default();
    BadInput::new(format!("the argument '{shown}' is not UTF-8")).hint("rename the file")
}

/// The refusal of a command that has others below it, without one.
fn no_command(error: &clap::Error) -> BadInput {
    let above = command_of(&error.render().to_string());
    if !above.contains(' ') {
        return BadInput::new("no command is given")
            .hint("write westwood compare, westwood run or westwood --help");
    }
    BadInput::new(format!("{above} needs a command"))
        .hint(format!("write one of {}", below(&above).join(", ")))
}

/// The commands below one that is named whole: `westwood kernel`.
fn below(above: &str) -> Vec<String> {
    let root = Westwood::command();
    let named = |command: &&clap::Command| above.ends_with(&format!(" {}", command.get_name()));
    let command = root.get_subcommands().find(named).unwrap_or(&root);
    let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
    let offered = visible.map(clap::Command::get_name).filter(|name| *name != "help");
    offered.map(str::to_owned).collect()
}

/// The command that a text of the parser is about: `westwood kernel`.
fn command_of(text: &str) -> String {
    let usage = text.lines().find_map(|line| line.trim_start().strip_prefix("Usage: "));
    let is_name = |word: &&str| {
        word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let words = usage
        .unwrap_or_default()
        .split(' ')
        .take_while(|word| is_name(word) && !word.starts_with('-'));
    let command = words.collect::<Vec<&str>>().join(" ");
    if command.is_empty() { "westwood".to_owned() } else { command }
}

fn in_one_line(error: &clap::Error, arguments: &[OsString]) -> BadInput {
    let flag = flag_of(error, ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::ValueValidation => match std::error::Error::source(error) {
            Some(source) => BadInput::new(source.to_string()).at(flag),
            None => first_line(error),
        },
        ErrorKind::InvalidValue => invalid_value(error, &flag),
        ErrorKind::UnknownArgument => unknown_argument(error, &flag, arguments),
        ErrorKind::InvalidSubcommand => {
            let given = words(error, ContextKind::InvalidSubcommand).join(" ");
            let above = command_of(&error.render().to_string());
            if given == "help" {
                return BadInput::new("unknown command 'help'").hint(help_of(error));
            }
            let names = below(&above);
            let names = names.iter().map(String::as_str);
            BadInput::unknown_among("command", &given, names, &format!("{above} --help"))
        }
        ErrorKind::ArgumentConflict => match words(error, ContextKind::PriorArg).first() {
            Some(prior) if short(prior) == flag => BadInput::new("is given twice").at(flag),
            Some(prior) => {
                BadInput::new(format!("cannot be used together with {}", short(prior))).at(flag)
            }
            None => BadInput::new("is given twice").at(flag),
        },
        ErrorKind::MissingRequiredArgument => {
            let needs =
                NEEDS.iter().find(|(one, other)| *other == flag && is_given(one, arguments));
            let what = match needs {
                Some((one, _)) => BadInput::new(format!("needs {flag}")).at(one),
                None => BadInput::new(format!("{flag} is missing")),
            };
            match flag.as_str() {
                "<COMMAND>" => what.hint(format!("write it {BEHIND}")),
                _ => what.hint(help_of(error)),
            }
        }
        _ => first_line(error),
    }
}

/// The refusal of an argument that a command does not have.
fn unknown_argument(error: &clap::Error, given: &str, arguments: &[OsString]) -> BadInput {
    let what = BadInput::new(format!("there is no argument '{given}'"));
    let command = command_of(&error.render().to_string());
    let flag = given.strip_prefix("--");
    if let Some(flag) = flag {
        let flags = long_flags(&command);
        if let Some(near) = nearest(flag, flags.iter().map(String::as_str)) {
            return what.hint(format!("did you mean --{near}?"));
        }
    }
    let is_of_compare = |flag: &str| long_flags("westwood compare").iter().any(|of| of == flag);
    let help = help_of(error);
    match command.as_str() {
        "westwood run" if flag.is_some_and(is_of_compare) => {
            what.hint("--set changes a setting, as in --set cc=cubic --set dumbbell.rate=5Mbit/s")
        }
        "westwood compare" if Path::new(given).extension().is_some_and(|end| end == "toml") => {
            what.hint(format!("write westwood run {given}"))
        }
        "westwood emulate" if !arguments.iter().any(|argument| argument == "--") => {
            what.hint(format!("write a command and its arguments {BEHIND}"))
        }
        _ if !given.starts_with('-') => {
            what.hint(format!("a value with a space in it needs quotes; {help}"))
        }
        _ => what.hint(help),
    }
}

/// The long flags of a command that is named whole: `rate`.
fn long_flags(command: &str) -> Vec<String> {
    let root = Westwood::command();
    let mut found = Some(&root);
    for name in command.split(' ').skip(1) {
        found = found.and_then(|above| above.find_subcommand(name));
    }
    let flags = found.into_iter().flat_map(clap::Command::get_arguments);
    flags
        .filter(|flag| !flag.is_hide_set())
        .filter_map(|flag| flag.get_long())
        .map(str::to_owned)
        .collect()
}

/// Whether a flag is among the arguments, with its value behind it or without.
fn is_given(flag: &str, arguments: &[OsString]) -> bool {
    let texts = arguments.iter().filter_map(|argument| argument.to_str());
    let mut rest =
        texts.take_while(|text| *text != "--").filter_map(|text| text.strip_prefix(flag));
    rest.any(|rest| rest.is_empty() || rest.starts_with('='))
}

fn help_of(error: &clap::Error) -> String {
    format!("see {} --help", command_of(&error.render().to_string()))
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
