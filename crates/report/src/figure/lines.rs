//! A sweep over one parameter: a line for each variant, its confidence as a band.

use westwood_experiment::stats::{CONFIDENCE, Estimate};

use super::axis::{Axis, Mark, every};
use super::frame::{
    Area, Figure, LINE, TEXT, WIDTH, legend, mark, path_data, stroke, y_axis, y_name,
};
use crate::document::{self, Document, Sweep, SweepMetric};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Scale, Steps, plain, round_above};

const PLOT: f64 = 128.0;

/// A point of a line: where, the mean and the ends of its interval.
type Point = (f64, f64, f64, f64);

pub(super) fn draw(sweep: &Sweep, metric: usize, of: &SweepMetric, document: &Document) -> Figure {
    let mut body = Markup::new();
    let Some(axis) = sweep.axes.first() else {
        return Figure { title: of.quantity.label(), height: TEXT, body };
    };
    let top = legend(&mut body, &document.variants, 0.0, true) + 8.0 + TEXT;
    let area = Area { left: 30.0, right: WIDTH - 8.0, top, bottom: top + PLOT };
    let places = AxisPositions::of(axis, area);
    let lines: Vec<Vec<Point>> =
        (0..document.variants.len()).map(|variant| line(sweep, metric, variant, &places)).collect();
    let highest = lines.iter().flatten().fold(0.0_f64, |a, p| a.max(p.3));
    let y = Scale::new(0.0, round_above(highest), area.bottom, area.top);
    y_name(&mut body, WIDTH, top - TEXT * 0.8, &of.quantity.label());
    y_axis(&mut body, area, &y, 4.0);
    let below = places.draw(&mut body, area, axis);
    for (variant, points) in lines.iter().enumerate() {
        band(&mut body, variant, points, &y);
    }
    for (variant, points) in lines.iter().enumerate() {
        let class = format!("k{variant}");
        body.tag("g").attr("class", class).with(|g| {
            let centre: Vec<(f64, f64)> = points.iter().map(|p| (p.0, y.at(p.1))).collect();
            stroke(g, variant, &path_data(&centre), LINE);
            for (point, (_, mean, low, high)) in centre.iter().zip(points) {
                g.tag("g").with(|g| {
                    let text = format!(
                        "{}: {} ({} to {}) {}",
                        document.variant(variant),
                        plain(*mean),
                        plain(*low),
                        plain(*high),
                        of.quantity.unit
                    );
                    g.tag("title").text(&text);
                    mark(g, variant, *point, 2.2);
                });
            }
        });
    }
    Figure {
        title: format!("{} over {}", of.quantity.label(), axis.name),
        height: area.bottom + below,
        body,
    }
}

/// The points of one variant, from left to right.
fn line(sweep: &Sweep, metric: usize, variant: usize, places: &AxisPositions) -> Vec<Point> {
    let mut points: Vec<Point> = sweep
        .cells
        .iter()
        .filter(|cell| cell.variant == variant)
        .filter_map(|cell| {
            let x = *places.x.get(*cell.at.first()?)?;
            let values: Vec<f64> = cell.samples.get(metric)?.iter().flatten().copied().collect();
            let estimate = Estimate::of(&values, CONFIDENCE)?;
            let half = estimate.half_width.unwrap_or(0.0);
            Some((x, estimate.mean, (estimate.mean - half).max(0.0), estimate.mean + half))
        })
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn band(body: &mut Markup, variant: usize, points: &[Point], y: &Scale) {
    let upper = points.iter().map(|p| (p.0, y.at(p.3)));
    let lower = points.iter().rev().map(|p| (p.0, y.at(p.2)));
    let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
    body.tag("path")
        .attr("class", format!("fills {}", palette::class(variant)))
        .attr("d", path_data(&outline))
        .attr("fill", palette::colour(variant))
        .attr("fill-opacity", 0.15)
        .empty();
}

/// The places of an axis's values, from 0 to 100 and a little beyond for values that are no numbers.
pub(crate) fn places(axis: &document::SweepAxis) -> Vec<f64> {
    AxisPositions::of(axis, Area { left: -8.0, right: 108.0, top: 0.0, bottom: 0.0 }).x
}

/// The places of an axis's values: on a true scale, if every one is a number.
struct AxisPositions {
    x: Vec<f64>,
    /// The breaks between zero and the decades, which are not to their scale.
    breaks: Vec<f64>,
}

impl AxisPositions {
    fn of(axis: &document::SweepAxis, area: Area) -> Self {
        let numbers: Option<Vec<f64>> = axis.values.iter().map(|v| v.number).collect();
        let Some(numbers) = numbers else {
            return Self::even(axis.values.len(), area);
        };
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high <= low || numbers.iter().any(|n| !n.is_finite()) {
            return Self::even(axis.values.len(), area);
        }
        let (left, right) = (area.left + 8.0, area.right - 8.0);
        let drawn = Axis::new((low, high), Steps::of(&numbers), left, right);
        Self { x: numbers.into_iter().map(|n| drawn.at(n)).collect(), breaks: drawn.breaks() }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    fn even(values: usize, area: Area) -> Self {
        let step = (area.right - area.left) / values.max(1) as f64;
        let x = (0..values).map(|i| area.left + step * (i as f64 + 0.5)).collect();
        Self { x, breaks: Vec::new() }
    }

    /// A tick and a label for each value that was measured; answers their height below the area.
    fn draw(&self, body: &mut Markup, area: Area, axis: &document::SweepAxis) -> f64 {
        let labels = axis.values.iter().map(|value| value.label.clone());
        let marks: Vec<Mark> = self.x.iter().copied().zip(labels).collect();
        every(body, area, &marks, &self.breaks, &axis.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::AxisValue;

    fn places(numbers: &[f64]) -> Vec<f64> {
        of(numbers).x
    }

    fn of(numbers: &[f64]) -> AxisPositions {
        let value = |n: &f64| AxisValue { label: n.to_string(), number: Some(*n) };
        let values = numbers.iter().map(value).collect();
        let axis = document::SweepAxis { name: String::new(), values };
        AxisPositions::of(&axis, Area { left: 0.0, right: 116.0, top: 0.0, bottom: 1.0 })
    }

    #[test]
    fn values_stand_on_a_true_scale_and_by_ratio_where_they_reach_far() {
        assert_eq!(places(&[10.0, 20.0, 60.0]), [8.0, 28.0, 108.0]);
        let far = places(&[0.01, 1.0, 100.0]);
        assert!((far[1] - 58.0).abs() < 1e-9, "{far:?}");
    }

    #[test]
    fn a_single_value_stands_in_the_middle() {
        assert_eq!(places(&[5.0]), [58.0]);
    }

    #[test]
    fn zero_stands_apart_from_the_decades_and_the_axis_says_so() {
        let drawn = of(&[0.0, 0.01, 0.1, 1.0]);
        for (x, there) in drawn.x.iter().zip([8.0, 124.0 / 3.0, 224.0 / 3.0, 108.0]) {
            assert!((x - there).abs() < 1e-9, "{:?}", drawn.x);
        }
        assert_eq!(drawn.breaks.len(), 1);
        assert!(of(&[1.0, 10.0, 100.0]).breaks.is_empty());
        assert_eq!(of(&[-10.0, 0.0, 0.1, 10.0]).breaks.len(), 2);
    }
}
