//! Curves over time, a strip for each variant to one scale: legible without colour.

use super::axis::x_axis;
use super::frame::{
    Anchor, Area, Figure, HAIR, SOFT, TEXT, TextLabel, WIDTH, X_AXIS, broken, fitting, hair,
    path_data,
};
use crate::document::{Band, CurveLine, Document, Panel, Quantity, Role, Timeline};
use crate::markup::Markup;
use crate::palette;
use crate::scale::{Scale, plain, round_above};

const STRIP: f64 = 34.0;
const GAP: f64 = 11.5;
/// More columns than this are not told apart on 3 inches.
const COLUMNS: usize = 320;

pub(super) fn draw(panel: &Panel, timeline: &Timeline, document: &Document) -> Figure {
    let mut body = Markup::new();
    let variants: Vec<usize> = (0..document.variants.len())
        .filter(|i| panel.lines.iter().any(|line| line.variant == *i))
        .collect();
    let clip = timeline.clip(panel);
    let top = clip.unwrap_or_else(|| highest(panel));
    let left = 30.0;
    let mut y = heading(&mut body, panel, timeline, clip) + 6.0;
    for (n, variant) in variants.iter().enumerate() {
        y += GAP;
        let area = Area { left, right: WIDTH - 6.0, top: y, bottom: y + STRIP };
        strip(&mut body, panel, timeline, *variant, area, top, n == 0);
        let name = fitting(document.variant(*variant), area.right - left, TEXT);
        TextLabel::new(&name).soft().at(&mut body, left, y - 2.0);
        y += STRIP;
    }
    let area = Area { left, right: WIDTH - 6.0, top: y, bottom: y };
    let time = Scale::new(0.0, timeline.end_s, area.left, area.right);
    x_axis(&mut body, area, &time, 6.0, "time (s)");
    Figure { title: format!("{} over time", panel.quantity.label()), height: y + X_AXIS, body }
}

/// The title, in as many lines as it takes, and the form of several seeds; answers their height.
fn heading(body: &mut Markup, panel: &Panel, timeline: &Timeline, clip: Option<f64>) -> f64 {
    let title = Quantity { name: panel.heading().to_owned(), ..panel.quantity.clone() }.label();
    let clipped = clip.map_or_else(String::new, |top| format!(", clipped at {}", plain(top)));
    let mut y = 0.0;
    for line in broken(&format!("{title}{clipped}"), WIDTH, TEXT) {
        y += TEXT + if y > 0.0 { 2.0 } else { 0.0 };
        TextLabel::new(&line).at(body, 0.0, y);
    }
    if timeline.seeds.len() > 1 {
        y += TEXT + 2.0;
        let note = format!("Medians over {} seeds; pale: lowest to highest", timeline.seeds.len());
        TextLabel::new(&note).small().soft().at(body, 0.0, y);
    }
    y
}

/// The top of an axis that shows everything.
fn highest(panel: &Panel) -> f64 {
    let lines = panel.lines.iter().map(|line| line.highest(0));
    let references = panel.references.iter().map(|(_, value)| *value);
    round_above(lines.chain(references).fold(0.0, f64::max))
}

fn strip(
    body: &mut Markup,
    panel: &Panel,
    timeline: &Timeline,
    variant: usize,
    area: Area,
    top: f64,
    first: bool,
) {
    let value = Scale::new(0.0, top, area.bottom, area.top);
    let time = Scale::new(0.0, timeline.end_s, area.left, area.right);
    if timeline.warmup_s > 0.0 {
        body.tag("rect")
            .attr("class", "warmup")
            .num("x", area.left)
            .num("y", area.top)
            .num("width", time.at(timeline.warmup_s) - area.left)
            .num("height", area.bottom - area.top)
            .attr("fill", "#f1f1f1")
            .empty();
    }
    for (tick, label) in value.ticks(2.0) {
        let y = value.at(tick);
        hair(body, "grid", (area.left, y), (area.right, y));
        TextLabel::new(&label).small().anchor(Anchor::End).at(body, area.left - 3.0, y + 2.3);
    }
    for (name, level) in &panel.references {
        let y = value.at(*level);
        body.tag("path")
            .attr("class", "axis")
            .attr("d", path_data(&[(area.left, y), (area.right, y)]))
            .attr("stroke", SOFT)
            .num("stroke-width", HAIR)
            .attr("stroke-dasharray", "1 2")
            .empty();
        if first {
            TextLabel::new(name).small().soft().anchor(Anchor::End).at(
                body,
                area.right,
                area.top - 2.0,
            );
        }
    }
    let mine =
        |role: Role| panel.lines.iter().filter(move |l| l.variant == variant && l.role == role);
    if panel.with_causes {
        reductions(body, timeline, variant, area, &time);
    }
    // The most important curve lies on top.
    for line in mine(Role::Other).chain(mine(Role::Companion)).chain(mine(Role::Main)) {
        if let Some(around) = &line.band {
            band(body, line.variant, around, &time, &value);
        }
        curve(body, line, &time, &value, timeline.columns);
    }
}

/// A tick below the upper edge of a strip for each time that the window went down; of those that
/// would touch, the first.
fn reductions(body: &mut Markup, timeline: &Timeline, variant: usize, area: Area, time: &Scale) {
    const CLOSE: f64 = 0.8;
    let mut data = String::new();
    let mut last = f64::NEG_INFINITY;
    for event in timeline.events.get(variant).into_iter().flatten().filter(|e| e.reduction) {
        let x = time.at(event.time_s);
        if x - last >= CLOSE {
            data.push_str(&path_data(&[(x, area.top), (x, area.top + 3.0)]));
            last = x;
        }
    }
    if data.is_empty() {
        return;
    }
    body.tag("path")
        .attr("class", format!("strokes reductions {}", palette::class(variant)))
        .attr("d", data)
        .attr("fill", "none")
        .attr("stroke", palette::colour(variant))
        .num("stroke-width", HAIR)
        .empty();
}

/// The spread around a curve.
fn band(body: &mut Markup, variant: usize, band: &Band, time: &Scale, value: &Scale) {
    let columns = band.high.len() / 2;
    let edge = |values: &[Option<f64>]| runs(&thinned(values, columns));
    let mut data = String::new();
    for (upper, lower) in edge(&band.high).iter().zip(&edge(&band.low)) {
        let point = |(share, v): &(f64, f64)| {
            (time.from + share * (time.to - time.from), value.at(v.min(value.high)))
        };
        let outline = upper.iter().map(point).chain(lower.iter().rev().map(point));
        data.push_str(&path_data(&outline.collect::<Vec<_>>()));
        data.push('Z');
    }
    body.tag("path")
        .attr("class", format!("fills {}", palette::class(variant)))
        .attr("d", data)
        .attr("fill", palette::colour(variant))
        .attr("fill-opacity", 0.2)
        .empty();
}

fn curve(body: &mut Markup, line: &CurveLine, time: &Scale, value: &Scale, columns: usize) {
    let mut data = String::new();
    for run in runs(&thinned(&line.values, columns)) {
        let points: Vec<(f64, f64)> = run
            .iter()
            .map(|(share, v)| {
                (time.from + share * (time.to - time.from), value.at(v.min(value.high)))
            })
            .collect();
        data.push_str(&path_data(&points));
    }
    let (class, colour, width) = match line.role {
        Role::Main => ("strokes ", palette::colour(line.variant), 0.8),
        Role::Companion => ("strokes ", palette::colour(line.variant), 0.5),
        Role::Other => ("axis ", SOFT, 0.5),
    };
    let mut tag = body
        .tag("path")
        .attr("class", format!("{class}{}", palette::class(line.variant)))
        .attr("d", data)
        .attr("fill", "none")
        .attr("stroke", colour)
        .num("stroke-width", width)
        .attr("stroke-linejoin", "round");
    if line.role == Role::Companion {
        tag = tag.attr("stroke-dasharray", "1.6 1.2");
    }
    tag.empty();
}

/// Fewer columns, each with the extremes of those it stands for, in their order.
fn thinned(values: &[Option<f64>], columns: usize) -> Vec<Option<f64>> {
    let join = columns.div_ceil(COLUMNS).max(1);
    if join == 1 {
        return values.to_vec();
    }
    let mut thin = Vec::with_capacity(2 * COLUMNS);
    for group in values.chunks(2 * join) {
        let there = || group.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?)));
        let low = there().min_by(|a, b| a.1.total_cmp(&b.1));
        let high = there().max_by(|a, b| a.1.total_cmp(&b.1));
        match (low, high) {
            (Some((i, low)), Some((j, high))) if i <= j => thin.extend([Some(low), Some(high)]),
            (Some((_, low)), Some((_, high))) => thin.extend([Some(high), Some(low)]),
            _ => thin.extend([None; 2]),
        }
    }
    thin
}

/// Stretches without a gap: each value with its place from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "a few thousand columns")]
fn runs(values: &[Option<f64>]) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (i, value) in values.iter().enumerate() {
        match (value, runs.last_mut()) {
            (Some(value), Some(run)) => {
                // Of a level stretch its ends say everything.
                #[expect(clippy::float_cmp, reason = "what is held has the same bits")]
                let level = run.iter().rev().take(2).filter(|(_, v)| v == value).count() == 2;
                if level {
                    run.pop();
                }
                run.push(((i as f64 + 0.5) / values.len() as f64, *value));
            }
            (None, Some(run)) if !run.is_empty() => runs.push(Vec::new()),
            _ => {}
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks_and_their_order() {
        let mut values = vec![Some(1.0); 2 * 10 * COLUMNS];
        values[7] = Some(9.0);
        values[3] = Some(0.5);
        let thin = thinned(&values, 10 * COLUMNS);
        assert_eq!(thin.len(), 2 * COLUMNS);
        assert_eq!(&thin[..4], [Some(0.5), Some(9.0), Some(1.0), Some(1.0)]);
    }

    #[test]
    fn a_heading_is_written_whole_and_says_that_seeds_were_joined() {
        let panel = Panel {
            quantity: Quantity { unit: "packets".to_owned(), ..Quantity::default() },
            title: "Congestion window, marked where reduced, and dotted its ssthresh".to_owned(),
            ..Panel::default()
        };
        let written = |seeds: &[u64]| {
            let mut body = Markup::new();
            let timeline = Timeline { seeds: seeds.to_vec(), ..Timeline::default() };
            let height = heading(&mut body, &panel, &timeline, Some(140.0));
            (body.into_text(), height)
        };
        let (one, low) = written(&[4]);
        assert!(!one.contains('…') && one.contains("(packets), clipped at 140<"), "{one}");
        let (three, high) = written(&[4, 5, 6]);
        assert!(three.contains("Medians over 3 seeds") && high > low, "{three}");
    }

    #[test]
    fn a_gap_parts_a_curve() {
        let values = [Some(1.0), None, None, Some(2.0)];
        assert_eq!(runs(&values), [vec![(0.125, 1.0)], vec![(0.875, 2.0)]]);
    }

    #[test]
    fn a_level_stretch_is_its_two_ends() {
        let values = [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 2.0].map(Some);
        let run = runs(&values).remove(0);
        let ends = [(0.5, 1.0), (3.5, 1.0), (4.5, 3.0), (6.5, 3.0), (7.5, 2.0)];
        assert_eq!(run, ends.map(|(place, value)| (place / 8.0, value)));
    }
}
