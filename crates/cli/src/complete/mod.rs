//! `westwood complete`: the candidates for the end of a command line.
//!
//! A shell's function hands over the words before the cursor and gets back candidates for the last
//! one. The commands and flags are clap's, the values those of the catalogs: nothing is listed twice.
//!
//! The engine of `clap_complete` is not used: it is unstable, and it takes a value for one word, which
//! lists with commas and parentheses in them are not to bash.

mod bash;
mod candidate;
mod commands;
mod grammar;
mod typed;
mod values;

use std::fmt::Write as _;

use clap_complete::Shell;

use crate::args::CompleteArgs;
use crate::exit::Stop;
use crate::output::print;
use candidate::{Candidates, FILES};

pub(crate) fn run(args: &CompleteArgs) -> Result<(), Stop> {
    print(&match args.shell {
        Shell::Bash => bash::answer(&args.words),
        _ => lines(&typed::answer(&args.words)),
    })
}

/// For zsh and fish: word, a tab, its meaning, another tab and `+` where something is to follow.
fn lines(answer: &Candidates) -> String {
    let mut text = String::new();
    for candidate in &answer.candidates {
        let open = if candidate.whole { "" } else { "\t+" };
        let _ = writeln!(text, "{}\t{}{open}", candidate.word, candidate.about);
    }
    if answer.files {
        text.push_str(FILES);
        text.push('\n');
    }
    text
}

/// The functions that a shell loads, if it has any of ours.
pub(crate) fn script(shell: Shell) -> Option<&'static str> {
    match shell {
        Shell::Bash => Some(include_str!("westwood.bash")),
        Shell::Zsh => Some(include_str!("westwood.zsh")),
        Shell::Fish => Some(include_str!("westwood.fish")),
        _ => None,
    }
}
