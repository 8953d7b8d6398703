//! A sweep in small pictures for a terminal: a bar for each value of its axis, a row for each variant.

use unicode_width::UnicodeWidthStr as _;

use crate::document::{Sweep, SweepCell};
use crate::number::decimals_for;
use crate::scale::{plain, round_above};
use crate::style::Style;
use crate::table::shortened;

/// Heights of a bar, from an eighth on.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The sign of a value that was not measured.
const MISSING: char = '·';
/// Fewer values than these are seen in the table at once.
const FEWEST: usize = 3;
/// Columns of a bar, at most.
const WIDEST: usize = 6;

/// The quantities with these names over the one axis of a sweep; nothing of a sweep with two axes, with
/// fewer than three values, or with more than fit the width.
pub(crate) fn pictures(
    sweep: &Sweep,
    names: &[String],
    quantities: &[&str],
    style: Style,
) -> Vec<String> {
    let [axis] = &sweep.axes[..] else { return Vec::new() };
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0).min(style.width / 3);
    // Beside the bars stand the name and the values at both ends.
    let room = style.width.saturating_sub(widest + 22);
    let values = axis.values.len();
    let width = (room / values.max(1)).min(WIDEST);
    if values < FEWEST || width == 0 {
        return Vec::new();
    }
    let ends = axis.values.first().zip(axis.values.last());
    let over =
        ends.map_or(String::new(), |(a, b)| format!("{} {} to {}", axis.name, a.label, b.label));
    let mut lines = Vec::new();
    for (number, metric) in sweep.metrics.iter().enumerate() {
        if !quantities.contains(&metric.quantity.id) {
            continue;
        }
        let rows: Vec<Vec<Option<f64>>> =
            (0..names.len()).map(|variant| means(sweep, variant, number, values)).collect();
        let known: Vec<f64> = rows.iter().flatten().flatten().copied().collect();
        let highest = known.iter().copied().fold(0.0, f64::max);
        if highest <= 0.0 {
            continue;
        }
        let (top, decimals) = (round_above(highest), decimals_for(highest));
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let full = plain(top);
        let title = format!("{} over {over}, a full bar is {full}", metric.quantity.label());
        lines.push(style.bold(&shortened(&title, style.width)));
        for (name, row) in names.iter().zip(&rows) {
            let bars: String = row.iter().map(|v| bar(*v, top).to_string().repeat(width)).collect();
            let end = |v: Option<&Option<f64>>| {
                v.and_then(|v| *v).map_or("-".to_owned(), |v| format!("{v:.decimals$}"))
            };
            let (first, last) = (end(row.first()), end(row.last()));
            let name = shortened(name, widest);
            let pad = " ".repeat(widest - name.width());
            lines.push(format!("{name}{pad}  {bars}  {first} to {last}"));
        }
    }
    lines
}

/// The mean of a quantity at each value of the axis.
#[expect(clippy::cast_precision_loss, reason = "a number of seeds")]
fn means(sweep: &Sweep, variant: usize, metric: usize, values: usize) -> Vec<Option<f64>> {
    let of = |cell: &SweepCell| {
        let samples: Vec<f64> = cell.samples.get(metric)?.iter().flatten().copied().collect();
        (!samples.is_empty()).then(|| samples.iter().sum::<f64>() / samples.len() as f64)
    };
    let mut row = vec![None; values];
    for cell in sweep.cells.iter().filter(|cell| cell.variant == variant) {
        if let Some(place) = cell.at.first().and_then(|&at| row.get_mut(at)) {
            *place = of(cell);
        }
    }
    row
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "one of eight heights")]
fn bar(value: Option<f64>, top: f64) -> char {
    match value {
        None => MISSING,
        Some(value) if value <= 0.0 => ' ',
        Some(value) => BARS[((value / top * 8.0).ceil() as usize).clamp(1, 8) - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{AxisValue, Quantity, SweepAxis, SweepMetric};
    use westwood_experiment::metric::Better;

    fn sweep(values: &[Option<f64>]) -> Sweep {
        let value = |i: usize| AxisValue { label: format!("{i} %"), number: None };
        let cell = |(i, v): (usize, &Option<f64>)| SweepCell {
            at: vec![i],
            variant: 0,
            samples: vec![vec![*v, *v]],
            leads: vec![false],
        };
        Sweep {
            axes: vec![SweepAxis {
                name: "loss".to_owned(),
                values: (0..values.len()).map(value).collect(),
            }],
            metrics: vec![SweepMetric {
                quantity: Quantity {
                    id: "goodput",
                    name: "goodput".to_owned(),
                    unit: "Mbit/s".to_owned(),
                },
                better: Better::Higher,
                range: (0.0, f64::INFINITY),
            }],
            cells: values.iter().enumerate().map(cell).collect(),
            ..Sweep::default()
        }
    }

    fn drawn(values: &[Option<f64>]) -> Vec<String> {
        pictures(&sweep(values), &["reno".to_owned()], &["goodput"], Style::PLAIN)
    }

    #[test]
    fn each_value_has_a_bar_as_high_as_it_is() {
        let lines = drawn(&[Some(8.0), Some(4.0), None, Some(0.5), Some(0.0)]);
        assert_eq!(lines[0], "goodput (Mbit/s) over loss 0 % to 4 %, a full bar is 8");
        assert_eq!(
            lines[1],
            "reno  ████████▄▄▄▄▄▄······▁▁▁▁▁▁        8.00 to 0.00".replace("████████", "██████")
        );
    }

    #[test]
    fn two_values_or_none_that_is_above_zero_have_no_picture() {
        assert!(drawn(&[Some(1.0), Some(2.0)]).is_empty());
        assert!(drawn(&[Some(0.0), Some(0.0), None]).is_empty());
    }

    #[test]
    fn a_picture_fits_the_width_however_many_values_there_are() {
        for count in [3, 10, 50] {
            let lines = drawn(&vec![Some(1.0); count]);
            assert!(!lines.is_empty() && lines.iter().all(|line| line.width() <= 80), "{lines:?}");
        }
        assert!(drawn(&[Some(1.0); 200]).is_empty());
    }
}
