//! Completions and the manual, both made from the flags.

use clap::CommandFactory as _;

use crate::args::{CompletionArgs, ManArgs, Westwood};
use crate::complete;
use crate::exit::{Exit, Stop};
use crate::output::print;

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
    let mut root = Westwood::command();
    root.build();
    if let Some(folder) = &args.out {
        let written =
            std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(root, folder));
        return written.map_err(|e| {
            Stop::new(Exit::Environment, format!("--out: '{}': {e}", folder.display()))
        });
    }
    let command = match &args.command {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(found) => found.clone().name(format!("westwood-{name}")),
            None => {
                return Err(Stop::bad_input(format!("man: there is no command '{name}'")));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut text)
        .map_err(|e| Stop::new(Exit::Environment, e))?;
    print(&String::from_utf8_lossy(&text))
}
