//! The resources that a program used, and its output.
//!
//! CPU time, not wall time, wherever one thread works: it does not see the neighbours' waiting, only
//! what they do to the caches.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::error::BenchError;

/// One run of a program.
#[derive(Clone, Debug)]
pub(crate) struct MeterSample {
    /// User and system time.
    pub(crate) cpu: Duration,
    /// From its start to its end.
    pub(crate) wall: Duration,
    /// The lines `key number` that it printed.
    numbers: BTreeMap<String, u64>,
    command: String,
}

impl MeterSample {
    /// Runs a program to its end. No other child may run meanwhile.
    pub(crate) fn of(command: &mut Command) -> Result<Self, BenchError> {
        let shown = shown(command);
        let before = used(UsageWho::RUSAGE_CHILDREN)?.0;
        let begin = Instant::now();
        let output =
            command.output().map_err(|why| BenchError::Start { program: shown.clone(), why })?;
        let wall = begin.elapsed();
        let cpu = used(UsageWho::RUSAGE_CHILDREN)?.0.saturating_sub(before);
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(BenchError::Failed { command: shown, output: text });
        }
        let numbers = text.lines().filter_map(number).collect();
        Ok(Self { cpu, wall, numbers, command: shown })
    }

    /// A number that it printed.
    pub(crate) fn number(&self, key: &'static str) -> Result<u64, BenchError> {
        let silent = || BenchError::Silent { command: self.command.clone(), key };
        self.numbers.get(key).copied().ok_or_else(silent)
    }
}

/// A line `key number`.
fn number(line: &str) -> Option<(String, u64)> {
    let (key, value) = line.trim().split_once(' ')?;
    Some((key.to_string(), value.trim().parse().ok()?))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The most memory that this process has had resident, in kB.
pub(crate) fn peak_kb() -> Result<u64, BenchError> {
    Ok(used(UsageWho::RUSAGE_SELF)?.1)
}

fn used(who: UsageWho) -> Result<(Duration, u64), BenchError> {
    let usage: Usage = getrusage(who).map_err(BenchError::Usage)?;
    let cpu = duration(usage.user_time()) + duration(usage.system_time());
    let peak = u64::try_from(usage.max_rss()).unwrap_or(0);
    // macOS counts bytes.
    Ok((cpu, if cfg!(target_os = "macos") { peak / 1024 } else { peak }))
}

fn duration(t: TimeVal) -> Duration {
    let seconds = u64::try_from(t.tv_sec()).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(t.tv_usec()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_computes_uses_time_and_its_numbers_are_read_from_either_stream() {
        let work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo loops $i; echo x 7 >&2";
        let sample = MeterSample::of(Command::new("sh").args(["-c", work])).expect("sh runs");
        assert_eq!(sample.number("loops").expect("printed"), 20_000);
        assert_eq!(sample.number("x").expect("printed"), 7);
        assert!(sample.cpu > Duration::ZERO);
        assert!(matches!(sample.number("y"), Err(BenchError::Silent { key: "y", .. })));
    }

    #[test]
    fn a_program_that_fails_is_an_error_with_what_it_said() {
        let failed = MeterSample::of(Command::new("sh").args(["-c", "echo why; exit 3"]));
        let Err(BenchError::Failed { output, .. }) = failed else { panic!("{failed:?}") };
        assert_eq!(output, "why\n");
    }
}
