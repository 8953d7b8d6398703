//! A sweep over two parameters: the leader in each place, and whether it leads beyond chance.

use westwood_experiment::metric::Better;
use westwood_experiment::stats::mean;

use super::frame::{
    Anchor, Figure, SMALL, TEXT, TextLabel, WIDTH, X_AXIS, fitting, legend, text_width, x_name,
    y_name,
};
use crate::document::{Document, Sweep, SweepCell, SweepMetric};
use crate::markup::Markup;
use crate::palette;
use crate::scale::plain;

pub(super) fn draw(sweep: &Sweep, metric: usize, of: &SweepMetric, document: &Document) -> Figure {
    let mut body = Markup::new();
    let [across, upward] = sweep.axes.as_slice() else {
        return Figure { title: of.quantity.label(), height: TEXT, body };
    };
    let mut y = legend(&mut body, &document.variants, 0.0, false) + TEXT;
    y_name(&mut body, WIDTH, y, &of.quantity.label());
    y += 5.0;
    let widest = upward.values.iter().map(|v| text_width(&v.label, TEXT)).fold(8.0, f64::max);
    let left = widest.min(0.25 * WIDTH) + TEXT + 8.0;
    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    let (columns, rows) = (across.values.len().max(1) as f64, upward.values.len().max(1) as f64);
    let width = ((WIDTH - left) / columns).min(48.0);
    let height = width.clamp(12.0, 22.0);
    let bottom = y + rows * height;
    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    for (i, value) in upward.values.iter().enumerate() {
        let middle = bottom - (i as f64 + 0.5) * height;
        let label = fitting(&value.label, left - TEXT - 8.0, TEXT);
        TextLabel::new(&label).anchor(Anchor::End).at(&mut body, left - 4.0, middle + 0.35 * TEXT);
        for (j, _) in across.values.iter().enumerate() {
            let x = left + j as f64 * width;
            let place = HeatCell { x, y: middle - height / 2.0, width, height };
            cell(&mut body, sweep, [j, i], metric, of, &place, document);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    for (j, value) in across.values.iter().enumerate() {
        let x = left + (j as f64 + 0.5) * width;
        let label = fitting(&value.label, width, TEXT);
        TextLabel::new(&label).anchor(Anchor::Middle).at(&mut body, x, bottom + 3.5 + TEXT);
    }
    let name = fitting(&upward.name, bottom - y, TEXT);
    TextLabel::new(&name).upwards(&mut body, TEXT, f64::midpoint(y, bottom));
    x_name(&mut body, left + columns * width / 2.0, bottom, &across.name);
    let least = plain(100.0 * sweep.practical.0);
    let note =
        format!("Full colour: better than all others beyond chance and {least} %. Pale: leads.");
    TextLabel::new(&note).small().soft().at(&mut body, 0.0, bottom + X_AXIS + SMALL + 2.0);
    Figure {
        title: format!("Leader in {} over {} and {}", of.quantity.name, across.name, upward.name),
        height: bottom + X_AXIS + SMALL + 6.0,
        body,
    }
}

/// The rectangle of a cell.
struct HeatCell {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

fn cell(
    body: &mut Markup,
    sweep: &Sweep,
    at: [usize; 2],
    metric: usize,
    of: &SweepMetric,
    place: &HeatCell,
    document: &Document,
) {
    let here: Vec<&SweepCell> = sweep.cells.iter().filter(|c| c.at == at).collect();
    let leader = leader(&here, metric, of);
    body.tag("g").with(|g| {
        g.tag("title").text(&cell_text(&here, metric, of, document));
        let rect = g
            .tag("rect")
            .num("x", place.x + 0.5)
            .num("y", place.y + 0.5)
            .num("width", place.width - 1.0)
            .num("height", place.height - 1.0);
        let Some((variant, value, sure)) = leader else {
            rect.attr("class", "nothing").attr("fill", "#f1f1f1").empty();
            return;
        };
        rect.attr("class", format!("fills {}", palette::class(variant)))
            .attr("fill", palette::colour(variant))
            .attr("fill-opacity", if sure { "0.62" } else { "0.22" })
            .empty();
        let (cx, cy) = (place.x + place.width / 2.0, place.y + place.height / 2.0);
        let number = plain(value);
        let numbered = text_width(&number, SMALL) + 11.0 < place.width;
        let mark_x = if numbered { place.x + 6.0 } else { cx };
        g.tag("path")
            .attr("class", "mark")
            .attr("d", palette::mark(variant).outline(mark_x, cy, 2.0))
            .attr("fill", super::frame::INK)
            .empty();
        if numbered {
            let right = place.x + place.width - 3.0;
            TextLabel::new(&number).small().anchor(Anchor::End).at(g, right, cy + 0.35 * SMALL);
        }
    });
}

/// The variant that leads at a place of a sweep, its mean, and whether it leads beyond chance and by more
/// than the bound.
pub(crate) fn leader_at(sweep: &Sweep, at: &[usize], metric: usize) -> Option<(usize, f64, bool)> {
    let here: Vec<&SweepCell> = sweep.cells.iter().filter(|cell| cell.at == at).collect();
    leader(&here, metric, sweep.metrics.get(metric)?)
}

/// The leader at a place, its mean, and whether it leads beyond chance and by more than the bound.
fn leader(here: &[&SweepCell], metric: usize, of: &SweepMetric) -> Option<(usize, f64, bool)> {
    let average = |cell: &SweepCell| {
        mean(&cell.samples.get(metric)?.iter().flatten().copied().collect::<Vec<f64>>())
    };
    let sign = match of.better {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
    };
    let known = here.iter().filter_map(|cell| Some((*cell, average(cell)?)));
    let (cell, value) = known.reduce(|a, b| if b.1 * sign > a.1 * sign { b } else { a })?;
    Some((cell.variant, value, cell.leads.get(metric).copied().unwrap_or(false)))
}

/// Every variant's mean in a place.
fn cell_text(here: &[&SweepCell], metric: usize, of: &SweepMetric, document: &Document) -> String {
    let parts: Vec<String> = here
        .iter()
        .filter_map(|cell| {
            let values: Vec<f64> = cell.samples.get(metric)?.iter().flatten().copied().collect();
            let value = plain(mean(&values)?);
            Some(format!("{} {value} {}", document.variant(cell.variant), of.quantity.unit))
        })
        .collect();
    if parts.is_empty() { "not measured".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_mean_leads_and_clearly_where_the_judgement_says_so() {
        let cell = |variant: usize, values: [f64; 2], leads: bool| SweepCell {
            at: vec![0, 0],
            variant,
            samples: vec![values.map(Some).to_vec()],
            leads: vec![leads],
        };
        let of = |better| SweepMetric {
            quantity: crate::document::Quantity::default(),
            better,
            range: (0.0, f64::INFINITY),
        };
        let leader = |sure: bool, better| {
            let cells = [cell(0, [10.0, 9.0], sure), cell(1, [9.0, 8.0], false)];
            let here: Vec<&SweepCell> = cells.iter().collect();
            leader(&here, 0, &of(better))
        };
        assert_eq!(leader(true, Better::Higher), Some((0, 9.5, true)));
        assert_eq!(leader(false, Better::Higher), Some((0, 9.5, false)));
        assert_eq!(leader(false, Better::Lower), Some((1, 8.5, false)));
    }
}
