//! A quantity over the seeds: every seed a dot, the quartiles a box, the mean with its interval.

use westwood_experiment::metric::Better;

use westwood_experiment::stats::{CONFIDENCE, Estimate};

use super::axis::x_axis;
use super::frame::{
    Anchor, Area, Figure, TEXT, TextLabel, WIDTH, X_AXIS, fitting, hair, mark, path_data,
    text_width,
};
use crate::document::{Document, SeedSpread};
use crate::markup::Markup;
use crate::number::{Range, interval};
use crate::palette;
use crate::scale::{Scale, plain, round_above, round_step};

const ROW: f64 = 19.0;

/// A row for each variant.
pub(super) fn draw(data: &SeedSpread, document: &Document) -> Figure {
    let title = format!("{} over the seeds", data.quantity.label());
    sheet(data, &document.rows(), title, |data| extent_of(&data.values, largest(data)))
}

/// A row for each change, around zero.
pub(super) fn draw_changes(data: &SeedSpread, rows: &[(String, usize)]) -> Figure {
    let title = format!("Change of {} over the seeds", data.quantity.label());
    sheet(data, rows, title, |data| extent_around_zero(&data.values))
}

fn sheet(
    data: &SeedSpread,
    rows: &[(String, usize)],
    title: String,
    extent: fn(&SeedSpread) -> (f64, f64),
) -> Figure {
    let mut body = Markup::new();
    let widest = rows.iter().map(|(n, _)| text_width(n, TEXT)).fold(20.0, f64::max);
    let names = (widest + 3.0).min(0.36 * WIDTH);
    let left = names + 8.0;
    #[expect(clippy::cast_precision_loss, reason = "a few rows")]
    let bottom = 4.0 + ROW * rows.len() as f64;
    let area = Area { left, right: WIDTH - 8.0, top: 4.0, bottom };
    let (low, high) = extent(data);
    let scale = Scale::new(low, high, area.left, area.right);
    for (value, _) in scale.ticks(5.0) {
        hair(&mut body, "grid", (scale.at(value), area.top), (scale.at(value), area.bottom));
    }
    if low < 0.0 && high > 0.0 {
        hair(&mut body, "axis", (scale.at(0.0), area.top), (scale.at(0.0), area.bottom));
    }
    let mut name = data.quantity.label();
    match data.better {
        Some(Better::Higher) => name.push_str(", more is better"),
        Some(Better::Lower) => name.push_str(", less is better"),
        None => {}
    }
    x_axis(&mut body, area, &scale, 5.0, &name);
    for (i, (values, (name, variant))) in data.values.iter().zip(rows).enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few rows")]
        let y = area.top + ROW * (i as f64 + 0.5);
        let label = fitting(name, names, TEXT);
        TextLabel::new(&label).anchor(Anchor::End).at(&mut body, left - 6.0, y + 0.35 * TEXT);
        row(&mut body, *variant, values, &scale, y, data);
    }
    Figure { title, height: bottom + X_AXIS, body }
}

/// The largest value that a quantity can have: the whole of a share, or Jain's index of equals.
pub(crate) fn largest(data: &SeedSpread) -> f64 {
    match data.quantity.unit.as_str() {
        "%" => 100.0,
        _ if data.quantity.id == "jain" => 1.0,
        _ => f64::INFINITY,
    }
}

/// The ends of an axis for values that are not below zero, and for their intervals, as far as these do
/// not dwarf the values.
pub(super) fn extent_of(values: &[Vec<f64>], largest: f64) -> (f64, f64) {
    let highest = values.iter().flatten().fold(0.0_f64, |a, b| a.max(*b));
    let lowest = values.iter().flatten().fold(highest, |a, b| a.min(*b));
    let span = (highest - lowest).max(0.5 * highest);
    let (from, to) =
        (lowest.min(0.0).max(lowest - span), (highest + span).min(largest.max(highest)));
    let (low, high) = intervals(values)
        .fold((lowest, highest), |(low, high), (a, b)| (low.min(a.max(from)), high.max(b.min(to))));
    extent(low, high)
}

/// The ends of the intervals of the means.
fn intervals(values: &[Vec<f64>]) -> impl Iterator<Item = (f64, f64)> {
    let estimates = values.iter().filter_map(|of| Estimate::of(of, CONFIDENCE));
    estimates.map(|e| {
        let half = e.half_width.unwrap_or(0.0);
        (e.mean - half, e.mean + half)
    })
}

/// The ends of an axis for values and their intervals on both sides of zero.
fn extent_around_zero(values: &[Vec<f64>]) -> (f64, f64) {
    let intervals = intervals(values).flat_map(|(low, high)| [low, high]);
    let (low, high) = values
        .iter()
        .flatten()
        .copied()
        .chain(intervals)
        .fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    if high <= low {
        return (-1.0, 1.0);
    }
    let step = round_step((high - low) / 4.0);
    ((low / step).floor() * step, (high / step).ceil() * step)
}

/// The ends of the axis: from zero, but where that would press all values against the other end,
/// from a round number below them.
fn extent(lowest: f64, highest: f64) -> (f64, f64) {
    if lowest <= 0.6 * highest || lowest >= highest {
        return (lowest.min(0.0), round_above(highest));
    }
    let span = (highest - lowest).max(highest * 0.02);
    let step = round_step(span / 4.0);
    (((lowest - 0.1 * span) / step).floor() * step, ((highest + 0.1 * span) / step).ceil() * step)
}

fn row(body: &mut Markup, i: usize, values: &[f64], scale: &Scale, y: f64, data: &SeedSpread) {
    let Some(estimate) = Estimate::of(values, CONFIDENCE) else {
        TextLabel::new("no value").small().soft().at(body, scale.from + 2.0, y + 0.35 * TEXT);
        return;
    };
    let class = palette::class(i);
    body.tag("g").attr("class", format!("k{i}")).with(|g| {
        let (mean, _) = interval(estimate, Range::within(data.range), plain);
        g.tag("title").text(&format!("{mean} {}", data.quantity.unit));
        if values.len() >= 5 {
            let [low, middle, high] = quartiles(values);
            let (x, to) = (scale.at(low), scale.at(high));
            g.tag("rect")
                .attr("class", format!("fills {class}"))
                .num("x", x)
                .num("y", y - 4.2)
                .num("width", (to - x).max(0.3))
                .num("height", 8.4)
                .attr("fill", palette::colour(i))
                .attr("fill-opacity", 0.22)
                .empty();
            let median = path_data(&[(scale.at(middle), y - 4.2), (scale.at(middle), y + 4.2)]);
            line(g, i, &median, 0.8);
        }
        for (n, value) in values.iter().enumerate() {
            // Spread a little, so that equal values are seen to be several.
            let offset = [-2.4, 1.2, -0.6, 2.4, 0.0, -1.8, 1.8][n % 7];
            g.tag("circle")
                .attr("class", format!("fills {class}"))
                .num("cx", scale.at(*value))
                .num("cy", y + offset)
                .num("r", 1.1)
                .attr("fill", palette::colour(i))
                .attr("fill-opacity", 0.6)
                .empty();
        }
        if let Some(half) = estimate.half_width {
            let ends = (estimate.mean - half, estimate.mean + half);
            line(g, i, &bar(ends, scale, y, 2.4), 1.2);
        }
        mark(g, i, (scale.at(estimate.mean), y), 2.6);
    });
}

/// An interval along an axis: a stroke across each of its ends, and an arrow where it goes on beyond the
/// axis. Where the axis ends at zero the quantity does, and the interval with it.
pub(super) fn bar((low, high): (f64, f64), scale: &Scale, y: f64, size: f64) -> String {
    let (from, to) = (scale.at(low.max(scale.low)), scale.at(high.min(scale.high)));
    let across = |x: f64| path_data(&[(x, y - size), (x, y + size)]);
    let arrow =
        |x: f64, back: f64| path_data(&[(x + back, y - size), (x, y), (x + back, y + size)]);
    let near = 1e-9 * (scale.high - scale.low);
    let mut data = path_data(&[(from, y), (to, y)]);
    if low >= scale.low - near {
        data.push_str(&across(from));
    } else if scale.low.abs() > near {
        data.push_str(&arrow(from, size));
    }
    data.push_str(&if high <= scale.high + near { across(to) } else { arrow(to, -size) });
    data
}

/// A line of a variant's colour without its dashes: too short for them.
fn line(body: &mut Markup, i: usize, data: &str, width: f64) {
    body.tag("path")
        .attr("class", format!("strokes {}", palette::class(i)))
        .attr("d", data)
        .attr("stroke", palette::colour(i))
        .num("stroke-width", width)
        .attr("fill", "none")
        .empty();
}

/// The quartiles by linear interpolation.
pub(crate) fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted: Vec<f64> = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|share| {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand seeds")]
        let place = share * (sorted.len().saturating_sub(1)) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let below = place.floor() as usize;
        let low = sorted.get(below).copied().unwrap_or(0.0);
        let high = sorted.get(below + 1).copied().unwrap_or(low);
        low + (high - low) * place.fract()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Quantity;

    #[test]
    fn an_interval_that_goes_on_beyond_the_axis_ends_in_an_arrow() {
        let scale = Scale::new(10.0, 20.0, 0.0, 100.0);
        assert_eq!(bar((12.0, 18.0), &scale, 50.0, 2.0), "M20 50h60M20 48v4M80 48v4");
        let (left, right) = ("M2 48l-2 2l2 2", "M98 48l2 2l-2 2");
        assert_eq!(bar((5.0, 30.0), &scale, 50.0, 2.0), format!("M0 50h100{left}{right}"));
        // A row that ends at zero does not go on.
        let scale = Scale::new(0.0, 10.0, 0.0, 100.0);
        assert_eq!(bar((-5.0, 5.0), &scale, 50.0, 2.0), "M0 50h50M50 48v4");
    }

    #[test]
    fn a_title_gives_the_end_of_an_interval_that_the_quantity_cuts_as_the_table_does() {
        let title = |values: &[f64], range| {
            let data = SeedSpread {
                quantity: Quantity::new("utilization", "link busy", "%"),
                better: None,
                range,
                values: vec![values.to_vec()],
                seeds: vec![vec![1, 2]],
            };
            let mut body = Markup::new();
            row(&mut body, 0, values, &Scale::new(0.0, 100.0, 0.0, 100.0), 0.0, &data);
            let text = body.into_text();
            let (from, to) = (text.find("<title>").unwrap() + 7, text.find("</title>").unwrap());
            text[from..to].to_owned()
        };
        // Two values have an interval of 6.353 times their difference to both sides.
        assert_eq!(title(&[50.0, 52.0], (0.0, 100.0)), "51 ±12.7 %");
        assert_eq!(title(&[98.0, 99.0], (0.0, 100.0)), "98.5 ≥92.1 %");
        assert_eq!(title(&[0.0, 1.0], (0.0, 100.0)), "0.5 ≤6.85 %");
        assert_eq!(title(&[0.0, 1.0], (f64::NEG_INFINITY, f64::INFINITY)), "0.5 ±6.35 %");
    }

    #[test]
    fn an_axis_holds_intervals_unless_they_dwarf_the_values() {
        // Three values, of which the interval is 24.8 to both sides.
        let wide = vec![vec![10.0, 20.0, 30.0]];
        let (low, high) = extent_of(&wide, f64::INFINITY);
        assert!(low.abs() < 1e-9 && high >= 44.8, "{low} {high}");
        let (_, high) = extent_of(&wide, 40.0);
        assert!((high - 40.0).abs() < 1e-9, "no share is larger than the whole: {high}");
        // Two values have an interval of 6.4 times their difference to both sides.
        let (_, high) = extent_of(&[vec![10.0, 30.0]], f64::INFINITY);
        assert!(high <= 60.0, "{high}");
    }

    #[test]
    fn quartiles_lie_between_the_values() {
        assert_eq!(quartiles(&[5.0, 1.0, 2.0, 4.0, 3.0]).map(plain), ["2", "3", "4"]);
        assert_eq!(quartiles(&[1.0, 2.0]).map(plain), ["1.25", "1.5", "1.75"]);
        assert_eq!(quartiles(&[7.0]).map(plain), ["7", "7", "7"]);
    }
}
