//! Pages of text, charts and tables, each of which needs no other file. Only a page with filters runs a
//! script, and shows everything without it.

use crate::figure::{Chart, VerdictStrip, chart, verdict};
use crate::markup::Markup;
use crate::number::unbroken;

const STYLE: &str =
    concat!(include_str!("../assets/report.css"), "\n", include_str!("../assets/pages.css"));

/// Filters of the table in the part `claims`.
const FILTERS: &str = include_str!("../assets/claims.js");

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The small line above the title.
    pub kicker: String,
    /// The address of a playground with the page's experiment behind it; none if no link can hold it.
    pub playground: Option<String>,
    /// Its title.
    pub title: String,
    /// Its conclusion, in a sentence.
    pub verdict: String,
    /// Smaller print below.
    pub subtitle: String,
    /// Its parts, each below a heading.
    pub parts: Vec<PageSection>,
    /// The last line.
    pub footer: String,
    /// True if the table of its part `claims` has filters.
    pub with_filters: bool,
}

/// A part of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageSection {
    /// Its heading.
    pub title: String,
    /// Its anchor for links; none if absent.
    pub id: Option<String>,
    /// Its contents, from top to bottom.
    pub blocks: Vec<Block>,
}

/// A piece of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A paragraph in smaller print.
    Note(String),
    /// A paragraph that begins with a word in bold.
    Named(String, String),
    /// A link to another page, and what follows it.
    Link(String, String, String),
    /// A chart.
    Chart(Chart),
    /// A number beside what is accepted.
    Strip(VerdictStrip),
    /// A command line or an expression.
    Code(String),
    /// A table.
    Table(PageTable),
    /// Blocks that a reader opens.
    Folded(FoldedBlocks),
}

/// Blocks below a line that opens them; a link to them opens them too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoldedBlocks {
    /// The line that is always shown.
    pub summary: String,
    /// Their anchor.
    pub id: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageTable {
    /// The heads of its columns.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<PageCell>>,
    /// True if cells hold sentences: they break, and stand to the left.
    pub prose: bool,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCell {
    /// Its text.
    pub text: String,
    /// Its link.
    pub link: Option<String>,
    /// The class of the row: one of those of `pages.css`.
    pub class: Option<&'static str>,
}

impl From<String> for PageCell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for PageCell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// The text of a page.
pub fn render(page: &Page) -> String {
    let mut out = Markup::new();
    let script = if page.with_filters { FILTERS } else { "" };
    crate::html::head(&mut out, &page.title, STYLE, script);
    out.tag("body").with(|body| {
        body.tag("header").attr("class", "masthead").with(|head| {
            crate::html::kicker(head, &page.kicker, page.playground.as_deref());
            head.tag("h1").text(&page.title);
            for (class, text) in [("verdict", &page.verdict), ("subtitle", &page.subtitle)] {
                if !text.is_empty() {
                    head.tag("p").attr("class", class).text(&unbroken(text));
                }
            }
        });
        body.tag("main").with(|main| page.parts.iter().for_each(|p| part(main, p)));
        body.tag("footer").text(&page.footer);
        if page.with_filters {
            body.literal("<script>").literal(FILTERS).literal("</script>");
        }
    });
    out.literal("</html>\n");
    out.into_text()
}

fn part(main: &mut Markup, part: &PageSection) {
    let mut section = main.tag("section").attr("class", "part");
    if let Some(id) = &part.id {
        section = section.attr("id", id);
    }
    section.with(|inner| {
        inner.tag("h2").text(&part.title);
        part.blocks.iter().for_each(|one| block(inner, one));
    });
}

fn block(out: &mut Markup, block: &Block) {
    match block {
        Block::Text(text) => out.tag("p").attr("class", "lede").text(&unbroken(text)),
        Block::Note(text) => out.tag("p").attr("class", "notes").text(&unbroken(text)),
        Block::Named(name, text) => out.tag("p").attr("class", "named").with(|p| {
            p.tag("b").text(name);
            p.text(" ").text(&unbroken(text));
        }),
        Block::Link(text, to, after) => out.tag("p").attr("class", "notes").with(|p| {
            p.tag("a").attr("href", to).text(text);
            p.text(after);
        }),
        Block::Chart(data) => out.tag("figure").attr("class", "chart").with(|figure| {
            figure.add(&chart::draw(data).within_page());
        }),
        Block::Strip(data) => out.tag("figure").attr("class", "chart").with(|figure| {
            figure.add(&verdict::draw(data).within_page());
        }),
        Block::Code(text) => out.tag("pre").attr("class", "code").text(text),
        Block::Table(data) => table(out, data),
        Block::Folded(folded) => out.tag("details").attr("class", "folded").with(|details| {
            details.tag("summary").text(&folded.summary);
            // A browser opens the fold whose inside a link leads to.
            details.tag("div").attr("id", &folded.id).with(|inside| {
                folded.blocks.iter().for_each(|one| self::block(inside, one));
            });
        }),
    }
}

fn table(out: &mut Markup, data: &PageTable) {
    let class = if data.prose { "prose" } else { "numbers" };
    out.tag("div").attr("class", "scroll").with(|scroll| {
        scroll.tag("table").attr("class", class).with(|table| {
            table.tag("thead").with(|head| {
                head.tag("tr").with(|row| {
                    data.head.iter().for_each(|text| row.tag("th").attr("scope", "col").text(text));
                });
            });
            table.tag("tbody").with(|body| {
                for cells in &data.rows {
                    body.tag("tr").with(|row| cells.iter().for_each(|c| cell(row, c)));
                }
            });
        });
    });
}

fn cell(row: &mut Markup, cell: &PageCell) {
    let mut tag = row.tag("td");
    if let Some(class) = cell.class {
        tag = tag.attr("class", class);
    }
    tag.with(|inner| match &cell.link {
        Some(link) => inner.tag("a").attr("href", link).text(&cell.text),
        None => {
            inner.text(&cell.text);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_stays_text() {
        let hostile = "<script>alert(1)</script>";
        let page = Page {
            title: hostile.to_owned(),
            parts: vec![PageSection {
                title: hostile.to_owned(),
                id: Some("\"><script>".to_owned()),
                blocks: vec![
                    Block::Text(hostile.to_owned()),
                    Block::Link(hostile.to_owned(), hostile.to_owned(), hostile.to_owned()),
                    Block::Folded(FoldedBlocks {
                        summary: hostile.to_owned(),
                        id: "\"><script>".to_owned(),
                        blocks: vec![Block::Code(hostile.to_owned())],
                    }),
                    Block::Table(PageTable {
                        rows: vec![vec![hostile.into()]],
                        ..PageTable::default()
                    }),
                ],
            }],
            ..Page::default()
        };
        assert!(!render(&page).contains("<script"));
    }
}
