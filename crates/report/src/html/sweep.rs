//! The part of the page about a sweep: a figure for each metric, and the numbers behind it.

use westwood_experiment::stats::{CONFIDENCE, Estimate};

use crate::document::{Document, Sweep, SweepCell};
use crate::figure::{self, inline};
use crate::markup::Markup;
use crate::number::{Range, interval};
use crate::scale::plain;

/// Writes the part.
pub(super) fn part(section: &mut Markup, sweep: &Sweep, document: &Document) {
    let lede = if sweep.axes.len() == 1 {
        "Lines are means over the seeds, bands their 95\u{a0}% confidence; ≤ ends an interval from zero."
    } else {
        "Each place shows who leads there and its mean over the seeds; ≤ ends an interval from zero."
    };
    section.tag("p").attr("class", "lede").text(lede);
    for i in 0..sweep.metrics.len() {
        section.tag("div").attr("class", "metric").with(|div| {
            if let Some(drawn) = figure::sweep(document, i) {
                div.tag("figure").attr("class", "still").with(|f| inline(f, &drawn));
            }
            numbers(div, sweep, i, document);
        });
    }
}

/// The means as a table, for those who want the numbers or cannot see the figure.
fn numbers(div: &mut Markup, sweep: &Sweep, metric: usize, document: &Document) {
    div.tag("details").with(|details| {
        details.literal("<summary>The numbers</summary>");
        details.tag("div").attr("class", "scroll").with(|scroll| {
            scroll.tag("table").with(|table| {
                table.tag("thead").with(|head| {
                    head.tag("tr").with(|tr| {
                        for axis in &sweep.axes {
                            tr.tag("th").attr("scope", "col").text(&axis.name);
                        }
                        for name in &document.variants {
                            tr.tag("th").attr("scope", "col").text(name);
                        }
                    });
                });
                table.tag("tbody").with(|body| {
                    for at in places(sweep) {
                        row(body, sweep, &at, metric, document);
                    }
                });
            });
        });
    });
}

fn row(body: &mut Markup, sweep: &Sweep, at: &[usize], metric: usize, document: &Document) {
    let range = sweep.metrics.get(metric).map_or(Range::ANY, |of| Range::within(of.range));
    body.tag("tr").with(|tr| {
        for (axis, place) in sweep.axes.iter().zip(at) {
            tr.tag("td").text(axis.values.get(*place).map_or("", |v| &v.label));
        }
        for variant in 0..document.variants.len() {
            let here = |cell: &&SweepCell| cell.variant == variant && cell.at == at;
            let text = sweep.cells.iter().find(here).and_then(|cell| {
                let of = cell.samples.get(metric)?;
                let values: Vec<f64> = of.iter().flatten().copied().collect();
                let e = Estimate::of(&values, CONFIDENCE)?;
                Some(interval(e, range, plain).0)
            });
            tr.tag("td").text(&text.unwrap_or_else(|| "\u{2013}".to_owned()));
        }
    });
}

/// Every place that was measured, in order.
fn places(sweep: &Sweep) -> Vec<Vec<usize>> {
    let mut places: Vec<Vec<usize>> = sweep.cells.iter().map(|cell| cell.at.clone()).collect();
    places.sort();
    places.dedup();
    places
}
