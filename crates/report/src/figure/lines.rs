//! A sweep over one parameter: a line for each variant, its confidence as a band.

use westwood_scenario::ranking::CONFIDENCE;
use westwood_scenario::stats::Estimate;

use super::frame::{
    Anchor, Area, Figure, LINE, TEXT, WIDTH, Words, X_AXIS, hair, legend, mark, path_data, stroke,
    x_axis, y_axis,
};
use crate::document::{Axis, Document, Sweep, SweepMetric};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Scale, Spacing, plain, round_above};

const PLOT: f64 = 128.0;

/// A point of a line: where, the mean and the ends of its interval.
type Point = (f64, f64, f64, f64);

pub(super) fn draw(sweep: &Sweep, metric: usize, of: &SweepMetric, document: &Document) -> Figure {
    let mut body = Markup::new();
    let Some(axis) = sweep.axes.first() else {
        return Figure { title: of.quantity.label(), height: TEXT, body };
    };
    let top = legend(&mut body, &document.variants, 0.0, true) + 4.0 + TEXT;
    let area = Area { left: 30.0, right: WIDTH - 8.0, top, bottom: top + PLOT };
    let places = Places::of(axis, area);
    let lines: Vec<Vec<Point>> =
        (0..document.variants.len()).map(|variant| line(sweep, metric, variant, &places)).collect();
    let highest = lines.iter().flatten().fold(0.0_f64, |a, p| a.max(p.3));
    let y = Scale::linear(0.0, round_above(highest), area.bottom, area.top);
    Words::new(&of.quantity.label()).at(&mut body, 0.0, top - TEXT * 0.8);
    y_axis(&mut body, area, &y, 4.0);
    places.draw(&mut body, area, axis);
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
        height: area.bottom + X_AXIS,
        body,
    }
}

/// The points of one variant, from left to right.
fn line(sweep: &Sweep, metric: usize, variant: usize, places: &Places) -> Vec<Point> {
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

/// Where the values of an axis stand.
struct Places {
    x: Vec<f64>,
    /// The true scale, if every value is a number.
    scale: Option<Scale>,
}

impl Places {
    fn of(axis: &Axis, area: Area) -> Self {
        let numbers: Option<Vec<f64>> = axis.values.iter().map(|v| v.number).collect();
        let Some(numbers) = numbers.filter(|n| n.len() > 1) else {
            return Self::even(axis.values.len(), area);
        };
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Over more than a factor of 20 equal steps would crowd the small values.
        let spacing = if low > 0.0 && high / low > 20.0 { Spacing::Log } else { Spacing::Linear };
        if high <= low {
            return Self::even(axis.values.len(), area);
        }
        let scale = Scale { spacing, low, high, from: area.left + 4.0, to: area.right - 4.0 };
        Self { x: numbers.iter().map(|n| scale.at(*n)).collect(), scale: Some(scale) }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    fn even(values: usize, area: Area) -> Self {
        let step = (area.right - area.left) / values.max(1) as f64;
        Self { x: (0..values).map(|i| area.left + step * (i as f64 + 0.5)).collect(), scale: None }
    }

    fn draw(&self, body: &mut Markup, area: Area, axis: &Axis) {
        if let Some(scale) = &self.scale {
            // The values that were measured are the best numbers for the axis, if they fit.
            let room = self.x.windows(2).map(|w| (w[1] - w[0]).abs()).fold(f64::INFINITY, f64::min);
            let widest = axis
                .values
                .iter()
                .map(|v| super::frame::text_width(&v.label, TEXT))
                .fold(0.0, f64::max);
            if room <= widest + 3.0 {
                x_axis(body, area, scale, 5.0, &axis.name);
                return;
            }
        }
        hair(body, "axis", (area.left, area.bottom), (area.right, area.bottom));
        #[expect(clippy::cast_precision_loss, reason = "a few values")]
        let room = (area.right - area.left) / self.x.len().max(1) as f64;
        for (x, value) in self.x.iter().zip(&axis.values) {
            hair(body, "axis", (*x, area.bottom), (*x, area.bottom + 2.5));
            let label = super::frame::fitting(&value.label, room.max(18.0), TEXT);
            Words::new(&label).anchor(Anchor::Middle).at(body, *x, area.bottom + 3.5 + TEXT);
        }
        let middle = f64::midpoint(area.left, area.right);
        let below = area.bottom + 7.0 + 2.0 * TEXT;
        Words::new(&axis.name).anchor(Anchor::Middle).at(body, middle, below);
    }
}
