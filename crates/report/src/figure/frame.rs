//! The parts that all figures share: the sheet, text, axes, legends.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::markup::{Markup, coordinate};
use crate::palette;
use crate::scale::Scale;

/// The width of a figure: 3.5 inches of 72 points.
pub(super) const WIDTH: f64 = 252.0;
/// The size of its text, in points.
pub(super) const TEXT: f64 = 7.5;
/// The size of text that only annotates.
pub(super) const SMALL: f64 = 6.5;
/// Hairlines.
pub(super) const HAIR: f64 = 0.4;
/// Lines that carry data.
pub(super) const LINE: f64 = 1.1;

/// The average width of a letter over its size, in the wider ones of these fonts.
const LETTER: f64 = 0.61;
const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
pub(super) const INK: &str = "#1f1f1f";
pub(super) const SOFT: &str = "#595959";
const GRID: &str = "#dcdcdc";

/// A finished figure.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Its contents, for those who cannot see it.
    pub(super) title: String,
    pub(super) height: f64,
    pub(super) body: Markup,
}

impl Figure {
    /// The element, as wide as the page allows.
    pub(crate) fn within_page(&self) -> Markup {
        self.element(|tag| tag.attr("class", "figure"))
    }

    /// The text of a file.
    pub(crate) fn into_file(self) -> String {
        let element = self.element(|tag| {
            tag.attr("xmlns", "http://www.w3.org/2000/svg")
                .attr("width", "3.5in")
                .attr("height", format!("{}in", coordinate(self.height / 72.0)))
        });
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", element.into_text())
    }

    fn element(
        &self,
        more: impl FnOnce(crate::markup::Tag<'_>) -> crate::markup::Tag<'_>,
    ) -> Markup {
        let mut markup = Markup::new();
        let view = format!("0 0 {WIDTH} {}", coordinate(self.height));
        let tag = markup.tag("svg").attr("viewBox", view).attr("role", "img");
        more(tag)
            .attr("font-family", FONT)
            .attr("font-size", TEXT)
            .attr("fill", INK)
            .attr("aria-label", &self.title)
            .with(|inner| {
                inner.tag("title").text(&self.title);
                inner.add(&self.body);
            });
        markup
    }
}

/// The alignment of text to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A piece of text to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextLabel<'a> {
    pub(super) text: &'a str,
    pub(super) size: f64,
    pub(super) soft: bool,
    pub(super) anchor: Anchor,
}

impl<'a> TextLabel<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, size: TEXT, soft: false, anchor: Anchor::Start }
    }

    pub(super) fn small(self) -> Self {
        Self { size: SMALL, ..self }
    }

    pub(super) fn soft(self) -> Self {
        Self { soft: true, ..self }
    }

    pub(super) fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// Writes it with its baseline at `y`.
    pub(super) fn at(self, body: &mut Markup, x: f64, y: f64) {
        let mut tag = body.tag("text").num("x", x).num("y", y);
        if (self.size - TEXT).abs() > 1e-9 {
            tag = tag.num("font-size", self.size);
        }
        tag = match self.anchor {
            Anchor::Start => tag,
            Anchor::Middle => tag.attr("text-anchor", "middle"),
            Anchor::End => tag.attr("text-anchor", "end"),
        };
        let tag = if self.soft { tag.attr("fill", SOFT).attr("class", "soft") } else { tag };
        tag.text(self.text);
    }

    /// Writes it upwards, its middle at `y`.
    pub(super) fn upwards(self, body: &mut Markup, x: f64, y: f64) {
        let (cx, cy) = (coordinate(x), coordinate(y));
        body.tag("text")
            .num("x", x)
            .num("y", y)
            .attr("text-anchor", "middle")
            .attr("transform", format!("rotate(-90 {cx} {cy})"))
            .text(self.text);
    }
}

/// About how wide a text is: no font is at hand, so the average of sans-serif ones counts.
#[expect(clippy::cast_precision_loss, reason = "the length of a label")]
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.width() as f64 * size * LETTER
}

/// Text that fits into a width, its end left out if need be.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few letters")]
pub(super) fn fitting(text: &str, width: f64, size: f64) -> String {
    let letters = (width / (size * LETTER) + 0.01).max(2.0) as usize;
    crate::table::shortened(text, letters)
}

/// Text in lines that fit into a width.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few letters")]
pub(super) fn broken(text: &str, width: f64, size: f64) -> Vec<String> {
    let letters = (width / (size * LETTER) + 0.01).max(2.0) as usize;
    let lines = crate::table::wrapped(text, letters);
    // A word may still be wider than the sheet.
    lines.lines().map(|line| fitting(line, width, size)).collect()
}

/// A straight line without meaning of its own.
pub(super) fn hair(body: &mut Markup, class: &'static str, from: (f64, f64), to: (f64, f64)) {
    let colour = if class == "grid" { GRID } else { SOFT };
    body.tag("path")
        .attr("class", class)
        .attr("d", path_data(&[from, to]))
        .attr("stroke", colour)
        .num("stroke-width", HAIR)
        .attr("fill", "none")
        .empty();
}

/// Points joined by straight lines, as the data of an SVG path: after the first one each as its distance
/// from the one before, which takes fewer letters, in whole hundredths, so that nothing adds up.
pub(super) fn path_data(points: &[(f64, f64)]) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "places on a sheet")]
    let hundredths = |x: f64| (x * 100.0).round() as i64;
    let mut data = String::new();
    let mut last: Option<(i64, i64)> = None;
    for (x, y) in points {
        let here = (hundredths(*x), hundredths(*y));
        match last {
            None => {
                data.push('M');
                push_number(&mut data, here.0, false);
                push_number(&mut data, here.1, true);
            }
            Some(before) => {
                let (dx, dy) = (here.0.saturating_sub(before.0), here.1.saturating_sub(before.1));
                match (dx, dy) {
                    (0, 0) => continue,
                    (_, 0) => data.push('h'),
                    (0, _) => data.push('v'),
                    _ => data.push('l'),
                }
                if dx != 0 {
                    push_number(&mut data, dx, false);
                }
                if dy != 0 {
                    push_number(&mut data, dy, dx != 0);
                }
            }
        }
        last = Some(here);
    }
    data
}

/// Hundredths as a number of an SVG path; `behind` another number it is set apart.
fn push_number(data: &mut String, hundredths: i64, behind: bool) {
    if hundredths < 0 {
        data.push('-');
    } else if behind {
        data.push(' ');
    }
    let (whole, rest) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    if whole > 0 || rest == 0 {
        data.push_str(&whole.to_string());
    }
    let _ = match (rest / 10, rest % 10) {
        (0, 0) => Ok(()),
        (tenth, 0) => write!(data, ".{tenth}"),
        (tenth, hundredth) => write!(data, ".{tenth}{hundredth}"),
    };
}

/// A variant's mark.
pub(super) fn mark(body: &mut Markup, variant: usize, (x, y): (f64, f64), r: f64) {
    body.tag("path")
        .attr("class", format!("fills {}", palette::class(variant)))
        .attr("d", palette::mark(variant).outline(x, y, r))
        .attr("fill", palette::colour(variant))
        .empty();
}

/// A variant's line.
pub(super) fn stroke(body: &mut Markup, variant: usize, data: &str, width: f64) {
    let mut tag = body
        .tag("path")
        .attr("class", format!("strokes {}", palette::class(variant)))
        .attr("d", data)
        .attr("fill", "none")
        .attr("stroke", palette::colour(variant))
        .num("stroke-width", width)
        .attr("stroke-linejoin", "round");
    if !palette::dash(variant).is_empty() {
        tag = tag.attr("stroke-dasharray", palette::dash(variant));
    }
    tag.empty();
}

/// The rectangle in which data is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Numbers and grid of a vertical axis, and its name above its upper end.
pub(super) fn y_axis(body: &mut Markup, area: Area, scale: &Scale, ticks: f64) {
    for (value, label) in scale.ticks(ticks) {
        let y = scale.at(value);
        hair(body, "grid", (area.left, y), (area.right, y));
        TextLabel::new(&label).anchor(Anchor::End).at(body, area.left - 3.0, y + 0.35 * TEXT);
    }
}

/// The name of a horizontal axis below its numbers: in the middle, if the sheet is wide enough.
pub(super) fn x_name(body: &mut Markup, middle: f64, bottom: f64, name: &str) {
    let name = fitting(name, WIDTH, TEXT);
    let half = text_width(&name, TEXT) / 2.0;
    let x = middle.min(WIDTH - half).max(half);
    TextLabel::new(&name).anchor(Anchor::Middle).at(body, x, bottom + 7.0 + 2.0 * TEXT);
}

/// The name above a vertical axis.
pub(super) fn y_name(body: &mut Markup, width: f64, y: f64, name: &str) {
    TextLabel::new(&fitting(name, width, TEXT)).at(body, 0.0, y);
}

/// The height of a horizontal axis below an area.
pub(super) const X_AXIS: f64 = 2.0 * TEXT + 10.0;

/// Samples of lines or marks with the variants' names, in rows; answers their height.
pub(super) fn legend(body: &mut Markup, names: &[String], top: f64, with_lines: bool) -> f64 {
    let sample = if with_lines { 18.0 } else { 8.0 };
    let (mut x, mut y) = (0.0, top + TEXT);
    for (i, name) in names.iter().enumerate() {
        let name = fitting(name, WIDTH - sample - 4.0, TEXT);
        let width = sample + 3.0 + text_width(&name, TEXT) + 9.0;
        if x > 0.0 && x + width - 9.0 > WIDTH {
            x = 0.0;
            y += TEXT + 4.0;
        }
        let middle = y - 0.33 * TEXT;
        if with_lines {
            stroke(body, i, &path_data(&[(x, middle), (x + sample, middle)]), LINE);
        }
        mark(body, i, (x + sample / 2.0, middle), 2.2);
        TextLabel::new(&name).at(body, x + sample + 3.0, y);
        x += width;
    }
    if names.is_empty() { 0.0 } else { y - top + 5.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_points_to_the_hundredth() {
        let data =
            path_data(&[(30.0, 57.25), (30.424, 55.0), (32.0, 55.0), (32.0, 60.5), (32.0, 60.5)]);
        assert_eq!(data, "M30 57.25l.42-2.25h1.58v5.5");
        assert_eq!(path_data(&[(-0.5, 0.0), (0.5, 0.05)]), "M-.5 0l1 .05");
        // A thousand steps of a third of a hundredth end where they belong.
        let steps: Vec<(f64, f64)> = (0..=1_000).map(|i| (f64::from(i) / 300.0, 0.0)).collect();
        let ends =
            path_data(&steps).split('h').skip(1).map(|d| d.parse::<f64>().unwrap()).sum::<f64>();
        assert!((ends - 3.33).abs() < 1e-9, "{ends}");
        assert_eq!(path_data(&[(f64::NAN, 1.0)]), "M0 1");
        assert_eq!(path_data(&[]), "");
    }

    #[test]
    fn a_legend_breaks_its_rows_before_the_edge() {
        let names: Vec<String> = (0..8).map(|i| format!("westwood+(tau={i}s)")).collect();
        let mut body = Markup::new();
        let height = legend(&mut body, &names, 0.0, true);
        assert!(height > 3.0 * TEXT, "{height}");
        let text = body.into_text();
        for at in text.split("<text x=\"").skip(1) {
            let x: f64 = at.split('"').next().unwrap().parse().unwrap();
            assert!(x + text_width(&names[0], TEXT) <= WIDTH, "{x}");
        }
    }
}
