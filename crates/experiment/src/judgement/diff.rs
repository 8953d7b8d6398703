//! Two results of the same experiment, compared run by run: what changed beyond chance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Criterion, Practical};
use crate::metric::Metric;
use crate::ranking::CONFIDENCE;
use crate::results::{self, Run};
use crate::run;
use crate::stats::{Estimate, mean};
use westwood_scenario::BadInput;

/// The schema's name.
const SCHEMA: &str = "westwood.diff/1";

/// The runs of a saved result: by what they are called and by seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    runs: BTreeMap<(String, u64), Run>,
    /// The longest base round-trip time, in milliseconds.
    base_rtt_ms: f64,
}

impl Saved {
    /// Reads the schema `westwood.compare/1` or `westwood.run/1`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let wrong = |why: &dyn std::fmt::Display| {
            BadInput::new(format!("is no saved result: {why}"))
                .hint("name a file that --json or a results folder holds")
        };
        let value: Value = serde_json::from_str(text).map_err(|e| wrong(&e))?;
        match value["schema"].as_str() {
            Some(results::SCHEMA) => {
                let report: results::Report =
                    serde_json::from_value(value).map_err(|e| wrong(&e))?;
                Ok(Self::of(report.runs.into_iter().map(|run| (run.cc.clone(), run))))
            }
            Some(run::SCHEMA) => {
                let report: run::Report = serde_json::from_value(value).map_err(|e| wrong(&e))?;
                Ok(Self::of_report(&report))
            }
            Some(other) => Err(wrong(&format!("its schema is {other}"))),
            None => Err(wrong(&"it names no schema")),
        }
    }

    /// The runs of a report.
    pub fn of_report(report: &run::Report) -> Self {
        let named = |record: &run::RunRecord| {
            let point = report.points.get(record.point)?;
            Some((point.name.clone(), record.clone().restored().summary?))
        };
        Self::of(report.runs.iter().filter_map(named))
    }

    fn of(runs: impl Iterator<Item = (String, Run)>) -> Self {
        let mut saved = Self::default();
        for (name, mut run) in runs {
            // What a text leaves out: without competing flows all are under test.
            if run.under_test == 0 {
                run.under_test = run.flows.len();
            }
            let longest = run.flows.iter().map(|flow| flow.base_rtt_ms).fold(0.0, f64::max);
            saved.base_rtt_ms = saved.base_rtt_ms.max(longest);
            saved.runs.entry((name, run.seed)).or_insert(run);
        }
        saved
    }
}

/// What changed from one result to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    /// `westwood.diff/1`.
    pub schema: String,
    /// Runs that both have.
    pub paired: usize,
    /// Points of which only one of the two has runs.
    pub unpaired: Vec<String>,
    /// How many differences were looked at: every one is held to 95 % confidence for all together.
    pub comparisons: usize,
    /// What a change must exceed to matter.
    pub practical: Practical,
    /// What changed, the gravest first within each point.
    pub changes: Vec<Change>,
}

/// A quantity that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The point.
    pub name: String,
    /// Which quantity.
    pub criterion: Criterion,
    /// Its mean before, in the metric's own unit.
    pub old: f64,
    /// Its mean now.
    pub new: f64,
    /// Half the width of the interval of the change; 0 where every seed changed alike.
    pub half_width: f64,
    /// It is better now.
    pub better: bool,
}

/// What changed beyond chance and beyond what matters, paired by point and seed.
pub fn diff(old: &Saved, new: &Saved, practical: Practical) -> Diff {
    let mut pairs: BTreeMap<&str, Vec<(&Run, &Run)>> = BTreeMap::new();
    for ((name, seed), before) in &old.runs {
        if let Some(after) = new.runs.get(&(name.clone(), *seed)) {
            pairs.entry(name).or_default().push((before, after));
        }
    }
    let names = |saved: &Saved| saved.runs.keys().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut unpaired = [names(old), names(new)].concat();
    unpaired.retain(|name| !pairs.contains_key(name.as_str()));
    unpaired.sort();
    unpaired.dedup();
    let values = |metric: Metric, of: &[(&Run, &Run)]| -> Vec<(f64, f64)> {
        of.iter().filter_map(|(a, b)| Some((metric.of(a)?, metric.of(b)?))).collect()
    };
    let mut all = Vec::new();
    for (name, of) in &pairs {
        for criterion in Criterion::ALL {
            let values = values(criterion.metric(), of);
            if !values.is_empty() {
                all.push((*name, criterion, values));
            }
        }
    }
    let comparisons = all.len();
    #[expect(clippy::cast_precision_loss, reason = "at most a few million comparisons")]
    let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons.max(1) as f64;
    let base_rtt_ms = old.base_rtt_ms.max(new.base_rtt_ms);
    let changed = |(name, criterion, values): (&str, Criterion, Vec<(f64, f64)>)| {
        let differences: Vec<f64> = values.iter().map(|(a, b)| b - a).collect();
        let change = Estimate::of(&differences, confidence)?;
        let half_width = change.half_width?;
        let of = |pick: fn(&(f64, f64)) -> f64| mean(&values.iter().map(pick).collect::<Vec<_>>());
        let (old, new) = (of(|pair| pair.0)?, of(|pair| pair.1)?);
        let bound = criterion.bound((old, new), practical, base_rtt_ms);
        let clear = change.mean.abs() > half_width && change.mean.abs() > bound;
        let better = change.mean * criterion.sign() > 0.0;
        clear.then(|| Change { name: name.to_owned(), criterion, old, new, half_width, better })
    };
    Diff {
        schema: SCHEMA.to_owned(),
        paired: pairs.values().map(Vec::len).sum(),
        unpaired,
        comparisons,
        practical,
        changes: all.into_iter().filter_map(changed).collect(),
    }
}

impl Change {
    /// A value of the quantity with its unit.
    pub fn amount(&self, value: f64) -> String {
        super::sentence::amount(self.criterion, value)
    }

    /// The change in words: `reno: goodput 9.42 Mbit/s, was 9.10 Mbit/s`.
    pub fn in_words(&self) -> String {
        let word = if self.better { "better" } else { "worse" };
        format!(
            "{}: {} {}, was {} ({word})",
            self.name,
            self.criterion.metric().name(),
            self.amount(self.new),
            self.amount(self.old)
        )
    }
}
