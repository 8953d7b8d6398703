//! The width and the colours of the terminal.

use std::io::IsTerminal as _;

use westwood_report::Style;

/// The style for stdout: colours and the terminal's width on a terminal, plain text elsewhere.
///
/// `NO_COLOR` (no-color.org) and `TERM=dumb` mean no colours; `COLUMNS` is heeded where there is no
/// terminal to ask.
pub(crate) fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if terminal { asked().or_else(columns) } else { columns() };
    Style { width: within(width.unwrap_or(80)), colour: terminal && !set("NO_COLOR") && !dumb }
}

/// The width of messages on stderr: the terminal's, or that of `COLUMNS`; none in a log or for a program,
/// where a message is one line.
pub(crate) fn width_of_messages() -> Option<usize> {
    let stderr = std::io::stderr();
    let asked = || terminal_size::terminal_size_of(&stderr).map(|(width, _)| usize::from(width.0));
    let width =
        if stderr.is_terminal() { asked().or_else(columns).or(Some(80)) } else { columns() };
    width.map(within)
}

fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// A width that tables can have and eyes can follow.
fn within(width: usize) -> usize {
    width.clamp(40, Style::WIDEST)
}
