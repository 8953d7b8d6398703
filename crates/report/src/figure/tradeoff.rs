//! What a goodput costs in delay: a dot for each seed, a mark for the mean.

use westwood_experiment::ranking::CONFIDENCE;
use westwood_experiment::stats::Estimate;

use super::frame::{
    Anchor, Area, Figure, TEXT, WIDTH, Words, X_AXIS, legend, mark, path_data, x_axis, y_axis,
    y_name,
};
use crate::document::{Document, Tradeoff};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Scale, round_above};

const PLOT: f64 = 128.0;

pub(super) fn draw(data: &Tradeoff, document: &Document) -> Figure {
    let mut body = Markup::new();
    let top = legend(&mut body, &document.variants, 0.0, false) + 8.0 + TEXT;
    let area = Area { left: 30.0, right: WIDTH - 8.0, top, bottom: top + PLOT };
    let all = || data.points.iter().flatten();
    let most_y = all().map(|p| p.1).fold(0.0, f64::max);
    let (low, high) =
        all().map(|p| p.0).fold((f64::INFINITY, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
    let low = if low.is_finite() { low } else { 0.0 };
    let room = ((high - low) * 0.06).max(high * 0.02);
    let x = Scale::new((low - room).max(0.0), high + room, area.left, area.right);
    let y = Scale::new(0.0, round_above(most_y), area.bottom, area.top);
    y_name(&mut body, WIDTH - 110.0, top - TEXT * 0.8, &data.y.label());
    let right = area.right;
    let hint = Words::new("better: up and to the left").small().soft();
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
    if let (Some(dx), Some(dy)) = (delay.half_width, rate.half_width) {
        let across = [(x.at(delay.mean - dx), cy), (x.at(delay.mean + dx), cy)];
        let upward = [(cx, y.at(rate.mean - dy)), (cx, y.at(rate.mean + dy))];
        group
            .tag("path")
            .attr("class", format!("strokes {class}"))
            .attr("d", path_data(&across) + &path_data(&upward))
            .attr("stroke", palette::colour(i))
            .num("stroke-width", 0.9)
            .attr("fill", "none")
            .empty();
    }
    mark(group, i, (cx, cy), 3.2);
}
