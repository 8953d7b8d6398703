//! The network from left to right: hosts, routers, links, and the queue before the bottleneck.

use std::cmp::Ordering;

use super::frame::{
    Anchor, Figure, INK, SMALL, SOFT, TEXT, TextLabel, WIDTH, fitting, path_data, text_width,
};
use crate::document::{NetworkSketch, SketchLink};
use crate::markup::Markup;

const ROW: f64 = 40.0;
const LEADING: f64 = SMALL + 1.6;

pub(super) fn draw(sketch: &NetworkSketch) -> Figure {
    let mut body = Markup::new();
    let layers = layers(sketch);
    let depth = layers.iter().copied().max().unwrap_or(0);
    let x = columns(sketch, &layers, depth);
    let lines = |pick: fn(&SketchLink) -> usize| sketch.links.iter().map(pick).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a few lines of text")]
    let (above, below) = (lines(|l| l.above.len()) as f64, lines(|l| l.below.len()) as f64);
    let tallest = (0..=depth).map(|d| layers.iter().filter(|l| **l == d).count()).max();
    #[expect(clippy::cast_precision_loss, reason = "a few rows")]
    let rows = tallest.unwrap_or(1).max(1) as f64;
    let top = above.max(1.0) * LEADING + 4.0;
    let middle = top + (rows - 1.0) * ROW / 2.0 + 6.0;
    let places: Vec<(f64, f64)> = (0..sketch.nodes.len())
        .map(|i| (x[layers[i]], middle + offset(&layers, i) * ROW))
        .collect();
    for link in &sketch.links {
        if let (Some(from), Some(to)) = (places.get(link.from), places.get(link.to)) {
            draw_link(&mut body, link, *from, *to);
        }
    }
    for (i, node) in sketch.nodes.iter().enumerate() {
        let (cx, cy) = places[i];
        let circle = body.tag("circle").num("cx", cx).num("cy", cy);
        if node.host {
            circle.num("r", 3.6).attr("class", "host").attr("fill", INK).empty();
        } else {
            let circle = circle.num("r", 3.4).attr("class", "router").attr("fill", "#ffffff");
            circle.attr("stroke", INK).num("stroke-width", 1.2).empty();
        }
        let anchor = match layers[i] {
            0 => Anchor::Start,
            layer if layer == depth => Anchor::End,
            _ => Anchor::Middle,
        };
        let at = match anchor {
            Anchor::Start => cx - 3.6,
            Anchor::Middle => cx,
            Anchor::End => cx + 3.6,
        };
        let label = fitting(&node.label, 0.45 * WIDTH, SMALL);
        // Links lead to the middle: names stand on the outer side.
        let y = if offset(&layers, i) < 0.0 { cy - 7.0 } else { cy + 4.0 + TEXT };
        TextLabel::new(&label).small().anchor(anchor).at(&mut body, at, y);
    }
    let bottom = middle + (rows - 1.0) * ROW / 2.0;
    let height = (bottom + 8.0 + TEXT).max(middle + 8.0 + below * LEADING) + 3.0;
    Figure { title: "The network".to_owned(), height, body }
}

/// The number of links to each node at most, from the left. Links that lead back into an earlier
/// layer by a circle end the search.
fn layers(sketch: &NetworkSketch) -> Vec<usize> {
    let mut layers = vec![0; sketch.nodes.len()];
    for _ in 0..sketch.nodes.len() {
        let mut moved = false;
        for link in &sketch.links {
            let (Some(from), Some(to)) = (layers.get(link.from), layers.get(link.to)) else {
                continue;
            };
            if to <= from && from + 1 < sketch.nodes.len() && link.from != link.to {
                layers[link.to] = from + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    layers
}

/// The place of each layer: gaps are as wide as the text above and below their links.
fn columns(sketch: &NetworkSketch, layers: &[usize], depth: usize) -> Vec<f64> {
    let mut gaps = vec![24.0_f64; depth];
    for link in &sketch.links {
        let (Some(from), Some(to)) = (layers.get(link.from), layers.get(link.to)) else {
            continue;
        };
        let text = link.above.iter().chain(&link.below);
        let widest = text.map(|t| text_width(t, SMALL)).fold(0.0, f64::max) + 26.0;
        if *to == from + 1 {
            gaps[*from] = gaps[*from].max(widest);
        }
    }
    // Beside several hosts their links come together: names end before they do.
    let alone = layers.iter().filter(|layer| **layer == 0).count() <= 1;
    for (node, layer) in sketch.nodes.iter().zip(layers) {
        let gap = if *layer == 0 { gaps.first_mut() } else { gaps.last_mut() };
        if let Some(gap) = gap.filter(|_| !alone && (*layer == 0 || *layer == depth)) {
            *gap = gap.max(text_width(&node.label, SMALL) / 0.65);
        }
    }
    let (left, right) = (6.0, WIDTH - 6.0);
    let stretch = (right - left) / gaps.iter().sum::<f64>().max(1.0);
    let mut x = vec![left];
    for gap in gaps {
        let last = x.last().copied().unwrap_or(left);
        x.push(last + gap * stretch);
    }
    x
}

/// The distance of a node from the middle of its layer, in rows.
#[expect(clippy::cast_precision_loss, reason = "a few nodes")]
fn offset(layers: &[usize], node: usize) -> f64 {
    let same = |i: &usize| layers[*i] == layers[node];
    let before = (0..node).filter(same).count() as f64;
    let all = (0..layers.len()).filter(same).count() as f64;
    before - (all - 1.0) / 2.0
}

fn draw_link(body: &mut Markup, link: &SketchLink, from: (f64, f64), to: (f64, f64)) {
    let (colour, width, class) =
        if link.bottleneck { (INK, 2.2, "bottleneck") } else { (SOFT, 0.7, "axis") };
    body.tag("path")
        .attr("class", class)
        .attr("d", path_data(&[from, to]))
        .attr("stroke", colour)
        .num("stroke-width", width)
        .empty();
    if link.bottleneck {
        queue(body, from);
    }
    let (x, y) = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
    // Beside a slope there is room above it on one side and below it on the other.
    let (above, below) = match from.1.total_cmp(&to.1) {
        Ordering::Less => (Anchor::Start, Anchor::End),
        Ordering::Equal => (Anchor::Middle, Anchor::Middle),
        Ordering::Greater => (Anchor::End, Anchor::Start),
    };
    let beside = |anchor: Anchor| match anchor {
        Anchor::Start => x + 4.0,
        Anchor::Middle => x,
        Anchor::End => x - 4.0,
    };
    for (i, text) in link.above.iter().rev().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few lines")]
        let up = y - 4.5 - i as f64 * LEADING;
        TextLabel::new(text).small().anchor(above).at(body, beside(above), up);
    }
    for (i, text) in link.below.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few lines")]
        let down = y + 4.5 + SMALL + i as f64 * LEADING;
        TextLabel::new(text).small().soft().anchor(below).at(body, beside(below), down);
    }
}

/// Packets that wait before the link.
fn queue(body: &mut Markup, (x, y): (f64, f64)) {
    for i in 0..4 {
        body.tag("rect")
            .attr("class", "packet")
            .num("x", x + 5.5 + f64::from(i) * 3.2)
            .num("y", y - 3.2)
            .num("width", 2.2)
            .num("height", 6.4)
            .attr("fill", "#ffffff")
            .attr("stroke", INK)
            .num("stroke-width", 0.6)
            .empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SketchNode;

    fn sketch(nodes: usize, links: &[(usize, usize)]) -> NetworkSketch {
        let node = || SketchNode { label: "a <node>".to_owned(), host: true };
        NetworkSketch {
            nodes: (0..nodes).map(|_| node()).collect(),
            links: links
                .iter()
                .map(|&(from, to)| SketchLink { from, to, ..SketchLink::default() })
                .collect(),
        }
    }

    #[test]
    fn a_node_stands_to_the_right_of_all_that_lead_to_it() {
        assert_eq!(layers(&sketch(5, &[(0, 2), (1, 2), (2, 3), (3, 4)])), [0, 0, 1, 2, 3]);
    }

    #[test]
    fn circles_and_links_to_nowhere_are_drawn_without_end() {
        for links in [&[(0, 1), (1, 0)][..], &[(0, 0)], &[(0, 9), (9, 0)], &[]] {
            let figure = draw(&sketch(2, links));
            assert!(figure.height.is_finite());
        }
        assert!(draw(&sketch(0, &[(0, 1)])).height.is_finite());
    }
}
