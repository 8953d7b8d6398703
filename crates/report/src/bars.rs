//! The judged quantity of a sweep on a terminal: for each of those compared a row of bars, one for each
//! value of the parameter, all to one scale that begins at zero.

use unicode_width::UnicodeWidthStr as _;
use westwood_experiment::metric::Better;
use westwood_experiment::stats::mean;

use crate::document::{AxisValue, Cell, Sweep};
use crate::number::decimals_for;
use crate::style::Style;
use crate::table::shortened;

/// A bar's heights, in eighths of a line.
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A bar is no wider than this.
const WIDEST: usize = 6;
/// Between names and bars.
const GAP: usize = 2;

/// The rows of a sweep over one axis, with a title above and the values of the parameter below; none of
/// a sweep that has nothing to compare.
pub(crate) fn of_sweep(sweep: &Sweep, names: &[String], style: Style) -> Vec<String> {
    let (Some(axis), Some(metric)) = (sweep.axes.first(), sweep.metrics.first()) else {
        return Vec::new();
    };
    let order = by_number(&axis.values);
    let labels: Vec<&str> = order.iter().map(|&at| axis.values[at].label.as_str()).collect();
    let means: Vec<Vec<Option<f64>>> = (0..names.len())
        .map(|variant| order.iter().map(|&at| mean_at(sweep, variant, at)).collect())
        .collect();
    let most = means.iter().flatten().flatten().copied().fold(0.0, f64::max);
    if labels.len() < 2 || most <= 0.0 {
        return Vec::new();
    }
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let left = widest.min(style.width / 3);
    let Some(columns) = Columns::of(&labels, style.width.saturating_sub(left + GAP)) else {
        return Vec::new();
    };
    let decimals = decimals_for(most);
    let less = if metric.better == Better::Lower { ", less is better" } else { "" };
    let title = format!(
        "{} over {}; a full bar is {most:.decimals$} {}{less}",
        metric.quantity.name, axis.name, metric.quantity.unit
    );
    let mut lines = vec![style.bold(&shortened(&title, style.width))];
    for (name, means) in names.iter().zip(&means) {
        let name = shortened(name, left);
        let padding = " ".repeat(left + GAP - name.width());
        let row: String = means.iter().map(|mean| columns.bar(*mean, most)).collect();
        lines.push(format!("{name}{padding}{row}").trim_end().to_owned());
    }
    let below = format!("{}{}", " ".repeat(left + GAP), columns.below(&labels));
    lines.push(style.dim(below.trim_end()));
    lines
}

/// The places of an axis' values from the least to the largest.
fn by_number(values: &[AxisValue]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let number = |at: usize| values[at].number.unwrap_or(0.0);
    order.sort_by(|a, b| number(*a).total_cmp(&number(*b)));
    order
}

/// The mean of the first quantity over the seeds.
fn mean_at(sweep: &Sweep, variant: usize, at: usize) -> Option<f64> {
    let here = |cell: &&Cell| cell.variant == variant && cell.at == [at];
    let cell = sweep.cells.iter().find(here)?;
    let values: Vec<f64> = cell.samples.first()?.iter().flatten().copied().collect();
    mean(&values)
}

/// How wide the column of a value is, and whether its label fits below.
struct Columns {
    width: usize,
    labelled: bool,
}

impl Columns {
    /// Columns of these labels that fit; none if not even bars of one character do.
    fn of(labels: &[&str], room: usize) -> Option<Self> {
        let widest = labels.iter().map(|label| label.width()).max().unwrap_or(0) + 1;
        let fits = room / labels.len().max(1);
        let labelled = widest <= fits;
        let width = if labelled { widest.max(4) } else { WIDEST + 1 };
        (fits > 0).then(|| Self { width: width.min(fits), labelled })
    }

    /// Zero is an empty bar, and what was not measured a dash.
    fn bar(&self, mean: Option<f64>, most: f64) -> String {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 8 eighths"
        )]
        let eighths = |mean: f64| (mean / most * 8.0).round().clamp(1.0, 8.0) as usize;
        let drawn = match mean {
            None => '-',
            Some(mean) if mean <= 0.0 => ' ',
            Some(mean) => EIGHTHS[eighths(mean) - 1],
        };
        // Bars that follow each other directly are a line; wider ones stand apart.
        let wide = if self.width > 2 { (self.width - 1).min(WIDEST) } else { self.width };
        format!("{}{}", drawn.to_string().repeat(wide), " ".repeat(self.width - wide))
    }

    /// The labels below their columns; where they do not fit, the first and the last one.
    fn below(&self, labels: &[&str]) -> String {
        if self.labelled {
            return labels.iter().map(|label| padded(label, self.width)).collect();
        }
        let (first, last) = (labels.first().unwrap_or(&""), labels.last().unwrap_or(&""));
        let between = (self.width * labels.len()).saturating_sub(first.width() + last.width());
        if between > 0 {
            format!("{first}{}{last}", " ".repeat(between))
        } else {
            format!("{first} to {last}")
        }
    }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Axis, Quantity, SweepMetric};

    fn sweep(labels: &[String], rows: &[&[Option<f64>]], better: Better) -> Sweep {
        let number = |label: &str| label.split(' ').next()?.parse().ok();
        let value = |label: &String| AxisValue { label: label.clone(), number: number(label) };
        let cells = rows.iter().enumerate().flat_map(|(variant, row)| {
            let cell = move |(at, mean): (usize, &Option<f64>)| Cell {
                at: vec![at],
                variant,
                samples: vec![vec![*mean]],
            };
            row.iter().enumerate().map(cell)
        });
        let quantity =
            Quantity { id: "goodput", name: "goodput".to_owned(), unit: "Mbit/s".to_owned() };
        Sweep {
            axes: vec![Axis {
                name: "loss".to_owned(),
                values: labels.iter().map(value).collect(),
            }],
            metrics: vec![SweepMetric { quantity, better }],
            cells: cells.collect(),
            ..Sweep::default()
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn bars_grow_with_the_mean_and_stand_above_their_values() {
        let rows: [&[Option<f64>]; 2] =
            [&[Some(8.0), Some(4.0), Some(1.0)], &[Some(8.0), None, Some(0.0)]];
        let sweep = sweep(&names(&["0", "0.1 %", "5 %"]), &rows, Better::Higher);
        let lines = of_sweep(&sweep, &names(&["reno", "westwood+"]), Style::PLAIN);
        assert_eq!(
            lines,
            [
                "goodput over loss; a full bar is 8.00 Mbit/s",
                "reno       █████ ▄▄▄▄▄ ▁▁▁▁▁",
                "westwood+  █████ -----",
                "           0     0.1 % 5 %",
            ]
        );
    }

    #[test]
    fn the_picture_fits_whatever_there_are_of_values_names_and_colours() {
        let many: Vec<String> = (0..40).map(|i| format!("{i}.5 Mbit/s")).collect();
        let row: Vec<Option<f64>> = (0..40).map(|i| Some(f64::from(i))).collect();
        let names = names(&["reno", "westwood+(tau=0.25s,filter=recursive,start=settled)"]);
        for better in [Better::Higher, Better::Lower] {
            let sweep = sweep(&many, &[&row, &row], better);
            for width in [40, 80, 200] {
                let plain = of_sweep(&sweep, &names, Style { width, colour: false });
                let coloured = of_sweep(&sweep, &names, Style { width, colour: true });
                if width == 40 {
                    assert!(plain.is_empty(), "40 bars beside a name are wider than 40 columns");
                    continue;
                }
                assert!(plain.iter().all(|line| line.width() <= width), "{plain:#?}");
                assert!(plain[3].contains("0.5 Mbit/s") && plain[3].contains("39.5 Mbit/s"));
                assert_eq!(plain[0].contains("less is better"), better == Better::Lower);
                // Colours change no bar.
                assert_eq!(plain[1..3], coloured[1..3]);
                assert!(coloured[0].starts_with("\u{1b}[1m"));
            }
        }
    }

    #[test]
    fn values_stand_in_their_order_whatever_that_of_the_file() {
        let row: [&[Option<f64>]; 1] = [&[Some(1.0), Some(8.0), None]];
        let sweep = sweep(&names(&["5 %", "0", "1 %"]), &row, Better::Higher);
        let lines = of_sweep(&sweep, &names(&["reno"]), Style::PLAIN);
        assert_eq!(lines[1..], ["reno  ███ --- ▁▁▁", "      0   1 % 5 %"]);
    }

    #[test]
    fn nothing_is_drawn_of_a_single_value_or_of_nothing_but_zeros() {
        let one = sweep(&names(&["1 %"]), &[&[Some(1.0)]], Better::Higher);
        let none = sweep(&names(&["0", "1 %"]), &[&[Some(0.0), None]], Better::Higher);
        for sweep in [one, none] {
            assert!(of_sweep(&sweep, &names(&["reno"]), Style::PLAIN).is_empty());
        }
    }
}
