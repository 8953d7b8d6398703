//! The manifest of a results folder: the schema `westwood.manifest/1`.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use westwood_experiment::judgement::{JudgementRules, WarningGrounds};
use westwood_experiment::results::ComparisonPath;
use westwood_experiment::run::GridReport;

use crate::draft::write_whole;
use crate::exit::CommandExit;
use crate::machine::Machine;
use crate::shard::Shard;

const NAME: &str = "manifest.json";
const SCHEMA: &str = "westwood.manifest/1";

/// The inputs that decide the results of a scenario.
#[derive(Debug)]
pub(crate) struct Identity<'a> {
    /// The scenario's text.
    pub(crate) text: &'a str,
    /// Settings of the command line, as `PATH=VALUE`.
    pub(crate) settings: &'a [String],
    /// Other files that it names, with their texts.
    pub(crate) files: &'a [(String, String)],
    /// Its world, if that is not the simulator.
    pub(crate) world: Option<&'a str>,
}

/// The state of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RunState {
    /// At work, or killed.
    Running,
    /// All runs are done.
    Finished,
    /// Ended by Ctrl-C.
    Interrupted,
}

/// The contents of `manifest.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The schema's name.
    pub(crate) schema: String,
    /// The program's version.
    pub(crate) version: String,
    /// The scenario's name.
    pub(crate) name: String,
    /// SHA-256 of what decides the results, the version included.
    pub(crate) hash: String,
    /// The scenario's file, as it was given.
    pub(crate) scenario_file: String,
    /// The scenario's text.
    pub(crate) scenario: String,
    /// Settings of the command line.
    pub(crate) settings: Vec<String>,
    /// The part of the grid; `null` for all of it.
    pub(crate) shard: Option<Shard>,
    /// The command line.
    pub(crate) command: Vec<String>,
    /// The machine that ran it.
    pub(crate) host: Machine,
    /// Runs at the same time.
    pub(crate) jobs: usize,
    /// The time of its beginning.
    pub(crate) started_utc: String,
    /// The times at which it was resumed.
    pub(crate) resumed_utc: Vec<String>,
    /// The time of its end.
    pub(crate) finished_utc: Option<String>,
    /// Its state.
    pub(crate) state: RunState,
    /// The exit code; `null` while it runs.
    pub(crate) exit: Option<u8>,
    /// Runs with results.
    pub(crate) runs_finished: usize,
    /// Runs that failed.
    pub(crate) runs_failed: usize,
    /// The folders that it was merged from.
    pub(crate) merged_from: Vec<String>,
    /// The rules by which it is judged.
    pub(crate) rules: JudgementRules,
    /// The scenario's part in the warnings about its results.
    pub(crate) warning_grounds: WarningGrounds,
    /// The path of a comparison in words; `null` for other scenarios.
    pub(crate) path: Option<ComparisonPath>,
    /// The report without its runs: axes, seeds and points.
    pub(crate) grid: GridReport,
}

impl Identity<'_> {
    /// SHA-256 of the program's version, the text, the settings and the other files.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        let mut add = |part: &str| {
            // Lengths keep two parts from being taken for two others.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        add(env!("CARGO_PKG_VERSION"));
        add(self.text);
        self.settings.iter().for_each(|setting| add(setting));
        self.files.iter().for_each(|(name, text)| {
            add(name);
            add(text);
        });
        // No setting is a bare word, and no file comes without its text.
        self.world.iter().for_each(|world| add(world));
        let hex = |text: String, byte: &u8| format!("{text}{byte:02x}");
        hasher.finalize().iter().fold(String::new(), hex)
    }
}

impl Manifest {
    /// The manifest of runs that begin now.
    pub(crate) fn new(identity: &Identity<'_>, file: &str, grid: GridReport, jobs: usize) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: grid.name.clone(),
            hash: identity.hash(),
            scenario_file: file.to_owned(),
            scenario: identity.text.to_owned(),
            settings: identity.settings.to_vec(),
            shard: None,
            command: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            host: Machine::this(),
            jobs,
            started_utc: now(),
            resumed_utc: Vec::new(),
            finished_utc: None,
            state: RunState::Running,
            exit: None,
            runs_finished: 0,
            runs_failed: 0,
            merged_from: Vec::new(),
            rules: JudgementRules::default(),
            warning_grounds: WarningGrounds::default(),
            path: None,
            grid,
        }
    }

    /// Name, time, the beginning of the hash, and the part: `geo-20300102T030405Z-0123abcd-1of4`.
    pub(crate) fn folder_name(&self) -> String {
        let name: String =
            self.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let time: String =
            self.started_utc.split('.').next().unwrap_or_default().replace(['-', ':'], "");
        let hash: String = self.hash.chars().take(8).collect();
        let shard = self.shard.map(|s| format!("-{}of{}", s.part, s.of)).unwrap_or_default();
        format!("{name}-{}Z-{hash}{shard}", time.trim_end_matches('Z'))
    }

    /// Goes on now, on this machine, by another command.
    pub(super) fn resume(&mut self, now_running: &Self) {
        self.resumed_utc.push(now());
        self.command.clone_from(&now_running.command);
        self.host.clone_from(&now_running.host);
        self.jobs = now_running.jobs;
        self.rules = now_running.rules;
        self.state = RunState::Running;
        (self.finished_utc, self.exit) = (None, None);
    }

    /// Ends now, with this report.
    pub(super) fn close(&mut self, report: &GridReport, state: RunState, exit: CommandExit) {
        self.finished_utc = Some(now());
        self.state = state;
        self.exit = Some(exit as u8);
        self.runs_failed = report.all_runs().filter(|run| run.error.is_some()).count();
        self.runs_finished = report.all_runs().count() - self.runs_failed;
    }

    /// Reads the manifest of a folder.
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let text = fs::read(folder.join(NAME))?;
        let manifest: Self = serde_json::from_slice(&text)?;
        if manifest.schema == SCHEMA {
            Ok(manifest)
        } else {
            Err(io::Error::other(format!("its schema is not {SCHEMA}")))
        }
    }

    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_whole(&folder.join(NAME), text.as_bytes())
    }
}

/// The time in UTC, to the millisecond, so that folders of one second are told apart in order.
fn now() -> String {
    chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_depends_on_everything_that_decides_the_results() {
        let hash_on = |world, text: &str, settings: &[&str], files: &[(&str, &str)]| {
            let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
            let files: Vec<(String, String)> =
                files.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            Identity { text, settings: &settings, files: &files, world }.hash()
        };
        let hash =
            |text, settings: &[&str], files: &[(&str, &str)]| hash_on(None, text, settings, files);
        let all = [
            hash("a", &[], &[]),
            hash("b", &[], &[]),
            hash("a", &["seeds=2"], &[]),
            hash("a", &["seeds", "=2"], &[]),
            hash("a", &[], &[("t", "0")]),
            hash_on(Some("linux"), "a", &[], &[]),
            hash_on(Some("linux"), "a", &[], &[("t", "0")]),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
    }
}
