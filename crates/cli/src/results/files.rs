//! The files of a results folder: written whole or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use westwood_experiment::run::GridReport;
use westwood_report::data_frame::DataFrame;
use westwood_report::{json, tables};

use crate::draft::write_whole;
use crate::exit::{CommandExit, Stop};

/// A new folder of this name; of those that begin in the same second the later ones get a number.
pub(super) fn fresh(out: &Path, name: &str) -> io::Result<PathBuf> {
    const MOST: usize = 1_000;
    for n in 1..MOST {
        let numbered = if n == 1 { name.to_owned() } else { format!("{name}-{n}") };
        let path = out.join(numbered);
        match fs::create_dir(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Writes the summaries of a report into a folder.
pub(super) fn write_summaries(path: &Path, report: &GridReport) -> Result<(), Stop> {
    let text = json::render_run(report).map_err(|e| Stop::new(CommandExit::RunFailed, e))?;
    let written = tables::summaries(report)
        .iter()
        .try_for_each(|frame| write_frame(path, "", frame))
        .and_then(|()| write_whole(&path.join("results.json"), text.as_bytes()));
    written.map_err(|e| cannot_write(path, &e))
}

/// Writes a table as CSV and, where that is built in, as Parquet.
pub(super) fn write_frame(folder: &Path, before: &str, frame: &DataFrame) -> io::Result<()> {
    let file = |ending: &str| folder.join(format!("{before}{}.{ending}", frame.name));
    #[cfg(feature = "parquet")]
    write_whole(&file("parquet"), &frame.parquet().map_err(io::Error::other)?)?;
    write_whole(&file("csv"), frame.csv().as_bytes())
}

pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Stop {
    let mend = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; finished runs are kept: make room and go on with --resume"
        }
        io::ErrorKind::FileTooLarge => {
            "; finished runs are kept: raise the limit on the size of files and go on with --resume"
        }
        _ => "",
    };
    let what = format!("--out: '{}' cannot be written: {error}{mend}", path.display());
    Stop::new(CommandExit::Environment, what)
}
