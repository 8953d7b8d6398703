//! The values that only this command has, and the limits of the others.

use std::path::PathBuf;

use clap::ValueEnum;
use westwood_cc::{Bytes, Duration};
use westwood_report::catalog::Topic;
use westwood_scenario::{BadInput, limits, units};

/// The target of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonTarget {
    /// To stdout.
    Stdout,
    /// To a file.
    File(PathBuf),
}

impl JsonTarget {
    pub(super) fn parse(text: &str) -> Result<Self, BadInput> {
        match text {
            "" => Err(BadInput::new("names no file").hint("write FILE or -")),
            "-" => Ok(Self::Stdout),
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

/// A file that is read.
pub(super) fn file(text: &str) -> Result<PathBuf, BadInput> {
    path(text, "write FILE or /dev/stdin")
}

/// A file that is written.
pub(super) fn output(text: &str) -> Result<PathBuf, BadInput> {
    path(text, "write FILE or /dev/stdout")
}

fn path(text: &str, mend: &str) -> Result<PathBuf, BadInput> {
    match text {
        "" => Err(BadInput::new("names no file").hint("write FILE")),
        "-" => Err(BadInput::new("'-' is no file").hint(mend)),
        _ => Ok(PathBuf::from(text)),
    }
}

pub(super) fn folder(text: &str) -> Result<PathBuf, BadInput> {
    match text {
        "" => Err(BadInput::new("names no folder").hint("write DIR")),
        "-" => Err(BadInput::new("'-' is no folder").hint("write DIR")),
        _ => Ok(PathBuf::from(text)),
    }
}

pub(super) fn rtt(text: &str) -> Result<Duration, BadInput> {
    limits::duration_within(text, limits::MIN_RTT, limits::MAX_RTT)
}

pub(super) fn transfer(text: &str) -> Result<Bytes, BadInput> {
    limits::transfer(text)
}

pub(super) fn time(text: &str) -> Result<Duration, BadInput> {
    limits::duration_within(text, Duration::from_millis(1), limits::MAX_TIME)
}

/// IPv4's smallest MTU (RFC 791), and what its length field can say.
pub(super) fn mtu(text: &str) -> Result<Bytes, BadInput> {
    limits::bytes_within(text, 68, 65_535)
}

pub(super) fn seed(text: &str) -> Result<u64, BadInput> {
    units::count(text, 0, u64::MAX)
}

pub(super) fn seed_count(text: &str) -> Result<u64, BadInput> {
    units::count(text, 1, limits::MAX_SEEDS)
}

pub(super) fn jobs(text: &str) -> Result<usize, BadInput> {
    let n = units::count(text, 1, limits::MAX_JOBS)?;
    Ok(usize::try_from(n).unwrap_or(1))
}

/// A format that `westwood schema` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// Scenario files.
    Scenario,
    /// Documents of westwood run --json.
    Run,
    /// Documents of westwood compare --json.
    Compare,
}

/// A list that `westwood list` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListTopic {
    /// Things to choose in a scenario.
    Catalog(Topic),
    /// The papers' claims.
    Claims,
}

pub(super) fn topic(text: &str) -> Result<ListTopic, BadInput> {
    const CLAIMS: &str = "claims";
    if text.eq_ignore_ascii_case(CLAIMS) {
        return Ok(ListTopic::Claims);
    }
    let found = Topic::ALL.into_iter().find(|t| t.name().eq_ignore_ascii_case(text));
    let names = || Topic::ALL.map(Topic::name).into_iter().chain([CLAIMS]).collect::<Vec<_>>();
    found.map(ListTopic::Catalog).ok_or_else(|| BadInput::unknown("kind", text, names()))
}
