//! Requests, as JSON: `{"do": "plan", "toml": "..."}`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A request of a host.
#[derive(Clone, Debug)]
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
        set: Vec<String>,
        /// The files that it names, by name, beside those of the ready scenarios.
        files: BTreeMap<String, String>,
        /// Leaves out the description of the networks.
        brief: bool,
    },
    /// Begins a run.
    Begin {
        /// Its place among the plan's tasks.
        task: usize,
        /// The time series to record beside those that the scenario asks for.
        series: Vec<String>,
        /// The least time between two points of a series; zero for every change.
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

/// The fields of all requests, which one reader reads: an enum with its tag inside would have a reader for
/// each request, and another one for the values that stand before the tag.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFields {
    r#do: String,
    toml: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    brief: bool,
    task: Option<usize>,
    #[serde(default)]
    series: Vec<String>,
    #[serde(default)]
    interval_s: f64,
    from_s: Option<f64>,
    until_s: Option<f64>,
    records: Option<Vec<String>>,
    most: Option<usize>,
}

impl Request {
    /// Reads a request; a fault in words.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(json).map_err(|error| error.to_string())?;
        let fields: RequestFields =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let RequestFields { task, until_s, .. } = fields;
        let task = || needed(task, "task");
        let until_s = || needed(until_s, "until_s");
        Ok(match fields.r#do.as_str() {
            "catalog" => Self::Catalog,
            "schema" => Self::Schema,
            "plan" => Self::Plan {
                toml: needed(fields.toml, "toml")?,
                set: fields.set,
                files: fields.files,
                brief: fields.brief,
            },
            "begin" => {
                Self::Begin { task: task()?, series: fields.series, interval_s: fields.interval_s }
            }
            "advance" => Self::Advance { until_s: until_s()? },
            "so_far" => Self::SoFar,
            "finish" => Self::Finish,
            "outcome" => Self::Outcome { records: needed(fields.records, "records")? },
            "packets" => Self::Packets {
                task: task()?,
                from_s: needed(fields.from_s, "from_s")?,
                until_s: until_s()?,
                most: needed(fields.most, "most")?,
            },
            other => return Err(format!("there is no request '{other}'")),
        })
    }
}

fn needed<T>(field: Option<T>, name: &str) -> Result<T, String> {
    field.ok_or_else(|| format!("missing field `{name}`"))
}
