//! From a comparison to a document.

mod network;

use serde_json::Value;
use westwood_scenario::compare::Series;
use westwood_scenario::metric::Metric;
use westwood_scenario::ranking::{Group, groups};
use westwood_scenario::results::{Path, Report};
use westwood_scenario::run::Scene;
use westwood_scenario::verdict::verdict;

use crate::curves::{Take, timeline};
use crate::document::{Document, Origin, Quantity, Spread, Timeline, Tradeoff};
use crate::summary::{Subject, columns_of, scale_of, whole_table};
use crate::terminal::path_line;

/// The files of all figures that a comparison can have: each document has some of them.
pub const FIGURES: [&str; 20] = [
    "path.svg",
    "tradeoff.svg",
    "goodput.svg",
    "utilization.svg",
    "retransmission_ratio.svg",
    "timeouts.svg",
    "jain.svg",
    "rtt_p50.svg",
    "rtt_p95.svg",
    "queue_mean.svg",
    "against_goodput.svg",
    "reverse_goodput.svg",
    "fct_mean.svg",
    "fct_max.svg",
    "cwnd_over_time.svg",
    "bwe_over_time.svg",
    "rtt_over_time.svg",
    "queue_over_time.svg",
    "goodput_over_time.svg",
    "flows_over_time.svg",
];

/// What a comparison shows. `command` repeats it; `scenario` is its scenario's text, if it has one.
pub fn document(
    report: &Report,
    series: &[Series],
    command: &str,
    scenario: Option<&str>,
) -> Document {
    let groups = groups(&report.runs);
    Document {
        title: title(&groups),
        subtitle: path_line(&report.path),
        verdict: verdict(report),
        variants: groups.iter().map(|group| group.cc.to_owned()).collect(),
        path: Some(network::sketch(&report.path)),
        table: Some(whole_table(&Subject::of(report))),
        tradeoff: tradeoff(&groups, report.path.rate_bps),
        spreads: spreads(&groups, &Subject::of(report)),
        timelines: over_time(report, series, &groups).into_iter().collect(),
        sweep: None,
        changes: None,
        warnings: Vec::new(),
        kind: "controller".to_owned(),
        origin: Origin {
            version: report.version.clone(),
            command: command.to_owned(),
            scenario: scenario.map(ToOwned::to_owned),
            settings: settings(&report.path),
        },
    }
}

/// The curves of each controller's run with the first seed.
fn over_time(report: &Report, series: &[Series], groups: &[Group<'_>]) -> Option<Timeline> {
    let scene = scene(&report.path);
    let take = |group: &Group<'_>| {
        let series = series.iter().find(|s| s.cc == group.cc)?;
        let run = group.runs.iter().find(|run| run.seed == series.seed)?;
        Some(Take { series, scene: &scene, until_s: run.sim_s })
    };
    timeline(groups.iter().map(take).collect(), 1, "controller")
}

fn scene(path: &Path) -> Scene {
    let same = (path.rtt_max_ms - path.rtt_min_ms).abs() < 1e-6;
    Scene {
        warmup_s: path.warmup_s,
        rate_bps: path.rate_bps,
        buffer_packets: path.buffer_packets,
        rtt_ms: path.rtt_max_ms,
        rtt_name: same.then_some("propagation"),
        steady: true,
        tested: (1..=path.flows).map(|n| format!("flow {n}")).collect(),
        others: (1..=path.against_flows).map(|n| format!("competing flow {n}")).collect(),
        greedy: true,
    }
}

fn title(groups: &[Group<'_>]) -> String {
    match groups {
        [only] => format!("{} over one path", only.cc),
        _ => format!("{} congestion controllers over one path", number_word(groups.len())),
    }
}

/// A small number as a title begins with it.
fn number_word(n: usize) -> String {
    const WORDS: [&str; 11] = [
        "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    ];
    let word = n.checked_sub(2).and_then(|i| WORDS.get(i));
    word.map_or_else(|| n.to_string(), |word| (*word).to_owned())
}

/// What a goodput costs in delay; none if no run has a round-trip time.
pub(crate) fn tradeoff(groups: &[Group<'_>], rate: f64) -> Option<Tradeoff> {
    let (x, y) = (Metric::RttP95, Metric::Goodput);
    let (across, upward) = (scale_of(x, groups, rate), scale_of(y, groups, rate));
    let points: Vec<Vec<(f64, f64)>> = groups
        .iter()
        .map(|group| {
            let pairs = group.runs.iter().filter_map(|run| Some((x.of(run)?, y.of(run)?)));
            pairs.map(|(a, b)| (a / across.by, b / upward.by)).collect()
        })
        .collect();
    points.iter().any(|of| !of.is_empty()).then(|| Tradeoff {
        x: quantity(x.name(), "95th percentile of the RTT", across.unit),
        y: quantity(y.name(), "goodput", upward.unit),
        points,
    })
}

/// The quantities of the table over the seeds; those that are zero throughout left out.
pub(crate) fn spreads(groups: &[Group<'_>], subject: &Subject<'_>) -> Vec<Spread> {
    let spread = |metric: Metric, head: &str| {
        let scale = scale_of(metric, groups, subject.rate_bps);
        let values = |group: &Group<'_>| {
            group.runs.iter().filter_map(|run| Some(metric.of(run)? / scale.by)).collect()
        };
        let unit = if metric == Metric::Jain { "1 is fair" } else { scale.unit };
        Spread {
            quantity: quantity(metric.name(), head, unit),
            better: Some(metric.better()),
            values: groups.iter().map(values).collect(),
        }
    };
    let differs = |spread: &Spread| spread.values.iter().flatten().any(|value| *value != 0.0);
    columns_of(subject)
        .iter()
        .map(|shown| spread(shown.metric, shown.head))
        .filter(differs)
        .collect()
}

pub(crate) fn quantity(id: &'static str, name: &str, unit: &str) -> Quantity {
    Quantity { id, name: name.to_owned(), unit: unit.to_owned() }
}

/// Every effective setting under its name in `westwood.compare/1`; those that are absent left out.
fn settings(path: &Path) -> Vec<(String, String)> {
    let Ok(Value::Object(fields)) = serde_json::to_value(path) else {
        return Vec::new();
    };
    let text = |value: Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Array(values) => {
            let words = values.iter().map(|v| match v {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            Some(words.collect::<Vec<_>>().join(", "))
        }
        Value::Number(number) => number.as_f64().map(|x| x.to_string()),
        other => Some(other.to_string()),
    };
    let mut settings: Vec<(String, String)> =
        fields.into_iter().filter_map(|(name, value)| Some((name, text(value)?))).collect();
    if let (Some(first), Some(last)) = (path.seeds.first(), path.seeds.last())
        && last.checked_sub(*first) == u64::try_from(path.seeds.len() - 1).ok()
        && let Some((_, seeds)) = settings.iter_mut().find(|(name, _)| name == "seeds")
        && first != last
    {
        *seeds = format!("{first} to {last}");
    }
    settings
}
