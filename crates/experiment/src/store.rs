//! Results that are kept: a file for each experiment, a line for each run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

/// A folder of results.
#[derive(Clone, Debug)]
pub struct RunStore {
    folder: PathBuf,
    condition: Option<String>,
}

/// The file of an experiment in a store: its name, and the inputs that decide its results beside the program.
#[derive(Clone, Copy, Debug)]
pub struct StoreKey<'a> {
    /// The name, with characters that a file's name may have.
    pub name: &'a str,
    /// The scenario's text and settings.
    pub identity: &'a str,
}

impl RunStore {
    /// Results in this folder, which is made if need be. Those that were made under an unusual
    /// condition are never taken for others.
    pub fn open(folder: &Path, condition: Option<&str>) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), condition: condition.map(str::to_owned) })
    }

    fn path(&self, key: StoreKey<'_>) -> PathBuf {
        let mut hasher = Sha256::new();
        hasher.update(env!("CARGO_PKG_VERSION"));
        hasher.update([0]);
        hasher.update(key.identity);
        if let Some(condition) = &self.condition {
            hasher.update([0]);
            hasher.update(condition);
        }
        let digest = hasher.finalize();
        let hash = digest.iter().take(8).fold(String::new(), |text, b| format!("{text}{b:02x}"));
        self.folder.join(format!("{}-{hash}.jsonl", key.name))
    }

    /// The lines of an experiment. One that cannot be read, such as one that was cut off, is left out.
    pub fn read<L: DeserializeOwned>(&self, key: StoreKey<'_>) -> Vec<L> {
        let Ok(text) = fs::read_to_string(self.path(key)) else {
            return Vec::new();
        };
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Keeps a line.
    pub fn append<L: Serialize>(&self, key: StoreKey<'_>, line: &L) -> io::Result<()> {
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        self.opened(key)?.write_all(text.as_bytes())
    }

    fn opened(&self, key: StoreKey<'_>) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).open(self.path(key))
    }
}
