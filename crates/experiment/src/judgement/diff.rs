//! Two results of the same experiment, compared run by run: what changed beyond chance.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::chance::{Family, PairedSample};
use super::{Criterion, Practical};
use crate::metric::Metric;
use crate::results::{self, ComparisonPath, RunSummary};
use crate::run;
use crate::stats::{Estimate, mean};
use westwood_scenario::file::{GivenSettings, changed_settings};
use westwood_scenario::{BadInput, counted};

/// The schema's name.
const SCHEMA: &str = "westwood.diff/1";

/// The runs of a saved result: by name and seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedResult {
    runs: BTreeMap<(String, u64), RunSummary>,
    /// Runs that failed.
    failed: BTreeSet<(String, u64)>,
    /// The longest base round-trip time, in milliseconds.
    base_rtt_ms: f64,
    /// The path, where the command line gave it.
    path: Option<ComparisonPath>,
    /// The settings of the scenario; none of a comparison, and of a result of an older version.
    given: Option<GivenSettings>,
}

impl SavedResult {
    /// Reads the schema `westwood.compare/1` or `westwood.run/1`.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let wrong = |why: &dyn std::fmt::Display| {
            BadInput::new(format!("is no saved result: {why}"))
                .hint("name a file that --json or a results folder holds")
        };
        let value: Value = serde_json::from_str(text).map_err(|e| wrong(&e))?;
        match value["schema"].as_str() {
            Some(results::SCHEMA) => {
                let report: results::ComparisonReport =
                    serde_json::from_value(value).map_err(|e| wrong(&e))?;
                let runs = report.runs.into_iter().map(|run| (run.cc.clone(), run));
                Ok(Self::of(runs).over(Some(report.path)))
            }
            Some(run::SCHEMA) => {
                let report: run::GridReport =
                    serde_json::from_value(value).map_err(|e| wrong(&e))?;
                Ok(Self::of_report(&report))
            }
            Some(other) => Err(wrong(&format!("its schema is {other}"))),
            None => Err(wrong(&"it names no schema")),
        }
    }

    /// The runs of a report.
    pub fn of_report(report: &run::GridReport) -> Self {
        let named = |record: &run::RunRecord| {
            let point = report.points.get(record.point)?;
            Some((point.name.clone(), record.clone().restored().summary?))
        };
        let failed = |record: &run::RunRecord| {
            let point = report.points.get(record.point).filter(|_| record.summary.is_none())?;
            Some((point.name.clone(), record.seed))
        };
        let failed = report.runs.iter().filter_map(failed).collect();
        let given = report.given.clone();
        Self { failed, given, ..Self::of(report.runs.iter().filter_map(named)) }
    }

    /// The same, over a path that the command line gave.
    #[must_use]
    pub fn over(self, path: Option<ComparisonPath>) -> Self {
        Self { path, ..self }
    }

    fn of(runs: impl Iterator<Item = (String, RunSummary)>) -> Self {
        let mut saved = Self::default();
        for (name, mut run) in runs {
            // A text leaves out which flows compete: without competing flows all are under test.
            if run.under_test == 0 {
                run.under_test = run.flows.len();
            }
            let longest = run.flows.iter().map(|flow| flow.base_rtt_ms).fold(0.0, f64::max);
            saved.base_rtt_ms = saved.base_rtt_ms.max(longest);
            saved.runs.entry((name, run.seed)).or_insert(run);
        }
        saved
    }

    /// The name of each run, failed ones too.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().chain(&self.failed).map(|(name, _)| name.as_str())
    }
}

/// The changes from one result to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    /// `westwood.diff/1`.
    pub schema: String,
    /// Runs that both have.
    pub paired: usize,
    /// Points of which only one of the two has runs.
    pub unpaired: Vec<String>,
    /// Runs of points that both have, under seeds that the other one does not have.
    #[serde(default)]
    pub unpaired_runs: usize,
    /// The number of differences examined: every one is held to 95 % confidence for all together.
    pub comparisons: usize,
    /// The bound that a change must exceed to matter.
    pub practical: Practical,
    /// The changes, the gravest first within each point.
    pub changes: Vec<MetricChange>,
    /// Differences larger than the bound, over too few seeds of a random network to be told from
    /// chance: they would count alone, and not among so many, or can hardly count at all.
    #[serde(default)]
    pub undecided: Vec<Undecided>,
    /// Results that one side lacks: runs that fail, transfers that do not finish.
    #[serde(default)]
    pub lost: Vec<LostRuns>,
    /// The settings in which the two are of different experiments, so that what changed says nothing of the
    /// controllers: `loss 1 %, was 0`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
}

/// A quantity that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricChange {
    /// The point.
    pub name: String,
    /// The quantity.
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

/// A quantity that differs, and cannot be told from chance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undecided {
    /// The point.
    pub name: String,
    /// The quantity.
    pub criterion: Criterion,
    /// Its mean before, in the metric's own unit.
    pub old: f64,
    /// Its mean now.
    pub new: f64,
    /// The number of pairs of runs that have it.
    pub pairs: usize,
    /// The new mean is the better one.
    pub better: bool,
}

/// Results that one side has and the other lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRuns {
    /// The point.
    pub name: String,
    /// The kind of loss.
    pub what: MissingResult,
    /// In how many pairs of runs.
    pub runs: usize,
    /// Of how many.
    pub of: usize,
    /// The new result has it, and the old one has not.
    pub better: bool,
}

/// The ways in which a result can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingResult {
    /// The run failed.
    Failed,
    /// Transfers under test did not finish.
    Unfinished,
}

/// The runs of a point under the seeds that both results have.
type SeedPairs<'a> = BTreeMap<&'a str, Vec<(&'a RunSummary, &'a RunSummary)>>;

/// The changes beyond chance and beyond the bound, paired by point and seed.
pub fn diff(old: &SavedResult, new: &SavedResult, practical: Practical) -> Diff {
    let mut pairs: SeedPairs<'_> = BTreeMap::new();
    for ((name, seed), before) in &old.runs {
        if let Some(after) = new.runs.get(&(name.clone(), *seed)) {
            pairs.entry(name).or_default().push((before, after));
        }
    }
    let paired: usize = pairs.values().map(Vec::len).sum();
    let known = |name: &str| old.names().any(|n| n == name) && new.names().any(|n| n == name);
    let mut unpaired: Vec<String> =
        old.names().chain(new.names()).filter(|name| !known(name)).map(str::to_owned).collect();
    unpaired.sort();
    unpaired.dedup();
    let apart = |(name, _): &&(String, u64)| known(name);
    let runs = old.runs.keys().chain(new.runs.keys()).filter(apart).count();
    let lost = lost(old, new, &pairs);
    let failed: usize =
        lost.iter().filter(|l| l.what == MissingResult::Failed).map(|l| l.runs).sum();

    let all: Vec<PairedQuantity<'_>> =
        pairs.iter().flat_map(|(name, of)| PairedQuantity::all(name, of)).collect();
    let mut family = Family::of(all.iter().map(|one| &one.sample));
    let base_rtt_ms = old.base_rtt_ms.max(new.base_rtt_ms);
    let (mut changes, mut undecided) = (Vec::new(), Vec::new());
    for (place, one) in all.iter().enumerate() {
        let bound = one.criterion.bound((one.old, one.new), practical, base_rtt_ms);
        let Some(Estimate { mean, half_width }) = family.estimate(0, &one.sample) else { continue };
        let (name, criterion) = (one.name.to_owned(), one.criterion);
        let (old, new, better) = (one.old, one.new, mean > 0.0);
        if mean.abs() <= bound {
            continue;
        }
        if family.holds(place) {
            let half_width = half_width.unwrap_or(0.0);
            changes.push(MetricChange { name, criterion, old, new, half_width, better });
        } else if one.sample.is_too_small() || one.sample.is_significant_uncorrected() {
            let pairs = one.sample.differences.len();
            undecided.push(Undecided { name, criterion, old, new, pairs, better });
        }
    }
    Diff {
        schema: SCHEMA.to_owned(),
        paired,
        unpaired,
        unpaired_runs: runs.saturating_sub(2 * paired + failed),
        comparisons: all.len(),
        practical,
        changes,
        undecided,
        lost,
        settings: other_settings(old, new, &pairs),
    }
}

/// The settings in which two results differ: those of the path where both tell it, or of the scenario,
/// else what their runs tell.
fn other_settings(old: &SavedResult, new: &SavedResult, pairs: &SeedPairs<'_>) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let (Some(old), Some(new)) = (&old.path, &new.path) {
        let fields = |path: &ComparisonPath| match serde_json::to_value(path) {
            Ok(Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (old, new) = (fields(old), fields(new));
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        // The runs themselves tell who is compared and under which seeds.
        let names =
            names.into_iter().filter(|name| !["cc", "seeds", "seed"].contains(&name.as_str()));
        let value = |of: &serde_json::Map<String, Value>, name: &String| {
            of.get(name).cloned().unwrap_or_default()
        };
        let all = names.map(|name| (name, value(&old, name), value(&new, name)));
        let differ = all.filter(|(_, old, new)| old != new);
        return differ
            .map(|(name, a, b)| format!("{name} {}, was {}", text(&b), text(&a)))
            .collect();
    }
    if let (Some(old), Some(new)) = (&old.given, &new.given) {
        return changed_settings(old, new);
    }
    let mut found = BTreeSet::new();
    for (old, new) in pairs.values().flatten() {
        let base_rtt =
            |run: &RunSummary| run.flows.first().map_or(0.0, |flow| round(flow.base_rtt_ms));
        let told = [
            ("simulated time (s)", round(old.sim_s), round(new.sim_s)),
            ("flows", count(old.flows.len()), count(new.flows.len())),
            ("base round-trip time (ms)", base_rtt(old), base_rtt(new)),
        ];
        let differ = told.into_iter().filter(|(_, old, new)| old.to_bits() != new.to_bits());
        found.extend(differ.map(|(name, old, new)| format!("{name} {new}, was {old}")));
    }
    found.into_iter().collect()
}

/// To the millionth.
fn round(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a run has a few thousand flows")]
fn count(n: usize) -> f64 {
    n as f64
}

/// A quantity of a point in both results.
struct PairedQuantity<'a> {
    name: &'a str,
    criterion: Criterion,
    old: f64,
    new: f64,
    /// New less old, such that more is better.
    sample: PairedSample,
}

impl<'a> PairedQuantity<'a> {
    /// All quantities that the runs of a point have.
    fn all(name: &'a str, pairs: &[(&RunSummary, &RunSummary)]) -> Vec<Self> {
        // Transfers that finish have one goodput each, however long they took: see `Contest`.
        let transfers = pairs.iter().any(|(a, b)| is_transfers(a) || is_transfers(b));
        let asked = |c: &Criterion| !transfers || *c != Criterion::Fairness;
        let all = Criterion::ALL.into_iter().filter(asked);
        all.filter_map(|criterion| Self::of(name, criterion, pairs)).collect()
    }

    fn of(
        name: &'a str,
        criterion: Criterion,
        pairs: &[(&RunSummary, &RunSummary)],
    ) -> Option<Self> {
        let metric = criterion.metric();
        let value = |(a, b): &(&RunSummary, &RunSummary)| Some((metric.of(a)?, metric.of(b)?));
        let values: Vec<(f64, f64)> = pairs.iter().filter_map(value).collect();
        let of = |pick: fn(&(f64, f64)) -> f64| mean(&values.iter().map(pick).collect::<Vec<_>>());
        let (old, new) = (of(|pair| pair.0)?, of(|pair| pair.1)?);
        let [before, after] = [old, new].map(|mean| criterion.value_of_all(mean));
        let difference = |(a, b): &(f64, f64)| after.unwrap_or(*b) - before.unwrap_or(*a);
        let sample = PairedSample {
            // No difference has no sign.
            differences: values.iter().map(|of| difference(of) * criterion.sign() + 0.0).collect(),
            exact: pairs.iter().all(|(a, b)| a.exact && b.exact),
            discrete: criterion.is_discrete(),
        };
        let [old, new] = [old, new].map(|mean| criterion.judged(mean));
        Some(Self { name, criterion, old, new, sample })
    }
}

/// Whether the flows under test are transfers.
fn is_transfers(run: &RunSummary) -> bool {
    run.unfinished.is_some() || run.flows.iter().take(run.under_test).any(|f| f.fct_ms.is_some())
}

/// The results that one side lacks.
fn lost(old: &SavedResult, new: &SavedResult, pairs: &SeedPairs<'_>) -> Vec<LostRuns> {
    let mut all = Vec::new();
    let sides = [(old, new, false), (new, old, true)];
    for (name, of) in pairs {
        let gone = |(a, b): &&(&RunSummary, &RunSummary)| lacks(a, b);
        let come = |(a, b): &&(&RunSummary, &RunSummary)| lacks(b, a);
        for (runs, better) in
            [(of.iter().filter(gone).count(), false), (of.iter().filter(come).count(), true)]
        {
            let what = MissingResult::Unfinished;
            all.extend((runs > 0).then(|| LostRuns {
                name: (*name).to_owned(),
                what,
                runs,
                of: of.len(),
                better,
            }));
        }
    }
    for (has, fails, better) in sides {
        let mut failed: BTreeMap<&str, usize> = BTreeMap::new();
        for key in fails.failed.iter().filter(|key| has.runs.contains_key(*key)) {
            *failed.entry(&key.0).or_default() += 1;
        }
        for (name, runs) in failed {
            let of = has.names().filter(|other| *other == name).count();
            all.push(LostRuns {
                name: name.to_owned(),
                what: MissingResult::Failed,
                runs,
                of,
                better,
            });
        }
    }
    all
}

/// Whether `b` leaves more transfers unfinished than `a`.
fn lacks(a: &RunSummary, b: &RunSummary) -> bool {
    let completes = |run: &RunSummary| Metric::FctMean.of(run).is_some();
    match (a.unfinished, b.unfinished) {
        (Some(a), Some(b)) => b > a,
        // A result of an older version does not say how many.
        _ => is_transfers(a) && completes(a) && !completes(b),
    }
}

impl Diff {
    /// The quantities that became worse beyond chance, and the results lost, in words.
    pub fn worse(&self) -> Vec<String> {
        let lost = self.lost.iter().filter(|lost| !lost.better).map(LostRuns::text);
        let changes = self.changes.iter().filter(|change| !change.better).map(MetricChange::text);
        lost.chain(changes).collect()
    }

    /// The settings in which the two differ, the first few of them.
    pub fn settings_text(&self) -> String {
        const MOST: usize = 4;
        let told = self.settings.iter().take(MOST).cloned().collect::<Vec<String>>().join("; ");
        match self.settings.len().saturating_sub(MOST) {
            0 => told,
            more => format!("{told}; and {more} more"),
        }
    }

    /// The undecided difference, its size and place, and the remedy.
    pub fn undecided_text(&self) -> Option<String> {
        let count = self.undecided.len();
        let mut names: Vec<&str> = self.undecided.iter().map(|one| one.name.as_str()).collect();
        names.dedup();
        let are = if count == 1 { "1 difference is" } else { &format!("{count} differences are") };
        (count > 0).then(|| {
            format!(
                "{are} undecided over too few seeds ({}): raise seeds in both.",
                names.join("; ")
            )
        })
    }
}

impl MetricChange {
    /// The old and the new value with their units.
    pub fn amounts(&self) -> [String; 2] {
        super::sentence::amounts(self.criterion, self.old, self.new)
    }

    /// The change in words: `reno: goodput 9.42 Mbit/s, was 9.10 Mbit/s`.
    pub fn text(&self) -> String {
        let word = if self.better { "better" } else { "worse" };
        let [was, is] = self.amounts();
        format!("{}: {} {is}, was {was} ({word})", self.name, self.criterion.metric().name())
    }
}

impl Undecided {
    /// The old and the new value with their units.
    pub fn amounts(&self) -> [String; 2] {
        super::sentence::amounts(self.criterion, self.old, self.new)
    }
}

impl LostRuns {
    /// The results lost or regained, in words.
    pub fn text(&self) -> String {
        let Self { name, runs, of, .. } = self;
        let of = counted(*of as u64, "run");
        let what = match (self.what, self.better) {
            (MissingResult::Failed, false) => "failed, and did not before",
            (MissingResult::Failed, true) => "failed before, and do not now",
            (MissingResult::Unfinished, false) => "leave more transfers unfinished than before",
            (MissingResult::Unfinished, true) => "leave fewer transfers unfinished than before",
        };
        format!("{name}: {runs} of {of} {what}")
    }
}
