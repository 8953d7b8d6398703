//! The folder in which finished runs are kept for the next time.

use std::io;
use std::path::{Path, PathBuf};

use westwood_experiment::store::RunStore;

use crate::exit::{CommandExit, Stop};
use crate::output::{cannot_write, check_folder};

/// Opens the folder that `--cache` names, or `westwood/NAME` in the user's cache. Runs under an unusual
/// condition are kept apart. A folder for keeping runs must be one that can be written.
pub(crate) fn open(
    given: Option<&Path>,
    name: &str,
    condition: Option<&str>,
    keeping: bool,
) -> Result<RunStore, Stop> {
    let folder = match given {
        Some(folder) => folder.to_owned(),
        None => usual(name).ok_or_else(|| {
            let what = "there is no home directory to keep finished runs in; name a folder with \
                        --cache, or use --fresh";
            Stop::new(CommandExit::Environment, what)
        })?,
    };
    check_folder("--cache", &folder)?;
    let store = RunStore::open(&folder, condition).and_then(|store| {
        if keeping {
            store.check_writable()?;
        }
        Ok(store)
    });
    store.map_err(|e| cannot_write("--cache", &folder, &e))
}

fn usual(name: &str) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    base.map(|base| base.join("westwood").join(name))
}

/// A finished run cannot be kept: nothing is done twice, so that no run goes on.
pub(crate) fn cannot_keep(error: &io::Error) -> Stop {
    let mend = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room",
        _ => "name another folder with --cache",
    };
    let what = format!("finished runs cannot be kept: {error}; {mend}, or use --fresh");
    Stop::new(CommandExit::Environment, what)
}
