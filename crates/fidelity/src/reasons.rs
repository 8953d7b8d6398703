//! The reasons why rows exceed their bounds, found by following each to its first divergence.

use crate::case::ReferenceSource;
use crate::params::Unreadable;

/// A reason and the rows that it explains. An empty cell fits every row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviationReason {
    /// The source's name.
    pub source: String,
    /// The scenario.
    pub scenario: String,
    /// The sender.
    pub who: String,
    /// The parameters.
    pub params: String,
    /// The metric.
    pub metric: String,
    /// The reason's short name, as the tables print it.
    pub key: String,
}

const REASONS: &str = include_str!("../reference/reasons.csv");

/// All of them: lines `source,scenario,sender,params,metric,reason`.
pub fn all() -> Result<Vec<DeviationReason>, Unreadable> {
    REASONS.lines().skip(1).map(parse).collect()
}

fn parse(line: &str) -> Result<DeviationReason, Unreadable> {
    let cells: Vec<&str> = line.split(',').collect();
    let [source, scenario, who, params, metric, key] = cells[..] else {
        return Err(Unreadable(format!("'{line}' has not six columns")));
    };
    let own = str::to_owned;
    Ok(DeviationReason {
        source: own(source),
        scenario: own(scenario),
        who: own(who),
        params: own(params),
        metric: own(metric),
        key: own(key),
    })
}

impl DeviationReason {
    /// True if it explains this row.
    pub fn fits(
        &self,
        source: ReferenceSource,
        scenario: &str,
        who: &str,
        params: &str,
        metric: &str,
    ) -> bool {
        let fits = |cell: &str, of: &str| cell.is_empty() || cell == of;
        fits(&self.source, source.name())
            && fits(&self.scenario, scenario)
            && fits(&self.who, who)
            && fits(&self.params, params)
            && fits(&self.metric, metric)
    }
}
