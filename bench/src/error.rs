//! The errors of the benchmarks, in words.

use std::fmt;
use std::path::PathBuf;

use westwood_bench::networks::BadNetwork;
use westwood_sim::SimError;

/// Why a measurement could not be made.
#[derive(Debug)]
pub(crate) enum BenchError {
    /// A row, network or part of this name does not exist.
    Unknown { kind: &'static str, name: String, known: String },
    /// The network could not be built.
    Network(BadNetwork),
    /// The simulation refused.
    Simulation(SimError),
    /// A program could not be started.
    Start { program: String, why: std::io::Error },
    /// A program ended badly.
    Failed { command: String, output: String },
    /// A program did not say what was expected of it.
    Silent { command: String, key: &'static str },
    /// A file could not be read or written.
    File { path: PathBuf, why: std::io::Error },
    /// The operating system does not tell what a process used.
    Usage(nix::Error),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { kind, name, known } => {
                write!(f, "there is no {kind} `{name}`\nhint: choose among {known}")
            }
            Self::Network(fault) => write!(f, "{fault}"),
            Self::Simulation(e) => write!(f, "{e}"),
            Self::Start { program, why } => write!(f, "`{program}` does not start: {why}"),
            Self::Failed { command, output } => write!(f, "`{command}` failed:\n{output}"),
            Self::Silent { command, key } => write!(f, "`{command}` did not print `{key}`"),
            Self::File { path, why } => write!(f, "{}: {why}", path.display()),
            Self::Usage(e) => write!(f, "the system does not tell what a process used: {e}"),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<SimError> for BenchError {
    fn from(e: SimError) -> Self {
        Self::Simulation(e)
    }
}
