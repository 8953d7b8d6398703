//! A report as one page that needs nothing else: no network, no other file.
//!
//! Texts, tables and figures that do not move are in the page as they come, and remain without a script
//! and on paper. On a screen the script draws charts in the figures' place, from the data at the page's
//! end; script and style sheet are built from `web/` and part of the program (see `assets/README.md`).

mod data;
mod head;
mod policy;
mod series;
mod sweep;
mod timeline;

use westwood_experiment::link;

use crate::document::{Changes, Document, DocumentTable, Origin, PlaygroundLink, SettingGroup};
use crate::figure::{self, captioned, inline};
use crate::markup::Markup;
use crate::number::unbroken;
use crate::palette;

pub(crate) use head::head;

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");

/// The page.
pub fn render(document: &Document) -> String {
    let mut page = Markup::new();
    head(&mut page, &document.title, STYLE, SCRIPT);
    page.tag("body").with(|body| {
        masthead(body, document);
        legend(body, document);
        body.tag("main").with(|main| parts(main, document));
        footer(body, &document.origin);
        // Base64 has no letter that means something in markup.
        body.tag("script").attr("type", "application/octet-stream").attr("id", "data").with(
            |data| {
                data.text(&data::packed(document));
            },
        );
        body.literal("<script>").literal(SCRIPT).literal("</script>");
    });
    page.literal("</html>\n");
    page.into_text()
}

/// The figures over the seeds and over the parameters of a sweep, as data: the types are in
/// `web/src/figures/data.ts`.
pub(crate) fn figures(document: &Document) -> serde_json::Value {
    data::figures(document)
}

fn masthead(body: &mut Markup, document: &Document) {
    body.tag("header").attr("class", "masthead").with(|head| {
        kicker(head, "Westwood report", playground_link(document).as_deref());
        head.tag("h1").text(&document.title);
        if !document.verdict.is_empty() {
            head.tag("p").attr("class", "verdict").text(&unbroken(&document.verdict));
        }
        if !document.subtitle.is_empty() {
            head.tag("p").attr("class", "subtitle").text(&unbroken(&document.subtitle));
        }
        for warning in &document.warnings {
            head.tag("p").attr("class", "warning").text(&unbroken(warning));
        }
        if document.origin.playground.as_ref().is_some_and(|way| way.page.is_none()) {
            // The script puts a button that copies the link before it.
            head.literal(
                "<p class=\"notes way\">Any playground opens the <a href=\"#link\">experiment as a \
                 link</a>, to change it and run it there; <code>--play playground.html</code> with \
                 the command writes one beside the report.</p>",
            );
        }
    });
}

/// The small line above a title, with the address of a playground if there is one.
pub(crate) fn kicker(head: &mut Markup, text: &str, playground: Option<&str>) {
    head.tag("p").attr("class", "kicker").with(|kicker| {
        kicker.tag("span").text(text);
        if let Some(address) = playground {
            let link = kicker.tag("a").attr("class", "press").attr("href", address);
            link.text("Open in the playground");
        }
    });
}

/// The address of the playground beside the report, and the experiment's link behind it.
fn playground_link(document: &Document) -> Option<String> {
    let way = document.origin.playground.as_ref()?;
    Some(way.page.clone()? + &link::of_text(&way.text))
}

/// The name of each variant with its mark and its line; the script adds switches.
fn legend(body: &mut Markup, document: &Document) {
    if document.variants.is_empty() {
        return;
    }
    body.tag("nav").attr("class", "switches").attr("aria-label", "What is shown").with(|nav| {
        nav.tag("ul").with(|list| {
            for (i, name) in document.variants.iter().enumerate() {
                list.tag("li").with(|item| {
                    item.tag("label").with(|label| {
                        sample(label, i);
                        label.tag("span").text(name);
                    });
                });
            }
        });
    });
}

/// A line and a mark as the variant has them.
fn sample(markup: &mut Markup, i: usize) {
    markup.tag("svg").attr("viewBox", "0 0 30 12").attr("aria-hidden", "true").with(|svg| {
        svg.tag("path")
            .attr("class", format!("strokes c{}", i % 8))
            .attr("d", "M0 6H30")
            .attr("stroke-width", "1.8")
            .attr("fill", "none")
            .empty();
        mark_path(svg, i, 15.0, 6.0, 3.6);
    });
}

fn mark(markup: &mut Markup, i: usize) {
    markup
        .tag("svg")
        .attr("class", "mark")
        .attr("viewBox", "0 0 10 10")
        .attr("aria-hidden", "true")
        .with(|svg| mark_path(svg, i, 5.0, 5.0, 3.4));
}

fn mark_path(svg: &mut Markup, i: usize, x: f64, y: f64, r: f64) {
    svg.tag("path")
        .attr("class", format!("fills c{}", i % 8))
        .attr("d", palette::mark(i).outline(x, y, r))
        .empty();
}

fn parts(main: &mut Markup, document: &Document) {
    if let Some(path) = figure::path(document) {
        part(main, "path", "The path", |section| {
            if document.sweep.is_some() {
                section.literal("<p class=\"lede\">As at the first point of the sweep.</p>");
            }
            section.tag("figure").attr("class", "path").with(|f| inline(f, &path));
        });
    }
    if let Some(table) = &document.table {
        let rows = document.rows();
        part(main, "numbers", "The numbers", |section| {
            numbers(section, ("The numbers", table), (&document.kind, &rows));
        });
    }
    if document.tradeoff.is_some() || !document.spreads.is_empty() {
        part(main, "seeds", "Over the seeds", |section| seeds(section, document));
    }
    if let Some(sweep) = &document.sweep {
        part(main, "sweep", "Over the parameters", |s| sweep::part(s, sweep, document));
    }
    if let Some(changes) = &document.changes {
        part(main, "changes", "What the variants change", |s| self::changes(s, changes, document));
    }
    if !document.timelines.is_empty() {
        part(main, "time", "Over time", |section| timeline::part(section, document));
    }
    part(main, "repeat", "To repeat it", |section| repeat(section, &document.origin));
}

fn part(main: &mut Markup, id: &'static str, title: &'static str, fill: impl FnOnce(&mut Markup)) {
    main.tag("section").attr("class", "part").attr("id", id).with(|section| {
        section.tag("h2").text(title);
        fill(section);
    });
}

/// A table; a heading stands over the names of its rows.
fn numbers(
    section: &mut Markup,
    (name, table): (&'static str, &DocumentTable),
    (heading, rows): (&str, &[(String, usize)]),
) {
    let scroll = section.tag("div").attr("class", "scroll").attr("tabindex", "0");
    scroll.attr("role", "region").attr("aria-label", name).with(|scroll| {
        scroll.tag("table").attr("class", "sortable").with(|t| {
            t.tag("thead").with(|head| {
                head.tag("tr").with(|row| {
                    row.tag("th").attr("scope", "col").text(heading);
                    for column in &table.columns {
                        row.tag("th").attr("scope", "col").with(|th| {
                            th.tag("span").text(&column.head);
                            th.tag("small").text(&column.unit);
                        });
                    }
                });
            });
            t.tag("tbody").with(|body| {
                for (i, (name, variant)) in rows.iter().enumerate() {
                    row(body, i, (name, *variant), table);
                }
            });
        });
    });
    if !table.notes.is_empty() {
        section.tag("p").attr("class", "notes").text(&unbroken(&table.notes.join(" ")));
    }
}

fn row(body: &mut Markup, i: usize, (name, variant): (&str, usize), table: &DocumentTable) {
    body.tag("tr").attr("class", format!("k{variant}")).with(|tr| {
        tr.tag("th").attr("scope", "row").with(|th| {
            mark(th, variant);
            th.text(name);
        });
        for column in &table.columns {
            let Some((text, best)) = column.cells.get(i) else {
                tr.tag("td").text("");
                continue;
            };
            let td = tr.tag("td");
            let td = if *best { td.attr("class", "best") } else { td };
            td.with(|td| {
                let (mean, interval) = text.split_once(' ').unwrap_or((text, ""));
                td.text(mean);
                if !interval.is_empty() {
                    td.tag("span").attr("class", "pm").text(&format!(" {interval}"));
                }
                if *best {
                    td.literal("<span class=\"star\" title=\"beyond chance\">*</span>");
                }
            });
        }
    });
}

fn seeds(section: &mut Markup, document: &Document) {
    section.literal(
        "<p class=\"lede\">Each small dot is one seed. Large marks are means, bars their 95\u{a0}% \
         confidence, boxes the middle half of the seeds. An arrow: a bar goes on beyond the axis.</p>",
    );
    section.tag("div").attr("class", "gallery still").with(|gallery| {
        if let Some(tradeoff) = figure::tradeoff(document) {
            captioned(gallery, "What a goodput costs in delay", &tradeoff);
        }
        for spread in &document.spreads {
            let drawn = figure::spread(document, spread);
            captioned(gallery, &capital(&spread.quantity.name), &drawn);
        }
    });
}

fn changes(section: &mut Markup, changes: &Changes, document: &Document) {
    section.literal(
        "<p class=\"lede\">Each variant against the scenario as it stands, seed by seed: what a hard \
         seed costs both cancels out.</p>",
    );
    numbers(section, ("The changes", &changes.table), ("variant", &changes.rows));
    section.tag("div").attr("class", "gallery still").with(|gallery| {
        for (i, spread) in changes.spreads.iter().enumerate() {
            if let Some(drawn) = figure::change(document, i) {
                captioned(gallery, &capital(&spread.quantity.name), &drawn);
            }
        }
    });
}

/// A name at the begin of a line.
fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |c| c.to_uppercase().chain(letters).collect())
}

fn repeat(section: &mut Markup, origin: &Origin) {
    if !origin.command.is_empty() {
        section.tag("div").attr("class", "command").with(|div| {
            div.tag("pre").with(|pre| pre.tag("code").attr("id", "command").text(&origin.command));
        });
    }
    if let Some(way) = &origin.playground {
        playground(section, way);
    }
    if let Some(scenario) = &origin.scenario {
        section.tag("details").flag("open", true).with(|details| {
            details.literal("<summary>The scenario</summary>");
            details.tag("pre").text(scenario);
        });
    }
    if !origin.settings.is_empty() {
        section.tag("details").flag("open", true).with(|details| {
            details.literal("<summary>Every effective setting</summary>");
            details.literal("<p class=\"notes\">Bold is what was said; the rest are defaults.</p>");
            details.tag("div").attr("class", "settings").with(|groups| {
                for group in &origin.settings {
                    self::settings(groups, group);
                }
            });
        });
    }
}

/// The experiment as a link, which any playground takes.
fn playground(section: &mut Markup, way: &PlaygroundLink) {
    let page = way.page.as_deref().unwrap_or("playground.html");
    let link = page.to_owned() + &link::of_text(&way.text);
    section.literal(
        "<p class=\"notes\">As a link: behind the address of any playground, from # on, it opens \
         there; <code>westwood run LINK</code> runs it, and with <code>--play playground.html</code> \
         writes a playground with it inside.</p>",
    );
    section.tag("div").attr("class", "command").with(|div| {
        div.tag("pre").with(|pre| pre.tag("code").attr("id", "link").text(&link));
    });
}

fn settings(groups: &mut Markup, group: &SettingGroup) {
    groups.tag("section").with(|section| {
        section.tag("h3").text(&group.heading);
        section.tag("dl").with(|list| {
            for setting in &group.settings {
                let pair = list.tag("div");
                let pair = if setting.given { pair.attr("class", "said") } else { pair };
                pair.with(|pair| {
                    pair.tag("dt").text(&setting.name);
                    pair.tag("dd").text(&setting.value);
                });
            }
        });
    });
}

fn footer(body: &mut Markup, origin: &Origin) {
    body.tag("footer").with(|footer| {
        let text = format!(
            "Westwood {}. A run is a pure function of its settings and its seed: the same command \
             gives the same numbers on every machine.",
            origin.version
        );
        footer.text(&text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_cannot_end_their_elements_early() {
        assert!(!STYLE.to_lowercase().contains("</style"));
        assert!(!SCRIPT.is_empty());
        assert!(!SCRIPT.to_lowercase().contains("</script"));
        assert!(!SCRIPT.contains("<!--"));
        // A page's parser turns CR LF into LF, and the hash would no longer hold.
        assert!(!STYLE.contains('\r') && !SCRIPT.contains('\r'));
    }

    #[test]
    fn an_empty_document_is_a_page() {
        let page = render(&Document::default());
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    }
}
