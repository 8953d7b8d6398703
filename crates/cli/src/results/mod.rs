//! A results folder: the files that runs leave behind, and from which they resume.

mod files;
mod journal;
mod manifest;
mod merge;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use westwood_experiment::run::{CompletedRun, GridReport, RunRecord};
use westwood_report::tables;

use crate::exit::{CommandExit, Stop};
use crate::output::check_folder;
use files::{cannot_write, fresh, write_frame, write_summaries};
use journal::RunJournal;

pub(crate) use manifest::{Identity, Manifest, RunState};
pub(crate) use merge::run as merge;

/// The remark on the tables that follows the name of a results folder.
pub(crate) const TABLES: &str = if cfg!(feature = "parquet") {
    ""
} else {
    ": tables as CSV only; this build has no Parquet, build with --features parquet"
};

/// A folder of results in the making.
#[derive(Debug)]
pub(crate) struct ResultsFolder {
    path: PathBuf,
    manifest: Manifest,
    journal: RunJournal,
    /// The runs that are done, those of earlier executions first.
    done: Vec<RunRecord>,
}

impl ResultsFolder {
    /// A new folder in `out`; or, to resume, the newest one there with this identity, if any.
    pub(crate) fn open(
        out: &Path,
        manifest: Manifest,
        scenario: &str,
        resume: bool,
    ) -> Result<Self, Stop> {
        check_folder("--out", out)?;
        if resume && let Some(folder) = Self::newest(out, &manifest)? {
            return Ok(folder);
        }
        let made = fs::create_dir_all(out).and_then(|()| fresh(out, &manifest.folder_name()));
        let path = made.map_err(|e| cannot_write(out, &e))?;
        let made = fs::write(path.join("scenario.toml"), scenario)
            .and_then(|()| RunJournal::create(&path));
        let journal = made.map_err(|e| cannot_write(&path, &e))?;
        let folder = Self { path, manifest, journal, done: Vec::new() };
        folder.write_manifest()?;
        Ok(folder)
    }

    /// The newest folder with the same identity and shard.
    fn newest(out: &Path, wanted: &Manifest) -> Result<Option<Self>, Stop> {
        let mut found: Option<(Manifest, PathBuf)> = None;
        for entry in fs::read_dir(out).into_iter().flatten().flatten() {
            let Ok(manifest) = Manifest::read(&entry.path()) else {
                continue;
            };
            let same = manifest.hash == wanted.hash && manifest.shard == wanted.shard;
            let newer = found.as_ref().is_none_or(|(f, _)| f.started_utc < manifest.started_utc);
            if same && newer {
                found = Some((manifest, entry.path()));
            }
        }
        let Some((mut manifest, path)) = found else {
            return Ok(None);
        };
        manifest.resume(wanted);
        let (journal, done) = RunJournal::resume(&path).map_err(|e| match e.kind() {
            io::ErrorKind::WouldBlock => Stop::new(
                CommandExit::Environment,
                format!(
                    "--resume: another process works in '{}'; wait until it has ended",
                    path.display()
                ),
            ),
            io::ErrorKind::NotFound => Stop::bad_input(format!(
                "--resume: '{}' has lost its journal.jsonl, the list of its finished runs; \
                 remove the folder, or leave out --resume",
                path.display()
            )),
            _ => cannot_write(&path, &e),
        })?;
        let folder = Self { path, manifest, journal, done };
        folder.write_manifest()?;
        Ok(Some(folder))
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The runs that are done already.
    pub(crate) fn done(&self) -> &[RunRecord] {
        &self.done
    }

    /// Lets failed runs of earlier executions be done anew.
    pub(crate) fn forget_failed(&mut self) {
        self.done.retain(|run| run.error.is_none());
    }

    /// Keeps a finished run: its time series, then its line in the journal, so that a run that is in
    /// the journal is whole.
    pub(crate) fn keep(&mut self, done: &CompletedRun) -> Result<(), Stop> {
        let record = done.record();
        let kept = self.keep_series(done).and_then(|()| {
            let wall_s = done.result.as_ref().map_or(0.0, |finished| finished.wall_s);
            self.journal.append(&record, wall_s)
        });
        kept.map_err(|e| cannot_write(&self.path, &e))?;
        self.done.push(record);
        Ok(())
    }

    fn keep_series(&self, done: &CompletedRun) -> io::Result<()> {
        let Ok(finished) = &done.result else {
            return Ok(());
        };
        let frames = tables::series(finished);
        if frames.is_empty() {
            return Ok(());
        }
        let folder = self.path.join("series");
        fs::create_dir_all(&folder)?;
        let run = format!("{}-{}", done.task.point + 1, done.task.seed);
        frames.iter().try_for_each(|frame| write_frame(&folder, &format!("{run}."), frame))
    }

    /// Writes the tables of all finished runs, and how it ended.
    pub(crate) fn close(
        mut self,
        report: &GridReport,
        state: RunState,
        exit: CommandExit,
    ) -> Result<(), Stop> {
        write_summaries(&self.path, report)?;
        self.manifest.close(report, state, exit);
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<(), Stop> {
        self.manifest.write(&self.path).map_err(|e| cannot_write(&self.path, &e))
    }
}
