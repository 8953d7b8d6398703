//! `westwood diff`: what changed from one saved result to another.

use westwood_experiment::judgement::diff;
use westwood_report::diff::{page, terminal as in_words};
use westwood_report::html;

use crate::args::{DiffArgs, JsonTarget};
use crate::exit::{CommandExit, Stop};
use crate::experiment::saved;
use crate::output::{Output, print};
use crate::terminal;

pub(crate) fn run(args: &DiffArgs, command: &str) -> Result<(), Stop> {
    let (old, new) = (saved("OLD", &args.old)?, saved("NEW", &args.new)?);
    let json = match &args.json {
        Some(JsonTarget::File(path)) => Some(Output::prepare("--json", path)?),
        Some(JsonTarget::Stdout) | None => None,
    };
    let html = args.html.as_ref().map(|path| Output::prepare("--html", path)).transpose()?;
    let found = diff(&old, &new, args.practical);
    if found.paired == 0 && found.lost.is_empty() {
        let what = "the two results have no run in common: a point of the same name and seed";
        return Err(Stop::bad_input(what));
    }
    let say = !args.quiet;
    if args.json.is_some() {
        let text = serde_json::to_string_pretty(&found)
            .map_err(|e| Stop::new(CommandExit::RunFailed, e))?;
        let text = text + "\n";
        json.map_or_else(|| print(&text), |file| file.write(&text, say))?;
    }
    if let Some(file) = html {
        file.write(&html::render(&page(&found, command, env!("CARGO_PKG_VERSION"))), say)?;
    }
    if args.quiet || args.json == Some(JsonTarget::Stdout) {
        return Ok(());
    }
    print(&in_words(&found, terminal::style()))
}
