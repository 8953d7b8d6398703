//! The measurements that the runs of a point make to answer the queries about it, and no more: each costs
//! time.

use std::collections::BTreeSet;

use westwood_scenario::BadInput;
use westwood_scenario::file::{Assignment, SeriesKind};

use crate::extent::Platform;
use crate::metric::Query;

/// The measurements of a point's runs beside their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MeasuringNeeds {
    series: BTreeSet<SeriesKind>,
    /// The estimators beside the controller's own.
    estimators: BTreeSet<String>,
    /// Every seed keeps its time series; else the first one does, for its curves.
    each_seed: bool,
    /// The distribution of round-trip times.
    delays: bool,
}

impl MeasuringNeeds {
    /// The needs of these queries. A run on a real kernel takes as long whether it measures delays or not.
    pub(crate) fn of<'a>(queries: impl IntoIterator<Item = &'a Query>, on: Platform) -> Self {
        let mut needs = Self { delays: on == Platform::Linux, ..Self::default() };
        for query in queries {
            let series = query.series();
            needs.each_seed |= !series.is_empty() && !query.is_series();
            needs.series.extend(series);
            needs.estimators.extend(query.estimator.clone());
            needs.delays |= query.needs_delays();
        }
        needs
    }

    /// The same as settings of the scenario; none if it measures just that by itself.
    pub(crate) fn settings(&self) -> Result<Vec<Assignment>, BadInput> {
        // A list within a list is one value: else it would be an axis.
        let list = |names: Vec<String>| format!("[[{}]]", names.join(", "));
        let mut settings = Vec::new();
        if !self.series.is_empty() {
            let names = self.series.iter().map(|one| format!("{:?}", one.name())).collect();
            let seeds = if self.each_seed { "all" } else { "first" };
            settings.push(format!("record.series={}", list(names)));
            settings.push(format!("record.seeds={seeds}"));
            if !self.estimators.is_empty() {
                let names = self.estimators.iter().map(|name| format!("{name:?}")).collect();
                settings.push(format!("record.estimates={}", list(names)));
            }
        }
        if !self.delays {
            settings.push("measure.delays=false".to_owned());
        }
        settings.iter().map(|text| Assignment::parse(text)).collect()
    }
}
