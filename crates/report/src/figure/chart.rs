//! A chart of lines, for whoever has points and names for them.

use super::frame::{Anchor, Words};
use super::frame::{
    Area, Figure, LINE, TEXT, WIDTH, X_AXIS, fitting, hair, legend, mark, path_data, stroke,
    text_width, x_name, y_name,
};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Scale, Steps, plain, round_above, written};

const PLOT: f64 = 140.0;
/// More points than this are a curve over time, and bear no marks.
const FEW: usize = 40;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// The horizontal axis, with its unit.
    pub x: String,
    /// The vertical axis, with its unit.
    pub y: String,
    /// True for a horizontal axis by ratios; where a point stands at zero or below, the axis is one of
    /// zero and decades (symlog).
    pub x_log: bool,
    /// True for a logarithmic vertical axis.
    pub y_log: bool,
    /// The ends of the horizontal axis, beyond which lines are cut off; those of the data if absent.
    pub x_range: Option<(f64, f64)>,
    /// The ends of the vertical axis.
    pub y_range: Option<(f64, f64)>,
    /// The lines, in the order of the legend.
    pub lines: Vec<ChartLine>,
}

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartLine {
    /// Its name.
    pub name: String,
    /// Its points from left to right.
    pub points: Vec<ChartPoint>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartPoint {
    /// Its place.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// Half the width of its interval; zero if it has none.
    pub half: f64,
}

/// The text of an SVG file.
pub fn chart_file(chart: &Chart) -> String {
    draw(chart).into_file()
}

/// An axis whose steps may be factors.
struct Axis {
    /// Of the places that `steps` gives values.
    scale: Scale,
    steps: Steps,
    low: f64,
    high: f64,
}

impl Axis {
    fn new(low: f64, high: f64, steps: Steps, from: f64, to: f64) -> Self {
        Self { scale: Scale::new(steps.place(low), steps.place(high), from, to), steps, low, high }
    }

    fn at(&self, value: f64) -> f64 {
        self.scale.at(self.steps.place(value))
    }

    /// Where a value is drawn that may lie beyond the axis: at its end.
    fn within(&self, value: f64) -> f64 {
        let (a, b) = (self.scale.from.min(self.scale.to), self.scale.from.max(self.scale.to));
        self.at(value).clamp(a, b)
    }

    fn has(&self, value: f64) -> bool {
        value.is_finite() && (self.steps != Steps::Ratios || value > 0.0)
    }

    /// Numbers to stand at it. By factors they are powers of ten, with 2 and 5 times them where
    /// there are few; zero where the axis has it.
    fn ticks(&self, wanted: f64) -> Vec<(f64, String)> {
        let values = match self.steps {
            Steps::Differences => return self.scale.ticks(wanted),
            Steps::Ratios => powers(self.low, self.high),
            Steps::AroundZero { least } => {
                let below = powers(least, -self.low).into_iter().rev().map(|x| -x);
                let zero = (self.low <= 0.0 && self.high >= 0.0).then_some(0.0);
                below.chain(zero).chain(powers(least, self.high)).collect()
            }
        };
        values.into_iter().map(|x| (x, power_text(x))).collect()
    }
}

/// Round numbers between two that are above zero: powers of ten, with 2 and 5 times them where there
/// are few.
#[expect(clippy::cast_possible_truncation, reason = "exponents of what is measured")]
fn powers(low: f64, high: f64) -> Vec<f64> {
    if low <= 0.0 || high < low {
        return Vec::new();
    }
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let within = |x: &f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(x);
    let steps: &[f64] = if last - first <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = (first..=last).flat_map(|e| steps.iter().map(move |s| s * 10_f64.powi(e)));
    powers.filter(within).collect()
}

fn power_text(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) { plain(x) } else { format!("{x:.0e}") }
}

/// Draws a chart.
pub(crate) fn draw(chart: &Chart) -> Figure {
    let mut body = Markup::new();
    let names: Vec<String> = chart.lines.iter().map(|line| line.name.clone()).collect();
    let top = legend(&mut body, &names, 0.0, true) + 8.0 + TEXT;
    let area = Area { left: 34.0, right: WIDTH - 8.0, top, bottom: top + PLOT };
    let (x, y) = axes(chart, area);
    y_name(&mut body, WIDTH, top - TEXT * 0.8, &chart.y);
    for (value, label) in y.ticks(4.0) {
        let at = y.at(value);
        hair(&mut body, "grid", (area.left, at), (area.right, at));
        Words::new(&label).anchor(Anchor::End).at(&mut body, area.left - 3.0, at + 0.35 * TEXT);
    }
    bottom(&mut body, chart, &x, area);
    for (i, line) in chart.lines.iter().enumerate() {
        let seen = |p: &&ChartPoint| x.has(p.x) && y.has(p.y);
        let mut points: Vec<ChartPoint> = line.points.iter().filter(seen).copied().collect();
        if let Some(range) = chart.x_range {
            points = cut(&points, range);
        }
        body.tag("g").attr("class", format!("k{i}")).with(|g| one(g, i, line, &points, (&x, &y)));
    }
    Figure { title: chart.title.clone(), height: area.bottom + X_AXIS, body }
}

/// How many numbers are wanted at the horizontal axis: between whole ones, such as rounds, none stands.
fn steps(chart: &Chart, x: &Axis) -> f64 {
    const MOST: f64 = 6.0;
    let whole = |p: &ChartPoint| p.x.fract() == 0.0;
    let all_whole = chart.lines.iter().flat_map(|line| &line.points).all(whole);
    if all_whole { MOST.min(x.scale.high - x.scale.low) } else { MOST }
}

/// The horizontal axis, its numbers where there is room.
fn bottom(body: &mut Markup, chart: &Chart, x: &Axis, area: Area) {
    hair(body, "axis", (area.left, area.bottom), (area.right, area.bottom));
    let mut taken = 0.0;
    for (value, label) in x.ticks(steps(chart, x)) {
        let at = x.at(value);
        hair(body, "axis", (at, area.bottom), (at, area.bottom + 2.5));
        let label = fitting(&label, WIDTH / 3.0, TEXT);
        let half = text_width(&label, TEXT) / 2.0;
        let middle = at.min(WIDTH - half);
        if middle - half >= taken {
            Words::new(&label).anchor(Anchor::Middle).at(body, middle, area.bottom + 3.5 + TEXT);
            taken = middle + half + 3.0;
        }
    }
    x_name(body, f64::midpoint(area.left, area.right), area.bottom, &chart.x);
}

/// The part of a line between two places, with the points where it enters and leaves.
fn cut(points: &[ChartPoint], (low, high): (f64, f64)) -> Vec<ChartPoint> {
    let between = |a: &ChartPoint, b: &ChartPoint, x: f64| {
        let share = (x - a.x) / (b.x - a.x);
        let along = |a: f64, b: f64| a + share * (b - a);
        ChartPoint { x, y: along(a.y, b.y), half: along(a.half, b.half) }
    };
    let mut kept = Vec::new();
    for (i, point) in points.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|i| &points[i]) {
            let crossed = [low, high].into_iter().filter(|x| before.x < *x && *x < point.x);
            kept.extend(crossed.map(|x| between(before, point, x)));
        }
        if (low..=high).contains(&point.x) {
            kept.push(*point);
        }
    }
    kept
}

fn axes(chart: &Chart, area: Area) -> (Axis, Axis) {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let ends = |values: &mut dyn Iterator<Item = f64>, log: bool| {
        let usable = values.filter(|v| v.is_finite() && (!log || *v > 0.0));
        usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let (low, high) = chart.x_range.unwrap_or_else(|| ends(&mut points().map(|p| p.x), false));
    let (low, high) = if high >= low { (low, high) } else { (1.0, 10.0) };
    let sizes = points().map(|p| p.x.abs()).filter(|x| x.is_finite() && *x > 0.0);
    let least = sizes.fold(f64::INFINITY, f64::min);
    let steps = match chart.x_log {
        true if low > 0.0 => Steps::Ratios,
        true if least.is_finite() => Steps::AroundZero { least },
        _ => Steps::Differences,
    };
    let x = Axis::new(low, high, steps, area.left + 6.0, area.right - 6.0);
    let values = || points().flat_map(|p| [p.y - p.half, p.y + p.half]);
    let (low, high) = chart.y_range.unwrap_or_else(|| match ends(&mut values(), chart.y_log) {
        (low, high) if high < low => (1.0, 10.0),
        (low, high) if chart.y_log => {
            (10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()))
        }
        (low, high) => (low.min(0.0), round_above(high)),
    });
    let steps = if chart.y_log { Steps::Ratios } else { Steps::Differences };
    (x, Axis::new(low, high, steps, area.bottom, area.top))
}

fn one(
    body: &mut Markup,
    i: usize,
    line: &ChartLine,
    points: &[ChartPoint],
    (x, y): (&Axis, &Axis),
) {
    let place = |p: &ChartPoint| (x.at(p.x), y.within(p.y));
    let centre: Vec<(f64, f64)> = points.iter().map(place).collect();
    if points.iter().any(|p| p.half > 0.0) {
        let end = |p: &ChartPoint, at: f64| (x.at(p.x), y.within(if y.has(at) { at } else { p.y }));
        let upper = points.iter().map(|p| end(p, p.y + p.half));
        let lower = points.iter().rev().map(|p| end(p, p.y - p.half));
        body.tag("path")
            .attr("class", format!("fills {}", palette::class(i)))
            .attr("d", path_data(&upper.chain(lower).collect::<Vec<_>>()))
            .attr("fill", palette::colour(i))
            .attr("fill-opacity", 0.15)
            .empty();
    }
    let width = if points.len() > FEW { LINE * 0.7 } else { LINE };
    stroke(body, i, &path_data(&centre), width);
    if points.len() > FEW {
        return;
    }
    for (point, at) in points.iter().zip(centre) {
        body.tag("g").with(|g| {
            let half =
                if point.half > 0.0 { format!(" ± {}", plain(point.half)) } else { String::new() };
            let value = if point.y.abs() < 1e6 { plain(point.y) } else { written(point.y, 0) };
            g.tag("title").text(&format!("{}: {} at {}{half}", line.name, value, plain(point.x)));
            mark(g, i, at, 2.2);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> ChartLine {
        let point = |&(x, y): &(f64, f64)| ChartPoint { x, y, half: 0.0 };
        ChartLine { name: "a <line>".to_owned(), points: points.iter().map(point).collect() }
    }

    #[test]
    fn a_chart_has_a_mark_for_each_point_and_its_axes_names() {
        let chart = Chart {
            x: "loss".to_owned(),
            y: "goodput".to_owned(),
            lines: vec![line(&[(0.1, 5.0), (1.0, 3.0)])],
            ..Chart::default()
        };
        let text = chart_file(&chart);
        assert_eq!(text.matches("<g><title>").count(), 2);
        assert!(text.contains(">loss<") && text.contains(">goodput<"));
        assert!(text.contains("a &lt;line&gt;") && !text.contains("a <line>"));
    }

    #[test]
    fn zero_and_decades_stand_on_one_axis_with_a_number_each() {
        let chart = Chart {
            x_log: true,
            lines: vec![line(&[(0.0, 1.0), (1e-5, 2.0), (0.1, 3.0)])],
            ..Chart::default()
        };
        let area = Area { left: 0.0, right: 100.0, top: 0.0, bottom: 100.0 };
        let (x, _) = axes(&chart, area);
        let labels: Vec<String> = x.ticks(6.0).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["0", "1e-5", "1e-4", "0.001", "0.01", "0.1"]);
        assert!(x.has(0.0) && x.at(0.0) < x.at(1e-5));
        assert_eq!(chart_file(&chart).matches("<g><title>").count(), 3);
    }

    #[test]
    fn factors_are_evenly_spaced_and_what_has_no_logarithm_is_left_out() {
        let axis = Axis::new(1.0, 100.0, Steps::Ratios, 0.0, 100.0);
        assert!((axis.at(10.0) - 50.0).abs() < 1e-9);
        assert!(!axis.has(0.0) && !axis.has(f64::NAN));
        let labels: Vec<String> = axis.ticks(5.0).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn a_line_is_cut_off_where_it_leaves_the_axis() {
        let line = line(&[(0.0, 0.0), (10.0, 10.0), (20.0, 0.0)]);
        let kept: Vec<(f64, f64)> =
            cut(&line.points, (4.0, 15.0)).iter().map(|p| (p.x, p.y)).collect();
        assert_eq!(kept, [(4.0, 4.0), (10.0, 10.0), (15.0, 5.0)]);
        assert!(cut(&line.points, (30.0, 40.0)).is_empty());
        assert_eq!(cut(&line.points, (2.0, 4.0)).len(), 2, "one that only passes through");
    }

    #[test]
    fn a_chart_without_points_is_still_a_chart() {
        assert!(chart_file(&Chart { x_log: true, ..Chart::default() }).contains("<svg"));
    }

    #[test]
    fn no_number_stands_between_two_rounds() {
        let points = (1..=4).map(|x| ChartPoint { x: f64::from(x), y: 1.0, half: 0.0 }).collect();
        let chart = Chart {
            lines: vec![ChartLine { name: "reno".to_owned(), points }],
            ..Chart::default()
        };
        let axis = Axis::new(1.0, 4.0, Steps::Differences, 0.0, 100.0);
        let labels: Vec<String> =
            axis.ticks(steps(&chart, &axis)).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["1", "2", "3", "4"]);
    }

    #[test]
    fn a_curve_over_time_bears_no_marks() {
        let points: Vec<(f64, f64)> = (0..200).map(|i| (f64::from(i), 1.0)).collect();
        let chart = Chart { lines: vec![line(&points)], ..Chart::default() };
        assert!(!chart_file(&chart).contains("<g><title>"));
    }
}
