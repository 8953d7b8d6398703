//! The size of a report, its subject, and the faults of its runs: alike on terminal and page.

use westwood_experiment::judgement::{JudgementRules, Situation};
use westwood_experiment::results::{Drops, RunSummary};
use westwood_experiment::run::{GridReport, PointRecord, RunRecord};
use westwood_scenario::sorting::{SortedMap, distinct};
use westwood_scenario::{capitalized, counted, counted_of};

use crate::summary::Subject;

/// The conclusion from a part of a grid.
pub(crate) const PART: &str =
    "These runs are a part of the grid, so nothing is concluded: westwood merge joins the parts.";

/// The number of points and seeds, and the hosts' recovery if all have the same.
pub(crate) fn size(report: &GridReport) -> String {
    let (points, seeds) = (report.points.len() as u64, report.seeds.len() as u64);
    let summaries = report.runs.iter().filter_map(|run| run.summary.as_ref());
    let recoveries: Vec<&str> = distinct(summaries.map(|run| &*run.recovery));
    let recovery = match recoveries.as_slice() {
        [only] if !only.is_empty() => format!(", recovery {only}"),
        _ => String::new(),
    };
    format!("{}, {}{recovery}", counted(points, "point"), counted(seeds, "seed"))
}

pub(crate) fn subject<'a>(
    report: &GridReport,
    runs: &'a [RunSummary],
    rules: JudgementRules,
    is_part: bool,
) -> Subject<'a> {
    let failed = report.runs.iter().any(|run| run.error.is_some());
    let varied = !report.axes.is_empty() || report.points.iter().any(|p| p.variant.is_some());
    let tested = || report.runs.iter().flat_map(|r| &r.groups).filter(|g| g.tested);
    let has = |name: &str| report.runs.iter().flat_map(|r| &r.groups).any(|g| g.name == name);
    let links = report.runs.iter().filter_map(|r| r.links.first()).map(|l| l.rate_bps);
    Subject {
        runs,
        heading: if varied { "point" } else { "controller" },
        // Where runs are missing, rows cannot be compared seed by seed.
        alternatives: if failed { 1 } else { controllers_each(&report.points) },
        seeds: report.seeds.len(),
        rate_bps: links.fold(0.0, f64::max),
        transfers: tested().any(|g| g.transfers.is_some()),
        several: tested().any(|g| g.flows.len() > 1),
        rivals: has("rival"),
        reverse: has("reverse"),
        situations: situations(report),
        rules,
        is_part,
    }
}

/// The situation of each point: that of all runs of its setting.
fn situations(report: &GridReport) -> SortedMap<String, Situation> {
    let setting = |place: usize| report.points.get(place).map(|point| report.setting(point));
    let mut known: SortedMap<_, Situation> = SortedMap::default();
    let of = |point: &PointRecord| {
        let own = report.setting(point);
        let here = |run: &&RunRecord| setting(run.point).as_ref() == Some(&own);
        let situation = || Situation::of(&report.runs.iter().filter(here).collect::<Vec<_>>());
        (point.name.clone(), known.or_insert_with(own.clone(), situation).clone())
    };
    report.points.iter().map(of).collect()
}

/// The number of controllers of each setting, if all have as many.
fn controllers_each(points: &[PointRecord]) -> usize {
    let setting = |p: &PointRecord| (p.settings.clone(), p.variant.clone());
    let sizes: Vec<usize> =
        points.chunk_by(|a, b| setting(a) == setting(b)).map(<[PointRecord]>::len).collect();
    match sizes.split_first() {
        Some((first, rest)) if rest.iter().all(|n| n == first) => *first,
        _ => 1,
    }
}

/// The note on transfers under test that were cut off by the end.
pub(crate) fn unfinished(report: &GridReport) -> Option<String> {
    let text = |n: usize| {
        format!(
            "In {} not every transfer under test was finished: {}.",
            counted_of(n as u64, report.runs.len() as u64, "run"),
            if report.lost_every_packet() {
                "the measured link lost every packet"
            } else {
                "raise time, or lower size"
            }
        )
    };
    Some(report.cut_off()).filter(|n| *n > 0).map(text)
}

/// The note on an unused measured link. Transfers that ended before measuring began may have crossed it
/// earlier; a warning speaks of their runs.
pub(crate) fn unused(report: &GridReport) -> Option<String> {
    let idle = |run: &&RunRecord| {
        let dropped = |drops: Drops| drops.overflow + drops.aqm + drops.policer;
        let unused =
            |summary: &RunSummary| summary.utilization == 0.0 && dropped(summary.drops) == 0;
        run.summary.as_ref().is_some_and(unused) && !run.ended_before_measuring()
    };
    let runs = report.runs.iter().filter(|run| run.summary.is_some());
    match runs.clone().filter(idle).count() {
        0 => None,
        n => Some(format!(
            "Nothing crossed the measured link in {}: no flow's route leads over it, \
             none sent, or the run ends before a packet has crossed. Routes have the least total delay.",
            counted_of(n as u64, runs.count() as u64, "run")
        )),
    }
}

/// More failed runs than these are counted.
const MOST_FAILURES: usize = 10;

/// The failed runs, and the reasons.
pub(crate) fn failures(report: &GridReport) -> Vec<String> {
    let line = |run: &RunRecord| {
        let name = report.points.get(run.point).map_or("", |p| p.name.as_str());
        run.error.as_ref().map(|error| format!("{name}, seed {}: {error}", run.seed))
    };
    let mut failed: Vec<String> = report.runs.iter().filter_map(line).collect();
    let all = failed.len();
    if all > 0 {
        failed.truncate(MOST_FAILURES);
        let those = counted_of(all as u64, report.runs.len() as u64, "run");
        failed.insert(0, format!("{} failed:", capitalized(&those)));
    }
    if all > MOST_FAILURES {
        failed.push(format!("and {} more.", all - MOST_FAILURES));
    }
    failed
}
