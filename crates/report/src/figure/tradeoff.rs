//! The price of goodput in delay: a dot for each seed, a mark for the mean.

use westwood_experiment::stats::{CONFIDENCE, Estimate};

use super::axis::x_axis;
use super::frame::{
    Anchor, Area, Figure, TEXT, TextLabel, WIDTH, X_AXIS, legend, mark, path_data, y_axis, y_name,
};
use super::spread::{bar, extent_of};
use crate::document::{Document, Tradeoff};
use crate::markup::Markup;
use crate::palette;
use crate::scale::Scale;

const PLOT: f64 = 128.0;

pub(super) fn draw(data: &Tradeoff, document: &Document) -> Figure {
    let mut body = Markup::new();
    let top = legend(&mut body, &document.variants, 0.0, false) + 8.0 + TEXT;
    let area = Area { left: 30.0, right: WIDTH - 8.0, top, bottom: top + PLOT };
    let (across, upward) = (along(&data.points, |p| p.0), along(&data.points, |p| p.1));
    let (low, high) = extent_of(&across, f64::INFINITY);
    let x = Scale::new(low, high, area.left, area.right);
    let y = Scale::new(0.0, extent_of(&upward, f64::INFINITY).1, area.bottom, area.top);
    y_name(&mut body, WIDTH - 110.0, top - TEXT * 0.8, &data.y.label());
    let right = area.right;
    let hint = TextLabel::new("better: up and to the left").small().soft();
    hint.anchor(Anchor::End).at(&mut body, right, top - TEXT * 0.8);
    y_axis(&mut body, area, &y, 4.0);
    x_axis(&mut body, area, &x, 5.0, &data.x.label());
    for (i, points) in data.points.iter().enumerate() {
        body.tag("g").attr("class", format!("k{i}")).with(|g| {
            g.tag("title").text(document.variant(i));
            cloud(g, i, points, &x, &y);
        });
    }
    Figure {
        title: format!("{} against {}", data.y.label(), data.x.label()),
        height: area.bottom + X_AXIS,
        body,
    }
}

/// One coordinate of every variant's points.
fn along(points: &[Vec<(f64, f64)>], pick: fn(&(f64, f64)) -> f64) -> Vec<Vec<f64>> {
    points.iter().map(|of| of.iter().map(pick).collect()).collect()
}

fn cloud(group: &mut Markup, i: usize, points: &[(f64, f64)], x: &Scale, y: &Scale) {
    let class = palette::class(i);
    for (delay, rate) in points {
        group
            .tag("circle")
            .attr("class", format!("fills {class}"))
            .num("cx", x.at(*delay))
            .num("cy", y.at(*rate))
            .num("r", 1.2)
            .attr("fill", palette::colour(i))
            .attr("fill-opacity", 0.55)
            .empty();
    }
    let estimate = |pick: fn(&(f64, f64)) -> f64| {
        Estimate::of(&points.iter().map(pick).collect::<Vec<f64>>(), CONFIDENCE)
    };
    let (Some(delay), Some(rate)) = (estimate(|p| p.0), estimate(|p| p.1)) else {
        return;
    };
    let (cx, cy) = (x.at(delay.mean), y.at(rate.mean));
    let across = delay.half_width.map(|dx| bar((delay.mean - dx, delay.mean + dx), x, cy, 1.8));
    let upward = rate.half_width.map(|dy| {
        let end = |end: f64| (cx, y.at(end.clamp(y.low, y.high)));
        path_data(&[rate.mean - dy, rate.mean + dy].map(end))
    });
    let cross: String = across.into_iter().chain(upward).collect();
    if !cross.is_empty() {
        group
            .tag("path")
            .attr("class", format!("strokes {class}"))
            .attr("d", cross)
            .attr("stroke", palette::colour(i))
            .num("stroke-width", 0.9)
            .attr("fill", "none")
            .empty();
    }
    mark(group, i, (cx, cy), 3.2);
}
