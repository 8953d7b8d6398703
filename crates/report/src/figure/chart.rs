//! A chart of lines, made from points and their names.

use super::axis::{Axis, Mark, every, number, some};
use super::frame::{Anchor, TextLabel};
use super::frame::{
    Area, Figure, LINE, TEXT, WIDTH, hair, legend, mark, path_data, stroke, y_name,
};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Steps, plain, round_above, written};

const PLOT: f64 = 140.0;
/// More points than this are a curve over time, and bear no marks.
const FEW: usize = 40;
/// Of more places than this around zero not each has its number.
const MOST_VALUES: usize = 12;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Its contents, for those who cannot see it.
    pub title: String,
    /// The horizontal axis, with its unit.
    pub x: String,
    /// The vertical axis, with its unit.
    pub y: String,
    /// True for a logarithmic horizontal axis; where a value is zero or below, by ratios around zero.
    pub x_log: bool,
    /// True for a logarithmic vertical axis; values at or below zero are then left out.
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
        TextLabel::new(&label).anchor(Anchor::End).at(&mut body, area.left - 3.0, at + 0.35 * TEXT);
    }
    let below = bottom(&mut body, chart, &x, area);
    for (i, line) in chart.lines.iter().enumerate() {
        let seen = |p: &&ChartPoint| x.has(p.x) && y.has(p.y);
        let mut points: Vec<ChartPoint> = line.points.iter().filter(seen).copied().collect();
        if let Some(range) = chart.x_range {
            points = cut(&points, range);
        }
        body.tag("g").attr("class", format!("k{i}")).with(|g| one(g, i, line, &points, (&x, &y)));
    }
    Figure { title: chart.title.clone(), height: area.bottom + below, body }
}

/// The count of numbers wanted at the horizontal axis: between whole ones, such as rounds, none
/// stands.
fn steps(chart: &Chart, x: &Axis) -> f64 {
    const MOST: f64 = 6.0;
    let whole = |p: &ChartPoint| p.x.fract() == 0.0;
    let all_whole = chart.lines.iter().flat_map(|line| &line.points).all(whole);
    if all_whole { MOST.min(x.length()) } else { MOST }
}

/// The horizontal axis; answers its height below the area.
fn bottom(body: &mut Markup, chart: &Chart, x: &Axis, area: Area) -> f64 {
    let breaks = x.breaks();
    if breaks.is_empty() {
        let ticks = x.ticks(steps(chart, x)).into_iter();
        let marks: Vec<Mark> = ticks.map(|(value, text)| (x.at(value), text)).collect();
        return some(body, area, &marks, &chart.x);
    }
    let mut values: Vec<f64> = inside(chart).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let ticks = if values.len() <= MOST_VALUES {
        values.into_iter().map(|value| (value, number(value))).collect()
    } else {
        x.ticks(0.0)
    };
    let marks: Vec<Mark> = ticks.into_iter().map(|(value, text)| (x.at(value), text)).collect();
    every(body, area, &marks, &breaks, &chart.x)
}

/// The places of all points on the horizontal axis.
fn inside(chart: &Chart) -> impl Iterator<Item = f64> {
    let (low, high) = chart.x_range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let points = chart.lines.iter().flat_map(|line| &line.points).map(|p| p.x);
    points.filter(move |x| x.is_finite() && (low..=high).contains(x))
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
    let ends = |values: &[f64], steps: Steps| {
        let usable =
            values.iter().filter(|v| v.is_finite() && (steps != Steps::Ratios || **v > 0.0));
        usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)))
    };
    let mut values: Vec<f64> = inside(chart).collect();
    values.extend(chart.x_range.into_iter().flat_map(|(low, high)| [low, high]));
    let steps = if chart.x_log { Steps::by_ratios(&values) } else { Steps::Differences };
    let (low, high) = chart.x_range.unwrap_or_else(|| ends(&values, steps));
    let range = if high >= low { (low, high) } else { (1.0, 10.0) };
    let x = Axis::new(range, steps, area.left + 6.0, area.right - 6.0);
    let points = chart.lines.iter().flat_map(|line| &line.points);
    let values: Vec<f64> = points.flat_map(|p| [p.y - p.half, p.y + p.half]).collect();
    let steps = if chart.y_log { Steps::Ratios } else { Steps::Differences };
    let range = chart.y_range.unwrap_or_else(|| match ends(&values, steps) {
        (low, high) if high < low => (1.0, 10.0),
        (low, high) if chart.y_log => {
            (10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()))
        }
        (low, high) => (low.min(0.0), round_above(high)),
    });
    (x, Axis::new(range, steps, area.bottom, area.top))
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
    fn zero_has_its_place_beside_decades() {
        let measured = [(0.0, 9.0), (0.1, 8.0), (1.0, 5.0), (5.0, 1.0)];
        let chart = Chart { x_log: true, lines: vec![line(&measured)], ..Chart::default() };
        let text = chart_file(&chart);
        assert_eq!(text.matches("<g><title>").count(), 4);
        for label in [">0<", ">0.1<", ">1<", ">5<"] {
            assert!(text.contains(label), "{label}");
        }
        let (x, _) = axes(&chart, Area { left: 0.0, right: 112.0, top: 0.0, bottom: 1.0 });
        assert!((x.at(0.0) - 6.0).abs() < 1e-9);
        assert!((x.at(1.0) - x.at(0.1) - (x.at(0.1) - x.at(0.0))).abs() < 1e-9);
        assert_eq!(x.breaks().len(), 1);
        // A range that begins above zero leaves zero out, as it was asked for.
        let from = Chart { x_range: Some((0.1, 5.0)), ..chart };
        assert_eq!(chart_file(&from).matches("<g><title>").count(), 3);
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
        let axis = Axis::new((1.0, 4.0), Steps::Differences, 0.0, 100.0);
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
