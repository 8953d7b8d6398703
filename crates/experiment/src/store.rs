//! Results that are kept: a file for each experiment, a line for each run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
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

    /// Sees that results can be kept: before hours of runs that could not.
    pub fn check_writable(&self) -> io::Result<()> {
        let probe = self.folder.join(format!(".{}.part", std::process::id()));
        File::create(&probe)?;
        fs::remove_file(&probe)
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
        let Ok(bytes) = fs::read(self.path(key)) else {
            return Vec::new();
        };
        bytes.split(|byte| *byte == b'\n').filter_map(|l| serde_json::from_slice(l).ok()).collect()
    }

    /// Keeps a line.
    pub fn append<L: Serialize>(&self, key: StoreKey<'_>, line: &L) -> io::Result<()> {
        let text = serde_json::to_string(line).map_err(io::Error::other)?;
        let path = self.path(key);
        append_line(&path, text)
            .map_err(|e| io::Error::new(e.kind(), format!("'{}': {e}", path.display())))
    }
}

/// Adds a line to a file, which is made if need be.
fn append_line(path: &Path, mut line: String) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    line.push('\n');
    if !ends_a_line(&mut file)? {
        // The last line was cut off, and would take the new one with it.
        line.insert(0, '\n');
    }
    file.write_all(line.as_bytes())
}

/// Whether a file ends with a newline, or is empty.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(io::SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
