//! Running the command in a folder of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod numbers;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that vanishes with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("westwood-test-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                // A test that was killed left it; process numbers come again.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(path)).unwrap(),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The names of everything in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|e| name(e).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// The command, to be run in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_westwood"));
        command.args(arguments).current_dir(&self.0).env_remove("COLUMNS");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The result of the command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The result of `scripts/check-links` on a folder.
pub(crate) fn checked_links(folder: &Path) -> Run {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/check-links");
    Run::from(Command::new("python3").arg(script).arg(folder).output().unwrap())
}

/// Whether a real run was punctual: its 99th percentile and its longest stall, in microseconds, by what
/// stands beside its results.
pub(crate) fn punctual(run: &serde_json::Value, p99: f64, longest: f64) -> Result<(), String> {
    let late = &run["lateness_us"];
    let us = |name: &str| late[name].as_f64().unwrap_or_else(|| panic!("{name} of {late}"));
    if us("p99") <= p99 && us("max") <= longest {
        Ok(())
    } else {
        Err(format!("packets were late: {late} us"))
    }
}

/// Whether paths can be emulated here. If not, `lacking` is told why.
pub(crate) fn paths_can_be_emulated(lacking: impl FnOnce(&str)) -> bool {
    let run = Folder::new().run(&["emulate", "--quiet", "--bound", "10s", "--", "true"]);
    if run.code != Some(0) {
        lacking(&run.stderr);
    }
    run.code == Some(0)
}
