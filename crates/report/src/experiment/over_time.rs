//! Runs of a scenario over time: a sheet for each setting of a sweep that was drawn.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use westwood_experiment::run::{Curves, Detail, GridReport, PointRecord};

use super::axes::{axes, short_name};
use super::contestants::{Contestants, kind, points_with_results};
use crate::curves::{RecordedRun, RunsBySeed, SettingCount, timelines as timelines_of};
use crate::document::Timeline;

/// The timelines of each setting, in the order of the grid.
pub(super) fn timelines(
    report: &GridReport,
    curves: &[Curves],
    who: &Contestants,
) -> Vec<Timeline> {
    let axes = axes(report);
    let swept = !axes.is_empty();
    let order = points_with_results(report);
    let variant = |number: usize, point: &PointRecord| {
        if swept { Some(who.place(point)) } else { order.iter().position(|p| *p == number) }
    };
    let variants = if swept { who.names.len() } else { order.len() };
    let mut sheets: Vec<CurveSheet<'_>> = Vec::new();
    for one in curves {
        let number = one.task.point;
        let Some(point) = report.points.get(number) else { continue };
        let Some(variant) = variant(number, point) else { continue };
        let here = setting(report, point);
        let found = sheets.iter().position(|known| known.setting == here);
        let sheet = found.unwrap_or_else(|| {
            let at = axes.iter().filter_map(|axis| axis.place(point)).collect();
            sheets.push(CurveSheet { setting: here, at, closely: false, seeds: Vec::new() });
            sheets.len() - 1
        });
        sheets[sheet].closely |= one.detail == Detail::Curves;
        let seeds = &mut sheets[sheet].seeds;
        let found = seeds.iter().position(|(known, _)| *known == one.task.seed);
        let seed = found.unwrap_or_else(|| {
            seeds.push((one.task.seed, vec![None; variants]));
            seeds.len() - 1
        });
        let take = RecordedRun {
            series: &one.series,
            context: &one.context,
            sequence: one.sequence.as_ref(),
            until_s: one.sim_s,
        };
        if let Some(place) = seeds[seed].1.get_mut(variant) {
            *place = Some(take);
        }
    }
    let row = if swept { who.kind(report) } else { kind(report) };
    let count = sheets.len();
    let settings: BTreeSet<String> = report.points.iter().map(|p| setting(report, p)).collect();
    let left_out = settings.len() > count;
    let close = sheets.iter().filter(|sheet| sheet.closely).count();
    let drawn = sheets.into_iter().flat_map(|CurveSheet { setting, at, closely, mut seeds }| {
        // Where nothing is closer than thinned it is all that there is.
        let brief = !closely && close > 0;
        let alike = if brief { count - close } else { count.min(close.max(1)) };
        // A run that failed leaves its seed to others, which are in their order all the same.
        let place = |seed: u64| report.seeds.iter().position(|known| *known == seed);
        seeds.sort_by_key(|(seed, _)| place(*seed));
        if !is_random(report, &setting) {
            seeds.truncate(1);
        }
        let title = if count > 1 { setting.clone() } else { String::new() };
        let partly = seeds.iter().any(|(_, runs)| runs.iter().any(Option::is_none));
        let fewer = seeds.len() < report.seeds.len() && is_random(report, &setting);
        let mut more = String::new();
        if fewer {
            let (drawn, all) = (seeds.len(), report.seeds.len());
            let _ = write!(more, " Of {all} seeds {} drawn.", of_the_first(drawn));
        }
        if left_out {
            let _ = write!(
                more,
                " Of the sweep's {} settings {count} {} drawn.",
                settings.len(),
                if count == 1 { "is" } else { "are" }
            );
        }
        if partly {
            more.push_str(" Those that failed, and of many those after the twelfth, are left out.");
        }
        let of_setting = timelines_of(seeds, SettingCount { alike, brief }, row).into_iter();
        let noted = of_setting.map(move |timeline| Timeline {
            title: title.clone(),
            at: at.clone(),
            note: format!("{}{more}", timeline.note),
            ..timeline
        });
        noted.collect::<Vec<_>>()
    });
    drawn.collect()
}

/// A setting that was drawn.
struct CurveSheet<'a> {
    setting: String,
    /// Its place on each axis.
    at: Vec<usize>,
    /// One of its runs was followed most closely.
    closely: bool,
    seeds: RunsBySeed<'a>,
}

/// Whether seeds differ in what their runs gave; where nothing is random, other seeds show the same once
/// more.
fn is_random(report: &GridReport, setting: &str) -> bool {
    let runs_of = |point: usize| report.runs.iter().filter(move |run| run.point == point);
    let here =
        (0..report.points.len()).filter(|i| self::setting(report, &report.points[*i]) == setting);
    here.into_iter().any(|point| {
        let mut gave = runs_of(point).map(|run| (&run.groups, &run.links, &run.error));
        let first = gave.next();
        gave.any(|other| Some(other) != first)
    })
}

fn of_the_first(seeds: usize) -> String {
    if seeds == 1 { "the first is".to_owned() } else { format!("the first {seeds} are") }
}

/// The setting of a point in the sweep, controllers left out: `rate 10 Mbit/s, loss 1 %`.
fn setting(report: &GridReport, point: &PointRecord) -> String {
    let fields = report.axes.iter().zip(&point.settings).enumerate();
    let fields = fields.filter(|(_, (path, _))| *path != "cc");
    let words = fields.map(|(i, (_, value))| format!("{} {value}", short_name(report, i)));
    words.collect::<Vec<_>>().join(", ")
}
