//! Runs of a scenario over time: a sheet for each setting of a sweep and each seed that was drawn, and
//! of several seeds one for all of them.

use std::collections::BTreeSet;

use westwood_experiment::run::{Curves, PointRecord, Report};

use super::axes::{axes, short_name};
use super::{Who, points_with_results};
use crate::curves::{Take, over_seeds, timeline};
use crate::document::Timeline;

/// What is drawn on one sheet: a setting and a seed, and for each variant its run.
struct Sheet<'a> {
    setting: String,
    seed: u64,
    runs: Vec<Option<Take<'a>>>,
}

/// A timeline for each setting and seed, in the order of the grid.
pub(super) fn timelines(report: &Report, curves: &[Curves], who: &Who) -> Vec<Timeline> {
    let swept = !axes(report).is_empty();
    let order = points_with_results(report);
    let variant = |number: usize, point: &PointRecord| {
        if swept { Some(who.place(point)) } else { order.iter().position(|p| *p == number) }
    };
    let variants = if swept { who.names.len() } else { order.len() };
    let mut sheets: Vec<Sheet<'_>> = Vec::new();
    for one in curves {
        let number = one.task.point;
        let Some(point) = report.points.get(number) else { continue };
        let Some(variant) = variant(number, point) else { continue };
        let (setting, seed) = (setting(report, point), one.task.seed);
        let found = sheets.iter().position(|s| s.setting == setting && s.seed == seed);
        let sheet = found.unwrap_or_else(|| {
            sheets.push(Sheet { setting, seed, runs: vec![None; variants] });
            sheets.len() - 1
        });
        let take = Take { series: &one.series, scene: &one.scene, until_s: one.sim_s };
        if let Some(place) = sheets[sheet].runs.get_mut(variant) {
            *place = Some(take);
        }
    }
    let kind = if swept { who.kind(report) } else { super::kind(report) };
    let drawn: BTreeSet<&str> = sheets.iter().map(|sheet| sheet.setting.as_str()).collect();
    let settings: BTreeSet<String> = report.points.iter().map(|p| setting(report, p)).collect();
    let notes = Notes { several: drawn.len() > 1, left_out: settings.len() > drawn.len() };
    let count = sheets.len();
    let mut timelines = Vec::new();
    // Points of one setting stand together in the grid, seeds within each point.
    let mut seen: Vec<&str> = Vec::new();
    for sheet in &sheets {
        if seen.contains(&sheet.setting.as_str()) {
            continue;
        }
        seen.push(&sheet.setting);
        let here: Vec<&Sheet<'_>> =
            sheets.iter().filter(|other| other.setting == sheet.setting).collect();
        timelines.extend(of_setting(&here, count, kind, &notes));
    }
    timelines
}

/// What all timelines of a report have in common.
struct Notes {
    /// More than one setting is drawn.
    several: bool,
    /// Others are not.
    left_out: bool,
}

/// The timelines of one setting: one for each seed, and one for all of them.
fn of_setting(sheets: &[&Sheet<'_>], count: usize, kind: &str, notes: &Notes) -> Vec<Timeline> {
    let runs = sheets.iter().flat_map(|sheet| sheet.runs.iter().flatten());
    let end_s = runs.map(|run| run.until_s).fold(0.0, f64::max);
    let drawn = sheets.iter().filter_map(|sheet| {
        let mut timeline = timeline(sheet.runs.clone(), count, end_s, kind)?;
        if notes.several {
            timeline.title.clone_from(&sheet.setting);
        }
        timeline.seed = format!("seed {}", sheet.seed);
        if notes.left_out {
            let more = " Of the sweep's settings the first, the middle one and the last are drawn.";
            timeline.note.push_str(more);
        }
        if sheet.runs.iter().any(Option::is_none) {
            timeline
                .note
                .push_str(" Those that failed, and of many those after the twelfth, are left out.");
        }
        Some(timeline)
    });
    let mut drawn: Vec<Timeline> = drawn.collect();
    // Where nothing is random, other seeds show the same once more.
    if let Some((first, rest)) = drawn.split_first()
        && rest.iter().all(|other| other.panels == first.panels)
    {
        drawn.truncate(1);
        drawn[0].seed.clear();
    }
    let all: Vec<&Timeline> = drawn.iter().collect();
    let all = over_seeds(&all, kind);
    drawn.extend(all);
    drawn
}

/// Where in the sweep a point is, controllers left out: `rate 10 Mbit/s, loss 1 %`.
fn setting(report: &Report, point: &PointRecord) -> String {
    let fields = report.axes.iter().zip(&point.settings).enumerate();
    let fields = fields.filter(|(_, (path, _))| *path != "cc");
    let words = fields.map(|(i, (_, value))| format!("{} {value}", short_name(report, i)));
    words.collect::<Vec<_>>().join(", ")
}
