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
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if terminal { asked().or(columns) } else { columns };
    Style {
        width: width.unwrap_or(80).clamp(40, 200),
        colour: terminal && !set("NO_COLOR") && !dumb,
    }
}
