//! Finished runs on the disk.
//!
//! `journal.jsonl` has the settings in its first line and a run in each further one. A line is written
//! when its run is finished and seen to be on the disk. A line that a crash has cut off is a run that
//! was not finished.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};
use serde::{Deserialize, Serialize};

use crate::campaign::{CampaignRun, Settings};

const NAME: &str = "journal.jsonl";
const SCHEMA: &str = "westwood.measure.journal/1";

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct JournalHeader {
    schema: String,
    settings: Settings,
}

/// The runs of a campaign, kept in a folder.
#[derive(Debug)]
pub struct CampaignJournal {
    file: File,
    folder: PathBuf,
    /// The folder was not there before.
    made_folder: bool,
    /// The runs finished before.
    pub done: Vec<CampaignRun>,
}

/// The reason why a folder cannot keep a campaign.
#[derive(Debug)]
pub enum JournalError {
    /// It keeps one already, and it was not asked to go on with it.
    Exists(PathBuf),
    /// It keeps one with other settings.
    Differs(PathBuf),
    /// Its contents are no campaign.
    Foreign(PathBuf),
    /// Another process works in it.
    InUse(PathBuf),
    /// The system does not let it be used.
    Io(PathBuf, io::Error),
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(folder) => write!(
                f,
                "'{}' holds a campaign already; write --resume to go on with it, or name another folder",
                folder.display()
            ),
            Self::Differs(folder) => write!(
                f,
                "'{}' holds a campaign with other settings; name another folder, or repeat its command \
                 with --resume",
                folder.display()
            ),
            Self::Foreign(file) => {
                write!(f, "'{}' is no journal of a campaign; name another folder", file.display())
            }
            Self::InUse(folder) => {
                write!(f, "another campaign is at work in '{}'", folder.display())
            }
            Self::Io(path, error) => write!(f, "'{}' cannot be used: {error}", path.display()),
        }
    }
}

impl std::error::Error for JournalError {}

impl CampaignJournal {
    /// Begins a campaign in a folder, which is made if need be, or goes on with the one that is there.
    pub fn open(folder: &Path, settings: &Settings, resume: bool) -> Result<Self, JournalError> {
        let path = folder.join(NAME);
        let failed = |error| JournalError::Io(path.clone(), error);
        let made_folder = !folder.exists();
        fs::create_dir_all(folder).map_err(|e| JournalError::Io(folder.to_owned(), e))?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 && text.is_empty() {
            let folder = folder.to_owned();
            let mut journal = Self { file, folder, made_folder, done: Vec::new() };
            let head = JournalHeader { schema: SCHEMA.to_owned(), settings: settings.clone() };
            journal.append(&head).map_err(failed)?;
            return Ok(journal);
        }
        if !resume {
            return Err(JournalError::Exists(folder.to_owned()));
        }
        let done = runs(&text[..whole], settings, &path, folder)?;
        // A run that a crash has cut off is written again.
        file.set_len(whole as u64)
            .and_then(|()| file.seek(io::SeekFrom::End(0)))
            .map_err(failed)?;
        Ok(Self { file, folder: folder.to_owned(), made_folder, done })
    }

    /// Keeps a run.
    pub fn keep(&mut self, run: &CampaignRun) -> io::Result<()> {
        self.append(run)
    }

    /// Removes a journal that has no run, and the folder if it was made for it. An error leaves them where
    /// they are.
    pub fn discard(self) {
        let _ = fs::remove_file(self.folder.join(NAME));
        if self.made_folder {
            let _ = fs::remove_dir(&self.folder);
        }
    }

    fn append(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.file.sync_data()
    }
}

/// The runs of a journal, if it is one of these settings.
fn runs(
    text: &[u8],
    settings: &Settings,
    path: &Path,
    folder: &Path,
) -> Result<Vec<CampaignRun>, JournalError> {
    let foreign = || JournalError::Foreign(path.to_owned());
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let head: JournalHeader = lines
        .next()
        .and_then(|line| serde_json::from_slice(line).ok())
        .filter(|head: &JournalHeader| head.schema == SCHEMA)
        .ok_or_else(foreign)?;
    if head.settings != *settings {
        return Err(JournalError::Differs(folder.to_owned()));
    }
    lines.map(|line| serde_json::from_slice(line).map_err(|_| foreign())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::tests::{run, settings};

    #[test]
    fn a_campaign_that_broke_goes_on_with_every_bit_of_what_it_had() {
        let (folder, settings) = (tempfile::tempdir().unwrap(), settings(&["a", "b"], 2));
        let file = folder.path().join(NAME);
        let mut journal = CampaignJournal::open(folder.path(), &settings, false).unwrap();
        journal.keep(&run(1, "a")).unwrap();
        journal.keep(&run(1, "b")).unwrap();
        drop(journal);
        // The third run was cut off while it was written.
        let mut text = fs::read(&file).unwrap();
        let whole = text.len();
        text.extend_from_slice(br#"{"round":2,"cc":"b","beg"#);
        fs::write(&file, text).unwrap();
        let mut journal = CampaignJournal::open(folder.path(), &settings, true).unwrap();
        assert_eq!(journal.done, [run(1, "a"), run(1, "b")]);
        assert_eq!(fs::metadata(&file).unwrap().len(), whole as u64);
        journal.keep(&run(2, "b")).unwrap();
        drop(journal);
        assert_eq!(CampaignJournal::open(folder.path(), &settings, true).unwrap().done.len(), 3);
    }

    #[test]
    fn a_campaign_without_a_run_leaves_nothing() {
        let (around, settings) = (tempfile::tempdir().unwrap(), settings(&["a"], 1));
        let folder = around.path().join("campaign");
        let open = |folder: &Path| CampaignJournal::open(folder, &settings, false).unwrap();
        open(&folder).discard();
        assert!(!folder.exists());
        // A folder that was there before stays.
        fs::create_dir(&folder).unwrap();
        open(&folder).discard();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_is_not_shared_overwritten_or_mixed() {
        let (folder, plain) = (tempfile::tempdir().unwrap(), settings(&["a", "b"], 2));
        let file = folder.path().join(NAME);
        let first = CampaignJournal::open(folder.path(), &plain, false).unwrap();
        let again =
            |settings: &Settings, resume| CampaignJournal::open(folder.path(), settings, resume);
        assert!(matches!(again(&plain, true), Err(JournalError::InUse(_))));
        drop(first);
        assert!(matches!(again(&plain, false), Err(JournalError::Exists(_))));
        let other = settings(&["a", "b"], 3);
        assert!(matches!(again(&other, true), Err(JournalError::Differs(_))));
        fs::write(&file, "notes\nof mine\n").unwrap();
        assert!(matches!(again(&plain, true), Err(JournalError::Foreign(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), "notes\nof mine\n");
    }
}
