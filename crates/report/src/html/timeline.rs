//! The part of the page about time as it stands on paper: strips of each quantity, one above the other.

use crate::document::{Document, Timeline};
use crate::figure::{self, captioned, inline};
use crate::markup::Markup;
use crate::number::unbroken;

/// Writes the part: of each setting that was followed closely the first seed and all of them together, which
/// are enough on paper.
pub(super) fn part(section: &mut Markup, document: &Document) {
    section.tag("div").attr("class", "still").with(|still| {
        for timelines in document.timelines_for_paper() {
            let last = timelines.len() - 1;
            let shown = timelines.iter().enumerate().filter(|(i, _)| *i == 0 || *i == last);
            for (_, timeline) in shown {
                heading(still, timeline, timelines.len() > 1);
                sheet(still, timeline, document);
            }
        }
    });
}

fn heading(still: &mut Markup, timeline: &Timeline, several: bool) {
    let seed = match timeline.seeds.as_slice() {
        [seed] => format!("seed {seed}"),
        _ => timeline.chosen_as(),
    };
    let parts = [Some(timeline.title.clone()), several.then_some(seed)];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        still.tag("h3").text(&parts.join(", "));
    }
}

fn sheet(still: &mut Markup, timeline: &Timeline, document: &Document) {
    still.tag("p").attr("class", "lede").text(&unbroken(&timeline.note));
    still.tag("div").attr("class", "gallery strips").with(|gallery| {
        for panel in &timeline.panels {
            let strips = figure::strips(document, timeline, panel);
            gallery.tag("figure").with(|f| inline(f, &strips));
        }
    });
    if timeline.distributions.is_empty() {
        return;
    }
    still.tag("div").attr("class", "gallery").with(|gallery| {
        for one in &timeline.distributions {
            let drawn = figure::distribution(document, one);
            captioned(gallery, &format!("Distribution of the {}", one.quantity.name), &drawn);
        }
    });
}
