//! `--on`: the worlds in which networks run.

mod open;

use std::fmt;

use westwood_cc::Duration;
use westwood_scenario::BadInput;

use crate::exit::Stop;

pub(crate) use open::open;

/// The names of the worlds.
pub(crate) const NAMES: [&str; 2] = ["sim", "linux"];

/// A world that a user can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldName {
    /// The simulator.
    Sim,
    /// The running kernel, over the emulated path.
    Linux,
}

/// The worlds that are asked for, each once, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldNames(pub Vec<WorldName>);

impl WorldNames {
    /// `sim`, `linux` or both with a comma between.
    pub(crate) fn parse(text: &str) -> Result<Self, BadInput> {
        let mut places = Vec::new();
        for word in text.split(',') {
            let place = WorldName::parse(word.trim())?;
            if places.contains(&place) {
                return Err(BadInput::new(format!("{word} is named twice")).hint("write it once"));
            }
            places.push(place);
        }
        Ok(Self(places))
    }

    /// True if the kernel is one of them.
    pub(crate) fn has_linux(&self) -> bool {
        self.0.contains(&WorldName::Linux)
    }
}

impl WorldName {
    /// `sim` or `linux`.
    pub(crate) fn parse(text: &str) -> Result<Self, BadInput> {
        match text {
            "sim" => Ok(Self::Sim),
            "linux" => Ok(Self::Linux),
            _ => Err(BadInput::unknown("world", text, NAMES)),
        }
    }

    /// As a user names it.
    fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Linux => "linux",
        }
    }
}

impl fmt::Display for WorldNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|place| place.name()).collect();
        f.write_str(&names.join(","))
    }
}

/// Refuses a bound where nothing can be late.
pub(crate) fn check_bound(bound: Option<Duration>, has_linux: bool) -> Result<(), Stop> {
    if bound.is_some() && !has_linux {
        let what = "--bound: simulated packets are never late; add --on linux, or leave it out";
        return Err(Stop::bad_input(what));
    }
    Ok(())
}

/// The bound of runs, if it was not the usual one: they are not to be taken for others.
pub(crate) fn bound_text(bound: Option<Duration>) -> Option<String> {
    bound.map(|bound| format!(", --bound {bound}"))
}

/// The kernel's name and today, as they are kept beside a run: `Linux 6.18.5 on 2026-11-21`.
pub(crate) fn kernel_and_day() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Linux {} on {}", release.trim(), chrono::Utc::now().format("%Y-%m-%d"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_are_named_once_each() {
        let parsed = |text| WorldNames::parse(text).map(|places| places.0);
        assert_eq!(parsed("sim,linux"), Ok(vec![WorldName::Sim, WorldName::Linux]));
        assert_eq!(parsed("linux"), Ok(vec![WorldName::Linux]));
        assert!(parsed("linux,linux").is_err() && parsed("").is_err() && parsed("ns-3").is_err());
    }
}
