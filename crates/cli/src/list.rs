//! `westwood list`.

use westwood_report::catalog::{Topic, render, render_json};

use crate::args::ListArgs;
use crate::exit::{CommandExit, Stop};
use crate::output::print;
use crate::terminal;

pub(crate) fn run(args: &ListArgs) -> Result<(), Stop> {
    let topics = args.topic.map_or(Topic::ALL.to_vec(), |topic| vec![topic]);
    let text = if args.json {
        render_json(&topics).map_err(|e| Stop::new(CommandExit::RunFailed, e))?
    } else {
        render(&topics, terminal::style())
    };
    print(&text)
}
