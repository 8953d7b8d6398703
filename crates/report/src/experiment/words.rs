//! Sentences about the runs of a scenario.

use std::collections::BTreeMap;

use westwood_scenario::metric::{Better, Metric};
use westwood_scenario::ranking::{Samples, Standing, standing_of};
use westwood_scenario::results::Run;
use westwood_scenario::run::Report;
use westwood_scenario::stats::mean;
use westwood_scenario::verdict::{Situation, verdict_of};

use crate::document::{Cell, Sweep};
use crate::scale::plain;
use crate::summary::Subject;

/// What a quantity is called at an axis and in a sentence.
pub(super) fn name_of(metric: Metric) -> &'static str {
    match metric {
        Metric::FctMean => "completion time",
        Metric::FctMax => "longest completion time",
        Metric::Goodput => "goodput",
        Metric::AgainstGoodput => "goodput of the competing flows",
        Metric::ReverseGoodput => "goodput of the reverse flows",
        Metric::Jain => "Jain's index",
        Metric::Utilization => "link busy",
        Metric::Retransmissions => "share of segments resent",
        Metric::Timeouts => "timeouts",
        Metric::RttP50 => "median RTT",
        Metric::RttP95 => "95th percentile of the RTT",
        Metric::QueueMean => "mean queue",
        other => other.name(),
    }
}

/// What to read from the runs of one setting.
pub(super) fn verdict(subject: &Subject<'_>, report: &Report) -> String {
    let rival = report.runs.iter().flat_map(|run| &run.groups).find(|group| group.name == "rival");
    let situation = Situation {
        transfers: subject.transfers,
        seeds: report.seeds.len(),
        rate_bps: subject.rate_bps,
        rival: rival.and_then(|group| group.cc.clone()),
    };
    // What variants change is said apart.
    let as_it_stands =
        |name: &str| report.points.iter().any(|p| p.name == name && p.variant.is_none());
    let runs: Vec<Run> = subject.runs.iter().filter(|run| as_it_stands(&run.cc)).cloned().collect();
    verdict_of(&runs, &situation)
}

/// What to read from a sweep: who leads at how many places, or between which values one moves.
pub(super) fn sweep_in_words(sweep: &Sweep, names: &[String]) -> String {
    let Some(first) = sweep.metrics.first() else { return String::new() };
    let mut places: BTreeMap<&[usize], Vec<&Cell>> = BTreeMap::new();
    for cell in &sweep.cells {
        places.entry(&cell.at).or_default().push(cell);
    }
    if names.len() < 2 {
        return range(sweep, first.better);
    }
    let mut wins: BTreeMap<usize, usize> = BTreeMap::new();
    for here in places.values() {
        if let Some(winner) = winner(here, first.better) {
            *wins.entry(winner).or_default() += 1;
        }
    }
    let all = places.len();
    let open = all - wins.values().sum::<usize>();
    let mut order: Vec<(usize, usize)> = wins.into_iter().collect();
    order.sort_by_key(|&(who, count)| (std::cmp::Reverse(count), who));
    let won = |&(who, count): &(usize, usize)| {
        format!("{} at {count}", names.get(who).map_or("", String::as_str))
    };
    let mut parts: Vec<String> = order.iter().map(won).collect();
    parts.extend((open > 0).then(|| format!("nobody at {open}")));
    format!("Of {all} places, best by {} beyond chance: {}.", first.quantity.name, parts.join(", "))
}

/// Who is best at a place beyond chance.
fn winner(here: &[&Cell], better: Better) -> Option<usize> {
    let samples = |cell: &&Cell| -> Samples {
        (1..).zip(cell.samples.first().cloned().unwrap_or_default()).collect()
    };
    match standing_of(&here.iter().map(samples).collect::<Vec<_>>(), better) {
        Standing::Best(i) => here.get(i).map(|cell| cell.variant),
        Standing::Tied(_) | Standing::Unknown => None,
    }
}

/// The ends of the first quantity's means, and where they are.
fn range(sweep: &Sweep, better: Better) -> String {
    let Some(of) = sweep.metrics.first() else { return String::new() };
    let value = |cell: &Cell| {
        let values: Vec<f64> = cell.samples.first()?.iter().flatten().copied().collect();
        mean(&values)
    };
    let mut means: Vec<(f64, &Cell)> =
        sweep.cells.iter().filter_map(|cell| Some((value(cell)?, cell))).collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    if better == Better::Higher {
        means.reverse();
    }
    let place = |cell: &Cell| {
        let label = |(axis, &at): (&crate::document::Axis, &usize)| {
            format!("{}={}", axis.name, axis.values.get(at).map_or("", |v| &v.label))
        };
        sweep.axes.iter().zip(&cell.at).map(label).collect::<Vec<_>>().join(", ")
    };
    match (means.first(), means.last()) {
        (Some((best, at)), Some((worst, other))) => format!(
            "Mean {} is best with {} ({} {unit}) and worst with {} ({} {unit}).",
            of.quantity.name,
            place(at),
            plain(*best),
            place(other),
            plain(*worst),
            unit = of.quantity.unit
        ),
        _ => "Nothing was measured.".to_owned(),
    }
}
