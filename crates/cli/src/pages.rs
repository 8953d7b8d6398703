//! Completions, the manual and the reference of the book, all made from the flags.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use westwood_scenario::BadInput;

use crate::args::{CompletionArgs, ManArgs, Westwood};
use crate::complete;
use crate::exit::{CommandExit, Stop};
use crate::output::{cannot_write, check_folder, print};

pub(crate) fn completions(args: &CompletionArgs) -> Result<(), Stop> {
    if let Some(script) = complete::script(args.shell) {
        return print(script);
    }
    // The other shells get commands and flags.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Westwood::command(), "westwood", &mut text);
    print(&String::from_utf8_lossy(&text))
}

pub(crate) fn man(args: &ManArgs) -> Result<(), Stop> {
    if args.markdown {
        return print(&reference());
    }
    let mut root = Westwood::command();
    root.build();
    if let Some(folder) = &args.out {
        check_folder("--out", folder)?;
        let written =
            std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(root, folder));
        return written.map_err(|e| cannot_write("--out", folder, &e));
    }
    let command = match &args.command {
        None => root,
        Some(name) => {
            let Some(found) = root.find_subcommand(name) else {
                let visible = root.get_subcommands().filter(|command| !command.is_hide_set());
                let names = visible.map(clap::Command::get_name).filter(|name| *name != "help");
                let names: Vec<&str> = names.collect();
                let error = BadInput::unknown_among("command", name, names, "westwood --help");
                return Err(Stop::bad_input(error.at("man")));
            };
            found.clone().name(format!("westwood-{name}"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|e| Stop::new(CommandExit::Environment, e))?;
    print(&String::from_utf8_lossy(&text))
}

/// Columns of the help texts in the reference.
const COLUMNS: usize = 90;

/// The page `docs/reference/command-line.md`: the help of every command.
fn reference() -> String {
    let mut page = String::from(
        "# The command line\n\nThe output of `westwood COMMAND --help`, for every command. `westwood man --markdown` \
         makes this page.\n",
    );
    let mut root = Westwood::command().term_width(COLUMNS);
    root.build();
    for command in root.get_subcommands() {
        describe(&mut page, command, "westwood");
    }
    page
}

/// A command's help, and below it that of its own commands.
fn describe(page: &mut String, command: &clap::Command, parent: &str) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let help = command.clone().term_width(COLUMNS).render_long_help().to_string();
    let lines = help.lines().map(|line| format!("{}\n", line.trim_end()));
    let help = lines.collect::<String>();
    let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    for inner in command.get_subcommands() {
        describe(page, inner, &name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_what_the_flags_say() {
        // The help of a build without the kernel says the same: what is missing refuses when it is used.
        let page = include_str!("../../../docs/reference/command-line.md");
        let mend = "westwood man --markdown > docs/reference/command-line.md";
        assert!(page == reference(), "write it anew: {mend}");
    }
}
