//! The progress of a grid's runs, seen from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use westwood_cc::Duration;
use westwood_scenario::file::Scenario;

/// The progress of a grid, seen from another thread, and the way to end it.
#[derive(Debug)]
pub struct GridProgress {
    /// Set it to end the runs: those in flight are given up, no more are begun.
    pub cancel: AtomicBool,
    /// Simulated nanoseconds of each run.
    pub(super) done: Vec<AtomicU64>,
    total_ns: u64,
}

impl GridProgress {
    /// Nothing done yet of so many runs.
    pub fn new(scenario: &Scenario, runs: usize) -> Self {
        let total = scenario.time().as_nanos().saturating_mul(runs as u64);
        Self {
            cancel: AtomicBool::new(false),
            done: (0..runs).map(|_| AtomicU64::new(0)).collect(),
            total_ns: total.max(1),
        }
    }

    /// The simulated nanoseconds of a run, to be counted up.
    pub fn run(&self, number: usize) -> Option<&AtomicU64> {
        self.done.get(number)
    }

    /// Simulated time of all runs together.
    pub fn simulated(&self) -> Duration {
        Duration::from_nanos(self.done.iter().map(|ns| ns.load(Ordering::Relaxed)).sum())
    }

    /// The time that all runs together will have simulated in the end.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.total_ns)
    }
}
