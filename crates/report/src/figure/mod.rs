//! Figures as SVG: for the page and, each in a file of its own, for a publication.
//!
//! A figure is 3.5 inches wide, a column of most journals, with text of 7.5 points that remains
//! text. Colours, dashes and marks stand in attributes, so that a file shows the same everywhere;
//! classes let the page's style sheet replace them on dark paper and hide a variant that is
//! switched off.

mod axis;
pub(crate) mod chart;
mod frame;
mod heat;
mod lines;
mod sketch;
mod spread;
mod strips;
mod tradeoff;
pub(crate) mod verdict;

use crate::document::{Distribution, Document, Panel, SeedSpread, SweepMetric, Timeline};
use crate::markup::Markup;

pub use chart::{Chart, ChartBand, ChartLine, ChartPoint, chart_file};
pub(crate) use frame::Figure;
pub(crate) use heat::leader_at as leader;
pub(crate) use lines::places;
pub(crate) use spread::{largest, quartiles};
pub use verdict::VerdictStrip;

/// The figures of a document: the name of an SVG file, and its text.
pub fn files(document: &Document) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut add = |name: &str, figure: Option<Figure>| {
        if let Some(figure) = figure {
            files.push((format!("{name}.svg"), figure.into_file()));
        }
    };
    add("path", path(document));
    add("tradeoff", tradeoff(document));
    for one in &document.spreads {
        add(one.quantity.id, Some(spread(document, one)));
    }
    for (i, of) in document.changes.iter().flat_map(|c| c.spreads.iter().enumerate()) {
        add(&format!("change_{}", of.quantity.id), change(document, i));
    }
    for (i, timelines) in document.timelines_for_paper().enumerate() {
        // The first has no number, as the only one of a comparison.
        let number = if i == 0 { String::new() } else { format!("_{}", i + 1) };
        // Of several seeds the first is drawn, and all of them together.
        let together = timelines.last().filter(|last| last.seeds.len() > 1);
        let chosen = timelines.first().map(|first| (first, number.clone()));
        let together = together.map(|last| (last, format!("{number}_all_seeds")));
        for (timeline, number) in chosen.into_iter().chain(together) {
            for panel in &timeline.panels {
                let name = format!("{}_over_time{number}", panel.quantity.id);
                add(&name, Some(strips(document, timeline, panel)));
            }
            for one in &timeline.distributions {
                add(&format!("{}{number}", one.quantity.id), Some(distribution(document, one)));
            }
        }
    }
    for (i, metric) in document.sweep.iter().flat_map(|s| s.metrics.iter().enumerate()) {
        add(&format!("sweep_{}", metric.quantity.id), sweep(document, i));
    }
    files
}

/// The network.
pub(crate) fn path(document: &Document) -> Option<Figure> {
    document.path.as_ref().map(sketch::draw)
}

/// Delay against goodput.
pub(crate) fn tradeoff(document: &Document) -> Option<Figure> {
    document.tradeoff.as_ref().map(|data| tradeoff::draw(data, document))
}

/// A quantity over the seeds.
pub(crate) fn spread(document: &Document, data: &SeedSpread) -> Figure {
    spread::draw(data, document)
}

/// The change of a quantity by the variants of a scenario.
pub(crate) fn change(document: &Document, number: usize) -> Option<Figure> {
    let changes = document.changes.as_ref()?;
    changes.spreads.get(number).map(|data| spread::draw_changes(data, &changes.rows))
}

/// A panel of the timeline, a strip for each variant.
pub(crate) fn strips(document: &Document, timeline: &Timeline, panel: &Panel) -> Figure {
    strips::draw(panel, timeline, document)
}

/// The distribution of a quantity, a line for each variant.
pub(crate) fn distribution(document: &Document, data: &Distribution) -> Figure {
    let point = |&(x, share): &(f64, f64)| ChartPoint { x, y: 100.0 * share, interval: None };
    let line = |(name, curve): (&String, &Vec<(f64, f64)>)| ChartLine {
        name: name.clone(),
        points: curve.iter().map(point).collect(),
    };
    chart::draw(&Chart {
        title: format!("Distribution of {}", data.quantity.label()),
        x: data.quantity.label(),
        y: format!("share of the {} at or below (%)", data.of),
        y_range: Some((0.0, 100.0)),
        lines: document.variants.iter().zip(&data.curves).map(line).collect(),
        ..Chart::default()
    })
}

/// A metric of the sweep: lines over one axis, a map over two.
pub(crate) fn sweep(document: &Document, metric: usize) -> Option<Figure> {
    let sweep = document.sweep.as_ref()?;
    let of: &SweepMetric = sweep.metrics.get(metric)?;
    match sweep.axes.len() {
        1 => Some(lines::draw(sweep, metric, of, document)),
        2 => Some(heat::draw(sweep, metric, of, document)),
        _ => None,
    }
}

/// The drawing of a figure within a page.
pub(crate) fn inline(markup: &mut Markup, figure: &Figure) {
    markup.add(&figure.within_page());
}

/// The same below a caption.
pub(crate) fn captioned(gallery: &mut Markup, caption: &str, figure: &Figure) {
    gallery.tag("figure").with(|f| {
        f.tag("figcaption").text(caption);
        inline(f, figure);
    });
}
