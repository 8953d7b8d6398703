//! A case of comparison: a path, a sender, the metrics, and the others' measurements.

use westwood_sim::{Network, Outcome};

use crate::judge::RowClass;

/// The source of reference numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceSource {
    /// ns-2.35's classical agents, from the reference measurements and more seeds of them.
    Ns2,
    /// ns-2.35's classical agents on paths that the reference measurements do not have.
    Ns2Other,
    /// The TCP stack of Linux 6.1.
    Linux,
}

impl ReferenceSource {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ns2, Self::Ns2Other, Self::Linux];

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ns2 => "ns-2, S1 to S10",
            Self::Ns2Other => "ns-2, other paths",
            Self::Linux => "Linux 6.1",
        }
    }

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ns2 => "ns-2",
            Self::Ns2Other => "ns-2-other",
            Self::Linux => "linux",
        }
    }
}

/// One path under one sender. A run of it yields every metric.
pub struct Case {
    /// The source of the numbers.
    pub source: ReferenceSource,
    /// The scenario: S1, L2.
    pub scenario: String,
    /// The agent or module, by their name for it.
    pub who: String,
    /// The parameters, as the table writes them.
    pub params: String,
    /// Our runs: one for each seed from 1 on; one where chance has no part.
    pub seeds: u64,
    /// The network of a seed.
    pub network: Box<dyn Fn(u64) -> Network + Send + Sync>,
    /// Its metrics.
    pub metrics: Vec<ReferenceMetric>,
}

/// The measurement of a run.
pub type Measure = Box<dyn Fn(&Outcome) -> f64 + Send + Sync>;

/// One quantity of a case.
pub struct ReferenceMetric {
    /// Its name in the table.
    pub name: String,
    /// The bound it is held to.
    pub class: RowClass,
    /// Their numbers, one for each run; goodputs in bit/s.
    pub theirs: Vec<f64>,
    /// Ours, of one run.
    pub of: Measure,
}

impl Case {
    /// Source, scenario, sender and parameters in one line: the key in files.
    pub fn name(&self) -> String {
        format!("{},{},{},{}", self.source.name(), self.scenario, self.who, self.params)
    }
}
