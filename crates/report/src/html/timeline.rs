//! The part of the page about time: a panel for each quantity, and a strip for each variant.

use crate::document::{Document, Panel, Timeline};
use crate::figure::{self, inline};
use crate::markup::Markup;
use crate::scale::plain;

/// Writes the part: a sheet for each timeline, one of which is on the screen.
pub(super) fn part(section: &mut Markup, document: &Document) {
    section.literal(
        "<p class=\"lede screen\">Drag over a chart to enlarge a span of time, double-click for all of \
         it. With the keyboard: arrows move, + and \u{2212} enlarge, comma and period shift, 0 shows \
         everything.</p>",
    );
    choosers(section, document);
    tools(section, document);
    let mut number = 0;
    for timelines in document.timelines_by_setting() {
        for (i, timeline) in timelines.iter().enumerate() {
            // On paper the first seed and all of them together are enough.
            let aside = i > 0 && i + 1 < timelines.len();
            section
                .tag("div")
                .attr("class", if aside { "sheet aside" } else { "sheet" })
                .attr("data-sheet", number)
                .flag("hidden", number > 0)
                .with(|sheet| {
                    heading(sheet, timeline, timelines.len() > 1);
                    self::sheet(sheet, timeline, document);
                });
            number += 1;
        }
    }
}

/// The choices of a reader: settings of a sweep, and seeds.
fn choosers(section: &mut Markup, document: &Document) {
    let settings = document.timelines_by_setting().map(|of| of[0].title.clone()).collect();
    let mut seeds: Vec<&Timeline> = Vec::new();
    for timeline in &document.timelines {
        if !seeds.iter().any(|known| known.chosen_as() == timeline.chosen_as()) {
            seeds.push(timeline);
        }
    }
    // The timeline of all seeds comes last, even if a setting has a seed more.
    seeds.sort_by_key(|timeline| timeline.seeds.len() > 1);
    let seeds = seeds.into_iter().map(Timeline::chosen_as).collect();
    let choosers: [(_, _, Vec<String>); 2] =
        [("setting", "Setting", settings), ("seed", "Seed", seeds)];
    if choosers.iter().all(|(_, _, options)| options.len() < 2) {
        return;
    }
    section.tag("p").attr("class", "chooser").with(|p| {
        for (id, name, options) in choosers.iter().filter(|(_, _, options)| options.len() > 1) {
            p.tag("label").attr("for", *id).text(name);
            p.tag("select").attr("id", *id).with(|select| {
                for option in options {
                    select.tag("option").text(option);
                }
            });
        }
    });
}

fn tools(section: &mut Markup, document: &Document) {
    let clipped = |timeline: &Timeline| timeline.panels.iter().any(|p| timeline.clip(p).is_some());
    let clipped = document.timelines.iter().any(clipped);
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
            "<button type=\"button\" id=\"layout\" aria-pressed=\"false\">One strip each</button>",
        );
        if clipped {
            tools.literal(
                "<button type=\"button\" id=\"whole\" aria-pressed=\"false\" \
                 title=\"do not clip what was higher before measuring began\">Full height</button>",
            );
        }
        tools.literal("<span class=\"at\" id=\"at\" role=\"status\"></span>");
    });
}

/// The text of the selects, for paper.
fn heading(sheet: &mut Markup, timeline: &Timeline, several: bool) {
    let seed = match timeline.seeds.as_slice() {
        [seed] => format!("seed {seed}"),
        _ => timeline.chosen_as(),
    };
    let parts = [Some(timeline.title.clone()), several.then_some(seed)];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        sheet.tag("h3").attr("class", "print").text(&parts.join(", "));
    }
}

fn sheet(sheet: &mut Markup, timeline: &Timeline, document: &Document) {
    sheet.tag("p").attr("class", "lede").text(&timeline.note);
    sheet.tag("div").attr("class", "overlaid").with(|overlaid| {
        for (i, panel) in timeline.panels.iter().enumerate() {
            for variant in charts(panel, document) {
                chart(overlaid, i, (timeline, panel), variant, document);
            }
        }
    });
    sheet.tag("div").attr("class", "apart gallery").with(|apart| {
        for panel in &timeline.panels {
            let strips = figure::strips(document, timeline, panel);
            apart.tag("figure").with(|f| inline(f, &strips));
        }
    });
    if timeline.distributions.is_empty() {
        return;
    }
    sheet.tag("div").attr("class", "gallery distributions").with(|gallery| {
        for one in &timeline.distributions {
            let drawn = figure::distribution(document, one);
            let caption = format!("Distribution of the {}", one.quantity.name);
            gallery.tag("figure").with(|f| {
                f.tag("figcaption").text(&caption);
                inline(f, &drawn);
            });
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
    (timeline, panel): (&Timeline, &Panel),
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
            if let Some(top) = timeline.clip(panel) {
                let text = format!(", clipped at {}", plain(top));
                h3.tag("small").attr("class", "clip").text(&text);
            }
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
