//! The figure of the page: our goodput over theirs, a point for each row that a bound holds.

use std::fmt::Write as _;

use crate::case::ReferenceSource;
use crate::judge::{Agreement, RowClass};
use crate::rows::ComparedRow;

/// The square that holds the points, and the margins around it.
const SIDE: f64 = 400.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 34.0;
/// Goodputs in bit/s at both ends of both axes, as powers of ten.
const LEAST: f64 = 4.0;
const MOST: f64 = 9.0;

/// A picture as SVG, the same for the same rows.
pub fn figure(rows: &[ComparedRow]) -> String {
    let mut svg = String::new();
    let (width, height) = (LEFT + SIDE + 18.0, TOP + SIDE + 52.0);
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
         <title>Our goodput over that of ns-2.35 and of Linux 6.1, path by path</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
    );
    axes(&mut svg);
    let goodputs = || {
        rows.iter()
            .filter(|r| r.metric.name.starts_with('g') && r.metric.class != RowClass::Information)
    };
    // Rows that exceed their bound are drawn last, so that nothing hides them.
    for exceeds in [false, true] {
        for row in goodputs().filter(|r| (r.verdict.outcome == Agreement::Exceeds) == exceeds) {
            mark(&mut svg, row, exceeds);
        }
    }
    legend(&mut svg);
    svg.push_str("</svg>\n");
    svg
}

fn place(goodput: f64) -> f64 {
    ((goodput.log10() - LEAST) / (MOST - LEAST)).clamp(0.0, 1.0) * SIDE
}

fn axes(svg: &mut String) {
    let (right, bottom) = (LEFT + SIDE, TOP + SIDE);
    let names = ["10 kbit/s", "100 k", "1 Mbit/s", "10 M", "100 M", "1 Gbit/s"];
    for (i, name) in (0_u32..).zip(names) {
        let at = f64::from(i) * SIDE / (MOST - LEAST);
        let (x, y) = (LEFT + at, bottom - at);
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {TOP}V{bottom}M{LEFT} {y}H{right}\" stroke=\"#dcdcdc\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            bottom + 17.0,
            name.replace("bit/s", ""),
            LEFT - 6.0,
            y + 4.0,
            name.replace("bit/s", ""),
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {bottom}L{right} {TOP}\" stroke=\"#8c8c8c\" fill=\"none\"/>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">their goodput, bit/s</text>\
         <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">our goodput, bit/s</text>",
        LEFT + SIDE / 2.0,
        bottom + 42.0,
        TOP + SIDE / 2.0,
    );
}

fn mark(svg: &mut String, row: &ComparedRow, exceeds: bool) {
    let (ours, theirs) = row.middles();
    let (x, y) = (LEFT + place(theirs), TOP + SIDE - place(ours));
    let colour = if exceeds { "#c0392b" } else { "#1f5f99" };
    shape(svg, row.case.source == ReferenceSource::Linux, (x, y), colour, exceeds);
}

/// A square for Linux, a circle for ns-2; filled where the row exceeds its bound.
fn shape(svg: &mut String, square: bool, (x, y): (f64, f64), colour: &str, filled: bool) {
    let fill = if filled { colour } else { "none" };
    let _ = if square {
        writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"5\" height=\"5\" stroke=\"{colour}\" fill=\"{fill}\"/>",
            x - 2.5,
            y - 2.5
        )
    } else {
        writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.8\" stroke=\"{colour}\" fill=\"{fill}\"/>"
        )
    };
}

fn legend(svg: &mut String) {
    let entries = [
        (false, "#1f5f99", false, "ns-2.35"),
        (true, "#1f5f99", false, "Linux 6.1"),
        (false, "#c0392b", true, "beyond its bound"),
    ];
    let mut x = LEFT + 6.0;
    for (square, colour, filled, text) in entries {
        shape(svg, square, (x, 17.0), colour, filled);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"21\">{text}</text>", x + 9.0);
        x += 105.0;
    }
}
