//! The commands, as candidates.

use clap::{Command, CommandFactory as _};

use super::candidate::Candidate;
use crate::args::Westwood;

/// The commands that have a page of their own.
pub(super) fn commands() -> Vec<Candidate> {
    offered(&Westwood::command()).collect()
}

/// The commands that a command has, without those that are hidden.
pub(super) fn offered(command: &Command) -> impl Iterator<Item = Candidate> {
    let visible = command.get_subcommands().filter(|c| !c.is_hide_set());
    visible.map(|c| Candidate::new(c.get_name(), about(c.get_about())))
}

/// The first line of a help text.
pub(super) fn about(text: Option<&clap::builder::StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}
