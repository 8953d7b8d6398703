//! Runs of a scenario over time: a sheet for each setting of a sweep that was drawn.

use std::collections::BTreeSet;

use westwood_experiment::run::{Curves, PointRecord, Report};

use super::axes::{axes, short_name};
use super::{Who, points_with_results};
use crate::curves::{Take, timeline};
use crate::document::Timeline;

/// A timeline for each setting, in the order of the grid.
pub(super) fn timelines(report: &Report, curves: &[Curves], who: &Who) -> Vec<Timeline> {
    let swept = !axes(report).is_empty();
    let order = points_with_results(report);
    let variant = |number: usize, point: &PointRecord| {
        if swept { Some(who.place(point)) } else { order.iter().position(|p| *p == number) }
    };
    let variants = if swept { who.names.len() } else { order.len() };
    let mut sheets: Vec<(String, Vec<Option<Take<'_>>>)> = Vec::new();
    for one in curves {
        let number = one.task.point;
        let Some(point) = report.points.get(number) else { continue };
        let Some(variant) = variant(number, point) else { continue };
        let here = setting(report, point);
        let found = sheets.iter().position(|(known, _)| *known == here);
        let sheet = found.unwrap_or_else(|| {
            sheets.push((here, vec![None; variants]));
            sheets.len() - 1
        });
        let take = Take { series: &one.series, scene: &one.scene, until_s: one.sim_s };
        if let Some(place) = sheets[sheet].1.get_mut(variant) {
            *place = Some(take);
        }
    }
    let kind = if swept { who.kind(report) } else { super::kind(report) };
    let count = sheets.len();
    let settings: BTreeSet<String> = report.points.iter().map(|p| setting(report, p)).collect();
    let settings = settings.len();
    let drawn = sheets.into_iter().filter_map(|(setting, runs)| {
        let title = if count > 1 { setting } else { String::new() };
        let left_out = settings > count;
        let partly = runs.iter().any(Option::is_none);
        let mut timeline = timeline(runs, count, kind)?;
        if left_out {
            let more = " Of the sweep's settings the first, the middle one and the last are drawn.";
            timeline.note.push_str(more);
        }
        if partly {
            timeline
                .note
                .push_str(" Those that failed, and of many those after the twelfth, are left out.");
        }
        Some(Timeline { title, ..timeline })
    });
    drawn.collect()
}

/// Where in the sweep a point is, controllers left out: `rate 10 Mbit/s, loss 1 %`.
fn setting(report: &Report, point: &PointRecord) -> String {
    let fields = report.axes.iter().zip(&point.settings).enumerate();
    let fields = fields.filter(|(_, (path, _))| *path != "cc");
    let words = fields.map(|(i, (_, value))| format!("{} {value}", short_name(report, i)));
    words.collect::<Vec<_>>().join(", ")
}
