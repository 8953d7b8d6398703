//! A chart of lines, made from points and their names.

use super::axis::{Axis, Mark, every, number, some};
use super::frame::{
    Anchor, Area, Figure, HAIR, LINE, SOFT, TEXT, TextLabel, WIDTH, hair, legend, mark, path_data,
    stroke, y_name,
};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Steps, plain, round_above, written};

const PLOT: f64 = 140.0;
/// More points than this are a curve over time, and bear no marks.
const FEW: usize = 40;
/// Of more places than this around zero not each has its number.
const MOST_VALUES: usize = 12;
/// The least width of a band, in points: that of a single place.
const BAND: f64 = 7.0;

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
    /// The names of the places 1, 2 and so on of the horizontal axis; numbers stand there if it is empty.
    pub x_names: Vec<String>,
    /// The lines, in the order of the legend.
    pub lines: Vec<ChartLine>,
    /// The accepted values that stand behind the lines.
    pub bands: Vec<ChartBand>,
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
    /// The ends of its interval, which need not be as far from it.
    pub interval: Option<(f64, f64)>,
}

impl ChartPoint {
    /// The ends of its interval; the point itself where it has none.
    fn ends(&self) -> (f64, f64) {
        self.interval.unwrap_or((self.y, self.y))
    }
}

/// The values that are accepted of a number, at the places that it is of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartBand {
    /// The number's name.
    pub name: String,
    /// Its part of the horizontal axis; both ends are alike for a single place.
    pub x: (f64, f64),
    /// The least and the largest value that is accepted, where there is one.
    pub accepted: (Option<f64>, Option<f64>),
    /// The paper's value, or its range.
    pub paper: Option<(f64, f64)>,
    /// The value of each seed.
    pub seeds: Vec<f64>,
}

/// The text of an SVG file.
pub fn chart_file(chart: &Chart) -> String {
    draw(chart).into_file()
}

/// Draws a chart.
pub(crate) fn draw(chart: &Chart) -> Figure {
    let mut body = Markup::new();
    let names: Vec<String> = chart.lines.iter().map(|line| line.name.clone()).collect();
    let lines = legend(&mut body, &names, 0.0, true);
    let top = lines + key(&mut body, &chart.bands, lines) + 8.0 + TEXT;
    let area = Area { left: 34.0, right: WIDTH - 8.0, top, bottom: top + PLOT };
    let (x, y) = axes(chart, area);
    y_name(&mut body, WIDTH, top - TEXT * 0.8, &chart.y);
    for (value, label) in y.ticks(4.0) {
        let at = y.at(value);
        hair(&mut body, "grid", (area.left, at), (area.right, at));
        TextLabel::new(&label).anchor(Anchor::End).at(&mut body, area.left - 3.0, at + 0.35 * TEXT);
    }
    let below = bottom(&mut body, chart, &x, area);
    for accepted in &chart.bands {
        band(&mut body, accepted, (&x, &y), area);
    }
    for (i, line) in chart.lines.iter().enumerate() {
        let seen = |p: &&ChartPoint| x.has(p.x) && y.has(p.y);
        let mut points: Vec<ChartPoint> = line.points.iter().filter(seen).copied().collect();
        if let Some(range) = chart.x_range {
            points = cut(&points, range);
        }
        body.tag("g").attr("class", format!("k{i}")).with(|g| {
            one(g, i, &points, (&x, &y));
            if points.len() <= FEW {
                marks(g, i, line, &points, (&x, &y), &chart.x_names);
            }
        });
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
    if !chart.x_names.is_empty() {
        let mark = |(value, name): (f64, &String)| (x.at(value), name.clone());
        let marks: Vec<Mark> = named(&chart.x_names).map(mark).collect();
        return every(body, area, &marks, &[], &chart.x);
    }
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

/// The places 1, 2 and so on with their names.
fn named(names: &[String]) -> impl Iterator<Item = (f64, &String)> {
    (1_u32..).map(f64::from).zip(names)
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
        let (one, other) = (a.ends(), b.ends());
        let ends = || (along(one.0, other.0), along(one.1, other.1));
        let interval = a.interval.or(b.interval).map(|_| ends());
        ChartPoint { x, y: along(a.y, b.y), interval }
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
    let mut values: Vec<f64> = points.flat_map(|p| <[f64; 2]>::from(p.ends())).collect();
    values.extend(chart.bands.iter().flat_map(heights));
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

/// The values of a band that are to be seen.
fn heights(band: &ChartBand) -> impl Iterator<Item = f64> {
    let accepted = [band.accepted.0, band.accepted.1].into_iter().flatten();
    let paper = band.paper.into_iter().flat_map(|(low, high)| [low, high]);
    accepted.chain(paper).chain(band.seeds.iter().copied())
}

/// The key of what stands behind the lines; answers its height.
fn key(body: &mut Markup, bands: &[ChartBand], top: f64) -> f64 {
    if bands.is_empty() {
        return 0.0;
    }
    let y = top + TEXT;
    let middle = y - 0.33 * TEXT;
    let mut left = 0.0;
    if bands.iter().any(|band| band.accepted.0.is_some() || band.accepted.1.is_some()) {
        shade(body, (left, left + 12.0), (y - 0.75 * TEXT, y + 0.05 * TEXT));
        TextLabel::new("accepted").at(body, left + 15.0, y);
        left += 62.0;
    }
    if bands.iter().any(|band| band.paper.is_some()) {
        dashes(body, (left, left + 14.0), middle);
        TextLabel::new("paper").at(body, left + 17.0, y);
        left += 50.0;
    }
    if bands.iter().any(|band| !band.seeds.is_empty()) {
        dot(body, (left, middle));
        TextLabel::new("each seed").at(body, left + 4.0, y);
    }
    TEXT + 5.0
}

/// Draws the accepted values, the paper's value and that of each seed.
fn band(body: &mut Markup, band: &ChartBand, (x, y): (&Axis, &Axis), area: Area) {
    let (from, to) = (x.within(band.x.0), x.within(band.x.1));
    let (middle, half) = (f64::midpoint(from, to), ((to - from) / 2.0).max(BAND / 2.0));
    let across = ((middle - half).max(area.left), (middle + half).min(area.right));
    let end = |value: Option<f64>, open: f64| {
        value.map_or(open, |value| if y.has(value) { y.within(value) } else { area.bottom })
    };
    body.tag("g").with(|g| {
        g.tag("title").text(&band.name);
        let (low, high) = band.accepted;
        if low.is_some() || high.is_some() {
            shade(g, across, (end(high, area.top), end(low, area.bottom)));
        }
        if let Some((low, high)) = band.paper {
            let values = [low, high].into_iter().take(if high > low { 2 } else { 1 });
            for value in values.filter(|value| y.has(*value)) {
                dashes(g, across, y.within(value));
            }
        }
        for value in band.seeds.iter().filter(|value| y.has(**value)) {
            dot(g, (middle, y.within(*value)));
        }
    });
}

/// A shaded rectangle from left to right and from top to bottom.
fn shade(body: &mut Markup, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
    body.tag("rect")
        .attr("class", "soft")
        .num("x", left)
        .num("y", top)
        .num("width", (right - left).max(HAIR))
        .num("height", (bottom - top).max(HAIR))
        .attr("fill", SOFT)
        .attr("fill-opacity", 0.16)
        .empty();
}

fn dashes(body: &mut Markup, (left, right): (f64, f64), y: f64) {
    body.tag("path")
        .attr("class", "axis")
        .attr("d", path_data(&[(left, y), (right, y)]))
        .attr("stroke", SOFT)
        .num("stroke-width", 1.0)
        .attr("stroke-dasharray", "3 2")
        .attr("fill", "none")
        .empty();
}

fn dot(body: &mut Markup, (x, y): (f64, f64)) {
    body.tag("circle")
        .attr("class", "soft")
        .num("cx", x)
        .num("cy", y)
        .num("r", 1.1)
        .attr("fill", SOFT)
        .attr("fill-opacity", 0.7)
        .empty();
}

/// Draws a line and its intervals.
fn one(body: &mut Markup, i: usize, points: &[ChartPoint], (x, y): (&Axis, &Axis)) {
    let place = |p: &ChartPoint| (x.at(p.x), y.within(p.y));
    let centre: Vec<(f64, f64)> = points.iter().map(place).collect();
    if points.iter().any(|p| p.interval.is_some()) {
        let end = |p: &ChartPoint, at: f64| (x.at(p.x), y.within(if y.has(at) { at } else { p.y }));
        let upper = points.iter().map(|p| end(p, p.ends().1));
        let lower = points.iter().rev().map(|p| end(p, p.ends().0));
        body.tag("path")
            .attr("class", format!("fills {}", palette::class(i)))
            .attr("d", path_data(&upper.chain(lower).collect::<Vec<_>>()))
            .attr("fill", palette::colour(i))
            .attr("fill-opacity", 0.15)
            .empty();
    }
    let width = if points.len() > FEW { LINE * 0.7 } else { LINE };
    stroke(body, i, &path_data(&centre), width);
}

/// Draws a mark for each point, which tells its value.
fn marks(
    body: &mut Markup,
    i: usize,
    line: &ChartLine,
    points: &[ChartPoint],
    (x, y): (&Axis, &Axis),
    names: &[String],
) {
    for point in points {
        let name = named(names).find(|(place, _)| place.total_cmp(&point.x).is_eq());
        let place = name.map_or_else(|| plain(point.x), |(_, name)| name.clone());
        let number = |x: f64| if x.abs() < 1e6 { plain(x) } else { written(x, 0) };
        let ends = |(low, high): (f64, f64)| format!(" ({} to {})", number(low), number(high));
        let value = number(point.y) + &point.interval.map_or_else(String::new, ends);
        body.tag("g").with(|g| {
            g.tag("title").text(&format!("{}: {value} at {place}", line.name));
            mark(g, i, (x.at(point.x), y.within(point.y)), 2.2);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> ChartLine {
        let point = |&(x, y): &(f64, f64)| ChartPoint { x, y, interval: None };
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
    fn an_interval_is_told_and_drawn_by_its_ends() {
        let point = |x: f64, interval| ChartPoint { x, y: 5.0, interval };
        let points = vec![point(1.0, Some((4.5, 7.0))), point(2.0, None)];
        let line = ChartLine { name: "a".to_owned(), points };
        let text = chart_file(&Chart { lines: vec![line], ..Chart::default() });
        assert!(text.contains("<title>a: 5 (4.5 to 7) at 1</title>"), "{text}");
        assert!(text.contains("<title>a: 5 at 2</title>"), "{text}");
        // The half above is four times that below: the ways to the second point, and from there.
        let band =
            text.split("fill-opacity=\"0.15\"").next().and_then(|rest| rest.rsplit(" d=\"").next());
        let ways = band.unwrap().split('"').next().unwrap().split('l').skip(1);
        let ways: Vec<f64> = ways
            .filter_map(|way| way.trim_end_matches('Z').rsplit([' ', '-']).next()?.parse().ok())
            .collect();
        assert!(ways.len() == 2 && (ways[0] / ways[1] - 4.0).abs() < 0.2, "{ways:?} in {text}");
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
        let points =
            (1..=4).map(|x| ChartPoint { x: f64::from(x), y: 1.0, interval: None }).collect();
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
    fn places_without_numbers_have_names() {
        let chart = Chart {
            x_names: vec!["as in the paper".to_owned(), "no delayed ACKs".to_owned()],
            lines: vec![line(&[(1.0, 0.7), (2.0, 0.8)])],
            ..Chart::default()
        };
        let text = chart_file(&chart);
        assert!(text.contains(">as in the paper<") && text.contains(">no delayed ACKs<"), "{text}");
        assert!(text.contains("0.8 at no delayed ACKs") && !text.contains(">1.5<"), "{text}");
    }

    #[test]
    fn a_band_stands_behind_the_lines_and_within_the_chart() {
        let band = ChartBand {
            name: "the claim".to_owned(),
            x: (1.0, 1.0),
            accepted: (Some(30.0), None),
            paper: Some((40.0, 40.0)),
            seeds: vec![35.0, 36.0, f64::NAN],
        };
        let chart = Chart {
            bands: vec![band],
            lines: vec![line(&[(1.0, 5.0), (2.0, 6.0)])],
            ..Chart::default()
        };
        let text = chart_file(&chart);
        // The key has a shade and a dot too.
        assert_eq!(text.matches("<rect").count(), 2);
        assert_eq!(text.matches("<circle").count(), 3);
        assert!(text.contains("<title>the claim</title>") && !text.contains("NaN"), "{text}");
        assert!(text.find("the claim") < text.find("a &lt;line&gt;: 5"), "{text}");
        let (_, y) = axes(&chart, Area { left: 0.0, right: 112.0, top: 0.0, bottom: 100.0 });
        assert!(y.at(40.0) >= 0.0, "the axis reaches the paper's value");
        let nothing = Chart { y_log: true, bands: vec![ChartBand::default()], ..Chart::default() };
        assert!(!chart_file(&nothing).contains("NaN"));
    }

    #[test]
    fn a_curve_over_time_bears_no_marks() {
        let points: Vec<(f64, f64)> = (0..200).map(|i| (f64::from(i), 1.0)).collect();
        let chart = Chart { lines: vec![line(&points)], ..Chart::default() };
        assert!(!chart_file(&chart).contains("<g><title>"));
    }
}
