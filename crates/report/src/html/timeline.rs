//! The part of the page about time: a panel for each quantity, and a strip for each variant.

use crate::document::{Document, Panel, Timeline};
use crate::figure::{self, inline};
use crate::markup::Markup;

/// Writes the part.
pub(super) fn part(section: &mut Markup, timeline: &Timeline, document: &Document) {
    section.tag("p").attr("class", "lede").with(|p| {
        p.text(&timeline.note);
        p.literal(
            "<span class=\"screen\"> Drag over a chart to enlarge a span of time, double-click for \
             all of it. With the keyboard: arrows move, + and \u{2212} enlarge, comma and period \
             shift, 0 shows everything.</span>",
        );
    });
    section.tag("div").attr("class", "tools").with(|tools| {
        for (id, label, name) in [
            ("zoom-in", "+", "enlarge"),
            ("zoom-out", "\u{2212}", "reduce"),
            ("zoom-back", "\u{2190}", "earlier"),
            ("zoom-on", "\u{2192}", "later"),
            ("zoom-all", "All", "show all of the time"),
        ] {
            tools
                .tag("button")
                .attr("type", "button")
                .attr("id", id)
                .attr("aria-label", name)
                .attr("title", name)
                .text(label);
        }
        tools.literal(
            "<button type=\"button\" id=\"layout\" aria-pressed=\"false\">One strip each</button>\
             <span class=\"at\" id=\"at\" role=\"status\"></span>",
        );
    });
    section.tag("div").attr("class", "overlaid").with(|overlaid| {
        for (i, panel) in timeline.panels.iter().enumerate() {
            for variant in charts(panel, document) {
                chart(overlaid, i, panel, variant, document);
            }
        }
    });
    section.tag("div").attr("class", "apart gallery").with(|apart| {
        for panel in &timeline.panels {
            if let Some(strips) = figure::strips(document, panel) {
                apart.tag("figure").with(|f| inline(f, &strips));
            }
        }
    });
}

/// One chart for all, or one for each variant that has a curve.
fn charts(panel: &Panel, document: &Document) -> Vec<Option<usize>> {
    if !panel.apart {
        return vec![None];
    }
    let drawn = |i: &usize| panel.lines.iter().any(|line| line.variant == *i);
    (0..document.variants.len()).filter(drawn).map(Some).collect()
}

fn chart(
    overlaid: &mut Markup,
    place: usize,
    panel: &Panel,
    variant: Option<usize>,
    document: &Document,
) {
    let tag = overlaid.tag("section").attr("class", "panel").attr("data-panel", place);
    let tag = match variant {
        Some(variant) => tag.attr("data-variant", variant),
        None => tag,
    };
    let name = match variant {
        Some(variant) => format!("{}: {}", panel.heading(), document.variant(variant)),
        None => panel.heading().to_owned(),
    };
    tag.with(|section| {
        section.tag("h3").with(|h3| {
            h3.text(&name);
            h3.tag("small").text(&format!(" {}", panel.quantity.unit));
        });
        section
            .tag("div")
            .attr("class", "plot")
            .attr("tabindex", "0")
            .attr("role", "application")
            .attr("aria-label", format!("{name} over time; arrow keys read values"))
            .text("");
        section.tag("ul").attr("class", "readout").text("");
        if panel.with_causes {
            section.tag("ul").attr("class", "causes").text("");
        }
    });
}
