//! Running the command in a folder of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod numbers;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder that vanishes with the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The names of everything in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name();
        let mut names: Vec<String> =
            entries.map(|e| name(e).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// The command, to be run in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_westwood"));
        command.args(arguments).current_dir(self.path()).env_remove("COLUMNS");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().unwrap())
    }
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and every page below docs, in their order.
pub(crate) fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
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
    let script = root().join("scripts/check-links");
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
