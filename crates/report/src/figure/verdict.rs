//! A number beside what is accepted: a dot for each seed, the mean with its interval, the band that is
//! accepted, and the paper's own value.

use super::axis::x_axis;
use super::frame::{Area, Figure, HAIR, TEXT, TextLabel, WIDTH, X_AXIS, mark, path_data};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Scale, plain};

/// The content of a strip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictStrip {
    /// The number's name and unit.
    pub name: String,
    /// The least and the largest value that is accepted, where there is one.
    pub accepted: (Option<f64>, Option<f64>),
    /// The paper's value, or its range.
    pub paper: Option<(f64, f64)>,
    /// The value of each seed.
    pub seeds: Vec<f64>,
    /// The value over all seeds.
    pub mean: f64,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
}

const TOP: f64 = TEXT * 2.6;
const ROOM: f64 = 34.0;

/// Draws a strip.
pub(crate) fn draw(strip: &VerdictStrip) -> Figure {
    let mut body = Markup::new();
    let area = Area { left: 8.0, right: WIDTH - 8.0, top: TOP, bottom: TOP + ROOM };
    let (low, high) = extent(strip);
    let x = Scale::new(low, high, area.left, area.right);
    key(&mut body, strip);
    band(&mut body, strip, &x, area);
    x_axis(&mut body, area, &x, 5.0, &strip.name);
    paper(&mut body, strip, &x, area);
    body.tag("g").attr("class", "k0").with(|g| measured(g, strip, &x, area));
    let title = format!("{}: {} measured", strip.name, plain(strip.mean));
    Figure { title, height: area.bottom + X_AXIS, body }
}

/// Everything that is to be seen, and a little air.
fn extent(strip: &VerdictStrip) -> (f64, f64) {
    let paper = strip.paper.into_iter().flat_map(|(low, high)| [low, high]);
    let interval = strip.interval.into_iter().flat_map(|(low, high)| [low, high]);
    let accepted = [strip.accepted.0, strip.accepted.1].into_iter().flatten();
    let all = paper.chain(interval).chain(accepted).chain(strip.seeds.iter().copied());
    let seen = all.chain([strip.mean]).filter(|x| x.is_finite());
    let (low, high) =
        seen.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    if low > high {
        return (0.0, 1.0);
    }
    let air = ((high - low) * 0.08).max(high.abs().max(low.abs()) * 0.02).max(1e-12);
    (low - air, high + air)
}

/// The key of the marks that are drawn.
fn key(body: &mut Markup, strip: &VerdictStrip) {
    let y = TEXT;
    let mut left = 0.0;
    if has_band(strip) {
        body.tag("rect")
            .attr("class", "fills k2")
            .num("x", left)
            .num("y", y - TEXT * 0.75)
            .num("width", 12.0)
            .num("height", TEXT * 0.8)
            .attr("fill", palette::colour(2))
            .attr("fill-opacity", 0.18)
            .empty();
        TextLabel::new("accepted").at(body, left + 15.0, y);
        left += 66.0;
    }
    if strip.paper.is_some() {
        dashes(body, left, (y - TEXT * 0.8, y + 1.0));
        TextLabel::new("paper").at(body, left + 5.0, y);
        left += 42.0;
    }
    let name = match (strip.interval, strip.seeds.len()) {
        (None, 0 | 1) => "measured",
        (None, _) => "mean, and each seed",
        (Some(_), 0 | 1) => "mean and interval",
        (Some(_), _) => "mean, interval, and each seed",
    };
    // At the edge a mark would be cut.
    left = left.max(3.0);
    mark(body, 0, (left, y - 2.5), 3.0);
    TextLabel::new(name).at(body, left + 7.0, y);
}

/// True if there is a value from which, or up to which, the number is accepted.
fn has_band(strip: &VerdictStrip) -> bool {
    strip.accepted.0.is_some() || strip.accepted.1.is_some()
}

fn dashes(body: &mut Markup, x: f64, (top, bottom): (f64, f64)) {
    body.tag("path")
        .attr("class", "strokes k1")
        .attr("d", path_data(&[(x, top), (x, bottom)]))
        .attr("stroke", palette::colour(1))
        .num("stroke-width", 1.2)
        .attr("stroke-dasharray", "3 2")
        .attr("fill", "none")
        .empty();
}

fn band(body: &mut Markup, strip: &VerdictStrip, x: &Scale, area: Area) {
    let (low, high) = strip.accepted;
    if !has_band(strip) {
        return;
    }
    let from = low.map_or(area.left, |low| x.at(low));
    let to = high.map_or(area.right, |high| x.at(high));
    body.tag("rect")
        .attr("class", "fills k2")
        .num("x", from)
        .num("y", area.top)
        .num("width", (to - from).max(HAIR))
        .num("height", area.bottom - area.top)
        .attr("fill", palette::colour(2))
        .attr("fill-opacity", 0.18)
        .empty();
}

fn paper(body: &mut Markup, strip: &VerdictStrip, x: &Scale, area: Area) {
    let Some((low, high)) = strip.paper else { return };
    for value in [low, high].into_iter().take(if high > low { 2 } else { 1 }) {
        dashes(body, x.at(value), (area.top, area.bottom));
    }
}

/// The seeds in rows that are told apart, the mean below them.
fn measured(group: &mut Markup, strip: &VerdictStrip, x: &Scale, area: Area) {
    let class = format!("fills {}", palette::class(0));
    for (i, value) in strip.seeds.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let row = f64::from(u8::try_from(i % 4).unwrap_or(0));
        group
            .tag("circle")
            .attr("class", &class)
            .num("cx", x.at(*value))
            .num("cy", area.top + 4.0 + 4.0 * row)
            .num("r", 1.3)
            .attr("fill", palette::colour(0))
            .attr("fill-opacity", 0.6)
            .empty();
    }
    let y = area.bottom - 8.0;
    if let Some((low, high)) = strip.interval.filter(|(l, h)| l.is_finite() && h.is_finite()) {
        group
            .tag("path")
            .attr("class", format!("strokes {}", palette::class(0)))
            .attr("d", path_data(&[(x.at(low), y), (x.at(high), y)]))
            .attr("stroke", palette::colour(0))
            .num("stroke-width", 1.1)
            .attr("fill", "none")
            .empty();
    }
    if strip.mean.is_finite() {
        mark(group, 0, (x.at(strip.mean), y), 3.2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip() -> VerdictStrip {
        VerdictStrip {
            name: "Mbit/s".to_owned(),
            accepted: (Some(1.5), Some(2.5)),
            paper: Some((2.0, 2.0)),
            seeds: vec![1.8, 1.9, f64::NAN],
            mean: 1.85,
            interval: Some((1.7, 2.0)),
        }
    }

    #[test]
    fn a_strip_has_a_dot_for_each_seed_that_has_a_value() {
        let text = draw(&strip()).into_file();
        assert_eq!(text.matches("r=\"1.3\"").count(), 2);
        assert!(!text.contains("NaN"));
    }

    #[test]
    fn the_key_has_the_marks_that_are_drawn_and_no_others() {
        let full = draw(&strip()).into_file();
        assert!(full.contains(">accepted<") && full.contains(">mean, interval, and each seed<"));
        let bare = VerdictStrip {
            accepted: (None, None),
            paper: None,
            seeds: vec![1.85],
            interval: None,
            ..strip()
        };
        let text = draw(&bare).into_file();
        assert!(!text.contains(">accepted<") && !text.contains(">paper<"));
        assert!(text.contains(">measured<") && !text.contains("fills k2"));
    }

    #[test]
    fn whatever_is_shown_lies_within_the_figure() {
        let (low, high) = extent(&strip());
        assert!(low < 1.5 && high > 2.5);
        let open = VerdictStrip { accepted: (None, Some(9.0)), ..strip() };
        assert!(draw(&open).into_file().contains("rect"));
        let nothing = VerdictStrip { mean: f64::NAN, ..VerdictStrip::default() };
        assert_eq!(extent(&nothing), (0.0, 1.0));
    }
}
