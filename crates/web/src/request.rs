//! Requests, as JSON: `{"do": "plan", "toml": "..."}`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A request of a host.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Everything that there is to choose from.
    Catalog,
    /// The format of scenarios as a JSON Schema.
    Schema,
    /// Reads an experiment, which all that follow are about.
    Plan {
        /// The text of a scenario.
        toml: String,
        /// Assignments, as `link.rate=5Mbit/s`.
        #[serde(default)]
        set: Vec<String>,
        /// The files that it names, by name, beside those of the ready scenarios.
        #[serde(default)]
        files: BTreeMap<String, String>,
        /// Leaves out the description of the networks.
        #[serde(default)]
        brief: bool,
    },
    /// Begins a run.
    Begin {
        /// Its place among the plan's tasks.
        task: usize,
        /// The time series to record beside those that the scenario asks for.
        #[serde(default)]
        series: Vec<String>,
        /// The least time between two points of a series; zero for every change.
        #[serde(default)]
        interval_s: f64,
    },
    /// Goes on with it.
    Advance {
        /// The simulated time to reach, in seconds.
        until_s: f64,
    },
    /// The series recorded so far, about as far as the run has come: the beginning of those that `Finish`
    /// gives.
    SoFar,
    /// Ends it: its record, and the series that `Begin` named.
    Finish,
    /// The results of all runs, from their records.
    Outcome {
        /// The records that `Finish` gave, as texts and in any order: whole numbers stay whole in them.
        records: Vec<String>,
    },
    /// Packets of a part of a run.
    Packets {
        /// The run's place among the plan's tasks.
        task: usize,
        /// The beginning of the part, in seconds.
        from_s: f64,
        /// Its end.
        until_s: f64,
        /// At most so many passages.
        most: usize,
    },
}
