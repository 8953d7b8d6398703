//! `westwood show`.

use std::path::Path;

use westwood_scenario::library::{LibraryScenario, files_of, read, ready};

use crate::args::ShowArgs;
use crate::exit::Stop;
use crate::output::{print, tell};

/// Prints a ready scenario, or a file that one reads. Other files that a copy needs are named on
/// stderr.
pub(crate) fn run(args: &ShowArgs) -> Result<(), Stop> {
    if let Ok(trace) = read(Path::new(&args.name)) {
        return print(&trace);
    }
    let found = ready(&args.name).map_err(|e| Stop::bad_input(e.at("show")))?;
    print(found.text)?;
    needs(found);
    Ok(())
}

/// The files that a copy of the scenario reads too.
fn needs(ready: &LibraryScenario) {
    for file in files_of(ready) {
        tell(format_args!("note: it reads {file} beside it: westwood show {file} > {file}"));
    }
}
