//! The words before the cursor, and the candidates that they leave for the last one.

use clap::{Arg, Command, CommandFactory as _};

use super::candidate::{Candidate, Candidates};
use super::commands::{about, offered};
use super::values;
use crate::args::Westwood;

/// The candidates for the last word.
pub(crate) fn answer(words: &[String]) -> Candidates {
    let mut root = Westwood::command();
    root.build();
    let Some((last, before)) = words.split_last() else {
        return Candidates::default();
    };
    let mut place = CursorPosition { command: &root, flag: None, positionals: 0, literal: false };
    for word in before {
        place.read(word);
    }
    let mut answer = place.answer(last);
    answer.candidates.retain(|c| c.word.starts_with(last.as_str()));
    answer
}

/// The position of the cursor in a command line.
struct CursorPosition<'a> {
    command: &'a Command,
    /// A flag that waits for its value.
    flag: Option<&'a Arg>,
    /// The number of arguments without a flag before it.
    positionals: usize,
    /// Behind `--` nothing is a flag.
    literal: bool,
}

impl CursorPosition<'_> {
    fn read(&mut self, word: &str) {
        if self.flag.take().is_some() {
            return;
        }
        match word {
            "--" => self.literal = true,
            _ if !self.literal && word.starts_with('-') && word.len() > 1 => {
                let takes = flag(self.command, word).filter(|arg| takes_value(arg));
                self.flag = takes.filter(|_| !word.contains('='));
            }
            _ => match self.command.find_subcommand(word) {
                Some(command) if self.positionals == 0 => self.command = command,
                _ => self.positionals += 1,
            },
        }
    }

    fn answer(&self, last: &str) -> Candidates {
        if let Some(arg) = self.flag {
            return values::answer(self.command, arg, last);
        }
        if !self.literal && last.starts_with("--") && last.contains('=') {
            return self.joined(last).unwrap_or_default();
        }
        let mut answer = self.positional(last);
        if !self.literal && (last.starts_with('-') || answer == Candidates::default()) {
            answer.candidates.extend(flags(self.command));
        }
        answer
    }

    /// `--flag=value`.
    fn joined(&self, last: &str) -> Option<Candidates> {
        let (name, value) = last.split_once('=')?;
        let mut answer = values::answer(self.command, flag(self.command, name)?, value);
        for candidate in &mut answer.candidates {
            candidate.word.insert_str(0, &format!("{name}="));
        }
        Some(answer)
    }

    fn positional(&self, last: &str) -> Candidates {
        let commands: Vec<Candidate> = offered(self.command).collect();
        if !commands.is_empty() && !self.literal {
            return Candidates { candidates: commands, files: false };
        }
        let mut all = self.command.get_positionals();
        let here = self.command.get_positionals().nth(self.positionals);
        let many = |arg: &&Arg| arg.get_num_args().is_some_and(|n| n.max_values() > 1);
        match here.or_else(|| all.by_ref().last().filter(many)) {
            // Behind `--` stands a command of its own.
            Some(arg) if arg.is_last_set() != self.literal => Candidates::default(),
            Some(arg) => values::answer(self.command, arg, last),
            None => Candidates::default(),
        }
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// The flag that a word names.
fn flag<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let word = word.split('=').next().unwrap_or(word);
    let long = word.strip_prefix("--");
    let short = word.strip_prefix('-').and_then(|rest| rest.chars().next());
    command.get_arguments().find(|arg| match long {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some() && arg.get_short() == short,
    })
}

fn flags(command: &Command) -> impl Iterator<Item = Candidate> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    shown.filter_map(|arg| {
        Some(Candidate::new(format!("--{}", arg.get_long()?), about(arg.get_help())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<String> {
        let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        answer(&line).candidates.into_iter().map(|candidate| candidate.word).collect()
    }

    #[test]
    fn commands_flags_and_values_are_offered_where_they_may_stand() {
        assert!(words(&[""]).contains(&"compare".to_owned()));
        assert!(!words(&[""]).contains(&"complete".to_owned()), "hidden");
        assert_eq!(words(&["com"]), ["compare", "completions"]);
        assert_eq!(words(&["compare", "--reco"]), ["--recovery"]);
        assert_eq!(words(&["compare", "--recovery", "sack"]), ["sack-1996", "sack"]);
        assert_eq!(words(&["compare", "--recovery=sack-"]), ["--recovery=sack-1996"]);
        assert_eq!(words(&["kernel", "unl"]), ["unload"]);
        assert_eq!(words(&["list", "con"]), ["controllers"]);
        assert_eq!(words(&["compare", "--seeds", "3", "--like", "linux-"]), ["linux-6.18"]);
    }

    #[test]
    fn a_command_behind_two_dashes_is_the_shells_business() {
        assert_eq!(words(&["emulate", "--rtt", "10ms", "--", ""]), Vec::<String>::new());
    }

    #[test]
    fn every_flag_whose_values_are_known_exists() {
        let mut root = Westwood::command();
        root.build();
        let kernel = root.find_subcommand("kernel").into_iter().flat_map(Command::get_subcommands);
        let commands: Vec<&Command> = root.get_subcommands().chain(kernel).collect();
        for (of, id, _) in values::KNOWN {
            let fits = |c: &&&Command| of.is_empty() || c.get_name() == of;
            let has = |c: &&Command| c.get_arguments().any(|arg| arg.get_id() == id);
            assert!(commands.iter().filter(fits).any(has), "{of} {id}");
        }
    }
}
