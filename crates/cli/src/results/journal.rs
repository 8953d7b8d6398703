//! The journal: a line for each finished run, as soon as it is finished.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use fs4::{FileExt, TryLockError};
use serde::{Deserialize, Serialize};
use westwood_experiment::run::RunRecord;

const NAME: &str = "journal.jsonl";

/// An open journal.
#[derive(Debug)]
pub(super) struct RunJournal {
    file: File,
}

/// A line of it.
#[derive(Debug, Serialize, Deserialize)]
struct JournalLine {
    /// The wall time of the simulation loop.
    wall_s: f64,
    record: RunRecord,
}

impl RunJournal {
    /// An empty journal in a folder.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        Self::owned(File::create_new(folder.join(NAME))?)
    }

    /// The journal of a folder, and its runs. A last line that was cut short is removed.
    /// [`io::ErrorKind::WouldBlock`] if another process writes it.
    pub(super) fn resume(folder: &Path) -> io::Result<(Self, Vec<RunRecord>)> {
        let file = OpenOptions::new().append(true).open(folder.join(NAME))?;
        let journal = Self::owned(file)?;
        let (records, length) = parse(folder)?;
        journal.file.set_len(length)?;
        Ok((journal, records))
    }

    /// Keeps other processes from writing it. The system ends that with this process, however it
    /// ends.
    fn owned(file: File) -> io::Result<Self> {
        match FileExt::try_lock(&file) {
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                Err(error)
            }
            // Where there are no locks, another process cannot be kept out.
            _ => Ok(Self { file }),
        }
    }

    /// The runs in the journal of a folder.
    pub(super) fn read(folder: &Path) -> io::Result<Vec<RunRecord>> {
        parse(folder).map(|(records, _)| records)
    }

    /// Adds a finished run, and sees that it is on the disk.
    pub(super) fn append(&mut self, record: &RunRecord, wall_s: f64) -> io::Result<()> {
        let line = JournalLine { wall_s, record: record.clone() };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()
    }
}

/// The records, and how many bytes they take.
fn parse(folder: &Path) -> io::Result<(Vec<RunRecord>, u64)> {
    let text = fs::read(folder.join(NAME))?;
    let mut records = Vec::new();
    let mut length = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let Ok(read) = serde_json::from_slice::<JournalLine>(line) else {
            break;
        };
        if !line.ends_with(b"\n") {
            break;
        }
        records.push(read.record.restored());
        length += line.len() as u64;
    }
    Ok((records, length))
}
